"""The server as a process: whose word counts for who asks, and heads without an end."""

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import httpx
import pytest

from service.rates import MOST_HEADERS
from tests.contract.wire import asked
from tests.processes import SECRET, tapete
from tests.service.players import PLAYERS

CREATE = {"ruleset": "tarneeb", "seats": PLAYERS}
CLIENTS = iter(f"198.51.100.{number}" for number in range(1, 250))


@contextmanager
def api(redis_url: str, **environ: str) -> Iterator[httpx.Client]:
    """`tapete api` with these variables, and a client of it."""
    alone = {"REDIS_URL": f"{redis_url}?db=3", "TAPETE_SECRET": SECRET, **environ}
    with tapete("api", "--port", "0", **alone) as running:
        url = running.wait_for(r"^The API answers at (http://\S+)$")[1]
        with httpx.Client(base_url=url) as client:
            yield client
        assert not re.search(r"198\.51\.100\.|2001:db8", running.output), "an address was logged"


def created(client: httpx.Client, forwarded: str) -> int:
    return client.post("/v1/games", json=CREATE, headers={"X-Forwarded-For": forwarded}).status_code


def test_nobodys_word_counts_for_who_asks_by_default(redis_url: str) -> None:
    """Otherwise whoever is limited would only have to name another address; also where it comes from this machine."""
    with api(redis_url, TAPETE_LIMITS="games=1/hour", FORWARDED_ALLOW_IPS="*") as client:
        statuses = [created(client, next(CLIENTS)) for _ in range(3)]
        assert statuses == [201, 429, 429]


def test_a_trusted_proxys_word_counts(redis_url: str) -> None:
    with api(redis_url, TAPETE_LIMITS="games=1/hour", TAPETE_TRUSTED_PROXIES="127.0.0.0/8, 10.0.0.0/8") as client:
        one, other = next(CLIENTS), next(CLIENTS)
        assert [created(client, address) for address in (one, one, other, other)] == [201, 429, 201, 429]
        # What a client put there itself stands before what the proxies added, and counts for nothing.
        assert created(client, f"{next(CLIENTS)}, {one}") == 429
        assert created(client, f"{one}, {next(CLIENTS)}, 10.1.2.3") == 201
        assert [created(client, f"2001:db8:7:7::{host}") for host in ("1", "2")] == [201, 429]


def test_a_proxy_that_is_not_trusted_is_a_client(redis_url: str) -> None:
    with api(redis_url, TAPETE_LIMITS="games=1/hour guesses=off", TAPETE_TRUSTED_PROXIES="10.0.0.0/8") as client:
        assert [created(client, next(CLIENTS)) for _ in range(2)].count(201) <= 1


def test_a_wrong_proxy_or_origin_is_refused_at_the_start(redis_url: str) -> None:
    for wrong in ({"TAPETE_TRUSTED_PROXIES": "proxy.example"}, {"TAPETE_CORS_ORIGINS": "https://a.example/"}):
        with tapete("api", "--port", "0", REDIS_URL=redis_url, TAPETE_SECRET=SECRET, **wrong) as running:
            assert running.exit_code() == 78
            assert next(iter(wrong)) in running.output


@pytest.fixture(scope="module")
def url(redis_url: str) -> Iterator[str]:
    with api(redis_url) as client:
        yield str(client.base_url)


def address_of(url: str) -> tuple[str, int]:
    at = httpx.URL(url)
    return at.host, at.port or 0


@pytest.mark.parametrize("piece", [b"x" * 4096, b"x\r\nX-More: " + b"y" * 4000], ids=["one", "many"])
def test_headers_without_an_end_are_cut_off_and_told_why(url: str, piece: bytes) -> None:
    """The parser would keep them for ever: the connection is closed long before a megabyte is taken."""
    with socket.create_connection(address_of(url), timeout=0.02) as connection:
        connection.sendall(b"GET /v1/bots HTTP/1.1\r\nHost: tapete.test\r\nX-Long: ")
        answer = b""
        try:
            for _ in range(64 * MOST_HEADERS // len(piece)):
                with suppress(TimeoutError):
                    connection.sendall(piece)
                    answer = connection.recv(1000)
                    break
        except ConnectionError:
            answer = b"HTTP/1.1 431 "  # the answer is lost where the reset overtakes it
        assert answer.startswith(b"HTTP/1.1 431 "), "everything was taken"
    assert httpx.get(f"{url}/health/live").status_code == 200


def test_a_head_that_fits_is_taken_in_any_pieces(url: str) -> None:
    with socket.create_connection(address_of(url), timeout=30) as connection:
        head = (
            b"GET /v1/bots HTTP/1.1\r\nHost: t\r\nConnection: close\r\nX-Long: "
            + b"x" * (MOST_HEADERS - 2000)
            + b"\r\n\r\n"
        )
        for at in range(0, len(head), 5000):
            connection.sendall(head[at : at + 5000])
        assert connection.recv(100).startswith(b"HTTP/1.1 200 ")


def test_a_large_body_is_no_large_head_and_the_next_request_is_counted_anew(url: str) -> None:
    with socket.create_connection(address_of(url), timeout=30) as connection:
        reader = connection.makefile("rb")
        for _ in range(3):
            body = b" " * 60_000
            connection.sendall(b"POST /v1/games HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\n")
            connection.sendall(b"Content-Length: %d\r\n\r\n" % len(body))
            for at in range(0, len(body), 10_000):
                connection.sendall(body[at : at + 10_000])
            assert reader.readline().startswith(b"HTTP/1.1 400 ")
            length = 0
            while (line := reader.readline().strip().lower()) != b"":
                if line.startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            reader.read(length)


@pytest.mark.parametrize(
    "headers",
    [
        ("Authorization: Bearer " + "x" * 201,),
        ("Authorization: Bearer " + "x" * 8000,),
        ("Authorization: Bearer a", "Authorization: Bearer a"),
        ("Authorization: Bearer a", "authorization: bearer b"),
        ("Authorization: ",),
        ("Authorization: Bearer \x01",),
        ("Authorization: Bearer a\tb",),
        ("Authorization: Bearer tk_",),
        ("Authorization: Bearer tk_\xff",),
    ],
    ids=lambda headers: headers[-1][:30],
)
def test_an_odd_authorization_is_refused_and_never_taken_for_none(url: str, headers: tuple[str, ...]) -> None:
    game = httpx.post(f"{url}/v1/games", json=CREATE).json()["game"]["game_id"]
    status, answer = asked(url, f"GET /v1/games/{game}", *headers)
    assert status in (400, 401)
    assert '"hand"' not in answer
    assert game not in answer


def test_an_upgrade_to_a_socket_is_answered_as_a_plain_request(url: str) -> None:
    status, _ = asked(url, "GET /v1/bots", "Upgrade: websocket", "Sec-WebSocket-Key: eA==", "Sec-WebSocket-Version: 13")
    assert status == 200
