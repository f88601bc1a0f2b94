"""The named schemas of the published document, made of the wire types by msgspec's own JSON Schema.

What msgspec writes in place is named here wherever it has a name at the table: every union becomes a component with
a discriminator, so that clients generated from the document get one type for a move, an event, a view.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from engine.catalog import RULESETS
from engine.match import Ruleset
from engine.wire import Card, Move, Suit, Table
from service import schemas, simulation_schemas
from service.options import described, options_schema
from service.properties import told

REF = "#/components/schemas/"

NAMED: Mapping[str, tuple[Any, str]] = {
    "Card": (Card, ""),
    "Suit": (Suit, "A suit of any ruleset's pack."),
    "Move": (Move, "One decision of the seat to move. Which types a ruleset has is in the catalogue."),
    "Event": (schemas.Event, "Something that a change of a game brought about."),
    "Table": (Table, "What lies on the table, by the kind of the game."),
    "DealView": (schemas.DealView, "The running deal, as everyone sees it; its shape depends on the ruleset."),
    "MatchView": (schemas.MatchView, "The match so far, as everyone sees it; its shape depends on the ruleset."),
    "LastDeal": (schemas.LastDeal, "A finished deal: what it was worth, and how that came about."),
    "NewSeat": (schemas.NewSeat, "Who shall sit at a seat."),
    "Moment": (schemas.Moment, "A time in UTC, to the millisecond."),
    "BotName": (schemas.BotName, "A bot, as `GET /v1/bots` lists it."),
    "Kind": (schemas.Kind, "Who a seat is for: a `player`, a `bot`, or `open` until somebody claims it."),
    "StartMode": (
        schemas.StartMode,
        "When a game starts: `auto` with the last seat taken, `manual` when its creator says so.",
    ),
    "Controller": (
        schemas.Controller,
        "Who moves for a seat now: its `player`, the `bot` it was made for, or the `stand_in` of an absent player.",
    ),
    "By": (
        schemas.By,
        "Who made a change: a seat's `player`, `bot` or `stand_in`, the `creator`, or the `service` itself.",
    ),
    "Status": (
        schemas.Status,
        "How a game stands: `waiting` for its seats or its start, `playing`, `finished` with a result, or `abandoned`.",
    ),
    "JobState": (schemas.JobState, "How a job stands: `queued` until a bot has chosen, then `done`, or `failed`."),
    "SimulationState": (
        simulation_schemas.SimulationState,
        "How a simulation stands: `waiting` for a worker, `running`, then `done`, `cancelled`, or `failed`.",
    ),
    "ProblemCode": (schemas.Code, "What is wrong; stable. `GET /v1/errors` says what to do about each."),
}
"""Types that are not structs and have a name in the document all the same, with what it says of them."""

BY_RULESET: Mapping[str, tuple[str, str]] = {
    "CreateGame": ("Create{}", "A game of {} to create."),
    "CreateSimulation": ("Simulate{}", "Games of {} to simulate."),
}
"""What is asked for differently in every ruleset: how that is called and what it is, by ruleset."""

WITH_OPTIONS = {"GameView", "Replay", "SimulationRequest"}
"""Answers that hold the options of a game, resolved."""


def components(types: Iterable[Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The schemas by name, and a schema for each of the types, which refers to them."""
    wanted = [*(kind for kind, _ in NAMED.values()), *types]
    found, parts = msgspec.json.schema_components(wanted, ref_template=REF + "{name}")
    naming = _Naming(dict(zip(NAMED, found[: len(NAMED)], strict=True)))
    named = {name: naming.definition(name, text) for name, (_, text) in NAMED.items()}
    structs = {name: told(name, naming.within(name, part)) for name, part in parts.items()}
    schemas_by_name = _by_ruleset({**named, **structs})
    return dict(sorted(schemas_by_name.items())), [naming.refer(each) for each in found[len(NAMED) :]]


def reference(name: str) -> dict[str, Any]:
    """A schema that is another one, by name."""
    return {"$ref": REF + name}


class _Naming:
    """Replaces schemas that have a name by references to it."""

    def __init__(self, named: Mapping[str, dict[str, Any]]) -> None:
        self._named = named
        self._names = {_shape(schema): name for name, schema in named.items()}
        # While a union has one member, its schema is that member's.
        self._single = {_shape(schema) for schema in named.values() if "$ref" in schema}

    def definition(self, name: str, description: str) -> dict[str, Any]:
        """A named schema itself."""
        schema = self._named[name]
        if "$ref" in schema:
            schema = {"anyOf": [schema], "discriminator": {"propertyName": "ruleset", "mapping": _mapping(schema)}}
        described = {"description": description} if description else {}
        return {"title": name, **described, **_tidy(schema)}

    def within(self, name: str, schema: dict[str, Any]) -> dict[str, Any]:
        """A struct with everything in it named. What a ruleset says of itself stays with its own types."""
        member = _shape(reference(name)) in self._single
        return {key: self._refer(each, within_member=member) for key, each in schema.items()}

    def refer(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The schema, or a reference where it has a name; so with every part of it."""
        referring: dict[str, Any] = self._refer(schema, within_member=False)
        return referring

    def _refer(self, schema: Any, *, within_member: bool) -> Any:
        if isinstance(schema, list):
            return [self._refer(each, within_member=within_member) for each in schema]
        if not isinstance(schema, dict):
            return schema
        shape = _shape(schema)
        name = self._names.get(shape)
        if name and not (within_member and shape in self._single):
            return {**reference(name), **{key: schema[key] for key in ("default",) if key in schema}}
        return _tidy({key: self._refer(each, within_member=within_member) for key, each in schema.items()})


def _shape(schema: Mapping[str, Any]) -> str:
    said = ("title", "description", "default")
    return json.dumps({key: each for key, each in schema.items() if key not in said}, sort_keys=True)


def _mapping(schema: Mapping[str, Any]) -> dict[str, str]:
    """Which ruleset the only member of a union is of."""
    name = schema["$ref"].removeprefix(REF)
    kinds = {each.__name__: ruleset.name for ruleset in RULESETS for each in _own(ruleset)}
    return {kinds[name]: schema["$ref"]}


def _own(ruleset: Ruleset) -> tuple[type, ...]:
    return (ruleset.deal_type, ruleset.match_type, ruleset.last_deal)


def _tidy(schema: dict[str, Any]) -> dict[str, Any]:
    """What msgspec leaves unsaid: members of a tagged union exclude each other, and texts are strings."""
    if "discriminator" in schema and "anyOf" in schema:
        schema = {("oneOf" if key == "anyOf" else key): each for key, each in schema.items()}
    enum = schema.get("enum")
    if isinstance(enum, list) and "type" not in schema and all(isinstance(each, str) for each in enum):
        schema = {"type": "string", **schema}
    return schema


def _by_ruleset(found: dict[str, Any]) -> dict[str, Any]:
    """The same schemas with what depends on the ruleset told apart: the options, and a game to create."""
    found = dict(found)
    for ruleset in RULESETS:
        found |= _own_schemas(ruleset)
    for asked, (pattern, text) in BY_RULESET.items():
        base = found.pop(asked)
        found |= {_named(each, pattern): _asked(each, pattern, text, base) for each in RULESETS}
        found[asked] = _one_of(asked, base["description"], pattern)
    found["ResolvedOptions"] = {
        "title": "ResolvedOptions",
        "description": "The value of every option of the game's ruleset.",
        "anyOf": [reference(f"Resolved{ruleset.options.__name__}") for ruleset in RULESETS],
    }
    for name in WITH_OPTIONS & found.keys():
        properties = {**found[name]["properties"], "options": reference("ResolvedOptions")}
        found[name] = {**found[name], "properties": properties}
    return found


def _named(ruleset: Ruleset, pattern: str) -> str:
    """The name of a schema that every ruleset has one of."""
    return pattern.format(ruleset.options.__name__.removesuffix("Options"))


def _one_of(name: str, description: str, pattern: str) -> dict[str, Any]:
    """The union of what every ruleset has one of, told apart by the ruleset."""
    members = {ruleset.name: reference(_named(ruleset, pattern)) for ruleset in RULESETS}
    mapping = {ruleset: member["$ref"] for ruleset, member in members.items()}
    return {
        "title": name,
        "description": description,
        "oneOf": list(members.values()),
        "discriminator": {"propertyName": "ruleset", "mapping": mapping},
    }


def _own_schemas(ruleset: Ruleset) -> dict[str, Any]:
    """The schemas of one ruleset: its options as they are asked for and as they are shown, and its presets."""
    options, resolved = _named(ruleset, "{}Options"), _named(ruleset, "Resolved{}Options")
    preset = _named(ruleset, "{}Preset")
    return {
        # Of the options that are asked for, none is required; of those in a view, every one is there.
        options: options_schema(ruleset),
        resolved: {**described(ruleset), "title": resolved},
        preset: {
            "title": preset,
            "description": f"A preset of {ruleset.title['en']}, as the ruleset's page tells of it.",
            "type": "string",
            "enum": list(ruleset.presets),
        },
    }


def _asked(ruleset: Ruleset, pattern: str, text: str, base: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of what is asked for in one ruleset: with its presets, its options, its number of seats."""
    given = base["properties"]
    own = {
        "ruleset": {"type": "string", "enum": [ruleset.name], "description": "What is played."},
        "preset": {
            "description": given["preset"]["description"],
            "anyOf": [reference(_named(ruleset, "{}Preset")), {"type": "null"}],
            "default": None,
        },
        "options": {
            **reference(ruleset.options.__name__),
            "description": given["options"]["description"],
            "default": {},
        },
        "seats": _seats(given["seats"], *ruleset.seats),
    }
    title = {"title": _named(ruleset, pattern), "description": text.format(ruleset.title["en"])}
    return {**base, **title, "properties": {**given, **own}}


def _seats(schema: Mapping[str, Any], fewest: int, most: int) -> dict[str, Any]:
    """The schema of the seats with their number; where they may be left out, so is what takes their place."""
    if "anyOf" in schema:
        return {**schema, "anyOf": [_seats(schema["anyOf"][0], fewest, most), *schema["anyOf"][1:]]}
    return {**schema, "minItems": fewest, "maxItems": most}
