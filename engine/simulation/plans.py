"""What a simulation plays: the bots, who sits where, and where the chance of each set comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from engine.bots import Bot, Budget
from engine.match import Ruleset

Unit = Literal["deals", "matches"]


@dataclass(frozen=True)
class Entrant:
    """A bot, and how much it may think."""

    bot: Bot
    budget: Budget | None = None


@dataclass(frozen=True)
class Plan:
    """Everything that decides what sets come to.

    `options` are the ruleset's, resolved for this number of seats. `lineups` says for each game of a set which of
    `bots` sits in each seat. `compared`: the two bots' difference is counted, set by set.
    """

    ruleset: Ruleset
    options: Any
    bots: tuple[Entrant, ...]
    lineups: tuple[tuple[int, ...], ...]
    unit: Unit
    seed: str
    compared: bool

    @property
    def seats(self) -> int:
        """How many seats a game has."""
        return len(self.lineups[0])

    @property
    def games_of_a_set(self) -> int:
        """How many games make a set: a number of games has to be a multiple of it."""
        return len(self.lineups)

    @property
    def games_of_a_bot(self) -> int:
        """How many seats each of two compared bots has in the games of a set: both have the same."""
        return self.seats * len(self.lineups) // 2

    @property
    def opponents(self) -> int:
        """How many opponents a seat has in a game."""
        return sum(self.side(seat) != self.side(0) for seat in range(self.seats))

    def side(self, seat: int) -> int:
        """Who a seat plays for: its team, or itself where there are no teams."""
        team = self.ruleset.team(seat)
        return seat if team is None else team


def plan(ruleset: Ruleset, options: Any, seats: Sequence[Entrant], *, unit: Unit, duplicate: bool, seed: str) -> Plan:
    """An entrant in each seat; with `duplicate` every set is played once for each way that they rotate."""
    bots = tuple(dict.fromkeys(seats))
    seated = tuple(bots.index(entrant) for entrant in seats)
    lineups = rotations(seated) if duplicate else (seated,)
    return Plan(ruleset, options, bots, lineups, unit, seed, compared=False)


def plan_comparison(
    ruleset: Ruleset, options: Any, a: Entrant, b: Entrant, seats: int, *, unit: Unit, seed: str
) -> Plan:
    """Two entrants, who may be the same, on duplicate sets: in each set both sit equally often in every seat.

    They take turns round the table. Where the number of seats is odd one of them has a seat more, so both have it in
    every rotation.
    """
    alternating = tuple(seat % 2 for seat in range(seats))
    lineups = rotations(alternating)
    if seats % 2:
        lineups += rotations(tuple(1 - bot for bot in alternating))
    return Plan(ruleset, options, (a, b), lineups, unit, seed, compared=True)


def rotations(seated: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Every different way that these rotate over the seats: two where two bots take turns round the table."""
    return tuple(dict.fromkeys(seated[-by:] + seated[:-by] for by in range(len(seated))))
