"""Simulations by real workers: the same bytes whatever becomes of them."""

import json
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis
from rq import Queue
from rq.registry import FailedJobRegistry
from rq.serializers import JSONSerializer

from service.simulation_store import ACTIVE
from tests.processes import PATIENCE, Running, is_alive, wait_until
from tests.workers.table import Api, Parts

RULES, RANDOM = {"bot": "rules"}, {"bot": "random"}
SOME = {"ruleset": "tarneeb", "seats": [RULES, RANDOM] * 2, "duplicate": True, "count": 3000, "seed": "some"}
"""A few seconds of work for one worker."""
LONG = {**SOME, "count": 1_000_000}
QUEUE = "rq:queue:tapete-simulations"
WORKERS = "rq:workers:tapete-simulations"


class Simulating:
    """Workers of simulations, and what there is to see of simulations."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.redis = parts.redis
        self.workers: list[Running] = []

    def start(self, number: int = 1) -> None:
        """Start workers, and wait until all of them listen."""
        before = len(self.redis.smembers(WORKERS))
        self.workers += [self.parts.start("worker", "simulations") for _ in range(number)]
        wait_until(lambda: len(self.redis.smembers(WORKERS)) == before + number, self.said)

    def said(self) -> str:
        """What all workers have printed."""
        return "\n".join(worker.output for worker in self.workers)

    def kill(self, worker: Running) -> None:
        """Kill -9, so that it cannot say goodbye."""
        worker.process.kill()
        worker.process.wait()
        self.workers.remove(worker)

    def create(self, api: Api, **asked: Any) -> str:
        """A new simulation's id."""
        answer = httpx.post(f"{api.url}/v1/simulations", json=asked, timeout=PATIENCE)
        assert answer.status_code == 202, answer.text
        return str(answer.json()["simulation_id"])

    def field(self, simulation: str, name: str) -> str | None:
        """How it stands, in the store's own words."""
        return self.redis.hget(f"tapete:{{{simulation}}}:about", name)

    def until(self, simulation: str, state: str) -> None:
        """Wait until it stands so."""
        wait_until(lambda: self.field(simulation, "state") == state, lambda: self.stand(simulation))

    def until_begun(self, simulation: str, sets: int = 1) -> None:
        """Wait until some sets are done."""
        wait_until(lambda: int(self.field(simulation, "done") or 0) >= sets, lambda: self.stand(simulation))

    def stand(self, simulation: str) -> str:
        """Say how it stands, for a test that fails."""
        about = self.redis.hgetall(f"tapete:{{{simulation}}}:about")
        about.pop("simulation", None)
        return f"{about}, queued {self.redis.lrange(QUEUE, 0, -1)}\n{self.said()}"

    def horses(self) -> list[int]:
        """The processes that workers have forked to play."""
        children = Path(f"/proc/{self.workers[0].process.pid}/task").parent.parent
        pids = []
        for stat in children.glob("[0-9]*/stat"):
            with suppress(OSError):
                parent = int(stat.read_text().rpartition(")")[2].split()[1])
                if parent in {worker.process.pid for worker in self.workers}:
                    pids.append(int(stat.parent.name))
        return pids


@pytest.fixture
def simulating(parts: Parts) -> Simulating:
    return Simulating(parts)


@pytest.fixture
def raw(parts: Parts) -> Iterator[redis.Redis]:
    """The server without decoding, as RQ needs it."""
    with redis.Redis(unix_socket_path=parts.redis.connection_pool.connection_kwargs["path"]) as client:
        yield client


@pytest.fixture
def api(parts: Parts) -> Api:
    return parts.api()


def results(api: Api, simulation: str) -> bytes:
    """The results as they are told, byte by byte: the statistics and the rows."""
    found = api.get(f"/v1/simulations/{simulation}")
    assert found["state"] == "done"
    rows = httpx.get(f"{api.url}/v1/simulations/{simulation}/rows", timeout=PATIENCE)
    told = {name: found[name] for name in ("request", "results", "stopped")}
    return json.dumps(told).encode() + (rows.content if rows.status_code == 200 else b"")


@pytest.fixture
def expected(simulating: Simulating, api: Api) -> Callable[..., bytes]:
    """What one worker makes of a request that nobody disturbs."""

    def of(**asked: Any) -> bytes:
        simulating.start()
        simulation = simulating.create(api, **asked)
        simulating.until(simulation, "done")
        assert simulating.workers.pop().stop() == 0
        return results(api, simulation)

    return of


@pytest.fixture(params=["duplicate", "rows", "sequential", "matches"])
def asked(request: pytest.FixtureRequest) -> Any:
    """Requests of every kind, of some seconds each."""
    return {
        "duplicate": SOME,
        "rows": {**SOME, "rows": True, "count": 1500},
        "sequential": {
            "ruleset": "tarneeb", "compare": [RANDOM, RANDOM], "seed": "s", "count": 1_000_000,
            "stop": {"lower": 0, "upper": 0.05, "every": 5000},
        },
        "matches": {"ruleset": "tarneeb", "seats": [RULES, RANDOM] * 2, "seed": "m", "count": 150, "unit": "matches"},
    }[request.param]  # fmt: skip


@pytest.mark.parametrize("workers", [2, 4])
def test_any_number_of_workers_comes_to_the_same_bytes(
    simulating: Simulating, api: Api, expected: Callable[..., bytes], asked: Any, workers: int
) -> None:
    alone = expected(**asked)
    simulating.start(workers)
    simulation = simulating.create(api, **asked)
    simulating.until(simulation, "done")
    assert results(api, simulation) == alone
    assert int(simulating.redis.scard(f"tapete:{{{simulation}}}:workers")) > 1


def test_workers_that_are_killed_at_random_come_to_the_same_bytes(
    simulating: Simulating, api: Api, expected: Callable[..., bytes], asked: Any
) -> None:
    alone = expected(**asked)
    chance = random.Random("kills")
    simulating.start(2)
    simulation = simulating.create(api, **asked)
    killed = 0
    while simulating.field(simulation, "state") in ("waiting", "running"):
        time.sleep(chance.uniform(0.1, 1))
        if killed < 6:
            killed += 1
            if chance.random() < 0.5:
                simulating.kill(chance.choice(simulating.workers))
                simulating.start()
            else:
                for horse in simulating.horses()[:1]:
                    with suppress(ProcessLookupError):
                        os.kill(horse, signal.SIGKILL)
    simulating.until(simulation, "done")
    assert results(api, simulation) == alone


def test_a_killed_worker_takes_what_it_forked_with_it(simulating: Simulating, api: Api) -> None:
    simulating.start()
    simulating.until_begun(simulating.create(api, **LONG))
    (horse,) = wait_until(simulating.horses, lambda: "a process that plays")
    assert api.running.stop() == 0
    simulating.kill(simulating.workers[0])
    simulating.redis.delete(QUEUE)
    wait_until(lambda: not is_alive(horse), lambda: f"the end of {horse}")
    # At the end of its turn it would have asked for the next one, and nobody else is there to do so.
    assert not simulating.redis.llen(QUEUE)


def test_it_goes_on_without_the_api_and_without_its_jobs(simulating: Simulating, api: Api) -> None:
    simulation = simulating.create(api, **SOME)
    assert api.running.stop() == 0
    simulating.redis.delete(*simulating.redis.keys("rq:*"))
    simulating.start()
    simulating.until(simulation, "done")
    wait_until(lambda: not simulating.redis.zcard(ACTIVE), lambda: "an empty list")


def test_a_worker_that_is_told_to_stop_gives_back_what_it_plays(simulating: Simulating, api: Api) -> None:
    simulating.start()
    simulation = simulating.create(api, **LONG)
    simulating.until_begun(simulation)
    wait_until(simulating.horses, lambda: "a process that plays")
    assert simulating.workers[0].stop() == 0
    open_ranges = simulating.redis.zrange(f"tapete:{{{simulation}}}:open", 0, -1, withscores=True)
    assert all(lease <= time.time() * 1000 for _, lease in open_ranges), "nobody has to wait for a lease"
    assert simulating.redis.smembers(WORKERS) == set()
    assert "Traceback" not in simulating.said()
    assert simulating.redis.zcard("rq:failed:tapete-simulations") == 0


def test_a_cancelled_simulation_lets_its_workers_go(simulating: Simulating, api: Api) -> None:
    simulating.start(2)
    simulation = simulating.create(api, **LONG)
    simulating.until_begun(simulation, 100)
    wait_until(lambda: len(simulating.horses()) == 2, lambda: "two processes that play")
    answer = httpx.delete(f"{api.url}/v1/simulations/{simulation}", timeout=PATIENCE)
    assert answer.json()["state"] == "cancelled"
    wait_until(lambda: not simulating.horses(), lambda: "nobody who plays")
    wait_until(lambda: not simulating.redis.llen(QUEUE), lambda: "an empty queue")
    assert api.get(f"/v1/simulations/{simulation}")["results"] == answer.json()["results"]


def test_simulations_take_turns(simulating: Simulating, api: Api) -> None:
    """A short one does not wait for the end of a long one that came first."""
    simulating.start()
    long = simulating.create(api, **LONG)
    simulating.until_begun(long)
    short = simulating.create(api, **{**SOME, "count": 300})
    simulating.until(short, "done")
    assert simulating.field(long, "state") == "running"


def test_jobs_name_the_simulation_and_nothing_else_and_leave_nothing_behind(
    simulating: Simulating, api: Api, parts: Parts, raw: redis.Redis
) -> None:
    simulation = simulating.create(api, **{**SOME, "count": 300, "seed": "nobody may read this"})
    (job,) = simulating.redis.lrange(QUEUE, 0, -1)
    assert job.startswith(simulation)
    about = Queue("tapete-simulations", connection=raw, serializer=JSONSerializer).fetch_job(job)
    assert about
    assert (about.func_name, about.args, about.kwargs) == ("workers.simulations.run", [simulation], {})
    simulating.start()
    simulating.until(simulation, "done")
    wait_until(lambda: not simulating.redis.keys(f"rq:*{simulation}*"), lambda: f"no {parts.traces()}")


def test_a_job_that_is_none_of_ours_is_refused_and_runs_nothing(
    simulating: Simulating, raw: redis.Redis, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    queue = Queue("tapete-simulations", connection=raw, serializer=JSONSerializer)
    queue.enqueue("os.system", f"touch {mark}")
    simulating.start()
    failed = FailedJobRegistry(queue=queue)
    wait_until(lambda: failed.get_job_ids(cleanup=False), lambda: "a failed job")
    assert not mark.exists()


def test_a_worker_outlives_a_queue_that_is_away(simulating: Simulating, api: Api) -> None:
    """What RQ kept of the queue is gone with it; the simulation is not."""
    simulating.start()
    simulation = simulating.create(api, **SOME)
    simulating.until_begun(simulation)
    for _ in range(3):
        simulating.redis.client_kill_filter(skipme=True)
        simulating.redis.delete(QUEUE)
        time.sleep(0.3)
    simulating.until(simulation, "done")


def test_workers_are_polite_to_all_others(simulating: Simulating) -> None:
    simulating.start()
    assert os.getpriority(os.PRIO_PROCESS, simulating.workers[0].process.pid) > os.getpriority(os.PRIO_PROCESS, 0)


def test_how_many_there_are_and_what_waits_is_told(simulating: Simulating, api: Api) -> None:
    simulating.create(api, **SOME)
    page = httpx.get(f"{api.url}/metrics", timeout=PATIENCE).text
    assert "tapete_simulation_workers 0.0" in page
    assert "tapete_simulation_jobs_waiting 1.0" in page
    assert "tapete_simulations_active 1.0" in page
    simulating.start(2)
    assert api.get("/health/ready")["simulation_workers"] == 2
    assert api.get("/health/ready")["workers"] == 0
