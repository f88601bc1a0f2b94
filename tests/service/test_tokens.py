import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import httpx
import pytest
import redis

from service import bot_moves
from service.access import Tokens
from service.settings import Settings
from tests.service.players import (
    AS_JSON,
    PASS,
    PLAYERS,
    Api,
    Table,
    everything_in,
    good,
    refused,
    running,
)

NEW_SECRET, OTHER_SECRET = b"new" * 11, b"nobody's" * 4
BOTS_SEAT = 1


@dataclass
class Place:
    """A game of three players and a bot, in which seat 3 is to move and has asked a bot; and a game beside it."""

    table: Table
    beside: Table
    job: str


@pytest.fixture
def place(api: Api) -> Place:
    seats = [*PLAYERS[:1], {"kind": "bot", "bot": {"bot": "rules"}}, *PLAYERS[:2]]
    table, beside = (api.create(seats=seats, options={"first_dealer": 0}, pace_seconds=60) for _ in range(2))
    return Place(table, beside, good(table.ask_bot(3))["job_id"])


def asked(api: Api, method: str, path: str, token: str | None, body: Any = None, **headers: str) -> httpx.Response:
    content = {} if body is None else {"json": body}
    return api.run(api.request(method, path, token, {**AS_JSON, **headers}, **content))


Operation = Callable[..., httpx.Response]

BOT = {"bot": "rules", "version": 1}


def operation(method: str, what: str, body: Any = None) -> Operation:
    def ask(place: Place, token: str | None, **headers: str) -> httpx.Response:
        path = f"/v1/jobs/{place.job}" if what == "job" else place.table.path + what
        return asked(place.table.api, method, path, token, body, **headers)

    return ask


READS: dict[str, Operation] = {
    "getGame": operation("GET", ""),
    "listEvents": operation("GET", "/events"),
    "listDeals": operation("GET", "/deals"),
}
ACTS: dict[str, Operation] = {
    "listLegalMoves": operation("GET", "/legal-moves"),
    "applyMove": operation("POST", "/moves", {"expected_version": 1, "move": PASS}),
    "askBot": operation("POST", "/bot-moves", {"expected_version": 1, "bot": BOT}),
}
JOB: dict[str, Operation] = {"getJob": operation("GET", "job")}
IN_GAME = {**READS, **ACTS}
ALL = {**IN_GAME, **JOB}


def each(operations: dict[str, Operation]) -> Any:
    """A test for each operation."""
    return pytest.mark.parametrize("ask", operations.values(), ids=operations)


# ---------------------------------------------------------------------------------------------------- who may


@each(ALL)
def test_the_seats_own_token_is_good_for_everything(place: Place, ask: Operation) -> None:
    assert ask(place, place.table.tokens[3]).status_code in (200, 202)


@each(READS)
def test_reading_needs_no_token(place: Place, ask: Operation) -> None:
    assert ask(place, None).status_code == 200


@each({**ACTS, **JOB})
def test_acting_needs_a_token(place: Place, ask: Operation) -> None:
    answer = ask(place, None)
    refused(answer, "unauthorized")
    assert answer.headers["www-authenticate"] == 'Bearer realm="tapete"'


@each(READS)
def test_the_creators_token_reads(place: Place, ask: Operation) -> None:
    assert ask(place, place.table.creator).status_code == 200


@each(ACTS)
def test_the_creators_token_plays_no_cards(place: Place, ask: Operation) -> None:
    refused(ask(place, place.table.creator), "forbidden")


@pytest.mark.parametrize("who", [0, 2, "creator"])
def test_a_job_is_nobodys_but_the_seats_that_asked(place: Place, who: int | str) -> None:
    refused(JOB["getJob"](place, place.table.token(who)), "job_not_found")


def test_another_seats_token_may_not_move_for_this_one(place: Place) -> None:
    for seat in (0, 2):
        refused(ACTS["applyMove"](place, place.table.tokens[seat]), "not_your_turn")
        refused(ACTS["askBot"](place, place.table.tokens[seat]), "not_your_turn")
        assert good(ACTS["listLegalMoves"](place, place.table.tokens[seat]))["moves"] == []
    assert place.table.version() == 1


# ---------------------------------------------------------------------------------------------------- unknown tokens


def tampered(token: str) -> Iterator[str]:
    """The token with one thing changed, each place of its mac included."""
    role, generation, mac = token.split(".")
    for at in range(len(mac)):
        yield f"{role}.{generation}.{mac[:at]}{'A' if mac[at] != 'A' else 'B'}{mac[at + 1 :]}"
    yield from (token[:-1], f"{token}A", f"{token}=", token.upper(), token.lower(), f"{role}.{generation}.", mac)
    yield from (f"{role}.00.{mac}", f"{role}.1.{mac}", f"seat0.{generation}.{mac}", f"creator.{generation}.{mac}")
    yield f"seat03.{generation}.{mac}"


def unknown_tokens(place: Place) -> dict[str, str]:
    """Tokens that look right and are none of this game."""
    ours, id_ = place.table.api.tokens, place.table.id
    strange = Tokens((OTHER_SECRET,))
    return {
        "another game's": place.beside.tokens[3],
        "another game's creator's": place.beside.creator,
        "a bot's seat's": ours.of_seat(id_, BOTS_SEAT, 0),
        "a seat's that is not there": ours.of_seat(id_, 4, 0),
        "a newer generation's": ours.of_seat(id_, 3, 1),
        "another secret's": strange.of_seat(id_, 3, 0),
        "another secret's creator's": strange.of_creator(id_),
        "a tampered": next(tampered(place.table.tokens[3])),
        "a made-up": "letmein",
    }


@pytest.mark.parametrize("name", ["getGame", "listEvents", "listDeals", "listLegalMoves", "applyMove", "askBot"])
def test_a_token_that_is_unknown_here_is_refused_even_for_reading(place: Place, name: str) -> None:
    """Somebody who believes to hold a seat must not be shown a spectator's view in silence."""
    for kind, token in unknown_tokens(place).items():
        refused(IN_GAME[name](place, token), "unauthorized")
        assert kind
    assert place.table.version() == 1


def test_a_job_is_not_told_to_a_token_that_is_unknown_in_its_game(place: Place) -> None:
    for token in unknown_tokens(place).values():
        refused(JOB["getJob"](place, token), "unauthorized")


def test_a_token_with_anything_changed_is_unknown(place: Place) -> None:
    """The last place of the mac included, whose last bits base64 does not use."""
    for token in tampered(place.table.tokens[3]):
        refused(IN_GAME["listLegalMoves"](place, token), "unauthorized")


@each(ALL)
@pytest.mark.parametrize(
    "header",
    [
        "Basic {}",
        "Bearer",
        "Bearer ",
        "{}",
        "Bearer {} {}",
        "Bearer {},Bearer {}",
        "Token {}",
        'Bearer "{}"',
        "Bearer\t{}",
    ],
)
def test_a_header_that_is_no_bearer_token_is_refused_and_not_ignored(place: Place, ask: Operation, header: str) -> None:
    answer = ask(place, None, authorization=header.format(*[place.table.tokens[3]] * 2))
    assert "Authorization: Bearer" in refused(answer, "unauthorized")["detail"]


@each(ALL)
def test_two_headers_are_refused_even_if_both_are_good(place: Place, ask: Operation) -> None:
    """Which one counts would be anybody's guess, and a proxy's may be another."""
    ours = f"Bearer {place.table.tokens[3]}"
    place.table.api.client.headers = httpx.Headers([("Authorization", ours)])
    try:
        assert ask(place, None).status_code in (200, 202)
        place.table.api.client.headers = httpx.Headers([("Authorization", ours), ("Authorization", ours)])
        refused(ask(place, None), "unauthorized")
    finally:
        place.table.api.client.headers = httpx.Headers()


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer  "])
def test_the_scheme_may_be_written_in_any_case(place: Place, scheme: str) -> None:
    answer = READS["getGame"](place, None, authorization=f"{scheme} {place.table.tokens[3]}")
    assert good(answer)["you"]["seat"] == 3


@each(IN_GAME)
@pytest.mark.parametrize("game_id", ["gm_" + "a" * 20, "gm_", "x", "gm_" + "A" * 20, "gm_" + "a" * 200, "%00", "seat0"])
def test_a_game_that_is_not_there_is_not_found_whatever_the_token(place: Place, ask: Operation, game_id: str) -> None:
    elsewhere = replace(place, table=replace(place.table, id=game_id))
    for token in (None, place.table.tokens[3], place.table.creator, "letmein"):
        refused(ask(elsewhere, token), "game_not_found")


@pytest.mark.parametrize("end", ["", "x", "0" * 32, "0" * 300])
def test_a_job_that_is_not_there_is_not_found(place: Place, end: str) -> None:
    elsewhere = replace(place, job=place.job[:24] + end)
    refused(JOB["getJob"](elsewhere, place.table.tokens[3]), "job_not_found")
    refused(JOB["getJob"](elsewhere, None), "unauthorized")


def test_no_parameter_widens_a_view(place: Place) -> None:
    path = place.table.path
    for query in ("seat=0", "as=creator", f"token={place.table.tokens[0]}", "access_token=x", "hands=all"):
        refused(place.table.api.get(f"{path}?{query}", place.table.tokens[3]), "invalid_request")
        refused(place.table.api.get(f"{path}/events?{query}"), "invalid_request")
    for header in ({"x_seat": "0"}, {"cookie": f"token={place.table.tokens[0]}"}, {"x_api_key": "0"}):
        assert place.table.get("", 3, **header).text == place.table.get("", 3).text


# ---------------------------------------------------------------------------------------------------- secrets


def test_an_old_secret_is_good_until_it_is_taken_away_and_new_tokens_are_of_the_new_one(
    table: Table, settings: Settings
) -> None:
    """Two secrets make a change that no game notices; with the old one gone its tokens are unknown."""
    old = settings.secrets[0]
    with running(replace(settings, secrets=(NEW_SECRET, old))) as api:
        changing = replace(table, api=api)
        assert [changing.view(who) for who in (0, 3, "creator")] == [table.view(who) for who in (0, 3, "creator")]
        changing.play(PASS)
        good(changing.ask_bot(2))
        young = api.create()
        assert young.view(0)["you"]["seat"] == 0
    with running(replace(settings, secrets=(NEW_SECRET,))) as api:
        assert replace(young, api=api).view(0)["you"]["seat"] == 0
        assert replace(young, api=api).view("creator")["metadata"] == {}
        for who in (0, 1, 2, 3, "creator"):
            refused(replace(table, api=api).get("", who), "unauthorized")
    assert table.version() == 2
    refused(replace(young, api=table.api).get("", 0), "unauthorized")


# ---------------------------------------------------------------------------------------------------- where tokens are


def test_tokens_are_nowhere_but_in_the_answer_that_made_them(
    api: Api, kept: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    """Not in what is kept, not in what is logged, and in no other answer, refusals and a bot's job included."""
    caplog.set_level(logging.DEBUG)
    seats = [*PLAYERS[:3], {"kind": "bot", "bot": {"bot": "rules"}}]
    table = api.create(seats=seats, options={"first_dealer": 0}, pace_seconds=60)
    api.answers.clear()
    api.run(bot_moves.take_turn(api.context, table.id, 1))
    job = good(table.ask_bot(2, play=True))
    api.run(bot_moves.answer_job(api.context, job["job_id"]))
    for who, code in {
        0: "version_conflict",
        1: "version_conflict",
        "creator": "forbidden",
        None: "unauthorized",
    }.items():
        table.view(who)
        table.events(who=who)
        refused(table.send(who, PASS, 1), code)
    refused(api.get(table.path, table.tokens[0] + "x"), "unauthorized")
    refused(api.post(f"{table.path}/moves", {"move": table.tokens[0]}, table.tokens[0]), "invalid_request")
    texts = [answer.text + str(answer.headers) for answer in api.answers]
    assert len(texts) > 10
    texts += [repr(everything_in(kept)), caplog.text, *(str(record.args) for record in caplog.records)]
    macs = [token.rpartition(".")[2] for token in (*table.tokens.values(), table.creator)]
    for text in texts:
        assert not any(mac in text for mac in macs)
        assert not re.search(r"(?:seat\d|creator)\.\d+\.", text)
        assert api.settings.secrets[0].hex() not in text
        assert repr(api.settings.secrets[0])[2:-1] not in text
    assert table.id in caplog.text, "requests are logged here, so a token in one would be found"
