"""The document that this code publishes, made without a running service."""

from typing import Any

from openapi.write import app, made

APP = app()
DOCUMENT = made()


def followed(part: dict[str, Any]) -> dict[str, Any]:
    """A part of the document; the component where it refers to one."""
    if "$ref" not in part:
        return part
    _, kind, name = part["$ref"].rsplit("/", 2)
    component: dict[str, Any] = DOCUMENT["components"][kind][name]
    return component
