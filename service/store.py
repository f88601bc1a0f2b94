"""The game store in Redis: load, commit, and the due work that is written with a commit.

Keys: every key of a game carries its shard's tag (`{s07}`), so that one script can touch a game and what is due in
its shard, and a Redis Cluster can hold the games.

    tapete:{s07}:game:ID   hash: header (what never changes), standing, status, version, cursor, start (the public
                           match state that the running deal began with), start_version, turn_at, due, due_at; times
                           in ms
    tapete:{s07}:log:ID    list: one JSON entry for each version, from 1
    tapete:{s07}:deals:ID  list: what each deal started from; the record of deal n stands in that of deal n+1
    tapete:{s07}:gone:ID   how the game stood, kept for a while after it expired
    tapete:{s07}:job:ID    hash: a job that a client asked for
    tapete:{s07}:jobs:ID   set: the keys of a game's jobs, and what is due of them
    tapete:{s07}:waiting:ID  sorted set by time: `seat:job`, the jobs of a game that are not answered
    tapete:{s07}:due       sorted set by time: `game:version:kind`
    tapete:{s07}:changed   channel: `game version`
"""

from __future__ import annotations

import re
import secrets
import zlib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError

from engine.match import Match, MatchState
from engine.wire import Move
from service.answers import answered
from service.errors import GameDeleted, GameExpired, GameNotFound
from service.schemas import BotSpec, By, Controller, Due, Event, JobState, Kind, StartMode, Status

SHARDS = 64
DAY_MS = 24 * 3600 * 1000
RETENTION_MS = {"waiting": 7 * DAY_MS, "playing": 7 * DAY_MS, "finished": 30 * DAY_MS, "abandoned": 30 * DAY_MS}
"""How long a game is kept after its last change, by status."""
TOMBSTONE_MS = 30 * DAY_MS
JOB_MS = 3600 * 1000
LEASE_MS = 1500
"""How long whoever takes a piece of due work has until it must renew or lose it.

A turn whose worker died comes back after this, and has to wait in the queue once more: together below 3 s also where
the machine is busy (tests/faults/README.md).
"""
_GAME_ID = re.compile(r"gm_[a-z2-7]{20}", re.ASCII)
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"


class HeaderSeat(Struct):
    """What never changes of a seat: who it was made for."""

    kind: Kind
    name: str | None
    bot: BotSpec | None


class Header(Struct):
    """What never changes of a game. The seed is in here: headers are never shown."""

    ruleset: str
    rules_version: int
    options: dict[str, Any]
    seats: list[HeaderSeat]
    start: StartMode
    pace_ms: int
    move_ms: int
    """How long a player may take for a move; 0 is no clock."""
    deal_pause_ms: int
    stand_in: BotSpec
    advice: bool
    seed: str
    fair: bool
    commitment: str
    metadata: dict[str, str]
    request: str = ""
    """A digest of the request that created the game, to know its repetition by."""
    api_key: str = ""
    """The name that the API key belongs to which created the game; empty without one."""


class SeatState(Struct):
    """What may change of a seat: who moves for it, the generation of its token, what it added to the seed.

    `claim` is a digest of the request that took an open seat, to know its repetition by; empty while it is open.
    """

    controller: Controller
    generation: int = 0
    resigned: bool = False
    timeouts: int = 0
    client_seed: str | None = None
    name: str | None = None
    claim: str = ""


class Standing(Struct):
    """What may change of a game beside its match."""

    seats: list[SeatState]
    creator_seed: str | None = None
    """What the creator added to the seed when it started the game."""
    paused_deal: int = 0
    """The last deal that has had a deadline, of which the first is later: people want to look."""

    def with_seat(self, number: int, **changes: Any) -> Standing:
        """The same with one seat changed."""
        seats = [replace(seat, **changes) if at == number else seat for at, seat in enumerate(self.seats)]
        return replace(self, seats=seats)


class Entry(Struct):
    """One entry of the log as it is kept: without any hand, and without what the script adds.

    When the game is over everyone may read these very bytes, since the cursors are made of them: no secret ever
    belongs in here.
    """

    seat: int | None
    by: By
    bot: BotSpec | None
    move: Move | None
    expected_version: int | None
    events: list[Event]
    target: int | None = None
    """The target that the seat proposed, where that is what happened."""
    left: bool = False
    """Whether the seat has no say any more from here on."""


class Logged(Entry):
    """An entry of the log as it is read; `at` in milliseconds since 1970."""

    version: int = 0
    cursor: str = ""
    at: int = 0


class LoggedMove(Struct):
    """What replay needs of an entry."""

    seat: int | None
    move: Move | None
    target: int | None = None
    left: bool = False


class StoredJob(Struct):
    """A job that a client asked for: whose, and what."""

    game_id: str
    seat: int
    expected_version: int
    bot: BotSpec
    play: bool


class Loaded(Struct, frozen=True):
    """A game as it stands in the store. Times are milliseconds since 1970.

    `match` is the match replayed to this cursor, and shared: never to be changed. `fresh` is false where the game
    is as this process last knew it, so that others may have changed it since. `due` says what must happen next
    (`bot`, `deadline`, or nothing), `due_at` when.
    """

    id: str
    header: Header
    standing: Standing
    status: Status
    version: int
    cursor: str
    start: MatchState | None
    moves: list[LoggedMove]
    turn_at: int
    created_at: int
    expires_at: int
    due: Due = ""
    due_at: int = 0
    match: Match | None = None
    fresh: bool = True

    @property
    def seats(self) -> list[SeatState]:
        """What may change of each seat."""
        return self.standing.seats


class Change(Struct, frozen=True):
    """What a commit writes: one entry and how the game stands after it; a new game that waits has no entry.

    `due` is what must happen next: at `due_at`, or `due_in_ms` from now where that is 0.
    """

    entry: Entry | None
    standing: Standing
    status: Status
    start: MatchState | None = None
    due: Due = ""
    due_in_ms: int = 0
    due_at: int = 0


class Committed(Struct, frozen=True):
    """Where a commit left the game."""

    version: int
    cursor: str
    at: int
    expires_at: int
    due_at: int


def new_game_id() -> str:
    """A random id of 100 bits."""
    return "gm_" + "".join(secrets.choice(_ALPHABET) for _ in range(20))


def shard_of(owner: str) -> int:
    """The shard of a game; a job's id begins with its game's."""
    return zlib.crc32(owner[:23].replace("jb_", "gm_", 1).encode()) % SHARDS


def key(kind: str, shard: int, owner: str = "") -> str:
    """The name of a key, as this module's text lists them."""
    return f"tapete:{{s{shard:02}}}:{kind}" + (f":{owner}" if owner else "")


def connect(url: str, *, connections: int = 64, timeout: float = 5.0) -> Redis:
    """A client whose commands are sent once: what a lost answer means is for the caller to find out."""
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=connections,
        timeout=timeout,
        socket_timeout=timeout,
        socket_connect_timeout=timeout,
        retry=Retry(NoBackoff(), 0),
    )
    return Redis.from_pool(pool)  # which closes the pool with the client


_header = msgspec.json.Decoder(Header)
_standing = msgspec.json.Decoder(Standing)
_state = msgspec.json.Decoder(MatchState)
_move = msgspec.json.Decoder(LoggedMove)
_logged = msgspec.json.Decoder(Logged)
_encode = msgspec.json.Encoder().encode


class Script:
    """A Lua script beside this module, sent by its hash."""

    def __init__(self, name: str) -> None:
        self.text = (Path(__file__).parent / "lua" / f"{name}.lua").read_text()
        self.sha: str | None = None

    async def __call__(self, redis: Redis, keys: Sequence[str], arguments: Sequence[Any] = ()) -> Any:
        """Run it."""

        async def send() -> Any:
            return await redis.evalsha(await self.known(redis), len(keys), *keys, *arguments)

        return await self.again_if_unknown(send)

    async def known(self, redis: Redis) -> str:
        """The script's hash, which the server knows."""
        if self.sha is None:
            self.sha = await redis.script_load(self.text)
        return self.sha

    async def again_if_unknown(self, send: Callable[[], Awaitable[Any]]) -> Any:
        """Send; once more where a restarted server did not know the script, since then it has not run."""
        try:
            return await send()
        except NoScriptError:
            self.sha = None
            return await send()


class Store:
    """The games in one Redis. Every method raises Unavailable where Redis does not answer or take the write."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis
        self._load, self._commit = Script("load"), Script("commit")
        self._take, self._renew = Script("take"), Script("renew")
        self._ask, self._answer = Script("ask"), Script("answer")
        self._erase = Script("erase")

    async def load(self, game_id: str, known: str = "") -> Loaded:
        """A game with what replay needs, but no moves where its cursor is the `known` one.

        Raises GameNotFound, or GameExpired where the tombstone remains.
        """
        if not _GAME_ID.fullmatch(game_id):
            raise GameNotFound(f"There is no game {game_id[:40]!r}.")
        shard = shard_of(game_id)
        keys = [key(kind, shard, game_id) for kind in ("game", "log", "gone")]
        fields, log, gone = await self._run(self._load, keys, [known])
        if gone and msgspec.json.decode(gone).get("status") == "deleted":
            raise GameDeleted("Its creator has erased this game.")
        if gone:
            raise GameExpired("This game was kept for its time and is gone.")
        if fields[0] is None:
            raise GameNotFound(f"There is no game {game_id!r}.")
        return Loaded(
            id=game_id,
            header=_header.decode(fields[0]),
            standing=_standing.decode(fields[1]),
            status=cast(Status, fields[2].decode()),
            version=int(fields[3]),
            cursor=fields[4].decode(),
            start=_state.decode(fields[5]) if fields[5] else None,
            moves=[_move.decode(entry) for entry in log],
            turn_at=int(fields[7]),
            created_at=int(fields[8]),
            expires_at=int(fields[9]),
            due=cast(Due, fields[10].decode().rpartition(":")[2]),
            due_at=int(fields[11]),
        )

    async def commit(
        self,
        game_id: str,
        expected_version: int,
        change: Change,
        header: Header | None = None,
        expected_cursor: str = "",
    ) -> Committed | None:
        """Append an entry at exactly this version, with all that follows from it; None where it has moved on.

        With `expected_cursor` the history must be that one too. With `header` the game is new. Where the answer is
        lost this raises Unavailable and nobody knows: a caller reads the log to find out.
        """
        shard = shard_of(game_id)
        keys = [key(kind, shard, game_id) for kind in ("game", "log", "deals", "gone")]
        answer = await self._run(
            self._commit,
            [*keys, key("due", shard), key("changed", shard)],
            [
                game_id,
                _encode(header) if header else b"",
                expected_version,
                _encode(change.entry) if change.entry else b"",
                _encode(change.standing),
                change.status,
                _encode(change.start) if change.start else b"",
                change.due,
                change.due_in_ms,
                RETENTION_MS[change.status],
                TOMBSTONE_MS,
                _encode({"status": change.status}),
                expected_cursor,
                change.due_at or "",
            ],
        )
        if not answer[0]:
            return None
        return Committed(answer[1], answer[2].decode(), *answer[3:])

    async def erase(self, game_id: str) -> bool:
        """Erase a game with its jobs, and leave a tombstone; False where there is none."""
        shard = shard_of(game_id)
        keys = [key(kind, shard, game_id) for kind in ("game", "log", "deals", "gone")]
        where = [*keys, key("due", shard), key("changed", shard), key("jobs", shard, game_id)]
        return bool(await self._run(self._erase, where, [game_id, _encode({"status": "deleted"}), TOMBSTONE_MS]))

    async def log(self, game_id: str, after: int, most: int) -> list[Logged]:
        """Up to `most` entries after a version, in order."""
        return [_logged.decode(entry) for entry in await self.log_as_kept(game_id, after, most)]

    async def log_as_kept(self, game_id: str, after: int, most: int) -> list[bytes]:
        """The same entries, each as the very JSON that its cursor is made of."""
        where = key("log", shard_of(game_id), game_id)
        kept: list[bytes] = await self._call(self.redis.lrange(where, after, after + most - 1))
        return kept

    async def deals(self, game_id: str, first: int, most: int) -> list[MatchState]:
        """What up to `most` deals started from, beginning with deal number `first`."""
        where = key("deals", shard_of(game_id), game_id)
        return [_state.decode(each) for each in await self._call(self.redis.lrange(where, first - 1, first + most - 2))]

    async def take(self, shard: int, lease_ms: int, most: int) -> tuple[list[str], int]:
        """Lease due work of a shard: its members, and the milliseconds until more is due (-1: nothing is)."""
        members, wait = await self._run(self._take, [key("due", shard)], [lease_ms, most])
        return [member.decode() for member in members], int(wait)

    async def take_all(self, shards: int, lease_ms: int, most: int) -> list[tuple[list[str], int]]:
        """`take` for every shard, in one round trip."""

        async def send() -> Any:
            sha = await self._take.known(self.redis)
            async with self.redis.pipeline(transaction=False) as sent:
                for shard in range(shards):
                    sent.evalsha(sha, 1, key("due", shard), lease_ms, most)
                return await sent.execute()

        taken = await self._call(self._take.again_if_unknown(send))
        return [([member.decode() for member in members], int(wait)) for members, wait in taken]

    async def renew(self, member: str, lease_ms: int = LEASE_MS) -> bool:
        """Hold a piece of due work longer; False where it is done."""
        return bool(await self._run(self._renew, [key("due", shard_of(member))], [member, lease_ms]))

    async def drop(self, member: str) -> None:
        """Forget a piece of due work that no longer applies."""
        await self._call(self.redis.zrem(key("due", shard_of(member)), member))

    async def ask(self, job_id: str, job: StoredJob, most: int = 0) -> bool | None:
        """Write a job down and make it due, once; False where it was there already.

        None where `most` jobs of its seat wait already; 0 lets any number wait.
        """
        shard = shard_of(job_id)
        kinds = ("jobs", "waiting")
        keys = [key("job", shard, job_id), key("due", shard), *(key(kind, shard, job.game_id) for kind in kinds)]
        told = [job_member(job_id), _encode(job), JOB_MS, job.seat, job_id, most]
        answer = await self._run(self._ask, keys, told)
        return None if answer < 0 else bool(answer)

    async def job(self, job_id: str) -> tuple[StoredJob, JobState, bytes] | None:
        """A job, its state, and its answer as JSON (empty while it is queued); None where there is no such job."""
        where = key("job", shard_of(job_id), job_id)
        asked, state, answer = await self._call(self.redis.hmget(where, ["asked", "state", "answer"]))
        if not asked:
            return None
        return msgspec.json.decode(asked, type=StoredJob), cast(JobState, state.decode()), answer or b""

    async def answer(self, job_id: str, state: JobState, answer: bytes) -> bool:
        """Finish a job, once; False where it was finished before."""
        shard = shard_of(job_id)
        keys = [key("job", shard, job_id), key("due", shard), key("changed", shard)]
        keys.append(key("waiting", shard, f"gm_{job_id[3:23]}"))
        return bool(await self._run(self._answer, keys, [job_member(job_id), state, answer, job_id]))

    async def version(self) -> str:
        """Which server answers, and its version: `valkey 9.1.2`. Unavailable where none does."""
        info = await self._call(self.redis.info("server"))
        name = info.get("server_name", "redis")
        return f"{name} {info.get(f'{name}_version') or info['redis_version']}"

    async def close(self) -> None:
        """Let the connections go."""
        await self.redis.aclose()

    async def _run(self, script: Script, keys: Sequence[str], arguments: Sequence[Any] = ()) -> Any:
        return await self._call(script(self.redis, keys, arguments))

    async def _call(self, command: Any) -> Any:
        return await answered(command, by="store")


def due_member(game_id: str, version: int, kind: Due) -> str:
    """The due work of a turn: a bot's, or a player's whose time is up."""
    return f"{game_id}:{version}:{kind}"


def job_member(job_id: str) -> str:
    """The due work of a job that a client asked for."""
    return f"{job_id}:0:job"
