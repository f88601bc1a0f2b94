"""Building rows up and down from a start card, one row a suit, for every layout game: the open record of the table.

Everything in `Rows` lies face up, so an observation may hold a copy of the whole of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import cython

from engine.bits import joined, lowest, span

if not cython.compiled:
    from engine.bits import bit

MOST_CARDS = 96
MOST_SUITS = 4


class Rows:
    """The rows of one deal. A row that is open holds every card of its suit between its two ends.

    Cards are numbered suit by suit, low to high, so neighbours are neighbouring numbers: the first `lengths[0]` cards
    are the first suit, and so on. Cards numbered after these belong to no row. `start` is the start card of each suit.

    Sets of cards are two words, `_lo` for cards 0 to 63 and `_hi` for the cards from 64 on: `laid_*` are the cards in
    rows, `fits_*` those that lie next to an open row, `starts_*` the start cards whose row is not open. `seen()`,
    `fits()` and `starts()` are the same as one int.
    """

    def __init__(self, lengths: Sequence[int], starts: Sequence[int]) -> None:
        if not cython.compiled:
            self.start = [0] * MOST_SUITS
        self.lengths = tuple(lengths)
        self.start_cards = tuple(starts)
        self.suits = len(self.lengths)
        if self.suits > MOST_SUITS or sum(self.lengths) > MOST_CARDS:
            raise ValueError("rows of more suits or cards than there is room for")
        if len(self.start_cards) != self.suits:
            raise ValueError("not one start card for each suit")
        self.bottoms_lo = self.bottoms_hi = 0
        self.tops_lo = self.tops_hi = 0
        first = 0
        for suit in range(self.suits):
            last = first + self.lengths[suit] - 1
            card = self.start_cards[suit]
            if not first <= card <= last:
                raise ValueError("a start card that is not of its suit")
            self.start[suit] = card
            self.bottoms_lo |= low_word(first)
            self.bottoms_hi |= high_word(first)
            self.tops_lo |= low_word(last)
            self.tops_hi |= high_word(last)
            first = last + 1
        self.clear()

    def clear(self) -> None:
        """Take every card off the table."""
        self.laid_lo = 0
        self.laid_hi = 0
        self.fits_lo = 0
        self.fits_hi = 0
        self.starts_lo = 0
        self.starts_hi = 0
        for suit in range(self.suits):
            self.starts_lo |= low_word(self.start[suit])
            self.starts_hi |= high_word(self.start[suit])

    def add(self, card: int) -> None:
        """Lay a card that starts a row or fits one."""
        self.laid_lo |= low_word(card)
        self.laid_hi |= high_word(card)
        self.starts_lo &= ~self.laid_lo
        self.starts_hi &= ~self.laid_hi
        # Every card laid points to its neighbours, but not over the end of its suit.
        up = self.laid_lo & ~self.tops_lo
        down = self.laid_hi & ~self.bottoms_hi
        self.fits_lo = (up & ~bit(63)) << 1 | (self.laid_lo & ~self.bottoms_lo) >> 1 | (down & 1) << 63
        self.fits_hi = (self.laid_hi & ~self.tops_hi & ~bit(63)) << 1 | down >> 1 | up >> 63
        self.fits_lo &= ~self.laid_lo
        self.fits_hi &= ~self.laid_hi

    def copy(self) -> Rows:
        """An independent copy."""
        other = Rows(self.lengths, self.start_cards)
        other.laid_lo = self.laid_lo
        other.laid_hi = self.laid_hi
        other.fits_lo = self.fits_lo
        other.fits_hi = self.fits_hi
        other.starts_lo = self.starts_lo
        other.starts_hi = self.starts_hi
        return other

    def seen(self) -> int:
        """The set of all cards laid."""
        return joined(self.laid_lo, self.laid_hi)

    def fits(self) -> int:
        """The set of the cards that lie next to an open row."""
        return joined(self.fits_lo, self.fits_hi)

    def starts(self) -> int:
        """The set of the start cards whose row is not open."""
        return joined(self.starts_lo, self.starts_hi)

    def ends(self, suit: int) -> tuple[int, int] | None:
        """The lowest and the highest card of a suit's row; None where it is not open."""
        first = sum(self.lengths[:suit])
        row = self.seen() & span(first, first + self.lengths[suit] - 1)
        return (lowest(row), row.bit_length() - 1) if row else None

    def record(self) -> list[tuple[int, int] | None]:
        """The ends of each suit's row, which is all there is to it."""
        return [self.ends(suit) for suit in range(self.suits)]


def low_word(card: int) -> int:
    """The set of one card in the word of cards 0 to 63."""
    return bit(card) if card < 64 else 0


def high_word(card: int) -> int:
    """The set of one card in the word of the cards from 64 on."""
    return bit(card - 64) if card >= 64 else 0
