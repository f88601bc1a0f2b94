"""How often, and how many at a time: every limit with its default, and the one text that sets them.

    TAPETE_LIMITS="games=100/hour streams=8 guesses=off"

names what shall differ from the defaults; `off` alone switches all of them off. An API key may have some of its own.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Per = Literal["token", "key or address", "token, key or address", "address"]
SECONDS = {"second": 1, "minute": 60, "hour": 3600}
MOST = 1_000_000
_ONE = re.compile(r"([a-z_]+)=(?:(off)|([0-9]{1,7})(?:/(second|minute|hour))?)", re.ASCII)


class LimitsError(ValueError):
    """A text sets no limits; says which word of it, and what it would have to be."""


@dataclass(frozen=True)
class Rate:
    """So many in so many seconds; with 0 seconds, so many at a time."""

    count: int
    seconds: int

    def __str__(self) -> str:
        unit = next((name for name, seconds in SECONDS.items() if seconds == self.seconds), "")
        return f"{self.count}/{unit}" if unit else str(self.count)


Rates = Mapping[str, Rate]
"""Rates by the name of their limit; one that is not there is off."""


@dataclass(frozen=True)
class Limit:
    """A limit as everyone may know it. `own`: an API key may have a rate of its own."""

    name: str
    default: Rate
    per: Per
    text: str
    own: bool = False


LIMITS = {
    limit.name: limit
    for limit in (
        Limit("moves", Rate(6000, 60), "token", "Moves in a running game."),
        Limit("games", Rate(600, 60), "key or address", "Games created.", own=True),
        Limit(
            "reads", Rate(6000, 60), "token, key or address", "Views, logs, lists, jobs and the catalogue.", own=True
        ),
        Limit(
            "changes",
            Rate(600, 60),
            "token, key or address",
            "All other changes: claims, new tokens, proposals, starts and ends of games and simulations.",
            own=True,
        ),
        Limit("jobs", Rate(1200, 60), "token", "Bot moves asked for."),
        Limit("waiting_jobs", Rate(16, 0), "token", "Bot moves asked for that no bot has answered yet, at a time."),
        Limit(
            "simulations",
            Rate(3600, 3600),
            "key or address",
            "Core-seconds of simulations, by the estimate in the answer. One that costs more than there can be takes "
            "all of it and leaves a debt.",
            own=True,
        ),
        Limit(
            "running_simulations", Rate(4, 0), "key or address", "Simulations that are not over, at a time.", own=True
        ),
        Limit(
            "streams", Rate(64, 0), "token", "Open streams, long polls and waits, at a time, in one process.", own=True
        ),
        Limit("spectators", Rate(1000, 0), "address", "The same without a token."),
        Limit("guesses", Rate(300, 60), "address", "Tokens, invites and API keys that were none."),
    )
}
MOST_BODY = 64 * 1024
MOST_HEADERS = 32 * 1024
MOST_WAIT = 25
MOST_PAGE = 1000
MOST_NAME = 40
MOST_METADATA = 16
FIXED = {
    "body_bytes": (MOST_BODY, "Bytes of a body; more is 413."),
    "header_bytes": (MOST_HEADERS, "Bytes of a request before its body; more is 431."),
    "wait_seconds": (MOST_WAIT, "Seconds that an answer is held back for news, or for a bot."),
    "page_items": (MOST_PAGE, "Entries on a page."),
    "name_characters": (MOST_NAME, "Characters of a name."),
    "metadata_keys": (MOST_METADATA, "Keys of a game's metadata."),
}
"""What is limited in every request, whoever sends it."""
DEFAULTS: Rates = {name: limit.default for name, limit in LIMITS.items()}
OFF: Rates = {}


def parse_limits(text: str, defaults: Rates = DEFAULTS) -> Rates:
    """Read the limits that a text sets, on top of the defaults. Raises LimitsError."""
    if text.strip() == "off":
        return OFF
    rates = dict(defaults)
    for word in text.replace(",", " ").split():
        found = _ONE.fullmatch(word)
        if found is None or found[1] not in LIMITS:
            raise LimitsError(f"{word!r} sets no limit: it takes NAME=COUNT/minute, NAME=COUNT or NAME=off.")
        name, off, count, unit = found.groups()
        if (LIMITS[name].default.seconds > 0) != (unit is not None) and not off:
            wanted = "COUNT/second, /minute or /hour" if unit is None else "a COUNT, since it is one at a time"
            raise LimitsError(f"{word!r} sets no limit: {name} takes {wanted}.")
        if off:
            rates.pop(name, None)
        elif 1 <= int(count) <= MOST:
            rates[name] = Rate(int(count), SECONDS.get(unit or "", 0))
        else:
            raise LimitsError(f"{word!r} is out of range: from 1 to {MOST}, or off.")
    return rates


def parse_own(text: str) -> Rates:
    """Read the limits that an API key shall have of its own. Raises LimitsError."""
    rates = parse_limits(text, OFF)
    for word in text.replace(",", " ").split():
        name = word.partition("=")[0]
        if name not in LIMITS or not LIMITS[name].own:
            raise LimitsError(f"{word!r} is no limit of a key: it takes {', '.join(own_limits())}.")
        if name not in rates:
            raise LimitsError(f"{word!r} is no limit of a key: give it a large one.")
    return rates


def own_limits() -> list[str]:
    """The names of the limits that an API key may have of its own."""
    return [name for name, limit in LIMITS.items() if limit.own]


def text_of(rates: Rates) -> str:
    """The text that `parse_limits` reads these rates from."""
    return " ".join(f"{name}={rates.get(name, 'off')}" for name in LIMITS)
