"""`Idempotency-Key`: a game is created once, whatever happens to requests and answers."""

from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest
import redis

from service.settings import Settings
from service.store import key, shard_of
from tests.service.players import AS_JSON, PLAYERS, Api, Json, Table, bid, good, losing, refused, running

KEYS = iter(f"00000000-0000-4000-8000-{number:012x}" for number in range(1000))
FOUR = {"ruleset": "tarneeb", "seats": PLAYERS, "options": {"first_dealer": 0, "target": 41}}
TWO_BOTS = [{"kind": "bot", "bot": {"bot": "rules"}}, {"kind": "player", "name": "Ana"}] * 2
BODIES: dict[str, Json] = {
    "tarneeb": FOUR,
    "reihe": {"ruleset": "reihe", "preset": "for_money", "seats": [{"kind": "player"}] * 3},
    "rosbiratschka": {"ruleset": "rosbiratschka", "seats": [{"kind": "player"}] * 4, "metadata": {"table": "7"}},
    "elfer_raus": {"ruleset": "elfer_raus", "seats": [{"kind": "player"}] * 5, "pace_seconds": 1},
    "with bots": {"ruleset": "tarneeb", "seats": TWO_BOTS, "options": {"first_dealer": 2}, "pace_seconds": 10},
}


@pytest.fixture
def a_key() -> str:
    return next(KEYS)


def table_of(api: Api, answer: httpx.Response) -> Table:
    created = good(answer)
    tokens = {seat["seat"]: seat["token"] for seat in created["seats"]}
    return Table(api, created["game"]["game_id"], tokens, created["creator_token"], answer)


def games_kept(kept: redis.Redis) -> set[bytes]:
    return set(kept.keys("tapete:{*}:game:*"))


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_same_key_and_body_have_the_first_answer_again_byte_for_byte(api: Api, a_key: str, body: Json) -> None:
    first = api.post("/v1/games", body, idempotency_key=a_key)
    again = api.post("/v1/games", body, idempotency_key=a_key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert again.headers["location"] == first.headers["location"]
    assert again.headers["cache-control"] == "no-store"


def test_the_first_answer_comes_again_however_far_the_game_has_gone_on(api: Api, a_key: str) -> None:
    first = api.post("/v1/games", FOUR, idempotency_key=a_key)
    table = table_of(api, first)
    assert table.play_on(150)["match"]["deals_played"] >= 2
    version = table.version()
    assert api.post("/v1/games", FOUR, idempotency_key=a_key).content == first.content
    assert table.version() == version


def test_a_key_is_the_same_in_capitals_and_options_in_any_order(api: Api, a_key: str) -> None:
    a_key = a_key[:-2] + "ab"
    first = api.post("/v1/games", FOUR, idempotency_key=a_key)
    turned = {**FOUR, "options": dict(reversed(FOUR["options"].items()))}
    assert api.post("/v1/games", turned, idempotency_key=a_key.upper()).content == first.content


def test_another_body_is_refused_and_changes_nothing(api: Api, kept: redis.Redis, a_key: str) -> None:
    good(api.post("/v1/games", FOUR, idempotency_key=a_key))
    before = games_kept(kept)
    for other in ({**FOUR, "options": {}}, {**FOUR, "metadata": {"a": "b"}}, {**FOUR, "seed": "5e" * 32}):
        refused(api.post("/v1/games", other, idempotency_key=a_key), "idempotency_mismatch")
    assert games_kept(kept) == before


def test_other_keys_and_no_key_make_other_games(api: Api) -> None:
    answers = [api.post("/v1/games", FOUR, idempotency_key=next(KEYS)) for _ in range(3)]
    answers += [api.post("/v1/games", FOUR) for _ in range(3)]
    assert len({good(answer)["game"]["game_id"] for answer in answers}) == 6


def test_a_refused_request_leaves_its_key_free(api: Api, a_key: str) -> None:
    refused(api.post("/v1/games", {**FOUR, "preset": "bridge"}, idempotency_key=a_key), "invalid_options")
    assert "idempotency-replayed" not in api.post("/v1/games", FOUR, idempotency_key=a_key).headers


def test_requests_at_the_same_time_create_one_game(api: Api, kept: redis.Redis, a_key: str) -> None:
    before = games_kept(kept)
    headers = {**AS_JSON, "idempotency-key": a_key}
    answers = api.together(*(api.request("POST", "/v1/games", None, headers, json=FOUR) for _ in range(10)))
    assert [answer.status_code for answer in answers] == [201] * 10
    assert len({answer.content for answer in answers}) == 1
    assert sorted("idempotency-replayed" in answer.headers for answer in answers) == [False] + [True] * 9
    assert len(games_kept(kept) - before) == 1


@pytest.mark.parametrize("ran", [True, False], ids=["after the game was created", "before"])
def test_a_lost_answer_is_asked_for_again_and_one_game_is_there(
    api: Api, kept: redis.Redis, a_key: str, *, ran: bool
) -> None:
    before = games_kept(kept)
    with losing(api, "commit", ran=ran):
        refused(api.post("/v1/games", FOUR, idempotency_key=a_key), "unavailable")
    answer = api.post("/v1/games", FOUR, idempotency_key=a_key)
    assert ("idempotency-replayed" in answer.headers) is ran
    assert len(games_kept(kept) - before) == 1
    table = table_of(api, answer)
    assert good(table.send(3, bid(7)))["version"] == 2


@pytest.mark.parametrize(
    "sent", ["", "7", "00000000-0000-4000-8000-00000000000g", "0" * 32, "00000000-0000-4000-8000-0000000000000"]
)
def test_what_is_no_uuid_is_no_key(api: Api, sent: str) -> None:
    problem = refused(api.post("/v1/games", FOUR, idempotency_key=sent), "invalid_request")
    assert problem["errors"] == [{"parameter": "Idempotency-Key", "detail": "It takes one UUID."}]


def test_two_keys_are_none(api: Api) -> None:
    headers = [*AS_JSON.items(), ("Idempotency-Key", next(KEYS)), ("Idempotency-Key", next(KEYS))]
    refused(api.run(api.client.post("/v1/games", headers=headers, json=FOUR)), "invalid_request")


@pytest.fixture
def later(settings: Settings) -> Iterator[Api]:
    """The same service after its secret was changed, with the old one still valid."""
    with running(replace(settings, secrets=(b"a new secret for all", *settings.secrets))) as started:
        yield started


def test_a_key_outlives_a_change_of_the_secret(api: Api, later: Api, a_key: str) -> None:
    first = good(api.post("/v1/games", FOUR, idempotency_key=a_key))
    table = table_of(later, later.post("/v1/games", FOUR, idempotency_key=a_key))
    assert table.id == first["game"]["game_id"]
    assert good(table.send(3, bid(7)))["version"] == 2


def test_the_key_of_a_game_that_has_expired_is_free_again(api: Api, kept: redis.Redis, a_key: str) -> None:
    table = table_of(api, api.post("/v1/games", FOUR, idempotency_key=a_key))
    for kind in ("game", "log", "deals"):
        assert kept.pexpire(key(kind, shard_of(table.id), table.id), 0)
    answer = api.post("/v1/games", FOUR, idempotency_key=a_key)
    assert "idempotency-replayed" not in answer.headers
    assert good(table_of(api, answer).get())["version"] == 1
