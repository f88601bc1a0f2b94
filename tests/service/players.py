"""Whoever sits at the table in the tests: the API in this process, a game on it, and its players by their tokens."""

import asyncio
import random
import re
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import redis

from engine.chance import PublishedDeals
from engine.match import DealSource
from service.access import Tokens
from service.app import create_app
from service.errors import PROBLEMS
from service.games import Context
from service.settings import Settings
from service.store import Script
from tests.processes import PATIENCE

Json = Any
Move = dict[str, Any]

SEED = "5eed" * 16
PLAYERS = [{"kind": "player"}] * 4
PASS: Move = {"type": "pass"}
SUITS = ("spades", "hearts", "diamonds", "clubs")
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
PACK = [f"{rank}-{suit}" for suit in SUITS for rank in RANKS]


def bid(amount: int) -> Move:
    return {"type": "bid", "amount": amount}


def trump(suit: str) -> Move:
    return {"type": "trump", "suit": suit}


def card(card_id: str) -> Move:
    return {"type": "play", "card": card_id}


# ---------------------------------------------------------------------------------------------------- the service


class Api:
    """The whole application in this process, asked without a socket.

    Its event loop runs only while something is asked, so a test is a row of plain calls. What happens at the same
    time is asked by `together`.
    """

    def __init__(self, settings: Settings, runner: asyncio.Runner, app: Any, client: httpx.AsyncClient) -> None:
        self.settings = settings
        self.runner = runner
        self.client = client
        self.app = app
        self.context: Context = app.app.state.context
        self.queue = app.app.state.queue
        self.tokens = Tokens(settings.secrets)
        self.answers: list[httpx.Response] = []

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """The answer of anything asynchronous."""
        return self.runner.run(work)

    def together(self, *works: Coroutine[Any, Any, Any]) -> list[Any]:
        """The answers of things that are asked at the same time; one that never comes is a failure."""

        async def all_of_them() -> list[Any]:
            async with asyncio.timeout(PATIENCE):
                return await asyncio.gather(*works)

        return self.run(all_of_them())

    async def request(
        self, method: str, path: str, token: str | None = None, headers: Mapping[str, str] | None = None, **content: Any
    ) -> httpx.Response:
        """One request, to be awaited: as a coroutine for `together`."""
        sent = {**({"Authorization": f"Bearer {token}"} if token else {}), **(headers or {})}
        answer = await self.client.request(method, path, headers=sent, **content)
        self.answers.append(answer)
        return answer

    def get(self, path: str, token: str | None = None, **headers: str) -> httpx.Response:
        """GET; keywords are headers: `if_none_match`."""
        return self.run(self.request("GET", path, token, _headers(headers)))

    def post(self, path: str, body: Json | bytes, token: str | None = None, **headers: str) -> httpx.Response:
        """POST a AS_JSON document, or these very bytes as one."""
        content = {"content": body} if isinstance(body, bytes) else {"json": body}
        return self.run(self.request("POST", path, token, {**AS_JSON, **_headers(headers)}, **content))

    def create(self, **body: Any) -> "Table":
        """A game: four players who play Tarneeb by known deals, unless the body says otherwise."""
        answer = self.post("/v1/games", {"ruleset": "tarneeb", "seats": PLAYERS, "seed": SEED, **body})
        assert answer.status_code == 201, answer.text
        created = answer.json()
        tokens = {seat["seat"]: seat["token"] for seat in created["seats"] if "token" in seat}
        return Table(self, created["game"]["game_id"], tokens, created["creator_token"], answer)


AS_JSON = {"content-type": "application/json"}


def _headers(keywords: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in keywords.items()}


@contextmanager
def running(settings: Settings, deal_source: Callable[[str, list[str]], DealSource] = PublishedDeals) -> Iterator[Api]:
    """The application from start to end, its sweep included."""
    app = create_app(settings, deal_source=deal_source)
    with asyncio.Runner() as runner:
        life = _life_of(app)
        runner.run(life.__anext__())
        client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://tapete.test")  # type: ignore[arg-type]
        try:
            yield Api(settings, runner, app, client)
        finally:
            runner.run(client.aclose())
            runner.run(anext(life, None))


async def _life_of(app: Any) -> AsyncIterator[None]:
    """What a server does at the start and at the end of an application."""
    asked: asyncio.Queue[Any] = asyncio.Queue()
    answered: asyncio.Queue[Any] = asyncio.Queue()
    task = asyncio.create_task(app({"type": "lifespan", "asgi": {"version": "3.0"}}, asked.get, answered.put))
    for moment in ("startup", "shutdown"):
        await asked.put({"type": f"lifespan.{moment}"})
        answer = await answered.get()
        assert answer["type"] == f"lifespan.{moment}.complete", answer
        if moment == "startup":
            yield
    await task


# ---------------------------------------------------------------------------------------------------- a game


@dataclass
class Table:
    """A game and who plays it: a seat's number, "creator", or None for a spectator says who asks."""

    api: Api
    id: str
    tokens: dict[int, str]
    creator: str
    created: httpx.Response
    path: str = field(init=False)

    def __post_init__(self) -> None:
        self.path = f"/v1/games/{self.id}"

    def token(self, who: int | str | None) -> str | None:
        """The token that somebody holds."""
        return self.creator if who == "creator" else None if who is None else self.tokens[int(who)]

    def get(self, what: str = "", who: int | str | None = None, **headers: str) -> httpx.Response:
        """Something below the game's path."""
        return self.api.get(self.path + what, self.token(who), **headers)

    def view(self, who: int | str | None = None) -> Json:
        """The game as somebody sees it."""
        return good(self.get("", who))

    def version(self) -> int:
        """Where the game stands."""
        return int(self.view()["version"])

    def to_move(self) -> int:
        """Who decides; TypeError after the end."""
        return int(self.view()["to_move"])

    def legal_moves(self, seat: int) -> list[Move]:
        """What a seat may do now."""
        return list(good(self.get("/legal-moves", seat))["moves"])

    def events(self, query: str = "", who: int | str | None = None) -> Json:
        """A page of the log."""
        return good(self.get(f"/events{query}", who))

    def log(self, who: int | str | None = None) -> list[Json]:
        """The whole log, as somebody is told it."""
        return list(self.events("?limit=1000", who)["items"])

    def sending(self, who: int | str | None, move: Move, version: int) -> Coroutine[Any, Any, httpx.Response]:
        """The request of a move, to be awaited."""
        body = {"expected_version": version, "move": move}
        return self.api.request("POST", f"{self.path}/moves", self.token(who), AS_JSON, json=body)

    def send(self, who: int | str | None, move: Move, version: int | None = None) -> httpx.Response:
        """Ask for a move, on the version that the game has now or on another."""
        return self.api.run(self.sending(who, move, self.version() if version is None else version))

    def play(self, *moves: Move) -> Json:
        """Moves of whoever is to move, all accepted; the last answer."""
        view = self.view()
        answer: Json = None
        for move in moves:
            answer = good(self.send(view["to_move"], move, view["version"]))
            view = answer["game"]
        return answer

    def play_on(self, most: int = 10_000, seed: object = "play on") -> Json:
        """Any legal moves, this many or until the match is over; what whoever moved last sees then."""
        chance = random.Random(str(seed))
        view = self.view()
        for _ in range(most):
            if view["result"] is not None:
                break
            move = any_of(chance, self.legal_moves(view["to_move"]))
            view = good(self.send(view["to_move"], move, view["version"]))["game"]
        return view

    def ask_bot(self, seat: int, prefer: str = "", /, **body: Any) -> httpx.Response:
        """Ask a bot to choose for a seat, on the version that the game has now or on another."""
        asked = {"bot": {"bot": "rules"}, **body}
        if "expected_version" not in asked:
            asked["expected_version"] = self.version()
        headers = {"prefer": prefer} if prefer else {}
        return self.api.post(f"{self.path}/bot-moves", asked, self.tokens[seat], **headers)


def any_of(chance: random.Random, moves: list[Move]) -> Move:
    """One of the moves: first its type is drawn, so that passes are not as rare as one bid."""
    kind = chance.choice(sorted({move["type"] for move in moves}))
    return chance.choice([move for move in moves if move["type"] == kind])


# ---------------------------------------------------------------------------------------------------- prepared deals


class Prepared:
    """Deals that a test lays out: the hands of each deal by seat, the last ones again for all deals after."""

    def __init__(self, *deals: list[list[str]]) -> None:
        self.deals = deals

    def __call__(self, _seed: str, _client_seeds: list[str]) -> "Prepared":
        """Stand in for the deal source of every game."""
        return self

    def order(self, number: int, _attempt: int, size: int) -> list[int]:
        """The pack, from the top. Seat 0 deals first, then it goes round; the first card is for the dealer's right."""
        hands = self.deals[min(number, len(self.deals)) - 1]
        dealer = (1 - number) % 4
        return [PACK.index(hands[(dealer - 1 - place) % 4][place // 4]) for place in range(size)]

    def below(self, _purpose: str, _n: int) -> int:
        """Seat 0 deals first."""
        return 0


ONE_SUIT_EACH = [[f"{rank}-{suit}" for rank in RANKS] for suit in SUITS]
"""Seat 0 holds all spades, seat 1 all hearts, seat 2 all diamonds, seat 3 all clubs."""


def one_suit_deal(declarer: int = 3, amount: int = 7) -> list[Move]:
    """All moves of a deal of ONE_SUIT_EACH in which the declarer, who speaks first, takes every trick."""
    turns = [(declarer - turn) % 4 for turn in range(4)]
    auction = [bid(amount)] + ([PASS] * 3 if amount < 13 else [])
    return [*auction, trump(SUITS[declarer]), *(card(f"{rank}-{SUITS[seat]}") for rank in RANKS for seat in turns)]


# ---------------------------------------------------------------------------------------------------- answers


def good(answer: httpx.Response) -> Json:
    """The document of an answer that is no refusal."""
    assert answer.status_code in (200, 201, 202), answer.text
    assert answer.headers["content-type"] == "application/json"
    return answer.json()


def refused(answer: httpx.Response, code: str) -> Json:
    """The problem document of a refusal with this code, which is well formed."""
    problem = answer.json()
    assert problem.get("code") == code, f"{answer.status_code} {answer.text}"
    known = PROBLEMS[code]
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    assert (answer.status_code, problem["status"], problem["title"]) == (known.status, known.status, known.title)
    assert problem["type"] == f"/v1/errors#{code}"
    assert problem["request_id"] == answer.headers["x-request-id"]
    assert problem["detail"].endswith(known.advice), "a problem says what to do"
    members = {"type", "title", "status", "code", "detail", "request_id"}
    more = {
        "invalid_request": {"errors"},
        "invalid_options": {"errors"},
        "illegal_move": {"reason"},
        "version_conflict": {"current_version", "by"},
        "rate_limited": {"limit_key"},
    }
    assert problem.keys() == members | more.get(code, set())
    return problem


def cards_in(text: str) -> set[str]:
    """Every card of the pack that a text names."""
    return set(re.findall(rf"(?:{'|'.join(RANKS)})-(?:{'|'.join(SUITS)})", text))


# ---------------------------------------------------------------------------------------------------- what is kept


def everything_in(kept: redis.Redis) -> dict[bytes, Any]:
    """Every key of the database with its whole value."""
    readers: dict[bytes, Callable[[bytes], Any]] = {
        b"string": kept.get,
        b"hash": kept.hgetall,
        b"list": lambda name: kept.lrange(name, 0, -1),
        b"set": kept.smembers,
        b"stream": lambda name: [fields for _, fields in kept.xrange(name)],  # by ids that are times of the server
        b"zset": lambda name: kept.zrange(name, 0, -1, withscores=True),
    }
    return {name: readers[kept.type(name)](name) for name in kept.keys()}  # noqa: SIM118 - no dictionary


def kept_of(kept: redis.Redis, *tables: Table) -> dict[bytes, Any]:
    """Everything that is kept of these games and their jobs, and what of theirs is due when."""
    ids = [table.id[3:].encode() for table in tables]
    found = {}
    for name, value in everything_in(kept).items():
        if name.endswith(b":due"):
            found[name] = [each for each in value if any(each_id in each[0] for each_id in ids)]
        elif name.startswith(b"tapete:") and any(each_id in name for each_id in ids):
            found[name] = value
    return {name: value for name, value in found.items() if value}


class Losing:
    """A store's Redis whose next answer to one script is lost: before it was run, or after."""

    def __init__(self, redis: Any, script: Script, *, ran: bool) -> None:
        self.redis = redis
        self.script = script
        self.ran = ran
        self.lost = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.redis, name)

    async def evalsha(self, sha: str, *arguments: Any) -> Any:
        """Run the script, or do not; say that the connection broke, the first time."""
        if sha != self.script.sha or self.lost:
            return await self.redis.evalsha(sha, *arguments)
        self.lost += 1
        if self.ran:
            await self.redis.evalsha(sha, *arguments)
        raise redis.ConnectionError("Connection closed by server.")


@contextmanager
def losing(api: Api, script: str, *, ran: bool) -> Iterator[None]:
    """Let the API lose one answer of its store: `commit` or `answer`."""
    store = api.context.store
    honest = store.redis
    store.redis = lossy = Losing(honest, getattr(store, f"_{script}"), ran=ran)  # type: ignore[assignment]
    try:
        yield
    finally:
        store.redis = honest
    assert lossy.lost == 1, "no answer was lost, so nothing was tested"
