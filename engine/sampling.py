"""Spreading unseen cards over hands so that every spread the open play allows is equally likely.

Cards that the same seats may hold form a group. How many of a group each seat gets is drawn in proportion to the
number of spreads that remain possible, counted exactly; which cards they are is then a plain shuffle.
"""

from collections.abc import Iterator
from functools import cache
from math import comb

from engine.bits import bit, members
from engine.chance import Chance

Counts = tuple[int, ...]


def _splits(size: int, allowed: int, room: Counts) -> Iterator[tuple[Counts, int]]:
    """Each way to give `size` equal cards to the allowed seats, with the number of ways to choose the cards."""
    places = [here if allowed >> seat & 1 else 0 for seat, here in enumerate(room)]

    def share(seat: int, left: int) -> Iterator[tuple[Counts, int]]:
        if seat == len(places):
            if not left:
                yield (), 1
            return
        # What the seats after this one have no place for comes here: no start of a split is in vain.
        least = max(0, left - sum(places[seat + 1 :]))
        for given in range(least, min(left, places[seat]) + 1):
            for rest, ways in share(seat + 1, left - given):
                yield (given, *rest), ways * comb(left, given)

    return share(0, size)


def spread(chance: Chance, unseen: int, cannot: list[int], sizes: list[int]) -> list[int]:
    """Deal the set `unseen` to seats that need `sizes` cards and cannot hold the sets `cannot`; a set for each seat.

    Uniform over all such deals. ValueError where there is none, or where the sizes do not add up.
    """
    by_holders: dict[int, list[int]] = {}
    for card in members(unseen):
        holders = sum(bit(seat) for seat, size in enumerate(sizes) if size and not cannot[seat] & bit(card))
        by_holders.setdefault(holders, []).append(card)
    groups = sorted(by_holders.items(), key=lambda group: (group[0].bit_count(), group[0]))

    @cache
    def ways(index: int, room: Counts) -> int:
        if index == len(groups):
            return int(not any(room))
        holders, cards = groups[index]
        return sum(
            here * ways(index + 1, tuple(map(int.__sub__, room, split)))
            for split, here in _splits(len(cards), holders, room)
        )

    room = tuple(sizes)
    hands = [0] * len(sizes)
    if not ways(0, room):
        raise ValueError("no deal of the unseen cards fits what has been seen")
    for index, (holders, cards) in enumerate(groups):
        drawn = chance.number(ways(index, room))
        for split, here in _splits(len(cards), holders, room):
            left = tuple(map(int.__sub__, room, split))
            drawn -= here * ways(index + 1, left)
            if drawn < 0:
                break
        room = left
        pile = chance.shuffled(cards)
        for seat, given in enumerate(split):
            for _ in range(given):
                hands[seat] |= bit(pile.pop())
    return hands


TRIES = 100_000


def place(chance: Chance, unseen: int, cannot: list[int], sizes: list[int], needs: list[int]) -> list[int]:
    """Deal like `spread`, to seats that moreover hold a card of their set in `needs`, where that is not empty.

    Uniform over all such deals. For many bounds on few cards, as in layouts: what `spread` counts is here tried. Bound
    cards go in turn to any free place that is open to them, and the attempt is thrown away with just the chance that
    takes back what this favours: never, where of any two cards one can lie wherever the other can.
    ValueError where there is no such deal, or where the sizes do not add up.
    """
    bounds = _Bounds(members(unseen), cannot, sizes, needs)
    if len(bounds.cards) != sum(sizes):
        raise ValueError("the sizes do not add up to the unseen cards")
    for _ in range(TRIES):
        hands = bounds.attempt(chance)
        if hands is not None:
            return hands
    raise ValueError("no deal of the unseen cards fits what has been seen")


class _Bounds:
    """What `place` has to keep. `bound` are the cards that cannot lie anywhere or that a seat needs."""

    def __init__(self, cards: list[int], cannot: list[int], sizes: list[int], needs: list[int]) -> None:
        self.cards = cards
        self.sizes = sizes
        seats = [seat for seat, size in enumerate(sizes) if size]
        self.open_to = {card: [seat for seat in seats if not cannot[seat] >> card & 1] for card in cards}
        self.needs = {
            seat: [card for card in cards if needs[seat] >> card & 1 and seat in self.open_to[card]]
            for seat in seats
            if needs[seat]
        }
        needed = {card for held in self.needs.values() for card in held}
        bound = [card for card in cards if card in needed or len(self.open_to[card]) < len(seats)]
        self.bound = sorted(bound, key=lambda card: (self.places(card), self.open_to[card]))
        self.free = [card for card in cards if card not in self.bound]
        # The most places that can be free for a card in its turn.
        self.most = {card: self.places(card) - self.before(card) for card in self.bound}
        # Seats that chance would seldom give what they need: they get one of it before anything else.
        self.unlikely = [seat for seat, held in self.needs.items() if len(held) * sizes[seat] < len(cards)]

    def places(self, card: int) -> int:
        """How many places are open to a card while nothing lies there."""
        return sum(self.sizes[seat] for seat in self.open_to[card])

    def before(self, card: int) -> int:
        """How many of the cards laid before this one can lie only where it can."""
        earlier = self.bound[: self.bound.index(card)]
        return sum(set(self.open_to[other]) <= set(self.open_to[card]) for other in earlier)

    def attempt(self, chance: Chance) -> list[int] | None:
        """A deal that keeps the bounds, each as likely; None where it came to nothing."""
        hands = [0] * len(self.sizes)
        room = list(self.sizes)
        if not (self.give(chance, hands, room) and self.lay(chance, hands, room) and self.fair(chance, hands)):
            return None
        pile = chance.shuffled(self.free)
        for seat, left in enumerate(room):
            for _ in range(left):
                hands[seat] |= bit(pile.pop())
        return hands

    def give(self, chance: Chance, hands: list[int], room: list[int]) -> bool:
        """Give the unlikely seats a card that they need."""
        given = 0
        for seat in self.unlikely:
            needed = self.needs[seat]
            card = needed[chance.number(len(needed))]
            # A card that is hard to place in its turn would come up more often for being given.
            if given >> card & 1 or chance.number(self.most[card]) >= min(self.most[other] for other in needed):
                return False
            given |= bit(card)
            hands[seat] |= bit(card)
            room[seat] -= 1
        return True

    def lay(self, chance: Chance, hands: list[int], room: list[int]) -> bool:
        """Lay the other bound cards on free places open to them."""
        given = sum(hands)
        for card in self.bound:
            if given >> card & 1:
                continue
            at = chance.number(self.most[card])
            for seat in self.open_to[card]:
                if at < room[seat]:
                    hands[seat] |= bit(card)
                    room[seat] -= 1
                    break
                at -= room[seat]
            else:
                return False
        return True

    def fair(self, chance: Chance, hands: list[int]) -> bool:
        """Whether every seat holds what it needs; what could have been given in several ways came up that often."""
        for seat, needed in self.needs.items():
            held = sum(hands[seat] >> card & 1 for card in needed)
            if not held or (seat in self.unlikely and chance.number(held)):
                return False
        return True
