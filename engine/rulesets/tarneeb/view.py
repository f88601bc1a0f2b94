"""Tarneeb as JSON: its options, moves, deals and match. Types of the wire, and nothing of play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast

from msgspec import Meta, Struct

from engine.cards import FRENCH_ACE_HIGH
from engine.codec import Codec
from engine.match import Dependence, Match
from engine.rulesets.tarneeb.rules import MOVES, PHASES, Phase, TarneebDeal, TarneebObservation
from engine.tricks import Tricks
from engine.wire import (
    AllPassed,
    Bid,
    Move,
    Pass,
    Play,
    SeatCard,
    Suit,
    Trick,
    TricksTable,
    TrickTaken,
    Trump,
    deal_scored,
)

PACK = FRENCH_ACE_HIGH

Points500 = Annotated[int, Meta(ge=0, le=500)]


class TarneebOptions(Struct):
    """The options of Tarneeb. A game that is asked for names some; a view has a value for each."""

    # texts.toml says what each of them is.

    scoring: Literal["tricks", "points"]
    target: Annotated[int, Meta(ge=7, le=500)]
    finish: Literal["reach", "exact"]
    all_pass: Literal["next_dealer", "same_dealer", "dealer_bids"]
    defenders_always_score: bool
    full_bid: Literal["wins_match", "bonus"]
    full_bid_made: Points500
    full_bid_failed: Points500
    max_deals: Annotated[int, Meta(ge=1, le=1000)]
    first_dealer: Annotated[int, Meta(ge=0, le=3)] | None


PRESETS: Mapping[str, Mapping[str, Any]] = {
    "tarneeb_31": {"scoring": "tricks", "target": 31, "finish": "reach"},
    "tarneeb_41_tricks": {"scoring": "tricks", "target": 41, "finish": "reach"},
    "tarneeb_41": {"scoring": "points", "target": 41, "finish": "exact"},
}

DEPENDENT_DEFAULTS = dict.fromkeys(("target", "finish", "full_bid_made", "full_bid_failed"), Dependence("scoring"))


def defaults(given: Mapping[str, Any]) -> dict[str, Any]:
    """The default of every option, beside what is given (T38)."""
    points = given.get("scoring") == "points"
    return {
        "scoring": "tricks",
        "target": 41 if points else 31,
        "finish": "exact" if points else "reach",
        "all_pass": "next_dealer",
        "defenders_always_score": False,
        "full_bid": "wins_match",
        "full_bid_made": 52 if points else 26,
        "full_bid_failed": 40 if points else 16,
        "max_deals": 200,
        "first_dealer": None,
    }


REASONS = {
    "not_in_this_game": "Tarneeb has no such move or card.",
    "wrong_phase": "That kind of move has no place in this phase of the deal.",
    "card_not_in_hand": "You do not hold that card.",
    "bid_out_of_range": "No such bid exists: 7 to 13 tricks, or 21 to 40 points.",
    "bid_too_low": "A bid must be higher than the last one.",
    "dealer_must_bid": "All others have passed, and under these rules the dealer must bid.",
    "must_follow_suit": "You hold a card of the suit led and must follow it.",
}


class Call(Struct):
    """What a seat said in the auction; `bid` is null for a pass."""

    seat: int
    bid: int | None


class TarneebDealView(Struct, tag_field="ruleset", tag="tarneeb"):
    """The running deal of Tarneeb, as everyone sees it."""

    number: int
    dealer: int
    phase: Phase
    table: TricksTable
    auction: list[Call]
    declarer: int | None
    bid: int | None
    trump: str | None
    tricks_taken: list[int]
    points_taken: list[int] | None


class TarneebLastDeal(Struct, tag_field="ruleset", tag="tarneeb"):
    """A finished deal: how it went, and what it was worth to each seat.

    `discarded` is, for each team, the score that did not count because it led beyond an exact target.
    """

    number: int
    dealer: int
    scores: list[int]
    totals: list[int]
    last_trick: Trick | None
    declarer: int | None
    bid: int | None
    trump: str | None
    made: bool | None
    tricks_taken: list[int]
    points_taken: list[int] | None
    all_passed: bool
    discarded: list[int]


class TarneebMatchView(Struct, tag_field="ruleset", tag="tarneeb"):
    """The match so far."""

    deals_played: int
    last_deal: TarneebLastDeal | None
    target: int


class AuctionWon(Struct, tag_field="type", tag="auction_won"):
    """The auction is over; the declarer names the trump."""

    declarer: int
    bid: int


def _wire(kind: str, value: int) -> Move:
    if kind == "play":
        return Play(PACK.cards[value])
    if kind == "trump":
        return Trump(cast(Suit, PACK.suits[value]))
    return Bid(value) if kind == "bid" else Pass()


CODEC = Codec(PACK, {move: _wire(kind, value) for move, (kind, value) in MOVES.items()})


def _seat_cards(trick: list[tuple[int, int]]) -> list[SeatCard]:
    return [SeatCard(seat, PACK.cards[card]) for seat, card in trick]


def _finished_trick(tricks: Tricks, index: int) -> Trick:
    trick = tricks.trick(index)
    return Trick(trick[0][0], _seat_cards(trick), tricks.taker_of(index))


def _last_trick(tricks: Tricks) -> Trick | None:
    return _finished_trick(tricks, tricks.completed - 1) if tricks.completed else None


def _table(tricks: Tricks) -> TricksTable:
    running = tricks.trick(tricks.completed) if tricks.in_trick else []
    return TricksTable(
        trick_number=min(tricks.completed + 1, 13),
        leader=tricks.leader if tricks.leader >= 0 else None,
        cards=_seat_cards(running),
        last_trick=_last_trick(tricks),
    )


def _suit(trump: int) -> str | None:
    return PACK.suits[trump] if trump >= 0 else None


def deal_view(seen: TarneebObservation, match: Match) -> TarneebDealView:
    """The deal as an observation knows it."""
    return TarneebDealView(
        number=match.number,
        dealer=seen.dealer,
        phase=PHASES[seen.phase],
        table=_table(seen.tricks),
        auction=[Call(seat, bid or None) for seat, bid in seen.auction.record()],
        declarer=seen.auction.declarer if seen.phase else None,
        bid=seen.auction.bid if seen.phase else None,
        trump=_suit(seen.auction.trump),
        tricks_taken=seen.tricks_taken(),
        points_taken=seen.points_taken(),
    )


def match_view(match: Match) -> TarneebMatchView:
    """The match so far, as everyone sees it."""
    return TarneebMatchView(match.deals_played, match.last_deal, match.options.target)


def last_deal(match: Match, worth: list[int], discarded: list[int]) -> TarneebLastDeal:
    """The record of the deal that has just been settled."""
    deal: TarneebDeal = match.deal
    seen = deal.observe(-1)
    won = seen.auction.declarer >= 0
    return TarneebLastDeal(
        number=match.number,
        dealer=match.dealer,
        scores=worth,
        totals=list(match.totals),
        last_trick=_last_trick(seen.tricks),
        declarer=seen.auction.declarer if won else None,
        bid=seen.auction.bid if won else None,
        trump=_suit(seen.auction.trump),
        made=deal.made(),
        tricks_taken=seen.tricks_taken(),
        points_taken=seen.points_taken(),
        all_passed=not won,
        discarded=discarded,
    )


def happened(match: Match, _before: TarneebObservation, move: int) -> list[Struct]:
    """What a move brought about within the deal."""
    seen = match.observe(-1)
    kind, _ = MOVES[move]
    if kind == "play" and not seen.tricks.in_trick:
        trick = _finished_trick(seen.tricks, seen.tricks.completed - 1)
        return [TrickTaken(trick.taker, trick.cards, seen.trick_points(seen.tricks.completed - 1))]
    if kind in ("bid", "pass") and seen.phase:
        return [AuctionWon(seen.auction.declarer, seen.auction.bid)]
    return []


def scored(record: TarneebLastDeal) -> list[Struct]:
    """How the end of a deal is told: scored, or thrown in."""
    if record.all_passed:
        return [AllPassed()]
    return [deal_scored(record)]
