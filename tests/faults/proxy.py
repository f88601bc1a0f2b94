"""Between the service and Redis: everything is passed on, but now and then an answer is cut off.

The command has been executed by then, and whoever asked gets a broken connection instead of the answer.
"""

import asyncio
import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread


class Proxy:
    """Listens on one unix socket for the server on another, in a thread and loop of its own."""

    def __init__(self, server: str, path: str) -> None:
        self.url = f"unix://{path}"
        self.cut_share = 0.0
        """Which share of the answers is cut off."""
        self.cut = 0
        """How many answers have been cut off."""
        self._server, self._path = server, path
        self._chance = random.Random("proxy")
        self._loop = asyncio.new_event_loop()
        self._connections: set[asyncio.Task[None]] = set()

    def run(self) -> None:
        """Pass on until told to stop."""
        asyncio.set_event_loop(self._loop)
        listening = self._loop.run_until_complete(asyncio.start_unix_server(self._accept, self._path))
        self._loop.run_forever()
        listening.close()
        for task in self._connections:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*self._connections, return_exceptions=True))
        self._loop.run_until_complete(asyncio.sleep(0))  # for what has been closed to be gone
        self._loop.close()

    def stop(self) -> None:
        """Tell it to stop."""
        self._loop.call_soon_threadsafe(self._loop.stop)

    async def _accept(self, asking: asyncio.StreamReader, asked: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            with suppress(OSError):
                await self._pass_on(asking, asked)
        finally:
            asked.transport.abort()
            self._connections.discard(task)

    async def _pass_on(self, asking: asyncio.StreamReader, asked: asyncio.StreamWriter) -> None:
        answering, answers = await asyncio.open_unix_connection(self._server)
        both = [self._loop.create_task(work) for work in (_copy(asking, answers), self._answer(answering, asked))]
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in both:
                each.cancel()
            await asyncio.gather(*both, return_exceptions=True)
            answers.transport.abort()

    async def _answer(self, answering: asyncio.StreamReader, asked: asyncio.StreamWriter) -> None:
        while data := await answering.read(65536):
            if self._chance.random() < self.cut_share:
                self.cut += 1
                return
            asked.write(data)


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(65536):
        target.write(data)


@contextmanager
def proxy(server: str, path: Path) -> Iterator[Proxy]:
    """Run a proxy on `path` for the server that listens on the unix socket `server`."""
    passing_on = Proxy(server, str(path))
    thread = Thread(target=passing_on.run, daemon=True)
    thread.start()
    try:
        yield passing_on
    finally:
        passing_on.stop()
        thread.join(10)
        path.unlink(missing_ok=True)
