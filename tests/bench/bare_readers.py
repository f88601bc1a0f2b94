"""A bare ASGI application that follows a Redis stream for each of its connections: the peer of `idle readers`.

One connection to Redis for each reader, and one blocking read on it: what a service does that does not share. It
sends a comment as often as we do, and knows nothing of games.
"""

import os
import socket
import sys
from pathlib import Path
from typing import Any

import uvicorn
from redis.asyncio import Redis

sys.path[0] = str(Path(__file__).parents[2])

from service.listening import allow_many_connections  # noqa: E402 - the path comes first
from service.routes.streams import PING_SECONDS  # noqa: E402

HEADERS = [(b"content-type", b"text/event-stream; charset=utf-8")]


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answer any GET with what is added to the stream of that name."""
    if scope["type"] == "lifespan":
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    await send({"type": "http.response.body", "body": b"retry: 1000\n\n", "more_body": True})
    async with Redis.from_url(os.environ["REDIS_URL"], single_connection_client=True, socket_timeout=None) as redis:
        last = "$"
        while True:
            found = await redis.xread({scope["path"]: last}, block=round(PING_SECONDS * 1000))
            for number, fields in found[0][1] if found else ():
                last = number
                event = b"id: %b\ndata: %b\n\n" % (number, fields[b"data"])
                await send({"type": "http.response.body", "body": event, "more_body": True})
            if not found:
                await send({"type": "http.response.body", "body": b": ping\n\n", "more_body": True})


if __name__ == "__main__":
    allow_many_connections()
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    print(f"The API answers at http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    config = uvicorn.Config(app, loop="uvloop", http="httptools", access_log=False, log_level="error", lifespan="on")
    uvicorn.Server(config).run(sockets=[listener])
