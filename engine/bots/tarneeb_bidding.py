"""What to bid in Tarneeb, and which trump to name.

"Count on about two tricks from your partner, no more, and bid what both hands can do together": a hand goes as high
as the tricks of its own, in whole numbers, and two; and it bids no more than it must, as a contract made scores
every trick. Under `points` the same in points, where two tricks are six of the forty.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.bits import count
from engine.bots.tarneeb_table import RANKS, SEATS, SUITS
from engine.rulesets.tarneeb.rules import MOVES, TarneebObservation

MOVE = {meaning: move for move, meaning in MOVES.items()}
PASS = MOVE["pass", 0]


@dataclass(frozen=True)
class Scale:
    """What a hand brings to its side as declarer, fitted to what 6,000 of them took with the best trump they had.

    Honours are listed from the ace down. Outside trumps a king needs a lower card beside it to count, a queen two, a
    jack three, and the first of `short` is a void.
    """

    partner: int
    length: float
    """For each trump."""
    trump_honours: tuple[float, ...]
    side_honours: tuple[float, ...]
    short: tuple[float, float, float]
    """For a side suit of no card, one card, two cards."""
    caution: float
    """Where defenders always score, passing costs less: bid this much less."""
    over_partner: int
    """How much more than it needs a hand must be good for to bid over its partner."""


SCALES = {
    "tricks": Scale(
        partner=2, length=0.7, trump_honours=(0.7, 0.55, 0.4, 0.3, 0.1), side_honours=(0.6, 0.5, 0.25, 0.1),
        short=(0.7, 0.4, 0.1), caution=1, over_partner=1,
    ),
    "points": Scale(
        partner=6, length=1.75, trump_honours=(3.4, 2.0, 0.6, 0.4), side_honours=(2.65, 1.6, 0.5),
        short=(3.8, 2.1, 0.6), caution=3, over_partner=3,
    ),
}  # fmt: skip


def own_share(hand: int, trump: int, scale: Scale) -> float:
    """What a hand can be expected to bring itself with this trump: in tricks, or in points."""
    share = 0.0
    for suit in range(len(SUITS)):
        cards = hand & SUITS[suit]
        length = count(cards)
        honours = scale.side_honours
        if suit == trump:
            share += scale.length * length
            honours = scale.trump_honours
        elif length < len(scale.short):
            share += scale.short[length]
        ace = RANKS * suit + RANKS - 1
        for place, worth in enumerate(honours):
            if cards >> (ace - place) & 1 and (suit == trump or length > place):
                share += worth
    return share


def best_trump(seen: TarneebObservation) -> tuple[float, int]:
    """What the hand brings itself with its best suit as trump, and that suit."""
    scale = SCALES[seen.terms.scoring]
    return max((own_share(seen.hand, suit, scale), suit) for suit in range(len(SUITS)))


def choose_call(seen: TarneebObservation) -> int:
    """The lowest bid there is while the hand goes as high, else a pass."""
    bids = [move for move in seen.moves if move != PASS]
    if not bids:
        return PASS
    own, _ = best_trump(seen)
    if own >= seen.auction.high_bid - 1:
        return bids[-1]
    if PASS in seen.moves and MOVES[bids[0]][1] > highest_bid(seen, own):
        return PASS
    return bids[0]


def highest_bid(seen: TarneebObservation, own: float) -> int:
    """How high a hand goes that brings this much itself: never all there is, which wants no partner."""
    scale = SCALES[seen.terms.scoring]
    if seen.terms.defenders_always_score:
        own -= scale.caution
    highest = min(round(own) + scale.partner, seen.auction.high_bid - 1)
    partner_holds = seen.auction.declarer == (seen.seat + 2) % SEATS
    return highest - scale.over_partner if partner_holds else highest


def name_trump(seen: TarneebObservation) -> int:
    """The suit that the hand is worth most with."""
    return MOVE["trump", best_trump(seen)[1]]
