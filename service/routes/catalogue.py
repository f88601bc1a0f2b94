"""The catalogue: rulesets, bots, errors. It is the same for everyone and may be cached."""

from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
from litestar import get
from litestar.params import FromPath

from service import catalogue, rulesets
from service.operation import IF_NONE_MATCH, Operation, Parameter, describes
from service.routes.content import UNCHANGING, Content, unchanging
from service.routes.http import JSON, PUBLIC, Answer, AnyRequest, query

TAG = "Catalogue"
LANGUAGE = Parameter(
    "Accept-Language",
    "header",
    "Languages, the most welcome first; texts come in the first of them that is `en` or `es`, else in English.",
    {"type": "string"},
)
IN_LANGUAGE = (*UNCHANGING, "Content-Language")


@cache
def _content(make: Callable[..., Any], *about: str) -> Content:
    return Content.of(msgspec.json.encode(make(*about)), JSON)


def _in_language(request: AnyRequest, make: Callable[..., Any], *about: str) -> Answer:
    lang = catalogue.language(request.headers.get("accept-language", ""))
    headers = {**PUBLIC, "Content-Language": lang}
    return unchanging(request, _content(make, *about, lang), headers, vary="Accept-Language")


def _list(name: str, kind: type) -> dict[str, Any]:
    """What ties a list that never changes while the process runs to its handler."""
    return describes(
        Operation(name, TAG, {200: kind, 304: None}, parameters=(IF_NONE_MATCH,), answer_headers=UNCHANGING)
    )


@get(
    "/v1/rulesets",
    **describes(
        Operation(
            "listRulesets",
            TAG,
            {200: rulesets.RulesetList, 304: None},
            parameters=(LANGUAGE, IF_NONE_MATCH),
            answer_headers=IN_LANGUAGE,
        )
    ),
)
async def list_rulesets(request: AnyRequest) -> Answer:
    """List every ruleset there is.

    In short: its name, its title, how many can play, and its presets.
    """
    query(request)
    return _in_language(request, rulesets.ruleset_list)


@get(
    "/v1/rulesets/{ruleset:str}",
    **describes(
        Operation(
            "getRuleset",
            TAG,
            {200: rulesets.RulesetPage, 304: None},
            problems=("unknown_ruleset",),
            parameters=(LANGUAGE, IF_NONE_MATCH),
            answer_headers=IN_LANGUAGE,
        )
    ),
)
async def get_ruleset(request: AnyRequest, ruleset: FromPath[str]) -> Answer:
    """Read all about one ruleset.

    Options with everything that a form for a new game needs, presets, packs and what cards are called, moves,
    reasons, the numbered rules, and worked examples of them.
    """
    query(request)
    return _in_language(request, rulesets.ruleset_page, ruleset)


@get(
    "/v1/bots",
    **_list("listBots", catalogue.BotList),
)
async def list_bots(request: AnyRequest) -> Answer:
    """List every bot and version, with its measured strength.

    A game names the bot of a seat by `bot`, and by `version` where it shall not be the latest.
    """
    query(request)
    return unchanging(request, _content(catalogue.bot_list), PUBLIC)


@get(
    "/v1/errors",
    **_list("listErrors", catalogue.ErrorList),
)
async def list_errors(request: AnyRequest) -> Answer:
    """List every code that a problem document can carry, and what to do about it.

    Codes are stable, and their texts are for people. A client does by code what `advice` says, and by status with a
    code that it does not know.
    """
    query(request)
    return unchanging(request, _content(catalogue.error_list), PUBLIC)


@get(
    "/v1/limits",
    **_list("listLimits", catalogue.LimitList),
)
async def list_limits(request: AnyRequest) -> Answer:
    """List every limit with its value.

    A 429 names the one that was met as `limit_key`, and `Retry-After` says when to come back.
    """
    query(request)
    state = request.app.state
    if "limits" not in state:
        state.limits = Content.of(msgspec.json.encode(catalogue.limit_list(state.limiter.rates)), JSON)
    return unchanging(request, state.limits, PUBLIC)


HANDLERS = (list_rulesets, get_ruleset, list_bots, list_errors, list_limits)
