"""A bot's turn, done in this process, so that a test can say what the bot does."""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from engine import bots
from engine.bots import Bot, Decision
from engine.wire import Bid, Pass
from service import bot_moves, creation, games
from service.access import Tokens
from service.bot_moves import FIRST_MOVE, take_turn
from service.errors import Unavailable
from service.games import Context
from service.schemas import ApplyMove, AskBot, BotSeat, BotSpec, CreateGame, PlayerSeat
from service.store import Store, bot_member, connect, key, shard_of
from tests.processes import PATIENCE

pytestmark = pytest.mark.anyio

RULES = BotSpec(bot="rules", version=1)
OURS = BotSpec(bot="random", version=1)
"""What the bots at these tables are called; each test says what they do."""
Play = Callable[[Any, Any, Any], Decision]
FOUR = CreateGame(ruleset="tarneeb", options={"first_dealer": 1}, seats=[PlayerSeat()] * 4)


@pytest.fixture
def anyio_backend() -> str:
    """Run asynchronous tests on asyncio, as the workers do."""
    return "asyncio"


@pytest.fixture
async def context(clean_redis: str) -> AsyncIterator[Context]:
    """Give what a worker works with."""
    store = Store(connect(clean_redis))
    yield Context(store, Tokens((b"secret",)))
    await store.close()


async def a_bots_turn(context: Context) -> str:
    """Create a game in which a bot is to move, at version 1."""
    options = {"first_dealer": 1}  # so that seat 0 begins
    seats = [BotSeat(bot=OURS), PlayerSeat(), PlayerSeat(), PlayerSeat()]
    created = await creation.create_game(context, CreateGame(ruleset="tarneeb", options=options, seats=seats))
    return created.game.game_id


async def due(context: Context, game: str) -> list[str]:
    """Give what is due in the game's shard."""
    return [member.decode() for member in await context.store.redis.zrange(key("due", shard_of(game)), 0, -1)]


def let_bot(monkeypatch: pytest.MonkeyPatch, name: str, play: Play) -> None:
    """Let a bot choose so."""
    known = tuple(Bot(name, 1, "", play) if bot.name == name else bot for bot in bots.BOTS)
    monkeypatch.setattr(bots, "BOTS", known)


def fails(*_: Any) -> Decision:
    """Choose nothing."""
    raise ZeroDivisionError


def cheats(*_: Any) -> Decision:
    """Choose a move that is not legal."""
    return Decision(10_000)


async def test_a_bot_moves_and_the_log_says_which(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    game = await a_bots_turn(context)
    let_bot(monkeypatch, "random", lambda seen, _chance, _budget: Decision(seen.moves[-1]))
    assert await take_turn(context, game, 1)
    entry = (await context.store.log(game, 1, 10))[0]
    assert (entry.seat, entry.by, entry.bot, entry.expected_version) == (0, "bot", OURS, 1)
    assert entry.move == Bid(13)
    assert await due(context, game) == [bot_member(game, 2)]  # to name the trump


@pytest.mark.parametrize("play", [fails, cheats])
async def test_a_bot_that_fails_or_cheats_is_replaced_by_rules_and_the_log_says_so(
    context: Context, monkeypatch: pytest.MonkeyPatch, play: Play
) -> None:
    game = await a_bots_turn(context)
    let_bot(monkeypatch, "random", play)
    assert await take_turn(context, game, 1)
    assert [entry.bot for entry in await context.store.log(game, 1, 10)] == [RULES]


@pytest.mark.parametrize("play", [fails, cheats])
async def test_where_rules_fails_too_the_first_legal_move_is_made(
    context: Context, monkeypatch: pytest.MonkeyPatch, play: Play
) -> None:
    game = await a_bots_turn(context)
    let_bot(monkeypatch, "random", fails)
    let_bot(monkeypatch, "rules", play)
    assert await take_turn(context, game, 1)
    assert [(entry.bot, entry.move) for entry in await context.store.log(game, 1, 10)] == [(FIRST_MOVE, Pass())]


async def test_what_a_failing_bot_held_is_not_told(
    context: Context, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def tells(seen: Any, *_: Any) -> Decision:
        raise ValueError(f"I hold {seen.hand}")

    let_bot(monkeypatch, "random", tells)
    with caplog.at_level(logging.DEBUG):
        await take_turn(context, await a_bots_turn(context), 1)
    assert "Bot random failed (ValueError)." in caplog.text
    assert "I hold" not in caplog.text


async def test_a_turn_that_has_passed_changes_nothing_and_is_no_longer_due(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = await a_bots_turn(context)
    let_bot(monkeypatch, "random", lambda seen, _chance, _budget: Decision(seen.moves[0]))  # it passes
    assert await take_turn(context, game, 1)
    cursor = (await context.store.load(game)).cursor
    await context.store.redis.zadd(key("due", shard_of(game)), {bot_member(game, 1): 0, bot_member(game, 2): 0})
    assert not await take_turn(context, game, 1)
    assert not await take_turn(context, game, 2)  # a player's turn
    assert (await context.store.load(game)).cursor == cursor
    assert await due(context, game) == []


async def test_of_two_workers_at_one_turn_one_moves(context: Context) -> None:
    """A worker that has lost its lease, and the one that has taken the turn over."""
    game = await a_bots_turn(context)
    other = Context(context.store, context.tokens)
    moved = await asyncio.gather(take_turn(context, game, 1), take_turn(other, game, 1))
    assert sorted(moved) == [False, True]
    assert len(await context.store.log(game, 0, 10)) == 2


class Thinking:
    """A bot that thinks until it is told to stop."""

    def __init__(self) -> None:
        self.enough = threading.Event()

    def __call__(self, seen: Any, _chance: Any, _budget: Any) -> Decision:
        """Think, then make the first legal move."""
        assert self.enough.wait(PATIENCE)
        return Decision(seen.moves[0])


async def test_while_a_bot_thinks_its_turn_is_given_to_nobody_else(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    thinking, game = Thinking(), await a_bots_turn(context)
    let_bot(monkeypatch, "random", thinking)
    monkeypatch.setattr(bot_moves, "LEASE_MS", 30)  # renewed every 10 ms
    index, member = key("due", shard_of(game)), bot_member(game, 1)
    leased = await context.store.redis.zscore(index, member)
    turn = asyncio.create_task(take_turn(context, game, 1))
    for _ in range(3):
        async with asyncio.timeout(PATIENCE):
            while (now := await context.store.redis.zscore(index, member)) == leased:
                await asyncio.sleep(0.005)
        leased = now
        assert (await context.store.take(shard_of(game), 30, 10))[0] == []
    thinking.enough.set()
    assert await turn


async def test_a_bot_thinks_on_where_its_lease_cannot_be_renewed(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    thinking, game = Thinking(), await a_bots_turn(context)
    let_bot(monkeypatch, "random", thinking)
    monkeypatch.setattr(bot_moves, "LEASE_MS", 30)

    async def away(_member: str) -> bool:
        thinking.enough.set()
        raise Unavailable("The store did not answer.")

    monkeypatch.setattr(context.store, "renew", away)
    assert await take_turn(context, game, 1)
    assert [entry.bot for entry in await context.store.log(game, 1, 10)] == [OURS]


async def test_a_job_whose_worker_died_after_the_move_is_answered_with_that_move(context: Context) -> None:
    """The answer is lost, the move is not: whoever does the job again finds it in the log."""
    options = {"first_dealer": 1}
    created = await creation.create_game(
        context, CreateGame(ruleset="tarneeb", options=options, seats=[PlayerSeat()] * 4)
    )
    game = await games.load(context, created.game.game_id)
    job_id = await bot_moves.ask(context, game, 0, AskBot(expected_version=1, bot=RULES, play=True))
    answer, made = context.store.answer, []

    async def dies(*_: Any) -> bool:
        made.extend(await context.store.log(game.id, 1, 10))
        raise Unavailable("The worker dies.")

    context.store.answer = dies  # type: ignore[method-assign]
    with pytest.raises(Unavailable):
        await bot_moves.answer_job(context, job_id)
    context.store.answer = answer  # type: ignore[method-assign]
    assert len(made) == 1
    assert await due(context, game.id) == [f"{job_id}:0:job"]
    assert await bot_moves.answer_job(context, job_id)
    job = await bot_moves.read_job(context, job_id, context.tokens.of_seat(game.id, 0, 0))
    assert job.answer is not None
    assert (job.answer.move, job.answer.played_version) == (made[0].move, 2)
    assert await context.store.log(game.id, 1, 10) == made


async def test_a_job_that_comes_too_late_says_who_was_first(context: Context) -> None:
    options = {"first_dealer": 1}
    created = await creation.create_game(
        context, CreateGame(ruleset="tarneeb", options=options, seats=[PlayerSeat()] * 4)
    )
    game = await games.load(context, created.game.game_id)
    token = context.tokens.of_seat(game.id, 0, 0)
    job_id = await bot_moves.ask(context, game, 0, AskBot(expected_version=1, bot=RULES, play=True))
    game, caller = await games.enter(context, game.id, token)
    await games.apply_move(context, game, games.seated(caller), ApplyMove(expected_version=1, move=Pass()))
    assert await bot_moves.answer_job(context, job_id)
    job = await bot_moves.read_job(context, job_id, token)
    assert (job.state, job.failure.code if job.failure else None) == ("failed", "version_conflict")
    assert len(await context.store.log(game.id, 0, 10)) == 2
