"""Reading a game's log as it grows: the long poll, and the stream. Both read the log; a wake-up says only when."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from engine.wire import GameOver
from service.access import Caller
from service.errors import HistoryLost, Unauthorized, Unavailable
from service.events import Bell
from service.games import Context, events_page, holds, is_over, load, version_of
from service.schemas import Abandoned, EventsPage, Item, TokenRotated
from service.store import Loaded, Logged
from service.views import SPECTATOR, item, seat_of_reader

BATCH = 100
"""The most entries that a stream reads at a time."""
LOOK_AGAIN = 1.0
"""Seconds after which a stream tries a store again that did not answer."""


async def wait_for_events(
    context: Context, game: Loaded, caller: Caller | None, after: str | None, limit: int, *, seconds: float
) -> EventsPage:
    """A page of the log, held back for up to `seconds` while there is nothing in it. Raises HistoryLost."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    with context.wakeups.bell(game.id) as bell:
        page = await events_page(context, game, caller, after, limit)
        while not (page.items or is_over(game) or context.wakeups.closing) and (left := until - loop.time()) > 0:
            if await bell.wait(left):
                game = await load(context, game.id)
                if caller is not None and not holds(game, caller):
                    raise Unauthorized("This token of the game is an old one.")
                page = await events_page(context, game, caller, after, limit)
        return page


@dataclass
class Place:
    """Where a reader stands: the cursor of the last entry that it was told, empty before the first."""

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


async def start_following(context: Context, game: Loaded, after: str | None) -> Place:
    """The place that a cursor names. Raises InvalidRequest, HistoryLost."""
    version = await version_of(context, game, after)
    return Place(version, after or "" if version else "")


async def follow(
    context: Context, game: Loaded, caller: Caller | None, place: Place, silence: float
) -> AsyncGenerator[list[Item]]:
    """What happens from a place on, told to the caller when it happens; an empty list after `silence` seconds of none.

    Ends with the game and when the service stops. Raises HistoryLost where the store was restored to another history;
    while the store does not answer, nothing happens.
    """
    seat = seat_of_reader(caller)
    with context.wakeups.bell(game.id) as bell:
        while not context.wakeups.closing:
            entries = await _read_on(context, game.id, place, bell)
            if entries:
                if game.match is None or _rotates(entries, seat):
                    game = await load(context, game.id)
                dead = caller is not None and not holds(game, caller)
                # What was dealt since the token died is not for whoever reads with it.
                yield [item(entry, game.match, SPECTATOR if dead else seat) for entry in entries]
                if dead or ends(entries[-1]):
                    return
            elif entries is None:
                await bell.wait(LOOK_AGAIN)
            elif not await bell.wait(silence):
                yield []


def ends(entry: Logged) -> bool:
    """Whether an entry is the last of its game's log."""
    return any(isinstance(event, GameOver | Abandoned) for event in entry.events)


def _rotates(entries: list[Logged], seat: int) -> bool:
    """Whether the seat's token was renewed in one of the entries."""
    events = (event for entry in entries for event in entry.events)
    return any(isinstance(event, TokenRotated) and event.seat == seat for event in events)


async def _read_on(context: Context, game_id: str, place: Place, bell: Bell) -> list[Logged] | None:
    """The entries after a place, which is moved behind them; None where the store does not answer."""
    first = max(place.version - 1, 0)
    try:
        entries = await bell.read(first, lambda: context.store.log(game_id, first, BATCH))
        if not entries:
            await context.store.load(game_id)  # says whether the game itself is gone
    except Unavailable:
        return None
    return place.pass_by(entries)
