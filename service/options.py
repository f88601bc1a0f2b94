"""The options of a ruleset as data: a client can build its form for a new game from it, and know what is refused."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from engine.match import Dependence, Ruleset
from service import texts
from service.schemas import Answer
from service.texts import OptionText


class Choice(Answer):
    """A value of an option, or one that its list may hold, and what to call it."""

    value: str | int | None
    title: str


class Choices(Answer):
    """The values of an option that have a title: all of an `enum`, and null where that is a choice."""

    option: str
    choices: list[Choice]


class DependentCase(Answer):
    """What an option is by default while the one it depends on has this value."""

    value: str | int | None
    default: str | int | None


class DependentDefault(Answer):
    """An option whose default depends on the value of the option `on`.

    It is the one of `cases` with that value; or, where there are none, that value divided by `divisor` and rounded
    down.
    """

    option: str
    on: str
    text: str
    cases: list[DependentCase]
    divisor: int | None


class Constraint(Answer):
    """A combination that is refused, at `option`.

    Where all of `when` is so, all of `needs` must be. Both give a JSON Schema for each name: of an option, with its
    value after preset and defaults; of `seats`, the number of seats; of `players`, how many of them players have.
    """

    option: str
    text: str
    when: dict[str, dict[str, Any]]
    needs: dict[str, dict[str, Any]]


def options_schema(ruleset: Ruleset, lang: str = "en") -> dict[str, Any]:
    """The options as JSON Schema: closed, none required, with every default that depends on nothing."""
    schema = described(ruleset, lang)
    defaults = ruleset.defaults({})
    for name, option in schema["properties"].items():
        if name not in ruleset.dependent_defaults:
            option["default"] = defaults[name]
    return {**schema, "required": [], "additionalProperties": False}


def described(ruleset: Ruleset, lang: str = "en") -> dict[str, Any]:
    """The JSON Schema of options that all have a value, each with a title and a description."""
    schema = plain_schema(ruleset.options)
    for name, option in schema["properties"].items():
        said = text_of(ruleset, name)
        option |= {"title": said.title.read(lang), "description": said.text.read(lang)}
    return schema


def plain_schema(struct: type[Struct]) -> dict[str, Any]:
    """The JSON Schema of a struct, without references."""
    schema = msgspec.json.schema(struct)
    found: dict[str, Any] = schema["$defs"][struct.__name__]
    return found


def text_of(ruleset: Ruleset, option: str) -> OptionText:
    """What is said of an option."""
    own = texts.of_ruleset(ruleset.name).options
    return own.get(option) or texts.common().options[option]


def choices(ruleset: Ruleset, lang: str) -> list[Choices]:
    """The titles of values, of every option that has such."""
    found = []
    for name, schema in plain_schema(ruleset.options)["properties"].items():
        values = {"null" if value is None else str(value): value for value in _values(schema)}
        # In the order of the texts: msgspec sorts the values of an enum.
        said = text_of(ruleset, name).values.items()
        titled = [Choice(value=values[key], title=text.read(lang)) for key, text in said]
        if titled:
            found.append(Choices(option=name, choices=titled))
    return found


def _values(schema: dict[str, Any]) -> Iterator[Any]:
    """Every value that a schema names: those of an enum, also within a list, and null."""
    yield from schema.get("enum", [])
    if "items" in schema:
        yield from _values(schema["items"])
    for each in schema.get("anyOf", []):
        yield from _values(each)
    if schema.get("type") == "null":
        yield None


def dependent_defaults(ruleset: Ruleset, lang: str) -> list[DependentDefault]:
    """Every option whose default depends on another."""
    said = texts.of_ruleset(ruleset.name).dependent
    return [
        DependentDefault(
            option=name,
            on=dependence.on,
            text=said[name].read(lang),
            cases=_cases(ruleset, name, dependence),
            divisor=dependence.divisor,
        )
        for name, dependence in ruleset.dependent_defaults.items()
    ]


def _cases(ruleset: Ruleset, option: str, dependence: Dependence) -> list[DependentCase]:
    if dependence.divisor is not None:
        return []
    values = _values(plain_schema(ruleset.options)["properties"][dependence.on])
    return [DependentCase(value=value, default=ruleset.defaults({dependence.on: value})[option]) for value in values]


def constraints(ruleset: Ruleset, lang: str) -> list[Constraint]:
    """Every combination that is refused."""
    own = [
        Constraint(option=each.option, text=each.text.read(lang), when=each.when, needs=each.needs)
        for each in texts.of_ruleset(ruleset.name).constraints
    ]
    return [*own, *_dealers(ruleset, lang)]


def _dealers(ruleset: Ruleset, lang: str) -> Iterator[Constraint]:
    """Every ruleset wants its first dealer at the table; the schema says it of the most seats there can be."""
    fewest, most = ruleset.seats
    for seats in range(fewest, most):
        yield Constraint(
            option="first_dealer",
            text=texts.common().dealer.read(lang).format(seats=seats, last=seats - 1),
            when={"seats": {"const": seats}},
            needs={"first_dealer": {"maximum": seats - 1}},
        )
