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

from engine.catalog import RULESETS, find
from engine.chance import Chance, PublishedDeals
from engine.match import Match, Ruleset, reveal
from engine.wire import Bid, Dealt, Draw, Drew, EndTurn, GameOver, Move, Pass, Play, Trump

FOLDER = Path(__file__).parent
MOST_DEALS = 12
MOST_LINES = 220
"""How long a match may be to be read by people; seeds are tried until one gives such a match."""
MOST_SEATS = 5
SHORTER: dict[str, dict[str, Any]] = {"elfer_raus": {"rounds": 4}}
"""Options for games whose matches are long."""

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
    return {"pass": Pass(), "draw": Draw(), "end_turn": EndTurn()}.get(kind) or Play(kind)


def hand_of(match: Match, seat: int) -> str:
    """A hand, suit by suit, high cards first: `spades A K 2, hearts 10`."""
    by_suit: dict[str, list[str]] = {}
    for card in match.codec.cards(match.observe(seat).hand):
        rank, suit = card.split("-")
        by_suit.setdefault(suit, []).insert(0, rank)
    return ", ".join(f"{suit} {' '.join(ranks)}" for suit, ranks in by_suit.items())


def stock_of(match: Match) -> str:
    """The stock from its top."""
    cards = match.codec.pack.cards
    order = match.source.order(match.number, match.attempt, len(cards))
    return " ".join(cards[card] for card in order[len(cards) - match.observe(-1).stock :])


def table_of(match: Match) -> str:
    """What lies on the table of a layout or a pile; nothing in a trick game, where the moves say it."""
    table = msgspec.to_builtins(match.ruleset.deal_view(match.observe(-1), match).table)
    if table["kind"] == "pile":
        return f"   | sum {table['sum']}"
    rows = [f"{suit} {row['low']}..{row['high']}" for suit, row in table.get("rows", {}).items() if row]
    return f"   | {', '.join(rows)}" if rows else ""


def aside(match: Match, event: Struct) -> str | None:
    """A small event in a word or two, to be put beside its move; None where an event deserves more."""
    match event.__struct_config__.tag, event:
        case "drew", Drew(seat=seat, stock=left):
            return f"{reveal(match, event, seat).card}, {left} left"
        case "paid", _:
            return f"pays {event.amount}"
        case "out", _:
            return f"place {event.place}"
        case "turn_ended", _:
            return ""
    return None


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
    """The text of a record, in which the moves of a trick, a turn or an auction share a line."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.moves: list[str] = []
        self.phase = ""
        self.table = ""

    def moved(self, match: Match, move: int) -> None:
        """Add a move that is about to be made; each phase has its own lines."""
        phase = match.ruleset.deal_view(match.observe(-1), match).phase
        if phase != self.phase or len(self.moves) == 8:
            self.flush()
        self.phase = phase
        self.moves.append(f"{match.to_move}: {words(match.codec.encode(move))}")

    def flush(self) -> None:
        """End the line of moves that was begun."""
        if self.moves:
            self.lines.append("  " + "   ".join(self.moves) + self.table)
            self.moves = []

    def happened(self, match: Match, event: Struct) -> None:
        """Add what came of a move."""
        if isinstance(event, Dealt):
            self.flush()
            self.lines += ["", f"deal {event.deal}, attempt {event.attempt}, dealer {event.dealer}"]
            self.lines += [f"  hand {seat}: {hand_of(match, seat)}" for seat in range(match.seats) if event.cards[seat]]
            self.lines += [f"  stock: {stock_of(match)}"] if event.stock else []
        elif isinstance(event, GameOver):
            self.flush()
            self.lines += ["", told(event)]
        elif self.moves and (note := aside(match, event)) is not None:
            self.moves[-1] += f" ({note})" if note else ""
        else:
            self.lines.append(f"  {'   '.join(self.moves)}  -> {told(event)}" if self.moves else f"  -> {told(event)}")
            self.moves = []


def new_match(ruleset: Ruleset, preset: str, seats: int, options: dict[str, Any], seed: str) -> Match:
    """The match of a record, not begun."""
    return Match(ruleset, ruleset.resolve(preset, options, seats), seats, PublishedDeals(seed, []))


def record(match: Match, preset: str, seed: str, choose: Choice) -> str:
    """Play a match that has not begun; answers its text."""
    text = Lines()
    text.lines += [
        f"ruleset {match.ruleset.name}, version {match.ruleset.version}",
        f"preset {preset}",
        f"seats {match.seats}",
        f"seed {seed}",
        f"options {msgspec.json.encode(match.options).decode()}",
    ]
    for event in match.start()[1:]:
        text.happened(match, event)
    while match.result is None:
        move = choose(match)
        text.moved(match, move)
        for event in match.play(match.to_move, move):
            text.happened(match, event)
        text.table = table_of(match)
    return "\n".join([*text.lines, ""])


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
            for seat, move in re.findall(r"(\d): ([\w-]+(?: [\w-]+)?)(?= \(|   |  ->|$)", line):
                yield int(seat), move_of(move)


def replay(text: str) -> str:
    """The text of the match that a record's head and moves give: the same text, if nothing has changed."""
    name = re.match(r"ruleset (\w+),", text)
    assert name, "the record names no ruleset"
    ruleset = find(name[1])
    moves = moves_in(text)

    def choose(match: Match) -> int:
        seat, move = next(moves)
        number = match.codec.decode(move)
        assert seat == match.to_move, f"{move} is made by seat {seat}, and seat {match.to_move} is to move"
        assert number in match.deal.legal_moves(), f"{move} of seat {seat} is not legal"
        return number

    options = msgspec.json.decode(head(text, "options"))
    preset, seed = head(text, "preset"), head(text, "seed")
    again = record(new_match(ruleset, preset, int(head(text, "seats")), options, seed), preset, seed, choose)
    assert not list(moves), "the match is over before the record is"
    return again


# ---------------------------------------------------------------------------------------------------- making


def by_chance(seed: str) -> Choice:
    """Moves by chance: its type first, then one of that type, of numbers the lowest, so that contracts are made."""
    chance = Chance(seed)

    def choose(match: Match) -> int:
        by_type: dict[type, list[int]] = {}
        for move in match.deal.legal_moves():
            by_type.setdefault(type(match.codec.encode(move)), []).append(move)
        kinds = list(by_type)
        kind = kinds[chance.number(len(kinds))]
        return by_type[kind][0 if kind is Bid else chance.number(len(by_type[kind]))]

    return choose


def made(ruleset: Ruleset, preset: str) -> str:
    """A record of the first seed whose match is short and ends by the rules of the game, not by the bound on deals.

    Each preset is played by another number of seats, as far as there are.
    """
    fewest, most = ruleset.seats
    seats = fewest + list(ruleset.presets).index(preset) % (min(most, MOST_SEATS) - fewest + 1)
    options = dict(SHORTER.get(ruleset.name, {}))
    if "max_deals" in ruleset.options.__struct_fields__:
        options["max_deals"] = MOST_DEALS
    for number in count(1):
        seed = f"golden-{number}"
        match = new_match(ruleset, preset, seats, options, seed)
        text = record(match, preset, seed, by_chance(seed))
        if match.deals_played > 3 and match.result.reason != "max_deals" and text.count("\n") < MOST_LINES:
            return text
    raise AssertionError("counting has no end")


if __name__ == "__main__":
    for each in RULESETS:
        for name in each.presets:
            path_of(each, name).write_text(made(each, name))
            print(f"recorded {path_of(each, name)}")
