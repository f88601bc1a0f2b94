"""Playing the sets of a plan, in batches: whoever calls has the clock, and gets control back often."""

from __future__ import annotations

from collections.abc import Iterator

from engine.simulation.plans import Plan
from engine.simulation.tallies import Tally


def play(plan: Plan, first_set: int, sets: int, rows: list[bytes] | None = None) -> Iterator[Tally]:
    """Play `sets` sets, from the one of number `first_set` on; answers tallies to be merged, until all are played.

    Comes back after about 0.05 seconds of work at most, within a match after each deal: so a tally may be empty. The
    tallies so far are exactly those of the whole sets so far, and "sets" in them says how many those are. To stop, ask
    for no more. Where `rows` is given, a JSON object for each game of these sets is added to it, in the order of sets
    and lineups: {"set", "lineup", "dealer", "scores", "moves", "counts"}; of matches also "deals" and "reason".

    Raises ValueError where a bot chooses a move that is not legal.
    """
    raise NotImplementedError
    yield {}
