"""Stand-ins that take over and give back; leaving a seat for good; ending a game and erasing it."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx
import pytest
import redis

from engine import bots
from engine.bots import Decision
from service import bot_moves
from service.settings import Settings
from service.store import due_member, job_member, key, shard_of
from tests.service.chairs import (
    ANA,
    BOT,
    KEY,
    OPEN,
    RULES,
    asking,
    claim,
    erase,
    invite,
    miss,
    post,
    rotate,
    seat_of,
    sit_down,
    take_turn,
    when_read,
)
from tests.service.players import PASS, PLAYERS, Api, Json, Table, bid, everything_in, good, kept_of, refused, running

FIRST = {"first_dealer": 0}
TO_THE_END = {"options": {"first_dealer": 0, "max_deals": 1}}


@pytest.fixture
def table(api: Api) -> Table:
    """Four players with a clock; seat 3 speaks first."""
    return api.create(options=FIRST, move_seconds=60, pace_seconds=60)


@pytest.fixture
def reihe(api: Api) -> Table:
    """Three players of Reihe without a target, and a clock; seat 1 begins."""
    options = {"target": None, "first_dealer": 2}
    return api.create(ruleset="reihe", options=options, seats=PLAYERS[:3], move_seconds=60, pace_seconds=60)


def propose(table: Table, seat: int, target: int) -> httpx.Response:
    return table.api.run(asking(table, "PUT", "/target", seat, {"target": target}))


def round_the_table(table: Table, seat: int) -> None:
    """Let players and stand-ins move until it is this seat's turn again."""
    while (view := table.view())["to_move"] != seat:
        if view["seats"][view["to_move"]]["controller"] == "player":
            table.play(table.legal_moves(view["to_move"])[0])
        else:
            assert take_turn(table, "bot")


def change_rules(monkeypatch: pytest.MonkeyPatch, choose: Callable[[Any, Any, Any], Decision]) -> None:
    """Let the bot `rules` choose in another way."""
    changed = tuple(replace(bot, choose=choose) if bot.name == "rules" else bot for bot in bots.BOTS)
    monkeypatch.setattr(bots, "BOTS", changed)


# ---------------------------------------------------------------------------------------------------- standing in


def test_when_the_time_is_up_the_stand_in_moves_and_keeps_the_seat(table: Table) -> None:
    """One entry says both, and by whom; everyone sees who moves for the seat now, and how often it was late."""
    assert miss(table) == 3
    item = table.log()[-1]
    assert (item["version"], item["seat"], item["by"], item["bot"]) == (2, 3, "stand_in", RULES)
    assert item["move"] is not None
    assert item["events"][0] == {"type": "controller_changed", "seat": 3, "controller": "stand_in"}
    seat = seat_of(table, 3)
    assert (seat["controller"], seat["bot"], seat["timeouts"], seat["resigned"]) == ("stand_in", RULES, 1, False)
    assert (seat["kind"], table.view()["stand_in"]) == ("player", RULES)
    round_the_table(table, 3)
    assert take_turn(table, "bot")
    item = table.log()[-1]
    assert (item["seat"], item["by"], item["bot"]) == (3, "stand_in", RULES)
    assert "controller_changed" not in [event["type"] for event in item["events"]]
    assert seat_of(table, 3)["timeouts"] == 1


def test_a_game_may_name_another_stand_in(api: Api) -> None:
    table = api.create(options=FIRST, move_seconds=60, stand_in={"bot": "random", "budget": {"samples": 9}})
    named = {"bot": "random", "version": 1, "budget": {"samples": 9}}
    assert table.view()["stand_in"] == named
    miss(table)
    assert (table.log()[-1]["bot"], seat_of(table, 3)["bot"]) == (named, named)
    refused(
        api.post("/v1/games", {"ruleset": "tarneeb", "seats": PLAYERS, "stand_in": {"bot": "rules", "version": 9}}),
        "unknown_bot",
    )


def test_a_stand_in_that_fails_is_replaced_and_keeps_the_seat(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    change_rules(monkeypatch, lambda seen, *_: Decision(10_000 + len(seen.moves)))
    miss(table)
    item = table.log()[-1]
    assert (item["by"], item["bot"]["bot"], item["move"]) == ("stand_in", "random", PASS)
    assert seat_of(table, 3)["controller"] == "stand_in"


def test_an_absent_player_still_sees_its_hand_and_its_moves(table: Table) -> None:
    """The stand-in's turn is the player's as long as it has not moved."""
    miss(table)
    round_the_table(table, 3)
    assert len(table.view(3)["you"]["hand"]) == 13
    assert table.view(3)["you"]["legal_moves"] == table.legal_moves(3) != []


def test_a_player_comes_back_and_moves_again(table: Table) -> None:
    miss(table)
    view = good(post(table, "/return", 3))
    assert (view["version"], view["you"]["seat"]) == (3, 3)
    assert (view["seats"][3]["controller"], view["seats"][3]["bot"], view["seats"][3]["timeouts"]) == (
        "player",
        None,
        1,
    )
    item = table.log()[-1]
    assert (item["seat"], item["by"], item["move"]) == (3, "player", None)
    assert item["events"] == [{"type": "controller_changed", "seat": 3, "controller": "player"}]
    round_the_table(table, 3)
    assert not take_turn(table, "bot")
    table.play(table.legal_moves(3)[0])
    miss(table)


def test_to_return_without_having_been_away_changes_nothing(table: Table) -> None:
    before = table.view(3)
    assert good(post(table, "/return", 3)) == before
    miss(table)
    returned = good(post(table, "/return", 3))
    assert good(post(table, "/return", 3)) == returned == table.view(3)


def test_of_returns_at_the_same_time_one_is_an_entry(table: Table) -> None:
    miss(table)
    answers = table.api.together(*(asking(table, "POST", "/return", 3) for _ in range(5)))
    assert {good(answer)["version"] for answer in answers} == {3}


def test_who_has_no_seat_returns_to_none(table: Table) -> None:
    for what in ("/return", "/resignation"):
        refused(post(table, what, "creator"), "forbidden")
        refused(post(table, what, None), "unauthorized")
        refused(table.api.post(table.path + what, {}, table.tokens[3] + "x"), "unauthorized")
    assert table.version() == 1


def test_an_accepted_move_takes_the_seat_back(table: Table) -> None:
    """It is one entry, like any move; a refused one takes nothing back."""
    miss(table)
    round_the_table(table, 3)
    version = table.version()
    refused(table.send(3, bid(6), version), "illegal_move")
    refused(table.send(3, PASS, version - 1), "version_conflict")
    assert (table.version(), seat_of(table, 3)["controller"]) == (version, "stand_in")
    move = table.legal_moves(3)[0]
    answer = good(table.send(3, move, version))
    assert answer["events"][0] == {"type": "controller_changed", "seat": 3, "controller": "player"}
    assert (table.log()[-1]["by"], seat_of(table, 3)["controller"]) == ("player", "player")
    again = table.send(3, move, version)
    assert (again.headers["idempotency-replayed"], good(again)["events"]) == ("true", answer["events"])


# ---------------------------------------------------------------------------------------------------- who is first


def test_until_the_stand_ins_move_commits_the_owners_wins(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time is up and the stand-in thinks; the owner moves; the stand-in's move is dropped and changes nothing."""
    loops = [table.api.runner.get_loop()]

    def slow(seen: Any, _chance: Any, _budget: Any) -> Decision:
        moved = asyncio.run_coroutine_threadsafe(table.sending(3, bid(9), 1), loops[0])
        assert moved.result(timeout=30).status_code == 200
        return Decision(seen.moves[0])

    change_rules(monkeypatch, slow)
    assert not take_turn(table)
    assert [(item["by"], item["move"]) for item in table.log()[1:]] == [("player", bid(9))]
    seat = seat_of(table, 3)
    assert (seat["controller"], seat["timeouts"]) == ("player", 0)


def test_after_the_stand_ins_move_the_owners_conflicts_and_says_with_whom(table: Table) -> None:
    miss(table)
    problem = refused(table.send(3, bid(13), 1), "version_conflict")
    assert (problem["current_version"], problem["by"]) == (2, "stand_in")


def test_a_stand_ins_equal_move_is_no_repetition(table: Table) -> None:
    """The same seat, move and version, but not by the player: it is told who was faster, and not that it moved."""
    miss(table)
    made = table.log()[-1]["move"]
    answer = table.send(3, made, 1)
    assert refused(answer, "version_conflict")["by"] == "stand_in"
    assert "idempotency-replayed" not in answer.headers


def test_a_move_from_before_a_change_of_the_controller_conflicts(table: Table) -> None:
    """Return or not: whoever decided before does not know how the seat stands. Another seat's change is no conflict."""
    miss(table)
    round_the_table(table, 3)
    version = table.version()
    good(post(table, "/return", 3))
    problem = refused(table.send(3, PASS, version), "version_conflict")
    assert (problem["current_version"], problem["by"]) == (version + 1, "player")
    good(table.send(3, table.legal_moves(3)[0], version + 1))
    table.play(table.legal_moves(3)[0])
    late = miss(table)
    mover, version = table.to_move(), table.version()
    assert mover != late
    good(post(table, "/return", late))
    assert good(table.send(mover, table.legal_moves(mover)[0], version))["version"] == version + 2


def test_a_stand_in_and_its_owner_at_the_same_moment_make_one_move(table: Table) -> None:
    for _ in range(10):
        version, seat = table.version(), table.to_move()
        move = table.legal_moves(seat)[0]
        due = "deadline" if seat_of(table, seat)["controller"] == "player" else "bot"
        owner, late = table.api.together(
            table.sending(seat, move, version), bot_moves.take_turn(table.api.context, table.id, version, due)
        )
        assert (owner.status_code == 200) is not late
        items = table.log()[version:]
        assert [(item["seat"], item["by"]) for item in items] == [(seat, "stand_in" if late else "player")]


@pytest.mark.parametrize("kind", ["deadline", "bot"])
def test_entries_that_are_no_moves_do_not_keep_a_stand_in_from_moving(
    table: Table, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """However many somebody writes while it thinks, and also where they came before the job was taken up."""
    if kind == "bot":
        miss(table)
        round_the_table(table, 3)
    loops, version = [table.api.runner.get_loop()], table.version()

    def slow(seen: Any, _chance: Any, _budget: Any) -> Decision:
        for _ in range(3):
            request = asking(table, "POST", "/seats/0/token", "creator")
            assert asyncio.run_coroutine_threadsafe(request, loops[0]).result(timeout=30).status_code == 200
        return Decision(seen.moves[0])

    good(rotate(table, 0, "creator"))
    change_rules(monkeypatch, slow)
    assert take_turn(table, kind, version)
    item = table.log()[-1]
    assert (item["version"], item["by"], item["seat"]) == (version + 5, "stand_in", 3)


def test_entries_that_are_no_moves_do_not_keep_an_asked_bot_from_playing(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    loops = [table.api.runner.get_loop()]

    def slow(seen: Any, _chance: Any, _budget: Any) -> Decision:
        request = asking(table, "POST", "/seats/0/token", "creator")
        assert asyncio.run_coroutine_threadsafe(request, loops[0]).result(timeout=30).status_code == 200
        return Decision(seen.moves[0])

    change_rules(monkeypatch, slow)
    job = good(table.ask_bot(3, play=True))["job_id"]
    table.api.run(bot_moves.answer_job(table.api.context, job))
    assert good(table.api.get(f"/v1/jobs/{job}", table.tokens[3]))["answer"]["played_version"] == 3


def test_work_for_a_turn_that_was_taken_back_is_dropped(table: Table) -> None:
    """The stand-in's job waits in the queue, its owner returns: the owner has the turn."""
    miss(table)
    round_the_table(table, 3)
    version = table.version()
    good(post(table, "/return", 3))
    for kind in ("bot", "deadline"):
        assert not take_turn(table, kind, version)
    assert not take_turn(table, "bot", version + 1)
    assert not take_turn(table, "deadline", version + 2)
    assert table.version() == version + 1


# ---------------------------------------------------------------------------------------------------- resignation


def test_a_seat_that_resigns_is_played_by_a_bot_for_good_and_its_token_looks_on(table: Table) -> None:
    view = good(post(table, "/resignation", 3))
    seat = view["seats"][3]
    assert (seat["controller"], seat["bot"], seat["resigned"], seat["kind"]) == ("bot", RULES, True, "player")
    item = table.log()[-1]
    assert (item["seat"], item["by"], item["events"]) == (3, "player", [{"type": "resigned", "seat": 3}])
    assert good(post(table, "/resignation", 3)) == view
    for what in ("", "/events", "/deals", "/legal-moves"):
        assert table.get(what, 3).status_code == 200
    assert len(table.view(3)["you"]["hand"]) == 13
    for refusal in (
        table.send(3, PASS),
        table.ask_bot(3),
        table.ask_bot(3, play=True),
        post(table, "/return", 3),
        propose(table, 3, 20),
    ):
        refused(refusal, "forbidden")
    assert take_turn(table, "bot")
    assert (table.log()[-1]["by"], table.log()[-1]["bot"]) == ("bot", RULES)
    assert table.version() == 3


def test_a_move_that_is_repeated_after_the_resignation_is_refused(table: Table) -> None:
    good(table.send(3, PASS, 1))
    good(post(table, "/resignation", 3))
    refused(table.send(3, PASS, 1), "forbidden")


def test_another_process_that_knew_the_seat_lets_it_move_no_more(table: Table, settings: Settings) -> None:
    with running(settings) as elsewhere:
        there = replace(table, api=elsewhere)
        assert there.version() == 1
        good(post(table, "/resignation", 3))
        refused(elsewhere.run(there.sending(3, PASS, 1)), "forbidden")
        refused(elsewhere.run(there.sending(3, PASS, 2)), "forbidden")
    assert table.version() == 2


def test_a_bot_that_was_asked_to_play_does_not_give_a_resigned_seat_back(table: Table) -> None:
    """The job was written down before; the seat is nobody's any more."""
    job = good(table.ask_bot(3, play=True))["job_id"]
    advice = good(table.ask_bot(3))["job_id"]
    good(post(table, "/resignation", 3))
    for each in (job, advice):
        table.api.run(bot_moves.answer_job(table.api.context, each))
        found = good(table.api.get(f"/v1/jobs/{each}", table.tokens[3]))
        assert (found["state"], found["failure"]["code"]) == ("failed", "forbidden")
    assert (table.version(), seat_of(table, 3)["controller"]) == (2, "bot")


def test_a_resignation_while_the_asked_bot_thinks_wins(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    loops = [table.api.runner.get_loop()]

    def slow(seen: Any, _chance: Any, _budget: Any) -> Decision:
        leaving = asyncio.run_coroutine_threadsafe(asking(table, "POST", "/resignation", 3), loops[0])
        assert leaving.result(timeout=30).status_code == 200
        return Decision(seen.moves[0])

    job = good(table.ask_bot(3, play=True))["job_id"]
    change_rules(monkeypatch, slow)
    table.api.run(bot_moves.answer_job(table.api.context, job))
    found = good(table.api.get(f"/v1/jobs/{job}", table.tokens[3]))
    assert (found["state"], table.version()) == ("failed", 2)
    assert (seat_of(table, 3)["controller"], seat_of(table, 3)["resigned"]) == ("bot", True)


def test_a_resignation_while_the_stand_in_thinks_wins(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the stand-in chose is dropped: the seat is a bot's now, and not to be given back."""
    loops = [table.api.runner.get_loop()]
    miss(table)
    round_the_table(table, 3)
    version = table.version()

    def slow(seen: Any, _chance: Any, _budget: Any) -> Decision:
        leaving = asyncio.run_coroutine_threadsafe(asking(table, "POST", "/resignation", 3), loops[0])
        assert leaving.result(timeout=30).status_code == 200
        return Decision(seen.moves[0])

    change_rules(monkeypatch, slow)
    assert not take_turn(table, "bot")
    assert (table.version(), seat_of(table, 3)["controller"]) == (version + 1, "bot")
    assert take_turn(table, "bot")
    assert table.log()[-1]["by"] == "bot"


def test_a_stand_ins_seat_can_be_resigned(table: Table) -> None:
    miss(table)
    good(post(table, "/resignation", 3))
    round_the_table(table, 3)
    assert take_turn(table, "bot")
    assert [item["by"] for item in table.log()[1:]].count("bot") == 1


def test_when_all_have_resigned_bots_play_the_match_to_its_end(api: Api) -> None:
    table = api.create(**TO_THE_END)
    for seat in range(4):
        good(post(table, "/resignation", seat))
    while table.view()["status"] == "playing":
        assert take_turn(table, "bot")
    assert table.view()["result"]["reason"] == "max_deals"


@pytest.mark.parametrize("reload", [False, True])
def test_a_seat_that_resigned_has_no_say_in_the_target(reihe: Table, reload: bool) -> None:
    """Its leaving completes an agreement; so does a proposal after it, here and in a process that reads the log."""

    def forget() -> None:
        if reload:
            reihe.api.context.recent.forget(reihe.id)

    for seat, target in ((0, 20), (1, 20), (2, 30)):
        good(propose(reihe, seat, target))
    good(post(reihe, "/resignation", 2))
    assert reihe.log()[-1]["events"] == [{"type": "resigned", "seat": 2}, {"type": "target_agreed", "target": 20}]
    forget()
    assert reihe.view()["match"]["target"] == 20
    good(propose(reihe, 0, 40))
    forget()
    assert reihe.view()["match"]["target"] == 20
    forget()
    view = good(propose(reihe, 1, 40))
    assert view["match"]["target"] == 40
    forget()
    assert reihe.view()["match"] == view["match"]


def test_a_seat_that_resigned_has_no_say_in_later_deals_either(reihe: Table) -> None:
    good(post(reihe, "/resignation", 2))
    while reihe.view()["deal"]["number"] == 1:
        seat = reihe.to_move()
        if seat == 2:
            assert take_turn(reihe, "bot")
        else:
            reihe.play(reihe.legal_moves(seat)[0])
    for seat in (0, 1):
        reihe.api.context.recent.forget(reihe.id)
        good(propose(reihe, seat, 30))
    assert reihe.view()["match"]["target"] == 30


def test_an_absent_seat_keeps_its_say(reihe: Table) -> None:
    """Its player may come back: nothing is agreed over its head."""
    assert miss(reihe) == 1
    for seat in (0, 2):
        good(propose(reihe, seat, 20))
    assert reihe.view()["match"]["target"] is None
    good(propose(reihe, 1, 20))
    assert reihe.view()["match"]["target"] == 20
    assert seat_of(reihe, 1)["controller"] == "stand_in"


# ---------------------------------------------------------------------------------------------------- abandonment


def test_an_abandoned_game_is_over_without_a_result(table: Table, kept: redis.Redis) -> None:
    table.play(PASS)
    view = good(post(table, "/abandonment", "creator"))
    assert (view["status"], view["result"], view["to_move"], view["deadline_at"]) == ("abandoned", None, None, None)
    assert table.log()[-1]["events"] == [{"type": "abandoned"}]
    assert (table.log()[-1]["seat"], table.log()[-1]["by"]) == (None, "creator")
    for seat in range(4):
        assert table.legal_moves(seat) == []
        assert (table.view(seat)["to_move"], table.view(seat)["you"]["legal_moves"]) == (None, [])
    assert kept_of(kept, table).get(key("due", shard_of(table.id)).encode()) is None
    version = table.version()
    for refusal in (
        table.send(2, PASS, version),
        table.ask_bot(2, expected_version=version),
        rotate(table, 0, "creator"),
        rotate(table, 0, 0),
        post(table, "/resignation", 0),
    ):
        refused(refusal, "match_over")
    assert good(table.send(3, PASS, 1))["version"] == 2  # what was made before is still found made
    assert good(post(table, "/abandonment", "creator")) == view
    assert good(post(table, "/start", "creator", {})) == view
    for kind in ("bot", "deadline"):
        assert not any(take_turn(table, kind, each) for each in range(version + 2))
    assert (table.version(), table.view()["status"]) == (version, "abandoned")


def test_who_is_not_the_creator_ends_and_erases_no_game(table: Table, api: Api) -> None:
    other = api.create().creator
    for method, what in (("POST", "/abandonment"), ("DELETE", "")):
        for who in range(4):
            refused(api.run(asking(table, method, what, who)), "forbidden")
        refused(api.run(asking(table, method, what, None)), "unauthorized")
        refused(api.run(api.request(method, table.path + what, other)), "unauthorized")
    assert table.version() == 1


def test_a_game_that_was_abandoned_while_it_waited_stays_so(api: Api) -> None:
    """No claim, start or return brings it to life; it says that it is over, not that it waits."""
    table = api.create(seats=[ANA, OPEN, BOT, OPEN], start="manual")
    table.tokens[1] = good(claim(table, 1, KEY))["token"]
    view = good(post(table, "/abandonment", "creator"))
    assert (view["status"], view["version"], view["deal"]) == ("abandoned", 2, None)
    for refusal in (
        claim(table, 3),
        post(table, "/start", "creator", {}),
        rotate(table, 1, 1),
        post(table, "/return", 0),
        post(table, "/resignation", 0),
        table.send(0, PASS, 2),
        table.ask_bot(0, expected_version=2),
        propose(table, 0, 20),
    ):
        refused(refusal, "match_over")
    assert table.legal_moves(0) == []
    assert good(claim(table, 1, KEY))["token"] == table.tokens[1]
    assert table.view() == {**view, "metadata": None}


def test_the_creator_cannot_abandon_what_is_finished(api: Api) -> None:
    table = api.create(**TO_THE_END)
    table.play(PASS, PASS, PASS, PASS)
    before = table.view("creator")
    assert good(post(table, "/abandonment", "creator")) == before
    refused(rotate(table, 0, 0), "match_over")
    refused(post(table, "/resignation", 0), "match_over")
    assert good(post(table, "/return", 0)) == table.view(0)
    assert table.version() == before["version"]


def test_a_player_who_was_away_at_the_end_comes_back_no_more(api: Api) -> None:
    table = api.create(**TO_THE_END, move_seconds=60)
    miss(table)
    while table.view()["status"] == "playing":
        round_the_table(table, 3)
        assert take_turn(table, "bot")
        if table.version() > 5:
            good(post(table, "/abandonment", "creator"))
    refused(post(table, "/return", 3), "match_over")


@pytest.mark.parametrize("waiting", [True, False])
@pytest.mark.parametrize("who", [0, None])
def test_streams_and_long_polls_end_with_the_abandonment(api: Api, waiting: bool, who: Any) -> None:
    for wait, accept in (("&wait=20", "application/json"), ("", "text/event-stream")):
        table = api.create(start="manual" if waiting else "auto")
        after = table.view()["cursor"]
        reading = asking(table, "GET", f"/events?after={after}{wait}", who, accept=accept)
        told, _ = api.together(reading, when_read(api, asking(table, "POST", "/abandonment", "creator")))
        assert '{"type":"abandoned"}' in told.text
        over = asking(table, "GET", f"/events?after={table.view()['cursor']}{wait}", who, accept=accept)
        answer = api.run(over)
        assert answer.status_code == (200 if wait else 204)


# ---------------------------------------------------------------------------------------------------- erasure


def test_an_erased_game_answers_that_it_was_erased_whatever_is_asked(table: Table) -> None:
    opened = table.api.create(seats=[ANA, OPEN, BOT, OPEN])
    sit_down(opened, 1)
    job = good(table.ask_bot(3))["job_id"]
    for each in (table, opened):
        answer = erase(each)
        assert (answer.status_code, answer.content) == (204, b"")
        for who in (0, 1, "creator", None):
            for what in ("", "/events", "/deals", "/legal-moves", "/events?after=1-abc&wait=5"):
                refused(each.get(what, who), "game_deleted")
            for what in ("/return", "/resignation", "/abandonment", "/seats/1/token"):
                refused(post(each, what, who), "game_deleted")
            refused(erase(each, who), "game_deleted")
            refused(each.get("/events", who, accept="text/event-stream"), "game_deleted")
        refused(post(each, "/start", "creator", {}), "game_deleted")
        refused(each.send(0, PASS, 1), "game_deleted")
        refused(each.ask_bot(0, expected_version=1), "game_deleted")
        refused(propose(each, 0, 20), "game_deleted")
        refused(each.api.get(each.path, "letmein"), "game_deleted")
    refused(claim(opened, 3), "game_deleted")
    refused(table.api.get(f"/v1/jobs/{job}", table.tokens[3]), "job_not_found")


def test_nothing_is_kept_of_an_erased_game_but_that_it_was_erased(api: Api, kept: redis.Redis) -> None:
    """Names, metadata, log, deals, jobs with what their bots advised, and all that was due."""
    seats = [{"kind": "player", "name": "Lotte of the test"}, *PLAYERS[:3]]
    table = api.create(seats=seats, options=FIRST, move_seconds=60, metadata={"a": "secret of the test"})
    done, _queued = good(table.ask_bot(3))["job_id"], good(table.ask_bot(3, play=True))["job_id"]
    api.run(bot_moves.answer_job(api.context, done))
    good(rotate(table, 1, 1))
    assert "of the test" in repr(everything_in(kept))
    assert len(kept_of(kept, table)) > 5
    assert erase(table).status_code == 204
    shard = shard_of(table.id)
    tombstone = key("gone", shard, table.id)
    assert kept_of(kept, table) == {tombstone.encode(): b'{"status":"deleted"}'}
    month = 30 * 24 * 3600 * 1000
    assert 0 < month - kept.pttl(tombstone) < 600_000
    assert "of the test" not in repr(everything_in(kept))


def test_work_that_was_under_way_does_no_harm_to_an_erased_game(
    table: Table, kept: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Jobs in the queue, a stand-in and an asked bot that think just then: nothing comes back."""
    asked = good(table.ask_bot(3))["job_id"]
    loops = [table.api.runner.get_loop()]
    games = [table, table.api.create(options=FIRST, move_seconds=60)]
    jobs = [good(each.ask_bot(3, play=play))["job_id"] for each, play in zip(games, (True, True), strict=True)]

    def slow(seen: Any, _chance: Any, _budget: Any) -> Decision:
        for each in games:
            asyncio.run_coroutine_threadsafe(asking(each, "DELETE", "", "creator"), loops[0]).result(timeout=30)
        return Decision(seen.moves[0])

    change_rules(monkeypatch, slow)
    assert not take_turn(games[0])
    for job in (asked, *jobs):
        assert not table.api.run(bot_moves.answer_job(table.api.context, job))
    for each in games:
        names = [due_member(each.id, 1, "deadline"), job_member(jobs[0])]
        kept.zadd(key("due", shard_of(each.id)), dict.fromkeys(names, 0))
        assert not take_turn(each, version=1)
        assert not table.api.run(bot_moves.answer_job(table.api.context, jobs[0]))
    left = {name for each in games for name in kept_of(kept, each)}
    assert {name.rpartition(b":gone:")[1] for name in left if not name.endswith(b":due")} == {b":gone:"}


def test_another_process_that_knew_the_game_finds_it_erased(table: Table, settings: Settings) -> None:
    with running(settings) as elsewhere:
        there = replace(table, api=elsewhere)
        assert there.version() == 1
        assert erase(table).status_code == 204
        refused(elsewhere.run(there.sending(3, PASS, 1)), "game_deleted")
        refused(elsewhere.run(there.sending(0, PASS, 1)), "game_deleted")


@pytest.mark.parametrize("start", ["auto", "manual"])
@pytest.mark.parametrize("who", [0, None])
def test_streams_and_long_polls_are_told_of_the_erasure(api: Api, start: str, who: Any) -> None:
    """Also where nothing has happened in the game yet."""
    table = api.create(start=start)
    after = table.view()["cursor"]
    stream = asking(table, "GET", f"/events?after={after}", who, accept="text/event-stream")
    told, _ = api.together(stream, when_read(api, asking(table, "DELETE", "", "creator")))
    assert "event: problem\n" in told.text
    assert '"code":"game_deleted"' in told.text
    table = api.create(start=start)
    poll = asking(table, "GET", f"/events?after={table.view()['cursor']}&wait=20", who)
    answer, _ = api.together(poll, when_read(api, asking(table, "DELETE", "", "creator")))
    refused(answer, "game_deleted")


def test_the_key_of_an_erased_game_does_not_bring_it_back(api: Api, kept: redis.Redis) -> None:
    """A request that a proxy repeats late would make a game of the same id, for which the old tokens are good."""
    body: Json = {"ruleset": "tarneeb", "seats": [ANA, OPEN, BOT, BOT]}
    created = api.post("/v1/games", body, idempotency_key=KEY)
    table = Table(api, good(created)["game"]["game_id"], {}, good(created)["creator_token"], created)
    assert invite(table, 1)
    assert erase(table).status_code == 204
    before = kept_of(kept, table)
    refused(api.post("/v1/games", body, idempotency_key=KEY), "game_deleted")
    assert kept_of(kept, table) == before
