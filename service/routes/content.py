"""Answers that never change while the process runs: zipped once, and named by an `ETag`."""

import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from service.routes.http import Answer, AnyRequest, holds

UNCHANGING = ("ETag", "Content-Encoding")
"""The headers of these answers that the document names, beside those of every answer."""
_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class Content:
    """Bytes that never change while the process runs, as they are and zipped."""

    body: bytes
    media: str
    zipped: bytes
    digest: str

    @classmethod
    def of(cls, body: bytes, media: str) -> "Content":
        """The content of some bytes."""
        zipped = body if media.startswith("image/") else gzip.compress(body, mtime=0)
        return cls(body, media, zipped, hashlib.sha256(body).hexdigest()[:32])


def unchanging(request: AnyRequest, content: Content, headers: Mapping[str, str], vary: str = "") -> Answer:
    """The content, zipped for whoever takes that; 304 for whoever holds it. `vary` is what else chose it."""
    zipped = content.zipped is not content.body and _GZIP.search(request.headers.get("accept-encoding", "")) is not None
    # An `ETag` names bytes, so what is zipped has another one.
    etag = f'"{content.digest}{"-gzip" if zipped else ""}"'
    sent = {**headers, "ETag": etag, "Vary": ", ".join(filter(None, (vary, "Accept-Encoding")))}
    if holds(request, etag):
        return Answer(b"", 304, headers=sent)
    if zipped:
        sent["Content-Encoding"] = "gzip"
    return Answer(content.zipped if zipped else content.body, media=content.media, headers=sent)
