"""The threat table in README.md: every operation asked as everyone, and every test that it names."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis

from service.access import API_KEYS
from service.openapi import described
from service.settings import Settings
from tests.contract.published import APP
from tests.service.players import AS_JSON, PASS, PLAYERS, Api, Json, Table, cards_in, good, running

HERE = Path(__file__).parent
TEXT = (HERE / "README.md").read_text()
CREATE = {"ruleset": "tarneeb", "seats": PLAYERS, "options": {"first_dealer": 0}}
BOT = {"bot": "rules"}
SIMULATE = {"ruleset": "reihe", "seats": [BOT] * 3, "count": 3, "rows": True}


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a heading, its head first."""
    part = TEXT.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|") and not line.startswith("|--")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


# ---------------------------------------------------------------------------------------------------- callers


@dataclass
class Scene:
    """What the first table tells of: a game, the game beside it, and everybody's token."""

    table: Table
    tokens: dict[str, str | None]
    hands: dict[int, set[str]]
    job: str
    simulation: str


@pytest.fixture(scope="module")
def keyed(settings: Settings, kept: redis.Redis) -> Iterator[Api]:
    """A service that has API keys."""
    with running(settings) as api:
        yield api
    kept.delete(API_KEYS, f"{API_KEYS}:used")


@pytest.fixture(scope="module")
def keys(keyed: Api) -> tuple[str, str]:
    ours, theirs = (keyed.run(keyed.context.keys.add(name)) for name in ("ours", "theirs"))
    return ours, theirs


@pytest.fixture
def scene(keyed: Api, keys: tuple[str, str]) -> Scene:
    ours, theirs = keys

    def new() -> Table:
        answer = keyed.post("/v1/games", CREATE, ours)
        created = good(answer)
        tokens = {seat["seat"]: seat["token"] for seat in created["seats"]}
        return Table(keyed, created["game"]["game_id"], tokens, created["creator_token"], answer)

    table, beside = new(), new()
    old = table.tokens[3]
    table.tokens[3] = good(keyed.post(f"{table.path}/seats/3/token", {}, old))["token"]
    tokens = {
        "nobody": None,
        "seat 3": table.tokens[3],
        "seat 0": table.tokens[0],
        "creator": table.creator,
        "its key": ours,
        "another key": theirs,
        "another game's seat 3": beside.tokens[3],
        "seat 3's old token": old,
        "made-up token": "seat3.1." + "A" * 43,
        "made-up key": "tk_" + "A" * 43,
    }
    hands = {seat: set(table.view(seat)["you"]["hand"]) for seat in range(4)}
    simulation = good(keyed.post("/v1/simulations", SIMULATE, ours))["simulation_id"]
    return Scene(table, tokens, hands, good(table.ask_bot(3))["job_id"], simulation)


Ask = Callable[[Scene], tuple[str, str, Json]]
"""Method, path and body of an operation in a scene."""


def in_game(method: str, what: str = "", body: Json = None) -> Ask:
    return lambda scene: (method, scene.table.path + what, body)


OPERATIONS: dict[str, Ask] = {
    "createGame": lambda _: ("POST", "/v1/games", CREATE),
    "getGame": in_game("GET"),
    "listEvents": in_game("GET", "/events"),
    "listDeals": in_game("GET", "/deals"),
    "getReplay": in_game("GET", "/replay"),
    "listLegalMoves": in_game("GET", "/legal-moves"),
    "applyMove": in_game("POST", "/moves", {"expected_version": 2, "move": PASS}),
    "askBot": in_game("POST", "/bot-moves", {"expected_version": 2, "bot": BOT}),
    "getJob": lambda scene: ("GET", f"/v1/jobs/{scene.job}", None),
    "createSimulation": lambda _: ("POST", "/v1/simulations", SIMULATE),
    "getSimulation": lambda scene: ("GET", f"/v1/simulations/{scene.simulation}", None),
    "listSimulationRows": lambda scene: ("GET", f"/v1/simulations/{scene.simulation}/rows", None),
    "cancelSimulation": lambda scene: ("DELETE", f"/v1/simulations/{scene.simulation}", None),
    "proposeTarget": in_game("PUT", "/target", {"target": 20}),
    "returnToSeat": in_game("POST", "/return", {}),
    "resignSeat": in_game("POST", "/resignation", {}),
    "rotateToken": in_game("POST", "/seats/3/token", {}),
    "claimSeat": in_game("POST", "/seats/3/claim", {"invite": "letmein"}),
    "startGame": in_game("POST", "/start", {}),
    "abandonGame": in_game("POST", "/abandonment", {}),
    "deleteGame": in_game("DELETE"),
}
HEAD, *CALLERS = rows("Callers")
CELLS = [
    (re.sub(r"`(\w+)`.*", r"\1", row[0]), who, said)
    for row in CALLERS
    for who, said in zip(HEAD[1:], row[1:], strict=True)
]


def test_every_operation_that_looks_at_a_token_is_in_the_table() -> None:
    looking = {at.operation.id for at in described(APP) if at.operation.access != "none"}
    assert looking == OPERATIONS.keys() == {operation for operation, _, _ in CELLS}


@pytest.mark.parametrize(("operation", "who", "said"), CELLS, ids=[f"{who}-{name}" for name, who, _ in CELLS])
def test_everyone_may_know_and_do_what_the_table_says(scene: Scene, operation: str, who: str, said: str) -> None:
    table = scene.table
    method, path, body = OPERATIONS[operation](scene)
    content: dict[str, Any] = {} if body is None else {"json": body}
    before = good(table.get("", 1))
    answer = table.api.run(table.api.request(method, path, scene.tokens[who], AS_JSON, **content))
    cards = cards_in(answer.text)
    if said.isdecimal():
        assert answer.status_code == int(said)
        assert cards == set()
        assert good(table.get("", 1)) == before
    else:
        assert 200 <= answer.status_code < 300
        if said == "own hand":
            own = scene.hands[int(who[-1])]
            assert cards
            assert cards <= own
        else:
            assert cards == set()
            assert said in ("no hand", "yes")
    _check_secrets(answer, scene, who, said)


def _check_secrets(answer: httpx.Response, scene: Scene, who: str, said: str) -> None:
    """No answer repeats a secret of somebody, the caller's own included, but where a new one is made."""
    for name, token in scene.tokens.items():
        assert token is None or token not in answer.text, f"{who} was told the token of {name}"
    made = re.findall(r"(?:seat\d|creator|invite\d)\.\d+\.", answer.text)
    assert not made or said == "yes"


# ---------------------------------------------------------------------------------------------------- named tests

THREATS = rows("Threats")[1:]
NAMED = [(row[0], name) for row in THREATS for name in re.findall(r"`([^`]+)`", row[3])]


@pytest.mark.parametrize(("who", "name"), NAMED, ids=[name for _, name in NAMED])
def test_what_holds_a_threat_off_is_there(who: str, name: str) -> None:
    file, _, test = name.partition("::")
    source = (HERE / file).read_text()
    assert re.search(rf"^(?:async )?def {test}\(" if test else r"^(?:async )?def test_", source, re.MULTILINE), who


def test_every_threat_says_who_may_what_and_names_a_test() -> None:
    held = {who for who, _ in NAMED}
    assert len(THREATS) == len(held) >= 15
    for row in THREATS:
        assert len(row) == 4
        assert all(row)
    told = " ".join(row[0] for row in THREATS)
    for who in (
        "spectator",
        "seat",
        "creator",
        "API key",
        "operator with logs",
        "network attacker",
        "thief",
        "bot",
        "queue",
    ):
        assert who in told
