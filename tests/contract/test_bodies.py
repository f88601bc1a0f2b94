"""Bodies: what is JSON, what is declared as JSON, and what a value may be. Each case by name."""

import gzip
import re

import httpx
import pytest

from tests.contract.tables import JSON, Mover
from tests.service.players import good, refused

SEATS = '[{"kind":"player"},{"kind":"player"},{"kind":"player"},{"kind":"player"}]'


def create(client: httpx.Client, more: str = "", seats: str = SEATS) -> httpx.Response:
    """Ask for a game; `more` goes into the body as it is."""
    return client.post("/v1/games", content=f'{{"ruleset":"tarneeb","seats":{seats}{more}}}', headers=JSON)


def move(version: str, made: str) -> str:
    """The body of a move, of these very parts."""
    return f'{{"expected_version":{version},"move":{made}}}'


def test_a_number_that_is_whole_is_an_integer_however_it_is_written(mover: Mover, client: httpx.Client) -> None:
    good(mover.send('{"expected_version":1.0,"move":{"type":"pass"}}'))
    good(create(client, ',"options":{"target":2.1e1}'))
    refused(mover.send('{"expected_version":2,"move":{"type":"bid","amount":8.0}}'), "not_your_turn")


@pytest.mark.parametrize("version", ['"1"', "true", "1.5", "null", "-1", "1e300", "9" * 300, "[1]"])
def test_nothing_else_is_taken_for_an_integer(mover: Mover, version: str) -> None:
    problem = refused(mover.send(move(version, '{"type":"pass"}')), "invalid_request")
    assert problem["errors"][0]["pointer"] in ("/expected_version", "")


@pytest.mark.parametrize("amount", ["9" * 300, "-" + "9" * 300, "1e300"])
def test_a_number_of_any_size_is_a_bid_that_the_rules_refuse(mover: Mover, amount: str) -> None:
    answer = mover.send(move("1", f'{{"type":"bid","amount":{amount}}}'))
    assert refused(answer, "illegal_move")["reason"] == "bid_out_of_range"


@pytest.mark.parametrize(
    "body",
    [
        '{"expected_version":1,"expected_version":1,"move":{"type":"pass"}}',
        '{"expected_version":1,"move":{"type":"pass","type":"pass"}}',
        '{"expected_version":1,"move":{"type":"pass"},"extra":1}',
        '{"expected_version":1,"move":{"type":"pass","card":"A-spades"}}',
        '{"expected_version":1,"move":{"type":"play","card":"A-spades\\n"}}',
        '{"expected_version":1,"move":{"type":"play","card":"A-stars"}}',
        '{"expected_version":1,"move":{"type":"sneeze"}}',
        '{"expected_version":1,"move":{}}',
        '{"expected_version":1}',
        "[]",
    ],
)
def test_a_body_of_another_shape_is_refused_with_its_places(mover: Mover, body: str) -> None:
    problem = refused(mover.send(body), "invalid_request")
    assert all(re.fullmatch(r"(/[^/]+)*", each["pointer"]) and each["detail"] for each in problem["errors"])
    assert problem["errors"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nonsense",
        b'{"expected_version":NaN,"move":{"type":"pass"}}',
        b'{"expected_version":1,"move":{"type":"pass"}} {}',
        b'{"expected_version":1,"move":{"type":"\xff"}}',
        b'{"expected_version":1,"move":{"type":"\\ud800"}}',
        b"\xef\xbb\xbf{}",
        '{"expected_version":1,"move":{"type":"pass"}}'.encode("utf-16"),
        b"[" * 60_000,
        b'{"move":' * 5_000 + b"1" + b"}" * 5_000,
        b'{"expected_version":1,"move":{"type":"bid","amount":' + b"9" * 60_000 + b"}}",
    ],
    ids=lambda body: repr(body[:24]),
)
def test_what_is_not_json_in_utf8_is_refused(mover: Mover, body: bytes) -> None:
    refused(mover.send(body), "invalid_request")


def test_a_lone_surrogate_is_no_text_wherever_it_stands(client: httpx.Client) -> None:
    for more in (',"metadata":{"a":"\\ud800"}', ',"preset":"\\udfff"', ',"options":{"\\ud800":1,"target":7.0}'):
        refused(create(client, more), "invalid_request")


@pytest.mark.parametrize("name", ["Ana\\n", "\\u0000", "a\\u202eb", ""])
def test_a_name_that_would_disturb_its_surroundings_is_refused(client: httpx.Client, name: str) -> None:
    seats = SEATS.replace('"player"', f'"player","name":"{name}"', 1)
    refused(create(client, seats=seats), "invalid_request")


def test_a_seed_with_a_newline_at_its_end_is_no_seed(client: httpx.Client) -> None:
    refused(create(client, ',"seed":"%s\\n"' % ("5e" * 32)), "invalid_request")


@pytest.mark.parametrize(
    "declared",
    [
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain",
        "text/json",
        "application/jsonp",
        "application/json; charset=utf-16",
        "",
    ],
)
def test_a_body_that_is_not_declared_as_json_is_not_read(mover: Mover, declared: str) -> None:
    body = '{"expected_version":1,"move":{"type":"pass"}}'
    refused(mover.send(body, **{"Content-Type": declared}), "unsupported_media_type")


@pytest.mark.parametrize(
    "declared", ["application/json; charset=utf-8", "Application/JSON", 'application/json;charset="UTF-8"']
)
def test_json_may_be_declared_in_any_right_way(mover: Mover, declared: str) -> None:
    good(mover.send('{"expected_version":1,"move":{"type":"pass"}}', **{"Content-Type": declared}))


def test_a_body_in_chunks_is_a_body(mover: Mover) -> None:
    chunks = (each.encode() for each in ('{"expected_version":1,', '"move":{"type":"pass"}}'))
    good(mover.client.post(mover.path, content=chunks, headers=mover.headers))


def test_a_body_that_is_too_large_is_refused_whether_its_length_is_declared_or_not(mover: Mover) -> None:
    large = b" " * (64 * 1024 + 1)
    refused(mover.send(large), "too_large")
    refused(mover.client.post(mover.path, content=iter([large]), headers=mover.headers), "too_large")
    refused(mover.send(b" " * 64 * 1024), "invalid_request")


TEXT = '{"expected_version":1,"move":{"type":"pass"}}'


@pytest.mark.parametrize(
    "body",
    [
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32"),
        TEXT.encode("utf-7").replace(b"{", b"+AHs-"),
        gzip.compress(TEXT.encode()),
        TEXT.replace("pass", "caf\xe9").encode("latin-1"),
        b"\xef\xbb\xbf" + TEXT.encode(),
        TEXT.encode() + b"\x00",
        b"\x00" + TEXT.encode(),
        TEXT.replace(" ", "\xa0").replace(":", "\xa0:").encode(),
        TEXT.replace('"', "'").encode(),
        b"// a move\n" + TEXT.encode(),
        TEXT.replace("}}", ",}}").encode(),
        TEXT.replace("1", "01").encode(),
        TEXT.replace("1", "0x1").encode(),
        TEXT.replace("1", "+1").encode(),
        TEXT.replace("1", "1.").encode(),
        TEXT.replace("1", "-Infinity").encode(),
        TEXT.replace("1", "1e9999").encode(),
    ],
    ids=lambda body: repr(body[:40]),
)
def test_no_other_encoding_and_no_other_dialect_is_guessed(mover: Mover, body: bytes) -> None:
    refused(mover.send(body), "invalid_request")
    assert mover.version() == 1


@pytest.mark.parametrize("coded", ["gzip", "deflate", "br", "identity, gzip", "GZIP", "x"])
def test_an_encoded_body_is_not_read_whether_it_is_encoded_or_not(mover: Mover, coded: str) -> None:
    """Otherwise a few bytes would unpack to as many as they like; and whoever says that it is encoded means it."""
    for body in (TEXT.encode(), gzip.compress(TEXT.encode())):
        answer = mover.send(body, **{"Content-Encoding": coded})
        refused(answer, "unsupported_media_type")
        assert answer.headers["accept-encoding"] == "identity"
    assert mover.version() == 1
    good(mover.send(TEXT, **{"Content-Encoding": "identity"}))


@pytest.mark.parametrize(
    "body",
    [
        '{"expected_version":1,"expected_version":2,"move":{"type":"pass"}}',
        '{"expected_version":1,"expected_v\\u0065rsion":1,"move":{"type":"pass"}}',
        '{"expected_version":1,"move":{"type":"bid","type":"pass"}}',
        '{"move":{"type":"pass"},"expected_version":1,"move":{"type":"pass"}}',
    ],
)
def test_a_name_that_stands_twice_is_refused_whichever_one_would_count(mover: Mover, body: str) -> None:
    refused(mover.send(body), "invalid_request")
    assert mover.version() == 1


def test_a_name_that_stands_twice_is_refused_in_what_only_the_creator_reads(client: httpx.Client) -> None:
    for more in (
        ',"metadata":{"a":"1","a":"2"}',
        ',"options":{"target":31,"target":31}',
        ',"metadata":{},"metadata":{}',
    ):
        refused(create(client, more), "invalid_request")


@pytest.mark.parametrize("number", ["1e400", "1" * 400, "-1e400", "0.1", "1e-400", "-0.5", "31.000000000000004"])
def test_an_option_that_is_no_whole_number_in_reach_is_refused(client: httpx.Client, number: str) -> None:
    assert create(client, f',"options":{{"target":{number}}}').status_code in (400, 422)


def test_numbers_may_be_written_in_any_way_that_json_has(mover: Mover) -> None:
    good(mover.send(TEXT.replace("1", "10e-1")))
