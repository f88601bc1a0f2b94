"""Which operation comes next: what an answer holds that another operation takes (OpenAPI links).

A row says: after this operation's good answer, that operation, with these parameters and this body, and why.
`$response.body#/...` is a place in the answer, `$request.path...` what was asked with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

ASKED = "$request.path.game_id"
SENT_BACK = "$response.body#/game_id"
IN_GAME = "$response.body#/game/game_id"


@dataclass(frozen=True)
class Link:
    """A step from an answer to a request. `name` is its key in the document, which clients may show."""

    source: str
    name: str
    target: str
    text: str
    parameters: Mapping[str, str]
    body: Mapping[str, Any] = field(default_factory=dict)

    def written(self) -> dict[str, Any]:
        """The link as the document has it."""
        body = {"requestBody": dict(self.body)} if self.body else {}
        return {"operationId": self.target, "description": self.text, "parameters": dict(self.parameters), **body}


def _link(source: str, name: str, target: str, game: str, text: str, **more: Any) -> Link:
    """A step within a game: `game` is where its id stands, `body` what else to send, the others are parameters."""
    body = more.pop("body", {})
    return Link(source, name, target, text, {"game_id": game, **more}, body)


def _seeing(source: str, game: str, view: str) -> Iterator[Link]:
    """What whoever holds a view may do next. `view` is where the view stands in the answer."""
    first = {"expected_version": f"$response.body#{view}/version", "move": f"$response.body#{view}/you/legal_moves/0"}
    asked = {"expected_version": f"$response.body#{view}/version", "bot": {"bot": "rules"}}
    cursor = f"$response.body#{view}/cursor"
    yield _link(source, "legalMoves", "listLegalMoves", game, "Ask which moves are open to the token's seat.")
    yield _link(source, "move", "applyMove", game, "Make the first of the moves that the view lists.", body=first)
    yield _link(source, "askBot", "askBot", game, "Let a bot choose, in the seat's turn.", body=asked)
    yield _link(source, "events", "listEvents", game, "Follow the game from this view on.", after=cursor)


def _entering(source: str) -> Iterator[Link]:
    """What whoever has just got a seat's token does with it."""
    cursor = "$response.body#/game/cursor"
    yield _link(source, "view", "getGame", IN_GAME, "Look at the game, with the token of a seat.")
    yield _link(source, "legalMoves", "listLegalMoves", IN_GAME, "Ask a seat's moves, when the game has started.")
    yield _link(source, "events", "listEvents", IN_GAME, "Follow the game from here on.", after=cursor)


def _simulating(source: str) -> Iterator[Link]:
    """What whoever has asked for a simulation does with it."""
    found = {"simulation_id": "$response.body#/simulation_id"}
    yield Link(source, "simulation", "getSimulation", "See how far it is, and what it came to.", found)
    yield Link(source, "rows", "listSimulationRows", "Read every single game, where `rows` were asked for.", found)
    yield Link(source, "cancel", "cancelSimulation", "Stop it, and keep what has been counted.", found)


LINKS = (
    *_entering("createGame"),
    _link(
        "createGame",
        "claim",
        "claimSeat",
        IN_GAME,
        "Take the first of the seats, where it is an open one, with its invite.",
        seat="$response.body#/seats/0/seat",
        body={"invite": "$response.body#/seats/0/invite"},
    ),
    _link("createGame", "start", "startGame", IN_GAME, "Start it, with the creator's token, if `start` is `manual`."),
    _link("createGame", "abandonment", "abandonGame", IN_GAME, "End the game, with the creator's token."),
    _link("createGame", "erasure", "deleteGame", IN_GAME, "Erase the game, with the creator's token."),
    *_entering("claimSeat"),
    _link(
        "claimSeat", "start", "startGame", IN_GAME, "Start the game, with the creator's token, after the last claim."
    ),
    _link(
        "claimSeat",
        "newToken",
        "rotateToken",
        IN_GAME,
        "Renew the seat's token, if somebody else may know it.",
        seat="$response.body#/seat",
    ),
    *_seeing("startGame", SENT_BACK, ""),
    *_seeing("getGame", SENT_BACK, ""),
    _link("getGame", "deals", "listDeals", SENT_BACK, "Read the finished deals."),
    _link("getGame", "return", "returnToSeat", SENT_BACK, "Take the seat back, where `controller` is `stand_in`."),
    _link("getGame", "target", "proposeTarget", SENT_BACK, "Propose a target, in Reihe.", body={"target": 20}),
    _link("getGame", "replay", "getReplay", SENT_BACK, "Read the whole record, when the game is over."),
    Link("getGame", "ruleset", "getRuleset", "Read the rules of this game.", {"ruleset": "$response.body#/ruleset"}),
    _link(
        "listLegalMoves",
        "move",
        "applyMove",
        ASKED,
        "Make the first of the listed moves.",
        body={"expected_version": "$response.body#/version", "move": "$response.body#/moves/0"},
    ),
    _link(
        "listLegalMoves",
        "askBot",
        "askBot",
        ASKED,
        "Let a bot choose among them.",
        body={"expected_version": "$response.body#/version", "bot": {"bot": "rules"}},
    ),
    _link("applyMove", "view", "getGame", ASKED, "Look at the game again, when the others have moved."),
    *_seeing("applyMove", ASKED, "/game"),
    _link("applyMove", "deals", "listDeals", ASKED, "Read the finished deals, after a `deal_scored`."),
    _link("applyMove", "replay", "getReplay", ASKED, "Read the whole record, after a `game_over`."),
    Link("askBot", "job", "getJob", "See what the bot has chosen.", {"job_id": "$response.body#/job_id"}),
    _link("getJob", "view", "getGame", SENT_BACK, "Look at the game, where the bot has played."),
    _link(
        "getJob",
        "move",
        "applyMove",
        SENT_BACK,
        "Make the advised move, where the bot has not.",
        body={"expected_version": "$response.body#/expected_version", "move": "$response.body#/answer/move"},
    ),
    _link("listEvents", "more", "listEvents", ASKED, "Read on where this page ends.", after="$response.body#/next"),
    _link("listEvents", "view", "getGame", ASKED, "Look at the game as the entries have left it."),
    _link("listDeals", "more", "listDeals", ASKED, "Read on where this page ends.", after="$response.body#/next"),
    _link("listDeals", "replay", "getReplay", ASKED, "Read the whole record, when the game is over."),
    *_seeing("proposeTarget", SENT_BACK, ""),
    _link("rotateToken", "view", "getGame", ASKED, "Look at the game, with the new token."),
    _link("rotateToken", "legalMoves", "listLegalMoves", ASKED, "Ask the seat's moves, with the new token."),
    *_seeing("returnToSeat", SENT_BACK, ""),
    _link("resignSeat", "events", "listEvents", SENT_BACK, "Look on.", after="$response.body#/cursor"),
    _link("abandonGame", "replay", "getReplay", SENT_BACK, "Read the whole record: the seed is no secret any more."),
    _link("abandonGame", "erasure", "deleteGame", SENT_BACK, "Erase what is left of the game."),
    Link("getReplay", "ruleset", "getRuleset", "Read the rules of this game.", {"ruleset": "$response.body#/ruleset"}),
    *_simulating("createSimulation"),
    *_simulating("getSimulation"),
    Link(
        "cancelSimulation",
        "simulation",
        "getSimulation",
        "Read what had been counted by then, for as long as it is kept.",
        {"simulation_id": "$response.body#/simulation_id"},
    ),
    Link(
        "listRulesets",
        "ruleset",
        "getRuleset",
        "Read all about the first of the rulesets.",
        {"ruleset": "$response.body#/rulesets/0/name"},
    ),
)
"""Every link, in the order of a game."""


def links_of(operation_id: str) -> dict[str, Any]:
    """The links of an operation's good answers that have a body."""
    return {link.name: link.written() for link in LINKS if link.source == operation_id}
