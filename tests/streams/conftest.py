"""`tapete api` as a process of its own, a server in this one, and games that are followed."""

import re
from collections.abc import Iterator
from threading import Thread

import httpx
import pytest

from service import listening
from service.app import create_app
from service.rates import OFF
from service.server import Server
from service.settings import Settings
from tests.processes import SECRET, Running, tapete, wait_until
from tests.streams.readers import SHORT, TROUBLE, Inside, Table, address, client_of


@pytest.fixture(scope="module")
def database(redis_url: str) -> str:
    """A database of its own on the shared server."""
    return f"{redis_url}?db=3"


@pytest.fixture(scope="module")
def api(database: str) -> Iterator[Running]:
    """The API, for all tests of this file; nothing that they do may fail it."""
    with tapete("api", "--port", "0", REDIS_URL=database, TAPETE_SECRET=SECRET, TAPETE_LIMITS="off") as started:
        address(started)
        yield started
        assert not re.search(TROUBLE, started.output), started.output


@pytest.fixture(scope="module")
def url(api: Running) -> str:
    """Where it answers."""
    return address(api)


@pytest.fixture(scope="module")
def client(url: str) -> Iterator[httpx.Client]:
    """A client of it."""
    with client_of(url) as opened:
        yield opened


@pytest.fixture
def table(client: httpx.Client) -> Table:
    """A game that has just begun."""
    return Table(client, **SHORT)


@pytest.fixture(scope="module")
def finished(client: httpx.Client) -> Table:
    """A game that is over."""
    table = Table(client, **SHORT)
    table.play()
    return table


@pytest.fixture
def inside(database: str) -> Iterator[Inside]:
    """A server in a thread of this process."""
    settings = Settings(database, database, (bytes.fromhex(SECRET),), bot_queue="tests-streams", limits=OFF)
    app = create_app(settings)
    server = Server(app, settings)
    listener = listening.listen("127.0.0.1", 0)
    thread = Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        wait_until(lambda: server.started, lambda: "the server")
        yield Inside(server, app.app.state.context, listening.url(listener))
    finally:
        server.should_exit = True
        thread.join()
