"""Connections: several requests in one packet, clients that stop half-way, go, or take all the time in the world."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.contract.tables import Mover
from tests.contract.wire import Wire, request, wire
from tests.processes import ROOT, SECRET, environment, wait_until

LAST = "Connection: close"
BODY = b'{"expected_version":1,"move":{"type":"pass"}}'


def move(mover: Mover, *headers: str, body: bytes = BODY) -> bytes:
    return request(f"POST {mover.path}", f"Authorization: Bearer {mover.token}", *headers, body=body)


def poll(mover: Mover, seconds: int) -> bytes:
    """A request that waits for news of the game."""
    return request(f"GET {events(mover)}&wait={seconds}")


def events(mover: Mover) -> str:
    """Where the log goes on from now."""
    cursor = mover.client.get(f"/v1/games/{mover.game.id}").json()["cursor"]
    return f"/v1/games/{mover.game.id}/events?after={cursor}"


# ------------------------------------------------------------------------------------------------------ pipelined


def test_requests_in_one_packet_are_answered_in_their_order_and_a_move_among_them_is_made_once(
    url: str, mover: Mover
) -> None:
    view = request(f"GET /v1/games/{mover.game.id}")
    with wire(url) as sent:
        sent.send(view, move(mover), request("GET /nothing"), move(mover), view, request("HEAD /v1/bots", LAST))
        before, made, nothing, again, after = (sent.answer() for _ in range(5))
        head = sent.answer("HEAD")
        assert sent.ended()
    assert [each.status for each in (before, made, nothing, again, after, head)] == [200, 200, 404, 200, 200, 200]
    assert (b'"version":1,' in before.body, b'"version":2,' in after.body) == (True, True)
    assert "idempotency-replayed" not in made.headers
    assert again.headers["idempotency-replayed"] == "true"


def test_what_is_broken_is_refused_after_the_answers_to_what_came_before_it(url: str, mover: Mover) -> None:
    """Otherwise a client would take the refusal for the answer to its move."""
    chunked = request("POST /v1/games", "Content-Type: application/json", "Transfer-Encoding: chunked")
    for broken in (b"nonsense\r\n\r\n", chunked + b"zz\r\n", chunked + b"1\r\n{\r\nzz\r\n"):
        with wire(url) as sent:
            sent.send(move(mover), request("GET /v1/bots"), broken, request("GET /v1/errors"))
            assert [sent.answer().status for _ in range(2)] == [200, 200]
            sent.answer().refused("invalid_request")
            assert sent.ended()
    assert mover.version() == 2


def test_what_breaks_behind_a_request_that_waits_is_refused_when_that_is_answered(url: str, mover: Mover) -> None:
    with wire(url) as sent:
        sent.send(poll(mover, 25), b"nonsense\r\n\r\n")
        assert mover.send(BODY).status_code == 200
        assert b'"version":2' in sent.answer().body
        sent.answer().refused("invalid_request")
        assert sent.ended()


def test_after_an_error_a_connection_goes_on_where_the_request_could_be_read(url: str, mover: Mover) -> None:
    with wire(url) as sent:
        for broken, status in (
            (request("GET /nothing"), 404),
            (request("PATCH /v1/bots"), 405),
            (request("GET /v1/bots", "Accept: text/csv"), 406),
            (move(mover, body=b"{"), 400),
            (move(mover, body=BODY.replace(b"1", b"7")), 409),
            (move(mover, "Content-Encoding: gzip"), 415),
            (request(f"POST {mover.path}", body=BODY), 401),
        ):
            sent.send(broken)
            answer = sent.answer()
            assert answer.status == status
            assert "connection" not in answer.headers
        sent.send(move(mover, LAST))
        assert sent.answer().status == 200


# ------------------------------------------------------------------------------------------------------ half-closed


def test_a_client_that_has_said_all_it_will_still_gets_its_answers(url: str, mover: Mover) -> None:
    with wire(url) as sent:
        sent.send(move(mover), request("GET /v1/bots"), move(mover))
        sent.shut()
        answers = [sent.answer() for _ in range(3)]
        assert sent.ended()
    assert [each.status for each in answers] == [200, 200, 200]
    assert mover.version() == 2


def test_so_does_one_whose_request_is_refused_unread(url: str) -> None:
    with wire(url) as sent:
        sent.send(b"nonsense\r\n\r\n")
        sent.shut()
        sent.answer().refused("invalid_request")
        assert sent.ended()


@pytest.mark.parametrize(("accept", "more"), [("application/json", "&wait=25"), ("text/event-stream", "")])
def test_but_nobody_waits_for_news_who_may_have_gone(url: str, mover: Mover, accept: str, more: str) -> None:
    """From here a client that went looks the same; its place among those who wait is free at once."""
    with wire(url) as sent:
        sent.send(request(f"GET {events(mover)}{more}", f"Accept: {accept}"))
        wait_until(lambda: waiting(mover) == 1, lambda: "a reader")
        sent.shut()
        assert b"items" not in sent.rest(), "it waited on, and was answered when the time was over"
    wait_until(lambda: waiting(mover) == 0, lambda: "the reader's end")


def waiting(mover: Mover) -> int:
    """How many readers wait for news."""
    found = re.search(r"^tapete_readers (\d+)\.0$", mover.client.get("/metrics").text, re.MULTILINE)
    assert found is not None
    return int(found[1])


def test_a_body_that_stops_half_way_makes_no_move(url: str, mover: Mover) -> None:
    chunked = move(mover).partition(b"Content-Length")[0] + b"Content-Type: application/json\r\n"
    for begun in (
        move(mover)[:-1],
        move(mover)[: -len(BODY)],
        chunked + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(BODY), BODY),
    ):
        with wire(url) as sent:
            sent.send(begun)
            sent.shut()
            assert sent.ended()
        with wire(url) as sent:
            sent.send(begun)
            sent.vanish()
    assert mover.version() == 1
    assert mover.send(BODY).json()["version"] == 2


def test_a_move_whose_client_has_gone_is_made_once_if_at_all(url: str, mover: Mover) -> None:
    for _ in range(5):
        with wire(url) as sent:
            sent.send(move(mover))
            sent.vanish()
    again = mover.send(BODY)
    assert (again.status_code, again.json()["version"], mover.version()) == (200, 2, 2)


# ------------------------------------------------------------------------------------------------------ slow


@pytest.fixture(scope="module")
def impatient(redis_url: str) -> Iterator[str]:
    """A service that waits for a request no longer than a second, so that its tests need not wait long either."""
    program = "import service.connection as c; c.ARRIVAL_SECONDS = 1.0; import service.cli; service.cli.main()"
    alone = {"REDIS_URL": f"{redis_url}?db=2", "TAPETE_SECRET": SECRET, "TAPETE_LIMITS": "off"}
    started = [sys.executable, "-c", program, "api", "--port", "0"]
    with subprocess.Popen(
        started, cwd=ROOT, env=environment(alone), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as api:
        assert api.stdout is not None
        yield next(found[1] for line in api.stdout if (found := re.match(r"The API answers at (http://\S+)$", line)))
        api.terminate()
        said = api.stdout.read()
        assert not re.search(r"Traceback|ERROR", said), said


def trickle(sent: Wire, content: bytes) -> bool:
    """Send a byte at a time, with pauses; whether the service closed the connection before all had been sent."""
    with suppress(ConnectionError):
        for at in range(len(content)):
            sent.send(content[at : at + 1])
            time.sleep(0.1)
        return False
    return True


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"GET",
        b"\r\n",
        b"GET /v1/bots HTTP/1.1\r\nHost: t\r\n",
        b"POST /v1/games HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
        b"POST /v1/games HTTP/1.1\r\nHost: t\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{",
    ],
    ids=repr,
)
def test_what_never_arrives_whole_is_not_waited_for(impatient: str, begun: bytes) -> None:
    with wire(impatient) as sent:
        sent.send(begun)
        while not sent.ended():
            pass


def test_neither_is_what_comes_a_byte_at_a_time(impatient: str) -> None:
    with wire(impatient) as sent:
        assert trickle(sent, b"GET /v1/bots HTTP/1.1\r\nHost: t\r\nX-Slow: " + b"x" * 500)
    with wire(impatient) as sent:
        sent.send(request("POST /v1/games", "Content-Length: 500", "Content-Type: application/json"))
        assert trickle(sent, b" " * 500)


def test_time_is_counted_for_each_request_and_not_while_an_answer_is_awaited(impatient: str, mover: Mover) -> None:
    """A poll may wait longer than a request may take, and what we do not read meanwhile is not late for that."""
    with wire(impatient) as sent:
        for _ in range(3):
            sent.send(request("GET /v1/bots"))
            assert sent.answer().status == 200
            time.sleep(0.5)
        sent.send(poll(mover, 3))
        time.sleep(0.5)
        sent.send(move(mover)[:-1])
        assert sent.answer().status == 200
        sent.send(BODY[-1:])
        assert sent.answer().status == 200
