"""Moves, events and the shared parts of views as JSON: tagged structs, the same for every ruleset.

Requests are closed (an unknown field is refused); what is sent to clients may grow.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from engine.cards import CARD_PATTERN

Card = Annotated[
    str, Meta(pattern=CARD_PATTERN, title="Card", description="`{rank}-{suit}`, as the ruleset's pack names it.")
]
Suit = Literal[
    "acorns", "leaves", "hearts", "bells", "spades", "diamonds", "clubs", "coins", "cups", "swords", "batons",
    "red", "yellow", "green", "blue",
]  # fmt: skip


class Play(Struct, tag_field="type", tag="play", frozen=True, forbid_unknown_fields=True):
    """Play a card of the hand."""

    card: Card


class Pass(Struct, tag_field="type", tag="pass", frozen=True, forbid_unknown_fields=True):
    """Pass: make no bid, or play nothing."""


class Bid(Struct, tag_field="type", tag="bid", frozen=True, forbid_unknown_fields=True):
    """Bid an amount in the auction. Any integer is well-formed; the rules say which may be bid now."""

    amount: int


class Trump(Struct, tag_field="type", tag="trump", frozen=True, forbid_unknown_fields=True):
    """Name the trump suit."""

    suit: Suit


class Draw(Struct, tag_field="type", tag="draw", frozen=True, forbid_unknown_fields=True):
    """Draw a card from the stock."""


class EndTurn(Struct, tag_field="type", tag="end_turn", frozen=True, forbid_unknown_fields=True):
    """End a turn of several cards."""


Move = Play | Pass | Bid | Trump | Draw | EndTurn


class SeatCard(Struct, frozen=True):
    """A card and the seat that played it."""

    seat: int
    card: str


class Trick(Struct, frozen=True):
    """A finished trick, its cards in order of play."""

    leader: int
    cards: list[SeatCard]
    taker: int


class TricksTable(Struct, tag_field="kind", tag="tricks"):
    """The table of a trick game: the running trick and the one before it."""

    trick_number: int
    leader: int | None
    cards: list[SeatCard]
    last_trick: Trick | None


class Result(Struct):
    """How a match ended. Partners have equal scores and win together."""

    winners: list[int]
    scores: list[int]
    reason: Literal["target", "full_bid", "contracts", "penalty_limit", "rounds", "extra_deal", "max_deals"]


class GameStarted(Struct, tag_field="type", tag="game_started"):
    """Every seat is taken and the match begins."""


class Dealt(Struct, tag_field="type", tag="dealt"):
    """Cards have been dealt. `cards` counts each seat's; `hand` is the reader's own, null for everyone else.

    `attempt` is 1 unless the same deal was dealt again; with `deal` it names the published shuffle.
    """

    deal: int
    attempt: int
    dealer: int
    cards: list[int]
    stock: int
    hand: list[str] | None = None


class TrickTaken(Struct, tag_field="type", tag="trick_taken"):
    """A trick is complete. `points` is what its cards count where cards count, else null."""

    taker: int
    cards: list[SeatCard]
    points: int | None


class AllPassed(Struct, tag_field="type", tag="all_passed"):
    """Nobody bid: the deal is thrown in."""


class GameOver(Result, tag_field="type", tag="game_over"):
    """The match is over."""
