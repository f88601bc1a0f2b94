"""Tarneeb: the deal, rule by rule; the match is in match_rules.py. Numbers (T9) are those of rules.en.md.

Moves: 0 to 51 play that card, 52 to 55 name a suit as trump, 56 passes, 64 + n bids n. Seats 0 and 2 are side 0,
seats 1 and 3 side 1 (T2); turns go counterclockwise, from a seat to the one before it (T1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import cython

from engine.cards import FRENCH_ACE_HIGH
from engine.deal import Deal
from engine.rulesets.tarneeb.auction import Auction
from engine.sampling import spread
from engine.tricks import Tricks

if not cython.compiled:
    from engine.bits import bit, count, prefer

if TYPE_CHECKING:
    from engine.chance import Chance

SEATS = 4
CARDS = 52
RANKS = 13
TRUMP = 52
PASS = 56
BID = 64
MOST_BID = 62
NOBODY = -1
JACK = 9

AUCTION = 0
NAMING = 1
PLAY = 2

Phase = Literal["auction", "trump", "play"]
PHASES: tuple[Phase, ...] = ("auction", "trump", "play")
"""The names of the phases, by number."""

MOVES: dict[int, tuple[str, int]] = {
    **{card: ("play", card) for card in range(CARDS)},
    **{TRUMP + suit: ("trump", suit) for suit in range(CARDS // RANKS)},
    PASS: ("pass", 0),
    **{BID + amount: ("bid", amount) for amount in range(MOST_BID + 1)},
}
"""Each move's kind and its card, suit or amount: the one table from ints to meanings (T3, T8)."""


ALL_PASSED = 0
MADE = 64
NAMED = 128
TAKEN = 192

COUNTS: dict[int, tuple[str, str | None, str]] = {
    ALL_PASSED: ("all_passed", None, "deals"),
    **{amount: ("bid", str(amount), "deals") for amount in range(1, MOST_BID + 1)},
    **{MADE + amount: ("made", str(amount), f"bid.{amount}") for amount in range(1, MOST_BID + 1)},
    **{NAMED + suit: ("trump", name, "bid") for suit, name in enumerate(FRENCH_ACE_HIGH.suits)},
    **{TAKEN + amount: ("taken", str(amount), "bid") for amount in range(MOST_BID + 1)},
}
"""What is counted of deals, by place: deals thrown in, highest bids, those made, trumps named, and what the declaring
side took, in tricks or points; each with its key and with what it is a share of."""


class Terms(Protocol):
    """The options that bear on a deal, resolved; option names and values are the rulebook's (T38)."""

    scoring: str
    all_pass: str
    defenders_always_score: bool
    full_bid: str
    full_bid_made: int
    full_bid_failed: int


class TarneebDeal(Deal):
    """One deal of Tarneeb: auction, naming the trump, thirteen tricks."""

    def __init__(self, terms: Terms) -> None:
        Deal.__init__(self, CARDS, SEATS)
        if not cython.compiled:
            self.hands = [0] * SEATS
        self.terms = terms
        self.points = terms.scoring == "points"
        self.defenders_always_score = terms.defenders_always_score
        self.bonus = terms.full_bid == "bonus"
        self.full_bid_made = terms.full_bid_made
        self.full_bid_failed = terms.full_bid_failed
        self.totals: tuple[int, ...] = ()
        self.phase = AUCTION
        self.auction = Auction(terms.scoring, terms.all_pass == "dealer_bids")
        self.tricks = Tricks(SEATS, (RANKS,) * (CARDS // RANKS), SEATS - 1)

    def begin(self) -> None:
        """Deal one card at a time from the seat after the dealer, who also speaks first (T6, T9)."""
        for seat in range(SEATS):
            self.hands[seat] = 0
        seat = self.dealer
        for index in range(CARDS):
            seat = (seat + 3) & 3
            self.hands[seat] |= bit(self.order[index])
        self.auction.clear()
        self.tricks.clear(NOBODY)
        self.phase = AUCTION
        self.to_move = (self.dealer + 3) & 3

    def list_moves(self) -> None:
        """Every legal move: a follow (T20), any trump (T17), a higher bid or a pass (T11, T16)."""
        self.moves_hi = 0
        if self.phase == PLAY:
            self.moves_lo = prefer(self.hands[self.to_move], self.tricks.led)
        elif self.phase == NAMING:
            self.moves_lo = bit(PASS) - bit(TRUMP)
        else:
            self.moves_hi = self.auction.open_bids()
            self.moves_lo = bit(PASS) if self.auction.may_pass() else 0

    def make(self, move: int) -> None:
        """Make a move that is known to be legal."""
        if self.phase == PLAY:
            self.lay(move)
        elif self.phase == NAMING:
            self.auction.trump = move - TRUMP
            self.tricks.name_trump((move - TRUMP) * RANKS)
            self.phase = PLAY
        else:
            self.call(0 if move == PASS else move - BID)

    def call(self, amount: int) -> None:
        """A bid, or a pass as 0; the declarer goes on to name the trump and lead (T13, T17, T18)."""
        self.to_move = self.auction.call(self.to_move, amount)
        if self.to_move < 0 and self.auction.bid:
            self.phase = NAMING
            self.to_move = self.auction.declarer
            self.tricks.leader = self.auction.declarer

    def lay(self, card: int) -> None:
        """Play a card; the last of a trick settles who takes it and leads next (T21 to T23)."""
        seat = self.to_move
        self.hands[seat] &= ~bit(card)
        taker = self.tricks.add(seat, card)
        if taker < 0:
            self.to_move = (seat + 3) & 3
        elif self.tricks.played < CARDS:
            self.to_move = taker
        else:
            self.to_move = NOBODY

    def taken(self, side: int) -> int:
        """What the scoring counts of a side's tricks: tricks, or the points of their cards (T25, T26)."""
        if not self.points:
            return self.tricks.taken[side] + self.tricks.taken[side + 2]
        return points_taken(self.tricks, side)

    def settle(self) -> None:
        """What the deal is worth, the same to both partners (T27 to T32)."""
        for seat in range(SEATS):
            self.worth[seat] = 0
        if self.auction.declarer < 0:
            return
        side = self.auction.declarer & 1
        ours = self.taken(side)
        theirs = self.taken(1 - side)
        made = ours >= self.auction.bid
        if not made:
            ours = -self.auction.bid
        if self.bonus and self.auction.bid == self.auction.high_bid:
            ours = self.full_bid_made if made else -self.full_bid_failed
        if made and not self.defenders_always_score:
            theirs = 0
        for seat in range(SEATS):
            self.worth[seat] = ours if seat & 1 == side else theirs

    def count_up(self, counts: list[int]) -> None:
        """Count the bid, whether it was made, the trump and what was taken, or a deal thrown in; see COUNTS."""
        if self.auction.declarer < 0:
            counts[ALL_PASSED] += 1
            return
        bid = self.auction.bid
        taken = self.taken(self.auction.declarer & 1)
        counts[bid] += 1
        if taken >= bid:
            counts[MADE + bid] += 1
        counts[NAMED + self.auction.trump] += 1
        counts[TAKEN + taken] += 1

    def made(self) -> bool | None:
        """Whether the declaring side reached its bid in the finished deal; None when all passed (T27, T14)."""
        if self.auction.declarer < 0:
            return None
        return self.taken(self.auction.declarer & 1) >= self.auction.bid

    def why_not(self, move: int) -> str:
        """The first reason against a move that is not legal now, in the rulebook's order (T8, T19, T24)."""
        if move < CARDS:
            if self.phase != PLAY:
                return "wrong_phase"
            return "must_follow_suit" if bit(move) & self.hands[self.to_move] else "card_not_in_hand"
        if move < PASS or self.phase != AUCTION:
            return "wrong_phase"
        if move == PASS:
            return "dealer_must_bid"
        in_range = self.auction.low_bid <= move - BID <= self.auction.high_bid
        return "bid_too_low" if in_range else "bid_out_of_range"

    def resume(self, seen: TarneebObservation, hands: list[int]) -> None:
        """Take up the open play that an observation holds, with these hands."""
        self.dealer = seen.dealer
        self.to_move = seen.to_move
        self.phase = seen.phase
        self.totals = seen.totals
        self.auction = seen.auction.copy()
        self.tricks = seen.tricks.copy()
        for seat in range(SEATS):
            self.hands[seat] = hands[seat]

    def copy(self) -> TarneebDeal:
        """An independent copy at the same position, hidden hands and all; its `order` is not kept."""
        other = TarneebDeal(self.terms)
        other.resume(self.observe(NOBODY), [self.hands[seat] for seat in range(SEATS)])
        return other

    def observe(self, seat: int) -> TarneebObservation:
        """What a seat may know: the open play and its own hand; -1 observes as a spectator, without a hand."""
        return TarneebObservation(
            seat=seat,
            hand=self.hands[seat] if seat >= 0 else 0,
            moves=self.legal_moves() if 0 <= seat == self.to_move else [],
            sizes=[count(self.hands[other]) for other in range(SEATS)],
            dealer=self.dealer,
            to_move=self.to_move,
            phase=self.phase,
            totals=self.totals,
            auction=self.auction.copy(),
            tricks=self.tricks.copy(),
            terms=self.terms,
        )


def points_taken(tricks: Tricks, side: int) -> int:
    """The honours in the tricks that a side has taken: A 4, K 3, Q 2, J 1 (T26)."""
    points = 0
    for index in range(tricks.completed):
        if tricks.takers[index] & 1 == side:
            for place in range(SEATS):
                rank = tricks.cards[index * SEATS + place] % RANKS
                if rank >= JACK:
                    points += rank - JACK + 1
    return points


@dataclass(frozen=True)
class TarneebObservation:
    """All that one seat may know of a deal, named field by field (T7); -1 is a spectator.

    `hand` is the set of its cards, `moves` its legal moves when it is to move, `sizes` how many cards each seat
    holds, `totals` each seat's match score before this deal.
    """

    seat: int
    hand: int
    moves: list[int]
    sizes: list[int]
    dealer: int
    to_move: int
    phase: int
    totals: tuple[int, ...]
    auction: Auction
    tricks: Tricks
    terms: Terms

    @property
    def stock(self) -> int:
        """How many cards nobody holds: every card is dealt (T6)."""
        return 0

    def playing(self, _seat: int) -> bool:
        """Whether a seat takes part: all do, to the end."""
        return True

    def tricks_taken(self) -> list[int]:
        """How many tricks each side has taken (T25)."""
        return [self.tricks.taken_by(side) + self.tricks.taken_by(side + 2) for side in range(2)]

    def points_taken(self) -> list[int] | None:
        """What the honours in each side's tricks count; None where tricks count (T26)."""
        return [points_taken(self.tricks, side) for side in range(2)] if self.terms.scoring == "points" else None

    def trick_points(self, index: int) -> int | None:
        """What the honours in one finished trick count; None where tricks count (T26)."""
        if self.terms.scoring != "points":
            return None
        return sum(max(0, card % RANKS - JACK + 1) for _, card in self.tricks.trick(index))

    def facts(self) -> tuple[object, ...]:
        """Everything it holds, as values to compare."""
        return (
            (self.seat, self.hand, self.moves, self.sizes, self.dealer, self.to_move, self.phase, self.totals),
            (self.auction.record(), self.auction.trump, self.tricks.record(), self.tricks.leader),
        )

    def sample(self, chance: Chance) -> TarneebDeal:
        """A full deal that this seat cannot tell from the real one, each such deal equally likely.

        Uniform over the deals that agree with the cards and voids shown; what the auction suggests is not weighed.
        """
        unseen = bit(CARDS) - 1 & ~self.hand & ~self.tricks.seen()
        sizes = [0 if seat == self.seat else size for seat, size in enumerate(self.sizes)]
        hands = spread(chance, unseen, self.tricks.cannot_hold(), sizes)
        if self.seat >= 0:
            hands[self.seat] = self.hand
        deal = TarneebDeal(self.terms)
        deal.resume(self, hands)
        return deal
