"""The faults, as data: what is done to a service under load, and what takes it back."""

import os
import random
import resource
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import redis

from tests.faults.stand import PARTS, WORKERS, Stand
from tests.processes import PATIENCE, is_alive, wait_until

SECONDS = 3.0
"""How long Redis refuses writes or finds no room for its log, and answers are cut off."""
HANG = 5.0
"""How long a process hangs: as long as API and workers wait for an answer of Redis."""
CUT = 0.03
"""Which share of Redis's answers is cut off."""
LITTLE = 50
"""Bytes that still fit on the disk: a part of an entry."""

chance = random.Random("faults")


@dataclass(frozen=True)
class Struck:
    """What a fault has done: how many processes it killed, and since when (as `time.time`) all is there again."""

    there: float
    kills: int = 0
    cuts: int = 0


Strike = Callable[[Stand], Struck]


@dataclass(frozen=True)
class Fault:
    """Something that happens to the service; `strike` does it and answers when it is over."""

    name: str
    strike: Strike
    kills: tuple[str, ...] = ()
    """The parts that it kills."""
    behind_a_proxy: bool = False


def killing(*parts: str) -> Strike:
    """Kill -9 of parts at once; the supervisor starts them again."""

    def strike(stand: Stand) -> Struck:
        struck = time.time()
        kills = stand.kill(parts, halted=chance.random() < 0.5)
        stand.until_redis_answers()
        if set(WORKERS) <= set(parts):
            stand.until_a_worker_is_there()
        # Where only a worker has died the other is there all the time.
        return Struck(struck if len(parts) == 1 and parts[0] in WORKERS else time.time(), kills)

    return strike


def hanging(part: str) -> Strike:
    """Halt a part for some seconds: it is there and does not answer, then does all that it was asked meanwhile."""

    def strike(stand: Stand) -> Struck:
        struck = time.time()
        pid = stand.halt(part)
        time.sleep(HANG)
        os.kill(pid, signal.SIGCONT)
        return Struck(struck if part in WORKERS else time.time())

    return strike


def refusing_writes(url_of: Callable[[Stand], str]) -> Strike:
    """Give a Redis less memory than it uses, so that it takes no writes; then all it wants."""

    def strike(stand: Stand) -> Struck:
        with redis.Redis.from_url(url_of(stand)) as client:
            client.config_set("maxmemory", "1mb")
            time.sleep(SECONDS)
            client.config_set("maxmemory", "0")
        return Struck(time.time())

    return strike


def tearing_the_log(stand: Stand) -> Struck:
    """Let no file grow beyond where Redis's log is now: the system kills the server in the middle of a write.

    So it does with each one that the supervisor starts in its place, until files may grow again.
    """
    pid = stand.pid("redis")
    for each in (stand.up.process.pid, pid):  # what the supervisor starts has the supervisor's limits
        _let_files_grow(each, _size_of_log(stand) + LITTLE)
    wait_until(lambda: not is_alive(pid), lambda: f"a torn log in\n{stand.up.output}")
    time.sleep(SECONDS)
    _let_files_grow(stand.up.process.pid, resource.RLIM_INFINITY)
    with suppress(ProcessLookupError):  # in between two lives
        _let_files_grow(stand.up.pids("redis")[-1], resource.RLIM_INFINITY)
    stand.until_redis_answers()
    return Struck(time.time())


def filling_the_disk(stand: Stand) -> Struck:
    """Let a write of Redis's log fail half way, as on a full disk; started again when there is room.

    The server gives up by itself: what it cannot log it must not acknowledge.
    """
    assert stand.server is not None
    _let_files_grow(stand.server.process.pid, _size_of_log(stand) + LITTLE)
    assert stand.server.process.wait(PATIENCE) == 1, "it was not its own decision"
    time.sleep(SECONDS)
    stand.server.start()
    return Struck(time.time())


def _size_of_log(stand: Stand) -> int:
    return max(stand.aof.glob("*.incr.aof"), key=lambda path: path.stat().st_mtime).stat().st_size


def _let_files_grow(pid: int, limit: int) -> None:
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))


def cutting_answers(stand: Stand) -> Struck:
    """Cut off some of Redis's answers when the command has been executed."""
    before = sum(each.cut for each in stand.proxies)
    for each in stand.proxies:
        each.cut_share = CUT
    time.sleep(SECONDS)
    for each in stand.proxies:
        each.cut_share = 0
    return Struck(time.time(), cuts=sum(each.cut for each in stand.proxies) - before)


def nothing(_stand: Stand) -> Struck:
    """Let everything be, to compare with."""
    time.sleep(SECONDS)
    return Struck(time.time())


def _kill(name: str, parts: Sequence[str]) -> Fault:
    return Fault(f"kill -9 of {name}", killing(*parts), tuple(parts))


FAULTS = (
    Fault("none, to compare with", nothing),
    _kill("the API", ["api"]),
    _kill("one bot worker", ["bots.1"]),
    Fault("the games' Redis takes no writes for 3 s (out of memory)", refusing_writes(lambda stand: stand.games_url)),
    _kill("all bot workers", WORKERS),
    _kill("the games' Redis", ["redis"]),
    Fault("one bot worker hangs for 5 s", hanging("bots.2")),
    _kill("the queue's Redis", ["queue"]),
    Fault("the games' Redis hangs for 5 s", hanging("redis")),
    _kill("API and a bot worker", ["api", "bots.2"]),
    Fault("the games' Redis is ended in the middle of a write, for 3 s", tearing_the_log),
    Fault("the queue's Redis takes no writes for 3 s (out of memory)", refusing_writes(lambda stand: stand.queue_url)),
    _kill("API and the games' Redis", ["redis", "api"]),
    Fault("the queue's Redis hangs for 5 s", hanging("queue")),
    _kill("everything at once", PARTS),
    Fault("the disk of the games' Redis is full for 3 s", filling_the_disk, behind_a_proxy=True),
    Fault("3 % of Redis's answers cut off for 3 s", cutting_answers, behind_a_proxy=True),
)
"""In this order round after round; a part that was killed has some time until it is killed again."""
