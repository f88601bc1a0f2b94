"""Requests as bytes: what no client library would send, or would mend."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPResponse
from typing import Any
from urllib.parse import urlsplit

from service.errors import PROBLEMS

PATIENCE = 30.0
"""Seconds after which an answer is given up."""


@dataclass
class Answer:
    """One answer, read as HTTP has it."""

    status: int
    headers: dict[str, str]
    body: bytes

    def refused(self, code: str) -> dict[str, Any]:
        """The problem document that it is; fails where it is none of this code, or has no request id."""
        assert self.headers["content-type"] == "application/problem+json", self
        problem: dict[str, Any] = json.loads(self.body)
        assert (problem["code"], problem["status"], self.status) == (code, self.status, PROBLEMS[code].status), self
        assert problem["request_id"] == self.headers["x-request-id"]
        assert self.headers["x-content-type-options"] == "nosniff"
        return problem


class Wire:
    """A connection to the service."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self._reader = connection.makefile("rb")

    def send(self, *pieces: bytes) -> None:
        """Send these bytes, as one."""
        self.connection.sendall(b"".join(pieces))

    def shut(self) -> None:
        """Say that nothing more will be sent."""
        self.connection.shutdown(socket.SHUT_WR)

    def vanish(self) -> None:
        """Go without a word: what comes from the other side is answered with a reset."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        self.close()

    def close(self) -> None:
        """Let it go."""
        self._reader.close()
        self.connection.close()

    def answer(self, method: str = "GET") -> Answer:
        """The next answer."""
        response = HTTPResponse(_Socket(self._reader), method=method)  # type: ignore[arg-type] # it only reads
        response.begin()
        headers = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, headers, response.read())

    def rest(self) -> bytes:
        """Everything until the service closes the connection."""
        return b"".join(iter(lambda: self._reader.read(65536), b""))

    def ended(self) -> bool:
        """Whether the service says no more, and has closed the connection."""
        return self._reader.read(1) == b""


class _Socket:
    """Gives every response the same reader, so that none takes what belongs to the next."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def makefile(self, _mode: str) -> Any:
        """The reader, which the response may not close."""
        return _Unclosed(self._reader)


class _Unclosed:
    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    def close(self) -> None:
        """Leave it open."""


@contextmanager
def wire(url: str) -> Iterator[Wire]:
    """A connection of one's own."""
    at = urlsplit(url)
    with socket.create_connection((at.hostname or "", at.port or 0), timeout=PATIENCE) as connection:
        opened = Wire(connection)
        try:
            yield opened
        finally:
            opened.close()


def request(line: str, *headers: str, body: bytes | None = None) -> bytes:
    """A request as bytes; with a body, its length and JSON as its type are declared."""
    more = [] if body is None else [f"Content-Length: {len(body)}", "Content-Type: application/json"]
    return "\r\n".join([f"{line} HTTP/1.1", "Host: tapete.test", *headers, *more, "", ""]).encode("latin-1") + (
        body or b""
    )


def told(url: str, *pieces: bytes) -> Answer:
    """The answer to these very bytes, on a connection that is closed then."""
    with wire(url) as connection:
        connection.send(*pieces)
        found = connection.answer()
        assert connection.ended()
        return found


def raw(url: str, sent: bytes) -> bytes:
    """Everything that the service answers to these very bytes."""
    with wire(url) as connection:
        connection.send(sent)
        return connection.rest()


def asked(url: str, line: str, *headers: str) -> tuple[int, str]:
    """Status and everything else of the answer to a request of one line, on a connection of its own."""
    answer = raw(url, request(line, "Connection: close", *headers))
    return int(answer.split()[1]), answer.decode()
