import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
import redis

from service import bot_moves
from service.settings import Settings
from tests.service.players import (
    PASS,
    PLAYERS,
    Api,
    Json,
    Move,
    Table,
    bid,
    card,
    good,
    kept_of,
    losing,
    refused,
    running,
)

REPLAYED = "idempotency-replayed"


def raw(table: Table, content: bytes, who: Any = 3, kind: str = "application/json") -> httpx.Response:
    return table.api.post(f"{table.path}/moves", content, table.token(who), content_type=kind)


def replayed(answer: httpx.Response) -> Json:
    """The answer of a repetition."""
    assert answer.headers[REPLAYED] == "true"
    return good(answer)


def fresh(answer: httpx.Response) -> Json:
    """The answer of a move that has just been made."""
    assert REPLAYED not in answer.headers
    return good(answer)


def thrown_in(table: Table) -> Table:
    """The same table when a match of one deal has been thrown in: version 5, and over."""
    over = table.api.create(options={"first_dealer": 0, "max_deals": 1})
    over.play(PASS, PASS, PASS, PASS)
    return over


# ---------------------------------------------------------------------------------------------------- order of checks


def test_the_game_is_looked_for_before_the_token(table: Table) -> None:
    unknown = replace(table, id="gm_" + "a" * 20)
    unknown.tokens = {3: "seat3.0.x"}
    refused(unknown.send(3, PASS, 1), "game_not_found")


def test_a_token_is_asked_for_before_the_body_is_read(table: Table) -> None:
    """No token, an unknown one and one that may not move are told so whatever the body holds."""
    table.tokens[7] = "seat3.0.made-up"
    for content, kind in ((b"{", "application/json"), (b"", "text/plain"), (b" " * 70_000, "application/json")):
        refused(raw(table, content, None, kind), "unauthorized")
        refused(raw(table, content, 7, kind), "unauthorized")
        refused(raw(table, content, "creator", kind), "forbidden")


def test_a_body_is_read_before_the_log_is_searched(table: Table) -> None:
    """What is no move cannot be the repetition of one."""
    table.play(bid(7))
    almost = {"expected_version": 1, "move": bid(7), "note": "again"}
    assert refused(raw(table, json.dumps(almost).encode()), "invalid_request")["errors"]
    refused(raw(table, json.dumps(almost).encode(), kind="text/plain"), "unsupported_media_type")


def test_a_repetition_is_found_before_the_end_of_the_match(table: Table) -> None:
    over = thrown_in(table)
    assert replayed(over.send(0, PASS, 4))["game"]["status"] == "finished"
    refused(over.send(0, bid(7), 4), "match_over")


def test_a_repetition_is_found_before_the_conflict_that_it_made_itself(table: Table) -> None:
    table.play(PASS)
    replayed(table.send(3, PASS, 1))
    refused(table.send(3, bid(7), 1), "version_conflict")


def test_the_end_of_the_match_comes_before_a_conflict_of_versions(table: Table) -> None:
    over = thrown_in(table)
    for version in (0, 1, 3, 5, 6, 99):
        refused(over.send(3, bid(7), version), "match_over")


def test_a_conflict_of_versions_comes_before_whose_turn_it_is(table: Table) -> None:
    """Who acts on an old view is told so; also who is not to move on any view."""
    table.play(PASS)
    for version in (0, 1, 3, 2**53 - 1):
        for seat in (0, 1, 3):
            refused(table.send(seat, bid(7), version), "version_conflict")


def test_whose_turn_it_is_comes_before_the_rules(table: Table) -> None:
    for move in (PASS, bid(6), card("8-acorns"), card("A-spades"), {"type": "draw"}):
        for seat in (0, 1, 2):
            refused(table.send(seat, move, 1), "not_your_turn")


def test_a_conflict_of_versions_comes_before_the_rules(table: Table) -> None:
    table.play(bid(7))
    for move in (bid(6), bid(7), card("A-spades"), {"type": "end_turn"}):
        refused(table.send(2, move, 1), "version_conflict")


# ---------------------------------------------------------------------------------------------------- conflicts


def test_a_conflict_says_where_the_game_is_and_who_moved(table: Table) -> None:
    table.play(bid(7), PASS)
    for version in (0, 1, 2):
        problem = refused(table.send(1, bid(8), version), "version_conflict")
        assert (problem["current_version"], problem["by"]) == (3, "player")


@pytest.mark.parametrize("version", [4, 5, 100, 2**53 - 1])
def test_a_version_beyond_the_log_conflicts_with_nobody(table: Table, version: int) -> None:
    table.play(bid(7), PASS)
    problem = refused(table.send(1, bid(8), version), "version_conflict")
    assert (problem["current_version"], problem["by"]) == (3, None)


def test_a_conflict_with_a_bots_move_says_so(api: Api) -> None:
    """Seat 3 lets a bot play for it, so its own late move meets the bot's."""
    table = api.create(options={"first_dealer": 0})
    job = good(table.ask_bot(3, play=True))
    assert api.run(bot_moves.answer_job(api.context, job["job_id"]))
    problem = refused(table.send(3, bid(9), 1), "version_conflict")
    assert (problem["current_version"], problem["by"]) == (2, "bot")


def test_the_beginning_of_the_match_conflicts_with_nothing(table: Table) -> None:
    """Version 0 is before the deal: no move has been made since, so a move on it is as good as one on version 1."""
    assert fresh(table.send(3, PASS, 0))["version"] == 2
    assert table.log()[1]["version"] == 2


# ---------------------------------------------------------------------------------------------------- repetition


def test_the_same_bytes_again_are_answered_as_they_were_then(table: Table) -> None:
    """Version and events as they were, the game as it is now."""
    first = fresh(table.send(3, bid(7), 1))
    again = replayed(table.send(3, bid(7), 1))
    assert again == first
    table.play(PASS, PASS)
    later = replayed(table.send(3, bid(7), 1))
    assert (later["version"], later["events"]) == (first["version"], first["events"]) == (2, [])
    assert later["game"] == table.view(3)
    assert later["game"]["version"] == 4
    assert table.version() == 4


def test_a_repetition_tells_the_seat_its_own_new_hand_again(table: Table) -> None:
    """The last pass deals anew; what the seat was dealt is in the events, then and when it asks again."""
    table.play(PASS, PASS, PASS)
    first = fresh(table.send(0, PASS, 4))
    assert first["events"][1]["hand"] == table.view(0)["you"]["hand"]
    assert replayed(table.send(0, PASS, 4)) == first


def test_a_repetition_is_found_after_many_moves_in_later_deals_and_after_the_end(api: Api) -> None:
    """Every answer of a whole match is remembered, as it was, whatever has happened since."""
    table = api.create(options={"max_deals": 3})
    made: list[tuple[int, Move, int, Json]] = []

    def all_again(every: int) -> None:
        for seat, move, version, before in made[::every]:
            again = replayed(table.send(seat, move, version))
            assert (again["version"], again["events"]) == (before["version"], before["events"])
            assert again["game"] == table.view(seat)

    while (view := table.view())["result"] is None:
        moves = table.legal_moves(view["to_move"])
        move = moves[view["version"] % len(moves)]
        made.append((view["to_move"], move, view["version"], fresh(table.send(view["to_move"], move))))
        if view["version"] % 40 == 0:
            all_again(every=9)
    assert view["match"]["deals_played"] == 3
    all_again(every=1)
    assert table.version() == len(made) + 1 > 100


def test_the_same_move_on_a_newer_version_is_a_new_request(table: Table) -> None:
    """Seat 3 passes in one deal and again in the next: two moves, each with its own repetition."""
    one = fresh(table.send(3, PASS, 1))
    refused(table.send(3, PASS, 2), "not_your_turn")
    table.play(PASS, PASS, PASS)
    table.play(PASS)  # seat 2 speaks first in the second deal, which seat 3 deals
    table.play(PASS, PASS)
    two = fresh(table.send(3, PASS, 8))
    assert (one["version"], two["version"]) == (2, 9)
    assert replayed(table.send(3, PASS, 1))["version"] == 2
    assert replayed(table.send(3, PASS, 8))["version"] == 9


def test_an_equal_move_of_another_seat_is_no_repetition(table: Table) -> None:
    table.play(PASS)
    for seat in (0, 1, 2):
        assert refused(table.send(seat, PASS, 1), "version_conflict")["by"] == "player"


def test_an_equal_move_that_a_bot_made_is_no_repetition(api: Api) -> None:
    table = api.create(options={"first_dealer": 0})
    job = good(table.ask_bot(3, play=True))
    api.run(bot_moves.answer_job(api.context, job["job_id"]))
    move = table.log()[1]["move"]
    assert refused(table.send(3, move, 1), "version_conflict")["by"] == "bot"


def test_the_order_of_members_and_white_space_do_not_make_another_request(table: Table) -> None:
    first = fresh(raw(table, b'{"expected_version":1,"move":{"type":"bid","amount":7}}'))
    again = replayed(raw(table, b' {"move": {"amount": 7, "type": "bid"},\n "expected_version": 1}'))
    assert again == first


def test_another_version_of_the_same_move_before_it_was_made_is_no_repetition(table: Table) -> None:
    """A move made on version 1 is not the repetition of one asked on version 0."""
    table.play(PASS)
    refused(table.send(3, PASS, 0), "version_conflict")


# ---------------------------------------------------------------------------------------------------- at the same time


def test_twenty_clients_that_send_the_same_bytes_make_one_move(table: Table) -> None:
    answers = table.api.together(*[table.sending(3, bid(7), 1) for _ in range(20)])
    told = [good(answer) for answer in answers]
    assert [REPLAYED in answer.headers for answer in answers].count(False) == 1
    assert all((each["version"], each["events"]) == (2, []) for each in told)
    assert [item["move"] for item in table.log()] == [None, bid(7)]


def test_of_two_different_moves_at_the_same_time_one_is_made(table: Table) -> None:
    races = 0
    for version in range(1, 20):
        seat = table.to_move()
        moves = table.legal_moves(seat)[-2:]
        if len(moves) < 2:
            table.play_on(1)
            continue
        races += 1
        answers = table.api.together(*[table.sending(seat, move, version) for move in moves])
        assert sorted(answer.status_code for answer in answers) == [200, 409]
        (lost,) = [answer for answer in answers if answer.status_code == 409]
        problem = refused(lost, "version_conflict")
        assert (problem["current_version"], problem["by"]) == (version + 1, "player")
        (won,) = [good(answer) for answer in answers if answer.status_code == 200]
        assert won["version"] == table.version() == version + 1
        assert table.log()[-1]["move"] == moves[answers.index(lost) - 1]
    assert races > 10


def test_two_processes_that_race_for_a_game_make_one_move_of_each_turn(table: Table, settings: Settings) -> None:
    """Each process holds its own idea of the game; what counts is the log."""
    with running(settings) as other:
        elsewhere = replace(table, api=other)
        for version in range(1, 12):
            seat = table.to_move()
            move, later = table.legal_moves(seat)[0], elsewhere.legal_moves(seat)[-1]
            good(table.send(seat, move, version))
            answer = elsewhere.send(seat, later, version)
            assert replayed(answer) if later == move else refused(answer, "version_conflict")
            assert [table.view(who) for who in (0, None)] == [elsewhere.view(who) for who in (0, None)]
    assert [item["version"] for item in table.log()] == list(range(1, 13))


# ---------------------------------------------------------------------------------------------------- refused


def refusals(table: Table) -> list[tuple[str, Callable[[], httpx.Response]]]:
    """Something of every kind that is refused at a game of version 3, where seat 1 is to move."""
    return [
        ("unauthorized", lambda: table.send(None, PASS, 3)),
        ("forbidden", lambda: table.send("creator", PASS, 3)),
        ("invalid_request", lambda: table.send(1, {"type": "shout"}, 3)),
        ("invalid_request", lambda: table.send(1, card("99-spades"), 3)),
        ("invalid_request", lambda: raw(table, b"{", 1)),
        ("unsupported_media_type", lambda: raw(table, b"{}", 1, "text/plain")),
        ("too_large", lambda: raw(table, b" " * 70_000, 1)),
        ("version_conflict", lambda: table.send(1, PASS, 2)),
        ("version_conflict", lambda: table.send(1, PASS, 4)),
        ("not_your_turn", lambda: table.send(0, PASS, 3)),
        ("illegal_move", lambda: table.send(1, bid(7), 3)),
        ("illegal_move", lambda: table.send(1, card("A-spades"), 3)),
        ("illegal_move", lambda: table.send(1, {"type": "draw"}, 3)),
        ("not_your_turn", lambda: table.ask_bot(0)),
        ("version_conflict", lambda: table.ask_bot(1, expected_version=1)),
        ("unknown_bot", lambda: table.ask_bot(1, bot={"bot": "rules", "version": 99})),
    ]


def test_what_is_refused_changes_nothing_at_all(api: Api, kept: redis.Redis) -> None:
    """Neither the log nor any other key, no view and no tag of one, and not when a bot's turn is due."""
    seats = [*PLAYERS[:2], {"kind": "bot", "bot": {"bot": "rules"}}, *PLAYERS[:1]]
    waiting = api.create(seats=seats, options={"first_dealer": 3}, pace_seconds=60)
    table = api.create(options={"first_dealer": 0})
    table.play(bid(8), PASS)

    def all_there_is() -> Any:
        views = [table.get("", who) for who in (0, 1, None)]
        told = [(view.text, view.headers["etag"]) for view in views]
        return kept_of(kept, table, waiting), told

    before = all_there_is()
    for code, ask in refusals(table):
        refused(ask(), code)
    for seat in (0, 1, 3):
        refused(waiting.send(seat, PASS, 1), "not_your_turn")
        refused(waiting.send(seat, PASS, 0), "not_your_turn")
    assert all_there_is() == before
    due = [member for name, value in before[0].items() if name.endswith(b":due") for member, _ in value]
    assert due == [f"{waiting.id}:1:bot".encode()]


def test_a_refused_move_can_be_followed_by_a_legal_one_on_the_same_version(table: Table) -> None:
    refused(table.send(3, bid(99), 1), "illegal_move")
    assert fresh(table.send(3, bid(7), 1))["version"] == 2


# ---------------------------------------------------------------------------------------------------- lost answers


@pytest.fixture
def newcomer(table: Table, settings: Settings) -> Iterator[Table]:
    """The same game at another process, which has never heard of it."""
    with running(settings) as other:
        yield replace(table, api=other)


def test_a_move_whose_answer_was_lost_is_found_done_when_it_is_repeated(newcomer: Table) -> None:
    """The store has made it and nobody heard: 503, and the same bytes find it, once."""
    with losing(newcomer.api, "commit", ran=True):
        answer = newcomer.send(3, bid(7), 1)
    assert refused(answer, "unavailable")
    assert answer.headers["retry-after"] == "1"
    again = replayed(newcomer.send(3, bid(7), 1))
    assert (again["version"], again["events"]) == (2, [])
    assert [item["move"] for item in newcomer.log()] == [None, bid(7)]


def test_a_move_that_did_not_reach_the_store_is_made_when_it_is_repeated(newcomer: Table) -> None:
    with losing(newcomer.api, "commit", ran=False):
        refused(newcomer.send(3, bid(7), 1), "unavailable")
    assert newcomer.version() == 1
    assert fresh(newcomer.send(3, bid(7), 1))["version"] == 2


@pytest.mark.parametrize("ran", [True, False])
def test_a_process_that_knew_the_game_finds_out_by_itself_what_became_of_a_lost_answer(table: Table, ran: bool) -> None:
    """It had tried the move on what it remembered, so it looks again before it answers; the move is made once."""
    assert table.version() == 1
    with losing(table.api, "commit", ran=ran):
        answer = good(table.send(3, bid(7), 1))
    assert (answer["version"], answer["events"], answer["game"]["version"]) == (2, [], 2)
    assert [item["move"] for item in table.log()] == [None, bid(7)]


def test_after_a_lost_answer_the_process_sees_the_game_as_it_is(newcomer: Table) -> None:
    """What the process remembers of the game is not ahead of the log, nor behind it."""
    with losing(newcomer.api, "commit", ran=True):
        refused(newcomer.send(3, bid(7), 1), "unavailable")
    assert newcomer.view()["deal"]["auction"] == [{"seat": 3, "bid": 7}]
    for seat, amount in ((2, 8), (1, 9)):
        with losing(newcomer.api, "commit", ran=False):
            good(newcomer.send(seat, bid(amount), newcomer.version()))
        assert newcomer.view()["deal"]["auction"][-1] == {"seat": seat, "bid": amount}
    assert [item["version"] for item in newcomer.log()] == [1, 2, 3, 4]


def test_another_move_after_a_lost_answer_meets_the_first(newcomer: Table) -> None:
    """A client that does not repeat its bytes but changes its mind is told that it has moved already."""
    with losing(newcomer.api, "commit", ran=True):
        refused(newcomer.send(3, bid(7), 1), "unavailable")
    problem = refused(newcomer.send(3, bid(8), 1), "version_conflict")
    assert (problem["current_version"], problem["by"]) == (2, "player")


def test_a_repetition_is_told_with_the_game_as_it_is_now_by_a_process_that_was_left_behind(
    table: Table, newcomer: Table
) -> None:
    """Other processes have moved on since this one last looked; it must not answer from what it remembers."""
    first = fresh(newcomer.send(3, PASS, 1))
    table.play(bid(7), PASS, PASS)
    again = replayed(newcomer.send(3, PASS, 1))
    assert (again["version"], again["events"]) == (first["version"], first["events"]) == (2, [])
    assert again["game"] == table.view(3)
    assert again["game"]["deal"]["phase"] == "trump"


def test_a_process_that_was_left_behind_refuses_by_the_game_as_it_is_now(table: Table, newcomer: Table) -> None:
    """Versions, turns and rules are those of the log, whatever the process remembers."""
    assert newcomer.version() == 1
    table.play(bid(7), bid(8))
    problem = refused(newcomer.send(3, PASS, 1), "version_conflict")
    assert (problem["current_version"], problem["by"]) == (3, "player")
    refused(newcomer.send(3, PASS, 3), "not_your_turn")
    table.play(PASS, PASS)
    refused(newcomer.send(3, bid(8), 5), "illegal_move")
    assert fresh(newcomer.send(3, bid(9), 5))["version"] == 6


def test_a_create_whose_answer_was_lost_may_be_repeated(api: Api) -> None:
    """The first game has no tokens that anyone knows; the second is as good as any."""
    with losing(api, "commit", ran=True):
        answer = api.post("/v1/games", {"ruleset": "tarneeb", "seats": PLAYERS})
    refused(answer, "unavailable")
    assert api.create().version() == 1


def test_a_client_that_goes_away_while_its_move_is_made_finds_it_done(table: Table) -> None:
    """The request is cancelled at any point of its way; repeating the bytes makes or finds the move, once."""

    async def give_up_after(steps: int, version: int) -> None:
        task = asyncio.ensure_future(table.sending(table_seat, move, version))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    for steps in range(0, 40, 3):
        version, table_seat = table.version(), table.to_move()
        move = table.legal_moves(table_seat)[-1]
        table.api.run(give_up_after(steps, version))
        assert good(table.send(table_seat, move, version))["version"] == version + 1
    moves = [item for item in table.log() if item["move"]]
    assert [item["version"] for item in moves] == list(range(2, len(moves) + 2))
    assert len(moves) == 14
