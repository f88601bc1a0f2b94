"""Readers of a game over real connections: one socket each, so that a test says what a client library would hide."""

import json
import socket
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx
import redis

from service.games import Context
from service.server import Server
from tests.processes import PATIENCE, Running

Json = Any
STREAM = "text/event-stream"
EVERYONE = (0, 1, 2, 3, None, "creator")
SHORT = {"options": {"max_deals": 3, "full_bid": "bonus"}, "preset": "tarneeb_41"}
"""A game of three deals, of which the first and the last are thrown in: some seventy entries, whatever is bid."""
TROUBLE = r"Traceback|ERROR|WARNING|Request \w+ failed|never retrieved"
"""What no reader may cause in the log of the service."""


@dataclass
class Event:
    """A server-sent event, or a comment."""

    id: str | None = None
    event: str | None = None
    data: Json = None
    retry: int | None = None
    comment: str | None = None


class Reader:
    """One connection with one request on it, read when the test asks for it."""

    def __init__(self, url: str, path: str, token: str | None = None, **headers: str) -> None:
        at = urlsplit(url)
        self.socket = socket.socket()
        self.socket.settimeout(PATIENCE)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # little, so that a slow reader shows early
        self.socket.connect((at.hostname or "", at.port or 0))
        self.file = self.socket.makefile("rb")
        self.ended = False
        sent = {"host": "tapete.test", **({"authorization": f"Bearer {token}"} if token else {}), **headers}
        self.send(f"GET {path} HTTP/1.1", sent)

    def send(self, line: str, headers: Mapping[str, str]) -> None:
        """Send a request."""
        lines = [line, *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()), "", ""]
        self.socket.sendall("\r\n".join(lines).encode())

    def head(self) -> tuple[int, dict[str, str]]:
        """Status and headers of the answer, in lower case."""
        status = int(self.file.readline().split()[1])
        headers = {}
        while line := self.file.readline().decode().strip():
            name, _, value = line.partition(": ")
            headers[name.lower()] = value
        return status, headers

    def chunks(self) -> Iterator[bytes]:
        """The body as it comes; ConnectionError where it breaks off before its end."""
        while not self.ended:
            size = self.file.readline()
            if not size:
                raise ConnectionError("the answer broke off")
            chunk = self.file.read(int(size, 16))
            self.file.readline()
            self.ended = not chunk
            if chunk:
                yield chunk

    def events(self) -> Iterator[Event]:
        """The server-sent events as they come, until the answer ends as it should."""
        left = b""
        for chunk in self.chunks():
            *whole, left = (left + chunk).split(b"\n\n")
            yield from map(parsed, whole)
        assert not left, "the last event is whole"

    def vanish(self) -> None:
        """Go as a phone does whose program is ended: without a word on this level, with a reset on the one below."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self) -> None:
        """Let the connection go."""
        self.file.close()
        self.socket.close()


def parsed(text: bytes) -> Event:
    """An event from its lines, each with a field of its own."""
    event = Event()
    for line in text.decode().split("\n"):
        name, _, value = line.partition(": ")
        assert name in ("", "id", "event", "data", "retry"), text
        setattr(event, name or "comment", json.loads(value) if name in ("data", "retry") else value)
    return event


def pad(kept: redis.Redis, table: "Table", count: int) -> None:
    """Make a game's log longer by entries in which nothing happened: more than any buffer on the way holds."""
    game, log = (next(iter(kept.keys(f"*:{kind}:{table.id}"))) for kind in ("game", "log"))
    version = table.game["version"]
    entry = {"seat": None, "by": "service", "bot": None, "move": None, "expected_version": None, "events": []}
    entries = [
        {"version": number, "cursor": f"{number}-{number:012x}", "at": number, **entry}
        for number in range(version + 1, version + count + 1)
    ]
    kept.rpush(log, *(json.dumps(each, separators=(",", ":")) for each in entries))
    last = entries[-1]
    kept.hset(game, mapping={"version": last["version"], "cursor": last["cursor"]})
    table.game = table.get("").json()


@dataclass
class Stream:
    """A reader of a game's stream, and all it has been told so far."""

    reader: Reader
    headers: dict[str, str]
    told: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._events = self.reader.events()

    def next(self) -> Event | None:
        """The next event that is no comment and has data; None where the stream has ended as it should."""
        for event in self._events:
            self.told.append(event)
            if event.data is not None:
                return event
        return None

    def items(self, count: int) -> list[Json]:
        """The next entries, this many."""
        found = [self.next() for _ in range(count)]
        assert all(event is not None and event.event is None for event in found), found
        assert all(event.id == event.data["cursor"] for event in found if event is not None)
        return [event.data for event in found if event is not None]

    def rest(self) -> list[Json]:
        """Every entry until the end."""
        return [event.data for event in iter(self.next, None)]


class Table:
    """A game at a service elsewhere; all seats are players' and this plays for them."""

    def __init__(self, client: httpx.Client, **body: Any) -> None:
        self.client = client
        self.url = str(client.base_url)
        sent = {"ruleset": "tarneeb", "seats": [{"kind": "player"}] * 4, **body}
        created = client.post("/v1/games", json=sent).raise_for_status().json()
        self.id = created["game"]["game_id"]
        self.path = f"/v1/games/{self.id}"
        self.tokens: dict[Any, str] = {each["seat"]: each["token"] for each in created["seats"]}
        self.tokens["creator"] = created["creator_token"]
        self.game = created["game"]

    def get(self, what: str, who: Any = None, **headers: str) -> httpx.Response:
        """Something below the game's path."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.get(self.path + what, headers={**self.bearer(who), **sent})

    def bearer(self, who: Any) -> dict[str, str]:
        """The header that says who asks; nothing for a spectator."""
        return {} if who is None else {"authorization": f"Bearer {self.tokens[who]}"}

    def log(self, who: Any = None) -> list[Json]:
        """The whole log, from a page."""
        page = self.get("/events?limit=1000", who).raise_for_status().json()
        assert not page["has_more"]
        return list(page["items"])

    def play(self, most: int = 10_000) -> None:
        """Any legal moves, this many or to the end; every other deal is thrown in."""
        for _ in range(most):
            if self.game["result"] is not None:
                return
            seat = self.game["to_move"]
            moves = self.get("/legal-moves", seat).json()["moves"]
            # Passing is listed first while it is open.
            move = moves[0 if self.game["deal"]["number"] % 2 else -1]
            body = {"expected_version": self.game["version"], "move": move}
            answer = self.client.post(f"{self.path}/moves", json=body, headers=self.bearer(seat))
            self.game = answer.raise_for_status().json()["game"]

    @contextmanager
    def reading(self, query: str = "", who: Any = None, **headers: str) -> Iterator[Reader]:
        """A request for the log on a connection of its own."""
        reader = Reader(
            self.url, f"{self.path}/events{query}", self.tokens[who] if who is not None else None, **headers
        )
        try:
            yield reader
        finally:
            reader.close()

    @contextmanager
    def stream(self, query: str = "", who: Any = None, **headers: str) -> Iterator[Stream]:
        """A stream, of which the head has been read."""
        with self.reading(query, who, accept=STREAM, **headers) as reader:
            status, received = reader.head()
            assert status == 200, reader.file.read()
            yield Stream(reader, received)


def address(api: Running) -> str:
    """Where an API answers that was told to take any port."""
    return api.wait_for(r"^The API answers at (http://\S+)$")[1]


def client_of(url: str) -> httpx.Client:
    """A client with our patience."""
    return httpx.Client(base_url=url, timeout=PATIENCE)


def body(reader: Reader) -> Json:
    """The document of an answer."""
    status, headers = reader.head()
    assert status == 200
    return httpx.Response(200, content=reader.file.read(int(headers["content-length"]))).json()


def kept_of(kept: redis.Redis, table: Table) -> dict[bytes, bytes]:
    """A backup of a game."""
    return {name: kept.dump(name) for name in kept.keys(f"*{table.id}")}


def put_back(kept: redis.Redis, backup: dict[bytes, bytes]) -> None:
    """Restore a game, as when its store is restored from a backup."""
    for name, value in backup.items():
        kept.restore(name, 10**8, value, replace=True)


@dataclass
class Inside:
    """A server in this process, so that a test can look into it."""

    server: Server
    context: Context
    url: str
