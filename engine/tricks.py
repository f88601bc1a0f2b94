"""Following suit and winning a trick, for every trick game: the open record of the cards played.

Everything in `Tricks` has happened face up, so an observation may hold a copy of the whole of it.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from engine.bits import bit

NOBODY = -1
MOST_CARDS = 64
MOST_SEATS = 8


class Tricks:
    """The tricks of one deal, in the order of play.

    `sizes` is the number of cards in each suit (cards are numbered suit by suit, low to high), `step` what the turn
    adds to a seat, modulo `seats`: 1 is clockwise, `seats` - 1 counterclockwise. `led` is the set of cards of the suit
    led to the running trick, empty before the lead: a hand must play `prefer(hand, led)`.
    """

    def __init__(self, seats: int, sizes: tuple[int, ...], step: int) -> None:
        if not cython.compiled:
            self.cards = [0] * MOST_CARDS
            self.leaders = [0] * MOST_CARDS
            self.takers = [0] * MOST_CARDS
            self.suits = [0] * MOST_CARDS
            self.taken = [0] * MOST_SEATS
        self.seats = seats
        self.step = step
        self.pack = 0
        for size in sizes:
            self.add_suit(size)
        self.clear(NOBODY)

    def add_suit(self, size: int) -> None:
        """Let the next cards of the pack, this many, be one suit."""
        suit = bit(self.pack + size) - bit(self.pack)
        for _card in range(size):
            self.suits[self.pack] = suit
            self.pack += 1

    def clear(self, leader: int) -> None:
        """Forget all tricks; `leader` leads to the first."""
        for seat in range(self.seats):
            self.taken[seat] = 0
        self.played = 0
        self.completed = 0
        self.in_trick = 0
        self.leader = leader
        self.taker = NOBODY
        self.trumps = 0
        self.led = 0
        self.beating = 0

    def name_trump(self, card: int) -> None:
        """Make every card of this card's suit a trump."""
        self.trumps = self.suits[card]

    def add(self, seat: int, card: int) -> int:
        """Lay a card; answers the seat that takes the trick if this card completes it, else -1."""
        self.cards[self.played] = card
        self.played += 1
        if self.in_trick == 0:
            self.leaders[self.completed] = seat
            self.leader = seat
            self.led = self.suits[card]
            self.take(seat, card)
        elif bit(card) & self.beating:
            self.take(seat, card)
        self.in_trick += 1
        if self.in_trick < self.seats:
            return NOBODY
        self.in_trick = 0
        self.led = 0
        self.takers[self.completed] = self.taker
        self.completed += 1
        self.taken[self.taker] += 1
        self.leader = self.taker
        return self.taker

    def take(self, seat: int, card: int) -> None:
        """Let this card hold the trick; it is beaten by a higher one of its suit, or by a trump if it is none."""
        self.taker = seat
        suit = self.suits[card]
        self.beating = suit & ~((bit(card) << 1) - 1)
        if suit != self.trumps:
            self.beating |= self.trumps

    def copy(self) -> Tricks:
        """An independent copy."""
        other = Tricks(self.seats, (), self.step)
        for card in range(self.pack):
            other.suits[card] = self.suits[card]
        other.pack = self.pack
        for index in range(self.played):
            other.cards[index] = self.cards[index]
        for index in range(self.completed + 1):
            other.leaders[index] = self.leaders[index]
            other.takers[index] = self.takers[index]
        for seat in range(self.seats):
            other.taken[seat] = self.taken[seat]
        other.played = self.played
        other.completed = self.completed
        other.in_trick = self.in_trick
        other.leader = self.leader
        other.taker = self.taker
        other.trumps = self.trumps
        other.led = self.led
        other.beating = self.beating
        return other

    def trick(self, index: int) -> list[tuple[int, int]]:
        """The (seat, card) pairs of a trick, from 0, in order of play."""
        first = index * self.seats
        last = min(self.played, first + self.seats)
        leader = self.leaders[index]
        return [((leader + self.step * place) % self.seats, self.cards[first + place]) for place in range(last - first)]

    def record(self) -> list[list[tuple[int, int]]]:
        """Every trick, the running one last, as (seat, card) pairs in order of play."""
        return [self.trick(index) for index in range((self.played + self.seats - 1) // self.seats)]

    def taker_of(self, index: int) -> int:
        """Which seat took a finished trick, from 0."""
        return self.takers[index]

    def taken_by(self, seat: int) -> int:
        """How many tricks a seat has taken."""
        return self.taken[seat]

    def seen(self) -> int:
        """The set of all cards played."""
        cards = 0
        for index in range(self.played):
            cards |= bit(self.cards[index])
        return cards

    def cannot_hold(self) -> list[int]:
        """For each seat the set of cards that it has shown not to hold, by not following suit."""
        void = [0] * self.seats
        for trick in self.record():
            led = self.suits[trick[0][1]]
            for seat, card in trick[1:]:
                if not bit(card) & led:
                    void[seat] |= led
        return void
