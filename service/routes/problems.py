"""Problem documents (RFC 9457): the one way an error leaves the service."""

import logging
import re
import traceback
from collections.abc import Mapping

import msgspec
from litestar import Response
from litestar.types import Scope

from service.errors import PROBLEMS
from service.routes.http import PROBLEM_JSON, AnyRequest

RETRY_SECONDS = {"unavailable": 1}
log = logging.getLogger("tapete.api")
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
    """The answer that is the problem document of a code, with what is special about this case."""
    content = document(request.scope, code, detail, more)
    sent = {"Cache-Control": "no-store", **(headers or {})}
    if code in RETRY_SECONDS:
        sent["Retry-After"] = str(RETRY_SECONDS[code])
    if code == "unauthorized":
        sent["WWW-Authenticate"] = 'Bearer realm="tapete"'
    return Response(content, status_code=PROBLEMS[code].status, media_type=PROBLEM_JSON, headers=sent)


def document(scope: Scope, code: str, detail: str = "", more: Mapping[str, object] | None = None) -> bytes:
    """A problem document as JSON, about the request of this scope."""
    known = PROBLEMS[code]
    content = _encode(
        {
            "type": f"/v1/errors#{code}",
            "title": known.title,
            "status": known.status,
            "code": code,
            "detail": f"{detail} {known.advice}" if detail else known.advice,
            "request_id": scope["request_id"],  # type: ignore[typeddict-item] # the edge puts it there
            **(more or {}),
        }
    )
    return _DISTURBING.sub(lambda found: f"\\u{ord(found[0]):04x}", content.decode()).encode()


def note(scope: Scope, error: Exception) -> None:
    """Log a fault of ours, its kind and place; its text could hold a card, or what a client sent."""
    place = "".join(traceback.format_tb(error.__traceback__))
    log.error("Request %s failed (%s).\n%s", scope["request_id"], type(error).__name__, place)  # type: ignore[typeddict-item] # the edge puts it there
