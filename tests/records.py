"""Games that are over, of every ruleset and preset and of options that score otherwise, and their replays."""

import random
from typing import Any

from engine import bots
from engine.chance import Chance
from service import games
from service.games import Context
from service.store import Entry, Loaded
from tests.service.players import Api, Json, Table, good

Setting = dict[str, Any]
SHORT = {"max_deals": 3}


def _setting(ruleset: str, seats: int, preset: str | None = None, **options: Any) -> Setting:
    return {"ruleset": ruleset, "seats": seats, "preset": preset, "options": options}


SETTINGS: dict[str, Setting] = {
    "tarneeb_31": _setting("tarneeb", 4, "tarneeb_31", target=20),
    "tarneeb_41_tricks": _setting("tarneeb", 4, "tarneeb_41_tricks", target=20),
    "tarneeb_41": _setting("tarneeb", 4, "tarneeb_41", max_deals=5),
    "tarneeb thrown in": _setting("tarneeb", 4, all_pass="same_dealer", max_deals=6, first_dealer=2),  # noqa: S106
    "tarneeb bonus": _setting("tarneeb", 4, full_bid="bonus", defenders_always_score=True, max_deals=4),
    "nordic_60": _setting("reihe", 3, "nordic_60", **SHORT),
    "nordic_56": _setting("reihe", 8, "nordic_56", **SHORT),
    "german_36": _setting("reihe", 2, "german_36"),
    "spanish_48": _setting("reihe", 5, "spanish_48", **SHORT),
    "spanish_40": _setting("reihe", 4, "spanish_40", **SHORT),
    "french_52": _setting("reihe", 6, "french_52", **SHORT),
    "for_money": _setting("reihe", 4, "for_money", **SHORT),
    "reihe descending": _setting("reihe", 3, scoring="descending", ante=1, pass_fee=3, max_deals=2),
    "rosbiratschka 3": _setting("rosbiratschka", 3, "classic", rounds=2),
    "rosbiratschka 4": _setting("rosbiratschka", 4, "classic"),
    "rosbiratschka 5": _setting("rosbiratschka", 5, "classic"),
    "rosbiratschka 6": _setting("rosbiratschka", 6, "classic"),
    "rosbiratschka penalty": _setting("rosbiratschka", 3, slam="penalty", double_if_none=False, open_row="any_time"),
    "classic": _setting("elfer_raus", 3, "classic", rounds=2),
    "three_colours": _setting("elfer_raus", 2, "three_colours", rounds=2),
    "junior_15": _setting("elfer_raus", 4, "junior_15", rounds=2),
    "junior_10": _setting("elfer_raus", 5, "junior_10", penalty_limit=60),
    "elfer_raus extra deal": _setting("elfer_raus", 3, "junior_10", rounds=2),
    "ravensburger": _setting("elfer_raus", 6, "ravensburger", rounds=1),
    "action_cards": _setting("elfer_raus", 4, "action_cards", rounds=2),
    "elfer_raus drawn": _setting(
        "elfer_raus", 2, start_number="ten_or_twelve", max_number=12, voluntary_pass=True, rounds=2
    ),
}
"""What is played, by the name of its preset or of what is special about it."""


def begun(api: Api, name: str, seed: int = 1) -> Table:
    """A match that has just been dealt by a known seed, to which a seat and the creator have added."""
    setting = SETTINGS[name]
    last = setting["seats"] - 1
    seats = [{"kind": "player", "name": f"Seat {number}"} for number in range(last)]
    table = api.create(**{**setting, "seats": [*seats, {"kind": "open"}], "seed": f"{seed:064x}", "start": "manual"})
    body = {"invite": table.created.json()["seats"][last]["invite"], "name": "Ünal 😀", "client_seed": f"mine_{seed}"}
    table.tokens[last] = good(api.post(f"{table.path}/seats/{last}/claim", body))["token"]
    good(api.post(f"{table.path}/start", {"client_seed": "yours"}, table.creator))
    return table


def over(api: Api, name: str, seed: int = 1) -> Table:
    """A match that was played to its end: as the bot `rules` plays, and now and then by chance."""
    table = begun(api, name, seed)
    api.run(_played(api.context, table.id, random.Random(f"{name} {seed}")))
    return table


async def _played(context: Context, game_id: str, chance: random.Random) -> None:
    game: Loaded | None = await games.load(context, game_id)
    while game is not None and game.match is not None and game.match.result is None:
        match = game.match
        move = bots.find("rules").choose(match.observe(match.to_move), Chance("none"), None).move
        if chance.randrange(5) == 0:
            move = chance.choice(match.deal.legal_moves())
        entry = Entry(match.to_move, "player", None, match.codec.encode(move), game.version, [])
        game = await games.make_move(context, game, entry, "player")
    assert game is not None, "nobody else changes the game"


def replay_of(table: Table) -> Json:
    """The replay of a game that is over."""
    return good(table.get("/replay"))
