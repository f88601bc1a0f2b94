"""What there is to play and against whom: the catalogue, made of the engine's own data."""

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import msgspec
from msgspec import Struct

from engine.bots import BOTS
from engine.catalog import RULESETS, find
from engine.match import Ruleset
from service.errors import PROBLEMS
from service.schemas import Answer

LANGUAGES = ("en", "es")


class Players(Answer):
    """How many seats a game has."""

    min: int
    max: int


class RulesetSummary(Answer):
    """A ruleset in the list."""

    name: str
    version: int
    title: str
    players: Players
    presets: list[str]


class RulesetList(Answer):
    """Every ruleset there is."""

    rulesets: list[RulesetSummary]


class PackPage(Answer):
    """The cards of a game: suits in order, ranks from low to high, every card's id."""

    suits: list[str]
    ranks: list[str]
    cards: list[str]


class MoveType(Answer):
    """A type of move of the ruleset, as JSON Schema."""

    type: str
    description: str
    schema: dict[str, Any]


class Reason(Answer):
    """Why a move may be refused."""

    reason: str
    detail: str


class RulesetPage(Answer):
    """Everything a client needs to offer a ruleset.

    `options` is the JSON Schema of the options with their defaults; an option in `dependent_defaults` has no
    default of its own, but the rule given there. `rules` is Markdown with numbered rules.
    """

    name: str
    version: int
    title: str
    players: Players
    turn: Literal["clockwise", "counterclockwise"]
    presets: dict[str, dict[str, Any]]
    options: dict[str, Any]
    dependent_defaults: dict[str, str]
    packs: dict[str, PackPage]
    move_types: list[MoveType]
    reasons: list[Reason]
    rules: str


class Strength(Answer):
    """How a bot did against another on duplicate deals of a ruleset's preset.

    `margin` is how much more it scored in a deal than an opponent, with the half-width of its 95 % `interval`
    (null where there were too few sets), `wins` the share of deals that it won.
    """

    ruleset: str
    preset: str
    against: str
    sets: int
    score: float
    margin: float
    interval: float | None
    wins: float


class BotPage(Answer):
    """A bot, and how strong it was measured to be; the list is empty where it is what others are measured against."""

    bot: str
    version: int
    description: str
    strength: list[Strength]


class BotList(Answer):
    """Every bot there is, in every version that games may name."""

    bots: list[BotPage]


class ErrorPage(Answer):
    """A problem's code: its status, what it means, and what to do next."""

    code: str
    status: int
    title: str
    advice: str


class ErrorList(Answer):
    """Every code that a problem document can carry."""

    errors: list[ErrorPage]


def language(accepted: str) -> str:
    """The language to answer in: the first of ours that `Accept-Language` puts highest, else English."""
    weighed = []
    for place, part in enumerate(accepted.split(",")):
        found = re.fullmatch(r"\s*([A-Za-z]{1,8}|\*)(?:-[A-Za-z0-9-]+)?\s*(?:;\s*q=([01](?:\.[0-9]{0,3})?))?\s*", part)
        if found and found[1].lower() in LANGUAGES and float(found[2] or 1) > 0:
            weighed.append((-float(found[2] or 1), place, found[1].lower()))
    return min(weighed)[2] if weighed else LANGUAGES[0]


@cache
def ruleset_list(lang: str) -> RulesetList:
    """Every ruleset, in short."""
    return RulesetList(
        rulesets=[
            RulesetSummary(
                name=each.name,
                version=each.version,
                title=each.title[lang],
                players=Players(min=each.seats[0], max=each.seats[1]),
                presets=list(each.presets),
            )
            for each in RULESETS
        ]
    )


@cache
def ruleset_page(name: str, lang: str) -> RulesetPage:
    """One ruleset, in full; UnknownRuleset for any other name."""
    ruleset = find(name[:40])  # no name is longer, and a refusal shall not repeat more
    return RulesetPage(
        name=ruleset.name,
        version=ruleset.version,
        title=ruleset.title[lang],
        players=Players(min=ruleset.seats[0], max=ruleset.seats[1]),
        turn=ruleset.turn,
        presets={preset: dict(values) for preset, values in ruleset.presets.items()},
        options=options_schema(ruleset),
        dependent_defaults=dict(ruleset.dependent_defaults),
        packs={
            name: PackPage(suits=list(pack.suits), ranks=list(pack.ranks), cards=list(pack.cards))
            for name, pack in ruleset.packs.items()
        },
        move_types=[_move_type(each) for each in ruleset.move_types],
        reasons=[Reason(reason=reason, detail=detail) for reason, detail in ruleset.reasons.items()],
        rules=(files("engine.rulesets") / ruleset.name / f"rules.{lang}.md").read_text(),
    )


def options_schema(ruleset: Ruleset) -> dict[str, Any]:
    """The options as JSON Schema: closed, none required, with every default that depends on nothing."""
    schema = _plain_schema(ruleset.options)
    defaults = ruleset.defaults({})
    for name, option in schema["properties"].items():
        if name not in ruleset.dependent_defaults:
            option["default"] = defaults[name]
    return {**schema, "required": [], "additionalProperties": False}


def _plain_schema(struct: type[Struct]) -> dict[str, Any]:
    schema = msgspec.json.schema(struct)
    found: dict[str, Any] = schema["$defs"][struct.__name__]
    return found


def _move_type(struct: type[Struct]) -> MoveType:
    schema = _plain_schema(struct)
    return MoveType(
        type=schema["properties"]["type"]["enum"][0], description=(struct.__doc__ or "").strip(), schema=schema
    )


@cache
def bot_list() -> BotList:
    """Every bot, with what was measured of it by `python -m engine.arena`."""
    measured = json.loads((files("engine.bots") / "strength.json").read_text())
    return BotList(
        bots=[
            BotPage(
                bot=bot.name,
                version=bot.version,
                description=bot.description,
                strength=[
                    msgspec.convert(row, Strength)
                    for row in measured
                    if (row["bot"], row["version"]) == (bot.name, bot.version)
                ],
            )
            for bot in BOTS
        ]
    )


@cache
def error_list() -> ErrorList:
    """Every code of a problem document."""
    return ErrorList(
        errors=[
            ErrorPage(code=code, status=problem.status, title=problem.title, advice=problem.advice)
            for code, problem in PROBLEMS.items()
        ]
    )
