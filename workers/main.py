"""Start a worker of one queue. `tapete worker bots` and `simulations` run this in a process of its own."""

import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from redis import Redis
from redis.backoff import ExponentialBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from rq import Queue, SimpleWorker, Worker
from rq.exceptions import DeserializationError
from rq.job import Job
from rq.serializers import JSONSerializer

from service.access import Tokens
from service.children import ending_with_us
from service.due import Sweep
from service.games import Context
from service.jobs import BOT_JOB, SIMULATION_JOB, BotQueue, SimulationQueue
from service.settings import Settings
from service.simulation_store import SimulationStore
from service.simulation_sweep import Feed
from service.store import Store, connect
from workers import bots, simulations

ALLOWED = frozenset({BOT_JOB, SIMULATION_JOB})
LOST_REDIS = 69
"""The exit code of a worker that did not find its queue's server again."""
MAINTENANCE_SECONDS = 60
HEARTBEAT_SECONDS = 5
"""How often RQ clears up after dead workers, and says that a working one lives. Its own 600 and 30 are very patient."""
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


class SimulationWorker(Worker):
    """A worker that forks for each job, so that whatever a job has done to its memory is gone with it."""

    job_class = AllowedJob
    max_connection_wait_time = 1.0  # seconds, as with bots
    told_to_stop = False

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """Stop as soon as the running job has given back what it plays."""
        self.told_to_stop = True
        self._stop_child()
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call] # RQ's has no types

    def _stop_child(self) -> None:
        if self.horse_pid:
            with suppress(ProcessLookupError):
                os.kill(self.horse_pid, signal.SIGTERM)

    def fork_work_horse(self, job: Job, queue: Queue) -> None:
        """Fork, so that the child ends when we are killed, and learns that we are told to stop in any case."""
        self._follow = ending_with_us()
        # Until the job listens itself (`simulations.run`), what the child is told has to wait.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        super().fork_work_horse(job, queue)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        if self.told_to_stop:  # before there was a child to be told
            self._stop_child()

    def setup_work_horse_signals(self) -> None:
        """In the child: end with the worker that forked us."""
        super().setup_work_horse_signals()  # type: ignore[no-untyped-call]
        if self._follow:
            self._follow()


@contextmanager
def beside(*works: Coroutine[Any, Any, None]) -> Iterator[asyncio.AbstractEventLoop]:
    """Do asynchronous work beside the jobs, in a thread and loop of its own, until the block is left."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_until_complete, args=(_until_cancelled(*works),), daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(_cancel_all, loop)
        thread.join(timeout=2)


async def _until_cancelled(*works: Coroutine[Any, Any, None]) -> None:
    with suppress(asyncio.CancelledError):
        await asyncio.gather(*works)


async def _swept(sweep: Sweep | Feed) -> None:
    try:
        await sweep.run()
    finally:
        await sweep.store.close()
        await sweep.queue.redis.aclose()


def _feed_of(settings: Settings) -> Feed:
    """The sweep of simulations, over connections of its own."""
    queue = SimulationQueue(connect(settings.queue_redis_url), settings.simulation_queue)
    return Feed(SimulationStore(connect(settings.redis_url)), queue)


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()


def _patient(url: str) -> Redis:
    """The queue's server as RQ speaks to it.

    In the middle of a job RQ gives up when it is away, so its commands are repeated for some seconds: twice does no
    harm there.
    """
    return Redis.from_url(url, retry=Retry(ExponentialBackoff(cap=0.5, base=0.05), 10))


def _work(worker: BotWorker | SimulationWorker) -> int:
    """Work until told to stop; answers the exit code."""
    worker.log_job_description = False
    try:
        worker.work(logging_level="WARNING", with_scheduler=False)  # at INFO it says four lines for each move
    except RedisError as error:
        log.error("The queue's server is away (%s).", type(error).__name__)
    return 0 if worker.told_to_stop else LOST_REDIS


def run_bots(settings: Settings) -> int:
    """Work on the bot queue until told to stop (SIGTERM, SIGINT); answers the exit code."""
    logging.basicConfig(level=settings.log_level.upper(), format="%(levelname)s %(name)s %(message)s")
    connection = _patient(settings.queue_redis_url)
    queue = Queue(settings.bot_queue, connection=connection, serializer=JSONSerializer)
    sweep = Sweep(Store(connect(settings.redis_url)), BotQueue(connect(settings.queue_redis_url), settings.bot_queue))
    with beside(_swept(sweep), _swept(_feed_of(settings))) as loop, asyncio.Runner() as runner:
        store = Store(connect(settings.redis_url))
        context = Context(store, Tokens(settings.secrets), nudge=sweep.nudge_from_outside(loop))
        bots.process = bots.Process(runner, context)
        code = _work(BotWorker([queue], connection=connection, serializer=JSONSerializer, job_class=AllowedJob))
        runner.run(store.close())
    return code


def step_back() -> None:
    """Let everything else on the machine go first: people wait for their bots.

    Linux then gives a core away the moment that anybody else wakes; `nice` alone lets them wait for a slice of time.
    That holds among processes that share cores as one: of one session, or of one container.
    """
    os.nice(19)
    if sys.platform == "linux":
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def run_simulations(settings: Settings) -> int:
    """Work on the queue of simulations until told to stop (SIGTERM, SIGINT); answers the exit code."""
    logging.basicConfig(level=settings.log_level.upper(), format="%(levelname)s %(name)s %(message)s")
    step_back()
    connection = _patient(settings.queue_redis_url)
    queue = Queue(settings.simulation_queue, connection=connection, serializer=JSONSerializer)
    simulations.settings = settings
    with beside(_swept(_feed_of(settings))):
        return _work(
            SimulationWorker(
                [queue],
                connection=connection,
                serializer=JSONSerializer,
                job_class=AllowedJob,
                maintenance_interval=MAINTENANCE_SECONDS,
                job_monitoring_interval=HEARTBEAT_SECONDS,
            )
        )
