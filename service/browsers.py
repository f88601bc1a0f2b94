"""What browsers need to be told: which pages may ask us, and what they may make of our answers.

Closed by default: without configured origins no answer says a word of CORS, and browsers keep other sites' pages out.
Credentials in the browser's sense (cookies) do not exist here, so none are ever allowed; a token is sent on purpose.
"""

from collections.abc import Iterable

Header = tuple[bytes, bytes]

SECURITY = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)
"""On every answer that says nothing else. HSTS is for whoever ends TLS: we speak plain HTTP, where it means nothing."""
EXPOSED = (
    b"Allow, Content-Language, ETag, Idempotency-Replayed, Location, Preference-Applied, Retry-After, "
    b"WWW-Authenticate, X-Request-Id"
)
ASKED_WITH = (
    b"Accept, Accept-Language, Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, Prefer"
)
PREFLIGHT_SECONDS = b"7200"
"""As long as any browser remembers."""
ANY = "*"


def secured(headers: Iterable[Header]) -> list[Header]:
    """The headers of an answer, with the security headers that it does not have."""
    sent = list(headers)
    named = {name.lower() for name, _ in sent}
    sent.extend(header for header in SECURITY if header[0] not in named)
    return sent


class Cors:
    """Which origins' pages may ask; `origins` as browsers name them, or `*` for all."""

    def __init__(self, origins: Iterable[str]) -> None:
        self._origins = {origin.encode() for origin in origins}
        self._any = ANY.encode() in self._origins

    def headers(self, asked: Iterable[Header], method: str, allowed: list[str]) -> list[Header]:
        """What the answer to a request says of CORS. `allowed` are the methods of its resource, for a preflight."""
        if not self._origins:
            return []
        sent = dict(asked)
        origin = sent.get(b"origin", b"")
        # Caches must not hand one origin's answer to another, nor to who sent none.
        told = [] if self._any else [(b"vary", b"Origin")]
        if not origin or not (self._any or origin in self._origins):
            return told
        told += [(b"access-control-allow-origin", ANY.encode() if self._any else origin)]
        if method != "OPTIONS" or b"access-control-request-method" not in sent:
            return [*told, (b"access-control-expose-headers", EXPOSED)]
        return [
            *told,
            (b"access-control-allow-methods", ", ".join(allowed).encode()),
            (b"access-control-allow-headers", ASKED_WITH),
            (b"access-control-max-age", PREFLIGHT_SECONDS),
        ]
