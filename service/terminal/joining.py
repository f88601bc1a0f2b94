"""Before the first card: which service, and a new game on it as somebody wishes it."""

import json
import os
from dataclasses import dataclass
from typing import Any

from service.settings import Settings
from service.terminal import Json
from service.terminal.client import Client, Seat

USUAL_SEATS = 4


class BadWishError(Exception):
    """What was asked for is not to be had; the text says why, and what there is."""


@dataclass(frozen=True)
class Wish:
    """What the command was told."""

    ruleset: str | None
    preset: str | None
    options: tuple[str, ...]
    seats: int | None
    bot: str
    language: str
    pace: float
    seed: str | None
    url: str | None
    game: str | None
    token: str | None


def usual_url() -> str:
    """Where `tapete up` answers on this machine, by the same variables."""
    host = os.environ.get("TAPETE_HOST") or Settings.host
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
    port = os.environ.get("TAPETE_PORT") or Settings.port
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def new_game(client: Client, wish: Wish) -> Seat:
    """Create the game, with the person in seat 0 and bots in the others. Raises BadWishError and Refused."""
    page = ruleset_page(client, str(wish.ruleset))
    bots = [each["bot"] for each in client.get("/v1/bots")["bots"]]
    if wish.bot not in bots:
        raise BadWishError(f"There is no bot {wish.bot!r}; there are {', '.join(dict.fromkeys(bots))}.")
    others = [{"kind": "bot", "bot": {"bot": wish.bot}}] * (_seats(page, wish.seats) - 1)
    body: Json = {
        "ruleset": page["name"],
        "preset": wish.preset,
        "options": dict(_option(page, each) for each in wish.options),
        "seats": [{"kind": "player"}, *others],
        "pace_seconds": wish.pace,
        "seed": wish.seed,
    }
    created = client.post("/v1/games", body)
    return Seat(client, created["game"]["game_id"], created["seats"][0]["token"])


def ruleset_page(client: Client, name: str) -> Json:
    """A ruleset's page of the catalogue. Raises BadWishError, which says what there is."""
    there_are = [each["name"] for each in client.get("/v1/rulesets")["rulesets"]]
    if name not in there_are:
        raise BadWishError(f"There is no ruleset {name!r}; there are {', '.join(there_are)}.")
    return client.get(f"/v1/rulesets/{name}")


def _seats(page: Json, wanted: int | None) -> int:
    fewest, most = int(page["players"]["min"]), int(page["players"]["max"])
    if wanted is None:
        return max(fewest, min(USUAL_SEATS, most))
    if not fewest <= wanted <= most:
        range_ = str(fewest) if fewest == most else f"{fewest} to {most}"
        raise BadWishError(f"{page['title']} is for {range_} seats, not {wanted}: choose with --seats.")
    return wanted


def _option(page: Json, text: str) -> tuple[str, Any]:
    """An option as it was typed: its value is JSON, or plain text, or a list of texts where the option is a list."""
    name, equals, value = text.partition("=")
    if not equals:
        raise BadWishError(f"--option takes NAME=VALUE, not {text!r}; `tapete rulesets {page['name']}` lists them.")
    try:
        return name, json.loads(value)
    except ValueError:
        pass
    schema = page["options"]["properties"].get(name, {})
    return name, value.split(",") if schema.get("type") == "array" else value
