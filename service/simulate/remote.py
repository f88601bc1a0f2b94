"""A simulation on a service: asked for, looked at until it is over, cancelled by Ctrl-C."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable

import msgspec
from msgspec import Struct

from service.schemas import JobFailure
from service.simulate.outcome import Outcome, Progress
from service.simulation_schemas import CreateSimulation, SimulationRequest, Stopped
from service.simulation_schemas import Progress as Done
from service.terminal.client import Client

LOOK_SECONDS = 0.5
NOTHING = b"null"


class FailedError(Exception):
    """The service gave the simulation up; the text says why."""


class Seen(Struct):
    """A simulation as the service tells it; its results are kept as the bytes that came."""

    simulation_id: str
    state: str
    request: SimulationRequest
    progress: Done
    results: msgspec.Raw
    stopped: Stopped | None
    failure: JobFailure | None


class Service:
    """A service to simulate on, with an API key where it wants one."""

    def __init__(self, client: Client, key: str | None) -> None:
        self.client = client
        self.headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})

    def ask(self, asked: CreateSimulation, once: str) -> Seen:
        """Ask for a simulation; asked again with the same `once`, a UUID, it is the same simulation."""
        headers = {"Content-Type": "application/json", "Idempotency-Key": once}
        return self._seen("POST", "/v1/simulations", msgspec.json.encode(asked), headers)

    def look(self, simulation_id: str) -> Seen:
        """How it stands."""
        return self._seen("GET", f"/v1/simulations/{simulation_id}")

    def cancel(self, simulation_id: str) -> Seen:
        """Stop it."""
        return self._seen("DELETE", f"/v1/simulations/{simulation_id}")

    def rows(self, simulation_id: str) -> list[bytes]:
        """What its games came to, one by one."""
        headers = {**self.headers, "Accept": "application/x-ndjson"}
        return self.client.send("GET", f"/v1/simulations/{simulation_id}/rows", None, headers).splitlines()

    def _seen(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Seen:
        content = self.client.send(method, path, body, {**self.headers, **(headers or {})})
        return msgspec.json.decode(content, type=Seen)


def run(
    service: Service, asked: CreateSimulation, progress: Progress, write_rows: Callable[[list[bytes]], None]
) -> Outcome:
    """Have a simulation played to its end, or until KeyboardInterrupt: then it is cancelled, what is counted stays.

    Raises FailedError, and what the client raises.
    """
    began = time.perf_counter()
    once = str(uuid.uuid4())
    try:
        seen = service.ask(asked, once)
        while seen.state in ("waiting", "running"):
            time.sleep(LOOK_SECONDS)
            seen = service.look(seen.simulation_id)
            progress(seen.progress.games, seen.request.count)
    except KeyboardInterrupt:
        # It may have come before the answer that tells the id.
        seen = service.cancel(service.ask(asked, once).simulation_id)
    if seen.state == "failed":
        raise FailedError(seen.failure.detail if seen.failure else "The service gave the simulation up.")
    if asked.rows:
        write_rows(service.rows(seen.simulation_id))
    results = None if bytes(seen.results) == NOTHING else bytes(seen.results)
    return Outcome(seen.request, results, seen.stopped, seen.state == "done", time.perf_counter() - began)
