"""Agreeing on a target during a match, over HTTP."""

import httpx
import pytest

from tests.service.players import Api, Json, Table, refused

BOT = {"kind": "bot", "bot": {"bot": "rules"}}
PLAYER = {"kind": "player"}


@pytest.fixture
def table(api: Api) -> Table:
    """Two players and a bot who play Reihe without a target."""
    return api.create(ruleset="reihe", options={"target": None, "first_dealer": 2}, seats=[PLAYER, PLAYER, BOT])


def propose(table: Table, seat: int, target: object, token: str | None = None) -> httpx.Response:
    path, token = f"{table.path}/target", token or table.tokens[seat]
    return table.api.run(table.api.request("PUT", path, token, json={"target": target}))


def agreed(table: Table) -> Json:
    match = table.api.get(table.path).json()["match"]
    return match["target"], match["target_proposals"]


def test_it_counts_when_every_player_proposes_the_same(table: Table) -> None:
    """Bots follow: they have no say."""
    assert propose(table, 0, 20).status_code == 200
    assert agreed(table) == (None, [20, None, None])
    assert propose(table, 1, 30).status_code == 200
    assert agreed(table) == (None, [20, 30, None])
    view = propose(table, 1, 20).json()
    assert (view["match"]["target"], view["you"]["seat"]) == (20, 1)
    assert agreed(table) == (20, [20, 20, None])


def test_each_proposal_is_an_entry_of_the_log_that_says_what_came_of_it(table: Table) -> None:
    for seat in (0, 1):
        propose(table, seat, 12)
    log = table.api.get(f"{table.path}/events").json()["items"][1:]
    assert [(entry["seat"], entry["by"], entry["move"]) for entry in log] == [(0, "player", None), (1, "player", None)]
    assert [[event["type"] for event in entry["events"]] for entry in log] == [
        ["target_proposed"],
        ["target_proposed", "target_agreed"],
    ]


def test_the_same_proposal_again_changes_nothing(table: Table) -> None:
    version = propose(table, 0, 20).json()["version"]
    assert propose(table, 0, 20).json()["version"] == version == 2


def test_a_proposal_is_no_move_and_does_not_come_between_a_player_and_a_move(table: Table) -> None:
    """Whoever decided on the version before may still move on it, and play goes on from there in another process."""
    view = table.api.get(table.path).json()
    mover = view["to_move"]
    assert mover == 1  # the seat after the dealer, counterclockwise
    move = table.api.get(f"{table.path}/legal-moves", table.tokens[mover]).json()["moves"][0]
    assert propose(table, 0, 20).json()["version"] == 2
    table.api.context.recent._games.clear()
    answer = table.api.post(f"{table.path}/moves", {"expected_version": 1, "move": move}, table.tokens[mover])
    assert (answer.status_code, answer.json()["version"]) == (200, 3)
    assert agreed(table)[1] == [20, None, None]


def test_a_move_behind_any_number_of_proposals_is_found(table: Table) -> None:
    """Whoever comes late is told of the conflict, and who repeats is answered, however much lies between."""
    first = table.api.get(f"{table.path}/legal-moves", table.tokens[1]).json()["moves"][0]
    for number in range(120):
        propose(table, 0, 10 + number % 2)
    body = {"expected_version": 1, "move": first}
    made = table.api.post(f"{table.path}/moves", body, table.tokens[1])
    assert made.json()["version"] == 122
    again = table.api.post(f"{table.path}/moves", body, table.tokens[1])
    assert (again.headers["idempotency-replayed"], again.json()["version"]) == ("true", 122)
    late = {"expected_version": 1, "move": {"type": "play", "card": "1-bells"}}
    assert refused(table.api.post(f"{table.path}/moves", late, table.tokens[1]), "version_conflict")["by"] == "player"


def test_who_may_not_propose_is_refused(table: Table, api: Api) -> None:
    refused(table.api.run(table.api.request("PUT", f"{table.path}/target", json={"target": 5})), "unauthorized")
    refused(propose(table, 0, 20, table.creator), "forbidden")
    for wrong in (0, 501, "20", None):
        refused(propose(table, 0, wrong), "invalid_request")
    fixed = api.create()
    refused(propose(fixed, 0, 20), "no_target")
