import asyncio
import random
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from service import simulation_store
from service.errors import SimulationNotFound
from service.schemas import BotSpec, JobFailure
from service.simulation_schemas import SimulationRequest, Stopped, StopRule, StoredSimulation
from service.simulation_store import (
    MOST_FAULTS,
    MOST_TAKES,
    SEGMENTS,
    LoadedSimulation,
    Look,
    Played,
    Range,
    SimulationStore,
)
from service.store import connect

pytestmark = pytest.mark.anyio

HERE = "sm_" + "a" * 20
BIG = 2**61 + 1
"""A sum that a float would round."""
SECOND = 1.0
FAULT = JobFailure(code="internal_error", detail="A bot failed.")


@pytest.fixture
async def simulations(clean_redis: str) -> AsyncIterator[SimulationStore]:
    """Give a store of simulations on the emptied server."""
    store = SimulationStore(connect(clean_redis))
    yield store
    await store.close()


async def create(store: SimulationStore, sets: int, every: int = 0, simulation_id: str = HERE) -> LoadedSimulation:
    """Give a new simulation of so many sets."""
    rule = StopRule(lower=0, upper=1, every=every) if every else None
    request = SimulationRequest(
        ruleset="reihe",
        ruleset_version=1,
        preset=None,
        options={},
        seats=[BotSpec(bot="random", version=1)] * 3,
        compare=None,
        players=3,
        unit="deals",
        count=sets,
        duplicate=False,
        seed="x",
        rows=True,
        stop=rule,
    )
    assert await store.create(simulation_id, StoredSimulation(request, 1.0, "digest"), sets, 1, every)
    return await store.load(simulation_id)


def played(taken: Range, seconds: float = 0.1) -> Played:
    """Give what playing a range comes to: sums that tell which sets are in it, and a row for each."""
    sets = range(taken.first, taken.first + taken.count)
    tally = {"sets": taken.count, "numbers": sum(sets), "squares": sum(number**2 for number in sets)}
    return Played(tally, b"".join(b"%d\n" % number for number in sets), seconds)


def all_of(sets: int) -> dict[str, int]:
    """Give the tally of the first sets, each once."""
    return dict(played(Range(0, sets, 0)).tally)


async def take(store: SimulationStore, simulation: LoadedSimulation, lease_ms: int = 60_000) -> Range:
    """Take a range, where there is one."""
    taken = await store.take(simulation, SECOND, lease_ms)
    assert isinstance(taken, Range)
    return taken


async def lines(store: SimulationStore, sets: int) -> list[int]:
    """Give the rows as they can be read."""
    return [int(line) for rows in [rows async for rows in store.rows(HERE, sets)] for line in rows.splitlines()]


# ------------------------------------------------------------------------------------------------ ranges


async def test_a_simulation_that_nobody_created_is_not_found(simulations: SimulationStore) -> None:
    for unknown in (HERE, "sm_1", "", "sm_" + "a" * 20 + "\n"):
        with pytest.raises(SimulationNotFound):
            await simulations.load(unknown)


async def test_it_is_created_once(simulations: SimulationStore) -> None:
    first = await create(simulations, 10)
    assert not await simulations.create(HERE, first.asked, 20, 1, 0)
    assert await simulations.load(HERE) == first
    assert (first.state, first.sets, first.done, first.started_at) == ("waiting", 10, 0, None)


async def test_ranges_cover_every_set_once_and_grow_with_the_speed(simulations: SimulationStore) -> None:
    simulation = await create(simulations, 1_000_000)
    reached, counts = 0, []
    while (taken := await simulations.take(simulation, SECOND)) is not None:
        assert isinstance(taken, Range)
        assert taken.first == reached
        reached += taken.count
        counts.append(taken.count)
        assert await simulations.commit(HERE, taken, Played({"sets": taken.count}, None, taken.count / 50_000), "w")
    assert reached == 1_000_000
    assert counts[:4] == [1, 32, 1024, 32768]
    # A second's worth while there is much to do, and not all of the rest for one worker at the end.
    assert max(counts) == 50_000
    assert counts[-1] < 10_000


async def test_a_range_that_is_committed_twice_counts_once_to_the_last_digit(simulations: SimulationStore) -> None:
    simulation = await create(simulations, 1)
    taken = await take(simulations, simulation)
    sums = Played({"sets": 1, "big": BIG, "negative": -BIG}, None, 0.1)
    assert await simulations.commit(HERE, taken, sums, "one")
    assert not await simulations.commit(HERE, taken, sums, "two")
    assert await simulations.tally(HERE) == sums.tally
    done = await simulations.load(HERE)
    assert (done.state, done.done, done.chunks, done.workers) == ("done", 1, 1, 1)
    assert done.started_at
    assert done.finished_at
    assert await simulations.take(done, SECOND) is None


async def test_a_lost_range_is_given_to_another_with_the_same_bounds(simulations: SimulationStore) -> None:
    simulation = await create(simulations, 100)
    await simulations.commit(HERE, (first := await take(simulations, simulation)), played(first), "w")
    lost = await take(simulations, simulation, lease_ms=1)
    await asyncio.sleep(0.005)
    assert await take(simulations, simulation) == lost
    new = await take(simulations, simulation)
    assert new.first == lost.first + lost.count


async def test_a_renewed_range_is_not_given_to_another(simulations: SimulationStore) -> None:
    simulation = await create(simulations, 100)
    held = await take(simulations, simulation, lease_ms=1)
    assert await simulations.renew(HERE, held, 60_000)
    await asyncio.sleep(0.005)
    assert await take(simulations, simulation) != held


async def test_a_range_that_is_given_back_is_there_at_once_and_did_not_count_as_lost(
    simulations: SimulationStore,
) -> None:
    simulation = await create(simulations, 100)
    held = await take(simulations, simulation)
    for _ in range(2 * MOST_TAKES):
        assert await simulations.renew(HERE, held, 0)
        assert await take(simulations, simulation) == held


async def test_whoever_comes_late_with_a_range_changes_nothing(simulations: SimulationStore) -> None:
    simulation = await create(simulations, 2)
    lost = await take(simulations, simulation, lease_ms=1)
    await asyncio.sleep(0.005)
    again = await take(simulations, simulation)
    assert await simulations.commit(HERE, again, played(again), "quick")
    before = await simulations.load(HERE)
    assert not await simulations.commit(HERE, lost, played(lost), "late")
    assert not await simulations.renew(HERE, lost)
    assert not await simulations.fail(HERE, lost, FAULT)
    assert await simulations.load(HERE) == before


async def test_many_workers_that_die_at_random_leave_exact_sums(simulations: SimulationStore) -> None:
    simulation = await create(simulations, 3000)
    chance = random.Random("deaths")

    async def work(name: int) -> None:
        while (await simulations.load(HERE)).state in ("waiting", "running"):
            taken = await simulations.take(simulation, 0.01, lease_ms=20)
            await asyncio.sleep(chance.choice((0, 0, 0.03)))  # the last is longer than the lease
            if isinstance(taken, Range) and chance.random() < 0.8:
                await simulations.commit(HERE, taken, played(taken, taken.count / 10_000), str(name))

    await asyncio.gather(*(work(name) for name in range(4)))
    done = await simulations.load(HERE)
    assert (done.state, done.failure) == ("done", None)
    assert await simulations.tally(HERE) == all_of(3000)
    assert await lines(simulations, 3000) == list(range(3000))


# ------------------------------------------------------------------------------------------------ the end


async def test_a_cancelled_simulation_keeps_what_is_committed_and_takes_no_more(simulations: SimulationStore) -> None:
    simulation = await create(simulations, 100)
    await simulations.commit(HERE, (first := await take(simulations, simulation)), played(first), "w")
    running = await take(simulations, simulation)
    assert await simulations.cancel(HERE, 0)
    assert not await simulations.cancel(HERE, 0)
    assert not await simulations.renew(HERE, running)
    assert not await simulations.commit(HERE, running, played(running), "w")
    assert await simulations.take(simulation, SECOND) is None
    stopped = await simulations.load(HERE)
    assert (stopped.state, stopped.done, stopped.counted) == ("cancelled", 1, 1)
    assert await simulations.tally(HERE) == all_of(1)


async def test_a_range_that_fails_is_tried_again_until_the_simulation_has_failed(simulations: SimulationStore) -> None:
    simulation = await create(simulations, 100)
    first = await take(simulations, simulation)
    for _ in range(MOST_FAULTS - 1):
        assert await simulations.fail(HERE, first, FAULT)
        assert await take(simulations, simulation) == first
    assert await simulations.fail(HERE, first, FAULT)
    failed = await simulations.load(HERE)
    assert (failed.state, failed.failure) == ("failed", FAULT)
    assert await simulations.take(simulation, SECOND) is None


async def test_a_range_that_ends_all_its_workers_does_not_go_round_for_ever(simulations: SimulationStore) -> None:
    simulation = await create(simulations, 100)
    for _ in range(MOST_TAKES):
        await take(simulations, simulation, lease_ms=1)
        await asyncio.sleep(0.005)
    assert await simulations.take(simulation, SECOND) is None
    failed = await simulations.load(HERE)
    assert (failed.state, failed.failure) == ("failed", simulation_store.LOST)


async def test_every_key_ends_by_itself(simulations: SimulationStore, redis: Redis) -> None:
    simulation = await create(simulations, 1000, every=100)
    for _ in range(2):
        taken = await take(simulations, simulation)
        await simulations.commit(HERE, taken, played(taken), "w")
    await take(simulations, simulation)
    await simulations.enter(HERE, "who", 0)
    kept = {key: await redis.pttl(key) async for key in redis.scan_iter("*")}
    # The list of active ones is emptied by the sweep, as soon as one is over or gone.
    assert kept.pop(simulation_store.ACTIVE.encode()) == -1
    assert len(kept) == 6
    assert all(left > 0 for left in kept.values())


# ------------------------------------------------------------------------------------------------ rows


async def test_rows_are_read_in_order_up_to_the_first_gap(simulations: SimulationStore) -> None:
    simulation = await create(simulations, 1000)
    ranges = []
    for _ in range(3):
        ranges.append(await take(simulations, simulation))
        await simulations.commit(HERE, ranges[-1], played(ranges[-1]), "w")
    assert await lines(simulations, 1000) == list(range(sum(each.count for each in ranges)))
    gap = await take(simulations, simulation)
    beyond = await take(simulations, simulation)
    await simulations.commit(HERE, beyond, played(beyond), "w")
    assert await lines(simulations, 1000) == list(range(gap.first))
    await simulations.commit(HERE, gap, played(gap), "w")
    assert await lines(simulations, 1000) == list(range(beyond.first + beyond.count))
    assert await lines(simulations, gap.first) == list(range(gap.first))


# ------------------------------------------------------------------------------------------------ sequential tests


async def segments(store: SimulationStore, simulation: LoadedSimulation, look_at: int) -> list[int]:
    """Play until all is done, taking every look, and stopping at one; answers the looks."""
    looks = []
    while (taken := await store.take(simulation, SECOND)) is not None:
        if isinstance(taken, Look):
            looks.append(taken.number)
            stop = Stopped(reason="upper", looks=taken.number, sets=taken.number * 100, llr=3.0, text="It is.")
            assert await store.look(HERE, taken, stop if taken.number == look_at else None)
            assert not await store.look(HERE, taken, stop)
        else:
            assert (taken.first // 100, (taken.first + taken.count - 1) // 100) == (taken.segment - 1,) * 2
            await store.commit(HERE, taken, played(taken), "w")
    return looks


async def test_looks_come_in_order_and_what_lies_beyond_the_last_is_thrown_away(simulations: SimulationStore) -> None:
    simulation = await create(simulations, 1000, every=100)
    assert await segments(simulations, simulation, look_at=4) == [1, 2, 3, 4]
    done = await simulations.load(HERE)
    assert (done.state, done.looks, done.counted) == ("done", 4, 400)
    assert done.stopped
    assert done.stopped.reason == "upper"
    assert await simulations.tally(HERE) == all_of(400)


async def test_a_rest_that_makes_no_segment_is_counted_too(simulations: SimulationStore) -> None:
    simulation = await create(simulations, 250, every=100)
    assert await segments(simulations, simulation, look_at=3) == [1, 2, 3]
    assert (await simulations.load(HERE)).counted == 250
    assert await simulations.tally(HERE) == all_of(250)


async def test_nobody_plays_far_beyond_a_look_that_is_not_taken(simulations: SimulationStore, redis: Redis) -> None:
    simulation = await create(simulations, 100_000, every=100)
    slow = await take(simulations, simulation)
    while (taken := await simulations.take(simulation, SECOND)) is not None:
        assert isinstance(taken, Range)
        await simulations.commit(HERE, taken, played(taken), "w")
    ahead = await simulations.load(HERE)
    assert (ahead.looks, ahead.next) == (0, SEGMENTS * 100)
    assert not (await simulations.need(HERE)).takeable
    assert len([key async for key in redis.scan_iter("*:tally:*")]) == SEGMENTS
    await simulations.commit(HERE, slow, played(slow), "w")
    assert (await simulations.need(HERE)).takeable
    assert await simulations.take(simulation, SECOND) == Look(1)


async def test_a_cancelled_test_keeps_what_its_looks_have_counted(simulations: SimulationStore, redis: Redis) -> None:
    simulation = await create(simulations, 1000, every=100)
    while not isinstance(taken := await simulations.take(simulation, SECOND), Look):
        assert taken is not None
        await simulations.commit(HERE, taken, played(taken), "w")
    assert await simulations.look(HERE, taken, None)
    beyond = await take(simulations, simulation)
    await simulations.commit(HERE, beyond, played(beyond), "w")
    assert await simulations.cancel(HERE, 1)
    stopped = await simulations.load(HERE)
    assert (stopped.counted, stopped.done) == (100, 100 + beyond.count)
    assert await simulations.tally(HERE) == all_of(100)
    assert [key async for key in redis.scan_iter("*:tally:*")] == []


# ------------------------------------------------------------------------------------------------ who needs workers


async def test_it_needs_workers_while_there_is_work_that_nobody_does(simulations: SimulationStore) -> None:
    assert (await simulations.need(HERE)).state is None
    simulation = await create(simulations, 2)
    assert (await simulations.need(HERE)).takeable
    first, last = await take(simulations, simulation), await take(simulations, simulation)
    need = await simulations.need(HERE)
    assert (need.state, need.live, need.takeable) == ("running", 2, False)
    await simulations.renew(HERE, last, 0)
    need = await simulations.need(HERE)
    assert (need.live, need.takeable) == (1, True)
    for taken in (first, last):
        await simulations.commit(HERE, taken, played(taken), "w")
    need = await simulations.need(HERE)
    assert (need.state, need.live, need.takeable) == ("done", 0, False)


async def test_an_asker_has_so_many_on_the_list_and_one_that_leaves_makes_room(simulations: SimulationStore) -> None:
    ids = ["sm_" + letter * 20 for letter in "abcd"]
    assert [await simulations.enter(each, "one", 2) for each in ids] == [True, True, False, False]
    assert await simulations.enter(ids[3], "another", 2)
    assert await simulations.enter(ids[1], "one", 2), "it is there already"
    assert [each for each, _ in await simulations.active()] == [ids[0], ids[1], ids[3]]
    await simulations.leave(ids[0])
    assert await simulations.enter(ids[2], "one", 2)
    assert not await simulations.enter(ids[0], "one", 2)
    assert await simulations.enter(ids[0], "one", 0)
