"""What a new document takes away from clients of an old one.

Requests are closed and answers are open, so the two are judged differently: of a request everything that was taken
before must still be taken; of an answer everything that was there before must still be there. New operations,
optional parameters and fields of requests, fields of answers, values of an answer's enum, members of an answer's
union and problem codes break nothing: the document tells clients to ignore what they do not know.

Bounds, patterns and formats are held in requests only. Descriptions, examples and links may say anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from openapi.shapes import Shapes

METHODS = ("get", "put", "post", "delete", "patch")
TEXTS = ("summary", "description", "examples", "example", "links", "title", "tags", "externalDocs")
NAMES = ("properties", "schemas", "parameters", "responses", "headers", "securitySchemes", "mapping")
"""Members whose own members are named by us: there a `description` is the name of a field, not a text."""


def skeleton(document: Mapping[str, Any]) -> dict[str, Any]:
    """What of a document clients depend on, without its texts: this is what is kept of a release."""
    kept = {key: document[key] for key in ("openapi", "paths", "components")}
    return {"info": {key: document["info"][key] for key in ("title", "version")}, **_bare(kept, texts=True)}


def _bare(part: Any, *, texts: bool) -> Any:
    if isinstance(part, list):
        return [_bare(each, texts=True) for each in part]
    if not isinstance(part, dict):
        return part
    return {
        key: _bare(each, texts=key not in NAMES)
        for key, each in part.items()
        if not (texts and key in TEXTS and not (key == "title" and part.get("type") == "object"))
    }


def breaks(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Everything in the new document that breaks a client of the old one, as sentences. Empty where nothing does."""
    return list(dict.fromkeys(_Comparison(old, new).documents()))


class _Comparison:
    """Two documents, and how their operations differ."""

    def __init__(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        self._old = old
        self._new = new
        self._shapes = Shapes(old, new)

    def documents(self) -> Iterator[str]:
        """Compare every operation of the old document."""
        for path, item in self._old["paths"].items():
            for method in METHODS:
                if method in item:
                    name = f"{method.upper()} {path}"
                    now = self._new["paths"].get(path, {}).get(method)
                    yield from [f"{name} is gone"] if now is None else self._operation(name, item[method], now)

    def _operation(self, name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
        if old["operationId"] != new["operationId"]:
            yield f"{name}: the operation {old['operationId']} is called {new['operationId']}"
        # Where no way in is named, nobody is asked for one.
        for way in old.get("security") or [{}]:
            if new.get("security") and way not in new["security"]:
                yield f"{name}: it is not open to {' and '.join(way) or 'everyone'} any more"
        yield from self._parameters(name, old, new)
        yield from self._body(name, old.get("requestBody"), new.get("requestBody"))
        yield from self._answers(name, old["responses"], new["responses"])

    def _parameters(self, name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
        before = _by_place(old.get("parameters", ()), self._old)
        after = _by_place(new.get("parameters", ()), self._new)
        for place, parameter in after.items():
            known = before.get(place, {})
            if parameter.get("required") and not known.get("required"):
                yield f"{name}: the parameter {place[1]} is required"
        for place, parameter in before.items():
            if place not in after:
                yield f"{name}: the parameter {place[1]} is gone"
            else:
                at = f"{name}: the parameter {place[1]}"
                yield from self._shapes.request(at, parameter["schema"], after[place]["schema"])

    def _body(self, name: str, old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> Iterator[str]:
        if old is None:
            if new is not None and new.get("required"):
                yield f"{name}: a body is required"
            return
        if new is None:
            yield f"{name}: the body is gone"
            return
        if new.get("required") and not old.get("required"):
            yield f"{name}: a body is required"
        for media, content in old["content"].items():
            if media not in new["content"]:
                yield f"{name}: a body may not be {media} any more"
            else:
                yield from self._shapes.request(f"{name}: the body", content["schema"], new["content"][media]["schema"])

    def _answers(self, name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
        for status, answer in old.items():
            if status in new:
                yield from self._answer(
                    f"{name}: {status}", _followed(answer, self._old), _followed(new[status], self._new)
                )
            elif int(status) < 400:
                yield f"{name}: it does not answer {status} any more"
        for status in new.keys() - old.keys():
            if int(status) < 400:
                yield f"{name}: it answers {status}, which nobody expects"

    def _answer(self, at: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
        for header, written in old.get("headers", {}).items():
            if header not in new.get("headers", {}):
                yield f"{at}: the header {header} is gone"
            else:
                now = _followed(new["headers"][header], self._new)
                if _followed(written, self._old).get("required") and not now.get("required"):
                    yield f"{at}: the header {header} may be absent"
        for media, content in old.get("content", {}).items():
            if media not in new.get("content", {}):
                yield f"{at}: {media} is gone"
            else:
                yield from self._shapes.answer(at, content["schema"], new["content"][media]["schema"])


def _followed(part: Mapping[str, Any], document: Mapping[str, Any]) -> Mapping[str, Any]:
    """A part of a document; the component where it refers to one."""
    if "$ref" not in part:
        return part
    _, kind, name = part["$ref"].rsplit("/", 2)
    found: Mapping[str, Any] = document["components"][kind][name]
    return found


def _by_place(parameters: Any, document: Mapping[str, Any]) -> dict[tuple[str, str], Mapping[str, Any]]:
    followed = [_followed(each, document) for each in parameters]
    return {(each["in"], each["name"]): each for each in followed}
