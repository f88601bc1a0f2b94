"""All that somebody can read and find out about a game over HTTP, in an order that is the same in every world.

Each method is a generator of what was asked and every byte that was answered: status, headers, body.
"""

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx

from service.store import job_member
from tests.service.players import AS_JSON, SEED, Json, Move, Table, card, good
from tests.service.worlds import World

Told = Iterator[tuple[str, bytes]]
OWN = "own"
STREAM = {"accept": "text/event-stream"}
TOO_LARGE = b'"' + b"x" * (65 * 1024) + b'"'


def told(answer: httpx.Response) -> bytes:
    """Every byte of an answer."""
    headers = b"".join(name + b": " + value + b"\n" for name, value in answer.headers.raw)
    return b"%d\n%b\n%b" % (answer.status_code, headers, answer.content)


def paths_for(table: Table, job_id: str) -> dict[str, str]:
    """A value for every parameter that a path of the document has. A new one fails until it stands here."""
    no_simulation = "sm_" + "a" * 20
    return {"game_id": table.id, "job_id": job_id, "ruleset": "tarneeb", "seat": "0", "simulation_id": no_simulation}


PLAYER = {"kind": "player"}
LASTING = ("rotateToken", "resignSeat", "abandonGame", "deleteGame")
"""What ends the reading itself, and so is asked last."""
SIMULATE = {"ruleset": "reihe", "seats": [{"bot": "random"}] * 3, "count": 9, "seed": "a seed of their own"}
KEY = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"


@dataclass
class Reader:
    """Whoever reads: a seat, "creator", or None for a spectator, in one of two worlds."""

    world: World
    table: Table
    who: int | str | None
    job_of_another: str = "jb_none"
    cursor: str = ""

    @property
    def has_a_seat(self) -> bool:
        """Whether it is a seat that reads."""
        return isinstance(self.who, int)

    def ask(
        self, method: str, path: str, body: Any = None, /, token: str | None = OWN, **headers: str
    ) -> httpx.Response:
        """A request with the reader's token, or another, or None; keywords are headers: `if_none_match`."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        more: dict[str, Any] = {}
        if body is not None:
            more = {"content": body if isinstance(body, bytes) else json.dumps(body).encode()}
            sent = {**AS_JSON, **sent}
        sent_token = self.table.token(self.who) if token == OWN else token
        return self.world.ask(method, path, sent_token, headers=sent, **more)

    def here(
        self, method: str, what: str = "", body: Any = None, /, token: str | None = OWN, **headers: str
    ) -> httpx.Response:
        """A request below the game's path."""
        return self.ask(method, self.table.path + what, body, token=token, **headers)

    def move(self, move: Json, version: int) -> httpx.Response:
        """Ask for a move."""
        return self.here("POST", "/moves", {"expected_version": version, "move": move})

    def moving(self, move: Json, version: int) -> Told:
        """A move that is accepted, and the same bytes again."""
        answer = self.move(move, version)
        assert answer.status_code == 200, answer.text
        yield "the answer to a move", told(answer)
        yield "the answer to a repeated move", told(self.move(move, version))

    # ------------------------------------------------------------------------------------------------ reading

    def reading(self) -> Told:
        """All that can be read at a position."""
        answer = self.here("GET", "")
        yield "the view", told(answer)
        etag = answer.headers["etag"]
        yield "the view that has not changed", told(self.here("GET", "", if_none_match=etag))
        yield "the length of the view", told(self.here("HEAD", ""))
        yield "the finished deals", told(self.here("GET", "/deals"))
        before = max(good(answer)["match"]["deals_played"] - 1, 0)
        yield "the last finished deal", told(self.here("GET", f"/deals?after={before}"))
        yield "the legal moves", told(self.here("GET", "/legal-moves"))
        yield "the length of the legal moves", told(self.here("HEAD", "/legal-moves"))
        yield "a job of another", told(self.ask("GET", f"/v1/jobs/{self.job_of_another}"))
        yield from self._news()

    def _news(self) -> Told:
        """What has happened since the reader last asked, as a page and as a stream; and that there is no more."""
        after = f"?after={self.cursor}" if self.cursor else ""
        page = self.here("GET", f"/events{after}")
        yield "what has happened", told(page)
        if items := good(page)["items"]:
            query = f"max_items={min(len(items), 20)}"
            yield "the stream", told(self.here("GET", f"/events{after}{'&' if after else '?'}{query}", **STREAM))
        self.catch_up()
        yield "what has happened since", told(self.here("GET", f"/events?after={self.cursor}&wait=0"))
        yield "a page of the log", told(self.here("GET", "/events?limit=2"))
        yield "the length of the log", told(self.here("HEAD", "/events"))

    def catch_up(self) -> None:
        """Stand where the log ends now."""
        self.cursor = good(self.here("GET"))["cursor"]

    def whole_log(self) -> Told:
        """The log from its start, twice: at once, and as a stream, with what a stream says to who knows it all."""
        page = self.here("GET", "/events?limit=1000")
        yield "the log", told(page)
        count = len(good(page)["items"])
        yield "the stream from the start", told(self.here("GET", f"/events?max_items={count}", **STREAM))
        if good(self.here("GET", ""))["status"] != "playing":
            yield "the end of the stream", told(self.here("GET", "/events", last_event_id=good(page)["next"], **STREAM))

    # ------------------------------------------------------------------------------------------------ asking for more

    def tries(self, moves: list[Move], version: int) -> Told:
        """What wrong moves are answered, and moves at a wrong moment."""
        for move in moves:
            yield f"what is said to {move}", told(self.move(move, version))
        yield "what is said to an old version", told(self.move(moves[0], version - 1))
        yield "what is said to a version to come", told(self.move(moves[0], version + 1))
        yield "what is said to a card that is none", told(self.move(card("1-cups"), version))

    def proposal(self, target: int) -> Told:
        """What the proposal of a target is answered; where it counts, it is an entry of the log."""
        for _ in range(2):
            yield "a target proposed", told(self.here("PUT", "/target", {"target": target}))

    def advice(self, version: int) -> Told:
        """What bots say, or that this reader is given no advice now."""
        for bot in ("rules", "random"):
            asked = {"expected_version": version, "bot": {"bot": bot}}
            answer = self.here("POST", "/bot-moves", asked)
            yield f"asking {bot}", told(answer)
            if answer.status_code == 202:
                job = good(answer)["job_id"]
                self.world.work(job_member(job))
                yield f"the advice of {bot}", told(self.ask("GET", f"/v1/jobs/{job}"))
                yield f"the advice of {bot} again", told(self.here("POST", "/bot-moves", asked, prefer="wait=1"))
        for wrong in (
            {"expected_version": version - 1},
            {"expected_version": version, "bot": {"bot": "rules", "version": 9}},
        ):
            answer = self.here("POST", "/bot-moves", {"bot": {"bot": "rules"}, **wrong})
            yield f"asking a bot with {wrong}", told(answer)

    def play_by_bot(self, version: int) -> Told:
        """What is said to who lets a bot play; the move itself is told in the job."""
        asked = {"expected_version": version, "bot": {"bot": "rules"}, "play": True}
        answer = self.here("POST", "/bot-moves", asked)
        yield "letting a bot play", told(answer)
        if answer.status_code == 202:
            job = good(answer)["job_id"]
            self.world.work(job_member(job))
            yield "what the bot played", told(self.ask("GET", f"/v1/jobs/{job}"))

    # ------------------------------------------------------------------------------------------------ who sits where

    def waiting(self) -> Told:
        """Tables with an open seat, from creation to start or end: all that can be asked while they wait."""
        game = {"ruleset": "tarneeb", "seats": [{"kind": "open"}, *[PLAYER] * 3], "seed": SEED, "start": "manual"}
        asked: list[tuple[str, httpx.Response]] = []
        for number in range(2):
            key = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.table.id} {self.cursor} {number}"))
            created = self.ask("POST", "/v1/games", game, idempotency_key=key)
            yield "a table that waits", told(created)
            asked.append((key, created))
        yield from self._while_it_waits(asked[0][1])
        yield from self._claims(asked[0][1])
        key, created = asked[1]
        path, creator = created.headers["location"], good(created)["creator_token"]
        invite = good(created)["seats"][0]["invite"]
        yield "an end without a start", told(self.ask("POST", f"{path}/abandonment", token=creator))
        yield "a start too late", told(self.ask("POST", f"{path}/start", {}, token=creator))
        yield "a claim after the end", told(self.ask("POST", f"{path}/seats/0/claim", {"invite": invite}, token=None))
        yield "a table erased", told(self.ask("DELETE", path, token=creator))
        yield "the same table again", told(self.ask("POST", "/v1/games", game, idempotency_key=key))

    def _while_it_waits(self, created: httpx.Response) -> Told:
        path, token = created.headers["location"], good(created)["seats"][1]["token"]
        move, bot = {"expected_version": 0, "move": {"type": "pass"}}, {"bot": {"bot": "rules"}}
        for method, what, body in (
            ("GET", "", None), ("GET", "/events", None), ("GET", "/deals", None), ("GET", "/legal-moves", None),
            ("POST", "/moves", move), ("POST", "/bot-moves", {"expected_version": 0, **bot}),
            ("PUT", "/target", {"target": 20}), ("POST", "/return", None), ("POST", "/resignation", None),
            ("POST", "/start", {}), ("POST", "/abandonment", None), ("DELETE", "", None),
            ("POST", "/seats/2/token", None), ("POST", "/seats/7/token", None),
        ):  # fmt: skip
            yield f"{method} {what} while a table waits", told(self.ask(method, path + what, body, token=token))

    def _claims(self, created: httpx.Response) -> Told:
        path, creator = created.headers["location"], good(created)["creator_token"]
        invite, token = good(created)["seats"][0]["invite"], good(created)["seats"][1]["token"]
        elsewhere = "/v1/games/gm_" + "a" * 20
        for where, body in (
            (f"{path}/seats/0", {"invite": token}), (f"{path}/seats/7", {"invite": invite}),
            (f"{elsewhere}/seats/0", {"invite": invite}), (f"{path}/seats/0", {"invite": invite, "client_seed": "x"}),
            (f"{path}/seats/0", {"invite": invite, "client_seed": "y"}),
        ):  # fmt: skip
            yield "a claim", told(self.ask("POST", f"{where}/claim", body, token=None, idempotency_key=KEY))
            yield "a start", told(self.ask("POST", f"{path}/start", {}, token=creator))
        late = self.ask("POST", f"{path}/seats/0/claim", {"invite": invite}, token=None)
        yield "a claim too late", told(late)

    def leaving(self, version: int) -> Told:
        """A new token, coming back, resigning; then the creator's end of the game, and what is said after that."""
        yield "the creator resigning", told(self.here("POST", "/resignation", token=self.table.creator))
        if isinstance(self.who, int):
            renewed = self.here("POST", f"/seats/{self.who}/token")
            yield "a new token", told(renewed)
            yield "what is said to the old one", told(self.here("GET"))
            if renewed.status_code == 200:
                self.table.tokens[self.who] = good(renewed)["token"]
            for what in ("/return", "/resignation", "/return")[: 1 + 2 * (version % 2)]:
                yield f"what is said to {what}", told(self.here("POST", what))
            yield "what is said to a move of who has resigned", told(self.move({"type": "pass"}, version))
            yield "the view of who has resigned", told(self.here("GET"))
        creator = self.table.creator
        for method, what, token in (
            ("POST", "/abandonment", creator), ("GET", "", creator), ("GET", "/events", creator),
            ("POST", "/return", OWN), ("POST", "/resignation", OWN), ("POST", "/seats/0/token", creator),
            ("DELETE", "", creator),
        ):  # fmt: skip
            yield f"{method} {what} at the end", told(self.ask(method, self.table.path + what, token=token))
        yield from self.correctly(version, unless="createGame")

    # ------------------------------------------------------------------------------------------------ asking wrongly

    def correctly(self, version: int, *, unless: str = "") -> Told:
        """Every operation of the document but one, asked as it should be."""
        move = {"expected_version": version, "move": {"type": "pass"}}
        bot = {"expected_version": version, "bot": {"bot": "random"}}
        game = {"ruleset": "tarneeb", "seats": [{"kind": "player"}] * 4, "seed": SEED}
        bodies = {"createGame": game, "applyMove": move, "proposeTarget": {"target": 99}, "askBot": bot} | {
            "claimSeat": {"invite": "invite0.0." + "x" * 43}, "startGame": {}, "createSimulation": SIMULATE,
        }  # fmt: skip
        for each in sorted(self.world.operations, key=lambda each: each.name in LASTING):
            path = each.path.format_map(paths_for(self.table, self.job_of_another))
            keys = {"idempotency_key": KEY} if each.name == "createSimulation" else {}  # which gives it its id
            if each.name != unless:
                yield f"{each.name}, asked correctly", told(self.ask(each.method, path, bodies.get(each.name), **keys))
        yield "the stream, asked correctly", told(self.here("GET", "/events?max_items=1", **STREAM))

    def wrongly(self) -> Told:
        """Every operation of the document, asked in all the wrong ways, and what there is beside the document."""
        over = good(self.here("GET"))["status"] != "playing"
        for each in self.world.operations:
            if over and each.name == "getReplay":
                continue  # it opens every hand, when nothing is played any more
            path = each.path.format_map(paths_for(self.table, self.job_of_another))
            yield from self.wrong_in_general(each.name, each.method, path)
            if each.has_body:
                yield from self.wrong_body(each.name, each.method, path)
        yield from self.simulating()
        for path in ("/v1/games/gm_none", "/v1/jobs/jb_none", "/v1/rulesets/none", "/v1/none"):
            yield f"what is said of {path}", told(self.ask("GET", path))
        yield "another history", told(self.here("GET", "/events?after=1-000000000000"))
        yield "another history's stream", told(self.here("GET", "/events", last_event_id="1-000000000000", **STREAM))

    def simulating(self) -> Told:
        """A simulation from its creation to its end: it draws its own cards, and knows no game."""
        for key, rows, count in ((KEY, False, 9), (KEY, False, 10), (KEY.replace("0", "1"), True, 9)):
            asked = {**SIMULATE, "rows": rows, "count": count}
            created = self.ask("POST", "/v1/simulations", asked, token=None, idempotency_key=key)
            yield "a simulation", told(created)
            path = created.headers.get("location", "/v1/simulations/sm_none")
            for method, what in (("GET", ""), ("GET", "/rows"), ("DELETE", ""), ("GET", "")):
                yield f"{method} {what} of a simulation", told(self.ask(method, path + what, token=None))
                yield "the same by a key that is none", told(self.ask(method, path + what, token="tk_" + "x" * 43))
            yield "the simulation that is over", told(self.ask("GET", path, token=None, if_none_match="*"))
        yield "one of no bots", told(self.ask("POST", "/v1/simulations", {**SIMULATE, "options": {"hand": 1}}))
        yield "one by a key that is none", told(self.ask("POST", "/v1/simulations", SIMULATE, token="tk_" + "x" * 43))

    def wrong_in_general(self, name: str, method: str, path: str) -> Told:
        """What any operation may be asked wrongly, and how it is asked without a body or only for its methods."""
        body = None if method == "GET" else {}
        if name not in LASTING:
            yield f"{name}, as it is", told(self.ask(method, path, body))
        yield f"{name}, unknown query", told(self.ask(method, f"{path}?hand=all", body))
        yield f"{name}, unacceptable", told(self.ask(method, path, body, accept="text/html"))
        yield f"{name}, without a token", told(self.ask(method, path, body, token=None))
        yield f"{name}, with a wrong token", told(self.ask(method, path, body, token="seat0.0." + "x" * 43))
        if name not in LASTING:
            yield f"{name}, with the creator's token", told(self.ask(method, path, body, token=self.table.creator))
        yield f"{name}, with the wrong method", told(self.ask("PATCH", path))
        yield f"{name}, options", told(self.ask("OPTIONS", path))
        yield f"{name}, head", told(self.ask("HEAD", path))
        if method == "GET":
            etag = self.ask("GET", path).headers.get("etag", '""')
            yield f"{name}, known", told(self.ask("GET", path, if_none_match=etag))
        if "/games/" in path:
            elsewhere = path.replace(self.table.id, "gm_" + "a" * 20)
            yield f"{name}, of no game", told(self.ask(method, elsewhere, body))

    def wrong_body(self, name: str, method: str, path: str) -> Told:
        """What an operation says to bodies that it cannot take."""
        bodies = (b"{", b"[]", b"\xff", b'{"hand": 1}', b'{"expected_version": "1"}', TOO_LARGE)
        for body in bodies:
            yield f"{name}, wrong body {body[:20]!r}", told(self.ask(method, path, body))
        yield f"{name}, wrong type", told(self.ask(method, path, b"{}", content_type="text/plain"))
        if name == "createGame":
            game = {"ruleset": "tarneeb", "seats": [{"kind": "player"}] * 4}
            yield "a key that is none", told(self.ask(method, path, game, token="tk_" + "x" * 43))
            yield "options that are none", told(self.ask(method, path, {**game, "options": {"hand": 1}}))
            unknown = {"kind": "bot", "bot": {"bot": "rules", "version": 9}}
            yield "a bot that is none", told(self.ask(method, path, {**game, "seats": [unknown] * 4}))
            for table in ("7", "8"):
                asked = {**game, "seed": SEED, "metadata": {"table": table}}
                again = self.ask(method, path, asked, idempotency_key=KEY)
                yield "another game by the same key", told(again)
