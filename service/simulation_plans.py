"""From what is asked to what is played: a request resolved, or refused with a pointer to each mistake in it."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import Any

import msgspec

from engine import bots, catalog
from engine.bots import Budget
from engine.errors import InvalidOptions, UnknownBot
from engine.match import Ruleset
from engine.simulation.plans import Entrant, Plan, plan, plan_comparison
from engine.simulation.sequential import Bounds, Verdict
from service.errors import Unavailable
from service.schemas import BotSpec
from service.simulation_schemas import MOST_LOOKS, MOST_ROWS, CreateSimulation, SimulationRequest, Stopped, StopRule

SEATS = 4
"""The seats of a comparison that names no number, where the ruleset has so many."""
Mistake = tuple[str, str]


def resolve(asked: CreateSimulation) -> SimulationRequest:
    """The request with everything named that it left open. Raises InvalidOptions with every mistake in it."""
    ruleset = catalog.find(asked.ruleset)
    mistakes = [*_places(asked), *_bots(asked)]
    try:
        options = ruleset.resolve(asked.preset, asked.options, _players(asked, ruleset))
    except InvalidOptions as error:
        where = {"/seats": "/players"} if asked.seats is None else {}
        raise InvalidOptions([*mistakes, *((where.get(at, at), text) for at, text in error.errors)]) from None
    if asked.unit == "matches" and ruleset.propose is not None and options.target is None:
        mistakes.append(("/options/target", "A match of bots alone needs a target: nobody could agree on one."))
    if mistakes:
        raise InvalidOptions(mistakes)
    request = _request(asked, ruleset, options)
    if mistakes := list(_numbers(request)):
        raise InvalidOptions(mistakes)
    return request


def _request(asked: CreateSimulation, ruleset: Ruleset, options: Any) -> SimulationRequest:
    return SimulationRequest(
        ruleset=ruleset.name,
        ruleset_version=ruleset.version,
        preset=asked.preset,
        options=msgspec.to_builtins(options),
        seats=None if asked.seats is None else [_resolved(spec) for spec in asked.seats],
        compare=None if asked.compare is None else [_resolved(spec) for spec in asked.compare],
        players=_players(asked, ruleset),
        unit=asked.unit,
        count=asked.count,
        duplicate=asked.duplicate or asked.compare is not None,
        seed=secrets.token_hex(16) if asked.seed is None else asked.seed,
        rows=asked.rows,
        stop=asked.stop,
    )


def _players(asked: CreateSimulation, ruleset: Ruleset) -> int:
    return len(asked.seats) if asked.seats is not None else asked.players or min(SEATS, ruleset.seats[1])


def _resolved(spec: BotSpec) -> BotSpec:
    return BotSpec(bot=spec.bot, version=bots.find(spec.bot, spec.version).version, budget=spec.budget)


def _places(asked: CreateSimulation) -> Iterator[Mistake]:
    """What does not go together."""
    if (asked.seats is None) == (asked.compare is None):
        yield "/seats", "A simulation takes either `seats` or `compare`."
    if asked.players is not None and asked.compare is None:
        yield "/players", "The number of seats is that of `seats`; `players` belongs to `compare`."
    if asked.stop is None:
        return
    if asked.compare is None:
        yield "/stop", "Only a comparison may stop early: name its two bots in `compare`."
    if asked.stop.lower >= asked.stop.upper:
        yield "/stop/upper", "It has to be more than `lower`."


def _bots(asked: CreateSimulation) -> Iterator[Mistake]:
    """The bots that there are not."""
    for name in ("seats", "compare"):
        for number, spec in enumerate(getattr(asked, name) or ()):
            try:
                _resolved(spec)
            except UnknownBot as error:
                yield f"/{name}/{number}/version", str(error)


def _numbers(request: SimulationRequest) -> Iterator[Mistake]:
    """What is wrong with the number of games, now that it is known how many make a set."""
    games = plan_of(request).games_of_a_set
    if request.count % games:
        near = max(games, round(request.count / games) * games)
        yield "/count", f"A set is {games} games here, so it takes a multiple of {games}: {near} is the nearest."
    if request.rows and request.count > MOST_ROWS:
        yield "/rows", f"Rows are kept of up to {MOST_ROWS} games."
    if request.stop and request.count // games > MOST_LOOKS * request.stop.every:
        yield "/stop/every", f"It may look {MOST_LOOKS} times at most: look less often, or play fewer games."


def plan_of(request: SimulationRequest) -> Plan:
    """What a resolved request plays. Unavailable where its rules or bots are unknown to this process."""
    ruleset = catalog.find(request.ruleset)
    if request.ruleset_version > ruleset.version:
        raise Unavailable("This process does not know the rules that this simulation is played by.")
    options = msgspec.convert(request.options, ruleset.options)
    if request.compare is not None:
        a, b = (_entrant(spec) for spec in request.compare)
        return plan_comparison(ruleset, options, a, b, request.players, unit=request.unit, seed=request.seed)
    seats = [_entrant(spec) for spec in request.seats or ()]
    return plan(ruleset, options, seats, unit=request.unit, duplicate=request.duplicate, seed=request.seed)


def _entrant(spec: BotSpec) -> Entrant:
    try:
        bot = bots.find(spec.bot, spec.version)
    except UnknownBot as error:
        raise Unavailable(str(error)) from None
    return Entrant(bot, None if spec.budget is None else Budget(samples=spec.budget.samples))


def bounds_of(rule: StopRule) -> Bounds:
    """The bounds of a sequential test."""
    return Bounds(rule.lower, rule.upper, rule.alpha, rule.beta, rule.every)


def stopped_by(verdict: Verdict, looks: int, sets: int, of_sets: int) -> Stopped | None:
    """What a look makes of a simulation: it stops, or None where it goes on."""
    if verdict.found is not None:
        text = f"At look {looks}, after {sets} sets, the test found for `{verdict.found}`."
        return Stopped(reason=verdict.found, looks=looks, sets=sets, llr=verdict.llr, text=text)
    if sets < of_sets:
        return None
    text = f"All {sets} sets were played, and in {looks} looks the test found neither bound."
    return Stopped(reason="count", looks=looks, sets=sets, llr=verdict.llr, text=text)
