"""Put the recorded examples into the document.

A file `examples/{operationId}/{status}[-{slug}].json` is one exchange with the running service:

    {"summary": "...", "request": {"method", "path", "headers", "body"}, "response": {"status", "headers", "body"}}

The slug names the example; of an error it is the code. A folder that is named after no operation holds what is
answered where there is no operation. Without any files the document has no examples.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

JSON = "application/json"
STREAM = "text/event-stream"


@dataclass(frozen=True)
class Exchange:
    """A request that was sent, and how it was answered. `operation` is the name of its folder."""

    operation: str
    status: str
    slug: str
    summary: str
    media: str
    """The type of the answer's body, as the document names it."""
    request: Any
    response: Any


def recorded(folder: Path) -> list[Exchange]:
    """Every exchange in a folder, in the order of operations and names. ValueError for a file of another shape."""
    return [_read(path) for path in sorted(folder.glob("*/*.json"))]


def _read(path: Path) -> Exchange:
    content = json.loads(path.read_text(encoding="utf-8"))
    status, _, slug = path.stem.partition("-")
    if str(content["response"]["status"]) != status:
        raise ValueError(f"{path}: the name says {status}, and the answer is {content['response']['status']}.")
    asked, answered = content["request"]["body"], content["response"]["body"]
    media = content["response"]["headers"].get("Content-Type", "").partition(";")[0]
    return Exchange(path.parent.name, status, slug or "example", content["summary"], media, asked, answered)


def with_examples(document: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The document with all examples in it. KeyError for an answer that it does not promise."""
    whole: dict[str, Any] = json.loads(json.dumps(document))
    operations = _operations(whole)
    exchanges = recorded(folder)
    for each in exchanges:
        if each.operation in operations:
            _add(whole, operations[each.operation], each)
    elsewhere = [each.response for each in exchanges if each.operation not in operations and each.response is not None]
    if elsewhere:
        whole["components"]["schemas"]["Problem"]["examples"] = elsewhere
    return whole


def _operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["operationId"]: each for item in document["paths"].values() for each in item.values()}


def _add(document: dict[str, Any], operation: dict[str, Any], each: Exchange) -> None:
    """Put an exchange where it belongs. What is sent in vain is no example of a request."""
    if each.request is not None and int(each.status) < 300:
        _put(operation["requestBody"]["content"][JSON], _free_name(operation, each), _example(each, each.request))
    if each.response is not None:
        answer = operation["responses"][each.status]
        if "$ref" in answer:
            answer = document["components"]["responses"][answer["$ref"].rpartition("/")[2]]
        _put(answer["content"][each.media], each.slug, _example(each, each.response))


def _free_name(operation: dict[str, Any], each: Exchange) -> str:
    """What to call the example of a request: an operation with two good statuses may have recorded the same slug."""
    known = operation["requestBody"]["content"][JSON].get("examples", {})
    taken = each.slug in known and known[each.slug]["value"] != each.request
    return f"{each.slug}-{each.status}" if taken else each.slug


def _put(content: dict[str, Any], name: str, example: dict[str, Any]) -> None:
    """Add an example, unless another operation with the same answer has given one of this name."""
    content.setdefault("examples", {}).setdefault(name, example)


def _example(each: Exchange, value: Any) -> dict[str, Any]:
    """An example. The schema of a stream is that of one event, so the first is its value, and all are told as text."""
    if each.media == STREAM and value is each.response:
        return {"summary": each.summary, "description": f"```\n{value.strip()}\n```", "value": _first_event(value)}
    return {"summary": each.summary, "value": value}


def _first_event(stream: str) -> dict[str, str]:
    """The first server-sent event with data; nothing where there is none."""
    for block in stream.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line and line[0] != ":")
        if "data" in fields:
            return fields
    return {}
