"""Whether the document keeps what released ones have promised: `python -m openapi.breaking`, or `make breaking`.

Prints what it breaks, a sentence each, and then ends with 1.
"""

from __future__ import annotations

import json
import sys

from openapi.compatible import breaks
from openapi.write import RELEASED, made


def broken() -> list[str]:
    """What is broken of any released document with the same first number."""
    now = made()
    major = now["info"]["version"].partition(".")[0]
    found = []
    for path in sorted(RELEASED.glob(f"{major}.*.json")):
        found += [f"{path.stem}: {each}" for each in breaks(json.loads(path.read_text(encoding="utf-8")), now)]
    return found


if __name__ == "__main__":
    if sentences := broken():
        sys.exit("\n".join(sentences))
    print("Nothing that has been released is broken.")
