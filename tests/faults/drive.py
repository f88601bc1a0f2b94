"""Load: tables of players who do what the documentation tells clients to do, and remember what they were promised.

A player repeats the same bytes until there is an answer, whatever has been killed meanwhile. Each table creates one
game after the other until it is told that the one it plays is the last.
"""

import asyncio
import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any

import httpx

from tests.processes import PATIENCE, wait_until

Json = Any

RULES = {"kind": "bot", "bot": {"bot": "rules"}}
PLAYER = {"kind": "player"}
TABLES = {
    "two players": [PLAYER, RULES, PLAYER, RULES],
    "two other players": [RULES, PLAYER, RULES, PLAYER],
    "four players": [PLAYER] * 4,
    "four other players": [PLAYER] * 4,
    "four bots": [RULES] * 4,
}
OPTIONS = {"max_deals": 1, "all_pass": "dealer_bids"}
LEFT_TO_A_BOT = 0.1
"""How often a player asks a bot to make the move."""
PAUSE = 0.05
"""Seconds between looking again, and before repeating a request that got no answer."""


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
    seed: str
    tokens: dict[int, str]
    version: int = 1
    finished: bool = False
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
        self.http = httpx.AsyncClient(base_url=url, timeout=10)
        self.repeated = 0

    async def send(self, method: str, path: str, token: str | None = None, body: bytes | None = None) -> Json:
        """Give the answer's document; the same bytes are sent again after a 503, or where there is no answer."""
        headers = {"Content-Type": "application/json"} if body else {}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        while True:
            try:
                answer = await self.http.request(method, path, content=body, headers=headers)
                if answer.is_success:
                    return answer.json()
                if answer.status_code != 503:
                    raise UnexpectedAnswerError(f"{method} {path} {body!r}: {answer.status_code} {answer.text}")
            except httpx.TransportError:
                pass
            self.repeated += 1
            await asyncio.sleep(PAUSE)


class Load:
    """The tables, playing in a thread of their own."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.games: list[Game] = []
        self.running: dict[str, Game] = {}
        self.last_game = Event()
        self.errors: list[BaseException] = []
        self.repeated = 0
        self._thread = Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Let every table begin."""
        self._thread.start()

    def finish(self) -> None:
        """Let every table end the game that it plays, and go."""
        self.last_game.set()
        wait_until(lambda: not self._thread.is_alive(), lambda: f"the end of {self}")
        self.check()

    def check(self) -> None:
        """Fail where a table got an answer that it should not have got."""
        if self.errors:
            raise self.errors[0]

    def until_everyone_has_moved_on(self) -> None:
        """Wait until at every table something has happened since now."""
        before = {table: (game.id, game.version) for table, game in self.running.items()}

        def moved_on() -> bool:
            self.check()
            now = {table: (game.id, game.version) for table, game in self.running.items()}
            return len(now) == len(TABLES) and all(now[table] != before.get(table) for table in now)

        wait_until(moved_on, lambda: f"more moves than {before}, in {self}")

    def __str__(self) -> str:
        return ", ".join(f"{game.id} of {table} at {game.version}" for table, game in self.running.items())

    def _run(self) -> None:
        try:
            asyncio.run(self._all_tables())
        except BaseException as error:  # told to whoever waits
            self.errors.append(error)

    async def _all_tables(self) -> None:
        client = Client(self.url)
        async with client.http, asyncio.TaskGroup() as group:
            for name, seats in TABLES.items():
                group.create_task(self._table(client, name, seats))
        self.repeated = client.repeated

    async def _table(self, client: Client, name: str, seats: list[Json]) -> None:
        chance = random.Random(name)
        while not self.last_game.is_set():
            seed = f"{chance.getrandbits(256):064x}"
            body = {"ruleset": "tarneeb", "seats": seats, "options": OPTIONS, "pace_seconds": 0, "seed": seed}
            # Where the answer is lost this makes another game, and nobody plays the first one.
            created = await client.send("POST", "/v1/games", body=json.dumps(body).encode())
            tokens = {seat["seat"]: seat["token"] for seat in created["seats"]}
            game = self.running[name] = Game(created["game"]["game_id"], seed, tokens)
            self.games.append(game)
            await self._play(client, game, chance)

    async def _play(self, client: Client, game: Game, chance: random.Random) -> None:
        while not game.finished:
            view = await client.send("GET", game.path)
            self._look(game, view)
            while view["to_move"] in game.tokens:
                view = await self._move(client, game, view["to_move"], chance)
                self._look(game, view)
            if not game.finished:
                await asyncio.sleep(PAUSE)

    def _look(self, game: Game, view: Json) -> None:
        game.views.append(view)
        game.version, game.finished = view["version"], view["status"] == "finished"

    async def _move(self, client: Client, game: Game, seat: int, chance: random.Random) -> Json:
        """Make a move for a seat, or let a bot make it; the game afterwards."""
        token = game.tokens[seat]
        legal = await client.send("GET", f"{game.path}/legal-moves", token)
        if chance.random() < LEFT_TO_A_BOT:
            await self._let_a_bot_move(client, game, seat, legal["version"])
            return await client.send("GET", game.path, token)
        asked = {"expected_version": legal["version"], "move": chance.choice(legal["moves"])}
        answer = await client.send("POST", f"{game.path}/moves", token, json.dumps(asked).encode())
        game.promises.append(Promise(answer["version"], seat, "player", asked["move"]))
        return answer["game"]

    async def _let_a_bot_move(self, client: Client, game: Game, seat: int, version: int) -> None:
        asked = json.dumps({"expected_version": version, "bot": {"bot": "rules"}, "play": True}).encode()
        job = await client.send("POST", f"{game.path}/bot-moves", game.tokens[seat], asked)
        while job["state"] == "queued":
            await asyncio.sleep(PAUSE)
            job = await client.send("GET", f"/v1/jobs/{job['job_id']}", game.tokens[seat])
        if job["state"] != "done":
            raise UnexpectedAnswerError(str(job))
        game.promises.append(Promise(job["answer"]["played_version"], seat, "bot", job["answer"]["move"]))


@contextmanager
def load(url: str) -> Iterator[Load]:
    """Let tables play; when the block is left, they end their games."""
    playing = Load(url)
    playing.start()
    yield playing
    playing.finish()


def read(url: str, path: str, token: str | None = None) -> Json:
    """Give a document, as whoever holds the token reads it."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.get(url + path, headers=headers, timeout=PATIENCE).raise_for_status().json()
