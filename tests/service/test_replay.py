"""The record of a game that is over: complete for everyone, and closed to everyone until then."""

import hashlib
import json
import re
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import redis

from engine.chance import published_order
from service import referee, replays, verify
from service.store import Store, key, shard_of
from tests.records import SETTINGS, begun, over, replay_of
from tests.service.players import PACK, PASS, Api, Json, Table, good, refused

README = (Path(__file__).parents[2] / "README.md").read_text()


@pytest.fixture(scope="module")
def finished(api: Api) -> Table:
    return over(api, "junior_10")


def end(table: Table) -> None:
    good(table.api.post(f"{table.path}/abandonment", {}, table.creator))


# ---------------------------------------------------------------------------------------------------- who may read it


def test_a_running_game_keeps_its_seed_and_its_hands_from_everyone(table: Table) -> None:
    for who in (None, 0, 3, "creator"):
        problem = refused(table.get("/replay", who), "not_over")
        assert "seed" not in json.dumps({**problem, "type": ""})
    waiting = table.api.create(start="manual")
    refused(waiting.get("/replay", "creator"), "not_over")


def test_a_replay_is_the_same_for_players_creator_and_anyone_else(finished: Table) -> None:
    replays = [finished.get("/replay", who) for who in (None, 0, "creator")]
    assert len({answer.content for answer in replays}) == 1
    assert replays[0].headers["cache-control"] == "private, no-cache"
    refused(finished.api.get(f"{finished.path}/replay", "seat0.0." + "A" * 43), "unauthorized")


def test_a_replay_holds_no_token_no_invite_and_no_metadata(api: Api) -> None:
    open_seat = [{"kind": "player"}] * 3 + [{"kind": "open"}]
    table = api.create(seats=open_seat, metadata={"mine": "secret-note"}, options={"max_deals": 1})
    invite = table.created.json()["seats"][3]["invite"]
    claimed = good(api.post(f"{table.path}/seats/3/claim", {"invite": invite}))
    end(table)
    text = table.get("/replay", "creator").text
    for hidden in ("secret-note", invite, claimed["token"], table.creator, *table.tokens.values()):
        assert hidden not in text
    assert "metadata" not in text


def test_a_replay_that_is_known_is_not_sent_again(finished: Table) -> None:
    etag = finished.get("/replay").headers["etag"]
    again = finished.get("/replay", if_none_match=etag)
    assert (again.status_code, again.content) == (304, b"")


def test_an_erased_game_has_no_replay(api: Api) -> None:
    table = over(api, "junior_10", 2)
    api.run(api.request("DELETE", table.path, table.creator))
    refused(table.get("/replay"), "game_deleted")


# ---------------------------------------------------------------------------------------------------- what is in it


def test_a_replay_tells_the_game_as_its_log_its_deals_and_its_view_do(finished: Table) -> None:
    replay, view = replay_of(finished), finished.view()
    for name in ("game_id", "ruleset", "ruleset_version", "options", "status", "fair", "commitment", "client_seeds",
                 "cursor", "match", "result", "created_at"):  # fmt: skip
        assert replay[name] == view[name], name
    assert [deal["record"] for deal in replay["deals"]] == good(finished.get("/deals"))["items"]
    items = finished.log()
    same = ("version", "cursor", "seat", "by", "bot", "move", "events")
    assert [{name: entry[name] for name in same} for entry in replay["log"]] == [
        {name: each[name] for name in same} for each in items
    ]
    assert [(seat["kind"], seat["name"]) for seat in replay["seats"]] == [
        (seat["kind"], seat["name"]) for seat in view["seats"]
    ]


def test_every_hand_is_the_one_that_its_seat_was_dealt(api: Api) -> None:
    table = begun(api, "tarneeb_31")
    start = table.view()["deal"]
    hands = [table.view(seat)["you"]["hand"] for seat in range(4)]
    table.play(*[PASS] * 4)
    second = [table.view(seat)["you"]["hand"] for seat in range(4)]
    end(table)
    deals = replay_of(table)["deals"]
    assert [deal["hands"] for deal in deals] == [hands, second]
    assert deals[0]["start"] == start
    assert [deal["record"] is None for deal in deals] == [False, True]


def test_the_order_of_every_pack_is_the_published_one(api: Api) -> None:
    table = begun(api, "tarneeb_31", 7)
    end(table)
    replay = replay_of(table)
    assert replay["client_seeds"] == ["mine_7", "yours"], "by seat, and the creator's last"
    order = published_order(replay["seed"], replay["client_seeds"], 1, 1, 52)
    assert replay["deals"][0]["order"] == [PACK[card] for card in order]
    assert (
        replay["commitment"] == "sha256:" + hashlib.sha256(f"tapete/1:{table.id}:{replay['seed']}".encode()).hexdigest()
    )


def test_a_game_of_bots_and_stand_ins_says_who_moved(api: Api) -> None:
    bot = {"kind": "bot", "bot": {"bot": "rules"}, "name": "Robot"}
    table = api.create(seats=[{"kind": "player"}, bot, bot, bot])
    good(api.post(f"{table.path}/resignation", {}, table.tokens[0]))
    end(table)
    replay = replay_of(table)
    assert replay["seats"][1] == {
        "seat": 1,
        "kind": "bot",
        "name": "Robot",
        "bot": bot["bot"] | {"version": 1, "budget": None},
    }
    assert any(entry["left"] for entry in replay["log"])
    verify.check(replay)
    referee.check(replay)


# ---------------------------------------------------------------------------------------------------- long games


@dataclass
class Long:
    """A game whose log is long."""

    table: Table
    version: int


@pytest.fixture(scope="module")
def long(api: Api) -> Long:
    table = api.create(ruleset="reihe", seats=[{"kind": "player"}] * 4, options={"deck": "german_36", "target": None})
    version = table.version()
    for turn in range(2300):
        body = {"target": 400 + turn % 2}
        good(api.run(api.request("PUT", f"{table.path}/target", table.tokens[0], json=body)))
    end(table)
    return Long(table, version + 2301)


def test_a_long_log_is_read_in_pages(long: Long, monkeypatch: pytest.MonkeyPatch) -> None:
    honest, pages = Store.log_as_kept, []

    async def watched(store: Store, game_id: str, after: int, most: int) -> list[bytes]:
        entries = await honest(store, game_id, after, most)
        pages.append(len(entries))
        return entries

    monkeypatch.setattr(Store, "log_as_kept", watched)
    replay = replay_of(long.table)
    assert pages == [1000, 1000, long.version - 2000]
    assert [entry["version"] for entry in replay["log"]] == list(range(1, long.version + 1))
    verify.check(replay)


def test_a_record_is_written_beside_the_event_loop(finished: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long one takes tenths of a second, and moves of other games are not to wait for that."""
    honest, threads = replays._written, []

    def watched(*about: Any) -> bytes:
        threads.append(threading.current_thread())
        return honest(*about)

    monkeypatch.setattr(replays, "_written", watched)
    replay_of(finished)
    assert threads
    assert threading.main_thread() not in threads


def test_a_log_that_is_gone_meanwhile_is_no_replay(api: Api, kept: redis.Redis) -> None:
    table = over(api, "junior_10", 3)
    kept.delete(key("log", shard_of(table.id), table.id))
    refused(table.get("/replay"), "unavailable")


# ---------------------------------------------------------------------------------------------------- for readers


def test_the_program_that_checks_is_served_as_the_very_file(api: Api) -> None:
    answer = api.get("/verify.py", accept="text/html")
    assert answer.content == Path(verify.__file__).read_bytes()
    assert answer.headers["content-type"] == "text/x-python; charset=utf-8"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_program_that_checks_needs_nothing_but_python() -> None:
    imported = re.findall(r"^(?:import|from) (\w+)", Path(verify.__file__).read_text(), re.MULTILINE)
    assert set(imported) <= {"__future__", "collections", "hashlib", "itertools", "json", "re", "sys", "typing"}


def example(name: str) -> str:
    """What the README's worked example says of something."""
    found = re.search(rf"^ *{re.escape(name)} +(\S.*)$", README, re.MULTILINE)
    assert found, f"the README says no {name}"
    return found[1]


def test_the_readmes_worked_example_is_what_the_function_gives() -> None:
    game: Json = {
        "game_id": example("game_id"),
        "seed": example("seed"),
        "client_seeds": example("client_seeds").split(", "),
        "ruleset": "tarneeb",
        "options": {},
        "seats": [None] * 4,
    }
    text = f"tapete/1:{game['game_id']}:{game['seed']}"
    assert example("commitment") == f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    block = f"tapete/1:{game['seed']}:{','.join(game['client_seeds'])}:deal:1:1:0"
    assert example("hashed") == block
    digest = hashlib.sha256(block.encode()).hexdigest()
    assert example("gives") == " ".join(digest[at : at + 16] for at in range(0, 64, 16))
    first = [int(digest[at : at + 16], 16) for at in range(0, 64, 16)]
    assert example("swaps") == ", ".join(f"{51 - at} with {number % (52 - at)}" for at, number in enumerate(first))
    assert example("top") == " ".join(verify.shuffled(game, 1, 1)[:5])
    assert int(example("dealer")) == verify.below(4, verify.numbers(game, "first_dealer"))


@pytest.mark.parametrize("setting", ["tarneeb_31", "action_cards"])
def test_the_settings_of_these_tests_are_created_as_they_are_written(api: Api, setting: str) -> None:
    view: Any = begun(api, setting).view()
    assert SETTINGS[setting]["options"].items() <= view["options"].items()
