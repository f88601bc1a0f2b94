"""Stopping a comparison early: a sequential probability ratio test on the mean difference between two bots.

The differences of sets are taken as normal, with the variance that they show: the generalised test. Looks are taken at
fixed numbers of sets in the order of their numbers, so what is found depends on the request alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Literal

from engine.simulation.plans import Plan
from engine.simulation.statistics import deviation, lead, rounded
from engine.simulation.tallies import Tally

FEWEST = 50
"""How many sets a look should have at least: with fewer, the variance that they show misleads it too often."""


@dataclass(frozen=True)
class Bounds:
    """What is tested: that the difference per seat and game is `lower`, against that it is `upper`, which is more.

    `alpha` bounds about how often `upper` is found where `lower` is true, `beta` the reverse. A look is taken after
    every `every` sets, FEWEST or more.
    """

    lower: float
    upper: float
    alpha: float = 0.05
    beta: float = 0.05
    every: int = 500

    @property
    def to_find_upper(self) -> float:
        """The log-likelihood ratio from which on `upper` is found."""
        return log((1 - self.beta) / self.alpha)

    @property
    def to_find_lower(self) -> float:
        """The log-likelihood ratio down to which `lower` is found."""
        return log(self.beta / (1 - self.alpha))


@dataclass(frozen=True)
class Verdict:
    """What a look says: which hypothesis it finds, if any, by which log-likelihood ratio.

    The ratio is None where all sets came out the same: nothing says how much they might differ.
    """

    found: Literal["lower", "upper"] | None
    llr: float | None


def decide(plan: Plan, tally: Tally, bounds: Bounds) -> Verdict:
    """Look at the tally of a comparison's first sets."""
    llr = likelihood_ratio(plan, tally, bounds)
    if llr is None:
        return Verdict(None, None)
    if llr >= bounds.to_find_upper:
        return Verdict("upper", llr)
    return Verdict("lower" if llr <= bounds.to_find_lower else None, llr)


def likelihood_ratio(plan: Plan, tally: Tally, bounds: Bounds) -> float | None:
    """The log of how much likelier `upper` makes these sets than `lower`; None for less than two that differ."""
    seen = lead(tally, "difference.score")
    spread = deviation(seen.squares, seen.total, seen.number)
    if not spread:
        return None
    mean = seen.total / seen.number / plan.games_of_a_bot
    variance = (spread / plan.games_of_a_bot) ** 2
    middle = (bounds.lower + bounds.upper) / 2
    return rounded(seen.number * (bounds.upper - bounds.lower) * (mean - middle) / variance)
