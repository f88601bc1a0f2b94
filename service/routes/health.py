"""Whether the service lives, and whether it can work."""

from litestar import get

import engine
from service.errors import Unavailable
from service.operation import Operation, describes
from service.routes.http import Answer, AnyRequest, answer, context_of, query
from service.schemas import Live, Ready

NOW = {"Cache-Control": "no-store"}


@get("/health/live", **describes(Operation("getLive", "Health", {200: Live})))
async def live(request: AnyRequest) -> Answer:
    """Say that the process answers. It looks at nothing else."""
    query(request)
    return answer(Live(status="ok"), headers=NOW)


@get("/health/ready", **describes(Operation("getReady", "Health", {200: Ready, 503: Ready})))
async def ready(request: AnyRequest) -> Answer:
    """Say whether games can be played: the store answers. Also which engine runs, and how many workers there are."""
    query(request)
    try:
        redis = await context_of(request).store.version()
        workers = await request.app.state.queue.workers()
    except Unavailable:
        state = Ready(status="unavailable", redis=None, engine=engine.MODE, workers=0)
        return answer(state, 503, {**NOW, "Retry-After": "1"})
    return answer(Ready(status="ok", redis=redis, engine=engine.MODE, workers=workers), headers=NOW)


HANDLERS = (live, ready)
