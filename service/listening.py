"""The socket that the API answers on, opened before anything else so that a taken port is known at once."""

import errno
import resource
import socket

STALLED_MS = 60_000
"""How long a client may take nothing of what it is sent."""
UNSENT = 64 * 1024
"""Bytes of answers that the system keeps for a client; Linux takes twice as much, for what it needs itself."""
MOST_FILES = 10_240
"""How many files may be open where the system names no limit: it would not take that for a number either."""


class AddressError(Exception):
    """The address cannot be opened; the text says why and what to do."""


def listen(host: str, port: int) -> socket.socket:
    """Open a listening TCP socket; port 0 takes any free one. Raises AddressError."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise AddressError(_sentence(host, port, error)) from None
    # Without this a restart would be refused for a minute, until the last connections are forgotten.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # These are inherited by every connection. What waits for a slow client is bounded; left alone, the system would let
    # it grow to megabytes.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UNSENT)
    # One whose client takes nothing of what it is sent, because it has gone without a
    # word or reads no more, is ended by the system. Where the system cannot, it ends when the system gives up.
    if (option := getattr(socket, "TCP_USER_TIMEOUT", None)) is not None:
        listener.setsockopt(socket.IPPROTO_TCP, option, STALLED_MS)
    try:
        listener.bind(address)
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise AddressError(_sentence(host, port, error)) from None
    return listener


def address_to_ask(listener: socket.socket) -> tuple[str, int]:
    """Host and port at which this machine reaches the socket, also where it listens on every address."""
    host, port = listener.getsockname()[:2]
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port  # noqa: S104 - compared, not bound


def url(listener: socket.socket) -> str:
    """Give the address of the service as people type it."""
    host, port = address_to_ask(listener)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _sentence(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} on {host} is taken by another program: stop it, or choose another port (0: any free one)."
    if error.errno == errno.EACCES:
        return f"Port {port} on {host} is reserved for the system: choose a port from 1024 on."
    return f"{host} is not an address that this machine can listen on ({error.strerror})."


def allow_many_connections() -> None:
    """Raise this process's limit of open files as far as it may: every reader of a stream holds one."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (MOST_FILES if most == resource.RLIM_INFINITY else most, most))
