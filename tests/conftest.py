"""A real server for every test that needs one: started once, on a socket of its own, and stopped whatever happens."""

import signal
from collections.abc import Iterator

import pytest
import redis

from service import redis_server

# A shell starts what it runs in the background with Ctrl-C ignored, and so would be all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of a running server that all tests share; what lies in it is anyone's (see `clean_redis`)."""
    server = redis_server.start(tmp_path_factory.mktemp("redis"))
    try:
        yield server.url
    finally:
        server.stop()


@pytest.fixture
def clean_redis(redis_url: str) -> str:
    """URL of the shared server, emptied of data and functions for this test."""
    with redis.Redis.from_url(redis_url) as client:
        client.flushall()
    return redis_url
