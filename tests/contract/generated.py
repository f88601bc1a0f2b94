"""Real games for generated requests: what schemathesis makes up is well formed, but names no game and no token."""

import random
import uuid
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from schemathesis import AuthContext, Case, GenerationMode
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.transport import Response

from tests.contract.starts import JSON, SEATS, SIMULATED, Game, Starts, bearer

SEAT = "/v1/games/{game_id}/seats/{seat}"
MOVES = "POST /v1/games/{game_id}/moves"
ASK = "POST /v1/games/{game_id}/bot-moves"
CREATE = "POST /v1/games"
SIMULATE = "POST /v1/simulations"
NEAR = [f"{name}, {what} about to end" for name in SEATS for what in ("deal", "match")]
NEW = [f"{name}, new" for name in SEATS]
OVER = ["abandoned", *(f"{name}, finished" for name in SEATS)]
PREFERRED = {
    MOVES: NEAR,
    ASK: [*NEW, "with bots"],
    "GET /v1/games/{game_id}/legal-moves": [*NEW, *NEAR],
    "GET /v1/games/{game_id}/replay": OVER,
    "GET /v1/games/{game_id}/deals": [*OVER, *NEAR],
    "PUT /v1/games/{game_id}/target": ["agreeing on a target"],
    f"POST {SEAT}/claim": ["waiting for one", "waiting for two"],
    "POST /v1/games/{game_id}/start": ["waiting for its creator"],
    "POST /v1/games/{game_id}/return": ["with a stand-in", *NEW],
}
"""What an operation is for, three times in four; the fourth is any game."""
KEYED = ("/v1/games", "/v1/simulations", "/v1/simulations/{simulation_id}", "/v1/simulations/{simulation_id}/rows")
"""What takes an API key, where there are any: here there are none, and a token is none."""
CREATORS = ("/start", "/abandonment")
USING_UP = ("/start", "/abandonment", "/resignation", "/claim", "/token")
STAND_IN = "Bearer put-here-by-the-hook"
"""The token that schemathesis puts where one is needed: which one it is depends on the game."""


class Tokens:
    """Tells schemathesis that requests carry tokens; `Games` puts the real ones in their place."""

    def get(self, _case: Case, _context: AuthContext) -> str:
        """What is sent until a game is known."""
        return STAND_IN

    def set(self, case: Case, data: str, _context: AuthContext) -> None:
        """Put it into a request."""
        case.headers["Authorization"] = data


@dataclass
class Counted:
    """What generated requests met, and what they were answered."""

    statuses: dict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    """By operation; what was sent to another method is no answer of it."""
    starts: Counter[str] = field(default_factory=Counter)
    events: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """By ruleset: what came of moves that were made."""
    streams: int = 0


class Games:
    """Puts real games, their state and their tokens into generated requests, and counts the answers.

    What a request gets wrong on purpose stays wrong, and one request in eight stays as it was generated.
    """

    def __init__(self, starts: Starts, seed: int) -> None:
        self.starts = starts
        self.counted = Counted()
        self.chance = random.Random(seed)
        self._known: dict[str, Game] = {}
        self._met: Counter[tuple[str, str]] = Counter()
        self._jobs = dict([starts.advised()])
        self._simulations = [starts.simulated()]

    # ------------------------------------------------------------------------------------------------ before

    def prepare(self, case: Case) -> None:
        """Make a generated request one about a real game."""
        if "wait" in case.query and not _wrong_in(case, ParameterLocation.QUERY):
            case.query["wait"] = "1"  # where nothing happens in a game, and schemathesis waits 10 seconds
        if "Last-Event-ID" in case.headers and _is_meant_well(case):
            case.headers["Last-Event-ID"] = "0-"  # schemathesis generates `0`, which the pattern does not allow
        if "game_id" in case.path_parameters:
            self._about_a_game(case)
        elif "job_id" in case.path_parameters:
            self._about_a_job(case)
        elif "simulation_id" in case.path_parameters:
            self._about_a_simulation(case)
        elif "ruleset" in case.path_parameters and self._mends(case, ParameterLocation.PATH):
            case.path_parameters["ruleset"] = self.chance.choice(list(SEATS))
        if case.operation.label == SIMULATE and isinstance(case.body, dict) and self.chance.randrange(2):
            self._makes_sense(case)
        if case.operation.path in KEYED and case.headers.get("Authorization") == STAND_IN:
            del case.headers["Authorization"]
        if not _wrong_in(case, ParameterLocation.HEADER):
            self._conditions(case)

    def _mends(self, case: Case, place: ParameterLocation) -> bool:
        return not _wrong_in(case, place) and self.chance.randrange(8) > 0

    def _about_a_job(self, case: Case) -> None:
        if case.path_parameters["job_id"] not in self._jobs and self._mends(case, ParameterLocation.PATH):
            case.path_parameters["job_id"] = self.chance.choice(list(self._jobs))
        if token := self._jobs.get(case.path_parameters["job_id"]):
            self._send(case, token)

    def _about_a_simulation(self, case: Case) -> None:
        if case.path_parameters["simulation_id"] not in self._simulations and self._mends(case, ParameterLocation.PATH):
            case.path_parameters["simulation_id"] = self.chance.choice(self._simulations)

    def _makes_sense(self, case: Case) -> None:
        """What is asked for fits together, which only the rules of a game can tell."""
        if not _wrong_in(case, ParameterLocation.BODY):
            case.body |= {**SIMULATED, "preset": None, "options": {}, "compare": None, "players": None, "stop": None}

    def _about_a_game(self, case: Case) -> None:
        named = self._known.get(str(case.path_parameters["game_id"]))
        if named is None or not (_is_linked(case) or self.chance.randrange(4) == 0):
            if not self._mends(case, ParameterLocation.PATH):
                return
            named = self._choose(case.operation.label)
            case.path_parameters["game_id"] = named.id
        self.counted.starts[named.kind or "generated"] += 1
        seen = self._view(named)
        if "seat" in case.path_parameters and not _wrong_in(case, ParameterLocation.PATH):
            case.path_parameters["seat"] = str(min(named.invites, default=seen.get("to_move") or 0))
        self._send(case, self._token(case, named, seen))
        if not _wrong_in(case, ParameterLocation.QUERY) and case.operation.label.endswith("/events"):
            self._follow(case, seen)
        if not _wrong_in(case, ParameterLocation.BODY) and isinstance(case.body, dict):
            self._tell(case.body, named, seen)

    def _choose(self, label: str) -> Game:
        """A game of the kind that the operation has met least often. Moves go on with one game until it ends."""
        preferred = PREFERRED.get(label) if self.chance.randrange(4) else None
        ended = self.starts.made if label == MOVES and preferred else Counter[str]()
        kind = min(preferred or self.starts.KINDS, key=lambda kind: (ended[kind], self._met[label, kind]))
        self._met[label, kind] += 1
        game = self.starts.of(kind)
        self._known[game.id] = game
        return game

    def _view(self, game: Game) -> JSON:
        """A game as the seat to move sees it; nothing where there is none any more."""
        gone = self.starts.table.client.get(f"/v1/games/{game.id}").status_code == 404
        return {} if gone else self.starts.table.view(game)

    def _token(self, case: Case, game: Game, seen: JSON) -> str:
        """The token that an operation is for: the creator's, or that of the seat to move."""
        if case.operation.method.upper() == "DELETE" or case.operation.label.endswith(CREATORS):
            return game.creator
        tokens = list(game.tokens.values()) or [game.creator]
        return game.tokens.get(seen.get("to_move", -1)) or self.chance.choice(tokens)

    def _send(self, case: Case, token: str) -> None:
        if case.headers.get("Authorization") == STAND_IN:
            case.headers.update(bearer(token))

    def _follow(self, case: Case, seen: JSON) -> None:
        case.query["after"] = self.chance.choice(["0-", seen.get("cursor", "0-")])
        if self.chance.randrange(4) == 0 and not _wrong_in(case, ParameterLocation.HEADER):
            case.headers["Accept"] = "text/event-stream"
            case.query |= {"max_items": "1", "after": "0-"}

    def _tell(self, body: JSON, game: Game, seen: JSON) -> None:
        if "expected_version" in body and seen:
            body["expected_version"] = seen["version"]
        if "move" in body and seen.get("you") and seen["you"]["legal_moves"] and self.chance.randrange(4):
            body["move"] = self.chance.choice(seen["you"]["legal_moves"])
        if isinstance(body.get("bot"), dict) and self.chance.randrange(4):
            body["bot"]["version"] = None
        if "invite" in body and game.invites:
            body["invite"] = game.invites[min(game.invites)]

    def _conditions(self, case: Case) -> None:
        known = {each.name for each in case.operation.headers}
        if "Idempotency-Key" in case.headers and _is_meant_well(case) and self.chance.randrange(8):
            # The document's example is the same each time, and would name one game, erased long ago.
            case.headers["Idempotency-Key"] = str(uuid.UUID(int=self.chance.getrandbits(128)))
        if "Prefer" in known and self.chance.randrange(3) == 0:
            case.headers["Prefer"] = "wait=5"
        if "If-None-Match" in known and self.chance.randrange(6) == 0:
            case.headers["If-None-Match"] = "*"

    # ------------------------------------------------------------------------------------------------ after

    def count(self, case: Case, response: Response) -> None:
        """Count an answer, and remember what it gave: games, tokens, jobs, simulations."""
        if response.request.method != case.operation.method.upper():
            return
        label = case.operation.label
        self.counted.statuses[label][response.status_code] += 1
        if not 200 <= response.status_code < 300:
            return
        if label == CREATE:
            created = Game.of(response.json())
            self._known[created.id] = created
        elif label == SIMULATE:
            self._simulations.append(response.json()["simulation_id"])
        elif label == ASK:
            self._jobs[response.json()["job_id"]] = response.request.headers["Authorization"].partition(" ")[2]
        elif label.endswith("/events") and "text/event-stream" in str(response.headers.get("content-type")):
            self.counted.streams += 1
        if (game := self._known.get(str(case.path_parameters.get("game_id")))) is not None:
            self._changed(label, game, response)

    def _changed(self, label: str, game: Game, response: Response) -> None:
        if label == MOVES:
            answer = response.json()
            self.counted.events[answer["game"]["ruleset"]].update(event["type"] for event in answer["events"])
            if {"deal_scored", "game_over"} & {event["type"] for event in answer["events"]}:
                self.starts.use_up(game)
        elif label.startswith("DELETE") or label.endswith(USING_UP):
            self.starts.use_up(game)
        if label.endswith(("/claim", "/token")):
            answer = response.json()
            game.tokens[answer["seat"]] = answer["token"]
            game.invites.pop(answer["seat"], None)


def _is_linked(case: Case) -> bool:
    """Whether what came before a request named its game."""
    return case.meta is not None and case.meta.phase.name == "stateful"


def _is_meant_well(case: Case) -> bool:
    return case.meta is None or case.meta.generation.mode is GenerationMode.POSITIVE


def _wrong_in(case: Case, place: ParameterLocation) -> bool:
    return case.meta is not None and case.meta.is_negative_at(place)
