"""Reading a game's log, now and as it grows: the page, the long poll and the stream.

All of them read the log; a wake-up says only when.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from engine.match import Match
from engine.wire import GameOver
from service.access import Caller
from service.errors import HistoryLost, InvalidRequest, Unauthorized, Unavailable
from service.events import Bell
from service.games import Context, holds, is_over, load
from service.schemas import CURSOR_PATTERN, Abandoned, EventsPage, Item, TokenRotated
from service.store import Loaded, Logged
from service.views import SPECTATOR, item, seat_of_reader

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
    """Raise HistoryLost where the place is in another history than the game's."""
    if place.version and place.cursor != game.cursor:
        Place(place.version, place.cursor).pass_by(await context.store.log(game.id, place.version - 1, 1))


@dataclass
class Reader:
    """Who is told, and with which match: none while the game waits. A reader stays for long, so no game is kept.

    `dead` is whether the reader's token has been replaced by a new one.
    """

    game_id: str
    caller: Caller | None
    match: Match | None
    dead: bool = False

    async def told(self, context: Context, entries: list[Logged]) -> list[Item]:
        """The entries as this reader may know them: as a spectator's once the token is dead."""
        seat = seat_of_reader(self.caller)
        if self.match is None or _rotates(entries, seat):
            game = await load(context, self.game_id)
            self.match = game.match
            self.dead = self.caller is not None and not holds(game, self.caller)
        return [item(entry, self.match, SPECTATOR if self.dead else seat) for entry in entries]


async def events_page(
    context: Context, game: Loaded, caller: Caller | None, place: Place, limit: int, *, seconds: float
) -> EventsPage:
    """A page of the log from a place on, held back for up to `seconds` while there is nothing in it.

    Raises HistoryLost; Unauthorized where the caller's token dies meanwhile.
    """
    reader = Reader(game.id, caller, game.match)
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    start = place.cursor
    with context.wakeups.bell(game.id) as bell:
        entries = await _read_on(context, game.id, place, bell, limit + 1)
        while not (entries or is_over(game) or context.wakeups.closing) and (left := until - loop.time()) > 0:
            if await bell.wait(left):
                entries = await _read_on(context, game.id, place, bell, limit + 1)
    items = await reader.told(context, entries[:limit]) if entries else []
    if reader.dead:
        raise Unauthorized("This token of the game is an old one.")
    return EventsPage(items=items, next=items[-1].cursor if items else start, has_more=len(entries) > limit)


def follow(
    context: Context, game: Loaded, caller: Caller | None, place: Place, silence: float
) -> AsyncGenerator[list[Item]]:
    """What happens from a place on, told to the caller when it happens; an empty list after `silence` seconds of none.

    Ends with the game, with the caller's token and when the service stops. Raises HistoryLost where the store was
    restored to another history, GameDeleted where the game was erased; while the store does not answer, nothing
    happens.
    """
    return _follow(context, Reader(game.id, caller, game.match), place, silence)


async def _follow(context: Context, reader: Reader, place: Place, silence: float) -> AsyncGenerator[list[Item]]:
    with context.wakeups.bell(reader.game_id) as bell:
        while not context.wakeups.closing:
            stood_at = place.version, place.cursor
            try:
                entries = await _read_on(context, reader.game_id, place, bell, BATCH)
                items = await reader.told(context, entries) if entries else []
            except Unavailable:
                place.version, place.cursor = stood_at  # nothing has been told
                await bell.wait(LOOK_AGAIN)
                continue
            if entries:
                over = reader.dead or ends(entries[-1])
                yield items
                if over:
                    return
            else:
                # The news is heard or, where the subscription breaks, everyone is woken: silence needs no look.
                while not await bell.wait(silence):
                    yield []


def ends(entry: Logged) -> bool:
    """Whether an entry is the last of its game's log."""
    return any(isinstance(event, GameOver | Abandoned) for event in entry.events)


def _rotates(entries: list[Logged], seat: int) -> bool:
    """Whether the seat's token was renewed in one of the entries."""
    events = (event for entry in entries for event in entry.events)
    return any(isinstance(event, TokenRotated) and event.seat == seat for event in events)


async def _read_on(context: Context, game_id: str, place: Place, bell: Bell, most: int) -> list[Logged]:
    """Up to `most` entries after a place, which is moved behind them. Raises HistoryLost, Unavailable."""
    # Read with the entry stood at, so that every read finds out whether the history is still the same.
    first = max(place.version - 1, 0)
    count = most + (place.version > 0)
    entries = await bell.read((first, count), lambda: context.store.log(game_id, first, count))
    if not entries:
        await context.store.load(game_id)  # says whether the game itself is gone
    return place.pass_by(entries)
