import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import redis

from service import redis_server
from service.events import Wakeups
from service.store import SHARDS, connect, key
from tests.processes import PATIENCE


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """What the work answers, or a failure where it hangs."""
    return asyncio.run(asyncio.wait_for(work, PATIENCE))


class Log:
    """Something to read that counts how often it is read, and answers when it is told to."""

    def __init__(self) -> None:
        self.reads: list[asyncio.Future[str]] = []

    async def read(self) -> str:
        """What is set as the result of the newest read."""
        self.reads.append(asyncio.get_running_loop().create_future())
        return await self.reads[-1]


async def settle() -> None:
    """Let every task run as far as it gets by itself."""
    for _ in range(10):
        await asyncio.sleep(0)


# ---------------------------------------------------------------------------------------------------- bells


def test_a_bell_rings_for_its_owner_and_for_no_other() -> None:
    async def work() -> None:
        wakeups = Wakeups()
        with wakeups.bell("one") as bell, wakeups.bell("one") as same, wakeups.bell("two") as other:
            wakeups.ring("one")
            wakeups.ring("nobody")
            assert await bell.wait(PATIENCE)
            assert await same.wait(PATIENCE)
            assert not await other.wait(0)

    run(work())


def test_a_ring_between_reading_and_waiting_is_not_lost_and_wakes_once() -> None:
    async def work() -> None:
        wakeups = Wakeups()
        with wakeups.bell("one") as bell:
            wakeups.ring("one")
            wakeups.ring("one")
            assert await bell.wait(PATIENCE)
            assert not await bell.wait(0)

    run(work())


def test_closing_wakes_everyone_and_says_why() -> None:
    async def work() -> None:
        wakeups = Wakeups()
        with wakeups.bell("one") as bell, wakeups.bell("two") as other:
            waiting = [asyncio.create_task(each.wait(PATIENCE)) for each in (bell, other)]
            await settle()
            assert not wakeups.closing
            wakeups.close()
            assert await asyncio.gather(*waiting) == [True, True]
            assert wakeups.closing

    run(work())


def test_nothing_stays_of_readers_who_have_gone() -> None:
    """However they go: one after the other, by an exception, or cancelled while they wait."""

    async def wait(wakeups: Wakeups) -> None:
        with wakeups.bell("one") as bell:
            await bell.wait(PATIENCE)

    async def work() -> None:
        wakeups = Wakeups()
        with pytest.raises(ZeroDivisionError), wakeups.bell("one"):
            raise ZeroDivisionError
        tasks = [asyncio.create_task(wait(wakeups)) for _ in range(3)]
        await settle()
        assert wakeups.count() > 0
        for task in tasks:
            assert wakeups.count() > 0
            task.cancel()
            await asyncio.wait({task})
        assert wakeups.count() == 0

    run(work())


# ---------------------------------------------------------------------------------------------------- shared reads


def test_readers_at_one_place_share_a_read_and_others_do_not() -> None:
    async def work() -> None:
        wakeups, log = Wakeups(), Log()
        with wakeups.bell("one") as a, wakeups.bell("one") as b, wakeups.bell("two") as other:
            reads = [
                asyncio.create_task(bell.read(place, log.read)) for bell, place in ((a, 1), (b, 1), (b, 2), (other, 1))
            ]
            await settle()
            assert len(log.reads) == 3
            for number, read in enumerate(log.reads):
                read.set_result(str(number))
            assert await asyncio.gather(*reads) == ["0", "0", "1", "2"]

    run(work())


def test_a_read_that_began_before_a_ring_is_not_shared_after_it() -> None:
    """It may have missed what the ring was for."""

    async def work() -> None:
        wakeups, log = Wakeups(), Log()
        with wakeups.bell("one") as a, wakeups.bell("one") as b:
            early = asyncio.create_task(a.read(1, log.read))
            await settle()
            wakeups.ring("one")
            late = asyncio.create_task(b.read(1, log.read))
            await settle()
            assert len(log.reads) == 2
            log.reads[1].set_result("with the news")
            assert await late == "with the news"
            log.reads[0].set_result("without")
            assert await early == "without"

    run(work())


def test_a_finished_read_is_over() -> None:
    async def work() -> None:
        wakeups, log = Wakeups(), Log()
        with wakeups.bell("one") as bell:
            for answer in ("first", "second"):
                reading = asyncio.create_task(bell.read(1, log.read))
                await settle()
                log.reads[-1].set_result(answer)
                assert await reading == answer
        assert len(log.reads) == 2

    run(work())


def test_what_fails_fails_for_all_who_share_it() -> None:
    async def work() -> None:
        wakeups, log = Wakeups(), Log()
        with wakeups.bell("one") as a, wakeups.bell("one") as b:
            reads = [asyncio.create_task(bell.read(1, log.read)) for bell in (a, b)]
            await settle()
            log.reads[0].set_exception(ConnectionError("away"))
            assert [type(each) for each in await asyncio.gather(*reads, return_exceptions=True)] == [
                ConnectionError
            ] * 2
        assert len(log.reads) == 1

    run(work())


def test_a_reader_who_goes_away_takes_the_read_from_nobody() -> None:
    """Neither the one who began it nor one who joined."""

    async def work() -> None:
        wakeups, log = Wakeups(), Log()
        with wakeups.bell("one") as bell:
            reads = [asyncio.create_task(bell.read(1, log.read)) for _ in range(3)]
            await settle()
            reads[0].cancel()
            reads[2].cancel()
            await settle()
            log.reads[0].set_result("there")
            assert await reads[1] == "there"
        assert len(log.reads) == 1

    run(work())


def test_a_read_that_fails_when_all_have_gone_troubles_nobody() -> None:
    """An exception that nobody looks at would be in the log as our mistake."""
    complaints: list[Any] = []

    async def work() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        wakeups, log = Wakeups(), Log()
        with wakeups.bell("one") as bell:
            reading = asyncio.create_task(bell.read(1, log.read))
            await settle()
            reading.cancel()
            await settle()
        assert wakeups.count() == 0
        log.reads.pop().set_exception(ConnectionError("away"))
        await settle()

    run(work())
    assert not complaints


# ---------------------------------------------------------------------------------------------------- over Redis


@asynccontextmanager
async def hearing(wakeups: Wakeups, url: str) -> AsyncIterator[Any]:
    """Hear the news of a Redis, on a client with an open connection to it."""
    client = connect(url)
    await client.ping()
    task = asyncio.create_task(wakeups.run(client))
    try:
        yield client
    finally:
        while not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=0.1)
        await client.aclose()


async def until(condition: Callable[[], Any]) -> None:
    """Wait until it holds."""
    while not condition():
        await asyncio.sleep(0.01)


def listeners(url: str) -> int:
    with redis.Redis.from_url(url) as client:
        return int(client.pubsub_numsub(key("changed", SHARDS - 1))[0][1])


def test_news_of_every_shard_rings_its_owner(redis_url: str) -> None:
    async def work() -> None:
        wakeups = Wakeups()
        with wakeups.bell("gm_x") as bell, wakeups.bell("gm_y") as other:
            async with hearing(wakeups, redis_url) as client:
                assert await bell.wait(PATIENCE)  # the subscription stands
                assert await other.wait(PATIENCE)
                for shard in range(SHARDS):
                    await client.publish(key("changed", shard), "gm_x 7")
                    assert await bell.wait(PATIENCE)
                assert not await other.wait(0)

    run(work())


def test_everyone_is_woken_when_the_subscription_stands_and_not_before(tmp_path: Path) -> None:
    """A reader woken sooner reads, waits, and misses what happens until Redis has taken the subscription."""

    async def work(server: Any) -> None:
        wakeups = Wakeups()
        with wakeups.bell("gm_x") as bell:
            client = connect(server.url)
            await client.ping()
            os.kill(server.process.pid, signal.SIGSTOP)
            task = asyncio.create_task(wakeups.run(client))
            try:
                assert not await bell.wait(0.3)
            finally:
                os.kill(server.process.pid, signal.SIGCONT)
            assert await bell.wait(PATIENCE)
            assert listeners(server.url) == 1
            while not task.done():
                task.cancel()
                await asyncio.wait({task}, timeout=0.1)
            await client.aclose()

    server = redis_server.start(tmp_path)
    try:
        run(work(server))
    finally:
        server.stop()


def test_a_broken_subscription_is_made_again_and_wakes_everyone(redis_url: str) -> None:
    """Nobody knows what was missed meanwhile. One subscription is there afterwards, not two."""

    async def work() -> None:
        wakeups = Wakeups()
        before = listeners(redis_url)
        with wakeups.bell("gm_x") as bell:
            async with hearing(wakeups, redis_url) as client:
                assert await bell.wait(PATIENCE)
                for _ in range(3):
                    await client.client_kill_filter(_type="pubsub")
                    assert await bell.wait(PATIENCE)
                    await until(lambda: listeners(redis_url) == before + 1)
                await client.publish(key("changed", 1), "gm_x 7")
                assert await bell.wait(PATIENCE)
        await until(lambda: listeners(redis_url) == before)

    run(work())


def test_a_subscription_that_has_gone_silent_is_made_again(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked for a sign of life; one that answers stays, since it is not made anew."""
    monkeypatch.setattr("service.events.SILENCE", 0.3)

    async def work() -> None:
        wakeups = Wakeups()
        with wakeups.bell("gm_x") as bell:
            async with hearing(wakeups, redis_url) as client:
                assert await bell.wait(PATIENCE)
                assert not await bell.wait(1)
                await client.execute_command("CLIENT", "PAUSE", 1500, "ALL")
                assert await bell.wait(PATIENCE)

    run(work())


def test_words_on_the_channel_that_are_not_ours_end_nothing(redis_url: str) -> None:
    async def work() -> None:
        wakeups = Wakeups()
        with wakeups.bell("gm_x") as bell:
            async with hearing(wakeups, redis_url) as client:
                assert await bell.wait(PATIENCE)
                for words in (b"", b"\xff\xfe", b" ", b"gm_y"):
                    await client.publish(key("changed", 3), words)
                await client.publish(key("changed", 3), "gm_x 7")
                assert await bell.wait(PATIENCE)

    run(work())
