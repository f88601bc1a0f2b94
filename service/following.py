"""Reading a game's log, now and as it grows: the page, the long poll and the stream.

All of them read the log; a wake-up says only when.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from functools import partial

from engine.wire import GameOver
from service.access import Caller
from service.errors import HistoryLost, InvalidRequest, Unavailable
from service.events import Bell
from service.games import Context
from service.schemas import CURSOR_PATTERN, EventsPage, Item
from service.store import Loaded, Logged
from service.views import item, match_of, seat_of_reader

BATCH = 100
"""The most entries that a stream reads at a time."""
LOOK_AGAIN = 1.0
"""Seconds after which a stream tries a store again that did not answer."""
_CURSOR = re.compile(CURSOR_PATTERN, re.ASCII)


@dataclass
class Place:
    """Where a reader stands: the cursor of the last entry that it was told, at version 0 before the first."""

    version: int
    cursor: str

    def pass_by(self, entries: list[Logged]) -> list[Logged]:
        """Step over the entries, of which the first must be the one stood at. Raises HistoryLost."""
        if self.version:
            if not entries or entries[0].cursor != self.cursor:
                raise HistoryLost("The game's history is another one than the cursor's.")
            entries = entries[1:]
        if entries:
            self.version, self.cursor = entries[-1].version, entries[-1].cursor
        return entries


START = "0-"
"""The cursor before the first entry."""


def place_at(cursor: str, parameter: str) -> Place:
    """The place that a cursor names, which came as this parameter. Raises InvalidRequest."""
    if not _CURSOR.fullmatch(cursor):
        raise InvalidRequest(
            f"`{parameter}` is no cursor.", [{"parameter": parameter, "detail": "A cursor comes from an answer."}]
        )
    return Place(int(cursor.partition("-")[0]), cursor)


async def check(context: Context, game: Loaded, place: Place) -> None:
    """Raise HistoryLost where the place is in another history than the game's; NotStarted where it has none yet."""
    match_of(game)
    if place.version and place.cursor != game.cursor:
        Place(place.version, place.cursor).pass_by(await context.store.log(game.id, place.version - 1, 1))


async def events_page(
    context: Context, game: Loaded, caller: Caller | None, place: Place, limit: int, *, seconds: float
) -> EventsPage:
    """A page of the log from a place on, held back for up to `seconds` while there is nothing in it.

    Raises HistoryLost.
    """
    seat, match = seat_of_reader(caller), match_of(game)
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    start = place.cursor
    with context.wakeups.bell(game.id) as bell:
        entries = await _read_on(context, game.id, place, bell, limit + 1)
        while not (entries or is_over(game) or context.wakeups.closing) and (left := until - loop.time()) > 0:
            if await bell.wait(left):
                entries = await _read_on(context, game.id, place, bell, limit + 1)
    items = [item(entry, match, seat) for entry in entries[:limit]]
    return EventsPage(items=items, next=items[-1].cursor if items else start, has_more=len(entries) > limit)


def is_over(game: Loaded) -> bool:
    """Whether nothing can happen in the game any more."""
    return game.status not in ("waiting", "playing")


def follow(
    context: Context, game: Loaded, caller: Caller | None, place: Place, silence: float
) -> AsyncGenerator[list[Item]]:
    """What happens from a place on, told to the caller when it happens; an empty list after `silence` seconds of none.

    Ends with the game and when the service stops. Raises HistoryLost where the store was restored to another history;
    while the store does not answer, nothing happens.
    """
    # What is handed on stays for as long as the reader does, so the game itself is not.
    tell = partial(item, match=match_of(game), seat=seat_of_reader(caller))
    return _follow(context, game.id, tell, place, silence)


async def _follow(
    context: Context, game_id: str, tell: Callable[[Logged], Item], place: Place, silence: float
) -> AsyncGenerator[list[Item]]:
    with context.wakeups.bell(game_id) as bell:
        while not context.wakeups.closing:
            try:
                entries = await _read_on(context, game_id, place, bell, BATCH)
            except Unavailable:
                await bell.wait(LOOK_AGAIN)
                continue
            if entries:
                over = ends(entries[-1])
                yield list(map(tell, entries))
                if over:
                    return
            else:
                # The news is heard or, where the subscription breaks, everyone is woken: silence needs no look.
                while not await bell.wait(silence):
                    yield []


def ends(entry: Logged) -> bool:
    """Whether an entry is the last of its game's log."""
    return any(isinstance(event, GameOver) for event in entry.events)


async def _read_on(context: Context, game_id: str, place: Place, bell: Bell, most: int) -> list[Logged]:
    """Up to `most` entries after a place, which is moved behind them. Raises HistoryLost, Unavailable."""
    # Read with the entry stood at, so that every read finds out whether the history is still the same.
    first = max(place.version - 1, 0)
    count = most + (place.version > 0)
    return place.pass_by(await bell.read((first, count), lambda: context.store.log(game_id, first, count)))
