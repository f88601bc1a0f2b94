import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from redis.asyncio import Redis

from service import due, redis_server
from service.due import Sweep
from service.errors import Unavailable
from service.jobs import BotQueue
from service.store import SHARDS, Change, Store, connect, due_member, key, new_game_id, shard_of
from tests.processes import PATIENCE
from tests.store.sample import HEADER, begun, bid, everything, games_of_one_shard

pytestmark = pytest.mark.anyio

LONG = 60_000
SHORT = 1
"""Leases, in milliseconds: one that no test outlives, and one that is over at once."""


def turn(due_in_ms: int = 0) -> Change:
    """Give the first change of a game in which a bot is to move."""
    return begun(due="bot", due_in_ms=due_in_ms)


async def lease_is_over() -> None:
    """Let a short lease run out."""
    await asyncio.sleep(5 * SHORT / 1000)


# ----------------------------------------------------------------------------------------------- the index of due work


async def test_due_work_is_taken_once_within_its_lease(store: Store) -> None:
    game = new_game_id()
    await store.commit(game, 0, turn(), HEADER)
    members, wait = await store.take(shard_of(game), LONG, 10)
    assert (members, wait) == ([due_member(game, 1, "bot")], LONG)
    members, wait = await store.take(shard_of(game), LONG, 10)
    assert members == []
    assert 0 < wait <= LONG


async def test_of_many_who_take_one_gets_it(store: Store) -> None:
    game = new_game_id()
    await store.commit(game, 0, turn(), HEADER)
    answers = await asyncio.gather(*(store.take(shard_of(game), LONG, 10) for _ in range(20)))
    assert [members for members, _ in answers if members] == [[due_member(game, 1, "bot")]]


async def test_due_work_comes_back_when_its_lease_is_over(store: Store) -> None:
    game = new_game_id()
    await store.commit(game, 0, turn(), HEADER)
    assert (await store.take(shard_of(game), SHORT, 10))[0] == [due_member(game, 1, "bot")]
    await lease_is_over()
    assert (await store.take(shard_of(game), LONG, 10))[0] == [due_member(game, 1, "bot")]


async def test_due_work_is_not_taken_before_its_time(store: Store) -> None:
    game = new_game_id()
    await store.commit(game, 0, turn(LONG), HEADER)
    members, wait = await store.take(shard_of(game), LONG, 10)
    assert members == []
    assert 0 < wait <= LONG


async def test_what_has_been_due_longest_is_taken_first(store: Store) -> None:
    ids = games_of_one_shard(4)
    for number, game in enumerate(ids):
        await store.commit(game, 0, turn(-1000 * number), HEADER)
    shard = shard_of(ids[0])
    assert (await store.take(shard, LONG, 3))[0] == [due_member(game, 1, "bot") for game in ids[:0:-1]]
    assert (await store.take(shard, LONG, 3))[0] == [due_member(ids[0], 1, "bot")]


async def test_whoever_takes_is_told_when_there_is_more(store: Store) -> None:
    first, second = games_of_one_shard(2)
    await store.commit(first, 0, turn(), HEADER)
    await store.commit(second, 0, turn(), HEADER)
    members, wait = await store.take(shard_of(first), LONG, 1)
    assert (len(members), wait) == (1, 0)
    assert (await store.take((shard_of(first) + 1) % SHARDS, LONG, 1)) == ([], -1)


async def test_all_shards_are_taken_from_in_one_go(store: Store) -> None:
    ids = [new_game_id() for _ in range(30)]
    for game in ids:
        await store.commit(game, 0, turn(), HEADER)
    taken = await store.take_all(SHARDS, LONG, 100)
    assert {member: shard for shard, (members, _) in enumerate(taken) for member in members} == {
        due_member(game, 1, "bot"): shard_of(game) for game in ids
    }
    assert not any(members for members, _ in await store.take_all(SHARDS, LONG, 100))


async def test_who_renews_a_lease_keeps_the_work(store: Store) -> None:
    game = new_game_id()
    await store.commit(game, 0, turn(), HEADER)
    await store.take(shard_of(game), SHORT, 10)
    assert await store.renew(due_member(game, 1, "bot"), LONG)
    await lease_is_over()
    assert (await store.take(shard_of(game), LONG, 10))[0] == []


async def test_work_that_is_done_is_not_renewed(store: Store, redis: Redis) -> None:
    game = new_game_id()
    await store.commit(game, 0, turn(), HEADER)
    await store.commit(game, 1, bid(7))
    before = await everything(redis)
    assert not await store.renew(due_member(game, 1, "bot"))
    assert await everything(redis) == before


async def test_work_that_is_dropped_does_not_come_back(store: Store) -> None:
    first, second = games_of_one_shard(2)
    for game in (first, second):
        await store.commit(game, 0, turn(), HEADER)
    await store.take(shard_of(first), SHORT, 10)
    await store.drop(due_member(first, 1, "bot"))
    await lease_is_over()
    assert (await store.take(shard_of(first), LONG, 10))[0] == [due_member(second, 1, "bot")]


# ------------------------------------------------------------------------------------------ the sweep that makes jobs


@pytest.fixture
def sweep(store: Store, redis: Redis) -> Sweep:
    """Give a sweep over the store that puts jobs on a queue beside it."""
    return Sweep(store, BotQueue(redis, "tests"))


async def queued(redis: Redis) -> list[str]:
    """Give the ids of the jobs that wait in the queue, the next one first."""
    return [job.decode() for job in await redis.lrange("rq:queue:tests", 0, -1)]


async def until_queued(redis: Redis, jobs: set[str]) -> None:
    """Wait until these jobs and no others wait in the queue."""
    async with asyncio.timeout(PATIENCE):
        while set(await queued(redis)) != jobs:
            await asyncio.sleep(0.02)


@asynccontextmanager
async def running(sweep: Sweep) -> AsyncIterator[asyncio.Task[None]]:
    """Run a sweep as the service does, and end it, which may take more than one cancellation."""
    task = asyncio.create_task(sweep.run())
    try:
        yield task
    finally:
        while not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=0.1)


def short_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let whatever a sweep takes come back at once."""
    monkeypatch.setattr(due, "LEASE_MS", SHORT)


async def test_the_sweep_makes_a_job_of_each_piece_of_due_work(sweep: Sweep, store: Store, redis: Redis) -> None:
    ids = [new_game_id() for _ in range(5)]
    for game in ids:
        await store.commit(game, 0, turn(), HEADER)
    await sweep.sweep_all()
    assert set(await queued(redis)) == {f"{game}-1-bot" for game in ids}


async def test_the_sweep_comes_back_when_more_is_due_and_at_least_every_second(sweep: Sweep, store: Store) -> None:
    assert await sweep.sweep_all() == due.LONGEST_SLEEP
    await store.commit(new_game_id(), 0, turn(LONG), HEADER)
    assert await sweep.sweep_all() == due.LONGEST_SLEEP
    await store.commit(new_game_id(), 0, turn(300), HEADER)
    assert 0 < await sweep.sweep_all() <= 0.3


async def test_a_backlog_does_not_multiply_jobs(
    sweep: Sweep, store: Store, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    short_leases(monkeypatch)
    game = new_game_id()
    await store.commit(game, 0, turn(), HEADER)
    for _ in range(20):
        await sweep.sweep_all()
        await sweep.sweep(shard_of(game))
        await lease_is_over()
    assert await queued(redis) == [f"{game}-1-bot"]
    assert await redis.keys("rq:job:*") == [f"rq:job:{game}-1-bot".encode()]


async def test_a_lost_job_is_made_again(
    sweep: Sweep, store: Store, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    short_leases(monkeypatch)
    game = new_game_id()
    await store.commit(game, 0, turn(), HEADER)
    await sweep.sweep_all()
    await redis.delete(*await redis.keys("rq:*"))
    await lease_is_over()
    await sweep.sweep_all()
    assert await queued(redis) == [f"{game}-1-bot"]
    assert await redis.exists(f"rq:job:{game}-1-bot")


async def test_no_job_is_made_of_work_that_is_done(
    sweep: Sweep, store: Store, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    short_leases(monkeypatch)
    game = new_game_id()
    await store.commit(game, 0, turn(), HEADER)
    await store.commit(game, 1, bid(7))
    await sweep.sweep_all()
    assert await queued(redis) == []


async def test_a_nudge_takes_what_is_due_in_its_shard_after_the_delay(sweep: Sweep, store: Store, redis: Redis) -> None:
    now, later = new_game_id(), new_game_id()
    await store.commit(now, 0, turn(), HEADER)
    await store.commit(later, 0, turn(200), HEADER)
    sweep.nudge(shard_of(now), 0)
    sweep.nudge(shard_of(later), 200)
    await until_queued(redis, {f"{now}-1-bot", f"{later}-1-bot"})


async def test_a_nudge_for_what_is_far_away_leaves_no_timer_behind(sweep: Sweep, store: Store, redis: Redis) -> None:
    """Hardly any clock runs out: timers for all of them would fill the memory. The sweep finds what does by itself."""
    game = new_game_id()
    await store.commit(game, 0, turn(1500), HEADER)
    before = asyncio.all_tasks()
    for delay in (1500, 30_000, 259_200_000):
        sweep.nudge(shard_of(game), delay)
    assert sweep._timers == set()
    assert asyncio.all_tasks() == before
    async with running(sweep):
        await until_queued(redis, {f"{game}-1-bot"})


async def test_a_shard_with_more_than_a_batch_is_taken_from_until_it_is_empty(
    sweep: Sweep, store: Store, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(due, "BATCH", 3)
    ids = games_of_one_shard(10)
    for game in ids:
        await store.commit(game, 0, turn(), HEADER)
    await sweep.sweep_all()
    await until_queued(redis, {f"{game}-1-bot" for game in ids})


async def test_the_sweep_outlives_its_server(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    server = redis_server.start(tmp_path)
    store = Store(connect(server.url))
    first, second = new_game_id(), new_game_id()
    await store.commit(first, 0, turn(), HEADER)
    try:
        async with running(Sweep(store, BotQueue(store.redis, "tests"))) as task:
            await until_queued(store.redis, {f"{first}-1-bot"})
            with caplog.at_level(logging.WARNING, "tapete.due"):
                server.process.kill()
                server.process.wait()
                async with asyncio.timeout(PATIENCE):
                    while "The sweep waits" not in caplog.text:
                        await asyncio.sleep(0.02)
            server = redis_server.start(tmp_path)
            await store.commit(second, 0, turn(), HEADER)
            await until_queued(store.redis, {f"{first}-1-bot", f"{second}-1-bot"})
            assert not task.done()
    finally:
        await store.close()
        server.stop()


async def test_the_sweep_outlives_work_that_it_does_not_understand(
    sweep: Sweep, store: Store, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    short_leases(monkeypatch)
    game = new_game_id()
    await store.commit(game, 0, turn(), HEADER)
    await redis.zadd(key("due", shard_of(game)), {"from another version": 0})
    async with running(sweep):
        await until_queued(redis, {f"{game}-1-bot"})


async def test_what_cannot_be_queued_stays_due(
    sweep: Sweep, store: Store, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    short_leases(monkeypatch)
    game = new_game_id()
    await store.commit(game, 0, turn(), HEADER)
    with pytest.raises(Unavailable):
        await Sweep(store, BotQueue(connect("unix:///nowhere"), "tests")).sweep_all()
    await lease_is_over()
    await sweep.sweep_all()
    assert await queued(redis) == [f"{game}-1-bot"]
