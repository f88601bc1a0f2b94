"""Reihe as JSON: its options, moves, deals and match. Types of the wire, and nothing of play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from engine.codec import Codec
from engine.match import Dependence, Match
from engine.rows import Rows
from engine.rulesets.reihe.rules import DECKS, Deck, ReiheObservation
from engine.wire import Out, Pass, Play, Row, RowsTable, Trick, deal_scored


class ReiheOptions(Struct):
    """The options of Reihe. A game that is asked for names some; a view has a value for each."""

    # texts.toml says what each of them is.

    deck: Literal["nordic_60", "nordic_56", "german_36", "spanish_48", "spanish_40", "french_52"]
    scoring: Literal["as_printed", "descending"]
    target: Annotated[int, Meta(ge=1, le=500)] | None
    max_deals: Annotated[int, Meta(ge=1, le=1000)]
    ante: Annotated[int, Meta(ge=0, le=1_000_000)]
    pass_fee: Annotated[int, Meta(ge=0, le=1_000_000)]
    first_dealer: Annotated[int, Meta(ge=0, le=7)] | None


PRESETS: Mapping[str, Mapping[str, Any]] = {**{deck: {"deck": deck} for deck in DECKS}, "for_money": {"ante": 200}}

DEPENDENT_DEFAULTS = {"pass_fee": Dependence("ante", divisor=2)}


def defaults(given: Mapping[str, Any]) -> dict[str, Any]:
    """The default of every option, beside what is given (R29)."""
    return {
        "deck": "nordic_60",
        "scoring": "as_printed",
        "target": 15,
        "max_deals": 100,
        "ante": 0,
        "pass_fee": given.get("ante", 0) // 2,
        "first_dealer": None,
    }


def check(options: ReiheOptions, seats: int) -> list[tuple[str, str]]:
    """What the rulebook forbids: a first dealer that is not at the table (R3).

    Whether a match without target has anyone to agree on one is asked where its seats are known (R24).
    """
    if options.first_dealer is not None and options.first_dealer >= seats:
        return [("/options/first_dealer", f"With {seats} seats the first dealer is one of 0 to {seats - 1}.")]
    return []


REASONS = {
    "not_in_this_game": "This game of Reihe has no such move or card.",
    "card_not_in_hand": "You do not hold that card.",
    "not_playable": "That card starts no row and lies next to no open one.",
    "must_play": "You hold a card that can be played, and must play.",
}


class ReiheDealView(Struct, tag_field="ruleset", tag="reihe"):
    """The running deal of Reihe, as everyone sees it. `places` are the seats that are out, the first one first."""

    number: int
    dealer: int
    phase: Literal["play"]
    table: RowsTable
    places: list[int]
    passes: list[int]


class ReiheLastDeal(Struct, tag_field="ruleset", tag="reihe"):
    """A finished deal: the seats in the order of their places, and what that was worth to each seat."""

    number: int
    dealer: int
    scores: list[int]
    totals: list[int]
    last_trick: Trick | None
    places: list[int]


class ReiheMatchView(Struct, tag_field="ruleset", tag="reihe"):
    """The match so far. `pot` and `balances` are cents, null where no money is played for."""

    deals_played: int
    last_deal: ReiheLastDeal | None
    target: int | None
    target_proposals: list[int | None]
    pot: int | None
    balances: list[int] | None


class Paid(Struct, tag_field="type", tag="paid"):
    """A seat has paid an amount in cents; `pot` is what the pot holds now."""

    seat: int
    amount: int
    pot: int


class TargetProposed(Struct, tag_field="type", tag="target_proposed"):
    """A seat proposes a target."""

    seat: int
    target: int


class TargetAgreed(Struct, tag_field="type", tag="target_agreed"):
    """All who have a say propose this target, and from now on it is the match's."""

    target: int


def _codec(deck: Deck) -> Codec:
    cards = deck.pack.cards
    return Codec(
        deck.pack, {move: Play(cards[card]) if kind == "play" else Pass() for move, (kind, card) in deck.moves.items()}
    )


CODECS = {name: _codec(deck) for name, deck in DECKS.items()}
"""The moves of each deck as JSON (R2, R7)."""


def table(rows: Rows, cards: tuple[str, ...], suits: tuple[str, ...]) -> RowsTable:
    """The rows, by the ranks at their ends (R10)."""
    ends = {suit: rows.ends(number) for number, suit in enumerate(suits)}
    rank = [card.partition("-")[0] for card in cards]
    return RowsTable({suit: Row(rank[pair[0]], rank[pair[1]]) if pair else None for suit, pair in ends.items()})


def deal_view(seen: ReiheObservation, match: Match) -> ReiheDealView:
    """The deal as an observation knows it."""
    pack = DECKS[seen.terms.deck].pack
    return ReiheDealView(
        number=match.number,
        dealer=seen.dealer,
        phase="play",
        table=table(seen.rows, pack.cards, pack.suits),
        places=seen.places,
        passes=seen.passes,
    )


def match_view(match: Match) -> ReiheMatchView:
    """The match so far, as everyone sees it."""
    return ReiheMatchView(match.deals_played, match.last_deal, **match.carried)


def last_deal(match: Match, worth: list[int]) -> ReiheLastDeal:
    """The record of the deal that has just been settled."""
    return ReiheLastDeal(
        number=match.number,
        dealer=match.dealer,
        scores=worth,
        totals=list(match.totals),
        last_trick=None,
        places=match.observe(-1).places,
    )


def went_out(before: ReiheObservation, after: ReiheObservation) -> list[Struct]:
    """The seats that took their places in between (R13, R14)."""
    return [Out(after.places[place], place + 1) for place in range(len(before.places), len(after.places))]


def scored(record: ReiheLastDeal) -> list[Struct]:
    """How the end of a deal is told."""
    return [deal_scored(record)]
