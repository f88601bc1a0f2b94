import httpx
import pytest
import redis

from tests.service.players import refused
from tests.streams.readers import STREAM, Table

# ---------------------------------------------------------------------------------------------------- who gets a stream


@pytest.mark.parametrize(
    "accept",
    [
        *("text/event-stream", "Text/Event-Stream", "text/event-stream; charset=utf-8", "text/event-stream;q=0.1"),
        *("application/json, text/event-stream", "text/event-stream, */*", "text/html,text/event-stream"),
        *("application/json;q=0.8, text/event-stream;q=0.9", "text/event-stream ;q=1.0"),
    ],
)
def test_whoever_likes_a_stream_as_much_as_json_gets_one(finished: Table, accept: str) -> None:
    assert finished.get("/events?max_items=1", accept=accept).headers["content-type"].startswith(STREAM)


@pytest.mark.parametrize(
    "accept",
    [
        *("*/*", "application/json", "", "application/*", "text/event-stream;q=0, application/json"),
        *("text/event-stream;q=0.5, application/json;q=0.6", "text/event-stream;Q=0.000,*/*;q=0.1"),
        *("text/event-stream; q=0.9, */*", "text/event-stream;q=0;x=1, */*", "text/event-streams, application/json"),
    ],
)
def test_whoever_likes_json_better_gets_a_page(finished: Table, accept: str) -> None:
    answer = finished.get("/events?max_items=1", accept=accept)
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["vary"] == "Accept, Authorization"


@pytest.mark.parametrize("accept", ["text/event-stream;q=0", "text/event-stream;q=0.0", "text/*", "text/html"])
def test_whoever_accepts_neither_is_refused(finished: Table, accept: str) -> None:
    refused(finished.get("/events", accept=accept), "not_acceptable")


# ---------------------------------------------------------------------------------------------------- refusals

WRONG = ("", "now", "7", "-1-abc", "01-abc", "1-ABC", "1-abcdefabcdefa", f"{'9' * 17}-abc", "0")


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        *((f"max_items={wrong}", "max_items") for wrong in ("0", "-1", "1001", "ten", "", "1.5")),
        *((f"wait={wrong}", "wait") for wrong in ("-1", "26", "ten", "", "1.5", "%D9%A1")),
        *((f"limit={wrong}", "limit") for wrong in ("0", "1001")),
        *((f"after={wrong}", "after") for wrong in WRONG),
        *(("max_items=1&max_items=1", "max_items"), ("wait=1&wait=1", "wait"), ("last-event-id=0-", "last-event-id")),
    ],
)
@pytest.mark.parametrize("accept", [STREAM, "application/json"])
def test_a_query_that_is_wrong_is_refused_before_anything_is_sent(
    finished: Table, query: str, parameter: str, accept: str
) -> None:
    """A page and a stream refuse the same, in a finished game too: no client finds out late."""
    last = finished.log()[-1]["cursor"]
    known = {} if parameter == "after" else {"last_event_id": last}
    problem = refused(finished.get(f"/events?{query}", accept=accept, **known), "invalid_request")
    assert [place["parameter"] for place in problem["errors"]] == [parameter]


@pytest.mark.parametrize("wrong", WRONG)
def test_a_last_event_id_that_is_no_cursor_is_refused_by_its_name(finished: Table, wrong: str) -> None:
    problem = refused(finished.get("/events", accept=STREAM, last_event_id=wrong), "invalid_request")
    assert [place["parameter"] for place in problem["errors"]] == ["Last-Event-ID"]


def test_two_last_event_ids_are_refused(url: str, finished: Table) -> None:
    twice = [("accept", STREAM), ("last-event-id", "0-"), ("last-event-id", "0-")]
    problem = refused(httpx.get(f"{url}{finished.path}/events", headers=twice), "invalid_request")
    assert [place["parameter"] for place in problem["errors"]] == ["Last-Event-ID"]


def test_a_stream_of_no_game_or_for_nobody_is_refused(url: str, table: Table, finished: Table) -> None:
    with httpx.Client(base_url=url, headers={"accept": STREAM}) as client:
        refused(client.get("/v1/games/gm_x/events"), "game_not_found")
        refused(client.get(f"/v1/games/gm_{'a' * 20}/events"), "game_not_found")
        for token in (finished.tokens[1], f"{table.tokens[1]}x", "seat9.0.x"):
            headers = {"authorization": f"Bearer {token}"}
            refused(client.get(f"{table.path}/events", headers=headers), "unauthorized")


def test_a_stream_of_an_expired_game_is_refused(database: str, table: Table) -> None:
    with redis.Redis.from_url(database) as kept:
        gone = [name for name in kept.keys(f"*{table.id}") if b":gone:" not in name]
        assert kept.delete(*gone) == 3
    refused(table.get("/events", accept=STREAM), "game_expired")
    refused(table.get("/events?wait=25"), "game_expired")


def test_a_cursor_of_another_history_is_refused_before_the_stream(table: Table, finished: Table) -> None:
    table.play(3)
    version, _, tail = table.game["cursor"].partition("-")
    for wrong in (finished.log()[2]["cursor"], f"{version}-{tail[::-1]}", "99-abcdefabcdef", f"{10**15}-a", "1-"):
        refused(table.get("/events", accept=STREAM, last_event_id=wrong), "history_lost")
        refused(table.get(f"/events?after={wrong}", accept=STREAM), "history_lost")
        refused(table.get(f"/events?after={wrong}&wait=25"), "history_lost")
