"""Elfer Raus as JSON: its options, moves, deals and match. Types of the wire, and nothing of play."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from engine.cards import COLOURS, Pack
from engine.codec import Codec
from engine.match import Match
from engine.rows import Rows
from engine.rulesets.elfer_raus.rules import MOVES, ElferRausDeal, ElferRausObservation
from engine.wire import Draw, Drew, EndTurn, Move, Pass, Play, Row, RowsTable, deal_scored

Direction = Literal["clockwise", "counterclockwise"]


MOST_ACTIONS = 8
EXTRAS = {
    "skip_cards": tuple(f"{number}-skip" for number in range(1, MOST_ACTIONS + 1)),
    "reverse_cards": tuple(f"{number}-reverse" for number in range(1, MOST_ACTIONS + 1)),
}
"""The action cards, by the option that says how many of them are in the pack (E4)."""


@cache
def pack(colours: int, max_number: int, skip_cards: int = 0, reverse_cards: int = 0) -> Pack:
    """The cards of a game: numbers by colour, then skips, then reverses (E2, E4)."""
    extra = EXTRAS["skip_cards"][:skip_cards] + EXTRAS["reverse_cards"][:reverse_cards]
    return Pack(COLOURS[:colours], tuple(map(str, range(1, max_number + 1))), extra=extra)


CHOSEN_BY = {
    f"elfer_raus_{colours}x{max_number}": {"colours": colours, "max_number": max_number}
    for colours in (4, 3)
    for max_number in range(20, 9, -1)
}
PACKS = {name: pack(**chosen) for name, chosen in CHOSEN_BY.items()}
"""Every pack that can be chosen, without action cards, by colours and highest number; which options choose it."""


class ElferRausOptions(Struct):
    """The options of Elfer Raus. A game that is asked for names some; a view has a value for each."""

    # texts.toml says what each of them is.

    colours: Literal[4, 3]
    max_number: Annotated[int, Meta(ge=10, le=20)]
    start_number: Literal["fixed", "ten_or_twelve"]
    draw_limit: Annotated[int, Meta(ge=1, le=3)]
    voluntary_pass: bool
    forced_start: bool
    opener_continues: bool
    penalty_limit: Annotated[int, Meta(ge=1, le=5000)] | None
    rounds: Annotated[int, Meta(ge=1, le=100)] | None
    skip_cards: Annotated[int, Meta(ge=0, le=MOST_ACTIONS)]
    reverse_cards: Annotated[int, Meta(ge=0, le=MOST_ACTIONS)]
    max_deals: Annotated[int, Meta(ge=1, le=1000)]
    first_dealer: Annotated[int, Meta(ge=0, le=5)] | None


PRESETS: Mapping[str, Mapping[str, Any]] = {
    "classic": {},
    "three_colours": {"colours": 3},
    "junior_15": {"max_number": 15},
    "junior_10": {"max_number": 10},
    "ravensburger": {"draw_limit": 3, "forced_start": False, "opener_continues": False},
    "action_cards": {"skip_cards": 4, "reverse_cards": 4},
}


def defaults(_given: Mapping[str, Any]) -> dict[str, Any]:
    """The default of every option (E42)."""
    return {
        "colours": 4,
        "max_number": 20,
        "start_number": "fixed",
        "draw_limit": 1,
        "voluntary_pass": False,
        "forced_start": True,
        "opener_continues": True,
        "penalty_limit": 500,
        "rounds": None,
        "skip_cards": 0,
        "reverse_cards": 0,
        "max_deals": 100,
        "first_dealer": None,
    }


REASONS = {
    "not_in_this_game": "Elfer Raus, as it is played here, has no such move or card.",
    "wrong_phase": "You have played a card this turn: it ends with `end_turn`, not with a pass.",
    "card_not_in_hand": "You do not hold that card.",
    "must_open_with": "The deal begins with the opening card.",
    "not_playable": "That card neither starts a row nor fits the end of one.",
    "nothing_played": "A turn that ends must have seen a card played.",
    "must_play": "You can play a card, and under these rules or at this moment you must.",
    "must_play_start": "You hold a start card, and it must leave your hand.",
    "must_play_number": "Action cards alone are not enough: you can play a number card.",
    "must_draw": "You are stuck, and there are cards in the stock: draw.",
    "cannot_draw": "One draws only when stuck, having played nothing, and while there is a stock.",
}


class ElferRausDealView(Struct, tag_field="ruleset", tag="elfer_raus"):
    """The running deal of Elfer Raus, as everyone sees it."""

    number: int
    dealer: int
    phase: Literal["play"]
    table: RowsTable
    start_numbers: dict[str, int]
    stock: int
    direction: Direction
    opener: int
    opening_card: str
    extra_deal: bool
    played_this_turn: list[str]
    drawn_this_turn: int
    passes_in_row: int
    action_cards_played: list[str]


class ElferRausLastDeal(Struct, tag_field="ruleset", tag="elfer_raus"):
    """A finished deal: who emptied the hand, and what it was worth to each seat."""

    number: int
    dealer: int
    scores: list[int]
    totals: list[int]
    last_trick: None
    winner: int


class ElferRausMatchView(Struct, tag_field="ruleset", tag="elfer_raus"):
    """The match so far."""

    deals_played: int
    last_deal: ElferRausLastDeal | None
    penalty_limit: int | None
    rounds: int | None


class TurnEnded(Struct, tag_field="type", tag="turn_ended"):
    """A seat's turn is over, and the deal goes on."""

    seat: int


class Skipped(Struct, tag_field="type", tag="skipped"):
    """A seat is passed over."""

    seat: int


class DirectionChanged(Struct, tag_field="type", tag="direction_changed"):
    """The play goes round the other way from now on."""

    direction: Direction


_WIRE: dict[str, Move] = {"draw": Draw(), "end_turn": EndTurn(), "pass": Pass()}


@cache
def _codec(cards: Pack) -> Codec:
    plays = {number: Play(card) for number, card in enumerate(cards.cards)}
    return Codec(cards, {**plays, **{move: _WIRE[kind] for move, kind in MOVES.items()}})


def codec(options: ElferRausOptions, _seats: int) -> Codec:
    """The moves and cards of a game with these options (E10)."""
    return _codec(pack(options.colours, options.max_number, options.skip_cards, options.reverse_cards))


def _direction(step: int) -> Direction:
    return "clockwise" if step == 1 else "counterclockwise"


def _table(rows: Rows, options: ElferRausOptions) -> RowsTable:
    shown: dict[str, Row | None] = {}
    for colour, ends in zip(COLOURS[: options.colours], rows.record(), strict=True):
        shown[colour] = Row(*(card % options.max_number + 1 for card in ends)) if ends else None
    return RowsTable(shown)


def deal_view(seen: ElferRausObservation, match: Match) -> ElferRausDealView:
    """The deal as an observation knows it."""
    cards = match.codec.pack.cards
    return ElferRausDealView(
        number=match.number,
        dealer=seen.dealer,
        phase="play",
        table=_table(seen.rows, match.options),
        start_numbers=dict(zip(COLOURS, seen.start_numbers, strict=False)),
        stock=seen.stock,
        direction=_direction(seen.step),
        opener=seen.opener,
        opening_card=cards[seen.opening_card],
        extra_deal=seen.extra_deal,
        played_this_turn=[cards[card] for card in seen.turn],
        drawn_this_turn=seen.drawn,
        passes_in_row=seen.passes,
        action_cards_played=[cards[card] for card in seen.acted],
    )


def match_view(match: Match) -> ElferRausMatchView:
    """The match so far, as everyone sees it."""
    return ElferRausMatchView(match.deals_played, match.last_deal, match.options.penalty_limit, match.options.rounds)


def last_deal(match: Match, worth: list[int]) -> ElferRausLastDeal:
    """The record of the deal that has just been settled."""
    deal: ElferRausDeal = match.deal
    return ElferRausLastDeal(match.number, match.dealer, worth, list(match.totals), None, deal.winner)


def happened(match: Match, before: ElferRausObservation, move: int) -> list[Struct]:
    """What a move brought about within the deal: the card drawn, and how the turn passed (E21, E26 to E29)."""
    after: ElferRausObservation = match.observe(-1)
    events: list[Struct] = []
    if MOVES.get(move) == "draw":
        events.append(Drew(before.to_move, match.number, match.attempt, after.stock))
    if after.turns > before.turns:
        events.append(TurnEnded(before.to_move))
        if after.step != before.step:
            events.append(DirectionChanged(_direction(after.step)))
        events += [Skipped(seat) for seat in before.passed_over(after)]
    return events


def scored(record: ElferRausLastDeal) -> list[Struct]:
    """How the end of a deal is told."""
    return [deal_scored(record)]
