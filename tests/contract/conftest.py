"""The running service: `tapete api` and a bot worker as processes of their own, over a real Redis."""

import re
from collections.abc import Iterator

import httpx
import pytest

from tests.processes import SECRET, tapete


@pytest.fixture(scope="module")
def url(redis_url: str) -> Iterator[str]:
    """Where the service answers, for all tests of a file; nothing that they ask may fail it."""
    # Without limits: generated requests come faster than any honest client's.
    alone = {"REDIS_URL": f"{redis_url}?db=2", "TAPETE_SECRET": SECRET, "TAPETE_LIMITS": "off"}
    with tapete("api", "--port", "0", **alone) as api, tapete("worker", "bots", **alone) as worker:
        yield api.wait_for(r"^The API answers at (http://\S+)$")[1]
        for part in (api, worker):
            assert not re.search(r"Traceback|ERROR|Request \w+ failed", part.output), part.output


@pytest.fixture(scope="module")
def client(url: str) -> Iterator[httpx.Client]:
    """A client of the service."""
    with httpx.Client(base_url=url) as opened:
        yield opened
