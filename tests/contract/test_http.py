"""Methods, negotiation, tokens in headers, and our own faults: what frameworks get wrong, each case by name."""

import re
from typing import Any

import httpx
import pytest

from service.routes import catalogue
from service.settings import Settings
from tests.contract.published import DOCUMENT
from tests.contract.starts import Game
from tests.contract.wire import asked
from tests.service.players import good, refused, running

# ------------------------------------------------------------------------------------------------------ methods


def test_head_is_get_without_a_body(client: httpx.Client, game: Game, url: str) -> None:
    for path in (f"/v1/games/{game.id}", "/openapi.json", "/docs", "/nothing"):
        get, head = client.get(path), client.head(path)
        for moving in ("date", "x-request-id"):
            del get.headers[moving], head.headers[moving]
        assert (head.status_code, head.headers) == (get.status_code, get.headers)
        assert head.content == b""
    # A client would not notice bytes that come after the answer to HEAD.
    assert asked(url, "HEAD /v1/errors")[1].endswith("\r\n\r\n")


@pytest.mark.parametrize("path", [*DOCUMENT["paths"], "/", "/docs", "/docs/docs.js"])
def test_options_and_405_name_exactly_the_methods_of_a_resource(client: httpx.Client, path: str) -> None:
    there = {method.upper() for method in DOCUMENT["paths"].get(path, ["get"])}
    there |= {"OPTIONS"} | ({"HEAD"} if "GET" in there else set())
    named = path.replace("{game_id}", "gm_x").replace("{job_id}", "jb_x").replace("{ruleset}", "tarneeb")
    answer = client.options(named)
    assert (answer.status_code, answer.content) == (204, b"")
    assert set(answer.headers["allow"].split(", ")) == there
    for method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE"} - there:
        answer = client.request(method, named)
        assert answer.status_code == 405
        assert set(answer.headers["allow"].split(", ")) == there
        if method != "HEAD":
            refused(answer, "method_not_allowed")


# ------------------------------------------------------------------------------------------------------ negotiation


@pytest.mark.parametrize(
    "accept", ["text/html", "application/xml", "application/json;q=0", "*/*;q=0.0", "image/*", "json"]
)
def test_who_accepts_no_json_is_told_so(client: httpx.Client, accept: str) -> None:
    refused(client.get("/v1/bots", headers={"Accept": accept}), "not_acceptable")


@pytest.mark.parametrize(
    "accept",
    ["*/*", "application/*", "text/html, application/json;q=0.1", "APPLICATION/JSON", "application/problem+json", ""],
)
def test_who_accepts_json_among_others_gets_it(client: httpx.Client, accept: str) -> None:
    good(client.get("/v1/bots", headers={"Accept": accept}))


def test_a_header_that_comes_twice_counts_as_one_list(url: str) -> None:
    assert asked(url, "GET /v1/bots", "Accept: text/html", "Accept: application/json")[0] == 200


@pytest.mark.parametrize(
    "sent", ["Basic YTpi", "Bearer", "Bearer ", "Bearer a b", "Bearer \xe9", "bearer nonsense", "nonsense"]
)
def test_what_is_no_token_of_the_game_is_unauthorized(url: str, game: Game, sent: str) -> None:
    status, answer = asked(url, f"GET /v1/games/{game.id}", f"Authorization: {sent}")
    assert (status, '"code":"unauthorized"' in answer) == (401, True)
    assert "www-authenticate: Bearer" in answer


def test_two_tokens_are_none(url: str, game: Game) -> None:
    token = f"Authorization: Bearer {game.tokens[0]}"
    assert asked(url, f"GET /v1/games/{game.id}", token)[0] == 200
    assert asked(url, f"GET /v1/games/{game.id}", token, token)[0] == 401


def test_every_answer_has_a_request_id_of_its_own(client: httpx.Client) -> None:
    sent = {"X-Request-Id": "mine"}
    ids = [client.get(path, headers=sent).headers["x-request-id"] for path in ("/v1/bots", "/nothing", "/docs") * 5]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[0-9a-f]{16}", each) for each in ids)


# ------------------------------------------------------------------------------------------------------ our own faults


def test_a_fault_of_ours_is_a_problem_document_that_says_nothing_of_it(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> Any:
        raise ValueError("-".join(["A", "spades"]))

    monkeypatch.setattr(catalogue.catalogue, "bot_list", fail)
    with running(Settings(redis_url, redis_url, (bytes(32),))) as api:
        answer = api.get("/v1/bots")
        problem = refused(answer, "internal_error")
    assert f"Request {problem['request_id']} failed (ValueError)" in caplog.text
    assert "A-spades" not in caplog.text + answer.text


def test_a_store_that_cannot_be_reached_is_unavailable_and_worth_another_try() -> None:
    dead = "redis://127.0.0.1:1"
    with running(Settings(dead, dead, (bytes(32),))) as api:
        answer = api.get(f"/v1/games/gm_{'a' * 20}")
        refused(answer, "unavailable")
        assert int(answer.headers["retry-after"]) >= 1
        answer = api.get("/health/ready")
        assert (answer.status_code, answer.json()["status"]) == (503, "unavailable")
        assert int(answer.headers["retry-after"]) >= 1
