"""(a) random deals per second through a simulation, one core: beside bare playouts, and beside OpenSpiel.

Through a simulation means with the chance of each set, and all that is counted of it; playouts count moves and scores.
"""

import sys
from collections.abc import Iterator
from functools import partial, reduce
from time import process_time

from engine.bots import find as find_bot
from engine.catalog import find
from engine.chance import Chance
from engine.playouts import random_deals
from engine.simulation.plans import Entrant, Plan, plan
from engine.simulation.playing import match_of_set, play, streams_of
from engine.simulation.tallies import merge
from tests.bench.deals import NEAREST, peer
from tests.bench.figures import Figure, medians

SETS = 360_000
"""How many deals a slice has, divisible by all kinds of deals."""


def figures(rounds: int = 9) -> list[Figure]:
    """Each ruleset with four seats; slices are short and in turn, and their time is that of computing."""
    found = []
    for name, nearest in NEAREST.items():
        ruleset = find(name)
        entrants = [Entrant(find_bot("random"))] * 4
        table = plan(ruleset, ruleset.resolve(None, {}, 4), entrants, unit="deals", duplicate=False, seed="bench")
        slices = iter(range(10**6))
        runs = {
            "simulation": partial(simulated, table, slices),
            "playouts": partial(played_out, table),
            "peer": partial(peer, nearest),
        }
        rates = medians(runs, rounds)
        title = f"random {name} deals through a simulation"
        found += [
            Figure(title, rates["simulation"], "deals/s", "bare playouts", rates["playouts"]),
            Figure(title, rates["simulation"], "deals/s", f"OpenSpiel C++ {nearest}", rates["peer"]),
        ]
    return found


def simulated(table: Plan, slices: Iterator[int]) -> float:
    """Deals per second of some more sets."""
    first = next(slices) * SETS
    began = process_time()
    tally = reduce(merge, play(table, first, SETS), {})
    return tally["deals"] / (process_time() - began)


def played_out(table: Plan) -> float:
    """Deals per second of as many playouts of each kind of deal."""
    kinds = table.ruleset.kinds(table.options)
    deals = [match_of_set(table, streams_of(table), kind * table.seats).deal for kind in range(kinds)]
    began = process_time()
    for deal in deals:
        random_deals(deal, Chance("bench"), SETS // kinds)
    return SETS / (process_time() - began)


if __name__ == "__main__":
    for figure in figures(int(sys.argv[1]) if sys.argv[1:] else 9):
        print(figure)
