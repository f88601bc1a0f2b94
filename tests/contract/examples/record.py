"""Record the examples again: `make examples`. Review the diff: it is what has changed for clients."""

import json
import logging
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import redis

from service import redis_server
from service.settings import Settings
from tests.contract.examples import refusals, story
from tests.contract.examples.stable import stable
from tests.contract.examples.tape import Tape, remote
from tests.processes import ROOT, SECRET, tapete
from tests.service.players import Json

FOLDER = ROOT / "openapi" / "examples"


@dataclass
class Service:
    """A service that runs for its examples: its address, its settings, and the processes of its only workers."""

    url: str
    settings: Settings
    worker: int
    simulator: int


@contextmanager
def service(redis_url: str) -> Iterator[Service]:
    """Run API, a bot worker and one for simulations, with the usual limits, on a database of a Redis; it is emptied."""
    with redis.Redis.from_url(redis_url) as client:
        client.flushdb()
    own = {"REDIS_URL": redis_url, "TAPETE_SECRET": SECRET}
    with (
        tapete("api", "--port", "0", **own) as api,
        tapete("worker", "bots", **own) as worker,
        tapete("worker", "simulations", **own) as simulator,
    ):
        url = api.wait_for(r"^The API answers at (http://\S+)$")[1]
        yield Service(url, Settings.from_environment(own), worker.process.pid, simulator.process.pid)


def record(at: Service, spare_url: str, folder: Path) -> dict[str, Json]:
    """Every example by its name, as it is the same in every recording.

    `spare_url` is a database in which a limit may be used up; nothing lies in `folder`.
    """
    spare = replace(at.settings, redis_url=spare_url, queue_redis_url=spare_url)
    with remote(at.url, spare) as api:
        tape = Tape(api)
        story.tell(tape, at.worker, at.simulator)
        refusals.refuse(tape, at.settings, folder)
        return stable({name: exchange.written() for name, exchange in tape.kept.items()})


def text(example: Json) -> str:
    """An example as its file has it."""
    return json.dumps(example, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    """Write all files, and leave none of before."""
    logging.disable()  # the faults that are examples of faults
    with tempfile.TemporaryDirectory() as folder:
        server = redis_server.start(Path(folder))
        try:
            with service(f"{server.url}?db=0") as at:
                recorded = record(at, f"{server.url}?db=1", Path(folder))
        finally:
            server.stop()
    shutil.rmtree(FOLDER, ignore_errors=True)
    for name, example in recorded.items():
        path = FOLDER / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text(example))
    print(f"recorded {len(recorded)} examples in {FOLDER}")


if __name__ == "__main__":
    main()
