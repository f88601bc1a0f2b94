import pytest
from redis.asyncio import Redis

from engine.wire import Pass
from service import games
from service.access import Caller, Tokens
from service.games import Context
from service.store import SHARDS, Store
from tests.store.formats import FOUR, GAME, RULES, WHERE, move, play, write_back, written_down

pytestmark = pytest.mark.anyio


async def test_what_is_kept_has_the_form_that_is_written_down(store: Store, redis: Redis) -> None:
    """A change of form must still read games that are there; review the diff of `python -m tests.store.formats`."""
    await play(store)
    assert await written_down(redis) == WHERE.read_text()


async def test_no_card_is_kept_but_those_that_were_played(store: Store, redis: Redis) -> None:
    await play(store)
    assert "-spades" not in await written_down(redis)
    assert '"hand": null' in await written_down(redis)


async def test_a_game_in_the_form_that_is_written_down_is_read_and_goes_on(store: Store, redis: Redis) -> None:
    await write_back(redis, WHERE.read_text())
    context = Context(store, Tokens((b"any secret",)))
    game = await games.load(context, GAME)
    view = games.view(game, Caller(2, 0))
    assert (view.version, view.to_move, view.deal.number, view.match.deals_played) == (6, 3, 2, 1)
    assert view.you is not None
    assert len(view.you.hand) == 13
    assert [seat.name for seat in view.seats] == [seat.name for seat in FOUR.seats]
    assert [entry.version for entry in await store.log(GAME, 0, 100)] == [1, 2, 3, 4, 5, 6]
    assert [deal.number for deal in (await games.finished_deals(context, game, 0, 10)).items] == [1]
    await move(context, Pass())
    assert (await games.load(context, GAME)).version == 7


async def test_due_work_and_jobs_in_the_form_that_is_written_down_are_read(store: Store, redis: Redis) -> None:
    await write_back(redis, WHERE.read_text())
    taken = [member for members, _ in await store.take_all(SHARDS, 1000, 10) for member in members]
    jobs = [await store.job(member.partition(":")[0]) for member in taken if member.endswith(":job")]
    assert [(job.expected_version, job.bot, state) for job, state, _ in filter(None, jobs)] == [(5, RULES, "queued")]
