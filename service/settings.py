"""What a process is told by its environment: read once, when asked, never at import."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from service.rates import DEFAULTS, LimitsError, Rates, parse_limits, text_of

LOG_LEVELS = ("debug", "info", "warning", "error", "critical")
REDIS_SCHEMES = ("redis://", "rediss://", "unix://")
MINIMAL_SECRET = 16


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
    limits: Rates = field(default_factory=lambda: DEFAULTS)
    """What everyone may ask for, and how often."""

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


def _limits(text: str) -> Rates:
    try:
        return parse_limits(text)
    except LimitsError as error:
        raise SettingsError(f"TAPETE_LIMITS: {error}") from None


def _log_level(text: str) -> str:
    if text.lower() not in LOG_LEVELS:
        raise SettingsError(f"TAPETE_LOG_LEVEL is {text!r}: it takes one of {', '.join(LOG_LEVELS)}.")
    return text.lower()
