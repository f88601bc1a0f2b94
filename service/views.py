"""What a reader may know, as JSON: built from an observation and the log, never from a deal."""

from datetime import UTC, datetime
from typing import Any

from engine import catalog
from engine.errors import DealOver
from engine.match import Match, reveal
from service.access import Caller
from service.errors import NotStarted
from service.schemas import BotSpec, GameView, Item, SeatView, You
from service.store import Loaded, Logged

SPECTATOR = -1


def moment(milliseconds: int) -> str:
    """A time as RFC 3339 has it, in UTC, to the millisecond."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def match_of(game: Loaded) -> Match:
    """The match of a game that has started. It is shared: look, but do not play on it.

    NotStarted while the game waits; DealOver where it ended before it began.
    """
    if game.match is None:
        if game.status != "waiting":
            raise DealOver
        raise NotStarted("The game waits for its seats to be taken.")
    return game.match


def seat_of_reader(caller: Caller | None) -> int:
    """The seat whose knowledge a caller reads with; without one, and for the creator, it is a spectator's."""
    return SPECTATOR if caller is None or caller.seat is None else caller.seat


def game_view(game: Loaded, caller: Caller | None) -> GameView:
    """The game as a seat sees it, or as a spectator does; the creator sees the metadata beside."""
    seat = seat_of_reader(caller)
    header, match = game.header, game.match
    seen = None if match is None else match.observe(seat)
    moving = match is not None and match.to_move >= 0 and game.status == "playing"
    return GameView(
        game_id=game.id,
        ruleset=header.ruleset,
        ruleset_version=header.rules_version,
        options=header.options,
        status=game.status,
        version=game.version,
        cursor=game.cursor,
        to_move=match.to_move if match and moving else None,
        deadline_at=moment(game.due_at) if game.due == "deadline" else None,
        seats=[_seat_view(game, number, seen) for number in range(len(header.seats))],
        match=match.ruleset.match_view(match) if match else None,
        deal=match.ruleset.deal_view(seen, match) if match else None,
        you=_you(game, seat, seen) if seat >= 0 else None,
        result=match.result if match else None,
        fair=header.fair,
        commitment=header.commitment,
        client_seeds=client_seeds(game),
        start=header.start,
        pace_seconds=header.pace_ms / 1000,
        move_seconds=header.move_ms / 1000 or None,
        deal_pause_seconds=header.deal_pause_ms / 1000,
        stand_in=header.stand_in,
        advice=header.advice,
        metadata=header.metadata if caller is not None and caller.seat is None else None,
        created_at=moment(game.created_at),
        expires_at=moment(game.expires_at),
    )


def _seat_view(game: Loaded, seat: int, seen: Any) -> SeatView:
    made_for, now, match = game.header.seats[seat], game.seats[seat], game.match
    return SeatView(
        seat=seat,
        kind="player" if now.claim else made_for.kind,
        name=now.name if now.claim else made_for.name,
        controller=now.controller,
        bot=mover_of(game, seat),
        team=(match.ruleset if match else catalog.find(game.header.ruleset)).team(seat),
        cards=seen.sizes[seat] if match else 0,
        score=match.totals[seat] if match else 0,
        resigned=now.resigned,
        timeouts=now.timeouts,
        playing=seen.playing(seat) if match else True,
    )


def mover_of(game: Loaded, seat: int) -> BotSpec | None:
    """The bot that moves for a seat now; None where its player does."""
    if game.seats[seat].controller == "player":
        return None
    return game.header.seats[seat].bot or game.header.stand_in


def _you(game: Loaded, seat: int, seen: Any) -> You:
    if game.match is None:
        return You(seat=seat, hand=[], legal_moves=[])
    moves = legal_moves(game.match, seen) if game.status == "playing" else []
    return You(seat=seat, hand=game.match.codec.cards(seen.hand), legal_moves=moves)


def legal_moves(match: Match, seen: Any) -> list[Any]:
    """The moves open to the observing seat; none when another is to move or the match is over."""
    return [] if match.result is not None else [match.codec.encode(move) for move in seen.moves]


def client_seeds(game: Loaded) -> list[str]:
    """What players added to the seed, by seat, and what the creator added last."""
    given = [*(seat.client_seed for seat in game.seats), game.standing.creator_seed]
    return [seed for seed in given if seed is not None]


def item(entry: Logged, match: Match | None, seat: int) -> Item:
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


def told(events: list[Any], match: Match | None, seat: int) -> list[Any]:
    """The same events, with the reader's own cards in what was dealt and drawn."""
    return events if seat < 0 or match is None else [reveal(match, event, seat) for event in events]
