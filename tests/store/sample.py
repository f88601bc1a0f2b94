"""Games as the store sees them: headers, entries and changes that are well-formed, with no rules behind them."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec
from redis.asyncio import Redis

from engine.match import MatchState
from engine.wire import Bid, Dealt, GameStarted
from service.schemas import BotSpec
from service.store import Change, Entry, Header, HeaderSeat, SeatState, Standing, StoredJob, new_game_id, shard_of

RULES = BotSpec(bot="rules", version=1)
HEADER = Header(
    ruleset="tarneeb",
    rules_version=1,
    options={"target": 31},
    seats=[HeaderSeat("player", "Ana", None), *[HeaderSeat("bot", None, RULES)] * 3],
    start="auto",
    pace_ms=500,
    move_ms=0,
    deal_pause_ms=0,
    stand_in=RULES,
    advice=True,
    seed="5e" * 32,
    fair=True,
    commitment="sha256:" + "c0" * 32,
    metadata={"table": "7"},
)
STANDING = Standing([SeatState("player"), *[SeatState("bot")] * 3])


def start_of(deal: int) -> MatchState:
    """Give what a deal starts from."""
    return MatchState(deal, 0, 1, [0, 1, 2, 3], [0, 0, 0, 0], deal - 1, msgspec.Raw(b"null"), {})


def begun(**more: Any) -> Change:
    """Give the first change of a game: its first deal is dealt."""
    entry = Entry(None, "service", None, None, None, [GameStarted(), Dealt(1, 1, 0, [13] * 4, 0)])
    return changed(entry, **{"start": start_of(1), **more})


def bid(amount: int, expected_version: int = 1, **more: Any) -> Change:
    """Give a change that a player's bid makes; no two amounts have the same bytes."""
    return changed(Entry(0, "player", None, Bid(amount), expected_version, []), **more)


def changed(entry: Entry, **more: Any) -> Change:
    """Give a change by this entry of a game that goes on, unless it says more."""
    return Change(**{"entry": entry, "standing": STANDING, "status": "playing", **more})


def job_of(game_id: str) -> tuple[str, StoredJob]:
    """Give a job that somebody asked for in a game, and its id."""
    return f"jb_{game_id[3:]}_{'a' * 32}", StoredJob(game_id, 0, 1, RULES, play=False)


def games_of_one_shard(count: int) -> list[str]:
    """Give ids of games that share a shard."""
    first = new_game_id()

    def others() -> Iterator[str]:
        while True:
            if shard_of(game := new_game_id()) == shard_of(first):
                yield game

    return [first, *islice(others(), count - 1)]


async def everything(redis: Redis) -> dict[bytes, tuple[bytes, int]]:
    """Give the bytes of every key there is, and when it ends."""
    return {name: (await redis.dump(name), await redis.pexpiretime(name)) for name in await redis.keys()}
