"""One API in this process for the tests of a file, and a table of four players for each of them."""

from collections.abc import Iterator

import pytest
import redis

from service.rates import OFF
from service.settings import Settings
from tests.service.players import Api, Table, running


@pytest.fixture(scope="module")
def settings(redis_url: str) -> Settings:
    """Settings of an API on the shared server: a queue and an empty database that nobody else's sweep looks into."""
    url = f"{redis_url}?db=1"
    with redis.Redis.from_url(url) as client:
        client.flushdb()
    # Without limits: hundreds of tests ask from one address, faster than any honest client would.
    return Settings(url, url, (bytes(range(32)),), bot_queue="tests-service", limits=OFF)


@pytest.fixture(scope="module")
def kept(settings: Settings) -> Iterator[redis.Redis]:
    """What the API keeps, as bytes."""
    with redis.Redis.from_url(settings.redis_url) as client:
        yield client


@pytest.fixture(scope="module")
def api(settings: Settings) -> Iterator[Api]:
    """The API, from start to end, for all tests of a file."""
    with running(settings) as started:
        yield started


@pytest.fixture
def table(api: Api) -> Table:
    """A game of four players that has just been dealt; seat 0 deals, so seat 3 speaks first."""
    return api.create(options={"first_dealer": 0})
