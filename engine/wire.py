"""Moves, events and the shared parts of views as JSON: tagged structs, the same for every ruleset.

Requests are closed (an unknown field is refused); what is sent to clients may grow.
"""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

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


class PileTable(Struct, tag_field="kind", tag="pile"):
    """The table of an adding game: every card on the pile, and what they count together."""

    cards: list[SeatCard]
    sum: int


class Row(Struct, frozen=True):
    """An open row, by its lowest and highest card: numbers in Elfer Raus, ranks elsewhere."""

    low: int | str
    high: int | str


class RowsTable(Struct, tag_field="kind", tag="rows"):
    """The table of a layout game: the row of each suit, null where it is not open."""

    rows: dict[str, Row | None]


Table = TricksTable | PileTable | RowsTable


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


class Drew(Struct, tag_field="type", tag="drew"):
    """A seat drew a card, shown to that seat only. `stock` counts what is left; `deal` and `attempt` name the deal."""

    seat: int
    deal: int
    attempt: int
    stock: int
    card: str | None = None


class Redealt(Struct, tag_field="type", tag="redealt"):
    """The deal did not count: the same dealer shuffles and deals again."""

    deal: int
    attempt: int


class TrickTaken(Struct, tag_field="type", tag="trick_taken"):
    """A trick is complete. `points` is what its cards count where cards count, else null."""

    taker: int
    cards: list[SeatCard]
    points: int | None


class AllPassed(Struct, tag_field="type", tag="all_passed"):
    """Nobody bid: the deal is thrown in."""


class Out(Struct, tag_field="type", tag="out"):
    """A seat takes its place, 1 for the first: it has no cards left, or is the last that has."""

    seat: int
    place: int


class DealScored(Struct, tag_field="type", tag="deal_scored", kw_only=True):
    """A deal is over and has been scored: the fields of `match.last_deal`, those of other rulesets left out."""

    number: int
    dealer: int
    scores: list[int]
    totals: list[int]
    last_trick: Trick | None
    places: list[int] | UnsetType = UNSET
    contract: str | UnsetType = UNSET
    slam: int | UnsetType | None = UNSET
    doubled: bool | UnsetType = UNSET
    winner: int | UnsetType = UNSET
    declarer: int | UnsetType | None = UNSET
    bid: int | UnsetType | None = UNSET
    trump: str | UnsetType | None = UNSET
    made: bool | UnsetType | None = UNSET
    tricks_taken: list[int] | UnsetType = UNSET
    points_taken: list[int] | UnsetType | None = UNSET
    all_passed: bool | UnsetType = UNSET
    discarded: list[int] | UnsetType = UNSET


def deal_scored(record: Struct) -> DealScored:
    """A ruleset's record of a deal, told as an event."""
    return DealScored(**{name: getattr(record, name) for name in record.__struct_fields__})


class GameOver(Result, tag_field="type", tag="game_over"):
    """The match is over."""
