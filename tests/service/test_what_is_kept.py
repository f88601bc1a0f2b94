import json
import logging
import re
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
import redis

from engine.bits import members
from engine.chance import PublishedDeals
from engine.match import Match
from engine.rulesets.tarneeb import TARNEEB
from service import bot_moves
from service.jobs import BOT_JOB
from tests.secrecy import hands_dealt
from tests.service.players import PACK, SEED, Api, Json, Table, bid, cards_in, everything_in, good

PLAYER = {"kind": "player"}


def texts_in(kept: redis.Redis) -> Iterator[tuple[str, str]]:
    """Every key of the database and everything in it, compressed values unpacked."""
    for name, value in everything_in(kept).items():
        text = repr(value)
        if isinstance(value, dict) and b"data" in value:
            text += zlib.decompress(value[b"data"]).decode()
        yield name.decode(), text


def owner_of(job: dict[bytes, bytes]) -> int:
    """The seat that asked for a job."""
    return int(json.loads(job[b"asked"])["seat"])


def test_what_is_kept_published_queued_and_logged_holds_no_card_of_a_hand_and_no_seed(
    api: Api, kept: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    """At every position of a deal with bots and advice: only cards that were played, and the seed in the header alone.

    The answer of a job holds a card, too: one of the seat's that asked.
    """
    caplog.set_level(logging.DEBUG)
    kept.flushdb()
    seats = [PLAYER, {"kind": "bot", "bot": {"bot": "random"}}, PLAYER, {"kind": "bot", "bot": {"bot": "rules"}}]
    options = {"max_deals": 1, "first_dealer": 1}  # so that seat 0 speaks first, and bids
    table = api.create(seats=seats, pace_seconds=0, options=options, metadata={"note": "for the creator"})
    listener = kept.pubsub()
    listener.psubscribe("*")
    hands = dealt_by_seed(table)
    api.answers.clear()
    shown: set[str] = set()
    answers_with_cards = 0
    while (view := table.view())["result"] is None:
        mover, version = view["to_move"], view["version"]
        if mover % 2 == 0:
            job = good(table.ask_bot(mover))["job_id"]
            api.run(bot_moves.answer_job(api.context, job))
        for name, text in texts_in(kept):
            in_text = cards_in(text)
            if ":job:" in name and in_text - shown:
                answers_with_cards += 1
                assert in_text <= shown | set(hands[owner_of(kept.hgetall(name))])
            else:
                assert in_text <= shown, name
            assert text.count(SEED) == text.count(f'"seed":"{SEED}"') == (":game:" in name), name
            assert not any(str(mask(hand)) in text for hand in hands), name
        if mover % 2:
            api.run(bot_moves.take_turn(api.context, table.id, version))
        else:
            table.play(bid(7) if version == 1 else table.legal_moves(mover)[0])
        move = table.log()[-1]["move"]
        shown |= {move["card"]} if move["type"] == "play" else set()
    assert len(shown) == 52
    assert answers_with_cards > 10
    only_names_and_versions(listener, table)
    only_owners_and_versions(kept)
    logged = caplog.text + "".join(repr(record.args) for record in caplog.records)
    assert table.id in logged, "requests are logged here, so a card in one would be found"
    for secret in (*PACK, SEED, "for the creator", *(str(mask(hand)) for hand in hands)):
        assert secret not in logged
    for answer in api.answers:
        headers = str(answer.headers)
        assert not cards_in(headers)
        assert SEED not in headers + answer.text


def dealt_by_seed(table: Table) -> list[list[str]]:
    """Every hand, as the published deal function has them."""
    match = Match(TARNEEB, TARNEEB.resolve(None, table.view()["options"], 4), 4, PublishedDeals(SEED, []))
    match.start()
    hands = [[PACK[card] for card in members(hand)] for hand in hands_dealt(match)]
    assert [table.view(seat)["you"]["hand"] for seat in (0, 2)] == hands[::2]
    return hands


def mask(hand: list[str]) -> int:
    """A hand as the engine holds it."""
    return sum(1 << PACK.index(each) for each in hand)


def only_names_and_versions(listener: Any, table: Table) -> None:
    """Everything that was published while a game was played names a game or job, and a version."""
    heard = []
    while (message := listener.get_message(timeout=0.1)) is not None:
        if message["type"] == "pmessage":
            heard.append(message["data"].decode())
    listener.close()
    ours = [text for text in heard if table.id in text]
    assert len(ours) > 52
    assert all(re.fullmatch(r"(gm|jb)_\w+ \d+", text) for text in heard if "_" in text)


def only_owners_and_versions(kept: redis.Redis) -> None:
    """Every job in the queue says whose turn or wish it is, a version and a kind: nothing that a hand could be."""
    jobs = [zlib.decompress(kept.hget(name, "data")) for name in kept.scan_iter("rq:job:*")]
    assert len(jobs) > 10
    for job in jobs:
        called: Json = json.loads(job)
        function, instance, (owner, version, kind), more = called
        assert (function, instance, more) == (BOT_JOB, None, {})
        assert re.fullmatch(r"(gm|jb)_\w+", owner)
        assert isinstance(version, int)
        assert kind in ("bot", "job")
