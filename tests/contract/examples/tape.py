"""Recording: requests to the running service, and its answers to them, each pair with a name and a sentence.

A player of the tests (`Api`, `Table`) asks as it does everywhere; what is worth an example is kept.
"""

import asyncio
import json
import os
import signal
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from service.access import Tokens
from service.browsers import EXPOSED
from service.settings import Settings
from tests.contract.published import DOCUMENT
from tests.processes import PATIENCE
from tests.service.players import Api, Json
from tests.service.worlds import operations

OPERATIONS = list(operations(DOCUMENT))
NO_OPERATION = "anyOperation"
"""Where examples lie of what is answered to no operation of the document."""
BY_THE_CLIENT = {"host", "accept-encoding", "connection", "user-agent", "content-length"}
"""Headers that every HTTP client sends by itself."""
TELLING = {"content-type", "cache-control", "vary", *EXPOSED.decode().lower().split(", ")}
"""Headers of answers that mean something to a client."""
WRITTEN = {"etag": "ETag", "www-authenticate": "WWW-Authenticate", "last-event-id": "Last-Event-ID"}
LONGEST = 2000
"""Of what is no JSON, in characters; what is longer is cut."""
LINES = 10
"""How much is left of it."""


@dataclass
class Exchange:
    """An answer, which knows its request, under the name of its file (without `.json`)."""

    name: str
    summary: str
    answer: httpx.Response

    def written(self) -> Json:
        """The exchange as it is told to people, exactly as it was."""
        request, answer = self.answer.request, self.answer
        return {
            "summary": self.summary,
            "request": {
                "method": request.method,
                "path": request.url.raw_path.decode(),
                "headers": {_name(key): _short(value) for key, value in request.headers.items() if _sent(key, value)},
                "body": _body(request.content),
            },
            "response": {
                "status": answer.status_code,
                "headers": {_name(key): value for key, value in answer.headers.items() if key in TELLING},
                "body": _body(answer.content),
            },
        }


class Remote(Api):
    """The running service, for whoever knows how to ask an `Api`.

    Every game and simulation is created with an `Idempotency-Key`, numbered within a chapter: the key makes the id, and
    that the tokens, so all of them are the same in every recording.
    """

    def __init__(self, settings: Settings, runner: asyncio.Runner, client: httpx.AsyncClient) -> None:
        self.settings = settings
        self.runner = runner
        self.client = client
        self.tokens = Tokens(settings.secrets)
        self.answers: list[httpx.Response] = []
        self.chapter = ""
        self.created = 0
        client.event_hooks["request"].append(self._number)

    def begin(self, chapter: str) -> None:
        """Count what is created from 1 again: what one chapter does changes nothing in another."""
        self.chapter, self.created = chapter, 0

    async def _number(self, request: httpx.Request) -> None:
        creates = request.method == "POST" and request.url.path in ("/v1/games", "/v1/simulations")
        if creates and "idempotency-key" not in request.headers:
            self.created += 1
            request.headers["Idempotency-Key"] = key(f"{self.chapter} {self.created}")


def key(name: str) -> str:
    """An `Idempotency-Key` that is always the same for a name."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"tapete example {name}"))


class Tape:
    """Everything that has been kept, by name."""

    def __init__(self, api: Remote) -> None:
        self.api = api
        self.kept: dict[str, Exchange] = {}

    def keep(self, answer: httpx.Response, summary: str, slug: str = "") -> httpx.Response:
        """Keep an exchange as an example; give the answer on."""
        name = f"{operation_of(answer)}/{answer.status_code}{f'-{slug}' if slug else ''}"
        assert name not in self.kept, f"{name} is told twice"
        self.kept[name] = Exchange(name, summary, answer)
        return answer


@contextmanager
def remote(url: str, settings: Settings) -> Iterator[Remote]:
    """Whoever asks the service at an address; `settings` are those of a service that may be started beside it."""
    with asyncio.Runner() as runner:
        client = httpx.AsyncClient(base_url=url, timeout=PATIENCE, headers={"Accept-Encoding": "identity"})
        try:
            yield Remote(settings, runner, client)
        finally:
            runner.run(client.aclose())


@contextmanager
def stopped(process: int) -> Iterator[None]:
    """Let a process stand still meanwhile."""
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def operation_of(answer: httpx.Response) -> str:
    """The operation that was asked for."""
    method, path = answer.request.method, answer.request.url.path
    return next((each.name for each in OPERATIONS if each.is_asked(method, path)), NO_OPERATION)


def _sent(name: str, value: str) -> bool:
    return name not in BY_THE_CLIENT and (name, value) != ("accept", "*/*")


def _name(header: str) -> str:
    return WRITTEN.get(header, header.title())


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:40]}… ({len(text)} characters)"


def _body(content: bytes) -> Any:
    """JSON as what it says, anything else as text, nothing as null."""
    try:
        return json.loads(content) if content else None
    except ValueError:
        return _beginning(content.decode())


def _beginning(text: str) -> str:
    """A text as it is; of a long one the beginnings of its first lines, and that there is more."""
    return text if len(text) <= LONGEST else "\n".join([*map(_short, text.split("\n")[:LINES]), "…\n"])
