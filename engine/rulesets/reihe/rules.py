"""Reihe: the deal, rule by rule; the match is in match_rules.py. Numbers (R9) are those of rules.en.md.

Moves: 0 to 59 play that card, as far as the deck has it, 60 passes (R7). Turns go counterclockwise, from a seat to
the one before it (R1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import cython

from engine.bits import span
from engine.cards import FRENCH, GERMAN, SPANISH, Pack
from engine.deal import Deal
from engine.rows import Rows
from engine.sampling import spread

if not cython.compiled:
    from engine.bits import bit, count

if TYPE_CHECKING:
    from engine.chance import Chance

MOST_SEATS = 8
PASS = 60
NOBODY = -1


PASSES = 0
CARDS_LEFT = 64

COUNTS: dict[int, tuple[str, str | None, str]] = {
    PASSES: ("passes", None, "deals"),
    **{CARDS_LEFT + cards: ("cards_left", str(cards), "deals") for cards in range(1, 60)},
}
"""What is counted of deals, by place: passes, and how many cards who came last still held; each with its key and with
what it is a share of."""


class Deck:
    """A pack and the rank that its rows start from (R2).

    `moves` says of each move whether it is a `play` or a `pass`, and of which card: the one table (R7).
    """

    def __init__(self, suits: tuple[str, ...], ranks: str, start: str) -> None:
        self.pack = Pack(suits, tuple(ranks.split()))
        self.lengths = [len(self.pack.ranks)] * len(suits)
        self.start_cards = [self.pack.number[f"{start}-{suit}"] for suit in suits]
        self.moves = {**{card: ("play", card) for card in range(len(self.pack.cards))}, PASS: ("pass", 0)}


DECKS = {
    "nordic_60": Deck(GERMAN, "1 2 3 4 5 6 7 8 9 10 U O K J E", "8"),
    "nordic_56": Deck(GERMAN, "1 2 3 4 5 6 7 8 9 10 U O K J", "8"),
    "german_36": Deck(GERMAN, "6 7 8 9 10 U O K A", "10"),
    "spanish_48": Deck(SPANISH, "1 2 3 4 5 6 7 8 9 10 11 12", "6"),
    "spanish_40": Deck(SPANISH, "1 2 3 4 5 6 7 10 11 12", "5"),
    "french_52": Deck(FRENCH, "A 2 3 4 5 6 7 8 9 10 J Q K", "7"),
}
"""The decks, by the name that the option `deck` gives them (R2)."""


def after(seat: int, seats: int) -> int:
    """The next seat, to the right (R1)."""
    return seat - 1 if seat > 0 else seats - 1


class Terms(Protocol):
    """The options that bear on a deal, resolved; option names and values are the rulebook's (R29)."""

    deck: str
    scoring: str
    ante: int
    pass_fee: int


class ReiheDeal(Deal):
    """One deal of Reihe.

    `lacks` is, for each seat, the set of the cards that it could have played when it passed: it does not hold them
    (R12). `places` are the seats in the order in which they went out, `out` says how many (R13).
    """

    def __init__(self, terms: Terms, seats: int) -> None:
        deck = DECKS[terms.deck]
        Deal.__init__(self, len(deck.pack.cards), seats)
        if not cython.compiled:
            self.hands = [0] * MOST_SEATS
            self.lacks = [0] * MOST_SEATS
            self.passes = [0] * MOST_SEATS
            self.places = [0] * MOST_SEATS
        self.terms = terms
        self.as_printed = terms.scoring == "as_printed"
        self.totals: tuple[int, ...] = ()
        self.target: int | None = None
        self.out = 0
        self.rows = Rows(deck.lengths, deck.start_cards)

    def begin(self) -> None:
        """Deal the whole pack one card at a time from the seat after the dealer, who begins (R5, R8)."""
        for seat in range(self.seats):
            self.hands[seat] = 0
            self.lacks[seat] = 0
            self.passes[seat] = 0
        seat = self.dealer
        for index in range(self.size):
            seat = after(seat, self.seats)
            self.hands[seat] |= bit(self.order[index])
        self.out = 0
        self.rows.clear()
        self.to_move = after(self.dealer, self.seats)

    def playable(self) -> int:
        """The set of the cards that may be laid now, whoever holds them (R9, R10)."""
        return self.rows.fits_lo | self.rows.starts_lo

    def list_moves(self) -> None:
        """Every playable card of the hand, and where there is none a pass (R11, R12)."""
        self.moves_hi = 0
        self.moves_lo = self.hands[self.to_move] & self.playable()
        if self.moves_lo == 0:
            self.moves_lo = bit(PASS)

    def make(self, move: int) -> None:
        """Make a move that is known to be legal; the next seat with cards follows (R8, R13)."""
        seat = self.to_move
        if move == PASS:
            self.passes[seat] += 1
            self.lacks[seat] |= self.playable()
        else:
            self.hands[seat] &= ~bit(move)
            self.rows.add(move)
            if self.hands[seat] == 0:
                self.go_out(seat)
                if self.to_move < 0:
                    return
        seat = after(seat, self.seats)
        while self.hands[seat] == 0:
            seat = after(seat, self.seats)
        self.to_move = seat

    def go_out(self, seat: int) -> None:
        """Give a seat the next place; the deal ends when one other seat is left, which takes the last (R13, R14)."""
        self.places[self.out] = seat
        self.out += 1
        if self.out < self.seats - 1:
            return
        for other in range(self.seats):
            if self.hands[other]:
                self.places[self.out] = other
        self.out += 1
        self.to_move = NOBODY

    def settle(self) -> None:
        """What each place is worth (R16, R17)."""
        self.worth[self.places[0]] = self.seats + 1
        for place in range(1, self.out):
            self.worth[self.places[place]] = place - self.seats if self.as_printed else self.seats - place

    def count_up(self, counts: list[int]) -> None:
        """Count the passes, and the cards of who came last; see COUNTS."""
        for seat in range(self.seats):
            counts[PASSES] += self.passes[seat]
        counts[CARDS_LEFT + count(self.hands[self.places[self.seats - 1]])] += 1

    def why_not(self, move: int) -> str:
        """The first reason against a move that is not legal now, in the rulebook's order (R15)."""
        if move == PASS:
            return "must_play"
        if move >= self.size:
            return "not_in_this_game"
        return "not_playable" if bit(move) & self.hands[self.to_move] else "card_not_in_hand"

    def resume(self, seen: ReiheObservation, hands: list[int]) -> None:
        """Take up the open play that an observation holds, with these hands."""
        self.dealer = seen.dealer
        self.to_move = seen.to_move
        self.totals = seen.totals
        self.target = seen.target
        self.rows = seen.rows.copy()
        self.out = len(seen.places)
        for place in range(self.out):
            self.places[place] = seen.places[place]
        for seat in range(self.seats):
            self.hands[seat] = hands[seat]
            self.lacks[seat] = seen.lacks[seat]
            self.passes[seat] = seen.passes[seat]

    def copy(self) -> ReiheDeal:
        """An independent copy at the same position, hidden hands and all; its `order` is not kept."""
        other = ReiheDeal(self.terms, self.seats)
        other.resume(self.observe(NOBODY), [self.hands[seat] for seat in range(self.seats)])
        return other

    def observe(self, seat: int) -> ReiheObservation:
        """What a seat may know: the open play and its own hand; -1 observes as a spectator, without a hand (R6)."""
        return ReiheObservation(
            seat=seat,
            hand=self.hands[seat] if seat >= 0 else 0,
            moves=self.legal_moves() if 0 <= seat == self.to_move else [],
            sizes=[count(self.hands[other]) for other in range(self.seats)],
            dealer=self.dealer,
            to_move=self.to_move,
            totals=self.totals,
            target=self.target,
            rows=self.rows.copy(),
            places=[self.places[place] for place in range(self.out)],
            passes=[self.passes[other] for other in range(self.seats)],
            lacks=[self.lacks[other] for other in range(self.seats)],
            terms=self.terms,
        )


@dataclass(frozen=True)
class ReiheObservation:
    """All that one seat may know of a deal, named field by field (R6); -1 is a spectator.

    `hand` is the set of its cards, `moves` its legal moves when it is to move, `sizes` how many cards each seat
    holds, `totals` each seat's match score before this deal, `target` the score to reach, if there is one. `places`,
    `passes` and `lacks` are as in `ReiheDeal`.
    """

    seat: int
    hand: int
    moves: list[int]
    sizes: list[int]
    dealer: int
    to_move: int
    totals: tuple[int, ...]
    target: int | None
    rows: Rows
    places: list[int]
    passes: list[int]
    lacks: list[int]
    terms: Terms

    @property
    def stock(self) -> int:
        """How many cards nobody holds: every card is dealt (R5)."""
        return 0

    def playing(self, seat: int) -> bool:
        """Whether a seat still holds cards (R13)."""
        return self.sizes[seat] > 0

    def facts(self) -> tuple[object, ...]:
        """Everything it holds, as values to compare."""
        return (
            (self.seat, self.hand, self.moves, self.sizes, self.dealer, self.to_move, self.totals, self.target),
            (self.rows.record(), self.rows.fits(), self.rows.starts(), self.places, self.passes, self.lacks),
        )

    def unseen(self) -> int:
        """The set of the cards that other seats hold."""
        everything = span(0, len(DECKS[self.terms.deck].pack.cards) - 1)
        return everything & ~self.hand & ~self.rows.seen()

    def sample(self, chance: Chance) -> ReiheDeal:
        """A full deal that this seat cannot tell from the real one, each such deal equally likely.

        Uniform over the deals that agree with the cards laid and with every pass; why somebody laid one card and not
        another is not weighed.
        """
        sizes = [0 if seat == self.seat else size for seat, size in enumerate(self.sizes)]
        hands = spread(chance, self.unseen(), self.lacks, sizes)
        if self.seat >= 0:
            hands[self.seat] = self.hand
        deal = ReiheDeal(self.terms, len(self.sizes))
        deal.resume(self, hands)
        return deal
