"""The distributions of scores as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from pathlib import Path

from matplotlib.figure import Figure

from engine.catalog import find
from engine.simulation.results import Bar, Results
from service.simulate.shown import named
from service.simulation_schemas import SimulationRequest

SIZE = (8, 4.5)
"""Inches; a hundred dots each."""
STEPS = 60
"""The most steps that a distribution has."""


def save(path: Path, request: SimulationRequest, results: Results) -> None:
    """Draw how often each bot scored what. The file's ending says what kind of picture it is.

    Raises ValueError for an ending that is none of a picture, OSError where it cannot be written.
    """
    figure = Figure(figsize=SIZE, dpi=100, layout="constrained")
    axes = figure.subplots()
    for standing in results.bots:
        edges, heights = outline(standing.histogram)
        axes.stairs(heights, edges, fill=True, alpha=0.45, label=named(standing.bot))
    points = "penalty points" if find(request.ruleset).penalties else "score"
    axes.set_xlabel(f"{points} of a seat in a {'match' if request.unit == 'matches' else 'deal'}")
    axes.set_ylabel("share of games, per point")
    axes.set_title(f"{request.ruleset}, {request.preset or 'defaults'}: {results.games:,} {request.unit}")
    axes.legend()
    figure.savefig(path)


def outline(bars: Sequence[Bar]) -> tuple[list[float], list[float]]:
    """The edges and heights of a histogram with steps of one width, as few that the eye can follow them."""
    first, last = bars[0].from_, bars[-1].to
    width = max(ceil((last - first + 1) / STEPS), *(bar.to - bar.from_ + 1 for bar in bars), 1)
    games = sum(bar.count for bar in bars)
    heights = [0.0] * ((last - first) // width + 1)
    for bar in bars:
        heights[(bar.from_ - first) // width] += bar.count / games / width
    return [first - 0.5 + width * step for step in range(len(heights) + 1)], heights
