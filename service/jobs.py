"""The queues of jobs: bot moves, and work on simulations.

Jobs are named by dotted string; this service never imports the workers. A job is told a game or job id, a version
and what kind of work it is, or the id of a simulation; never a seed, never a card.
"""

import secrets
from collections.abc import Sequence
from typing import Any

from redis import Redis as OfflineRedis
from redis.asyncio import Redis
from rq import Queue
from rq.serializers import JSONSerializer
from rq.worker_registration import WORKERS_BY_QUEUE_KEY

from service.answers import answered

BOT_JOB = "workers.bots.run"
SIMULATION_JOB = "workers.simulations.run"
JOB_TIMEOUT_SECONDS = 120
"""A backstop: thinking time is bounded by its budget, and a lost turn comes back by its lease."""
SIMULATION_TIMEOUT_SECONDS = 24 * 3600
"""The same: a single match of bots that think may take long, and a lost range comes back by its lease."""
FAILURE_TTL_SECONDS = 24 * 3600
MOST_WORKERS = 64


class JobQueue:
    """A queue that jobs are put on without blocking the event loop.

    RQ's own client blocks, so RQ only writes its commands down, on a pipeline that is never connected; they are
    sent by the asynchronous client.
    """

    def __init__(self, redis: Redis, name: str) -> None:
        self.redis = redis
        self.name = name
        self._offline = OfflineRedis()
        self._queue = Queue(name, connection=self._offline, serializer=JSONSerializer)
        # Otherwise RQ would ask the server that it is not connected to.
        self._queue.redis_server_version = (7, 0, 0)

    async def enqueue(self, function: str, job_id: str, arguments: Sequence[object], about: str, timeout: int) -> None:
        """Put a job on the queue; `about` is what RQ shows of it."""
        commands = self._offline.pipeline()
        self._queue.enqueue_call(
            function,
            args=tuple(arguments),
            job_id=job_id,
            timeout=timeout,
            result_ttl=0,
            failure_ttl=FAILURE_TTL_SECONDS,
            description=about,
            pipeline=commands,
        )

        async def send() -> None:
            async with self.redis.pipeline(transaction=True) as sent:
                for told, options in commands.command_stack:
                    sent.execute_command(*told, **options)
                await sent.execute()

        await answered(send(), by="queue")

    async def holds(self, job_id: str) -> bool:
        """Whether a job waits in the queue."""
        return await answered(self.redis.lpos(self._queue.key, job_id), by="queue") is not None

    async def waiting(self) -> int:
        """How many jobs wait for a worker."""
        return int(await answered(self.redis.llen(self._queue.key), by="queue"))

    async def jobs(self) -> list[str]:
        """The ids of the jobs that wait for a worker."""
        waiting: list[Any] = await answered(self.redis.lrange(self._queue.key, 0, -1), by="queue")
        return [each.decode() for each in waiting]

    async def workers(self) -> int:
        """How many workers have registered and not gone; some may have died within the last minutes."""
        return int(await answered(self.redis.scard(WORKERS_BY_QUEUE_KEY % self.name), by="queue"))


class BotQueue(JobQueue):
    """The queue of bot moves: due work becomes a job of the same name, at most once while it waits."""

    async def put(self, member: str) -> bool:
        """Make the job of a piece of due work (`owner:version:kind`); False where it waits in the queue already."""
        owner, version, kind = member.split(":")
        job_id = f"{owner}-{version}-{kind}"
        if await self.holds(job_id):
            return False
        await self.enqueue(BOT_JOB, job_id, (owner, int(version), kind), kind, JOB_TIMEOUT_SECONDS)
        return True


class SimulationQueue(JobQueue):
    """The queue of simulations: a job is one worker's turn at one of them, and they take turns."""

    async def put(self, simulation_id: str) -> None:
        """Give a simulation one worker more."""
        job_id = f"{simulation_id}-{secrets.token_hex(4)}"
        await self.enqueue(SIMULATION_JOB, job_id, (simulation_id,), "simulation", SIMULATION_TIMEOUT_SECONDS)
