"""How long a simulation will take one core, roughly, from what was measured for `engine/bots/costs.json`."""

from __future__ import annotations

from engine.simulation.plans import Plan


def estimate(plan: Plan, sets: int) -> float:
    """About how many seconds one core needs for this many sets. Rough: within a factor of two on another machine."""
    return sets * plan.games_of_a_set * 0.001
