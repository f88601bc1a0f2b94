"""What the product does with games: create, look, move. Each use case is a function that takes what it needs."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec.structs import replace

from engine import bots, catalog
from engine.chance import PublishedDeals
from engine.errors import DealOver, EngineError
from engine.match import DealSource, Match, MatchState, recorded, resume
from service.access import Caller, Seated, Tokens
from service.errors import (
    Forbidden,
    HistoryLost,
    InvalidRequest,
    ServiceError,
    Unauthorized,
    Unavailable,
    VersionConflict,
)
from service.events import Wakeups
from service.recent import Recent
from service.schemas import (
    CURSOR_PATTERN,
    ApplyMove,
    BotSpec,
    DealsPage,
    EventsPage,
    GameView,
    LegalMoves,
    MoveApplied,
    Status,
)
from service.store import Change, Entry, Header, Loaded, Logged, Store, shard_of
from service.views import client_seeds, game_view, item, legal_moves, match_of, seat_of_reader, told

LOOK = 100
"""How many entries of the log are looked at in one go."""
TRIES = 20
"""How often a change is tried anew when others change the game at the same moment."""
_CURSOR = re.compile(CURSOR_PATTERN, re.ASCII)


def _leave_to_the_sweep(_shard: int, _delay_ms: int) -> None:
    """Announce nothing."""


@dataclass(frozen=True)
class Context:
    """What the use cases work with: the store, the tokens, where deals come from, and how due work is announced.

    `nudge` is told the shard and the delay in milliseconds of work that has become due; it may do nothing, since
    the sweep finds all due work by itself.
    """

    store: Store
    tokens: Tokens
    deals: Callable[[str, list[str]], DealSource] = PublishedDeals
    nudge: Callable[[int, int], None] = _leave_to_the_sweep
    recent: Recent = field(default_factory=Recent)
    wakeups: Wakeups = field(default_factory=Wakeups)


def resolve_bot(spec: BotSpec) -> BotSpec:
    """The same bot with its version named; UnknownBot where there is none."""
    return BotSpec(bot=spec.bot, version=bots.find(spec.bot, spec.version).version, budget=spec.budget)


async def load(context: Context, game_id: str) -> Loaded:
    """A game as it stands, with its match. GameNotFound, GameExpired; Unavailable where its rules are unknown here."""
    known = context.recent.get(game_id)
    game = await context.store.load(game_id, known.cursor if known else "")
    match = known.match if known and known.cursor == game.cursor else _replay(context, game)
    game = replace(game, match=match)
    context.recent.keep(game)
    return game


def _replay(context: Context, game: Loaded) -> Match | None:
    """The match as the log has it; None while the game waits for its seats."""
    if game.start is None:
        return None
    match = match_from(context, game, game.start)
    for logged in game.moves:
        if logged.move is not None:
            match.replay(match.codec.decode(logged.move))
        elif logged.target is not None and logged.seat is not None:
            match.propose(logged.seat, logged.target)
    return match


def match_from(context: Context, game: Loaded, start: MatchState) -> Match:
    """The game's match as it stood when a deal began. Unavailable where its rules are unknown here."""
    ruleset = catalog.find(game.header.ruleset)
    if game.header.rules_version > ruleset.version:
        raise Unavailable("This process does not know the rules that this game is played by.")
    options = msgspec.convert(game.header.options, ruleset.options)
    source = context.deals(game.header.seed, client_seeds(game))
    match = resume(ruleset, options, len(game.seats), source, start)
    match.voters = voters(game.header)
    return match


def voters(header: Header) -> tuple[int, ...]:
    """The seats that have a say where a target is agreed on: those of players."""
    return tuple(number for number, seat in enumerate(header.seats) if seat.kind == "player")


async def enter(context: Context, game_id: str, token: str | None) -> tuple[Loaded, Caller | None]:
    """A game, and who asks; None is a spectator. GameNotFound, GameExpired; Unauthorized for an unknown token."""
    game = await load(context, game_id)
    return game, caller_of(context, game, token)


async def enter_to_move(context: Context, game_id: str, token: str | None) -> tuple[Loaded, Caller | None]:
    """Like `enter`, but the game may be as this process last knew it: good enough to try a move on."""
    if (known := context.recent.get(game_id)) is not None:
        with contextlib.suppress(Unauthorized):
            return known, caller_of(context, known, token)
    return await enter(context, game_id, token)


def caller_of(context: Context, game: Loaded, token: str | None) -> Caller | None:
    """Who holds a token of the game; None is a spectator. Unauthorized for an unknown token."""
    if token is None:
        return None
    caller = context.tokens.caller(game.id, token)
    if caller is None or (caller.seat is not None and not _holds(game, caller)):
        raise Unauthorized("This is no token of this game, or an old one.")
    return caller


def _holds(game: Loaded, caller: Caller) -> bool:
    seat = caller.seat or 0
    return seat < len(game.seats) and game.header.seats[seat].kind == "player" \
        and game.seats[seat].generation == caller.generation  # fmt: skip


def seated(caller: Caller | None) -> Seated:
    """The caller, who has a seat. Unauthorized without a token; Forbidden for the creator's."""
    if caller is None:
        raise Unauthorized("Send the token of your seat as `Authorization: Bearer`.")
    if caller.seat is None:
        raise Forbidden("This needs the token of a seat; the creator's token plays no cards.")
    return Seated(seat=caller.seat, generation=caller.generation)


def seat_of(caller: Caller | None) -> int:
    """The caller's seat; refused like `seated`."""
    return seated(caller).seat


def view(game: Loaded, caller: Caller | None) -> GameView:
    """What the caller may know of the game. NotStarted while it waits for its seats."""
    return game_view(game, caller)


def list_legal_moves(game: Loaded, seat: int) -> LegalMoves:
    """Every move open to the seat."""
    match = match_of(game)
    moves = legal_moves(match, match.observe(seat))
    to_move = match.to_move if match.to_move >= 0 else None
    return LegalMoves(version=game.version, seat=seat, to_move=to_move, moves=moves)


async def apply_move(context: Context, game: Loaded, caller: Seated, request: ApplyMove) -> tuple[MoveApplied, bool]:
    """Make a player's move, exactly once; True beside the answer where it had been made before.

    Raises DealOver, VersionConflict, NotYourTurn, IllegalMove, in this order, and then has changed nothing.
    """
    for _ in range(TRIES):
        try:
            if (done := await _try_move(context, game, caller, request)) is not None:
                return done
        except (EngineError, ServiceError):
            # What fails on a remembered game is looked at afresh: also a commit whose answer was lost.
            if game.fresh:
                raise
        game = await load(context, game.id)
        if not _holds(game, caller):
            raise Unauthorized("This token of the game is an old one.")
    raise Unavailable("The game is changing too fast; repeat the same bytes.")


async def _try_move(
    context: Context, game: Loaded, caller: Seated, request: ApplyMove
) -> tuple[MoveApplied, bool] | None:
    """Make the move on the game as given, or find it made; None where the game has moved on."""
    made = await _look_back(context, game, caller.seat, request)
    if made is not None:
        # Told with the game as it is now, and to whom the token belongs now.
        return (_applied(game, caller, made.version, made.events), True) if game.fresh else None
    entry = Entry(caller.seat, "player", None, request.move, request.expected_version, [])
    after = await make_move(context, game, entry)
    return None if after is None else (_applied(after, caller, after.version, entry.events), False)


def _applied(game: Loaded, caller: Seated, version: int, events: list[Any]) -> MoveApplied:
    seen = told(events, match_of(game), caller.seat)
    return MoveApplied(version=version, events=seen, game=game_view(game, caller))


async def _look_back(context: Context, game: Loaded, seat: int, request: ApplyMove) -> Logged | None:
    """The entry of this very request, if it is in the log already. Raises DealOver, VersionConflict."""
    expected = request.expected_version
    first = await first_move_after(context, game.id, expected) if expected < game.version else None
    if first is not None and _is_repetition(first, seat, request):
        return first
    if game.status not in ("playing", "waiting"):
        raise DealOver
    check_version(game, expected, first)
    return None


async def first_move_after(context: Context, game_id: str, version: int) -> Logged | None:
    """The first move that was logged after a version; None where there is none. Other entries may lie between."""
    while later := await context.store.log(game_id, version, LOOK):
        if (first := next((entry for entry in later if entry.move is not None), None)) is not None:
            return first
        version = later[-1].version
    return None


def check_version(game: Loaded, expected_version: int, first: Logged | None) -> None:
    """Raise VersionConflict where a move, the `first`, was logged after that version, or the log is not so long."""
    if first is not None or expected_version > game.version:
        by = None if first is None else first.by
        raise VersionConflict(
            f"The game is at version {game.version}.", more={"current_version": game.version, "by": by}
        )


def _is_repetition(entry: Logged, seat: int, request: ApplyMove) -> bool:
    return (entry.seat, entry.by, entry.move, entry.expected_version) == (
        seat, "player", request.move, request.expected_version,
    )  # fmt: skip


async def make_move(context: Context, game: Loaded, entry: Entry) -> Loaded | None:
    """Make the entry's move, write what happened into it, and answer the game after it; None where others were first.

    The one way for a move into the log, whoever makes it. Raises DealOver, NotYourTurn, IllegalMove.
    """
    assert entry.seat is not None and entry.move is not None  # noqa: S101, PT018 - a move is somebody's
    match = match_of(game).copy()
    if match.result is not None:
        raise DealOver
    entry.events = match.play(entry.seat, match.codec.decode(entry.move))
    return await commit(context, game, match, entry)


async def commit(
    context: Context, game: Loaded, match: Match, entry: Entry, header: Header | None = None
) -> Loaded | None:
    """Write an entry and the match after it, and what is due then; None where the game has moved on meanwhile."""
    started_deal = game.start is None or match.number != game.start.number
    start = match.state() if started_deal else None
    status: Status = "playing" if match.result is None else "finished"
    bot_is_next = match.to_move >= 0 and game.seats[match.to_move].controller == "bot"
    change = Change(entry, game.seats, status, start, "bot" if bot_is_next else "", game.header.pace_ms)
    committed = await context.store.commit(game.id, game.version, change, header, game.cursor)
    if committed is None:
        return None
    after = replace(
        game, version=committed.version, cursor=committed.cursor, status=status, start=start or game.start, match=match,
        turn_at=committed.at, created_at=game.created_at or committed.at, expires_at=committed.expires_at, fresh=True,
    )  # fmt: skip
    context.recent.keep(after)
    if bot_is_next:
        context.nudge(shard_of(game.id), game.header.pace_ms)
    return after


async def events_page(
    context: Context, game: Loaded, caller: Caller | None, after: str | None, limit: int
) -> EventsPage:
    """Up to `limit` entries of the log after a cursor, told to the caller. Raises HistoryLost."""
    version = await version_of(context, game, after)
    entries = await context.store.log(game.id, version, limit + 1)
    match = match_of(game)
    seat = seat_of_reader(caller)
    items = [item(entry, match, seat) for entry in entries[:limit]]
    last = items[-1].cursor if items else (after or "0-")
    return EventsPage(items=items, next=last, has_more=len(entries) > limit)


async def version_of(context: Context, game: Loaded, cursor: str | None) -> int:
    """The version that a cursor names, 0 without one. Raises InvalidRequest, HistoryLost."""
    if cursor is None:
        return 0
    if not _CURSOR.fullmatch(cursor):
        raise InvalidRequest(
            "`after` is no cursor.", [{"parameter": "after", "detail": "A cursor comes from an answer."}]
        )
    version = int(cursor.split("-")[0])
    if version == 0 or cursor == game.cursor:
        return version
    entries = await context.store.log(game.id, version - 1, 1)
    if not entries or entries[0].cursor != cursor:
        raise HistoryLost("The game's history is another one than the cursor's.")
    return version


async def finished_deals(context: Context, game: Loaded, after: int, limit: int) -> DealsPage:
    """The records of up to `limit` finished deals after deal number `after`."""
    match = match_of(game)
    # The state that deal n+1 started from holds the record of deal n; the last deal's is in the replayed match.
    starts = await context.store.deals(game.id, after + 2, limit)
    items = [recorded(match.ruleset, start) for start in starts]
    if match.result is not None and len(items) < limit and after + len(items) == match.deals_played - 1:
        items.append(match.last_deal)
    return DealsPage(items=items, next=after + len(items), has_more=after + len(items) < match.deals_played)
