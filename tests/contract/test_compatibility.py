"""What a document may not take away from clients of the one before, and that ours takes nothing away."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openapi.breaking import broken
from openapi.compatible import breaks, skeleton
from openapi.write import RELEASED
from tests.contract.published import DOCUMENT

Json = Any
GAMES = "/v1/games"
GAME = "/v1/games/{game_id}"
EVENTS = "/v1/games/{game_id}/events"


def schema(document: Json, name: str) -> Json:
    return document["components"]["schemas"][name]


def body(document: Json, path: str, method: str = "post") -> Json:
    return document["paths"][path][method]["requestBody"]


def parameter(document: Json, path: str, name: str) -> Json:
    (found,) = (each for each in document["paths"][path]["get"]["parameters"] if each.get("name") == name)
    return found


def add(members: Json, name: str, value: Json) -> None:
    members[name] = value


def join(document: Json, union: str, name: str, **properties: Json) -> None:
    """Let an object become a member of a union by its tag."""
    tag = schema(document, union)["discriminator"]["propertyName"]
    tagged = {tag: {"type": "string", "enum": [name.lower()]}, **properties}
    document["components"]["schemas"][name] = {
        "title": name, "type": "object", "properties": tagged, "required": [tag],
    }  # fmt: skip
    schema(document, union)["oneOf"].append({"$ref": f"#/components/schemas/{name}"})


Change = Callable[[Json], Any]
BREAKS: dict[str, tuple[Change, str]] = {
    "an operation is gone": (lambda d: d["paths"][GAME].pop("get"), f"GET {GAME} is gone"),
    "a path is gone": (lambda d: d["paths"].pop(GAMES), f"POST {GAMES} is gone"),
    "an operation has another id": (
        lambda d: d["paths"][GAMES]["post"].update(operationId="makeGame"),
        f"POST {GAMES}: the operation createGame is called makeGame",
    ),
    "a token is needed": (
        lambda d: d["paths"][GAME]["get"]["security"].remove({}),
        f"GET {GAME}: it is not open to everyone any more",
    ),
    "a token is needed where nobody was asked": (
        lambda d: d["paths"]["/v1/bots"]["get"].update(security=[{"token": []}]),
        "GET /v1/bots: it is not open to everyone any more",
    ),
    "another token is needed": (
        lambda d: d["paths"][f"{GAME}/moves"]["post"].update(security=[{"apiKey": []}]),
        f"POST {GAME}/moves: it is not open to token any more",
    ),
    "a parameter is gone": (
        lambda d: d["paths"][EVENTS]["get"]["parameters"].remove(parameter(d, EVENTS, "wait")),
        f"GET {EVENTS}: the parameter wait is gone",
    ),
    "a parameter is required": (
        lambda d: parameter(d, EVENTS, "after").update(required=True),
        f"GET {EVENTS}: the parameter after is required",
    ),
    "a new parameter is required": (
        lambda d: d["paths"][GAME]["get"]["parameters"].append(
            {"name": "as", "in": "query", "required": True, "schema": {"type": "string"}}
        ),
        f"GET {GAME}: the parameter as is required",
    ),
    "a parameter takes less": (
        lambda d: parameter(d, EVENTS, "limit")["schema"].update(maximum=10),
        f"GET {EVENTS}: the parameter limit: maximum is 10",
    ),
    "a shared parameter takes less": (
        lambda d: d["components"]["parameters"]["game_id"]["schema"].update(pattern="^gm$"),
        f"GET {GAME}: the parameter game_id: pattern is '^gm$'",
    ),
    "a body is required": (
        lambda d: add(d["paths"][f"{GAME}/return"]["post"], "requestBody", body(d, GAMES)),
        f"POST {GAME}/return: a body is required",
    ),
    "a body has another type": (
        lambda d: add(body(d, GAMES), "content", {"text/plain": {"schema": {"type": "string"}}}),
        f"POST {GAMES}: a body may not be application/json any more",
    ),
    "a field of a request is gone": (
        lambda d: schema(d, "CreateTarneeb")["properties"].pop("advice"),
        f"POST {GAMES}: CreateTarneeb.advice is gone",
    ),
    "a field of a request is required": (
        lambda d: schema(d, "StartGame")["required"].append("client_seed"),
        f"POST {GAME}/start: StartGame.client_seed is required",
    ),
    "a new field of a request is required": (
        lambda d: schema(d, "AskBot").update(
            properties={**schema(d, "AskBot")["properties"], "why": {"type": "string"}},
            required=[*schema(d, "AskBot")["required"], "why"],
        ),
        f"POST {GAME}/bot-moves: AskBot.why is required",
    ),
    "a request takes one value less": (
        lambda d: schema(d, "StartMode")["enum"].remove("manual"),
        f"POST {GAMES}: CreateTarneeb.start: 'manual' is not taken any more",
    ),
    "a request takes certain values only": (
        lambda d: schema(d, "ProposeTarget")["properties"]["target"].update(enum=[20, 30]),
        f"PUT {GAME}/target: ProposeTarget.target: another value is not taken any more",
    ),
    "a request takes no null": (
        lambda d: add(schema(d, "BotSpec")["properties"], "version", {"type": "integer", "minimum": 1}),
        f"POST {GAMES}: BotSpec.version: null is not taken any more",
    ),
    "a request takes one type of moves less": (
        lambda d: schema(d, "Move")["oneOf"].remove({"$ref": "#/components/schemas/Draw"}),
        f"POST {GAME}/moves: ApplyMove.move: Draw is not taken any more",
    ),
    "a request takes shorter lists": (
        lambda d: schema(d, "CreateReihe")["properties"]["seats"].update(maxItems=4),
        f"POST {GAMES}: CreateReihe.seats: maxItems is 4",
    ),
    "a request takes larger numbers only": (
        lambda d: schema(d, "ProposeTarget")["properties"]["target"].update(minimum=2),
        f"PUT {GAME}/target: ProposeTarget.target: minimum is 2",
    ),
    "a request means something else by saying nothing": (
        lambda d: schema(d, "CreateTarneeb")["properties"]["advice"].update(default=False),
        f"POST {GAMES}: CreateTarneeb.advice: it is False by default, and was True",
    ),
    "a map in a request takes shorter texts": (
        lambda d: schema(d, "CreateTarneeb")["properties"]["metadata"]["additionalProperties"].update(maxLength=9),
        f"POST {GAMES}: CreateTarneeb.metadata.*: maxLength is 9",
    ),
    "a good answer is gone": (
        lambda d: d["paths"][EVENTS]["get"]["responses"].pop("204"),
        f"GET {EVENTS}: it does not answer 204 any more",
    ),
    "a good answer is new": (
        lambda d: add(d["paths"][GAME]["get"]["responses"], "206", {"description": "Part.", "headers": {}}),
        f"GET {GAME}: it answers 206, which nobody expects",
    ),
    "an answer has another type": (
        lambda d: d["paths"][EVENTS]["get"]["responses"]["200"]["content"].pop("text/event-stream"),
        f"GET {EVENTS}: 200: text/event-stream is gone",
    ),
    "a header is gone": (
        lambda d: d["paths"][GAME]["get"]["responses"]["200"]["headers"].pop("ETag"),
        f"GET {GAME}: 200: the header ETag is gone",
    ),
    "a header may be absent": (
        lambda d: d["components"]["headers"]["Location"].pop("required"),
        f"POST {GAMES}: 201: the header Location may be absent",
    ),
    "a field of an answer is gone": (
        lambda d: schema(d, "SeatView")["properties"].pop("team"),
        f"POST {GAMES}: SeatView.team is gone",
    ),
    "a field of an answer may be absent": (
        lambda d: schema(d, "GameView")["required"].remove("fair"),
        f"POST {GAMES}: GameView.fair may be absent",
    ),
    "a field of an answer may be null": (
        lambda d: add(
            schema(d, "GameView")["properties"], "version", {"anyOf": [{"type": "integer"}, {"type": "null"}]}
        ),
        f"POST {GAMES}: GameView.version: it may be null",
    ),
    "a field of an answer has another type": (
        lambda d: add(schema(d, "Paid")["properties"], "pot", {"type": "string"}),
        f"POST {GAME}/moves: Paid.pot: it may be string",
    ),
    "the members of a list in an answer have another type": (
        lambda d: schema(d, "Result")["properties"]["winners"].update(items={"type": "string"}),
        f"POST {GAMES}: Result.winners[]: it may be string",
    ),
    "an object in an answer may be another": (
        lambda d: add(
            schema(d, "CreatedGame")["properties"],
            "game",
            {"anyOf": [{"$ref": "#/components/schemas/GameView"}, {"$ref": "#/components/schemas/Job"}]},
        ),
        f"POST {GAMES}: CreatedGame.game: it may be Job",
    ),
    "a problem has a field less": (
        lambda d: schema(d, "Problem")["properties"].pop("detail"),
        f"POST {GAMES}: Problem.detail is gone",
    ),
}

ALLOWED: dict[str, Change] = {
    "nothing": lambda _: None,
    "a new operation": lambda d: add(d["paths"], "/v2", d["paths"][GAMES]),
    "a new optional parameter": lambda d: d["paths"][GAME]["get"]["parameters"].append(
        {"name": "as", "in": "query", "schema": {"type": "string"}}
    ),
    "a parameter takes more": lambda d: parameter(d, EVENTS, "limit")["schema"].update(maximum=9999),
    "a request has one more optional field": lambda d: add(
        schema(d, "CreateTarneeb")["properties"], "rematch", {"type": "boolean"}
    ),
    "a request takes one more value": lambda d: schema(d, "BotName")["enum"].append("search"),
    "a request takes any value": lambda d: schema(d, "BotName").pop("enum"),
    "a request takes null too": lambda d: add(
        schema(d, "ProposeTarget")["properties"], "target", {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    ),
    "a request takes fractions too": lambda d: add(
        schema(d, "ProposeTarget")["properties"], "target", {"type": "number", "minimum": 1, "maximum": 500}
    ),
    "a request takes smaller numbers": lambda d: schema(d, "ProposeTarget")["properties"]["target"].update(minimum=0),
    "a field of a request is not required any more": lambda d: schema(d, "ApplyMove")["required"].remove("move"),
    "a game of one more ruleset may be created": lambda d: join(d, "CreateGame", "CreateSkat"),
    "a request takes one more type of moves": lambda d: join(d, "Move", "Knock"),
    "a token is not needed any more": lambda d: d["paths"][f"{GAME}/moves"]["post"]["security"].append({}),
    "nobody is asked for a token any more": lambda d: d["paths"][f"{GAME}/moves"]["post"].update(security=[]),
    "an answer has one more field": lambda d: add(schema(d, "GameView")["properties"], "table", {"type": "string"}),
    "an answer has one more type of events": lambda d: join(d, "Event", "Knocked"),
    "an answer has one more value": lambda d: schema(d, "By")["enum"].append("operator"),
    "an answer has one more ruleset": lambda d: join(d, "DealView", "SkatDealView"),
    "an answer holds the options of one more ruleset": lambda d: schema(d, "ResolvedOptions")["anyOf"].append(
        {"title": "ResolvedSkatOptions", "type": "object", "properties": {}}
    ),
    "an answer has whole numbers only": lambda d: add(
        schema(d, "CandidateMove")["properties"], "estimate", {"type": "integer"}
    ),
    "one more problem": lambda d: schema(d, "ProblemCode")["enum"].append("too_late"),
    "one more status of a problem": lambda d: add(
        d["paths"][GAME]["get"]["responses"], "410", {"$ref": "#/components/responses/NoSuchGame"}
    ),
    "one problem less": lambda d: d["paths"][GAME]["get"]["responses"].pop("404"),
    "a header is new": lambda d: add(
        d["paths"][GAMES]["post"]["responses"]["201"]["headers"], "ETag", {"$ref": "#/components/headers/ETag"}
    ),
    "other words": lambda d: schema(d, "GameView").update(description="Otherwise.", examples=[1]),
}


def changed(change: Change) -> Json:
    """Our document after a change."""
    document = copy.deepcopy(DOCUMENT)
    change(document)
    return document


def test_nothing_that_has_been_released_is_broken() -> None:
    """Until a version is out, `make released` writes its promise again; afterwards nothing does."""
    assert list(RELEASED.glob("1.*.json"))
    assert broken() == []


def test_what_is_broken_of_a_release_is_told_with_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    promised = skeleton(changed(lambda d: add(d["paths"], "/v1/more", d["paths"][GAMES])))
    for name in ("1.0", "0.9"):
        (tmp_path / f"{name}.json").write_text(json.dumps(promised))
    monkeypatch.setattr("openapi.breaking.RELEASED", tmp_path)
    assert broken() == ["1.0: POST /v1/more is gone"]


def test_what_is_kept_of_a_release_is_all_that_is_compared() -> None:
    kept = skeleton(DOCUMENT)
    assert breaks(kept, DOCUMENT) == breaks(DOCUMENT, kept) == []
    for change, sentence in BREAKS.values():
        assert sentence in breaks(kept, changed(change))


@pytest.mark.parametrize(("change", "sentence"), BREAKS.values(), ids=BREAKS)
def test_it_breaks_a_client_where(change: Change, sentence: str) -> None:
    assert sentence in breaks(DOCUMENT, changed(change))


@pytest.mark.parametrize("change", ALLOWED.values(), ids=ALLOWED)
def test_it_breaks_no_client_where_there_is(change: Change) -> None:
    assert breaks(DOCUMENT, changed(change)) == []
