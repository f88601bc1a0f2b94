"""Creating a game, at most once for each `Idempotency-Key`.

A key makes the game's id, so that the one commit that creates the game is also what remembers the key: there is no
moment at which a key is taken and its game is not there, and no answer is kept, since the first answer can be made
again from the log and the tokens from the secret.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import msgspec
from msgspec.structs import replace

from engine import catalog
from engine.errors import InvalidOptions
from engine.match import Match, Ruleset
from service import fairness
from service.access import Caller
from service.errors import GameExpired, GameNotFound, IdempotencyMismatch, Unavailable
from service.games import Context, commit, match_from, resolve_bot, voters
from service.schemas import BotSeat, CreatedGame, CreateGame, SeatToken
from service.store import RETENTION_MS, Entry, Header, HeaderSeat, Loaded, SeatState, new_game_id
from service.views import game_view

PACE_MS = 500
"""How long a bot waits before it moves when a player is at the table: people want to see what happens."""
CREATOR = Caller(seat=None, generation=0)


async def create_game(context: Context, request: CreateGame) -> CreatedGame:
    """Create a game and, since every seat is taken, start it. Raises InvalidOptions, UnknownBot."""
    return await _create(context, request, new_game_id())


async def create_once(context: Context, request: CreateGame, key: str) -> tuple[CreatedGame, bool]:
    """Create the game of a key, or find it created; then the first answer again, and True beside it.

    Raises InvalidOptions, UnknownBot, IdempotencyMismatch.
    """
    ids = [_id_of(derived) for derived in context.tokens.derive_each("game", key)]
    for game_id in ids:
        if (created := await _created_before(context, request, game_id)) is not None:
            return created, True
    try:
        return await _create(context, request, ids[0]), False
    except _TakenError:
        if (created := await _created_before(context, request, ids[0])) is None:
            raise Unavailable("A new game could not be written.") from None
        return created, True


class _TakenError(Exception):
    """Another request with the same key was first."""


async def _create(context: Context, request: CreateGame, game_id: str) -> CreatedGame:
    ruleset = catalog.find(request.ruleset)
    options = ruleset.resolve(request.preset, request.options, len(request.seats))
    header = _header(game_id, ruleset, options, request)
    if ruleset.propose is not None and options.target is None and not voters(header):
        raise InvalidOptions([("/options/target", "A match of bots alone needs a target: nobody could agree on one.")])
    match = Match(ruleset, options, len(header.seats), context.deals(header.seed, []), voters=voters(header))
    entry = Entry(None, "service", None, None, None, match.start())
    new = Loaded(game_id, header, _seats(header), "playing", 0, "", None, [], 0, 0, 0)
    game = await commit(context, new, match, entry, header)
    if game is None:
        raise _TakenError
    return _answer(context, game)


def _id_of(derived: str) -> str:
    """A game's id of 100 bits from what a key derives: 64 hex digits."""
    return "gm_" + base64.b32encode(bytes.fromhex(derived)).decode().lower()[:20]


async def _created_before(context: Context, request: CreateGame, game_id: str) -> CreatedGame | None:
    """The answer that creating this game had, made again; None where there is no such game, or no more."""
    try:
        game = await context.store.load(game_id)
    except (GameNotFound, GameExpired):
        return None
    if game.header.request != _digest(request):
        raise IdempotencyMismatch("The first request with this key asked for another game.")
    (first,), (start,) = await context.store.log(game_id, 0, 1), await context.store.deals(game_id, 1, 1)
    then = replace(
        game, seats=_seats(game.header), status="playing", version=first.version, cursor=first.cursor, start=start,
        turn_at=first.at, created_at=first.at, expires_at=first.at + RETENTION_MS["playing"],
    )  # fmt: skip
    return _answer(context, replace(then, match=match_from(context, then, start)))


def _digest(request: CreateGame) -> str:
    """What two requests share if and only if they ask for the same game."""
    return hashlib.sha256(msgspec.json.encode(request, order="sorted")).hexdigest()


def _answer(context: Context, game: Loaded) -> CreatedGame:
    tokens = [
        SeatToken(seat=number, token=context.tokens.of_seat(game.id, number, 0))
        for number, seat in enumerate(game.header.seats)
        if seat.kind == "player"
    ]
    return CreatedGame(game=game_view(game, CREATOR), seats=tokens, creator_token=context.tokens.of_creator(game.id))


def _seats(header: Header) -> list[SeatState]:
    """The seats as they are when a game begins."""
    return [SeatState(controller=seat.kind) for seat in header.seats]


def _header(game_id: str, ruleset: Ruleset, options: Any, request: CreateGame) -> Header:
    seats = [
        HeaderSeat("bot", seat.name, resolve_bot(seat.bot)) if isinstance(seat, BotSeat) else
        HeaderSeat("player", seat.name, None)
        for seat in request.seats
    ]  # fmt: skip
    with_players = any(seat.kind == "player" for seat in seats)
    pace = request.pace_seconds
    seed = request.seed or fairness.new_seed()
    return Header(
        ruleset=ruleset.name,
        rules_version=ruleset.version,
        options=msgspec.to_builtins(options),
        seats=seats,
        pace_ms=round(pace * 1000) if pace is not None else PACE_MS * with_players,
        advice=request.advice,
        seed=seed,
        fair=request.seed is None,
        commitment=fairness.commitment(game_id, seed),
        metadata=request.metadata,
        request=_digest(request),
    )
