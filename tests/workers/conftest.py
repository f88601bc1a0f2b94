"""Real processes on the real server: an API, bot workers, and a look behind them."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import redis

from tests.processes import SECRET, Running, tapete
from tests.workers.table import Parts


@pytest.fixture
def server(clean_redis: str) -> Iterator[redis.Redis]:
    """Give the emptied server. It may lose the last writes if the machine dies, since that is not tested here."""
    with redis.Redis.from_url(clean_redis, decode_responses=True) as client:
        client.config_set("appendfsync", "no")
        yield client
        client.config_set("appendfsync", "always")


@pytest.fixture
def parts(clean_redis: str, server: redis.Redis) -> Iterator[Parts]:
    """Give the means to start API and workers on that server; what runs at the end of the test is ended."""
    with ExitStack() as stack:

        def start(*command: str) -> Running:
            return stack.enter_context(
                tapete(*command, REDIS_URL=clean_redis, TAPETE_SECRET=SECRET, TAPETE_LIMITS="off")
            )

        yield Parts(start, server)
