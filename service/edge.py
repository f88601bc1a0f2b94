"""The outermost layer: request ids, and what litestar answers differently from what HTTP says.

HEAD is GET without a body. OPTIONS names all methods of a resource, not those of one handler. A path with an empty
segment, or one slash too many at its end, is another path: litestar would take `/v1/games//moves` for a game's.
Request ids are made here and never taken from a client: the log names a request by something nobody else chose.
"""

import re
import secrets
import time
from collections.abc import Iterator
from typing import Any, cast

from litestar import Litestar
from litestar.enums import ScopeType
from litestar.types import Message, Receive, Scope, Send

from service.browsers import Cors, secured
from service.metrics import Metrics

NOWHERE = "/-"
"""A path that no handler has."""


class Edge:
    """An ASGI application around a litestar application, its `app`."""

    def __init__(self, app: Litestar, metrics: Metrics, cors: Cors) -> None:
        self.app = app
        self._metrics = metrics
        self._cors = cors
        self._resources = list(_resources(app))

    def end_streams(self) -> None:
        """Let every reader go who waits for news: a server that stops waits for its connections to end."""
        self.app.state.context.wakeups.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass on what is none."""
        if scope["type"] == ScopeType.HTTP:
            await self._answer(cast(dict[str, Any], scope), receive, send)
        else:
            await self.app(scope, receive, send)

    async def _answer(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        request_id = secrets.token_hex(8)
        path, allowed = self._resource(scope["path"])
        method = scope["method"]
        head = method == "HEAD"
        cors = self._cors.headers(scope["headers"], method, allowed)
        # The server looks into its own scope to know what it may send, so that one stays as it is.
        scope = {**scope, "request_id": request_id, "allowed": allowed, "head": head}
        if head:
            scope["method"] = "GET"
        if not allowed:
            scope["path"] = NOWHERE

        async def outgoing(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*secured(message["headers"]), (b"x-request-id", request_id.encode()), *cors]
                self._metrics.answered(path, method, message["status"], time.perf_counter() - began)
            elif head and message["type"] == "http.response.body":
                message["body"] = b""
            await send(message)

        if method == "OPTIONS" and allowed:
            await _options(allowed, outgoing)
        else:
            await self.app(cast(Scope, scope), receive, outgoing)

    def _resource(self, path: str) -> tuple[str, list[str]]:
        """The template and the methods of the resource at a path; nothing where there is none."""
        for pattern, template, methods in self._resources:
            if pattern.fullmatch(path):
                return template, methods
        return "", []


def _resources(app: Litestar) -> Iterator[tuple[re.Pattern[str], str, list[str]]]:
    methods: dict[str, set[str]] = {}
    for route in app.routes:
        methods.setdefault(route.path_format, {"OPTIONS"}).update(map(str, getattr(route, "methods", ())))
    for template, found in methods.items():
        pattern = re.sub(r"\\\{[^/]+?\\\}", "[^/]+", re.escape(template))
        yield re.compile(pattern), template, sorted(found | ({"HEAD"} if "GET" in found else set()))


async def _options(allowed: list[str], send: Send) -> None:
    headers = [(b"allow", ", ".join(allowed).encode())]
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b"", "more_body": False})
