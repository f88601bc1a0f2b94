"""The statistics of a simulation as a table: a figure a line, the same columns for all of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

import msgspec

from engine.simulation.results import Results

COLUMNS = ("of", "number", "figure", "from", "to", "value")
Line = tuple[Any, ...]


def table(results: Results | None) -> bytes:
    """All figures as CSV with a head; the head alone where nothing has been played."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    if results is not None:
        writer.writerows(_lines(msgspec.to_builtins(results)))
    return text.getvalue().encode()


def _lines(results: dict[str, Any]) -> Iterator[Line]:
    yield "all", "", "games", "", "", results["games"]
    yield "all", "", "sets", "", "", results["sets"]
    for of, name in (("bot", "bots"), ("seat", "seats")):
        for number, standing in enumerate(results[name]):
            yield from _figures((of, number), "", standing)
    yield from _figures(("lengths", ""), "", results["lengths"] or {})
    for count in results["counts"]:
        for figure in ("count", "of", "ratio"):
            if count[figure] is not None:
                yield "counts", count["key"] or "", f"{count['name']}.{figure}", "", "", count[figure]
    yield from _figures(("comparison", ""), "", results["comparison"] or {})


def _figures(about: tuple[str, Any], path: str, value: Any) -> Iterator[Line]:
    """Every figure in a JSON value, named by the path to it; a bar of a histogram says from where to where."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _figures(about, f"{path}.{name}" if path else name, each)
    elif path.endswith("histogram"):
        for bar in value:
            yield *about, path, bar["from"], bar["to"], bar["count"]
    elif path.endswith("interval") and value is not None:
        yield *about, f"{path}.low", "", "", value[0]
        yield *about, f"{path}.high", "", "", value[1]
    elif isinstance(value, list):
        yield *about, path, "", "", " ".join(map(str, value))
    elif value is not None:
        yield *about, path, "", "", value
