"""The statistics of a simulation as they are published. All floats are rounded to twelve significant digits.

The same tally gives the same bytes, whoever summed it up and wherever.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class Figure(Struct):
    """A mean with its spread.

    `deviation` is the standard deviation of a single game, `interval` the ends of the 95 % confidence interval of the
    mean, whose error is taken over sets. Null where there is too little to tell: fewer than two.
    """

    mean: float
    deviation: float | None
    interval: tuple[float, float] | None


class Bar(Struct, rename={"from_": "from"}):
    """How many were from a number up to and including another."""

    from_: int
    to: int
    count: int


class SeatedBudget(Struct):
    """How much a bot may think: a number of samples."""

    samples: int


class SeatedBot(Struct):
    """Which bot, with its version and budget."""

    bot: str
    version: int
    budget: SeatedBudget | None


class BotStanding(Struct):
    """What games came to for a bot, in the `seats` that it had in any of them.

    `games` counts a game once for each seat that the bot had in it. `score` is in the ruleset's own points, penalty
    points where it counts these. `margin` is how much better it did than the mean of its opponents: more is better in
    every ruleset. `win_share` is the share of games won, a shared win counting in part.
    """

    bot: SeatedBot
    seats: list[int]
    games: int
    score: Figure
    margin: Figure
    win_share: float
    histogram: list[Bar]


class SeatStanding(Struct):
    """What games came to for a seat, whoever sat in it; see `BotStanding`."""

    seat: int
    games: int
    score: Figure
    margin: Figure
    win_share: float
    histogram: list[Bar]


class Length(Struct):
    """How long games were. `least` and `most` are as exact as the histogram's bars."""

    mean: float
    deviation: float | None
    least: int
    most: int
    histogram: list[Bar]


class Lengths(Struct):
    """How long games were: in moves, and matches in deals."""

    moves: Length
    deals: Length | None


class Count(Struct):
    """Something that the ruleset counts.

    `key` tells apart what is counted under one name: the amount of a bid, a contract; null where there is nothing to
    tell apart. `ratio` is `count` divided by `of`: a share, or a mean where there can be several of them in one.
    """

    name: str
    key: str | None
    count: int
    of: int
    ratio: float | None


class Comparison(Struct):
    """How much better the first bot did than the second, in `per`: a seat of a game.

    Means over duplicate sets, `deviation` that of a whole set's mean.
    """

    score: Figure
    win_share: Figure
    per: Literal["seat and game"] = "seat and game"


class Results(Struct):
    """The statistics of some games, at least one set of them."""

    games: int
    sets: int
    bots: list[BotStanding]
    seats: list[SeatStanding]
    lengths: Lengths
    counts: list[Count]
    comparison: Comparison | None
