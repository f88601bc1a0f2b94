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
