"""Simulations in Redis: what is asked, what is being played and by when, and what it came to so far.

Every key of a simulation carries its id as tag, so that one script can touch them all:

    tapete:{ID}:about      hash: what is asked, state, `next` (the first set that nobody has taken), `done` (sets
                           committed), looks, failure; times in ms
    tapete:{ID}:open       sorted set: the ranges of sets in play, `first:count`, by the end of their lease
    tapete:{ID}:tally      hash: what the counted sets came to, name -> exact integer
    tapete:{ID}:tally:K    hash: the same of the K-th segment of a sequential test that no look has counted yet
    tapete:{ID}:rows       hash: `first:count` -> the rows of these sets, zipped
    tapete:{ID}:workers    set: who has committed
    tapete:{simulations}:active  sorted set by time: the simulations that are worked on
    tapete:{simulations}:of:WHO  set: those of one asker among them

A range is fixed when it is taken and dropped by the one script that adds its sums, so its sums are added exactly once:
when its worker dies, the lease runs out and the same range is given to another, and who commits second finds it gone.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, cast

import msgspec
from msgspec import Struct
from redis.asyncio import Redis

from service.answers import answered
from service.errors import SimulationNotFound
from service.schemas import JobFailure
from service.simulation_schemas import SimulationState, Stopped, StoredSimulation
from service.store import DAY_MS, Script

RETENTION_MS = 7 * DAY_MS
"""How long a simulation is kept after its last change."""
LEASE_MS = 4000
"""How long a range may go without word of its worker before another may take it."""
SEGMENTS = 64
"""How far beyond the last look of a sequential test there may be work, in segments; so many tallies are kept apart."""
MOST_FAULTS = 3
"""How often playing a range may fail before the simulation has."""
MOST_TAKES = 10
"""How often a range may be taken in all: one that kills its workers must not go round for ever."""
LOST = JobFailure(code="internal_error", detail="A part of it ended its worker each time it was played.")
_ID = re.compile(r"sm_[a-z2-7]{20}", re.ASCII)
_SUMS = ("sets", "games", "every", "next", "done", "looks", "busy", "chunks", "created_at", "expires_at")
_FIELDS = (*_SUMS, "simulation", "state", "started_at", "finished_at", "stopped", "failure")


class Range(Struct, frozen=True):
    """Sets to play; `segment` counts from 1, and is 0 where there is no sequential test."""

    first: int
    count: int
    segment: int

    @property
    def name(self) -> str:
        """What the store knows it by."""
        return f"{self.first}:{self.count}"


class Look(Struct, frozen=True):
    """A look of a sequential test that is due: its number, from 1."""

    number: int


class Played(Struct, frozen=True):
    """What playing a range came to: its tally, its rows (None where nobody asked for them), and the time it took."""

    tally: Mapping[str, int]
    rows: bytes | None
    seconds: float


class LoadedSimulation(Struct, frozen=True):
    """A simulation as it stands. Times are milliseconds since 1970; `busy_us` is what all workers played together."""

    id: str
    asked: StoredSimulation
    state: SimulationState
    sets: int
    games: int
    every: int
    next: int
    done: int
    looks: int
    busy_us: int
    chunks: int
    workers: int
    created_at: int
    expires_at: int
    started_at: int | None
    finished_at: int | None
    stopped: Stopped | None
    failure: JobFailure | None

    @property
    def changed_at(self) -> int:
        """When anything was last added to it; when it was created where nothing was."""
        return self.expires_at - RETENTION_MS

    @property
    def counted(self) -> int:
        """The sets that its tally holds: all that are done, or with a sequential test those that a look counted."""
        return min(self.looks * self.every, self.sets) if self.every else self.done


class Need(Struct, frozen=True):
    """Whether a simulation needs workers: its state (None: it is gone), and how many work on it now."""

    state: SimulationState | None
    live: int
    takeable: bool


class SimulationStore:
    """The simulations in one Redis. Every method raises Unavailable where that does not answer or take the write."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis
        names = ("enter", "create", "take", "renew", "commit", "look", "fail", "cancel", "need")
        self.scripts = {name: Script(f"simulation_{name}") for name in names}

    # ------------------------------------------------------------------------------------------------ from outside

    async def enter(self, simulation_id: str, asker: str, most: int) -> bool:
        """Put a simulation on the list of active ones; False where `most` of the asker's are on it (0: any number)."""
        keys = [ACTIVE, f"tapete:{{simulations}}:of:{asker}"]
        return bool(await self._run("enter", keys, [simulation_id, most, 4 * RETENTION_MS]))

    async def create(self, simulation_id: str, asked: StoredSimulation, sets: int, games: int, every: int) -> bool:
        """Write a new simulation down; False where it is there already. `every` is 0 without a sequential test."""
        fields = {"simulation": msgspec.json.encode(asked), "sets": sets, "games": games, "every": every}
        told = [each for pair in fields.items() for each in pair]
        return bool(await self._run("create", [_key(simulation_id, "about")], [RETENTION_MS, *told]))

    async def load(self, simulation_id: str) -> LoadedSimulation:
        """A simulation as it stands. SimulationNotFound."""
        if not _ID.fullmatch(simulation_id):
            raise SimulationNotFound(f"There is no simulation {simulation_id[:40]!r}.")
        found = await self._call(self.redis.hmget(_key(simulation_id, "about"), *_FIELDS))
        workers = await self._call(self.redis.scard(_key(simulation_id, "workers")))
        has = dict(zip(_FIELDS, found, strict=True))
        if has["simulation"] is None:
            raise SimulationNotFound(f"There is no simulation {simulation_id!r}.")
        return _loaded(simulation_id, has, int(workers))

    async def tally(self, simulation_id: str, segment: int = 0) -> dict[str, int]:
        """What the counted sets came to; with `segment`, what that segment did that no look has counted."""
        found = await self._call(self.redis.hgetall(_tally_key(simulation_id, segment)))
        return {name.decode(): int(value) for name, value in found.items()}

    async def rows(self, simulation_id: str, sets: int) -> AsyncIterator[bytes]:
        """The rows of the sets below `sets`, in their order, up to the first set that has not been played."""
        where = _key(simulation_id, "rows")
        names = [name.decode().split(":") for name in await self._call(self.redis.hkeys(where))]
        reached = 0
        for first, count in sorted((int(first), int(count)) for first, count in names):
            if first != reached or first >= sets:
                return
            kept = await self._call(self.redis.hget(where, f"{first}:{count}"))
            if kept is None:
                return  # it has expired since
            yield zlib.decompress(kept)
            reached = first + count

    async def cancel(self, simulation_id: str, looks: int) -> bool:
        """Stop a simulation, once; False where it was over. `looks` is how many were known to be taken."""
        keys = [_key(simulation_id, "about"), _key(simulation_id, "open"), *_segments(simulation_id, looks + 1)]
        return bool(await self._run("cancel", keys))

    # ------------------------------------------------------------------------------------------------ for workers

    async def take(self, simulation: LoadedSimulation, seconds: float, lease_ms: int = LEASE_MS) -> Range | Look | None:
        """Lease a range of about so many seconds of play, or learn of a look that is due; None where others do all."""
        keys = [_key(simulation.id, "about"), _key(simulation.id, "open")]
        told = [lease_ms, seconds, SEGMENTS, MOST_TAKES, msgspec.json.encode(LOST)]
        kind, *what = await self._run("take", keys, told)
        if kind == b"range":
            segment = what[0] // simulation.every + 1 if simulation.every else 0
            return Range(what[0], what[1], segment)
        return Look(what[0]) if kind == b"look" else None

    async def renew(self, simulation_id: str, taken: Range, lease_ms: int = LEASE_MS) -> bool:
        """Hold a range longer, or with 0 give it back; False where nobody needs it any more."""
        keys = [_key(simulation_id, "about"), _key(simulation_id, "open")]
        return bool(await self._run("renew", keys, [taken.name, lease_ms]))

    async def commit(self, simulation_id: str, taken: Range, played: Played, worker: str) -> bool:
        """Add what a range came to; False where it was not open any more, and nothing is added."""
        keys = [
            _key(simulation_id, "about"),
            _key(simulation_id, "open"),
            _tally_key(simulation_id, taken.segment),
            _key(simulation_id, "rows"),
            _key(simulation_id, "workers"),
        ]
        rows = b"" if played.rows is None else zlib.compress(played.rows)
        sums = [each for pair in played.tally.items() for each in pair]
        busy = round(played.seconds * 1_000_000)
        told = [taken.name, taken.segment, rows, worker, busy, RETENTION_MS, *sums]
        return bool(await self._run("commit", keys, told))

    async def look(self, simulation_id: str, look: Look, stopped: Stopped | None) -> bool:
        """Count the segment of a look in, and stop there where the look says so; False where it was taken before."""
        keys = [*(_key(simulation_id, kind) for kind in ("about", "open")), _tally_key(simulation_id, 0)]
        told = [look.number, msgspec.json.encode(stopped) if stopped else b"", RETENTION_MS]
        return bool(await self._run("look", [*keys, *_segments(simulation_id, look.number)], told))

    async def fail(self, simulation_id: str, taken: Range, failure: JobFailure) -> bool:
        """Take note that playing a range has failed; False where the range was not open any more."""
        keys = [_key(simulation_id, "about"), _key(simulation_id, "open")]
        return bool(await self._run("fail", keys, [taken.name, MOST_FAULTS, msgspec.json.encode(failure)]))

    # ------------------------------------------------------------------------------------------------ for the sweep

    async def active(self) -> list[tuple[str, int]]:
        """Every simulation on the list of active ones, the oldest first, and since when."""
        found = await self._call(self.redis.zrange(ACTIVE, 0, -1, withscores=True))
        return [(member.decode(), int(score)) for member, score in found]

    async def leave(self, simulation_id: str) -> None:
        """Take a simulation off that list."""
        await self._call(self.redis.zrem(ACTIVE, simulation_id))

    async def need(self, simulation_id: str) -> Need:
        """Whether a simulation needs workers."""
        keys = [_key(simulation_id, "about"), _key(simulation_id, "open")]
        state, live, takeable = await self._run("need", keys, [SEGMENTS])
        return Need(cast(SimulationState, state.decode()) or None, int(live), bool(takeable))

    async def close(self) -> None:
        """Let the connections go."""
        await self.redis.aclose()

    async def _run(self, name: str, keys: Sequence[str], arguments: Sequence[Any] = ()) -> Any:
        return await self._call(self.scripts[name](self.redis, keys, arguments))

    async def _call(self, command: Any) -> Any:
        return await answered(command, by="store")


ACTIVE = "tapete:{simulations}:active"


def _key(simulation_id: str, kind: str) -> str:
    return f"tapete:{{{simulation_id}}}:{kind}"


def _tally_key(simulation_id: str, segment: int) -> str:
    """Where the sums of a segment are; of 0, where all counted sums are."""
    return _key(simulation_id, f"tally:{segment}" if segment else "tally")


def _segments(simulation_id: str, first: int) -> list[str]:
    """Where the sums of a segment are, and of all that may be open beyond it."""
    return [_tally_key(simulation_id, segment) for segment in range(first, first + SEGMENTS + 1)]


def _loaded(simulation_id: str, has: Mapping[str, bytes | None], workers: int) -> LoadedSimulation:
    sums = {name: int(has[name] or 0) for name in _SUMS}
    started_at, finished_at = has["started_at"], has["finished_at"]
    stopped, failure = has["stopped"], has["failure"]
    return LoadedSimulation(
        id=simulation_id,
        asked=msgspec.json.decode(has["simulation"] or b"", type=StoredSimulation),
        state=cast(SimulationState, (has["state"] or b"").decode()),
        busy_us=sums.pop("busy"),
        workers=workers,
        stopped=msgspec.json.decode(stopped, type=Stopped) if stopped else None,
        failure=msgspec.json.decode(failure, type=JobFailure) if failure else None,
        started_at=int(started_at) if started_at else None,
        finished_at=int(finished_at) if finished_at else None,
        **sums,
    )
