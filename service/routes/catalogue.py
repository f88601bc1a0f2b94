"""The catalogue: rulesets, bots, errors. It is the same for everyone and may be cached."""

from litestar import get
from litestar.params import FromPath

from service import catalogue
from service.operation import Operation, Parameter, describes
from service.routes.http import PUBLIC, Answer, AnyRequest, answer, query

TAG = "Catalogue"
LANGUAGE = Parameter("Accept-Language", "header", "`en` or `es`; English without it.", {"type": "string"})
IN_LANGUAGE = {"Content-Language": "The language of the texts."}


def _in_language(content: object, lang: str) -> Answer:
    return answer(content, headers={**PUBLIC, "Content-Language": lang, "Vary": "Accept-Language"})


@get(
    "/v1/rulesets",
    **describes(
        Operation("listRulesets", TAG, {200: catalogue.RulesetList}, parameters=(LANGUAGE,), answer_headers=IN_LANGUAGE)
    ),
)
async def list_rulesets(request: AnyRequest) -> Answer:
    """List every ruleset there is."""
    query(request)
    lang = catalogue.language(request.headers.get("accept-language", ""))
    return _in_language(catalogue.ruleset_list(lang), lang)


@get(
    "/v1/rulesets/{ruleset:str}",
    **describes(
        Operation(
            "getRuleset",
            TAG,
            {200: catalogue.RulesetPage},
            problems=("unknown_ruleset",),
            parameters=(LANGUAGE,),
            answer_headers=IN_LANGUAGE,
        )
    ),
)
async def get_ruleset(request: AnyRequest, ruleset: FromPath[str]) -> Answer:
    """Read all about one ruleset: options and presets, cards, moves, reasons, and the numbered rules."""
    query(request)
    lang = catalogue.language(request.headers.get("accept-language", ""))
    return _in_language(catalogue.ruleset_page(ruleset, lang), lang)


@get("/v1/bots", **describes(Operation("listBots", TAG, {200: catalogue.BotList})))
async def list_bots(request: AnyRequest) -> Answer:
    """List every bot and version, with its measured strength."""
    query(request)
    return answer(catalogue.bot_list(), headers=PUBLIC)


@get("/v1/errors", **describes(Operation("listErrors", TAG, {200: catalogue.ErrorList})))
async def list_errors(request: AnyRequest) -> Answer:
    """List every code that a problem document can carry, and what to do about it."""
    query(request)
    return answer(catalogue.error_list(), headers=PUBLIC)


HANDLERS = (list_rulesets, get_ruleset, list_bots, list_errors)
