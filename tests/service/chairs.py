"""Whoever takes, renews, leaves or gives up a seat in the tests, and the stand-in that plays for them."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import httpx

from service import bot_moves
from tests.processes import PATIENCE
from tests.service.players import AS_JSON, Api, Json, Table, good

ANA = {"kind": "player", "name": "Ana"}
OPEN = {"kind": "open"}
BOT = {"kind": "bot", "bot": {"bot": "rules"}}
RULES = {"bot": "rules", "version": 1, "budget": None}
"""The bot that stands in where nothing else was asked for."""
KEY = "0f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f0"
OTHER_KEY = "1f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f0"


def asking(
    table: Table, method: str, what: str, who: int | str | None, body: Json = None, **headers: str
) -> Coroutine[Any, Any, httpx.Response]:
    """A request about the game, to be awaited."""
    sent = {**AS_JSON, **{name.replace("_", "-"): value for name, value in headers.items()}}
    content = {} if body is None else {"json": body}
    return table.api.request(method, table.path + what, table.token(who), sent, **content)


def post(table: Table, what: str, who: int | str | None = None, body: Json = None, **headers: str) -> httpx.Response:
    return table.api.run(asking(table, "POST", what, who, body, **headers))


def erase(table: Table, who: int | str | None = "creator") -> httpx.Response:
    return table.api.run(asking(table, "DELETE", "", who))


def invite(table: Table, seat: int) -> str:
    """The invite that the creator was given."""
    return next(each["invite"] for each in table.created.json()["seats"] if each["seat"] == seat)


def claiming(table: Table, seat: int, key: str = "", **body: Any) -> Coroutine[Any, Any, httpx.Response]:
    headers = {"idempotency_key": key} if key else {}
    return asking(table, "POST", f"/seats/{seat}/claim", None, {"invite": invite(table, seat), **body}, **headers)


def claim(table: Table, seat: int, key: str = "", **body: Any) -> httpx.Response:
    return table.api.run(claiming(table, seat, key, **body))


def sit_down(table: Table, *seats: int) -> Json:
    """Claim open seats, and hold their tokens from then on; the answer of the last claim."""
    claimed: Json = None
    for seat in seats:
        claimed = good(claim(table, seat))
        table.tokens[seat] = claimed["token"]
    return claimed


def rotate(table: Table, seat: int | str, who: int | str | None) -> httpx.Response:
    return post(table, f"/seats/{seat}/token", who)


def take_turn(table: Table, kind: str = "deadline", version: int | None = None) -> bool:
    """What a worker does when a player's time is up, or with `bot` when a bot's or a stand-in's turn has come."""
    at = table.version() if version is None else version
    return bool(table.api.run(bot_moves.take_turn(table.api.context, table.id, at, kind)))  # type: ignore[arg-type]


def miss(table: Table) -> int:
    """Let the seat to move miss its deadline; its number."""
    seat = table.to_move()
    assert take_turn(table)
    return seat


def seat_of(table: Table, seat: int) -> Json:
    """A seat as everyone sees it."""
    return table.view()["seats"][seat]


async def when_read(api: Api, then: Coroutine[Any, Any, httpx.Response]) -> httpx.Response:
    """Ask for something as soon as somebody waits for news."""
    async with asyncio.timeout(PATIENCE):
        while not api.context.wakeups.count():
            await asyncio.sleep(0.002)
    return await then
