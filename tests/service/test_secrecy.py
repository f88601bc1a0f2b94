from collections.abc import Iterator
from itertools import cycle

import pytest

from engine.catalog import RULESETS
from engine.match import Ruleset
from tests.service.compared import NOTHING_IS_LEFT, Worlds, compare_faults, compare_worlds
from tests.service.leaks import MORE, NAMED, Leak, sampling_bots
from tests.service.worlds import World, two_worlds

POSITIONS = 40
"""How many positions of a ruleset are compared over HTTP; the engine's bytes are at 10,000 (test_every_ruleset.py)."""
each_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.name)


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worlds]:
    """Two services that share nothing."""
    with two_worlds(tmp_path_factory.mktemp("worlds")) as both:
        yield both


def documented(world: World, *but: str) -> set[tuple[str, str]]:
    """Every operation with every answer that the document gives it, but some."""
    return {(each.name, answer) for each in world.operations for answer in each.answers.difference(but)}


def cannot_be_met(ruleset: Ruleset) -> set[tuple[str, str]]:
    """Answers that no position of a ruleset with hidden cards can have."""
    after_the_end = {("applyMove", "match_over"), ("askBot", "match_over"), ("listEvents", "204")}
    return (after_the_end if ruleset.name in NOTHING_IS_LEFT else set()) | {
        ("proposeTarget", "match_over"),  # only Reihe takes proposals
        ("getReplay", "200"),  # opens every hand, when nothing is played any more
        ("getReplay", "304"),
        ("returnToSeat", "match_over"),  # only from a stand-in, and these games have no clock
        ("proposeTarget", "200" if ruleset.propose is None else "no_target"),
    }


@each_ruleset
def test_exchanging_hidden_cards_changes_no_byte_that_a_reader_or_an_operator_can_see(
    worlds: Worlds, ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the document says can be asked and answered, and all that is logged, queued, published and kept."""
    for each in worlds:
        each.met.clear()
    assert compare_worlds(worlds, ruleset, "honest", POSITIONS, monkeypatch) >= POSITIONS
    real, other = worlds
    assert real.met == other.met
    # Faults have a test of their own; limits look at who asks, before anybody looks at a game.
    promised = documented(real, "internal_error", "rate_limited", "headers_too_large")
    missing = promised - real.met - cannot_be_met(ruleset)
    assert not missing, f"never compared: {sorted(missing)}"


@each_ruleset
def test_a_fault_whose_text_holds_every_hand_tells_nobody(
    worlds: Worlds, ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the reader, in an answer or in the middle of a stream; no log, of the API or of a worker; not the queue."""
    for each in worlds:
        each.met.clear()
    compare_faults(worlds, ruleset, 2, monkeypatch)
    failed = {name for name, answer in worlds[0].met if answer == "internal_error"}
    assert failed >= {"applyMove", "createGame", "getGame", "listEvents", "listLegalMoves"}, sorted(failed)


def test_bots_that_sample_hold_the_secret(worlds: Worlds, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a leak in the sampler is planted into is no leak by itself."""
    sampling_bots(monkeypatch)
    assert compare_worlds(worlds, RULESETS[0], "samples", 10, monkeypatch) >= 10


PLANTED = [(leak, found, ruleset) for leak, found in NAMED.items() for ruleset in RULESETS]
PLANTED += [(leak, found, ruleset) for (leak, found), ruleset in zip(MORE.items(), cycle(RULESETS), strict=False)]


@pytest.mark.parametrize(
    ("leak", "found", "ruleset"), PLANTED, ids=[f"{each.__name__}-{of.name}" for each, _, of in PLANTED]
)
def test_a_planted_leak_is_found(
    worlds: Worlds, leak: Leak, found: str, ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A leak put there on purpose makes the comparison fail, and say where."""
    leak(monkeypatch)
    with pytest.raises(AssertionError, match=found):
        compare_worlds(worlds, ruleset, leak.__name__, POSITIONS, monkeypatch)
