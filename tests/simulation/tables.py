"""Plans to play, and bots that stand in for those of the engine.

`python -m tests.simulation.tables` prints what simulations of every preset come to, a line each: the compiled engine
and the plain one must print the same text (test_tallies.py).
"""

import json
from collections.abc import Iterator
from functools import partial, reduce
from typing import Any

from engine.bots import Bot, Decision, find, random_bot
from engine.catalog import RULESETS
from engine.catalog import find as find_ruleset
from engine.match import Ruleset
from engine.simulation.plans import Entrant, Plan, Unit, plan, plan_comparison
from engine.simulation.playing import play
from engine.simulation.tallies import Tally, merge

TARNEEB = find_ruleset("tarneeb")
RANDOM = Entrant(find("random"))
RULES = Entrant(find("rules"))
UNITS: tuple[Unit, ...] = ("deals", "matches")


def bot(name: str, choose: Any) -> Entrant:
    """A bot that chooses a move by its observation alone."""
    return Entrant(Bot(name, 1, "", lambda seen, _chance, _budget: Decision(choose(seen))))


LOWEST = bot("lowest", lambda seen: seen.moves[0])
HIGHEST = bot("highest", lambda seen: seen.moves[-1])
OBSERVING = Entrant(Bot("random", 1, "", partial(random_bot.choose)))
"""Plays as `random` does, but nothing of the engine knows that it does: it is asked, move by move."""


def table(
    entrants: list[Entrant],
    ruleset: Ruleset = TARNEEB,
    preset: str | None = None,
    *,
    unit: Unit = "deals",
    duplicate: bool = False,
    seed: str = "a",
    **options: Any,
) -> Plan:
    """A plan with these entrants in its seats."""
    resolved = ruleset.resolve(preset, options, len(entrants))
    return plan(ruleset, resolved, entrants, unit=unit, duplicate=duplicate, seed=seed)


def comparison(
    a: Entrant,
    b: Entrant,
    seats: int = 4,
    ruleset: Ruleset = TARNEEB,
    preset: str | None = None,
    *,
    unit: Unit = "deals",
    seed: str = "a",
    **options: Any,
) -> Plan:
    """A plan that compares two bots."""
    resolved = ruleset.resolve(preset, options, seats)
    return plan_comparison(ruleset, resolved, a, b, seats, unit=unit, seed=seed)


def tally(plan: Plan, first_set: int, sets: int, rows: list[bytes] | None = None) -> Tally:
    """What some sets of a plan come to."""
    return reduce(merge, play(plan, first_set, sets, rows), {})


def games(plan: Plan, sets: int) -> list[dict[str, Any]]:
    """Every game of a plan's first sets, as its rows tell it."""
    rows: list[bytes] = []
    tally(plan, 0, sets, rows)
    return [json.loads(row) for row in rows]


def everything() -> Iterator[str]:
    """A line for each preset, unit and kind of table: all that a few sets come to, rows too."""
    for ruleset in RULESETS:
        for preset in ruleset.presets:
            seats = min(4, ruleset.seats[1])
            for unit in UNITS:
                made = {
                    "random": table([RANDOM] * seats, ruleset, preset, unit=unit),
                    "duplicate": table([RULES, RANDOM] * (seats // 2), ruleset, preset, unit=unit, duplicate=True),
                    "compared": comparison(RANDOM, RANDOM, seats, ruleset, preset, unit=unit),
                }
                for name, made_plan in made.items():
                    rows: list[bytes] = []
                    found = [tally(made_plan, 5, 6), tally(made_plan, 5, 3, rows), [row.decode() for row in rows]]
                    yield f"{ruleset.name} {preset} {unit} {name} {json.dumps(found, sort_keys=True)}"


if __name__ == "__main__":
    for line in everything():
        print(line)
