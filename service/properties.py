"""What the published document says of each field. The texts stand in properties.toml, apart from the wire types."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

EVERYWHERE = "*"
"""The table of fields that mean the same in every shape."""
TAGS = ("type", "kind", "ruleset")


@cache
def texts() -> dict[str, dict[str, str]]:
    """The texts by shape and field."""
    return msgspec.toml.decode((files("service") / "properties.toml").read_bytes(), type=dict[str, dict[str, str]])


def told(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of this name, with what is said of its fields. What a field's own type says is not said again."""
    written = dict(schema)
    if "properties" in schema:
        written["properties"] = {field: _told(name, field, each) for field, each in schema["properties"].items()}
    return written


def _told(name: str, field: str, schema: dict[str, Any]) -> dict[str, Any]:
    text = _tag(field, schema) or texts().get(name, {}).get(field) or texts()[EVERYWHERE].get(field)
    if text is None or "$ref" in schema or "description" in schema:
        return schema
    return {"description": text, **schema}


def _tag(field: str, schema: Mapping[str, Any]) -> str | None:
    """What to say of the field that tells the members of a union apart."""
    values = schema.get("enum", ())
    is_tag = field in TAGS and len(values) == 1
    return f"Always `{values[0]}`: tells this shape from the others." if is_tag else None
