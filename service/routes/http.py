"""Reading requests strictly and writing answers: what every handler does the same way."""

import json
import re
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import parse_qsl

import msgspec
from litestar import Request
from litestar.exceptions import ClientException
from litestar.types import Receive, Scope, Send

from engine.errors import InvalidOptions
from service.access import Caller, is_api_key
from service.errors import InvalidRequest, NotAcceptable, Unauthorized, UnsupportedMediaType
from service.games import Context, enter
from service.keys import KnownKey
from service.operation import IDEMPOTENCY_KEY_PATTERN
from service.store import Loaded

JSON = "application/json"
PROBLEM_JSON = "application/problem+json"
ANSWERED = ("", "*/*", "application/*", JSON, PROBLEM_JSON)
"""What a caller may accept anywhere; nothing at all is anything."""
PRIVATE = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}
"""For views: only the reader's own cache may keep them, and has to ask again."""
VARIED = {**PRIVATE, "Vary": "Accept, Authorization"}
"""For what is JSON or a stream, as the caller likes."""
NO_STORE = {"Cache-Control": "no-store", "Vary": "Authorization"}
"""For answers that hold a token."""
PUBLIC = {"Cache-Control": "public, max-age=300"}
"""For the catalogue."""

AnyRequest = Request[Any, Any, Any]
_encode = msgspec.json.Encoder().encode
_JSON_TYPE = re.compile(r'\s*application/json\s*(?:;\s*charset="?utf-8"?\s*)?', re.ASCII | re.IGNORECASE)
_AT = re.compile(r"(.*) - at `(?:key` in `)?\$(.*)`$", re.DOTALL)
_KEY = re.compile(IDEMPOTENCY_KEY_PATTERN, re.ASCII)
_FREE_KEY = re.compile(r"[\x20-\x7e]{1,255}", re.ASCII)
_QUALITY = re.compile(r"(?:^|;)\s*q\s*=\s*([01](?:\.[0-9]{0,3})?)\s*(?:;|$)", re.ASCII | re.IGNORECASE)
_BEARER = re.compile(r"Bearer +([A-Za-z0-9._~+/=-]{1,200})", re.ASCII | re.IGNORECASE)


def context_of(request: AnyRequest) -> Context:
    """What the use cases work with."""
    return cast(Context, request.app.state.context)


class Answer:
    """An answer ready to be sent, as litestar lets any ASGI application be.

    litestar's own response looks every header up again while it is made: a tenth of what a move costs us.
    """

    def __init__(
        self, body: bytes, status: int = 200, media: str = JSON, headers: Mapping[str, str] | None = None
    ) -> None:
        self.status = status
        self.body = body
        sent = dict(headers or {})
        if status not in (204, 304):
            sent |= {"Content-Type": media, "Content-Length": str(len(body))}
        self.headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in sent.items()]

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Send it."""
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": False})


def answer(content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    """An answer as JSON."""
    return Answer(_encode(content), status, headers=headers)


def sent_as(request: AnyRequest, name: bytes) -> list[str]:
    """Every value that was sent for a header, in order; its name in lower case, as the server hands it on.

    litestar makes its mapping of the headers anew at every look.
    """
    return [value.decode("latin-1") for known, value in request.scope["headers"] if known == name]


def token_of(request: AnyRequest) -> str | None:
    """The token of the request; None where there is none, or no header that could hold one."""
    return _token_in(sent_as(request, b"authorization"))


def _token_in(sent: list[str]) -> str | None:
    found = _BEARER.fullmatch(sent[0]) if len(sent) == 1 else None
    return found[1] if found else None


def bearer(request: AnyRequest) -> str | None:
    """The token of the request; None where there is none. Unauthorized where the header is no bearer token."""
    sent = sent_as(request, b"authorization")
    if not sent:
        return None
    if (token := _token_in(sent)) is None:
        raise Unauthorized("Send exactly one header `Authorization: Bearer`, with a token after it.")
    return token


async def key_of(request: AnyRequest) -> KnownKey | None:
    """The API key of the request; None where it sends none. Unauthorized where it is unknown."""
    token = bearer(request)
    return await context_of(request).keys.find(token) if token and is_api_key(token) else None


async def key_to_create(request: AnyRequest) -> KnownKey | None:
    """The API key that creates something; None where the service is open. Unauthorized."""
    key = await key_of(request)
    if key is None and await context_of(request).keys.configured():
        raise Unauthorized("Creating needs an API key here: send it as `Authorization: Bearer`.")
    return key


async def enter_game(request: AnyRequest, game_id: str) -> tuple[Loaded, Caller | None]:
    """The game of the request, and who asks."""
    return await enter(context_of(request), game_id, bearer(request))


async def body(request: AnyRequest, decoder: msgspec.json.Decoder[Any]) -> Any:
    """The request's body, decoded strictly. UnsupportedMediaType, InvalidRequest; litestar says 413 by itself."""
    declared = ", ".join(sent_as(request, b"content-type"))
    if not _JSON_TYPE.fullmatch(declared):
        raise UnsupportedMediaType(f"The body is declared as {declared[:60]!r}.")
    try:
        content = await request.body()
    except ClientException as error:
        # litestar says 413 by an exception of its own; what else it finds wrong with a body is a broken request.
        if error.status_code == 413:
            raise
        raise InvalidRequest("The body could not be read.") from None
    try:
        return _decoded(content, decoder)
    except msgspec.ValidationError as error:
        raise InvalidRequest("The body has another shape.", [_place(str(error))]) from None
    except (msgspec.DecodeError, ValueError, RecursionError):
        raise InvalidRequest(
            "The body is not JSON.", [{"pointer": "", "detail": "This is not JSON in UTF-8."}]
        ) from None


def _decoded(content: bytes, decoder: msgspec.json.Decoder[Any]) -> Any:
    """The content as the decoder's type, where no object says anything twice and 7.0 is an integer."""
    try:
        found = decoder.decode(content)
    except msgspec.ValidationError:
        # JSON Schema calls 7.0 an integer, and so does every client that keeps numbers as floats; msgspec does not.
        found = msgspec.convert(_whole(msgspec.json.decode(content)), decoder.type)
    _strict.decode(content.decode())
    return found


def _whole(value: Any) -> Any:
    """The same JSON value with every number that is whole as an int."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return {name: _whole(each) for name, each in value.items()} if isinstance(value, dict) else value


def _once(pairs: list[tuple[str, Any]]) -> None:
    """Refuse an object with a repeated name: which one counts would be anybody's guess."""
    seen = set()
    for name, _ in pairs:
        if name in seen:
            raise msgspec.ValidationError(f"Object contains the field `{name[:60]}` more than once")
        seen.add(name)


_strict = json.JSONDecoder(object_pairs_hook=_once)


def _place(error: str) -> dict[str, str]:
    """A JSON pointer and a sentence from msgspec's message, which ends in a path such as `$.seats[1].kind`.

    Where the names in an object are the client's own, the path says `[...]`: the pointer then names the object.
    """
    found = _AT.fullmatch(error)
    if found is None:
        return {"pointer": "", "detail": f"{error}."}
    steps = re.findall(r"\.([^.\[]+)|\[([0-9]+)\]", found[2].split("[...]")[0])
    return {"pointer": "".join(f"/{name or index}" for name, index in steps), "detail": f"{found[1]}."}


def places(error: InvalidOptions) -> list[dict[str, str]]:
    """The mistakes in a game's options, as a problem document has them."""
    return [{"pointer": pointer, "detail": sentence} for pointer, sentence in error.errors]


def query(request: AnyRequest, known: tuple[str, ...] = ()) -> dict[str, str]:
    """The query's parameters, each at most once and none that the operation does not have. InvalidRequest."""
    if not request.scope["query_string"]:
        return {}
    pairs = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
    for name, _ in pairs:
        if name not in known or sum(name == other for other, _ in pairs) > 1:
            there = f"It takes {', '.join(known)}, each at most once." if known else "It takes no parameters."
            raise InvalidRequest(
                "A query parameter is unknown or repeated.", [{"parameter": name[:60], "detail": there}]
            )
    return dict(pairs)


def idempotency_key(request: AnyRequest, api_key: KnownKey | None) -> str | None:
    """The key that makes a repetition known; None where there is none. InvalidRequest.

    Without an API key whoever knows it gets the answer, so then it must be a UUID, which nobody guesses.
    """
    sent = sent_as(request, b"idempotency-key")
    if not sent:
        return None
    if len(sent) > 1 or not (_FREE_KEY if api_key else _KEY).fullmatch(sent[0]):
        takes = "It takes 1 to 255 printable characters of ASCII, once." if api_key else "It takes one UUID."
        raise InvalidRequest("`Idempotency-Key` is no key.", [{"parameter": "Idempotency-Key", "detail": takes}])
    return sent[0].lower() if _KEY.fullmatch(sent[0]) else sent[0]


def whole(text: str | None, name: str, low: int, high: int, default: int) -> int:
    """A whole number from the query. InvalidRequest."""
    if text is None:
        return default
    if not re.fullmatch(r"[0-9]{1,10}", text, re.ASCII) or not low <= int(text) <= high:
        raise InvalidRequest(
            "A query parameter is out of range.",
            [{"parameter": name, "detail": f"It takes a whole number from {low} to {high}."}],
        )
    return int(text)


def holds(request: AnyRequest, etag: str) -> bool:
    """Whether the caller says that it holds what this `ETag` names."""
    known = re.findall(r'"[^"]*"|\*', request.headers.get("if-none-match", ""))
    return etag in known or "*" in known


def accepted(request: AnyRequest) -> dict[str, float]:
    """What the caller accepts, in lower case, and how much it likes each, up to 1."""
    found = {}
    for each in ",".join(sent_as(request, b"accept")).split(","):
        kind, _, parameters = each.partition(";")
        quality = _QUALITY.search(parameters)
        found[kind.strip().lower()] = float(quality[1]) if quality else 1.0
    return found


def prefers(request: AnyRequest, media: str) -> bool:
    """Whether the caller accepts this media type, and likes JSON no better."""
    likes = accepted(request)
    liked = likes.get(media, 0)
    return liked > 0 and liked >= max(likes.get(kind, 0) for kind in ANSWERED)


async def check_accept(request: AnyRequest) -> None:
    """Refuse a request that accepts nothing that can be answered. Pages for people are answered as they are."""
    if request.route_handler.opt.get("page"):
        return
    answered = (*ANSWERED, request.route_handler.opt.get("stream"))
    if not any(liked > 0 and kind in answered for kind, liked in accepted(request).items()):
        raise NotAcceptable("`Accept` names nothing that this resource can be.")
