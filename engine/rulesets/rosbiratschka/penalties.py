"""What the trick contracts of Rosbiratschka count (B14 to B18)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython

if not cython.compiled:
    from engine.bits import bit, count

if TYPE_CHECKING:
    from engine.rulesets.rosbiratschka.packs import Setting
    from engine.tricks import Tricks

NO_TRICKS = 0
NO_HEARTS = 1
NO_UNTERS = 2
NO_KING_OF_HEARTS = 3


class Penalties:
    """Points for the tricks of one contract: so much a trick, and so much for each of the cards that count.

    `cards` is the set of the cards that count, each `a_card` points, those in `twice` twice that (B16). A trick is
    `a_trick` points itself, the first and the last one more where `first` and `last` say so (B15).
    """

    def __init__(self, contract: int, seats: int, setting: Setting) -> None:
        self.cards = 0
        self.twice = 0
        self.a_card = 1
        self.a_trick = 0
        self.first = 0
        self.last = 0
        self.tricks = sum(setting.packets)
        if contract == NO_TRICKS:
            self.a_trick = 1
            self.first = int(seats == 6)
            self.last = int(seats >= 5)
        elif contract == NO_HEARTS:
            self.cards = setting.hearts
            self.twice = setting.high_hearts if seats == 3 else 0
        elif contract == NO_UNTERS:
            self.cards = sum(bit(card) for card in setting.unters)
            self.a_card = 2
        elif contract == NO_KING_OF_HEARTS:
            self.cards = bit(setting.king_of_hearts)
            self.a_card = 8

    def counted(self, tricks: Tricks, index: int) -> int:
        """The set of the cards in a finished trick, from 0, that count."""
        cards = 0
        for place in range(tricks.seats):
            cards |= bit(tricks.cards[index * tricks.seats + place])
        return cards & self.cards

    def points(self, tricks: Tricks, index: int) -> int:
        """What a finished trick, from 0, counts by the contract alone."""
        cards = self.counted(tricks, index)
        points = self.a_trick + self.a_card * (count(cards) + count(cards & self.twice))
        if index == 0:
            points += self.first
        if index == self.tricks - 1:
            points += self.last
        return points

    def last_trick(self, tricks: Tricks) -> int:
        """What the last finished trick counts by the contract alone."""
        return self.points(tricks, tricks.completed - 1)

    def taken(self, tricks: Tricks) -> list[tuple[int, list[int], int]]:
        """For each seat its tricks, the cards in them that count, in the order of play, and its points so far."""
        cards: list[list[int]] = [[] for _ in range(tricks.seats)]
        points = [0] * tricks.seats
        for index in range(tricks.completed):
            taker = tricks.taker_of(index)
            cards[taker] += [card for _, card in tricks.trick(index) if bit(card) & self.cards]
            points[taker] += self.points(tricks, index)
        return [(tricks.taken_by(seat), cards[seat], points[seat]) for seat in range(tricks.seats)]
