"""Stopping a comparison early: a sequential probability ratio test on the mean difference between two bots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.simulation.plans import Plan
from engine.simulation.tallies import Tally


@dataclass(frozen=True)
class Bounds:
    """What is tested: that the difference per seat and game is `lower`, against that it is `upper`.

    `alpha` bounds how often `upper` is found where `lower` is true, `beta` the reverse. A look is taken after every
    `every` sets, in the order of their numbers.
    """

    lower: float
    upper: float
    alpha: float = 0.05
    beta: float = 0.05
    every: int = 500


@dataclass(frozen=True)
class Verdict:
    """What a look says: which hypothesis it finds, if any, by which log-likelihood ratio (None: too little to tell)."""

    found: Literal["lower", "upper"] | None
    llr: float | None


def decide(plan: Plan, tally: Tally, bounds: Bounds) -> Verdict:
    """Look at the tally of a comparison's first sets, a multiple of `bounds.every`."""
    raise NotImplementedError
