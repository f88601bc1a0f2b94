import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
import redis

from service import redis_server
from tests.processes import SECRET, Running, environment, is_alive, tapete, tapete_up, wait_until


def get(url: str) -> dict[str, object]:
    with urlopen(url, timeout=60) as response:  # noqa: S310 - our own service
        return json.load(response)


def ready(running: Running) -> bool:
    """Whether the service says that it is ready; failing that, the reason is in its log."""
    try:
        return bool(get(f"{running.url}/health/ready"))
    except OSError:
        return False


def wait_until_ready(running: Running) -> None:
    wait_until(lambda: ready(running), lambda: f"/health/ready in\n{running.output}")


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def up(data_dir: Path) -> Iterator[Running]:
    """One `tapete up` for the tests that leave it running."""
    with tapete_up(data_dir, "--bot-workers", "1") as running:
        yield running


def test_the_banner_says_where_it_runs_and_what_on(up: Running, data_dir: Path) -> None:
    banner = re.search(r"^Tapete .*^stop [^\n]*$", up.output, re.MULTILINE | re.DOTALL)
    assert banner is not None
    rows = dict(re.split(r"\s{2,}", line.strip(), maxsplit=1) for line in banner[0].splitlines())
    assert rows["docs"] == f"{rows['Tapete']}/docs"
    assert rows["data"] == str(data_dir)
    assert re.match(r"(Valkey|Redis) [\d.]+ \(", rows["Redis"])
    assert re.match(r"(not )?compiled", rows["engine"])
    assert rows["workers"] == "1 for bots, 1 for simulations"
    assert {"redis", "engine"} <= get(f"{rows['Tapete']}/health/ready").keys()


def test_the_secret_is_made_once_and_is_for_its_owner_alone(up: Running, data_dir: Path) -> None:
    assert up.url
    assert re.fullmatch(r"[0-9a-f]{64}\n", (data_dir / "secret").read_text())
    assert stat.S_IMODE((data_dir / "secret").stat().st_mode) == 0o600


def test_a_second_instance_on_the_same_data_is_refused(up: Running, data_dir: Path) -> None:
    assert up.url
    with tapete("up", "--port", "0", "--data-dir", str(data_dir)) as second:
        assert second.exit_code() == 73
        assert f"Another instance runs on the data directory {data_dir}" in second.output
    wait_until_ready(up)


def test_a_taken_port_is_refused_before_anything_starts(up: Running, tmp_path: Path) -> None:
    port = up.url.rpartition(":")[2]
    with tapete("up", "--port", port, "--data-dir", str(tmp_path)) as second:
        assert second.exit_code() == 75
        assert f"Port {port} on 127.0.0.1 is taken" in second.output
        assert not second.pids()
    with tapete("api", "--port", port, TAPETE_SECRET=SECRET, REDIS_URL="redis://127.0.0.1:1") as third:
        assert third.exit_code() == 75


@pytest.mark.parametrize("part", ["bots.1", "api", "redis", "queue"])
def test_a_part_that_is_killed_is_started_again_and_the_service_goes_on(up: Running, part: str) -> None:
    wait_until_ready(up)
    up.kill(part)
    wait_until_ready(up)
    assert is_alive(up.pids(part)[-1])


def test_the_embedded_redis_comes_back_with_its_data(up: Running, data_dir: Path) -> None:
    url = f"unix://{redis_server.socket_path(data_dir)}"
    with redis.Redis.from_url(url, decode_responses=True) as client:
        client.set("test:move", "A-spades")
        up.kill("redis")
        wait_until(lambda: redis_server.is_ready(url), lambda: up.output)
        assert client.get("test:move") == "A-spades"


def test_requests_made_while_the_api_is_away_wait_for_its_return(up: Running) -> None:
    up.kill("api")
    assert get(f"{up.url}/health/live") is not None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_everything_and_leaves_nothing_behind(tmp_path: Path, number: int) -> None:
    with tapete_up(tmp_path, "--bot-workers", "2") as running:
        assert len(running.pids()) == 6
        assert running.stop(number) == 0
        assert not [pid for pid in running.pids() if is_alive(pid)]
        assert re.findall(r"^tapete +(stopp\w+)", running.output, re.MULTILINE) == ["stopping", "stopped"]
    assert not redis_server.socket_path(tmp_path).parent.exists()
    assert not redis_server.socket_path(tmp_path / "queue").parent.exists()
    assert "killed" not in running.output


def test_after_a_killed_supervisor_the_next_start_finds_the_way_free(tmp_path: Path) -> None:
    with tapete_up(tmp_path) as running:
        port = running.url.rpartition(":")[2]
        os.kill(running.process.pid, signal.SIGKILL)
        running.process.wait()
        wait_until(lambda: not any(map(is_alive, running.pids())), lambda: f"no orphan\n{running.output}")
        with tapete("up", "--port", port, "--data-dir", str(tmp_path)) as second:
            wait_until_ready(second)


def test_when_nobody_reads_its_output_any_more_it_runs_on_and_stops_cleanly(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "service.cli", "up", "--port", "0", "--data-dir", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment({}))
    running = Running(process)
    try:
        assert process.stdout is not None
        while not running.output.endswith("Ctrl-C\n"):
            running.lines.append(process.stdout.readline() or "it ended; Ctrl-C\n")
        process.stdout.close()
        running.ended.set()
        os.kill(running.pids("api")[-1], signal.SIGKILL)  # something to talk about
        wait_until_ready(running)
        assert process.poll() is None
        assert running.stop() == 0
    finally:
        process.kill()
        process.wait()
    assert not redis_server.socket_path(tmp_path).parent.exists()


def test_a_stop_while_it_is_still_starting_is_a_clean_stop(tmp_path: Path) -> None:
    with tapete("up", "--port", "0", "--data-dir", str(tmp_path)) as running:
        running.wait_for("api runs as process")
        assert running.stop() == 0
        assert not [pid for pid in running.pids() if is_alive(pid)]


def test_with_a_redis_url_no_server_is_started(tmp_path: Path, clean_redis: str) -> None:
    with tapete_up(tmp_path, "--bot-workers", "1", REDIS_URL=clean_redis, TAPETE_SECRET=SECRET) as running:
        wait_until_ready(running)
        assert not running.pids("redis")
        assert running.wait_for(r"^Redis +(.*)$")[1].strip().endswith(f" at {clean_redis.removeprefix('unix://')}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lock"]
    assert redis_server.is_ready(clean_redis)


def test_of_a_redis_that_may_lose_moves_each_command_says_so_once(tmp_path: Path) -> None:
    (tmp_path / "redis").mkdir()
    server = redis_server.start(tmp_path / "redis")
    warning = r"The Redis at \S+ keeps a log, .*\(appendfsync everysec\): .* may cost the moves"
    try:
        with redis.Redis.from_url(server.url) as client:
            client.config_set("appendfsync", "everysec")
        theirs = {"REDIS_URL": server.url, "TAPETE_SECRET": SECRET}
        with tapete_up(tmp_path, **theirs) as up, tapete("api", "--port", "0", **theirs) as api:
            wait_until_ready(up)
            api.wait_for(r"^The API answers at (http://\S+)$")
            assert [len(re.findall(warning, running.output)) for running in (up, api)] == [1, 1]
    finally:
        server.stop()


def test_a_dead_redis_is_refused(tmp_path: Path) -> None:
    dead = {"REDIS_URL": "redis://127.0.0.1:1/0", "TAPETE_SECRET": SECRET}
    commands = [("up", "--port", "0", "--data-dir", str(tmp_path)), ("api", "--port", "0"), ("worker", "bots")]
    for command in commands:
        with tapete(*command, **dead) as running:
            assert running.exit_code() == 69
            assert "No Redis answers at 127.0.0.1:1" in running.output
            assert "Traceback" not in running.output


def test_a_data_directory_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with tapete("up", "--port", "0", "--data-dir", str(tmp_path / "file" / "data")) as running:
        assert running.exit_code() == 73
        assert "cannot be used" in running.output


def test_a_missing_secret_is_refused_where_nobody_keeps_one(redis_url: str) -> None:
    for command in (("api", "--port", "0"), ("worker", "bots")):
        with tapete(*command, REDIS_URL=redis_url) as running:
            assert running.exit_code() == 78
            assert "TAPETE_SECRET is not set" in running.output


def test_an_uncompiled_engine_is_refused_only_where_a_compiled_one_is_required(tmp_path: Path) -> None:
    pure = {"TAPETE_ENGINE": "pure"}
    with tapete("up", "--port", "0", "--data-dir", str(tmp_path), REQUIRE_COMPILED="1", **pure) as running:
        assert running.exit_code() == 78
        assert "install a C compiler" in running.output
    with tapete_up(tmp_path, **pure) as running:
        assert running.wait_for(r"^engine +(.*)$")[1].startswith("not compiled")


def test_api_and_worker_run_alone_and_stop_cleanly(clean_redis: str) -> None:
    alone = {"REDIS_URL": clean_redis, "TAPETE_SECRET": SECRET}
    with tapete("api", "--port", "0", **alone) as api, tapete("worker", "bots", **alone) as bots:
        url = api.wait_for(r"^The API answers at (http://\S+)$")[1]
        assert get(f"{url}/health/ready")
        with redis.Redis.from_url(clean_redis) as client:
            wait_until(lambda: client.smembers("rq:workers"), lambda: f"a worker in\n{bots.output}")
        assert bots.stop() == 0
        assert api.stop(signal.SIGINT) == 0


def test_wrong_usage_has_its_own_exit_code() -> None:
    with tapete("up", "--port", "many") as running:
        assert running.exit_code() == 2


def test_the_help_names_every_exit_code() -> None:
    with tapete("up", "--help") as running:
        assert running.exit_code() == 0
        for code in (0, 2, 69, 70, 73, 75, 78):
            assert re.search(rf"^ +{code} ", running.output, re.MULTILINE)
