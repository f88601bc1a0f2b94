"""What must hold of a game after any fault: the promises kept, no move twice, no gap, and views that show the log."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

import msgspec

from engine.catalog import find
from engine.chance import PublishedDeals
from engine.match import Match
from engine.wire import Move
from service.views import SPECTATOR
from tests.faults.drive import OPTIONS, Game, Json, Load, Promise


@dataclass(frozen=True)
class Step:
    """An entry of a log and the one before: since when the game stood there, until when, and whether a bot moved."""

    since: float
    until: float
    bots_turn: bool


@dataclass(frozen=True)
class Examined:
    """What was found of one game."""

    lost: int
    doubled: int
    steps: list[Step]


async def examine(load: Load, game: Game) -> Examined:
    """Read a game as everyone sees it, and compare it with its log and with what was promised.

    Counts what was lost or doubled; fails where the log has gaps or a view does not show it.
    """
    promised = list(game.promises)
    readers = [None, *game.tokens.values()]
    seen = [await load.client.send("GET", game.path, token) for token in readers]
    views, game.views = [*game.views, *seen], []
    log = (await load.client.send("GET", f"{game.path}/events?limit=1000"))["items"]
    assert [entry["version"] for entry in log] == list(range(1, len(log) + 1))
    check_views(game, log, views)
    in_flight = game.in_flight  # before the promises are looked at again: see Load._promised
    return Examined(
        lost=len(lost(promised, log)),
        doubled=max(0, len(doubled(game, log)) - in_flight),
        steps=[
            Step(moment(one), moment(two), two["by"] == "bot" and two["seat"] not in game.tokens)
            for one, two in pairwise(log)
        ],
    )


def moment(entry: Json) -> float:
    """When an entry was written."""
    return datetime.fromisoformat(entry["at"]).timestamp()


def told(entry: Json) -> Promise:
    """What whoever made this move was told."""
    return Promise(entry["version"], entry["seat"], entry["by"], entry["move"])


def lost(promised: Sequence[Promise], log: list[Json]) -> list[Promise]:
    """The promises that are not in the log where they should be."""
    return [each for each in promised if len(log) < each.version or told(log[each.version - 1]) != each]


def doubled(game: Game, log: list[Json]) -> list[Json]:
    """The moves of players' seats in the log that nobody was promised: made twice, or for an answer yet to come."""
    promised = {each.version: each for each in game.promises}
    return [entry for entry in log if entry["seat"] in game.tokens and promised.get(entry["version"]) != told(entry)]


def check_views(game: Game, log: list[Json], views: list[Json]) -> None:
    """See that the log is a match by the rules, and that each view shows it at its version.

    A move that were there twice would be against the rules.
    """
    ruleset = find(game.ruleset)
    match = Match(ruleset, ruleset.resolve(None, OPTIONS[game.ruleset], 4), 4, PublishedDeals(game.seed, []))
    by_version: dict[int, list[Json]] = {}
    for view in views:
        by_version.setdefault(view["version"], []).append(view)
    for entry in log:
        move = msgspec.convert(entry["move"], Move | None)
        events = match.start() if move is None else match.play(entry["seat"], match.codec.decode(move))
        assert entry["events"] == as_json(events)
        for view in by_version.pop(entry["version"], []):
            assert view["cursor"] == entry["cursor"]
            check_view(view, match)
    assert not by_version, "a view is of no version in the log"


def check_view(view: Json, match: Match) -> None:
    """See that a view shows this match."""
    seen = match.observe(view["you"]["seat"] if view["you"] else SPECTATOR)
    assert view["deal"] == as_json(match.ruleset.deal_view(seen, match))
    assert view["match"] == as_json(match.ruleset.match_view(match))
    assert view["result"] == as_json(match.result)
    assert view["to_move"] == (match.to_move if match.result is None else None)
    assert view["status"] == ("playing" if match.result is None else "finished")
    if view["you"]:
        assert view["you"]["hand"] == match.codec.cards(seen.hand)


def as_json(value: Any) -> Json:
    """What a document holds, as a client reads it."""
    return msgspec.json.decode(msgspec.json.encode(value))
