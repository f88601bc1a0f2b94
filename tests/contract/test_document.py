"""What the published document says, held against what the code promises."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV30SpecValidator, OpenAPIV31SpecValidator

from engine.catalog import RULESETS
from openapi.older import as_3_0
from openapi.write import HERE, files
from service.errors import PROBLEMS
from service.links import LINKS
from service.openapi import TAGS, Described, described
from service.options import options_schema
from service.properties import EVERYWHERE, texts
from service.responses import HEADERS
from tests.contract.published import APP, DOCUMENT, followed

PATHS = DOCUMENT["paths"]
SCHEMAS = DOCUMENT["components"]["schemas"]
ASKED = {
    member["$ref"].rpartition("/")[2]: name
    for name in ("CreateGame", "CreateSimulation")
    for member in SCHEMAS[name]["oneOf"]
}
"""What every ruleset has a shape of its own for, and what that is a shape of."""
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
        referred = [node["$ref"] for node in nodes(waiting.pop()) if isinstance(node.get("$ref"), str)]
        waiting += [followed({"$ref": each}) for each in referred if "/schemas/" not in each]
        new = {each.rpartition("/")[2] for each in referred if "/schemas/" in each} - found
        found |= new
        waiting += [SCHEMAS[name] for name in new]
    return found


@pytest.mark.parametrize(("name", "content"), files().items(), ids=files())
def test_the_committed_document_is_what_the_code_promises(name: str, content: str) -> None:
    assert (HERE / name).read_text(encoding="utf-8") == content, f"openapi/{name} is out of date: run `make spec`"
    assert content.endswith("}\n")


def test_it_is_valid() -> None:
    assert DOCUMENT["openapi"] == "3.1.0"
    assert [str(error) for error in OpenAPIV31SpecValidator(DOCUMENT).iter_errors()] == []


def test_the_older_form_is_valid_and_has_the_same_operations() -> None:
    older = as_3_0(DOCUMENT)
    assert older["openapi"] == "3.0.3"
    assert [str(error) for error in OpenAPIV30SpecValidator(older).iter_errors()] == []
    assert {path: item.keys() for path, item in older["paths"].items()} == {
        path: item.keys() for path, item in PATHS.items()
    }
    assert older["components"]["schemas"].keys() == SCHEMAS.keys()


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
        answer = followed(answers[str(int(PROBLEMS[code].status))])
        if "application/problem+json" in answer["content"]:
            schema = answer["content"]["application/problem+json"]["schema"]
            assert schema["$ref"] == "#/components/schemas/Problem"
            assert code in schema["properties"]["code"]["enum"]
            assert f"`{code}`: {PROBLEMS[code].title}" in answer["description"]


def test_no_two_operations_write_the_same_refusal() -> None:
    """Generators make a type of each; what is the same is a component, named in service/responses.py."""
    answers = [answer for item in PATHS.values() for each in item.values() for answer in each["responses"].values()]
    written = Counter(str(answer) for answer in answers if "application/problem+json" in answer.get("content", {}))
    assert [answer for answer, times in written.items() if times > 1] == []


VERBS = "get|list|create|delete|claim|start|rotate|return|resign|abandon|apply|ask|propose|cancel"


@each_operation
def test_an_operation_is_named_and_told_for_whoever_calls_it(at: Described) -> None:
    written = PATHS[at.path][at.method]
    assert re.fullmatch(rf"({VERBS})([A-Z][a-z]+)+", written["operationId"])
    assert 0 < len(written["summary"]) < 100
    assert written["description"].endswith(".")
    assert set(written["tags"]) <= TAGS.keys()


@each_operation
def test_every_parameter_is_told(at: Described) -> None:
    for parameter in map(followed, PATHS[at.path][at.method].get("parameters", ())):
        assert parameter["description"].endswith("."), parameter["name"]


@each_operation
def test_every_answer_names_its_request_and_says_what_its_status_needs(at: Described) -> None:
    for status, answer in PATHS[at.path][at.method]["responses"].items():
        told = followed(answer)["headers"].keys()
        needed = {"401": {"WWW-Authenticate"}, "429": {"Retry-After"}, "503": {"Retry-After"}}.get(status, set())
        assert {"X-Request-Id", "Cache-Control"} | needed <= told
        assert told <= HEADERS.keys()


def operation_called(name: str) -> dict[str, Any]:
    """An operation of the document by its id."""
    (found,) = (PATHS[at.path][at.method] for at in OPERATIONS if at.operation.id == name)
    operation: dict[str, Any] = found
    return operation


def fields(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What a value of a schema may be: the members of a union, the schema behind a name."""
    members = schema.get("oneOf") or schema.get("anyOf")
    if "$ref" in schema:
        yield from fields(SCHEMAS[schema["$ref"].rpartition("/")[2]])
    elif members:
        for each in members:
            yield from fields(each)
    else:
        yield schema


def found_at(pointer: str, schema: dict[str, Any]) -> bool:
    """Whether an answer of this schema can hold anything at a JSON pointer."""
    step, _, rest = pointer.removeprefix("/").partition("/")
    for each in fields(schema):
        inner = each.get("items") if step.isdigit() else each.get("properties", {}).get(step)
        if inner is not None and (not rest or found_at(rest, inner)):
            return True
    return False


each_link = pytest.mark.parametrize("link", LINKS, ids=[f"{each.source}-{each.name}" for each in LINKS])


def expressions(part: Any) -> Iterator[str]:
    """Every expression in a link."""
    for each in part.values() if isinstance(part, dict) else [part]:
        if isinstance(each, dict):
            yield from expressions(each)
        elif isinstance(each, str) and each.startswith("$"):
            yield each


@each_link
def test_a_link_takes_what_the_answer_holds_to_an_operation_that_wants_it(link: Any) -> None:
    source, target = operation_called(link.source), operation_called(link.target)
    assert link.text.endswith(".")
    wanted = {each["name"]: each for each in map(followed, target["parameters"])}
    assert link.parameters.keys() <= wanted.keys()
    assert {name for name, each in wanted.items() if each["required"]} <= link.parameters.keys()
    answer = next(each for status, each in source["responses"].items() if status < "300" and "links" in each)
    assert answer["links"][link.name]["operationId"] == link.target
    asked = {each["name"] for each in map(followed, source.get("parameters", ()))}
    for expression in [*expressions(dict(link.parameters)), *expressions(dict(link.body))]:
        place, _, name = expression.partition("#")
        if place == "$response.body":
            assert found_at(name, answer["content"]["application/json"]["schema"]), expression
        else:
            assert place.removeprefix("$request.path.") in asked, expression
    for name in link.body:
        assert found_at(name, target["requestBody"]["content"]["application/json"]["schema"]), name


def test_from_creating_a_game_every_operation_of_a_game_is_reached() -> None:
    reached_now, waiting = set(), ["createGame"]
    while waiting:
        reached_now.add(source := waiting.pop())
        waiting += {each.target for each in LINKS if each.source == source} - reached_now
    # A seat that is left for good is left on purpose, not because an answer suggests it.
    of_games = {at.operation.id for at in OPERATIONS if "{game_id}" in at.path} - {"resignSeat"}
    assert of_games <= reached_now


def test_operation_ids_are_unique() -> None:
    ids = [at.operation.id for at in OPERATIONS]
    assert len(ids) == len(set(ids))


def test_every_problem_code_is_promised_somewhere() -> None:
    promised = {code for at in OPERATIONS for code in at.operation.all_problems()}
    # What no operation answers: this is the answer where there is no operation.
    assert PROBLEMS.keys() - promised == {"method_not_allowed"}
    assert set(SCHEMAS["ProblemCode"]["enum"]) == PROBLEMS.keys()


def test_no_component_is_unused() -> None:
    assert reached(PATHS) == SCHEMAS.keys()
    referred = {node["$ref"] for node in nodes(DOCUMENT) if isinstance(node.get("$ref"), str)}
    for kind in ("responses", "parameters", "headers"):
        for name in DOCUMENT["components"][kind]:
            assert f"#/components/{kind}/{name}" in referred


def test_every_field_is_told() -> None:
    """By a text of its own, or by the description of the type that it has by name."""
    for name, schema in SCHEMAS.items():
        for field, each in schema.get("properties", {}).items():
            assert each.get("description", "").strip() or "$ref" in each, f"{name}.{field}"


def test_no_text_of_a_field_is_idle() -> None:
    told = set()
    for name, schema in SCHEMAS.items():
        shape = ASKED.get(name, name)
        for field, each in schema.get("properties", {}).items():
            place = shape if field in texts().get(shape, {}) else EVERYWHERE
            if each.get("description", "") == texts()[place].get(field):
                told.add((place, field))
    assert {(name, field) for name, own in texts().items() for field in own} == told


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
        assert SCHEMAS[properties["preset"]["anyOf"][0]["$ref"].rpartition("/")[2]]["enum"] == list(ruleset.presets)
        assert (properties["seats"]["minItems"], properties["seats"]["maxItems"]) == ruleset.seats
        simulated = SCHEMAS[f"Simulate{name.removesuffix('Options')}"]["properties"]
        assert simulated["options"]["$ref"] == properties["options"]["$ref"]
        assert simulated["preset"]["anyOf"] == properties["preset"]["anyOf"]
        seats = simulated["seats"]["anyOf"][0]
        assert (seats["minItems"], seats["maxItems"]) == ruleset.seats
