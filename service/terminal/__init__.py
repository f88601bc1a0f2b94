"""`tapete play`: a table on a terminal for one person, a client of the HTTP API like any other.

It knows the service by its address alone: nothing here imports the engine or a use case, so what it shows is what any
client can know. `client` asks, `story` follows the log, `screen` and its neighbours draw, `choices` reads what is
typed, `play` is the loop, `session` everything before and after it.
"""

from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]
"""A document of the API."""
