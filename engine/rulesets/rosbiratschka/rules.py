"""Rosbiratschka: the deal, rule by rule; the match is in match_rules.py. Numbers (B9) are those of rules.en.md.

Moves: 0 to 35 play that card of the pack, 36 passes (B7). Turns go clockwise, from a seat to the one after it (B1).
Points are penalties: the fewer the better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import cython

from engine.deal import Deal
from engine.rulesets.rosbiratschka.layout import Layout
from engine.rulesets.rosbiratschka.packs import SETTINGS, Setting
from engine.rulesets.rosbiratschka.penalties import Penalties
from engine.rulesets.rosbiratschka.pile import Pile
from engine.sampling import spread
from engine.tricks import Tricks

if not cython.compiled:
    from engine.bits import bit, count, prefer

if TYPE_CHECKING:
    from engine.chance import Chance

MOST_SEATS = 6
PASS = 36
NOBODY = -1

# Contracts by number: those before HUNDRED are played in tricks, those before NO_KING_OF_HEARTS know slam and doubling.
NO_KING_OF_HEARTS = 3
HUNDRED = 4
LAYOUT = 5

SLAM_POINTS = 8
LAST_POINTS = 8

Contract = Literal["no_tricks", "no_hearts", "no_unters", "no_king_of_hearts", "hundred", "rosbiratschka"]
CONTRACTS: tuple[Contract, ...] = (
    "no_tricks", "no_hearts", "no_unters", "no_king_of_hearts", "hundred", "rosbiratschka",
)  # fmt: skip
"""The names of the contracts, by number (B9)."""

Kind = Literal["tricks", "pile", "rows"]

MOVES: dict[int, tuple[str, int]] = {**{card: ("play", card) for card in range(PASS)}, PASS: ("pass", 0)}
"""Each move's kind and its card, as far as the pack goes: the one table from ints to meanings (B7)."""

POINTS = 8
SLAMS = 16
DOUBLED = 24
PASSES = 32

JUDGED = CONTRACTS[:NO_KING_OF_HEARTS]
COUNTS: dict[int, tuple[str, str | None, str]] = {
    **{index: ("contract", name, "deals") for index, name in enumerate(CONTRACTS)},
    **{POINTS + index: ("points", name, f"contract.{name}") for index, name in enumerate(CONTRACTS)},
    **{SLAMS + index: ("slam", name, f"contract.{name}") for index, name in enumerate(JUDGED)},
    **{DOUBLED + index: ("doubled", name, f"contract.{name}") for index, name in enumerate(JUDGED)},
    PASSES: ("passes", None, "contract.rosbiratschka"),
}
"""What is counted of deals, by place: by contract the deals, all points, slams and doublings, and the passes of
contract 6; each with its key and with what it is a share of."""

SLAM = {"bonus": -SLAM_POINTS, "penalty": SLAM_POINTS, "off": 0}
"""What a slam is worth to its seat; 0: there are none (B19 to B21)."""


class Terms(Protocol):
    """The options that bear on a deal; option names and values are the rulebook's (B38)."""

    slam: str
    double_if_none: bool
    open_row: str


class RosbiratschkaDeal(Deal):
    """One deal of one contract: tricks, the pile of Hundred, or the layout; the other two stay empty."""

    def __init__(self, terms: Terms, seats: int, contract: int) -> None:
        self.setting: Setting = SETTINGS[seats]
        Deal.__init__(self, len(self.setting.pack.cards), seats)
        if not cython.compiled:
            self.hands = [0] * MOST_SEATS
            self.packet = [0] * 3
        self.terms = terms
        self.contract = contract
        self.slam_worth = SLAM[terms.slam]
        self.double_if_none = terms.double_if_none
        self.packets = len(self.setting.packets)
        for index in range(self.packets):
            self.packet[index] = self.setting.packets[index]
        self.totals: tuple[int, ...] = ()
        self.penalties = Penalties(contract, seats, self.setting)
        self.tricks = Tricks(seats, self.setting.lengths, 1)
        self.pile = Pile(seats, self.setting.values)
        self.layout = Layout(seats, self.setting, terms.open_row == "any_time")

    def begin(self) -> None:
        """Deal in packets from the seat after the dealer on, which is forehand and begins (B5)."""
        for seat in range(self.seats):
            self.hands[seat] = 0
        index = 0
        seat = (self.dealer + 1) % self.seats
        for packet in range(self.packets):
            for _seat in range(self.seats):
                for _card in range(self.packet[packet]):
                    self.hands[seat] |= bit(self.order[index])
                    index += 1
                seat = (seat + 1) % self.seats
        self.tricks.clear(seat)
        self.pile.clear(seat)
        self.layout.clear()
        self.to_move = seat

    def list_moves(self) -> None:
        """Every legal move: a follow (B11), any card (B24), a card that can be laid, or else a pass (B28 to B32)."""
        self.moves_hi = 0
        if self.contract == LAYOUT:
            self.moves_lo = self.layout.playable(self.hands[self.to_move])
            if self.moves_lo == 0:
                self.moves_lo = bit(PASS)
        elif self.contract == HUNDRED:
            self.moves_lo = self.hands[self.to_move]
        else:
            self.moves_lo = prefer(self.hands[self.to_move], self.tricks.led)

    def make(self, move: int) -> None:
        """Make a move that is known to be legal."""
        seat = self.to_move
        if move == PASS:
            self.layout.skip(seat)
            self.to_move = self.layout.next_seat(seat)
            return
        self.hands[seat] &= ~bit(move)
        if self.contract == LAYOUT:
            self.lay(seat, move)
        elif self.contract == HUNDRED:
            self.to_move = NOBODY if self.pile.add(seat, move) else (seat + 1) % self.seats
        else:
            self.follow(seat, move)

    def follow(self, seat: int, card: int) -> None:
        """Play a card to the trick; the last of a trick settles who takes it and leads next (B10, B12)."""
        taker = self.tricks.add(seat, card)
        if taker < 0:
            self.to_move = (seat + 1) % self.seats
        else:
            self.to_move = NOBODY if self.last_trick() else taker

    def last_trick(self) -> bool:
        """Whether the trick just taken ends the deal: it is the last, or has caught the king of hearts (B13, B18)."""
        if self.contract == NO_KING_OF_HEARTS:
            return self.penalties.counted(self.tricks, self.tricks.completed - 1) != 0
        return self.tricks.completed == self.penalties.tricks

    def lay(self, seat: int, card: int) -> None:
        """Play a card to the layout; who has no other is out, and when one seat is left the deal is over (B33, B34)."""
        self.layout.add(seat, card)
        if self.hands[seat] == 0:
            self.layout.leave(seat)
        self.to_move = self.layout.next_seat(seat)
        if self.layout.out == self.seats - 1:
            self.layout.leave(self.to_move)
            self.to_move = NOBODY

    def settle(self) -> None:
        """What the finished deal is worth: the points of its contract, then slam and doubling (B14 to B26, B34)."""
        for seat in range(self.seats):
            self.worth[seat] = 0
        if self.contract == LAYOUT:
            self.worth[self.layout.place[self.seats - 1]] = LAST_POINTS
        elif self.contract == HUNDRED:
            for index in range(self.pile.passed):
                self.worth[self.pile.passers[index]] += self.pile.costs[index]
        else:
            for index in range(self.tricks.completed):
                self.worth[self.tricks.takers[index]] += self.penalties.points(self.tricks, index)
            self.judge()

    def judge(self) -> None:
        """A slam, or else doubling, changes what the points of contracts 1 to 3 are worth (B19 to B23)."""
        takers = self.takers()
        if self.contract == NO_KING_OF_HEARTS or takers == self.seats:
            return
        for seat in range(self.seats):
            if takers == 1 and self.slam_worth:
                if self.worth[seat]:
                    self.worth[seat] = self.slam_worth
            elif self.double_if_none:
                self.worth[seat] *= 2

    def takers(self) -> int:
        """How many seats the deal is worth points to: who took none of what counts has none (B22)."""
        takers = 0
        for seat in range(self.seats):
            if self.worth[seat]:
                takers += 1
        return takers

    def count_up(self, counts: list[int]) -> None:
        """Count the contract, its points, a slam or a doubling, and passes; see COUNTS."""
        counts[self.contract] += 1
        for seat in range(self.seats):
            counts[POINTS + self.contract] += self.worth[seat]
        if self.contract < NO_KING_OF_HEARTS:
            takers = self.takers()
            if takers == 1 and self.slam_worth:
                counts[SLAMS + self.contract] += 1
            elif takers < self.seats and self.double_if_none:
                counts[DOUBLED + self.contract] += 1
        elif self.contract == LAYOUT:
            for seat in range(self.seats):
                counts[PASSES] += self.layout.passed[seat]

    def slam(self) -> int | None:
        """The seat that has made a slam in the finished deal; None where nobody has, or where slams are off (B19)."""
        if self.contract >= NO_KING_OF_HEARTS or not self.slam_worth:
            return None
        worth = self.scores()
        takers = [seat for seat in range(self.seats) if worth[seat]]
        return takers[0] if len(takers) == 1 else None

    def doubled(self) -> bool:
        """Whether the points of the finished deal count double (B22, B23)."""
        if self.contract >= NO_KING_OF_HEARTS or not self.double_if_none or self.slam() is not None:
            return False
        return 0 in self.scores()

    def why_not(self, move: int) -> str:
        """The first reason against a move that is not legal now, in the rulebook's order (B8, B35)."""
        if move == PASS:
            return "must_play" if self.contract == LAYOUT else "wrong_phase"
        card = bit(move)
        if not card & self.hands[self.to_move]:
            return "card_not_in_hand"
        if self.contract < HUNDRED:
            return "must_follow_suit"
        # Every closed row can be opened unless a card fits and must be laid first.
        return "must_lay_off" if card & self.layout.rows.starts_lo else "not_playable"

    def resume(self, seen: RosbiratschkaObservation, hands: list[int]) -> None:
        """Take up the open play that an observation holds, with these hands."""
        self.dealer = seen.dealer
        self.to_move = seen.to_move
        self.totals = seen.totals
        self.tricks = seen.tricks.copy()
        self.pile = seen.pile.copy()
        self.layout = seen.layout.copy()
        for seat in range(self.seats):
            self.hands[seat] = hands[seat]

    def copy(self) -> RosbiratschkaDeal:
        """An independent copy at the same position, hidden hands and all; its `order` is not kept."""
        other = RosbiratschkaDeal(self.terms, self.seats, self.contract)
        other.resume(self.observe(NOBODY), [self.hands[seat] for seat in range(self.seats)])
        return other

    def observe(self, seat: int) -> RosbiratschkaObservation:
        """What a seat may know: the open play and its own hand; -1 observes as a spectator, without a hand (B6)."""
        return RosbiratschkaObservation(
            seat=seat,
            hand=self.hands[seat] if seat >= 0 else 0,
            moves=self.legal_moves() if 0 <= seat == self.to_move else [],
            sizes=[count(self.hands[other]) for other in range(self.seats)],
            dealer=self.dealer,
            to_move=self.to_move,
            totals=self.totals,
            contract=self.contract,
            tricks=self.tricks.copy(),
            pile=self.pile.copy(),
            layout=self.layout.copy(),
            terms=self.terms,
        )


@dataclass(frozen=True)
class RosbiratschkaObservation:
    """All that one seat may know of a deal, named field by field (B6); -1 is a spectator.

    `hand` is the set of its cards, `moves` its legal moves when it is to move, `sizes` how many cards each seat
    holds, `totals` each seat's match score before this deal.
    """

    seat: int
    hand: int
    moves: list[int]
    sizes: list[int]
    dealer: int
    to_move: int
    totals: tuple[int, ...]
    contract: int
    tricks: Tricks
    pile: Pile
    layout: Layout
    terms: Terms

    @property
    def setting(self) -> Setting:
        """The pack of this many players and what follows from it (B2)."""
        return SETTINGS[len(self.sizes)]

    @property
    def penalties(self) -> Penalties:
        """What the tricks of this contract count (B14 to B18)."""
        return Penalties(self.contract, len(self.sizes), self.setting)

    @property
    def kind(self) -> Kind:
        """What lies on the table: tricks, the pile of Hundred, or rows (B9)."""
        if self.contract == LAYOUT:
            return "rows"
        return "pile" if self.contract == HUNDRED else "tricks"

    @property
    def stock(self) -> int:
        """How many cards nobody holds: every card is dealt (B5)."""
        return 0

    def playing(self, seat: int) -> bool:
        """Whether a seat takes part: in contract 6 it does not when it has no cards left (B33)."""
        return self.kind != "rows" or self.sizes[seat] > 0

    def seen(self) -> int:
        """The set of all cards played."""
        return self.tricks.seen() | self.pile.seen() | self.layout.rows.seen()

    def cannot_hold(self) -> list[int]:
        """For each seat the set of cards that the open play proves it not to hold (B11, B29, B32)."""
        return self.layout.cannot_hold() if self.kind == "rows" else self.tricks.cannot_hold()

    def facts(self) -> tuple[object, ...]:
        """Everything it holds, as values to compare."""
        return (
            (self.seat, self.hand, self.moves, self.sizes, self.dealer, self.to_move, self.totals, self.contract),
            (self.tricks.record(), self.tricks.leader, self.pile.record(), self.layout.facts()),
        )

    def sample(self, chance: Chance) -> RosbiratschkaDeal:
        """A full deal that this seat cannot tell from the real one, each such deal equally likely.

        Uniform over the deals that agree with what the open play proves; what it suggests is not weighed.
        """
        unseen = bit(len(self.setting.pack.cards)) - 1 & ~self.hand & ~self.seen()
        sizes = [0 if seat == self.seat else size for seat, size in enumerate(self.sizes)]
        hands = spread(chance, unseen, self.cannot_hold(), sizes)
        if self.seat >= 0:
            hands[self.seat] = self.hand
        deal = RosbiratschkaDeal(self.terms, len(self.sizes), self.contract)
        deal.resume(self, hands)
        return deal
