"""Worked examples for the catalogue: positions of a deal, what has been played, and what the rules make of it.

They lie in `examples.toml` beside each ruleset's rules, written short; a test plays every one as it is told.
"""

import re
from functools import cache
from importlib.resources import files
from typing import Any, get_args

import msgspec
from msgspec import Struct

from engine.match import Ruleset
from engine.wire import Card, Move
from service.schemas import Answer
from service.texts import Text

_FIELD = {kind.__struct_config__.tag: kind.__struct_fields__ for kind in get_args(Move)}


class Played(Answer):
    """A move, and the seat that made it."""

    seat: int
    move: Move


class Refused(Answer):
    """A move of the seat to move that is refused, and the reason."""

    move: Move
    reason: str


class Outcome(Answer):
    """What is so after the moves. Of an example of scoring: `scores`; of what may be played: `legal_moves`.

    `to_move` is null when the deal has ended. `scores` are of the deal that has ended, for each seat, `totals` those
    of the match with it; null where the deal goes on. `winners` are null while the match goes on. `fields` are more
    fields by their names in the API: of the running deal's view or, when it has ended, of `last_deal`, or of the
    match's view.
    """

    to_move: int | None
    legal_moves: list[Move] | None
    refused: list[Refused]
    scores: list[int] | None
    totals: list[int] | None
    winners: list[int] | None
    fields: dict[str, Any]


class Example(Answer):
    """A worked example: who holds what in which game, what is played, and what comes of it.

    `rules` are the numbers of the rules that it shows. `options` override `preset`. `hands` are those of each seat
    as they were dealt, `stock` the cards to draw, the first one first (empty where the order does not matter).
    `totals` are the match scores before this deal.
    """

    example: str
    title: str
    text: str
    rules: list[str]
    preset: str | None
    options: dict[str, Any]
    seats: int
    dealer: int
    hands: list[list[Card]]
    stock: list[Card]
    totals: list[int]
    moves: list[Played]
    outcome: Outcome


class _Written(Struct, frozen=True, forbid_unknown_fields=True):
    """An example as its file has it; the file's head says how things are written."""

    title: Text
    text: Text
    rules: list[str]
    dealer: int
    hands: list[dict[str, str]]
    moves: str
    preset: str | None = None
    options: dict[str, Any] = {}
    stock: str = ""
    totals: list[int] = []
    to_move: int | None = None
    legal: str | None = None
    refused: dict[str, str] = {}
    scores: list[int] | None = None
    totals_after: list[int] | None = None
    winners: list[int] | None = None
    fields: dict[str, Any] = {}


def examples(ruleset: Ruleset, lang: str) -> list[Example]:
    """The examples of a ruleset."""
    return [_example(name, written, lang) for name, written in _written(ruleset.name).items()]


@cache
def _written(ruleset: str) -> dict[str, _Written]:
    content = (files("engine.rulesets") / ruleset / "examples.toml").read_bytes()
    return msgspec.toml.decode(content, type=dict[str, _Written])


def _example(name: str, written: _Written, lang: str) -> Example:
    return Example(
        example=name,
        title=written.title.read(lang),
        text=written.text.read(lang),
        rules=written.rules,
        preset=written.preset,
        options=written.options,
        seats=len(written.hands),
        dealer=written.dealer,
        hands=[[f"{rank}-{suit}" for suit, ranks in hand.items() for rank in ranks.split()] for hand in written.hands],
        stock=written.stock.split(),
        totals=written.totals or [0] * len(written.hands),
        moves=[_played(words) for words in _items(written.moves)],
        outcome=_outcome(written),
    )


def _outcome(written: _Written) -> Outcome:
    return Outcome(
        to_move=written.to_move,
        legal_moves=None if written.legal is None else [_move(words) for words in _items(written.legal)],
        refused=[Refused(move=_move(words), reason=reason) for words, reason in written.refused.items()],
        scores=written.scores,
        totals=written.totals_after,
        winners=written.winners,
        fields=_null(written.fields),
    )


def _null(value: Any) -> Any:
    """The value with null where it says "none": TOML has no word for it."""
    if isinstance(value, dict):
        return {key: _null(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_null(each) for each in value]
    return None if value == "none" else value


def _items(text: str) -> list[str]:
    return [item for item in re.split(r"\s*[,\n]\s*", text.strip()) if item]


def _played(words: str) -> Played:
    seat, _, move = words.partition(" ")
    return Played(seat=int(seat), move=_move(move))


def _move(words: str) -> Move:
    """A move in words: a card alone is played; otherwise its type, and what that needs."""
    kind, _, value = words.partition(" ")
    if kind not in _FIELD:
        kind, value = "play", kind
    fields = dict.fromkeys(_FIELD[kind], value)
    move: Move = msgspec.convert({"type": kind, **fields}, Move, strict=False)
    return move
