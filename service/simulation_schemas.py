"""Simulations as JSON: what is asked for, and how one stands. The statistics themselves are the engine's types."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from engine.simulation.results import Results
from service.schemas import NAME_PATTERN, Answer, BotSpec, Closed, JobFailure, Moment, RulesetName

MOST_GAMES = 10_000_000
MOST_ROWS = 100_000
"""The most games of which every one is kept as a row."""
MOST_LOOKS = 10_000
SimulationState = Literal["waiting", "running", "done", "cancelled", "failed"]
Unit = Literal["deals", "matches"]
Difference = Annotated[float, Meta(ge=-10_000, le=10_000)]
Error = Annotated[float, Meta(ge=0.0001, le=0.4)]


class StopRule(Closed):
    """When a comparison may stop early: a sequential test of how much better the first bot is, per seat and game.

    It tests `lower` against `upper`, and is wrong at most about as often as `alpha` where `lower` is true, and `beta`
    where `upper` is. It looks after each `every` sets in the order of their numbers, so where it stops does not depend
    on who played what.
    """

    lower: Difference
    upper: Difference
    alpha: Error = 0.05
    beta: Error = 0.05
    every: Annotated[int, Meta(ge=100, le=1_000_000)] = 500


class CreateSimulation(Closed):
    """Many deals or matches between bots: `seats` says who sits where, or `compare` which two to compare.

    `options` override `preset`, which overrides the ruleset's defaults. `count` is the number of games, that is of
    deals or matches by `unit`. With `duplicate` the same cards are played once for each way that the bots rotate over
    the seats; a comparison always does so. `players` is the number of seats of a comparison: 4 without it, or the
    most that the ruleset has. All chance comes from `seed`; without one it is drawn, and the answer tells it. With
    `rows` every game is kept, in up to 100000 games. `stop` lets a comparison end early.
    """

    ruleset: RulesetName
    count: Annotated[int, Meta(ge=1, le=MOST_GAMES)]
    preset: Annotated[str, Meta(max_length=40)] | None = None
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    seats: Annotated[list[BotSpec], Meta(min_length=2, max_length=8)] | None = None
    compare: Annotated[list[BotSpec], Meta(min_length=2, max_length=2)] | None = None
    players: Annotated[int, Meta(ge=2, le=8)] | None = None
    unit: Unit = "deals"
    duplicate: bool = False
    seed: Annotated[str, Meta(min_length=1, max_length=100, pattern=NAME_PATTERN)] | None = None
    rows: bool = False
    stop: StopRule | None = None


class SimulationRequest(Answer):
    """What a simulation plays, with everything named that the request left open: the same again gives the same."""

    ruleset: str
    ruleset_version: int
    preset: str | None
    options: dict[str, Any]
    seats: list[BotSpec] | None
    compare: list[BotSpec] | None
    players: int
    unit: Unit
    count: int
    duplicate: bool
    seed: str
    rows: bool
    stop: StopRule | None


class StoredSimulation(Struct):
    """What never changes of a simulation: what it plays, and who asked for it (`owner` is empty without an API key)."""

    request: SimulationRequest
    core_seconds: float
    digest: str
    owner: str = ""


class Estimate(Answer):
    """How much work a simulation is: its games, and about how many seconds they take one core."""

    games: int
    core_seconds: float


class Progress(Answer):
    """How far a simulation is; `share` is from 0 to 1."""

    sets: int
    of_sets: int
    games: int
    share: float


class SimulationRun(Answer):
    """All that may differ when the same is simulated again.

    `games_per_second` is over all workers since it started; `per_worker`, what one did while it played. `workers` is
    how many have played some of it, in `chunks`.
    """

    created_at: Moment
    started_at: Moment | None
    finished_at: Moment | None
    expected_at: Moment | None
    games_per_second: float | None
    games_per_second_per_worker: float | None
    workers: int
    chunks: int


class Stopped(Answer):
    """Why a simulation ended where it did.

    `lower` or `upper`: the sequential test found for it. `count`: all was played, and the test found neither.
    `cancelled`: it was told to. `llr` is the log-likelihood ratio at the last look.
    """

    reason: Literal["upper", "lower", "count", "cancelled"]
    looks: int
    sets: int
    llr: float | None
    text: str


class Simulation(Answer):
    """A simulation, and what it has come to so far.

    `results` depend on the request alone once `state` is `done`; while it is `running` they are those of some of its
    sets, and null before the first.
    """

    simulation_id: str
    state: SimulationState
    request: SimulationRequest
    estimate: Estimate
    progress: Progress
    run: SimulationRun
    results: Results | None
    stopped: Stopped | None
    failure: JobFailure | None
    expires_at: Moment
