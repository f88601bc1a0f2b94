"""The pile of Hundred: every card on it, its sum, and who went beyond what (B24 to B26)."""

from __future__ import annotations

import cython

if not cython.compiled:
    from engine.bits import bit

THRESHOLDS = ((25, 1), (50, 2), (100, 5))
"""The limits, and what it costs to be the first beyond each (B25)."""
MOST_CARDS = 64
NOBODY = -1


class Pile:
    """The cards on the pile, in the order of play; all of it is open. `values` is what each card counts (B24)."""

    def __init__(self, seats: int, values: tuple[int, ...]) -> None:
        if not cython.compiled:
            self.value = [0] * MOST_CARDS
            self.cards = [0] * MOST_CARDS
            self.limits = [0] * len(THRESHOLDS)
            self.costs = [0] * len(THRESHOLDS)
            self.passers = [0] * len(THRESHOLDS)
        self.seats = seats
        self.values = values
        for card in range(len(values)):
            self.value[card] = values[card]
        for index in range(len(THRESHOLDS)):
            self.limits[index], self.costs[index] = THRESHOLDS[index]
        self.clear(NOBODY)

    def clear(self, first: int) -> None:
        """Take every card away; `first` plays the first."""
        self.first = first
        self.played = 0
        self.sum = 0
        self.passed = 0

    def add(self, seat: int, card: int) -> bool:
        """Put a card on the pile; answers whether that ends the deal, beyond the last limit (B26)."""
        self.cards[self.played] = card
        self.played += 1
        self.sum += self.value[card]
        # No card counts enough to go beyond two limits.
        if self.sum > self.limits[self.passed]:
            self.passers[self.passed] = seat
            self.passed += 1
        return self.passed == 3

    def limit(self) -> int:
        """The next limit to go beyond; the last one when the deal is over."""
        return int(self.limits[min(self.passed, len(THRESHOLDS) - 1)])

    def thresholds(self) -> list[tuple[int, int, int]]:
        """For each limit gone beyond: the limit, the seat and its points, in that order (B25)."""
        return [(self.limits[index], self.passers[index], self.costs[index]) for index in range(self.passed)]

    def record(self) -> list[tuple[int, int]]:
        """The (seat, card) pairs in order of play."""
        return [((self.first + index) % self.seats, self.cards[index]) for index in range(self.played)]

    def seen(self) -> int:
        """The set of all cards played."""
        cards = 0
        for index in range(self.played):
            cards |= bit(self.cards[index])
        return cards

    def copy(self) -> Pile:
        """An independent copy."""
        other = Pile(self.seats, self.values)
        other.clear(self.first)
        for index in range(self.played):
            other.cards[index] = self.cards[index]
        for index in range(self.passed):
            other.passers[index] = self.passers[index]
        other.played = self.played
        other.sum = self.sum
        other.passed = self.passed
        return other
