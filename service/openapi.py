"""The published document: OpenAPI 3.1, made of what each handler promises and of the wire types, and of nothing else.

The text of an operation is its handler's docstring; statuses, codes, parameters and headers are its `Operation`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from itertools import groupby
from typing import Any

import msgspec
from litestar import Litestar

from service.components import components, reference
from service.errors import PROBLEMS
from service.operation import Operation, Parameter
from service.schemas import Problem

VERSION = "1.0"
"""Of the API: the first number is the one in its paths, the second counts compatible additions."""

ABOUT = """\
Card games with hidden hands: rules, bots and records behind HTTP.

Create a game, give every seat its token, and play: a seat's token shows that seat's hand and no other, and nothing
widens a view. Bots move by themselves.

- **Moves** carry the version of the game that they were decided on. After a time-out or a 503 send the same bytes
  again: a move is made once.
- **Errors** are problem documents (RFC 9457) with a stable `code`; `GET /v1/errors` says what to do about each.
- **Requests** are closed: an unknown field or query parameter is refused. **Answers** are open: ignore the fields,
  event types and codes that you do not know.
- Any other path answers 404 `not_found`, and any other method 405 `method_not_allowed` with `Allow`. `HEAD` and
  `OPTIONS` work everywhere.
"""

TAGS = {
    "Games": "Create a game, look at it, move, and read what has happened.",
    "Seats": "Claim a seat, renew its token, come back to it, leave it; start, end and erase a game.",
    "Jobs": "Bot moves that a player has asked for.",
    "Simulations": "Many games between bots, and what they came to.",
    "Catalogue": "Rulesets, bots and errors: the same for everyone, and cacheable.",
    "Health": "For load balancers and supervisors.",
    "Document": "This document.",
}

PATH_PARAMETERS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "game_id": ("The `game_id` that creating the game answered.", {"type": "string", "pattern": "^gm_[a-z2-7]{20}$"}),
    "seat": ("The number of a seat.", {"type": "string", "pattern": "^[0-7]$"}),
    "job_id": (
        "The `job_id` that asking answered.",
        {"type": "string", "pattern": "^jb_[a-z2-7]{20}_[0-9a-f]{32}$"},
    ),
    "simulation_id": (
        "The `simulation_id` that asking answered.",
        {"type": "string", "pattern": "^sm_[a-z2-7]{20}$"},
    ),
    "ruleset": ("The `name` of a ruleset in the list.", {"type": "string", "maxLength": 40}),
}

HEADERS = {
    "X-Request-Id": {
        "description": "Names this request; tell it to the operator when something is wrong.",
        "required": True,
        "schema": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
    },
    "Retry-After": {
        "description": "Seconds to wait before the same bytes are sent again.",
        "required": True,
        "schema": {"type": "integer", "minimum": 0},
    },
    "WWW-Authenticate": {
        "description": "`Bearer`: a token is needed.",
        "required": True,
        "schema": {"type": "string"},
    },
}
STREAM = {
    "type": "object",
    "description": "A server-sent event; a comment comes where nothing has happened for a while.",
    "properties": {
        "id": {"type": "string", "description": "The entry's cursor, for `Last-Event-ID`."},
        "event": {"type": "string", "description": "`problem` where the stream ends early; absent on entries."},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {"anyOf": [reference("Item"), reference("Problem")]},
        },
        "retry": {"type": "integer", "description": "Milliseconds to wait before coming back."},
    },
}
OF_STATUS = {401: ("WWW-Authenticate",), 429: ("Retry-After",), 503: ("Retry-After",)}
"""The headers that every answer with a status has, beside X-Request-Id."""

SECURITY: Mapping[str, list[dict[str, list[str]]]] = {
    "none": [],
    "optional": [{"token": []}, {"apiKey": []}, {}],
    "seat": [{"token": []}],
    "creator": [{"token": []}, {"apiKey": []}],
    "key": [{"apiKey": []}, {}],
    "invite": [{"apiKey": []}, {}],
}
TOKEN = {
    "type": "http",
    "scheme": "bearer",
    "description": "The token of a seat, or of the game's creator. Creating a game answers them, once.",
}

API_KEY = {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": "tk_...",
    "description": "An API key, from the operator. Where a service has any, creating games needs one; the key that "
    "created a game may do what its creator's token may, and never sees a hand.",
}


@dataclass(frozen=True)
class Described:
    """An operation where it is found: at a path, under a method, with the docstring of its handler."""

    path: str
    method: str
    text: str
    operation: Operation


def described(app: Litestar) -> Iterator[Described]:
    """Every operation that the document tells of, in the order of the handlers. Pages for people are none."""
    for route in app.routes:
        for handler in getattr(route, "route_handlers", ()):
            operation = handler.opt.get("operation")
            if operation is not None:
                method = min(handler.http_methods).lower()
                yield Described(route.path_format, method, inspect.getdoc(handler.fn) or "", operation)


def document(app: Litestar) -> dict[str, Any]:
    """The whole document of an application."""
    operations = list(described(app))
    types = dict.fromkeys(kind for each in operations for kind in _types(each.operation))
    schemas, found = components([*types, Problem])
    writer = _Writer(dict(zip(types, found, strict=False)))
    paths: dict[str, dict[str, Any]] = {}
    for each in operations:
        paths.setdefault(each.path, {})[each.method] = writer.operation(each)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Tapete",
            "version": VERSION,
            "summary": "The HTTP service behind a card table.",
            "description": ABOUT,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": "The service that this document comes from."}],
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        "paths": paths,
        "components": {"schemas": schemas, "headers": HEADERS, "securitySchemes": {"token": TOKEN, "apiKey": API_KEY}},
    }


def _types(operation: Operation) -> Iterator[Any]:
    yield from (kind for kind in (*operation.answers.values(), operation.body) if kind is not None)


class _Writer:
    """Writes operations, given the schema of every type that they take or answer."""

    def __init__(self, schemas: Mapping[Any, dict[str, Any]]) -> None:
        self._schemas = schemas

    def operation(self, at: Described) -> dict[str, Any]:
        """One operation."""
        operation = at.operation
        summary, *more = re.split(r"\.(?:\s+|$)", at.text, maxsplit=1)
        written: dict[str, Any] = {
            "operationId": operation.id,
            "tags": [operation.tag],
            "summary": summary,
            "description": "".join(more) or f"{summary}.",
            "security": SECURITY[operation.access],
            "parameters": [*_path_parameters(at.path), *map(_parameter, operation.parameters)],
        }
        if operation.body is not None:
            written["requestBody"] = {"required": True, "content": self._json(operation.body)}
        written["responses"] = {**self._answers(operation), **_refusals(operation)}
        return {key: each for key, each in written.items() if each or key == "security"}

    def _json(self, kind: Any) -> dict[str, Any]:
        return {"application/json": {"schema": self._schemas[kind]}}

    def _content(self, operation: Operation, status: int, kind: Any) -> dict[str, Any]:
        stream = {"text/event-stream": {"schema": STREAM}} if operation.stream and status == 200 else {}
        also = {media: {"schema": schema} for media, schema in operation.also.items() if status == 200}
        return {**(self._json(kind) if kind is not None else {}), **stream, **also}

    def _answers(self, operation: Operation) -> dict[str, Any]:
        return {
            str(status): {
                "description": _said_of(status, kind),
                "headers": {**_headers_of(status), **_own_headers(operation, status)},
                **({"content": content} if (content := self._content(operation, status, kind)) else {}),
            }
            for status, kind in sorted(operation.answers.items())
        }


def _refusals(operation: Operation) -> dict[str, Any]:
    """The answers that are problems: one for each status, with the codes that it may have."""

    def status_of(code: str) -> int:
        return PROBLEMS[code].status

    answers = {}
    for status, codes in groupby(sorted(operation.all_problems(), key=status_of), key=status_of):
        if status not in operation.answers:
            answers[str(int(status))] = _refusal(status, list(codes))
    return answers


def _refusal(status: int, codes: list[str]) -> dict[str, Any]:
    return {
        "description": "\n".join(f"- `{code}`: {PROBLEMS[code].title}." for code in codes),
        "headers": _headers_of(status),
        "content": {
            "application/problem+json": {
                "schema": {
                    "allOf": [
                        reference("Problem"),
                        {"type": "object", "properties": {"code": {"type": "string", "enum": codes}}},
                    ]
                }
            }
        },
    }


def _path_parameters(path: str) -> Iterator[dict[str, Any]]:
    for name in re.findall(r"\{([a-z_]+)\}", path):
        text, schema = PATH_PARAMETERS[name]
        yield {"name": name, "in": "path", "required": True, "description": text, "schema": schema}


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": parameter.place,
        "required": False,
        "description": parameter.description,
        "schema": parameter.schema,
    }


def _said_of(status: int, kind: Any) -> str:
    """What an answer is: the first sentence on its type, or what its status means."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return (inspect.getdoc(kind) or "").partition("\n")[0]
    return HTTPStatus(status).description or HTTPStatus(status).phrase


def _headers_of(status: int) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in ("X-Request-Id", *OF_STATUS.get(status, ()))}


def _own_headers(operation: Operation, status: int) -> dict[str, Any]:
    if status >= 400:
        return {}
    return {
        name: {"description": text, "schema": {"type": "string"}} for name, text in operation.answer_headers.items()
    }
