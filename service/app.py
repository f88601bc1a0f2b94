"""The composition root: settings in, a running application out. Nothing is built anywhere else."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
from collections.abc import AsyncIterator, Callable

from litestar import Litestar, Response
from litestar.datastructures import State
from litestar.exceptions import HTTPException

from engine.chance import PublishedDeals
from engine.errors import EngineError, InvalidOptions
from engine.match import DealSource
from service import errors
from service.access import Tokens
from service.browsers import Cors
from service.due import Sweep
from service.edge import Edge
from service.games import Context
from service.jobs import BotQueue, SimulationQueue
from service.limits import Limiter
from service.metrics import Metrics
from service.rates import MOST_BODY
from service.routes import catalogue, docs, games, health, jobs, replays, seats, simulations
from service.routes.admission import admit
from service.routes.http import AnyRequest, places
from service.routes.problems import note, problem
from service.settings import Settings
from service.simulation_store import SimulationStore
from service.simulation_sweep import Feed
from service.simulations import Simulations
from service.store import Store, connect

HANDLERS = (
    *games.HANDLERS, *replays.HANDLERS, *seats.HANDLERS, *jobs.HANDLERS, *simulations.HANDLERS,
    *catalogue.HANDLERS, *health.HANDLERS, *docs.HANDLERS,
)  # fmt: skip
log = logging.getLogger("tapete.api")


def create_app(settings: Settings, *, deal_source: Callable[[str, list[str]], DealSource] = PublishedDeals) -> Edge:
    """The API over the Redis of the settings. `deal_source` is for tests that prepare their deals."""
    store = Store(connect(settings.redis_url))
    queue = BotQueue(connect(settings.queue_redis_url), settings.bot_queue)
    sweep = Sweep(store, queue)
    waiting = settings.limits.get("waiting_jobs")
    context = Context(store, Tokens(settings.secrets), deal_source, sweep.nudge, waiting.count if waiting else 0)
    feed = Feed(SimulationStore(store.redis), SimulationQueue(queue.redis, settings.simulation_queue))
    limiter = Limiter(queue.redis, settings.limits, lambda who: context.tokens.derive("limit", who)[:32])
    metrics = Metrics(context.wakeups)

    @contextlib.asynccontextmanager
    async def running(_: Litestar) -> AsyncIterator[None]:
        await _say_who_may_create(context)
        works = (sweep.run(), feed.run(), context.wakeups.run(store.redis))
        tasks = [asyncio.create_task(work) for work in works]
        try:
            yield
        finally:
            for task in tasks:
                await _end(task)
            await store.close()
            await queue.redis.aclose()

    app = Litestar(
        route_handlers=HANDLERS,
        lifespan=[running],
        state=State(
            {
                "context": context,
                "queue": queue,
                "simulations": Simulations(feed.store, feed, context.tokens),
                "metrics": metrics,
                "limiter": limiter,
            }
        ),
        before_request=admit,
        request_max_body_size=MOST_BODY,
        exception_handlers={
            errors.ServiceError: _refused,
            EngineError: _refused,
            HTTPException: _litestar_refused,
            Exception: _failed,
        },
        openapi_config=None,
        logging_config=None,  # litestar's own would take the root logger over, its level included
    )
    return Edge(app, metrics, Cors(settings.cors_origins))


async def _say_who_may_create(context: Context) -> None:
    """Tell the operator where anybody may create games. A store that is away says nothing, and so do we."""
    with contextlib.suppress(errors.Unavailable):
        if not await context.keys.configured():
            log.info("There are no API keys: whoever reaches this service may create games.")


async def _end(task: asyncio.Task[None]) -> None:
    """Cancel a task until it has ended: redis-py sends within `wait_for`, which may swallow a cancellation."""
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=0.1)


def settle_memory() -> None:
    """Tell Python's collector that all there is now will stay, and to look for garbage less often.

    Requests leave hardly any cycles behind, yet their many small objects made it look all the time: 1.15x in moves
    per second at 16 connections (`make bench`). Called once, when a serving process has built its application.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def _refused(request: AnyRequest, error: Exception) -> Response[bytes]:
    """A refusal of the engine or the service, told as a problem."""
    if isinstance(error, errors.ServiceError):
        return problem(request, error.code, error.detail, error.more, error.headers)
    more: dict[str, object] = {}
    if isinstance(error, InvalidOptions):
        more["errors"] = places(error)
    if reason := getattr(error, "reason", None):
        more["reason"] = reason
    return problem(request, errors.code_of(error), str(error), more)


LITESTAR = {404: "not_found", 405: "method_not_allowed", 413: "too_large"}
"""The codes of what litestar refuses by itself; anything else it finds wrong is a broken request."""


def _litestar_refused(request: AnyRequest, error: HTTPException) -> Response[bytes]:
    if error.status_code >= 500:
        return _failed(request, error)
    code = LITESTAR.get(error.status_code, "invalid_request")
    headers = {"Allow": ", ".join(request.scope["allowed"])} if error.status_code == 405 else {}  # type: ignore[typeddict-item] # the edge puts it there
    return problem(request, code, "", {"errors": []} if code == "invalid_request" else {}, headers)


def _failed(request: AnyRequest, error: Exception) -> Response[bytes]:
    """A fault of ours."""
    note(request.scope, error)
    return problem(request, "internal_error")
