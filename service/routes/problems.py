"""Problem documents (RFC 9457): the one way an error leaves the service."""

import re
from collections.abc import Mapping

import msgspec
from litestar import Response

from service.errors import PROBLEMS
from service.routes.http import PROBLEM_JSON, AnyRequest

RETRY_SECONDS = {"unavailable": 1}
_encode = msgspec.json.Encoder().encode
_DISTURBING = re.compile("[\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]")
"""Control characters and marks that turn text round, which a caller's own names may hold; JSON escapes the others."""


def problem(
    request: AnyRequest,
    code: str,
    detail: str = "",
    more: Mapping[str, object] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response[bytes]:
    """The problem document of a code, with what is special about this case."""
    known = PROBLEMS[code]
    document = {
        "type": f"/v1/errors#{code}",
        "title": known.title,
        "status": known.status,
        "code": code,
        "detail": f"{detail} {known.advice}" if detail else known.advice,
        "request_id": request.scope["request_id"],  # type: ignore[typeddict-item] # the edge puts it there
        **(more or {}),
    }
    sent = {"Cache-Control": "no-store", **(headers or {})}
    if code in RETRY_SECONDS:
        sent["Retry-After"] = str(RETRY_SECONDS[code])
    if code == "unauthorized":
        sent["WWW-Authenticate"] = 'Bearer realm="tapete"'
    content = _DISTURBING.sub(lambda found: f"\\u{ord(found[0]):04x}", _encode(document).decode())
    return Response(content.encode(), status_code=known.status, media_type=PROBLEM_JSON, headers=sent)
