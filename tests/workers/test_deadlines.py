"""Players who are not there, and a clock: what real workers make of it, whatever dies meanwhile."""

import os
import signal
import time
from collections import defaultdict
from datetime import datetime
from itertools import pairwise
from statistics import median
from typing import Any

import httpx

from tests.processes import PATIENCE, wait_until
from tests.workers.table import SHORT, Api, Parts

PLAYER = {"kind": "player"}
SEED = "5e" * 32


def create(api: Api, **more: Any) -> tuple[str, dict[int, str]]:
    """Create a game of four players and one deal whose clock is the shortest there is; its id, and the tokens."""
    game = {"ruleset": "tarneeb", "seats": [PLAYER] * 4, "options": SHORT, "move_seconds": 1, "seed": SEED, **more}
    answer = httpx.post(f"{api.url}/v1/games", json=game, timeout=PATIENCE)
    assert answer.status_code == 201, answer.text
    created = answer.json()
    return created["game"]["game_id"], {each["seat"]: each["token"] for each in created["seats"]}


def log_of(api: Api, game: str) -> list[Any]:
    return list(api.get(f"/v1/games/{game}/events?limit=1000")["items"])


def moment(item: Any) -> float:
    return datetime.fromisoformat(item["at"]).timestamp()


def until_version(parts: Parts, game: str, version: int) -> None:
    wait_until(lambda: int(parts.field(game, "version") or 0) >= version, lambda: parts.stand(game))


def test_a_game_of_absent_players_ends_by_itself_where_there_is_a_clock(parts: Parts) -> None:
    """Each is late once, no sooner than the clock says; from then on its stand-in plays at its pace."""
    api = parts.api()
    parts.worker()
    game, _ = create(api, pace_seconds=0, deal_pause_seconds=0.5)
    parts.until_finished(game)
    log = log_of(api, game)
    assert {item["by"] for item in log[1:]} == {"stand_in"}
    late = [number for number, item in enumerate(log) if "controller_changed" in str(item["events"])]
    assert len(late) == 4
    assert moment(log[1]) - moment(log[0]) >= 1.5
    assert all(moment(log[number]) - moment(log[number - 1]) >= 1 for number in late)
    view = api.get(f"/v1/games/{game}")
    assert [(seat["timeouts"], seat["controller"]) for seat in view["seats"]] == [(1, "stand_in")] * 4
    assert (view["deadline_at"], view["to_move"], view["result"]["reason"]) == (None, None, "max_deals")
    assert parts.due() == []


def test_a_deadline_fires_once_when_nobody_was_there_at_its_time(parts: Parts) -> None:
    """No worker when the time is up, and no API either: whoever comes next lets the stand-in move."""
    api = parts.api()
    game, _ = create(api)
    assert parts.due() == [f"{game}:1:deadline"]
    assert api.running.stop() == 0
    time.sleep(1.2)
    assert parts.field(game, "version") == "1"
    parts.redis.delete(*parts.redis.keys("rq:*") or ["rq:none"])
    parts.worker()
    until_version(parts, game, 2)
    items = log_of(parts.api(), game)[1:2]
    assert [(item["by"], item["version"]) for item in items] == [("stand_in", 2)]


def test_a_deadline_fires_once_whichever_worker_is_killed_around_it(parts: Parts) -> None:
    """SIGKILL just before, about and just after the moment, with another worker there or none."""
    api = parts.api()
    for delay in (0.9, 1.0, 1.05):
        victim, other = parts.worker(), parts.worker()
        game, _ = create(api, pace_seconds=30)
        time.sleep(delay)
        os.kill(victim.process.pid, signal.SIGKILL)
        until_version(parts, game, 2)
        time.sleep(0.2)
        log = log_of(api, game)
        late = [item for item in log if item["by"] == "stand_in"]
        assert [item["version"] for item in late] == [2]
        assert moment(late[0]) - moment(log[0]) >= 1
        os.kill(other.process.pid, signal.SIGKILL)


def test_an_owner_who_moves_at_the_last_moment_and_the_stand_in_never_both_move(parts: Parts) -> None:
    """Whoever is first has the turn, and the other is told so."""
    api = parts.api()
    parts.worker()
    for early in (0.1, 0.02, 0.0, -0.02):
        game, tokens = create(api, pace_seconds=30)
        view = api.get(f"/v1/games/{game}")
        seat = view["to_move"]
        time.sleep(max(datetime.fromisoformat(view["deadline_at"]).timestamp() - early - time.time(), 0))
        body = {"expected_version": 1, "move": {"type": "bid", "amount": 7}}
        headers = {"Authorization": f"Bearer {tokens[seat]}"}
        answer = httpx.post(f"{api.url}/v1/games/{game}/moves", json=body, headers=headers, timeout=PATIENCE)
        until_version(parts, game, 2)
        first = log_of(api, game)[1]
        if answer.status_code == 200:
            assert (first["by"], first["seat"]) == ("player", seat)
        else:
            assert (answer.json()["code"], answer.json()["by"]) == ("version_conflict", "stand_in")
            assert (first["by"], first["seat"]) == ("stand_in", seat)


def test_entries_that_are_no_moves_do_not_put_off_a_deadline(parts: Parts) -> None:
    """A seat that renews its token as fast as it can is late like any other, and so is the one to move."""
    api = parts.api()
    parts.worker()
    game, tokens = create(api, pace_seconds=30)
    idle = (api.get(f"/v1/games/{game}")["to_move"] + 1) % 4
    token, end = tokens[idle], time.monotonic() + PATIENCE
    with httpx.Client(base_url=api.url, timeout=PATIENCE) as client:
        while not any(item["by"] == "stand_in" for item in log_of(api, game)):
            assert time.monotonic() < end, parts.stand(game)
            for _ in range(20):
                answer = client.post(
                    f"/v1/games/{game}/seats/{idle}/token", headers={"Authorization": f"Bearer {token}"}
                )
                token = answer.json()["token"]
    log = log_of(api, game)
    late = next(item for item in log if item["by"] == "stand_in")
    assert moment(late) - moment(log[0]) >= 1


def test_the_times_of_automatic_moves_tell_nothing_of_the_hands(parts: Parts) -> None:
    """Bots and stand-ins take as long for a move that they are forced to make as for one that they choose.

    Compared as distributions, over a whole deal: both begin at the pace, and their middles are no further apart than
    the pace, where a bot that moved at once when forced would be a whole pace earlier.
    """
    api = parts.api()
    parts.worker()
    pace = 0.15
    game, tokens = create(api, pace_seconds=pace)
    for seat in (0, 1):
        headers = {"Authorization": f"Bearer {tokens[seat]}"}
        assert httpx.post(f"{api.url}/v1/games/{game}/resignation", headers=headers, timeout=PATIENCE).is_success
    parts.until_finished(game)
    taken: dict[tuple[str, bool], list[float]] = defaultdict(list)
    log = [item for item in log_of(api, game) if item["move"] or item["version"] == 1]
    for forced, (before, item) in zip(forced_moves(log, hands(api, game, tokens)), pairwise(log), strict=True):
        if "controller_changed" not in str(item["events"]):
            taken[item["by"], forced].append(moment(item) - moment(before))
    for by in ("bot", "stand_in"):
        forced_times, free_times = taken[by, True], taken[by, False]
        assert min(len(forced_times), len(free_times)) >= 5
        assert min(*forced_times, *free_times) >= pace
        assert abs(median(forced_times) - median(free_times)) < pace


def hands(api: Api, game: str, tokens: dict[int, str]) -> list[list[str]]:
    """What each seat was dealt, as each is told."""
    found = []
    for seat in range(4):
        headers = {"Authorization": f"Bearer {tokens[seat]}"}
        page = httpx.get(f"{api.url}/v1/games/{game}/events?limit=1", headers=headers, timeout=PATIENCE).json()
        found.append(list(page["items"][0]["events"][1]["hand"]))
    return found


def forced_moves(log: list[Any], held: list[list[str]]) -> list[bool]:
    """Whether each move of a Tarneeb deal was the only one: of what is held in the suit that was led, else of all."""
    found, led = [], ""
    for item in log[1:]:
        hand, card = held[item["seat"]], item["move"].get("card")
        follows = [each for each in hand if each.endswith(led)] or hand
        found.append(card is not None and len(follows) == 1)
        if card is not None:
            hand.remove(card)
            led = led or card.partition("-")[2]
        if "trick_taken" in str(item["events"]):
            led = ""
    return found
