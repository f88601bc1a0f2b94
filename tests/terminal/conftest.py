"""One service for all tests of a file: the whole of it, as `tapete up` runs it."""

from collections.abc import Iterator

import pytest

from tests.processes import Running, tapete_up


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A running service with one bot worker."""
    with tapete_up(tmp_path_factory.mktemp("data"), "--bot-workers", "1") as running:
        yield running
