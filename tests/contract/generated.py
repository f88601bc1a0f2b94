"""Real games for generated requests: what schemathesis makes up is well formed, but names no game and no token."""

import random
from collections import Counter, defaultdict
from typing import Any

import httpx
from schemathesis import Case, GenerationMode
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.transport import Response

PLAYER = {"kind": "player"}
BOT = {"kind": "bot", "bot": {"bot": "random"}}
JSON = dict[str, Any]
OPEN = {"kind": "open"}
SIMULATE = {"ruleset": "reihe", "seats": [{"bot": "random"}] * 3, "count": 3, "rows": True}
SEATS = "/v1/games/{game_id}/seats/{seat}"
FRESH: dict[str, dict[str, Any]] = {
    f"POST {SEATS}/claim": {"seats": [PLAYER, OPEN, OPEN, BOT]},
    f"POST {SEATS}/token": {},
    "POST /v1/games/{game_id}/start": {"start": "manual"},
    "POST /v1/games/{game_id}/return": {},
    "POST /v1/games/{game_id}/resignation": {},
    "POST /v1/games/{game_id}/abandonment": {},
    "DELETE /v1/games/{game_id}": {},
}
"""Operations that leave no game as it was: each of their requests gets one of its own, made so."""
CREATORS = ("/start", "/abandonment")
RULESETS = ["tarneeb", "reihe", "rosbiratschka", "elfer_raus"]


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


class Game:
    """A game that was created, with the token of each player's seat and the invite to each open one."""

    def __init__(self, created: JSON) -> None:
        self.id: str = created["game"]["game_id"]
        self.creator: str = created["creator_token"]
        self.tokens: dict[int, str] = {each["seat"]: each["token"] for each in created["seats"] if "token" in each}
        self.invites: dict[int, str] = {each["seat"]: each["invite"] for each in created["seats"] if "invite" in each}

    def token(self, case: Case, to_move: int | None) -> str:
        """The token that an operation is for: the creator's, or that of the seat to move."""
        creators = case.operation.method.upper() == "DELETE" or case.operation.label.endswith(CREATORS)
        return self.creator if creators else self.tokens.get(to_move, next(iter(self.tokens.values()), self.creator))  # type: ignore[arg-type]


class Games:
    """Puts real games, their state and their tokens into generated requests, and counts the answers.

    What a request gets wrong on purpose stays wrong, and one request in eight stays as it was generated.
    """

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        self.chance = random.Random("generated")
        self.answers: dict[str, Counter[int]] = defaultdict(Counter)
        self.known: dict[str, Game] = {}
        self.finished = self.create([PLAYER] * 4, options={"max_deals": 1})
        while self.move(self.finished):
            pass
        self.agreeing = self.create([PLAYER] * 3, ruleset="reihe", options={"target": None})
        self.running = [
            self.create([PLAYER] * 4),
            self.create([PLAYER, BOT, PLAYER, BOT], pace_seconds=0),
            self.create([PLAYER] * 3, ruleset="rosbiratschka"),
            self.create([PLAYER] * 2, ruleset="elfer_raus"),
        ]
        self.job, self.job_token = self.ask(self.running[0])
        self.simulation = self._good("POST", "/v1/simulations", json=SIMULATE)["simulation_id"]

    def create(self, seats: list[JSON], **more: Any) -> Game:
        """A new game."""
        return self._know(self._good("POST", "/v1/games", json={"ruleset": "tarneeb", "seats": seats, **more}))

    def _know(self, created: JSON) -> Game:
        game = Game(created)
        self.known[game.id] = game
        return game

    def move(self, game: Game) -> bool:
        """Make any legal move; False where the match is over."""
        seen = self.view(game)
        if seen["result"] is not None:
            return False
        body = {"expected_version": seen["version"], "move": self.chance.choice(seen["you"]["legal_moves"])}
        self._good("POST", f"/v1/games/{game.id}/moves", game.tokens[seen["to_move"]], json=body)
        return True

    def ask(self, game: Game) -> tuple[str, str]:
        """A job that is done, and the token that asked for it."""
        seen = self.view(game)
        token = game.tokens[seen["to_move"]]
        body = {"expected_version": seen["version"], "bot": {"bot": "rules"}}
        self.client.headers["Prefer"] = "wait=25"
        job = self._good("POST", f"/v1/games/{game.id}/bot-moves", token, json=body)
        del self.client.headers["Prefer"]
        assert job["state"] == "done"
        return job["job_id"], token

    def view(self, game: Game) -> JSON:
        """A game as the seat to move sees it, or its creator while a bot is to move and after the end."""
        seen = self._good("GET", f"/v1/games/{game.id}")
        return self._good("GET", f"/v1/games/{game.id}", game.tokens.get(seen["to_move"], game.creator))

    def _good(self, method: str, path: str, token: str = "", **content: Any) -> JSON:
        answer = self.client.request(method, path, headers=bearer(token) if token else {}, **content)
        assert answer.is_success, answer.text
        good: JSON = answer.json()
        return good

    def prepare(self, case: Case) -> dict[str, str]:
        """Make a generated request one about a real game; answers the headers to send with it."""
        if "Last-Event-ID" in case.headers and _is_meant_well(case):
            case.headers["Last-Event-ID"] = "0-"  # schemathesis generates `0`, which the pattern does not allow
        if self.chance.randrange(8) == 0:
            return {}
        game = self._game_for(case)
        seen = self.view(game)
        if seen["result"] is not None and game in self.running:
            self.running[0] = self.create([PLAYER] * 4)
        if not _wrong_in(case, ParameterLocation.PATH):
            self._name(case, game, seen)
        if not _wrong_in(case, ParameterLocation.QUERY) and case.operation.label.endswith("/events"):
            case.query["after"] = self.chance.choice(["0-", seen["cursor"]])
            if "wait" in case.query:
                case.query["wait"] = "1"  # nothing happens in the game, and schemathesis waits 10 seconds
        if not _wrong_in(case, ParameterLocation.BODY) and isinstance(case.body, dict):
            self._tell(case.body, seen)
            if "invite" in case.body and game.invites:
                case.body["invite"] = game.invites[min(game.invites)]
        return self._headers(case, game, seen)

    def _game_for(self, case: Case) -> Game:
        if (made := FRESH.get(case.operation.label)) is not None:
            return self.create(**{"seats": [PLAYER] * 4, **made})
        if case.operation.label.endswith("/target"):
            return self.agreeing
        return self.chance.choice([*self.running * 2, self.finished])

    def _name(self, case: Case, game: Game, seen: JSON) -> None:
        seat = min(game.invites, default=seen["to_move"] or 0)
        known = {"game_id": game.id, "job_id": self.job, "ruleset": self.chance.choice(RULESETS), "seat": str(seat)} | {
            "simulation_id": self.simulation
        }
        for name in case.path_parameters:
            case.path_parameters[name] = known[name]

    def _tell(self, body: JSON, seen: JSON) -> None:
        if "expected_version" in body:
            body["expected_version"] = seen["version"]
        if "move" in body and seen["you"] and self.chance.randrange(2):
            body["move"] = self.chance.choice(seen["you"]["legal_moves"])
        if "count" in body and self.chance.randrange(2):
            body |= {**SIMULATE, "preset": None, "options": {}, "compare": None, "players": None, "stop": None}
        if "bot" in body and self.chance.randrange(4):
            body["bot"]["version"] = None

    def _headers(self, case: Case, game: Game, seen: JSON) -> dict[str, str]:
        token = self.job_token if "job_id" in case.path_parameters else game.token(case, seen["to_move"])
        if case.operation.label not in FRESH and seen["to_move"] not in game.tokens:
            token = self.chance.choice([*game.tokens.values(), game.creator])
        sent = bearer(token)
        if not _wrong_in(case, ParameterLocation.HEADER) and self.chance.randrange(3) == 0:
            sent |= {"Prefer": "wait=5", "If-None-Match": "*"}
        return sent

    def count(self, case: Case, answer: Response) -> None:
        """Remember how an operation answered, every game that it created, and what became of games and tokens.

        What was sent to another method is no answer of the operation.
        """
        if answer.request.method == case.operation.method.upper():
            self.answers[case.operation.label][answer.status_code] += 1
            if case.operation.label == "POST /v1/games" and answer.status_code == 201:
                self._know(answer.json())
            game = self.known.get(str(case.path_parameters.get("game_id")))
            if game is not None and answer.status_code == 204 and case.operation.method.upper() == "DELETE":
                del self.known[game.id]
            if game is not None and answer.status_code == 200 and case.operation.label.startswith(f"POST {SEATS}"):
                game.tokens[answer.json()["seat"]] = answer.json()["token"]

    def token_for(self, case: Case) -> dict[str, str]:
        """The headers of a request that is generated step by step: its game is a real one already."""
        game = self.known.get(str(case.path_parameters.get("game_id")))
        if game is None:
            return {}
        return bearer(game.token(case, self.view(game)["to_move"]))


def _is_meant_well(case: Case) -> bool:
    return case.meta is None or case.meta.generation.mode is GenerationMode.POSITIVE


def _is_meant_well(case: Case) -> bool:
    return case.meta is None or case.meta.generation.mode is GenerationMode.POSITIVE


def _wrong_in(case: Case, place: ParameterLocation) -> bool:
    return case.meta is not None and case.meta.is_negative_at(place)
