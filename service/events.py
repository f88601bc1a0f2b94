"""Wake-ups: who waits for news of a game or a job, and the one task that hears the news from Redis.

A wake-up says what has changed, never how: whoever is woken reads the log. So a wake-up may be lost, doubled or late
and costs time only, and a slow reader holds nothing but its place in the log. However many readers wait, a process
has one subscription, and readers of one game who stand at the same place share one read.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from redis.exceptions import RedisError

from service.store import SHARDS, key

if TYPE_CHECKING:
    from redis.asyncio import Redis

SILENCE = 10.0
"""Seconds without a message after which the subscription is tried with a ping."""
PAUSE = 0.5
"""Seconds before subscribing again."""
log = logging.getLogger("tapete.events")


@dataclass(eq=False)
class _Waiting:
    """Who waits for news of one owner (a game or a job): `rings` counts its news since the first of them came."""

    bells: set[Bell] = field(default_factory=set)
    rings: int = 0
    reads: dict[tuple[Hashable, int], asyncio.Future[Any]] = field(default_factory=dict)


class Bell:
    """One reader's own: it rings when there is news of the owner, or when the service stops."""

    # Thousands wait at the same time, so a bell is small: asyncio's Event and timeout take three times as much.
    __slots__ = ("_rung", "_waiter", "_waiting")

    def __init__(self, waiting: _Waiting) -> None:
        self._waiting = waiting
        self._rung = False
        self._waiter: asyncio.Future[None] | None = None

    def ring(self) -> None:
        """Wake the reader."""
        self._rung = True
        self._wake()

    async def wait(self, seconds: float) -> bool:
        """Wait for the next ring, or `seconds`; whether it rang. A ring since the last wait counts."""
        if not self._rung and seconds > 0:
            loop = asyncio.get_running_loop()
            self._waiter = loop.create_future()
            timer = loop.call_later(seconds, self._wake)
            try:
                await self._waiter
            finally:
                timer.cancel()
                self._waiter = None
        rung, self._rung = self._rung, False
        return rung

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def read(self, place: Hashable, read: Callable[[], Awaitable[Any]]) -> Any:
        """What `read` answers for a place in the log; asked once for all who stand there since the last ring.

        A read that began before that ring may have missed what it rang for, so it is not shared.
        """
        since = (place, self._waiting.rings)
        running = self._waiting.reads.get(since)
        if running is None:
            running = self._waiting.reads[since] = asyncio.ensure_future(read())
            running.add_done_callback(lambda done: self._over(since, done))
        # One reader who goes away takes nothing from the others.
        return await asyncio.shield(running)

    def _over(self, since: tuple[Hashable, int], done: asyncio.Future[Any]) -> None:
        self._waiting.reads.pop(since, None)
        if not done.cancelled():
            done.exception()  # looked at, also where every reader has gone meanwhile


class Wakeups:
    """All that waits in this process. `closing` is true when streams are to end because the service stops."""

    def __init__(self) -> None:
        self.closing = False
        self._waiting: dict[str, _Waiting] = {}

    @contextlib.contextmanager
    def bell(self, owner: str) -> Iterator[Bell]:
        """A bell for news of a game or job. What happened before is for its holder to read, after this."""
        waiting = self._waiting.setdefault(owner, _Waiting())
        bell = Bell(waiting)
        waiting.bells.add(bell)
        try:
            yield bell
        finally:
            waiting.bells.discard(bell)
            if not waiting.bells:
                self._waiting.pop(owner, None)

    def count(self) -> int:
        """How many readers wait."""
        return sum(len(waiting.bells) for waiting in self._waiting.values())

    def ring(self, owner: str) -> None:
        """Wake whoever waits for this game or job."""
        if (waiting := self._waiting.get(owner)) is not None:
            waiting.rings += 1
            for bell in waiting.bells:
                bell.ring()

    def ring_all(self) -> None:
        """Wake everyone: nobody knows what was missed."""
        for owner in self._waiting:
            self.ring(owner)

    def close(self) -> None:
        """End all waiting, because the service stops."""
        self.closing = True
        self.ring_all()

    async def run(self, redis: Redis) -> None:
        """Hear the news until cancelled, and subscribe again whenever Redis was away."""
        while True:
            try:
                await self._hear(redis)
            except (RedisError, OSError) as error:
                log.warning("Wake-ups wait for Redis (%s).", type(error).__name__)
            except Exception:
                # Without wake-ups readers would wait in silence, so nothing may end them.
                log.exception("Wake-ups failed, and go on.")
            await asyncio.sleep(PAUSE)

    async def _hear(self, redis: Redis) -> None:
        async with redis.pubsub() as subscription:
            await subscription.subscribe(*(key("changed", shard) for shard in range(SHARDS)))
            asked = False
            while True:
                message = await subscription.get_message(timeout=SILENCE)
                if message is not None:
                    asked = False
                    self._take(message)
                elif asked:
                    raise ConnectionError("the subscription is silent")
                else:
                    asked = True
                    await subscription.ping()

    def _take(self, message: dict[str, Any]) -> None:
        if message["type"] == "message":
            self.ring(message["data"].decode().partition(" ")[0])
        elif message["type"] == "subscribe" and message["data"] == SHARDS:
            # Only now does the server know all channels: a reader woken before could miss what came in between.
            self.ring_all()
