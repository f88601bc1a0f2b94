"""The running service: `tapete api` and a bot worker as processes of their own, over a real Redis."""

from collections.abc import Iterator

import httpx
import pytest

from tests.contract.standing import service
from tests.contract.starts import Game, Table
from tests.contract.tables import Mover


@pytest.fixture(scope="module")
def games_redis_url(redis_url: str) -> str:
    """Where the service keeps its games."""
    return f"{redis_url}?db=2"


@pytest.fixture(scope="module")
def url(games_redis_url: str) -> Iterator[str]:
    """Where the service answers, for all tests of a file; nothing that they ask may fail it."""
    with service(games_redis_url) as address:
        yield address


@pytest.fixture(scope="module")
def client(url: str) -> Iterator[httpx.Client]:
    """A client of the service."""
    with httpx.Client(base_url=url) as opened:
        yield opened


@pytest.fixture
def game(client: httpx.Client) -> Game:
    """A game that has just been dealt."""
    return Table(client).create("tarneeb")


@pytest.fixture
def mover(client: httpx.Client, game: Game) -> Mover:
    """The seat that is to move in it."""
    return Mover(Table(client), game)
