"""The contract every ruleset keeps: `Deal`, `Observation`, and `play_checked`, the only door from outside.

A move is an int from 0 to 127. The moves open to a seat are two words: `moves_lo` holds moves 0 to 63 and
`moves_hi` moves 64 to 127. No game needs more, and a set of moves costs nothing to make.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cython

from engine.errors import DealOver, IllegalMove, NotYourTurn

if not cython.compiled:
    from engine.bits import draw_below, lowest

if TYPE_CHECKING:
    from engine.chance import Chance

NOBODY = -1
NOT_IN_GAME = -1
"""The move that `decode` answers for a card, suit or move type that this game does not have."""
MOST_CARDS = 128
MOST_SEATS = 8
MOST_COUNTS = 256


class Deal:
    """One shuffle and all play from it, in mutable ints. `to_move` is -1 when it is over.

    A ruleset's deal fills in the hot methods (compiled, unchecked): `begin`, `list_moves`, `make`, `settle`, `count_up`
    and, for Python, `observe`, `copy` and `why_not`. Nothing of it may ever be sent to a client: views are made
    of observations.
    """

    def __init__(self, size: int, seats: int) -> None:
        if not cython.compiled:
            self.order = [0] * MOST_CARDS
            self.worth = [0] * MOST_SEATS
        self.size = size
        self.seats = seats
        self.dealer = 0
        self.to_move = NOBODY
        self.moves_lo = 0
        self.moves_hi = 0

    def begin(self) -> None:
        """Hand out `order` as `dealer` deals it, and start; nobody is to move after a misdeal."""

    def list_moves(self) -> None:
        """Write the moves of the seat to move into `moves_lo` and `moves_hi`."""

    def make(self, move: int) -> None:
        """Make a move that is known to be legal."""

    def settle(self) -> None:
        """Write what the finished deal is worth to each seat into `worth`."""

    def count_up(self, _counts: list[int]) -> None:
        """Add what the ruleset counts of the finished and settled deal, each at its place of MOST_COUNTS."""

    def shuffle(self, chance: Chance) -> None:
        """Put `order` into a random order that depends on the chance alone."""
        for index in range(self.size):
            self.order[index] = index
        last = self.size - 1
        while last > 0:
            other = draw_below(chance.state, last + 1)
            card = self.order[last]
            self.order[last] = self.order[other]
            self.order[other] = card
            last -= 1

    def deal_out(self, order: list[int], dealer: int) -> None:
        """Start from an explicit order of the pack, from the top. ValueError where it is not exactly the pack."""
        if sorted(order) != list(range(self.size)):
            raise ValueError("the order does not hold every card of the pack exactly once")
        for index in range(self.size):
            self.order[index] = order[index]
        self.dealer = dealer
        self.begin()

    def legal_moves(self) -> list[int]:
        """Every move open to the seat to move, ascending; empty when the deal is over."""
        if self.to_move < 0:
            return []
        self.list_moves()
        moves = []
        lo, hi = self.moves_lo, self.moves_hi
        while lo:
            moves.append(lowest(lo))
            lo &= lo - 1
        while hi:
            moves.append(64 + lowest(hi))
            hi &= hi - 1
        return moves

    def play(self, move: int) -> None:
        """Make a move of the seat to move, unchecked: only what `legal_moves` lists may come here."""
        self.make(move)

    def why_not(self, move: int) -> str:
        """Why a move of this game's table is not legal now: the rulebook's first reason that applies."""
        raise NotImplementedError

    def observe(self, seat: int) -> Any:
        """All that a seat may know, named field by field; -1 observes as a spectator."""
        raise NotImplementedError

    def copy(self) -> Deal:
        """An independent copy at the same position, hidden cards and all."""
        raise NotImplementedError

    def scores(self) -> list[int]:
        """What the finished deal is worth to each seat."""
        self.settle()
        return [self.worth[seat] for seat in range(self.seats)]


def play_checked(deal: Deal, seat: int, move: int) -> None:
    """Make a move for a seat, or change nothing and raise DealOver, NotYourTurn or IllegalMove."""
    if deal.to_move < 0:
        raise DealOver()
    if seat != deal.to_move:
        raise NotYourTurn()
    if move not in deal.legal_moves():
        raise IllegalMove("not_in_this_game" if move == NOT_IN_GAME else deal.why_not(move))
    deal.play(move)
