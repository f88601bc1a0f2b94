"""The turns of Elfer Raus: who comes after whom, and what has been done in the running turn.

All of it is open. Action cards act when the turn ends, so the cards of a turn are kept until then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import cython

if not cython.compiled:
    from engine.bits import bit

if TYPE_CHECKING:
    from engine.rulesets.elfer_raus.observation import Seen

MOST_CARDS = 96
MOST_ACTIONS = 16


class Turns:
    """The direction of play and the running turn.

    `participants` is the set of the seats that play, `players` how many they are. Of the running turn, `cards` are the
    `played` cards, of which `numbers_played` are number cards, and `drawn` counts the cards drawn. `acted` are the
    `actions` action cards played in the whole deal, `passes` counts the last turns in a row that ended in a pass,
    `passed` every pass since the deal began or was taken up, `ended` all turns.
    """

    def __init__(self, seats: int, participants: Sequence[int], numbers: int, skips: int) -> None:
        if not cython.compiled:
            self.cards = [0] * MOST_CARDS
            self.acted = [0] * MOST_ACTIONS
        self.seats = seats
        self.participants = sum(1 << seat for seat in participants)
        self.players = len(participants)
        self.numbers = numbers
        self.first_reverse = numbers + skips
        self.clear()

    def clear(self) -> None:
        """Nothing has been done yet, and play goes clockwise (E28)."""
        self.step = 1
        self.ended = 0
        self.passes = 0
        self.passed = 0
        self.actions = 0
        self.begin()

    def begin(self) -> None:
        """A turn begins."""
        self.played = 0
        self.numbers_played = 0
        self.drawn = 0

    def after(self, seat: int) -> int:
        """The next player in the direction of play (E1, E28, E38)."""
        seat = (seat + self.step + self.seats) % self.seats
        while not bit(seat) & self.participants:
            seat = (seat + self.step + self.seats) % self.seats
        return seat

    def play(self, card: int) -> None:
        """A card is played (E13)."""
        self.passes = 0
        self.cards[self.played] = card
        self.played += 1
        if card < self.numbers:
            self.numbers_played += 1
        else:
            self.acted[self.actions] = card
            self.actions += 1

    def skip(self) -> None:
        """A pass (E22, E23)."""
        self.passes += 1
        self.passed += 1

    def draw(self) -> None:
        """A card is drawn (E20)."""
        self.passes = 0
        self.drawn += 1

    def end(self, seat: int) -> int:
        """End a seat's turn; answers whose is next: reverses act, then each skip passes over a player (E26 to E29)."""
        skips = 0
        reverses = 0
        for index in range(self.played):
            if self.cards[index] >= self.first_reverse:
                reverses += 1
            elif self.cards[index] >= self.numbers:
                skips += 1
        if self.players == 2:
            skips += reverses
        elif reverses & 1:
            self.step = -self.step
        seat = self.after(seat)
        for _skip in range(skips):
            seat = self.after(seat)
        self.ended += 1
        self.begin()
        return seat

    def playing(self) -> list[int]:
        """The seats that play."""
        return [seat for seat in range(self.seats) if 1 << seat & self.participants]

    def cards_played(self) -> list[int]:
        """The cards played in the running turn."""
        return [self.cards[index] for index in range(self.played)]

    def actions_played(self) -> list[int]:
        """All action cards played in the deal."""
        return [self.acted[index] for index in range(self.actions)]

    def resume(self, seen: Seen) -> None:
        """Take up the turn that an observation holds."""
        self.step = seen.step
        self.ended = seen.turns
        self.passes = seen.passes
        self.drawn = seen.drawn
        self.played = len(seen.turn)
        self.numbers_played = sum(card < self.numbers for card in seen.turn)
        self.actions = len(seen.acted)
        for index, card in enumerate(seen.turn):
            self.cards[index] = card
        for index, card in enumerate(seen.acted):
            self.acted[index] = card
