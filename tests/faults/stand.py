"""What faults are done to: a whole service under load, and the ways to get at its parts."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import redis
from rq.worker_registration import REDIS_WORKER_KEYS

from service import redis_server
from tests.faults.drive import Load, load
from tests.faults.proxy import Proxy, proxy
from tests.processes import PATIENCE, Running, is_alive, tapete_up, wait_until

WORKERS = ("bots.1", "bots.2")
TRIES = 50
"""How often a worker is stopped until it is stopped at work."""
PARTS = ("api", *WORKERS, "redis", "queue")
FREELY_READ = {"TAPETE_LIMITS": "reads=off"}
"""After each fault everyone reads every game once more, and all of them have one address."""


@dataclass
class Stand:
    """A running service, who plays on it, and where its two Redis servers answer."""

    up: Running
    load: Load
    games_url: str
    queue_url: str
    aof: Path
    """Where the games' Redis writes its log."""
    server: "Server | None" = None
    """The games' server, where it is not the supervisor's."""
    proxies: list[Proxy] = field(default_factory=list)

    def pid(self, part: str) -> int:
        """The process that is this part now, as soon as there is one that lives."""

        def living() -> int | None:
            pids = self.up.pids(part)
            return pids[-1] if pids and is_alive(pids[-1]) else None

        return wait_until(living, lambda: f"a living {part} in\n{self.up.output}")

    def until_all_is_there(self) -> None:
        """Wait until every part lives and answers."""
        for part in PARTS[:3] if self.proxies else PARTS:
            self.pid(part)
        self.until_redis_answers()

    def until_redis_answers(self) -> None:
        """Wait until both servers answer and have loaded their data."""
        for url in (self.games_url, self.queue_url):
            wait_until(lambda url=url: redis_server.is_ready(url), lambda: self.up.output)  # type: ignore[misc]

    def kill(self, parts: Sequence[str], *, halted: bool) -> int:
        """Send kill -9 to the parts at once, and wait until others have taken their places; how many it hit.

        Halted a moment before, what a part has asked of another is done, and the answer is lost.
        """
        before = {part: len(self.up.pids(part)) for part in parts}
        pids = [self.pid(part) for part in parts]
        if halted:
            for part in parts:
                self.halt(part)
            time.sleep(0.05)
        hit = 0
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                hit += 1
        wait_until(
            lambda: all(len(self.up.pids(part)) > count for part, count in before.items()),
            lambda: f"new {', '.join(parts)} in\n{self.up.output}",
        )
        return hit

    def halt(self, part: str) -> int:
        """Stop a part where it is, a worker in the middle of a job if it has any; its process."""
        pid = self.pid(part)
        for _ in range(TRIES):
            os.kill(pid, signal.SIGSTOP)
            if part not in WORKERS or self.workers().get(pid) == "busy":
                break
            os.kill(pid, signal.SIGCONT)
            time.sleep(0.003)
        os.kill(pid, signal.SIGSTOP)
        return pid

    def workers(self) -> dict[int, str]:
        """What the queue knows of worker processes: what each is doing."""
        with redis.Redis.from_url(self.queue_url, decode_responses=True) as client, suppress(redis.RedisError):
            told = [client.hmget(name, ["pid", "state"]) for name in client.smembers(REDIS_WORKER_KEYS)]
            return {int(pid): state for pid, state in told if pid}
        return {}

    def until_a_worker_is_there(self) -> None:
        """Wait until a worker process that lives has told the queue that it works."""

        def there() -> bool:
            known = self.workers()
            return any(pid in known and is_alive(pid) for pid in (self.up.pids(part)[-1] for part in WORKERS))

        wait_until(there, lambda: f"a worker in\n{self.up.output}")


@contextmanager
def stand(data_dir: Path) -> Iterator[Stand]:
    """Everything as `tapete up` runs it, under load."""
    with tapete_up(data_dir, "--bot-workers", str(len(WORKERS)), **FREELY_READ) as up, load(up.url) as playing:
        games, queue = (f"unix://{redis_server.socket_path(folder)}" for folder in (data_dir, data_dir / "queue"))
        yield Stand(up, playing, games, queue, data_dir / "appendonlydir")


class Server:
    """A Redis of somebody else's, on a directory of its own."""

    def __init__(self, folder: Path, *, durable: bool) -> None:
        folder.mkdir()
        self.launch = redis_server.prepare(folder, durable=durable)
        self.path = Path(redis_server.place_of(self.launch.url))
        self.start()

    def start(self) -> None:
        """Start it and wait until it answers."""
        # Where a file may not grow, it is to be told so, and not to be killed: Python ignores that signal, and so
        # does what Python starts unless the signals are restored.
        self.process = subprocess.Popen(self.launch.command, restore_signals=False, stdout=subprocess.DEVNULL)
        wait_until(lambda: redis_server.is_ready(self.launch.url), lambda: redis_server.why_it_ended(self.launch))

    def stop(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.wait(PATIENCE)
        redis_server.remove_socket(self.launch.url)


@contextmanager
def stand_behind_a_proxy(data_dir: Path) -> Iterator[Stand]:
    """The same on Redis servers of somebody else's, which API and workers reach through proxies only."""
    with ExitStack() as stack:
        servers, proxies = [], []
        for name in ("games", "jobs"):
            servers.append(server := Server(data_dir / name, durable=name == "games"))
            stack.callback(server.stop)
            proxies.append(stack.enter_context(proxy(str(server.path), server.path.with_name("proxy.sock"))))
        through = {"REDIS_URL": proxies[0].url, "TAPETE_QUEUE_REDIS_URL": proxies[1].url}
        up = stack.enter_context(tapete_up(data_dir, "--bot-workers", str(len(WORKERS)), **FREELY_READ, **through))
        playing = stack.enter_context(load(up.url))
        games, queue = (server.launch.url for server in servers)
        yield Stand(up, playing, games, queue, data_dir / "games" / "appendonlydir", servers[0], proxies)
