"""Kill -9 of any process in mid-game: every game goes on, and no acknowledged move is missing."""

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
import pytest
import redis

from engine.chance import PublishedDeals
from engine.match import Match
from engine.rulesets.tarneeb import TARNEEB
from engine.wire import Move
from service import redis_server
from service.views import SPECTATOR
from tests.faults.drive import OPTIONS, TABLES, Json, Load, Promise, load, read
from tests.processes import Running, tapete_up, wait_until

ROUNDS = [
    ("api",),
    ("bots.1",),
    ("redis",),
    ("queue",),
    ("api", "bots.2"),
    ("bots.1", "bots.2"),
    ("redis", "api"),
    ("api", "bots.1", "bots.2", "redis", "queue"),
]
"""What is killed together, one round after the other."""


def kill(up: Running, parts: tuple[str, ...]) -> None:
    """Send kill -9 to the parts at once, and wait until others have taken their places.

    They are halted a moment before, so that what they have asked of each other is done and the answer is lost.
    """
    before = {part: up.pids(part) for part in parts}
    for pids in before.values():
        os.kill(pids[-1], signal.SIGSTOP)
    time.sleep(0.05)
    for pids in before.values():
        os.kill(pids[-1], signal.SIGKILL)
    wait_until(
        lambda: all(len(up.pids(part)) > len(pids) for part, pids in before.items()),
        lambda: f"new {', '.join(parts)} in\n{up.output}",
    )


@dataclass
class Aftermath:
    """The service, its games and the Redis of its queue when all has been killed and all games have ended."""

    up: Running
    load: Load
    redis: redis.Redis


@pytest.fixture(scope="module")
def aftermath(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aftermath]:
    """Kill round after round while games are played, each time letting every game go on; then let all games end."""
    data_dir = tmp_path_factory.mktemp("data")
    with tapete_up(data_dir, "--bot-workers", "2") as up:
        with load(up.url) as playing:
            playing.until_everyone_has_moved_on()
            for parts in ROUNDS:
                kill(up, parts)
                playing.until_everyone_has_moved_on()
        with redis.Redis.from_url(
            f"unix://{redis_server.socket_path(data_dir / 'queue')}", decode_responses=True
        ) as server:
            yield Aftermath(up, playing, server)


def as_json(value: object) -> Json:
    """Give what a document holds, as a client reads it."""
    return msgspec.json.decode(msgspec.json.encode(value))


def test_every_game_goes_on_to_its_end(aftermath: Aftermath) -> None:
    assert len(aftermath.load.games) >= len(TABLES)
    for game in aftermath.load.games:
        assert read(aftermath.up.url, game.path)["status"] == "finished"


def test_there_was_something_to_lose(aftermath: Aftermath) -> None:
    """Otherwise nothing was killed under load, and the other tests say nothing."""
    assert aftermath.load.repeated > 0
    assert sum(len(game.promises) for game in aftermath.load.games) > 100


def test_every_acknowledged_move_is_in_the_log_where_it_was_promised_and_no_other(aftermath: Aftermath) -> None:
    for game in aftermath.load.games:
        log = read(aftermath.up.url, f"{game.path}/events?limit=1000")["items"]
        assert [entry["version"] for entry in log] == list(range(1, len(log) + 1))
        kept = [entry for entry in log if entry["seat"] in game.tokens]
        assert [Promise(entry["version"], entry["seat"], entry["by"], entry["move"]) for entry in kept] == game.promises


def test_the_log_is_a_match_by_the_rules_and_every_view_there_was_is_a_replay_of_it(aftermath: Aftermath) -> None:
    """A move that were there twice would be against the rules."""
    for game in aftermath.load.games:
        match = Match(TARNEEB, TARNEEB.resolve(None, OPTIONS, 4), 4, PublishedDeals(game.seed, []))
        views = [*game.views, *(read(aftermath.up.url, game.path, token) for token in game.tokens.values())]
        for entry in read(aftermath.up.url, f"{game.path}/events?limit=1000")["items"]:
            move = msgspec.convert(entry["move"], Move | None)
            events = match.start() if move is None else match.play(entry["seat"], match.codec.decode(move))
            assert entry["events"] == as_json(events)
            for view in views:
                if view["version"] == entry["version"]:
                    check_view(view, match)


def check_view(view: Json, match: Match) -> None:
    """See that a view shows this match."""
    seen = match.observe(view["you"]["seat"] if view["you"] else SPECTATOR)
    assert view["deal"] == as_json(TARNEEB.deal_view(seen, match))
    assert view["match"] == as_json(TARNEEB.match_view(match))
    assert view["result"] == as_json(match.result)
    assert view["to_move"] == (match.to_move if match.result is None else None)
    if view["you"]:
        assert view["you"]["hand"] == match.codec.cards(seen.hand)


def test_what_killed_workers_leave_in_the_queue_is_swept_away(aftermath: Aftermath) -> None:
    """It ends by itself, or is where RQ's maintenance looks, which every worker does every ten minutes."""
    kept = {name: aftermath.redis.ttl(name) for name in aftermath.redis.scan_iter("rq:*")}
    for_ever = {name for name, ttl in kept.items() if ttl == -1}
    watched = {"rq:queues", "rq:workers", *(f"rq:{kind}:tapete-bots" for kind in ("workers", "queue", "wip", "failed"))}
    watched.add("rq:queue:tapete-bots:intermediate")
    started = [entry.partition(":")[0] for entry in aftermath.redis.zrange("rq:wip:tapete-bots", 0, -1)]
    popped = aftermath.redis.lrange("rq:queue:tapete-bots:intermediate", 0, -1)
    assert for_ever - watched <= {f"rq:job:{job_id}" for job_id in (*started, *popped)}
