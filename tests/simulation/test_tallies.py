"""Tallies: exact, the same however the work is cut up, by whatever build and on whatever path."""

import json
import os
import subprocess
import sys
from collections import Counter
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine._builds import STAMP
from engine.catalog import RULESETS, find
from engine.match import Ruleset
from engine.simulation import playing
from engine.simulation.playing import play
from engine.simulation.tallies import bucket, histogram, merge, square
from tests.positions import PRESETS, of_preset
from tests.simulation.tables import (
    LOWEST,
    OBSERVING,
    RANDOM,
    RULES,
    TARNEEB,
    UNITS,
    comparison,
    games,
    table,
    tally,
)

REIHE, ROSBIRATSCHKA, ELFER_RAUS = map(find, ("reihe", "rosbiratschka", "elfer_raus"))
ROOT = Path(__file__).parents[2]


def of(ruleset: Ruleset, entrants: list[Any], **given: Any) -> Any:
    """A plan with as many seats as there are, up to four."""
    return table((entrants * 4)[: min(4, ruleset.seats[1])], ruleset, **given)


# ---------------------------------------------------------------------------------------------------- adding up


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("entrants", [[RANDOM], [RULES, RANDOM]], ids=["random", "mixed"])
def test_cutting_the_work_up_changes_nothing(unit: Any, entrants: list[Any]) -> None:
    """Sets played in chunks, merged in any order and grouping, come to what they come to at once."""
    for ruleset in RULESETS:
        plan = of(ruleset, entrants, unit=unit, duplicate=True)
        one, two, three = tally(plan, 0, 4), tally(plan, 4, 1), tally(plan, 5, 3)
        whole = tally(plan, 0, 8)
        assert merge(merge(one, two), three) == merge(one, merge(two, three)) == whole
        assert merge(merge(three, one), two) == whole


def test_batches_are_of_whole_sets_and_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many sets come in one tally, in deals and matches, and whether all bots play by chance or not."""
    mixed = [RULES, RANDOM] * 2
    matches = table(mixed, ROSBIRATSCHKA, unit="matches")
    for plan in (table([RANDOM] * 4), comparison(RANDOM, RANDOM), table(mixed, duplicate=True), matches):
        whole = tally(plan, 3, 40)
        monkeypatch.setattr(playing, "BATCH", 3)
        monkeypatch.setattr(playing, "BATCHES", 2)
        monkeypatch.setattr(playing, "TOGETHER", 3)
        parts = list(play(plan, 3, 40))
        assert reduce(merge, parts, {}) == whole
        assert len([part for part in parts if part]) > 5
        done = 0
        for part in parts:
            done += part.get("sets", 0)
            assert part.get("games", 0) == part.get("sets", 0) * plan.games_of_a_set
        assert done == 40
        monkeypatch.undo()


def test_control_comes_back_within_a_set() -> None:
    """After each game of deals, and after each deal of a match."""
    plan = table([LOWEST] * 4, unit="matches")
    parts = list(play(plan, 0, 3))
    assert len(parts) == tally(plan, 0, 3)["deals"] + 1
    assert len(list(play(comparison(LOWEST, RULES), 0, 3))) == 7


def test_no_sets_come_to_nothing() -> None:
    """And rows stay empty."""
    rows: list[bytes] = []
    assert tally(table([RANDOM] * 4), 5, 0) == {}
    assert tally(table([RULES] * 4), 5, 0, rows) == {}
    assert rows == []


# ---------------------------------------------------------------------------------------------------- one truth


@pytest.mark.parametrize("pair", PRESETS, ids=of_preset)
def test_played_in_one_call_or_move_by_move_it_comes_to_the_same(pair: tuple[Ruleset, str]) -> None:
    """Random bots are played out by compiled code; a bot that chooses as `random` does, asked each time, is not."""
    ruleset, preset = pair
    seats = min(4, ruleset.seats[1])
    for unit in UNITS:
        fast = tally(table([RANDOM] * seats, ruleset, preset, unit=unit), 3, 12)
        assert fast == tally(table([OBSERVING] * seats, ruleset, preset, unit=unit), 3, 12)
        mixed = tally(table([RANDOM, RULES] * (seats // 2), ruleset, preset, unit=unit), 3, 4)
        assert mixed == tally(table([OBSERVING, RULES] * (seats // 2), ruleset, preset, unit=unit), 3, 4)
    pairs = [comparison(entrant, entrant, seats, ruleset, preset) for entrant in (RANDOM, OBSERVING)]
    assert tally(pairs[0], 3, 6) == tally(pairs[1], 3, 6)


def test_every_number_of_seats_comes_to_the_same_on_both_paths() -> None:
    """And under options that make several kinds of deals."""
    for ruleset in RULESETS:
        for seats in range(ruleset.seats[0], ruleset.seats[1] + 1):
            options = {"start_number": "ten_or_twelve", "colours": 3} if ruleset.name == "elfer_raus" else {}
            fast = tally(table([RANDOM] * seats, ruleset, **options), 1, 30)
            assert fast == tally(table([OBSERVING] * seats, ruleset, **options), 1, 30)
            assert fast["games"] == 30


def test_rows_change_no_tally_and_agree_with_it() -> None:
    """Asking for rows takes another path, and adds up to the same."""
    for ruleset in RULESETS:
        for unit in UNITS:
            plan = of(ruleset, [RANDOM], unit=unit)
            rows: list[bytes] = []
            found = tally(plan, 2, 10)
            assert tally(plan, 2, 10, rows) == found
            told = [json.loads(row) for row in rows]
            assert [row["set"] for row in told] == list(range(2, 12))
            assert sum(row["moves"] for row in told) == found["moves"]
            counted: Counter[str] = Counter()
            for row in told:
                counted.update(row["counts"])
            counts = {name.removeprefix("count."): count for name, count in found.items() if name.startswith("count.")}
            assert counted == counts


def test_rows_come_in_the_order_of_sets_and_lineups() -> None:
    """Each says who dealt, and what matches were like."""
    plan = comparison(RULES, RANDOM, unit="matches")
    found = games(plan, 3)
    assert [(row["set"], row["lineup"]) for row in found] == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
    assert set(found[0]) == {"set", "lineup", "dealer", "scores", "moves", "counts", "deals", "reason"}
    assert set(games(comparison(RULES, RANDOM), 1)[0]) == {"set", "lineup", "dealer", "scores", "moves", "counts"}


@pytest.mark.timeout(600)
def test_plain_and_compiled_engine_count_the_same() -> None:
    """Every preset, deals and matches, by chance and not, with rows: equal texts."""
    assert STAMP.exists(), "The engine is not compiled, so nothing can be compared: run `make compile`."
    printed = []
    for mode in ("pure", "compiled"):
        environment = {**os.environ, "TAPETE_ENGINE": mode}
        command = [sys.executable, "-m", "tests.simulation.tables"]
        printed.append(subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, check=True).stdout)
    assert printed[0] == printed[1]
    assert len(printed[0].splitlines()) == 6 * len(PRESETS)


# ---------------------------------------------------------------------------------------------------- what is kept


@pytest.mark.parametrize("number", [0, 1, 255, 256, 1023, 1024, 5000, 70_000, 1_000_000])
def test_buckets_lie_side_by_side(number: int) -> None:
    """Every number is in its bucket, the next bucket begins after it, and those of negative numbers mirror them."""
    low, high = bucket(number)
    assert low <= number <= high
    assert bucket(low) == bucket(high) == (low, high)
    assert bucket(high + 1)[0] == high + 1
    assert bucket(-number) == (-high, -low)
    assert high - low < max(1, number / 63)


@given(st.lists(st.integers(-(10**6), 10**6), min_size=4, max_size=4))
def test_scores_of_any_size_are_counted_exactly(scores: list[int]) -> None:
    """A match's totals may be large, and so may the squares of sums over a set."""
    sums = playing.new_sums(comparison(RANDOM, RANDOM))
    scores = [scores[0], scores[1]] * 2
    for lineup in range(2):
        sums.end_match(lineup, scores, 3)
    sums.end_set()
    found = sums.tally()
    assert square(found, "seat.0.score.squares") == 2 * scores[0] ** 2
    assert square(found, "bot.0.score.squares") == 2 * (scores[0] ** 2 + scores[1] ** 2)
    assert square(found, "bot.0.score.set_squares") == (2 * scores[0] + 2 * scores[1]) ** 2
    assert square(found, "seat.1.margin.set_squares") == (4 * (scores[1] - scores[0])) ** 2
    assert all(abs(value) < 2**63 for value in found.values())
    expected = Counter(bucket(score)[0] for score in scores[:2] for _ in range(4))
    kept = Counter(dict(histogram(found, "bot.0.score"))) + Counter(dict(histogram(found, "bot.1.score")))
    assert kept == expected


def test_ten_million_games_keep_within_63_bits() -> None:
    """Each adds a square less than 2^36 for every seat that a bot can have in it, and a set adds one such for all."""
    sums = playing.new_sums(table([RANDOM] * 8, REIHE))
    sums.end_match(0, [2**18 - 1] * 8, 1)
    sums.end_set()
    assert max(sums.tally().values()) * 10_000_000 < 2**63


def test_a_large_simulation_keeps_few_names() -> None:
    """Ten thousand deals of the game with the widest scores, and matches of it; what comes later adds little."""
    deals = table([RANDOM] * 6, ELFER_RAUS, "action_cards")
    matches = table([RANDOM] * 6, ELFER_RAUS, "action_cards", unit="matches")
    assert len(tally(deals, 0, 20_000)) < 2500
    assert len(tally(matches, 0, 100)) < 2500


def test_of_a_win_each_side_has_its_part() -> None:
    """Whole wins in all, shared between sides that are level; partners have the same."""
    tables = ((TARNEEB, 4), (REIHE, 5), (ROSBIRATSCHKA, 3), (ELFER_RAUS, 6))
    for plan in (table([LOWEST] * 4), *(table([RANDOM] * seats, ruleset) for ruleset, seats in tables)):
        found = tally(plan, 0, 30)
        won = [found.get(f"seat.{seat}.wins", 0) for seat in range(plan.seats)]
        if plan.ruleset is TARNEEB:
            assert won[:2] == won[2:]
            won = won[:2]
        assert sum(won) == 840 * 30
