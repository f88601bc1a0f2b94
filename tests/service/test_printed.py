"""The catalogue on a terminal."""

import pytest
from click.testing import CliRunner

from engine.catalog import RULESETS
from service.cli import main


def test_every_ruleset_and_preset_is_listed() -> None:
    printed = CliRunner(env={"COLUMNS": "200"}).invoke(main, ["rulesets"])
    assert printed.exit_code == 0
    for ruleset in RULESETS:
        assert ruleset.name in printed.output
        assert all(preset in printed.output for preset in ruleset.presets)


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.name)
def test_a_ruleset_is_printed_with_its_options_and_rules(ruleset: object, language: str) -> None:
    printed = CliRunner(env={"COLUMNS": "200"}).invoke(main, ["rulesets", ruleset.name, "--language", language])
    assert printed.exit_code == 0
    assert all(option in printed.output for option in ruleset.options.__struct_fields__)
    assert f"{next(iter(ruleset.reasons))}" in printed.output


def test_an_unknown_ruleset_is_a_sentence_that_says_what_there_is() -> None:
    printed = CliRunner().invoke(main, ["rulesets", "bridge"])
    assert printed.exit_code == 2
    assert "there are tarneeb, reihe, rosbiratschka, elfer_raus" in " ".join(printed.output.split())
