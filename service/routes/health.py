"""Whether the service lives, and whether it can work."""

from litestar import get
from prometheus_client import CONTENT_TYPE_LATEST

import engine
from service.errors import Unavailable
from service.operation import Operation, describes
from service.routes.http import Answer, AnyRequest, answer, context_of, query
from service.schemas import Live, Ready

NOW = {"Cache-Control": "no-store"}


@get("/health/live", **describes(Operation("getLive", "Health", {200: Live}, limit="")))
async def live(request: AnyRequest) -> Answer:
    """Say that the process answers. It looks at nothing else."""
    query(request)
    return answer(Live(status="ok"), headers=NOW)


@get("/health/ready", **describes(Operation("getReady", "Health", {200: Ready, 503: Ready}, limit="")))
async def ready(request: AnyRequest) -> Answer:
    """Say whether games can be played: the store answers. Also which engine runs, and how many workers there are."""
    query(request)
    try:
        redis = await context_of(request).store.version()
        workers = await request.app.state.queue.workers()
        simulation_workers = await request.app.state.simulations.feed.queue.workers()
    except Unavailable:
        state = Ready(status="unavailable", redis=None, engine=engine.MODE, workers=0, simulation_workers=0)
        return answer(state, 503, {**NOW, "Retry-After": "1"})
    state = Ready(status="ok", redis=redis, engine=engine.MODE, workers=workers, simulation_workers=simulation_workers)
    return answer(state, headers=NOW)


@get("/metrics", opt={"page": True})
async def metrics(request: AnyRequest) -> Answer:
    """Show the process's metrics to Prometheus: by operation, never by game or caller."""
    state = request.app.state
    try:
        await context_of(request).store.version()
        state.metrics.behind(await state.queue.workers(), await state.queue.waiting())
        simulations = state.simulations.feed
        active = len(await simulations.store.active())
        state.metrics.simulating(await simulations.queue.workers(), await simulations.queue.waiting(), active)
    except Unavailable:
        state.metrics.alone()
    return Answer(state.metrics.page(), media=CONTENT_TYPE_LATEST, headers=NOW)


HANDLERS = (live, ready, metrics)
