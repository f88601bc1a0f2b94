"""From a tally to its statistics: means, spreads, intervals, shares, histograms.

Games of one set share their cards, and bots of one game share everything: errors are those of means over sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from scipy.special import stdtrit

from engine.simulation.plans import Entrant, Plan
from engine.simulation.results import (
    Bar,
    BotStanding,
    Comparison,
    Count,
    Figure,
    Length,
    Lengths,
    Results,
    SeatedBot,
    SeatedBudget,
    SeatStanding,
)
from engine.simulation.tallies import ONE_WIN, Tally, bucket, histogram, square

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Sample:
    """Numbers that came in clusters of equal size: how many, their sum and squares, and the squares of cluster sums."""

    number: int
    clusters: int
    total: int
    squares: int
    cluster_squares: int

    def figure(self, unit: float = 1) -> Figure:
        """The mean, deviation and interval of at least one number, counted in units."""
        mean = self.total / self.number
        return Figure(
            mean=rounded(mean / unit),
            deviation=rounded_or_none(deviation(self.squares, self.total, self.number), unit),
            interval=self.interval(mean, unit),
        )

    def interval(self, mean: float, unit: float) -> tuple[float, float] | None:
        """The ends of the 95 % confidence interval of the mean; None for one cluster."""
        between = deviation(self.cluster_squares, self.total, self.clusters)
        if between is None:
            return None
        of_a_cluster = self.number / self.clusters
        half = student(self.clusters - 1) * between / sqrt(self.clusters) / of_a_cluster
        return rounded((mean - half) / unit), rounded((mean + half) / unit)


def deviation(squares: int, total: int, number: int) -> float | None:
    """The standard deviation of integers, from the sum of their squares and their sum; None for fewer than two."""
    if number < 2:
        return None
    # In integers until the difference is taken: in floats, two sums of about the same size would leave noise.
    return sqrt((squares * number - total * total) / (number * (number - 1)))


def student(freedom: int) -> float:
    """How many standard errors on each side of a mean hold the true one in 95 of 100 cases."""
    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))


def rounded(value: float) -> float:
    """To twelve significant digits: more may differ from one machine's mathematics to another's."""
    return float(f"{value:.12g}")


def rounded_or_none(value: float | None, unit: float) -> float | None:
    """The same of a number that may be missing, counted in units."""
    return None if value is None else rounded(value / unit)


def summarise(plan: Plan, tally: Tally) -> Results:
    """The statistics of what a tally of at least one of a plan's sets says."""
    return Results(
        games=tally["games"],
        sets=tally["sets"],
        bots=[bot_standing(plan, tally, bot) for bot in range(len(plan.bots))],
        seats=[seat_standing(plan, tally, seat) for seat in range(plan.seats)],
        lengths=Lengths(
            moves=length(tally, "moves"),
            deals=length(tally, "deals_of_match") if plan.unit == "matches" else None,
        ),
        counts=counts(plan, tally),
        comparison=comparison(plan, tally) if plan.compared else None,
    )


def bot_standing(plan: Plan, tally: Tally, bot: int) -> BotStanding:
    """What the games came to for one of a plan's bots."""
    seated = sum(lineup.count(bot) for lineup in plan.lineups)
    seats = [seat for seat in range(plan.seats) if any(lineup[seat] == bot for lineup in plan.lineups)]
    return BotStanding(seated_bot(plan.bots[bot]), seats, *standing(plan, tally, f"bot.{bot}", seated))


def seat_standing(plan: Plan, tally: Tally, seat: int) -> SeatStanding:
    """What the games came to for a seat."""
    return SeatStanding(seat, *standing(plan, tally, f"seat.{seat}", len(plan.lineups)))


def seated_bot(entrant: Entrant) -> SeatedBot:
    """Which bot, as it is published."""
    budget = entrant.budget
    told = None if budget is None or budget.samples is None else SeatedBudget(budget.samples)
    return SeatedBot(entrant.bot.name, entrant.bot.version, told)


def standing(plan: Plan, tally: Tally, name: str, of_a_set: int) -> tuple[int, Figure, Figure, float, list[Bar]]:
    """Games, score, margin, share of wins and histogram of a seat or a bot that has so many games in a set."""
    games = tally["sets"] * of_a_set
    return (
        games,
        sample(tally, f"{name}.score", of_a_set).figure(),
        sample(tally, f"{name}.margin", of_a_set).figure(plan.opponents),
        rounded(tally.get(f"{name}.wins", 0) / games / ONE_WIN),
        bars(tally, f"{name}.score"),
    )


def sample(tally: Tally, name: str, of_a_set: int) -> Sample:
    """What is kept of a number that came so many times in each set."""
    sets, squares = tally["sets"], square(tally, f"{name}.squares")
    return Sample(sets * of_a_set, sets, tally.get(name, 0), squares, square(tally, f"{name}.set_squares"))


def bars(tally: Tally, name: str) -> list[Bar]:
    """The histogram of a number, without the bars that nothing is in."""
    return [Bar(low, bucket(low)[1], count) for low, count in histogram(tally, name)]


def length(tally: Tally, name: str) -> Length:
    """How long games were."""
    found = bars(tally, name)
    spread = deviation(square(tally, f"{name}.squares"), tally[name], tally["games"])
    mean = rounded(tally[name] / tally["games"])
    return Length(mean, rounded_or_none(spread, 1), found[0].from_, found[-1].to, found)


def counts(plan: Plan, tally: Tally) -> list[Count]:
    """What the ruleset counts, misdeals, and how matches ended.

    What could have been and never was is told where its base is its own: a bid of 9 that was never made.
    """
    found = []
    for name, key, of in plan.ruleset.counts.values():
        count = tally.get(f"count.{name}" if key is None else f"count.{name}.{key}", 0)
        base = tally["deals"] if of == "deals" else total(tally, f"count.{of}")
        if count or ("." in of and base):
            found.append(Count(name, key, count, base, rounded(count / base)))
    if redeals := tally.get("redeals", 0):
        found.append(Count("redeals", None, redeals, tally["deals"], rounded(redeals / tally["deals"])))
    for name, count in sorted(tally.items()):
        if name.startswith("ended."):
            share = rounded(count / tally["games"])
            found.append(Count("ended", name.removeprefix("ended."), count, tally["games"], share))
    return found


def total(tally: Tally, name: str) -> int:
    """A number, or where it has keys the sum of all."""
    return sum(count for each, count in tally.items() if each == name or each.startswith(f"{name}."))


def comparison(plan: Plan, tally: Tally) -> Comparison:
    """How much better the first of two bots did."""
    return Comparison(
        score=lead(tally, "difference.score").figure(plan.games_of_a_bot),
        win_share=lead(tally, "difference.wins").figure(plan.games_of_a_bot * ONE_WIN),
    )


def lead(tally: Tally, name: str) -> Sample:
    """What is kept of a difference between two bots, one number a set."""
    squares = square(tally, f"{name}.squares")
    return Sample(tally["sets"], tally["sets"], tally.get(name, 0), squares, squares)
