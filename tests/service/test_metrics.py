"""`/metrics`: what an operator sees of a process, and what nobody sees there."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from service.settings import Settings
from service.store import bot_member
from tests.service.players import Api, Table, bid, good, refused, running


def value(api: Api, name: str, **labels: str) -> float:
    """One sample of the page; 0 where it has none."""
    page = api.get("/metrics")
    assert page.status_code == 200
    told = ",".join(f'{label}="{text}"' for label, text in sorted(labels.items()))
    found = re.search(rf"^{name}{re.escape('{' + told + '}') if told else ''} (\S+)$", page.text, re.MULTILINE)
    return float(found[1]) if found else 0.0


def test_requests_are_counted_and_timed_by_the_path_that_the_document_writes(api: Api, table: Table) -> None:
    moves = {"path": "/v1/games/{game_id}/moves", "method": "POST"}
    made, refusals = (value(api, "tapete_requests_total", **moves, status=status) for status in ("200", "409"))
    timed = value(api, "tapete_request_seconds_count", **moves)
    good(table.send(3, bid(7)))
    refused(table.send(3, bid(8)), "not_your_turn")
    assert value(api, "tapete_requests_total", **moves, status="200") == made + 1
    assert value(api, "tapete_requests_total", **moves, status="409") == refusals + 1
    assert value(api, "tapete_request_seconds_count", **moves) == timed + 2


def test_paths_and_methods_that_nobody_has_add_no_labels(api: Api) -> None:
    before = api.get("/metrics").text.count("tapete_requests_total{")
    for number in range(20):
        api.get(f"/v1/nothing/{number}")
        api.run(api.request(f"METHOD{number}", "/v1/games"))
    assert api.get("/metrics").text.count("tapete_requests_total{") <= before + 4


def test_no_game_token_name_or_card_is_in_it(api: Api) -> None:
    table = api.create(seats=[{"kind": "player", "name": "Ana Perez"}] * 4, options={"first_dealer": 0})
    table.play_on(60)
    page = api.get("/metrics").text
    for secret in (table.id, *table.tokens.values(), "Ana Perez", "spades", "hearts", "diamonds", "clubs"):
        assert secret not in page


def test_it_tells_how_store_and_queue_stand(api: Api, table: Table) -> None:
    assert value(api, "tapete_store_up") == 1
    assert value(api, "tapete_bot_workers") == 0
    waiting = value(api, "tapete_bot_jobs_waiting")
    assert api.run(api.queue.put(bot_member(table.id, 1)))
    assert value(api, "tapete_bot_jobs_waiting") == waiting + 1


@pytest.fixture
def without_redis(settings: Settings) -> Iterator[Api]:
    with running(
        replace(settings, redis_url="unix:///nowhere.sock", queue_redis_url="unix:///nowhere.sock")
    ) as started:
        yield started


def test_it_is_there_while_the_store_is_not(without_redis: Api) -> None:
    assert value(without_redis, "tapete_store_up") == 0
