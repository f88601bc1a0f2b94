"""The games that generated requests meet: every ruleset from its first move to its last, and every way to stand still.

A game near an end is played by chance once; a new one like it is dealt with the same seed and plays the same moves.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
import redis

from service.store import key, shard_of
from tests.processes import wait_until

JSON = dict[str, Any]
PLAYER = {"kind": "player"}
BOT = {"kind": "bot", "bot": {"bot": "random"}}
OPEN = {"kind": "open"}
SIMULATED = {"ruleset": "reihe", "seats": [{"bot": "random"}] * 3, "count": 3, "rows": True}
SEED = "5eed" * 16
SEATS = {"tarneeb": 4, "reihe": 3, "rosbiratschka": 3, "elfer_raus": 3}
ONE_DEAL: dict[str, JSON] = {
    "tarneeb": {"max_deals": 1},
    "reihe": {"max_deals": 1},
    "rosbiratschka": {"contracts": ["no_tricks"]},
    "elfer_raus": {"max_number": 10, "max_deals": 1},
}
"""Options of a match that ends with its first deal."""
TWO_DEALS: dict[str, JSON] = {
    **{name: {**options, "max_deals": 2} for name, options in ONE_DEAL.items()},
    "rosbiratschka": {"contracts": ["no_tricks", "rosbiratschka"]},
}
"""Options of a match that goes on after its first deal."""


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@dataclass
class Game:
    """A game that was created, with the token of each player's seat and the invite to each open one."""

    id: str
    creator: str
    tokens: dict[int, str] = field(default_factory=dict)
    invites: dict[int, str] = field(default_factory=dict)
    kind: str = ""
    """Which start it is; empty where a generated request made it."""

    @classmethod
    def of(cls, created: JSON, kind: str = "") -> "Game":
        """The game of an answer to its creation."""
        tokens = {each["seat"]: each["token"] for each in created["seats"] if "token" in each}
        invites = {each["seat"]: each["invite"] for each in created["seats"] if "invite" in each}
        return cls(created["game"]["game_id"], created["creator_token"], tokens, invites, kind)


class Table:
    """Creates games and plays them, over HTTP."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        self.chance = random.Random("starts")

    def ask(self, method: str, path: str, token: str = "", **content: Any) -> JSON:
        """The answer to a request that must succeed."""
        headers = {**(bearer(token) if token else {}), **content.pop("headers", {})}
        answer = self.client.request(method, path, headers=headers, **content)
        assert answer.is_success, f"{method} {path}: {answer.text}"
        good: JSON = answer.json() if answer.content else {}
        return good

    def create(self, ruleset: str, seats: list[JSON] | None = None, kind: str = "", **more: Any) -> Game:
        """A new game, of players unless told otherwise."""
        body = {"ruleset": ruleset, "seats": seats or [PLAYER] * SEATS[ruleset], **more}
        return Game.of(self.ask("POST", "/v1/games", json=body), kind)

    def view(self, game: Game) -> JSON:
        """A game as the seat to move sees it, or its creator while a bot is to move and after the end."""
        seen = self.ask("GET", f"/v1/games/{game.id}")
        token = game.tokens.get(seen["to_move"])
        return self.ask("GET", f"/v1/games/{game.id}", token) if token else seen

    def move(self, game: Game, seat: int, version: int, move: JSON) -> list[str]:
        """Make a move; the types of what came of it."""
        body = {"expected_version": version, "move": move}
        answer = self.ask("POST", f"/v1/games/{game.id}/moves", game.tokens[seat], json=body)
        return [event["type"] for event in answer["events"]]

    def play_one(self, game: Game) -> tuple[int, JSON, list[str]] | None:
        """Make any legal move: whose, which, and what came of it. None where the match is over."""
        seen = self.view(game)
        if seen["result"] is not None:
            return None
        move = self.chance.choice(seen["you"]["legal_moves"])
        return seen["to_move"], move, self.move(game, seen["to_move"], seen["version"], move)


class Starts:
    """One game of each kind, made when it is first asked for, and made again when it has been used up."""

    KINDS: "Mapping[str, Callable[[Starts, str], Game]]"
    """What makes a game of each kind, given the kind."""

    def __init__(self, client: httpx.Client, kept: redis.Redis) -> None:
        self.table = Table(client)
        self.made: Counter[str] = Counter()
        self._redis = kept
        self._lines: dict[tuple[str, str], list[tuple[int, JSON]]] = {}
        self._there: dict[str, Game] = {}

    def of(self, kind: str) -> Game:
        """The game of a kind."""
        if kind not in self._there:
            self.made[kind] += 1
            self._there[kind] = self.KINDS[kind](self, kind)
        return self._there[kind]

    def use_up(self, game: Game) -> None:
        """Take note that a game is no more what it was made for."""
        if self._there.get(game.kind) is game:
            del self._there[game.kind]

    def simulated(self) -> str:
        """A simulation of some deals."""
        simulation: str = self.table.ask("POST", "/v1/simulations", json=SIMULATED)["simulation_id"]
        return simulation

    def advised(self) -> tuple[str, str]:
        """A job that is done, and the token that asked for it."""
        game = self.table.create("tarneeb")
        seen = self.table.view(game)
        token = game.tokens[seen["to_move"]]
        body = {"expected_version": seen["version"], "bot": {"bot": "rules"}}
        path, patience = f"/v1/games/{game.id}/bot-moves", {"Prefer": "wait=25"}
        job = self.table.ask("POST", path, token, json=body, headers=patience)
        assert job["state"] == "done"
        return job["job_id"], token

    def _line(self, ruleset: str, options: dict[str, JSON], end: str) -> list[tuple[int, JSON]]:
        """Moves by chance from the first one to the one that ends something."""
        if (ruleset, end) not in self._lines:
            game = self.table.create(ruleset, options=options[ruleset], seed=SEED)
            line = self._lines[ruleset, end] = []
            while (played := self.table.play_one(game)) is not None:
                line.append(played[:2])
                if end in played[2]:
                    break
        return self._lines[ruleset, end]

    def near(self, kind: str, ruleset: str, options: dict[str, JSON]) -> Game:
        """A game one or two moves before its first deal ends, and the match with it where it has only one."""
        end = "game_over" if options is ONE_DEAL else "deal_scored"
        line = self._line(ruleset, options, end)
        return self._played(ruleset, options, line[: -self.table.chance.randrange(1, 3)], kind)

    def finished(self, kind: str, ruleset: str) -> Game:
        """A game that was played to its end."""
        return self._played(ruleset, ONE_DEAL, self._line(ruleset, ONE_DEAL, "game_over"), kind)

    def _played(self, ruleset: str, options: dict[str, JSON], line: list[tuple[int, JSON]], kind: str) -> Game:
        game = self.table.create(ruleset, kind=kind, options=options[ruleset], seed=SEED)
        for version, (seat, move) in enumerate(line, 1):
            self.table.move(game, seat, version, move)
        return game

    def abandoned(self, kind: str) -> Game:
        """A game that its creator has ended."""
        game = self.table.create("tarneeb", kind=kind)
        self.table.ask("POST", f"/v1/games/{game.id}/abandonment", game.creator)
        return game

    def erased(self, kind: str) -> Game:
        """A game that its creator has erased."""
        game = self.table.create("tarneeb", kind=kind)
        self.table.ask("DELETE", f"/v1/games/{game.id}", game.creator)
        return game

    def expired(self, kind: str) -> Game:
        """A game whose time is over: what Redis forgets after days is forgotten now."""
        game = self.table.create("tarneeb", kind=kind)
        shard = shard_of(game.id)
        self._redis.delete(*(key(part, shard, game.id) for part in ("game", "log", "deals")))
        return game

    def with_stand_in(self, kind: str) -> Game:
        """A game whose first clock has run out. The stand-ins are slow, so it stays near its beginning for long."""
        game = self.table.create("tarneeb", kind=kind, move_seconds=1, pace_seconds=60)

        def replaced() -> bool:
            return any(seat["controller"] == "stand_in" for seat in self.table.view(game)["seats"])

        wait_until(replaced, lambda: "a stand-in")
        return game


def _new(ruleset: str, seats: list[JSON] | None = None, **more: Any) -> Callable[[Starts, str], Game]:
    return lambda starts, kind: starts.table.create(ruleset, seats, kind, **more)


def _near(ruleset: str, options: dict[str, JSON]) -> Callable[[Starts, str], Game]:
    return lambda starts, kind: starts.near(kind, ruleset, options)


def _finished(ruleset: str) -> Callable[[Starts, str], Game]:
    return lambda starts, kind: starts.finished(kind, ruleset)


Starts.KINDS = {
    **{f"{name}, new": _new(name) for name in SEATS},
    **{f"{name}, deal about to end": _near(name, TWO_DEALS) for name in SEATS},
    **{f"{name}, match about to end": _near(name, ONE_DEAL) for name in SEATS},
    **{f"{name}, finished": _finished(name) for name in SEATS},
    "abandoned": Starts.abandoned,
    "erased": Starts.erased,
    "expired": Starts.expired,
    "waiting for two": _new("tarneeb", [PLAYER, OPEN, OPEN, BOT]),
    "waiting for one": _new("tarneeb", [PLAYER, PLAYER, OPEN, PLAYER]),
    "waiting for its creator": _new("tarneeb", start="manual"),
    "with bots": _new("tarneeb", [PLAYER, BOT, PLAYER, BOT], pace_seconds=0),
    "with a clock": _new("elfer_raus", move_seconds=3600),
    "with a stand-in": Starts.with_stand_in,
    "without advice": _new("rosbiratschka", advice=False),
    "agreeing on a target": _new("reihe", options={"target": None}),
}
