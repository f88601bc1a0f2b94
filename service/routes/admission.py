"""Who asks, as far as limits go, and whether they may ask more: looked at before any handler.

A request counts for its token where that is a good one, so that nobody pays for a neighbour; else for its address.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import cast

from litestar.types import ASGIApp, Receive, Scope, Send
from msgspec import Struct

from service.access import is_api_key, neighbourhood
from service.errors import HeadersTooLarge, Unauthorized, Unavailable
from service.limits import Limiter
from service.rates import MOST_HEADERS, OFF, Rate
from service.routes.http import AnyRequest, check_accept, context_of, token_of


class Asker(Struct, frozen=True):
    """Whom a request counts for: the holder of a good token or API key (`named`), or whoever is at the address.

    `own` are the limits that an API key has of its own.
    """

    who: str
    address: str
    named: bool
    own: Mapping[str, Rate] = OFF


async def admit(request: AnyRequest) -> None:
    """Refuse what nobody could answer, and what is more than the limits.

    HeadersTooLarge, NotAcceptable, RateLimited.
    """
    scope = request.scope
    head = sum(len(name) + len(value) for name, value in scope["headers"])
    if head + len(scope["raw_path"]) + len(scope["query_string"]) > MOST_HEADERS:
        raise HeadersTooLarge
    await check_accept(request)
    operation = request.route_handler.opt.get("operation")
    if operation is None or not operation.limit:
        return
    asker = await _find_asker(request, keys=operation.access != "none")
    request.scope["asker"] = asker  # type: ignore[typeddict-unknown-key] # ours, like the edge's
    await limiter_of(request).spend(operation.limit, asker.who, asker.own.get(operation.limit))


def limiter_of(request: AnyRequest) -> Limiter:
    """What counts."""
    return cast(Limiter, request.app.state.limiter)


async def _find_asker(request: AnyRequest, *, keys: bool) -> Asker:
    """Whom a request counts for. `keys`: whether its API key would be looked at. RateLimited after many guesses."""
    client = request.scope["client"]
    address = neighbourhood(client[0] if client else "")
    token = token_of(request)
    if token is None:
        return Asker(address, address, named=False)
    if is_api_key(token):
        return await _by_key(request, token, address) if keys else Asker(address, address, named=False)
    game_id = _game_of(request)
    caller = context_of(request).tokens.caller(game_id, token) if game_id else None
    if caller is None:
        if game_id:
            await limiter_of(request).spend("guesses", address)
        return Asker(address, address, named=False)
    # With its generation: whoever stole a token that was renewed since must not use up what its seat may do.
    return Asker(f"{game_id}:{caller.seat}:{caller.generation}", address, named=True)


async def _by_key(request: AnyRequest, token: str, address: str) -> Asker:
    try:
        key = await context_of(request).keys.find(token)
    except Unauthorized:
        await limiter_of(request).spend("guesses", address)
    except Unavailable:
        pass  # for whoever needs to know the key to say
    else:
        return Asker(f"key:{key.name}", address, named=True, own=key.own)
    return Asker(address, address, named=False)


def _game_of(request: AnyRequest) -> str:
    """The game that the path names, directly or by a job; empty where it names none."""
    named = request.path_params
    return str(named.get("game_id") or f"gm_{str(named.get('job_id', ''))[3:23]}" if named else "")


async def count_a_guess(request: AnyRequest) -> None:
    """Count an invite that was none. RateLimited."""
    await limiter_of(request).spend("guesses", asker_of(request).address)


async def count_a_rotation(request: AnyRequest, game_id: str, seat: int) -> None:
    """Count a new token for its seat: a token that is new each time would never meet a limit. RateLimited."""
    await limiter_of(request).spend("changes", f"{game_id}:{seat}:token")


@contextlib.contextmanager
def hold_a_place(request: AnyRequest, seconds: float) -> Iterator[None]:
    """Hold a place among the asker's open streams and waits, if it is for longer than a moment. RateLimited."""
    release = _hold(request) if seconds else None
    try:
        yield
    finally:
        if release:
            release()


class Held:
    """An answer that goes on, and holds a place among its asker's streams as long as it does."""

    def __init__(self, answer: ASGIApp, request: AnyRequest) -> None:
        self._answer = answer
        self._release = _hold(request)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        try:
            await self._answer(scope, receive, send)
        finally:
            self._release()


def _hold(request: AnyRequest) -> Callable[[], None]:
    asker = asker_of(request)
    return limiter_of(request).hold(*_place_of(asker))


def _place_of(asker: Asker) -> tuple[str, str, Rate | None]:
    return ("streams" if asker.named else "spectators", asker.who, asker.own.get("streams"))


def asker_of(request: AnyRequest) -> Asker:
    """Whom the request counts for, as `admit` has found out."""
    return cast(Asker, request.scope["asker"])  # type: ignore[typeddict-item] # `admit` puts it there
