"""What the published document says, held against what the code promises."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from engine.catalog import RULESETS
from service.errors import PROBLEMS
from service.openapi import TAGS, Described, described
from service.options import options_schema
from tests.contract.published import APP, DOCUMENT

PATHS = DOCUMENT["paths"]
SCHEMAS = DOCUMENT["components"]["schemas"]
OPERATIONS = list(described(APP))
each_operation = pytest.mark.parametrize("at", OPERATIONS, ids=[at.operation.id for at in OPERATIONS])


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every object in a part of the document, itself included."""
    if isinstance(schema, dict):
        yield schema
    for each in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from nodes(each)


def reached(part: Any) -> set[str]:
    """The names of all schemas that a part of the document refers to, directly or through others."""
    found: set[str] = set()
    waiting = [part]
    while waiting:
        names = {node["$ref"].rpartition("/")[2] for node in nodes(waiting.pop()) if "$ref" in node}
        new = (names & SCHEMAS.keys()) - found
        found |= new
        waiting += [SCHEMAS[name] for name in new]
    return found


def test_it_is_valid() -> None:
    assert DOCUMENT["openapi"] == "3.1.0"
    assert [str(error) for error in OpenAPIV31SpecValidator(DOCUMENT).iter_errors()] == []


def test_every_handler_is_in_it_or_is_a_page_for_people() -> None:
    told = {(at.path, at.method) for at in OPERATIONS}
    assert told == {(path, method) for path, item in PATHS.items() for method in item}
    for route in APP.routes:
        for handler in getattr(route, "route_handlers", ()):
            for method in handler.http_methods - {"OPTIONS"}:
                assert (route.path_format, method.lower()) in told or handler.opt.get("page"), route.path


@each_operation
def test_an_operation_has_every_status_and_code_that_it_promises(at: Described) -> None:
    answers = PATHS[at.path][at.method]["responses"]
    promised = {int(PROBLEMS[code].status) for code in at.operation.all_problems()}
    assert {int(status) for status in answers} == promised | at.operation.answers.keys()
    for code in at.operation.all_problems():
        content = answers[str(int(PROBLEMS[code].status))]["content"]
        if "application/problem+json" in content:
            base, narrowed = content["application/problem+json"]["schema"]["allOf"]
            assert base == {"$ref": "#/components/schemas/Problem"}
            assert code in narrowed["properties"]["code"]["enum"]


VERBS = "get|list|create|delete|claim|start|rotate|return|resign|abandon|apply|ask|propose|cancel"


@each_operation
def test_an_operation_is_named_and_told_for_whoever_calls_it(at: Described) -> None:
    written = PATHS[at.path][at.method]
    assert re.fullmatch(rf"({VERBS})([A-Z][a-z]+)+", written["operationId"])
    assert 0 < len(written["summary"]) < 100
    assert written["description"].endswith(".")
    assert set(written["tags"]) <= TAGS.keys()


@each_operation
def test_every_answer_names_its_request_and_says_what_its_status_needs(at: Described) -> None:
    for status, answer in PATHS[at.path][at.method]["responses"].items():
        needed = {"X-Request-Id"} | {"401": {"WWW-Authenticate"}, "429": {"Retry-After"}, "503": {"Retry-After"}}.get(
            status, set()
        )
        assert needed <= answer["headers"].keys()


def test_operation_ids_are_unique() -> None:
    ids = [at.operation.id for at in OPERATIONS]
    assert len(ids) == len(set(ids))


def test_every_problem_code_is_promised_somewhere() -> None:
    promised = {code for at in OPERATIONS for code in at.operation.all_problems()}
    # What no operation answers: this is the answer where there is no operation.
    assert PROBLEMS.keys() - promised == {"method_not_allowed"}
    assert set(SCHEMAS["ProblemCode"]["enum"]) == PROBLEMS.keys()


def test_no_schema_is_unused() -> None:
    assert reached(PATHS) == SCHEMAS.keys()


def test_every_shape_and_every_union_has_a_name_and_says_what_it_is() -> None:
    """Otherwise clients that are generated get types such as `Inline42`."""
    for name, schema in SCHEMAS.items():
        assert schema["title"] == name
        assert schema["description"]
        for node in [*nodes(list(schema.values()))]:
            assert "properties" not in node or "propertyName" in node, f"a shape without a name in {name}"
            assert "discriminator" not in node, f"a union without a name in {name}"


def test_unions_are_told_apart_by_a_discriminator() -> None:
    for schema in SCHEMAS.values():
        if "oneOf" in schema:
            mapped = schema["discriminator"]["mapping"]
            assert sorted(mapped.values()) == sorted(each["$ref"] for each in schema["oneOf"])
            for value, reference in mapped.items():
                member = SCHEMAS[reference.rpartition("/")[2]]
                assert member["properties"][schema["discriminator"]["propertyName"]]["enum"] == [value]
                assert schema["discriminator"]["propertyName"] in member["required"]


def test_requests_are_closed_and_answers_are_open() -> None:
    asked = reached([operation.get("requestBody") for item in PATHS.values() for operation in item.values()])
    for name, schema in SCHEMAS.items():
        if "properties" in schema:
            closed = schema.get("additionalProperties") is False
            assert closed == (name in asked), name


def test_patterns_mean_the_same_in_python_and_in_ecmascript() -> None:
    for node in nodes(SCHEMAS):
        pattern = node.get("pattern")
        if isinstance(pattern, str):
            assert not re.search(r"\(\?(?![:=!])|\\[AZzGhR]|[*+?}]\+|\\ud[89a-f]", pattern), pattern
            # In Python a `$` alone lets a newline pass.
            assert pattern.startswith("^")
            assert pattern.endswith("$(?!\\n)")


def test_options_and_presets_of_every_ruleset_are_in_it() -> None:
    assert SCHEMAS["CreateGame"]["discriminator"]["mapping"].keys() == {ruleset.name for ruleset in RULESETS}
    for ruleset in RULESETS:
        name = ruleset.options.__name__
        assert SCHEMAS[name] == options_schema(ruleset)
        properties = SCHEMAS[f"Create{name.removesuffix('Options')}"]["properties"]
        assert properties["options"]["$ref"].endswith(f"/{name}")
        assert properties["preset"]["anyOf"][0]["enum"] == list(ruleset.presets)
        assert (properties["seats"]["minItems"], properties["seats"]["maxItems"]) == ruleset.seats
