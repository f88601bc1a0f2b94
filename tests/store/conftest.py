"""A store on the real server, emptied for each test, and the server itself to look behind the store's back."""

from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from service.store import Store, connect


@pytest.fixture
def anyio_backend() -> str:
    """Run asynchronous tests on asyncio, as the service does."""
    return "asyncio"


@pytest.fixture
async def store(clean_redis: str) -> AsyncIterator[Store]:
    """Give a store on the emptied server."""
    store = Store(connect(clean_redis))
    yield store
    await store.close()


@pytest.fixture
async def redis(clean_redis: str) -> AsyncIterator[Redis]:
    """Give the server that `store` works on."""
    client = Redis.from_url(clean_redis)
    yield client
    await client.aclose()
