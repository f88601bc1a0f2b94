"""What draws, passes and ended turns of Elfer Raus prove of each hand, to everyone.

A card that a hand is proved to lack stays out of it until it is played: it could come by a draw alone, and a card drawn
when it can be played is played at once (E20). Sets of cards are two words, `_lo` for cards 0 to 63 and `_hi` for the
rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython

from engine.bits import joined

if not cython.compiled:
    from engine.bits import bit

if TYPE_CHECKING:
    from engine.rows import Rows
    from engine.rulesets.elfer_raus.observation import Seen

MOST_SEATS = 8
WORD = 0xFFFFFFFFFFFFFFFF


class Proofs:
    """For each seat, `lacks` are cards that it cannot hold, `wants` cards of which it holds at least one, if any."""

    def __init__(self, seats: int, forced_start: bool) -> None:
        if not cython.compiled:
            self.lacks_lo = [0] * MOST_SEATS
            self.lacks_hi = [0] * MOST_SEATS
            self.wants_lo = [0] * MOST_SEATS
            self.wants_hi = [0] * MOST_SEATS
        self.seats = seats
        self.forced_start = forced_start
        self.clear()

    def clear(self) -> None:
        """Nothing has been shown yet."""
        for seat in range(self.seats):
            self.lacks_lo[seat] = 0
            self.lacks_hi[seat] = 0
            self.wants_lo[seat] = 0
            self.wants_hi[seat] = 0

    def nobody_holds(self, card: int) -> None:
        """A start card that does not open the deal, although its colour comes first, lies in the stock (E11)."""
        for seat in range(self.seats):
            if card < 64:
                self.lacks_lo[seat] |= bit(card)
            else:
                self.lacks_hi[seat] |= bit(card - 64)

    def played(self, seat: int, card: int) -> None:
        """A seat plays a card, perhaps the one that an earlier pass has shown it to hold."""
        wanted = self.wants_lo[seat] & bit(card) if card < 64 else self.wants_hi[seat] & bit(card - 64)
        if wanted:
            self.wants_lo[seat] = 0
            self.wants_hi[seat] = 0

    def stuck(self, seat: int, open_lo: int, open_hi: int) -> None:
        """Who draws, or has to pass, holds nothing that can be played now (E19, E22)."""
        self.lacks_lo[seat] |= open_lo
        self.lacks_hi[seat] |= open_hi

    def ended(self, seat: int, rows: Rows, numbers_played: int) -> None:
        """Who ends the turn was free to: no start card, no number card to play (E17, E18)."""
        if self.forced_start or numbers_played == 0:
            self.lacks_lo[seat] |= rows.starts_lo
            self.lacks_hi[seat] |= rows.starts_hi
        if numbers_played == 0:
            self.lacks_lo[seat] |= rows.fits_lo
            self.lacks_hi[seat] |= rows.fits_hi

    def passed(self, seat: int, rows: Rows, open_lo: int, open_hi: int, stock: int) -> None:
        """Who may pass although able holds no bound start card, and, while stuck seats draw, can play (E22 to E24).

        An earlier pass with none of its cards played since says more: what could be played then still can be.
        """
        if self.forced_start:
            self.lacks_lo[seat] |= rows.starts_lo
            self.lacks_hi[seat] |= rows.starts_hi
        if stock > 0 and self.wants_lo[seat] == 0 and self.wants_hi[seat] == 0:
            self.wants_lo[seat] = open_lo & ~self.lacks_lo[seat]
            self.wants_hi[seat] = open_hi & ~self.lacks_hi[seat]

    def lacks(self) -> list[int]:
        """What each seat cannot hold."""
        return [joined(self.lacks_lo[seat], self.lacks_hi[seat]) for seat in range(self.seats)]

    def wants(self) -> list[int]:
        """Of which cards each seat holds at least one."""
        return [joined(self.wants_lo[seat], self.wants_hi[seat]) for seat in range(self.seats)]

    def resume(self, seen: Seen) -> None:
        """Take up what an observation holds."""
        for seat in range(self.seats):
            self.lacks_lo[seat] = seen.lacks[seat] & WORD
            self.lacks_hi[seat] = seen.lacks[seat] >> 64
            self.wants_lo[seat] = seen.wants[seat] & WORD
            self.wants_hi[seat] = seen.wants[seat] >> 64
