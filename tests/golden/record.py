"""`python tests/golden/record.py` (`make golden`): record one readable match for every ruleset and preset again.

A record is written by playing, whoever chooses the moves: by chance when it is made, by the text itself when
tests/test_golden.py reads it back. Its head names everything that the match comes from.
"""

import re
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from engine.bits import members
from engine.catalog import RULESETS, find
from engine.chance import Chance, PublishedDeals
from engine.match import Match, Ruleset
from engine.wire import Bid, Dealt, EndTurn, GameOver, Move, Pass, Play, Trump

FOLDER = Path(__file__).parent
MOST_DEALS = 12
"""How long a match may be to be read by people; seeds are tried until one gives such a match."""

Choice = Callable[[Match], int]


def path_of(ruleset: Ruleset, preset: str) -> Path:
    """Where the record of a preset lies."""
    return FOLDER / f"{ruleset.name}.{preset}.txt"


# ---------------------------------------------------------------------------------------------------- writing


def words(move: Move) -> str:
    """A move in a word or two; `move_of` reads it back."""
    match move:
        case Play(card=card):
            return card
        case Bid(amount=amount):
            return f"bid {amount}"
        case Trump(suit=suit):
            return f"trump {suit}"
    return str(msgspec.to_builtins(move)["type"])


def move_of(text: str) -> Move:
    """A move from its words."""
    kind, _, value = text.partition(" ")
    if kind == "bid":
        return Bid(int(value))
    if kind == "trump":
        return Trump(value)
    return {"pass": Pass(), "end_turn": EndTurn()}.get(kind) or Play(kind)


def hand_of(match: Match, seat: int) -> str:
    """A hand, suit by suit, high cards first: `spades A K 2, hearts 10`."""
    by_suit: dict[str, list[str]] = {}
    for number in reversed(members(match.observe(seat).hand)):
        rank, suit = match.ruleset.pack.cards[number].split("-")
        by_suit.setdefault(suit, []).append(rank)
    return ", ".join(f"{suit} {' '.join(by_suit[suit])}" for suit in match.ruleset.pack.suits if suit in by_suit)


def told(event: Struct) -> str:
    """An event, field by field, without what the lines around it say already."""
    said = ("type", "number", "dealer", "last_trick", "cards", "hand")
    fields = {name: value for name, value in msgspec.to_builtins(event).items() if name not in said}
    return " ".join(
        [
            event.__struct_config__.tag,
            *(f"{name}={msgspec.json.encode(value).decode()}" for name, value in fields.items()),
        ]
    )


class Lines:
    """The text of a record, in which the moves of a trick or an auction share a line."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.moves: list[str] = []
        self.kind: type | None = None

    def moved(self, seat: int, move: Move) -> None:
        """Add a move; calls, naming the trump and playing cards each have their own lines."""
        kind = Bid if isinstance(move, Pass) else type(move)
        if kind is not self.kind or len(self.moves) == 8:
            self.flush()
        self.kind = kind
        self.moves.append(f"{seat}: {words(move)}")

    def flush(self) -> None:
        """End the line of moves that was begun."""
        if self.moves:
            self.lines.append("  " + "   ".join(self.moves))
            self.moves = []

    def happened(self, match: Match, event: Struct) -> None:
        """Add what came of a move."""
        if isinstance(event, Dealt):
            self.flush()
            self.lines += ["", f"deal {event.deal}, attempt {event.attempt}, dealer {event.dealer}"]
            self.lines += [f"  hand {seat}: {hand_of(match, seat)}" for seat in range(match.seats)]
        elif isinstance(event, GameOver):
            self.flush()
            self.lines += ["", told(event)]
        else:
            self.lines.append(f"  {'   '.join(self.moves)}  -> {told(event)}" if self.moves else f"  -> {told(event)}")
            self.moves = []


def record(ruleset: Ruleset, preset: str, options: dict[str, Any], seed: str, choose: Choice) -> tuple[Match, str]:
    """Play a match from its head; answers it, and its text."""
    resolved = ruleset.resolve(preset, options)
    match = Match(ruleset, resolved, ruleset.seats[1], PublishedDeals(seed, []))
    text = Lines()
    text.lines += [
        f"ruleset {ruleset.name}, version {ruleset.version}",
        f"preset {preset}",
        f"seed {seed}",
        f"options {msgspec.json.encode(resolved).decode()}",
    ]
    for event in match.start()[1:]:
        text.happened(match, event)
    while match.result is None:
        seat, move = match.to_move, choose(match)
        text.moved(seat, ruleset.encode(move))
        for event in match.play(seat, move):
            text.happened(match, event)
    return match, "\n".join([*text.lines, ""])


# ---------------------------------------------------------------------------------------------------- reading


def head(text: str, name: str) -> str:
    """What the head of a record says of itself."""
    found = re.search(rf"^{name} (\S+)$", text, re.MULTILINE)
    assert found, f"the record names no {name}"
    return found[1]


def moves_in(text: str) -> Iterator[tuple[int, Move]]:
    """The seat and the move of each move of a record, read from its text."""
    for line in text.splitlines():
        if re.match(r"  \d: ", line):
            for seat, move in re.findall(r"(\d): (\S+(?: \S+)?)(?=   |  ->|$)", line):
                yield int(seat), move_of(move)


def replay(text: str) -> str:
    """The text of the match that a record's head and moves give: the same text, if nothing has changed."""
    name = re.match(r"ruleset (\w+),", text)
    assert name, "the record names no ruleset"
    ruleset = find(name[1])
    moves = moves_in(text)

    def choose(match: Match) -> int:
        seat, move = next(moves)
        number = ruleset.decode(move)
        assert seat == match.to_move, f"{move} is made by seat {seat}, and seat {match.to_move} is to move"
        assert number in match.deal.legal_moves(), f"{move} of seat {seat} is not legal"
        return number

    options = msgspec.json.decode(head(text, "options"))
    again = record(ruleset, head(text, "preset"), options, head(text, "seed"), choose)[1]
    assert not list(moves), "the match is over before the record is"
    return again


# ---------------------------------------------------------------------------------------------------- making


def by_chance(seed: str) -> Choice:
    """Moves by chance: its type first, then one of that type, of numbers the lowest, so that contracts are made."""
    chance = Chance(seed)

    def choose(match: Match) -> int:
        by_type: dict[type, list[int]] = {}
        for move in match.deal.legal_moves():
            by_type.setdefault(type(match.ruleset.encode(move)), []).append(move)
        kinds = list(by_type)
        kind = kinds[chance.number(len(kinds))]
        return by_type[kind][0 if kind is Bid else chance.number(len(by_type[kind]))]

    return choose


def made(ruleset: Ruleset, preset: str) -> str:
    """A record of the first seed whose match is short and ends by the rules of the game, not by the bound on deals."""
    for number in count(1):
        seed = f"golden-{number}"
        match, text = record(ruleset, preset, {"max_deals": MOST_DEALS}, seed, by_chance(seed))
        if match.deals_played > 3 and match.result.reason != "max_deals":
            return text
    raise AssertionError("counting has no end")


if __name__ == "__main__":
    for each in RULESETS:
        for name in each.presets:
            path_of(each, name).write_text(made(each, name))
            print(f"recorded {path_of(each, name)}")
