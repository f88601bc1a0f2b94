"""HTTP as thin as can be: the load must leave the machine to the service. httpx takes ten times as long."""

import asyncio
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import msgspec

TIMEOUT = 10.0
"""Seconds that a client waits for an answer."""


class NoAnswerError(Exception):
    """The connection broke, or nothing came in time; the request may have been done or not."""


@dataclass(frozen=True)
class Answer:
    """What came back; names of headers in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """The document."""
        return msgspec.json.decode(self.body)


Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Connections:
    """Connections to one place, used again and again; for one event loop."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.host, self.port = parts.hostname or "", parts.port or 80
        self._idle: list[Connection] = []

    async def request(
        self, method: str, path: str, token: str | None = None, body: bytes | None = None, key: str = ""
    ) -> Answer:
        """Send a request, once; `key` is its `Idempotency-Key`. Raises NoAnswerError."""
        head = f"{method} {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n"
        if token:
            head += f"Authorization: Bearer {token}\r\n"
        if key:
            head += f"Idempotency-Key: {key}\r\n"
        if body is not None:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        connection = None
        try:
            async with asyncio.timeout(TIMEOUT):
                connection = self._idle.pop() if self._idle else await asyncio.open_connection(self.host, self.port)
                connection[1].write(f"{head}\r\n".encode() + (body or b""))
                answer = await _read(connection[0])
        except BaseException as error:
            if connection is not None:
                connection[1].transport.abort()
            if isinstance(error, (OSError, EOFError, TimeoutError)):
                raise NoAnswerError from error
            raise
        self._idle.append(connection)
        return answer

    async def close(self) -> None:
        """Let the connections go."""
        for _, writer in self._idle:
            writer.transport.abort()
        await asyncio.sleep(0)


async def _read(reader: asyncio.StreamReader) -> Answer:
    status, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return Answer(int(status.split()[1]), headers, await reader.readexactly(int(headers["content-length"])))
