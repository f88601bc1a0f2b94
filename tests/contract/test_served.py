"""What the running service sends, held against the document: its files, and the headers of every answer."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from openapi.write import HERE, files
from tests.contract.published import DOCUMENT, followed

PLAYER = {"kind": "player"}
OPEN = {"kind": "open"}
REIHE = {"ruleset": "reihe", "options": {"target": None}}
SIMULATE = {"ruleset": "reihe", "seats": [{"bot": "random"}] * 3, "count": 3, "rows": True}
KEY = {"Idempotency-Key": "5e0c3e29-6a3e-4cf9-8f4f-9b1f8d1a2c11"}
UNTOLD = {
    "content-length", "content-type", "transfer-encoding", "connection", "date", "server",  # every HTTP message's own
    "x-content-type-options", "referrer-policy", "content-security-policy",  # told of every answer, in the title's text
    "x-accel-buffering",  # of streams, for proxies alone
}  # fmt: skip


class Games:
    """Games as a request needs them: each with the headers of its creator and of its seats."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client

    def new(self, *seats: Any, **more: Any) -> "Game":
        """A new one, of Tarneeb with four players where nothing else is said."""
        asked = {"ruleset": "tarneeb", "seats": seats or [PLAYER] * 4, **more}
        return Game(self.client, self.client.post("/v1/games", json=asked).json())

    def simulated(self) -> str:
        """The path of a simulation."""
        path: str = self.client.post("/v1/simulations", json=SIMULATE, headers=KEY).headers["location"]
        return path

    def simulation(self, what: str = "", **headers: str) -> httpx.Response:
        """The answer to whoever reads one."""
        return self.client.get(f"{self.simulated()}{what}", headers=headers)

    def over(self) -> "Game":
        """One that is over."""
        game = self.new()
        game.creators("POST", "/abandonment")
        return game


class Game:
    """A game, and requests to it as the creator, or as the player who is to move."""

    def __init__(self, client: httpx.Client, created: Any) -> None:
        self.client = client
        self.created = created
        self.path = f"/v1/games/{created['game']['game_id']}"
        tokens = {each["seat"]: each.get("token") for each in created["seats"]}
        self.first = tokens[created["game"]["to_move"] or 0]

    def _sent(self, method: str, path: str, token: str | None, headers: dict[str, str] | None, body: Any) -> Any:
        known = {"Authorization": f"Bearer {token}"} if token else {}
        return self.client.request(method, f"{self.path}{path}", headers={**known, **(headers or {})}, json=body)

    def creators(self, method: str, path: str = "", body: Any = None, **headers: str) -> httpx.Response:
        """The answer to the creator."""
        answer: httpx.Response = self._sent(method, path, self.created["creator_token"], headers, body)
        return answer

    def players(self, method: str, path: str = "", body: Any = None, **headers: str) -> httpx.Response:
        """The answer to the player who is to move."""
        answer: httpx.Response = self._sent(method, path, self.first, headers, body)
        return answer

    def move(self) -> httpx.Response:
        """The answer to the first legal move."""
        seen = self.players("GET").json()
        return self.players(
            "POST", "/moves", {"expected_version": seen["version"], "move": seen["you"]["legal_moves"][0]}
        )

    def claimed(self) -> httpx.Response:
        """The answer to the claim of the first open seat."""
        seat = next(each for each in self.created["seats"] if "invite" in each)
        answer: httpx.Response = self._sent(
            "POST", f"/seats/{seat['seat']}/claim", None, KEY, {"invite": seat["invite"]}
        )
        return answer

    def asked(self, **headers: str) -> httpx.Response:
        """The answer to asking a bot for advice on the first move."""
        return self.players("POST", "/bot-moves", {"expected_version": 1, "bot": {"bot": "rules"}}, **headers)

    def job(self) -> httpx.Response:
        """The job of such a question, answered."""
        location = self.asked(Prefer="wait=20").headers["location"]
        return self.client.get(location, headers={"Authorization": f"Bearer {self.first}"})


def held(game: Game, path: str) -> httpx.Response:
    """The answer to whoever looks at a game once more, and holds what nobody has changed."""
    return again(lambda etag: game.players("GET", path, **{"If-None-Match": etag}))


def again(ask: Callable[[str], httpx.Response]) -> httpx.Response:
    """The answer to whoever holds it already."""
    return ask(ask("").headers["etag"])


def repeated(ask: Callable[[], httpx.Response]) -> httpx.Response:
    """The answer to the same request once more."""
    ask()
    return ask()


def public(path: str, status: int = 200) -> Callable[[Games], httpx.Response]:
    """A page that is the same for everyone, or 304."""
    if status == 304:
        return lambda at: again(lambda etag: at.client.get(path, headers={"If-None-Match": etag}))
    return lambda at: at.client.get(path)


def created(at: Games) -> httpx.Response:
    asked = {"ruleset": "tarneeb", "seats": [PLAYER] * 4}
    return repeated(lambda: at.client.post("/v1/games", json=asked, headers=KEY))


def streamed(at: Games, status: int) -> httpx.Response:
    game = at.new() if status == 200 else at.over()
    after = "" if status == 200 else f"&after={game.players('GET').json()['cursor']}"
    return game.players("GET", f"/events?max_items=1{after}", Accept="text/event-stream")


PUBLIC = {
    "listRulesets": "/v1/rulesets", "getRuleset": "/v1/rulesets/reihe", "listBots": "/v1/bots",
    "listErrors": "/v1/errors", "listLimits": "/v1/limits", "getDocument": "/openapi.json",
    "getOlderDocument": "/openapi-3.0.json",
}  # fmt: skip
ANSWERS: dict[tuple[str, int], Callable[[Games], httpx.Response]] = {
    ("createGame", 201): created,
    ("getGame", 200): lambda at: at.new().players("GET"),
    ("getGame", 304): lambda at: held(at.new(), ""),
    ("deleteGame", 204): lambda at: at.new().creators("DELETE"),
    ("listLegalMoves", 200): lambda at: at.new().players("GET", "/legal-moves"),
    ("applyMove", 200): lambda at: at.new().move(),
    ("proposeTarget", 200): lambda at: at.new(*[PLAYER] * 3, **REIHE).players("PUT", "/target", {"target": 20}),
    ("askBot", 202): lambda at: at.new().asked(),
    ("askBot", 200): lambda at: at.new().asked(Prefer="wait=20"),
    ("getJob", 200): lambda at: at.new().job(),
    ("listEvents", 200): lambda at: streamed(at, 200),
    ("listEvents", 204): lambda at: streamed(at, 204),
    ("listDeals", 200): lambda at: at.new().players("GET", "/deals"),
    ("getReplay", 200): lambda at: at.over().players("GET", "/replay"),
    ("getReplay", 304): lambda at: held(at.over(), "/replay"),
    ("claimSeat", 200): lambda at: repeated(at.new(PLAYER, OPEN, OPEN, PLAYER).claimed),
    ("startGame", 200): lambda at: at.new(start="manual").creators("POST", "/start", {}),
    ("rotateToken", 200): lambda at: at.new().creators("POST", "/seats/0/token"),
    ("returnToSeat", 200): lambda at: at.new().players("POST", "/return"),
    ("resignSeat", 200): lambda at: at.new().players("POST", "/resignation"),
    ("abandonGame", 200): lambda at: at.new().creators("POST", "/abandonment"),
    ("getLive", 200): lambda at: at.client.get("/health/live"),
    ("getReady", 200): lambda at: at.client.get("/health/ready"),
    ("createSimulation", 202): lambda at: repeated(
        lambda: at.client.post("/v1/simulations", json=SIMULATE, headers=KEY)
    ),
    ("getSimulation", 200): lambda at: at.simulation(),
    ("getSimulation", 304): lambda at: again(lambda etag: at.simulation(**{"If-None-Match": etag})),
    ("listSimulationRows", 200): lambda at: at.simulation("/rows"),
    ("cancelSimulation", 200): lambda at: at.client.delete(at.simulated()),
    **{(name, status): public(path, status) for name, path in PUBLIC.items() for status in (200, 304)},
}
PROMISED = {
    (operation["operationId"], int(status)): followed(answer)["headers"]
    for item in DOCUMENT["paths"].values()
    for operation in item.values()
    for status, answer in operation["responses"].items()
}


@pytest.mark.parametrize("name", files())
def test_both_forms_are_served_as_they_are_committed(client: httpx.Client, name: str) -> None:
    assert client.get(f"/{name}").content == (HERE / name).read_bytes()


def test_every_good_answer_is_looked_at() -> None:
    assert {place for place in PROMISED if place[1] < 400} == ANSWERS.keys()


@pytest.mark.parametrize("place", ANSWERS, ids=[f"{name}-{status}" for name, status in ANSWERS])
def test_an_answer_has_the_headers_that_the_document_tells(client: httpx.Client, place: tuple[str, int]) -> None:
    answer = ANSWERS[place](Games(client))
    assert answer.status_code == place[1], answer.text
    sent = set(answer.headers) - UNTOLD
    told = {name.lower(): followed(header) for name, header in PROMISED[place].items()}
    assert sent <= told.keys()
    assert {name for name, header in told.items() if header.get("required")} <= sent


REFUSALS: dict[int, Callable[[httpx.Client], httpx.Response]] = {
    400: lambda client: client.get("/v1/bots?a=b"),
    401: lambda client: client.get(f"/v1/jobs/jb_{'a' * 20}_{'0' * 32}"),
    404: lambda client: client.get(f"/v1/games/gm_{'a' * 20}"),
    406: lambda client: client.get("/v1/bots", headers={"Accept": "image/png"}),
    415: lambda client: client.post("/v1/games", content="a"),
    422: lambda client: client.post(
        "/v1/games",
        json={"ruleset": "tarneeb", "seats": [{"kind": "bot", "bot": {"bot": "rules", "version": 999}}] * 4},
    ),
    431: lambda client: client.get("/v1/bots", headers={"X-Long": "x" * 40_000}),
}


@pytest.mark.parametrize("status", REFUSALS)
def test_a_refusal_has_the_headers_that_the_document_tells(client: httpx.Client, status: int) -> None:
    answer = REFUSALS[status](client)
    assert answer.status_code == status, answer.text
    told = {name.lower() for place, headers in PROMISED.items() if place[1] == status for name in headers}
    assert set(answer.headers) - UNTOLD == told
