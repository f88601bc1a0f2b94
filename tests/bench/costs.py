"""`python -m tests.bench.costs > engine/bots/costs.json`: what games cost one core, for the estimates of simulations.

Here and not in the engine, which has no clock. Measured in seconds of computing, so a busy machine hardly matters.
"""

import json
from collections.abc import Iterator
from time import process_time
from typing import Any

from engine import bots
from engine.catalog import RULESETS
from engine.match import Ruleset
from engine.simulation.plans import Entrant, Unit, plan
from engine.simulation.playing import play
from engine.simulation.tallies import Tally, merge

SECONDS = 0.4
"""How long each is played at least."""


def rows() -> Iterator[dict[str, Any]]:
    """For each ruleset, preset and bot: microseconds for a deal, and for a match with how many deals it has."""
    for ruleset in RULESETS:
        for preset in ruleset.presets:
            for bot in bots.BOTS:
                deal, _ = cost(ruleset, preset, bot, "deals")
                match, deals = cost(ruleset, preset, bot, "matches")
                row = {"ruleset": ruleset.name, "preset": preset, "bot": bot.name, "version": bot.version}
                yield {**row, "deal": written(deal), "match": written(match), "deals": written(deals)}


def cost(ruleset: Ruleset, preset: str, bot: bots.Bot, unit: Unit) -> tuple[float, float]:
    """Microseconds of computing for one game between four of a bot, and how many deals it has."""
    seats = min(4, ruleset.seats[1])
    options = ruleset.resolve(preset, {}, seats)
    table = plan(ruleset, options, [Entrant(bot)] * seats, unit=unit, duplicate=False, seed="costs")
    sets, seen = 1, Tally()
    began = process_time()
    while (spent := process_time() - began) < SECONDS:
        for part in play(table, seen.get("sets", 0), sets):
            seen = merge(seen, part)
        sets *= 2
    return spent * 1e6 / seen["games"], seen["deals"] / seen["games"]


def written(value: float) -> float:
    """Three significant digits."""
    return float(f"{value:.3g}")


if __name__ == "__main__":
    print("[\n" + ",\n".join(json.dumps(row) for row in rows()) + "\n]")
