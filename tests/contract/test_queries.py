"""What stands in the first line: queries, paths and the ids in them. Each case by name."""

import httpx
import pytest

from tests.contract.starts import Game
from tests.contract.wire import asked
from tests.service.players import refused

# ------------------------------------------------------------------------------------------------------ the query


@pytest.mark.parametrize(
    "query",
    [
        "unknown=1",
        "limit=1&limit=1",
        "limit=0",
        "limit=1001",
        "limit=",
        "limit=-1",
        "limit=1.0",
        "limit=%D9%A3",
        "limit=1%0A",
        "limit=" + "9" * 5000,
        "after=",
        "after=0-%0A",
        "after=%00",
        "after=%FF%FE",
        "after=0-;limit=1",
        "Limit=1",
    ],
    ids=lambda query: query[:24],
)
def test_a_query_that_the_document_does_not_know_is_refused(client: httpx.Client, game: Game, query: str) -> None:
    assert refused(client.get(f"/v1/games/{game.id}/events?{query}"), "invalid_request")["errors"][0]["parameter"]


@pytest.mark.parametrize("path", ["/v1/rulesets", "/v1/errors", "/health/live", "/openapi.json", "/v1/games/gm_x"])
def test_an_operation_without_parameters_takes_none(client: httpx.Client, path: str) -> None:
    refused(client.get(f"{path}?a=1"), "invalid_request")


# ------------------------------------------------------------------------------------------------------ paths


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/v1",
        "//",
        "//v1/games",
        "/v1//rulesets",
        "/v1/rulesets/",
        "/v1/games/",
        "/v1/games//moves",
        "/v1/games/a%2Fb",
        "/v1/games/../rulesets",
        "/v1/games/a/b/c",
        "/V1/rulesets",
        "/docs/",
        "/docs/../openapi.json",
        "/docs/%2e%2e%2fapp.py",
        "/%00",
        "/%ff",
        "/%zz",
        "/-",
    ],
)
def test_any_other_path_is_not_found(url: str, path: str) -> None:
    for method in ("GET", "POST", "OPTIONS"):
        status, answer = asked(url, f"{method} {path}", "Content-Length: 0")
        assert status == 404, answer
        assert '"code":"not_found"' in answer
        assert "content-type: application/problem+json" in answer


@pytest.mark.parametrize(
    "name", ["%00", "%ff%fe", "a%0A", "%0A", "%", "..", "a%20b", "%F0%9F%82%A1", "x" * 5000, "{a}"]
)
def test_an_id_of_any_bytes_is_only_an_id_that_does_not_exist(url: str, name: str) -> None:
    for path, code in (("games", "game_not_found"), ("rulesets", "unknown_ruleset")):
        status, answer = asked(url, f"GET /v1/{path}/{name}")
        assert (status, f'"code":"{code}"' in answer) == (404, True), answer
        assert len(answer) < 1500, "an error does not repeat what it was sent"


def test_an_id_with_a_newline_at_its_end_is_another_id(client: httpx.Client, game: Game) -> None:
    refused(client.get(f"/v1/games/{game.id}%0A"), "game_not_found")
