"""Deadlines and paces: absolute times, from the store's clock alone, that depend on public facts alone."""

import time
from datetime import datetime
from typing import Any

import pytest
import redis

from service.store import due_member, key, shard_of
from tests.service.chairs import ANA, BOT, OPEN, asking, claim, erase, miss, post, rotate, sit_down, take_turn
from tests.service.players import PASS, PLAYERS, SEED, Api, Json, Table, bid, good, refused

FIRST = {"first_dealer": 0}
MOVE, PAUSE, PACE = 30_000, 8_000, 2_500
CLOCK = {"move_seconds": MOVE / 1000, "deal_pause_seconds": PAUSE / 1000, "pace_seconds": PACE / 1000}


@pytest.fixture
def table(api: Api) -> Table:
    """Four players with a clock and a pause after each deal; seat 3 speaks first."""
    return api.create(options=FIRST, **CLOCK)


@pytest.fixture
def mixed(api: Api) -> Table:
    """Two players, who speak first and third, and two bots."""
    return api.create(options=FIRST, seats=[BOT, ANA, BOT, ANA], **CLOCK)


def milliseconds(moment: str) -> int:
    return round(datetime.fromisoformat(moment).timestamp() * 1000)


def due_of(kept: redis.Redis, table: Table) -> tuple[str, int] | None:
    """What is due in the game, and when, as the due-work index has it."""
    ours = [
        (member.decode(), round(at))
        for member, at in kept.zrange(key("due", shard_of(table.id)), 0, -1, withscores=True)
        if member.decode().startswith(table.id)
    ]
    assert len(ours) <= 1
    return ours[0] if ours else None


def since_last(kept: redis.Redis, table: Table) -> tuple[str, int] | None:
    """What is due in the game, and how long after its last entry, in milliseconds.

    A deadline in the views of all readers is this very moment, and where nothing or a bot is due, there is none.
    """
    due = due_of(kept, table)
    shown = {table.view(who)["deadline_at"] for who in (*table.tokens, "creator", None)}
    if due is None or due[0].endswith(":bot"):
        assert shown == {None}
        if due is None:
            return None
    else:
        assert [milliseconds(moment) for moment in shown] == [due[1]]
    version = table.version()
    kind = due[0].rpartition(":")[2]
    assert due[0] == due_member(table.id, version, kind)  # type: ignore[arg-type]
    return kind, due[1] - milliseconds(table.log()[-1]["at"])


# ---------------------------------------------------------------------------------------------------- deadlines


def test_the_first_deadline_of_a_deal_is_later_by_the_pause_and_the_others_are_not(
    table: Table, kept: redis.Redis
) -> None:
    """In the first deal and in the second, in view and due index alike."""
    assert since_last(kept, table) == ("deadline", MOVE + PAUSE)
    table.play(bid(7))
    while not table.view()["match"]["deals_played"]:
        assert since_last(kept, table) == ("deadline", MOVE)
        table.play_on(1, seed=table.version())
    assert since_last(kept, table) == ("deadline", MOVE + PAUSE)
    table.play(PASS)
    assert since_last(kept, table) == ("deadline", MOVE)


def test_the_first_deadline_is_later_also_where_a_bot_opens_the_deal(api: Api, kept: redis.Redis) -> None:
    """People look at a new deal, whoever speaks first."""
    table = api.create(options=FIRST, seats=[ANA, BOT, ANA, BOT], **CLOCK)
    assert since_last(kept, table) == ("bot", PACE)
    assert take_turn(table, "bot")
    assert since_last(kept, table) == ("deadline", MOVE + PAUSE)
    table.play(PASS)
    assert take_turn(table, "bot")
    assert since_last(kept, table) == ("deadline", MOVE)


def test_a_thrown_in_deal_is_followed_by_the_pause_too(table: Table, kept: redis.Redis) -> None:
    table.play(PASS, PASS, PASS, PASS)
    assert table.view()["deal"]["number"] == 2
    assert since_last(kept, table) == ("deadline", MOVE + PAUSE)


def test_a_deadline_runs_in_a_players_turn_and_a_pace_in_a_bots(mixed: Table, kept: redis.Redis) -> None:
    assert since_last(kept, mixed) == ("deadline", MOVE + PAUSE)
    mixed.play(PASS)
    assert since_last(kept, mixed) == ("bot", PACE)
    assert take_turn(mixed, "bot")
    assert since_last(kept, mixed) == ("deadline", MOVE)
    assert miss(mixed) == 1
    assert since_last(kept, mixed) == ("bot", PACE)


def test_a_stand_in_moves_at_the_pace_of_a_bot(table: Table, kept: redis.Redis) -> None:
    miss(table)
    while table.to_move() != 3:
        table.play(table.legal_moves(table.to_move())[0])
    assert since_last(kept, table) == ("bot", PACE)


def test_without_a_clock_a_game_waits_for_a_person_for_ever(api: Api, kept: redis.Redis) -> None:
    table = api.create(options=FIRST)
    assert (table.view()["move_seconds"], table.view()["deal_pause_seconds"]) == (None, 0)
    assert since_last(kept, table) is None
    table.play(PASS)
    assert since_last(kept, table) is None
    assert not take_turn(table, "deadline")


def test_a_view_says_by_which_clock_the_game_is_played(table: Table) -> None:
    view = table.view()
    assert (view["move_seconds"], view["deal_pause_seconds"], view["pace_seconds"]) == (30, 8, 2.5)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("move_seconds", 0.999),
        ("move_seconds", 0),
        ("move_seconds", -1),
        ("move_seconds", 259_201),
        ("move_seconds", "30"),
        ("deal_pause_seconds", -1),
        ("deal_pause_seconds", 61),
        ("deal_pause_seconds", None),
        ("pace_seconds", -0.1),
        ("pace_seconds", 60.5),
        ("stand_in", None),
        ("stand_in", {"bot": "oracle"}),
        ("start", "later"),
    ],
)
def test_a_clock_that_cannot_be_is_refused_at_its_place(api: Api, name: str, wrong: Any) -> None:
    body = {"ruleset": "tarneeb", "seats": PLAYERS, name: wrong}
    (place,) = refused(api.post("/v1/games", body), "invalid_request")["errors"]
    assert place["pointer"].startswith(f"/{name}")


def test_no_clock_runs_before_the_start_and_the_first_deadline_counts_from_it(api: Api, kept: redis.Redis) -> None:
    table = api.create(seats=[ANA, OPEN, ANA, OPEN], options=FIRST, **CLOCK)
    assert (due_of(kept, table), table.view()["deadline_at"]) == (None, None)
    sit_down(table, 1)
    assert since_last(kept, table) is None
    sit_down(table, 3)
    assert since_last(kept, table) == ("deadline", MOVE + PAUSE)


def test_the_end_of_a_game_ends_its_clock(api: Api, table: Table, kept: redis.Redis) -> None:
    over = api.create(options={**FIRST, "max_deals": 1}, **CLOCK)
    over.play(PASS, PASS, PASS, PASS)
    good(post(table, "/abandonment", "creator"))
    erased = api.create(options=FIRST, **CLOCK)
    assert due_of(kept, erased) is not None
    assert erase(erased).status_code == 204
    assert [due_of(kept, each) for each in (over, table, erased)] == [None] * 3
    assert [each.view()["deadline_at"] for each in (over, table)] == [None] * 2


# ---------------------------------------------------------------------------------------------------- what restarts it


def test_a_refused_move_changes_no_clock(table: Table, kept: redis.Redis) -> None:
    before = due_of(kept, table)
    refused(table.send(3, bid(6)), "illegal_move")
    refused(table.send(2, PASS), "not_your_turn")
    refused(table.send(3, PASS, 7), "version_conflict")
    assert due_of(kept, table) == before


@pytest.mark.parametrize("kind", ["deadline", "bot"])
def test_what_is_no_move_restarts_neither_clock_nor_pace(api: Api, kept: redis.Redis, kind: str) -> None:
    """Proposals, new tokens, another seat's leaving or return: the moment that was shown stays, under a new version."""
    options = {"target": None, "first_dealer": 3}
    table = api.create(ruleset="reihe", seats=PLAYERS, options=options, **CLOCK)
    assert (miss(table), table.to_move()) == (2, 1)
    if kind == "bot":
        good(post(table, "/resignation", 1))
    due, at = due_of(kept, table) or ("", 0)
    shown = table.view()["deadline_at"]
    assert due.endswith(kind)

    def renew(seat: int) -> None:
        table.tokens[seat] = good(rotate(table, seat, "creator"))["token"]

    def propose(seat: int, target: int) -> None:
        good(api.run(asking(table, "PUT", "/target", seat, {"target": target})))

    for change in (
        lambda: propose(0, 20),
        lambda: propose(3, 20),
        lambda: renew(0),
        lambda: renew(1),
        lambda: post(table, "/return", 2),
        lambda: post(table, "/resignation", 3),
    ):
        version = table.version()
        time.sleep(0.003)
        change()
        assert table.version() == version + 1
        assert due_of(kept, table) == (due_member(table.id, version + 1, kind), at)  # type: ignore[arg-type]
        assert table.view()["deadline_at"] == shown


def test_returning_in_ones_own_turn_gives_the_whole_time_once(table: Table, kept: redis.Redis) -> None:
    """However often it is asked for in that turn; and without the pause after a deal."""
    miss(table)
    while table.to_move() != 3:
        table.play(table.legal_moves(table.to_move())[0])
    assert since_last(kept, table) == ("bot", PACE)
    good(post(table, "/return", 3))
    assert since_last(kept, table) == ("deadline", MOVE)
    before = due_of(kept, table)
    time.sleep(0.003)
    good(post(table, "/return", 3))
    assert due_of(kept, table) == before
    assert take_turn(table, "deadline")
    assert table.view()["seats"][3]["timeouts"] == 2


def test_a_return_in_another_turn_gives_a_clock_when_the_turn_comes(table: Table, kept: redis.Redis) -> None:
    miss(table)
    before = due_of(kept, table)
    good(post(table, "/return", 3))
    assert (due_of(kept, table) or ("", 0))[1] == (before or ("", 0))[1]
    while table.to_move() != 3:
        table.play(table.legal_moves(table.to_move())[0])
    assert since_last(kept, table) == ("deadline", MOVE)


def test_resigning_in_ones_own_turn_makes_it_a_bots_turn(table: Table, kept: redis.Redis) -> None:
    good(post(table, "/resignation", 3))
    assert since_last(kept, table) == ("bot", PACE)


def test_without_a_clock_a_return_starts_none(api: Api, kept: redis.Redis) -> None:
    """A seat that a bot was never due for cannot be away; one that resigned in its turn is the bot's at once."""
    table = api.create(options=FIRST, pace_seconds=2.5)
    good(post(table, "/return", 3))
    assert since_last(kept, table) is None
    good(post(table, "/resignation", 3))
    assert since_last(kept, table) == ("bot", PACE)


# ---------------------------------------------------------------------------------------------------- views


def test_a_view_with_another_deadline_has_another_tag(table: Table) -> None:
    tags: dict[str, Json] = {}
    for change in (
        lambda: None,
        lambda: miss(table),
        lambda: good(post(table, "/return", 3)),
        lambda: rotate(table, 0, "creator"),
        lambda: good(post(table, "/resignation", 2)),
        lambda: good(post(table, "/abandonment", "creator")),
    ):
        change()
        answer = table.get()
        assert answer.headers["etag"] not in tags
        tags[answer.headers["etag"]] = answer.json()
        assert table.get(if_none_match=answer.headers["etag"]).status_code == 304
    assert len({str(view) for view in tags.values()}) == 6


# ---------------------------------------------------------------------------------------------------- created once


WAITING: dict[str, Json] = {
    "open seats": {"seats": [ANA, OPEN, BOT, OPEN]},
    "open seats and a clock": {"seats": [OPEN, OPEN, BOT, OPEN], **CLOCK},
    "a manual start": {"seats": PLAYERS, "start": "manual", **CLOCK},
    "both": {"seats": [OPEN] * 4, "start": "manual", "metadata": {"a": "b"}, "stand_in": {"bot": "random"}},
}
RUNNING: dict[str, Json] = {
    "a clock": {"seats": PLAYERS, **CLOCK},
    "a clock and bots": {"seats": [ANA, BOT, ANA, BOT], **CLOCK, "options": {"first_dealer": 2}},
    "a clock without a pause": {"seats": PLAYERS, "move_seconds": 1.5, "stand_in": {"bot": "random"}},
}
KEYS = iter(f"10000000-0000-4000-8000-{number:012x}" for number in range(100))


@pytest.fixture(params=[*WAITING, *RUNNING])
def body(request: pytest.FixtureRequest) -> Json:
    return {"ruleset": "tarneeb", "seed": SEED, **{**WAITING, **RUNNING}[request.param]}


def test_a_create_that_is_repeated_has_its_first_answer_byte_for_byte(api: Api, body: Json) -> None:
    """Right after it, and when seats have been claimed, the game started, tokens changed, seats left, and it ended."""
    name = next(KEYS)
    first = api.post("/v1/games", body, idempotency_key=name)
    created = good(first)
    tokens = {each["seat"]: each["token"] for each in created["seats"] if "token" in each}
    table = Table(api, created["game"]["game_id"], tokens, created["creator_token"], first)
    steps = [lambda: None]
    steps += [lambda seat=seat: sit_down(table, seat) for seat in range(4) if body["seats"][seat] == OPEN]
    steps += [
        lambda: post(table, "/start", "creator", {"client_seed": "c"}),
        lambda: table.tokens.update({0: good(rotate(table, 0, "creator"))["token"]}),
        lambda: good(post(table, "/resignation", 0)),
        lambda: take_turn(table, (table.api.run(table.api.context.store.load(table.id))).due),
        lambda: good(post(table, "/abandonment", "creator")),
    ]
    for step in steps:
        step()
        again = api.post("/v1/games", body, idempotency_key=name)
        assert (again.content, again.headers["idempotency-replayed"]) == (first.content, "true")
    assert table.view()["status"] == "abandoned"
    assert table.view()["seats"][0]["resigned"]


def test_what_another_request_would_have_created_is_a_mismatch(api: Api) -> None:
    name = next(KEYS)
    body = {"ruleset": "tarneeb", "seats": [ANA, OPEN, BOT, OPEN], "move_seconds": 30}
    good(api.post("/v1/games", body, idempotency_key=name))
    others: list[Json] = [
        {"seats": [ANA, ANA, BOT, OPEN]},
        {"move_seconds": 31},
        {"deal_pause_seconds": 1},
        {"start": "manual"},
        {"stand_in": {"bot": "random"}},
    ]
    for other in others:
        refused(api.post("/v1/games", {**body, **other}, idempotency_key=name), "idempotency_mismatch")


# ---------------------------------------------------------------------------------------------------- public facts


def test_when_a_bot_or_stand_in_is_due_is_written_down_before_it_chooses(api: Api, kept: redis.Redis) -> None:
    """A turn's moment comes from the entry before it and the game's settings, whether there is a choice or none.

    So the moment can tell nothing of a hand: in a whole deal it is the same at every turn.
    """
    table = api.create(options={**FIRST, "max_deals": 1, "all_pass": "dealer_bids"}, **CLOCK)
    paces = {True: set[Any](), False: set[Any]()}
    while table.view()["status"] == "playing":
        view = table.view()
        forced = len(table.legal_moves(view["to_move"])) == 1
        if view["seats"][view["to_move"]]["controller"] == "player":
            paces[forced].add(since_last(kept, table))
            assert take_turn(table, "deadline")
        else:
            paces[forced].add(since_last(kept, table))
            assert take_turn(table, "bot")
    assert paces[True] == {("bot", PACE)}
    assert paces[False] == {("bot", PACE), ("deadline", MOVE), ("deadline", MOVE + PAUSE)} | paces[True]


def test_claims_make_no_difference_to_the_index_but_by_their_moment(api: Api, kept: redis.Redis) -> None:
    """Names and seeds are public, and no time depends on them."""
    for name in ("Ana", "L" * 40):
        table = api.create(seats=[OPEN, BOT, OPEN, BOT], options={"first_dealer": 1}, **CLOCK)
        for seat in (0, 2):
            table.tokens[seat] = good(claim(table, seat, name=name, client_seed=name))["token"]
        assert since_last(kept, table) == ("deadline", MOVE + PAUSE)
