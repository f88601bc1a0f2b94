"""Tokens: HMACs of a server secret over game, role and generation. Nothing of them is stored.

A token reads `{role}.{generation}.{mac}`: `seat0.0.…` for a seat, `creator.0.…` for whoever created the game. Two
secrets may be valid at a time, so that the first can be changed without ending every game.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import re
from functools import lru_cache

from msgspec import Struct

CREATOR = "creator"
API_KEYS = "tapete:keys"
"""Where API keys are kept, in the games' Redis."""
KEY_PREFIX = "tk_"
"""What every API key begins with, so that people and scanners know one when they see it."""
_TOKEN = re.compile(r"(seat[0-7]|creator)\.(0|[1-9][0-9]{0,5})\.([A-Za-z0-9_-]{43})", re.ASCII)


class Caller(Struct, frozen=True):
    """Who asks, proved by a token: a seat, or the creator (`seat` None), at a generation of the token."""

    seat: int | None
    generation: int


BY_CREATOR = Caller(seat=None, generation=0)


class Seated(Caller, frozen=True):
    """A caller who has a seat."""

    seat: int


def is_api_key(token: str) -> bool:
    """Whether a token would be an API key, and none of a game."""
    return token.startswith(KEY_PREFIX)


def digest_of(key: str) -> str:
    """What is kept of an API key: it is long and random, so a plain hash cannot be turned back."""
    return hashlib.sha256(key.encode()).hexdigest()


@lru_cache(maxsize=4096)
def neighbourhood(address: str) -> str:
    """The address that limits are counted for: of IPv6 the /64, since whoever has one address there has them all."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is None:
            return str(ipaddress.ip_network((found, 64), strict=False))
        found = found.ipv4_mapped
    return str(found)


class Tokens:
    """Makes and checks tokens; `secrets` are one or two keys, of which the first signs."""

    def __init__(self, secrets: tuple[bytes, ...]) -> None:
        self._secrets = secrets

    def of_seat(self, game_id: str, seat: int, generation: int) -> str:
        """The token of a seat."""
        return self._token(game_id, f"seat{seat}", generation)

    def of_invite(self, game_id: str, seat: int) -> str:
        """The invite to an open seat: no token, and good for a claim only."""
        return self._token(game_id, f"invite{seat}", 0)

    def is_invite(self, game_id: str, seat: int, invite: str) -> bool:
        """Whether a text is the invite to this seat."""
        found = re.fullmatch(r"invite([0-7])\.0\.([A-Za-z0-9_-]{43})", invite, re.ASCII)
        return found is not None and int(found[1]) == seat and self._signed(game_id, f"invite{seat}", 0, found[2])

    def of_creator(self, game_id: str) -> str:
        """The token of the game's creator."""
        return self._token(game_id, CREATOR, 0)

    def caller(self, game_id: str, token: str) -> Caller | None:
        """Who a token speaks for in a game; None where it is not a token of this game."""
        parts = _TOKEN.fullmatch(token)
        if parts is None:
            return None
        role, generation, mac = parts[1], int(parts[2]), parts[3]
        if not self._signed(game_id, role, generation, mac):
            return None
        return Caller(None if role == CREATOR else int(role[4:]), generation)

    def _signed(self, game_id: str, role: str, generation: int, mac: str) -> bool:
        known = [hmac.compare_digest(mac, _mac(secret, game_id, role, generation)) for secret in self._secrets]
        return any(known)

    def derive(self, *parts: object) -> str:
        """Something secret that is always the same for the same parts: job ids, and the seeds of bots' chance."""
        return self.derive_each(*parts)[0]

    def derive_each(self, *parts: object) -> list[str]:
        """What each secret derives from the parts, as 64 hex digits; the first is what `derive` answers."""
        text = ":".join(map(str, ("tapete/1/derive", *parts)))
        return [hmac.new(secret, text.encode(), hashlib.sha256).hexdigest() for secret in self._secrets]

    def _token(self, game_id: str, role: str, generation: int) -> str:
        return f"{role}.{generation}.{_mac(self._secrets[0], game_id, role, generation)}"


@lru_cache(maxsize=8192)  # asked twice for each request; a seat moves many times
def _mac(secret: bytes, game_id: str, role: str, generation: int) -> str:
    text = f"tapete/1:{game_id}:{role}:{generation}"
    return base64.urlsafe_b64encode(hmac.digest(secret, text.encode(), "sha256")).rstrip(b"=").decode()
