"""Estimates: there is one for everything, and it goes up with what is asked for."""

import pytest

from engine.bots import BOTS
from engine.catalog import find
from engine.match import Ruleset
from engine.simulation.costs import estimate, nearest_preset, rows
from engine.simulation.plans import Entrant
from tests.positions import PRESETS, of_preset
from tests.simulation.tables import LOWEST, RANDOM, RULES, TARNEEB, UNITS, comparison, table

REIHE, ROSBIRATSCHKA, ELFER_RAUS = map(find, ("reihe", "rosbiratschka", "elfer_raus"))


@pytest.mark.parametrize("pair", PRESETS, ids=of_preset)
def test_every_bot_was_measured_in_every_preset(pair: tuple[Ruleset, str]) -> None:
    """A new preset or bot needs `python -m tests.bench.costs`."""
    ruleset, preset = pair
    there = {(row["ruleset"], row["preset"], row["bot"], row["version"]) for row in rows()}
    assert {(ruleset.name, preset, bot.name, bot.version) for bot in BOTS} <= there
    seats = min(4, ruleset.seats[1])
    for unit in UNITS:
        thinking, drawing = (
            table([Entrant(bot)] * seats, ruleset, preset, unit=unit) for bot in (RULES.bot, RANDOM.bot)
        )
        assert estimate(thinking, 10) > estimate(drawing, 10) > 0


def test_more_sets_and_lineups_take_longer() -> None:
    """An estimate is of all games of all sets."""
    plan = table([RULES] * 4)
    assert estimate(plan, 30) == pytest.approx(3 * estimate(plan, 10))
    assert estimate(comparison(RULES, RULES), 10) == pytest.approx(2 * estimate(plan, 10))
    assert estimate(plan, 0) == 0


def test_a_table_costs_the_mean_of_its_bots() -> None:
    """Two that think and two that do not take half as long as four that think."""
    thinking, drawing = (estimate(table([entrant] * 4), 10) for entrant in (RULES, RANDOM))
    assert estimate(table([RULES, RANDOM] * 2), 10) == pytest.approx((thinking + drawing) / 2)


def test_a_bot_that_was_never_measured_costs_as_the_dearest() -> None:
    """Rather too much than too little."""
    assert estimate(table([LOWEST] * 4), 10) == estimate(table([RULES] * 4), 10)


def test_options_are_taken_as_those_of_the_nearest_preset() -> None:
    """Whatever the request called them."""
    assert nearest_preset(table([RULES] * 4, preset="tarneeb_41", max_deals=9)) == "tarneeb_41"
    assert nearest_preset(table([RULES] * 4, scoring="points")) == "tarneeb_41"
    assert nearest_preset(table([RULES] * 4, REIHE, deck="german_36")) == "german_36"


def test_matches_with_a_later_end_take_longer() -> None:
    """A target twice as far, twice the rounds; up to the most deals that there can be."""

    def match(ruleset: Ruleset, **options: object) -> float:
        return estimate(table([RULES] * 4, ruleset, unit="matches", **options), 10)

    assert match(TARNEEB, target=62) == pytest.approx(2 * match(TARNEEB))
    assert match(TARNEEB, target=62, max_deals=3) == match(TARNEEB, max_deals=3) < match(TARNEEB)
    assert match(ROSBIRATSCHKA, rounds=3) == pytest.approx(3 * match(ROSBIRATSCHKA))
    assert match(ROSBIRATSCHKA, contracts=["hundred"]) == pytest.approx(match(ROSBIRATSCHKA) / 6)
    assert match(ELFER_RAUS, rounds=4, penalty_limit=None) == pytest.approx(2 * match(ELFER_RAUS, rounds=2))
