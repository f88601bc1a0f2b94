import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import redis

from service import redis_server
from service.redis_server import RedisServer, RedisUnavailableError


@pytest.fixture
def started() -> Iterator[list[RedisServer]]:
    """Servers put into this list are stopped after the test."""
    servers: list[RedisServer] = []
    with ExitStack() as clean_up:
        clean_up.callback(lambda: [server.stop() for server in servers])
        yield servers


def connect(server: RedisServer) -> redis.Redis:
    return redis.Redis.from_url(server.url, decode_responses=True)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty `redis-server` the only one to be found; each test writes it."""
    monkeypatch.setattr(redis_server, "_wheels_binary", lambda: "")
    monkeypatch.setenv("PATH", f"{tmp_path}")
    path = tmp_path / "redis-server"
    path.touch(mode=0o755)
    return path


def test_the_server_answers_on_a_private_socket_and_says_what_it_is(tmp_path: Path, started: list[RedisServer]) -> None:
    started.append(redis_server.start(tmp_path))
    path = Path(started[0].url.removeprefix("unix://"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert redis_server.check(started[0].url, queue=True).endswith(str(path))
    with connect(started[0]) as client:
        settings = client.config_get("port", "appendonly", "appendfsync", "maxmemory-policy", "save")
    assert settings == {
        "port": "0",
        "appendonly": "yes",
        "appendfsync": "always",
        "maxmemory-policy": "noeviction",
        "save": "",
    }


def test_what_was_acknowledged_survives_a_kill_and_the_restart_has_the_same_address(
    tmp_path: Path, started: list[RedisServer]
) -> None:
    started.append(redis_server.start(tmp_path))
    with connect(started[0]) as client:
        client.set("move", "A-spades")
    started[0].process.kill()
    started[0].process.wait()
    started.append(redis_server.start(tmp_path))
    assert started[1].url == started[0].url
    with connect(started[1]) as client:
        assert client.get("move") == "A-spades"


def test_a_server_left_over_on_the_same_data_is_shut_down_in_order_first(
    tmp_path: Path, started: list[RedisServer]
) -> None:
    started.append(redis_server.start(tmp_path))
    with connect(started[0]) as client:
        client.set("move", "A-spades")
    started.append(redis_server.start(tmp_path))
    assert started[0].process.wait() == 0
    with connect(started[1]) as client:
        assert client.get("move") == "A-spades"


def test_servers_on_two_directories_do_not_meet(tmp_path: Path, started: list[RedisServer]) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        started.append(redis_server.start(tmp_path / name))
    with connect(started[0]) as one, connect(started[1]) as two:
        one.set("move", "A-spades")
        assert two.get("move") is None


def test_a_stopped_server_leaves_no_socket_behind(tmp_path: Path) -> None:
    server = redis_server.start(tmp_path)
    server.stop()
    server.stop()
    assert not redis_server.socket_path(tmp_path).parent.exists()


def test_the_path_of_the_socket_is_short_wherever_data_and_temporary_files_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("deep" * 30)
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    assert len(bytes(redis_server.socket_path(deep))) <= redis_server.LONGEST_SOCKET_PATH


def test_a_socket_directory_that_others_may_enter_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    place = redis_server.socket_path(tmp_path).parent
    place.mkdir()
    place.chmod(0o777)
    with pytest.raises(RedisUnavailableError, match="not a private directory"):
        redis_server.prepare(tmp_path)


def test_a_server_that_cannot_read_its_data_ends_with_its_last_words(
    tmp_path: Path, started: list[RedisServer]
) -> None:
    started.append(redis_server.start(tmp_path))
    started[0].stop()
    (tmp_path / "appendonlydir" / "appendonly.aof.manifest").write_text("spoilt\n")
    with pytest.raises(RedisUnavailableError, match=r"ended while starting.*redis\.log.*manifest"):
        redis_server.start(tmp_path)
    assert not redis_server.socket_path(tmp_path).parent.exists()


def test_without_the_wheel_the_server_on_the_path_is_taken(program: Path) -> None:
    program.write_text("#!/bin/sh\necho 'Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64'\n")
    assert redis_server.find_binary() == (str(program), f"Redis 7.0.15 ({program})")


def test_a_server_older_than_seven_is_refused(program: Path) -> None:
    program.write_text("#!/bin/sh\necho 'Redis server v=6.0.16 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64'\n")
    with pytest.raises(RedisUnavailableError, match=r"Redis 6\.0\.16, older than 7\.0.*or set REDIS_URL"):
        redis_server.find_binary()


def test_a_server_that_does_not_run_is_as_good_as_none(program: Path) -> None:
    program.write_text("#!/no/such/interpreter\n")
    with pytest.raises(RedisUnavailableError, match="No usable Redis server is on this machine"):
        redis_server.find_binary()


def test_a_dead_redis_is_named_without_its_password() -> None:
    with pytest.raises(RedisUnavailableError, match=r"No Redis answers at 127\.0\.0\.1:1 ") as refusal:
        redis_server.check("redis://user:hidden@127.0.0.1:1/0")
    assert "hidden" not in str(refusal.value)


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        ({"redis_version": "6.2.14"}, r"Redis 6\.2\.14 at games:6379 is too old"),
        ({"redis_version": "7.4.0", "loading": 1}, "still loading"),
        ({"redis_version": "7.4.0", "role": "slave"}, "is a replica"),
        (
            {"redis_version": "7.2.4", "valkey_version": "9.1.2", "cluster_enabled": 1},
            r"Valkey 9\.1\.2 .* is a Redis Cluster",
        ),
    ],
)
def test_a_server_that_will_not_do_is_refused(
    found: dict[str, object], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis.Redis, "info", lambda _: found)
    with pytest.raises(RedisUnavailableError, match=sentence):
        redis_server.check("redis://games", queue=True)


def test_a_cluster_may_keep_games_but_not_queues(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis.Redis, "info", lambda _: {"redis_version": "7.4.0", "cluster_enabled": 1})
    assert redis_server.check("redis://games") == "Redis 7.4.0 at games:6379"


def test_our_own_server_may_lose_nothing(tmp_path: Path, started: list[RedisServer]) -> None:
    started.append(redis_server.start(tmp_path))
    assert redis_server.what_may_be_lost(started[0].url) == ""


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"appendfsync": "everysec"}, ["appendfsync everysec", "last seconds"]),
        ({"appendfsync": "no"}, ["appendfsync no", "power cut"]),
        ({"appendonly": "no"}, ["keeps no log (appendonly no)"]),
        ({"maxmemory-policy": "volatile-ttl"}, ["throws games away", "set it to noeviction"]),
        ({"appendonly": "no", "maxmemory-policy": "allkeys-lru"}, ["keeps no log", "maxmemory-policy allkeys-lru"]),
    ],
    ids=str,
)
def test_of_another_server_it_is_said_what_may_be_lost(
    tmp_path: Path, started: list[RedisServer], settings: dict[str, str], said: list[str]
) -> None:
    started.append(redis_server.start(tmp_path))
    with connect(started[0]) as client:
        for name, value in settings.items():
            client.config_set(name, value)
    sentences = redis_server.what_may_be_lost(started[0].url)
    assert all(part in sentences for part in said)
    assert sentences.count("The Redis at") == len(settings)


def test_a_server_that_does_not_tell_its_policy_is_not_trusted(tmp_path: Path, started: list[RedisServer]) -> None:
    """As rented ones do not: they forbid CONFIG."""
    started.append(redis_server.start(tmp_path))
    with connect(started[0]) as client:
        client.execute_command("ACL", "SETUSER", "default", "-config")
    assert "does not tell its appendfsync" in redis_server.what_may_be_lost(started[0].url)


def test_the_socket_belongs_to_this_user(tmp_path: Path, started: list[RedisServer]) -> None:
    started.append(redis_server.start(tmp_path))
    assert redis_server.socket_path(tmp_path).stat().st_uid == os.getuid()
