"""Start a worker of one queue. `tapete worker bots` runs this in a process of its own."""

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from redis import Redis
from redis.backoff import ExponentialBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from rq import Queue, SimpleWorker
from rq.exceptions import DeserializationError
from rq.job import Job
from rq.serializers import JSONSerializer

from service.access import Tokens
from service.due import Sweep
from service.games import Context
from service.jobs import BOT_JOB, BotQueue
from service.settings import Settings
from service.store import Store, connect
from workers import bots

ALLOWED = frozenset({BOT_JOB})
LOST_REDIS = 69
"""The exit code of a worker that did not find its queue's server again."""
log = logging.getLogger("tapete.worker")


class AllowedJob(Job):
    """A job that names a function of ours; RQ alone would run whatever a job names, `os.system` included."""

    def perform(self) -> Any:
        """Run the function, where it is one of ours."""
        if self.func_name not in ALLOWED:
            raise DeserializationError(f"{self.func_name!r} is no job of this service.")
        return super().perform()


class BotWorker(SimpleWorker):
    """A worker without a fork for each job: a bot's move takes less time than a fork."""

    job_class = AllowedJob
    max_connection_wait_time = 1.0  # seconds; RQ alone would look for a lost server once a minute
    told_to_stop = False

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """Stop after the running job, as SIGTERM and SIGINT ask for."""
        self.told_to_stop = True
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call] # RQ's has no types


@contextmanager
def sweeping(settings: Settings) -> Iterator[Callable[[int, int], None]]:
    """Run the sweep of due work beside the jobs, in a thread and loop of its own; gives the way to nudge it."""
    loop = asyncio.new_event_loop()
    store = Store(connect(settings.redis_url))
    sweep = Sweep(store, BotQueue(connect(settings.queue_redis_url), settings.bot_queue))
    thread = threading.Thread(target=loop.run_until_complete, args=(_until_stopped(sweep),), daemon=True)
    thread.start()
    try:
        yield sweep.nudge_from_outside(loop)
    finally:
        loop.call_soon_threadsafe(_cancel_all, loop)
        thread.join(timeout=2)


async def _until_stopped(sweep: Sweep) -> None:
    try:
        await sweep.run()
    except asyncio.CancelledError:
        await sweep.store.close()
        await sweep.queue.redis.aclose()


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()


def run_bots(settings: Settings) -> int:
    """Work on the bot queue until told to stop (SIGTERM, SIGINT); answers the exit code.

    In the middle of a job RQ gives up when the queue's server is away, so its commands are repeated for some seconds:
    twice does no harm there.
    """
    logging.basicConfig(level=settings.log_level.upper(), format="%(levelname)s %(name)s %(message)s")
    connection = Redis.from_url(settings.queue_redis_url, retry=Retry(ExponentialBackoff(cap=0.5, base=0.05), 10))
    queue = Queue(settings.bot_queue, connection=connection, serializer=JSONSerializer)
    with sweeping(settings) as nudge, asyncio.Runner() as runner:
        store = Store(connect(settings.redis_url))
        context = Context(store, Tokens(settings.secrets), nudge=nudge)
        bots.process = bots.Process(runner, context)
        worker = BotWorker([queue], connection=connection, serializer=JSONSerializer, job_class=AllowedJob)
        worker.log_job_description = False
        try:
            worker.work(logging_level="WARNING", with_scheduler=False)  # at INFO it says four lines for each move
        except RedisError as error:
            log.error("The queue's server is away (%s).", type(error).__name__)
        runner.run(store.close())
    return 0 if worker.told_to_stop else LOST_REDIS
