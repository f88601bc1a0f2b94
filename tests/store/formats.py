"""The persistent formats, as one small game leaves them in Redis: written down in `formats.json` to be reviewed.

Old games stay in the store for weeks, so what a new version writes, older ones should read, and what is written down
here, newer ones must. `python -m tests.store.formats` writes it down anew.
"""

import asyncio
import json
import re
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
from redis.asyncio import Redis

from engine.wire import Move, Pass
from service import bot_moves, creation, games, redis_server
from service.access import Tokens
from service.games import Context
from service.schemas import AskBot, BotMove, BotSeat, BotSpec, CreateGame, PlayerSeat
from service.store import Entry, Store, connect
from service.views import match_of

WHERE = Path(__file__).with_name("formats.json")
GAME = "gm_222222222aaaaaaaaaaa"
RULES = BotSpec(bot="rules", version=1)
SOME_TIME = 1_790_000_000_000
TIMES = re.compile(r"1[0-9]{12}")
DIGESTS = re.compile(r"(?<=[0-9]-)[0-9a-f]{12}")
ROWS = re.compile(r"\[\s+([^]\[{}]*?)\s+\]")

FOUR = CreateGame(
    ruleset="tarneeb",
    options={"first_dealer": 2},
    seats=[
        PlayerSeat(name="Ana"),
        BotSeat(bot=BotSpec(bot="rules", budget=None)),
        PlayerSeat(),
        BotSeat(bot=BotSpec(bot="random"), name="Lotte"),
    ],
    seed="5e" * 32,
    metadata={"table": "7"},
)


async def play(store: Store) -> None:
    """Play a game in which everything happens that is kept: moves of players and bots, a second deal, jobs."""
    context = Context(store, Tokens((b"the secret of this record",)))
    with patch.object(creation, "new_game_id", lambda: GAME):
        await creation.create_game(context, FOUR)
    for _ in range(4):
        await move(context, Pass())
    game = await games.load(context, GAME)
    await bot_moves.ask(context, game, 0, AskBot(expected_version=5, bot=RULES))
    job_id = await bot_moves.ask(context, game, 0, AskBot(expected_version=5, bot=RULES, play=True))
    made = BotMove(move=Pass(), bot=RULES, samples=0, seconds=0.25, candidates=[], played_version=6)
    await store.answer(job_id, "done", msgspec.json.encode(made))
    await move(context, Pass())


async def move(context: Context, move: Move) -> None:
    """Make a move for the seat that is to move, as a player or as its bot."""
    game = await games.load(context, GAME)
    seat = match_of(game).to_move
    bot = game.header.seats[seat].bot
    mover = "bot" if bot else "player"
    made = Entry(seat, mover, bot, move, game.version, [])
    assert await games.make_move(context, game, made, mover)


async def written_down(redis: Redis) -> str:
    """Give every key with what it holds and how long it is kept, every time and digest replaced."""
    found = {name.decode(): await _read(redis, name.decode()) for name in sorted(await redis.keys())}
    text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    text = ROWS.sub(lambda row: "[" + " ".join(row[1].split()) + "]", text)
    return DIGESTS.sub("0" * 12, TIMES.sub(str(SOME_TIME), text))


async def _read(redis: Redis, name: str) -> Any:
    kind = await redis.type(name)
    if kind == b"hash":
        return {field.decode(): _parse(value) for field, value in sorted((await redis.hgetall(name)).items())}
    if kind == b"list":
        return [_parse(value) for value in await redis.lrange(name, 0, -1)]
    if kind == b"set":
        return {"in any order": sorted(member.decode() for member in await redis.smembers(name))}
    if kind == b"zset":
        return {"by time": sorted(member.decode() for member in await redis.zrange(name, 0, -1))}
    return {"text": _parse(await redis.get(name))}


def _parse(value: bytes) -> Any:
    """Show JSON documents as such, and everything else as text."""
    return json.loads(value) if value[:1] in (b"{", b"[") else value.decode()


async def write_back(redis: Redis, text: str) -> None:
    """Put what is written down into a server, as the version that wrote it left it there."""
    for name, held in json.loads(text).items():
        if isinstance(held, list):
            await redis.rpush(name, *map(_unparse, held))
        elif "by time" in held:
            await redis.zadd(name, dict.fromkeys(held["by time"], SOME_TIME))
        elif "in any order" in held:
            await redis.sadd(name, *held["in any order"])
        elif "text" in held:
            await redis.set(name, _unparse(held["text"]))
        else:
            await redis.hset(name, mapping={field: _unparse(value) for field, value in held.items()})


def _unparse(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


async def _record(url: str) -> None:
    store = Store(connect(url))
    await play(store)
    WHERE.write_text(await written_down(store.redis))
    await store.close()


if __name__ == "__main__":
    server = redis_server.start(Path(tempfile.mkdtemp()))
    try:
        asyncio.run(_record(server.url))
    finally:
        server.stop()
