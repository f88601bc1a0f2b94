"""Server-sent events: a game's log as it grows, for whoever keeps the connection open."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping

import msgspec
from litestar.types import Receive, Scope, Send

from service.errors import PROBLEMS, ServiceError
from service.routes.http import AnyRequest, sent_as
from service.schemas import Item

EVENT_STREAM = "text/event-stream"
PING_SECONDS = 15.0
RETRY_MS = 1000
"""How long a client is asked to wait before it comes back."""
STALLED_SECONDS = 60.0
"""How long a reader may take nothing of what it is sent before it is let go."""
PING = b": ping\n\n"
_encode = msgspec.json.Encoder().encode


def wants_stream(request: AnyRequest) -> bool:
    """Whether the caller names server-sent events among what it accepts."""
    accepted = ",".join(sent_as(request, b"accept")).split(",")
    return any(each.partition(";")[0].strip().lower() == EVENT_STREAM for each in accepted)


class EventStream:
    """An answer that goes on: batches of entries as they come, a comment where a batch is empty.

    Ends when the batches do, after `most` entries, or when the reader goes; a refusal on the way is told as an event
    `problem`, since the status has been sent long before.
    """

    def __init__(self, batches: AsyncGenerator[list[Item]], most: int | None, headers: Mapping[str, str]) -> None:
        self._batches = batches
        self._most = most
        sent = {**headers, "Content-Type": f"{EVENT_STREAM}; charset=utf-8", "X-Accel-Buffering": "no"}
        self._headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in sent.items()]

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Send until it ends; a reader who goes away ends it too."""
        sending = asyncio.ensure_future(self._send(send))
        leaving = asyncio.ensure_future(_until_gone(receive))
        try:
            await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (leaving, sending):
                task.cancel()
            await asyncio.wait({sending, leaving})
        if not sending.cancelled():
            sending.result()

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self._headers})
        async with contextlib.aclosing(self._events()) as events:
            async for content in events:
                async with asyncio.timeout(STALLED_SECONDS):
                    await send({"type": "http.response.body", "body": content, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _events(self) -> AsyncGenerator[bytes]:
        yield f"retry: {RETRY_MS}\n\n".encode()
        left = self._most
        try:
            async with contextlib.aclosing(self._batches) as batches:
                async for batch in batches:
                    yield b"".join(map(_event, batch[:left])) or PING
                    if left is not None and (left := max(left - len(batch), 0)) == 0:
                        return
        except ServiceError as error:
            known = PROBLEMS[error.code]
            told = {"type": f"/v1/errors#{error.code}", "title": known.title, "status": known.status}
            yield b"event: problem\ndata: " + _encode({**told, "code": error.code, "detail": error.detail}) + b"\n\n"


def _event(item: Item) -> bytes:
    return f"id: {item.cursor}\ndata: ".encode() + _encode(item) + b"\n\n"


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
