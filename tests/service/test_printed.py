"""The catalogue on a terminal."""

import re

import pytest
from click.testing import CliRunner

from engine.catalog import RULESETS
from engine.match import Ruleset
from service.cli import main
from service.printed import WORDS
from service.rulesets import ruleset_page

each_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.name)
each_language = pytest.mark.parametrize("language", ["en", "es"])


def printed(*arguments: str, columns: int = 80) -> str:
    """What the command prints on a terminal of this width."""
    result = CliRunner(env={"COLUMNS": str(columns)}).invoke(main, ["rulesets", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def flat(text: str) -> str:
    """A text without the frames of tables, marks of Markdown, and line breaks."""
    return " ".join(re.sub(r"[│┃`]", " ", text).split())


@each_language
def test_every_ruleset_and_preset_is_listed(language: str) -> None:
    listed = printed("--language", language, columns=200)
    for ruleset in RULESETS:
        assert ruleset.name in listed
        assert all(preset in listed for preset in ruleset.presets)


@each_language
@each_ruleset
def test_a_ruleset_is_printed_with_everything_in_its_page(ruleset: Ruleset, language: str) -> None:
    page, told = ruleset_page(ruleset.name, language), flat(printed(ruleset.name, "--language", language, columns=400))
    wanted = [page.text, *(each.text for each in page.constraints), *(each.text for each in page.dependent_defaults)]
    wanted += [said for each in page.options["properties"].values() for said in (each["description"],)]
    wanted += [said for each in page.presets for said in (each.preset, each.text)]
    wanted += [said for each in page.move_types for said in (each.type, each.text)]
    wanted += [said for each in page.reasons for said in (each.reason, each.detail)]
    wanted += [said for each in page.examples for said in (each.title, each.text)]
    wanted += [getattr(each.title, language) for each in page.packs]
    wanted += [getattr(each.name, language) for kind in page.kinds for each in (*kind.suits, *kind.ranks)]
    wanted += ruleset.options.__struct_fields__
    assert [text for text in wanted if flat(text) not in told] == []


@each_language
@each_ruleset
def test_a_page_fits_eighty_columns(ruleset: Ruleset, language: str) -> None:
    """No line is longer, and what has to be typed, names of options and presets, is never broken."""
    page = printed(ruleset.name, "--language", language)
    assert max(map(len, page.splitlines())) <= 80
    names = [*ruleset.options.__struct_fields__, *ruleset.presets, *ruleset.reasons]
    assert [name for name in names if not re.search(rf"^│ {name} +│", page, re.MULTILINE)] == []


def test_an_example_is_printed_so_that_it_can_be_played_out() -> None:
    """Who holds what, what is played, what may be played then and what may not; or what came of the deal."""
    page = flat(printed("tarneeb", columns=200))
    bidding = page[page.index("Bidding higher, or not at all") :]
    for line in (
        "dealer 1 seat 0: spades 8 9 10 J Q K A, hearts A, diamonds K A, clubs Q K A seat 1:",
        "0 bid 8 → seat 3, may be played: pass, bid 9, bid 10, bid 11, bid 12, bid 13 → refused: bid 8 (bid_too_low)",
    ):
        assert line in bidding
    exactly = page[page.index("Points, and 41 exactly") : page.index("Beyond an exact target")]
    assert "preset tarneeb_41, dealer 1 seat 0 (totals before: 16):" in exactly
    assert exactly.endswith("→ scores 25, 0, 25, 0; totals 41, 10, 41, 10; winners 0, 2 ")


def test_the_page_says_the_same_things_in_each_language() -> None:
    assert WORDS["en"].keys() == WORDS["es"].keys()


def test_an_unknown_ruleset_is_a_sentence_that_says_what_there_is() -> None:
    result = CliRunner().invoke(main, ["rulesets", "bridge"])
    assert result.exit_code == 2
    assert "there are tarneeb, reihe, rosbiratschka, elfer_raus" in " ".join(result.output.split())
