"""From what is typed to a request for a simulation, the one that `POST /v1/simulations` takes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from engine.catalog import find
from engine.errors import InvalidOptions, UnknownRuleset
from service.simulation_schemas import CreateSimulation

USUAL_SEATS = 4
BOT = re.compile(r"(?P<bot>[a-z_]+)(?:@(?P<version>[0-9]{1,4}))?(?::(?P<samples>[0-9]{1,6}))?", re.ASCII)


class BadWishError(Exception):
    """What was asked for is not to be had; the text says why."""


@dataclass(frozen=True)
class Wish:
    """What the command was told to simulate."""

    ruleset: str
    count: int
    preset: str | None
    options: tuple[str, ...]
    bots: tuple[str, ...]
    compare: tuple[str, str] | None
    seats: int | None
    matches: bool
    duplicate: bool
    seed: str | None
    rows: bool
    stop: tuple[float, float] | None
    risks: tuple[float, float]
    every: int


def request(wish: Wish) -> CreateSimulation:
    """The request. Raises BadWishError."""
    document: dict[str, Any] = {
        "ruleset": wish.ruleset,
        "count": wish.count,
        "preset": wish.preset,
        "options": dict(map(_option, wish.options)),
        "unit": "matches" if wish.matches else "deals",
        "duplicate": wish.duplicate,
        "seed": wish.seed,
        "rows": wish.rows,
    }
    if wish.compare:
        document |= {"compare": [_bot(text) for text in wish.compare], "players": wish.seats}
    else:
        document["seats"] = _seated(wish)
    if wish.stop:
        (lower, upper), (alpha, beta) = wish.stop, wish.risks
        document["stop"] = {"lower": lower, "upper": upper, "alpha": alpha, "beta": beta, "every": wish.every}
    try:
        return msgspec.convert(document, CreateSimulation)
    except msgspec.ValidationError as error:
        raise BadWishError(_with_its_place(str(error))) from None


def _with_its_place(text: str) -> str:
    """What msgspec says of a value, written as all other mistakes are: its place, a colon, what is wrong."""
    said, at, place = text.partition(" - at `$.")
    return f"{place.rstrip('`')}: {said}." if at else f"{text}."


def _seated(wish: Wish) -> list[dict[str, Any]]:
    """A bot for each seat: one named once sits in all of them, several take turns round the table."""
    try:
        most = find(wish.ruleset).seats[1]
    except UnknownRuleset as error:
        raise BadWishError(str(error)) from None
    named = [_bot(text) for text in wish.bots or ("random",)]
    seats = wish.seats or (len(named) if len(named) > 1 else min(USUAL_SEATS, most))
    return [named[seat % len(named)] for seat in range(seats)]


def _bot(text: str) -> dict[str, Any]:
    found = BOT.fullmatch(text)
    if not found:
        raise BadWishError(f"A bot is written NAME, NAME@VERSION or NAME:SAMPLES, not {text!r}.")
    budget = {"samples": int(found["samples"])} if found["samples"] else None
    return {"bot": found["bot"], "version": int(found["version"]) if found["version"] else None, "budget": budget}


def _option(text: str) -> tuple[str, Any]:
    """An option as it was typed: its value is JSON, or else plain text."""
    name, equals, value = text.partition("=")
    if not equals:
        raise BadWishError(f"--option takes NAME=VALUE, not {text!r}; `tapete rulesets NAME` lists them.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def mistakes(error: InvalidOptions) -> str:
    """What is wrong with a request, for people."""
    return sentences([{"pointer": pointer, "detail": text} for pointer, text in error.errors])


def sentences(errors: Sequence[dict[str, str]]) -> str:
    """The mistakes that a problem document lists, each with its place, for people."""
    return " ".join(f"{each.get('pointer', '').strip('/')}: {each['detail']}" for each in errors)
