"""The soak: it passes over the games as they are, finds faults planted on purpose, and says how to see one again."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.catalog import RULESETS, find
from engine.match import Match, Ruleset
from tests import soak
from tests.planted import with_deals
from tests.positions import PRESETS, of_preset, seats_in_turn

ROOT = Path(__file__).parents[1]


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the soak as `make soak` does."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    whole = [sys.executable, "-m", "tests.soak", *arguments]
    return subprocess.run(whole, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


# ---------------------------------------------------------------------------------------------------- all is well


@pytest.mark.parametrize("pair", PRESETS, ids=of_preset)
def test_a_match_of_every_preset_passes(pair: tuple[Ruleset, str]) -> None:
    ruleset, preset = pair
    done = soak.play_match(ruleset, preset, "passes", 1)
    assert done.matches == 1
    assert done.moves > done.deals > 0


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.name)
def test_every_number_of_seats_comes_up(ruleset: Ruleset) -> None:
    fewest, most = ruleset.seats
    assert {seats_in_turn(ruleset, number) for number in range(10)} == set(range(fewest, most + 1))


def test_a_match_comes_from_its_seed_and_number_alone() -> None:
    reihe = find("reihe")
    first, second, other = (soak.play_match(reihe, "german_36", seed, 7) for seed in ("one", "one", "two"))
    assert first == second != other


def test_the_command_tells_what_each_preset_came_to() -> None:
    done = command("--only", "rosbiratschka", "--matches", "60", "--processes", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "rosbiratschka:classic: 60 matches, 360 deals, 0 faults"
    assert [line.split()[1::2][:3] for line in lines if line.startswith("│")] == [
        ["rosbiratschka:classic", "60", "360"]
    ]


@pytest.mark.parametrize(
    "wrong", [["--only", "whist"], ["--only", "reihe:classic"], ["--matches", "0"], ["--match", "x"]]
)
def test_what_cannot_be_played_is_wrong_usage(wrong: list[str]) -> None:
    done = command(*wrong)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: make soak")


def test_an_interrupt_ends_it_with_what_has_been_played() -> None:
    """Ctrl-C, as a terminal sends it to all processes: the table, and nobody's traceback."""
    whole = [sys.executable, "-m", "tests.soak", "--only", "reihe", "--matches", "5000", "--processes", "2"]
    with subprocess.Popen(
        whole, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as running:
        assert running.stdout
        first = running.stdout.readline()
        os.killpg(running.pid, signal.SIGINT)
        said = first + running.communicate(timeout=60)[0]
    assert running.returncode == 0, said
    assert "Traceback" not in said
    assert "reihe:for_money: 5000 matches" not in said, "it went on to the end"
    assert "│ reihe:for_money" in said
    assert " seconds in all, 0 faults" in said


# ---------------------------------------------------------------------------------------------------- planted faults


def loses_a_card(ruleset: Ruleset) -> Ruleset:
    """A seat does not see the lowest card of its hand."""

    def observe(deal: Any, seat: int) -> Any:
        seen = deal.observe(seat)
        return replace(seen, hand=seen.hand & (seen.hand - 1)) if seen.hand else seen

    return with_deals(ruleset, observe=observe)


def lists_what_is_not_held(ruleset: Ruleset) -> Ruleset:
    """Card 0 can be played by everyone."""
    return with_deals(ruleset, legal_moves=lambda deal: sorted({0, *deal.legal_moves()}) if deal.to_move >= 0 else [])


def lists_what_the_game_has_not(ruleset: Ruleset) -> Ruleset:
    """There is a move that no game has."""
    return with_deals(ruleset, legal_moves=lambda deal: [*deal.legal_moves(), 127] if deal.to_move >= 0 else [])


def refuses_for_no_reason(ruleset: Ruleset) -> Ruleset:
    """Refusals give a reason that the game does not declare."""
    return with_deals(ruleset, why_not=lambda _deal, _move: "because")


def says_wrong_sizes(ruleset: Ruleset) -> Ruleset:
    """Every hand is said to hold a card more."""

    def observe(deal: Any, seat: int) -> Any:
        seen = deal.observe(seat)
        return replace(seen, sizes=[size + 1 for size in seen.sizes])

    return with_deals(ruleset, observe=observe)


def adds_wrongly(ruleset: Ruleset) -> Ruleset:
    """Seat 0 is given a point after every deal."""

    def settle(match: Match) -> Any:
        record = ruleset.settle(match)
        match.totals[0] += 1
        return record

    return replace(ruleset, settle=settle)


def copies_wrongly(ruleset: Ruleset) -> Ruleset:
    """What a copied deal is worth is not what the deal was."""
    return with_deals(ruleset, {"scores": lambda deal: [score + 1 for score in deal.scores()]})


def never_ends(ruleset: Ruleset) -> Ruleset:
    """Nobody ever wins."""
    return replace(ruleset, ending=lambda _match: None)


def nobody_wins(ruleset: Ruleset) -> Ruleset:
    """The match ends without winners."""
    return replace(ruleset, ending=lambda match: None if ruleset.ending(match) is None else ([], "target"))


def breaks(ruleset: Ruleset) -> Ruleset:
    """Following a move raises an error."""

    def happened(_match: Match, _before: Any, _move: int) -> Any:
        raise ZeroDivisionError("of all things")

    return replace(ruleset, happened=happened)


FAULTS: list[tuple[Callable[[Ruleset], Ruleset], str]] = [
    (loses_a_card, "nowhere"),
    (lists_what_is_not_held, "does not hold"),
    (lists_what_the_game_has_not, "not moves of the game|127"),
    (refuses_for_no_reason, "no reason of the game: because"),
    (says_wrong_sizes, "hands are said to be of"),
    (adds_wrongly, "makes"),
    (copies_wrongly, "a copy scores"),
    (never_ends, "goes on beyond its bound"),
    (nobody_wins, "nobody has won"),
    (breaks, "of all things"),
]


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.name)
@pytest.mark.parametrize(("plant", "says"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_a_planted_fault_is_found(ruleset: Ruleset, plant: Callable[[Ruleset], Ruleset], says: str) -> None:
    with pytest.raises((soak.Wrong, KeyError, ZeroDivisionError), match=says):
        soak.play_match(plant(ruleset), next(iter(ruleset.presets)), "planted", 2)


def test_a_fault_ends_its_match_alone_and_says_how_to_see_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other matches of the share are played, and the command that is printed plays just this one."""
    honest, seen = find("rosbiratschka"), []

    def ending(match: Match) -> Any:
        ended = honest.ending(match)
        return ([], "contracts") if ended and match.source.seed.endswith(" 4") else ended

    monkeypatch.setattr(soak, "find", lambda _name: replace(honest, ending=ending))
    for numbers in (range(3, 6), range(4, 5)):
        _, done = soak.play_share(soak.Share("rosbiratschka", "classic", "planted", numbers))
        assert done.matches == len(numbers)
        seen += done.faults
    assert (
        seen[0]
        == seen[1]
        == (
            'make soak ARGS="--only rosbiratschka:classic --seed planted --first 4 --matches 1"  (3 seats)\n'
            "    Wrong: nobody has won"
        )
    )
    assert len(seen) == 2


def test_faults_make_the_command_fail(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, the fault in the table's last column and below it."""
    monkeypatch.setattr(soak, "find", lambda name: nobody_wins(find(name)))
    monkeypatch.setattr(sys, "argv", ["soak", "--only", "rosbiratschka", "--matches", "2", "--processes", "1"])
    assert soak.main() == 1
    said = capsys.readouterr().out
    assert "2 faults" in said
    assert said.count("Wrong: nobody has won") == 2
