"""What the published document says of answers: their headers, and the problems that each status may be.

Whatever is the same for several operations is a component, so that generated clients get one type for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from service.components import reference
from service.errors import PROBLEMS
from service.operation import Operation

EVERY = ("X-Request-Id", "Cache-Control")
"""The headers that every answer has; which others are not told of, ABOUT of the document says."""

OF_STATUS: Mapping[int, tuple[str, ...]] = {401: ("WWW-Authenticate",), 429: ("Retry-After",), 503: ("Retry-After",)}
"""The headers that every answer with a status has, beside those."""

TEXT = {"type": "string"}
HEADERS: Mapping[str, dict[str, Any]] = {
    "Cache-Control": {
        "description": "Who may keep this answer: nobody (`no-store`), the reader's own cache, which has to ask again "
        "(`private, no-cache`), or any cache for some seconds (`public, max-age`).",
        "required": True,
        "schema": TEXT,
    },
    "Content-Encoding": {
        "description": "`gzip` where the request's `Accept-Encoding` takes that; absent otherwise.",
        "schema": {"type": "string", "enum": ["gzip"]},
    },
    "Content-Language": {
        "description": "The language of the texts.",
        "required": True,
        "schema": {"type": "string", "enum": ["en", "es"]},
    },
    "ETag": {
        "description": "Names this very answer: send it back as `If-None-Match`, and 304 says that it still stands.",
        "required": True,
        "schema": {"type": "string", "pattern": '^"[^"]+"$'},
    },
    "Idempotency-Replayed": {
        "description": "`true` where the same request had been carried out before, and this is its answer once more; "
        "absent otherwise.",
        "schema": {"type": "string", "enum": ["true"]},
    },
    "Location": {
        "description": "The path of what was made, from the root of this service.",
        "required": True,
        "schema": {"type": "string", "format": "uri-reference"},
    },
    "Preference-Applied": {
        "description": "`wait=N`: the answer was held back for up to N seconds; absent where the request asked for no "
        "wait.",
        "schema": {"type": "string", "pattern": "^wait=[0-9]{1,2}$"},
    },
    "Retry-After": {
        "description": "Seconds to wait before the same bytes are sent again.",
        "required": True,
        "schema": {"type": "integer", "minimum": 0},
    },
    "Vary": {
        "description": "The headers of a request that this answer depends on, for caches.",
        "required": True,
        "schema": TEXT,
    },
    "WWW-Authenticate": {
        "description": "`Bearer`: send a token, or an API key, as `Authorization: Bearer`.",
        "required": True,
        "schema": TEXT,
    },
    "X-Request-Id": {
        "description": "Names this request; tell it to the operator when something is wrong.",
        "required": True,
        "schema": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
    },
}

SHARED: Mapping[tuple[str, ...], str] = {
    ("game_not_found", "game_expired", "game_deleted"): "NoSuchGame",
    ("not_found", "game_not_found", "game_expired", "game_deleted"): "NoSuchGameOrSeat",
    ("not_started", "match_over"): "NotInPlay",
}
"""The name of the answer to several codes that are one in many operations. A single code's is named after itself."""


def headers(operation: Operation, status: int, *, has_content: bool) -> dict[str, Any]:
    """The headers of an answer that is no problem."""
    names = [*EVERY, *OF_STATUS.get(status, ())]
    if status < 400:
        names += operation.answer_headers
    # What is told to a token, and what is zipped for who asks: caches must not hand either to anyone else.
    if operation.access != "none" or "ETag" in operation.answer_headers:
        names.append("Vary")
    return _refer(name for name in names if has_content or name != "Content-Encoding")


def refusals(operation: Operation) -> dict[str, Any]:
    """The answers that are problems: one for each status, with the codes that it may have."""
    answers = {}
    for status, codes in _by_status(operation):
        if status not in operation.answers:
            name = _name(codes)
            answers[str(status)] = {"$ref": f"#/components/responses/{name}"} if name else _refusal(status, codes)
    return answers


def shared_refusals(operations: Iterable[Operation]) -> dict[str, Any]:
    """The component of every refusal that an operation refers to."""
    found = {}
    for operation in operations:
        for status, codes in _by_status(operation):
            if status not in operation.answers and (name := _name(codes)):
                found[name] = _refusal(status, codes)
    return dict(sorted(found.items()))


def _by_status(operation: Operation) -> Iterator[tuple[int, tuple[str, ...]]]:
    def status_of(code: str) -> int:
        return int(PROBLEMS[code].status)

    for status, codes in groupby(sorted(operation.all_problems(), key=status_of), key=status_of):
        yield status, tuple(codes)


def _name(codes: tuple[str, ...]) -> str | None:
    if len(codes) == 1:
        return "".join(word.capitalize() for word in codes[0].split("_"))
    return SHARED.get(codes)


def _refusal(status: int, codes: tuple[str, ...]) -> dict[str, Any]:
    """An answer that is a problem. Beside its reference the schema says which codes; generators see one `Problem`."""
    narrowed = {"properties": {"code": {"type": "string", "enum": list(codes)}}}
    told = [f"- `{code}`: {PROBLEMS[code].title}. {PROBLEMS[code].advice}" for code in codes]
    return {
        "description": "\n".join(told) if len(told) > 1 else told[0].removeprefix("- "),
        "headers": _refer((*EVERY, *OF_STATUS.get(status, ()))),
        "content": {"application/problem+json": {"schema": {**reference("Problem"), **narrowed}}},
    }


def _refer(names: Iterable[str]) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
