"""(a) random deals per second, deal included, beside OpenSpiel's C++ random bots at spades."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pyspiel

from tests.bench.figures import Figure, medians

ROOT = Path(__file__).parents[2]
PEER = "OpenSpiel C++ spades"
_OURS = """
import sys, time
from engine.catalog import find
from engine.chance import Chance, PublishedDeals
from engine.match import Match
from engine.playouts import random_deals
ruleset = find("tarneeb")
match = Match(ruleset, ruleset.resolve(None, {}, 4), 4, PublishedDeals("bench", []))
deal, number = ruleset.deal(match), int(sys.argv[1])
random_deals(deal, Chance("warm"), number // 10)
started = time.perf_counter()
random_deals(deal, Chance("bench"), number)
print(number / (time.perf_counter() - started))
"""


def figures(rounds: int = 5) -> list[Figure]:
    """Tarneeb deals per second, compiled and plain, each beside the peer in the same rounds."""
    runs = {"compiled": lambda: _ours("compiled", 400_000), "pure": lambda: _ours("pure", 2_000), "peer": _peer}
    rates = medians(runs, rounds)
    return [
        Figure(f"random Tarneeb deals, {build}", rates[name], "deals/s", PEER, rates["peer"])
        for name, build in (("compiled", "compiled"), ("pure", "plain Python"))
    ]


def _ours(build: str, number: int) -> float:
    environment = {**os.environ, "TAPETE_ENGINE": build}
    command = [sys.executable, "-c", _OURS, str(number)]
    return float(subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, check=True).stdout)


def _peer(number: int = 15_000) -> float:
    """Deal and play spades by OpenSpiel's own loop in C++, its bots made once: the fastest way that it offers."""
    game = pyspiel.load_game("spades")
    bots = [pyspiel.make_uniform_random_bot(player, player) for player in range(4)]
    started = time.perf_counter()
    for seed in range(number):
        pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
    return number / (time.perf_counter() - started)
