import asyncio
import hashlib
from typing import Any

import msgspec
import pytest
from redis.asyncio import Redis

from service.errors import Unavailable
from service.store import (
    JOB_MS,
    RETENTION_MS,
    TOMBSTONE_MS,
    Change,
    Committed,
    Entry,
    Header,
    Logged,
    Store,
    connect,
    due_member,
    key,
    new_game_id,
    shard_of,
)
from tests.store.sample import HEADER, STANDING, begun, bid, everything, job_of, start_of

pytestmark = pytest.mark.anyio


def logged(change: Change, committed: Committed | None) -> Logged:
    """Give the entry that this commit should have left in the log."""
    assert committed is not None
    entry = {name: getattr(change.entry, name) for name in Entry.__struct_fields__}
    return Logged(**entry, version=committed.version, cursor=committed.cursor, at=committed.at)


async def test_each_commit_appends_its_one_entry_and_says_where_that_left_the_game(store: Store) -> None:
    game, changes = new_game_id(), [begun(), bid(7, 1), bid(8, 2)]
    committed = [
        await store.commit(game, version, each, None if version else HEADER) for version, each in enumerate(changes)
    ]
    log = await store.log(game, 0, 100)
    assert log == [logged(change, each) for change, each in zip(changes, committed, strict=True)]
    assert [entry.version for entry in log] == [1, 2, 3]


async def test_a_game_is_loaded_as_its_last_commit_left_it(store: Store) -> None:
    game = new_game_id()
    first = await store.commit(game, 0, begun(), HEADER)
    changes = {"controller": "stand_in", "generation": 3, "resigned": True, "timeouts": 2, "client_seed": "Ana"}
    standing = STANDING.with_seat(0, **changes)
    last = await store.commit(game, 1, bid(7, standing=standing, status="finished"))
    loaded = await store.load(game)
    assert first is not None
    assert last is not None
    assert (loaded.id, loaded.header, loaded.standing, loaded.status) == (game, HEADER, standing, "finished")
    assert (loaded.version, loaded.cursor, loaded.turn_at) == (2, last.cursor, last.at)
    assert (loaded.created_at, loaded.expires_at) == (first.at, last.expires_at)


async def test_loading_reads_the_moves_of_the_running_deal_only(store: Store) -> None:
    game = new_game_id()
    await store.commit(game, 0, begun(), HEADER)
    await store.commit(game, 1, bid(7, 1))
    await store.commit(game, 2, bid(8, 2, start=start_of(2)))
    await store.commit(game, 3, bid(9, 3))
    loaded = await store.load(game)
    assert loaded.start == start_of(2)
    assert [move.move.amount for move in loaded.moves] == [9]


async def test_whoever_knows_the_cursor_is_spared_the_moves(store: Store) -> None:
    game = new_game_id()
    await store.commit(game, 0, begun(), HEADER)
    old = await store.commit(game, 1, bid(7, 1))
    new = await store.commit(game, 2, bid(8, 2))
    assert old is not None
    assert new is not None
    assert len((await store.load(game, old.cursor)).moves) == 2
    known = await store.load(game, new.cursor)
    assert (known.cursor, known.moves) == (new.cursor, [])


async def test_what_each_deal_started_from_is_kept(store: Store) -> None:
    game = new_game_id()
    await store.commit(game, 0, begun(), HEADER)
    for version in range(1, 5):
        start = start_of(1 + version // 2) if version % 2 == 0 else None
        await store.commit(game, version, bid(version, version, start=start))
    assert await store.deals(game, 1, 100) == [start_of(1), start_of(2), start_of(3)]
    assert await store.deals(game, 2, 1) == [start_of(2)]


async def test_the_log_is_read_in_pages(store: Store) -> None:
    game = new_game_id()
    await store.commit(game, 0, begun(), HEADER)
    for version in range(1, 6):
        await store.commit(game, version, bid(version, version))
    assert [entry.version for entry in await store.log(game, 2, 3)] == [3, 4, 5]
    assert await store.log(game, 6, 3) == []


async def test_every_key_of_a_game_carries_its_shard_and_nothing_else_is_written(store: Store, redis: Redis) -> None:
    game = new_game_id()
    job_id, job = job_of(game)
    await store.commit(game, 0, begun(due="bot"), HEADER)
    await store.commit(game, 1, bid(7, due="bot"))
    await store.ask(job_id, job)
    tag = f"tapete:{{s{shard_of(game):02}}}"
    names = [f"{tag}:{kind}:{game}" for kind in ("game", "log", "deals", "gone")]
    jobs = {f"{tag}:job:{job_id}", f"{tag}:jobs:{game}", f"{tag}:waiting:{game}"}
    assert {name.decode() for name in await redis.keys()} == {*names, *jobs, f"{tag}:due"}


@pytest.mark.parametrize("status", RETENTION_MS)
async def test_a_game_is_kept_for_its_time_and_its_tombstone_outlives_it(
    store: Store, redis: Redis, status: Any
) -> None:
    game = new_game_id()
    await store.commit(game, 0, begun(), HEADER)
    committed = await store.commit(game, 1, bid(7, status=status))
    assert committed is not None
    assert committed.expires_at == committed.at + RETENTION_MS[status]
    ends = {kind: await redis.pexpiretime(key(kind, shard_of(game), game)) for kind in ("game", "log", "deals", "gone")}
    kept_until = dict.fromkeys(("game", "log", "deals"), committed.expires_at)
    assert ends == {**kept_until, "gone": committed.expires_at + TOMBSTONE_MS}
    tombstone = await redis.get(key("gone", shard_of(game), game))
    assert msgspec.json.decode(tombstone) == {"status": status}


async def test_a_job_is_kept_for_its_time(store: Store, redis: Redis) -> None:
    job_id, job = job_of(new_game_id())
    await store.ask(job_id, job)
    await store.answer(job_id, "done", b"{}")
    assert 0 < await redis.pttl(key("job", shard_of(job_id), job_id)) <= JOB_MS


async def test_each_commit_wakes_the_readers_of_the_shard(store: Store, redis: Redis) -> None:
    game = new_game_id()
    async with redis.pubsub() as channel:
        await channel.subscribe(key("changed", shard_of(game)))
        await store.commit(game, 0, begun(), HEADER)
        await store.commit(game, 1, bid(7))
        await store.commit(game, 1, bid(8))
        await redis.publish(key("changed", shard_of(game)), "the end")
        heard = []
        async for message in channel.listen():
            heard.append(message["data"])
            if message["data"] == b"the end":
                break
    assert heard == [1, f"{game} 1".encode(), f"{game} 2".encode(), b"the end"]


@pytest.mark.parametrize(
    ("there", "expected_version", "header"),
    [
        pytest.param(True, 1, None, id="an older version"),
        pytest.param(True, 3, None, id="a version that is not there yet"),
        pytest.param(True, 0, HEADER, id="a game that is there already"),
        pytest.param(True, 2, HEADER, id="a game that is there already, at its version"),
        pytest.param(False, 0, None, id="a game that is not there"),
        pytest.param(False, 1, HEADER, id="a new game that does not begin at its beginning"),
    ],
)
async def test_a_commit_at_a_wrong_version_changes_no_byte(
    store: Store, redis: Redis, there: bool, expected_version: int, header: Header | None
) -> None:
    game = new_game_id()
    await store.commit(game, 0, begun(due="bot"), HEADER)
    await store.commit(game, 1, bid(7, due="bot", due_in_ms=500))
    before = await everything(redis)
    change = bid(8, 2, due="deadline", status="finished", start=start_of(2))
    assert await store.commit(game if there else new_game_id(), expected_version, change, header) is None
    assert await everything(redis) == before


async def test_a_commit_on_another_history_changes_no_byte(store: Store, redis: Redis) -> None:
    game = new_game_id()
    await store.commit(game, 0, begun(), HEADER)
    committed = await store.commit(game, 1, bid(7))
    assert committed is not None
    before = await everything(redis)
    assert await store.commit(game, 2, bid(8, 2), expected_cursor="2-" + "0" * 12) is None
    assert await everything(redis) == before
    assert await store.commit(game, 2, bid(8, 2), expected_cursor=committed.cursor)


async def test_of_many_commits_at_one_version_one_wins(store: Store, clean_redis: str) -> None:
    game, other = new_game_id(), Store(connect(clean_redis))
    await store.commit(game, 0, begun(), HEADER)
    changes = [bid(amount) for amount in range(50)]
    answers = await asyncio.gather(
        *((store if change.entry.move.amount % 2 else other).commit(game, 1, change) for change in changes)
    )
    won = [logged(change, answer) for change, answer in zip(changes, answers, strict=True) if answer]
    assert len(won) == 1
    assert await store.log(game, 1, 100) == won
    await other.close()


async def test_a_cursor_is_made_from_every_byte_of_the_log_before_it(store: Store, redis: Redis) -> None:
    game = new_game_id()
    await store.commit(game, 0, begun(), HEADER)
    for version in range(1, 6):
        await store.commit(game, version, bid(7, version))
    before = game
    for line in await redis.lrange(key("log", shard_of(game), game), 0, -1):
        entry = msgspec.json.decode(line, type=Logged)
        written = b"{" + line.partition(f'"at":{entry.at},'.encode())[2]
        digest = hashlib.sha1(before.encode() + written + str(entry.at).encode(), usedforsecurity=False).hexdigest()
        assert entry.cursor == f"{entry.version}-{digest[:12]}"
        before = entry.cursor
    assert (await store.load(game)).cursor == before


async def test_a_commit_replaces_what_was_due_in_its_game_and_touches_no_other(store: Store, redis: Redis) -> None:
    game, other = new_game_id(), new_game_id()
    await store.commit(other, 0, begun(due="bot"), HEADER)
    first = await store.commit(game, 0, begun(due="bot", due_in_ms=700), HEADER)
    due = key("due", shard_of(game))
    assert first is not None
    assert await redis.zscore(due, due_member(game, 1, "bot")) == first.at + 700
    await store.commit(game, 1, bid(7, due="deadline", due_in_ms=30_000))
    assert await redis.zscore(due, due_member(game, 1, "bot")) is None
    assert await redis.zscore(due, f"{game}:2:deadline") is not None
    await store.commit(game, 2, bid(8, 2, due="bot"))
    await store.commit(game, 3, bid(9, 3, status="finished"))
    left = [member for shard in range(64) for member in await redis.zrange(key("due", shard), 0, -1)]
    assert left == [due_member(other, 1, "bot").encode()]


async def test_a_store_that_is_full_refuses_and_changes_nothing(store: Store, redis: Redis) -> None:
    game, new = new_game_id(), new_game_id()
    await store.commit(game, 0, begun(due="bot"), HEADER)
    before = await everything(redis)
    await redis.config_set("maxmemory", 1)
    try:
        for refused in (
            store.commit(game, 1, bid(7, due="bot")),
            store.commit(new, 0, begun(), HEADER),
            store.ask(*job_of(new)),
        ):
            with pytest.raises(Unavailable):
                await refused
        assert await everything(redis) == before
    finally:
        await redis.config_set("maxmemory", 0)


async def test_the_same_job_is_written_down_once(store: Store, redis: Redis) -> None:
    job_id, job = job_of(new_game_id())
    assert await store.ask(job_id, job)
    before = await everything(redis)
    assert not await store.ask(job_id, job)
    assert await everything(redis) == before
    assert await store.job(job_id) == (job, "queued", b"")


async def test_a_job_is_answered_once_and_is_then_no_longer_due(store: Store, redis: Redis) -> None:
    job_id, job = job_of(new_game_id())
    await store.ask(job_id, job)
    assert await store.answer(job_id, "done", b'{"first": 1}')
    assert not await store.answer(job_id, "failed", b'{"second": 2}')
    assert await store.job(job_id) == (job, "done", b'{"first": 1}')
    assert not await redis.exists(key("due", shard_of(job_id)))


async def test_an_answer_to_a_job_that_is_gone_is_not_kept(store: Store, redis: Redis) -> None:
    job_id, _ = job_of(new_game_id())
    assert not await store.answer(job_id, "done", b"{}")
    assert await store.job(job_id) is None
    assert await redis.keys() == []
