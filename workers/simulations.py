"""The job of the simulation queue: some seconds of one simulation, range by range, in a process of its own."""

import asyncio
import logging
import os
import signal
import threading
import time
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from engine.simulation.plans import Plan
from engine.simulation.playing import play
from engine.simulation.sequential import Verdict, decide
from engine.simulation.tallies import Tally, merge
from service.errors import SimulationNotFound, Unavailable
from service.jobs import SimulationQueue
from service.schemas import JobFailure
from service.settings import Settings
from service.simulation_plans import bounds_of, plan_of, stopped_by
from service.simulation_store import LoadedSimulation, Look, Played, Range, SimulationStore
from service.simulation_sweep import Feed
from service.store import connect

TURN_SECONDS = 5.0
"""How long a job works before it makes way for the next simulation."""
RANGE_SECONDS = 1.0
"""How long a range should take: what is lost with its worker, and how often sums are written."""
RENEW_SECONDS = 0.5
"""How often a lease is renewed: as often a worker learns that nobody needs its range any more."""
log = logging.getLogger("tapete.worker")

settings: Settings | None = None
"""Set by `workers.main` before the first job."""


def run(simulation_id: str) -> None:
    """Work on a simulation for a turn, then ask for its next one. The end of the process ends what it played."""
    if settings is None:
        raise RuntimeError("Jobs run in processes that `tapete worker simulations` starts.")
    asyncio.run(_turn(settings, simulation_id))


async def _turn(settings: Settings, simulation_id: str) -> None:
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})  # the worker has blocked it since it forked us
    async with _connected(settings) as feed:
        try:
            work = Work(feed.store, simulation_id, os.environ.get("RQ_WORKER_ID", ""), stopping)
            await work.go_on(time.monotonic() + TURN_SECONDS)
            await feed.feed(simulation_id)
        except SimulationNotFound:
            log.info("The simulation %s is gone.", simulation_id)
        except Unavailable as error:
            # Nothing has failed: what was being played comes back when its lease runs out.
            log.warning("A simulation waits: %s", error.detail)


@asynccontextmanager
async def _connected(settings: Settings) -> AsyncIterator[Feed]:
    store = SimulationStore(connect(settings.redis_url, connections=4))
    queue = SimulationQueue(connect(settings.queue_redis_url, connections=4), settings.simulation_queue)
    try:
        yield Feed(store, queue)
    finally:
        await store.close()
        await queue.redis.aclose()


@dataclass
class Work:
    """One worker's work on one simulation, until it is told to stop."""

    store: SimulationStore
    simulation_id: str
    worker: str
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    range_seconds: float = RANGE_SECONDS

    async def go_on(self, until: float) -> None:
        """Take what there is to do, until a moment of the monotonic clock, or until others do the rest.

        Raises SimulationNotFound, Unavailable.
        """
        simulation = await self.store.load(self.simulation_id)
        plan = plan_of(simulation.asked.request)
        while time.monotonic() < until and not self.stopping.is_set():
            match await self.store.take(simulation, self.range_seconds):
                case Range() as taken:
                    await self._play(plan, simulation, taken)
                case Look() as look:
                    await self._look(plan, simulation, look)
                case None:
                    return

    async def _play(self, plan: Plan, simulation: LoadedSimulation, taken: Range) -> None:
        playing = Playing(plan, taken, rows=simulation.asked.request.rows)
        playing.start()
        while not await playing.is_over(self.stopping, RENEW_SECONDS):
            if self.stopping.is_set():
                playing.give_up()
                await self.store.renew(self.simulation_id, taken, 0)
                return
            if not await self.store.renew(self.simulation_id, taken):
                playing.give_up()
                return
        if playing.fault is not None:
            await self._failed(taken, playing.fault)
        elif playing.played is not None:
            await self.store.commit(self.simulation_id, taken, playing.played, self.worker)

    async def _failed(self, taken: Range, fault: Exception) -> None:
        # Its text may hold a card, so only its kind and place are told.
        place = "".join(traceback.format_tb(fault.__traceback__))
        log.error("Sets %s of %s failed (%s).\n%s", taken.name, self.simulation_id, type(fault).__name__, place)
        detail = f"A bot or a rule failed ({type(fault).__name__}) in the sets from {taken.first} on."
        await self.store.fail(self.simulation_id, taken, JobFailure(code="internal_error", detail=detail))

    async def _look(self, plan: Plan, simulation: LoadedSimulation, look: Look) -> None:
        """Take a look of the sequential test: a function of the sets below it, so it matters not who takes it."""
        rule = simulation.asked.request.stop
        assert rule is not None  # noqa: S101 - looks are due where there is a rule
        counted = await self.store.tally(self.simulation_id)
        tally = merge(counted, await self.store.tally(self.simulation_id, look.number))
        sets = min(look.number * rule.every, simulation.sets)
        if tally.get("sets", 0) != sets:
            return  # another was first, and the tallies have moved on
        # The rest that makes no whole segment is counted, not looked at.
        whole = sets == look.number * rule.every
        verdict = decide(plan, tally, bounds_of(rule)) if whole else Verdict(None, None)
        stopped = stopped_by(verdict, look.number if whole else look.number - 1, sets, simulation.sets)
        await self.store.look(self.simulation_id, look, stopped)


class Playing:
    """A range that is being played, in a thread of its own, so that meanwhile its lease can be renewed.

    The thread ends with the process, at the latest: where a single game takes long it is not waited for.
    """

    def __init__(self, plan: Plan, taken: Range, *, rows: bool) -> None:
        self.played: Played | None = None
        self.fault: Exception | None = None
        self._plan = plan
        self._taken = taken
        self._rows: list[bytes] | None = [] if rows else None
        self._given_up = False
        self._over = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def start(self) -> None:
        """Play."""
        threading.Thread(target=self._run, daemon=True).start()

    def give_up(self) -> None:
        """Stop at the next chance: nobody needs it."""
        self._given_up = True

    async def is_over(self, stopping: asyncio.Event, seconds: float) -> bool:
        """Whether it has been played, after so many seconds at most; earlier where the worker is told to stop."""
        waits = [asyncio.ensure_future(event.wait()) for event in (self._over, stopping)]
        await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        return self._over.is_set()

    def _run(self) -> None:
        started = time.perf_counter()
        try:
            tally: Tally = {}
            for part in play(self._plan, self._taken.first, self._taken.count, self._rows):
                if self._given_up:
                    return
                tally = merge(tally, part)
            rows = None if self._rows is None else b"".join(row + b"\n" for row in self._rows)
            self.played = Played(tally, rows, time.perf_counter() - started)
        except Exception as fault:
            self.fault = fault
        finally:
            with suppress(RuntimeError):  # the loop has ended, and so will we
                self._loop.call_soon_threadsafe(self._over.set)
