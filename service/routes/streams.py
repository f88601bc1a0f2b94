"""Server-sent events: a game's log as it grows, for whoever keeps the connection open."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Coroutine
from typing import Any, TypeVar

import msgspec
from litestar.types import Receive, Scope, Send

from service.errors import ServiceError
from service.routes.http import VARIED, AnyRequest, prefers
from service.routes.problems import document, note
from service.schemas import Item

EVENT_STREAM = "text/event-stream"
PING_SECONDS = 15.0
RETRY_MS = 1000
"""How long a client is asked to wait before it comes back."""
PING = b": ping\n\n"
# Proxies must hand on what comes when it comes: no buffer (nginx asks for this header), no compressing.
_HEADERS = [
    (b"cache-control", b"private, no-cache, no-transform"),
    (b"vary", VARIED["Vary"].encode()),
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"x-accel-buffering", b"no"),
]
T = TypeVar("T")
_encode = msgspec.json.Encoder().encode


def wants_stream(request: AnyRequest) -> bool:
    """Whether the caller accepts server-sent events, and likes JSON no better."""
    return prefers(request, EVENT_STREAM)


async def while_there(receive: Receive, work: Coroutine[Any, Any, T]) -> T | None:
    """What the work answers. Where the caller goes away it is cancelled; then nobody wants the None."""
    # The work is done in this task, and only the watch is another: thousands may be at work.
    ourselves = asyncio.current_task()
    assert ourselves is not None  # noqa: S101 - whoever awaits is in a task
    gone = False

    def leave(_: object) -> None:
        nonlocal gone
        gone = ourselves.cancel()

    leaving = asyncio.ensure_future(_until_gone(receive))
    leaving.add_done_callback(leave)
    try:
        return await work
    except asyncio.CancelledError:
        if not gone or ourselves.uncancel() > 0:
            raise
        return None
    finally:
        leaving.remove_done_callback(leave)
        leaving.cancel()


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class EventStream:
    """An answer that goes on: batches of entries as they come, a comment where a batch is empty.

    Ends when the batches do, after `most` entries, or when the reader goes. What fails on the way is told as an event
    `problem`, since the status has been sent long before.
    """

    def __init__(self, batches: AsyncGenerator[list[Item]], most: int | None) -> None:
        self._batches = batches
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until it ends; a reader who goes away ends it too."""
        await while_there(receive, self._send(scope, send))

    async def _send(self, scope: Scope, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        await _part(send, f"retry: {RETRY_MS}\n\n".encode())
        try:
            async with contextlib.aclosing(self._batches):
                await self._tell(send)
        except ServiceError as error:
            await _part(send, _problem(document(scope, error.code, error.detail, error.more)))
        except Exception as error:
            note(scope, error)
            await _part(send, _problem(document(scope, "internal_error")))
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _tell(self, send: Send) -> None:
        left = self._most
        while left != 0 and (batch := await anext(self._batches, None)) is not None:
            await _part(send, b"".join(map(_event, batch[:left])) or PING)
            left = left and max(left - len(batch), 0)
            del batch  # which would stay until the next one


async def _part(send: Send, content: bytes) -> None:
    await send({"type": "http.response.body", "body": content, "more_body": True})


def _event(item: Item) -> bytes:
    return f"id: {item.cursor}\ndata: ".encode() + _encode(item) + b"\n\n"


def _problem(content: bytes) -> bytes:
    return b"event: problem\ndata: " + content + b"\n\n"
