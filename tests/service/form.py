"""A client that builds its form for a new game from the catalogue alone: what it offers, what it says is refused."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator

Json = Any


def fits(value: Json, schema: Json) -> bool:
    """Whether a value is what a JSON Schema says."""
    return bool(Draft202012Validator(schema).is_valid(value))


@dataclass
class Form:
    """A ruleset's page, as a client reads it."""

    page: Json

    @property
    def options(self) -> Json:
        """The JSON Schema of each option."""
        return self.page["options"]["properties"]

    @property
    def seats(self) -> range:
        """The numbers of seats to choose from."""
        return range(self.page["players"]["min"], self.page["players"]["max"] + 1)

    @property
    def presets(self) -> dict[str, Json]:
        """What each preset sets."""
        return {each["preset"]: each["options"] for each in self.page["presets"]}

    def offered(self, option: str) -> list[Json]:
        """Every value that the form offers for an option: of a range, its ends and what lies beside them."""
        return list(_offered(self.options[option]))

    def resolved(self, preset: str | None, given: Json) -> Json:
        """The value of every option: what is given, over the preset, over the defaults."""
        chosen = {**self.presets.get(preset or "", {}), **given}
        plain = {name: schema["default"] for name, schema in self.options.items() if "default" in schema}
        known = {**plain, **chosen}
        dependent = {each["option"]: _default(each, known[each["on"]]) for each in self.page["dependent_defaults"]}
        return {**dependent, **known}

    def refused(self, preset: str | None, given: Json, seats: int, players: int) -> set[str]:
        """The JSON pointers at which these options are refused; empty where a game can be created."""
        wrong = {name for name, value in given.items() if not fits(value, self.options.get(name, False))}
        if not wrong:
            facts = {**self.resolved(preset, given), "seats": seats, "players": players}
            wrong = {each["option"] for each in self.page["constraints"] if _broken(each, facts)}
        return {f"/options/{name}" for name in wrong}

    def pack(self, options: Json, seats: int) -> list[str]:
        """The cards that are played with, sorted."""
        facts = {**options, "seats": seats}
        chosen = [each for each in self.page["packs"] if each["when"].items() <= facts.items()]
        assert len(chosen) == 1, f"{[each['pack'] for each in chosen]} are all chosen by {facts}"
        extra = [card for each in self.page["extra_cards"] for card in each["cards"][: options[each["option"]]]]
        return [*chosen[0]["cards"], *extra]


def _default(dependent: Json, value: Json) -> Json:
    if dependent["divisor"] is not None:
        return value // dependent["divisor"]
    return next(case["default"] for case in dependent["cases"] if case["value"] == value)


def _broken(constraint: Json, facts: Json) -> bool:
    def hold(schemas: Json) -> bool:
        return all(fits(facts[name], schema) for name, schema in schemas.items())

    return hold(constraint["when"]) and not hold(constraint["needs"])


def _offered(schema: Json) -> Iterator[Json]:
    for each in schema.get("anyOf", []):
        yield from _offered(each)
    match schema.get("type"):
        case "null":
            yield None
        case "boolean":
            yield from (True, False)
        case "integer" if "minimum" in schema:
            low, high = schema["minimum"], schema["maximum"]
            # Short ranges whole: a constraint may lie anywhere in them.
            yield from range(low, high + 1) if high - low <= 12 else (low, low + 1, high - 1, high)
        case "array":
            values = list(_offered(schema["items"]))
            yield from ([value] for value in values)
            yield values[::-1]
        case _:
            yield from schema.get("enum", [])
