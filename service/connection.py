"""A connection: uvicorn's, which answers everything that is no request with a problem too, and waits for nothing long.

What is answered here has no request, or none that could be read to its end, so no handler ever knows of it.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, cast

from litestar.types import Scope
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from service.browsers import secured
from service.errors import PROBLEMS
from service.rates import MOST_HEADERS
from service.routes.http import PROBLEM_JSON
from service.routes.problems import document

ARRIVAL_SECONDS = 30.0
"""How long a request may take to arrive, and a new connection to send anything."""

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Any
"""An ASGI application; uvicorn has a name of its own for every message."""
GONE: Message = {"type": "http.disconnect"}


class Connection(HttpToolsProtocol):
    """A connection of which every request is told when the client goes.

    uvicorn tells only the newest, and one that was sent behind a stream is newer: the stream would go on for good.
    Headers without an end are cut off, which httptools would keep for ever, and so are trailers: what is received and
    comes to nothing is counted, so that no head is refused that fits; a complete one is measured exactly where requests
    are admitted.
    """

    _running: RequestResponseCycle | None = None
    _refused = False
    _half_closed = False
    _received = 0
    """Bytes since something came of what was received."""
    _came_to = False
    _arriving_since: float | None = None
    _watch: asyncio.TimerHandle | None = None

    # ------------------------------------------------------------------------------------------------ what arrives

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Begin to watch how long things take."""
        super().connection_made(transport)
        self._arriving_since = self.loop.time()
        self._watch = self.loop.call_later(ARRIVAL_SECONDS, self._look)

    def _look(self) -> None:
        """Close the connection where something has been arriving for too long, or look again."""
        now = self.loop.time()
        if self._arriving_since is not None and self.flow.read_paused:
            self._arriving_since = now  # it is we who do not read on, while something else is answered
        ends = ARRIVAL_SECONDS + (now if self._arriving_since is None else self._arriving_since)
        if ends <= now:
            self.transport.close()
        else:
            self._watch = self.loop.call_at(ends, self._look)

    def data_received(self, data: bytes) -> None:
        """Take what was received."""
        if self._refused:
            return
        self._came_to = False
        super().data_received(data)
        if not self._came_to and self._arriving_since is not None:
            self._received += len(data)
            if self._received > MOST_HEADERS:
                self._refuse("headers_too_large")

    def _comes_to(self) -> None:
        self._came_to, self._received = True, 0

    def on_message_begin(self) -> None:
        """Note that a head begins."""
        self._arriving_since = self.loop.time()
        self._comes_to()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Note that the head has ended; refuse what HTTP/1.1 does, and versions that we do not speak."""
        self._comes_to()
        if not _is_of_http_1(self.parser.get_http_version(), self.headers):
            raise ValueError("this is no request of HTTP/1.1")  # which makes it one that the parser refuses
        super().on_headers_complete()
        # The request keeps the list that it was made with. What comes behind a body is no header of it: it could change
        # who asks when that has been looked at.
        self.headers = []

    def on_body(self, body: bytes) -> None:
        """Take a part of a body."""
        self._comes_to()
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note that the request is all there."""
        self._arriving_since = None
        super().on_message_complete()

    # ------------------------------------------------------------------------------------------------ what is refused

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's words for it
        """Refuse what its parser makes nothing of."""
        self._refuse("invalid_request")

    def _refuse(self, code: str) -> None:
        """Answer with a problem, behind what is still to be answered, and close the connection."""
        if self._refused or self.transport.is_closing():
            return
        self._refused, self._arriving_since = True, None
        broken = self.cycle if self.cycle is not None and self.cycle.more_body else None
        if broken is not None and self.pipeline and self.pipeline[0][0] is broken:
            self.pipeline.popleft()
        elif broken is not None:
            # Its handler waits for a body that will not come; whatever it says is not sent.
            broken.disconnected = True
            broken.message_event.set()
            if broken.response_started:
                self.transport.close()
                return
        self._answer(self._nothing(), _refusal(code))

    def _answer(self, cycle: RequestResponseCycle, app: App) -> None:
        running = self._running
        self.cycle = cycle
        if running is None or running.response_complete or running.disconnected:
            self._start_asgi_task(cycle, app)
        else:
            self.pipeline.appendleft((cycle, app))

    def _nothing(self) -> RequestResponseCycle:
        """What is answered where no request is, and then the connection closed."""
        cycle = RequestResponseCycle(
            scope=cast(Any, {"type": "http", "method": "GET", "headers": []}),
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=False,
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            expect_100_continue=False,
            keep_alive=False,
            on_response=self.on_response_complete,
        )
        cycle.more_body = False
        return cycle

    # ------------------------------------------------------------------------------------------------ who goes

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, self._told(cycle, app))

    def _told(self, cycle: RequestResponseCycle, app: App) -> App:
        """The application, where whoever waits for news is told also that the client will say no more.

        Such a client may have gone, as far as anyone can tell; what waits for it must not wait on.
        """

        async def run(scope: Any, receive: Receive, send: Send) -> None:
            whole = False

            async def told() -> Message:
                nonlocal whole
                if not (whole and self._half_closed):
                    message = await receive()
                    if not (whole and self._half_closed):
                        whole = not message.get("more_body", False)
                        return message
                cycle.disconnected = True
                return GONE

            await app(scope, told, send)
            if self._half_closed and cycle.disconnected and not cycle.response_complete:
                self.transport.close()

        return run

    def eof_received(self) -> bool:  # type: ignore[override] # uvicorn answers nothing: it closes
        """Keep the way back open for a client that has sent all it will, and waits for its answers."""
        running = self._running
        if running is None or running.response_started or self.cycle.more_body:
            return False
        self._half_closed = True
        self.cycle.keep_alive = False
        running.message_event.set()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the request that is being answered, then do as uvicorn does."""
        if self._watch is not None:
            self._watch.cancel()
        if (running := self._running) is not None and not running.response_complete:
            running.disconnected = True
            running.message_event.set()
        super().connection_lost(exc)

    def is_stuck(self) -> bool:
        """Whether what was sent waits for a client that does not take it."""
        return self.flow.write_paused or self.transport.is_closing()


def _is_of_http_1(version: str, headers: list[tuple[bytes, bytes]]) -> bool:
    """Whether a head is of a version that we speak, names its host as that does, and a body that we can read."""
    if version not in ("1.1", "1.0"):
        return False
    names = [name for name, _ in headers]
    hosts = names.count(b"host")
    if b"transfer-encoding" in names and [v.lower() for n, v in headers if n == b"transfer-encoding"] != [b"chunked"]:
        return False
    return hosts == 1 or (hosts == 0 and version == "1.0")


def _refusal(code: str) -> App:
    """An application that answers with a problem, whatever it is asked."""

    async def answer(_scope: Any, _receive: Receive, send: Send) -> None:
        request_id = secrets.token_hex(8)
        body = document(cast(Scope, {"request_id": request_id}), code, more=_places(code))
        headers = [
            (b"content-type", PROBLEM_JSON.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
            (b"x-request-id", request_id.encode()),
        ]
        status = int(PROBLEMS[code].status)
        await send({"type": "http.response.start", "status": status, "headers": secured(headers)})
        await send({"type": "http.response.body", "body": body, "more_body": False})

    return answer


def _places(code: str) -> dict[str, object]:
    wrong = [{"pointer": "", "detail": "This is no HTTP request."}]
    return {"errors": wrong} if code == "invalid_request" else {}
