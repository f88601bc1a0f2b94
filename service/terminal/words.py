"""What the table says, in the language of the person who plays: texts are in `words.en.json` and `words.es.json`."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from service.terminal import Json

LANGUAGES = ("en", "es")


@cache
def texts(language: str) -> dict[str, str]:
    """Every text of a language, by its key."""
    found: dict[str, str] = json.loads((files(__package__) / f"words.{language}.json").read_text("utf-8"))
    return found


class Words:
    """The texts of one language, told to whoever holds the seat `me`."""

    def __init__(self, language: str, seats: list[Json], me: int) -> None:
        self.language = language
        self.seats = seats
        self.me = me

    def __call__(self, key: str, **values: Any) -> str:
        """A text with its gaps filled."""
        return texts(self.language)[key].format(**values)

    def known(self, key: str) -> bool:
        """Whether there is such a text: a service may be newer than this table."""
        return key in texts(self.language)

    def about(self, key: str, seat: int, **values: Any) -> str:
        """A sentence about a seat, which is another one where the seat is the reader's own."""
        return self(f"{key}.you", **values) if seat == self.me else self(f"{key}.other", who=self.name(seat), **values)

    def name(self, seat: int) -> str:
        """What a seat is called."""
        if seat == self.me:
            return self("you")
        view = self.seats[seat]
        return view["name"] or self("bot" if view["kind"] == "bot" else "player", seat=seat)

    def names(self, seats: list[int]) -> str:
        """Several seats in one list: A, B and C."""
        named = [self.name(seat) for seat in seats]
        return self("and").join(filter(None, [", ".join(named[:-1]), named[-1]]))
