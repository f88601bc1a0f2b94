import resource
import select
import socket
from collections.abc import Iterator

import pytest

from service import listening
from tests.processes import PATIENCE


@pytest.fixture
def limits() -> Iterator[int]:
    """The most files that this process may allow itself; it has less for the test."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(256, before[1]), before[1]))
    yield before[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_as_many_connections_are_allowed_as_the_system_lets_us(limits: int) -> None:
    listening.allow_many_connections()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert hard == limits
    assert limits in (soft, resource.RLIM_INFINITY)


def test_where_the_system_names_no_limit_a_number_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """What macOS itself calls its limit, none, it refuses to set."""
    asked = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, resource.RLIM_INFINITY))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: asked.append(limits))
    listening.allow_many_connections()
    assert asked == [(10_240, resource.RLIM_INFINITY)]


def test_a_client_that_takes_nothing_holds_little_and_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system takes some hundred KB for it at most. Where the system can, it ends the connection after a while."""
    monkeypatch.setattr(listening, "STALLED_MS", 200)
    with listening.listen("127.0.0.1", 0) as listener, socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(listener.getsockname())
        connection, _ = listener.accept()
        with connection:
            connection.setblocking(False)
            taken = 0
            while select.select([], [connection], [], 0)[1]:
                taken += connection.send(bytes(8192))
            assert 0 < taken < 500_000
            waiting = select.poll()
            waiting.register(connection, select.POLLERR | select.POLLHUP)
            ended = waiting.poll(PATIENCE * 1000) if hasattr(socket, "TCP_USER_TIMEOUT") else True
            assert ended
