"""The service as its clients meet it, for as long as a test file or a run of `make contract` asks."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from tests.processes import SECRET, tapete


@contextmanager
def service(redis_url: str) -> Iterator[str]:
    """Where an API answers that has a bot worker beside it; fails where one of them says that something failed."""
    # Without limits: generated requests come faster than any honest client's.
    alone = {"REDIS_URL": redis_url, "TAPETE_SECRET": SECRET, "TAPETE_LIMITS": "off"}
    with tapete("api", "--port", "0", **alone) as api, tapete("worker", "bots", **alone) as worker:
        yield api.wait_for(r"^The API answers at (http://\S+)$")[1]
        for part in (api, worker):
            assert not re.search(r"Traceback|ERROR|Request \w+ failed", part.output), part.output
