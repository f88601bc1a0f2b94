"""What people may call themselves, and what they may not: text from outside, in answers, logs and documents."""

import json
import logging
import unicodedata
from typing import Any

import httpx
import pytest
import redis

from tests.service.chairs import ANA, BOT, KEY, OPEN, claim, invite, post, rotate
from tests.service.players import AS_JSON, PLAYERS, SEED, Api, Json, everything_in, good, refused

CONTROLS = {
    "a null": "\0",
    "a bell": "\a",
    "a newline": "\n",
    "a carriage return": "\r",
    "an escape": "\x1b[31m",
    "delete": "\x7f",
    "a C1 control": "\x9b",
    "a line separator": "\u2028",
    "a paragraph separator": "\u2029",
    "left-to-right mark": "\u200e",
    "right-to-left mark": "\u200f",
    "Arabic letter mark": "\u061c",
    "right-to-left override": "\u202e",
    "right-to-left embedding": "\u202b",
    "an isolate": "\u2067",
    "end of isolate": "\u2069",
}
HARMLESS = {
    "markup": "<script>alert(1)</script>",
    "a format": "%s%n{}${jndi:x}",
    "quotes": "'\";--\\",
    "Arabic": "\u0644\u0648\u062a\u0647",
    "an emoji": "\U0001f0a1",
    "a space": " ",
    "forty": "\u00e9" * 40,
}
anywhere = pytest.mark.parametrize("text", CONTROLS.values(), ids=CONTROLS)


@pytest.fixture
def body() -> Json:
    return {"ruleset": "tarneeb", "seats": [ANA, OPEN, BOT, OPEN], "seed": SEED}


def refused_at(answer: httpx.Response, pointer: str) -> None:
    """The request is refused at this place, with nothing of what it said in the answer but as escaped JSON."""
    (place,) = refused(answer, "invalid_request")["errors"]
    assert place["pointer"] == pointer
    assert not any(unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp") for letter in answer.text)


@anywhere
def test_a_field_or_option_that_does_not_exist_is_named_without_disturbing_whoever_reads_it(
    api: Api, body: Json, text: str
) -> None:
    """The answer names it, escaped: as JSON it is the very name that was sent."""
    name = f"a{text}b"
    answer = api.post("/v1/games", {**body, name: 1})
    assert name in refused(answer, "invalid_request")["errors"][0]["detail"]
    options = api.post("/v1/games", {**body, "options": {name: 1}})
    assert refused(options, "invalid_options")["errors"][0]["pointer"] == f"/options/{name}"
    query = api.run(api.client.get("/v1/rulesets", params={name: "1"}))
    refused(query, "invalid_request")
    for each in (answer, options, query):
        assert not any(unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp") for letter in each.text)


@anywhere
@pytest.mark.parametrize("place", ["{}", "Ana{}", "{}Ana", "A{}na"])
def test_a_name_with_control_or_bidirectional_characters_is_refused(
    api: Api, body: Json, text: str, place: str
) -> None:
    name = place.format(text)
    for number, seat in enumerate(({"kind": "player", "name": name}, {**BOT, "name": name})):
        seats = [seat if at == number else ANA for at in range(4)]
        refused_at(api.post("/v1/games", {**body, "seats": seats}), f"/seats/{number}/name")
    table = api.create(**body)
    refused_at(claim(table, 1, name=name), "/name")
    assert table.version() == 0


@pytest.mark.parametrize("name", ["", "x" * 41, "\u00e9" * 41, 7, True, ["Ana"], {"name": "Ana"}])
def test_a_name_that_is_none_too_long_or_no_text_is_refused(api: Api, body: Json, name: Any) -> None:
    refused_at(api.post("/v1/games", {**body, "seats": [{"kind": "player", "name": name}] * 4}), "/seats/0/name")
    refused_at(claim(api.create(**body), 1, name=name), "/name")


@pytest.mark.parametrize("name", HARMLESS.values(), ids=HARMLESS)
def test_any_other_name_is_shown_as_it_was_given(api: Api, body: Json, name: str) -> None:
    """In views and in the log, as JSON that is never anything else."""
    table = api.create(**{**body, "seats": [{"kind": "player", "name": name}, OPEN, BOT, OPEN]})
    claimed = claim(table, 1, name=name)
    assert [seat["name"] for seat in good(claimed)["game"]["seats"][:2]] == [name, name]
    assert table.log()[0]["events"] == [{"type": "seat_claimed", "seat": 1, "name": name}]
    for answer in (claimed, table.get(), table.get("/events")):
        assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    "content",
    [b'"\\ud800"', b'"\xff\xfe"', b'"\xc0\x80"', b'"\xed\xa0\x80"', b'"A\x00na"', b'"A\nna"', b"\x00", b"Ana"],
)
def test_text_that_is_no_text_is_refused(api: Api, body: Json, content: bytes) -> None:
    """Half a surrogate pair, bytes that are no UTF-8, control characters that JSON wants escaped."""
    table = api.create(**body)
    sent = json.dumps({"invite": invite(table, 1), "name": "?"}).encode().replace(b'"?"', content)
    refused(api.post(f"{table.path}/seats/1/claim", sent), "invalid_request")
    assert table.version() == 0


@anywhere
def test_a_client_seed_is_letters_and_digits(api: Api, body: Json, text: str) -> None:
    """It goes into a hash whose text is published, so nothing in it may be read in two ways."""
    table = api.create(**body, start="manual")
    for seed in (text, f"a{text}", f"{text}a", "", "a b", "a:b", "\u00e9", "x" * 65, 7):
        refused_at(claim(table, 1, client_seed=seed), "/client_seed")
        refused_at(post(table, "/start", "creator", {"client_seed": seed}), "/client_seed")
    assert table.version() == 0
    assert good(claim(table, 1, client_seed="A-z_09" + "x" * 58))["game"]["client_seeds"] == ["A-z_09" + "x" * 58]


@anywhere
def test_an_invite_may_be_anything_and_opens_nothing(api: Api, body: Json, text: str) -> None:
    table = api.create(**body)
    for wrong in (text, invite(table, 1) + text, text + invite(table, 1), "x" * 200):
        answer = post(table, "/seats/1/claim", None, {"invite": wrong})
        refused(answer, "unauthorized")
        assert wrong not in answer.text
    for wrong in ("x" * 201, 7, None, [invite(table, 1)]):
        refused_at(post(table, "/seats/1/claim", None, {"invite": wrong}), "/invite")


@pytest.mark.parametrize(
    ("metadata", "pointer"),
    [
        ({f"key{number}": "" for number in range(17)}, "/metadata"),
        ({"": "x"}, "/metadata"),
        ({"k" * 41: "x"}, "/metadata"),
        ({"k": "x" * 501}, "/metadata"),
        ({"k": 7}, "/metadata"),
        ({"k": None}, "/metadata"),
        ({"k": {"a": "b"}}, "/metadata"),
        (["k"], "/metadata"),
        ("k", "/metadata"),
    ],
)
def test_metadata_of_another_shape_is_refused(api: Api, body: Json, metadata: Any, pointer: str) -> None:
    refused_at(api.post("/v1/games", {**body, "metadata": metadata}), pointer)


def test_metadata_may_hold_any_text_and_is_the_creators_alone(
    api: Api, body: Json, kept: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever it is, it comes back to the creator as it was, to nobody else, and is in no log."""
    caplog.set_level(logging.DEBUG)
    metadata = {f"k{text}": f"mine {text}" for text in (*CONTROLS.values(), *HARMLESS.values())}
    metadata = dict([*metadata.items()][:15], last="mine " + "\u202e" * 495)
    table = api.create(**body, metadata=metadata)
    assert table.created.json()["game"]["metadata"] == metadata == table.view("creator")["metadata"]
    assert good(rotate(table, 0, "creator"))
    assert good(claim(table, 1))["game"]["metadata"] is None
    for answer in (table.get(), table.get("/events"), table.get("/events", "creator")):
        assert "mine" not in answer.text
    assert "mine" not in caplog.text
    assert "mine" in repr(everything_in(kept)), "it is kept, so it would be found where it is not looked for"


@pytest.mark.parametrize(
    ("header", "code"),
    [
        (("Authorization", b"Bearer \xff\xfe"), "unauthorized"),
        (("Authorization", b"Bearer seat0.0.\xe2\x80\xae"), "unauthorized"),
        (("Authorization", b"Bearer " + b"x" * 5000), "unauthorized"),
        (("Idempotency-Key", b"\xe2\x80\xae" + KEY.encode()), "invalid_request"),
        (("Idempotency-Key", KEY.encode() + b"\t"), "invalid_request"),
        (("Idempotency-Key", b"x" * 5000), "invalid_request"),
        (("Content-Type", b"application/json; charset=\xe2\x80\xae"), "unsupported_media_type"),
        (("Content-Type", b"\x1b[31m"), "unsupported_media_type"),
        (("Accept", b"\xe2\x80\xae/json"), "not_acceptable"),
    ],
)
def test_a_header_that_is_no_text_of_its_kind_is_refused_and_not_repeated(
    api: Api, body: Json, header: tuple[str, bytes], code: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither in the answer nor in the log."""
    table = api.create(**body)
    caplog.set_level(logging.DEBUG, "tapete")
    sent = {name: value.encode() for name, value in AS_JSON.items() if name != header[0].lower()}
    content = json.dumps({"invite": invite(table, 1)})
    path = f"{table.path}/seats/1/claim"
    answer = api.run(api.client.post(path, headers=[*sent.items(), header], content=content))
    refused(answer, code)
    for text in (answer.text, str(answer.headers), *(record.getMessage() for record in caplog.records)):
        assert not {"\u202e", "\x1b", "\xff"} & set(text)
        assert "xxxxxxxx" not in text
    assert table.version() == 0


@pytest.mark.parametrize("agent", [b"\xe2\x80\xae", b"\x1b[31m", b"x" * 5000])
def test_a_header_that_nobody_reads_does_no_harm(api: Api, agent: bytes, caplog: pytest.LogCaptureFixture) -> None:
    table = api.create(seats=PLAYERS)
    caplog.set_level(logging.DEBUG, "tapete")
    for name in ("User-Agent", "X-Request-Id", "Referer", "If-None-Match", "Prefer"):
        answer = api.run(api.client.get(table.path, headers=[(name, agent)]))
        assert good(answer)["version"] == 1
        assert len(answer.headers["x-request-id"]) == 16
    assert not caplog.records


@anywhere
def test_a_path_with_such_characters_is_nowhere_and_not_repeated_as_it_is(api: Api, text: str) -> None:
    encoded = "".join(f"%{byte:02x}" for byte in text.encode())
    for method, path in (("GET", encoded), ("POST", f"{encoded}/seats/1/token"), ("DELETE", encoded)):
        answer = api.run(api.request(method, f"/v1/games/{path}", "creator.0." + "A" * 43))
        assert answer.status_code == 404
        assert not any(unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp") for letter in answer.text)
