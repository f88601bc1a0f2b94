"""The recorded examples: the running service still answers so, and the document promises every one of them.

Where a test fails because the service answers otherwise on purpose: `make examples`, and review the diff.
"""

import difflib
import json
import re
from functools import reduce
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from engine.catalog import RULESETS
from service import verify
from service.errors import PROBLEMS
from service.openapi import described
from tests.contract.examples.record import FOLDER, record, service, text
from tests.contract.examples.stable import READY, stable
from tests.contract.examples.tape import NO_OPERATION
from tests.contract.published import APP, DOCUMENT
from tests.service.players import Json

EXAMPLES: dict[str, Json] = {
    str(path.relative_to(FOLDER).with_suffix("")): json.loads(path.read_text())
    for path in sorted(FOLDER.glob("*/*.json"))
}
OPERATIONS = {at.operation.id: at for at in described(APP)}
WRONG_ON_PURPOSE = {400, 413, 415, 422}
"""Statuses of requests that need not have the shape that the document gives."""
PARAMETERS = {"Authorization", "Content-Type", "Accept"}
"""What OpenAPI tells elsewhere than among the headers."""
ANY_PROBLEM: Json = {
    "headers": {},
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
each_example = pytest.mark.parametrize("name", EXAMPLES)


@pytest.fixture(scope="module")
def recorded(redis_url: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Json]:
    """The same again, from a service that runs now."""
    with service(f"{redis_url}?db=3") as at:
        return record(at, f"{redis_url}?db=4", tmp_path_factory.mktemp("examples"))


def schema_of(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def fits(value: Any, schema: Json) -> None:
    """Fail where a value is not what a schema of the document says."""
    whole = {**schema, "components": DOCUMENT["components"]}
    errors = [f"{error.json_path}: {error.message}" for error in Draft202012Validator(whole).iter_errors(value)]
    assert not errors, errors


def written(name: str) -> Json:
    """The operation of an example, as the document has it."""
    at = OPERATIONS[name.partition("/")[0]]
    return DOCUMENT["paths"][at.path][at.method]


def resolved(part: Json) -> Json:
    """A part of the document; the component where it refers to one."""
    return reduce(lambda found, name: found[name], part["$ref"].split("/")[1:], DOCUMENT) if "$ref" in part else part


# ---------------------------------------------------------------------------------------------------- the service


def test_the_running_service_answers_as_it_is_told(recorded: dict[str, Json]) -> None:
    assert recorded.keys() == EXAMPLES.keys(), "run `make examples`"
    for name, now in recorded.items():
        lines = (text(each).splitlines() for each in (EXAMPLES[name], now))
        changes = "\n".join(difflib.unified_diff(*lines, "recorded", "now", n=2, lineterm=""))
        assert not changes, f"{name} has changed; run `make examples`, and review the diff:\n{changes[:3000]}"


def test_the_files_lie_as_they_are_written() -> None:
    for name, example in EXAMPLES.items():
        assert (FOLDER / f"{name}.json").read_text() == text(example), name


# ---------------------------------------------------------------------------------------------------- completeness


def test_every_operation_has_an_example_of_every_answer_that_is_no_problem() -> None:
    promised = {(name, status) for name, at in OPERATIONS.items() for status in at.operation.answers}
    told = {(name.partition("/")[0], example["response"]["status"]) for name, example in EXAMPLES.items()}
    assert promised - told == set(), "tell it in tests/contract/examples/story.py"


def test_every_code_has_an_example() -> None:
    told = {body["code"] for each in EXAMPLES.values() if "code" in (body := each["response"]["body"] or {})}
    assert told == PROBLEMS.keys()


def test_every_ruleset_is_created_looked_at_and_played_with_each_of_its_moves() -> None:
    for ruleset in RULESETS:
        name = ruleset.name
        assert {f"createGame/201-{name}", f"getGame/200-{name}", f"listLegalMoves/200-{name}"} <= EXAMPLES.keys()
        made = [each["request"]["body"]["move"] for key, each in EXAMPLES.items() if f"applyMove/200-{name}-" in key]
        assert {move["type"] for move in made} == {each.__struct_config__.tag for each in ruleset.move_types}


# ---------------------------------------------------------------------------------------------------- the document


@each_example
def test_an_answer_is_one_that_the_document_promises(name: str) -> None:
    answer, is_known = EXAMPLES[name]["response"], not name.startswith(f"{NO_OPERATION}/")
    promised = resolved(written(name)["responses"][str(answer["status"])]) if is_known else ANY_PROBLEM
    kind = answer["headers"].get("Content-Type", "").partition(";")[0]
    needed = {each for each, told in promised["headers"].items() if resolved(told).get("required")}
    assert needed <= answer["headers"].keys()
    assert kind in promised.get("content", ("",))
    assert (answer["body"] is None) == (kind == "")
    if kind == "text/event-stream":
        for event in re.findall("^data: (.*)$", answer["body"], re.MULTILINE):
            fits(json.loads(event), schema_of("Item"))
    elif kind:
        fits(answer["body"], promised["content"][kind]["schema"])


@each_example
def test_a_request_is_one_that_the_document_describes_unless_that_is_what_is_wrong(name: str) -> None:
    request, operation = EXAMPLES[name]["request"], name.partition("/")[0]
    if operation == NO_OPERATION or EXAMPLES[name]["response"]["status"] in WRONG_ON_PURPOSE:
        return
    told = written(name)
    if "requestBody" in told:
        fits(request["body"], told["requestBody"]["content"]["application/json"]["schema"])
    else:
        assert request["body"] is None
    headers = {each["name"] for each in map(resolved, told.get("parameters", [])) if each["in"] == "header"}
    assert request["headers"].keys() - PARAMETERS - headers <= {"X-Long"}, (
        "only what makes the headers too long is no parameter"
    )


def test_the_replay_holds_for_whoever_checks_it() -> None:
    verify.check(EXAMPLES["getReplay/200"]["response"]["body"])


# ------------------------------------------------------------------------------------------------- what is made stable


def test_what_is_not_known_to_differ_is_left_as_it_was() -> None:
    exchange = {
        "request": {"headers": {}, "path": "/v1/games"},
        "response": {"status": 409, "headers": {"Retry-After": "1"}, "body": {"after": "1-abc", "seconds": 7.5}},
    }
    assert stable({"listEvents/409": exchange}) == {"listEvents/409": exchange}


def test_times_and_cursors_follow_from_the_version_alone() -> None:
    def told(at: str, cursor: str) -> Json:
        body = {"game_id": "gm_" + "a" * 20, "version": 7, "cursor": cursor, "at": at}
        return {
            "request": {"headers": {}},
            "response": {"status": 200, "headers": {"ETag": f'"{cursor}.seat0"'}, "body": body},
        }

    one = stable({"getGame/200": told("2026-11-30T23:00:00.000Z", "7-aaaaaaaaaaaa")})["getGame/200"]["response"]
    other = stable({"getGame/200": told("2027-01-01T09:30:00.123Z", "7-bbbbbbbbbbbb")})["getGame/200"]["response"]
    assert one == other
    assert one["body"]["at"] == "2026-01-01T12:00:07.000Z"
    assert one["headers"]["ETag"] == f'"{one["body"]["cursor"]}.seat0"'


def test_a_machine_is_told_as_any_other() -> None:
    body = {"status": "ok", "redis": "7.2.4", "engine": "pure", "workers": 3}
    exchange = {"request": {"headers": {}}, "response": {"status": 200, "headers": {}, "body": body}}
    assert stable({"getReady/200": exchange})["getReady/200"]["response"]["body"] == {"status": "ok", **READY}
