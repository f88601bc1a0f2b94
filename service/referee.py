"""Play a replay again by the rules of this installation, and compare everything that it says.

service/verify.py proves cards and scores without us; what it leaves out is whether every move was allowed, and all
that the engine tells of a game beside them. Here the record goes through `Match.play`, the door that every move of a
running game goes through, and comes to the same events, deals and result, value by value.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import to_builtins
from msgspec.structs import replace

from engine import catalog
from engine.chance import PublishedDeals
from engine.errors import EngineError
from engine.match import Match
from engine.wire import GameStarted
from service.replays import Replay, ReplayDeal, ReplayEntry, ReplaySeat, deal_of
from service.schemas import Abandoned, ControllerChanged, Resigned, SeatClaimed, TokenRotated
from service.verify import same, wrong

OURS = (SeatClaimed, ControllerChanged, TokenRotated, Resigned, Abandoned)
"""Events that the service tells; every other one is the engine's."""


def check(game: Any) -> None:
    """Play a replay again. Raises Wrong at the first move that is not allowed, and at anything told otherwise."""
    try:
        replay = msgspec.convert(game, Replay)
    except msgspec.ValidationError as error:
        wrong("/", f"this is not as a replay has it: {error}.")
    played = _Played(_begun(replay), replay.seats)
    for index, entry in enumerate(replay.log):
        played.follow(entry, f"/log/{index}")
    match = played.match
    found = [game["deals"], game["match"], game["result"]]
    expected = [played.deals, match.ruleset.match_view(match) if match.number else None, match.result]
    for name, one, other in zip(("/deals", "/match", "/result"), found, to_builtins(expected), strict=True):
        same(one, other, name)


def _begun(replay: Replay) -> Match:
    """The match of a replay, not started."""
    try:
        ruleset = catalog.find(replay.ruleset)
        options = ruleset.resolve(None, replay.options, len(replay.seats))
    except EngineError as error:
        wrong("/options", str(error))
    if not 1 <= replay.ruleset_version <= ruleset.version:
        wrong("/ruleset_version", "this Tapete does not know these rules.")
    same(replay.options, to_builtins(options), "/options")
    voters = tuple(seat.seat for seat in replay.seats if seat.kind != "bot")
    source = PublishedDeals(replay.seed, replay.client_seeds)
    return Match(ruleset, options, len(replay.seats), source, voters=voters)


class _Played:
    """A match that is played again, and the deals that it has come to."""

    def __init__(self, match: Match, seats: list[ReplaySeat]) -> None:
        self.match = match
        self.seats = seats
        self.deals: list[ReplayDeal] = []
        self.abandoned = False

    def follow(self, entry: ReplayEntry, where: str) -> None:
        """Let happen what an entry says, and compare what came of it."""
        before, deals_played = self.match.number, self.match.deals_played
        try:
            happened = self._happen(entry, where)
        except EngineError as error:
            wrong(where, f"the rules do not allow this to seat {entry.seat} ({error.code}). {error}".strip())
        for event in entry.events:
            self._check_ours(entry, event, where)
        told = [event for event in entry.events if not isinstance(event, OURS)]
        same(to_builtins(told), to_builtins(happened), f"{where}, events of the rules")
        if self.match.deals_played > deals_played:
            self.deals[-1] = replace(self.deals[-1], record=self.match.last_deal)
        if self.match.number > before:
            self.deals.append(deal_of(self.match, None))
        self.abandoned = self.abandoned or any(isinstance(event, Abandoned) for event in entry.events)

    def _check_ours(self, entry: ReplayEntry, event: Any, where: str) -> None:
        """What the service tells is told of the seat that did it, and a claim by the name that the seat has."""
        about = getattr(event, "seat", None)
        if isinstance(event, OURS) and entry.seat is not None:
            same(about, entry.seat, f"{where}, seat of an event")
        if isinstance(event, SeatClaimed):
            same(event.name, self.seats[event.seat].name, f"{where}, name of a claim")

    def _happen(self, entry: ReplayEntry, where: str) -> list[Any]:
        """What the engine makes of an entry."""
        match = self.match
        begins = any(isinstance(event, GameStarted) for event in entry.events)
        acts = entry.move is not None or entry.target is not None or entry.left
        running = match.number > 0 and match.result is None and not self.abandoned
        if (acts and not running) or (begins and (match.number or acts or self.abandoned)):
            wrong(where, "this cannot happen before a match begins, or after its end.")
        if begins:
            return match.start()
        if not acts:
            return []
        if entry.seat is None or not 0 <= entry.seat < match.seats:
            wrong(where, "there is no such seat.")
        if entry.move is not None:
            return match.play(entry.seat, match.codec.decode(entry.move))
        return match.leave(entry.seat) if entry.target is None else match.propose(entry.seat, entry.target)
