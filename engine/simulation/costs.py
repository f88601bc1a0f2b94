"""How long a simulation will take one core, from what `python -m tests.bench.costs` measured for `bots/costs.json`.

Rough: measured with the compiled engine on one machine, for the presets. Other options are taken as the preset that
they are nearest to, with matches as much longer as their end is further away.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from engine.match import Ruleset
from engine.simulation.plans import Entrant, Plan

ENDS = ("target", "penalty_limit", "rounds", "contracts")
"""Options that say how long a match is: its length goes up about as they do."""


def estimate(plan: Plan, sets: int) -> float:
    """About how many seconds one core needs for this many sets: right within a factor of two or three."""
    preset = nearest_preset(plan)
    costs = [game(plan, preset, plan.bots[bot]) for lineup in plan.lineups for bot in lineup]
    return sets * sum(costs) / plan.seats / 1e6


def game(plan: Plan, preset: str, entrant: Entrant) -> float:
    """Microseconds for a game between entrants like this one."""
    row = measured(plan.ruleset.name, preset, entrant)
    if plan.unit == "deals":
        return float(row["deal"])
    deals = min(row["deals"] * stretch(plan, preset), most_deals(plan.options))
    return float(row["match"] / row["deals"] * deals)


def nearest_preset(plan: Plan) -> str:
    """The preset that differs in the fewest options."""
    given = as_values(plan.options)

    def differing(preset: str) -> int:
        options = as_values(resolved(plan.ruleset, preset, plan.seats))
        return sum(given[name] != value for name, value in options.items())

    return min(plan.ruleset.presets, key=differing)


def resolved(ruleset: Ruleset, preset: str, seats: int) -> Any:
    """A preset's options."""
    return ruleset.resolve(preset, {}, seats)


def as_values(options: Any) -> dict[str, Any]:
    """Options by name."""
    return msgspec.structs.asdict(options)


def stretch(plan: Plan, preset: str) -> float:
    """How many times as far the end of a match is as in a preset."""
    ours, usual = as_values(plan.options), as_values(resolved(plan.ruleset, preset, plan.seats))
    times = 1.0
    for name in ENDS:
        if ours.get(name) and usual.get(name):
            times *= size(ours[name]) / size(usual[name])
    return times


def size(value: Any) -> int:
    """What a number is, or how many things there are."""
    return value if isinstance(value, int) else len(value)


def most_deals(options: Any) -> float:
    """How many deals a match has at most, where the options say so; in some games it goes on among the tied."""
    given: Mapping[str, Any] = as_values(options)
    rounds = given.get("rounds")
    of_rounds = rounds * len(given.get("contracts", [None])) if rounds else float("inf")
    return float(min(given.get("max_deals", float("inf")), of_rounds))


@cache
def rows() -> list[dict[str, Any]]:
    """Everything that was measured."""
    found: list[dict[str, Any]] = json.loads((files("engine.bots") / "costs.json").read_text())
    return found


def measured(ruleset: str, preset: str, entrant: Entrant) -> dict[str, Any]:
    """The row of a bot; of one that was never measured, the dearest of those that were."""
    there = [row for row in rows() if (row["ruleset"], row["preset"]) == (ruleset, preset)]
    mine = [row for row in there if (row["bot"], row["version"]) == (entrant.bot.name, entrant.bot.version)]
    return mine[0] if mine else max(there, key=lambda row: float(row["deal"]))
