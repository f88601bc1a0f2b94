"""The rest of the catalogue: who there is to play against, what can go wrong, and in which language to say it."""

import json
import re
from functools import cache
from importlib.resources import files

import msgspec

from engine.bots import BOTS
from service.errors import PROBLEMS
from service.rates import FIXED, LIMITS, Per, Rates
from service.schemas import Answer
from service.texts import LANGUAGES


class Strength(Answer):
    """How a bot did against another on duplicate deals of a ruleset's preset.

    `margin` is how much more it scored in a deal than an opponent, with the half-width of its 95 % `interval`
    (null where there were too few sets), `wins` the share of deals that it won.
    """

    ruleset: str
    preset: str
    against: str
    sets: int
    score: float
    margin: float
    interval: float | None
    wins: float


class BotPage(Answer):
    """A bot, and how strong it was measured to be; the list is empty where it is what others are measured against."""

    bot: str
    version: int
    description: str
    strength: list[Strength]


class BotList(Answer):
    """Every bot there is, in every version that games may name."""

    bots: list[BotPage]


class ErrorPage(Answer):
    """A problem's code: its status, what it means, and what to do next."""

    code: str
    status: int
    title: str
    advice: str


class ErrorList(Answer):
    """Every code that a problem document can carry."""

    errors: list[ErrorPage]


class LimitPage(Answer):
    """A limit: `value` in `seconds`, at a time where that is null, or of one request where `per` is null too.

    `value` null means that there is none. `limit_key` is what a problem names where the limit is met.
    """

    limit_key: str
    value: int | None
    seconds: int | None
    per: Per | None
    description: str


class LimitList(Answer):
    """Every limit there is. An API key may have higher or lower ones of its own."""

    limits: list[LimitPage]


def language(accepted: str) -> str:
    """The language to answer in: the first of ours that `Accept-Language` puts highest, else English."""
    weighed = []
    for place, part in enumerate(accepted.split(",")):
        found = re.fullmatch(r"\s*([A-Za-z]{1,8}|\*)(?:-[A-Za-z0-9-]+)?\s*(?:;\s*q=([01](?:\.[0-9]{0,3})?))?\s*", part)
        if found and found[1].lower() in LANGUAGES and float(found[2] or 1) > 0:
            weighed.append((-float(found[2] or 1), place, found[1].lower()))
    return min(weighed)[2] if weighed else LANGUAGES[0]


@cache
def bot_list() -> BotList:
    """Every bot, with what was measured of it by `python -m engine.arena`."""
    measured = json.loads((files("engine.bots") / "strength.json").read_text())
    return BotList(
        bots=[
            BotPage(
                bot=bot.name,
                version=bot.version,
                description=bot.description,
                strength=[
                    msgspec.convert(row, Strength)
                    for row in measured
                    if (row["bot"], row["version"]) == (bot.name, bot.version)
                ],
            )
            for bot in BOTS
        ]
    )


@cache
def error_list() -> ErrorList:
    """Every code of a problem document."""
    return ErrorList(
        errors=[
            ErrorPage(code=code, status=problem.status, title=problem.title, advice=problem.advice)
            for code, problem in PROBLEMS.items()
        ]
    )


def limit_list(rates: Rates) -> LimitList:
    """Every limit, those of this service by its rates."""
    pages = []
    for name, limit in LIMITS.items():
        rate = rates.get(name)
        pages.append(
            LimitPage(
                limit_key=name,
                value=rate.count if rate else None,
                seconds=(rate.seconds if rate else limit.default.seconds) or None,
                per=limit.per,
                description=limit.text,
            )
        )
    for name, (value, text) in FIXED.items():
        pages.append(LimitPage(limit_key=name, value=value, seconds=None, per=None, description=text))
    return LimitList(limits=pages)
