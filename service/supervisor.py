"""`tapete up`: everything one machine needs, as child processes of one supervisor.

A part that dies is started again, Redis on the same data. The supervisor keeps nothing in memory that matters: games
are in Redis, the secret is in the data directory, and the API's socket stays open while the API is away, so that
requests wait for its return instead of being refused.
"""

import asyncio
import contextlib
import fcntl
import http.client
import os
import secrets
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from rich.console import Console
from rich.text import Text

from service import children, listening, redis_server
from service.access import API_KEYS
from service.children import Child
from service.settings import Settings, parse_secrets

GRACE = 5.0
REDIS_GRACE = 10.0
"""Seconds that a part may take to stop before it is killed."""

OPEN = "open: whoever reaches it may create games, until there is an API key (`tapete keys add NAME`)"
NOT_COMPILED = "not compiled, so bots are slow: install a C compiler and Python's headers, then `make compile`"


class DataDirectoryError(Exception):
    """The data directory cannot be used, or another instance uses it; the text says which."""


class PartFailedError(Exception):
    """A part ended while the service was starting; `exit_code` is the part's."""

    def __init__(self, text: str, exit_code: int) -> None:
        super().__init__(text)
        self.exit_code = exit_code


@dataclass(frozen=True)
class Workers:
    """How many workers of each kind shall run."""

    bots: int
    simulations: int


@dataclass
class _Service:
    """What runs, in the order of starting."""

    settings: Settings
    data_dir: Path
    listener: socket.socket
    engine_mode: str
    wanted: Workers
    console: Console = field(default_factory=lambda: Console(highlight=False))
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    redis: list[Child] = field(default_factory=list)
    sockets: list[str] = field(default_factory=list)
    api: list[Child] = field(default_factory=list)
    workers: list[Child] = field(default_factory=list)

    @property
    def parts(self) -> list[Child]:
        """All parts that have been started."""
        return [*self.redis, *self.api, *self.workers]

    def say(self, name: str, line: str) -> None:
        """Print one line of a part's log."""
        self.show(Text.assemble((f"{name:<8}", "bold" if name == "tapete" else "cyan"), line))

    def show(self, *lines: Text | str) -> None:
        """Print whole lines, if anybody still reads: a closed pipe or terminal must not end games."""
        with contextlib.suppress(OSError, SystemExit):  # rich's answer to a closed pipe is to leave the program
            self.console.print(*lines, sep="\n", soft_wrap=True)


def run(settings: Settings, data_dir: Path, workers: Workers, engine_mode: str) -> None:
    """Run the service until SIGINT or SIGTERM. `engine_mode` is for the banner.

    Raises DataDirectoryError, AddressError, RedisUnavailableError, SettingsError and PartFailedError.
    """
    with locked(data_dir), contextlib.closing(listening.listen(settings.host, settings.port)) as listener:
        if not settings.secrets:
            settings = replace(settings, secrets=kept_secret(data_dir / "secret"))
        asyncio.run(_run(_Service(settings, data_dir, listener, engine_mode, workers)))


@contextlib.contextmanager
def locked(data_dir: Path) -> Iterator[None]:
    """Hold the data directory, made if need be, for this process alone. Raises DataDirectoryError."""
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = (data_dir / "lock").open("w")
    except OSError as error:
        raise DataDirectoryError(
            f"The data directory {data_dir} cannot be used ({error.strerror}): choose another with --data-dir."
        ) from None
    with lock:
        try:
            # Held by the open file, so it goes with us however we end.
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise DataDirectoryError(
                f"Another instance runs on the data directory {data_dir}: stop it, or choose another with --data-dir."
            ) from None
        yield


def kept_secret(path: Path) -> tuple[bytes, ...]:
    """Read the secret kept in a file, made at the first start. Raises SettingsError, DataDirectoryError."""
    try:
        if not path.exists():
            new = path.with_suffix(".new")  # so that a half-written secret is never read
            new.unlink(missing_ok=True)
            with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(secrets.token_hex(32) + "\n")
            new.rename(path)
        return parse_secrets(path.read_text().strip() or "nothing", str(path))
    except OSError as error:
        raise DataDirectoryError(f"The secret {path} cannot be read or made ({error.strerror}).") from None


async def _run(service: _Service) -> None:
    _on_signals(service.stop.set)
    try:
        redis = await _start_redis(service)
        _start_parts(service)
        if await _until(service, lambda: asyncio.to_thread(_answers, *listening.address_to_ask(service.listener))):
            keys = await asyncio.to_thread(redis_server.count, service.settings.redis_url, API_KEYS)
            _print_banner(service, redis, keys)
        for child in service.parts:
            child.established = True
        await service.stop.wait()
        service.say("tapete", "stopping")
    finally:
        await _stop(service)
    service.say("tapete", "stopped")


def _on_signals(stop: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, stop)
    loop.add_signal_handler(signal.SIGTERM, stop)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # under nohup it stays ignored
        loop.add_signal_handler(signal.SIGHUP, stop)


async def _start_redis(service: _Service) -> str:
    """Start the embedded servers, or check those that the settings name; the description of the games'."""
    if service.settings.redis_url:
        description = redis_server.check(service.settings.redis_url)
        if warning := redis_server.what_may_be_lost(service.settings.redis_url):
            service.say("tapete", warning)
    else:
        games = redis_server.prepare(service.data_dir)
        await _start_server(service, "redis", games)
        service.settings = replace(service.settings, redis_url=games.url)
        description = games.description
    if not service.settings.queue_redis_url:
        # The queue's own server writes nothing to disk: the games' due work makes every lost job again, and each
        # job would wait for the disk a dozen times. It makes bots four times as fast.
        directory = service.data_dir / "queue"
        directory.mkdir(mode=0o700, exist_ok=True)
        queue = redis_server.prepare(directory, durable=False)
        await _start_server(service, "queue", queue)
        service.settings = replace(service.settings, queue_redis_url=queue.url)
    if not service.stop.is_set():
        redis_server.check(service.settings.queue_redis_url, queue=True)
    return description


async def _start_server(service: _Service, name: str, launch: redis_server.Launch) -> None:
    """Start an embedded server and wait until it answers. Raises RedisUnavailableError."""
    child = Child(name, launch.command, {}, service.say)
    service.redis.append(child)
    service.sockets.append(launch.url)
    children.keep(child)
    try:
        await _until(service, lambda: asyncio.to_thread(redis_server.is_ready, launch.url))
    except PartFailedError:
        raise redis_server.RedisUnavailableError(redis_server.why_it_ended(launch)) from None


def _start_parts(service: _Service) -> None:
    environ = service.settings.to_environment()
    descriptor = service.listener.fileno()
    api_command = _tapete("api", "--fd", str(descriptor))
    service.api = [Child("api", api_command, environ, service.say, pass_fds=(descriptor,))]
    service.workers = [
        Child(f"{name}.{number}", _tapete("worker", kind), environ, service.say)
        for kind, name, wanted in (
            ("bots", "bots", service.wanted.bots),
            ("simulations", "sims", service.wanted.simulations),
        )
        for number in range(1, wanted + 1)
    ]
    for child in (*service.api, *service.workers):
        children.keep(child)


def _tapete(*arguments: str) -> tuple[str, ...]:
    # -P: a folder named `service` where the user happens to stand is not ours.
    return (sys.executable, "-P", "-m", "service.cli", *arguments)


async def _until(service: _Service, reached: Callable[[], Awaitable[bool]]) -> bool:
    """Wait until a starting part is ready; False if the service was told to stop. Raises PartFailedError."""
    while not service.stop.is_set():
        for child in filter(children.has_failed, service.parts):
            code = child.last_exit or 0
            raise PartFailedError(f"{child.name} ended while the service was starting (exit code {code}).", code)
        if await reached():
            return True
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(service.stop.wait(), 0.05)
    return False


def _answers(host: str, port: int) -> bool:
    connection = http.client.HTTPConnection(host, port, timeout=0.5)
    try:
        connection.request("GET", "/health/live")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


async def _stop(service: _Service) -> None:
    """End all parts: first who takes requests, then who works on them, last what keeps them."""
    service.listener.close()
    for group, grace in ((service.api, GRACE), (service.workers, GRACE), (service.redis, REDIS_GRACE)):
        await asyncio.gather(*(children.stop(child, grace) for child in group))
    for url in service.sockets:
        redis_server.remove_socket(url)


def _print_banner(service: _Service, redis: str, keys: int) -> None:
    url = listening.url(service.listener)
    compiled = service.engine_mode == "compiled"
    rows = {
        "Tapete": (url, "bold"),
        "docs": (f"{url}/docs", ""),
        "data": (str(service.data_dir), ""),
        "Redis": (redis, ""),
        "engine": ("compiled", "") if compiled else (NOT_COMPILED, "yellow"),
        "workers": (f"{service.wanted.bots} for bots, {service.wanted.simulations} for simulations", ""),
        "access": (f"games are created with an API key ({keys} on the list)", "") if keys else (OPEN, "yellow"),
        "stop": ("Ctrl-C", ""),
    }
    lines = [Text.assemble((f"{name:<9}", "dim"), value) for name, value in rows.items()]
    service.show("", *lines, "")
