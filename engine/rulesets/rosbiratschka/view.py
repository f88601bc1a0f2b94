"""Rosbiratschka as JSON: its options, moves, deals and match. Types of the wire, and nothing of play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from engine.codec import Codec
from engine.match import Match
from engine.rulesets.rosbiratschka.match_rules import contract_of, contracts_left, round_of
from engine.rulesets.rosbiratschka.packs import SETTINGS, Setting
from engine.rulesets.rosbiratschka.rules import (
    CONTRACTS,
    MOVES,
    Contract,
    RosbiratschkaDeal,
    RosbiratschkaObservation,
)
from engine.wire import (
    Out,
    Pass,
    PileTable,
    Play,
    Row,
    RowsTable,
    SeatCard,
    Table,
    Trick,
    TricksTable,
    TrickTaken,
    deal_scored,
)


class RosbiratschkaOptions(Struct):
    """The options of Rosbiratschka. A game that is asked for names some; a view has a value for each."""

    # texts.toml says what each of them is.

    slam: Literal["bonus", "penalty", "off"]
    double_if_none: bool
    open_row: Literal["when_stuck", "any_time"]
    rounds: Annotated[int, Meta(ge=1, le=6)]
    contracts: Annotated[list[Contract], Meta(min_length=1, max_length=6, extra_json_schema={"uniqueItems": True})]
    first_dealer: Annotated[int, Meta(ge=0, le=5)] | None


PRESETS: Mapping[str, Mapping[str, Any]] = {"classic": {}}


def defaults(_given: Mapping[str, Any]) -> dict[str, Any]:
    """The default of every option (B38)."""
    return {
        "slam": "bonus",
        "double_if_none": True,
        "open_row": "when_stuck",
        "rounds": 1,
        "contracts": list(CONTRACTS),
        "first_dealer": None,
    }


def check(options: RosbiratschkaOptions, seats: int) -> list[tuple[str, str]]:
    """What is wrong with these options for this many players (B39)."""
    errors = []
    if len(set(options.contracts)) < len(options.contracts):
        errors.append(("/options/contracts", "A contract can be in the list once only."))
    if options.first_dealer is not None and options.first_dealer >= seats:
        errors.append(("/options/first_dealer", f"There is no seat {options.first_dealer} among {seats}."))
    return errors


REASONS = {
    "not_in_this_game": "Rosbiratschka has no such move or card, or not with this many players.",
    "wrong_phase": "Nobody passes in this contract.",
    "card_not_in_hand": "You do not hold that card.",
    "must_follow_suit": "You hold a card of the suit led and must follow it.",
    "must_lay_off": "You hold a card that fits a row and must play such a card before you open another.",
    "not_playable": "That card neither fits a row nor opens one.",
    "must_play": "You can play a card, and so may not pass.",
}


class Taken(Struct, frozen=True):
    """What a seat has taken: tricks, the cards in them that count, and what that counts by the contract alone."""

    tricks: int
    cards: list[str]
    points: int


class Threshold(Struct, frozen=True):
    """Who went beyond a limit of Hundred first, and what that costs."""

    limit: int
    seat: int
    points: int


class RosbiratschkaDealView(Struct, tag_field="ruleset", tag="rosbiratschka"):
    """The running deal of Rosbiratschka, as everyone sees it. What does not belong to its contract is null."""

    number: int
    dealer: int
    phase: Literal["play"]
    table: Table
    contract: Contract
    round: int
    taken: list[Taken] | None
    thresholds: list[Threshold] | None
    places: list[int] | None
    passes: list[int] | None


class RosbiratschkaLastDeal(Struct, tag_field="ruleset", tag="rosbiratschka"):
    """A finished deal: how it went, and what it was worth to each seat, in penalty points."""

    number: int
    dealer: int
    scores: list[int]
    totals: list[int]
    last_trick: Trick | None
    contract: Contract
    slam: int | None
    doubled: bool


class RosbiratschkaMatchView(Struct, tag_field="ruleset", tag="rosbiratschka"):
    """The match so far, and the contracts of the deals after the running one."""

    deals_played: int
    last_deal: RosbiratschkaLastDeal | None
    contracts_left: list[Contract]


class ThresholdPassed(Struct, tag_field="type", tag="threshold_passed"):
    """A seat was the first to bring the pile of Hundred beyond a limit."""

    limit: int
    seat: int
    points: int


def _codec(setting: Setting) -> Codec:
    cards = setting.pack.cards
    there = {move: (kind, card) for move, (kind, card) in MOVES.items() if card < len(cards)}
    return Codec(
        setting.pack, {move: Play(cards[card]) if kind == "play" else Pass() for move, (kind, card) in there.items()}
    )


CODECS = {seats: _codec(setting) for seats, setting in SETTINGS.items()}
"""Moves and cards as JSON, by the number of players (B2, B7)."""


def _seat_cards(played: list[tuple[int, int]], setting: Setting) -> list[SeatCard]:
    return [SeatCard(seat, setting.pack.cards[card]) for seat, card in played]


def _trick(seen: RosbiratschkaObservation, index: int) -> Trick:
    trick = seen.tricks.trick(index)
    return Trick(trick[0][0], _seat_cards(trick, seen.setting), seen.tricks.taker_of(index))


def _last_trick(seen: RosbiratschkaObservation) -> Trick | None:
    return _trick(seen, seen.tricks.completed - 1) if seen.tricks.completed else None


def _tricks(seen: RosbiratschkaObservation) -> TricksTable:
    tricks = seen.tricks
    return TricksTable(
        trick_number=tricks.completed + (seen.to_move >= 0),
        leader=tricks.leader,
        cards=_seat_cards(tricks.trick(tricks.completed) if tricks.in_trick else [], seen.setting),
        last_trick=_last_trick(seen),
    )


def _rows(seen: RosbiratschkaObservation) -> RowsTable:
    ranks = [card.split("-")[0] for card in seen.setting.pack.cards]
    ends = zip(seen.setting.pack.suits, seen.layout.rows.record(), strict=True)
    return RowsTable({suit: Row(ranks[row[0]], ranks[row[1]]) if row else None for suit, row in ends})


def _table(seen: RosbiratschkaObservation) -> Table:
    if seen.kind == "rows":
        return _rows(seen)
    if seen.kind == "pile":
        return PileTable(_seat_cards(seen.pile.record(), seen.setting), seen.pile.sum)
    return _tricks(seen)


def _taken(seen: RosbiratschkaObservation) -> list[Taken]:
    names = seen.setting.pack.cards
    return [
        Taken(tricks, [names[card] for card in cards], points)
        for tricks, cards, points in seen.penalties.taken(seen.tricks)
    ]


def deal_view(seen: RosbiratschkaObservation, match: Match) -> RosbiratschkaDealView:
    """The deal as an observation knows it, counted by the contract alone (B37)."""
    rows = seen.kind == "rows"
    return RosbiratschkaDealView(
        number=match.number,
        dealer=seen.dealer,
        phase="play",
        table=_table(seen),
        contract=CONTRACTS[seen.contract],
        round=round_of(match),
        taken=_taken(seen) if seen.kind == "tricks" else None,
        thresholds=[Threshold(*each) for each in seen.pile.thresholds()] if seen.kind == "pile" else None,
        places=seen.layout.places() if rows else None,
        passes=seen.layout.passes() if rows else None,
    )


def match_view(match: Match) -> RosbiratschkaMatchView:
    """The match so far, as everyone sees it."""
    return RosbiratschkaMatchView(match.deals_played, match.last_deal, contracts_left(match))


def last_deal(match: Match, worth: list[int]) -> RosbiratschkaLastDeal:
    """The record of the deal that has just been settled."""
    deal: RosbiratschkaDeal = match.deal
    return RosbiratschkaLastDeal(
        number=match.number,
        dealer=match.dealer,
        scores=worth,
        totals=list(match.totals),
        last_trick=_last_trick(deal.observe(-1)),
        contract=contract_of(match),
        slam=deal.slam(),
        doubled=deal.doubled(),
    )


def happened(match: Match, before: RosbiratschkaObservation, _move: int) -> list[Struct]:
    """What a move brought about within the deal: a trick, a threshold, or seats that are out."""
    seen: RosbiratschkaObservation = match.observe(-1)
    if seen.kind == "rows":
        places = seen.layout.places()
        return [Out(places[index], index + 1) for index in range(before.layout.out, len(places))]
    if seen.kind == "pile":
        return [ThresholdPassed(*each) for each in seen.pile.thresholds()[before.pile.passed :]]
    if seen.tricks.in_trick:
        return []
    trick = _trick(seen, seen.tricks.completed - 1)
    return [TrickTaken(trick.taker, trick.cards, seen.penalties.last_trick(seen.tricks))]


def scored(record: RosbiratschkaLastDeal) -> list[Struct]:
    """How the end of a deal is told."""
    return [deal_scored(record)]
