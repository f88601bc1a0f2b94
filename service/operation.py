"""What a handler promises, beside its docstring: the published document is made of these, and only of these."""

from dataclasses import dataclass, field
from typing import Any, Literal

EVERYWHERE = ("invalid_request", "not_acceptable", "headers_too_large", "internal_error")
"""Codes that any operation may answer with."""


IDEMPOTENCY_KEY_PATTERN = "^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"


@dataclass(frozen=True)
class Parameter:
    """A query parameter or a request header; `schema` is JSON Schema."""

    name: str
    place: Literal["query", "header"]
    description: str
    schema: dict[str, Any]


IF_NONE_MATCH = Parameter(
    "If-None-Match", "header", "An `ETag` that the caller holds: 304 while it is true.", {"type": "string"}
)


IDEMPOTENCY_KEY = Parameter(
    "Idempotency-Key",
    "header",
    "A UUID that is new for each thing to be created: a repetition with the same key creates nothing more. Beside an "
    "API key, which has keys of its own, up to 255 printable characters of ASCII will do as well.",
    {"type": "string", "format": "uuid", "pattern": IDEMPOTENCY_KEY_PATTERN},
)


@dataclass(frozen=True)
class Operation:
    """An operation of the API: its id (a method name for clients), types by status, and possible problems.

    `access`: `seat` needs a seat's token, `creator` the creator's or the API key that created the game, `optional`
    takes any or none, `key` needs an API key where there are any, `invite` asks for an invite in the body and takes
    an API key, `none` looks at none.
    """

    id: str
    tag: str
    answers: dict[int, Any]
    access: Literal["none", "key", "invite", "optional", "seat", "creator"] = "none"
    body: Any = None
    problems: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    answer_headers: dict[str, str] = field(default_factory=dict)
    limit: str = "reads"
    """The limit that a request counts for; empty for none."""
    stream: bool = False
    """Whether 200 may be server-sent events as well."""
    also: dict[str, Any] = field(default_factory=dict)
    """Other media types of 200, each with its JSON Schema; beside JSON where `answers` has a type for it."""

    def all_problems(self) -> tuple[str, ...]:
        """Every code this operation may answer with."""
        more: tuple[str, ...] = ()
        if self.access != "none":
            more += ("unauthorized", "unavailable")
        if self.limit:
            more += ("rate_limited",)
        if self.body is not None:
            more += ("unsupported_media_type", "too_large")
        return tuple(dict.fromkeys((*self.problems, *more, *EVERYWHERE)))


def describes(operation: Operation, **more: Any) -> dict[str, Any]:
    """The keyword arguments that tie an operation to a litestar handler, and whatever more a handler needs to know."""
    return {"operation_id": operation.id, "opt": {"operation": operation, **more}}
