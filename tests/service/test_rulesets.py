"""Every ruleset and preset over HTTP: a whole match by the tokens of its players."""

import random

import pytest

from engine.catalog import RULESETS
from tests.positions import PRESETS, of_preset
from tests.service.players import Api, Json

SEATS = {"tarneeb": 4, "reihe": 5, "rosbiratschka": 5, "elfer_raus": 3}
SHORT = {"reihe": {"max_deals": 2}, "elfer_raus": {"max_deals": 2}, "tarneeb": {"max_deals": 2}, "rosbiratschka": {}}


@pytest.mark.parametrize("pair", PRESETS, ids=of_preset)
def test_a_match_is_played_to_its_end_by_the_tokens_of_its_seats(api: Api, pair: tuple[Json, str]) -> None:
    """What a seat is told is legal is accepted, and nobody else is told of any move; the log has no gaps."""
    ruleset, preset = pair
    chance = random.Random(preset)
    seats = [{"kind": "player"}] * SEATS[ruleset.name]
    table = api.create(ruleset=ruleset.name, preset=preset, options=SHORT[ruleset.name], seats=seats)
    view = api.get(table.path).json()
    while view["status"] == "playing":
        seat = view["to_move"]
        other = (seat + 1) % len(seats)
        assert api.get(f"{table.path}/legal-moves", table.tokens[other]).json()["moves"] == []
        moves = api.get(f"{table.path}/legal-moves", table.tokens[seat]).json()["moves"]
        body = {"expected_version": view["version"], "move": chance.choice(moves)}
        answer = api.post(f"{table.path}/moves", body, table.tokens[seat])
        assert answer.status_code == 200, answer.text
        view = answer.json()["game"]
    log = api.get(f"{table.path}/events?limit=1000", table.tokens[0]).json()["items"]
    assert [entry["version"] for entry in log] == list(range(1, view["version"] + 1))
    assert log[-1]["events"][-1] == {"type": "game_over", **view["result"]}
    deals = api.get(f"{table.path}/deals").json()["items"]
    assert [deal["number"] for deal in deals] == list(range(1, view["match"]["deals_played"] + 1))
    assert deals[-1] == view["match"]["last_deal"]


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.name)
def test_a_seat_is_told_what_it_was_dealt_and_drew_and_nobody_else_is(api: Api, ruleset: Json) -> None:
    """A spectator's log has the same entries and no hidden card."""
    seats = [{"kind": "player"}] * SEATS[ruleset.name]
    table = api.create(ruleset=ruleset.name, seats=seats, options=SHORT[ruleset.name])
    for seat, token in table.tokens.items():
        own = api.get(f"{table.path}/events", token).json()["items"][0]["events"][-1]
        assert own["hand"] == api.get(table.path, token).json()["you"]["hand"]
        assert len(own["hand"]) == own["cards"][seat]
    assert api.get(f"{table.path}/events").json()["items"][0]["events"][-1]["hand"] is None


def test_a_match_of_bots_alone_needs_a_target(api: Api) -> None:
    """Nobody could ever agree on one."""
    seats = [{"kind": "bot", "bot": {"bot": "rules"}}] * 3
    answer = api.post("/v1/games", {"ruleset": "reihe", "options": {"target": None}, "seats": seats})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_options")
    assert answer.json()["errors"][0]["pointer"] == "/options/target"
