"""What pages of other origins may do, and what every answer tells a browser."""

from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest

from service.browsers import ASKED_WITH, EXPOSED
from service.rates import Rate
from service.settings import Settings
from tests.contract.published import DOCUMENT, followed
from tests.service.players import AS_JSON, PLAYERS, Api, good, refused, running

OURS, OTHER = "https://table.example", "https://evil.example"
CREATE = {"ruleset": "tarneeb", "seats": PLAYERS}
JSON_POLICY = "default-src 'none'; frame-ancestors 'none'"


@pytest.fixture(scope="module")
def open_api(settings: Settings) -> Iterator[Api]:
    """An API that two origins' pages may ask."""
    with running(replace(settings, cors_origins=(OURS, "capacitor://localhost"))) as started:
        yield started


def asked(api: Api, method: str, path: str, origin: str = "", **headers: str) -> httpx.Response:
    sent = {
        **({"origin": origin} if origin else {}),
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    return api.run(api.request(method, path, None, sent))


def told(answer: httpx.Response) -> dict[str, str]:
    """What an answer says of CORS."""
    return {name: value for name, value in answer.headers.items() if name.startswith("access-control-")}


def preflight(api: Api, path: str, method: str, origin: str = OURS) -> httpx.Response:
    return asked(
        api,
        "OPTIONS",
        path,
        origin,
        access_control_request_method=method,
        access_control_request_headers="authorization",
    )


# ---------------------------------------------------------------------------------------------------- CORS


@pytest.mark.parametrize("origin", [OURS, OTHER, "null", "*", ""])
def test_closed_by_default_no_answer_says_a_word_of_it(api: Api, origin: str) -> None:
    answers = [asked(api, method, path, origin) for method in ("GET", "OPTIONS") for path in ("/v1/bots", "/v1/games")]
    answers += [preflight(api, "/v1/games", "POST", origin), asked(api, "GET", "/nothing", origin)]
    for answer in answers:
        assert told(answer) == {}
        assert "origin" not in answer.headers.get("vary", "").lower()


@pytest.mark.parametrize("origin", [OURS, "capacitor://localhost"])
def test_a_listed_origins_page_may_read_any_answer_refusals_too(open_api: Api, origin: str) -> None:
    table = open_api.create()
    for path in (
        "/v1/bots",
        table.path,
        f"{table.path}/events",
        "/nothing",
        f"{table.path}/legal-moves",
        "/openapi.json",
    ):
        answer = asked(open_api, "GET", path, origin)
        assert told(answer) == {
            "access-control-allow-origin": origin,
            "access-control-expose-headers": EXPOSED.decode(),
        }
        assert "Origin" in answer.headers["vary"]


def test_what_an_answer_varies_by_besides_is_still_there(open_api: Api) -> None:
    vary = asked(open_api, "GET", open_api.create().path, OURS).headers["vary"]
    assert {each.strip() for each in vary.split(",")} == {"Authorization", "Origin"}


@pytest.mark.parametrize(
    "origin",
    [
        OTHER,
        "null",
        "*",
        f"{OURS}.evil.example",
        f"{OURS}:443",
        "http://table.example",
        "https://Table.example",
        OURS + "/",
    ],
)
def test_any_other_origins_page_may_not(open_api: Api, origin: str) -> None:
    for answer in (asked(open_api, "GET", "/v1/bots", origin), preflight(open_api, "/v1/games", "POST", origin)):
        assert told(answer) == {}
        # A cache must not give this answer to a page that may read it, nor the other way round.
        assert "Origin" in answer.headers["vary"]
    assert "Origin" in asked(open_api, "GET", "/v1/bots").headers["vary"]


@pytest.mark.parametrize("path", [path for path in DOCUMENT["paths"] if path.startswith("/v1/")])
def test_a_preflight_allows_what_the_resource_has_and_every_header_that_it_takes(open_api: Api, path: str) -> None:
    named = path.replace("{game_id}", "gm_x").replace("{job_id}", "jb_x").replace("{seat}", "0")
    for method, written in DOCUMENT["paths"][path].items():
        answer = preflight(open_api, named.replace("{ruleset}", "tarneeb"), method.upper())
        assert (answer.status_code, answer.content) == (204, b"")
        assert method.upper() in answer.headers["access-control-allow-methods"].split(", ")
        assert answer.headers["access-control-allow-origin"] == OURS
        assert int(answer.headers["access-control-max-age"]) > 0
        parameters = map(followed, written.get("parameters", ()))
        taken = {each["name"] for each in parameters if each["in"] == "header"}
        assert taken | {"Authorization", "Content-Type"} <= set(ASKED_WITH.decode().split(", "))
        ours = {name for each in map(followed, written["responses"].values()) for name in each["headers"]}
        # The others are for caches, and no script reads them.
        assert ours - {"Cache-Control", "Content-Encoding", "Vary"} <= set(EXPOSED.decode().split(", "))


def test_options_that_is_no_preflight_is_answered_as_ever(open_api: Api) -> None:
    answer = asked(open_api, "OPTIONS", "/v1/games", OURS)
    assert (answer.status_code, answer.headers["allow"]) == (204, "OPTIONS, POST")
    assert "access-control-allow-methods" not in answer.headers


def test_no_browser_is_ever_told_to_send_cookies(open_api: Api) -> None:
    for answer in (asked(open_api, "GET", "/v1/bots", OURS), preflight(open_api, "/v1/games", "POST")):
        assert "access-control-allow-credentials" not in answer.headers


def test_streams_and_refusals_for_a_limit_can_be_read_too(settings: Settings) -> None:
    with running(replace(settings, cors_origins=(OURS,), limits={"games": Rate(1, 3600)})) as api:
        path = api.create().path
        stream = asked(api, "GET", f"{path}/events?max_items=1", OURS, accept="text/event-stream")
        assert stream.headers["content-type"].startswith("text/event-stream")
        limited = api.run(api.request("POST", "/v1/games", None, {**AS_JSON, "origin": OURS}, json=CREATE))
        refused(limited, "rate_limited")
        for answer in (stream, limited):
            assert answer.headers["access-control-allow-origin"] == OURS
        assert "Retry-After" in limited.headers["access-control-expose-headers"]


def test_all_origins_may_be_let_in(settings: Settings) -> None:
    with running(replace(settings, cors_origins=("*",))) as api:
        answer = asked(api, "GET", "/v1/bots", OTHER)
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "origin" not in answer.headers["vary"].lower()
        assert told(asked(api, "GET", "/v1/bots")) == {}


# ---------------------------------------------------------------------------------------------------- every answer


def test_every_answer_carries_the_security_headers(api: Api) -> None:
    path = api.create().path
    stream = {"accept": "text/event-stream"}
    answers = [
        asked(api, method, place)
        for method in ("GET", "HEAD", "OPTIONS", "BREW")
        for place in ("/v1/bots", path, "/no")
    ]
    answers += [
        asked(api, "GET", place)
        for place in ("/health/live", "/metrics", "/openapi.json", "/", "/docs", "/docs/docs.js")
    ]
    answers += [api.run(api.request("GET", f"{path}/events?max_items=1", None, stream)), api.post("/v1/games", b"{")]
    assert len({answer.status_code for answer in answers}) >= 6
    for answer in answers:
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert "strict-transport-security" not in answer.headers, "that is for whoever ends TLS"
        assert "server" not in answer.headers


def test_json_may_load_nothing_and_the_reference_only_its_own(api: Api) -> None:
    for path in ("/v1/bots", "/nothing", "/openapi.json"):
        assert asked(api, "GET", path).headers["content-security-policy"] == JSON_POLICY
    page = asked(api, "GET", "/docs").headers["content-security-policy"]
    assert "script-src 'self'" in page
    assert page.startswith("default-src 'none'")


# ---------------------------------------------------------------------------------------------------- sizes and ids


def test_headers_may_be_as_long_as_the_limit_and_no_longer(api: Api) -> None:
    listed = {each["limit_key"]: each["value"] for each in good(api.get("/v1/limits"))["limits"]}
    most = listed["header_bytes"]
    assert api.get("/v1/bots", x_long="x" * (most - 1000)).status_code == 200
    refused(api.get("/v1/bots", x_long="x" * most), "headers_too_large")
    table = api.create(options={"first_dealer": 0})
    refused(table.get("", 3, x_long="x" * most), "headers_too_large")
    refused(api.get(f"/v1/rulesets/{'x' * most}"), "headers_too_large")
    many = [(f"x-{number}", "y") for number in range(most // 4)]
    refused(api.run(api.client.get("/v1/bots", headers=many)), "headers_too_large")


@pytest.mark.parametrize("name", ["x_request_id", "x_correlation_id", "traceparent"])
def test_no_request_id_is_taken_from_a_client(api: Api, name: str) -> None:
    """The log names requests by it, so nobody else may choose it, and what is sent is not repeated anywhere."""
    answer = api.get("/nothing", **{name: "mine-<script>"})
    assert "mine" not in answer.text + str(answer.headers)
    assert answer.json()["request_id"] == answer.headers["x-request-id"]
