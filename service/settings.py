"""What a process is told by its environment: read once, when asked, never at import."""

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from service.rates import DEFAULTS, LimitsError, Rates, parse_limits, text_of

LOG_LEVELS = ("debug", "info", "warning", "error", "critical")
REDIS_SCHEMES = ("redis://", "rediss://", "unix://")
MINIMAL_SECRET = 16
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?", re.ASCII)


class SettingsError(Exception):
    """A setting is missing or makes no sense; the text says which one and what to do."""


@dataclass(frozen=True)
class Settings:
    """Everything that may differ from one installation to the next.

    An empty `redis_url` or no `secrets` mean that the environment names none: `tapete up` then brings its own,
    all other commands refuse (`complete`).
    """

    redis_url: str = field(repr=False)  # may hold a password
    """The Redis that keeps the games."""
    queue_redis_url: str = field(repr=False)
    """The Redis that keeps the job queues; may be the same one."""
    secrets: tuple[bytes, ...] = field(repr=False)
    """One or two keys for tokens: the first signs, all verify."""
    host: str = "127.0.0.1"
    port: int = 8000
    """The TCP port of the API; 0 takes any free one."""
    log_level: str = "info"
    bot_queue: str = "tapete-bots"
    simulation_queue: str = "tapete-simulations"
    limits: Rates = field(default_factory=lambda: DEFAULTS)
    """What everyone may ask for, and how often."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses and networks whose word counts for who asks (`X-Forwarded-For`); `*` is everyone's."""
    cors_origins: tuple[str, ...] = ()
    """Origins whose pages may ask, as browsers name them; `*` is all."""

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Settings":
        """Read the variables; an empty one counts as not set. Raises SettingsError."""
        redis_url = _redis_url(environ, "REDIS_URL")
        return cls(
            redis_url=redis_url,
            queue_redis_url=_redis_url(environ, "TAPETE_QUEUE_REDIS_URL") or redis_url,
            secrets=parse_secrets(environ.get("TAPETE_SECRET", ""), "TAPETE_SECRET"),
            host=environ.get("TAPETE_HOST") or cls.host,
            port=_port(environ.get("TAPETE_PORT") or str(cls.port)),
            log_level=_log_level(environ.get("TAPETE_LOG_LEVEL") or cls.log_level),
            limits=_limits(environ.get("TAPETE_LIMITS", "")),
            trusted_proxies=_proxies(environ.get("TAPETE_TRUSTED_PROXIES", "")),
            cors_origins=_origins(environ.get("TAPETE_CORS_ORIGINS", "")),
        )

    def to_environment(self) -> dict[str, str]:
        """Give the variables from which `from_environment` reads these settings again."""
        return {
            "REDIS_URL": self.redis_url,
            "TAPETE_QUEUE_REDIS_URL": self.queue_redis_url,
            "TAPETE_SECRET": ",".join(secret.hex() for secret in self.secrets),
            "TAPETE_HOST": self.host,
            "TAPETE_PORT": str(self.port),
            "TAPETE_LOG_LEVEL": self.log_level,
            "TAPETE_LIMITS": text_of(self.limits),
            "TAPETE_TRUSTED_PROXIES": ",".join(self.trusted_proxies),
            "TAPETE_CORS_ORIGINS": ",".join(self.cors_origins),
        }

    def complete(self) -> "Settings":
        """Give these settings back, now certain to name a Redis and a secret. Raises SettingsError."""
        if not self.redis_url:
            raise SettingsError(
                "REDIS_URL is not set: name the Redis to use, or run `tapete up`, which brings its own."
            )
        if not self.secrets:
            raise SettingsError(
                "TAPETE_SECRET is not set: give API and workers the same secret of 64 hex digits "
                "(`openssl rand -hex 32` makes one), or run `tapete up`, which keeps its own."
            )
        return self


def parse_secrets(text: str, source: str) -> tuple[bytes, ...]:
    """Read one or two hex secrets separated by a comma; none if `text` is blank.

    `source` says where the text stood. Raises SettingsError, which never repeats the text.
    """
    if not text.strip():
        return ()
    try:
        secrets = tuple(bytes.fromhex(part) for part in text.split(","))
    except ValueError:
        raise SettingsError(f"{source} is not hex: it takes one or two hex secrets separated by a comma.") from None
    if len(secrets) > 2 or min(map(len, secrets)) < MINIMAL_SECRET:
        raise SettingsError(
            f"{source} takes one secret or two separated by a comma, each of at least {2 * MINIMAL_SECRET} hex digits."
        )
    return secrets


def _redis_url(environ: Mapping[str, str], name: str) -> str:
    url = environ.get(name, "")
    if url and not url.startswith(REDIS_SCHEMES):
        raise SettingsError(f"{name} is not a Redis URL: it starts with {', '.join(REDIS_SCHEMES)}.")
    return url


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise SettingsError(f"TAPETE_PORT is {text!r}: it takes a number from 0 (any free port) to 65535.")
    return int(text)


def _proxies(text: str) -> tuple[str, ...]:
    proxies = tuple(text.replace(",", " ").split())
    for proxy in proxies:
        try:
            if proxy != "*":
                ipaddress.ip_network(proxy)
        except ValueError:
            raise SettingsError(
                f"TAPETE_TRUSTED_PROXIES holds {proxy!r}: it takes addresses and networks such as 10.0.0.0/8."
            ) from None
    if "*" in proxies and len(proxies) > 1:
        raise SettingsError("TAPETE_TRUSTED_PROXIES holds `*` and more: `*` trusts everyone, so it stands alone.")
    return proxies


def _origins(text: str) -> tuple[str, ...]:
    origins = tuple(text.replace(",", " ").split())
    for origin in origins:
        if origin != "*" and not _ORIGIN.fullmatch(origin):
            raise SettingsError(
                f"TAPETE_CORS_ORIGINS holds {origin!r}: it takes origins as browsers name them, such as "
                "https://table.example, without a path."
            )
    return origins


def _limits(text: str) -> Rates:
    try:
        return parse_limits(text)
    except LimitsError as error:
        raise SettingsError(f"TAPETE_LIMITS: {error}") from None


def _log_level(text: str) -> str:
    if text.lower() not in LOG_LEVELS:
        raise SettingsError(f"TAPETE_LOG_LEVEL is {text!r}: it takes one of {', '.join(LOG_LEVELS)}.")
    return text.lower()
