"""What differs from one recording to the next, made the same: the rules, and all there are.

- Times are counted from a fixed moment: a game is created then, and its version n comes n seconds later.
- Cursors hold a hash over times; that of a game whose replay is told is computed again, as `verify.py` does, so that
  the example passes it. Others get a hash of the game's id and the version.
- Request ids are made of the example's name, names (`ETag`) of catalogue pages of their operation.
- A simulation begins when it is asked for, and takes a worker a second.
- A bot thinks for a millisecond; the service runs compiled, on a fixed Redis; long waits are rounded up.
- Some answers are too long to be read, the documents and a ruleset's page: lists and texts in them are cut short.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from service.simulation_store import RETENTION_MS as SIMULATION_MS
from service.store import RETENTION_MS
from service.verify import compact, without
from service.views import moment
from tests.service.players import Json

START_MS = 1_767_268_800_000
"""The first of January 2026, noon UTC."""
CURSOR = re.compile(r"(?<![0-9A-Za-z-])([1-9][0-9]*)-([0-9a-f]{12})(?![0-9a-f])")
GAME = re.compile(r"gm_[a-z2-7]{20}|(?<=jb_)[a-z2-7]{20}")
READY = {"redis": "9.1.0", "engine": "compiled", "workers": 1, "simulation_workers": 1}
DOCUMENTS = ("getDocument", "getOlderDocument")
ABRIDGED = (*DOCUMENTS, "getRuleset")
ENTRIES, CHARACTERS = 2, 600
"""How much is left of a list and of a text in an answer that is cut short."""


def stable(written: Mapping[str, Json]) -> dict[str, Json]:
    """Exchanges by name, as they are the same in every recording."""
    chains: dict[str, str] = {}
    timed = {name: _timed(exchange) for name, exchange in written.items()}
    for exchange in timed.values():
        if isinstance(body := exchange["response"]["body"], dict) and body.get("format", "").startswith(
            "tapete-replay"
        ):
            chains |= _chained(body)
    return {name: _named(name, _with_cursors(exchange, chains)) for name, exchange in timed.items()}


# ---------------------------------------------------------------------------------------------------- times


def _at(version: int) -> int:
    return START_MS + 1000 * version


def _timed(value: Any) -> Any:
    """The same value with all times, and durations, made stable."""
    if isinstance(value, list):
        return [_timed(each) for each in value]
    if isinstance(value, str) and "\ndata: " in value:
        return re.sub(r"(?<=\ndata: ).*", lambda data: _compact(_timed(json.loads(data[0]))), value)
    if not isinstance(value, dict):
        return value
    return {name: _time(name, each, value) for name, each in value.items()}


def _time(name: str, value: Any, beside: Json) -> Any:
    match name, value:
        case "at", int():
            return _at(beside["version"])
        case "at", str():
            return moment(_at(beside["version"]))
        case "created_at", str():
            return moment(START_MS)
        case "expires_at", str() if "progress" in beside:
            return moment(START_MS + SIMULATION_MS)
        case "run", dict() if "chunks" in value:
            return _run(value, beside["progress"]["games"])
        case "expires_at", str():
            return moment(_at(beside["version"]) + RETENTION_MS[beside["status"]])
        case "deadline_at", str():
            return moment(_at(beside["version"]) + round(1000 * beside["move_seconds"]))
        case "seconds", float() if "samples" in beside:
            return 0.001
        case "Retry-After", str():
            return value if int(value) < 60 else str(-(-int(value) // 60) * 60)
    return _timed(value)


def _run(run: Json, games: int) -> Json:
    begun = run["started_at"] and moment(START_MS)
    ended = run["finished_at"] and moment(START_MS + 1000)
    rates = dict.fromkeys(("games_per_second", "games_per_second_per_worker"), float(games) or None)
    return {"created_at": moment(START_MS), "started_at": begun, "finished_at": ended, "expected_at": None} | rates | {
        "workers": min(1, games), "chunks": min(1, games),
    }  # fmt: skip


def _compact(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


# ---------------------------------------------------------------------------------------------------- cursors


def _chained(replay: Json) -> dict[str, str]:
    """Compute the chain and the digest of a replay again, in place; the new cursors by the old ones."""
    found: dict[str, str] = {}
    cursor = replay["game_id"] if replay["log"][0]["by"] == "service" else "0-"
    for entry in replay["log"]:
        text = cursor + compact(without(entry, "version", "cursor", "at")) + compact(entry["at"])
        cursor = f"{entry['version']}-{hashlib.sha1(text.encode()).hexdigest()[:12]}"  # noqa: S324 - as the service does
        found[entry["cursor"]] = entry["cursor"] = cursor
    replay["cursor"] = cursor
    replay["digest"] = hashlib.sha256(compact(without(replay, "log", "digest"), sort=True).encode()).hexdigest()
    return found


def _with_cursors(exchange: Json, chains: Mapping[str, str]) -> Json:
    text = json.dumps(exchange)
    game = found[0] if (found := GAME.search(text)) else ""

    def again(cursor: re.Match[str]) -> str:
        if cursor[0] in chains.values():
            return cursor[0]
        made = hashlib.sha256(f"{game} {cursor[1]}".encode()).hexdigest()[:12]
        return chains.get(cursor[0], f"{cursor[1]}-{made}")

    return json.loads(CURSOR.sub(again, text))


# ---------------------------------------------------------------------------------------------------- names


def _named(name: str, exchange: Json) -> Json:
    """The same exchange with a request id of its name, and what is true of one machine only made plain."""
    answer, operation = exchange["response"], name.partition("/")[0]
    body = answer["body"]
    if "X-Request-Id" in answer["headers"]:
        answer["headers"]["X-Request-Id"] = _digits(name, 16)
    if isinstance(body, dict) and "request_id" in body:
        body["request_id"] = _digits(name, 16)
    if operation == "getReady":
        body |= READY if body["status"] == "ok" else {"engine": READY["engine"]}
    if operation in ABRIDGED and answer["status"] == 200:
        answer["body"] = _abridged(body, {"paths", "components"} if operation in DOCUMENTS else set())
    for headers, header in ((answer["headers"], "ETag"), (exchange["request"]["headers"], "If-None-Match")):
        if re.fullmatch('"[0-9a-f]{32}"', headers.get(header, "")):
            headers[header] = f'"{_digits(operation, 32)}"'
    return exchange


def _digits(name: str, count: int) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:count]


def _abridged(value: Any, emptied: set[str]) -> Any:
    if isinstance(value, str) and len(value) > CHARACTERS:
        return f"{value[:CHARACTERS]} …"
    if isinstance(value, list):
        return [_abridged(each, emptied) for each in value[:ENTRIES]]
    if isinstance(value, dict):
        return {name: {} if name in emptied else _abridged(each, emptied) for name, each in value.items()}
    return value
