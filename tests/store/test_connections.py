"""What the store makes of a server that forgets its scripts, restarts, or loses an answer."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError

from engine.wire import Pass
from service import creation, games, redis_server
from service.access import Seated, Tokens
from service.errors import Unavailable
from service.games import Context
from service.schemas import ApplyMove, CreateGame, PlayerSeat
from service.store import LEASE_MS, SHARDS, Store, connect, due_member, new_game_id, shard_of
from tests.store.sample import HEADER, begun, bid, job_of

pytestmark = pytest.mark.anyio


async def every_script(store: Store, game: str) -> None:
    """Run every script that the store has, and see each do its work."""
    job_id, job = job_of(game)
    assert await store.commit(game, 0, begun(due="bot"), HEADER)
    assert (await store.load(game)).version == 1
    assert await store.take(shard_of(game), LEASE_MS, 10) == ([due_member(game, 1, "bot")], LEASE_MS)
    assert await store.renew(due_member(game, 1, "bot"))
    assert await store.ask(job_id, job)
    assert sum(len(members) for members, _ in await store.take_all(SHARDS, LEASE_MS, 10)) == 1
    assert await store.answer(job_id, "done", b"{}")


async def test_scripts_that_the_server_has_forgotten_are_sent_again(store: Store, redis: Redis) -> None:
    await every_script(store, new_game_id())
    await redis.script_flush()
    await every_script(store, new_game_id())


async def test_each_script_is_sent_again_by_itself(store: Store, redis: Redis) -> None:
    game = new_game_id()
    job_id, job = job_of(game)
    for use in (
        lambda: store.commit(game, 0, begun(), HEADER),
        lambda: store.commit(game, 1, bid(7)),
        lambda: store.load(game),
        lambda: store.take(0, LEASE_MS, 1),
        lambda: store.take_all(SHARDS, LEASE_MS, 1),
        lambda: store.renew(due_member(game, 1, "bot")),
        lambda: store.ask(job_id, job),
        lambda: store.answer(job_id, "done", b"{}"),
    ):
        await redis.script_flush()
        assert await use() is not None


async def test_a_server_that_is_killed_and_started_again_has_every_commit(tmp_path: Path) -> None:
    server = redis_server.start(tmp_path)
    store, game = Store(connect(server.url)), new_game_id()
    await every_script(store, game)
    committed = await store.commit(game, 1, bid(7))
    assert committed is not None
    server.process.kill()
    server.process.wait()
    with pytest.raises(Unavailable):
        await store.load(game)
    server = redis_server.start(tmp_path)
    try:
        assert (await store.load(game)).cursor == committed.cursor
        await every_script(store, new_game_id())
    finally:
        await store.close()
        server.stop()


async def test_a_cancelled_request_does_not_leave_its_answer_to_the_next(
    store: Store, clean_redis: str, redis: Redis
) -> None:
    """With one connection, whatever the first left on it would be what the second reads."""
    first, second = new_game_id(), new_game_id()
    await store.commit(first, 0, begun(), HEADER)
    await store.commit(second, 0, begun(), HEADER)
    narrow = Store(connect(clean_redis, connections=1))
    cancelled = []
    for steps in range(16):
        await redis.client_pause(20)  # the answer is still to come when it is cancelled
        request = asyncio.create_task(narrow.load(first))
        for _ in range(steps):
            await asyncio.sleep(0)
        request.cancel()
        await asyncio.wait({request})
        cancelled.append(request.cancelled())
        assert (await narrow.load(second)).id == second
        assert [entry.version for entry in await narrow.log(second, 0, 10)] == [1]
    assert cancelled[-1]  # the step before the server's answer is reached; a step too early may go unnoticed
    await narrow.close()


@asynccontextmanager
async def hanging(redis: Redis) -> AsyncIterator[None]:
    """Let the server hang; afterwards it does what it was sent meanwhile, also by those who have gone."""
    process = (await redis.info("server"))["process_id"]
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


async def test_a_commit_that_is_cancelled_on_its_way_is_made_once_or_not_at_all(
    store: Store, clean_redis: str, redis: Redis
) -> None:
    """Whoever looks finds out which; and what is committed next on that connection is told its own answer."""
    game, other = new_game_id(), new_game_id()
    await store.commit(game, 0, begun(), HEADER)
    await store.commit(other, 0, begun(), HEADER)
    narrow = Store(connect(clean_redis, connections=1))
    await narrow.commit(game, 1, bid(1, 1))  # so that the script is known
    version, fates = 2, set()
    for steps in range(24):
        async with hanging(redis):  # the answer is still to come when it is cancelled
            request = asyncio.create_task(narrow.commit(game, version, bid(version, version)))
            for _ in range(steps):
                await asyncio.sleep(0)
            request.cancel()
            await asyncio.wait({request}, timeout=0.05)
        await asyncio.wait({request})  # a step too early may go unnoticed: then it is told its answer
        assert await narrow.commit(other, steps + 1, bid(steps, steps + 1)) is not None
        made = await store.commit(game, version, bid(version, version)) is None
        fates.add((request.cancelled(), made))
        version += 1
    assert [entry.version for entry in await store.log(game, 0, 100)] == list(range(1, version + 1))
    assert [entry.expected_version for entry in await store.log(game, 1, 100)] == list(range(1, version))
    assert (True, True) in fates, "no commit was cancelled after it had been sent, so nothing was tested"
    await narrow.close()


async def test_moves_that_a_hanging_server_makes_after_their_callers_gave_up_are_one_and_found(
    store: Store, clean_redis: str, redis: Redis
) -> None:
    """The server goes on with what it was sent meanwhile: twice the same bytes, for nobody who waits any more."""
    tokens, impatient = Tokens((b"secret",)), Store(connect(clean_redis, timeout=1))
    four = CreateGame(ruleset="tarneeb", seats=[PlayerSeat()] * 4, options={"first_dealer": 0})
    created = await creation.create_game(Context(store, tokens), four)
    game_id, caller, move = created.game.game_id, Seated(3, 0), ApplyMove(expected_version=1, move=Pass())
    each = [Context(impatient, tokens) for _ in range(2)]
    known = [await games.load(context, game_id) for context in each]
    await impatient.commit(new_game_id(), 0, begun(), HEADER)  # so that the script is known
    async with hanging(redis):
        for context, game in zip(each, known, strict=True):
            with pytest.raises(Unavailable):
                await games.apply_move(context, game, caller, move)
    answers = [await games.apply_move(context, await games.load(context, game_id), caller, move) for context in each]
    assert [(answer.version, replayed) for answer, replayed in answers] == [(2, True)] * 2
    assert len(await store.log(game_id, 0, 10)) == 2
    await impatient.close()


@dataclass
class Wire:
    """A connection to the server; told to lose an answer, it breaks instead of giving the next one."""

    url: str
    lose: bool = False


@asynccontextmanager
async def losing_answers(url: str, path: Path) -> AsyncIterator[Wire]:
    """Stand between a client and the server at `url`."""
    wire = Wire(f"unix://{path}")
    tasks: set[asyncio.Task[None]] = set()

    async def answer(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        while (data := await source.read(65536)) and not wire.lose:
            target.write(data)
        wire.lose = False
        target.close()

    async def ask(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        there = await asyncio.open_unix_connection(redis_server.place_of(url))
        task = asyncio.create_task(answer(there[0], target))
        tasks.add(task)
        while data := await source.read(65536):
            there[1].write(data)
        there[1].close()

    async with await asyncio.start_unix_server(ask, path):
        yield wire
    await asyncio.gather(*tasks)


async def test_the_client_itself_sends_nothing_twice(clean_redis: str, redis: Redis, tmp_path: Path) -> None:
    """redis-py alone would send it again, up to ten times, when the answer is lost; alone or in a pipeline."""
    async with losing_answers(clean_redis, tmp_path / "wire") as wire:
        far = connect(wire.url)
        for count, pipeline in enumerate((False, True), start=1):
            await far.ping()
            wire.lose = True
            with pytest.raises((RedisConnectionError, OSError)):
                await (far.pipeline(transaction=False).incr("times").execute() if pipeline else far.incr("times"))
            assert await redis.get("times") == str(count).encode()
        await far.aclose()


async def test_a_commit_whose_answer_is_lost_is_made_once_and_nobody_claims_to_know(
    store: Store, clean_redis: str, tmp_path: Path
) -> None:
    game = new_game_id()
    await store.commit(game, 0, begun(), HEADER)
    async with losing_answers(clean_redis, tmp_path / "wire") as wire:
        far = Store(connect(wire.url))
        await far.load(game)
        await far.commit(game, 1, bid(7))
        wire.lose = True
        with pytest.raises(Unavailable):
            await far.commit(game, 2, bid(8, 2))
        await far.close()
    assert [entry.version for entry in await store.log(game, 0, 10)] == [1, 2, 3]


async def test_a_move_whose_answer_is_lost_is_answered_when_the_same_bytes_come_again(
    store: Store, clean_redis: str, tmp_path: Path
) -> None:
    tokens = Tokens((b"secret",))
    four = CreateGame(ruleset="tarneeb", seats=[PlayerSeat()] * 4)
    created = await creation.create_game(Context(store, tokens), four)
    game_id, seat = created.game.game_id, created.game.to_move or 0
    move, caller = ApplyMove(expected_version=1, move=Pass()), Seated(seat, 0)
    async with losing_answers(clean_redis, tmp_path / "wire") as wire:
        far = Context(Store(connect(wire.url)), tokens)
        game = await games.load(far, game_id)
        await far.store.commit(new_game_id(), 0, begun(), HEADER)  # so that the script is known
        wire.lose = True
        with pytest.raises(Unavailable):
            await games.apply_move(far, game, caller, move)
        again, replayed = await games.apply_move(far, await games.load(far, game_id), caller, move)
        await far.store.close()
    assert (again.version, replayed) == (2, True)
    assert len(await store.log(game_id, 0, 10)) == 2
