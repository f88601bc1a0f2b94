"""Bots against bots on duplicate deals: what they score, in exact integers that add up in any order.

A set is one dealing of the cards, played once for each way that the entrants rotate over the seats: each gets every
hand, and the luck of the deal cancels out. The deals of a set resemble each other, so errors are taken over sets.
All chance comes from (seed text, number of the set): a tally does not depend on who played which sets, or when.
Match totals are even. `python -m engine.arena` measures the bots, as `engine/bots/strength.json` keeps it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from math import sqrt
from typing import Any, NamedTuple

from engine import bots
from engine.bots import Bot, Budget
from engine.catalog import RULESETS
from engine.chance import Chance
from engine.match import Match, Ruleset

ONE_WIN = 840
"""One deal won, in the parts that wins are counted in: up to eight winners can share it exactly."""


@dataclass(frozen=True)
class Entrant:
    """A bot, and how much it may think."""

    bot: Bot
    budget: Budget | None = None


class Result(NamedTuple):
    """What one deal came to for one entrant: its score, its margin, and how much of the win it has."""

    score: int
    margin: int
    win: int


@dataclass(frozen=True)
class Record:
    """What the deals of one entrant came to, in sums.

    The margin of a deal adds up how much more the entrant scored than each of its opponents. `squares` are those of
    the margins of deals, `set_squares` those of the margins of whole sets; `wins` counts parts of ONE_WIN.
    """

    score: int = 0
    margin: int = 0
    squares: int = 0
    set_squares: int = 0
    wins: int = 0

    def merge(self, other: Record) -> Record:
        """Both together."""
        return Record(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(Record)))


@dataclass(frozen=True)
class Tally:
    """What a number of sets came to: a record for each entrant, who met `opponents` in each of a set's `rotations`."""

    records: tuple[Record, ...]
    opponents: int
    rotations: int
    sets: int

    def merge(self, other: Tally) -> Tally:
        """Both together: the same entrants, other sets. The order of merging changes nothing."""
        records = (ours.merge(theirs) for ours, theirs in zip(self.records, other.records, strict=True))
        return Tally(tuple(records), self.opponents, self.rotations, self.sets + other.sets)


@dataclass(frozen=True)
class Summary:
    """How an entrant did: its mean score in a deal, and its mean margin over an opponent.

    `interval` is the half-width of the 95 % interval of `margin`, `deviation` the standard deviation of the margin in
    one deal; None where there is too little to tell. `wins` is the share of deals won, shared ones counting in part.
    """

    score: float
    margin: float
    interval: float | None
    deviation: float | None
    wins: float


def play_sets(
    ruleset: Ruleset, options: Any, entrants: Sequence[Entrant], seed: str, *, first_set: int, sets: int
) -> Tally:
    """Play `sets` sets, from the one of number `first_set` on. Entrant 0 starts in seat 0, and so on."""
    opponents = sum(_side(ruleset, seat) != _side(ruleset, 0) for seat in range(len(entrants)))
    rotations = rotations_of(entrants)
    tally = Tally((Record(),) * len(entrants), opponents, rotations, 0)
    for number in range(first_set, first_set + sets):
        results = _play_set(ruleset, options, entrants, f"{seed}:{number}", number)
        tally = tally.merge(Tally(tuple(map(_record, results)), opponents, rotations, 1))
    return tally


def rotations_of(entrants: Sequence[Entrant]) -> int:
    """How many rotations over the seats differ: two where two bots take turns round the table."""
    given = list(entrants)
    return next(by for by in range(1, len(given) + 1) if given[by:] + given[:by] == given)


def _play_set(
    ruleset: Ruleset, options: Any, entrants: Sequence[Entrant], seed: str, number: int
) -> list[list[Result]]:
    """Each entrant's results in each deal of a set; the turn to deal goes round with the number of the set."""
    seats = len(entrants)
    results: list[list[Result]] = [[] for _ in entrants]
    for rotation in range(rotations_of(entrants)):
        seated = [entrants[(seat - rotation) % seats] for seat in range(seats)]
        deal = deal_of_set(ruleset, options, seats, seed, number)
        for seat, result in enumerate(_results(ruleset, play_deal(deal, seated, f"{seed}:{rotation}"))):
            results[(seat - rotation) % seats].append(result)
    return results


@dataclass(frozen=True)
class OneDeal:
    """The chance of a match of one deal: everything from the set's seed, the dealer by its number."""

    seed: str
    dealer: int

    def order(self, _number: int, attempt: int, size: int) -> list[int]:
        """The order of the pack, from the top."""
        text = f"{self.seed}:cards" if attempt == 1 else f"{self.seed}:cards:{attempt}"
        return Chance(text).shuffled(list(range(size)))

    def below(self, purpose: str, n: int) -> int:
        """A number from 0 to n-1."""
        return self.dealer % n if purpose == "first_dealer" else Chance(f"{self.seed}:{purpose}").number(n)


def deal_of_set(ruleset: Ruleset, options: Any, seats: int, seed: str, number: int) -> Any:
    """The deal of a set, at even totals. What depends on a deal's number goes round with the set."""
    match = Match(ruleset, options, seats, OneDeal(seed, number % seats), number=number)
    match.start()
    return match.deal


def play_deal(deal: Any, seated: Sequence[Entrant], seed: str) -> list[int]:
    """Play a deal to its end with an entrant in each seat; answers the score of each seat."""
    chances = [Chance(f"{seed}:{seat}") for seat in range(len(seated))]
    while (seat := deal.to_move) >= 0:
        seen = deal.observe(seat)
        move = seated[seat].bot.choose(seen, chances[seat], seated[seat].budget).move
        if move not in seen.moves:
            raise ValueError(f"{seated[seat].bot.name} chose {move} where the moves are {seen.moves}")
        deal.play(move)
    scores: list[int] = deal.scores()
    return scores


def _side(ruleset: Ruleset, seat: int) -> int:
    """Who a seat plays for: its team, or itself where there are no teams."""
    team = ruleset.team(seat)
    return seat if team is None else team


def _results(ruleset: Ruleset, scores: list[int]) -> list[Result]:
    """What a finished deal is to each seat; penalty points count against it."""
    if ruleset.penalties:
        scores = [-score for score in scores]
    sides = [_side(ruleset, seat) for seat in range(len(scores))]
    best = max(scores)
    share = ONE_WIN // len({side for side, score in zip(sides, scores, strict=True) if score == best})

    def margin(seat: int) -> int:
        return sum(scores[seat] - scores[other] for other in range(len(scores)) if sides[other] != sides[seat])

    return [Result(score, margin(seat), share * (score == best)) for seat, score in enumerate(scores)]


def _record(results: list[Result]) -> Record:
    """The record of one entrant's results in one set."""
    margin = sum(each.margin for each in results)
    return Record(
        score=sum(each.score for each in results),
        margin=margin,
        squares=sum(each.margin**2 for each in results),
        set_squares=margin**2,
        wins=sum(each.win for each in results),
    )


def summary(tally: Tally, entrant: int) -> Summary:
    """What a tally of at least one set says about one of its entrants."""
    record = tally.records[entrant]
    deals = tally.sets * tally.rotations
    deviation = _deviation(record.squares, record.margin, deals)
    between = _deviation(record.set_squares, record.margin, tally.sets)
    error = None if between is None else student_95(tally.sets - 1) * between / sqrt(tally.sets)
    return Summary(
        score=record.score / deals,
        margin=record.margin / deals / tally.opponents,
        interval=None if error is None else error / tally.rotations / tally.opponents,
        deviation=None if deviation is None else deviation / tally.opponents,
        wins=record.wins / deals / ONE_WIN,
    )


def _deviation(squares: int, total: int, number: int) -> float | None:
    """The standard deviation of a number of integers, from the sum of their squares and their sum."""
    if number < 2:
        return None
    # In integers until the difference is taken: in floats, two sums of about the same size would leave noise.
    return sqrt((squares * number - total * total) / (number * (number - 1)))


def student_95(freedom: int) -> float:
    """How many standard errors on each side hold a mean in 95 of 100 cases; within 1 % from 3 degrees of freedom."""
    z = 1.959964
    terms = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + sum(term / float(freedom) ** power for power, term in enumerate(terms, 1))


def strengths(sets: int, seed: str) -> Iterator[dict[str, Any]]:
    """How each bot does against `random` in each preset: the rows of `engine/bots/strength.json`."""
    rival = Entrant(bots.find("random"))
    for ruleset in RULESETS:
        for preset in ruleset.presets:
            seats = min(4, ruleset.seats[1])
            options = ruleset.resolve(preset, {}, seats)
            for bot in bots.BOTS:
                if bot == rival.bot:
                    continue
                entrants = [Entrant(bot), rival] * (seats // 2)
                found = asdict(summary(play_sets(ruleset, options, entrants, seed, first_set=0, sets=sets), 0))
                figures = {name: None if value is None else round(value, 2) for name, value in found.items()}
                row = {"ruleset": ruleset.name, "preset": preset, "bot": bot.name, "version": bot.version}
                yield {**row, "against": rival.bot.name, "sets": sets, **figures}


def main() -> None:
    """Print how strong the bots are, as `engine/bots/strength.json` keeps it: a row a line."""
    parser = argparse.ArgumentParser(prog="python -m engine.arena", description=main.__doc__)
    parser.add_argument("--sets", type=int, default=2000, help="sets of duplicate deals for each row (2000)")
    parser.add_argument("--seed", default="strength", help="the text that all chance comes from")
    given = parser.parse_args()
    rows = ",\n".join(json.dumps(row) for row in strengths(given.sets, given.seed))
    print(f"[\n{rows}\n]")


if __name__ == "__main__":
    main()
