"""An end to what a request may begin with: httptools keeps headers for as long as they come."""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from service.rates import MOST_HEADERS

REFUSAL = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n"
    b"x-content-type-options: nosniff\r\n\r\n"
)


class BoundedHead(HttpToolsProtocol):
    """A connection that is closed when it sends headers without an end, which its parser would keep for ever.

    It counts what comes after the first bytes that were received of a head, so that none is refused that fits: a
    complete one is measured exactly where requests are admitted.
    """

    _in_head = False
    _received = 0

    def data_received(self, data: bytes) -> None:
        """Take what was received."""
        before = self._in_head
        super().data_received(data)
        if before and self._in_head:
            self._received += len(data)
            if self._received > MOST_HEADERS and not self.transport.is_closing():
                self.transport.write(REFUSAL)
                self.transport.close()

    def on_message_begin(self) -> None:
        """Note that a head begins."""
        self._in_head, self._received = True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Note that it has ended."""
        self._in_head = False
        super().on_headers_complete()
