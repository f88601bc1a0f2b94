"""A simulation in processes of this machine, without a service: chunks of sets, counted in their order."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from functools import reduce
from multiprocessing.connection import wait as wait_for

import msgspec

from engine.simulation.costs import estimate
from engine.simulation.plans import Plan
from engine.simulation.playing import play
from engine.simulation.sequential import Verdict, decide
from engine.simulation.statistics import summarise
from engine.simulation.tallies import Tally, merge
from service.simulate.outcome import Outcome, Progress
from service.simulation_plans import bounds_of, plan_of, stopped_by
from service.simulation_schemas import SimulationRequest, Stopped

CHUNK_SECONDS = 0.5
"""About how long a process works on its own: progress is told so often."""
AHEAD = 2
"""How many chunks wait for each process, so that none idles."""

_plan: Plan | None = None
"""In a worker process: what it plays."""


def _begin(request: bytes) -> None:
    """Make a worker process ready: it ends with its parent and not by the terminal's Ctrl-C."""
    global _plan  # noqa: PLW0603 - a plan holds functions, so it cannot be sent along with each chunk
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _plan = plan_of(msgspec.json.decode(request, type=SimulationRequest))


def _end_with_parent() -> None:
    """End this process as soon as its parent has ended, however that was."""
    parent = multiprocessing.parent_process()
    assert parent is not None  # noqa: S101 - worker processes have one
    wait_for([parent.sentinel])
    os._exit(1)


def _played(first: int, sets: int, with_rows: bool) -> tuple[Tally, list[bytes], float]:
    """Play some sets in a worker process: their tally, their rows, and how long it took."""
    assert _plan is not None  # noqa: S101 - every worker process begins with `_begin`
    rows: list[bytes] | None = [] if with_rows else None
    began = time.perf_counter()
    tally: Tally = reduce(merge, play(_plan, first, sets, rows), {})
    return tally, rows or [], time.perf_counter() - began


@dataclass
class Counting:
    """What has been counted, in the order of sets: `reached` of them. Chunks that came too early wait in `early`."""

    request: SimulationRequest
    plan: Plan
    sets: int
    write_rows: Callable[[list[bytes]], None]
    tally: Tally = field(default_factory=dict)
    reached: int = 0
    early: dict[int, tuple[Tally, list[bytes]]] = field(default_factory=dict)
    stopped: Stopped | None = None

    def add(self, first: int, tally: Tally, rows: list[bytes]) -> None:
        """Take a chunk, and count it and those behind it as far as none is missing and no look has ended it."""
        self.early[first] = (tally, rows)
        while self.stopped is None and self.reached in self.early:
            part, lines = self.early.pop(self.reached)
            self.tally = merge(self.tally, part)
            self.reached += part["sets"]
            self.write_rows(lines)
            self.stopped = self.look()

    def look(self) -> Stopped | None:
        """What the sequential test makes of the sets so far: chunks end where it looks."""
        rule = self.request.stop
        if rule is None or (self.reached % rule.every and self.reached < self.sets):
            return None
        looks, rest = divmod(self.reached, rule.every)
        verdict = Verdict(None, None) if rest else decide(self.plan, self.tally, bounds_of(rule))
        return stopped_by(verdict, looks, self.reached, self.sets)


def chunk(request: SimulationRequest, first: int, sets: int, wanted: int) -> int:
    """How many sets the chunk from `first` on has: as many as wanted, not beyond the next look or the end."""
    every = request.stop.every if request.stop else sets
    return min(wanted, every - first % every, sets - first)


def run(
    request: SimulationRequest, workers: int | None, progress: Progress, write_rows: Callable[[list[bytes]], None]
) -> Outcome:
    """Play a simulation to its end, or until KeyboardInterrupt: then what has been counted stays."""
    plan = plan_of(request)
    sets = request.count // plan.games_of_a_set
    counting = Counting(request, plan, sets, write_rows)
    began = time.perf_counter()
    pool = _pool(request, workers or usable_cores())
    try:
        for done in _all(pool, counting, workers or usable_cores()):
            progress(done * plan.games_of_a_set, request.count)
        complete = True
    except KeyboardInterrupt:
        complete = False
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list((pool._processes or {}).values()):
            process.terminate()
    results = msgspec.json.encode(summarise(plan, counting.tally)) if counting.reached else None
    return Outcome(request, results, counting.stopped, complete, time.perf_counter() - began)


def usable_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _pool(request: SimulationRequest, workers: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(msgspec.json.encode(request),))


def _all(pool: ProcessPoolExecutor, counting: Counting, workers: int) -> Iterator[int]:
    """Have all chunks played; answers after each how many sets are done."""
    waiting: dict[Future[tuple[Tally, list[bytes], float]], tuple[int, int]] = {}
    wanted = max(1, round(CHUNK_SECONDS / max(estimate(counting.plan, 1), 1e-9)))
    first = done = 0
    while counting.reached < counting.sets and counting.stopped is None:
        while first < counting.sets and len(waiting) < AHEAD * workers:
            sets = chunk(counting.request, first, counting.sets, wanted)
            waiting[pool.submit(_played, first, sets, counting.request.rows)] = (first, sets)
            first += sets
        for future in wait(waiting, return_when=FIRST_COMPLETED).done:
            start, sets = waiting.pop(future)
            tally, rows, seconds = future.result()
            counting.add(start, tally, rows)
            wanted = max(1, round(CHUNK_SECONDS * sets / max(seconds, 1e-6)))
            done += sets
            yield done
