"""Deals in a row between the same seats: totals, the end, and replay from the start of any deal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import msgspec
from msgspec import Struct

from engine.cards import Pack
from engine.deal import Deal, play_checked
from engine.errors import InvalidOptions
from engine.wire import Dealt, GameOver, GameStarted, Move, Result


class DealSource(Protocol):
    """Where chance comes from: `engine.chance.PublishedDeals` in a game, prepared deals in a test."""

    def order(self, number: int, attempt: int, size: int) -> list[int]:
        """The order of the pack, from the top."""

    def below(self, purpose: str, n: int) -> int:
        """A number from 0 to n-1."""


class MatchState(Struct):
    """Everything public that a deal starts from; with the deal source and the moves since, it is the match.

    `carried` is for what a ruleset keeps from deal to deal beside the totals.
    """

    number: int
    dealer: int
    attempt: int
    totals: list[int]
    deals_played: int
    last_deal: msgspec.Raw
    carried: dict[str, Any]


@dataclass(frozen=True)
class Ruleset:
    """A game, as data and plain functions. Whatever a caller needs to know of a game stands here.

    `settle` adds a finished deal to the match and answers its record; `result` is None while the match goes on.
    `scored` tells that as events; `happened` tells what a move just made brought about within the deal.
    """

    name: str
    version: int
    title: Mapping[str, str]
    seats: tuple[int, int]
    turn: Literal["clockwise", "counterclockwise"]
    pack: Pack
    options: type[Struct]
    presets: Mapping[str, Mapping[str, Any]]
    defaults: Callable[[Mapping[str, Any]], dict[str, Any]]
    dependent_defaults: Mapping[str, str]
    reasons: Mapping[str, str]
    move_types: tuple[type[Struct], ...]
    last_deal: type[Struct]
    deal_type: type[Struct]
    match_type: type[Struct]
    events: tuple[type[Struct], ...]
    deal: Callable[[Any], Any]
    first_dealer: Callable[[Match], int]
    next_dealer: Callable[[Match], int]
    settle: Callable[[Match], Struct]
    scored: Callable[[Any], list[Struct]]
    result: Callable[[Match], Result | None]
    happened: Callable[[Any, int], list[Struct]]
    encode: Callable[[int], Move]
    decode: Callable[[Move], int]
    cards: Callable[[int], list[str]]
    deal_view: Callable[[Any, Match], Struct]
    match_view: Callable[[Match], Struct]
    team: Callable[[int], int | None]

    def resolve(self, preset: str | None, options: Mapping[str, Any]) -> Any:
        """Every option's value: what is given, over the preset, over the defaults.

        Raises InvalidOptions with every mistake in it, each at its JSON pointer (`/preset`, `/options/target`).
        """
        errors = []
        if preset is not None and preset not in self.presets:
            errors.append(("/preset", f"{self.name} has the presets {', '.join(self.presets)}."))
        given = {**self.presets.get(preset or "", {}), **{name: _whole(value) for name, value in options.items()}}
        fields = {each.name: each for each in msgspec.structs.fields(self.options)}
        for name, value in given.items():
            pointer = "/options/" + name.replace("~", "~0").replace("/", "~1")
            if name not in fields:
                errors.append((pointer, f"{self.name} has no such option; it has {', '.join(fields)}."))
                continue
            try:
                msgspec.convert(value, fields[name].type)
            except msgspec.ValidationError as error:
                errors.append((pointer, f"{error}."))
        if errors:
            raise InvalidOptions(errors)
        return msgspec.convert({**self.defaults(given), **given}, self.options)


def _whole(value: Any) -> Any:
    """JSON calls 31.0 an integer, and so do we."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


@dataclass
class Match:
    """A match in play: the state that its running deal started from, that deal, and what has come of it."""

    ruleset: Ruleset
    options: Any
    seats: int
    source: DealSource
    number: int = 0
    dealer: int = 0
    attempt: int = 1
    totals: list[int] = field(default_factory=list)
    deals_played: int = 0
    last_deal: Any = None
    carried: dict[str, Any] = field(default_factory=dict)
    result: Result | None = None
    deal: Any = None

    @property
    def to_move(self) -> int:
        """The seat deciding, or -1 when the match is over or has not begun."""
        return self.deal.to_move if self.deal is not None and self.result is None else -1

    def start(self) -> list[Struct]:
        """Deal for the first time; answers what happened."""
        self.totals = [0] * self.seats
        self.dealer = self.ruleset.first_dealer(self)
        return [GameStarted(), *self._deal()]

    def play(self, seat: int, move: int) -> list[Struct]:
        """Make a move for a seat, and everything that follows from it; answers what happened.

        Changes nothing and raises DealOver, NotYourTurn or IllegalMove where the move may not be made.
        """
        play_checked(self.deal, seat, move)
        return self.ruleset.happened(self.deal, move) + self._after_move()

    def replay(self, move: int) -> None:
        """Make a move that the log says was made."""
        self.deal.play(move)
        self._after_move()

    def copy(self) -> Match:
        """An independent copy."""
        deal = None if self.deal is None else self.deal.copy()
        return replace(self, totals=list(self.totals), carried=dict(self.carried), deal=deal)

    def _after_move(self) -> list[Struct]:
        if self.deal.to_move >= 0:
            return []
        self.deals_played += 1
        self.last_deal = self.ruleset.settle(self)
        events = self.ruleset.scored(self.last_deal)
        self.result = self.ruleset.result(self)
        if self.result is not None:
            return [*events, GameOver(self.result.winners, self.result.scores, self.result.reason)]
        self.dealer = self.ruleset.next_dealer(self)
        return events + self._deal()

    def _deal(self) -> list[Struct]:
        self.number += 1
        self.attempt = 1
        self._deal_out()
        return [Dealt(self.number, self.attempt, self.dealer, self.observe(-1).sizes, 0)]

    def _deal_out(self) -> None:
        self.deal = dealt(self, self.number, self.attempt, self.dealer)
        self.deal.totals = tuple(self.totals)

    def observe(self, seat: int) -> Any:
        """What a seat may know of the running deal; -1 is a spectator."""
        return self.deal.observe(seat)

    def state(self) -> MatchState:
        """What the running deal started from, to be kept and given to `resume`."""
        last_deal = msgspec.Raw(msgspec.json.encode(self.last_deal))
        return MatchState(
            self.number, self.dealer, self.attempt, list(self.totals), self.deals_played, last_deal, self.carried
        )


def dealt(match: Match, number: int, attempt: int, dealer: int) -> Deal:
    """A deal of the match as it was dealt, before any move."""
    deal: Deal = match.ruleset.deal(match.options)
    deal.deal_out(match.source.order(number, attempt, deal.size), dealer)
    return deal


def recorded(ruleset: Ruleset, state: MatchState) -> Any:
    """The record of the deal before the one that `state` was kept at; None where that was the first."""
    return msgspec.json.decode(state.last_deal, type=ruleset.last_deal | None)


def resume(ruleset: Ruleset, options: Any, seats: int, source: DealSource, state: MatchState) -> Match:
    """The match at the start of the deal that `state` was kept at."""
    last_deal = recorded(ruleset, state)
    match = Match(
        ruleset, options, seats, source, state.number, state.dealer, state.attempt,
        list(state.totals), state.deals_played, last_deal, state.carried,
    )  # fmt: skip
    match._deal_out()
    return match


def hand_dealt(match: Match, event: Dealt, seat: int) -> list[str]:
    """The hand that a seat was dealt then: how a log without hands tells a seat its own."""
    observation = dealt(match, event.deal, event.attempt, event.dealer).observe(seat)
    return match.ruleset.cards(observation.hand)
