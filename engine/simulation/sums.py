"""Adding up what games come to: compiled, because millions of random deals have to be counted as fast as played.

`Sums` counts by chair, a seat in a lineup; what it answers is a tally, by seat and by bot.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import cython

from engine.deal import MOST_COUNTS
from engine.simulation.tallies import EXACT, HIGH, MASK, ONE_WIN, Tally, bucket, tell

if TYPE_CHECKING:
    from engine.deal import Deal

MOST_SEATS = 8
MOST_CHAIRS = 128
MOST_HOLDERS = 16
BOTS = 8
"""Holders of sums over a set are the seats, from 0, and the bots, from 8."""
LEAD = 124
WIN_LEAD = 125
MOVES = 126
DEALS = 127
OTHERS = ((LEAD, "difference.score"), (WIN_LEAD, "difference.wins"), (MOVES, "moves"), (DEALS, "deals_of_match"))
"""What is counted beside scores has a chair's place where nobody sits, and these names."""
BUCKETS = 1600
"""Buckets of numbers from 0 up to 4^11; as many again are for numbers below 0."""


def place(number: int) -> int:
    """Where the bucket of a number is kept, see `tallies.bucket`."""
    size = number if number >= 0 else -number
    index = size
    if size >= EXACT:
        index = EXACT
        width = 4
        while size >= EXACT * width:
            index += 192
            width *= 4
        index += size // width - 64
    return index if number >= 0 else BUCKETS + index


def lowest_numbers() -> dict[int, int]:
    """The lowest number of the bucket in each place."""
    found = {}
    number = 0
    while (index := place(number)) < BUCKETS:
        low, high = bucket(number)
        found[index] = low
        found[BUCKETS + index] = -high
        number = high + 1
    return found


class Squares:
    """Sums of squares, in two parts each: a single square can be large, and there can be many of them."""

    def __init__(self) -> None:
        if not cython.compiled:
            self.low = [0] * MOST_CHAIRS
            self.high = [0] * MOST_CHAIRS

    def add(self, index: int, value: int) -> None:
        """Add the square of a value to a sum."""
        square = value * value
        self.low[index] += square & MASK
        if square > MASK:
            self.high[index] += square >> HIGH

    def tell(self, tally: Tally, index: int, name: str) -> None:
        """Add a sum to a tally."""
        tell(tally, name, self.low[index])
        tell(tally, f"{name}.high", self.high[index])


class Histogram:
    """How many of each number there were, in buckets, for every chair."""

    def __init__(self) -> None:
        if not cython.compiled:
            self.counts = [[0] * (2 * BUCKETS) for _ in range(MOST_CHAIRS)]

    def add(self, chair: int, number: int) -> None:
        """Count a number."""
        self.counts[chair][place(number)] += 1

    def tell(self, tally: Tally, chair: int, name: str) -> None:
        """Add a chair's buckets to a tally."""
        for index in range(2 * BUCKETS):
            if self.counts[chair][index]:
                tell(tally, f"{name}.at.{LOWEST[index]}", self.counts[chair][index])


LOWEST = lowest_numbers()


class Sums:
    """What the games of some sets come to.

    `sides` says who plays with whom, `lineups` which bot sits in each seat. A game is told by its scores in `worth` and
    `add`; after all games of a set, `end_set`. `compared`: how much better bot 0 does than bot 1 is counted too.
    """

    def __init__(
        self, sides: Sequence[int], lineups: Sequence[Sequence[int]], *, penalties: bool, compared: bool
    ) -> None:
        if not cython.compiled:
            self.worth = [0] * MOST_SEATS
            self.side = [0] * MOST_SEATS
            self.together = [0] * MOST_SEATS
            self.sitter = [0] * MOST_CHAIRS
            self.total = [0] * MOST_CHAIRS
            self.margin = [0] * MOST_CHAIRS
            self.wins = [0] * MOST_CHAIRS
            self.set_score = [0] * MOST_HOLDERS
            self.set_margin = [0] * MOST_HOLDERS
            self.set_wins = [0] * MOST_HOLDERS
            self.shares = [0] * (MOST_SEATS + 1)
            self.counts = [0] * MOST_COUNTS
        self.seats = len(sides)
        self.chairs = self.seats * len(lineups)
        self.bots = max(map(max, lineups)) + 1
        self.opponents = sum(side != sides[0] for side in sides)
        self.sign = -1 if penalties else 1
        self.compared = compared
        self.single = len(lineups) == 1
        for seat in range(self.seats):
            self.side[seat] = sides[seat]
            # Partners win together, sides that are level share a win: so this is what each of so many winners has.
            self.shares[seat + 1] = ONE_WIN * (self.seats - self.opponents) // (seat + 1)
        for chair in range(self.chairs):
            self.sitter[chair] = BOTS + lineups[chair // self.seats][chair % self.seats]
        self.histogram = Histogram()
        self.squares = Squares()
        self.margin_squares = Squares()
        self.set_score_squares = Squares()
        self.set_margin_squares = Squares()
        self.sets = 0
        self.games = 0
        self.deals = 0
        self.redeals = 0
        self.moves = 0

    def number(self, chair: int, value: int) -> None:
        """Count a number: the score of a game for a chair, or one of the numbers that have a chair's place."""
        self.total[chair] += value
        self.squares.add(chair, value)
        self.histogram.add(chair, value)

    def add(self, lineup: int) -> None:
        """Count a game of a lineup, whose scores are in `worth`."""
        self.games += 1
        total = 0
        best = self.sign * self.worth[0]
        for seat in range(self.seats):
            self.together[seat] = 0
        for seat in range(self.seats):
            score = self.worth[seat]
            total += score
            self.together[self.side[seat]] += score
            best = max(best, self.sign * score)
        share = self.shares[self.winners(best)]
        for seat in range(self.seats):
            score = self.worth[seat]
            margin = self.sign * (score * self.opponents - total + self.together[self.side[seat]])
            self.sit(lineup * self.seats + seat, seat, score, margin)
            if self.sign * score == best:
                self.win(lineup * self.seats + seat, share)

    def winners(self, best: int) -> int:
        """How many seats have the best score."""
        winners = 0
        for seat in range(self.seats):
            if self.sign * self.worth[seat] == best:
                winners += 1
        return winners

    def sit(self, chair: int, seat: int, score: int, margin: int) -> None:
        """Count a game for the seat and the bot of a chair."""
        bot = self.sitter[chair]
        self.number(chair, score)
        self.margin[chair] += margin
        self.margin_squares.add(chair, margin)
        self.set_score[bot] += score
        self.set_margin[bot] += margin
        if not self.single:
            self.set_score[seat] += score
            self.set_margin[seat] += margin

    def win(self, chair: int, share: int) -> None:
        """Count a win, or part of one, for a chair."""
        self.wins[chair] += share
        self.set_wins[self.sitter[chair]] += share

    def end_set(self) -> None:
        """Count a set whose games have all been added."""
        self.sets += 1
        if self.compared:
            self.lead(LEAD, self.sign * (self.set_score[BOTS] - self.set_score[BOTS + 1]))
            self.lead(WIN_LEAD, self.set_wins[BOTS] - self.set_wins[BOTS + 1])
        if not self.single:
            for seat in range(self.seats):
                self.end_holder(seat)
        for bot in range(self.bots):
            self.end_holder(BOTS + bot)

    def lead(self, chair: int, value: int) -> None:
        """Count how much better bot 0 did in a set than bot 1."""
        self.total[chair] += value
        self.squares.add(chair, value)

    def end_holder(self, holder: int) -> None:
        """Count what a set came to for a seat or a bot."""
        self.set_score_squares.add(holder, self.set_score[holder])
        self.set_margin_squares.add(holder, self.set_margin[holder])
        self.set_score[holder] = 0
        self.set_margin[holder] = 0
        self.set_wins[holder] = 0

    def end_deal(self, deal: Deal, moves: int) -> None:
        """Count a deal that is over: settle it, with its scores in `worth`."""
        deal.settle()
        deal.count_up(self.counts)
        self.deals += 1
        self.moves += moves
        for seat in range(self.seats):
            self.worth[seat] = deal.worth[seat]

    def end_game(self, lineup: int) -> None:
        """Count a game of a lineup: its deals have been counted, and its scores are in `worth`."""
        self.add(lineup)
        self.number(MOVES, self.moves)
        self.moves = 0

    def end_match(self, lineup: int, totals: Sequence[int], deals: int) -> None:
        """Count a match of a lineup, whose deals have been counted."""
        for seat in range(self.seats):
            self.worth[seat] = totals[seat]
        self.end_game(lineup)
        self.number(DEALS, deals)

    def counted(self) -> list[int]:
        """How often everything has been counted that the ruleset counts, by place."""
        return [self.counts[index] for index in range(MOST_COUNTS)]

    def tally(self) -> Tally:
        """Everything counted, by name, but for what the ruleset counts."""
        found: Tally = {}
        for chair in range(self.chairs):
            for holder in (f"seat.{chair % self.seats}", f"bot.{self.sitter[chair] - BOTS}"):
                self.tell_number(found, chair, f"{holder}.score")
                tell(found, f"{holder}.margin", self.margin[chair])
                self.margin_squares.tell(found, chair, f"{holder}.margin.squares")
                tell(found, f"{holder}.wins", self.wins[chair])
        for seat in range(self.seats):
            # Where a set is one game, the sum over a set is that of a game for a seat, if not for a bot in several.
            scores = self.squares if self.single else self.set_score_squares
            margins = self.margin_squares if self.single else self.set_margin_squares
            scores.tell(found, seat, f"seat.{seat}.score.set_squares")
            margins.tell(found, seat, f"seat.{seat}.margin.set_squares")
        for bot in range(self.bots):
            self.set_score_squares.tell(found, BOTS + bot, f"bot.{bot}.score.set_squares")
            self.set_margin_squares.tell(found, BOTS + bot, f"bot.{bot}.margin.set_squares")
        for chair, name in OTHERS:
            self.tell_number(found, chair, name)
        tell(found, "sets", self.sets)
        tell(found, "games", self.games)
        tell(found, "deals", self.deals)
        tell(found, "redeals", self.redeals)
        return found

    def tell_number(self, tally: Tally, chair: int, name: str) -> None:
        """Add to a tally what `number` has counted for a chair."""
        tell(tally, name, self.total[chair])
        self.squares.tell(tally, chair, f"{name}.squares")
        self.histogram.tell(tally, chair, name)
