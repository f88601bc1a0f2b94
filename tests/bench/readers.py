"""(d) what idle readers of streams cost, beside a bare application with one read of Redis for each of them."""

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

import httpx
from redis import Redis

from service import redis_server
from service.listening import allow_many_connections
from service.routes.streams import PING_SECONDS
from tests.bench.figures import Figure
from tests.processes import SECRET, environment

HERE = Path(__file__).parent
READERS = 2000
GAMES = 500
MOVES = 200
OPTIONS = {"max_deals": 1000, "first_dealer": 0}


def figures() -> list[Figure]:
    """Memory and processor time of readers to whom nothing happens, and what they cost somebody to whom it does."""
    if not Path("/proc/self/status").exists():
        return []  # the only place that says both of another process
    allow_many_connections()
    with ExitStack() as stack:
        server = redis_server.start(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tapete-bench-"))))
        stack.callback(server.stop)
        redis = stack.enter_context(Redis.from_url(server.url))
        redis.config_set("appendfsync", "no")
        ours = stack.enter_context(_serving(server.url, "-m", "service.cli", "api", "--port", "0"))
        bare = stack.enter_context(_serving(server.url, str(HERE / "bare_readers.py")))
        return _measured(ours, bare)


def _measured(ours: "Process", bare: "Process") -> list[Figure]:
    with httpx.Client(base_url=ours.url) as client:
        games = [_create(client) for _ in range(GAMES)]
        seats = [(f"/v1/games/{game}/events", token) for game, tokens in games for token in tokens]
        alone = _delivery(ours, client)
        with _cost(ours, lambda number: seats[number % len(seats)]) as (memory, work):
            among = _delivery(ours, client)
        with _cost(bare, lambda number: (f"/{number % GAMES}", "")) as (their_memory, their_work):
            pass
    where = f"of {READERS:,} on one process"
    peer = "bare ASGI with one XREAD each"
    return [
        Figure(f"memory of an idle reader {where} (less is better)", memory, "KB", peer, their_memory),
        Figure(f"processor time of 1,000 idle readers {where} (less is better)", work, "%", peer, their_work),
        Figure(
            f"move to reader while {READERS:,} others are idle (less is better)", among, "ms", "with no others", alone
        ),
    ]


@contextmanager
def _cost(process: "Process", who: Callable[[int], tuple[str, str]]) -> Iterator[tuple[float, float]]:
    """KB for each of READERS idle readers, and percent of a processor for 1,000 of them; they stay for the block."""
    with ExitStack() as stack:
        for number in range(50):  # whatever the first readers bring into memory is not theirs
            stack.callback(process.read(*who(number)).close)
        before, rest = process.memory(), process.work()
        for number in range(READERS):
            stack.callback(process.read(*who(number)).close)
        time.sleep(2)
        memory = (process.memory() - before) / READERS
        work = (process.work() - rest) * 1000 / READERS
        yield memory, work


def _delivery(process: "Process", client: httpx.Client) -> float:
    """Milliseconds from sending a move to its arrival in a stream, median."""
    game, tokens = _create(client)
    path = f"/v1/games/{game}"
    seen = client.get(path).json()
    times = []
    with process.read(f"{path}/events?after={seen['cursor']}", "") as reader:
        for _ in range(MOVES):
            body = {"expected_version": seen["version"], "move": {"type": "pass"}}
            headers = {"Authorization": f"Bearer {tokens[seen['to_move']]}"}
            started = time.perf_counter()
            answer = client.post(f"{path}/moves", json=body, headers=headers)
            _until(reader, b"\n\n")
            times.append(time.perf_counter() - started)
            seen = answer.raise_for_status().json()["game"]
    return 1000 * median(times)


def _until(reader: socket.socket, text: bytes) -> None:
    """Read until this has come."""
    got = b""
    while text not in got:
        more = reader.recv(65536)
        if not more:
            raise ConnectionError("the stream ended")
        got += more


def _create(client: httpx.Client) -> tuple[str, list[str]]:
    body = {"ruleset": "tarneeb", "seats": [{"kind": "player"}] * 4, "options": OPTIONS}
    created = client.post("/v1/games", json=body).raise_for_status().json()
    return created["game"]["game_id"], [seat["token"] for seat in created["seats"]]


@dataclass
class Process:
    """A server that runs."""

    pid: int
    url: str

    def memory(self) -> float:
        """KB that it holds."""
        found = re.search(r"^VmRSS:\s*(\d+) kB", Path(f"/proc/{self.pid}/status").read_text(), re.MULTILINE)
        return float(found[1]) if found else 0.0

    def used(self) -> float:
        """Seconds of a processor that it has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def work(self) -> float:
        """Percent of a processor that it uses while each reader is sent one comment."""
        started, used = time.monotonic(), self.used()
        time.sleep(PING_SECONDS)
        return 100 * (self.used() - used) / (time.monotonic() - started)

    def read(self, path: str, token: str) -> socket.socket:
        """Open a stream, and wait for its beginning."""
        at = urlsplit(self.url)
        reader = socket.create_connection((at.hostname or "", at.port or 0), timeout=60)
        sent = f"Authorization: Bearer {token}\r\n" if token else ""
        reader.sendall(f"GET {path} HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n{sent}\r\n".encode())
        _until(reader, b"retry: ")
        return reader


@contextmanager
def _serving(redis_url: str, *command: str) -> Iterator[Process]:
    """Run a server that says where it answers."""
    own = {"TAPETE_SECRET": SECRET, "TAPETE_LOG_LEVEL": "error", "TAPETE_LIMITS": "off"}
    told = environment({"REDIS_URL": redis_url, **own})
    with subprocess.Popen(
        [sys.executable, *command],
        cwd=HERE.parent.parent,
        env=told,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        url = next(word for line in process.stdout for word in line.split() if word.startswith("http://"))
        try:
            yield Process(process.pid, url)
        finally:
            process.kill()
