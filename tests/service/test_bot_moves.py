import asyncio
import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import redis

from engine import bots
from engine.bots import Bot, Candidate, Decision
from service import bot_moves
from service.errors import Unavailable
from service.jobs import BotQueue
from service.store import due_member, job_member, key, shard_of
from tests.service.players import (
    PASS,
    PLAYERS,
    Api,
    Json,
    Table,
    bid,
    good,
    kept_of,
    losing,
    refused,
)

RULES = {"bot": "rules", "version": 1, "budget": None}
RANDOM = {"bot": "random", "version": 1, "budget": None}
JOB = {"job_id", "game_id", "seat", "state", "play", "expected_version", "answer", "failure"}
ANSWER = {"move", "bot", "samples", "seconds", "candidates", "played_version"}

Choose = Callable[[Any, Any, Any], Decision]


def do(table: Table, job: Json) -> bool:
    """What a worker does with the job that was asked for."""
    return bool(table.api.run(bot_moves.answer_job(table.api.context, job["job_id"])))


def look(table: Table, job: Json, seat: int = 3) -> Json:
    """The job as its seat reads it."""
    return good(table.api.get(f"/v1/jobs/{job['job_id']}", table.tokens[seat]))


def done(table: Table, job: Json) -> Json:
    """The answer of a job that has been done."""
    found = look(table, job)
    assert (found["state"], found["failure"]) == ("done", None)
    assert found["answer"].keys() == ANSWER
    return found["answer"]


def failed(table: Table, job: Json, code: str) -> None:
    """A job that came to nothing says why, and what to do."""
    found = look(table, job)
    assert (found["state"], found["answer"], found["failure"]["code"]) == ("failed", None, code)
    assert found["failure"]["detail"].endswith(".")


def with_bot(api: Api, spec: Json = RULES, *seats: int, **body: Any) -> Table:
    """A game in which bots play some seats (3 alone, who speaks first, unless told) and are not due for a minute."""
    wanted = [{"kind": "bot", "bot": spec} if seat in (seats or (3,)) else PLAYERS[0] for seat in range(4)]
    return api.create(seats=wanted, pace_seconds=60, **{"options": {"first_dealer": 0}, **body})


def take_turn(table: Table, version: int) -> bool:
    """What a worker does when a bot's turn has come."""
    return bool(table.api.run(bot_moves.take_turn(table.api.context, table.id, version)))


def change_bot(monkeypatch: pytest.MonkeyPatch, name: str, choose: Choose) -> None:
    """Let a bot choose in another way."""
    changed = tuple(replace(bot, choose=choose) if bot.name == name else bot for bot in bots.BOTS)
    monkeypatch.setattr(bots, "BOTS", changed)


def raising(_seen: Any, _chance: Any, _budget: Any) -> Decision:
    raise RuntimeError("A-spades")


def cheating(_seen: Any, _chance: Any, _budget: Any) -> Decision:
    return Decision(move=127)


# ---------------------------------------------------------------------------------------------------- advice


def test_advice_comes_as_a_job_that_is_read_until_it_is_done(table: Table) -> None:
    """202 with its place; queued, then done, with the move that the bot would make and nothing played."""
    asked = table.ask_bot(3)
    job = good(asked)
    assert asked.status_code == 202
    assert asked.headers["location"] == f"/v1/jobs/{job['job_id']}"
    assert "preference-applied" not in asked.headers
    assert job.keys() == JOB
    assert (job["game_id"], job["seat"], job["expected_version"], job["play"]) == (table.id, 3, 1, False)
    assert (job["state"], job["answer"], job["failure"]) == ("queued", None, None)
    assert look(table, job) == job
    assert do(table, job)
    answer = done(table, job)
    assert answer["move"] in table.legal_moves(3)
    assert (answer["bot"], answer["played_version"], answer["candidates"]) == (RULES, None, [])
    assert table.version() == 1


def test_a_job_that_is_done_is_not_done_again(table: Table, kept: redis.Redis) -> None:
    job = good(table.ask_bot(3))
    assert do(table, job)
    before = kept_of(kept, table)
    assert not do(table, job)
    assert kept_of(kept, table) == before


def test_a_request_that_comes_second_does_not_begin_the_job_anew(table: Table) -> None:
    """Two clients ask at once, and the first job is done before the second is written down: it stays done."""
    job = good(table.ask_bot(3))
    store = table.api.context.store
    asked, state, _ = table.api.run(store.job(job["job_id"]))
    assert state == "queued"
    do(table, job)
    before = look(table, job)
    assert not table.api.run(store.ask(job["job_id"], asked))
    assert look(table, job) == before


def test_with_a_preference_to_wait_the_answer_comes_at_once_when_a_worker_is_there(table: Table) -> None:
    """The same request waits while the job is done beside it: 200, and the preference is confirmed."""
    job = good(table.ask_bot(3))
    body = {"expected_version": 1, "bot": {"bot": "rules"}}
    api, path = table.api, f"{table.path}/bot-moves"
    waiting = api.request("POST", path, table.tokens[3], {"prefer": "wait=20"}, json=body)
    answer, did = api.together(waiting, bot_moves.answer_job(api.context, job["job_id"]))
    assert did
    assert answer.status_code == 200
    assert answer.headers["preference-applied"] == "wait=20"
    assert good(answer) == look(table, job)
    assert good(answer)["state"] == "done"


PREFERRED = {"wait=0": "wait=0", "respond-async, wait=0": "wait=0", 'wait="0"': "wait=0", "Wait = 0": "wait=0"}
IGNORED = dict.fromkeys(("respond-async", "wait=soon", "await=5", "wait"))


@pytest.mark.parametrize(("prefer", "applied"), {**PREFERRED, **IGNORED}.items())
def test_a_job_that_is_not_done_in_time_is_answered_202(table: Table, prefer: str, applied: str | None) -> None:
    answer = table.ask_bot(3, prefer)
    assert answer.status_code == 202
    assert answer.headers.get("preference-applied") == applied
    assert good(answer)["state"] == "queued"


def test_a_done_job_is_answered_200_only_to_whoever_prefers_to_wait(table: Table) -> None:
    job = good(table.ask_bot(3))
    do(table, job)
    for prefer, status in (("", 202), ("wait=25", 200), ("wait=100000", 200)):
        answer = table.ask_bot(3, prefer)
        assert (answer.status_code, good(answer)) == (status, look(table, job))
    assert answer.headers["preference-applied"] == "wait=25"


def test_the_same_request_is_the_same_job(table: Table, kept: redis.Redis) -> None:
    """As often as one likes, at the same time too: before it is done, after, and when the game has moved on."""
    body = {"expected_version": 1, "bot": {"bot": "random"}}
    asking = [table.api.request("POST", f"{table.path}/bot-moves", table.tokens[3], json=body) for _ in range(10)]
    jobs = {good(answer)["job_id"] for answer in table.api.together(*asking)}
    assert len(jobs) == 1
    job = good(table.ask_bot(3, bot={"bot": "random"}, expected_version=1))
    assert jobs == {job["job_id"]}
    assert kept.zscore(key("due", shard_of(table.id)), job_member(job["job_id"])) is not None
    do(table, job)
    told = look(table, job)
    table.play(PASS)
    assert good(table.ask_bot(3, bot={"bot": "random", "version": 1}, expected_version=1)) == told


def test_another_request_is_another_job(table: Table) -> None:
    """Another bot, budget, version or purpose; and the same of another game."""
    asked = [
        table.ask_bot(3),
        table.ask_bot(3, bot={"bot": "random"}),
        table.ask_bot(3, bot={"bot": "rules", "budget": {"samples": 7}}),
        table.ask_bot(3, play=True),
        table.ask_bot(3, expected_version=0),
        table.api.create(options={"first_dealer": 0}).ask_bot(3),
    ]
    assert len({good(answer)["job_id"] for answer in asked}) == len(asked)


def test_advice_of_a_bot_that_draws_lots_is_the_same_each_time(table: Table) -> None:
    """Chance comes from the game, the version and the seat: asking again cannot fish for another answer."""
    choices = []
    for budget in (1, 2, 3, 4, 5):
        job = good(table.ask_bot(3, bot={"bot": "random", "budget": {"samples": budget}}))
        do(table, job)
        choices.append(done(table, job)["move"])
    assert len(set(map(str, choices))) == 1


def test_what_a_bot_weighed_is_told_with_its_interval(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def weigh(seen: Any, _chance: Any, budget: Any) -> Decision:
        weighed = [Candidate(seen.moves[0], 1.5, 0.25), Candidate(seen.moves[1], -2.0, 1.0)]
        return Decision(seen.moves[0], budget.samples, weighed)

    change_bot(monkeypatch, "rules", weigh)
    job = good(table.ask_bot(3, bot={"bot": "rules", "budget": {"samples": 50}}))
    do(table, job)
    answer = done(table, job)
    assert (answer["samples"], answer["bot"]["budget"]) == (50, {"samples": 50})
    assert answer["candidates"] == [
        {"move": PASS, "estimate": 1.5, "low": 1.25, "high": 1.75},
        {"move": bid(7), "estimate": -2.0, "low": -3.0, "high": -1.0},
    ]


# ---------------------------------------------------------------------------------------------------- refused


def test_where_advice_is_forbidden_it_is_refused_and_nothing_is_written_down(api: Api, kept: redis.Redis) -> None:
    table = api.create(advice=False, options={"first_dealer": 0})
    before = kept_of(kept, table)
    refused(table.ask_bot(3), "advice_forbidden")
    refused(table.ask_bot(3, play=True), "advice_forbidden")
    assert kept_of(kept, table) == before
    assert table.view()["advice"] is False


def test_advice_is_for_the_seat_to_move_on_the_version_that_is(table: Table) -> None:
    """As with moves: the end, then the version, then whose turn it is."""
    table.play(bid(7))
    problem = refused(table.ask_bot(2, expected_version=1), "version_conflict")
    assert (problem["current_version"], problem["by"]) == (2, "player")
    problem = refused(table.ask_bot(0, expected_version=3), "version_conflict")
    assert (problem["current_version"], problem["by"]) == (2, None)
    refused(table.ask_bot(0), "not_your_turn")
    over = table.api.create(options={"first_dealer": 0, "max_deals": 1})
    over.play(PASS, PASS, PASS, PASS)
    for version in (1, 5, 99):
        refused(over.ask_bot(3, expected_version=version), "match_over")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"bot": {"bot": "oracle"}}, "/bot/bot"),
        ({"bot": "rules"}, "/bot"),
        ({"bot": {"bot": "rules", "budget": {"samples": 100_001}}}, "/bot/budget/samples"),
        ({"bot": {"bot": "rules", "budget": {"seconds": 5, "samples": 1}}}, "/bot/budget"),
        ({"play": "yes"}, "/play"),
        ({"expected_version": -1}, "/expected_version"),
        ({"seat": 0}, ""),
    ],
)
def test_a_request_of_another_shape_is_refused_with_its_place(table: Table, body: Json, pointer: str) -> None:
    problem = refused(table.ask_bot(3, **body), "invalid_request")
    assert [place["pointer"] for place in problem["errors"]] == [pointer]


def test_a_bot_that_does_not_exist_is_unknown(table: Table) -> None:
    refused(table.ask_bot(3, bot={"bot": "random", "version": 2}), "unknown_bot")


def test_a_job_is_readable_with_the_seats_token_alone(table: Table) -> None:
    job = good(table.ask_bot(3))
    path = f"/v1/jobs/{job['job_id']}"
    for who in (0, 1, 2, "creator"):
        refused(table.api.get(path, table.token(who)), "job_not_found")
    refused(table.api.get(path), "unauthorized")
    refused(table.api.get(path, table.api.create().tokens[3]), "unauthorized")


# ---------------------------------------------------------------------------------------------------- played


def test_a_bot_that_is_asked_to_play_makes_the_move(table: Table) -> None:
    """The log says that a bot moved for the seat, and which; the seat is its player's as before."""
    job = good(table.ask_bot(3, play=True))
    assert job["play"] is True
    do(table, job)
    answer = done(table, job)
    assert answer["played_version"] == 2
    item = table.log()[-1]
    assert (item["version"], item["seat"], item["by"], item["bot"], item["move"]) == (
        2,
        3,
        "bot",
        RULES,
        answer["move"],
    )
    assert table.view()["seats"][3]["controller"] == "player"
    assert table.to_move() == 2


@pytest.mark.parametrize("lost", ["answer", "commit"])
@pytest.mark.parametrize("ran", [True, False])
def test_a_move_is_played_once_when_its_job_runs_twice(table: Table, lost: str, ran: bool) -> None:
    """The worker dies, or hears nothing, before or after its move or its answer is written: it is done again."""
    job = good(table.ask_bot(3, bot={"bot": "random"}, play=True))
    with losing(table.api, lost, ran=ran), pytest.raises(Unavailable):
        do(table, job)
    do(table, job)
    answer = done(table, job)
    assert (answer["played_version"], answer["bot"]) == (2, RANDOM)
    assert [item["move"] for item in table.log()] == [None, answer["move"]]
    assert not do(table, job)
    assert table.version() == 2


def test_a_move_is_played_once_when_its_job_runs_twice_at_the_same_time(table: Table) -> None:
    """Whoever comes second finds the move made, and does not call it a failure."""
    for _ in range(20):
        seat, version = table.to_move(), table.version()
        job = good(table.ask_bot(seat, play=True))
        runs = [bot_moves.answer_job(table.api.context, job["job_id"]) for _ in range(3)]
        assert table.api.together(*runs).count(True) == 1
        found = look(table, job, seat)
        assert found["state"] == "done", found
        assert found["answer"]["played_version"] == table.version() == version + 1


def test_a_move_that_the_player_made_meanwhile_stands_and_the_job_says_so(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The owner moves while the bot thinks: the bot's move comes too late and is dropped."""
    loops: list[asyncio.AbstractEventLoop] = []

    def slow(seen: Any, _chance: Any, _budget: Any) -> Decision:
        moved = asyncio.run_coroutine_threadsafe(table.sending(3, bid(9), 1), loops[0])
        assert moved.result(timeout=30).status_code == 200
        return Decision(seen.moves[0])

    change_bot(monkeypatch, "rules", slow)
    loops.append(table.api.runner.get_loop())
    job = good(table.ask_bot(3, play=True))
    do(table, job)
    failed(table, job, "version_conflict")
    assert [(item["by"], item["move"]) for item in table.log()[1:]] == [("player", bid(9))]


def test_a_job_that_is_done_too_late_says_why_it_came_to_nothing(api: Api) -> None:
    """Advice on a position that is gone, and at a match that is over."""
    table = api.create(options={"first_dealer": 0, "max_deals": 1})
    late, later = good(table.ask_bot(3)), good(table.ask_bot(3, play=True))
    table.play(PASS)
    do(table, late)
    failed(table, late, "version_conflict")
    table.play(PASS, PASS, PASS)
    do(table, later)
    failed(table, later, "match_over")
    assert table.version() == 5


def test_two_jobs_for_one_turn_play_one_move(table: Table) -> None:
    one, other = good(table.ask_bot(3, play=True)), good(table.ask_bot(3, bot={"bot": "random"}, play=True))
    do(table, one)
    do(table, other)
    assert done(table, one)["played_version"] == 2
    failed(table, other, "version_conflict")
    assert table.version() == 2


# ---------------------------------------------------------------------------------------------------- a bot's own turn


def test_a_bots_turn_is_due_with_the_move_that_gave_it(api: Api, kept: redis.Redis) -> None:
    """Written by the same commit, so no crash can come between; gone when the bot has moved."""
    table = with_bot(api, RULES, 2)
    due = key("due", shard_of(table.id))
    assert kept.zscore(due, due_member(table.id, 1, "bot")) is None
    table.play(bid(7))
    assert kept.zscore(due, due_member(table.id, 2, "bot")) is not None
    assert take_turn(table, 2)
    assert kept.zscore(due, due_member(table.id, 2, "bot")) is None
    assert kept.zscore(due, due_member(table.id, 3, "bot")) is None
    assert table.to_move() in (0, 1)


def test_a_bot_moves_by_the_rules_and_the_log_says_which(api: Api) -> None:
    for spec in (RULES, RANDOM):
        table = with_bot(api, spec)
        moves = table.api.create(options={"first_dealer": 0}).legal_moves(3)
        assert take_turn(table, 1)
        item = table.log()[-1]
        assert (item["seat"], item["by"], item["bot"]) == (3, "bot", spec)
        assert item["move"] in moves


def test_four_bots_play_a_whole_match(api: Api) -> None:
    options = {"max_deals": 2, "full_bid": "bonus", "all_pass": "dealer_bids"}  # two deals, whatever chance does
    table = with_bot(api, RANDOM, 0, 1, 2, 3, options=options)
    while (view := table.view())["result"] is None:
        assert take_turn(table, view["version"])
    assert table.tokens == {}
    assert {item["by"] for item in table.log()[1:]} == {"bot"}
    assert view["match"]["deals_played"] == 2
    assert view["match"]["last_deal"]["all_passed"] is False


def test_a_turn_that_is_taken_by_many_workers_at_once_is_one_move(api: Api) -> None:
    table = with_bot(api)
    taken = table.api.together(*[bot_moves.take_turn(api.context, table.id, 1) for _ in range(10)])
    assert taken.count(True) == 1
    assert table.version() == 2


def test_a_late_job_of_a_turn_is_dropped(api: Api, kept: redis.Redis) -> None:
    """A job whose turn is over, or has not come, or whose game is gone: nothing is played, and it is due no more."""
    table = with_bot(api, RULES, 3, 0)
    take_turn(table, 1)
    table.play(PASS, PASS)
    member = due_member(table.id, 1, "bot")
    kept.zadd(key("due", shard_of(table.id)), {member: 1})
    before = table.log()
    for version in (0, 1, 2, 3, 99):
        assert not take_turn(table, version)
    assert table.log() == before
    assert kept.zscore(key("due", shard_of(table.id)), member) is None
    assert take_turn(table, 4)
    gone = replace(table, id="gm_" + "a" * 20)
    kept.zadd(key("due", shard_of(gone.id)), {due_member(gone.id, 1, "bot"): 1})
    assert not take_turn(gone, 1)
    assert kept.zscore(key("due", shard_of(gone.id)), due_member(gone.id, 1, "bot")) is None


def test_a_players_turn_is_nothing_for_a_worker(table: Table) -> None:
    assert not take_turn(table, 1)
    assert table.version() == 1


def test_a_move_that_comes_after_the_bots_turn_was_taken_is_dropped(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers think at the same time; the second to finish finds the turn taken."""
    table = with_bot(api)
    both_think = threading.Barrier(2, timeout=30)

    def together(seen: Any, chance: Any, _budget: Any) -> Decision:
        both_think.wait()
        return Decision(seen.moves[chance.number(len(seen.moves))])

    change_bot(monkeypatch, "rules", together)
    taken = api.together(*[bot_moves.take_turn(api.context, table.id, 1) for _ in range(2)])
    assert sorted(taken) == [False, True]
    assert table.version() == 2


def test_a_bots_move_whose_answer_was_lost_is_not_made_again(api: Api) -> None:
    table = with_bot(api, RULES, 3, 2)
    with losing(api, "commit", ran=True), pytest.raises(Unavailable):
        take_turn(table, 1)
    assert table.version() == 2
    assert not take_turn(table, 1)
    assert table.version() == 2
    with losing(api, "commit", ran=False), pytest.raises(Unavailable):
        take_turn(table, 2)
    assert take_turn(table, 2)
    assert table.version() == 3


# ---------------------------------------------------------------------------------------------------- bots that fail


@pytest.mark.parametrize("choose", [raising, cheating])
def test_a_bot_that_fails_is_replaced_by_the_one_that_follows_advice(
    api: Api, choose: Choose, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It raises, or answers what is no legal move: the game goes on, and the log says who moved in its place."""
    table = with_bot(api, RANDOM)
    change_bot(monkeypatch, "random", choose)
    assert take_turn(table, 1)
    item = table.log()[-1]
    assert (item["by"], item["bot"]) == ("bot", RULES)
    assert table.view()["seats"][3]["bot"] == RANDOM
    assert any(record.levelno == logging.ERROR and "random" in record.getMessage() for record in caplog.records)
    assert "A-spades" not in caplog.text


@pytest.mark.parametrize("choose", [raising, cheating])
def test_where_that_one_fails_too_the_first_legal_move_is_made(
    api: Api, choose: Choose, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = with_bot(api, RANDOM)
    first = api.create(options={"first_dealer": 0}).legal_moves(3)[0]
    for name in ("random", "rules"):
        change_bot(monkeypatch, name, choose)
    assert take_turn(table, 1)
    item = table.log()[-1]
    assert (item["by"], item["move"]) == ("bot", first)
    assert item["bot"] is not None


@pytest.mark.parametrize("choose", [raising, cheating])
@pytest.mark.parametrize("play", [False, True])
def test_a_bot_that_fails_at_advice_is_replaced_too_and_the_answer_says_so(
    table: Table, choose: Choose, play: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_bot(monkeypatch, "random", choose)
    job = good(table.ask_bot(3, bot={"bot": "random"}, play=play))
    do(table, job)
    answer = done(table, job)
    assert answer["bot"] == RULES
    assert answer["played_version"] == (2 if play else None)


def test_a_bot_that_a_game_names_and_that_is_gone_is_replaced(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """A version that a later release has dropped must not stop the games that name it."""
    table = with_bot(api, RANDOM)
    kept_bots: tuple[Bot, ...] = tuple(bot for bot in bots.BOTS if bot.name != "random")
    monkeypatch.setattr(bots, "BOTS", kept_bots)
    assert take_turn(table, 1)
    assert table.log()[-1]["bot"] == RULES


# ---------------------------------------------------------------------------------------------------- what is queued


def queued(api: Api, kept: redis.Redis) -> list[str]:
    """The jobs that wait in the queue of this API."""
    return [name.decode() for name in kept.lrange(f"rq:queue:{api.settings.bot_queue}", 0, -1)]


def test_what_is_due_is_put_into_the_queue_by_the_service_itself(api: Api, kept: redis.Redis) -> None:
    """Nobody has to ask: the commit announces a bot's turn, and a job that was asked for is announced as well."""
    table = api.create(seats=[*PLAYERS[:3], {"kind": "bot", "bot": RULES}], options={"first_dealer": 0}, pace_seconds=0)
    advised = api.create(options={"first_dealer": 0})
    job = good(advised.ask_bot(3))["job_id"]
    wanted = {f"{table.id}-1-bot", f"{job}-0-job"}

    async def until_queued() -> None:
        while not wanted <= set(queued(api, kept)):
            await asyncio.sleep(0.01)

    api.run(asyncio.wait_for(until_queued(), 30))


def test_work_that_waits_in_the_queue_is_not_put_there_again(api: Api, kept: redis.Redis) -> None:
    queue: BotQueue = api.queue
    member = due_member("gm_" + "q" * 20, 7, "bot")
    assert api.run(queue.put(member))
    assert not api.run(queue.put(member))
    assert queued(api, kept).count(f"gm_{'q' * 20}-7-bot") == 1
