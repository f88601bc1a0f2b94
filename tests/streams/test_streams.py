from contextlib import ExitStack
from typing import Any

import pytest
import redis

from service.errors import PROBLEMS
from tests.service.players import refused
from tests.streams.readers import EVERYONE, STREAM, Json, Table, kept_of, put_back

# ---------------------------------------------------------------------------------------------------- the whole log


def test_a_stream_tells_everyone_the_log_as_it_happens(table: Table) -> None:
    """Each reader gets the entries of its own pages, one by one, and the stream ends with the game."""
    with ExitStack() as stack:
        streams = {who: stack.enter_context(table.stream(who=who)) for who in EVERYONE}
        told: dict[Any, list[Json]] = {who: streams[who].items(1) for who in EVERYONE}
        while table.game["result"] is None:
            table.play(1)
            for who in EVERYONE:
                told[who] += streams[who].items(1)
        for who, stream in streams.items():
            assert stream.next() is None
            assert told[who] == table.log(who)
    assert len(told[None]) > 60


def test_a_seat_is_told_its_own_hand_and_no_other(finished: Table) -> None:
    for who in EVERYONE:
        with finished.stream(who=who) as stream:
            items = stream.rest()
        dealt = [event for item in items for event in item["events"] if event["type"] == "dealt"]
        deals = finished.get("/deals").json()["items"]
        assert [event["deal"] for event in dealt] == [deal["number"] for deal in deals]
        assert all((event["hand"] is not None) == isinstance(who, int) for event in dealt)
        assert items == finished.log(who)


def test_a_stream_of_a_finished_game_tells_all_of_it_and_ends(finished: Table) -> None:
    with finished.stream() as stream:
        assert stream.rest() == finished.log()
        assert stream.reader.ended
        assert stream.told[-1].data["events"][-1]["type"] == "game_over"


def test_after_the_last_entry_there_is_no_content(finished: Table) -> None:
    """A browser's EventSource takes this for the sign not to come back."""
    last = finished.log()[-1]["cursor"]
    for sent in ({"query": f"?after={last}"}, {"last_event_id": last}, {"query": "?after=0-", "last_event_id": last}):
        answer = finished.get(f"/events{sent.pop('query', '')}", accept=STREAM, **sent)
        assert (answer.status_code, answer.content) == (204, b"")
        assert "content-length" not in answer.headers
        assert answer.headers["cache-control"] == "private, no-cache"


def test_whoever_knows_all_but_the_last_entry_is_told_that_one(finished: Table) -> None:
    log = finished.log()
    with finished.stream(last_event_id=log[-2]["cursor"]) as stream:
        assert stream.rest() == log[-1:]


def test_a_stream_begins_with_how_long_to_wait_before_coming_back(table: Table) -> None:
    with table.stream() as stream:
        stream.next()
        assert [event.retry for event in stream.told] == [1000, None]


def test_the_head_of_a_stream_keeps_proxies_from_holding_it_back(table: Table) -> None:
    with table.stream() as stream:
        kept = ("content-type", "cache-control", "vary", "x-accel-buffering", "transfer-encoding", "content-length")
        assert [stream.headers.get(name) for name in kept] == [
            *("text/event-stream; charset=utf-8", "private, no-cache, no-transform", "Accept, Authorization"),
            *("no", "chunked", None),
        ]
        assert stream.headers["x-request-id"]


# ---------------------------------------------------------------------------------------------------- resuming


def test_from_every_cursor_a_stream_goes_on_with_the_next_entry(finished: Table) -> None:
    """Nothing is missed and nothing comes twice, in the header and in the query, for a seat and for a spectator."""
    for who in (2, None):
        log = finished.log(who)
        for number, item in enumerate(log[:-1], start=1):
            with finished.stream(who=who, last_event_id=item["cursor"]) as stream:
                assert stream.rest() == log[number:]
            with finished.stream(f"?after={item['cursor']}", who) as stream:
                assert stream.rest() == log[number:]


def test_a_reader_who_comes_back_again_and_again_is_told_everything_once(table: Table) -> None:
    """It reads some entries, its connection breaks, the game goes on without it."""
    told: list[Json] = []
    turn = 0
    while not told or told[-1]["events"][-1:] == [] or told[-1]["events"][-1]["type"] != "game_over":
        turn += 1
        headers = {"last_event_id": told[-1]["cursor"]} if told else {}
        behind = table.game["version"] - len(told)
        with table.stream(**headers) as stream:
            told += stream.items(min(turn % 3, behind))
            if turn % 2:
                stream.reader.vanish()
        table.play(turn % 4)
    assert told == table.log()


def test_what_was_told_last_counts_more_than_where_the_address_says_to_begin(finished: Table) -> None:
    """A browser comes back with the address it began with."""
    log = finished.log()
    for after in ("0-", log[3]["cursor"], log[40]["cursor"]):
        with finished.stream(f"?after={after}", last_event_id=log[20]["cursor"]) as stream:
            assert stream.rest() == log[21:]


def test_a_page_begins_where_its_address_says(finished: Table) -> None:
    log = finished.log()
    page = finished.get(f"/events?after={log[3]['cursor']}&limit=2", last_event_id=log[20]["cursor"]).json()
    assert page["items"] == log[4:6]


@pytest.mark.parametrize("most", [1, 2, 7, 60])
def test_a_bounded_stream_ends_after_so_many_entries(finished: Table, most: int) -> None:
    log = finished.log()
    with finished.stream(f"?max_items={most}") as stream:
        assert stream.rest() == log[:most]
    with finished.stream(f"?max_items={most}", last_event_id=log[-2]["cursor"]) as stream:
        assert stream.rest() == log[-1:]


def test_a_bounded_stream_waits_for_its_entries(table: Table) -> None:
    with table.stream("?max_items=3") as stream:
        assert len(stream.items(1)) == 1
        table.play(3)
        assert stream.rest() == table.log()[1:3]


# ---------------------------------------------------------------------------------------------------- restored stores


def test_after_a_restore_a_stream_says_that_history_is_lost(database: str, table: Table) -> None:
    """In the stream that is open, as soon as the game goes on; for whoever comes back, before a stream begins.

    Whoever knows only what both histories share reads on.
    """
    table.play(2)
    with redis.Redis.from_url(database) as kept, table.stream() as ahead, table.stream() as shared:
        backup, before = kept_of(kept, table), table.game
        ahead.items(3)
        shared.items(3)
        table.play(2)
        lost = ahead.items(2)
        common = before["cursor"]
        put_back(kept, backup)
        table.game = before
        table.play(2)
        event = ahead.next()
        assert event is not None
        assert event.event == "problem"
        assert event.id is None, "coming back with an id goes on after an entry"
        problem = event.data
        known = PROBLEMS["history_lost"]
        assert (problem["code"], problem["status"], problem["title"]) == ("history_lost", 409, known.title)
        assert problem["type"] == "/v1/errors#history_lost"
        assert problem["detail"].endswith(known.advice)
        assert problem["request_id"] == ahead.headers["x-request-id"]
        assert ahead.next() is None
        for item in lost:
            refused(table.get("/events", accept=STREAM, last_event_id=item["cursor"]), "history_lost")
        with table.stream(last_event_id=common) as again:
            assert again.items(2) == table.log()[3:]
