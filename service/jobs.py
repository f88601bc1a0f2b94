"""The queue of bot moves: due work becomes an RQ job of the same name, at most once while it waits.

Jobs are named by dotted string; this service never imports the workers. A job is told a game or job id, a version
and what kind of work it is; never a seed, never a card.
"""

from redis import Redis as OfflineRedis
from redis.asyncio import Redis
from redis.exceptions import RedisError
from rq import Queue
from rq.serializers import JSONSerializer
from rq.worker_registration import REDIS_WORKER_KEYS

from service.errors import Unavailable

BOT_JOB = "workers.bots.run"
JOB_TIMEOUT_SECONDS = 120
"""A backstop: thinking time is bounded by its budget, and a lost turn comes back by its lease."""
FAILURE_TTL_SECONDS = 24 * 3600


class BotQueue:
    """Puts due work on the bot queue without blocking the event loop.

    RQ's own client blocks, so RQ only writes its commands down, on a pipeline that is never connected; they are
    sent by the asynchronous client.
    """

    def __init__(self, redis: Redis, name: str) -> None:
        self.redis = redis
        self._offline = OfflineRedis()
        self._queue = Queue(name, connection=self._offline, serializer=JSONSerializer)
        # Otherwise RQ would ask the server that it is not connected to.
        self._queue.redis_server_version = (7, 0, 0)

    async def put(self, member: str) -> bool:
        """Make the job of a piece of due work (`owner:version:kind`); False where it waits in the queue already."""
        owner, version, kind = member.split(":")
        job_id = f"{owner}-{version}-{kind}"
        try:
            if await self.redis.lpos(self._queue.key, job_id) is not None:
                return False
            commands = self._offline.pipeline()
            self._queue.enqueue_call(
                BOT_JOB,
                args=(owner, int(version), kind),
                job_id=job_id,
                timeout=JOB_TIMEOUT_SECONDS,
                result_ttl=0,
                failure_ttl=FAILURE_TTL_SECONDS,
                description=kind,
                pipeline=commands,
            )
            async with self.redis.pipeline(transaction=True) as sent:
                for arguments, options in commands.command_stack:
                    sent.execute_command(*arguments, **options)
                await sent.execute()
        except (RedisError, OSError) as error:
            raise Unavailable(f"The queue did not answer ({type(error).__name__}).") from error
        return True

    async def waiting(self) -> int:
        """How many jobs wait for a worker."""
        try:
            return int(await self.redis.llen(self._queue.key))
        except (RedisError, OSError) as error:
            raise Unavailable(f"The queue did not answer ({type(error).__name__}).") from error

    async def workers(self) -> int:
        """How many workers have registered and not gone; some may have died within the last minutes."""
        try:
            return int(await self.redis.scard(REDIS_WORKER_KEYS))
        except (RedisError, OSError) as error:
            raise Unavailable(f"The queue did not answer ({type(error).__name__}).") from error
