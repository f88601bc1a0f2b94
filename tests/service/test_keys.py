"""API keys: who may create games where there are any, what a key may do in its games, and what it never sees."""

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis

from service import redis_server
from service.access import API_KEYS
from service.keys import FRESH_SECONDS, HOUR_MS
from service.rates import Rate
from service.settings import Settings
from tests.processes import SECRET, tapete, tapete_up, wait_until
from tests.service.players import (
    AS_JSON,
    PASS,
    PLAYERS,
    Api,
    Table,
    bid,
    cards_in,
    everything_in,
    good,
    refused,
    running,
)

CREATE = {"ruleset": "tarneeb", "seats": PLAYERS, "options": {"first_dealer": 0}}
OPEN = [*PLAYERS[:3], {"kind": "open"}]
UUID = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"


@pytest.fixture(autouse=True)
def _no_keys(kept: redis.Redis) -> Iterator[None]:
    """Every test begins and ends without a key."""
    kept.delete(API_KEYS, f"{API_KEYS}:used")
    yield
    kept.delete(API_KEYS, f"{API_KEYS}:used")


@pytest.fixture
def api(settings: Settings) -> Iterator[Api]:
    """An API that knows of no key yet."""
    with running(settings) as started:
        yield started


@dataclass
class Keyed:
    """A service with two keys, each of a name of its own, and a game of the first."""

    api: Api
    ours: str
    theirs: str
    table: Table


def add(api: Api, name: str, limits: str = "") -> str:
    return str(api.run(api.context.keys.add(name, limits)))


def create(api: Api, token: str | None, body: Any = CREATE, **headers: str) -> httpx.Response:
    return api.post("/v1/games", body, token, **headers)


def table_of(api: Api, answer: httpx.Response) -> Table:
    created = good(answer)
    tokens = {seat["seat"]: seat["token"] for seat in created["seats"] if "token" in seat}
    return Table(api, created["game"]["game_id"], tokens, created["creator_token"], answer)


@pytest.fixture
def keyed(api: Api) -> Keyed:
    ours, theirs = add(api, "ours"), add(api, "theirs")
    return Keyed(api, ours, theirs, table_of(api, create(api, ours)))


def asked(api: Api, method: str, path: str, token: str | None, body: Any = None) -> httpx.Response:
    content = {} if body is None else {"json": body}
    return api.run(api.request(method, path, token, AS_JSON, **content))


# ---------------------------------------------------------------------------------------------------- creating


def test_without_any_key_everybody_may_create_games(api: Api) -> None:
    good(create(api, None))


def test_with_a_key_only_its_holder_may_create_games(keyed: Keyed, kept: redis.Redis) -> None:
    before = set(kept.keys("tapete:{*}:game:*"))
    strange = "tk_" + "A" * 43
    for token in (None, strange, keyed.ours[:-1], keyed.ours + "A", keyed.table.creator, keyed.table.tokens[0]):
        answer = create(keyed.api, token)
        refused(answer, "unauthorized")
        assert answer.headers["www-authenticate"]
    assert set(kept.keys("tapete:{*}:game:*")) == before
    good(create(keyed.api, keyed.theirs))


def test_an_unknown_key_is_refused_where_none_is_needed_too(api: Api) -> None:
    """Somebody who believes to hold a key must not find out later that a game is nobody's."""
    refused(create(api, "tk_" + "A" * 43), "unauthorized")


def test_a_revoked_key_is_none_and_revoking_the_last_one_opens_nothing(keyed: Keyed) -> None:
    keys = keyed.api.context.keys
    for name in ("ours", "theirs"):
        assert len(keyed.api.run(keys.revoke(name))) == 1
        assert keyed.api.run(keys.revoke(name)) == [], "there is nothing more to end"
    with running(keyed.api.settings) as later:
        for token in (None, keyed.ours, keyed.theirs):
            refused(create(later, token), "unauthorized")
        refused(later.get(keyed.table.path, keyed.ours), "unauthorized")
        assert replace(keyed.table, api=later).view("creator")["metadata"] == {}, "tokens stay good"
        good(replace(keyed.table, api=later).send(3, PASS, 1))


def test_without_a_key_on_the_list_the_service_is_open_again(keyed: Keyed) -> None:
    for name in ("ours", "theirs"):
        assert keyed.api.run(keyed.api.context.keys.forget(name))
    with running(keyed.api.settings) as later:
        good(create(later, None))
        refused(create(later, keyed.ours), "unauthorized")


def test_another_process_learns_of_new_and_revoked_keys_within_seconds(api: Api, settings: Settings) -> None:
    with running(settings) as other:
        good(create(other, None))
        key = add(api, "new")
        wait_until(lambda: create(other, None).status_code == 401, lambda: "the new key is not known")
        good(create(other, key))
        api.run(api.context.keys.revoke("new"))
        wait_until(lambda: create(other, key).status_code == 401, lambda: "the key is still good")
    assert FRESH_SECONDS < 10, "seconds, as promised"


# ---------------------------------------------------------------------------------------------------- its games


CREATORS = {
    "abandonment": ("POST", "/abandonment", None, 200),
    "a new token": ("POST", "/seats/1/token", None, 200),
    "deletion": ("DELETE", "", None, 204),
}


@pytest.mark.parametrize(("method", "what", "body", "status"), CREATORS.values(), ids=CREATORS)
def test_the_key_that_created_a_game_may_do_what_its_creator_may(
    keyed: Keyed, method: str, what: str, body: Any, status: int
) -> None:
    path = keyed.table.path + what
    refused(asked(keyed.api, method, path, keyed.theirs, body), "unauthorized")
    refused(asked(keyed.api, method, path, None, body), "unauthorized")
    assert keyed.table.view()["status"] == "playing"
    assert keyed.table.version() == 1
    assert asked(keyed.api, method, path, keyed.ours, body).status_code == status


def test_the_key_that_created_a_game_starts_it(keyed: Keyed) -> None:
    waiting = table_of(keyed.api, create(keyed.api, keyed.ours, {**CREATE, "start": "manual"}))
    refused(keyed.api.post(f"{waiting.path}/start", {}, keyed.theirs), "unauthorized")
    assert good(keyed.api.post(f"{waiting.path}/start", {}, keyed.ours))["status"] == "playing"


def test_a_second_key_of_a_name_may_do_what_the_first_may(keyed: Keyed) -> None:
    """So a key is changed without a gap, and the games of the first are not lost with it."""
    second = add(keyed.api, "ours")
    keyed.api.run(keyed.api.context.keys.revoke(keyed.api.run(keyed.api.context.keys.listed())[0][0].id))
    with running(keyed.api.settings) as later:
        refused(later.get(keyed.table.path, keyed.ours), "unauthorized")
        assert good(later.post(f"{keyed.table.path}/abandonment", {}, second))["status"] == "abandoned"


def test_a_game_without_a_key_belongs_to_no_key(api: Api) -> None:
    before = table_of(api, create(api, None))
    key = add(api, "late")
    with running(api.settings) as later:
        for method, what in (("GET", ""), ("POST", "/abandonment"), ("DELETE", "")):
            refused(asked(later, method, before.path + what, key), "unauthorized")


def test_a_key_sees_no_hand(keyed: Keyed) -> None:
    """Neither in the view, nor in the log, nor as legal moves or a bot's advice: it is the creator, who has no seat."""
    table, api = keyed.table, keyed.api
    table.play(bid(7), PASS, PASS, PASS)
    job = good(table.ask_bot(3))["job_id"]
    seen = good(api.get(table.path, keyed.ours))
    assert seen == table.view("creator")
    assert seen["you"] is None
    assert seen["metadata"] == {}
    for what in ("", "/events", "/deals", "/events?limit=1000"):
        assert cards_in(api.get(table.path + what, keyed.ours).text) == set()
    refused(api.get(f"{table.path}/legal-moves", keyed.ours), "forbidden")
    refused(api.post(f"{table.path}/moves", {"expected_version": 5, "move": PASS}, keyed.ours), "forbidden")
    refused(
        api.post(f"{table.path}/bot-moves", {"expected_version": 5, "bot": {"bot": "rules"}}, keyed.ours), "forbidden"
    )
    for what in ("/return", "/resignation"):
        refused(api.post(table.path + what, {}, keyed.ours), "forbidden")
    refused(api.get(f"/v1/jobs/{job}", keyed.ours), "job_not_found")


def test_whoever_takes_a_seat_over_with_a_key_is_seen_by_everyone(keyed: Keyed) -> None:
    """A key can make a new token for a seat, as the creator can; the seat's player and all others are told."""
    token = good(keyed.api.post(f"{keyed.table.path}/seats/2/token", {}, keyed.ours))["token"]
    refused(keyed.table.get("", 2), "unauthorized")
    assert good(keyed.api.get(keyed.table.path, token))["you"]["seat"] == 2
    last = keyed.table.log()[-1]
    assert (last["by"], last["events"]) == ("creator", [{"type": "token_rotated", "seat": 2}])


@pytest.mark.parametrize("what", ["", "/events", "/deals"])
def test_another_games_key_is_unknown_even_for_reading(keyed: Keyed, what: str) -> None:
    assert keyed.table.get(what).status_code == 200
    refused(keyed.api.get(keyed.table.path + what, keyed.theirs), "unauthorized")


def test_a_game_that_is_not_there_is_not_found_by_a_key_too(keyed: Keyed) -> None:
    refused(keyed.api.get("/v1/games/gm_" + "a" * 20, keyed.ours), "game_not_found")


# ---------------------------------------------------------------------------------------------------- idempotency


def test_an_idempotency_key_is_its_api_keys_own(keyed: Keyed) -> None:
    first = create(keyed.api, keyed.ours, idempotency_key=UUID)
    assert create(keyed.api, keyed.ours, idempotency_key=UUID).content == first.content
    other = create(keyed.api, keyed.theirs, idempotency_key=UUID)
    assert good(other)["game"]["game_id"] != good(first)["game"]["game_id"]
    good(create(keyed.api, keyed.theirs, {**CREATE, "metadata": {"a": "b"}}, idempotency_key="another"))
    refused(create(keyed.api, None, idempotency_key=UUID), "unauthorized")


@pytest.mark.parametrize("key", ["7", "order 7/2: Ana", "ours", "~" * 255, "0f1e2d3c", "a:b"])
def test_beside_an_api_key_any_short_text_will_do(keyed: Keyed, key: str) -> None:
    first = create(keyed.api, keyed.ours, idempotency_key=key)
    again = create(keyed.api, keyed.ours, idempotency_key=key)
    assert (again.content, again.headers["idempotency-replayed"]) == (first.content, "true")
    refused(create(keyed.api, keyed.ours, {**CREATE, "seed": "5e" * 32}, idempotency_key=key), "idempotency_mismatch")


def test_no_two_names_and_keys_meet_in_one_game(keyed: Keyed) -> None:
    """Not even where one name and key read like another's when they are put together."""
    with running(keyed.api.settings) as api:
        answers = [create(api, keyed.ours, idempotency_key=key) for key in ("a:b", "a", "b", ":a", "A:B")]
        answers.append(create(api, add(api, "a"), idempotency_key="b"))
        assert len({good(answer)["game"]["game_id"] for answer in answers}) == 6


@pytest.mark.parametrize("key", ["", "x" * 256, "tab\there", "caf\xe9"])
def test_what_is_no_printable_text_is_no_key(keyed: Keyed, key: str) -> None:
    headers = [*AS_JSON.items(), ("Authorization", f"Bearer {keyed.ours}"), ("Idempotency-Key", key.encode("latin-1"))]
    answer = keyed.api.run(keyed.api.client.post("/v1/games", headers=headers, json=CREATE))
    assert refused(answer, "invalid_request")["errors"][0]["parameter"] == "Idempotency-Key"


def test_a_claim_takes_an_api_keys_idempotency_key(keyed: Keyed) -> None:
    """Also the key of another platform: an invite is for whoever holds it."""
    table = table_of(keyed.api, create(keyed.api, keyed.ours, {**CREATE, "seats": OPEN}))
    path, body = f"{table.path}/seats/3/claim", {"invite": keyed.api.tokens.of_invite(table.id, 3)}
    refused(keyed.api.post(path, body, idempotency_key="7"), "invalid_request")
    refused(keyed.api.post(path, body, "tk_" + "A" * 43, idempotency_key="7"), "unauthorized")
    first = good(keyed.api.post(path, body, keyed.theirs, idempotency_key="7"))
    assert good(keyed.api.post(path, body, keyed.theirs, idempotency_key="7"))["token"] == first["token"]
    refused(keyed.api.post(path, body, keyed.ours, idempotency_key="7"), "seat_taken")


# ---------------------------------------------------------------------------------------------------- limits


def test_a_key_has_limits_of_its_own_and_shares_none_with_its_address(settings: Settings, api: Api) -> None:
    few, many = add(api, "few", "games=1/hour"), add(api, "many", "games=1000/hour reads=1/hour")
    with running(replace(settings, limits={"games": Rate(3, 3600), "guesses": Rate(2, 3600)})) as limited:
        few_table = table_of(limited, create(limited, few))
        assert refused(create(limited, few), "rate_limited")["limit_key"] == "games"
        answers = [create(limited, many) for _ in range(10)]
        assert {answer.status_code for answer in answers} == {201}
        mine = table_of(limited, answers[0])
        good(limited.get(mine.path, many))
        assert refused(limited.get(mine.path, many), "rate_limited")["limit_key"] == "reads"
        for _ in range(3):
            good(limited.get(few_table.path, few))


def test_guessed_keys_are_counted_for_the_address(settings: Settings, api: Api) -> None:
    key = add(api, "good")
    with running(replace(settings, limits={"guesses": Rate(2, 3600)})) as limited:
        for guess in "AB":
            refused(create(limited, "tk_" + guess * 43), "unauthorized")
        assert refused(create(limited, "tk_" + "C" * 43), "rate_limited")["limit_key"] == "guesses"
        good(create(limited, key))


# ---------------------------------------------------------------------------------------------------- what is kept


def test_only_a_digest_of_a_key_is_kept_and_nothing_of_it_is_logged_or_answered(
    keyed: Keyed, kept: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    keyed.table.view("creator")
    refused(create(keyed.api, keyed.ours + "x"), "unauthorized")
    refused(keyed.api.get(keyed.table.path, keyed.theirs), "unauthorized")
    texts = [repr(everything_in(kept)), caplog.text, *(each.text + str(each.headers) for each in keyed.api.answers)]
    for key in (keyed.ours, keyed.theirs):
        assert re.fullmatch(r"tk_[A-Za-z0-9_-]{43}", key)
        for text in texts:
            assert key[3:] not in text
            assert key[3:23] not in text
    assert keyed.ours[3:] != keyed.theirs[3:]


def test_the_name_behind_a_game_is_shown_to_nobody(keyed: Keyed) -> None:
    for token in (None, keyed.ours, keyed.table.creator, keyed.table.tokens[0]):
        for what in ("", "/events", "/deals"):
            assert "ours" not in re.sub(
                r'"(?:[a-z_]*hours|colours|yours)"', "", keyed.api.get(keyed.table.path + what, token).text
            )


def test_a_use_is_noted_by_the_hour(keyed: Keyed, kept: redis.Redis) -> None:
    used = dict(keyed.api.run(keyed.api.context.keys.listed()))
    ours = next(hour for key, hour in used.items() if key.name == "ours")
    theirs = next(hour for key, hour in used.items() if key.name == "theirs")
    assert ours is not None
    assert ours % HOUR_MS == 0
    assert theirs is None
    assert len(kept.hgetall(f"{API_KEYS}:used")) == 1


def test_a_store_that_is_away_makes_a_known_key_no_unknown_one(settings: Settings, tmp_path: Path) -> None:
    server = redis_server.start(tmp_path)
    try:
        with running(replace(settings, redis_url=server.url, queue_redis_url=server.url)) as api:
            key = add(api, "ours")
            table = table_of(api, create(api, key))
            server.stop()
            refused(create(api, key), "unavailable")
            refused(api.get(table.path, key), "unavailable")
        with running(replace(settings, redis_url=server.url, queue_redis_url=server.url)) as api:
            refused(create(api, None), "unavailable")
            refused(create(api, key), "unavailable")
            good(api.get("/v1/bots", key))
    finally:
        server.stop()


# ---------------------------------------------------------------------------------------------------- the command


def printed(*arguments: str, **environ: str) -> tuple[int, str]:
    with tapete("keys", *arguments, **environ) as command:
        return command.exit_code(), command.output


def test_the_command_gives_out_lists_and_ends_keys(settings: Settings, kept: redis.Redis) -> None:
    where = {"REDIS_URL": settings.redis_url}
    code, said = printed("add", "mobile", "--limit", "games=5/hour", "--limit", "reads=100/minute", **where)
    assert code == 0
    key = re.search(r"^tk_[A-Za-z0-9_-]{43}$", said, re.MULTILINE)
    assert key is not None
    code, listed = printed("list", **where)
    assert code == 0
    assert key[0] not in listed
    found = re.search(
        r"^mobile +(ak_[0-9a-f]{10}) +\d{4}-\d\d-\d\d +never +good +games=5/hour reads=100/minute$", listed, re.M
    )
    assert found is not None, listed
    with running(settings) as api:
        good(create(api, key[0]))
    assert re.search(r"^mobile .*:00 +good", printed("list", **where)[1], re.M)
    assert printed("revoke", found[1], **where) == (0, f"{found[1]} of mobile is revoked.\n")
    assert printed("revoke", found[1], **where)[0] == 2
    assert re.search(r"^mobile .* revoked", printed("list", **where)[1], re.M)
    assert printed("revoke", "mobile", "--forget", **where) == (0, f"{found[1]} of mobile is forgotten.\n")
    assert kept.exists(API_KEYS) == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["add", "my key"], "NAME takes"),
        (["add", "a:b"], "NAME takes"),
        (["add", "x" * 41], "NAME takes"),
        (["add", "a", "--limit", "games"], "'games' sets no limit"),
        (["add", "a", "--limit", "moves=5/hour"], "'moves=5/hour' is no limit of a key"),
        (["add", "a", "--limit", "games=off"], "'games=off' is no limit of a key"),
        (["revoke", "nobody"], "There is no good key 'nobody'"),
    ],
)
def test_what_the_command_cannot_do_is_wrong_usage(settings: Settings, arguments: list[str], sentence: str) -> None:
    code, said = printed(*arguments, REDIS_URL=settings.redis_url)
    assert code == 2
    assert sentence in said


def test_the_command_finds_the_redis_of_a_running_service_and_the_banner_says_who_may_create(tmp_path: Path) -> None:
    code, said = printed("list", "--data-dir", str(tmp_path))
    assert code == 69
    assert f"No `tapete up` runs on the data directory {tmp_path}" in said
    with tapete_up(tmp_path, "--bot-workers", "1") as up:
        assert re.search(r"^access +open: whoever reaches it may create games", up.output, re.MULTILINE)
        up.wait_for("There are no API keys: whoever reaches this service may create games")
        key = re.search(r"^tk_.*$", printed("add", "mobile", "--data-dir", str(tmp_path))[1], re.MULTILINE)
        assert key is not None
        with closing(httpx.Client(base_url=up.url)) as client:
            wait_until(lambda: client.post("/v1/games", json=CREATE).status_code == 401, lambda: "it is still open")
            answer = client.post("/v1/games", json=CREATE, headers={"Authorization": f"Bearer {key[0]}"})
            assert answer.status_code == 201
        assert up.stop() == 0
    with tapete_up(tmp_path, "--bot-workers", "1") as up:
        assert re.search(r"^access +games are created with an API key \(1 on the list\)", up.output, re.MULTILINE)
        assert "whoever reaches" not in up.output


def test_an_api_alone_says_when_it_is_open(settings: Settings) -> None:
    alone = {"REDIS_URL": settings.redis_url, "TAPETE_SECRET": SECRET}
    with tapete("api", "--port", "0", **alone) as api:
        api.wait_for("There are no API keys")
