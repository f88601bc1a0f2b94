"""An evening at the table, over HTTP, with an API and a worker as processes: the whole life of a game with people."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.processes import PATIENCE, ROOT, tapete_up

Json = Any
CREATE = {
    "ruleset": "tarneeb",
    "options": {"max_deals": 2, "all_pass": "dealer_bids"},
    "seats": [
        {"kind": "player", "name": "Ana"},
        {"kind": "open"},
        {"kind": "open"},
        {"kind": "bot", "bot": {"bot": "rules"}},
    ],
    "move_seconds": 1,
    "pace_seconds": 0,
    "metadata": {"evening": "7"},
}
KEY = "7f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f0"


@dataclass
class Person:
    """Somebody at a service, with a token or without."""

    client: httpx.Client
    token: str = ""

    def sending(self) -> dict[str, str]:
        """The headers that say who asks."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def ask(self, method: str, path: str, body: Json = None, **headers: str) -> httpx.Response:
        """Ask for anything."""
        content = {} if body is None else {"json": body}
        return self.client.request(method, path, headers={**self.sending(), **headers}, **content)

    def good(self, method: str, path: str, body: Json = None) -> Json:
        """Ask for something that is given."""
        answer = self.ask(method, path, body)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def refused(self, code: str, method: str, path: str, body: Json = None) -> None:
        """Ask for something that is refused."""
        problem = self.ask(method, path, body).json()
        assert problem["code"] == code, problem


class Reader(threading.Thread):
    """Reads a game's stream to its end."""

    def __init__(self, person: Person, path: str) -> None:
        super().__init__(daemon=True)
        self.person, self.path = person, path
        self.items: list[Json] = []
        self.began = threading.Event()
        self.start()
        assert self.began.wait(PATIENCE)

    def run(self) -> None:
        """Note every entry that is told."""
        sent = {**self.person.sending(), "Accept": "text/event-stream"}
        with self.person.client.stream("GET", self.path, headers=sent) as answer:
            self.began.set()
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    self.items.append(json.loads(line[6:]))

    def told(self) -> list[Json]:
        """All of it, when it has ended."""
        self.join(PATIENCE)
        assert not self.is_alive(), "the stream goes on"
        return self.items


@dataclass
class Evening:
    """A game, its host, a guest in the hall who listens, and the people at the table by their seats."""

    host: Person
    guest: Person
    game: str
    invites: dict[int, str]
    people: dict[int, Person]
    hall: Reader = field(init=False)

    def __post_init__(self) -> None:
        self.hall = Reader(self.guest, f"{self.game}/events")

    def view(self, who: Person | None = None) -> Json:
        """The game as somebody sees it."""
        return (who or self.guest).good("GET", self.game)

    def log(self) -> list[Json]:
        """The whole log."""
        return list(self.guest.good("GET", f"{self.game}/events?limit=1000")["items"])

    def play(self, until: Callable[[Json], bool], absent: tuple[int, ...] = ()) -> Json:
        """Let people move in their turns until the game stands as wanted."""
        end = time.monotonic() + 2 * PATIENCE
        while not until(view := self.view()):
            assert time.monotonic() < end, view
            assert view["status"] == "playing", view
            if view["to_move"] in self.people and view["to_move"] not in absent:
                self.move(self.people[view["to_move"]])
            else:
                time.sleep(0.01)
        return view

    def move(self, person: Person) -> None:
        """Make any move in one's turn; who is too late at this fast table has been replaced, and tries again later."""
        view = self.view(person)
        if view["you"]["legal_moves"]:
            body = {"expected_version": view["version"], "move": view["you"]["legal_moves"][0]}
            answer = person.ask("POST", f"{self.game}/moves", body)
            assert answer.status_code == 200 or answer.json()["code"] == "version_conflict", answer.text


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    """A host creates the game through the platform that it is a customer of."""
    with tapete_up(tmp_path, "--bot-workers", "1") as running:
        with httpx.Client(base_url=running.url, timeout=PATIENCE) as client:
            answer = Person(client).ask("POST", "/v1/games", CREATE, **{"Idempotency-Key": KEY})
            created = answer.json()
            assert (created["game"]["status"], created["game"]["deadline_at"]) == ("waiting", None)
            invites = {each["seat"]: each["invite"] for each in created["seats"] if "invite" in each}
            ana = Person(client, created["seats"][0]["token"])
            host = Person(client, created["creator_token"])
            yield Evening(host, Person(client), answer.headers["location"], invites, {0: ana})
            with suppress(httpx.HTTPError):
                host.ask("DELETE", str(answer.headers["location"]))  # which ends all streams
        assert "Traceback" not in running.output


def test_an_evening(evening: Evening) -> None:
    """One after the other: people come, one vanishes and returns, a token is stolen, one goes home, all is wiped."""
    people_come(evening)
    evening.play(lambda view: view["deal"]["phase"] == "play")
    lotte_vanishes_and_returns(evening)
    a_token_is_stolen(evening)
    evening.play(lambda view: view["match"]["deals_played"] == 1)
    ana_goes_home(evening)
    the_match_ends(evening)
    the_replay_verifies(evening)
    the_host_wipes_the_table(evening)


def people_come(evening: Evening) -> None:
    """Lotte takes seat 1, somebody without a name seat 2; with the last of them the game starts."""
    game, guest = evening.game, evening.guest
    move = {"expected_version": 0, "move": {"type": "pass"}}
    evening.people[0].refused("not_started", "POST", f"{game}/moves", move)
    for seat, name in ((1, "Lotte"), (2, None)):
        path = f"{game}/seats/{seat}/claim"
        guest.refused("unauthorized", "POST", path, {"invite": evening.invites[3 - seat]})
        evening.host.refused("seats_open", "POST", f"{game}/start", {})
        claim = {"invite": evening.invites[seat], "name": name, "client_seed": f"seed-of-{seat}"}
        claimed = guest.good("POST", path, claim)
        evening.people[seat] = replace(guest, token=claimed["token"])
        guest.refused("seat_taken", "POST", path, claim)
    assert claimed["game"]["status"] == "playing"
    assert claimed["game"]["client_seeds"] == ["seed-of-1", "seed-of-2"]
    assert len(claimed["game"]["you"]["hand"]) == 13


def lotte_vanishes_and_returns(evening: Evening) -> None:
    """In the middle of a deal: her stand-in plays on, and gives the seat back when she asks for it."""
    away = evening.play(lambda view: view["seats"][1]["controller"] == "stand_in", absent=(1,))["seats"][1]
    assert away["timeouts"] >= 1
    assert away["bot"]["bot"] == "rules"
    evening.people[1].good("POST", f"{evening.game}/return")
    back = [item for item in evening.log() if item["move"] is None][-1]
    assert (back["by"], back["seat"]) == ("player", 1)
    assert back["events"] == [{"type": "controller_changed", "seat": 1, "controller": "player"}]
    evening.play(lambda view: view["version"] > back["version"] + 4)


def a_token_is_stolen(evening: Evening) -> None:
    """Somebody has seen the token of seat 2. Its owner renews it, and the thief is out, stream and all."""
    game, owner = evening.game, evening.people[2]
    thief = replace(owner)
    spying = Reader(thief, f"{game}/events")
    assert thief.good("GET", game)["you"]["seat"] == 2
    evening.people[1].refused("forbidden", "POST", f"{game}/seats/2/token")
    owner.token = owner.good("POST", f"{game}/seats/2/token")["token"]
    assert spying.told()[-1]["events"] == [{"type": "token_rotated", "seat": 2}]
    for method, path in (("GET", game), ("GET", f"{game}/events"), ("POST", f"{game}/resignation")):
        thief.refused("unauthorized", method, path)
    evening.guest.refused("seat_taken", "POST", f"{game}/seats/2/claim", {"invite": evening.invites[2]})
    assert owner.good("GET", game)["you"]["seat"] == 2


def ana_goes_home(evening: Evening) -> None:
    """For good; she looks on from there."""
    game, ana = evening.game, evening.people.pop(0)
    assert ana.good("POST", f"{game}/resignation")["seats"][0]["resigned"]
    ana.refused("forbidden", "POST", f"{game}/return")
    ana.refused("forbidden", "POST", f"{game}/moves", {"expected_version": 1, "move": {"type": "pass"}})
    assert ana.good("GET", game)["you"]["seat"] == 0


def the_match_ends(evening: Evening) -> None:
    """Everybody agrees on what happened, and the hall has heard all of it."""
    game, lotte = evening.game, evening.people[1]
    view = evening.play(lambda view: view["status"] == "finished")
    assert (view["result"]["reason"], view["match"]["deals_played"]) == ("max_deals", 2)
    log = evening.log()
    assert evening.hall.told() == log
    assert [item["version"] for item in log] == list(range(1, view["version"] + 1))
    told = [event["type"] for item in log for event in item["events"]]
    once = ("game_started", "game_over", "token_rotated", "resigned")
    assert [told.count(kind) for kind in (*once, "seat_claimed")] == [1, 1, 1, 1, 2]
    assert {"player", "bot", "stand_in"} <= {item["by"] for item in log if item["move"]}
    assert [item["by"] for item in log if item["seat"] == 0 and item["move"]][-1] == "bot"
    move = {"expected_version": view["version"], "move": {"type": "pass"}}
    lotte.refused("match_over", "POST", f"{game}/moves", move)
    end = evening.guest.ask("GET", f"{game}/events?after={view['cursor']}", Accept="text/event-stream")
    assert end.status_code == 204


def the_replay_verifies(evening: Evening) -> None:
    """A guest takes the record home, where `tapete verify` finds it right, and wrong when one card is another."""
    replay = evening.guest.ask("GET", f"{evening.game}/replay").content
    assert json.loads(replay)["client_seeds"] == ["seed-of-1", "seed-of-2"]
    for record, code in ((replay, 0), (replay.replace(b'"A-spades"', b'"2-spades"', 1), 1)):
        command = [sys.executable, "-m", "service.cli", "verify", "-"]
        done = subprocess.run(command, input=record, cwd=ROOT, capture_output=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr


def the_host_wipes_the_table(evening: Evening) -> None:
    """Afterwards there is nothing to see for anyone, and nothing to create again."""
    game, host = evening.game, evening.host
    evening.people[1].refused("forbidden", "DELETE", game)
    host.good("DELETE", game)
    for person in (host, evening.people[1], evening.guest):
        for path in (game, f"{game}/events", f"{game}/deals", f"{game}/legal-moves"):
            person.refused("game_deleted", "GET", path)
    answer = evening.guest.ask("POST", "/v1/games", CREATE, **{"Idempotency-Key": KEY})
    assert answer.json()["code"] == "game_deleted"
