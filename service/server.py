"""The server: uvicorn, and what it lacks for connections that stay open for long."""

import asyncio
import logging
import socket

import uvicorn

from service import listening
from service.app import create_app, settle_memory
from service.connection import Connection
from service.edge import Edge
from service.settings import Settings

GRACE = 1.0
"""Seconds that answers may take to leave when the service stops; a connection that takes nothing is then cut."""
MOST_GRACE = 2
"""Seconds after which the service stops whatever is still going on."""


def serve(settings: Settings, listener: socket.socket) -> bool:
    """Answer on a listening socket until told to stop; whether it ever started."""
    logging.basicConfig(level=settings.log_level.upper(), format="%(levelname)s %(name)s %(message)s")
    app = create_app(settings)
    listening.allow_many_connections()
    server = Server(app, settings)
    settle_memory()
    server.run(sockets=[listener])
    return server.started


class Server(uvicorn.Server):
    """uvicorn, which ends the streams when it stops."""

    def __init__(self, app: Edge, settings: Settings) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                loop="uvloop",
                http=Connection,
                ws="none",
                lifespan="on",
                log_level=settings.log_level,
                access_log=False,
                server_header=False,
                proxy_headers=bool(settings.trusted_proxies),
                forwarded_allow_ips=list(settings.trusted_proxies),
                timeout_graceful_shutdown=MOST_GRACE,
            )
        )
        self._edge = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let all readers go, and wait for the answers that are on their way."""
        self._edge.end_streams()
        cutting = asyncio.get_running_loop().call_later(GRACE, self._cut)
        await super().shutdown(sockets)
        cutting.cancel()

    def _cut(self) -> None:
        for connection in list(self.server_state.connections):
            if isinstance(connection, Connection) and connection.is_stuck():
                connection.transport.abort()
