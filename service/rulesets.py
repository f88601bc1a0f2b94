"""All about a ruleset, in one language: what a client needs to offer it, and what people want to know."""

from functools import cache
from typing import Any, Literal

from msgspec import Struct

from engine.bots import BOTS
from engine.catalog import RULESETS, find
from engine.match import Ruleset
from service import texts
from service.examples import Example, examples
from service.options import (
    Choices,
    Constraint,
    DependentDefault,
    choices,
    constraints,
    dependent_defaults,
    options_schema,
    plain_schema,
)
from service.packs import ExtraCards, PackKindPage, PackPage, extras, kinds, packs
from service.schemas import Answer


class Players(Answer):
    """How many seats a game has."""

    min: int
    max: int


class RulesetSummary(Answer):
    """A ruleset in the list."""

    name: str
    version: int
    title: str
    text: str
    players: Players
    presets: list[str]


class RulesetList(Answer):
    """Every ruleset there is."""

    rulesets: list[RulesetSummary]


class Preset(Answer):
    """A choice of options that goes by a name; what it does not set takes its default."""

    preset: str
    title: str
    text: str
    options: dict[str, Any]


class MoveType(Answer):
    """A type of move of the ruleset, with its JSON Schema."""

    type: str
    title: str
    text: str
    schema: dict[str, Any]


class Reason(Answer):
    """Why a move may be refused."""

    reason: str
    detail: str


class SeatBot(Answer):
    """A bot that may take a seat, in its latest version. `GET /v1/bots` says how strong each is."""

    bot: str
    version: int


class RulesetPage(Answer):
    """Everything a client needs to offer a ruleset.

    `options` is the JSON Schema of the options with their defaults; an option in `dependent_defaults` has no
    default of its own, but the rule given there. `choices` has titles for their values, `constraints` what is
    refused together. `kinds` says what suits, ranks and cards are called, `packs` which cards are in play, and
    `extra_cards` what options add to that. `rules` is Markdown with numbered rules, and `examples` show them at work.
    """

    name: str
    version: int
    title: str
    text: str
    players: Players
    turn: Literal["clockwise", "counterclockwise"]
    bots: list[SeatBot]
    presets: list[Preset]
    options: dict[str, Any]
    choices: list[Choices]
    dependent_defaults: list[DependentDefault]
    constraints: list[Constraint]
    packs: list[PackPage]
    extra_cards: list[ExtraCards]
    kinds: list[PackKindPage]
    move_types: list[MoveType]
    reasons: list[Reason]
    rules: str
    examples: list[Example]


@cache
def ruleset_list(lang: str) -> RulesetList:
    """Every ruleset, in short."""
    return RulesetList(
        rulesets=[
            RulesetSummary(
                name=each.name,
                version=each.version,
                title=each.title[lang],
                text=texts.of_ruleset(each.name).text.read(lang),
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
        text=texts.of_ruleset(ruleset.name).text.read(lang),
        players=Players(min=ruleset.seats[0], max=ruleset.seats[1]),
        turn=ruleset.turn,
        bots=[SeatBot(bot=bot, version=version) for bot, version in _latest().items()],
        presets=[_preset(ruleset, preset, lang) for preset in ruleset.presets],
        options=options_schema(ruleset, lang),
        choices=choices(ruleset, lang),
        dependent_defaults=dependent_defaults(ruleset, lang),
        constraints=constraints(ruleset, lang),
        packs=packs(ruleset),
        extra_cards=extras(ruleset),
        kinds=kinds(ruleset),
        move_types=[_move_type(ruleset, each, lang) for each in ruleset.move_types],
        reasons=_reasons(ruleset, lang),
        rules=texts.rules(ruleset.name, lang),
        examples=examples(ruleset, lang),
    )


def _latest() -> dict[str, int]:
    return {bot.name: bot.version for bot in sorted(BOTS, key=lambda bot: bot.version)}


def _preset(ruleset: Ruleset, preset: str, lang: str) -> Preset:
    said = texts.of_ruleset(ruleset.name).presets[preset]
    title, text = said.title.read(lang), said.text.read(lang)
    return Preset(preset=preset, title=title, text=text, options=dict(ruleset.presets[preset]))


def _move_type(ruleset: Ruleset, struct: type[Struct], lang: str) -> MoveType:
    schema = plain_schema(struct)
    kind = schema["properties"]["type"]["enum"][0]
    said = texts.of_ruleset(ruleset.name).moves[kind]
    return MoveType(type=kind, title=said.title.read(lang), text=said.text.read(lang), schema=schema)


def _reasons(ruleset: Ruleset, lang: str) -> list[Reason]:
    said = ruleset.reasons if lang == "en" else texts.of_ruleset(ruleset.name).reasons[lang]
    return [Reason(reason=reason, detail=said[reason]) for reason in ruleset.reasons]
