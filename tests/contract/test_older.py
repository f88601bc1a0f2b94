"""What OpenAPI 3.0 is told where 3.1 says more."""

from typing import Any

import pytest

from openapi.older import as_3_0
from tests.contract.published import DOCUMENT

CARD = {"title": "Card", "type": "string"}
PLAYER = {"title": "Player", "type": "object", "properties": {}}
TO_CARD = {"$ref": "#/components/schemas/Card"}
TO_PLAYER = {"$ref": "#/components/schemas/Player"}
NULL = {"type": "null"}

CASES: dict[str, tuple[Any, Any]] = {
    "a type or null": (
        {"anyOf": [{"type": "integer", "minimum": 1}, NULL], "default": None},
        {"type": "integer", "minimum": 1, "nullable": True, "default": None},
    ),
    "one of some values or null": (
        {"anyOf": [{"type": "string", "enum": ["a"]}, NULL]},
        {"type": "string", "enum": ["a", None], "nullable": True},
    ),
    "a reference or null": (
        {"description": "A card.", "anyOf": [TO_CARD, NULL]},
        {"description": "A card.", "type": "string", "nullable": True, "allOf": [TO_CARD]},
    ),
    "an object by reference or null": (
        {"anyOf": [TO_PLAYER, NULL]},
        {"type": "object", "nullable": True, "allOf": [TO_PLAYER]},
    ),
    "two types or null": (
        {"anyOf": [{"type": "string"}, {"type": "integer"}, NULL]},
        {"anyOf": [{"type": "string", "nullable": True}, {"type": "integer"}]},
    ),
    "a list of types with null": (
        {"type": ["string", "null"], "maxLength": 3},
        {"type": "string", "nullable": True, "maxLength": 3},
    ),
    "a list of types": (
        {"type": ["string", "integer"]},
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    ),
    "null alone": (NULL, {"type": "string", "nullable": True, "enum": [None]}),
    "a reference": (TO_CARD, TO_CARD),
    "a reference with a text": ({**TO_CARD, "description": "It."}, {"allOf": [TO_CARD], "description": "It."}),
    "a reference with a value by default": ({**TO_CARD, "default": "a"}, {"allOf": [TO_CARD], "default": "a"}),
    "a reference with an object by default": ({**TO_PLAYER, "default": {}}, TO_PLAYER),
    "a reference that is narrowed": ({**TO_PLAYER, "properties": {"a": {"enum": ["b"]}}}, TO_PLAYER),
    "a constant": ({"const": "a"}, {"enum": ["a"]}),
    "a bound that is excluded": (
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 2},
        {"type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": 2, "exclusiveMaximum": True},
    ),
    "examples": ({"type": "string", "examples": ["a", "b"]}, {"type": "string", "example": "a"}),
    "what a text holds": (
        {"type": "string", "contentMediaType": "application/json", "contentSchema": TO_CARD},
        {"type": "string"},
    ),
    "the names of members": (
        {"type": "object", "propertyNames": {"maxLength": 2}, "additionalProperties": {"anyOf": [TO_CARD, NULL]}},
        {"type": "object", "additionalProperties": {"type": "string", "nullable": True, "allOf": [TO_CARD]}},
    ),
    "nothing required": ({"type": "object", "required": []}, {"type": "object"}),
    "within a list": (
        {"type": "array", "items": {"anyOf": [{"type": "integer"}, NULL]}},
        {"type": "array", "items": {"type": "integer", "nullable": True}},
    ),
    "a field that is called like a keyword": (
        {"type": "object", "properties": {"const": {"type": "string"}, "examples": {"type": "array", "items": CARD}}},
        {"type": "object", "properties": {"const": {"type": "string"}, "examples": {"type": "array", "items": CARD}}},
    ),
}


def older(schema: Any) -> Any:
    """A schema of a parameter, written as 3.0."""
    said = {"name": "a", "in": "query", "schema": schema}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1", "summary": "S", "license": {"name": "MIT", "identifier": "MIT"}},
        "paths": {"/a": {"get": {"parameters": [said]}}},
        "components": {"schemas": {"Card": CARD, "Player": PLAYER}},
    }
    return as_3_0(document)["paths"]["/a"]["get"]["parameters"][0]["schema"]


@pytest.mark.parametrize(("schema", "written"), CASES.values(), ids=CASES)
def test_a_schema_is_written_as_3_0_knows_it(schema: Any, written: Any) -> None:
    assert older(schema) == written


def test_examples_of_bodies_stay_as_they_were_recorded() -> None:
    value = {"const": None, "type": ["a"], "schema": {"const": 1}}
    content = {"application/json": {"schema": TO_CARD, "examples": {"one": {"summary": "One.", "value": value}}}}
    document = {**DOCUMENT, "paths": {"/a": {"post": {"requestBody": {"content": content}}}}}
    assert as_3_0(document)["paths"]["/a"]["post"]["requestBody"]["content"] == content


def test_the_licence_has_an_address_and_the_title_no_summary() -> None:
    info = as_3_0(DOCUMENT)["info"]
    assert info["license"].keys() == {"name", "url"}
    assert "summary" not in info
    assert info["title"] == DOCUMENT["info"]["title"]


def test_the_document_that_it_is_made_of_stays_as_it_is() -> None:
    before = str(DOCUMENT)
    as_3_0(DOCUMENT)
    assert str(DOCUMENT) == before
