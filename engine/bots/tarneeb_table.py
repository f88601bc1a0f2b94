"""What a seat in Tarneeb works out from what it has seen: who may hold what, and who will take the trick."""

from __future__ import annotations

from engine.bits import bit, count
from engine.cards import FRENCH_ACE_HIGH
from engine.rulesets.tarneeb.rules import TarneebObservation

SEATS = 4
RANKS = len(FRENCH_ACE_HIGH.ranks)
CARDS = range(len(FRENCH_ACE_HIGH.cards))
PACK = bit(len(CARDS)) - 1

SUITS = tuple((bit(RANKS) - 1) << RANKS * suit for suit in range(4))
"""The cards of each suit."""
ABOVE = tuple(SUITS[card // RANKS] & ~((bit(card) << 1) - 1) for card in CARDS)
"""For each card, the higher ones of its suit."""
BELOW = tuple(SUITS[card // RANKS] & (bit(card) - 1) for card in CARDS)
"""For each card, the lower ones of its suit."""
POINTS = tuple(max(0, card % RANKS - 8) for card in CARDS)
"""What each card counts under `points`: ace 4, king 3, queen 2, jack 1."""


class Table:
    """The table as the seat to move judges it; chances take the unseen cards as dealt at random.

    `place` is how many have played to the trick, `after` the seats still to play after this one, `ours` whether the
    partner holds the trick. `shares` says for each suit and seat how likely an unseen card of the suit is there.
    """

    def __init__(self, seen: TarneebObservation) -> None:
        tricks = seen.tricks
        self.seat = seen.seat
        self.partner = (seen.seat + 2) % SEATS
        self.opponents = ((seen.seat + 1) % SEATS, (seen.seat + 3) % SEATS)
        self.hand = seen.hand
        self.unseen = PACK & ~seen.hand & ~tricks.seen()
        self.trump = seen.auction.trump
        self.trumps = tricks.trumps
        self.place = tricks.in_trick
        self.after = [(seen.seat - turn) % SEATS for turn in range(1, SEATS - self.place)]
        self.led = tricks.led
        self.beating = tricks.beating
        self.ours = self.place > 0 and tricks.taker == self.partner
        self.shares = _shares(seen)
        self._chances: dict[tuple[int, int], float] = {}

    def higher(self, card: int) -> int:
        """How many unseen cards of its suit beat a card."""
        return count(self.unseen & ABOVE[card])

    def in_sequence(self, card: int) -> bool:
        """Whether the next lower card still out in this suit is in this hand too: king and queen, queen and jack."""
        lower = BELOW[card] & (self.hand | self.unseen)
        return bool(lower and bit(lower.bit_length() - 1) & self.hand)

    def enemy_trumps(self) -> float:
        """How many trumps the opponents hold, on average."""
        share = self.shares[self.trump]
        return count(self.unseen & self.trumps) * sum([share[seat] for seat in self.opponents])

    def ruffs(self, seat: int, suit: int, trumps: int) -> float:
        """How likely a seat can trump a suit, having none of it and one of these trumps."""
        unseen = count(self.unseen & trumps)
        if not unseen or suit == self.trump:
            return 0.0
        void = (1 - self.shares[suit][seat]) ** count(self.unseen & SUITS[suit])
        return void * (1 - (1 - self.shares[self.trump][seat]) ** unseen)

    def chance(self, card: int) -> float:
        """How likely our side takes the trick if this card is played now."""
        takes = not self.place or bool(bit(card) & self.beating)
        # Cards with the same cards above them fare alike; so do all that do not take the trick.
        alike = (card // RANKS, self.higher(card)) if takes else (-1, 0)
        if alike not in self._chances:
            self._chances[alike] = self._chance(card, takes)
        return self._chances[alike]

    def _chance(self, card: int, takes: bool) -> float:
        ours = takes or self.ours
        if not self.after:
            return float(ours)
        beating = ABOVE[card] | (self.trumps & ~SUITS[card // RANKS]) if takes else self.beating
        led = self.led.bit_length() // RANKS - 1 if self.place else card // RANKS
        share = self.shares[led]
        us = share[self.partner] if self.partner in self.after else 0.0
        them = sum([share[seat] for seat in self.after if seat != self.partner])
        # The highest card of those still to play takes it, if anyone has one that beats what lies there.
        nobody = (1 - us - them) ** count(self.unseen & beating & SUITS[led])
        chance = nobody * ours + ((1 - nobody) * us / (us + them) if us else 0.0)
        if self.partner in self.after:
            chance += (1 - chance) * self.ruffs(self.partner, led, beating)
        for seat in self.after:
            if seat != self.partner:
                chance *= 1 - self.ruffs(seat, led, beating)
        return chance


def _shares(seen: TarneebObservation) -> list[list[float]]:
    """For each suit and seat, how likely an unseen card of the suit is in that seat's hand."""
    shown_void = seen.tricks.cannot_hold()
    shares = []
    for suit in SUITS:
        room = [0 if seat == seen.seat or shown_void[seat] & suit else seen.sizes[seat] for seat in range(SEATS)]
        total = sum(room) or 1
        shares.append([cards / total for cards in room])
    return shares
