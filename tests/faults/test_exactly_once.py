"""Clients that race, repeat, come late and hang up, on real sockets at two processes: each move is made once."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from tests.faults.drive import OPTIONS, PLAYER, Json, is_clear
from tests.faults.wire import Answer, Connections
from tests.processes import SECRET, tapete

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """Run asynchronous tests on asyncio, as the service does."""
    return "asyncio"


@pytest.fixture(scope="module")
def urls(redis_url: str) -> Iterator[list[str]]:
    """Two API processes on one Redis, which know nothing of each other."""
    with ExitStack() as stack:
        apis = [
            stack.enter_context(tapete("api", "--port", "0", REDIS_URL=redis_url, TAPETE_SECRET=SECRET))
            for _ in range(2)
        ]
        yield [api.wait_for(r"^The API answers at (http://\S+)$")[1] for api in apis]


@dataclass
class Table:
    """A game of four players, who may go to either process."""

    apis: list[Connections]
    path: str
    tokens: dict[int, str]

    async def get(self, what: str, seat: int | None = None, api: int = 0) -> Json:
        """A document below the game."""
        answer = await self.apis[api].request("GET", self.path + what, None if seat is None else self.tokens[seat])
        assert answer.status == 200, answer
        return answer.json()

    async def legal_moves(self) -> tuple[int, int, list[Json]]:
        """Version, seat to move, and what it may do."""
        seat = (await self.get(""))["to_move"]
        legal = await self.get("/legal-moves", seat)
        return legal["version"], seat, legal["moves"]

    def sending(self, api: int, seat: int, body: bytes) -> Coroutine[Any, Any, Answer]:
        """The request of a move at one of the processes."""
        return self.apis[api].request("POST", f"{self.path}/moves", self.tokens[seat], body)

    async def log(self) -> list[Json]:
        """All entries but the first, the deal."""
        return list((await self.get("/events?limit=1000"))["items"][1:])


def asked(version: int, move: Json) -> bytes:
    """The bytes of a move."""
    return json.dumps({"expected_version": version, "move": move}).encode()


@pytest.fixture
async def table(urls: list[str]) -> AsyncIterator[Table]:
    """A game that has just been dealt."""
    apis = [Connections(url) for url in urls]
    body = {"ruleset": "tarneeb", "seats": [PLAYER] * 4, "options": OPTIONS["tarneeb"], "seed": "5eed" * 16}
    created = (await apis[0].request("POST", "/v1/games", None, json.dumps(body).encode())).json()
    yield Table(apis, f"/v1/games/{created['game']['game_id']}", {s["seat"]: s["token"] for s in created["seats"]})
    for each in apis:
        await each.close()


def is_repetition(answer: Answer) -> bool:
    return answer.headers.get("idempotency-replayed") == "true"


async def test_two_clients_with_one_token_make_one_move_of_each_turn(table: Table) -> None:
    """At the same moment each wants another move, or the same; whoever is second is told what became of it."""
    chance = random.Random("race")
    second = {"the same": 0, "another": 0}
    for _ in range(40):
        version, seat, moves = await table.legal_moves()
        wanted = [chance.choice(moves) for _ in range(2)]
        sent = [table.sending(api, seat, asked(version, move)) for api, move in enumerate(wanted)]
        answers = await asyncio.gather(*sent)
        first = [answer for answer in answers if answer.status == 200 and not is_repetition(answer)]
        assert len(first) == 1, answers
        (later,) = [answer for answer in answers if answer is not first[0]]
        if wanted[0] == wanted[1]:
            second["the same"] += 1
            assert is_repetition(later)
            assert later.json()["version"] == first[0].json()["version"] == version + 1
        else:
            second["another"] += 1
            assert is_clear(later, "version_conflict"), later
        made = wanted[answers.index(first[0])]
        assert (await table.log())[-1]["move"] == made
    assert min(second.values()) > 0, second
    assert [entry["version"] for entry in await table.log()] == list(range(2, 42))


async def test_the_same_bytes_sent_to_both_processes_at_once_and_again_late_are_one_move(table: Table) -> None:
    """Ten times at once; and every one of them once more when the match is over."""
    made = []
    while (await table.get(""))["result"] is None:
        version, seat, moves = await table.legal_moves()
        body = asked(version, moves[version % len(moves)])
        answers = await asyncio.gather(*(table.sending(number % 2, seat, body) for number in range(10)))
        assert {answer.status for answer in answers} == {200}
        assert [is_repetition(answer) for answer in answers].count(False) == 1
        assert {(answer.json()["version"], str(answer.json()["events"])) for answer in answers} == {
            (version + 1, str(answers[0].json()["events"]))
        }
        made.append((seat, body, answers[0].json()))
    assert [entry["version"] for entry in await table.log()] == list(range(2, len(made) + 2))
    for number, (seat, body, then) in enumerate(made):
        late = await table.sending(number % 2, seat, body)
        assert is_repetition(late)
        assert (late.json()["version"], late.json()["events"]) == (then["version"], then["events"])


async def test_a_move_whose_sender_hangs_up_is_made_once_or_not_at_all_and_then_found_or_made(table: Table) -> None:
    """At any moment: with half of the request sent, all of it, or while the answer is on its way."""
    chance = random.Random("hang up")
    fates = set()
    for _ in range(40):
        version, seat, moves = await table.legal_moves()
        body = asked(version, chance.choice(moves))
        await hang_up(table, seat, body, chance)
        answer = await table.sending(1, seat, body)
        assert answer.status == 200
        assert answer.json()["version"] == version + 1
        fates.add(is_repetition(answer))
    assert [entry["version"] for entry in await table.log()] == list(range(2, 42))
    assert fates == {True, False}


async def hang_up(table: Table, seat: int, body: bytes, chance: random.Random) -> None:
    """Send a move, or a part of it, and close the connection without reading."""
    api = table.apis[0]
    _, writer = await asyncio.open_connection(api.host, api.port)
    head = (
        f"POST {table.path}/moves HTTP/1.1\r\nHost: {api.host}\r\nAuthorization: Bearer {table.tokens[seat]}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    request = head.encode() + body
    writer.write(request if chance.random() < 0.7 else request[: -chance.randrange(1, len(body))])
    await writer.drain()
    await asyncio.sleep(chance.choice([0, 0.001, 0.02]))
    writer.transport.abort()
