"""`tapete simulate` as people use it: real commands, with processes of their own or on a real service."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from click.testing import CliRunner, Result

from engine.simulation.results import Bar, Results
from engine.simulation.statistics import summarise
from service.cli import main
from service.simulate import asking, local, plots, remote
from service.simulate.asking import BadWishError, Wish
from service.simulation_plans import plan_of, resolve
from service.simulation_schemas import SimulationRequest
from tests.processes import ROOT, Running, environment, is_alive, tapete_up, wait_until
from tests.simulation.tables import tally

WISH: dict[str, Any] = {
    "ruleset": "tarneeb", "count": 100, "preset": None, "options": (), "bots": (), "compare": None, "seats": None,
    "matches": False, "duplicate": False, "seed": "s", "rows": False, "stop": None, "risks": (0.05, 0.05), "every": 100,
}  # fmt: skip
ACTIVE = "tapete_simulations_active 1.0"
COMPARED = ("reihe", "--compare", "rules", "random", "--count", "400", "--seed", "who", "--stop", "-0.5", "0.5")


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A running service with one worker of simulations."""
    arguments = ("--bot-workers", "1", "--simulation-workers", "1")
    with tapete_up(tmp_path_factory.mktemp("data"), *arguments, TAPETE_LIMITS="off") as running:
        yield running


def simulate(*arguments: str) -> Result:
    """Run the command in this process, its workers in theirs."""
    return CliRunner().invoke(main, ["simulate", *arguments])


def as_json(*arguments: str) -> bytes:
    """The results of a command."""
    done = simulate(*arguments, "--json", "-")
    assert done.exit_code == 0, done.output
    return done.stdout_bytes


def wished(**changed: Any) -> SimulationRequest:
    """The request that a wish makes, resolved."""
    return resolve(asking.request(Wish(**{**WISH, **changed})))


# ---------------------------------------------------------------------------------------------------- the same bytes


@pytest.mark.parametrize(
    "asked",
    [
        ("tarneeb", "--count", "70000", "--seed", "a"),
        ("rosbiratschka", "--bot", "rules", "--bot", "random", "--seats", "5", "--duplicate", "--count", "60"),
        ("elfer_raus", "--matches", "--preset", "junior_10", "--option", "rounds=2", "--count", "30", "--seed", "b"),
        (*COMPARED, "--every", "100"),
    ],
    ids=["deals", "duplicate", "matches", "compared"],
)
def test_a_service_and_this_machine_come_to_the_same_bytes(up: Running, asked: tuple[str, ...], tmp_path: Path) -> None:
    """The results as JSON and CSV, and every row; whatever number of processes played."""
    asked = (*asked, "--seed", "same", "--rows", str(tmp_path / "rows"), "--csv", str(tmp_path / "csv"))
    found = []
    for where in (("--url", up.url), ("--workers", "1"), ("--workers", "3")):
        results = as_json(*asked, *where)
        found.append((results, (tmp_path / "csv").read_bytes(), (tmp_path / "rows").read_bytes()))
    assert found[0] == found[1] == found[2]
    results = json.loads(found[0][0])
    assert len(found[0][2].splitlines()) == results["games"]


def test_how_the_work_is_cut_up_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of one set or of a thousand, on one process or more, come to what one call of the engine comes to."""
    request = wished(bots=("rules", "random"), seats=4, count=300)
    plan = plan_of(request)
    expected = msgspec.json.encode(summarise(plan, tally(plan, 0, 300)))
    for seconds, workers in ((1e-9, 1), (0.01, 2), (100, 3)):
        monkeypatch.setattr(local, "CHUNK_SECONDS", seconds)
        found = local.run(request, workers, lambda _done, _of: None, lambda _rows: None)
        assert (found.results, found.complete) == (expected, True)


def test_a_sequential_test_stops_where_it_would_stop_anywhere(up: Running) -> None:
    """At the same look, with the same sets, and says so; where it finds nothing all is counted."""
    here, there = (simulate(*COMPARED, "--every", "100", *where).output for where in ((), ("--url", up.url)))
    told = re.search(r"At look \d+, after \d+ sets, the test found for `upper`\.", here)
    assert told
    assert told[0] in there
    undecided = (*COMPARED[:-2], "1.0", "1.02", "--every", "110", "--count", "700")
    here, there = (simulate(*undecided, *where).output for where in ((), ("--url", up.url)))
    assert "All 350 sets were played, and in 3 looks the test found neither bound." in here
    assert "All 350 sets were played, and in 3 looks the test found neither bound." in there


# ---------------------------------------------------------------------------------------------------- counting


def counting(request: SimulationRequest) -> tuple[local.Counting, list[bytes]]:
    """What counts a request's chunks, and where their rows go."""
    plan = plan_of(request)
    rows: list[bytes] = []
    return local.Counting(request, plan, request.count // plan.games_of_a_set, rows.extend), rows


def test_chunks_are_counted_in_the_order_of_their_sets() -> None:
    """One that comes too early waits, its rows too."""
    found, rows = counting(wished(count=30))
    found.add(10, tally(found.plan, 10, 20), [b"second"])
    assert (found.reached, found.tally, rows) == (0, {}, [])
    found.add(0, tally(found.plan, 0, 10), [b"first"])
    assert (found.reached, rows) == (30, [b"first", b"second"])
    assert found.tally == tally(found.plan, 0, 30)


def test_what_was_played_beyond_the_last_look_is_thrown_away() -> None:
    """A chunk that came early is not counted where a look before it has ended the test."""
    found, _ = counting(wished(compare=("rules", "random"), count=800, stop=(0.0, 1.0)))
    found.add(100, tally(found.plan, 100, 100), [])
    found.add(0, tally(found.plan, 0, 100), [])
    assert found.stopped is not None
    assert (found.stopped.reason, found.reached, found.tally["sets"]) == ("upper", 100, 100)


def test_chunks_end_where_a_look_is_due_and_where_all_ends() -> None:
    """However large they should be."""
    request = wished(compare=("rules", "random"), count=800, stop=(0.0, 1.0))
    assert [local.chunk(request, first, 400, 170) for first in (0, 99, 100, 390)] == [100, 1, 100, 10]
    assert [local.chunk(wished(), first, 100, 30) for first in (0, 80)] == [30, 20]


# ---------------------------------------------------------------------------------------------------- what is printed


def test_tables_fit_into_80_columns_and_tell_the_results() -> None:
    """Bots, seats, the comparison, lengths and counts."""
    asked = ("tarneeb", "--compare", "rules", "random", "--count", "40", "--seed", "t")
    told = simulate(*asked)
    assert told.exit_code == 0
    assert max(map(len, told.stdout.splitlines())) <= 80
    results = msgspec.json.decode(as_json(*asked), type=Results)
    assert results.comparison is not None
    rows = {line.split("  ")[0].strip(): line for line in told.stdout.splitlines()}
    assert f"{results.comparison.score.mean:.2f}" in told.stdout.split("rules@1 over random@1")[1].splitlines()[1]
    assert f"{results.bots[0].score.mean:.4f} ±" in rows["rules@1"]
    assert f"{100 * results.bots[1].win_share:.2f} %" in rows["random@1"]
    assert f"{results.lengths.moves.mean:.2f}" in rows["moves"]
    bids = [count for count in results.counts if count.name == "bid"]
    assert all(f"{bid.count}" in rows[f"bid {bid.key}"].split() for bid in bids)
    assert "40 deals in 20 sets" in told.stdout
    assert "seed t" in told.stdout


def test_files_hold_the_results(tmp_path: Path) -> None:
    """JSON, a table as CSV, a row a game, and a picture; the tables are printed all the same."""
    files = {name: str(tmp_path / name) for name in ("json", "csv", "rows", "plot.png")}
    asked = [part for name, path in files.items() for part in (f"--{name.split('.')[0]}", path)]
    told = simulate("reihe", "--count", "20", "--bot", "random", "--seats", "3", *asked)
    assert told.exit_code == 0, told.output
    assert "random@1" in told.stdout
    results = json.loads(Path(files["json"]).read_text())
    assert (results["games"], len(results["seats"])) == (20, 3)
    with Path(files["csv"]).open() as lines:
        figures = {(row["of"], row["number"], row["figure"]): row["value"] for row in csv.DictReader(lines)}
    assert float(figures["bot", "0", "score.mean"]) == results["bots"][0]["score"]["mean"]
    assert len(Path(files["rows"]).read_text().splitlines()) == 20
    assert Path(files["plot.png"]).read_bytes().startswith(b"\x89PNG\r\n")


def test_a_distribution_keeps_its_mass() -> None:
    """Gaps stay empty, and however many numbers there are, the steps are few and their areas add up to one."""
    edges, heights = plots.outline([Bar(-3, -3, 1), Bar(-2, -2, 2), Bar(1, 1, 1)])
    assert (edges, heights) == ([-3.5, -2.5, -1.5, -0.5, 0.5, 1.5], [0.25, 0.5, 0, 0, 0.25])
    for bars in ([Bar(n, n, n) for n in range(1, 250)], [Bar(4 * n, 4 * n + 3, 7) for n in range(64, 256)]):
        edges, heights = plots.outline(bars)
        widths = {one - other for one, other in zip(edges[1:], edges, strict=False)}
        assert len(widths) == 1
        assert sum(heights) * widths.pop() == pytest.approx(1)
        assert len(heights) <= plots.STEPS


# ---------------------------------------------------------------------------------------------------- what is asked


def test_one_bot_takes_every_seat_and_several_take_turns() -> None:
    """`random` where none is named; their versions and budgets as they are typed."""
    assert [spec.bot for spec in wished().seats or []] == ["random"] * 4
    assert [spec.bot for spec in wished(bots=("rules", "random"), seats=4).seats or []] == ["rules", "random"] * 2
    assert len(wished(ruleset="reihe", bots=("rules",) * 3).seats or []) == 3
    (typed,) = {json.dumps(msgspec.to_builtins(spec)) for spec in wished(bots=("rules@1:50",)).seats or []}
    assert json.loads(typed) == {"bot": "rules", "version": 1, "budget": {"samples": 50}}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"bots": ("Rules!",)}, "A bot is written NAME, NAME@VERSION or NAME:SAMPLES, not 'Rules!'."),
        ({"bots": ("nobody",)}, "seats[0].bot: Invalid enum value 'nobody'."),
        ({"ruleset": "skat"}, "There is no ruleset 'skat'; there are tarneeb"),
        ({"options": ("target",)}, "--option takes NAME=VALUE, not 'target'"),
        ({"count": 0}, "count: Expected `int` >= 1."),
    ],
)
def test_what_makes_no_request_is_said(changed: dict[str, Any], said: str) -> None:
    """Before anything is asked."""
    with pytest.raises(BadWishError, match=re.escape(said)):
        asking.request(Wish(**{**WISH, **changed}))


@pytest.mark.parametrize("where", ["here", "there"])
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("tarneeb", "--option", "target=3"), "options/target: Expected `int` >= 7."),
        (("tarneeb", "--compare", "rules", "random", "--count", "7"), "count: A set is 2 games here"),
        (("tarneeb", "--bot", "rules@9"), "seats/0/version: There is no bot 'rules' version 9"),
        (("tarneeb", "--preset", "skat"), "preset: tarneeb has the presets"),
        (("tarneeb", "--stop", "0", "1"), "stop: Only a comparison may stop early"),
    ],
)
def test_a_simulation_that_is_not_to_be_had_is_refused(
    up: Running, where: str, asked: tuple[str, ...], said: str
) -> None:
    """In the same words, here and by a service: wrong usage."""
    told = simulate(*asked, *(("--url", up.url) if where == "there" else ()))
    assert told.exit_code == 2
    assert said in " ".join(told.output.split())


def test_a_picture_of_no_kind_is_refused(tmp_path: Path) -> None:
    """Matplotlib knows the endings."""
    told = simulate("reihe", "--count", "2", "--plot", str(tmp_path / "out.txt"))
    assert told.exit_code == 2
    assert "Format 'txt' is not supported" in " ".join(told.output.split())


def test_an_address_where_nobody_answers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """After some patience, with the exit code of a service that is away."""
    monkeypatch.setattr("service.terminal.client.PATIENCE", 0.1)
    told = simulate("reihe", "--count", "2", "--url", "http://127.0.0.1:9")
    assert told.exit_code == 69
    assert "http://127.0.0.1:9 has not answered" in told.output
    assert simulate("reihe", "--url", "nowhere").exit_code == 2


def test_a_limit_is_told_and_not_waited_for(tmp_path: Path) -> None:
    """A service that takes no more from us for an hour says so at once."""
    with tapete_up(tmp_path, "--bot-workers", "1", TAPETE_LIMITS="changes=1/hour") as running:
        asked = ("reihe", "--count", "2", "--url", running.url)
        assert simulate(*asked).exit_code == 0
        told = simulate(*asked)
    assert told.exit_code == 2
    assert "the limit `changes` of the service is reached" in " ".join(told.output.split())


# ---------------------------------------------------------------------------------------------------- being stopped


def started(*arguments: str) -> "subprocess.Popen[str]":
    """The command as a process of its own."""
    command = [sys.executable, "-m", "service.cli", "simulate", "tarneeb", "--bot", "rules", *arguments]
    return subprocess.Popen(
        command, cwd=ROOT, env=environment({}), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def lines_of(path: Path) -> int:
    """How many lines a file has so far."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_ctrl_c_prints_what_was_counted(tmp_path: Path) -> None:
    """Whole chunks from the first on, all the rows of which are written; exit code 130."""
    rows = tmp_path / "rows"
    process = started("--count", "100000", "--seed", "x", "--rows", str(rows), "--workers", "2")
    wait_until(lambda: lines_of(rows) > 100, lambda: "rows")
    process.send_signal(signal.SIGINT)
    told, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    games = int(re.search(r"([\d,]+) deals in", told)[1].replace(",", ""))  # type: ignore[index]
    assert games == lines_of(rows) < 100_000
    assert [json.loads(line)["set"] for line in rows.read_text().splitlines()] == list(range(games))


def test_ctrl_c_before_the_answer_stops_the_simulation_too() -> None:
    """Whatever had reached the service by then, it is asked for the same again and cancelled."""
    asked = asking.request(Wish(**WISH))
    answer = {
        "simulation_id": "sm_a", "state": "cancelled", "request": wished(), "results": None, "stopped": None,
        "failure": None, "progress": {"sets": 0, "of_sets": 100, "games": 0, "share": 0.0},
    }  # fmt: skip
    sent: list[tuple[str, str, str | None]] = []

    class Interrupted:
        """A service whose first answer is not waited for."""

        def send(self, method: str, path: str, _body: bytes | None, headers: dict[str, str]) -> bytes:
            """Take note of what is asked."""
            sent.append((method, path, headers.get("Idempotency-Key")))
            if len(sent) == 1:
                raise KeyboardInterrupt
            return msgspec.json.encode(answer)

    service: Any = Interrupted()
    found = remote.run(remote.Service(service, None), asked, lambda _done, _of: None, lambda _rows: None)
    assert (found.complete, found.results) == (False, None)
    assert [each[:2] for each in sent] == [
        ("POST", "/v1/simulations"), ("POST", "/v1/simulations"), ("DELETE", "/v1/simulations/sm_a"),
    ]  # fmt: skip
    assert sent[0][2] == sent[1][2] is not None


def test_ctrl_c_stops_a_simulation_on_a_service(up: Running) -> None:
    """It is cancelled there, and what it has counted is printed."""
    process = started("--count", "100000", "--seed", "x", "--url", up.url)
    client = httpx.Client(base_url=up.url)
    wait_until(lambda: ACTIVE in client.get("/metrics").text, lambda: "a simulation")
    client.close()
    process.send_signal(signal.SIGINT)
    told, problem = process.communicate(timeout=60)
    assert process.returncode == 130, problem
    assert "It was told to stop" in told or "Nothing was finished." in told


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux lists the children of a process")
def test_no_process_outlives_the_command() -> None:
    """Not even where that is killed -9."""
    process = started("--count", "1000000", "--workers", "2")
    wait_until(lambda: len(children(process.pid)) >= 2, lambda: "workers")
    workers = children(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    wait_until(lambda: not any(map(is_alive, workers)), lambda: "the end of its workers")
