"""How reading ends: by us, by readers who go, and by readers who read nothing."""

import re
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis

from service import redis_server
from service.errors import Unavailable
from service.listening import allow_many_connections
from tests.processes import SECRET, Running, tapete, wait_until
from tests.streams.readers import (
    EVERYONE,
    SHORT,
    STREAM,
    TROUBLE,
    Inside,
    Reader,
    Table,
    address,
    body,
    client_of,
    pad,
)

# ---------------------------------------------------------------------------------------------------- the end


@pytest.fixture
def own(database: str) -> Iterator[Running]:
    """An API of its own, for a test that stops it."""
    with tapete("api", "--port", "0", REDIS_URL=database, TAPETE_SECRET=SECRET, TAPETE_LIMITS="off") as started:
        yield started


def test_when_the_service_is_told_to_stop_all_readers_end_as_they_should(own: Running, database: str) -> None:
    """Streams with their last chunk, polls with an empty page, and whoever reads nothing holds nobody up."""
    with client_of(address(own)) as client, redis.Redis.from_url(database) as kept, ExitStack() as stack:
        table, long = Table(client, **SHORT), Table(client, **SHORT)
        pad(kept, long, 5000)
        streams = [stack.enter_context(table.stream(who=who)) for who in EVERYONE]
        for stream in streams:
            stream.items(1)
        polls = [stack.enter_context(table.reading(f"?wait=25&after={table.game['cursor']}")) for _ in range(3)]
        for _ in range(3):
            stack.enter_context(long.reading(accept=STREAM))
        with long.stream() as stream:
            stream.items(5001)  # so the others have been sent as much as they take
        own.process.send_signal(signal.SIGTERM)
        for stream in streams:
            assert stream.next() is None
            assert stream.reader.ended
        for poll in polls:
            assert body(poll) == {"items": [], "next": table.game["cursor"], "has_more": False}
        assert own.exit_code() == 0
    assert not re.search(TROUBLE, own.output), own.output


def test_streams_survive_the_death_of_redis(tmp_path: Path) -> None:
    """They stay open and go on when it is back; nobody misses an entry or is told one twice."""
    server = redis_server.start(tmp_path)
    try:
        with (
            tapete("api", "--port", "0", REDIS_URL=server.url, TAPETE_SECRET=SECRET, TAPETE_LIMITS="off") as api,
            ExitStack() as stack,
        ):
            client = stack.enter_context(client_of(address(api)))
            table = Table(client, **SHORT)
            streams = {who: stack.enter_context(table.stream(who=who)) for who in EVERYONE}
            for _ in range(2):
                table.play(5)
                server.process.kill()
                server.process.wait()
                server = redis_server.start(tmp_path)
                wait_until(lambda: client.get("/health/ready").is_success, lambda: api.output)
            table.play()
            for who, stream in streams.items():
                assert stream.rest() == table.log(who)
            assert not re.search(r"Traceback|ERROR", api.output), api.output
    finally:
        server.stop()


# ---------------------------------------------------------------------------------------------------- bad readers


def test_readers_who_read_nothing_or_vanish_trouble_nobody(database: str, api: Running, table: Table) -> None:
    """Some take nothing of more than any buffer holds, some go in the middle of it: others are told all, players play.

    What the process holds for a slow reader is bounded: here it would be 100 MB otherwise.
    """
    with redis.Redis.from_url(database) as kept, ExitStack() as stack:
        pad(kept, table, 10_000)
        with table.stream("?max_items=1", last_event_id=f"10000-{10000:012x}") as stream:
            assert stream.rest()[0]["version"] == 10_001
        before = resident(api.process.pid)
        slow = [stack.enter_context(table.reading(accept=STREAM)) for _ in range(50)]
        vanishing = [stack.enter_context(table.reading(accept=STREAM)) for _ in range(20)]
        with table.stream(who=1) as stream:
            told = stream.items(5000)
            for reader in vanishing:
                reader.vanish()
            table.play(4)
            told += stream.items(5005)
            assert [item["version"] for item in told] == list(range(1, 10_006))
        assert resident(api.process.pid) - before < 50_000
        assert slow


def resident(pid: int) -> int:
    """How much memory a process holds, in KB."""
    found = re.search(r"^VmRSS:\s*(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1])


def test_two_thousand_readers_are_told_what_happens(client: httpx.Client) -> None:
    """All of one game, on one process; each is told each move, and a player waits for none of them."""
    allow_many_connections()
    table = Table(client, **SHORT)
    with ExitStack() as stack:
        readers = [stack.enter_context(table.stream()) for _ in range(2000)]
        for stream in readers:
            stream.items(1)
        table.play(2)
        expected = table.log()[1:]
        for stream in readers:
            assert stream.items(2) == expected


def nothing_is_left(inside: Inside) -> bool:
    """Whether no reader has left anything: no bell, no request, no connection."""
    state = inside.server.server_state
    return inside.context.wakeups.count() == 0 and not state.tasks and not state.connections


def test_nothing_stays_of_a_reader_who_has_gone(inside: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    """However it went: streams and polls, closed, reset, half closed, unread, with another request behind the first.

    Polls would wait for an hour here, so it is not the end of their wait that lets them go. With a request behind
    the first the server reads no further: only what it sends, to a client that is gone for good, tells it.
    """
    monkeypatch.setattr("service.routes.games.MOST_WAIT", 3600)
    monkeypatch.setattr("service.routes.games.PING_SECONDS", 0.1)
    with client_of(inside.url) as client:
        table = Table(client, **SHORT)
    leave: list[Callable[[Reader], None]] = [Reader.vanish, Reader.close, half_close]
    for how in leave:
        for accept in (STREAM, "*/*"):
            for behind in (0, 1, 3) if accept == STREAM and how != half_close else (0,):
                come_and_go(inside, f"{table.path}/events?wait=3600&after={table.game['cursor']}", accept, behind, how)


def come_and_go(inside: Inside, path: str, accept: str, behind: int, leave: Callable[[Reader], None]) -> None:
    """Be a reader with so many more requests on the same connection, and leave; wait until nothing is left."""
    reader = Reader(inside.url, path, accept=accept)
    for _ in range(behind):
        reader.send(f"GET {path} HTTP/1.1", {"host": "tapete.test", "accept": STREAM})
    if accept == STREAM:
        reader.head()
    wait_until(lambda: inside.context.wakeups.count() > 0, lambda: "a reader")
    leave(reader)
    wait_until(lambda: nothing_is_left(inside), lambda: f"the end of {accept}, {behind} behind, after {leave}")
    reader.close()


def half_close(reader: Reader) -> None:
    reader.socket.shutdown(socket.SHUT_WR)


def test_a_comment_comes_when_nothing_happens(inside: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between entries as often as it takes, and it is none of them."""
    monkeypatch.setattr("service.routes.games.PING_SECONDS", 0.05)
    with client_of(inside.url) as client:
        table = Table(client, **SHORT)
        with table.stream(f"?max_items=2&after={table.game['cursor']}") as stream:
            events = stream.reader.events()
            assert next(events).retry == 1000
            assert [next(events).comment for _ in range(3)] == ["ping"] * 3
            table.play(1)
            assert next(event for event in events if event.comment is None).data["version"] == 2
            assert [next(events).comment for _ in range(3)] == ["ping"] * 3
            table.play(1)
            assert [event.data["version"] for event in events if event.comment is None] == [3]


def test_head_of_a_stream_is_its_head_and_ends(inside: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    """At once, also where nothing comes for longer than any patience."""
    monkeypatch.setattr("service.routes.games.PING_SECONDS", 3600)
    own = {"x-request-id": "", "date": ""}
    with client_of(inside.url) as client:
        table = Table(client, **SHORT)
        for query in ("", f"?after={table.game['cursor']}", "?max_items=5"):
            with table.stream(query) as stream:
                expected = {**stream.headers, **own}
            answer = client.head(f"{table.path}/events{query}", headers={"accept": STREAM})
            assert (answer.status_code, answer.content) == (200, b"")
            assert expected == {**answer.headers, **own, "transfer-encoding": "chunked"}


def test_a_fault_of_ours_is_told_as_a_problem_and_its_text_to_nobody(
    inside: Inside, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "-".join(("A", "spades"))  # a traceback shows the line

    async def fail(*_: object) -> Any:
        raise ValueError(secret)

    with client_of(inside.url) as client:
        table = Table(client, **SHORT)
        with table.stream() as stream:
            stream.items(1)
            monkeypatch.setattr(inside.context.store, "log", fail)
            table.play(1)
            event = stream.next()
            assert event is not None
            assert (event.event, event.data["code"]) == ("problem", "internal_error")
            assert stream.next() is None
            assert secret not in caplog.text + str(event)
            assert f"Request {event.data['request_id']} failed (ValueError)" in caplog.text


def test_while_the_store_does_not_answer_nothing_happens(inside: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    honest, refusals = inside.context.store.log, []

    async def log(*asked: Any) -> Any:
        if len(refusals) < 2:
            refusals.append(asked)
            raise Unavailable("The store did not answer.")
        return await honest(*asked)

    with client_of(inside.url) as client:
        table = Table(client, **SHORT)
        with table.stream() as stream:
            stream.items(1)
            monkeypatch.setattr(inside.context.store, "log", log)
            monkeypatch.setattr("service.following.LOOK_AGAIN", 0.05)
            table.play(1)
            assert stream.items(1)[0]["version"] == 2
            assert len(refusals) == 2
