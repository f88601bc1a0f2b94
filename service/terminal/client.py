"""The HTTP API as `tapete play` uses it: one connection, refusals as exceptions, and patience with a lost service."""

import http.client
import json
import time
import uuid
from collections.abc import Callable, Collection
from urllib.parse import quote, urlsplit

from service.terminal import Json

PATIENCE = 60.0
"""Seconds for which a service may be away before it is given up."""
TIMEOUT = 30.0
PAUSES = (0.2, 0.5, 1.0, 2.0)
BUSY = (429, 500, 502, 503, 504)
"""Statuses after which the same bytes may be sent again: nothing was changed, or it is found done."""


class BadAddressError(Exception):
    """The address of a service makes no sense; the text says why."""


class UnreachableError(Exception):
    """The service does not answer any more."""


class Refused(Exception):
    """The service refuses a request: `problem` is its problem document."""

    def __init__(self, problem: Json) -> None:
        super().__init__(problem.get("detail") or problem.get("title") or "")
        self.problem = problem

    @property
    def code(self) -> str:
        """The stable code of the problem."""
        return str(self.problem.get("code", ""))

    def sentences(self) -> str:
        """What is wrong, for people: each place of the request that the problem names, else its detail."""
        errors = self.problem.get("errors") or []
        return " ".join(f"{each.get('pointer', '').strip('/')}: {each['detail']}" for each in errors) or str(self)


class Client:
    """A service by its address. `trouble` is told when it stops answering (True) and when it answers again (False).

    `busy` are the statuses after which it is asked again.
    """

    def __init__(
        self,
        url: str,
        language: str,
        trouble: Callable[[bool], None] = lambda _lost: None,
        busy: Collection[int] = BUSY,
    ) -> None:
        self.busy = busy
        self.url = url.rstrip("/")
        parts = urlsplit(self.url)
        try:
            usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            usable = False
        if not usable:
            raise BadAddressError(f"{url!r} is no address of a service: it looks like http://127.0.0.1:8000.")
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(str(parts.hostname), parts.port, timeout=TIMEOUT)
        self._path = parts.path
        self._language = language
        self.trouble = trouble

    def answers(self) -> bool:
        """Whether a service answers now, asked once."""
        try:
            return self._exchange("GET", "/health/live", None, {})[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def get(self, path: str, token: str | None = None) -> Json:
        """Read something. Raises Refused and UnreachableError."""
        return self._ask("GET", path, None, token)

    def post(self, path: str, body: Json, token: str | None = None) -> Json:
        """Send something, in the same bytes as often as it takes. Raises Refused and UnreachableError."""
        return self._ask("POST", path, json.dumps(body).encode(), token)

    def _ask(self, method: str, path: str, body: bytes | None, token: str | None) -> Json:
        headers = {"Accept": "application/json", "Accept-Language": self._language}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        if body is not None and not token:  # a game is created once, a move is recognised by its own bytes
            headers["Idempotency-Key"] = str(uuid.uuid4())
        try:
            document = json.loads(self.send(method, path, body, headers))
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise self._stranger(200)
        return document

    def send(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> bytes:
        """Send a request, as often as it takes; the answer as it comes. Raises Refused and UnreachableError."""
        tries, since = 0, time.monotonic()
        while True:
            answer = self._try(method, path, body, headers)
            if answer is not None:
                if tries > 1:
                    self.trouble(False)
                return answer
            if time.monotonic() - since > PATIENCE:
                raise UnreachableError(f"{self.url} has not answered for {PATIENCE:.0f} seconds")
            # The first repetition is silent: a connection that was kept open may just have been closed.
            if tries == 1:
                self.trouble(True)
            time.sleep(PAUSES[min(tries, len(PAUSES) - 1)] if tries else 0)
            tries += 1

    def _try(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> bytes | None:
        """One try: the answer, or None where the same bytes should be sent again. Raises Refused."""
        try:
            status, content = self._exchange(method, path, body, headers)
        except (OSError, http.client.HTTPException):
            return None
        if status in self.busy:
            return None
        if status < 400:
            return content
        try:
            problem = json.loads(content)
        except ValueError:
            problem = None
        raise Refused(problem) if isinstance(problem, dict) else self._stranger(status)

    def _stranger(self, status: int) -> Refused:
        """Some other server answers, or something in between."""
        return Refused({"detail": f"{self.url} answers {status}, but not like Tapete: is this its address?"})

    def _exchange(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        try:
            self._connection.request(method, self._path + path, body, headers)
            answer = self._connection.getresponse()
            return answer.status, answer.read()
        except BaseException:  # also Ctrl-C: an answer read halfway must not be taken for the next one's
            self._connection.close()
            raise


class Seat:
    """A game as one seat sees and plays it."""

    def __init__(self, client: Client, game_id: str, token: str) -> None:
        self.client = client
        self.game_id = game_id
        self.token = token
        self._path = f"/v1/games/{quote(game_id, safe='')}"

    def view(self) -> Json:
        """The game as it is now."""
        return self.client.get(self._path, self.token)

    def events(self, cursor: str, wait: int) -> Json:
        """A page of the log after a cursor, held back for so many seconds while it is empty."""
        return self.client.get(f"{self._path}/events?after={quote(cursor)}&limit=1000&wait={wait}", self.token)

    def move(self, version: int, move: Json) -> Json:
        """Make a move, decided on this version of the game; the game after it."""
        body = {"expected_version": version, "move": move}
        game: Json = self.client.post(f"{self._path}/moves", body, self.token)["game"]
        return game
