"""A bare ASGI application that does the Redis work of a move and nothing else: the peer of `moves per second`.

It loads and commits with the service's own scripts, through the same client, with an entry and an answer of a real
move's size. It decodes, checks, plays and shows nothing.
"""

import os
from typing import Any

import msgspec

from service.store import RETENTION_MS, TOMBSTONE_MS, Script, connect, key, shard_of

redis = connect(os.environ["REDIS_URL"])
load, commit = Script("load"), Script("commit")
SEATS = b'[{"controller":"player","generation":0,"resigned":false,"timeouts":0,"client_seed":null}]' * 4
HEADER = b'{"ruleset":"tarneeb","header":"' + b"x" * 900 + b'"}'
START = b'{"number":1,"dealer":0,"last_deal":"' + b"x" * 400 + b'"}'
ENTRY = (
    b'{"seat":0,"by":"player","bot":null,"move":{"type":"play","card":"A-spades"},"expected_version":17,"events":[]}'
)
ANSWER = b'{"version":18,"events":[],"game":"' + b"x" * 2200 + b'"}'
MOVES_IN_A_DEAL = 56


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answer any POST on /{game_id} as if it were a move; the first creates the game."""
    if scope["type"] == "lifespan":
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})
        return
    await receive()
    await move(scope["path"][1:])
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": ANSWER})


async def move(game_id: str) -> None:
    """The two round trips of a move."""
    shard = shard_of(game_id)
    names = [key(kind, shard, game_id) for kind in ("game", "log", "deals", "gone")]
    fields, _, _ = await load(redis, [names[0], names[1], names[3]])
    version = int(fields[3] or 0)
    answer = await commit(
        redis,
        [*names, key("due", shard), key("changed", shard)],
        [
            game_id,
            b"" if version else HEADER,
            version,
            ENTRY,
            SEATS,
            "playing",
            b"" if version % MOVES_IN_A_DEAL else START,
            "",
            0,
            RETENTION_MS["playing"],
            TOMBSTONE_MS,
            msgspec.json.encode({"status": "playing"}),
            "",
        ],
    )
    if not answer[0]:
        raise RuntimeError("the peer's commit was refused, so it measures nothing")
