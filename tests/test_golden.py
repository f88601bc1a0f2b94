"""The recorded matches: readable, complete, and what the rules still give."""

from pathlib import Path

import pytest

from engine.match import Ruleset
from tests.golden.record import FOLDER, path_of, replay
from tests.positions import PRESETS, of_preset

RECORDS = sorted(FOLDER.glob("*.txt"))


def test_every_preset_has_a_record() -> None:
    """One recorded match for each ruleset and preset, and none of what is no preset: `make golden` records them."""
    assert sorted(path_of(*pair) for pair in PRESETS) == RECORDS


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_played_again_is_the_same_text(path: Path) -> None:
    """The moves in the text, played from the seed and options in its head, give every hand, trick and score in it."""
    text = path.read_text()
    assert replay(text) == text, "the rules play another match now: if that is meant, run `make golden` and review it"


@pytest.mark.parametrize("pair", PRESETS, ids=of_preset)
def test_a_record_can_be_read_to_its_end(pair: tuple[Ruleset, str]) -> None:
    """It is of the preset that it is named after, short, and ends as the game ends, not by the bound on deals."""
    text = path_of(*pair).read_text()
    assert f"\npreset {pair[1]}\n" in text
    assert text.count("\ndeal ") < 15
    assert "\ngame_over " in text
    assert 'reason="max_deals"' not in text
