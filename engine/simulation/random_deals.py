"""Sets of deals between bots that all play by chance, in one call for many: compiled, as fast as playouts.

They come to exactly what the bot `random` brings about in `engine.simulation.playing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import cython

from engine.chance import Chance, Streams
from engine.playouts import deal_out, finish

if TYPE_CHECKING:
    from engine.deal import Deal
    from engine.simulation.sums import Sums

MOST_SEATS = 8
OF_A_SET = 65536
"""How many streams of chance each set has: those of its deals by number, from 1, and from PLAYS on of its lineups."""
PLAYS = 32768


def cards_stream(number: int, deal: int) -> int:
    """The stream that shuffles one deal of a set, counted from 1 within its match."""
    return number * OF_A_SET + deal


def moves_stream(number: int, lineup: int) -> int:
    """The stream that the bots draw from in the game of a lineup, whoever is to move."""
    return number * OF_A_SET + PLAYS + lineup


class RandomDeals:
    """The deals of one kind: `deal` is used for all of them, `dealers` deal in turn, the set's number says who."""

    def __init__(self, deal: Deal, streams: Streams, dealers: Sequence[int], lineups: int) -> None:
        if not cython.compiled:
            self.dealers = [0] * MOST_SEATS
        self.deal = deal
        self.streams = streams
        self.lineups = lineups
        self.seats = len(dealers)
        for seat in range(self.seats):
            self.dealers[seat] = dealers[seat]
        self.chance = Chance("")

    def game(self, sums: Sums, number: int, lineup: int) -> None:
        """Play and count one deal of a set; its dealer is known."""
        self.streams.start(self.chance, cards_stream(number, 1))
        sums.redeals += deal_out(self.deal, self.chance)
        self.streams.start(self.chance, moves_stream(number, lineup))
        sums.end_deal(self.deal, finish(self.deal, self.chance))
        sums.end_game(lineup)

    def play(self, sums: Sums, first: int, end: int, kind: int, kinds: int) -> None:
        """Play and count the sets of this kind from `first` up to before `end`; kinds change when all have dealt."""
        number = first
        with cython.nogil:
            while number < end:
                turn = number // self.seats
                turn += (kind + kinds - turn % kinds) % kinds
                number = max(number, turn * self.seats)
                until = min(end, (turn + 1) * self.seats)
                while number < until:
                    self.deal.dealer = self.dealers[number - turn * self.seats]
                    for lineup in range(self.lineups):
                        self.game(sums, number, lineup)
                    sums.end_set()
                    number += 1
