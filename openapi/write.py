"""Write the published document: `python -m openapi.write`, or `make spec`.

    openapi.json       OpenAPI 3.1, of what the code promises and the recorded examples
    openapi-3.0.json   the same as OpenAPI 3.0.3, for generators that read nothing newer

With `--released` also `released/{version}.json`: the promise that later documents are held against (`make released`).
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

from litestar import Litestar

from openapi.compatible import skeleton
from openapi.older import as_3_0
from openapi.recorded import with_examples
from service.app import HANDLERS
from service.openapi import document

HERE = Path(__file__).parent
EXAMPLES = HERE / "examples"
RELEASED = HERE / "released"


@cache
def app() -> Litestar:
    """The handlers alone: what they promise needs no running service."""
    return Litestar(HANDLERS, openapi_config=None, logging_config=None)


def made() -> dict[str, Any]:
    """The document as the code and the examples make it now."""
    return with_examples(document(app()), EXAMPLES)


def files() -> dict[str, str]:
    """What the files of this folder have to hold, by name."""
    now = made()
    return {"openapi.json": text(now), "openapi-3.0.json": text(as_3_0(now))}


def text(document: dict[str, Any]) -> str:
    """A document as it is kept: to be read, and to be compared line by line."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> None:
    """Write the files."""
    written = files()
    if "--released" in arguments:
        now = made()
        written[f"released/{now['info']['version']}.json"] = text(skeleton(now))
    for name, content in written.items():
        (HERE / name).write_text(content, encoding="utf-8")
        print(f"openapi/{name}: {len(content):,} characters")


if __name__ == "__main__":
    main(sys.argv[1:])
