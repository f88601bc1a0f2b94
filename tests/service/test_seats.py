"""Open seats, claims and the start; new tokens for old ones."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
import redis

from service import following, games
from service.access import Caller
from service.errors import Unavailable
from service.settings import Settings
from service.store import key, shard_of
from tests.service.chairs import (
    ANA,
    BOT,
    KEY,
    OPEN,
    OTHER_KEY,
    asking,
    claim,
    claiming,
    erase,
    invite,
    post,
    rotate,
    sit_down,
    when_read,
)
from tests.service.players import PASS, PLAYERS, Api, Json, Table, good, kept_of, losing, refused, running

FIRST = {"first_dealer": 0}
SEATS = [ANA, OPEN, BOT, OPEN]


@pytest.fixture
def table(api: Api) -> Table:
    """A game that waits for seats 1 and 3; seat 3 will speak first."""
    return api.create(seats=SEATS, options=FIRST, move_seconds=30, pace_seconds=60)


@pytest.fixture
def manual(api: Api) -> Table:
    """A game of four players that waits for its creator."""
    return api.create(start="manual", options=FIRST, move_seconds=30)


@pytest.fixture
def full(api: Api) -> Table:
    """A game of four players that has started."""
    return api.create(options=FIRST)


@pytest.fixture
def elsewhere(settings: Settings) -> Iterator[Api]:
    """The same service in another process."""
    with running(settings) as other:
        yield other


def types(item: Json) -> list[str]:
    return [event["type"] for event in item["events"]]


# ---------------------------------------------------------------------------------------------------- waiting


def test_a_game_with_open_seats_answers_an_invite_to_each_and_a_token_to_each_player(table: Table) -> None:
    seats = table.created.json()["seats"]
    assert [set(each) for each in seats] == [{"seat", "token"}, {"seat", "invite"}, {"seat", "invite"}]
    assert [each["seat"] for each in seats] == [0, 1, 3]
    assert len({invite(table, 1), invite(table, 3), table.tokens[0], table.creator}) == 4


@pytest.mark.parametrize("who", [0, "creator", None])
def test_until_every_seat_is_taken_there_is_no_deal_no_clock_and_nothing_to_see(table: Table, who: Any) -> None:
    view = table.view(who)
    assert (view["status"], view["version"], view["start"]) == ("waiting", 0, "auto")
    nothing = ("to_move", "deadline_at", "match", "deal", "result")
    assert {name: view[name] for name in nothing} == dict.fromkeys(nothing)
    assert [(seat["kind"], seat["name"], seat["controller"]) for seat in view["seats"]] == [
        ("player", "Ana", "player"),
        ("open", None, "player"),
        ("bot", None, "bot"),
        ("open", None, "player"),
    ]
    assert [seat["team"] for seat in view["seats"]] == [0, 1, 0, 1]
    assert [(seat["cards"], seat["score"]) for seat in view["seats"]] == [(0, 0)] * 4
    assert view["you"] == ({"seat": 0, "hand": [], "legal_moves": []} if who == 0 else None)
    assert view["commitment"].startswith("sha256:")


def test_while_a_game_waits_nothing_is_dealt_and_nothing_is_due(table: Table, kept: redis.Redis) -> None:
    shard = shard_of(table.id)
    assert kept_of(kept, table).keys() == {key(kind, shard, table.id).encode() for kind in ("game", "gone")}
    sit_down(table, 1)
    names = {key(kind, shard, table.id).encode() for kind in ("game", "gone", "log")}
    assert kept_of(kept, table).keys() == names


def test_while_a_game_waits_whatever_needs_a_deal_is_refused_and_reading_is_not(table: Table) -> None:
    refused(table.get("/legal-moves", 0), "not_started")
    for version in (0, 1):
        refused(table.send(0, PASS, version), "not_started")
        refused(table.ask_bot(0, expected_version=version), "not_started")
    for what in ("/return", "/resignation"):
        refused(post(table, what, 0), "not_started")
    refused(table.api.run(asking(table, "PUT", "/target", 0, {"target": 20})), "not_started")
    assert table.events() == {"items": [], "next": "0-", "has_more": False}
    assert table.events("?after=0-") == {"items": [], "next": "0-", "has_more": False}
    assert good(table.get("/deals")) == {"items": [], "next": 0, "has_more": False}
    refused(table.get("/events?after=1-abc"), "history_lost")
    assert table.version() == 0


def test_a_waiting_game_is_kept_for_its_time_and_then_says_that_it_has_expired(table: Table, kept: redis.Redis) -> None:
    shard = shard_of(table.id)
    week = 7 * 24 * 3600 * 1000
    assert 0 < week - kept.pttl(key("game", shard, table.id)) < 600_000
    assert kept.pexpire(key("game", shard, table.id), 0)
    refused(table.get(), "game_expired")
    refused(claim(table, 1), "game_expired")
    refused(post(table, "/start", "creator", {}), "game_expired")


# ---------------------------------------------------------------------------------------------------- claims


def test_an_invite_is_turned_into_the_token_of_its_seat(table: Table) -> None:
    answer = claim(table, 1, name="Lotte", client_seed="Lotte-1")
    claimed = good(answer)
    assert claimed.keys() == {"seat", "token", "game"}
    assert (answer.headers["cache-control"], answer.headers["vary"]) == ("no-store", "Authorization")
    table.tokens[1] = claimed["token"]
    assert table.view(1) == claimed["game"]
    assert (claimed["seat"], claimed["game"]["status"]) == (1, "waiting")
    assert claimed["game"]["you"] == {"seat": 1, "hand": [], "legal_moves": []}
    seat = claimed["game"]["seats"][1]
    assert (seat["kind"], seat["name"], seat["controller"], seat["bot"]) == ("player", "Lotte", "player", None)
    assert claimed["game"]["client_seeds"] == ["Lotte-1"]


def test_everyone_reads_who_has_claimed_a_seat(table: Table) -> None:
    claim(table, 1, name="Lotte")
    (item,) = table.log()
    assert (item["version"], item["seat"], item["by"], item["move"]) == (1, 1, "player", None)
    assert item["events"] == [{"type": "seat_claimed", "seat": 1, "name": "Lotte"}]
    claim(table, 3)
    assert table.log()[1]["events"][0] == {"type": "seat_claimed", "seat": 3, "name": None}


def test_the_last_claim_starts_the_game_in_the_same_entry(table: Table) -> None:
    """Whoever comes last sees its hand in the answer, and so does everyone who waited."""
    assert sit_down(table, 1)["game"]["status"] == "waiting"
    game = sit_down(table, 3)["game"]
    assert (game["status"], game["version"], game["to_move"]) == ("playing", 2, 3)
    assert len(game["you"]["hand"]) == 13
    assert game["you"]["legal_moves"] == table.legal_moves(3)
    assert [types(item) for item in table.log()] == [["seat_claimed"], ["seat_claimed", "game_started", "dealt"]]
    for seat in (0, 1, 3):
        dealt = table.log(seat)[1]["events"][2]
        assert dealt["hand"] == table.view(seat)["you"]["hand"]
    table.play(PASS)


def test_what_players_and_creator_add_to_the_seed_is_shown_and_decides_the_deals(api: Api) -> None:
    """In the order of the seats, the creator's last, whoever came first; without it the deals are others."""
    hands = []
    for seeds in (("a", "b", "c"), ("a", "b", "d"), ("b", "a", "c"), (None, None, None)):
        table = api.create(seats=SEATS, options=FIRST, start="manual")
        claim(table, 3, client_seed=seeds[1])
        table.tokens[1] = good(claim(table, 1, client_seed=seeds[0]))["token"]
        started = good(post(table, "/start", "creator", {"client_seed": seeds[2]}))
        assert started["client_seeds"] == [seed for seed in seeds if seed]
        hands.append(str(table.view(0)["you"]["hand"]))
    assert len(set(hands)) == 4


@pytest.mark.parametrize("wrong", ["", "x", "invite1.0." + "A" * 43, "seat1.0." + "A" * 43, "\0", "\u202einvite", "é"])
def test_a_claim_without_the_invite_is_refused(table: Table, wrong: str) -> None:
    refused(post(table, "/seats/1/claim", None, {"invite": wrong}), "unauthorized")
    assert table.version() == 0


def test_no_other_secret_opens_a_seat(table: Table, api: Api) -> None:
    """Not another seat's invite, another game's, the creator's token or a player's; and no invite is a token."""
    beside = api.create(seats=SEATS)
    changed = invite(table, 1)[:-1] + ("A" if invite(table, 1)[-1] != "A" else "B")
    for wrong in (invite(table, 3), invite(beside, 1), table.creator, table.tokens[0], changed):
        refused(post(table, "/seats/1/claim", None, {"invite": wrong}), "unauthorized")
    for seat in (0, 2):
        refused(post(table, f"/seats/{seat}/claim", None, {"invite": invite(table, 1)}), "unauthorized")
    refused(api.get(table.path, invite(table, 1)), "unauthorized")
    refused(api.get(table.path, api.tokens.of_seat(table.id, 1, 0)), "unauthorized")
    assert table.version() == 0


@pytest.mark.parametrize("seat", ["4", "7", "9", "01", "-1", "x", "1.0", "%D9%A1", "11", "%00"])
def test_a_seat_that_is_not_there_is_not_found(table: Table, seat: str) -> None:
    refused(post(table, f"/seats/{seat}/claim", None, {"invite": invite(table, 1)}), "not_found")
    refused(rotate(table, seat, "creator"), "not_found")


def test_an_invite_is_good_once(table: Table) -> None:
    """Before the start and after it, with any key but the first."""
    good(claim(table, 1, KEY))
    for again in (claim(table, 1), claim(table, 1, OTHER_KEY), claim(table, 1, name="Lotte")):
        refused(again, "seat_taken")
    good(claim(table, 3))
    for seat in (1, 3):
        refused(claim(table, seat), "seat_taken")
    assert table.version() == 2


def test_a_claim_is_repeated_with_its_key_and_gets_the_same_token(table: Table) -> None:
    """The view beside it is that of now, and nothing has happened again."""
    body = {"name": "Lotte", "client_seed": "c"}
    first = claim(table, 1, KEY, **body)
    again = claim(table, 1, KEY.upper(), **body)
    assert good(again) == good(first)
    assert "idempotency-replayed" not in first.headers
    assert (again.headers["idempotency-replayed"], again.headers["cache-control"]) == ("true", "no-store")
    sit_down(table, 3)
    late = good(claim(table, 1, KEY, **body))
    assert (late["token"], late["game"]["version"]) == (good(first)["token"], 2)
    assert len(late["game"]["you"]["hand"]) == 13


@pytest.mark.parametrize("other", [{}, {"name": "None"}, {"name": "Ana"}, {"client_seed": "c"}])
def test_the_key_of_a_claim_with_another_body_is_refused(table: Table, other: Json) -> None:
    good(claim(table, 1, KEY, **({"name": "Ana", "client_seed": "c"} if other in ({}, {"name": "Ana"}) else {})))
    refused(claim(table, 1, KEY, **other), "idempotency_mismatch")
    assert table.version() == 1


def test_a_lost_answer_to_a_claim_is_asked_for_again(table: Table) -> None:
    """Also that of the last claim: the game has started once."""
    sit_down(table, 1)
    with losing(table.api, "commit", ran=True):
        refused(claim(table, 3, KEY), "unavailable")
    assert len(good(claim(table, 3, KEY))["game"]["you"]["hand"]) == 13
    assert [types(item) for item in table.log()] == [["seat_claimed"], ["seat_claimed", "game_started", "dealt"]]


def test_of_two_who_claim_a_seat_at_the_same_time_one_gets_it(table: Table) -> None:
    answers = table.api.together(*(claiming(table, 1, name=name) for name in ("Ana", "Lotte", "Ana", "Lotte")))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    for answer in answers:
        assert answer.status_code == 200 or refused(answer, "seat_taken")
    assert table.version() == 1


def test_one_who_claims_twice_at_the_same_time_gets_one_token(table: Table) -> None:
    answers = table.api.together(*(claiming(table, 1, KEY) for _ in range(5)))
    assert len({good(answer)["token"] for answer in answers}) == 1
    assert sorted("idempotency-replayed" in answer.headers for answer in answers) == [False, *[True] * 4]
    assert table.version() == 1


@pytest.mark.parametrize("start", ["auto", "manual"])
def test_however_the_claims_race_the_game_starts_exactly_once(api: Api, elsewhere: Api, start: str) -> None:
    """Each seat is claimed by two at once, in two processes, and the creator starts it all the while."""
    for _ in range(5):
        table = api.create(seats=[OPEN] * 4, start=start, options=FIRST)
        there = replace(table, api=elsewhere)
        asked = [claiming(table, seat) for seat in (0, 1, 2, 3)] + [claiming(table, seat) for seat in (3, 2, 1, 0)]
        asked += [asking(table, "POST", "/start", "creator", {}) for _ in range(3)]
        answers = api.together(*asked)
        assert [answer.status_code for answer in answers[:8]].count(200) == 4
        good(post(there, "/start", "creator", {}))
        told = [kind for item in there.log() for kind in types(item)]
        assert sorted(told) == ["dealt", "game_started", *["seat_claimed"] * 4]
        assert there.view()["status"] == "playing"


def test_a_claim_that_is_repeated_after_a_rotation_gives_neither_hand_nor_token(table: Table) -> None:
    """The key is known to whoever saw the first request, and the token was renewed because of them."""
    table.tokens[1] = good(claim(table, 1, KEY))["token"]
    sit_down(table, 3)
    renewed = good(rotate(table, 1, 1))["token"]
    for answer in (claim(table, 1, KEY), claim(table, 1), claim(table, 1, OTHER_KEY)):
        refused(answer, "seat_taken")
        assert renewed not in answer.text


# ---------------------------------------------------------------------------------------------------- the start


def test_a_game_with_a_manual_start_waits_for_its_creator(manual: Table) -> None:
    assert (manual.view(0)["status"], manual.view(0)["start"]) == ("waiting", "manual")
    refused(manual.get("/legal-moves", 0), "not_started")
    game = good(post(manual, "/start", "creator", {"client_seed": "mine"}))
    assert (game["status"], game["version"], game["you"], game["client_seeds"]) == ("playing", 1, None, ["mine"])
    (item,) = manual.log()
    assert (item["seat"], item["by"], types(item)) == (None, "creator", ["game_started", "dealt"])
    manual.play(PASS)


def test_who_is_not_the_creator_starts_no_game(manual: Table, table: Table) -> None:
    refused(post(manual, "/start", 0, {}), "forbidden")
    refused(post(manual, "/start", None, {}), "unauthorized")
    refused(manual.api.post(f"{manual.path}/start", {}, table.creator), "unauthorized")
    assert manual.version() == 0


def test_a_game_starts_when_its_seats_are_claimed_and_not_before(api: Api) -> None:
    for start in ("auto", "manual"):
        table = api.create(seats=SEATS, start=start)
        assert "seat 1, 3" in refused(post(table, "/start", "creator", {}), "seats_open")["detail"]
        sit_down(table, 1)
        assert "seat 3" in refused(post(table, "/start", "creator", {}), "seats_open")["detail"]
        assert table.version() == 1


def test_a_game_starts_once_and_the_first_seed_counts(manual: Table) -> None:
    first = good(post(manual, "/start", "creator", {"client_seed": "first"}))
    assert good(post(manual, "/start", "creator", {"client_seed": "second"})) == first
    manual.play(PASS)
    assert good(post(manual, "/start", "creator", {}))["version"] == 2
    assert manual.view()["client_seeds"] == ["first"]


def test_starts_at_the_same_time_are_one(manual: Table) -> None:
    asked = [asking(manual, "POST", "/start", "creator", {"client_seed": str(number)}) for number in range(6)]
    seeds = {tuple(good(answer)["client_seeds"]) for answer in manual.api.together(*asked)}
    assert len(seeds) == 1
    assert [types(item) for item in manual.log()] == [["game_started", "dealt"]]


def test_to_start_a_game_that_started_by_itself_changes_nothing(full: Table) -> None:
    before = full.view("creator")
    assert good(post(full, "/start", "creator", {"client_seed": "late"})) == before


def test_another_process_that_knew_the_game_as_waiting_sees_it_started(manual: Table, elsewhere: Api) -> None:
    there = replace(manual, api=elsewhere)
    assert there.view(3)["status"] == "waiting"
    good(post(manual, "/start", "creator", {}))
    move = asking(there, "POST", "/moves", 3, {"expected_version": 1, "move": PASS})
    assert good(elsewhere.run(move))["version"] == 2
    assert there.view(3)["you"]["hand"] == manual.view(3)["you"]["hand"]


def test_a_long_poll_that_began_before_the_start_is_told_the_hand(manual: Table) -> None:
    poll = asking(manual, "GET", "/events?wait=20&after=0-", 3)
    page, _ = manual.api.together(poll, when_read(manual.api, asking(manual, "POST", "/start", "creator", {})))
    assert good(page)["items"] == manual.log(3)
    assert len(good(page)["items"][0]["events"][1]["hand"]) == 13


def test_a_page_that_is_read_while_the_game_starts_is_told_the_hand(
    manual: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The game is looked at, starts, and only then its log is read."""
    store = manual.api.context.store
    read, starting = store.log, [asking(manual, "POST", "/start", "creator", {})]

    async def starts_first(*where: Any) -> Any:
        while starting:
            good(await starting.pop())
        return await read(*where)

    monkeypatch.setattr(store, "log", starts_first)
    (item,) = manual.events(who=3)["items"]
    assert len(item["events"][1]["hand"]) == 13


def test_a_stream_that_began_before_the_start_is_told_the_hand(manual: Table) -> None:
    stream = asking(manual, "GET", "/events?max_items=1", 3, accept="text/event-stream")
    told, _ = manual.api.together(stream, when_read(manual.api, asking(manual, "POST", "/start", "creator", {})))
    (item,) = manual.log(3)
    assert f"id: {item['cursor']}" in told.text
    assert all(card in told.text for card in item["events"][1]["hand"])


def test_the_view_of_a_waiting_game_is_another_after_every_change(table: Table) -> None:
    """Its `ETag` says so: who holds the one before is not told that nothing has changed."""
    tags = []
    for change in (
        lambda: None,
        lambda: sit_down(table, 1),
        lambda: rotate(table, 1, "creator"),
        lambda: claim(table, 3),
    ):
        change()
        for tag in tags:
            assert table.get("", 0, if_none_match=tag).status_code == 200
        tags.append(table.get("", 0).headers["etag"])
        assert table.get("", 0, if_none_match=tags[-1]).status_code == 304
    assert len(set(tags)) == 4


# ---------------------------------------------------------------------------------------------------- new tokens


@pytest.mark.parametrize("who", [3, "creator"])
def test_a_seat_gets_a_new_token_and_the_old_one_is_dead_for_everything(full: Table, who: Any) -> None:
    """By the seat itself or the creator; nobody else's token is touched."""
    job = good(full.ask_bot(3))["job_id"]
    answer = rotate(full, 3, who)
    renewed = good(answer)
    assert renewed.keys() == {"seat", "token"}
    assert (answer.headers["cache-control"], answer.headers["vary"]) == ("no-store", "Authorization")
    for what in ("", "/events", "/deals", "/legal-moves"):
        refused(full.get(what, 3), "unauthorized")
    refused(full.send(3, PASS, 1), "unauthorized")
    refused(full.ask_bot(3, expected_version=1), "unauthorized")
    refused(full.api.run(asking(full, "PUT", "/target", 3, {"target": 5})), "unauthorized")
    for what in ("/return", "/resignation", "/abandonment", "/seats/3/token"):
        refused(post(full, what, 3), "unauthorized")
    refused(post(full, "/start", 3, {}), "unauthorized")
    refused(erase(full, 3), "unauthorized")
    refused(full.api.get(f"/v1/jobs/{job}", full.tokens[3]), "unauthorized")
    refused(full.get("/events", 3, accept="text/event-stream"), "unauthorized")
    full.tokens[3] = renewed["token"]
    assert good(full.api.get(f"/v1/jobs/{job}", full.tokens[3]))["seat"] == 3
    assert [full.view(seat)["you"]["seat"] for seat in range(4)] == [0, 1, 2, 3]
    full.play(PASS)


def test_everyone_sees_that_a_token_was_renewed_and_by_whom(full: Table) -> None:
    full.tokens[1] = good(rotate(full, 1, 1))["token"]
    good(rotate(full, 2, "creator"))
    told = [(item["version"], item["seat"], item["by"], item["events"]) for item in full.log()[1:]]
    assert told == [
        (2, 1, "player", [{"type": "token_rotated", "seat": 1}]),
        (3, None, "creator", [{"type": "token_rotated", "seat": 2}]),
    ]


def test_who_may_not_renew_a_token_is_refused_and_nothing_changes(table: Table, full: Table) -> None:
    """Another seat, nobody; and nobody can for a bot's seat or an open one."""
    refused(rotate(full, 3, 0), "forbidden")
    refused(rotate(full, 3, None), "unauthorized")
    refused(full.api.post(f"{full.path}/seats/3/token", {}, table.creator), "unauthorized")
    assert full.version() == 1
    for seat in (1, 2, 3):
        refused(rotate(table, seat, "creator"), "forbidden")
    assert table.version() == 0
    table.tokens[0] = good(rotate(table, 0, 0))["token"]
    assert table.view(0)["status"] == "waiting"


def test_of_two_rotations_with_one_token_one_succeeds(full: Table) -> None:
    """The thief and the owner at the same moment: whoever is second holds a dead token."""
    answers = full.api.together(*(asking(full, "POST", "/seats/3/token", 3) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 401, 401, 401]
    assert full.version() == 2


def test_of_two_rotations_by_the_creator_the_last_counts(full: Table) -> None:
    asked = [asking(full, "POST", "/seats/3/token", "creator") for _ in range(4)]
    tokens = [good(answer)["token"] for answer in full.api.together(*asked)]
    assert len(set(tokens)) == 4
    alive = [token for token in tokens if full.api.get(full.path, token).status_code == 200]
    assert alive == [max(tokens, key=lambda token: int(token.split(".")[1]))]


def test_a_process_that_remembers_the_game_does_not_take_the_old_token(full: Table, elsewhere: Api) -> None:
    """A move is tried on what is remembered, and made or refused on what is true."""
    there = replace(full, api=elsewhere)
    assert there.view(3)["version"] == 1
    good(rotate(full, 3, 3))
    for move in (PASS, {"type": "bid", "amount": 6}):
        answer = elsewhere.run(asking(there, "POST", "/moves", 3, {"expected_version": 1, "move": move}))
        refused(answer, "unauthorized")
    assert full.version() == 2


def test_a_move_is_not_repeated_to_a_dead_token(full: Table, elsewhere: Api) -> None:
    """The answer to a repetition holds a hand."""
    there = replace(full, api=elsewhere)
    good(there.send(3, PASS, 1))
    good(rotate(full, 3, "creator"))
    refused(full.send(3, PASS, 1), "unauthorized")
    answer = elsewhere.run(asking(there, "POST", "/moves", 3, {"expected_version": 1, "move": PASS}))
    refused(answer, "unauthorized")


def test_long_polls_and_streams_of_the_old_token_end_when_it_dies(full: Table) -> None:
    for accept in ("application/json", "text/event-stream"):
        after = full.view()["cursor"]
        wait = "" if "stream" in accept else "&wait=20"
        waiting = asking(full, "GET", f"/events?after={after}{wait}", 3, accept=accept)
        answer, renewed = full.api.together(
            waiting, when_read(full.api, asking(full, "POST", "/seats/3/token", "creator"))
        )
        full.tokens[3] = good(renewed)["token"]
        if "stream" in accept:
            assert '"token_rotated"' in answer.text
            assert answer.text.count("data: ") == 1
        else:
            refused(answer, "unauthorized")


def test_others_streams_go_on_when_a_token_is_renewed(full: Table) -> None:
    for who in (0, None, "creator"):
        after = full.view()["cursor"]
        stream = asking(full, "GET", f"/events?max_items=2&after={after}", who, accept="text/event-stream")

        async def renew_and_renew() -> httpx.Response:
            await asking(full, "POST", "/seats/3/token", "creator")
            return await asking(full, "POST", "/seats/3/token", "creator")

        answer, _ = full.api.together(stream, when_read(full.api, renew_and_renew()))
        assert answer.text.count('"token_rotated"') == 2


def test_a_new_token_reads_the_whole_log_past_all_rotations(full: Table) -> None:
    for _ in range(2):
        full.tokens[3] = good(rotate(full, 3, 3))["token"]
    items = full.log(3)
    assert len(items[0]["events"][1]["hand"]) == 13
    stream = asking(full, "GET", "/events?max_items=3", 3, accept="text/event-stream")
    assert full.api.run(stream).text.count("data: ") == 3


def test_a_reader_misses_nothing_where_the_store_is_away_between_two_looks(
    full: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log could be read, and then not whether the token is still good: nobody was told, so it is read again."""
    context, honest, away = full.api.context, following.load, [True]

    async def load(*about: Any) -> Any:
        if away:
            away.pop()
            raise Unavailable("The store did not answer.")
        return await honest(*about)

    async def told() -> list[int]:
        game = await games.load(context, full.id)
        monkeypatch.setattr(following, "load", load)
        monkeypatch.setattr(following, "LOOK_AGAIN", 0.01)
        stream = following.follow(context, game, Caller(3, 0), following.place_at("0-", "after"), 5)
        return [item.version for item in await anext(stream)]

    rotate(full, 3, "creator")
    assert full.api.run(told()) == [item["version"] for item in full.log(0)]
    assert not away


def test_a_slow_reader_with_a_dead_token_is_told_no_hand_that_was_dealt_since(full: Table) -> None:
    """A thief who reads slowly finds the rotation and the next deal in one batch; the stream ends with it."""
    context = full.api.context

    async def read(after: str) -> Any:
        game = await games.load(context, full.id)
        return following.follow(context, game, Caller(3, 0), following.place_at(after, "after"), 5)

    async def the_rest(stream: Any) -> list[Any]:
        return [item async for batch in stream for item in batch]

    stream = full.api.run(read(full.view()["cursor"]))
    full.tokens[3] = good(rotate(full, 3, "creator"))["token"]
    full.play(PASS, PASS, PASS, PASS)
    items = full.api.run(the_rest(stream))
    dealt = [event for item in items for event in item.events if type(event).__name__ == "Dealt"]
    assert [event.hand for event in dealt] == [None]
    assert len(full.log(3)[-1]["events"][-1]["hand"]) == 13


def test_the_token_of_a_seat_that_was_claimed_is_renewed_like_any_other(table: Table) -> None:
    sit_down(table, 1)
    old = table.tokens[1]
    table.tokens[1] = good(rotate(table, 1, 1))["token"]
    refused(table.api.get(table.path, old), "unauthorized")
    assert table.view(1)["status"] == "waiting"
    assert len(sit_down(table, 3)["game"]["you"]["hand"]) == 13
    assert table.log(1)[-1]["events"][-1]["hand"] == table.view(1)["you"]["hand"]
    refused(table.api.get(table.path, old), "unauthorized")


def test_a_lost_answer_to_a_rotation_leaves_the_seat_to_the_creator(full: Table) -> None:
    with losing(full.api, "commit", ran=True):
        refused(rotate(full, 3, 3), "unavailable")
    refused(rotate(full, 3, 3), "unauthorized")
    full.tokens[3] = good(rotate(full, 3, "creator"))["token"]
    full.play(PASS)


def test_players_are_four_in_a_game_that_starts_at_once(api: Api) -> None:
    """Nothing of the above changes a game without open seats: it plays when it has been created."""
    assert api.create(seats=PLAYERS).view()["status"] == "playing"
