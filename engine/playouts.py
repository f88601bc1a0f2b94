"""A deal played to its end by chance: the fastest use of the rules, in one call for many deals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython

if not cython.compiled:
    from engine.bits import count, draw_below, pick

if TYPE_CHECKING:
    from engine.chance import Chance
    from engine.deal import Deal

MOST_SEATS = 8


def random_move(deal: Deal, chance: Chance) -> int:
    """One of the legal moves, each equally likely."""
    deal.list_moves()
    low = count(deal.moves_lo)
    moves = low + count(deal.moves_hi)
    k = draw_below(chance.state, moves) if moves > 1 else 0
    if k < low:
        return pick(deal.moves_lo, k)
    return 64 + pick(deal.moves_hi, k - low)


def finish(deal: Deal, chance: Chance) -> int:
    """Play a deal to its end; answers how many moves that took."""
    moves = 0
    while deal.to_move >= 0:
        deal.make(random_move(deal, chance))
        moves += 1
    return moves


def deal_out(deal: Deal, chance: Chance) -> int:
    """Shuffle and deal, again and again while it is a misdeal; answers how many of those there were."""
    misdeals = 0
    deal.shuffle(chance)
    deal.begin()
    while deal.to_move < 0:
        misdeals += 1
        deal.shuffle(chance)
        deal.begin()
    return misdeals


class Tally:
    """What many deals came to, in exact integers: `deals`, `moves`, and each seat's scores added up.

    `redeals` counts the misdeals, which are no deals: the same dealer has dealt again.
    """

    def __init__(self) -> None:
        if not cython.compiled:
            self.sums = [0] * MOST_SEATS
        self.deals = 0
        self.moves = 0
        self.redeals = 0

    def play(self, deal: Deal, chance: Chance, number: int) -> None:
        """Shuffle, deal and play out `number` deals, in place of this one."""
        for _done in range(number):
            self.redeals += deal_out(deal, chance)
            self.moves += finish(deal, chance)
            deal.settle()
            for seat in range(deal.seats):
                self.sums[seat] += deal.worth[seat]
        self.deals += number

    def scores(self, seats: int) -> list[int]:
        """The sum of the scores of each of the first `seats` seats."""
        return [self.sums[seat] for seat in range(seats)]


def random_deals(deal: Deal, chance: Chance, number: int) -> Tally:
    """Play out `number` random deals, using `deal` up; lets other threads run meanwhile."""
    tally = Tally()
    with cython.nogil:
        tally.play(deal, chance, number)
    return tally
