import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis

from engine.chance import PublishedDeals
from service import redis_server
from service.errors import PROBLEMS
from service.rates import Rate
from service.settings import Settings
from service.store import key, shard_of
from tests.service.players import (
    AS_JSON,
    PASS,
    PLAYERS,
    Api,
    Json,
    Table,
    bid,
    good,
    kept_of,
    refused,
    running,
)

CREATE = {"ruleset": "tarneeb", "seats": PLAYERS}
SIMULATE = {"ruleset": "reihe", "seats": [{"bot": "random"}] * 3, "count": 3}
HIDDEN = "A-spades is in the hand of seat 2"


class Broken(PublishedDeals):
    """Deals that go wrong in a way that nobody has thought of, with something in its text that nobody may read."""

    def order(self, _number: int, _attempt: int, _size: int) -> list[int]:
        """No deal."""
        raise RuntimeError(HIDDEN)


@pytest.fixture(scope="module")
def broken(settings: Settings) -> Iterator[Api]:
    """The same API with a fault in it."""
    with running(settings, Broken) as started:
        yield started


@pytest.fixture(scope="module")
def without_redis(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """An API whose Redis is not there."""
    url = f"unix://{tmp_path_factory.mktemp('gone')}/r.sock"
    with running(replace(settings, redis_url=url, queue_redis_url=url)) as started:
        yield started


def one_game_too_many(at: "Situation") -> httpx.Response:
    """The same API where nobody may create a second game for an hour."""
    with running(replace(at.api.settings, limits={"games": Rate(1, 3600)})) as busy:
        return [busy.post("/v1/games", CREATE) for _ in range(2)][1]


def waiting(api: Api, seats: list[Json] = PLAYERS) -> Table:
    """A game that waits for its creator to start it."""
    return api.create(seats=seats, start="manual")


OPEN = [{"kind": "player"}] * 3 + [{"kind": "open"}]


def post(table: Table, what: str, who: int | str, body: Json = {}) -> httpx.Response:  # noqa: B006 - only read
    return table.api.post(table.path + what, body, table.token(who))


def claim(table: Table, seat: int) -> httpx.Response:
    """Claim a seat with its invite; a seat that was claimed is claimed again by somebody else."""
    invite = table.api.tokens.of_invite(table.id, seat)
    good(table.api.post(f"{table.path}/seats/{seat}/claim", {"invite": invite}))
    return table.api.post(f"{table.path}/seats/{seat}/claim", {"invite": invite})


def deleted(table: Table) -> Table:
    assert table.api.run(table.api.request("DELETE", table.path, table.creator)).status_code == 204
    return table


def expired(table: Table, kept: redis.Redis) -> Table:
    """A game whose time is up: the server has dropped its keys, as it does when their time has come."""
    shard = shard_of(table.id)
    for kind in ("game", "log", "deals"):
        assert kept.pexpire(key(kind, shard, table.id), 0)
    return table


# ---------------------------------------------------------------------------------------------------- every code


@dataclass
class Situation:
    """What it takes to come to any refusal: APIs that are well and unwell, a game that runs, and one that is over."""

    api: Api
    broken: Api
    without_redis: Api
    table: Table
    over: Table
    kept: redis.Redis


@pytest.fixture
def at(api: Api, broken: Api, without_redis: Api, table: Table, kept: redis.Redis) -> Situation:
    over = api.create(options={"first_dealer": 0, "max_deals": 1})
    over.play(PASS, PASS, PASS, PASS)
    return Situation(api, broken, without_redis, table, over, kept)


KEY = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
EVERY_CODE: dict[str, Callable[[Situation], httpx.Response]] = {
    "invalid_request": lambda at: at.api.post("/v1/games", {}),
    "unauthorized": lambda at: at.table.get("/legal-moves"),
    "forbidden": lambda at: at.table.get("/legal-moves", "creator"),
    "advice_forbidden": lambda at: at.api.create(advice=False, options={"first_dealer": 0}).ask_bot(3),
    "not_found": lambda at: at.api.get("/v1/tables"),
    "game_not_found": lambda at: at.api.get("/v1/games/gm_" + "a" * 20),
    "game_expired": lambda at: expired(at.table, at.kept).get(),
    "job_not_found": lambda at: at.api.get("/v1/jobs/jb_1", at.table.tokens[0]),
    "simulation_not_found": lambda at: at.api.get("/v1/simulations/sm_" + "a" * 20),
    "no_rows": lambda at: at.api.get(at.api.post("/v1/simulations", SIMULATE).headers["location"] + "/rows"),
    "unknown_ruleset": lambda at: at.api.get("/v1/rulesets/bridge"),
    "method_not_allowed": lambda at: at.api.run(at.api.request("DELETE", "/v1/games")),
    "not_acceptable": lambda at: at.table.get(accept="text/html"),
    "too_large": lambda at: at.api.post("/v1/games", b" " * (64 * 1024 + 1)),
    "headers_too_large": lambda at: at.api.get("/v1/bots", x_long="x" * 40_000),
    "unsupported_media_type": lambda at: at.api.post("/v1/games", b"{}", content_type="text/plain"),
    "invalid_options": lambda at: at.api.post("/v1/games", {**CREATE, "preset": "bridge"}),
    "idempotency_mismatch": lambda at: [
        at.api.post("/v1/games", {**CREATE, "seed": seed}, idempotency_key=KEY) for seed in ("5e" * 32, "7a" * 32)
    ][1],
    "unknown_bot": lambda at: at.table.ask_bot(3, bot={"bot": "rules", "version": 9}),
    "illegal_move": lambda at: at.table.send(3, bid(6)),
    "no_target": lambda at: at.table.api.run(
        at.table.api.request("PUT", f"{at.table.path}/target", at.table.tokens[0], json={"target": 20})
    ),
    "match_over": lambda at: at.over.send(3, bid(7)),
    "not_started": lambda at: waiting(at.api).get("/legal-moves", 0),
    "not_over": lambda at: at.table.get("/replay"),
    "game_deleted": lambda at: deleted(at.api.create()).get(),
    "seat_taken": lambda at: claim(waiting(at.api, OPEN), 3),
    "seats_open": lambda at: post(waiting(at.api, OPEN), "/start", "creator"),
    "version_conflict": lambda at: at.table.send(3, PASS, 2),
    "not_your_turn": lambda at: at.table.send(0, PASS),
    "rate_limited": one_game_too_many,
    "history_lost": lambda at: at.table.get("/events?after=1-abc"),
    "unavailable": lambda at: at.without_redis.get("/v1/games/gm_" + "a" * 20),
    "internal_error": lambda at: at.broken.post("/v1/games", CREATE),
}


@pytest.mark.parametrize("code", PROBLEMS)
def test_every_code_is_answered_somewhere_with_a_problem_that_says_what_to_do(at: Situation, code: str) -> None:
    """A code that nothing reaches would be a promise to clients that nobody keeps; `refused` checks the document."""
    problem = refused(EVERY_CODE[code](at), code)
    assert problem["detail"].endswith(".")
    assert problem["detail"] != problem["title"]


def test_every_code_is_listed_with_its_status_and_what_to_do(api: Api) -> None:
    listed = {each["code"]: each for each in good(api.get("/v1/errors"))["errors"]}
    assert listed.keys() == PROBLEMS.keys() == EVERY_CODE.keys()
    for code, known in PROBLEMS.items():
        assert listed[code] == {"code": code, "status": known.status, "title": known.title, "advice": known.advice}
        assert known.advice.endswith(".")
        assert 400 <= known.status < 600


def test_every_answer_has_an_id_of_its_own(api: Api, table: Table) -> None:
    answers = [api.get("/v1/errors"), table.get(), table.get("/legal-moves"), api.get("/nothing")]
    answers += [api.run(api.request(method, table.path)) for method in ("HEAD", "OPTIONS", "DELETE")]
    ids = [answer.headers["x-request-id"] for answer in answers]
    assert len(set(ids)) == len(ids)
    assert all(len(answer.headers.get_list("x-request-id")) == 1 for answer in answers)


def test_a_waiting_game_is_not_started_for_anyone(table: Table) -> None:
    game = waiting(table.api)
    refused(game.get("/legal-moves", 0), "not_started")
    refused(game.send(0, PASS, 1), "not_started")


def test_an_expired_game_says_so_whatever_is_asked(table: Table, kept: redis.Redis) -> None:
    expired(table, kept)
    for what in ("", "/events", "/deals", "/legal-moves"):
        refused(table.get(what, 0), "game_expired")
    refused(table.send(3, PASS, 1), "game_expired")
    refused(table.ask_bot(3, expected_version=1), "game_expired")


# ---------------------------------------------------------------------------------------------------- HTTP


NOWHERE = [
    *(
        "/v1",
        "/v1/",
        "/v2/games",
        "/V1/games",
        "/v1/games/",
        "/v1/games/a/b/c",
        "/v1/games//moves",
        "/v1/games/x/seats",
    ),
    *(
        "/v1/games/gm_%2F",
        "/v1/jobs",
        "/v1/jobs/",
        "/health",
        "/favicon.ico",
        "/%00",
        "/%ff%fe",
        "/../etc",
        "/" + "x" * 5000,
    ),
]


@pytest.mark.parametrize("path", NOWHERE)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "BREW"])
def test_a_place_that_is_not_there_is_a_problem_too(api: Api, path: str, method: str) -> None:
    refused(api.run(api.request(method, path)), "not_found")


RESOURCES = {
    "/v1/games": "OPTIONS, POST",
    "/v1/games/gm_x": "DELETE, GET, HEAD, OPTIONS",
    "/v1/games/gm_x/seats/0/claim": "OPTIONS, POST",
    "/v1/games/gm_x/seats/0/token": "OPTIONS, POST",
    "/v1/games/gm_x/start": "OPTIONS, POST",
    "/v1/games/gm_x/return": "OPTIONS, POST",
    "/v1/games/gm_x/resignation": "OPTIONS, POST",
    "/v1/games/gm_x/abandonment": "OPTIONS, POST",
    "/v1/games/gm_x/moves": "OPTIONS, POST",
    "/v1/games/gm_x/bot-moves": "OPTIONS, POST",
    "/v1/games/gm_x/target": "OPTIONS, PUT",
    "/v1/games/gm_x/legal-moves": "GET, HEAD, OPTIONS",
    "/v1/games/gm_x/events": "GET, HEAD, OPTIONS",
    "/v1/games/gm_x/deals": "GET, HEAD, OPTIONS",
    "/v1/games/gm_x/replay": "GET, HEAD, OPTIONS",
    "/v1/jobs/jb_x": "GET, HEAD, OPTIONS",
    "/v1/simulations": "OPTIONS, POST",
    "/v1/simulations/sm_x": "DELETE, GET, HEAD, OPTIONS",
    "/v1/simulations/sm_x/rows": "GET, HEAD, OPTIONS",
    "/v1/rulesets": "GET, HEAD, OPTIONS",
    "/v1/rulesets/tarneeb": "GET, HEAD, OPTIONS",
    "/v1/bots": "GET, HEAD, OPTIONS",
    "/v1/errors": "GET, HEAD, OPTIONS",
    "/v1/limits": "GET, HEAD, OPTIONS",
    "/health/live": "GET, HEAD, OPTIONS",
    "/health/ready": "GET, HEAD, OPTIONS",
}
each_resource = pytest.mark.parametrize(("path", "allowed"), RESOURCES.items(), ids=RESOURCES)


@each_resource
def test_another_method_is_refused_and_told_which_there_are(api: Api, path: str, allowed: str) -> None:
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "BREW"} - set(allowed.split(", ")):
        answer = api.run(api.request(method, path))
        refused(answer, "method_not_allowed")
        assert answer.headers["allow"] == allowed


@each_resource
def test_options_names_the_methods(api: Api, path: str, allowed: str) -> None:
    answer = api.run(api.request("OPTIONS", path))
    assert (answer.status_code, answer.headers["allow"], answer.content) == (204, allowed, b"")


async def body_sent(api: Api, method: str, path: str) -> bytes:
    """The body that the application sends to the server in front of it; clients drop that of HEAD unseen."""
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http"}
    place = {"path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "", "headers": []}
    await api.app({**scope, **place, "server": ("tapete.test", 80), "client": ("test", 1)}, receive, send)
    return b"".join(message.get("body", b"") for message in sent)


def test_head_is_get_without_the_body(api: Api, table: Table) -> None:
    """The same status and headers, the length included; also where it is refused."""
    for path in (
        "/v1/rulesets",
        "/health/live",
        table.path,
        f"{table.path}/events",
        "/v1/games/gm_x",
        "/no",
        "/v1/games",
    ):
        for accept in ("*/*", "text/html"):
            headers = {"accept": accept, "accept-encoding": "identity"}
            got, head = (api.run(api.request(method, path, None, headers)) for method in ("GET", "HEAD"))
            one, other = ({**answer.headers, "x-request-id": ""} for answer in (got, head))
            assert (one, got.status_code) == (other, head.status_code)
            assert int(one["content-length"]) == len(got.content) > 0
        assert api.run(body_sent(api, "HEAD", path)) == b""
        assert api.run(body_sent(api, "GET", path)) != b""


ACCEPTABLE = [
    *("*/*", "application/json", "application/*", "application/problem+json", "", "Application/JSON"),
    *("text/html, application/json;q=0.1", "text/html,*/*;q=0.8", "application/json; charset=utf-8"),
]


@pytest.mark.parametrize("accept", ACCEPTABLE)
def test_whoever_accepts_json_gets_it(table: Table, accept: str) -> None:
    assert good(table.get(accept=accept))["game_id"] == table.id


@pytest.mark.parametrize(
    "accept", ["text/html", "text/*", "image/png, text/plain", "application/json;q=0", "application/xml"]
)
def test_whoever_accepts_no_json_is_refused_before_anything_happens(table: Table, accept: str) -> None:
    refused(table.get(accept=accept), "not_acceptable")
    body = {"expected_version": 1, "move": PASS}
    refused(table.api.post(f"{table.path}/moves", body, table.tokens[3], accept=accept), "not_acceptable")
    assert table.version() == 1


def test_a_body_may_be_as_long_as_the_limit_and_no_longer(api: Api) -> None:
    body = json.dumps(CREATE).encode()
    assert api.post("/v1/games", body + b" " * (64 * 1024 - len(body))).status_code == 201
    refused(api.post("/v1/games", body + b" " * (64 * 1024 - len(body) + 1)), "too_large")


def test_a_body_that_does_not_tell_its_length_is_cut_off_at_the_limit(api: Api) -> None:
    async def chunks(number: int) -> AsyncIterator[bytes]:
        for _ in range(number):
            yield b" " * 1024
        yield json.dumps(CREATE).encode()

    assert api.run(api.request("POST", "/v1/games", None, AS_JSON, content=chunks(60))).status_code == 201
    refused(api.run(api.request("POST", "/v1/games", None, AS_JSON, content=chunks(64))), "too_large")


NOT_JSON = [
    *(
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "",
        "json",
    ),
    *("application/jsonp", "application/problem+json", "text/json", "application/json, text/plain"),
]


@pytest.mark.parametrize("kind", NOT_JSON)
def test_a_body_that_is_not_declared_as_json_is_not_read(api: Api, kind: str) -> None:
    for path in ("/v1/games", "/v1/games/gm_x/moves"):
        answer = api.post(path, json.dumps(CREATE).encode(), content_type=kind)
        refused(answer, "unsupported_media_type" if path == "/v1/games" else "game_not_found")


@pytest.mark.parametrize(
    "kind", ["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"]
)
def test_json_may_be_declared_with_its_only_character_set(api: Api, kind: str) -> None:
    assert api.post("/v1/games", json.dumps(CREATE).encode(), content_type=kind).status_code == 201


NO_OBJECTS = [
    *(b"", b" ", b"{", b"}", b"{]", b"nul", b"{} {}", b"{'a': 1}", b'{"a": NaN}', b'{"a": 01}', b'{"a": 1,}', b"\x00"),
    *(b"\xff\xfe{}", b'{"ruleset": "\xc3\x28"}', b"\xef\xbb\xbf{}", b"[" * 60_000, b'{"a":' * 10_000, b'"\\ud800"'),
    *(b"null", b"7", b'"text"', b"[]", b"true", b'{"ruleset": 1e999}', b'{"ruleset": ' + b"9" * 60_000 + b"}"),
]


@pytest.mark.parametrize("content", NO_OBJECTS, ids=lambda content: content[:12].hex())
def test_what_is_no_json_object_is_refused(api: Api, content: bytes) -> None:
    problem = refused(api.post("/v1/games", content), "invalid_request")
    assert len(problem["errors"]) == 1
    assert problem["errors"][0].keys() == {"pointer", "detail"}


def test_a_member_twice_is_refused(api: Api) -> None:
    """Two readers of the same bytes must not read two moves."""
    twice = json.dumps(CREATE).encode()[:-1] + b', "preset": "tarneeb_31", "preset": "tarneeb_41"}'
    refused(api.post("/v1/games", twice), "invalid_request")


def test_whole_numbers_may_be_written_with_a_point(table: Table) -> None:
    """JSON has one kind of number: 7.0 is the integer 7, and 7.5 is none."""
    sent = b'{"expected_version": 1.0, "move": {"type": "bid", "amount": %s}}'
    path, token = f"{table.path}/moves", table.tokens[3]
    refused(table.api.post(path, sent % b"7.5", token), "invalid_request")
    assert good(table.api.post(path, sent % b"7.0", token))["game"]["deal"]["auction"] == [{"seat": 3, "bid": 7}]


@pytest.mark.parametrize(
    ("move", "pointer"),
    [
        (None, "/move"),
        ([], "/move"),
        ({}, "/move"),
        ({"type": "shout"}, "/move/type"),
        ({"type": 7}, "/move/type"),
        ({"type": "pass", "amount": 7}, "/move"),
        ({"type": "bid"}, "/move"),
        ({"type": "bid", "amount": "7"}, "/move/amount"),
        ({"type": "bid", "amount": None}, "/move/amount"),
        ({"type": "bid", "amount": True}, "/move/amount"),
        ({"type": "play", "card": "1-spades"}, "/move/card"),
        ({"type": "play", "card": "A-spades\n"}, "/move/card"),
        ({"type": "play", "card": "a-spades"}, "/move/card"),
        ({"type": "play", "card": 12}, "/move/card"),
        ({"type": "trump", "suit": "stars"}, "/move/suit"),
    ],
)
def test_what_is_no_move_of_any_game_is_refused_at_its_place(table: Table, move: Json, pointer: str) -> None:
    body = {"expected_version": 1, "move": move}
    problem = refused(table.api.post(f"{table.path}/moves", body, table.tokens[3]), "invalid_request")
    assert [place["pointer"] for place in problem["errors"]] == [pointer]


@pytest.mark.parametrize("version", [-1, 2**53, 10**30, "1", None, 1.5, True])
def test_what_is_no_version_is_refused_at_its_place(table: Table, version: Json) -> None:
    body = {"expected_version": version, "move": PASS}
    problem = refused(table.api.post(f"{table.path}/moves", body, table.tokens[3]), "invalid_request")
    assert [place["pointer"] for place in problem["errors"]] == ["/expected_version"]


# ---------------------------------------------------------------------------------------------------- our own faults


def test_a_fault_of_ours_is_a_problem_without_anything_of_the_inside(
    broken: Api, table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    """The operator finds it in the log by its request id; the client is told nothing that the text holds."""
    elsewhere = replace(table, api=broken)
    answers = [
        broken.post("/v1/games", CREATE),
        elsewhere.get(),
        elsewhere.get("/legal-moves", 3),
        elsewhere.send(3, PASS, 1),
    ]
    for answer in answers:
        problem = refused(answer, "internal_error")
        for inside in (HIDDEN, "RuntimeError", "Traceback", "spades", ".py"):
            assert inside not in answer.text + str(answer.headers)
        assert any(problem["request_id"] in record.getMessage() for record in caplog.records)
    assert {record.levelno for record in caplog.records if record.name == "tapete.api"} == {logging.ERROR}
    assert table.version() == 1


def test_other_requests_go_on_beside_a_fault(broken: Api) -> None:
    refused(broken.post("/v1/games", CREATE), "internal_error")
    good(broken.get("/v1/rulesets"))
    assert broken.get("/health/live").status_code == 200


# ---------------------------------------------------------------------------------------------------- without Redis


def test_without_redis_the_service_says_that_it_is_unavailable_and_what_needs_none_goes_on(
    settings: Settings, tmp_path: Path
) -> None:
    """The game is there again when Redis is, and so is the move that was asked for meanwhile: repeated, made once."""
    server = redis_server.start(tmp_path)
    try:
        with running(replace(settings, redis_url=server.url, queue_redis_url=server.url)) as api:
            table = api.create(options={"first_dealer": 0})
            job = good(table.ask_bot(3))["job_id"]
            view = table.view(3)
            server.stop()
            for answer in (
                table.get(),
                table.get("", 3),
                table.get("/events"),
                table.get("/deals"),
                table.get("/legal-moves", 3),
                table.send(3, bid(7), 1),
                table.ask_bot(3, expected_version=1),
                api.get(f"/v1/jobs/{job}", table.tokens[3]),
                api.post("/v1/games", CREATE),
            ):
                refused(answer, "unavailable")
                assert answer.headers["retry-after"] == "1"
            for path in ("/v1/rulesets", "/v1/bots", "/v1/errors", "/health/live"):
                assert api.get(path).status_code == 200
            ready = api.get("/health/ready")
            assert (ready.status_code, ready.json()["status"], ready.headers["retry-after"]) == (
                503,
                "unavailable",
                "1",
            )
            refused(api.post("/v1/games", {}), "invalid_request")
            server = redis_server.start(tmp_path)
            assert table.view(3) == view
            assert api.get("/health/ready").json()["status"] == "ok"
            assert good(table.send(3, bid(7), 1))["version"] == 2
            assert good(api.get(f"/v1/jobs/{job}", table.tokens[3]))["job_id"] == job
            assert api.create().version() == 1
    finally:
        server.stop()


def test_a_store_that_takes_no_writes_is_unavailable_and_still_read(settings: Settings, tmp_path: Path) -> None:
    """A full server answers reads and refuses the commit, and says nothing of its arguments."""
    server = redis_server.start(tmp_path)
    try:
        with running(replace(settings, redis_url=server.url, queue_redis_url=server.url)) as api:
            table = api.create(options={"first_dealer": 0})
            with redis.Redis.from_url(server.url) as client:
                client.config_set("maxmemory", "1")
                refused(table.send(3, bid(7), 1), "unavailable")
                refused(api.post("/v1/games", CREATE), "unavailable")
                assert table.version() == 1
                client.config_set("maxmemory", "0")
            assert good(table.send(3, bid(7), 1))["version"] == 2
    finally:
        server.stop()


def test_a_game_by_rules_that_this_process_does_not_know_is_left_alone(
    table: Table, kept: redis.Redis, settings: Settings
) -> None:
    """While a new release is rolled out, an old process neither shows nor moves what only the new one understands."""
    where = key("game", shard_of(table.id), table.id)
    header = json.loads(kept.hget(where, "header"))
    kept.hset(where, "header", json.dumps({**header, "rules_version": header["rules_version"] + 1}))
    before = kept_of(kept, table)
    with running(settings) as old:
        elsewhere = replace(table, api=old)
        for answer in (elsewhere.get("", 3), elsewhere.get("/legal-moves", 3), elsewhere.send(3, PASS, 1)):
            refused(answer, "unavailable")
    assert kept_of(kept, table) == before
