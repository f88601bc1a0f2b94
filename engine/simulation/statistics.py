"""From a tally to its statistics: means, spreads, intervals, shares, histograms."""

from __future__ import annotations

from engine.simulation.plans import Plan
from engine.simulation.results import Results
from engine.simulation.tallies import Tally


def summarise(plan: Plan, tally: Tally) -> Results:
    """The statistics of what a tally of a plan's sets says; of none too."""
    raise NotImplementedError
