"""How strong the bots are: each against `random`, on paired duplicate deals.

`python -m engine.arena` measures it, as `engine/bots/strength.json` keeps it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from functools import reduce
from typing import Any

from engine import bots
from engine.catalog import RULESETS
from engine.simulation.plans import Entrant, Plan, plan_comparison
from engine.simulation.playing import play
from engine.simulation.results import BotStanding
from engine.simulation.statistics import summarise
from engine.simulation.tallies import merge


def measured(plan: Plan, sets: int) -> BotStanding:
    """What the first sets of a plan come to for the first of its bots."""
    return summarise(plan, reduce(merge, play(plan, 0, sets))).bots[0]


def figures(standing: BotStanding, *, penalties: bool) -> dict[str, float | None]:
    """The figures of a row; `score` is the more the better, `interval` the half-width of that of `margin`."""
    margin = standing.margin
    found = {
        "score": -standing.score.mean if penalties else standing.score.mean,
        "margin": margin.mean,
        "interval": None if margin.interval is None else margin.interval[1] - margin.mean,
        "deviation": margin.deviation,
        "wins": standing.win_share,
    }
    return {name: None if value is None else round(value, 2) for name, value in found.items()}


def strengths(sets: int, seed: str) -> Iterator[dict[str, Any]]:
    """How each bot does against `random` in each preset: the rows of `engine/bots/strength.json`."""
    rival = Entrant(bots.find("random"))
    for ruleset in RULESETS:
        for preset in ruleset.presets:
            seats = min(4, ruleset.seats[1])
            options = ruleset.resolve(preset, {}, seats)
            for bot in bots.BOTS:
                if bot == rival.bot:
                    continue
                plan = plan_comparison(ruleset, options, Entrant(bot), rival, seats, unit="deals", seed=seed)
                row = {"ruleset": ruleset.name, "preset": preset, "bot": bot.name, "version": bot.version}
                found = figures(measured(plan, sets), penalties=ruleset.penalties)
                yield {**row, "against": rival.bot.name, "sets": sets, **found}


def main() -> None:
    """Print how strong the bots are, as `engine/bots/strength.json` keeps it: a row a line."""
    parser = argparse.ArgumentParser(prog="python -m engine.arena", description=main.__doc__)
    parser.add_argument("--sets", type=int, default=2000, help="sets of duplicate deals for each row (2000)")
    parser.add_argument("--seed", default="strength", help="the text that all chance comes from")
    given = parser.parse_args()
    rows = ",\n".join(json.dumps(row) for row in strengths(given.sets, given.seed))
    print(f"[\n{rows}\n]")


if __name__ == "__main__":
    main()
