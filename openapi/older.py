"""The document as OpenAPI 3.0.3, for generators that read nothing newer.

What 3.0 cannot say is said less exactly or left out, never wrongly: null beside a reference, a `const`, what a text
holds. Whoever can should read the 3.1 document.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LICENSE = "https://spdx.org/licenses/MIT.html"
"""3.0 knows a licence by its address alone."""
LEFT_OUT = ("propertyNames", "contentMediaType", "contentSchema", "contentEncoding", "$comment")
"""Keywords of schemas that 3.0 does not have, and that leave a schema true when they are gone."""
LISTS_OF_SCHEMAS = ("anyOf", "oneOf", "allOf")
SCHEMAS = ("items", "additionalProperties", "not")
DATA = ("example", "examples", "default", "enum", "value", "links")
"""Members that hold anybody's data, or expressions: nothing in them is a part of the document."""


def as_3_0(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document for older generators. It shares nothing with the one it is made of that it changes."""
    schemas = document["components"]["schemas"]
    older = _Older(schemas)
    info = {key: each for key, each in document["info"].items() if key != "summary"}
    return {
        **{key: older.part(each) for key, each in document.items()},
        "openapi": "3.0.3",
        "info": {**info, "license": {"name": info["license"]["name"], "url": LICENSE}},
    }


class _Older:
    """Rewrites parts of a document, given its named schemas."""

    def __init__(self, schemas: Mapping[str, Any]) -> None:
        self._schemas = schemas

    def part(self, part: Any) -> Any:
        """A part of the document that is no schema, with every schema in it rewritten."""
        if isinstance(part, list):
            return [self.part(each) for each in part]
        if not isinstance(part, dict):
            return part
        return {key: self._member(key, each) for key, each in part.items()}

    def _member(self, key: str, value: Any) -> Any:
        if key == "schema":
            return self.schema(value)
        if key == "schemas":
            return {name: self.schema(each) for name, each in value.items()}
        return value if key in DATA else self.part(value)

    def schema(self, schema: Any) -> Any:
        """A schema, as 3.0 writes it."""
        if not isinstance(schema, dict):
            return schema
        if "$ref" in schema:
            return self._reference(schema)
        kept = {key: each for key, each in schema.items() if key not in LEFT_OUT and (key, each) != ("required", [])}
        written = {key: self._keyword(key, each) for key, each in kept.items()}
        for rewrite in (_constant, _bounds, _example, _types, _places, self._null):
            written = rewrite(written)
        return written

    def _keyword(self, key: str, value: Any) -> Any:
        if key == "properties":
            return {name: self.schema(each) for name, each in value.items()}
        if key in LISTS_OF_SCHEMAS:
            return [each if _is_null(each) else self.schema(each) for each in value]
        return self.schema(value) if key in SCHEMAS else value

    def _reference(self, schema: dict[str, Any]) -> dict[str, Any]:
        """3.0 looks at nothing beside a reference. What describes it goes around it; what narrows it is lost.

        So is a default that is an object: generators for Python refuse the whole schema otherwise.
        """
        bare = {"$ref": schema["$ref"]}
        around: dict[str, Any] = {key: schema[key] for key in ("description", "default") if key in schema}
        if isinstance(around.get("default"), dict):
            del around["default"]
        return {"allOf": [bare], **around} if around else bare

    def _null(self, schema: dict[str, Any]) -> dict[str, Any]:
        """A choice of which null is one is `nullable`; with one more alternative it is that alternative."""
        members = schema.get("anyOf")
        if not members or not any(map(_is_null, members)):
            return {"nullable": True, "enum": [None], "type": "string"} if _is_null(schema) else schema
        rest = {key: each for key, each in schema.items() if key != "anyOf"}
        others = [each for each in members if not _is_null(each)]
        if len(others) > 1:
            return {"anyOf": [{**others[0], "nullable": True}, *others[1:]], **rest}
        if "$ref" in others[0]:
            return {"type": self._type_of(others[0]), "nullable": True, "allOf": others, **rest}
        values = {"enum": [*others[0]["enum"], None]} if "enum" in others[0] else {}
        return {**others[0], **values, "nullable": True, **rest}

    def _type_of(self, reference: dict[str, Any]) -> str:
        """The type that a reference is to; 3.0 takes `nullable` beside a type only."""
        return str(self._schemas[reference["$ref"].rpartition("/")[2]].get("type", "object"))


def _is_null(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "null"


def _constant(schema: dict[str, Any]) -> dict[str, Any]:
    return {("enum" if key == "const" else key): [each] if key == "const" else each for key, each in schema.items()}


def _bounds(schema: dict[str, Any]) -> dict[str, Any]:
    """A bound that is itself excluded is a bound, and a flag."""
    written = dict(schema)
    for key, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if key in written:
            written[bound], written[key] = written[key], True
    return written


def _example(schema: dict[str, Any]) -> dict[str, Any]:
    """One example instead of a list of them."""
    written = {key: each for key, each in schema.items() if key != "examples"}
    return {**written, "example": schema["examples"][0]} if schema.get("examples") else written


def _places(schema: dict[str, Any]) -> dict[str, Any]:
    """A list of so many places, which are all alike with us, is a list of so many of them."""
    if "prefixItems" not in schema:
        return schema
    rest = {key: each for key, each in schema.items() if key != "prefixItems"}
    return {**rest, "items": schema["prefixItems"][0]}


def _types(schema: dict[str, Any]) -> dict[str, Any]:
    """A list of types is a choice between them."""
    types = schema.get("type")
    if not isinstance(types, list):
        return schema
    rest = {key: each for key, each in schema.items() if key != "type"}
    return {**rest, "anyOf": [{"type": each} for each in types]}
