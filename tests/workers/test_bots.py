import itertools
import json
import re
import zlib
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path

import redis
from rq import Queue
from rq.registry import FailedJobRegistry
from rq.serializers import DefaultSerializer, JSONSerializer

from service import redis_server
from service.jobs import FAILURE_TTL_SECONDS
from service.store import key, shard_of
from tests.processes import SECRET, tapete, wait_until
from tests.workers.table import RULES, SHORT, Parts


def test_a_game_of_bots_is_played_to_its_end_by_one_worker(parts: Parts) -> None:
    api = parts.api()
    parts.worker()
    game = api.create()
    parts.until_finished(game)
    view = api.get(f"/v1/games/{game}")
    assert view["result"]["reason"] == "max_deals"
    log = api.get(f"/v1/games/{game}/events?limit=1000")["items"]
    assert [entry["version"] for entry in log] == list(range(1, view["version"] + 1))
    assert {(entry["by"], entry["bot"]["bot"]) for entry in log[1:]} == {("bot", "rules")}
    assert parts.due() == []


def test_several_workers_play_several_games_each_move_once(parts: Parts) -> None:
    api = parts.api()
    games = [api.create() for _ in range(4)]
    for _ in range(2):
        parts.worker()
    parts.until_finished(*games)
    for game in games:
        log = api.get(f"/v1/games/{game}/events?limit=1000")["items"]
        cards = [entry["move"]["card"] for entry in log if entry["move"] and entry["move"]["type"] == "play"]
        assert len(cards) == len(set(cards)) == 52


def test_a_game_goes_on_without_the_api_and_without_its_job(parts: Parts) -> None:
    api = parts.api()
    game = api.create()
    parts.until_queued()
    assert api.running.stop() == 0
    parts.redis.delete(*parts.redis.keys("rq:*"))
    parts.worker()
    parts.until_finished(game)


def test_without_a_worker_nothing_moves_until_one_starts(parts: Parts) -> None:
    api = parts.api()
    game = api.create()
    assert parts.until_queued() == f"{game}-1-bot"
    assert api.get(f"/v1/games/{game}")["version"] == 1
    parts.worker()
    parts.until_finished(game)


def test_a_game_goes_on_when_its_worker_is_stopped_and_another_starts(parts: Parts) -> None:
    api = parts.api()
    first = parts.worker()
    game = api.create(options={**SHORT, "max_deals": 3})
    wait_until(lambda: int(parts.field(game, "version") or 0) > 5, lambda: parts.stand(game))
    assert first.stop() == 0
    assert parts.redis.smembers("rq:workers") == set()
    assert parts.field(game, "status") == "playing"
    parts.worker()
    parts.until_finished(game)


def test_a_worker_outlives_its_server_and_goes_on_with_the_same_game(tmp_path: Path) -> None:
    server = redis_server.start(tmp_path)
    alone = {"REDIS_URL": server.url, "TAPETE_SECRET": SECRET}
    try:
        with ExitStack() as stack:
            client = stack.enter_context(redis.Redis.from_url(server.url, decode_responses=True))
            parts = Parts(lambda *command: stack.enter_context(tapete(*command, **alone)), client)
            api, worker = parts.api(), parts.worker()
            game = api.create()
            for moves in (5, 25):
                wait_until(
                    lambda moves=moves: int(parts.field(game, "version") or 0) > moves, lambda: parts.stand(game)
                )
                server.process.kill()
                server.process.wait()
                server = redis_server.start(tmp_path)
            parts.until_finished(game)
            assert worker.stop() == 0
            assert "Traceback" not in worker.output
    finally:
        server.stop()


def test_a_job_says_which_game_which_version_and_what_kind_and_nothing_else(parts: Parts) -> None:
    """A queue may be another server than the games', and whoever reads it shall learn nothing of a hand."""
    game = parts.api().create(seed="5e" * 32, seats=[RULES, RULES, RULES, {"kind": "player", "name": "Ana"}])
    job_id = parts.until_queued()
    with redis.Redis.from_url(f"unix://{parts.redis.connection_pool.connection_kwargs['path']}") as raw:
        job = {name.decode(): value for name, value in raw.hgetall(f"rq:job:{job_id}").items()}
    assert json.loads(zlib.decompress(job.pop("data"))) == ["workers.bots.run", None, [game, 1, "bot"], {}]
    told = b" ".join(job.values()).decode()
    assert job["description"] == b"bot"
    assert not re.search(r"5e5e|Ana|token|-(spades|hearts|diamonds|clubs)", told)


def test_a_job_that_is_none_of_ours_is_refused_and_runs_nothing(parts: Parts, tmp_path: Path) -> None:
    marks = [tmp_path / name for name in ("json", "pickle", "builtin")]
    with redis.Redis.from_url(f"unix://{parts.redis.connection_pool.connection_kwargs['path']}") as raw:
        for serializer, mark in ((JSONSerializer, marks[0]), (DefaultSerializer, marks[1])):
            Queue("tapete-bots", connection=raw, serializer=serializer).enqueue("os.system", f"touch {mark}")
        queue = Queue("tapete-bots", connection=raw, serializer=JSONSerializer)
        queue.enqueue("builtins.open", str(marks[2]), "w")
        parts.worker()
        failed = FailedJobRegistry(queue=queue)
        wait_until(lambda: len(failed.get_job_ids(cleanup=False)) == 3, lambda: "three failed jobs")
    assert not any(mark.exists() for mark in marks)
    game = parts.api().create()
    parts.until_finished(game)


def test_a_bot_does_not_move_before_its_pace_allows(parts: Parts) -> None:
    """The times are those that the store wrote into the log: a turn begins when the entry before is written."""
    api = parts.api()
    parts.worker()
    game = api.create(pace_seconds=0.2)
    wait_until(lambda: int(parts.field(game, "version") or 0) >= 6, lambda: parts.stand(game))
    log = api.get(f"/v1/games/{game}/events")["items"]
    times = [datetime.fromisoformat(entry["at"]) for entry in log]
    assert min(after - before for before, after in itertools.pairwise(times)) >= timedelta(seconds=0.2)


def test_the_turn_of_a_game_that_is_gone_is_forgotten(parts: Parts) -> None:
    api = parts.api()
    game = api.create()
    parts.redis.delete(*(key(kind, shard_of(game), game) for kind in ("game", "log", "deals")))
    assert parts.due() == [f"{game}:1:bot"]
    parts.worker()
    wait_until(lambda: parts.due() == [], lambda: parts.stand(game))


def test_a_job_that_fails_is_tried_again_and_its_traces_end_by_themselves(parts: Parts) -> None:
    game = parts.api().create()
    header = parts.field(game, "header")
    parts.redis.hset(key("game", shard_of(game), game), "header", "not a header")
    parts.worker()
    traces = [f"rq:{kind}:{game}-1-bot" for kind in ("job", "results")]
    wait_until(lambda: parts.redis.exists(*traces) == 2, lambda: f"a failed job in {parts.traces()}")
    assert all(0 < parts.redis.ttl(name) <= FAILURE_TTL_SECONDS for name in traces)
    parts.redis.hset(key("game", shard_of(game), game), "header", header)
    parts.until_finished(game)


def test_jobs_leave_nothing_behind_them(parts: Parts) -> None:
    api = parts.api()
    parts.worker()
    (worker,) = parts.redis.smembers("rq:workers")
    lasting = {"rq:workers", "rq:workers:tapete-bots", "rq:queues", "rq:clean_groups", worker}
    parts.until_finished(*(api.create() for _ in range(3)))
    wait_until(lambda: parts.traces() == lasting, lambda: f"{lasting}, and not {parts.traces()}")
