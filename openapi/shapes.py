"""How two JSON Schemas differ, for whoever sends what they describe, and for whoever reads it.

A schema is taken apart into its alternatives: the members of a union, the types of a list of types, null. Each old
one is compared with the new one of the same name: its title where it is an object that has one, else its type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]
Pair = tuple[str, str, bool]

LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
EXACT = ("pattern", "format", "uniqueItems", "multipleOf", "const")


class Shapes:
    """The named schemas of two documents, and how any two schemas of them differ."""

    def __init__(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        self._old: Schema = old["components"].get("schemas", {})
        self._new: Schema = new["components"].get("schemas", {})
        self._seen: set[Pair] = set()

    def request(self, at: str, old: Schema, new: Schema) -> Iterator[str]:
        """What could be sent and is refused now, or must be sent and had not to be. `at` begins every sentence."""
        yield from self._compare(at, old, new, asked=True)

    def answer(self, at: str, old: Schema, new: Schema) -> Iterator[str]:
        """What was answered and is not any more, or may be something else."""
        yield from self._compare(at, old, new, asked=False)

    def _compare(self, at: str, old: Schema, new: Schema, *, asked: bool) -> Iterator[str]:
        if asked and "default" in old and old["default"] != new.get("default"):
            yield f"{at}: it is {new.get('default')!r} by default, and was {old['default']!r}"
        if "$ref" in old and "$ref" in new:
            pair = (old["$ref"], new["$ref"], asked)
            if pair in self._seen:
                return
            self._seen.add(pair)
        before, after = _alternatives(old, self._old), _alternatives(new, self._new)
        if "anything" in after if asked else "anything" in before:
            return
        for name, schema in before.items():
            if name in after:
                yield from self._alternative(_under(at, schema), schema, after[name], asked=asked)
            elif asked and not (name == "integer" and "number" in after):
                yield f"{at}: {name} is not taken any more"
        if not asked:
            yield from self._others(at, before, after)

    def _others(self, at: str, before: Mapping[str, Schema], after: Mapping[str, Schema]) -> Iterator[str]:
        """Alternatives of an answer that are new. A union of objects is open; a number may be a whole one."""
        objects = [each for each in before.values() if _name(each)]
        is_open = len(objects) > 1 or any(map(_is_tagged, objects))
        for name, schema in after.items():
            expected = (_name(schema) and is_open) or (name == "integer" and "number" in before)
            if name not in before and not expected:
                yield f"{at}: it may be {name}"

    def _alternative(self, at: str, old: Schema, new: Schema, *, asked: bool) -> Iterator[str]:
        yield from self._properties(at, old, new, asked=asked)
        for key, place in (("items", "[]"), ("additionalProperties", ".*")):
            if isinstance(old.get(key), dict) and isinstance(new.get(key), dict):
                yield from self._compare(f"{at}{place}", old[key], new[key], asked=asked)
        if asked:
            yield from _narrowed(at, old, new)

    def _properties(self, at: str, old: Schema, new: Schema, *, asked: bool) -> Iterator[str]:
        before, after = old.get("properties", {}), new.get("properties", {})
        must, must_now = set(old.get("required", ())), set(new.get("required", ()))
        for name, schema in before.items():
            if name not in after:
                yield f"{at}.{name} is gone"
                continue
            if name in must - must_now and not asked:
                yield f"{at}.{name} may be absent"
            yield from self._compare(f"{at}.{name}", schema, after[name], asked=asked)
        if asked:
            yield from (f"{at}.{name} is required" for name in sorted(must_now - must))


def _under(at: str, schema: Schema) -> str:
    """Where a reader finds an alternative: by the name of its schema, where it has one."""
    title = _name(schema)
    return f"{at.partition(': ')[0]}: {title}" if title else at


def _narrowed(at: str, old: Schema, new: Schema) -> Iterator[str]:
    """What the new schema of a request refuses of the same type."""
    if "enum" in new:
        gone = [repr(each) for each in old.get("enum", ()) if each not in new["enum"]]
        yield from (f"{at}: {each} is not taken any more" for each in (gone if "enum" in old else ["another value"]))
    for key in LOWER:
        if key in new and (key not in old or new[key] > old[key]):
            yield f"{at}: {key} is {new[key]}"
    for key in UPPER:
        if key in new and (key not in old or new[key] < old[key]):
            yield f"{at}: {key} is {new[key]}"
    for key in EXACT:
        if key in new and old.get(key) != new[key]:
            yield f"{at}: {key} is {new[key]!r}"
    if new.get("additionalProperties") is False and old.get("additionalProperties") is not False:
        yield f"{at}: no further members are taken"


def _alternatives(schema: Schema, named: Schema) -> dict[str, Schema]:
    """Everything that a value of the schema may be, by name."""
    found: dict[str, Schema] = {}
    for each in _flat(schema, named):
        types = each.get("type", "anything")
        for kind in types if isinstance(types, list) else [types]:
            found[_name(each) or kind] = each
    return found


def _flat(schema: Schema, named: Schema) -> Iterator[Schema]:
    """The members of a union, and those of its members. Beside a reference stands only which codes a problem has."""
    if "$ref" in schema:
        yield from _flat(named[schema["$ref"].rpartition("/")[2]], named)
        return
    members = schema.get("oneOf") or schema.get("anyOf")
    if not members:
        yield schema
        return
    for member in members:
        yield from _flat(member, named)


def _is_tagged(schema: Schema) -> bool:
    """Whether an object says which member of a union it is, in a field with one value."""
    fields = schema.get("properties", {})
    return any(len(fields[name].get("enum", ())) == 1 for name in schema.get("required", ()) if name in fields)


def _name(schema: Schema) -> str | None:
    return schema.get("title") if schema.get("type") == "object" else None
