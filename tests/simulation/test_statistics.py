"""The statistics, against those that numpy and scipy find in plain lists of every game's scores."""

import json
from collections import Counter
from functools import cache
from itertools import groupby, pairwise
from typing import Any

import msgspec
import numpy
import pytest
from scipy import stats

from engine.bots import Bot, Budget
from engine.catalog import RULESETS, find
from engine.chance import Chance
from engine.match import Ruleset
from engine.simulation.plans import Entrant, Plan
from engine.simulation.playing import match_of_set, streams_of
from engine.simulation.results import Bar, Figure, Results
from engine.simulation.statistics import summarise
from tests.simulation.tables import HIGHEST, LOWEST, RANDOM, RULES, TARNEEB, bot, comparison, games, table, tally

ELFER_RAUS = find("elfer_raus")
SETS = 40
PLANS = [
    (table([RANDOM] * 4), "random"),
    (table([RULES, RANDOM, RANDOM, LOWEST]), "mixed"),
    (table([RULES, LOWEST, RANDOM, RANDOM], unit="matches", duplicate=True, max_deals=6), "duplicate matches"),
    (table([RULES, RANDOM, RANDOM], find("rosbiratschka"), duplicate=True), "penalties"),
    (table([RANDOM] * 5, ELFER_RAUS, unit="matches", rounds=2, penalty_limit=None), "many points"),
    (comparison(RULES, RANDOM, 3, find("reihe")), "compared, odd"),
    (comparison(RULES, RANDOM, 4, ELFER_RAUS), "compared, even"),
    (comparison(LOWEST, LOWEST, 4), "compared with itself"),
]
each_plan = pytest.mark.parametrize("plan", [plan for plan, _ in PLANS], ids=[name for _, name in PLANS])


def results(plan: Plan, sets: int = SETS) -> Results:
    """The statistics of a plan's first sets."""
    return summarise(plan, tally(plan, 0, sets))


@cache
def played(number: int) -> list[dict[str, Any]]:
    """Every game of one of the plans."""
    return games(PLANS[number][0], SETS)


def margins(plan: Plan, scores: list[int]) -> list[float]:
    """How much better each seat did than the mean of its opponents."""
    sign = -1 if plan.ruleset.penalties else 1
    seats = range(plan.seats)
    against = [[scores[other] for other in seats if plan.side(other) != plan.side(seat)] for seat in seats]
    return [sign * float(scores[seat] - numpy.mean(against[seat])) for seat in seats]


def wins(plan: Plan, scores: list[int]) -> list[float]:
    """What each seat has of the win: all of it, or its side's part."""
    best = (min if plan.ruleset.penalties else max)(scores)
    sides = {plan.side(seat) for seat, score in enumerate(scores) if score == best}
    return [float(score == best) / len(sides) for score in scores]


def told(plan: Plan) -> list[dict[str, Any]]:
    """Every game of one of the plans; played once."""
    return played([each is plan for each, _ in PLANS].index(True))


def seen(plan: Plan, of: Any, chosen: Any) -> list[list[float]]:
    """For each set, a number of every (game, seat) that is chosen."""
    numbers = [
        (game["set"], seat, plan.lineups[game["lineup"]][seat], of(plan, game["scores"])[seat])
        for game in told(plan)
        for seat in range(plan.seats)
    ]
    return [[row[3] for row in rows if chosen(row[1], row[2])] for _, rows in groupby(numbers, key=lambda row: row[0])]


def check(figure: Figure, clusters: list[list[float]]) -> None:
    """A figure is what the books say of numbers in clusters of equal size."""
    everything = numpy.concatenate(clusters)
    means = numpy.array([numpy.mean(cluster) for cluster in clusters])
    assert figure.mean == pytest.approx(everything.mean(), abs=1e-9)
    assert figure.deviation == pytest.approx(everything.std(ddof=1), abs=1e-9)
    # Where all sets came out the same there is no error; scipy does not take one of 0.
    error = max(stats.sem(means), 1e-15)
    expected = stats.t.interval(0.95, len(means) - 1, loc=means.mean(), scale=error)
    assert figure.interval == pytest.approx(expected, abs=1e-9)


def scores_of(_plan: Plan, scores: list[int]) -> list[int]:
    """The scores themselves."""
    return scores


# ---------------------------------------------------------------------------------------------------- by brute force


@each_plan
def test_bots_have_the_statistics_of_their_games(plan: Plan) -> None:
    """Score, margin, share of wins and histogram over all seats of a bot; errors over sets."""
    found = results(plan)
    assert (found.games, found.sets) == (SETS * len(plan.lineups), SETS)
    for index, standing in enumerate(found.bots):
        mine = seen(plan, scores_of, lambda _seat, bot, index=index: bot == index)
        check(standing.score, mine)
        check(standing.margin, seen(plan, margins, lambda _seat, bot, index=index: bot == index))
        won = seen(plan, wins, lambda _seat, bot, index=index: bot == index)
        assert standing.win_share == pytest.approx(numpy.concatenate(won).mean())
        assert standing.games == sum(map(len, mine))
        assert standing.seats == [
            seat for seat in range(plan.seats) if any(lineup[seat] == index for lineup in plan.lineups)
        ]


@each_plan
def test_seats_have_the_statistics_of_their_games(plan: Plan) -> None:
    """Whoever sat in them."""
    for index, standing in enumerate(results(plan).seats):
        mine = seen(plan, scores_of, lambda seat, _bot, index=index: seat == index)
        check(standing.score, mine)
        check(standing.margin, seen(plan, margins, lambda seat, _bot, index=index: seat == index))
        won = seen(plan, wins, lambda seat, _bot, index=index: seat == index)
        assert standing.win_share == pytest.approx(numpy.concatenate(won).mean())
        assert (standing.seat, standing.games) == (index, sum(map(len, mine)))
        fits(standing.histogram, [int(score) for score in numpy.concatenate(mine)])


def fits(bars: list[Bar], numbers: list[int]) -> None:
    """Bars are ascending, none is empty, and together they hold exactly these numbers."""
    assert all(one.to < other.from_ for one, other in pairwise(bars))
    held = [(bar.from_, sum(bar.from_ <= number <= bar.to for number in numbers)) for bar in bars]
    assert held == [(bar.from_, bar.count) for bar in bars]
    assert sum(bar.count for bar in bars) == len(numbers)


@each_plan
def test_lengths_are_those_of_the_games(plan: Plan) -> None:
    """In moves, and matches in deals too."""
    found = results(plan).lengths
    assert (found.deals is not None) == (plan.unit == "matches")
    for length, name in ((found.moves, "moves"), (found.deals, "deals")):
        if length is not None:
            numbers = [game[name] for game in told(plan)]
            assert length.mean == pytest.approx(numpy.mean(numbers))
            assert length.deviation == pytest.approx(numpy.std(numbers, ddof=1))
            assert length.least <= min(numbers)
            assert length.most >= max(numbers)
            if max(numbers) < 256:
                assert (length.least, length.most) == (min(numbers), max(numbers))
            fits(length.histogram, numbers)


@each_plan
def test_a_comparison_has_the_difference_of_the_sets(plan: Plan) -> None:
    """Paired: the interval is that of the differences, and not of two samples."""
    found = results(plan).comparison
    assert (found is not None) == plan.compared
    if found is None:
        return
    sign = -1 if plan.ruleset.penalties else 1
    for figure, of, better in ((found.score, scores_of, sign), (found.win_share, wins, 1)):
        first, second = (seen(plan, of, lambda _seat, bot, index=index: bot == index) for index in range(2))
        check(figure, [[better * (numpy.mean(a) - numpy.mean(b))] for a, b in zip(first, second, strict=True)])


# ---------------------------------------------------------------------------------------------------- intervals


def test_sets_of_the_same_hands_are_clusters() -> None:
    """Between bots that play the same, luck cancels out in every set: no error is left, though games differ."""
    plan = comparison(HIGHEST, bot("the same", lambda seen: seen.moves[-1]))
    found = results(plan)
    assert found.comparison is not None
    assert (found.comparison.score.mean, found.comparison.score.interval) == (0, (0, 0))
    assert all(standing.margin.interval == (0, 0) for standing in found.bots)
    assert all((standing.margin.deviation or 0) > 5 for standing in found.bots)


def test_intervals_hold_the_truth_in_95_of_100_cases() -> None:
    """Of 400 simulations of 10 sets between a bot and itself, 0 lies in the intervals of about 380."""
    plan = comparison(RANDOM, RANDOM, 4, find("reihe"))
    assert plan.bots[0] == plan.bots[1], "the truth is 0"
    held = 0
    for number in range(400):
        low, high = summarise(plan, tally(plan, number * 10, 10)).bots[0].margin.interval or (1, 1)
        held += low <= 0 <= high
    assert 365 <= held <= 395


def test_a_single_set_has_no_interval() -> None:
    """It tells nothing of how much sets differ; a single game does not tell how much games do."""
    (found,) = results(table([LOWEST] * 4), 1).bots
    assert found.score.interval is None
    seat = results(table([RANDOM] * 4), 1).seats[0]
    assert (seat.score.deviation, seat.score.interval) == (None, None)
    assert results(table([RANDOM] * 4), 1).lengths.moves.deviation is None


# ---------------------------------------------------------------------------------------------------- what is published


def test_the_same_tally_gives_the_same_bytes() -> None:
    """Floats have twelve significant digits, bars their own names, and bots their version and budget."""
    plan = comparison(Entrant(Bot("thinker", 3, "", RULES.bot.choose), Budget(samples=50)), RANDOM)
    found = tally(plan, 0, 7)
    first = msgspec.json.encode(summarise(plan, found))
    assert first == msgspec.json.encode(summarise(plan, dict(reversed(found.items()))))
    told = json.loads(first)
    assert [standing["bot"] for standing in told["bots"]] == [
        {"bot": "thinker", "version": 3, "budget": {"samples": 50}},
        {"bot": "random", "version": 1, "budget": None},
    ]
    assert set(told["bots"][0]["histogram"][0]) == {"from", "to", "count"}
    floats: list[str] = []
    json.loads(first, parse_float=lambda text: floats.append(text) or 0.0)
    digits = [len(text.split("e")[0].replace(".", "").lstrip("-0")) for text in floats]
    assert max(digits) == 12


def test_a_tally_that_went_through_a_store_gives_the_same() -> None:
    """A store may keep names that count nothing."""
    plan = comparison(RULES, RANDOM)
    found = tally(plan, 0, 9)
    kept = {**found, "seat.0.score.at.77": 0, "count.made.12": found.get("count.made.12", 0), "redeals": 0}
    assert summarise(plan, kept) == summarise(plan, found)


# ---------------------------------------------------------------------------------------------------- counts


WATCHED = bot("watched", lambda seen: seen.moves[(sum(seen.sizes) * 13 + seen.seat) % len(seen.moves)])
"""Plays now this, now that, by its observation alone."""


def in_full(match: Any, move: int) -> Counter[str]:
    """What a match's last move adds to what its ruleset counts, from what is published of the match."""
    made: Counter[str] = Counter()
    kind = msgspec.to_builtins(match.codec.encode(move))["type"]
    if match.ruleset is ELFER_RAUS:
        made[{"draw": "draws", "pass": "passes"}.get(kind, "")] += 1
    elif kind == "pass" and match.ruleset is not TARNEEB:
        made["passes"] += 1
    del made[""]
    return made


def at_end(name: str, seen: Any, record: Any) -> Counter[str]:
    """What a finished deal adds, from its record and its last observation."""
    if name == "tarneeb":
        if record["all_passed"]:
            return Counter({"all_passed": 1})
        taken = (record["points_taken"] or record["tricks_taken"])[record["declarer"] % 2]
        made = {f"made.{record['bid']}": 1} if record["made"] else {}
        return Counter({f"bid.{record['bid']}": 1, f"trump.{record['trump']}": 1, f"taken.{taken}": 1, **made})
    if name == "reihe":
        return Counter({f"cards_left.{seen.sizes[seen.places[-1]]}": 1})
    if name == "rosbiratschka":
        contract = record["contract"]
        return Counter(
            {
                f"contract.{contract}": 1,
                f"points.{contract}": sum(record["scores"]),
                f"slam.{contract}": record["slam"] is not None,
                f"doubled.{contract}": record["doubled"],
            }
        )
    won = {"winner": seen.winner == seen.opener, "empty": seen.stock == 0}
    return Counter(
        {
            "cards_left": sum(seen.sizes),
            "turns": seen.turns + 1,
            "action_cards": len(seen.acted),
            "opener_won": won["winner"],
            "stock_empty": won["empty"],
        }
    )


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.name)
def test_counts_are_those_of_the_records(ruleset: Ruleset) -> None:
    """Every preset: what is counted of deals, against the moves made and the records of the deals."""
    for preset in ruleset.presets:
        plan = table([WATCHED] * 4, ruleset, preset)
        rows, expected = games(plan, 24), Counter[str]()
        for number in range(24):
            match = match_of_set(plan, streams_of(plan), number)
            while match.deal.to_move >= 0:
                move = WATCHED.bot.choose(match.observe(match.deal.to_move), Chance(""), None).move
                match.deal.play(move)
                expected += in_full(match, move)
            expected += at_end(ruleset.name, match.observe(-1), msgspec.to_builtins(ruleset.settle(match)))
        assert sum((Counter(game["counts"]) for game in rows), Counter()) == +expected
        assert rows
