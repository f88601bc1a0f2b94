"""What to do in Rosbiratschka: duck what the contract counts, watch the limits, hold what would help others only.

A slam under `bonus` turns the trick contracts round: who has taken all that has counted so far, and holds what takes
the rest, goes on; who sees another do so takes something while it is cheap.
"""

from engine.bits import bit, count, members
from engine.rulesets.rosbiratschka.rules import RosbiratschkaObservation


def choose(seen: RosbiratschkaObservation) -> int:
    """The move that the advice names."""
    if len(seen.moves) == 1:
        return seen.moves[0]
    if seen.kind == "rows":
        return max(seen.moves, key=lambda card: opens(seen, card))
    if seen.kind == "pile":
        return add(seen)
    return Trick(seen).card()


# -------------------------------------------------------------------------------------------------------- tricks


class Trick:
    """The running trick as one seat sees it. Sets of cards are ints."""

    def __init__(self, seen: RosbiratschkaObservation) -> None:
        self.seen = seen
        everything = bit(len(seen.setting.pack.cards)) - 1
        self.unseen = everything & ~seen.hand & ~seen.seen()
        self.suits = [sum(map(bit, suit)) for suit in seen.setting.suits]
        self.taken = seen.penalties.taken(seen.tricks)

    def card(self) -> int:
        """What to play."""
        if self.slam_is_mine():
            return self.take()
        tricks = self.seen.tricks
        if not tricks.in_trick:
            return self.lead()
        if not self.seen.hand & tricks.led:
            return self.throw()
        return self.take() if self.slam_of_another() else self.duck()

    def suit(self, card: int) -> int:
        """The set of the cards of a card's suit."""
        return next(suit for suit in self.suits if suit & bit(card))

    def higher(self, card: int) -> int:
        """The unseen cards that beat a card."""
        return self.unseen & self.suit(card) & ~(bit(card + 1) - 1)

    def lower(self, card: int) -> int:
        """The unseen cards that a card beats."""
        return self.unseen & self.suit(card) & (bit(card) - 1)

    def counts(self, card: int) -> bool:
        """Whether the contract counts a card."""
        return bool(self.seen.penalties.cards & bit(card))

    # A slam, one's own or another's.

    def bonus(self) -> bool:
        """Whether a slam is worth making in this contract."""
        penalties = self.seen.penalties
        return self.seen.terms.slam == "bonus" and (penalties.a_trick > 0 or count(penalties.cards) > 1)

    def only_taker(self) -> int:
        """The one seat that has taken what has counted so far, at least half of the eight points; -1: there is none."""
        takers = [seat for seat, (_, _, points) in enumerate(self.taken) if points]
        return takers[0] if len(takers) == 1 and self.taken[takers[0]][2] >= 4 else -1

    def sure(self) -> int:
        """How many tricks this hand takes for sure when it leads its suits from the top."""
        sure = 0
        for suit in self.suits:
            others = members(self.unseen & suit)
            for card in reversed(members(self.seen.hand & suit)):
                if others and others[-1] > card:
                    break
                sure += 1
                # At worst only the lowest of the others falls.
                others = others[1:]
        return sure

    def slam_is_mine(self) -> bool:
        """Whether to go for a slam: nobody else has taken anything, and the hand takes all the rest but one trick."""
        if not self.bonus() or any(points for seat, (_, _, points) in enumerate(self.taken) if seat != self.seen.seat):
            return False
        missing = count(self.seen.hand) - self.sure()
        return missing == 0 or (missing == 1 and self.only_taker() == self.seen.seat)

    def slam_of_another(self) -> bool:
        """Whether another seat is on the way to a slam, and this trick would break it."""
        if not self.bonus() or self.only_taker() in (-1, self.seen.seat):
            return False
        return self.seen.penalties.a_trick > 0 or any(self.counts(card) for _, card in self.running())

    # Playing a card.

    def running(self) -> list[tuple[int, int]]:
        """The cards of the running trick and who played them."""
        return self.seen.tricks.trick(self.seen.tricks.completed)

    def take(self) -> int:
        """The card most likely to take a trick: the highest for its suit."""
        return max(self.seen.moves, key=lambda card: (not self.higher(card), count(self.lower(card)), card))

    def lead(self) -> int:
        """A card that others beat, of a suit that they still hold, with little above it to be caught with later."""

        def risk(card: int) -> tuple[bool, float, int]:
            above, below = count(self.higher(card)), count(self.lower(card))
            worse = sum(self.counts(other) for other in members(self.suit(card) & self.unseen))
            return not above, below / (above + below + 1) + 0.05 * worse, card

        return min(self.seen.moves, key=risk)

    def duck(self) -> int:
        """Following suit: the highest card that does not take the trick; else the lowest, but when last the highest."""
        beating = self.seen.tricks.beating
        under = [card for card in self.seen.moves if not bit(card) & beating]
        last = self.seen.tricks.in_trick == len(self.seen.sizes) - 1
        free = self.seen.penalties.a_trick == 0 and not any(self.counts(card) for _, card in self.running())
        over = [card for card in self.seen.moves if bit(card) & beating and not self.counts(card)]
        if last and free and over:
            return over[-1]
        if under:
            return max(under, key=lambda card: (self.counts(card), card))
        return self.seen.moves[-1] if last else self.seen.moves[0]

    def throw(self) -> int:
        """A card of another suit: what counts, unless it would complete another's slam; then what takes tricks."""
        helping = self.slam_of_another() or (self.bonus() and self.only_taker() == self.seen.tricks.taker)

        def burden(card: int) -> tuple[bool, int, int]:
            return self.counts(card) and not helping, count(self.lower(card)) - count(self.higher(card)), card

        return max(self.seen.moves, key=burden)


# ------------------------------------------------------------------------------------------------------- hundred


def add(seen: RosbiratschkaObservation) -> int:
    """The card that counts most without going beyond the next limit; where every card does, the costliest to keep."""
    values = seen.setting.values
    room = seen.pile.limit() - seen.pile.sum
    fitting = [card for card in seen.moves if values[card] <= room]
    return max(fitting or seen.moves, key=lambda card: values[card])


# --------------------------------------------------------------------------------------------------------- layout


def opens(seen: RosbiratschkaObservation, card: int) -> int:
    """How much a card opens the way for one's own cards, less what it opens for others.

    The far end in one's own hand makes it worth opening a row; with nothing of one's own beyond, the card is better
    held; a card at the end of its row helps nobody and is a move in reserve.
    """
    suit = next(suit for suit in seen.setting.suits if card in suit)
    unter = next(unter for unter in seen.setting.unters if unter in suit)
    above = range(card + 1, suit.stop) if card >= unter else ()
    below = range(card - 1, suit.start - 1, -1) if card <= unter else ()
    return way(seen, list(above)) + way(seen, list(below))


def way(seen: RosbiratschkaObservation, beyond: list[int]) -> int:
    """What the cards beyond one in a row are worth to its holder: nearest first."""
    mine = [place for place, card in enumerate(beyond) if seen.hand & bit(card)]
    if not mine:
        return -len(beyond)
    return 2 * len(mine) + mine[-1]
