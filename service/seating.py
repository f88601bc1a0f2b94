"""Who sits where: taking open seats, new tokens, coming back, leaving, and the creator's ending of a game.

Every change is an entry of the log, written against the version that it was decided on and tried anew where others
were first. All of them may be repeated: what has been done already changes nothing more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable

import msgspec
from msgspec.structs import replace

from service.access import BY_CREATOR, Caller, Seated
from service.creation import start
from service.errors import Forbidden, IdempotencyMismatch, SeatsOpen, SeatTaken, Unauthorized, Unavailable
from service.games import TRIES, Context, check_going_on, check_holds, check_seat, commit, holds, is_over, load
from service.schemas import (
    Abandoned,
    By,
    ClaimedSeat,
    ClaimSeat,
    ControllerChanged,
    GameView,
    Resigned,
    SeatClaimed,
    SeatToken,
    TokenRotated,
)
from service.store import Entry, Loaded, Standing
from service.views import game_view, match_of


def _entry(seat: int | None, by: By, *events: object, left: bool = False) -> Entry:
    return Entry(seat, by, None, None, None, list(events), left=left)


async def _changed(context: Context, game: Loaded, change: Callable[[Loaded], Awaitable[Loaded | None]]) -> Loaded:
    """The game after a change, which answers None where others were first."""
    for _ in range(TRIES):
        if (after := await change(game)) is not None:
            return after
        game = await load(context, game.id)
    raise Unavailable("The game is changing too fast; repeat the same bytes.")


async def claim(
    context: Context, game: Loaded, seat: int, request: ClaimSeat, key: str | None
) -> tuple[ClaimedSeat, bool]:
    """Take an open seat with its invite, once; with the same key the first answer's token again, and True beside it.

    The game starts with the last claim unless it waits for its creator. Raises Unauthorized, SeatTaken,
    IdempotencyMismatch, DealOver.
    """
    if not context.tokens.is_invite(game.id, seat, request.invite):
        raise Unauthorized("This is no invite to this seat.")
    mark = f"{_digest(key or '')}.{_digest(msgspec.json.encode(request).decode())}"
    again = False

    async def take(now: Loaded) -> Loaded | None:
        nonlocal again
        if now.seats[seat].claim:
            again = _is_repetition(now.seats[seat].claim, mark, key)
            return now
        check_going_on(now)
        standing = now.standing.with_seat(seat, name=request.name, client_seed=request.client_seed, claim=mark)
        entry = _entry(seat, "player", SeatClaimed(seat, request.name))
        if now.header.start == "manual" or _open_seats(now, standing):
            return await commit(context, now, None, entry, standing)
        return await start(context, now, entry, standing)

    after = await _changed(context, game, take)
    caller = Caller(seat, 0)
    if not holds(after, caller):
        raise SeatTaken("The seat has been claimed, and has had a new token since.")
    token = context.tokens.of_seat(game.id, seat, 0)
    return ClaimedSeat(seat=seat, token=token, game=game_view(after, caller)), again


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _is_repetition(before: str, mark: str, key: str | None) -> bool:
    """Whether a claim is the one that took the seat. Raises SeatTaken, IdempotencyMismatch."""
    if key is None or before.partition(".")[0] != mark.partition(".")[0]:
        raise SeatTaken("Somebody has claimed this seat.")
    if before != mark:
        raise IdempotencyMismatch("The first claim with this key was another one.")
    return True


def _open_seats(game: Loaded, standing: Standing) -> list[int]:
    """The seats that nobody has claimed yet."""
    made_for = zip(game.header.seats, standing.seats, strict=True)
    return [number for number, (seat, now) in enumerate(made_for) if seat.kind == "open" and not now.claim]


def creator_only(caller: Caller | None) -> None:
    """Unauthorized without a token, Forbidden for a seat's."""
    if caller is None:
        raise Unauthorized("Send the creator's token, or the API key that created the game.")
    if caller.seat is not None:
        raise Forbidden("This needs the creator's token, or the API key that created the game.")


async def start_game(context: Context, game: Loaded, client_seed: str | None) -> GameView:
    """Start a game that waits for its creator; one that has started stays as it is. Raises SeatsOpen, DealOver."""

    async def begin(now: Loaded) -> Loaded | None:
        if now.status != "waiting":
            match_of(now)  # refuses where the game ended before it began
            return now
        if seats := _open_seats(now, now.standing):
            raise SeatsOpen(f"Nobody has claimed seat {', '.join(map(str, seats))}.")
        standing = replace(now.standing, creator_seed=client_seed)
        return await start(context, now, _entry(None, "creator"), standing)

    return game_view(await _changed(context, game, begin), BY_CREATOR)


async def rotate(context: Context, game: Loaded, seat: int, caller: Caller) -> SeatToken:
    """Give a seat a new token; the old one is dead from then on. Raises Unauthorized, Forbidden, DealOver."""
    if caller.seat not in (None, seat):
        raise Forbidden("A seat's token is renewed by the seat itself, or by the creator.")

    async def renew(now: Loaded) -> Loaded | None:
        check_holds(now, caller)
        if seat >= len(now.seats) or now.header.seats[seat].kind == "bot" or seat in _open_seats(now, now.standing):
            raise Forbidden("Nobody holds a token of this seat.")
        check_going_on(now)
        standing = now.standing.with_seat(seat, generation=now.seats[seat].generation + 1)
        entry = _entry(caller.seat, "creator" if caller.seat is None else "player", TokenRotated(seat))
        return await commit(context, now, now.match and now.match.copy(), entry, standing)

    after = await _changed(context, game, renew)
    return SeatToken(seat=seat, token=context.tokens.of_seat(game.id, seat, after.seats[seat].generation))


async def come_back(context: Context, game: Loaded, caller: Seated) -> GameView:
    """Take a seat back from its stand-in, with the whole time for the running move.

    Raises Forbidden, NotStarted, DealOver.
    """

    async def take_back(now: Loaded) -> Loaded | None:
        check_holds(now, caller)
        check_seat(now, caller.seat)
        match = match_of(now)
        if now.seats[caller.seat].controller == "player":
            return now
        check_going_on(now)
        standing = now.standing.with_seat(caller.seat, controller="player")
        entry = _entry(caller.seat, "player", ControllerChanged(caller.seat, "player"))
        return await commit(context, now, match.copy(), entry, standing)

    return game_view(await _changed(context, game, take_back), caller)


async def resign(context: Context, game: Loaded, caller: Seated) -> GameView:
    """Leave a seat to the stand-in for good. Raises NotStarted, DealOver."""

    async def leave(now: Loaded) -> Loaded | None:
        check_holds(now, caller)
        match = match_of(now).copy()
        if now.seats[caller.seat].resigned:
            return now
        check_going_on(now)
        standing = now.standing.with_seat(caller.seat, controller="bot", resigned=True)
        entry = _entry(caller.seat, "player", Resigned(caller.seat), *match.leave(caller.seat), left=True)
        return await commit(context, now, match, entry, standing)

    return game_view(await _changed(context, game, leave), caller)


async def abandon(context: Context, game: Loaded) -> GameView:
    """End a game for good; one that is over stays as it is."""

    async def end(now: Loaded) -> Loaded | None:
        if is_over(now):
            return now
        return await commit(context, now, now.match, _entry(None, "creator", Abandoned()), abandoned=True)

    return game_view(await _changed(context, game, end), BY_CREATOR)


async def erase(context: Context, game: Loaded) -> None:
    """End a game and erase everything of it; its id says so for a while."""
    await context.store.erase(game.id)
    context.recent.forget(game.id)
