"""Due work: what the commits wrote down to be done, taken by whoever is there first, each piece once.

Every API process and every worker runs a sweep over all shards, at most a second apart. A piece that is taken is
leased: when its worker dies or its job is lost, the lease runs out and the next sweep makes the job again. A nudge
after a commit saves the wait for the sweep, and nothing depends on it.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable

from service.errors import Unavailable
from service.jobs import BotQueue
from service.store import LEASE_MS, SHARDS, Store

BATCH = 100
"""The most that one sweep takes from a shard at a time, so that a backlog is shared."""
LONGEST_SLEEP = 1.0
log = logging.getLogger("tapete.due")


class Sweep:
    """Turns due work into jobs, for as long as `run` runs."""

    def __init__(self, store: Store, queue: BotQueue) -> None:
        self.store = store
        self.queue = queue
        self._timers: set[asyncio.TimerHandle] = set()
        self._tasks: set[asyncio.Task[int]] = set()

    async def run(self) -> None:
        """Sweep until cancelled. While Redis is away, keep trying: the work is kept there."""
        while True:
            try:
                wait = await self.sweep_all()
            except Unavailable as error:
                log.warning("The sweep waits: %s", error.detail)
                wait = LONGEST_SLEEP
            except Exception:
                # Without a sweep games would stop in silence, so nothing may end it.
                log.exception("The sweep failed, and goes on.")
                wait = LONGEST_SLEEP
            await asyncio.sleep(wait)

    async def sweep_all(self) -> float:
        """Take what is due in every shard; answers the seconds until there is reason to look again."""
        waits = [LONGEST_SLEEP]
        for shard, (members, wait_ms) in enumerate(await self.store.take_all(SHARDS, LEASE_MS, BATCH)):
            await self._put(shard, members)
            if wait_ms >= 0:
                waits.append(wait_ms / 1000)
        return max(min(waits), 0.01)

    async def sweep(self, shard: int) -> int:
        """Take what is due in one shard; answers how much that was."""
        members, _ = await self.store.take(shard, LEASE_MS, BATCH)
        await self._put(shard, members)
        return len(members)

    async def _put(self, shard: int, members: list[str]) -> None:
        for member in members:
            try:
                await self.queue.put(member)
            except ValueError:
                log.error("Nobody understands the due work %r; it is left alone.", member)
        if len(members) == BATCH:
            self.nudge(shard, 0)

    def nudge(self, shard: int, delay_ms: int) -> None:
        """Look at a shard after a delay; call it from the loop that the sweep runs in.

        What is further away the sweep finds in time by itself: a timer for every clock that runs would only fill the
        memory, since hardly any player lets it run out.
        """
        if delay_ms > LONGEST_SLEEP * 1000:
            return

        def start() -> None:
            self._timers.discard(timer)
            task = asyncio.get_running_loop().create_task(self._quietly(shard))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        timer = asyncio.get_running_loop().call_later(delay_ms / 1000, start)
        self._timers.add(timer)

    async def _quietly(self, shard: int) -> int:
        # What a nudge cannot do now, the sweep does within a second.
        with contextlib.suppress(Unavailable):
            return await self.sweep(shard)
        return 0

    def nudge_from_outside(self, loop: asyncio.AbstractEventLoop) -> Callable[[int, int], None]:
        """The same nudge for callers in another thread than the sweep's loop."""

        def nudge(shard: int, delay_ms: int) -> None:
            loop.call_soon_threadsafe(self.nudge, shard, delay_ms)

        return nudge
