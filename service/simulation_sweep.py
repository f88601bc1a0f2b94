"""Workers for simulations: every one that is not over has as many jobs as there are workers, whatever was lost.

A job does some seconds of work on one simulation and then makes way for the others. Its end asks for the next, and
where that was lost, with a worker or with the whole queue, the sweep does: every process runs one, a second apart.
"""

import asyncio
import logging
import time

from service.errors import Unavailable
from service.jobs import MOST_WORKERS, SimulationQueue
from service.simulation_store import SimulationStore

INTERVAL = 1.0
UNBORN_MS = 60_000
"""How long a simulation may be on the list that is not written down: whoever creates it has died since."""
OVER = ("done", "cancelled", "failed")
log = logging.getLogger("tapete.simulations")


class Feed:
    """Gives simulations their jobs."""

    def __init__(self, store: SimulationStore, queue: SimulationQueue) -> None:
        self.store = store
        self.queue = queue

    async def run(self) -> None:
        """Look after all simulations until cancelled. While Redis is away, keep trying: the work is kept there."""
        while True:
            try:
                await self.sweep()
            except Unavailable as error:
                log.warning("The sweep of simulations waits: %s", error.detail)
            except Exception:
                # Without a sweep simulations would stop in silence, so nothing may end it.
                log.exception("The sweep of simulations failed, and goes on.")
            await asyncio.sleep(INTERVAL)

    async def sweep(self) -> None:
        """Give every simulation the jobs that it lacks, and take those that are over off the list."""
        for simulation_id, since_ms in await self.store.active():
            if not await self.feed(simulation_id) and time.time() * 1000 - since_ms > UNBORN_MS:
                await self.store.leave(simulation_id)

    async def feed(self, simulation_id: str) -> bool:
        """Give a simulation the jobs that it lacks; False where there is no such simulation.

        Two who do this at once may give it some too many: these find nothing to take and end.
        """
        need = await self.store.need(simulation_id)
        if need.state in OVER:
            await self.store.leave(simulation_id)
        if need.takeable and need.state not in OVER:
            workers = min(max(await self.queue.workers(), 1), MOST_WORKERS)
            waiting = sum(job.startswith(simulation_id) for job in await self.queue.jobs())
            for _ in range(workers - need.live - waiting):
                await self.queue.put(simulation_id)
        return need.state is not None
