from typing import Any

import pytest
import redis

from tests.streams.readers import Table, body, kept_of, put_back


def test_a_long_poll_answers_at_once_what_there_is(table: Table) -> None:
    table.play(5)
    log = table.log()
    page = table.get(f"/events?wait=25&limit=2&after={log[0]['cursor']}").json()
    assert page == {"items": log[1:3], "next": log[2]["cursor"], "has_more": True}


@pytest.mark.parametrize("who", [1, None])
def test_a_long_poll_is_answered_by_the_news(table: Table, who: Any) -> None:
    """Every entry of a whole game, polled one after the other while it is played."""
    after = table.game["cursor"]
    told = table.log(who)
    while table.game["result"] is None:
        with table.reading(f"?wait=25&after={after}", who) as reader:
            table.play(1)
            page = body(reader)
        assert len(page["items"]) == 1
        told += page["items"]
        after = page["next"]
    assert told == table.log(who)


def test_a_long_poll_that_nothing_happens_in_is_an_empty_page(table: Table) -> None:
    cursor = table.game["cursor"]
    page = table.get(f"/events?wait=1&after={cursor}").json()
    assert page == {"items": [], "next": cursor, "has_more": False}


def test_a_long_poll_of_a_finished_game_does_not_wait(finished: Table) -> None:
    """Patience is shorter than the sum of these waits."""
    cursor = finished.log()[-1]["cursor"]
    for _ in range(10):
        assert finished.get(f"/events?wait=25&after={cursor}").json()["items"] == []


def test_a_long_poll_across_a_restore_says_that_history_is_lost(database: str, table: Table) -> None:
    with redis.Redis.from_url(database) as kept:
        backup, before = kept_of(kept, table), table.game
        table.play(2)
        with table.reading(f"?wait=25&after={table.game['cursor']}") as reader:
            table.get("")  # answered when the poll has been taken
            put_back(kept, backup)
            table.game = before
            table.play(1)
            status, headers = reader.head()
            assert (status, headers["content-type"]) == (409, "application/problem+json")
