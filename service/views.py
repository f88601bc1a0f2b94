"""What a reader may know, as JSON: built from an observation and the log, never from a deal."""

from datetime import UTC, datetime
from typing import Any

from engine.match import Match, reveal
from service.access import Caller
from service.errors import NotStarted
from service.schemas import GameView, Item, SeatView, You
from service.store import Loaded, Logged

SPECTATOR = -1


def moment(milliseconds: int) -> str:
    """A time as RFC 3339 has it, in UTC, to the millisecond."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def match_of(game: Loaded) -> Match:
    """The match of a game that has started; NotStarted. It is shared: look, but do not play on it."""
    if game.match is None:
        raise NotStarted("The game waits for its seats to be taken.")
    return game.match


def seat_of_reader(caller: Caller | None) -> int:
    """The seat whose knowledge a caller reads with; without one, and for the creator, it is a spectator's."""
    return SPECTATOR if caller is None or caller.seat is None else caller.seat


def game_view(game: Loaded, caller: Caller | None) -> GameView:
    """The game as a seat sees it, or as a spectator does; the creator sees the metadata beside."""
    seat = seat_of_reader(caller)
    match = match_of(game)
    seen = match.observe(seat)
    return GameView(
        game_id=game.id,
        ruleset=game.header.ruleset,
        ruleset_version=game.header.rules_version,
        options=match.options,
        status=game.status,
        version=game.version,
        cursor=game.cursor,
        to_move=match.to_move if match.to_move >= 0 else None,
        deadline_at=None,
        seats=[_seat_view(game, match, number, seen) for number in range(match.seats)],
        match=match.ruleset.match_view(match),
        deal=match.ruleset.deal_view(seen, match),
        you=_you(match, seen) if seat >= 0 else None,
        result=match.result,
        fair=game.header.fair,
        commitment=game.header.commitment,
        client_seeds=client_seeds(game),
        pace_seconds=game.header.pace_ms / 1000,
        advice=game.header.advice,
        metadata=game.header.metadata if caller is not None and caller.seat is None else None,
        created_at=moment(game.created_at),
        expires_at=moment(game.expires_at),
    )


def _seat_view(game: Loaded, match: Match, seat: int, seen: Any) -> SeatView:
    made_for, now = game.header.seats[seat], game.seats[seat]
    return SeatView(
        seat=seat,
        kind=made_for.kind,
        name=made_for.name,
        controller=now.controller,
        bot=made_for.bot,
        team=match.ruleset.team(seat),
        cards=seen.sizes[seat],
        score=match.totals[seat],
        resigned=now.resigned,
        timeouts=now.timeouts,
        playing=seen.playing(seat),
    )


def _you(match: Match, seen: Any) -> You:
    return You(
        seat=seen.seat,
        hand=match.codec.cards(seen.hand),
        legal_moves=legal_moves(match, seen),
    )


def legal_moves(match: Match, seen: Any) -> list[Any]:
    """The moves open to the observing seat; none when another is to move or the match is over."""
    return [] if match.result is not None else [match.codec.encode(move) for move in seen.moves]


def client_seeds(game: Loaded) -> list[str]:
    """What the players added to the seed, by seat."""
    return [seat.client_seed for seat in game.seats if seat.client_seed is not None]


def item(entry: Logged, match: Match, seat: int) -> Item:
    """An entry of the log for one reader: a seat is told again what it was dealt, nobody else's hand is known here."""
    return Item(
        version=entry.version,
        cursor=entry.cursor,
        at=moment(entry.at),
        seat=entry.seat,
        by=entry.by,
        bot=entry.bot,
        move=entry.move,
        events=told(entry.events, match, seat),
    )


def told(events: list[Any], match: Match, seat: int) -> list[Any]:
    """The same events, with the reader's own cards in what was dealt and drawn."""
    return events if seat < 0 else [reveal(match, event, seat) for event in events]
