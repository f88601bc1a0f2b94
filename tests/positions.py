"""Positions of every ruleset, reached by chance, and all that there is to know of each.

`python -m tests.positions` prints a checksum of every position of many matches, a line each: the compiled engine and
the plain one must print the same text (tests/test_builds.py).
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import msgspec
from msgspec import Struct, inspect

from engine.bits import members
from engine.catalog import RULESETS
from engine.chance import Chance, PublishedDeals
from engine.errors import InvalidOptions
from engine.match import Match, MatchState, Ruleset, reveal
from engine.playouts import random_deals

SPECTATOR = -1

PRESETS = [(ruleset, preset) for ruleset in RULESETS for preset in ruleset.presets]


def of_preset(pair: tuple[Ruleset, str]) -> str:
    """The name of a preset's test."""
    return f"{pair[0].name}-{pair[1]}"


# ---------------------------------------------------------------------------------------------------- by chance


def one_of(chance: Chance, things: Any) -> Any:
    """One of a sequence, each equally likely."""
    return things[chance.number(len(things))]


def _value(kind: inspect.Type, chance: Chance) -> Any:
    match kind:
        case inspect.LiteralType(values=values):
            return one_of(chance, values)
        case inspect.BoolType():
            return chance.number(2) == 1
        case inspect.IntType(ge=low, le=high) if low is not None and high is not None:
            return one_of(chance, (low, low + chance.number(min(high - low, 40) + 1), high))
        case inspect.UnionType(types=kinds):
            return _value(one_of(chance, kinds), chance)
        case inspect.NoneType():
            return None
        case inspect.ListType(item_type=inspect.LiteralType(values=values)):
            return chance.shuffled(list(values))[chance.number(len(values)) :]
        case inspect.Metadata(type=inner):
            return _value(inner, chance)
    raise NotImplementedError(f"an option of {kind} is new: say here how to draw one")


def random_seats(ruleset: Ruleset, chance: Chance) -> int:
    """A number of seats that the game allows."""
    fewest, most = ruleset.seats
    return fewest + chance.number(most - fewest + 1)


def seats_in_turn(ruleset: Ruleset, number: int) -> int:
    """How many seats game `number` has: all numbers that are allowed, in turn."""
    fewest, most = ruleset.seats
    return fewest + number % (most - fewest + 1)


def random_options(ruleset: Ruleset, seats: int, chance: Chance, most_deals: int = 6) -> Any:
    """Options that may go together: some of a preset, some drawn, the rest left to the defaults; a short match."""
    while True:
        preset = one_of(chance, [None, *ruleset.presets])
        given = {
            option.name: _value(option.type, chance)
            for option in inspect.type_info(ruleset.options).fields
            if chance.number(2)
        }
        if "max_deals" in ruleset.options.__struct_fields__:
            given["max_deals"] = 1 + chance.number(most_deals)
        try:
            return ruleset.resolve(preset, given, seats)
        except InvalidOptions:
            continue


def random_move(match: Match, chance: Chance) -> int:
    """A legal move: first its type is drawn, then one of that type, so that passes are not as rare as one bid."""
    by_type: dict[type, list[int]] = {}
    for move in match.deal.legal_moves():
        by_type.setdefault(type(match.codec.encode(move)), []).append(move)
    return int(one_of(chance, one_of(chance, list(by_type.values()))))


# ---------------------------------------------------------------------------------------------------- what is seen


def told(match: Match, events: list[Struct], seat: int) -> bytes:
    """Events as a seat is told them: with the cards that it was dealt or drew."""
    return msgspec.json.encode(events if seat == SPECTATOR else [reveal(match, event, seat) for event in events])


def seen(match: Match, seat: int) -> bytes:
    """Every byte that a seat may know of a match at this moment; -1 is a spectator."""
    ruleset = match.ruleset
    observation = match.observe(seat)
    return repr(observation.facts()).encode() + msgspec.json.encode(
        {
            "deal": ruleset.deal_view(observation, match),
            "match": ruleset.match_view(match),
            "hand": match.codec.cards(observation.hand),
            "moves": [match.codec.encode(move) for move in observation.moves],
            "to_move": match.to_move,
            "playing": [observation.playing(other) for other in range(match.seats)],
            "totals": match.totals,
            "result": match.result,
        }
    )


def everyone(match: Match) -> list[int]:
    """Every seat, and the spectator."""
    return [*range(match.seats), SPECTATOR]


def all_seen(match: Match) -> list[bytes]:
    """What every seat and the spectator know: together, all there is."""
    return [seen(match, seat) for seat in everyone(match)]


# ---------------------------------------------------------------------------------------------------- matches


def order_that_deals(match: Match, hands: Sequence[int], stock: Sequence[int] = ()) -> list[int]:
    """An order of the pack that gives the seats these hands in the match's deal, and has these cards on its stock."""
    numbered = match.ruleset.deal(match)
    numbered.deal_out(list(range(numbered.size)), match.dealer)
    order = {}
    for seat, hand in enumerate(hands):
        places, cards = members(numbered.observe(seat).hand), members(hand)
        assert len(places) == len(cards), f"seat {seat} is dealt {len(places)} cards, not {len(cards)}"
        order |= zip(places, cards, strict=True)
    rest = [card for card in range(numbered.size) if card not in {*order.values(), *stock}]
    order |= zip([place for place in range(numbered.size) if place not in order], [*stock, *rest], strict=True)
    return [order[place] for place in range(numbered.size)]


@dataclass
class Record:
    """A match as it was played: `states` holds, for each deal's number, its start and the moves made before it."""

    match: Match
    moves: list[tuple[int, int, int]]
    """The number of the deal, the seat and the move, of each move."""
    states: dict[int, tuple[MatchState, int]]

    @property
    def ruleset(self) -> Ruleset:
        """The ruleset of the match."""
        return self.match.ruleset


def new_match(ruleset: Ruleset, chance: Chance, seats: int = 0, options: Any = None, most_deals: int = 6) -> Match:
    """A match that has not begun; seats and options are drawn where they are not given."""
    seats = seats or random_seats(ruleset, chance)
    options = options or random_options(ruleset, seats, chance, most_deals)
    return Match(ruleset, options, seats, PublishedDeals(str(chance.number(1 << 64)), []))


def again(record: "Record") -> Match:
    """The match of a record, not begun."""
    match = record.match
    return Match(match.ruleset, match.options, match.seats, match.source)


def played(match: Match, chance: Chance) -> Record:
    """The record of a match that has not begun, played by chance."""
    record = Record(match, [], {})
    match.start()
    while match.result is None:
        if match.number not in record.states:
            record.states[match.number] = match.state(), len(record.moves)
        record.moves.append((match.number, match.to_move, random_move(match, chance)))
        match.play(*record.moves[-1][1:])
    return record


def records(ruleset: Ruleset, seed: str, moves: int) -> Iterator[Record]:
    """Whole random matches under random options, until together they hold this many moves."""
    chance = Chance(f"{ruleset.name} {seed}")
    while moves > 0:
        record = played(new_match(ruleset, chance), chance)
        moves -= len(record.moves)
        yield record


def walk(ruleset: Ruleset, seed: str, positions: int) -> Iterator[tuple[Match, Chance]]:
    """Random matches under random options, handed out at each of this many positions, ends included.

    Whoever takes a position may look as he likes, and must leave it as it is.
    """
    chance = Chance(f"{ruleset.name} {seed}")
    while positions > 0:
        match = new_match(ruleset, chance)
        match.start()
        while positions > 0:
            yield match, chance
            positions -= 1
            if match.result is not None:
                break
            match.play(match.to_move, random_move(match, chance))


# ---------------------------------------------------------------------------------------------------- checksums


def _checksum(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


def _position(match: Match, events: list[Struct], chance: Chance, at: int) -> str:
    observations = [match.observe(seat) for seat in everyone(match)]
    looker = observations[at % len(observations)]
    parts: list[object] = [match.deal.legal_moves(), [each.facts() for each in observations]]
    parts += [told(match, events, looker.seat), msgspec.json.encode(match.ruleset.deal_view(looker, match))]
    parts += [match.number, match.attempt, match.dealer, match.totals, match.carried, match.last_deal, match.result]
    if at % 16 == 0:
        sample = looker.sample(chance)
        parts.append([sample.observe(seat).facts() for seat in everyone(match)])
    return _checksum(*parts)


def checksums(name: str, match: Match) -> Iterator[str]:
    """A line for each position of a random match, from the start to its end.

    It holds what the move before it brought about, and what every seat and the spectator see: all that they see for
    one of them in turn. A line in sixteen holds a sample of the deal too: those take as long as all the rest.
    """
    chance = Chance(f"checksums of {name}")
    events, at = match.start(), 0
    yield f"{name} position {at} {_position(match, events, chance, at)}"
    while match.result is None:
        events, at = match.play(match.to_move, random_move(match, chance)), at + 1
        yield f"{name} deal {match.number} position {at} {_position(match, events, chance, at)}"


SHORT: dict[str, dict[str, Any]] = {
    "tarneeb": {"target": 10, "max_deals": 2},
    "reihe": {"target": 9, "max_deals": 2},
    "elfer_raus": {"penalty_limit": 100, "max_deals": 2},
    "rosbiratschka": {},
}
"""What makes matches short: the plain engine would take twenty minutes for a hundred whole ones of each preset.

Most have two deals, so that the way from one to the next is seen; some end in their own way after the first. The six
short deals of Rosbiratschka are played in full.
"""


def of_presets(matches: int) -> Iterator[str]:
    """The checksums of so many matches of each preset, over all numbers of seats, and of as many deals at once."""
    for ruleset, preset in PRESETS:
        for number in range(matches):
            seats = seats_in_turn(ruleset, number)
            name = f"{ruleset.name} {preset} {seats} seats match {number}"
            options = ruleset.resolve(preset, SHORT[ruleset.name], seats)
            match = Match(ruleset, options, seats, PublishedDeals(name, []))
            yield from checksums(name, match)
            if number <= ruleset.seats[1] - ruleset.seats[0]:
                tally = random_deals(ruleset.deal(match), Chance(name), matches)
                yield f"{name} at once {tally.deals} {tally.moves} {tally.redeals} {tally.scores(seats)}"


def of_options(matches: int) -> Iterator[str]:
    """The checksums of so many matches of each ruleset, of two deals mostly, under options that are drawn."""
    for ruleset in RULESETS:
        chance = Chance("options")
        for number in range(matches):
            yield from checksums(f"{ruleset.name} options {number}", new_match(ruleset, chance, most_deals=2))


def stream() -> Iterator[str]:
    """A line for each kind of draw from a stream of chance."""
    chance = Chance("stream")
    for n in (1, 2, 3, 52, 1000, 1 << 31, 3 << 30, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, 1 << 64, 10**40):
        yield f"chance below {n} {_checksum([chance.number(n) for _ in range(200)])}"
    yield f"chance shuffles {[chance.shuffled(list(range(52))) for _ in range(3)]}"


if __name__ == "__main__":
    for line in chain(stream(), of_presets(100), of_options(20)):
        print(line)
