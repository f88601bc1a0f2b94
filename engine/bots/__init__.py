"""One module for each bot: `choose(observation, chance, budget) -> Decision`, on one seat's knowledge alone."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.bots import random_bot, rules_bot
from engine.bots.decision import Budget, Candidate, Decision
from engine.chance import Chance
from engine.errors import UnknownBot

__all__ = ["BOTS", "Bot", "Budget", "Candidate", "Decision", "find"]


@dataclass(frozen=True)
class Bot:
    """A way to choose moves. A new version of a bot is a new line; old ones stay as long as games name them."""

    name: str
    version: int
    description: str
    choose: Callable[[Any, Chance, Budget | None], Decision]


BOTS: tuple[Bot, ...] = (
    Bot("random", 1, "Plays any legal move, each equally likely.", random_bot.choose),
    Bot("rules", 1, "Follows the advice that people give for the game.", rules_bot.choose),
)


def find(name: str, version: int | None = None) -> Bot:
    """The bot of a name and version (None: the latest); UnknownBot, which says what there is, for any other."""
    found = [bot for bot in BOTS if bot.name == name and version in (None, bot.version)]
    if not found:
        there = ", ".join(f"{bot.name} version {bot.version}" for bot in BOTS)
        raise UnknownBot(f"There is no bot {name!r}{f' version {version}' if version else ''}; there are {there}.")
    return max(found, key=lambda bot: bot.version)
