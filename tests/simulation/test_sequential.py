"""Stopping a comparison early: what a look finds, and how often it is wrong."""

import random
from functools import reduce
from math import log

import numpy
import pytest

from engine.catalog import find
from engine.simulation.sequential import FEWEST, Bounds, Verdict, decide
from engine.simulation.tallies import Tally, merge
from tests.simulation.tables import LOWEST, RANDOM, RULES, comparison, games, tally

REIHE = find("reihe")
PLAN = comparison(RULES, RANDOM, 4, REIHE)


def of_sets(leads: list[int]) -> Tally:
    """A tally of sets in which bot 0 was ahead by so much."""
    return {
        "sets": len(leads),
        "difference.score": sum(leads),
        "difference.score.squares": sum(lead * lead for lead in leads),
    }


def test_the_ratio_is_that_of_two_normal_likelihoods() -> None:
    """The mean differences of the sets, as likely under one mean as under the other, with the variance they show."""
    told = games(PLAN, 50)
    first, second = ([], [])
    for game in told:
        for seat, score in enumerate(game["scores"]):
            (second if PLAN.lineups[game["lineup"]][seat] else first).append(score)
    differences = (numpy.array(first) - numpy.array(second)).reshape(50, 4).mean(axis=1)
    bounds = Bounds(lower=0.2, upper=1.4)
    variance = differences.var(ddof=1)
    expected = sum((((differences - 0.2) ** 2) - ((differences - 1.4) ** 2)) / (2 * variance))
    assert decide(PLAN, tally(PLAN, 0, 50), bounds).llr == pytest.approx(expected)


def test_the_ends_are_those_of_wald() -> None:
    """At 5 % each, a ratio of 19 to 1 either way; a smaller risk asks for more."""
    assert Bounds(0, 1).to_find_upper == pytest.approx(log(19))
    assert Bounds(0, 1).to_find_lower == pytest.approx(-log(19))
    strict = Bounds(0, 1, alpha=0.01, beta=0.1)
    assert (strict.to_find_upper, strict.to_find_lower) == pytest.approx((log(90), log(0.1 / 0.99)))


def test_penalty_points_count_against_a_bot() -> None:
    """`upper` means better, in whatever the ruleset counts."""
    plan = comparison(RULES, RANDOM, 4, find("elfer_raus"))
    assert decide(plan, tally(plan, 0, 300), Bounds(lower=0, upper=5)).found == "upper"
    plan = comparison(RANDOM, RULES, 4, find("elfer_raus"))
    assert decide(plan, tally(plan, 0, 300), Bounds(lower=0, upper=5)).found == "lower"


def test_where_nothing_differs_nothing_is_found() -> None:
    """Two bots that play the same, or one set alone, say nothing of how much sets might differ."""
    plan = comparison(LOWEST, LOWEST, 4, REIHE)
    assert decide(plan, tally(plan, 0, 20), Bounds(0, 1)) == Verdict(None, None)
    assert decide(PLAN, tally(PLAN, 0, 1), Bounds(0, 1)) == Verdict(None, None)


def test_a_look_depends_on_the_sets_alone() -> None:
    """Not on how their tally came about."""
    parts = [tally(PLAN, first, 20) for first in (40, 0, 20)]
    assert decide(PLAN, reduce(merge, parts), Bounds(0, 1)) == decide(PLAN, tally(PLAN, 0, 60), Bounds(0, 1))


def stopped(mean: float, bounds: Bounds, chance: random.Random) -> tuple[str | None, int]:
    """What a test finds, and after how many sets, whose leads are drawn: of this mean, and skewed as those of games."""
    seen = of_sets([])
    for look in range(1, 1000):
        skewed = [12 * (chance.expovariate(1) - 1) + 6 * chance.gauss(0, 1) for _ in range(bounds.every)]
        seen = merge(seen, of_sets([round(mean * PLAN.games_of_a_bot + each) for each in skewed]))
        if found := decide(PLAN, seen, bounds).found:
            return found, look * bounds.every
    return None, 0


def test_it_is_wrong_about_as_seldom_as_asked() -> None:
    """Of 300 tests with `lower` true about one in twenty at most finds `upper`, and the reverse; all find something."""
    bounds = Bounds(lower=0.0, upper=0.3, every=FEWEST)
    chance = random.Random(7)
    for truth, wrong in ((bounds.lower, "upper"), (bounds.upper, "lower")):
        found = [stopped(truth, bounds, chance)[0] for _ in range(300)]
        assert None not in found
        assert found.count(wrong) <= 20


def test_it_needs_fewer_sets_the_larger_the_difference() -> None:
    """Beyond `upper` it stops sooner than at it, and there sooner than between the two."""
    bounds = Bounds(lower=0.0, upper=0.3, every=FEWEST)
    chance = random.Random(3)
    far, at, between = (sum(stopped(mean, bounds, chance)[1] for _ in range(100)) for mean in (0.6, 0.3, 0.15))
    assert far < at < between
