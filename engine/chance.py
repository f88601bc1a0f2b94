"""Chance, always from a seed: fast streams for bots and simulations, and the published deal function.

`Chance` is xoshiro256++ over a state that SHA-256 makes of the seed text. `published_order` is what a suspicious
player recomputes: SHA-256 alone, as the API's documentation describes it, nothing else.
"""

import hashlib
from typing import Protocol

import cython

if not cython.compiled:
    from engine.bits import draw, draw_below, split


class Chance:
    """A stream of random numbers that its seed text decides completely."""

    def __init__(self, seed: str) -> None:
        digest = hashlib.sha256(seed.encode()).digest()
        if not cython.compiled:
            self.state = [0] * 4
        for index in range(4):
            self.state[index] = int.from_bytes(digest[8 * index : 8 * index + 8], "big")

    def number(self, n: int) -> int:
        """A number from 0 to n-1, each equally likely, for any n of 1 or more; ValueError for less."""
        if n < 1:
            raise ValueError(f"a number below {n} cannot be drawn")
        if n < 0x100000000:
            return int(draw_below(self.state, n))
        size = n.bit_length()
        drawn = n
        while drawn >= n:
            drawn = 0
            for _ in range(0, size, 64):
                drawn = drawn << 64 | int(draw(self.state))
            drawn &= (1 << size) - 1
        return drawn

    def shuffled(self, cards: list[int]) -> list[int]:
        """A new list of the same cards in random order."""
        order = list(cards)
        for last in range(len(order) - 1, 0, -1):
            other = self.number(last + 1)
            order[last], order[other] = order[other], order[last]
        return order


class Streams:
    """Streams of random numbers by number, all from one text: bulk simulations start millions of them.

    Stream n begins with the n-th number of four sequences splitmix64, which start where SHA-256 of the text says.
    """

    def __init__(self, seed: str) -> None:
        self.origin = Chance(seed)

    def start(self, chance: Chance, number: int) -> None:
        """Set a chance to the beginning of a stream."""
        for index in range(4):
            chance.state[index] = split(self.origin.state[index], number)

    def stream(self, number: int) -> Chance:
        """A chance of its own, at the beginning of a stream."""
        chance = Chance("")
        self.start(chance, number)
        return chance


class Draws(Protocol):
    """Where a match draws its numbers from: the deal source of a game, or what a test prepares."""

    def below(self, purpose: str, n: int) -> int:
        """A number from 0 to n-1 for a purpose such as `first_dealer`."""


def first_dealer(source: Draws, chosen: int | None, seats: int) -> int:
    """The seat that an option names, or one drawn where it names none."""
    return source.below("first_dealer", seats) if chosen is None else chosen


class PublishedStream:
    """The chance of fair deals: SHA-256 of `{text}:{block}` for block 0, 1, ..., read as 8-byte big-endian words."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._block = 0
        self._words: list[int] = []

    def _word(self) -> int:
        if not self._words:
            digest = hashlib.sha256(f"{self._text}:{self._block}".encode()).digest()
            self._words = [int.from_bytes(digest[at : at + 8], "big") for at in (24, 16, 8, 0)]
            self._block += 1
        return self._words.pop()

    def below(self, n: int) -> int:
        """A number from 0 to n-1: the first word under the largest multiple of n that 2^64 holds, modulo n."""
        limit = (1 << 64) // n * n
        word = self._word()
        while word >= limit:
            word = self._word()
        return word % n


def published_stream(seed: str, client_seeds: list[str], purpose: str) -> PublishedStream:
    """The stream of one purpose in a game.

    Purposes are `first_dealer`, `start_numbers:{colour}` (Elfer Raus), and `deal:{number}:{attempt}` (both from 1).
    """
    return PublishedStream("tapete/1:" + ":".join([seed, ",".join(client_seeds), purpose]))


def published_order(seed: str, client_seeds: list[str], number: int, attempt: int, size: int) -> list[int]:
    """The order of the pack, from the top, of one deal: cards 0..size-1 shuffled by Fisher and Yates from the end."""
    stream = published_stream(seed, client_seeds, f"deal:{number}:{attempt}")
    order = list(range(size))
    for last in range(size - 1, 0, -1):
        other = stream.below(last + 1)
        order[last], order[other] = order[other], order[last]
    return order


class PublishedDeals:
    """The shuffles and draws of one game, all from its seed and what its players added."""

    def __init__(self, seed: str, client_seeds: list[str]) -> None:
        self.seed = seed
        self.client_seeds = client_seeds

    def order(self, number: int, attempt: int, size: int) -> list[int]:
        """The order of the pack, from the top, for one attempt at one deal."""
        return published_order(self.seed, self.client_seeds, number, attempt, size)

    def below(self, purpose: str, n: int) -> int:
        """A number from 0 to n-1 for a purpose such as `first_dealer`."""
        return published_stream(self.seed, self.client_seeds, purpose).below(n)
