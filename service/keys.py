"""API keys: who may create games, and what their games may be told to do. Only digests are kept.

    tapete:keys       hash: id -> the key as JSON, without anything that it could be made from
    tapete:keys:used  hash: id -> the hour in which it was last used, in ms since 1970

A key belongs to a name, and the name is what a game remembers: a second key of the same name takes over all that the
first may do, so that keys can be changed without a gap. A name should never pass on to somebody else. A revoked key
stays on the list, so that revoking the last one opens nothing.
"""

from __future__ import annotations

import contextlib
import re
import secrets
import time
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from service.access import API_KEYS, KEY_PREFIX, digest_of
from service.answers import answered
from service.errors import Unauthorized, Unavailable
from service.rates import OFF, Rate, parse_own

if TYPE_CHECKING:
    from redis.asyncio import Redis

USED = f"{API_KEYS}:used"
FRESH_SECONDS = 2.0
"""How long a process believes what it last read of the keys."""
HOUR_MS = 3600 * 1000
NAME_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}", re.ASCII)


class ApiKey(Struct, frozen=True):
    """A key as it is kept; `limits` is the text of what it has of its own. Times are milliseconds since 1970."""

    id: str
    name: str
    digest: str
    created_at: int
    limits: str = ""
    revoked_at: int | None = None

    @property
    def rates(self) -> Mapping[str, Rate]:
        """The limits that it has of its own."""
        return parse_own(self.limits) if self.limits else OFF


class KnownKey(ApiKey, frozen=True, dict=True):
    """A key as a process remembers it: its limits are read once."""

    @cached_property
    def own(self) -> Mapping[str, Rate]:
        """The limits that it has of its own."""
        return self.rates


_decode = msgspec.json.Decoder(KnownKey).decode


class Keys:
    """The API keys in the games' Redis. Every method raises Unavailable where that does not answer."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._known: dict[str, KnownKey] | None = None
        self._read_at = 0.0
        self._used: dict[str, int] = {}

    async def add(self, name: str, limits: str = "") -> str:
        """Make a key for a name, and answer it: nobody can read it again. The name and the limits must be good."""
        made = KEY_PREFIX + secrets.token_urlsafe(32)
        key = ApiKey(f"ak_{secrets.token_hex(5)}", name, digest_of(made), _now_ms(), limits)
        await self._write(key)
        return made

    async def listed(self) -> list[tuple[ApiKey, int | None]]:
        """Every key in the order of making, with the hour in which it was last used."""
        kept = await answered(self._redis.hgetall(API_KEYS), by="store")
        used = await answered(self._redis.hgetall(USED), by="store")
        found = sorted((_decode(each) for each in kept.values()), key=lambda key: (key.created_at, key.id))
        return [(key, int(used[key.id.encode()]) if key.id.encode() in used else None) for key in found]

    async def revoke(self, which: str) -> list[ApiKey]:
        """End the keys of an id or a name that are good; answers them."""
        ended = [key for key, _ in await self.listed() if which in (key.id, key.name) and key.revoked_at is None]
        for key in ended:
            await self._write(replace(key, revoked_at=_now_ms()))
        return ended

    async def forget(self, which: str) -> list[ApiKey]:
        """Take keys off the list; without any the service is open again. Answers them."""
        gone = [key for key, _ in await self.listed() if which in (key.id, key.name)]
        for key in gone:
            await answered(self._redis.hdel(API_KEYS, key.id), by="store")
            await answered(self._redis.hdel(USED, key.id), by="store")
        self._known = None
        return gone

    async def find(self, token: str) -> KnownKey:
        """The key that a client sent. Unauthorized where it is none, or revoked."""
        key = (await self._all()).get(digest_of(token))
        if key is None or key.revoked_at is not None:
            raise Unauthorized("This is no API key of this service, or one that was revoked.")
        await self._note_use(key.id)
        return key

    async def configured(self) -> bool:
        """Whether creating needs a key: there is one, if only a revoked one."""
        return bool(await self._all())

    async def _all(self) -> dict[str, KnownKey]:
        """Every key by its digest, as read a moment ago; as last known while the store does not answer."""
        now = time.monotonic()
        if self._known is None or now - self._read_at > FRESH_SECONDS:
            try:
                kept = await answered(self._redis.hgetall(API_KEYS), by="store")
            except Unavailable:
                if self._known is None:
                    raise
            else:
                self._known = {key.digest: key for key in map(_decode, kept.values())}
            self._read_at = now
        return self._known

    async def _note_use(self, key_id: str) -> None:
        hour = _now_ms() // HOUR_MS * HOUR_MS
        if self._used.get(key_id) != hour:
            self._used[key_id] = hour
            # It is for people to look at, and no reason to refuse anybody.
            with contextlib.suppress(Unavailable):
                await answered(self._redis.hset(USED, key_id, hour), by="store")

    async def _write(self, key: ApiKey) -> None:
        await answered(self._redis.hset(API_KEYS, key.id, msgspec.json.encode(key)), by="store")
        self._known = None


def _now_ms() -> int:
    return int(time.time() * 1000)
