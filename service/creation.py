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
from service.access import BY_CREATOR
from service.errors import GameExpired, GameNotFound, IdempotencyMismatch, Unavailable
from service.games import Context, commit, match_from, next_due, resolve_bot, rules_of, voters
from service.schemas import BotSeat, CreatedGame, CreateGame, NewSeat, OpenSeat, PlayerSeat, SeatAccess, Status
from service.store import RETENTION_MS, Entry, Header, HeaderSeat, Loaded, SeatState, Standing, new_game_id
from service.views import game_view

PACE_MS = 500
"""How long a bot waits before it moves when a player is at the table: people want to see what happens."""


async def create_game(context: Context, request: CreateGame, owner: str = "") -> CreatedGame:
    """Create a game and, where every seat is taken, start it. Raises InvalidOptions, UnknownBot.

    `owner` is the name that the API key belongs to, empty without one.
    """
    return await _create(context, request, new_game_id(), owner)


async def create_once(context: Context, request: CreateGame, key: str, owner: str = "") -> tuple[CreatedGame, bool]:
    """Create the game of a key, or find it created; then the first answer again, and True beside it.

    Each owner has keys of its own. Raises InvalidOptions, UnknownBot, IdempotencyMismatch, GameDeleted.
    """
    # No owner's name holds a colon, and a key without an owner is a UUID: no two can derive the same.
    scoped = (owner, key) if owner else (key,)
    ids = [_id_of(derived) for derived in context.tokens.derive_each("game", *scoped)]
    for game_id in ids:
        if (created := await _created_before(context, request, game_id)) is not None:
            return created, True
    try:
        return await _create(context, request, ids[0], owner), False
    except _TakenError:
        if (created := await _created_before(context, request, ids[0])) is None:
            raise Unavailable("A new game could not be written.") from None
        return created, True


class _TakenError(Exception):
    """Another request with the same key was first."""


async def _create(context: Context, request: CreateGame, game_id: str, owner: str) -> CreatedGame:
    ruleset = catalog.find(request.ruleset)
    options = ruleset.resolve(request.preset, request.options, len(request.seats))
    header = _header(game_id, ruleset, options, request, owner)
    if ruleset.propose is not None and options.target is None and not voters(header):
        raise InvalidOptions([("/options/target", "A match of bots alone needs a target: nobody could agree on one.")])
    new = Loaded(game_id, header, _standing(header), "waiting", 0, "", None, [], 0, 0, 0)
    if _waits(header):
        game = await commit(context, new, None, None)
    else:
        game = await start(context, new, Entry(None, "service", None, None, None, []), new.standing)
    if game is None:
        raise _TakenError
    return _answer(context, game)


async def start(context: Context, game: Loaded, entry: Entry, standing: Standing) -> Loaded | None:
    """Start the match of a game whose seats are all taken, as part of an entry; None where others were first."""
    ruleset, options, source = rules_of(context, replace(game, standing=standing))
    match = Match(ruleset, options, len(game.seats), source, voters=voters(game.header))
    entry.events = [*entry.events, *match.start()]
    return await commit(context, game, match, entry, standing)


def _id_of(derived: str) -> str:
    """A game's id of 100 bits from what a key derives: 64 hex digits."""
    return "gm_" + base64.b32encode(bytes.fromhex(derived)).decode().lower()[:20]


async def _created_before(context: Context, request: CreateGame, game_id: str) -> CreatedGame | None:
    """The answer that creating this game had, made again; None where there is no such game, or no more.

    Raises GameDeleted: an erased game does not come back with its tokens because somebody repeats a request.
    """
    try:
        game = await context.store.load(game_id)
    except (GameNotFound, GameExpired):
        return None
    if game.header.request != _digest(request):
        raise IdempotencyMismatch("The first request with this key asked for another game.")
    created = replace(game, standing=_standing(game.header), due="", due_at=0, moves=[])
    if _waits(game.header):
        return _answer(context, _as_it_was(created, "waiting", 0, "0-"))
    (first,), (begun,) = await context.store.log(game_id, 0, 1), await context.store.deals(game_id, 1, 1)
    then = _as_it_was(created, "playing", first.version, first.cursor)
    then = replace(then, start=begun, match=match_from(context, then, begun))
    due, due_in_ms = next_due(then)
    return _answer(context, replace(then, due=due, due_at=game.created_at + due_in_ms))


def _as_it_was(game: Loaded, status: Status, version: int, cursor: str) -> Loaded:
    expires_at = game.created_at + RETENTION_MS[status]
    return replace(
        game, status=status, version=version, cursor=cursor, start=None, turn_at=game.created_at, expires_at=expires_at
    )


def _digest(request: CreateGame) -> str:
    """What two requests share if and only if they ask for the same game."""
    return hashlib.sha256(msgspec.json.encode(request, order="sorted")).hexdigest()


def _answer(context: Context, game: Loaded) -> CreatedGame:
    seats = [
        SeatAccess(seat=number, invite=context.tokens.of_invite(game.id, number)) if seat.kind == "open" else
        SeatAccess(seat=number, token=context.tokens.of_seat(game.id, number, 0))
        for number, seat in enumerate(game.header.seats)
        if seat.kind != "bot"
    ]  # fmt: skip
    return CreatedGame(game=game_view(game, BY_CREATOR), seats=seats, creator_token=context.tokens.of_creator(game.id))


def _standing(header: Header) -> Standing:
    """How a new game stands."""
    return Standing([SeatState(controller="bot" if seat.kind == "bot" else "player") for seat in header.seats])


def _waits(header: Header) -> bool:
    """Whether a game waits when it has been created: for its seats, or to be started."""
    return header.start == "manual" or any(seat.kind == "open" for seat in header.seats)


def _header_seat(seat: NewSeat) -> HeaderSeat:
    match seat:
        case BotSeat():
            return HeaderSeat("bot", seat.name, resolve_bot(seat.bot))
        case PlayerSeat():
            return HeaderSeat("player", seat.name, None)
        case OpenSeat():
            return HeaderSeat("open", None, None)


def _header(game_id: str, ruleset: Ruleset, options: Any, request: CreateGame, owner: str) -> Header:
    seats = [_header_seat(seat) for seat in request.seats]
    with_players = any(seat.kind != "bot" for seat in seats)
    pace = request.pace_seconds
    seed = request.seed or fairness.new_seed()
    return Header(
        ruleset=ruleset.name,
        rules_version=ruleset.version,
        options=msgspec.to_builtins(options),
        seats=seats,
        start=request.start,
        move_ms=round((request.move_seconds or 0) * 1000),
        deal_pause_ms=round(request.deal_pause_seconds * 1000),
        stand_in=resolve_bot(request.stand_in),
        pace_ms=round(pace * 1000) if pace is not None else PACE_MS * with_players,
        advice=request.advice,
        seed=seed,
        fair=request.seed is None,
        commitment=fairness.commitment(game_id, seed),
        metadata=request.metadata,
        request=_digest(request),
        api_key=owner,
    )
