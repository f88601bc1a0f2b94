import json
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
import redis

from service.access import API_KEYS
from service.rates import LIMITS, Rate
from service.settings import Settings
from service.simulation_store import ACTIVE
from service.simulations import Simulations
from tests.service.players import Api, Json, good, refused, running
from workers import simulations as simulations_job
from workers.simulations import Work

RANDOM, RULES = {"bot": "random"}, {"bot": "rules"}
SIMULATE: Json = {"ruleset": "reihe", "seats": [RANDOM] * 3, "count": 200, "seed": "these cards"}
COMPARE: Json = {"ruleset": "tarneeb", "compare": [RULES, RANDOM], "count": 40, "seed": "these cards"}
DEAR: Json = {"seats": [RULES] * 3, "count": 10_000_000}
HIDDEN = "it held A-spades"
KEY = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"


@pytest.fixture(autouse=True)
def no_simulations(kept: redis.Redis) -> None:
    """No simulation of another test."""
    if left := list(kept.scan_iter("*{sm*")) + list(kept.scan_iter("*{simulations}*")):
        kept.delete(*left)


def create(api: Api, token: str | None = None, /, **more: Any) -> Json:
    """A new simulation as the answer tells it."""
    answer = api.post("/v1/simulations", {**SIMULATE, **more}, token)
    assert answer.status_code == 202, answer.text
    return answer.json()


def read(api: Api, simulation: Json, token: str | None = None, **headers: str) -> httpx.Response:
    return api.get(f"/v1/simulations/{simulation['simulation_id']}", token, **headers)


def rows(api: Api, simulation: Json) -> httpx.Response:
    return api.get(f"/v1/simulations/{simulation['simulation_id']}/rows")


def cancel(api: Api, simulation: Json) -> httpx.Response:
    return api.run(api.request("DELETE", f"/v1/simulations/{simulation['simulation_id']}"))


def work(api: Api, simulation: Json, range_seconds: float = 0.05) -> None:
    """Play all of a simulation, in this process."""
    context: Simulations = api.app.app.state.simulations
    api.run(Work(context.store, simulation["simulation_id"], "here", range_seconds=range_seconds).go_on(float("inf")))


def begun(api: Api, **more: Any) -> Json:
    """A simulation of which some sets are done, and by far not all."""
    simulation = create(api, **{"count": 10_000_000, **more})
    go_on(api, simulation)
    return simulation


def go_on(api: Api, simulation: Json) -> None:
    """Play some sets of a simulation more, by far not all."""
    context: Simulations = api.app.app.state.simulations
    doing = Work(context.store, simulation["simulation_id"], "here", range_seconds=0.02)
    before = good(read(api, simulation))["progress"]["sets"]
    while good(read(api, simulation))["progress"]["sets"] == before:
        api.run(doing.go_on(time.monotonic() + 0.01))


def played(api: Api, **more: Any) -> Json:
    """A simulation that is done."""
    simulation = create(api, **more)
    work(api, simulation)
    found = good(read(api, simulation))
    assert found["state"] == "done"
    return found


# ------------------------------------------------------------------------------------------------ asking


def test_the_answer_comes_before_anything_is_played_and_tells_all_that_was_left_open(api: Api) -> None:
    answer = api.post("/v1/simulations", {"ruleset": "tarneeb", "seats": [RULES, RANDOM] * 2, "count": 100})
    assert answer.status_code == 202
    simulation = answer.json()
    assert answer.headers["location"] == f"/v1/simulations/{simulation['simulation_id']}"
    assert re.fullmatch(r"sm_[a-z2-7]{20}", simulation["simulation_id"])
    request = simulation["request"]
    assert request["seats"][0] == {"bot": "rules", "version": 1, "budget": None}
    assert (request["unit"], request["players"], request["duplicate"], request["compare"]) == ("deals", 4, False, None)
    assert re.fullmatch(r"[0-9a-f]{32}", request["seed"])
    assert request["options"]["target"] == 31
    assert simulation["state"] == "waiting"
    assert simulation["progress"] == {"sets": 0, "of_sets": 100, "games": 0, "share": 0}
    assert simulation["estimate"]["games"] == 100
    assert simulation["estimate"]["core_seconds"] > 0
    assert (simulation["results"], simulation["stopped"], simulation["failure"]) == (None, None, None)
    assert good(api.get(answer.headers["location"])) == simulation


@pytest.mark.parametrize(
    ("asked", "pointers"),
    [
        ({"seats": None}, {"/seats"}),
        ({"compare": [RULES, RANDOM]}, {"/seats"}),
        ({"players": 3}, {"/players"}),
        ({"ruleset": "tarneeb"}, {"/seats"}),
        ({"ruleset": "tarneeb", "seats": None, "compare": [RULES, RANDOM], "players": 3}, {"/players"}),
        ({"seats": [RULES, {"bot": "rules", "version": 9}, {"bot": "random", "version": 8}]},
         {"/seats/1/version", "/seats/2/version"}),
        ({"preset": "none"}, {"/preset"}),
        ({"options": {"target": -1, "hand": 1}}, {"/options/target", "/options/hand"}),
        ({"options": {"hand": 1}, "seats": [RULES, {"bot": "rules", "version": 9}, RULES]},
         {"/options/hand", "/seats/1/version"}),
        ({"unit": "matches", "options": {"target": None}}, {"/options/target"}),
        ({"stop": {"lower": 0, "upper": 1}}, {"/stop"}),
        ({"seats": None, "compare": [RULES, RANDOM], "stop": {"lower": 1, "upper": 1}}, {"/stop/upper"}),
        ({"seats": [RULES, RANDOM, RANDOM], "duplicate": True, "count": 100}, {"/count"}),
        ({"rows": True, "count": 100_001}, {"/rows"}),
        ({"seats": None, "compare": [RULES, RANDOM], "players": 4, "count": 10_000_000,
          "stop": {"lower": 0, "upper": 1, "every": 100}}, {"/stop/every"}),
    ],
)  # fmt: skip
def test_what_depends_is_refused_before_anything_runs_each_mistake_at_its_place(
    api: Api, asked: Json, pointers: set[str]
) -> None:
    problem = refused(api.post("/v1/simulations", {**SIMULATE, **asked}), "invalid_options")
    assert {error["pointer"] for error in problem["errors"]} == pointers


def test_a_number_of_games_that_makes_no_whole_sets_is_told_the_nearest_that_does(api: Api) -> None:
    asked = {**SIMULATE, "seats": [RULES, RANDOM, RANDOM], "duplicate": True}
    problem = refused(api.post("/v1/simulations", {**asked, "count": 100}), "invalid_options")
    assert "99" in problem["errors"][0]["detail"]
    assert create(api, **{**asked, "count": 99})["progress"]["of_sets"] == 33
    problem = refused(api.post("/v1/simulations", {**asked, "count": 1}), "invalid_options")
    assert "3 is the nearest" in problem["errors"][0]["detail"]


@pytest.mark.parametrize(
    "asked",
    [
        {"count": 0}, {"count": 10_000_001}, {"seed": ""}, {"seed": "x" * 101}, {"seed": "a\nb"}, {"seats": [RULES]},
        {"seats": [RULES] * 9}, {"seats": [{"bot": "rules", "budget": {"seconds": 1}}] * 3}, {"hand": 1},
        {"compare": [RULES]}, {"unit": "tricks"}, {"stop": {"lower": 0, "upper": 1, "alpha": 0}},
        {"stop": {"lower": 0, "upper": 1, "every": 99}}, {"ruleset": "bridge"},
    ],
)  # fmt: skip
def test_what_has_another_shape_is_refused(api: Api, asked: Json) -> None:
    refused(api.post("/v1/simulations", {**SIMULATE, **asked}), "invalid_request")


def test_the_same_key_and_body_are_the_same_simulation(api: Api) -> None:
    first = api.post("/v1/simulations", {**SIMULATE, "seed": None}, idempotency_key=KEY)
    again = api.post("/v1/simulations", {**SIMULATE, "seed": None}, idempotency_key=KEY)
    assert (first.status_code, again.status_code) == (202, 202)
    assert again.json() == first.json()
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    other = api.post("/v1/simulations", SIMULATE, idempotency_key=KEY)
    refused(other, "idempotency_mismatch")


def test_many_who_send_the_same_key_at_once_get_one_simulation(api: Api, kept: redis.Redis) -> None:
    headers = {"content-type": "application/json", "idempotency-key": KEY}
    asked = json.dumps(SIMULATE)
    answers = api.together(*(api.request("POST", "/v1/simulations", headers=headers, content=asked) for _ in range(8)))
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["simulation_id"] for answer in answers}) == 1
    assert len(list(kept.scan_iter("tapete:{sm*}:about"))) == 1


# ------------------------------------------------------------------------------------------------ results


def test_the_same_request_comes_to_the_same_bytes_however_it_is_cut_into_ranges(api: Api) -> None:
    results = []
    for seconds in (0.001, 0.01, 1):
        simulation = create(api, ruleset="tarneeb", seats=[RULES, RANDOM] * 2, duplicate=True)
        work(api, simulation, seconds)
        found = good(read(api, simulation))
        results.append((json.dumps(found["results"]), read(api, simulation, accept="text/csv").content))
        assert found["run"]["chunks"] > 1
    assert results[0] == results[1] == results[2]
    other = played(api, ruleset="tarneeb", seats=[RULES, RANDOM] * 2, duplicate=True, seed="other cards")
    assert json.dumps(other["results"]) != results[0][0]


def test_the_results_are_those_of_the_games_that_were_asked_for(api: Api) -> None:
    found = played(api, ruleset="tarneeb", seats=[RULES, RANDOM] * 2, count=100, duplicate=True)
    results = found["results"]
    assert (results["games"], results["sets"]) == (100, 50)
    assert [bot["bot"]["bot"] for bot in results["bots"]] == ["rules", "random"]
    assert results["bots"][0]["score"]["mean"] > results["bots"][1]["score"]["mean"]
    assert sum(bar["count"] for bar in results["bots"][0]["histogram"]) == results["bots"][0]["games"] == 200
    assert found["progress"] == {"sets": 50, "of_sets": 50, "games": 100, "share": 1}
    run = found["run"]
    assert run["created_at"] <= run["started_at"] <= run["finished_at"]
    assert (run["expected_at"], run["workers"]) == (None, 1)
    assert run["games_per_second"] > 0
    assert run["games_per_second_per_worker"] > 0


def test_a_whole_match_is_a_game_too(api: Api) -> None:
    found = played(api, ruleset="tarneeb", seats=[RANDOM] * 4, unit="matches", count=5, options={"max_deals": 3})
    assert found["results"]["games"] == 5
    assert found["results"]["lengths"]["deals"]["most"] <= 3


def test_csv_has_a_line_for_each_figure_and_each_bar(api: Api) -> None:
    simulation = played(api)
    answer = read(api, simulation, accept="text/csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    head, *lines = answer.text.splitlines()
    assert head == "of,number,figure,from,to,value"
    assert "all,,games,,,200" in lines
    bars = [line.split(",") for line in lines if line.startswith("bot,0,histogram,")]
    assert sum(int(bar[-1]) for bar in bars) == 600
    assert f"bot,0,score.mean,,,{simulation['results']['bots'][0]['score']['mean']}" in lines
    assert all(line.count(",") == 5 for line in lines)


def test_csv_before_the_first_set_is_a_head_alone(api: Api) -> None:
    assert read(api, create(api), accept="text/csv").text.splitlines() == ["of,number,figure,from,to,value"]


def test_while_it_runs_it_tells_what_some_of_its_sets_came_to_and_when_it_may_end(api: Api) -> None:
    simulation = begun(api)
    found = good(read(api, simulation))
    assert found["state"] == "running"
    assert found["results"]["games"] == found["progress"]["games"] < 10_000_000
    assert found["run"]["expected_at"] > found["run"]["started_at"]


def test_what_goes_on_has_another_name_with_each_part_that_is_added(api: Api) -> None:
    simulation = begun(api)
    known = read(api, simulation).headers["etag"]
    assert read(api, simulation, if_none_match=known).status_code == 304
    go_on(api, simulation)
    assert read(api, simulation, if_none_match=known).status_code == 200


def test_what_is_over_does_not_change_and_need_not_be_sent_again(api: Api) -> None:
    simulation = played(api)
    answer = read(api, simulation)
    again = read(api, simulation, if_none_match=answer.headers["etag"])
    assert (again.status_code, again.content) == (304, b"")
    table = read(api, simulation, if_none_match=answer.headers["etag"], accept="text/csv")
    assert table.status_code == 200
    assert table.headers["etag"] != answer.headers["etag"]


# ------------------------------------------------------------------------------------------------ rows


def test_rows_tell_every_game_in_order(api: Api) -> None:
    simulation = played(api, seats=[RULES, RANDOM, RANDOM], duplicate=True, count=99, rows=True)
    answer = rows(api, simulation)
    assert answer.headers["content-type"] == "application/x-ndjson"
    found = [json.loads(line) for line in answer.text.splitlines()]
    assert [(row["set"], row["lineup"]) for row in found] == [(n // 3, n % 3) for n in range(99)]
    seat = sum(row["scores"][0] for row in found) / 99
    assert simulation["results"]["seats"][0]["score"]["mean"] == pytest.approx(seat)


def test_rows_are_there_as_far_as_it_has_been_played_and_only_where_asked_for(api: Api) -> None:
    simulation = create(api, rows=True)
    assert rows(api, simulation).text == ""
    refused(rows(api, create(api)), "no_rows")


# ------------------------------------------------------------------------------------------------ comparing


def test_a_comparison_plays_both_bots_in_every_seat(api: Api) -> None:
    found = played(api, **COMPARE, seats=None)
    assert found["request"]["duplicate"]
    assert found["progress"]["of_sets"] == 20
    comparison = found["results"]["comparison"]
    assert comparison["score"]["mean"] > 0
    assert [bot["seats"] for bot in found["results"]["bots"]] == [[0, 1, 2, 3]] * 2


def test_a_sequential_test_stops_at_the_same_look_however_it_is_cut(api: Api) -> None:
    asked = {**COMPARE, "seats": None, "count": 4000, "stop": {"lower": 0, "upper": 0.5, "every": 100}}
    results = []
    for seconds in (0.005, 1):
        simulation = create(api, **asked)
        work(api, simulation, seconds)
        found = good(read(api, simulation))
        assert found["state"] == "done"
        results.append((found["results"], found["stopped"]))
    assert results[0] == results[1]
    assert results[0][1]["reason"] == "upper"
    assert results[0][1]["looks"] * 100 == results[0][1]["sets"] == results[0][0]["sets"] < 2000


def test_rows_end_where_a_sequential_test_has_stopped_whatever_was_played_beyond(api: Api) -> None:
    rule = {"lower": 0, "upper": 0.5, "every": 100}
    simulation = create(api, **{**COMPARE, "count": 4000, "rows": True, "stop": rule}, seats=None)
    context: Simulations = api.app.app.state.simulations
    slow = api.run(context.store.take(api.run(context.store.load(simulation["simulation_id"])), 1))
    work(api, simulation)
    beyond = good(read(api, simulation))
    assert (beyond["state"], beyond["results"], rows(api, simulation).text) == ("running", None, "")
    assert beyond["progress"]["sets"] > 1000
    api.run(context.store.renew(simulation["simulation_id"], slow, 0))
    work(api, simulation)
    found = good(read(api, simulation))
    assert (found["stopped"]["reason"], found["stopped"]["sets"]) == ("upper", 100)
    assert len(rows(api, simulation).text.splitlines()) == found["results"]["games"] == 200


def test_a_sequential_test_that_finds_nothing_plays_all_and_says_so(api: Api) -> None:
    asked = {**COMPARE, "compare": [RANDOM, RANDOM], "seats": None, "count": 500}
    found = played(api, **asked, stop={"lower": -0.01, "upper": 0.01, "every": 100})
    assert (found["stopped"]["reason"], found["stopped"]["looks"], found["results"]["sets"]) == ("count", 2, 250)


# ------------------------------------------------------------------------------------------------ stopping


def test_a_cancelled_simulation_stays_readable_with_what_was_done(api: Api) -> None:
    simulation = begun(api, count=100_000, seats=[RULES] * 3, rows=True)
    found = good(cancel(api, simulation))
    assert (found["state"], found["stopped"]["reason"]) == ("cancelled", "cancelled")
    assert found["results"]["sets"] == found["progress"]["sets"] == found["stopped"]["sets"] > 0
    work(api, simulation)
    assert good(read(api, simulation)) == good(cancel(api, simulation)) == found
    assert len(rows(api, simulation).text.splitlines()) == found["results"]["games"]
    assert api.run(api.app.app.state.simulations.store.active()) == []


def test_what_was_never_begun_can_be_cancelled_too(api: Api) -> None:
    found = good(cancel(api, create(api)))
    assert (found["state"], found["results"], found["run"]["started_at"]) == ("cancelled", None, None)


def test_one_that_is_done_is_not_cancelled(api: Api) -> None:
    simulation = played(api)
    assert good(cancel(api, simulation)) == simulation


def test_what_has_expired_is_not_found(api: Api, kept: redis.Redis) -> None:
    simulation = played(api)
    for key in kept.scan_iter(f"tapete:{{{simulation['simulation_id']}}}:*"):
        kept.pexpire(key, 0)
    for answer in (read(api, simulation), rows(api, simulation), cancel(api, simulation)):
        refused(answer, "simulation_not_found")


def test_a_bot_that_fails_fails_the_simulation_after_some_tries_without_telling_what_it_held(
    api: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def play(*_: Any) -> Iterator[Any]:
        tries.append(1)
        yield {}
        raise ValueError(HIDDEN)

    tries: list[int] = []
    monkeypatch.setattr(simulations_job, "play", play)
    simulation = create(api)
    work(api, simulation)
    found = good(read(api, simulation))
    assert (found["state"], found["results"], len(tries)) == ("failed", None, 3)
    assert found["failure"]["code"] == "internal_error"
    assert "ValueError" in found["failure"]["detail"]
    assert HIDDEN not in json.dumps(found) + caplog.text
    assert "etag" in read(api, simulation).headers


# ------------------------------------------------------------------------------------------------ the sweep


def test_the_sweep_drops_what_is_over_and_what_was_never_written_down(api: Api, kept: redis.Redis) -> None:
    context: Simulations = api.app.app.state.simulations
    waiting, over = create(api), create(api)
    work(api, over)
    unborn, new = "sm_" + "u" * 20, "sm_" + "n" * 20
    for each in (unborn, new):
        api.run(context.store.enter(each, "somebody", 0))
    kept.zadd(ACTIVE, {unborn: 0})
    api.run(context.feed.sweep())
    assert {each for each, _ in api.run(context.store.active())} == {waiting["simulation_id"], new}


def test_jobs_that_were_lost_are_made_again_and_none_too_many(api: Api, kept: redis.Redis) -> None:
    context: Simulations = api.app.app.state.simulations
    simulation = create(api)
    queue = f"rq:queue:{api.settings.simulation_queue}"
    kept.delete(queue)
    for _ in range(3):
        api.run(context.feed.sweep())
    (job,) = kept.lrange(queue, 0, -1)
    assert job.decode().startswith(simulation["simulation_id"])
    kept.delete(queue)


# ------------------------------------------------------------------------------------------------ who may


@pytest.fixture
def keyed(api: Api, kept: redis.Redis) -> Iterator[tuple[str, str]]:
    """The API with two keys of two names."""
    yield tuple(api.run(api.context.keys.add(name)) for name in ("ours", "theirs"))  # type: ignore[misc]
    kept.delete(API_KEYS, f"{API_KEYS}:used")
    api.context.keys._known = None


def test_only_the_key_that_created_it_sees_a_simulation(api: Api, keyed: tuple[str, str]) -> None:
    ours, theirs = keyed
    refused(api.post("/v1/simulations", SIMULATE), "unauthorized")
    simulation = create(api, ours, rows=True)
    path = f"/v1/simulations/{simulation['simulation_id']}"
    for token in (None, theirs):
        for method, what in (("GET", ""), ("GET", "/rows"), ("DELETE", "")):
            refused(api.run(api.request(method, path + what, token)), "simulation_not_found")
    refused(api.get(path, "tk_" + "A" * 43), "unauthorized")
    assert good(api.get(path, ours))["state"] == "waiting"
    mine = api.post("/v1/simulations", SIMULATE, ours, idempotency_key="mine").json()["simulation_id"]
    assert api.post("/v1/simulations", SIMULATE, theirs, idempotency_key="mine").json()["simulation_id"] != mine


# ------------------------------------------------------------------------------------------------ limits


def test_a_limit_counts_what_simulations_cost_and_not_how_many_they_are(settings: Settings) -> None:
    with running(replace(settings, limits={"simulations": Rate(10, 3600)})) as busy:
        cheap = create(busy)
        each = max(1, round(cheap["estimate"]["core_seconds"]))
        # What costs more than there is needs all of it, and is paid back before anything else is played.
        dear = busy.post("/v1/simulations", {**SIMULATE, **DEAR})
        refused(dear, "rate_limited")
        assert dear.json()["limit_key"] == "simulations"
        assert 0 < int(dear.headers["retry-after"]) <= 3600 * each / 10 + 1
        for _ in range(10 // each - 1):
            create(busy)
        refused(busy.post("/v1/simulations", SIMULATE), "rate_limited")
        assert len(busy.run(busy.app.app.state.simulations.store.active())) == 10 // each


def test_one_that_costs_more_than_the_limit_takes_all_of_it_and_more(settings: Settings, kept: redis.Redis) -> None:
    for bucket in kept.scan_iter("tapete:limit:*"):
        kept.delete(bucket)
    with running(replace(settings, limits={"simulations": Rate(10, 3600)})) as busy:
        cost = create(busy, **DEAR)["estimate"]["core_seconds"]
        assert cost > 20
        answer = busy.post("/v1/simulations", SIMULATE)
        refused(answer, "rate_limited")
        assert int(answer.headers["retry-after"]) > 3600


def test_a_repetition_costs_nothing(settings: Settings, kept: redis.Redis) -> None:
    for bucket in kept.scan_iter("tapete:limit:*"):
        kept.delete(bucket)
    with running(replace(settings, limits={"simulations": Rate(1, 3600)})) as busy:
        answers = [busy.post("/v1/simulations", SIMULATE, idempotency_key=KEY) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [202] * 3


def test_so_many_run_at_a_time_and_one_that_is_over_makes_room(settings: Settings) -> None:
    with running(replace(settings, limits={"running_simulations": Rate(2, 0)})) as busy:
        first, _ = create(busy), create(busy)
        problem = refused(busy.post("/v1/simulations", SIMULATE), "rate_limited")
        assert problem["limit_key"] == "running_simulations"
        cancel(busy, first)
        create(busy)


def test_both_limits_are_told(api: Api) -> None:
    told = {limit["limit_key"]: limit for limit in good(api.get("/v1/limits"))["limits"]}
    assert told["simulations"]["per"] == told["running_simulations"]["per"] == "key or address"
    assert LIMITS["simulations"].own
