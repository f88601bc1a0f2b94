"""Load: tables of players who do what the documentation tells clients to do, and remember what they were promised.

A player repeats the same bytes until there is an answer, whatever has been killed meanwhile. Each table creates one
game after the other until it is told that the one it plays is the last.
"""

import asyncio
import json
import random
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any, TypeVar
from uuid import uuid4

from service.errors import PROBLEMS
from tests.faults.wire import Answer, Connections, NoAnswerError
from tests.processes import PATIENCE

Json = Any
T = TypeVar("T")

RULES: Json = {"kind": "bot", "bot": {"bot": "rules"}}
PLAYER: Json = {"kind": "player"}
OPTIONS: dict[str, Json] = {
    "tarneeb": {"max_deals": 1, "all_pass": "dealer_bids"},
    "reihe": {"max_deals": 2, "deck": "german_36"},
    "rosbiratschka": {"contracts": ["no_hearts", "rosbiratschka"]},
    "elfer_raus": {"max_deals": 2, "max_number": 10},
}
"""The rulesets, and options by which a match is short: some 60 moves, in two deals where the game has more than one."""
SEATS: list[list[Json]] = [[PLAYER, RULES, PLAYER, RULES], [RULES, PLAYER, RULES, PLAYER], [PLAYER] * 4, [RULES] * 4]
"""Who sits at the tables: a bot in every other seat, all told."""
LEFT_TO_A_BOT = 0.1
"""How often a player asks a bot to make the move."""
PAUSE = 0.1
"""Seconds between looking again, and before repeating a request that got no answer."""


@dataclass(frozen=True)
class Table:
    """What is played at a table, and by whom."""

    name: str
    ruleset: str
    seats: list[Json]


def _table(number: int) -> Table:
    ruleset = list(OPTIONS)[number % len(OPTIONS)]
    return Table(f"{number} ({ruleset})", ruleset, SEATS[number // len(OPTIONS) % len(SEATS)])


TABLES = [_table(number) for number in range(50)]


@dataclass(frozen=True)
class Promise:
    """A move that was acknowledged: it must be in the log, at this version, for ever."""

    version: int
    seat: int
    by: str
    move: Json


@dataclass
class Game:
    """A game that was created, and all that was told and promised about it."""

    id: str
    ruleset: str
    seed: str
    tokens: dict[int, str]
    version: int = 1
    finished: bool = False
    in_flight: bool = False
    """Whether a move has been asked for and not been acknowledged yet."""
    promises: list[Promise] = field(default_factory=list)
    views: list[Json] = field(default_factory=list)

    @property
    def path(self) -> str:
        """Where it is."""
        return f"/v1/games/{self.id}"


class UnexpectedAnswerError(Exception):
    """An answer that no client should ever get, whatever is killed."""


class Client:
    """Sends a request until there is an answer to it."""

    def __init__(self, url: str) -> None:
        self.connections = Connections(url)
        self.refused = 0
        self.unanswered = 0

    async def send(
        self, method: str, path: str, token: str | None = None, body: bytes | None = None, key: str = ""
    ) -> Json:
        """Give the answer's document; the same bytes are sent again after a 503, or where there is no answer."""
        while True:
            try:
                answer = await self.connections.request(method, path, token, body, key)
                if answer.status < 300:
                    return answer.json()
                if not is_clear(answer, "unavailable"):
                    raise UnexpectedAnswerError(f"{method} {path} {body!r}: {answer.status} {answer.body!r}")
                self.refused += 1
            except NoAnswerError:
                self.unanswered += 1
            await asyncio.sleep(PAUSE)


def is_clear(answer: Answer, code: str) -> bool:
    """Whether an answer is the problem document of this code, and says when to try again where that helps."""
    if answer.headers.get("content-type") != "application/problem+json":
        return False
    problem, known = answer.json(), PROBLEMS[code]
    told = (problem["code"], problem["status"], problem["title"], problem["request_id"])
    return (
        told == (code, answer.status, known.title, answer.headers["x-request-id"])
        and answer.status == known.status
        and known.advice in problem["detail"]
        and (code != "unavailable" or answer.headers["retry-after"].isdecimal())
    )


class Load:
    """The tables, playing in a thread of their own."""

    def __init__(self, url: str) -> None:
        self.client = Client(url)
        self.games: list[Game] = []
        self.running: dict[str, Game] = {}
        self.acknowledged = 0
        self.created = 0
        self.last_game = Event()
        self.errors: list[BaseException] = []
        self._over: list[Table] = []
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._run, daemon=True)

    @property
    def repeated(self) -> int:
        """How many requests were refused or got no answer, and were sent again."""
        return self.client.refused + self.client.unanswered

    def start(self) -> None:
        """Let every table begin."""
        self._thread.start()

    def finish(self) -> None:
        """Let every table end the game that it plays."""
        self.last_game.set()
        before, end = "", 0.0
        while len(self._over) < len(TABLES):
            self.check()
            if (now := str(self)) != before:
                before, end = now, time.monotonic() + PATIENCE
            assert time.monotonic() < end, f"waited in vain for the end of {now}"
            time.sleep(0.02)

    def close(self) -> None:
        """Let the tables go, wherever they are."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(PATIENCE)

    def check(self) -> None:
        """Fail where a table got an answer that it should not have got."""
        if self.errors:
            raise self.errors[0]

    def ask(self, work: Coroutine[Any, Any, T]) -> T:
        """Give the answer of something that is asked in between, by a client like the tables'."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(3 * PATIENCE)

    def tables_that_stay_where_they_are(self) -> list[str]:
        """Wait until at every table something has happened since now; the tables at which patience ends first."""
        before = {table: (game.id, game.version) for table, game in self.running.items()}
        end = time.monotonic() + PATIENCE
        stuck = [table.name for table in TABLES]
        while stuck and time.monotonic() < end:
            self.check()
            now = {table: (game.id, game.version) for table, game in self.running.items()}
            stuck = [name for name in stuck if name not in now or now[name] == before.get(name)]
            time.sleep(0.02)
        return stuck

    def __str__(self) -> str:
        playing = {name: game for name, game in self.running.items() if not game.finished}
        return ", ".join(f"{game.id} of table {name} at {game.version}" for name, game in playing.items())

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        tables = [self._loop.create_task(self._table(table)) for table in TABLES]
        self._loop.run_forever()
        for task in tables:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tables, return_exceptions=True))
        self._loop.run_until_complete(self.client.connections.close())
        self._loop.close()

    async def _table(self, table: Table) -> None:
        try:
            chance = random.Random(table.name)
            while not self.last_game.is_set():
                game = self.running[table.name] = await self._create(table, f"{chance.getrandbits(256):064x}")
                self.games.append(game)
                await self._play(game, chance)
            self._over.append(table)
        except Exception as error:  # told to whoever waits
            self.errors.append(error)

    async def _create(self, table: Table, seed: str) -> Game:
        options = OPTIONS[table.ruleset]
        body = {
            "ruleset": table.ruleset, "seats": table.seats, "options": options, "pace_seconds": 0, "seed": seed,
        }  # fmt: skip
        # Where the answer is lost, the key finds the game that was made.
        created = await self.client.send("POST", "/v1/games", None, json.dumps(body).encode(), str(uuid4()))
        self.created += 1
        tokens = {seat["seat"]: seat["token"] for seat in created["seats"]}
        return Game(created["game"]["game_id"], table.ruleset, seed, tokens)

    async def _play(self, game: Game, chance: random.Random) -> None:
        while not game.finished:
            view = await self.client.send("GET", game.path)
            self._look(game, view)
            while view["to_move"] in game.tokens:
                view = await self._move(game, view["to_move"], chance)
                self._look(game, view)
            if not game.finished:
                await asyncio.sleep(PAUSE)

    def _look(self, game: Game, view: Json) -> None:
        if not game.views or game.views[-1] != view:
            game.views.append(view)
        game.version, game.finished = view["version"], view["status"] == "finished"

    async def _move(self, game: Game, seat: int, chance: random.Random) -> Json:
        """Make a move for a seat, or let a bot make it; the game afterwards."""
        token = game.tokens[seat]
        legal = await self.client.send("GET", f"{game.path}/legal-moves", token)
        game.in_flight = True
        if chance.random() < LEFT_TO_A_BOT:
            await self._let_a_bot_move(game, seat, legal["version"])
            return await self.client.send("GET", game.path, token)
        asked = {"expected_version": legal["version"], "move": chance.choice(legal["moves"])}
        answer = await self.client.send("POST", f"{game.path}/moves", token, json.dumps(asked).encode())
        self._promised(game, Promise(answer["version"], seat, "player", asked["move"]))
        return answer["game"]

    async def _let_a_bot_move(self, game: Game, seat: int, version: int) -> None:
        asked = json.dumps({"expected_version": version, "bot": {"bot": "rules"}, "play": True}).encode()
        job = await self.client.send("POST", f"{game.path}/bot-moves", game.tokens[seat], asked)
        while job["state"] == "queued":
            await asyncio.sleep(PAUSE)
            job = await self.client.send("GET", f"/v1/jobs/{job['job_id']}", game.tokens[seat])
        if job["state"] != "done":
            raise UnexpectedAnswerError(str(job))
        self._promised(game, Promise(job["answer"]["played_version"], seat, "bot", job["answer"]["move"]))

    def _promised(self, game: Game, promise: Promise) -> None:
        game.promises.append(promise)  # first: what is no longer in flight must be found here
        game.in_flight = False
        self.acknowledged += 1


@contextmanager
def load(url: str) -> Iterator[Load]:
    """Let tables play while the block runs, which begins when all of them do."""
    playing = Load(url)
    playing.start()
    try:
        assert not playing.tables_that_stay_where_they_are()
        yield playing
    finally:
        playing.close()
