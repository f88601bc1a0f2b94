"""The catalogue for people: rulesets, options and rules on a terminal."""

import json
from typing import Any

from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table

from service import catalogue


def rulesets(console: Console, lang: str) -> None:
    """Print a row for each ruleset."""
    table = Table("ruleset", "players", "presets", title="Rulesets", title_justify="left")
    for each in catalogue.ruleset_list(lang).rulesets:
        fewest, most = each.players.min, each.players.max
        players = str(fewest) if fewest == most else f"{fewest} to {most}"
        table.add_row(each.name, players, ", ".join(each.presets))
    console.print(table, "`tapete rulesets NAME` has options and rules.", sep="\n")


def ruleset(console: Console, name: str, lang: str) -> None:
    """Print one ruleset: its options with their values, its presets, its rules. UnknownRuleset for any other name."""
    page = catalogue.ruleset_page(name, lang)
    options = Table("option", "values", "default", title=page.title, title_justify="left")
    for option, schema in page.options["properties"].items():
        default = page.dependent_defaults.get(option) or _text(schema.get("default"))
        options.add_row(option, _values(schema), default)
    presets = Table("preset", "sets", title_justify="left")
    for preset, values in page.presets.items():
        sets = ", ".join(f"{key} {_text(value)}" for key, value in values.items())
        presets.add_row(preset, sets or "nothing: the defaults")
    console.print(options, presets, Markdown(page.rules), sep="\n")


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return json.dumps(value) if value is None or isinstance(value, bool) else str(value)


def _values(schema: dict[str, Any]) -> str:
    """What an option may be, from its JSON Schema."""
    if "anyOf" in schema:
        return " or ".join(_values(each) for each in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(map(_text, schema["enum"]))
    if "minimum" in schema:
        return f"{schema['minimum']} to {schema['maximum']}"
    if schema.get("type") == "array":
        return f"a list of {_values(schema['items'])}"
    kind = str(schema.get("type", "anything"))
    return {"boolean": "true, false"}.get(kind, kind)
