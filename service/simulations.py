"""What the product does with simulations: create, look, read the rows, cancel. Workers do the playing."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

import msgspec

from engine.simulation.costs import estimate
from engine.simulation.statistics import summarise
from service.access import Tokens
from service.errors import IdempotencyMismatch, NoRows, RateLimited, SimulationNotFound, Unavailable
from service.simulation_plans import plan_of, resolve
from service.simulation_schemas import (
    CreateSimulation,
    Estimate,
    Progress,
    Simulation,
    SimulationRun,
    Stopped,
    StoredSimulation,
)
from service.simulation_store import LoadedSimulation, SimulationStore
from service.simulation_sweep import Feed
from service.views import moment

BUSY_SECONDS = 10
"""When to come back while all simulations that one may have are running: nobody knows, so soon and not at once."""


@dataclass(frozen=True)
class Simulations:
    """What the use cases work with."""

    store: SimulationStore
    feed: Feed
    tokens: Tokens


@dataclass(frozen=True)
class Asker:
    """Who asks for a simulation, as far as limits go, and how its cost is charged.

    `owner` is the name that its API key belongs to, empty without one; `running` how many it may have at a time, and
    0 any number. `charge` takes core-seconds and raises RateLimited.
    """

    owner: str
    who: str
    running: int
    charge: Callable[[int], Awaitable[None]]


async def create(
    context: Simulations, asked: CreateSimulation, asker: Asker, key: str | None = None
) -> tuple[Simulation, bool]:
    """Create a simulation, at most once for each `key`; and whether it had been created before.

    Raises InvalidOptions, IdempotencyMismatch, RateLimited.
    """
    scoped = (asker.owner, key) if asker.owner else (key,)
    ids = [_id_of(each) for each in context.tokens.derive_each("simulation", *scoped)] if key else [_new_id()]
    digest = hashlib.sha256(msgspec.json.encode(asked, order="sorted")).hexdigest()
    for simulation_id in ids if key else ():
        with contextlib.suppress(SimulationNotFound):
            return _as_first(await context.store.load(simulation_id), digest), True
    request = resolve(asked)
    plan = plan_of(request)
    stored = StoredSimulation(request, estimate(plan, request.count // plan.games_of_a_set), digest, asker.owner)
    created = await _write(context, ids[0], stored, asker, plan.games_of_a_set)
    return _as_first(await context.store.load(ids[0]), digest), not created


async def _write(context: Simulations, simulation_id: str, stored: StoredSimulation, asker: Asker, games: int) -> bool:
    """Write a new simulation down and have it worked on; False where another request did so. RateLimited."""
    asked = stored.request
    if not await context.store.enter(simulation_id, context.tokens.derive("limit", asker.who)[:32], asker.running):
        raise RateLimited("running_simulations", BUSY_SECONDS)
    try:
        await asker.charge(max(1, round(stored.core_seconds)))
    except RateLimited:
        # Another request with the same key may have written it meanwhile.
        if (await context.store.need(simulation_id)).state is None:
            await context.store.leave(simulation_id)
        raise
    every = asked.stop.every if asked.stop else 0
    created = await context.store.create(simulation_id, stored, asked.count // games, games, every)
    with contextlib.suppress(Unavailable):  # what cannot be done now the sweep does
        await context.feed.feed(simulation_id)
    return created


def _as_first(found: LoadedSimulation, digest: str) -> Simulation:
    """The simulation without what it came to since: answering its creation takes no statistics."""
    if found.asked.digest != digest:
        raise IdempotencyMismatch("The first request with this key asked for another simulation.")
    return view(found, {})


def _new_id() -> str:
    return _id_of(secrets.token_hex(32))


def _id_of(derived: str) -> str:
    """A simulation's id of 100 bits from 64 hex digits."""
    return "sm_" + base64.b32encode(bytes.fromhex(derived)).decode().lower()[:20]


async def find(context: Simulations, simulation_id: str, owner: str) -> LoadedSimulation:
    """A simulation of this owner's, or one that was created without an API key. SimulationNotFound."""
    found = await context.store.load(simulation_id)
    if found.asked.owner not in ("", owner):
        raise SimulationNotFound(f"There is no simulation {simulation_id!r}.")
    return found


async def read(context: Simulations, found: LoadedSimulation) -> Simulation:
    """A simulation with the statistics of what is counted so far."""
    return view(found, await context.store.tally(found.id))


def rows(context: Simulations, found: LoadedSimulation) -> AsyncIterator[bytes]:
    """The rows of its games in order, as far as they have been played without a gap. NoRows."""
    if not found.asked.request.rows:
        raise NoRows("It was created without `rows`.")
    return context.store.rows(found.id, found.counted if found.every else found.sets)


async def cancel(context: Simulations, found: LoadedSimulation) -> Simulation:
    """Stop a simulation where it stands; one that is over stays as it is."""
    if await context.store.cancel(found.id, found.looks):
        with contextlib.suppress(Unavailable):
            await context.store.leave(found.id)
    return await read(context, await context.store.load(found.id))


def view(found: LoadedSimulation, tally: dict[str, int]) -> Simulation:
    """A simulation as its asker sees it, with what its tally says."""
    asked = found.asked.request
    counted = tally.get("sets", 0)
    return Simulation(
        simulation_id=found.id,
        state=found.state,
        request=asked,
        estimate=Estimate(games=asked.count, core_seconds=found.asked.core_seconds),
        progress=Progress(
            sets=found.done, of_sets=found.sets, games=found.done * found.games, share=round(found.done / found.sets, 6)
        ),
        run=_run(found),
        results=summarise(plan_of(asked), tally) if counted else None,
        stopped=_stopped(found),
        failure=found.failure,
        expires_at=moment(found.expires_at),
    )


def _stopped(found: LoadedSimulation) -> Stopped | None:
    """Why it ended where it did; None where it played all that it was asked for, or plays on."""
    if found.state != "cancelled":
        return found.stopped
    text = "It was told to stop; what had been counted by then stays."
    return Stopped(reason="cancelled", looks=found.looks, sets=found.counted, llr=None, text=text)


def _run(found: LoadedSimulation) -> SimulationRun:
    games = found.done * found.games
    ended_ms = found.finished_at or round(time.time() * 1000)
    seconds = (ended_ms - found.started_at) / 1000 if found.started_at else 0.0
    rate = games / seconds if games and seconds > 0 else None
    left = (found.sets - found.done) * found.games
    expected = moment(ended_ms + round(left / rate * 1000)) if rate and found.state == "running" else None
    return SimulationRun(
        created_at=moment(found.created_at),
        started_at=moment(found.started_at) if found.started_at else None,
        finished_at=moment(found.finished_at) if found.finished_at else None,
        expected_at=expected,
        games_per_second=round(rate, 1) if rate else None,
        games_per_second_per_worker=round(games / found.busy_us * 1e6, 1) if found.busy_us and games else None,
        workers=found.workers,
        chunks=found.chunks,
    )
