"""A load of ready-made requests over a few connections, as fast as the answers come; run in a process of its own."""

import asyncio
import sys
import time
from typing import Any

import httptools
import msgspec


class Answers(asyncio.Protocol):
    """One connection: sends its requests one after the other, each when the last was answered."""

    def __init__(self, requests: list[bytes], done: asyncio.Future) -> None:
        self.requests = iter(requests)
        self.done = done

    def connection_made(self, transport: Any) -> None:
        """Begin."""
        self.transport = transport
        self.next()

    def next(self) -> None:
        """Send the next request, or finish."""
        self.parser = httptools.HttpResponseParser(self)
        request = next(self.requests, None)
        if request is None:
            self.done.set_result(None)
            self.transport.close()
        else:
            self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        """Read on."""
        self.parser.feed_data(data)

    def on_message_complete(self) -> None:
        """Take an answer for what it is, and go on."""
        if self.parser.get_status_code() != 200:
            self.done.set_exception(RuntimeError(f"answered {self.parser.get_status_code()}"))
        self.next()

    def connection_lost(self, error: Exception | None) -> None:
        """Fail unless all is done."""
        if not self.done.done():
            self.done.set_exception(error or ConnectionError("closed"))


async def drive(port: int, scripts: list[list[bytes]]) -> float:
    """Send every script over a connection of its own, all at once; answers requests per second."""
    loop = asyncio.get_running_loop()
    futures = [loop.create_future() for _ in scripts]
    started = time.perf_counter()
    for script, future in zip(scripts, futures, strict=True):
        await loop.create_connection(lambda s=script, f=future: Answers(s, f), "127.0.0.1", port)
    await asyncio.gather(*futures)
    return sum(map(len, scripts)) / (time.perf_counter() - started)


def request(path: str, token: str, body: bytes) -> bytes:
    """A POST as bytes."""
    head = f"POST {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


if __name__ == "__main__":
    import uvloop

    job = msgspec.json.decode(sys.stdin.buffer.read())
    scripts = [[request(*each[:2], each[2].encode()) for each in script] for script in job["scripts"]]
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        print(runner.run(drive(job["port"], scripts)))
