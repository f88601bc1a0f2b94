"""Simulations: ask for one, look how it stands, read its rows, stop it."""

from collections.abc import AsyncIterator
from typing import cast

import msgspec
from litestar import delete, get, post
from litestar.params import FromPath
from litestar.types import ASGIApp, Receive, Scope, Send

from service import simulation_tables, simulations
from service.operation import IDEMPOTENCY_KEY, IF_NONE_MATCH, Operation, describes
from service.routes.admission import asker_of, limiter_of
from service.routes.http import (
    NO_STORE,
    VARIED,
    Answer,
    AnyRequest,
    answer,
    body,
    holds,
    idempotency_key,
    key_of,
    key_to_create,
    prefers,
    query,
)
from service.simulation_schemas import CreateSimulation, Simulation
from service.simulation_store import LoadedSimulation
from service.simulations import Asker, Simulations

CSV = "text/csv"
NDJSON = "application/x-ndjson"
TAG = "Simulations"
REPLAYED = {"Idempotency-Replayed": "true"}
_create = msgspec.json.Decoder(CreateSimulation)


def _context(request: AnyRequest) -> Simulations:
    return cast(Simulations, request.app.state.simulations)


async def _found(request: AnyRequest, simulation_id: str) -> LoadedSimulation:
    """The simulation of the request, for whoever may see it. SimulationNotFound, Unauthorized."""
    key = await key_of(request)
    return await simulations.find(_context(request), simulation_id, key.name if key else "")


@post(
    "/v1/simulations",
    status_code=202,
    **describes(
        Operation(
            "createSimulation",
            TAG,
            {202: Simulation},
            access="key",
            body=CreateSimulation,
            limit="changes",
            problems=("invalid_options", "idempotency_mismatch"),
            parameters=(IDEMPOTENCY_KEY,),
            answer_headers=("Location", "Idempotency-Replayed"),
        )
    ),
)
async def create_simulation(request: AnyRequest) -> Answer:
    """Ask for many deals or matches between bots, to tune rules, to rate bots, to study a game.

    The answer comes before anything is played; it tells the seed and estimates the cost. Look at the simulation for
    its progress and for the statistics so far. What it comes to in the end depends on what is asked and on the seed
    alone, to the last digit: not on how many workers there are, nor on what happens to them.

    Send an `Idempotency-Key`, a new UUID, and nothing is simulated twice: after a time-out or a 503 repeat the same
    body with the same key. The limit `simulations` counts the estimated cost.

    Where the service has API keys this needs one, and only that key's name sees the simulation.
    """
    query(request)
    api_key = await key_to_create(request)
    asked = await body(request, _create)
    key = idempotency_key(request, api_key)
    created, replayed = await simulations.create(
        _context(request), asked, _asker(request, api_key.name if api_key else ""), key
    )
    headers = {**NO_STORE, **(REPLAYED if replayed else {}), "Location": f"/v1/simulations/{created.simulation_id}"}
    return answer(created, 202, headers)


def _asker(request: AnyRequest, owner: str) -> Asker:
    asker, limiter = asker_of(request), limiter_of(request)
    running = asker.own.get("running_simulations") or limiter.rates.get("running_simulations")

    async def charge(core_seconds: int) -> None:
        await limiter.spend_cost("simulations", asker.who, core_seconds, asker.own.get("simulations"))

    return Asker(owner, asker.who, running.count if running else 0, charge)


@get(
    "/v1/simulations/{simulation_id:str}",
    **describes(
        Operation(
            "getSimulation",
            TAG,
            {200: Simulation, 304: None},
            access="key",
            problems=("simulation_not_found",),
            parameters=(IF_NONE_MATCH,),
            answer_headers=("ETag",),
            also={CSV: {"type": "string", "description": "The results as a table, a figure a line."}},
        ),
        stream=CSV,
    ),
)
async def get_simulation(request: AnyRequest, simulation_id: FromPath[str]) -> Answer:
    """Look how a simulation stands, with the statistics of what has been played.

    The `ETag` changes with its progress, so a poll is cheap while nothing has been added.

    With `Accept: text/csv` the statistics come as a table with the columns `of`, `number`, `figure`, `from`, `to` and
    `value`: a line for each figure and each bar of a histogram.
    """
    query(request)
    found = await _found(request, simulation_id)
    as_csv = prefers(request, CSV)
    headers = {**VARIED, "ETag": f'"{found.id}.{simulations.progress_of(found)}.{"csv" if as_csv else "json"}"'}
    if holds(request, headers["ETag"]):
        return Answer(b"", 304, headers=headers)
    seen = await simulations.read(_context(request), found)
    if as_csv:
        return Answer(simulation_tables.table(seen.results), media=f"{CSV}; charset=utf-8", headers=headers)
    return answer(seen, headers=headers)


class Lines:
    """Rows, sent as they are read, so that no process holds all of them."""

    def __init__(self, rows: AsyncIterator[bytes]) -> None:
        self._rows = rows

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Send them."""
        headers = {**VARIED, "Content-Type": NDJSON}
        sent = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": 200, "headers": sent})
        async for rows in self._rows:
            await send({"type": "http.response.body", "body": rows, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


@get(
    "/v1/simulations/{simulation_id:str}/rows",
    **describes(
        Operation(
            "listSimulationRows",
            TAG,
            {200: None},
            access="key",
            problems=("simulation_not_found", "no_rows"),
            also={NDJSON: {"type": "string", "description": "A JSON object for each game, a game a line."}},
        ),
        stream=NDJSON,
    ),
)
async def list_simulation_rows(request: AnyRequest, simulation_id: FromPath[str]) -> ASGIApp:
    """Read what every single game came to, a JSON object a line.

    They come set by set, and within a set lineup by lineup. While the simulation runs these are the rows of its first
    sets, as far as all of them have been played. It must have been created with `rows`.
    """
    query(request)
    found = await _found(request, simulation_id)
    return Lines(simulations.rows(_context(request), found))


@delete(
    "/v1/simulations/{simulation_id:str}",
    status_code=200,
    **describes(
        Operation(
            "cancelSimulation",
            TAG,
            {200: Simulation},
            access="key",
            limit="changes",
            problems=("simulation_not_found",),
        )
    ),
)
async def cancel_simulation(request: AnyRequest, simulation_id: FromPath[str]) -> Answer:
    """Stop a simulation, and keep what has been counted: it stays readable until it expires.

    Workers let go of it within two seconds. One that is over stays as it is.
    """
    query(request)
    found = await _found(request, simulation_id)
    return answer(await simulations.cancel(_context(request), found), headers=VARIED)


HANDLERS = (create_simulation, get_simulation, list_simulation_rows, cancel_simulation)
