"""(d) Simulations: deals per second by workers beside the same in this process, and what people's bots notice of it."""

import os
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from subprocess import Popen
from typing import Any

import httpx

from engine.bots import find
from engine.catalog import RULESETS
from engine.catalog import find as find_ruleset
from engine.match import Ruleset
from engine.simulation.plans import Entrant, plan
from engine.simulation.playing import play
from service import redis_server
from tests.bench.figures import Figure, medians
from tests.bench.moves import serve
from workers.main import step_back

DEALS = 1_000_000
ASKED = 150
"""How many bot moves are asked for, one after the other."""
CORES = os.cpu_count() or 1
RANDOM, RULES = {"bot": "random"}, {"bot": "rules"}


def figures(rounds: int = 3) -> list[Figure]:
    """Rates of every ruleset, medians of rounds in turn; then the time of a bot's move, idle and busy."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tapete-bench-")))
        server = redis_server.start(folder)
        stack.callback(server.stop)
        environment = {
            **os.environ,
            "REDIS_URL": server.url,
            "TAPETE_SECRET": secrets.token_hex(32),
            "TAPETE_LOG_LEVEL": "error",
            "TAPETE_LIMITS": "off",
        }
        api = httpx.Client(base_url=f"http://127.0.0.1:{serve(stack, environment, 'service')}", timeout=60)
        stack.enter_context(api)
        engine = stack.enter_context(ProcessPoolExecutor(1, initializer=step_back))
        found = []
        with working(api, environment, "simulations", 1):
            for ruleset in RULESETS:
                found += _rates(api, engine, ruleset, rounds)
        with working(api, environment, "simulations", CORES):
            for ruleset in RULESETS:
                found.append(_in_all(api, engine, ruleset, rounds))
            with working(api, environment, "bots", 1):
                found.append(_latency(api))
        return found


@contextmanager
def working(api: httpx.Client, environment: dict[str, str], kind: str, number: int) -> Iterator[None]:
    """Run workers, from when they listen."""
    command = [sys.executable, "-m", "service.cli", "worker", kind]
    processes = [Popen(command, env=environment, cwd=Path(__file__).parents[2]) for _ in range(number)]
    name = {"bots": "workers", "simulations": "simulation_workers"}[kind]
    try:
        while api.get("/health/ready").json()[name] < number:
            time.sleep(0.05)
        yield
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()


def _asked(ruleset: Ruleset, count: int) -> dict[str, Any]:
    return {"ruleset": ruleset.name, "seats": [RANDOM] * min(4, ruleset.seats[1]), "count": count, "seed": "bench"}


def _simulated(api: httpx.Client, asked: dict[str, Any]) -> dict[str, Any]:
    """The simulation when it is done."""
    where = api.post("/v1/simulations", json=asked).raise_for_status().headers["location"]
    while (found := api.get(where).json())["state"] in ("waiting", "running"):
        time.sleep(0.25)  # each look costs the machine some statistics
    assert found["state"] == "done", found["failure"]
    return dict(found)


def _in_process(engine: Executor, ruleset: Ruleset) -> float:
    """Deals per second of the engine alone, in a process as polite as workers are."""
    return engine.submit(_plain, ruleset.name).result()


def _plain(name: str) -> float:
    ruleset = find_ruleset(name)
    seats = min(4, ruleset.seats[1])
    played = plan(
        ruleset, ruleset.resolve(None, {}, seats), [Entrant(find("random"))] * seats,
        unit="deals", duplicate=False, seed="bench",
    )  # fmt: skip
    started = time.perf_counter()
    for _ in play(played, 0, DEALS):
        pass
    return DEALS / (time.perf_counter() - started)


def _rates(api: httpx.Client, engine: Executor, ruleset: Ruleset, rounds: int) -> list[Figure]:
    """What one worker does while it plays, and what comes out of it from the first range to the end."""
    runs: list[dict[str, Any]] = []

    def service(name: str) -> Callable[[], float]:
        def run() -> float:
            if name == "games_per_second_per_worker":
                runs.append(_simulated(api, _asked(ruleset, DEALS))["run"])
            return float(runs[-1][name])

        return run

    names = ("games_per_second_per_worker", "games_per_second")
    rates = medians({name: service(name) for name in names} | {"engine": partial(_in_process, engine, ruleset)}, rounds)
    peer = ("deals/s", "in process", rates["engine"])
    return [
        Figure(f"{ruleset.name}, a million random deals, a worker while it plays", rates[names[0]], *peer),
        Figure(f"{ruleset.name}, a million random deals, one worker in all", rates[names[1]], *peer),
    ]


def _in_all(api: httpx.Client, engine: Executor, ruleset: Ruleset, rounds: int) -> Figure:
    """What as many workers as there are cores do together, from the first range to the end."""
    rates = medians(
        {
            "service": lambda: float(_simulated(api, _asked(ruleset, 5 * DEALS))["run"]["games_per_second"]),
            "engine": partial(_in_process, engine, ruleset),
        },
        rounds,
    )
    name = f"{ruleset.name}, five million random deals, {CORES} workers in all"
    return Figure(name, rates["service"], "deals/s", "in process, one core", rates["engine"])


def _latency(api: httpx.Client) -> Figure:
    """How long a player waits for a bot's move, idle and while all workers of simulations are at work."""
    idle = _waits(api)
    busy = {"ruleset": "tarneeb", "seats": [RULES] * 4, "count": 10_000_000}
    where = api.post("/v1/simulations", json=busy).raise_for_status().headers["location"]
    while api.get(where).json()["run"]["chunks"] < 4 * CORES:
        time.sleep(0.05)
    waits = _waits(api)
    api.delete(where)
    name = f"wait for a bot's move, p50, {CORES} workers of simulations at work"
    return Figure(name, 1000 * waits, "ms (less is better)", "idle", 1000 * idle)


def _waits(api: httpx.Client) -> float:
    """Seconds from asking for a bot's move to having it, at the first decision of one new game after the other."""
    game = {"ruleset": "tarneeb", "seats": [{"kind": "player"}] * 4, "options": {"first_dealer": 0}}
    seconds = []
    for _ in range(ASKED):
        created = api.post("/v1/games", json=game).raise_for_status().json()
        token = next(seat["token"] for seat in created["seats"] if seat["seat"] == created["game"]["to_move"])
        asked = {"expected_version": created["game"]["version"], "bot": RULES}
        where = f"/v1/games/{created['game']['game_id']}/bot-moves"
        headers = {"Authorization": f"Bearer {token}", "Prefer": "wait=25"}
        started = time.perf_counter()
        api.post(where, json=asked, headers=headers).raise_for_status()
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)
