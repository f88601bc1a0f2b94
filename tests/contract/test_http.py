"""What HTTP itself asks of a service, and what frameworks get wrong: each case by name, against the running service."""

import re
from typing import Any

import httpx
import pytest

from service.routes import catalogue
from service.settings import Settings
from tests.contract.generated import PLAYER, Game, Games, bearer
from tests.contract.published import DOCUMENT
from tests.contract.wire import asked
from tests.service.players import good, refused, running

JSON = {"Content-Type": "application/json"}
SEATS = '[{"kind":"player"},{"kind":"player"},{"kind":"player"},{"kind":"player"}]'


@pytest.fixture(scope="module")
def games(client: httpx.Client) -> Games:
    return Games(client)


@pytest.fixture
def game(games: Games) -> Game:
    """A game that has just been dealt."""
    return games.create([PLAYER] * 4)


class Mover:
    """The seat that is to move first in a new game."""

    def __init__(self, games: Games, game: Game) -> None:
        self.client = games.client
        self.path = f"/v1/games/{game.id}/moves"
        self.headers = {**bearer(game.tokens[games.view(game)["to_move"]]), **JSON}

    def send(self, body: str | bytes, **headers: str) -> httpx.Response:
        """Send these very bytes as its move."""
        return self.client.post(self.path, content=body, headers={**self.headers, **headers})


@pytest.fixture
def mover(games: Games, game: Game) -> Mover:
    return Mover(games, game)


def create(client: httpx.Client, more: str = "", seats: str = SEATS) -> httpx.Response:
    """Ask for a game; `more` goes into the body as it is."""
    return client.post("/v1/games", content=f'{{"ruleset":"tarneeb","seats":{seats}{more}}}', headers=JSON)


def move(version: str, made: str) -> str:
    """The body of a move, of these very parts."""
    return f'{{"expected_version":{version},"move":{made}}}'


# ------------------------------------------------------------------------------------------------------ JSON bodies


def test_a_number_that_is_whole_is_an_integer_however_it_is_written(mover: Mover, client: httpx.Client) -> None:
    good(mover.send('{"expected_version":1.0,"move":{"type":"pass"}}'))
    good(create(client, ',"options":{"target":2.1e1}'))
    refused(mover.send('{"expected_version":2,"move":{"type":"bid","amount":8.0}}'), "not_your_turn")


@pytest.mark.parametrize("version", ['"1"', "true", "1.5", "null", "-1", "1e300", "9" * 300, "[1]"])
def test_nothing_else_is_taken_for_an_integer(mover: Mover, version: str) -> None:
    problem = refused(mover.send(move(version, '{"type":"pass"}')), "invalid_request")
    assert problem["errors"][0]["pointer"] in ("/expected_version", "")


@pytest.mark.parametrize("amount", ["9" * 300, "-" + "9" * 300, "1e300"])
def test_a_number_of_any_size_is_a_bid_that_the_rules_refuse(mover: Mover, amount: str) -> None:
    answer = mover.send(move("1", f'{{"type":"bid","amount":{amount}}}'))
    assert refused(answer, "illegal_move")["reason"] == "bid_out_of_range"


@pytest.mark.parametrize(
    "body",
    [
        '{"expected_version":1,"expected_version":1,"move":{"type":"pass"}}',
        '{"expected_version":1,"move":{"type":"pass","type":"pass"}}',
        '{"expected_version":1,"move":{"type":"pass"},"extra":1}',
        '{"expected_version":1,"move":{"type":"pass","card":"A-spades"}}',
        '{"expected_version":1,"move":{"type":"play","card":"A-spades\\n"}}',
        '{"expected_version":1,"move":{"type":"play","card":"A-stars"}}',
        '{"expected_version":1,"move":{"type":"sneeze"}}',
        '{"expected_version":1,"move":{}}',
        '{"expected_version":1}',
        "[]",
    ],
)
def test_a_body_of_another_shape_is_refused_with_its_places(mover: Mover, body: str) -> None:
    problem = refused(mover.send(body), "invalid_request")
    assert all(re.fullmatch(r"(/[^/]+)*", each["pointer"]) and each["detail"] for each in problem["errors"])
    assert problem["errors"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nonsense",
        b'{"expected_version":NaN,"move":{"type":"pass"}}',
        b'{"expected_version":1,"move":{"type":"pass"}} {}',
        b'{"expected_version":1,"move":{"type":"\xff"}}',
        b'{"expected_version":1,"move":{"type":"\\ud800"}}',
        b"\xef\xbb\xbf{}",
        '{"expected_version":1,"move":{"type":"pass"}}'.encode("utf-16"),
        b"[" * 60_000,
        b'{"move":' * 5_000 + b"1" + b"}" * 5_000,
        b'{"expected_version":1,"move":{"type":"bid","amount":' + b"9" * 60_000 + b"}}",
    ],
    ids=lambda body: repr(body[:24]),
)
def test_what_is_not_json_in_utf8_is_refused(mover: Mover, body: bytes) -> None:
    refused(mover.send(body), "invalid_request")


def test_a_lone_surrogate_is_no_text_wherever_it_stands(client: httpx.Client) -> None:
    for more in (',"metadata":{"a":"\\ud800"}', ',"preset":"\\udfff"', ',"options":{"\\ud800":1,"target":7.0}'):
        refused(create(client, more), "invalid_request")


@pytest.mark.parametrize("name", ["Ana\\n", "\\u0000", "a\\u202eb", ""])
def test_a_name_that_would_disturb_its_surroundings_is_refused(client: httpx.Client, name: str) -> None:
    seats = SEATS.replace('"player"', f'"player","name":"{name}"', 1)
    refused(create(client, seats=seats), "invalid_request")


def test_a_seed_with_a_newline_at_its_end_is_no_seed(client: httpx.Client) -> None:
    refused(create(client, ',"seed":"%s\\n"' % ("5e" * 32)), "invalid_request")


@pytest.mark.parametrize(
    "declared",
    [
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain",
        "text/json",
        "application/jsonp",
        "application/json; charset=utf-16",
        "",
    ],
)
def test_a_body_that_is_not_declared_as_json_is_not_read(mover: Mover, declared: str) -> None:
    body = '{"expected_version":1,"move":{"type":"pass"}}'
    refused(mover.send(body, **{"Content-Type": declared}), "unsupported_media_type")


@pytest.mark.parametrize(
    "declared", ["application/json; charset=utf-8", "Application/JSON", 'application/json;charset="UTF-8"']
)
def test_json_may_be_declared_in_any_right_way(mover: Mover, declared: str) -> None:
    good(mover.send('{"expected_version":1,"move":{"type":"pass"}}', **{"Content-Type": declared}))


def test_a_body_in_chunks_is_a_body(mover: Mover) -> None:
    chunks = (each.encode() for each in ('{"expected_version":1,', '"move":{"type":"pass"}}'))
    good(mover.client.post(mover.path, content=chunks, headers=mover.headers))


def test_a_body_that_is_too_large_is_refused_whether_its_length_is_declared_or_not(mover: Mover) -> None:
    large = b" " * (64 * 1024 + 1)
    refused(mover.send(large), "too_large")
    refused(mover.client.post(mover.path, content=iter([large]), headers=mover.headers), "too_large")
    refused(mover.send(b" " * 64 * 1024), "invalid_request")


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
