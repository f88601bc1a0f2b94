"""Bots at the table: a bot's own turn, and bot moves that a player asks for. Called by workers, asked for over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from typing import Any

import msgspec

from engine import bots
from engine.bots import Budget, Decision
from engine.chance import Chance
from engine.errors import DealOver, EngineError, NotYourTurn
from engine.match import Match
from service.errors import (
    GONE,
    PROBLEMS,
    AdviceForbidden,
    JobNotFound,
    RateLimited,
    ServiceError,
    Unauthorized,
    Unavailable,
    VersionConflict,
)
from service.games import (
    TRIES,
    Context,
    check_seat,
    check_version,
    enter,
    first_conflict,
    is_playing,
    load,
    make_move,
    resolve_bot,
)
from service.schemas import AskBot, BotMove, BotSpec, CandidateMove, Controller, Due, Job, JobFailure
from service.store import LEASE_MS, Entry, Loaded, StoredJob, due_member, job_member, shard_of
from service.views import match_of, mover_of

LOOK_AGAIN = 1.0
"""Seconds after which a job is looked at again that nobody announced as finished."""
FIRST_MOVE = BotSpec(bot="random", version=1)
log = logging.getLogger("tapete.bots")
"""Says which bot failed and how, never what it held."""


async def take_turn(context: Context, game_id: str, version: int, kind: Due = "bot") -> bool:
    """Let the bot whose turn it is at this version move, or the stand-in of a player whose time is up.

    False where the game has moved on or is gone. The stand-in keeps the seat until its player comes back.
    """
    member = due_member(game_id, version, kind)
    try:
        game = await load(context, game_id)
        if not await _is_due(context, game, version, kind):
            await context.store.drop(member)
            return False
        match = match_of(game)
        seat = match.to_move
        controller: Controller = "bot" if game.seats[seat].controller == "bot" else "stand_in"
        spec = mover_of(game, seat) or game.header.stand_in
        spec, decision = await _decide(context, game, match, spec, member)
        entry = Entry(seat, controller, spec, _wire(match, decision.move), game.version, [])
        for _ in range(TRIES):
            if await make_move(context, game, entry, controller) is not None:
                return True
            game = await load(context, game_id)
            if not await _is_due(context, game, version, kind):
                return False
    except GONE:
        await context.store.drop(member)
    return False


async def _is_due(context: Context, game: Loaded, version: int, kind: Due) -> bool:
    """Whether the turn that began at this version is still to be taken.

    Entries that are no moves may have come since: whoever writes many of them must not keep a game from going on.
    """
    if not is_playing(game) or game.due != kind or version > game.version:
        return False
    return version == game.version or await first_conflict(context, game, match_of(game).to_move, version) is None


async def ask(context: Context, game: Loaded, seat: int, request: AskBot) -> str:
    """Write down that a bot shall choose for a seat; answers the job's id, the same for the same request.

    Raises Forbidden, AdviceForbidden, DealOver, VersionConflict, NotYourTurn, UnknownBot,
    RateLimited where too many of the seat's jobs wait.
    """
    check_seat(game, seat)
    job = StoredJob(game.id, seat, request.expected_version, resolve_bot(request.bot), request.play)
    job_id = _job_id(context, job)
    if await context.store.job(job_id) is None:
        if not game.header.advice:
            raise AdviceForbidden("This game was created without advice.")
        await _check(context, game, match_of(game), job)
        if await context.store.ask(job_id, job, context.waiting_jobs) is None:
            raise RateLimited("waiting_jobs", 1)
        context.nudge(shard_of(job_id), 0)
    return job_id


def _job_id(context: Context, job: StoredJob) -> str:
    parts = context.tokens.derive("job", msgspec.json.encode(job).decode())
    return f"jb_{job.game_id[3:]}_{parts[:32]}"


async def _check(context: Context, game: Loaded, match: Match, job: StoredJob) -> None:
    check_seat(game, job.seat)
    if not is_playing(game):
        raise DealOver
    expected = job.expected_version
    first = await first_conflict(context, game, job.seat, expected) if expected < game.version else None
    check_version(game, expected, first)
    if match.to_move != job.seat:
        raise NotYourTurn


async def read_job(context: Context, job_id: str, token: str | None) -> Job:
    """A job as whoever asked for it may read it. Unauthorized without a good token, JobNotFound with another's."""
    if token is None:
        raise Unauthorized("Send the token that asked for the job.")
    found = await context.store.job(job_id[:80])
    if found is None:
        raise JobNotFound("There is no such job of yours.")
    job, state, answer = found
    try:
        _, caller = await enter(context, job.game_id, token)
    except GONE:
        caller = None
    if caller is None or caller.seat != job.seat:
        raise JobNotFound("There is no such job of yours.")
    return Job(
        job_id=job_id,
        game_id=job.game_id,
        seat=job.seat,
        state=state,
        play=job.play,
        expected_version=job.expected_version,
        answer=msgspec.json.decode(answer, type=BotMove) if state == "done" else None,
        failure=msgspec.json.decode(answer, type=JobFailure) if state == "failed" else None,
    )


async def wait_for_job(context: Context, job_id: str, token: str | None, seconds: float) -> Job:
    """The job when it is finished, or as it stands after `seconds`."""
    until = time.monotonic() + seconds
    with context.wakeups.bell(job_id) as bell:
        while True:
            job = await read_job(context, job_id, token)
            left = until - time.monotonic()
            if job.state != "queued" or left <= 0 or context.wakeups.closing:
                return job
            await bell.wait(min(left, LOOK_AGAIN))


async def answer_job(context: Context, job_id: str) -> bool:
    """Do a job that a client asked for, and write the answer down; False where there is nothing to do."""
    found = await context.store.job(job_id)
    if found is None or found[1] != "queued":
        await context.store.drop(job_member(job_id))
        return False
    try:
        answer = await _bot_move(context, job_id, found[0])
        return await context.store.answer(job_id, "done", msgspec.json.encode(answer))
    except Unavailable:
        raise
    except (ServiceError, EngineError) as error:
        failure = JobFailure(code=error.code, detail=f"{error} {PROBLEMS[error.code].advice}".strip())
        return await context.store.answer(job_id, "failed", msgspec.json.encode(failure))


async def _bot_move(context: Context, job_id: str, job: StoredJob) -> BotMove:
    game = await load(context, job.game_id)
    match = match_of(game)
    if (played := await _played_before(context, game, job)) is not None:
        return played
    await _check(context, game, match, job)
    started = time.monotonic()
    spec, decision = await _decide(context, game, match, job.bot, job_member(job_id))
    move = _wire(match, decision.move)
    version = None
    if job.play:
        entry = Entry(job.seat, "bot", spec, move, job.expected_version, [])
        if (version := await _play(context, game, job, entry)) is None:
            # Perhaps this very job, run twice, was first.
            if (played := await _played_before(context, game, job)) is not None:
                return played
            raise VersionConflict("Somebody moved while the bot was thinking.")
    return BotMove(
        move=move,
        bot=spec,
        samples=decision.samples,
        seconds=round(time.monotonic() - started, 6),
        candidates=[_candidate(match, each) for each in decision.candidates],
        played_version=version,
    )


async def _play(context: Context, game: Loaded, job: StoredJob, entry: Entry) -> int | None:
    """Make the move of a job, and answer its version; None where others have moved. Raises what `_check` does."""
    for _ in range(TRIES):
        if (after := await make_move(context, game, entry, "player")) is not None:
            return after.version
        game = await load(context, game.id)
        if await first_conflict(context, game, job.seat, job.expected_version) is not None:
            return None
        await _check(context, game, match_of(game), job)
    return None


async def _played_before(context: Context, game: Loaded, job: StoredJob) -> BotMove | None:
    """The answer of a job whose worker died after the move was made and before the answer was written."""
    if not job.play:
        return None
    first = await first_conflict(context, game, job.seat, job.expected_version)
    if first is None or first.move is None:
        return None
    if (first.seat, first.by, first.bot, first.expected_version) != (job.seat, "bot", job.bot, job.expected_version):
        return None
    return BotMove(move=first.move, bot=job.bot, samples=0, seconds=0.0, candidates=[], played_version=first.version)


async def _decide(context: Context, game: Loaded, match: Match, spec: BotSpec, member: str) -> tuple[BotSpec, Decision]:
    """Let a bot choose for the seat to move, on its knowledge, holding the lease meanwhile; who chose, and what.

    A bot that fails, or answers no legal move, is replaced by `rules`, and that by the first legal move.
    """
    seen = match.observe(match.to_move)
    seed = context.tokens.derive("bot", game.id, game.version, seen.seat)
    for each in (spec, BotSpec(bot="rules", version=bots.find("rules").version)):
        try:
            decision = await _hold(context, member, _choose, each, seen, seed)
        except Exception as error:
            log.error("Bot %s failed (%s).", each.bot, type(error).__name__)
            continue
        if decision.move in seen.moves:
            return each, decision
        log.error("Bot %s chose no legal move.", each.bot)
    return FIRST_MOVE, Decision(seen.moves[0])


def _choose(spec: BotSpec, seen: Any, seed: str) -> Decision:
    bot = bots.find(spec.bot, spec.version)
    return bot.choose(seen, Chance(seed), Budget(spec.budget.samples) if spec.budget else None)


async def _hold(context: Context, member: str, function: Any, *arguments: Any) -> Any:
    """Run a function in a thread, renewing the lease of its due work until it is done."""
    thinking = asyncio.ensure_future(asyncio.to_thread(function, *arguments))
    while True:
        done, _ = await asyncio.wait({thinking}, timeout=LEASE_MS / 3000)
        if done:
            return thinking.result()
        # A lease that cannot be renewed may be lost, and then the commit finds out; thinking goes on.
        with contextlib.suppress(Unavailable):
            await context.store.renew(member)


def _wire(match: Match, move: int) -> Any:
    return match.codec.encode(move)


def _candidate(match: Match, candidate: bots.Candidate) -> CandidateMove:
    return CandidateMove(
        move=_wire(match, candidate.move),
        estimate=candidate.estimate,
        low=candidate.estimate - candidate.margin,
        high=candidate.estimate + candidate.margin,
    )
