"""The layout of the sixth contract: its rows, who has passed, who is out, and what that proves (B27 to B34)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython

from engine.rows import Rows

if not cython.compiled:
    from engine.bits import bit

if TYPE_CHECKING:
    from engine.rulesets.rosbiratschka.packs import Setting

MOST_SEATS = 8
NOBODY = -1


class Layout:
    """All that has happened in the open. `any_time`: an Unter may be played while a card fits (B30).

    `cannot` is, for each seat, the set of the cards that it has shown not to hold: all that it could have played
    when it passed (B32), and all that fitted when it opened a row because it was stuck (B29).
    """

    def __init__(self, seats: int, setting: Setting, any_time: bool) -> None:
        if not cython.compiled:
            self.cannot = [0] * MOST_SEATS
            self.passed = [0] * MOST_SEATS
            self.place = [0] * MOST_SEATS
        self.seats = seats
        self.setting = setting
        self.any_time = any_time
        self.rows = Rows(setting.lengths, setting.unters)
        self.clear()

    def clear(self) -> None:
        """A bare table."""
        self.rows.clear()
        self.out = 0
        self.gone = 0
        for seat in range(self.seats):
            self.cannot[seat] = 0
            self.passed[seat] = 0

    def playable(self, hand: int) -> int:
        """The cards of a hand that may be played (B28 to B30); none: the seat passes."""
        fitting = hand & self.rows.fits_lo
        if fitting and not self.any_time:
            return fitting
        return fitting | hand & self.rows.starts_lo

    def skip(self, seat: int) -> None:
        """A seat passes: it holds no card that it could play (B32)."""
        self.passed[seat] += 1
        self.cannot[seat] |= self.rows.fits_lo | self.rows.starts_lo

    def add(self, seat: int, card: int) -> None:
        """A seat plays a card: one that fits, or an Unter (B27)."""
        if not self.any_time and bit(card) & self.rows.starts_lo:
            self.cannot[seat] |= self.rows.fits_lo
        self.rows.add(card)

    def leave(self, seat: int) -> None:
        """A seat takes the next place (B33)."""
        self.place[self.out] = seat
        self.out += 1
        self.gone |= bit(seat)

    def next_seat(self, seat: int) -> int:
        """The next seat clockwise that holds cards (B33)."""
        seat = (seat + 1) % self.seats
        while bit(seat) & self.gone:
            seat = (seat + 1) % self.seats
        return seat

    def places(self) -> list[int]:
        """The seats in the order of their places, as far as these are taken."""
        return [self.place[index] for index in range(self.out)]

    def passes(self) -> list[int]:
        """How often each seat has passed."""
        return [self.passed[seat] for seat in range(self.seats)]

    def cannot_hold(self) -> list[int]:
        """For each seat the set of cards that it has shown not to hold."""
        return [self.cannot[seat] for seat in range(self.seats)]

    def facts(self) -> tuple[object, ...]:
        """Everything it holds, as values to compare."""
        return (self.rows.record(), self.places(), self.passes(), self.cannot_hold())

    def copy(self) -> Layout:
        """An independent copy."""
        other = Layout(self.seats, self.setting, self.any_time)
        other.rows = self.rows.copy()
        other.out = self.out
        other.gone = self.gone
        for seat in range(self.seats):
            other.cannot[seat] = self.cannot[seat]
            other.passed[seat] = self.passed[seat]
            other.place[seat] = self.place[seat]
        return other
