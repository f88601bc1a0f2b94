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
    "BotName": (schemas.BotName, "`GET /v1/bots` says what each bot is."),
    "Kind": (schemas.Kind, "Who a seat is for: `open` until somebody claims it."),
    "StartMode": (schemas.StartMode, "Whether a game starts by itself, or when its creator says so."),
    "Controller": (schemas.Controller, "Who moves for a seat now."),
    "By": (schemas.By, "Who made a change."),
    "Status": (schemas.Status, "How a game stands."),
    "JobState": (schemas.JobState, "How a job stands."),
    "SimulationState": (simulation_schemas.SimulationState, "How a simulation stands."),
    "ProblemCode": (schemas.Code, "What is wrong; stable. `GET /v1/errors` says what to do about each."),
}
"""Types that are not structs and have a name in the document all the same, with what it says of them."""

WITH_OPTIONS = {"GameView", "Replay", "SimulationRequest"}
"""Answers that hold the options of a game, resolved."""


def components(types: Iterable[Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The schemas by name, and a schema for each of the types, which refers to them."""
    wanted = [*(kind for kind, _ in NAMED.values()), *types]
    found, parts = msgspec.json.schema_components(wanted, ref_template=REF + "{name}")
    naming = _Naming(dict(zip(NAMED, found[: len(NAMED)], strict=True)))
    named = {name: naming.definition(name, text) for name, (_, text) in NAMED.items()}
    structs = {name: naming.within(name, part) for name, part in parts.items()}
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
    base = found.pop("CreateGame")
    creates = {}
    for ruleset in RULESETS:
        name = ruleset.options.__name__
        # Of the options that are asked for, none is required; of those in a view, every one is there.
        found[name] = options_schema(ruleset)
        found[f"Resolved{name}"] = {
            **described(ruleset),
            "title": f"Resolved{name}",
        }
        creates[ruleset.name] = f"Create{name.removesuffix('Options')}"
        found[creates[ruleset.name]] = _create(ruleset, creates[ruleset.name], base)
    found["ResolvedOptions"] = {
        "title": "ResolvedOptions",
        "description": "The value of every option of the game's ruleset.",
        "anyOf": [reference(f"Resolved{ruleset.options.__name__}") for ruleset in RULESETS],
    }
    found["CreateGame"] = {
        "title": "CreateGame",
        "description": base["description"],
        "oneOf": [reference(name) for name in creates.values()],
        "discriminator": {
            "propertyName": "ruleset",
            "mapping": {ruleset: REF + name for ruleset, name in creates.items()},
        },
    }
    for name in WITH_OPTIONS & found.keys():
        properties = {**found[name]["properties"], "options": reference("ResolvedOptions")}
        found[name] = {**found[name], "properties": properties}
    return found


def _create(ruleset: Ruleset, name: str, base: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a game of one ruleset to create: its presets, its options, its number of seats."""
    fewest, most = ruleset.seats
    given = base["properties"]
    own = {
        "ruleset": {"type": "string", "enum": [ruleset.name]},
        "preset": {"anyOf": [{"type": "string", "enum": list(ruleset.presets)}, {"type": "null"}], "default": None},
        "options": {**reference(ruleset.options.__name__), "default": {}},
        "seats": {**given["seats"], "minItems": fewest, "maxItems": most},
    }
    title = f"A game of {ruleset.title['en']} to create."
    return {**base, "title": name, "description": title, "properties": {**given, **own}}
