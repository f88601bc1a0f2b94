"""Bytes that are no request, or one that two readers could read differently: refused, with a problem, and forgotten."""

import re

import pytest

from tests.contract.published import DOCUMENT
from tests.contract.tables import Mover
from tests.contract.wire import asked, request, told, wire

LAST = "Connection: close"
BODY = b'{"expected_version":1,"move":{"type":"pass"}}'
CHUNKS = b"%x\r\n%s\r\n0\r\n" % (len(BODY), BODY)


def move(mover: Mover, *headers: str, body: bytes = BODY) -> bytes:
    """A move as bytes: these headers say how long its body is."""
    said = (f"Authorization: Bearer {mover.token}", "Content-Type: application/json", LAST, *headers)
    return request(f"POST {mover.path}", *said) + body


# ------------------------------------------------------------------------------------------------------ the first line


@pytest.mark.parametrize(
    "sent",
    [
        b"hello\r\n\r\n",
        b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1",
        b"GET /v1/bots\r\n\r\n",
        b"GET /v1/bots HTTP/0.9\r\nHost: t\r\n\r\n",
        b"GET /v1/bots HTTP/1.2\r\nHost: t\r\n\r\n",
        b"GET /v1/bots HTTP/2.0\r\nHost: t\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /v1/bots http/1.1\r\nHost: t\r\n\r\n",
        b"GET v1/bots HTTP/1.1\r\nHost: t\r\n\r\n",
        b"GET /v1/ bots HTTP/1.1\r\nHost: t\r\n\r\n",
        b"GET /\xe9 HTTP/1.1\r\nHost: t\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\nHost: t\r\n\r\n",
        b"GET ftp://[::1 HTTP/1.1\r\nHost: t\r\n\r\n",
        b"CONNECT t:80 HTTP/1.1\r\nHost: t\r\n\r\n",
        b"FOO /v1/bots HTTP/1.1\r\nHost: t\r\n\r\n",
        b"get /v1/bots HTTP/1.1\r\nHost: t\r\n\r\n",
        b"GET /v1/bots HTTP/1.1\nHost: t\n\n",
    ],
    ids=lambda sent: repr(sent[:40]),
)
def test_what_is_no_request_is_refused_with_a_problem(url: str, sent: bytes) -> None:
    assert told(url, sent).refused("invalid_request")["errors"]


def test_an_address_may_be_written_whole_and_lines_may_come_before_it(url: str) -> None:
    assert asked(url, "GET http://tapete.test/v1/bots")[0] == 200
    assert told(url, b"\r\n\r\n", request("GET /v1/bots", LAST)).status == 200
    assert asked(url, "GET http://tapete.test/v1/../v1/bots")[0] == 404
    assert asked(url, "OPTIONS *")[0] == 404


@pytest.mark.parametrize("path", sorted(DOCUMENT["paths"]))
def test_every_path_is_answered_to_any_method_and_said_by_head_as_by_get(url: str, path: str) -> None:
    """By name or by 405, never by a fault; what HEAD answers has GET's status and no body."""
    named = re.sub(r"\{[a-z_]+\}", "x", path)
    with wire(url) as connection:
        for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "QUERY", "PROPFIND"):
            connection.send(request(f"{method} {named}", "Content-Length: 0"))
            answer = connection.answer(method)
            there = method.lower() in DOCUMENT["paths"][path] or method == "OPTIONS"
            there |= method == "HEAD" and "get" in DOCUMENT["paths"][path]
            assert (answer.status == 405) is not there, (method, answer)
            assert answer.status != 500
            if method == "HEAD":
                assert answer.body == b""
            elif not there:
                answer.refused("method_not_allowed")


# ------------------------------------------------------------------------------------------------------ headers


@pytest.mark.parametrize(
    "header",
    [
        b"Host t2",
        b"X-A : b",
        b": b",
        b"X-\xe9: b",
        b"X-A: b\x01",
        b"X-A: b\x00",
        b"X-A: b\rX-B: c",
        b"X-A: b\r\n folded",
        b"Host: other.test",
        b"Content-Length: -1",
        b"Content-Length: +3",
        b"Content-Length: 3, 3",
        b"Content-Length: 99999999999999999999999",
        b"Content-Length: 0x3",
        b"Content-Length: ",
        b"Transfer-Encoding: gzip",
        b"Transfer-Encoding: chunked, chunked",
        b"Transfer-Encoding: identity",
        b"Transfer-Encoding: xchunked",
    ],
    ids=repr,
)
def test_headers_that_could_be_read_in_two_ways_are_refused(url: str, header: bytes) -> None:
    told(url, b"POST /v1/games HTTP/1.1\r\nHost: t\r\n", header, b"\r\n\r\nabc").refused("invalid_request")


def test_a_request_names_its_host_once_unless_it_is_of_http_1_0(url: str) -> None:
    told(url, b"GET /v1/bots HTTP/1.1\r\n\r\n").refused("invalid_request")
    told(url, b"OPTIONS /v1/bots HTTP/1.1\r\n\r\n").refused("invalid_request")
    answer = told(url, b"GET /v1/bots HTTP/1.0\r\n\r\n")
    assert (answer.status, answer.headers["connection"]) == (200, "close")
    told(url, b"GET /v1/bots HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n").refused("invalid_request")


def test_bytes_beyond_ascii_in_a_value_are_no_fault(url: str) -> None:
    for name in ("X-A", "Accept-Language", "If-None-Match", "Origin", "Prefer", "User-Agent", "X-Forwarded-For"):
        assert asked(url, "GET /v1/bots", f"{name}: \xff\xfe caf\xe9 \x80")[0] == 200
    assert asked(url, "GET /v1/bots", "Accept: caf\xe9/*")[0] == 406
    assert asked(url, "POST /v1/games", "Content-Length: 0", "Content-Type: caf\xe9")[0] == 415


def test_very_many_small_headers_are_one_large_head(url: str) -> None:
    assert asked(url, "GET /v1/bots", *(f"X-{number}: 1" for number in range(2000)))[0] == 200
    status, answer = asked(url, "GET /v1/bots", *(f"X-{number}: 1" for number in range(6000)))
    assert (status, '"code":"headers_too_large"' in answer) == (431, True)


def test_whoever_is_asked_to_change_the_protocol_goes_on_as_before(url: str) -> None:
    upgrade = ("Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA")
    answer = told(url, request("GET /v1/bots", "Connection: close, Upgrade, HTTP2-Settings", *upgrade))
    assert answer.status == 200


# ------------------------------------------------------------------------------------------------------ how long it is


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ((f"Content-Length: {len(BODY)}",) * 2, BODY),
        ((f"Content-Length: {len(BODY)}", "Content-Length: 3"), BODY),
        ((f"Content-Length: {len(BODY)}", "Transfer-Encoding: chunked"), CHUNKS + b"\r\n"),
        (("Transfer-Encoding: chunked", f"Content-Length: {len(BODY)}"), CHUNKS + b"\r\n"),
        (("Transfer-Encoding: gzip, chunked",), CHUNKS + b"\r\n"),
        (("Transfer-Encoding: chunked",), b"zz\r\n" + CHUNKS),
        (("Transfer-Encoding: chunked",), b"-2d\r\n" + CHUNKS),
        (("Transfer-Encoding: chunked",), b"fffffffffffffffff\r\n" + CHUNKS),
        (("Transfer-Encoding: chunked",), b"2c\r\n" + BODY + b"\r\n0\r\n\r\n"),
        (("Transfer-Encoding: chunked",), b"2d\n" + BODY + b"\n0\n\n"),
        (("Transfer-Encoding: chunked",), b"2d;a=\x01\r\n" + BODY + b"\r\n0\r\n\r\n"),
    ],
    ids=lambda value: repr(value)[:50],
)
def test_a_move_of_unclear_length_is_refused_and_not_made(
    url: str, mover: Mover, headers: tuple[str, ...], body: bytes
) -> None:
    told(url, move(mover, *headers, body=body)).refused("invalid_request")
    assert mover.version() == 1


def test_without_a_length_there_is_no_body_and_what_follows_is_another_request(url: str, mover: Mover) -> None:
    told(url, move(mover)).refused("invalid_request")
    assert mover.version() == 1


def test_chunks_may_have_extensions(url: str, mover: Mover) -> None:
    chunks = b"%x;a=b;c\r\n%s\r\n0;d\r\n\r\n" % (len(BODY), BODY)
    assert told(url, move(mover, "Transfer-Encoding: chunked", body=chunks)).status == 200
    assert mover.version() == 2


def test_what_stands_behind_the_last_chunk_is_no_header(url: str, mover: Mover) -> None:
    """Who asks is decided before the body: no token comes after it, and none is spoilt by one."""
    trailer = f"Authorization: Bearer {mover.token}\r\n\r\n".encode()
    bare = request(f"POST {mover.path}", "Content-Type: application/json", "Transfer-Encoding: chunked", LAST)
    told(url, bare, CHUNKS, trailer).refused("unauthorized")
    assert mover.version() == 1
    assert told(url, move(mover, "Transfer-Encoding: chunked", body=CHUNKS + trailer)).status == 200


@pytest.mark.parametrize("piece", [b"X-A: " + b"x" * 4000 + b"\r\n", b"y" * 4000], ids=["many", "one"])
def test_trailers_without_an_end_are_cut_off(url: str, mover: Mover, piece: bytes) -> None:
    """They count as a head does, and nothing comes of the request."""
    with wire(url) as connection:
        connection.send(move(mover, "Transfer-Encoding: chunked", body=CHUNKS), b"X-First: ")
        try:
            for _ in range(100):
                connection.send(piece)
            connection.send(b"\r\n\r\n")
            connection.answer().refused("headers_too_large")
        except ConnectionError:
            pass  # closed while it was still sending, and the answer lost with it
    assert mover.version() == 1


def test_a_body_that_nobody_asked_for_is_read_over(url: str) -> None:
    with wire(url) as connection:
        connection.send(request("GET /v1/bots", "Content-Length: 3"), b"abc", request("GET /v1/errors", LAST))
        assert [connection.answer().status for _ in range(2)] == [200, 200]


def test_a_body_declared_beyond_the_limit_is_refused_before_it_comes(url: str, mover: Mover) -> None:
    told(url, move(mover, "Content-Length: 999999999", body=b"{")).refused("too_large")
    assert mover.version() == 1


def test_whoever_waits_to_be_told_to_go_on_is_told_only_where_the_body_is_wanted(url: str, mover: Mover) -> None:
    head = move(mover, f"Content-Length: {len(BODY)}", "Expect: 100-continue", body=b"")
    with wire(url) as connection:
        connection.send(head)
        assert connection.connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.send(BODY)
        assert connection.answer().status == 200
    with wire(url) as connection:
        connection.send(head.replace(b"application/json", b"text/plain"))
        connection.answer().refused("unsupported_media_type")
