"""Deals in a row between the same seats: totals, the end, and replay from the start of any deal."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import msgspec
from msgspec import Struct

from engine.cards import Pack
from engine.codec import Codec
from engine.deal import Deal, play_checked
from engine.errors import IllegalMove, InvalidOptions
from engine.wire import Dealt, Drew, GameOver, GameStarted, Redealt, Result


class DealSource(Protocol):
    """Where chance comes from: `engine.chance.PublishedDeals` in a game, prepared deals in a test."""

    def order(self, number: int, attempt: int, size: int) -> list[int]:
        """The order of the pack, from the top."""

    def below(self, purpose: str, n: int) -> int:
        """A number from 0 to n-1."""


class MatchState(Struct):
    """Everything public that a deal starts from; with the deal source and the entries since, it is the match.

    `participants` are the seats that get cards, `carried` is what a ruleset keeps from deal to deal beside the totals.
    """

    number: int
    dealer: int
    attempt: int
    participants: list[int]
    totals: list[int]
    deals_played: int
    last_deal: msgspec.Raw
    carried: dict[str, Any]


def _nothing_wrong(_options: Any, _seats: int) -> list[tuple[str, str]]:
    """Every combination of these options goes with every number of seats."""
    return []


def _one(_options: Any) -> int:
    """All deals of this game are of one kind."""
    return 1


def _never(_deal: Any) -> bool:
    """No deal of this game is dealt again."""
    return False


@dataclass(frozen=True)
class Dependence:
    """What an option's default depends on: another option, whose value it is over `divisor`, rounded down, if any."""

    on: str
    divisor: int | None = None


@dataclass(frozen=True)
class Ruleset:
    """A game, as data and plain functions over the match. Whatever a caller needs to know of a game stands here.

    - `deal(match)`: a deal of the match's options and participants, not dealt yet.
    - `begin(match)`: first dealer and what is carried; answers what it brought about, as events.
    - `misdealt(deal)`: whether the same dealer has to deal again.
    - `happened(match, before, move)`: what a move brought about within the deal, as events; `before` is what a
      spectator could observe before it.
    - `settle(match)`: add the finished deal to the match; answers its record. `scored(record)` tells it as events.
    - `ending(match)`: who has won and why; None while the match goes on.
    - `next_deal(match)`: dealer, participants and what is carried for the deal after this one.
    - `kinds(options)`: how many kinds of deals there are beside who deals: contracts that go round, numbers that are
      drawn for a match.
    - `propose(match, seat, target)`: where a target can be agreed on during the match.
    - `left(match)`: what it brings about that one of the `voters` has no say any more, as events.

    `packs` is every pack that can be chosen, by name; `chosen_by` says which options, or number of `seats`, choose
    each. `start_cards` are the cards that open rows, where the pack decides that. `extras` are the cards that an
    option shuffles in besides: the first so many of them. `counts` says of each place that `Deal.count_up` adds to what
    it counts: a name, a key where there are several of that name, and what a share or mean of it is taken of: `deals`,
    another name with all its keys, or one `name.key`.
    """

    name: str
    version: int
    title: Mapping[str, str]
    seats: tuple[int, int]
    turn: Literal["clockwise", "counterclockwise"]
    packs: Mapping[str, Pack]
    chosen_by: Mapping[str, Mapping[str, Any]]
    options: type[Struct]
    presets: Mapping[str, Mapping[str, Any]]
    defaults: Callable[[Mapping[str, Any]], dict[str, Any]]
    dependent_defaults: Mapping[str, Dependence]
    reasons: Mapping[str, str]
    move_types: tuple[type[Struct], ...]
    last_deal: type[Struct]
    deal_type: type[Struct]
    match_type: type[Struct]
    events: tuple[type[Struct], ...]
    codec: Callable[[Any, int], Codec]
    deal: Callable[[Match], Any]
    begin: Callable[[Match], list[Struct]]
    next_deal: Callable[[Match], None]
    settle: Callable[[Match], Struct]
    scored: Callable[[Any], list[Struct]]
    ending: Callable[[Match], tuple[list[int], Any] | None]
    happened: Callable[[Match, Any, int], list[Struct]]
    deal_view: Callable[[Any, Match], Struct]
    match_view: Callable[[Match], Struct]
    team: Callable[[int], int | None]
    counts: Mapping[int, tuple[str, str | None, str]]
    check: Callable[[Any, int], list[tuple[str, str]]] = _nothing_wrong
    misdealt: Callable[[Any], bool] = _never
    kinds: Callable[[Any], int] = _one
    propose: Callable[[Match, int, int], list[Struct]] | None = None
    penalties: bool = False
    """Whether scores are penalty points, of which the lowest total is the best."""
    left: Callable[[Match], list[Struct]] | None = None
    start_cards: Mapping[str, Sequence[str]] = field(default_factory=dict)
    extras: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def resolve(self, preset: str | None, options: Mapping[str, Any], seats: int) -> Any:
        """Every option's value: what is given, over the preset, over the defaults.

        Raises InvalidOptions with every mistake in it, each at its JSON pointer (`/preset`, `/options/target`).
        """
        errors = []
        low, high = self.seats
        if not low <= seats <= high:
            taken = f"{low} to {high}" if low < high else str(low)
            errors.append(("/seats", f"{self.name} takes {taken} seats, not {seats}."))
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
        if not errors:
            resolved = msgspec.convert({**self.defaults(given), **given}, self.options)
            errors = self.check(resolved, seats)
        if errors:
            raise InvalidOptions(errors)
        return resolved


def _whole(value: Any) -> Any:
    """JSON calls 31.0 an integer, and so do we."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


class Match(Struct, eq=False):
    """A match in play: the state that its running deal started from, that deal, and what has come of it.

    `voters` are the seats that have a say where a target is agreed on. `codec` writes its moves and cards as JSON.
    """

    ruleset: Ruleset
    options: Any
    seats: int
    source: DealSource
    number: int = 0
    dealer: int = 0
    attempt: int = 1
    participants: list[int] = msgspec.field(default_factory=list)
    totals: list[int] = msgspec.field(default_factory=list)
    deals_played: int = 0
    last_deal: Any = None
    carried: dict[str, Any] = msgspec.field(default_factory=dict)
    result: Result | None = None
    deal: Any = None
    voters: tuple[int, ...] = ()
    codec: Any = None

    def __post_init__(self) -> None:
        self.codec = self.ruleset.codec(self.options, self.seats)

    @property
    def to_move(self) -> int:
        """The seat deciding, or -1 when the match is over or has not begun."""
        return self.deal.to_move if self.deal is not None and self.result is None else -1

    def start(self) -> list[Struct]:
        """Deal for the first time; answers what happened."""
        self.totals = [0] * self.seats
        self.participants = list(range(self.seats))
        return [GameStarted(), *self.ruleset.begin(self), *self._deal()]

    def play(self, seat: int, move: int) -> list[Struct]:
        """Make a move for a seat, and everything that follows from it; answers what happened.

        Changes nothing and raises DealOver, NotYourTurn or IllegalMove where the move may not be made.
        """
        before = self.observe(-1)
        try:
            play_checked(self.deal, seat, move)
        except IllegalMove as refusal:
            raise IllegalMove(refusal.reason, self.ruleset.reasons[refusal.reason]) from None
        return self.ruleset.happened(self, before, move) + self.after_move()

    def replay(self, move: int) -> None:
        """Make a move that the log says was made."""
        before = self.observe(-1)
        self.deal.play(move)
        self.ruleset.happened(self, before, move)
        self.after_move()

    def copy(self) -> Match:
        """An independent copy."""
        twin = copy.copy(self)
        twin.participants = list(self.participants)
        twin.totals = list(self.totals)
        twin.carried = copy.deepcopy(self.carried) if self.carried else {}
        twin.deal = None if self.deal is None else self.deal.copy()
        return twin

    def after_move(self) -> list[Struct]:
        """Where a deal is over settle it, and deal again or end; answers what happened.

        Part of `play`, and for simulations, whose bots move in the deal itself and tell nobody.
        """
        if self.deal.to_move >= 0:
            return []
        self.deals_played += 1
        self.last_deal = self.ruleset.settle(self)
        events = self.ruleset.scored(self.last_deal)
        if (ended := self.ruleset.ending(self)) is not None:
            winners, reason = ended
            self.result = Result(winners, list(self.totals), reason)
            return [*events, GameOver(self.result.winners, self.result.scores, self.result.reason)]
        self.ruleset.next_deal(self)
        return events + self._deal()

    def _deal(self) -> list[Struct]:
        self.number += 1
        self.attempt = 1
        self.deal = dealt(self)
        events: list[Struct] = []
        while self.ruleset.misdealt(self.deal):
            self.attempt += 1
            self.deal = dealt(self)
            events.append(Redealt(self.number, self.attempt))
        seen = self.observe(-1)
        return [*events, Dealt(self.number, self.attempt, self.dealer, list(seen.sizes), seen.stock)]

    def observe(self, seat: int) -> Any:
        """What a seat may know of the running deal; -1 is a spectator."""
        return self.deal.observe(seat)

    def propose(self, seat: int, target: int) -> list[Struct]:
        """Let a seat propose a target; answers what that brought about, nothing where it had proposed the same."""
        if self.ruleset.propose is None:
            return []
        return self.ruleset.propose(self, seat, target)

    def leave(self, seat: int) -> list[Struct]:
        """Let a seat have no say any more; answers what that brought about: the others may agree now."""
        self.voters = tuple(voter for voter in self.voters if voter != seat)
        return [] if self.ruleset.left is None else self.ruleset.left(self)

    def state(self) -> MatchState:
        """What the running deal started from, to be kept and given to `resume`."""
        return MatchState(
            self.number,
            self.dealer,
            self.attempt,
            list(self.participants),
            list(self.totals),
            self.deals_played,
            msgspec.Raw(msgspec.json.encode(self.last_deal)),
            copy.deepcopy(self.carried),
        )


def dealt(match: Match) -> Deal:
    """The match's running deal as it was dealt, before any move."""
    deal: Deal = match.ruleset.deal(match)
    deal.deal_out(match.source.order(match.number, match.attempt, deal.size), match.dealer)
    return deal


def recorded(ruleset: Ruleset, state: MatchState) -> Any:
    """The record of the deal before the one that `state` was kept at; None where that was the first."""
    return msgspec.json.decode(state.last_deal, type=ruleset.last_deal | None)


def resume(ruleset: Ruleset, options: Any, seats: int, source: DealSource, state: MatchState) -> Match:
    """The match at the start of the deal that `state` was kept at."""
    match = Match(
        ruleset, options, seats, source, state.number, state.dealer, state.attempt, list(state.participants),
        list(state.totals), state.deals_played, recorded(ruleset, state), copy.deepcopy(state.carried),
    )  # fmt: skip
    match.deal = dealt(match)
    return match


def reveal(match: Match, event: Struct, seat: int) -> Struct:
    """An event as a seat is told it: with the cards that it was dealt or drew then; other events as they are.

    This is how a log that keeps no hand tells a seat its own again.
    """
    if isinstance(event, Dealt):
        then = _at(match, event.deal, event.attempt)
        then.dealer = event.dealer
        then.participants = [seat for seat, size in enumerate(event.cards) if size]
        hand = match.codec.cards(dealt(then).observe(seat).hand)
        return msgspec.structs.replace(event, hand=hand)
    if isinstance(event, Drew) and event.seat == seat:
        size = len(match.codec.pack.cards)
        order = match.source.order(event.deal, event.attempt, size)
        return msgspec.structs.replace(event, card=match.codec.pack.cards[order[size - event.stock - 1]])
    return event


def _at(match: Match, number: int, attempt: int) -> Match:
    return msgspec.structs.replace(match, number=number, attempt=attempt, deal=None)
