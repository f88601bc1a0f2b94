"""(a) random deals per second, deal included, beside OpenSpiel's C++ random bots at the nearest game that it has."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pyspiel

from tests.bench.figures import Figure, medians

ROOT = Path(__file__).parents[2]
NEAREST = {"tarneeb": "spades", "reihe": "crazy_eights", "elfer_raus": "crazy_eights", "rosbiratschka": "hearts"}
"""The game that each ruleset's deals are compared with: tricks with trumps, shedding, tricks to be avoided."""
DEALS = {"compiled": 300_000, "pure": 1_000}
_OURS = """
import sys, time
from engine.catalog import find
from engine.chance import Chance, PublishedDeals
from engine.match import Match
from engine.playouts import random_deals
ruleset, number = find(sys.argv[1]), int(sys.argv[2])
match = Match(ruleset, ruleset.resolve(None, {}, 4), 4, PublishedDeals("bench", []))
match.start()
random_deals(match.deal, Chance("warm"), number // 10)
started = time.perf_counter()
random_deals(match.deal, Chance("bench"), number)
print(number / (time.perf_counter() - started))
"""


def figures(rounds: int = 3) -> list[Figure]:
    """Each ruleset's deals per second with four seats, compiled and plain, beside its peer in the same rounds."""
    found = []
    for ruleset, nearest in NEAREST.items():
        runs = {
            "compiled": lambda r=ruleset: _ours("compiled", r),
            "pure": lambda r=ruleset: _ours("pure", r),
            "peer": lambda p=nearest: peer(p),
        }
        rates = medians(runs, rounds)
        found += [
            Figure(
                f"random {ruleset} deals, {build}", rates[name], "deals/s", f"OpenSpiel C++ {nearest}", rates["peer"]
            )
            for name, build in (("compiled", "compiled"), ("pure", "plain Python"))
        ]
    return found


def _ours(build: str, ruleset: str) -> float:
    environment = {**os.environ, "TAPETE_ENGINE": build}
    command = [sys.executable, "-c", _OURS, ruleset, str(DEALS[build])]
    return float(subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, check=True).stdout)


def peer(name: str, number: int = 6_000) -> float:
    """Deal and play by OpenSpiel's own loop in C++, its bots made once: the fastest way that it offers."""
    game = pyspiel.load_game(name)
    bots = [pyspiel.make_uniform_random_bot(player, player) for player in range(game.num_players())]
    started = time.perf_counter()
    for seed in range(number):
        pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
    return number / (time.perf_counter() - started)
