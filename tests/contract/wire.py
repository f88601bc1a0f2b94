"""Requests as bytes: what no client library would send, or would mend."""

import socket
from urllib.parse import urlsplit


def raw(url: str, request: bytes) -> bytes:
    """Everything that the service answers to these very bytes."""
    at = urlsplit(url)
    with socket.create_connection((at.hostname or "", at.port or 0), timeout=30) as connection:
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def asked(url: str, line: str, *headers: str) -> tuple[int, str]:
    """Status and everything else of the answer to a request of one line, on a connection of its own."""
    sent = "\r\n".join([f"{line} HTTP/1.1", "Host: tapete.test", "Connection: close", *headers, "", ""])
    answer = raw(url, sent.encode("latin-1"))
    return int(answer.split()[1]), answer.decode()
