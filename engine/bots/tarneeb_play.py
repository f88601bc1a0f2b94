"""Which card to play in Tarneeb: sensible whist, weighed.

What speaks for a card and against it is added up, and the card with the best sum is played. The weights are rounded
from a fit: in some thousands of deals every card that could be played was tried, and the deal played on to its end.
They count tricks, or under `points` points.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.bits import bit, count
from engine.bots.tarneeb_table import BELOW, POINTS, RANKS, SUITS, Table
from engine.rulesets.tarneeb.rules import TarneebObservation


@dataclass(frozen=True)
class TrumpLead:
    """What a lead of trumps is worth to a role: as such, while opponents have any, and for each they have."""

    plain: float
    draws: float
    each: float


@dataclass(frozen=True)
class Leading:
    """What speaks for a lead."""

    chance: float
    """That our side takes the trick."""
    master: float
    """No card out is higher in the suit."""
    sequence: float
    """The next lower card is here too: what beats this card makes the next one good."""
    under: float
    """An ace or king, or what has taken their place, is kept back under a lower lead."""
    high: float
    """Times the rank, from 0 to 1."""
    single: float
    """The suit's last card in this hand."""
    ruffing: float
    """The same, with trumps left to ruff the suit from then on."""
    enemy_ruff: float
    """Times the chance that an opponent ruffs."""
    by_partner: float
    """The partner has led the suit."""
    by_enemy: float
    """An opponent has led the suit."""
    trump: tuple[TrumpLead, TrumpLead, TrumpLead]
    """A lead of trumps by the declarer, the declarer's partner, a defender."""
    stake: float = 0.0
    """Times the chance of the trick and the points in it so far."""
    own: float = 0.0
    """Times the points of the card."""


@dataclass(frozen=True)
class Following:
    """What speaks for a card that is not led."""

    chance: float
    """That our side takes the trick."""
    beats: float
    """It beats what lies there."""
    over: float
    """What lies there and is beaten is the partner's."""
    second_high: float
    """Times the rank, from 0 to 1, where it follows suit in second place; and so on."""
    third_high: float
    last_high: float
    master: float
    """No card out is higher in the suit: it would take a trick later."""
    guarded: float
    """One card out is higher and this hand has a lower one to throw under it: it might take a trick later."""
    split: float
    """Second to play, one of two cards in sequence."""
    ruff: float
    """A trump on another suit."""
    ruff_high: float
    """The same, times its rank."""
    discard_high: float
    """Times the rank of a discard."""
    discard_master: float
    """A discard that no card out could beat."""
    unguard: float
    """A discard that leaves a king or queen, or what has taken their place, to fall under higher cards."""
    shorten: float
    """A discard from one or two cards of a suit, with trumps left to ruff it."""
    stake: float = 0.0
    """Times the chance of the trick and the points in it with this card."""
    own: float = 0.0
    """Times the points of the card."""


# By scoring. Signs that look odd hold together: under `points` a sure trick is `stake`, so `chance` alone is not.
LEADING = {
    "tricks": Leading(
        chance=0.3, master=0.6, sequence=1.45, under=-1.0, high=0.1, single=0.15, ruffing=0.4, enemy_ruff=0.0,
        by_partner=0.35, by_enemy=0.25,
        trump=(TrumpLead(-2.4, 0.25, 1.4), TrumpLead(-0.6, -0.35, 0.95), TrumpLead(-0.3, 0.0, -0.45)),
    ),
    "points": Leading(
        chance=-2.2, master=1.6, sequence=0.4, under=1.5, high=-1.1, single=0.0, ruffing=0.0, enemy_ruff=0.2,
        by_partner=1.5, by_enemy=0.8, stake=3.1, own=-1.2,
        trump=(TrumpLead(-2.5, 0.7, 2.3), TrumpLead(-1.0, 0.0, 2.1), TrumpLead(-0.6, -0.6, -1.4)),
    ),
}  # fmt: skip

FOLLOWING = {
    "tricks": Following(
        chance=3.6, beats=0.0, over=-0.5, second_high=-0.65, third_high=-0.45, last_high=-1.1, master=-0.65,
        guarded=-0.65, split=0.6, ruff=-1.0, ruff_high=-1.0, discard_high=-1.5, discard_master=-0.9, unguard=-0.9,
        shorten=0.6,
    ),
    "points": Following(
        chance=-1.0, beats=-1.1, over=-0.5, second_high=1.3, third_high=1.3, last_high=1.3, master=-0.4, guarded=-1.3,
        split=0.4, ruff=0.0, ruff_high=-2.9, discard_high=0.5, discard_master=-4.7, unguard=-1.0, shorten=2.0,
        stake=4.0, own=-2.7,
    ),
}  # fmt: skip


def choose_card(seen: TarneebObservation) -> int:
    """The card to play."""
    if len(seen.moves) == 1:
        return seen.moves[0]
    judge = Follow(seen) if seen.tricks.in_trick else Lead(seen)
    return max(seen.moves, key=judge.worth)


class Lead:
    """Weighs the leads to a trick."""

    def __init__(self, seen: TarneebObservation) -> None:
        self.weights = LEADING[seen.terms.scoring]
        self.table = Table(seen)
        led = self.led_worths(seen)
        trump = self.trump_worth(seen.auction.declarer)
        self.suits = [trump if suit == self.table.trump else led[suit] + self.side_worth(suit) for suit in range(4)]

    def led_worths(self, seen: TarneebObservation) -> list[float]:
        """What speaks for each suit because others have led it."""
        tricks = seen.tricks
        by_partner, by_enemy = set(), set()
        for index in range(tricks.completed):
            seat, card = tricks.trick(index)[0]
            if seat == self.table.partner:
                by_partner.add(card // RANKS)
            elif seat != self.table.seat:
                by_enemy.add(card // RANKS)
        weights = self.weights
        return [weights.by_partner * (suit in by_partner) + weights.by_enemy * (suit in by_enemy) for suit in range(4)]

    def side_worth(self, suit: int) -> float:
        """What speaks for a suit that is not trumps, whichever of its cards is led."""
        weights, table = self.weights, self.table
        worth = weights.enemy_ruff * sum([table.ruffs(seat, suit, table.trumps) for seat in table.opponents])
        if count(table.hand & SUITS[suit]) == 1:
            worth += weights.single
            if table.hand & table.trumps and table.unseen & table.trumps:
                worth += weights.ruffing
        return worth

    def trump_worth(self, declarer: int) -> float:
        """What speaks for leading trumps."""
        table = self.table
        weights = self.weights.trump[0 if declarer == table.seat else 1 if declarer == table.partner else 2]
        enemy = table.enemy_trumps()
        return weights.plain + weights.each * enemy + (weights.draws if enemy else 0)

    def worth(self, card: int) -> float:
        """What speaks for leading a card, in all."""
        weights, table = self.weights, self.table
        chance = table.chance(card)
        worth = self.suits[card // RANKS] + weights.chance * chance + weights.high * (card % RANKS) / 12
        worth += POINTS[card] * (weights.stake * chance + weights.own)
        higher = table.higher(card)
        if not higher:
            worth += weights.master
        if table.in_sequence(card):
            worth += weights.sequence
        top = table.higher((table.hand & SUITS[card // RANKS]).bit_length() - 1)
        if top < 2 and higher > top:
            worth += weights.under
        return worth


class Follow:
    """Weighs the cards that can be played to a trick already led to."""

    def __init__(self, seen: TarneebObservation) -> None:
        self.weights = FOLLOWING[seen.terms.scoring]
        self.table = Table(seen)
        self.follows = bool(seen.hand & seen.tricks.led)
        self.points = sum([POINTS[card] for _, card in seen.tricks.trick(seen.tricks.completed)])

    def worth(self, card: int) -> float:
        """What speaks for a card, in all."""
        weights, table = self.weights, self.table
        chance = table.chance(card)
        worth = weights.chance * chance
        worth += weights.stake * chance * (self.points + POINTS[card]) + weights.own * POINTS[card]
        if bit(card) & table.beating:
            worth += weights.beats + weights.over * table.ours
        if self.follows or bit(card) & table.trumps:
            return worth + self.keeping_worth(card)
        return worth + self.discard_worth(card)

    def keeping_worth(self, card: int) -> float:
        """What speaks against a card that could take a trick later, and for splitting a sequence in second place."""
        weights, table = self.weights, self.table
        rank = card % RANKS / 12
        if not self.follows:
            worth = weights.ruff + weights.ruff_high * rank
        elif table.place == 1:
            worth = weights.second_high * rank
        elif table.place == 2:
            worth = weights.third_high * rank
        else:
            worth = weights.last_high * rank
        higher = table.higher(card)
        if not higher:
            worth += weights.master
        elif higher == 1 and table.hand & BELOW[card]:
            worth += weights.guarded
        if self.follows and table.place == 1 and table.in_sequence(card):
            worth += weights.split
        return worth

    def discard_worth(self, card: int) -> float:
        """What speaks for throwing a card away."""
        weights, table = self.weights, self.table
        worth = weights.discard_high * (card % RANKS) / 12
        if not table.higher(card):
            worth += weights.discard_master
        mine = table.hand & SUITS[card // RANKS]
        length = count(mine)
        if length - 1 == table.higher(mine.bit_length() - 1) in (1, 2):
            worth += weights.unguard
        if length <= 2 and table.hand & table.trumps:
            worth += weights.shorten
        return worth
