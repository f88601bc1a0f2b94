"""Waiting for a Redis, whichever part asks it: what goes wrong there is `Unavailable`."""

from collections.abc import Awaitable
from typing import Literal, TypeVar

from redis.exceptions import RedisError

from service.errors import Unavailable

T = TypeVar("T")


async def answered(command: Awaitable[T], *, by: Literal["store", "queue"]) -> T:
    """What a Redis answers. Raises Unavailable where it does not answer or take the write."""
    try:
        return await command
    except (RedisError, OSError) as error:
        # The text of a Redis error may hold arguments, so only its kind goes further.
        raise Unavailable(f"The {by} did not answer ({type(error).__name__}).") from error
