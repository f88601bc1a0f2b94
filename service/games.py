"""What the product does with games: create, look, move. Each use case is a function that takes what it needs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec
from msgspec.structs import replace

from engine import bots, catalog
from engine.chance import PublishedDeals
from engine.errors import DealOver, EngineError
from engine.match import DealSource, Match, MatchState, Ruleset, recorded, resume
from service.access import BY_CREATOR, Caller, Seated, Tokens, is_api_key
from service.errors import (
    Forbidden,
    ServiceError,
    Unauthorized,
    Unavailable,
    VersionConflict,
)
from service.events import Wakeups
from service.keys import Keys
from service.recent import Recent
from service.schemas import (
    ApplyMove,
    BotSpec,
    Controller,
    ControllerChanged,
    DealsPage,
    Due,
    GameView,
    LegalMoves,
    MoveApplied,
    Resigned,
    Status,
)
from service.store import Change, Entry, Header, Loaded, Logged, Standing, Store, shard_of
from service.views import client_seeds, game_view, legal_moves, match_of, told

LOOK = 100
"""How many entries of the log are looked at in one go."""
TRIES = 20
"""How often a change is tried anew when others change the game at the same moment."""


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
    waiting_jobs: int = 0
    """How many jobs of a seat may wait for a bot; 0 is any number."""
    recent: Recent = field(default_factory=Recent)
    wakeups: Wakeups = field(default_factory=Wakeups)

    @cached_property
    def keys(self) -> Keys:
        """The API keys."""
        return Keys(self.store.redis)


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
        elif logged.left and logged.seat is not None:
            match.leave(logged.seat)
    return match


def rules_of(context: Context, game: Loaded) -> tuple[Ruleset, Any, DealSource]:
    """What a game is played by: ruleset, options, and where its deals come from. Unavailable where unknown here."""
    ruleset = catalog.find(game.header.ruleset)
    if game.header.rules_version > ruleset.version:
        raise Unavailable("This process does not know the rules that this game is played by.")
    options = msgspec.convert(game.header.options, ruleset.options)
    return ruleset, options, context.deals(game.header.seed, client_seeds(game))


def match_from(context: Context, game: Loaded, start: MatchState) -> Match:
    """The game's match as it stood when a deal began. Unavailable where its rules are unknown here."""
    ruleset, options, source = rules_of(context, game)
    match = resume(ruleset, options, len(game.seats), source, start)
    left = {logged.seat for logged in game.moves if logged.left}
    match.voters = tuple(seat for seat in voters(game.header) if seat in left or not game.seats[seat].resigned)
    return match


def voters(header: Header) -> tuple[int, ...]:
    """The seats that have a say where a target is agreed on: those of people."""
    return tuple(number for number, seat in enumerate(header.seats) if seat.kind != "bot")


async def enter(context: Context, game_id: str, token: str | None) -> tuple[Loaded, Caller | None]:
    """A game, and who asks; None is a spectator. GameNotFound, GameExpired; Unauthorized for an unknown token."""
    game = await load(context, game_id)
    if token is not None and is_api_key(token):
        return game, await _creator_by_key(context, game, token)
    return game, caller_of(context, game, token)


async def _creator_by_key(context: Context, game: Loaded, token: str) -> Caller:
    """The creator, by the API key that created the game; it never is a seat. Unauthorized for any other key."""
    key = await context.keys.find(token)
    if key.name != game.header.api_key:
        raise Unauthorized("This API key did not create this game.")
    return BY_CREATOR


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
    if caller is None or not holds(game, caller):
        raise Unauthorized("This is no token of this game, or an old one.")
    return caller


def holds(game: Loaded, caller: Caller) -> bool:
    """Whether a good token is still that of its seat."""
    if caller.seat is None:
        return True
    if caller.seat >= len(game.seats):
        return False
    kind, now = game.header.seats[caller.seat].kind, game.seats[caller.seat]
    return (kind == "player" or (kind == "open" and now.claim != "")) and now.generation == caller.generation


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


def check_holds(game: Loaded, caller: Caller) -> None:
    """Unauthorized where a token that was good has been replaced by a new one."""
    if not holds(game, caller):
        raise Unauthorized("This token of the game is an old one.")


def check_seat(game: Loaded, seat: int) -> None:
    """Forbidden where the seat has been left to a bot for good."""
    if game.seats[seat].resigned:
        raise Forbidden("This seat has resigned: its token looks on, and moves no more.")


def view(game: Loaded, caller: Caller | None) -> GameView:
    """What the caller may know of the game."""
    return game_view(game, caller)


def list_legal_moves(game: Loaded, seat: int) -> LegalMoves:
    """Every move open to the seat."""
    if is_over(game):
        return LegalMoves(version=game.version, seat=seat, to_move=None, moves=[])
    match = match_of(game)
    return LegalMoves(
        version=game.version, seat=seat, to_move=match.to_move, moves=legal_moves(match, match.observe(seat))
    )


async def apply_move(context: Context, game: Loaded, caller: Seated, request: ApplyMove) -> tuple[MoveApplied, bool]:
    """Make a player's move, exactly once; True beside the answer where it had been made before.

    Raises DealOver, VersionConflict, NotYourTurn, IllegalMove, in this order, and then has changed nothing.
    """
    for _ in range(TRIES):
        try:
            check_seat(game, caller.seat)
            if (done := await _try_move(context, game, caller, request)) is not None:
                return done
        except (EngineError, ServiceError):
            # What fails on a remembered game is looked at afresh: also a commit whose answer was lost.
            if game.fresh:
                raise
        game = await load(context, game.id)
        check_holds(game, caller)
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
    after = await make_move(context, game, entry, "player")
    return None if after is None else (_applied(after, caller, after.version, entry.events), False)


def _applied(game: Loaded, caller: Seated, version: int, events: list[Any]) -> MoveApplied:
    seen = told(events, match_of(game), caller.seat)
    return MoveApplied(version=version, events=seen, game=game_view(game, caller))


async def _look_back(context: Context, game: Loaded, seat: int, request: ApplyMove) -> Logged | None:
    """The entry of this very request, if it is in the log already. Raises NotStarted, DealOver, VersionConflict."""
    expected = request.expected_version
    first = await first_conflict(context, game, seat, expected) if expected < game.version else None
    if first is not None and _is_repetition(first, seat, request):
        return first
    match_of(game)
    if not is_playing(game):
        raise DealOver
    check_version(game, expected, first)
    return None


async def first_conflict(context: Context, game: Loaded, seat: int, version: int) -> Logged | None:
    """The first entry after a version that a move of the seat, decided then, did not reckon with; None without one.

    That is a move, or a change of who moves for the seat. Other entries may lie between.
    """
    while later := await context.store.log(game.id, version, LOOK):
        if (first := next((entry for entry in later if _counts(entry, seat)), None)) is not None:
            return first
        version = later[-1].version
    return None


def _counts(entry: Logged, seat: int) -> bool:
    changed = any(isinstance(event, ControllerChanged | Resigned) and event.seat == seat for event in entry.events)
    return entry.move is not None or changed


def check_version(game: Loaded, expected_version: int, first: Logged | None) -> None:
    """Raise VersionConflict where there is a `first` conflict after that version, or the log is not so long."""
    if first is not None or expected_version > game.version:
        by = None if first is None else first.by
        raise VersionConflict(
            f"The game is at version {game.version}.", more={"current_version": game.version, "by": by}
        )


def _is_repetition(entry: Logged, seat: int, request: ApplyMove) -> bool:
    return (entry.seat, entry.by, entry.move, entry.expected_version) == (
        seat, "player", request.move, request.expected_version,
    )  # fmt: skip


async def make_move(context: Context, game: Loaded, entry: Entry, controller: Controller) -> Loaded | None:
    """Make the entry's move, write what happened into it, and answer the game after it; None where others were first.

    The one way for a move into the log, whoever makes it. `controller` is who moves for the seat from now on. Raises
    DealOver, NotYourTurn, IllegalMove.
    """
    assert entry.seat is not None and entry.move is not None  # noqa: S101, PT018 - a move is somebody's
    match = match_of(game).copy()
    if not is_playing(game):
        raise DealOver
    played = match.play(entry.seat, match.codec.decode(entry.move))
    standing = game.standing
    if game.seats[entry.seat].controller == controller:
        entry.events = played
    else:
        entry.events = [ControllerChanged(entry.seat, controller), *played]
        late = controller == "stand_in"
        standing = standing.with_seat(
            entry.seat, controller=controller, timeouts=game.seats[entry.seat].timeouts + late
        )
    return await commit(context, game, match, entry, standing)


def is_playing(game: Loaded) -> bool:
    """Whether the match has begun and is not over."""
    return game.status == "playing"


def is_over(game: Loaded) -> bool:
    """Whether nothing can happen in the game any more."""
    return game.status not in ("waiting", "playing")


def check_going_on(game: Loaded) -> None:
    """Raise DealOver where nothing can happen in the game any more."""
    if is_over(game):
        raise DealOver


async def commit(
    context: Context,
    game: Loaded,
    match: Match | None,
    entry: Entry | None,
    standing: Standing | None = None,
    *,
    abandoned: bool = False,
) -> Loaded | None:
    """Write an entry and how the game stands after it, and what is due then; None where it has moved on meanwhile.

    A game that is new is written with its header. Without a match it waits for its seats.
    """
    status: Status = "abandoned" if abandoned else _status(match)
    after = replace(game, match=match, standing=standing or game.standing, status=status)
    change = _change(game, after, entry)
    committed = await context.store.commit(
        game.id, game.version, change, None if game.created_at else game.header, game.cursor
    )
    if committed is None:
        return None
    after = replace(
        after, standing=change.standing, version=committed.version, cursor=committed.cursor,
        start=change.start or game.start,
        turn_at=committed.at, created_at=game.created_at or committed.at, expires_at=committed.expires_at,
        due=change.due, due_at=committed.due_at, fresh=True,
    )  # fmt: skip
    context.recent.keep(after)
    if change.due == "bot":
        # The sweep knows a deadline in time by itself: a timer for each would outlive thousands of moves.
        context.nudge(shard_of(game.id), max(committed.due_at - committed.at, 0))
    return after


def _status(match: Match | None) -> Status:
    if match is None:
        return "waiting"
    return "playing" if match.result is None else "finished"


def _change(game: Loaded, after: Loaded, entry: Entry | None) -> Change:
    """What is written: with the state of a deal that has begun, and what must happen next."""
    match = after.match
    begun = match is not None and (game.start is None or match.number != game.start.number)
    start = match.state() if match and begun else None
    due, due_in_ms = next_due(after)
    # What is no move leaves the running turn its time.
    stays = entry is not None and entry.move is None and due == game.due
    standing = after.standing
    if due == "deadline" and match is not None:
        standing = replace(standing, paused_deal=match.number)
    return Change(entry, standing, after.status, start, due, due_in_ms, game.due_at if stays else 0)


def next_due(game: Loaded) -> tuple[Due, int]:
    """What must happen next in a game, and in how many milliseconds: more at the first deadline of a deal."""
    if game.status != "playing" or game.match is None:
        return "", 0
    header = game.header
    if game.seats[game.match.to_move].controller != "player":
        return "bot", header.pace_ms
    pause = header.deal_pause_ms if game.standing.paused_deal != game.match.number else 0
    return ("deadline", header.move_ms + pause) if header.move_ms else ("", 0)


async def finished_deals(context: Context, game: Loaded, after: int, limit: int) -> DealsPage:
    """The records of up to `limit` finished deals after deal number `after`."""
    if game.match is None:
        return DealsPage(items=[], next=after, has_more=False)
    match = game.match
    # The state that deal n+1 started from holds the record of deal n; the last deal's is in the replayed match.
    starts = await context.store.deals(game.id, after + 2, limit)
    items = [recorded(match.ruleset, start) for start in starts]
    if match.result is not None and len(items) < limit and after + len(items) == match.deals_played - 1:
        items.append(match.last_deal)
    return DealsPage(items=items, next=after + len(items), has_more=after + len(items) < match.deals_played)
