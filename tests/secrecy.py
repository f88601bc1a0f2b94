"""The two properties that hold secrecy, for any ruleset: each raises AssertionError where something leaks.

(a) A sampled deal looks to its seat like the real one, and allows everything that has been played.
(b) Exchanging two cards that a seat cannot place changes nothing that it can know or be told.

Neither is enough: a sampler that peeks passes (a), and one that forgets a shown void passes (b).
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import msgspec

from engine.bits import bit, members
from engine.chance import Chance
from engine.deal import NOT_IN_GAME, Deal, play_checked
from engine.errors import EngineError, IllegalMove
from engine.match import DealSource, Match, Ruleset, dealt, resume
from engine.wire import Draw, Play
from tests.positions import (
    SPECTATOR,
    Record,
    everyone,
    new_match,
    one_of,
    order_that_deals,
    played,
    records,
    seen,
    told,
)

Orders = dict[tuple[int, int], list[int]]
"""Orders of the pack, by the number and the attempt of a deal."""


class Rearranged:
    """A match's chance with other orders of the pack for some deals, and upside down for all after the `last`."""

    def __init__(self, source: DealSource, orders: Orders, last: int = 1 << 30) -> None:
        self.source = source
        self.rearranged = orders
        self.last = last

    def order(self, number: int, attempt: int, size: int) -> list[int]:
        """The order of the pack: another one where it is asked for."""
        order = self.rearranged.get((number, attempt)) or self.source.order(number, attempt, size)
        return order[::-1] if number > self.last else order

    def below(self, purpose: str, n: int) -> int:
        """A number, as the match would draw it."""
        return self.source.below(purpose, n)


def world(record: Record, number: int, source: DealSource | None = None) -> Match:
    """The record's match again at the start of a deal, dealt from another source if one is given."""
    match, state = record.match, record.states[number][0]
    return resume(match.ruleset, match.options, match.seats, source or match.source, state)


def hands_dealt(match: Match) -> list[int]:
    """The hand of each seat at the start of the running deal."""
    start = dealt(match)
    return [start.observe(seat).hand for seat in range(match.seats)]


def card_of(match: Match, move: int) -> int:
    """The set of the cards that a move shows."""
    as_json = match.codec.moves.get(move)
    return bit(match.codec.pack.number[as_json.card]) if isinstance(as_json, Play) else 0


# ---------------------------------------------------------------------------------------------------- (a)


def start_of(match: Match, sample: Deal, moves: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Hands and a stock that a deal can have begun with that these moves, a seat's each, have led to the sample.

    Who has drawn a card and plays at once plays that card; otherwise it is any that the seat did not play before.
    """
    hands = [sample.observe(seat).hand for seat in range(match.seats)]
    stock: list[int] = []
    after = (sample.to_move, next(iter(sample.legal_moves()), NOT_IN_GAME))
    for seat, move in reversed(moves):
        if isinstance(match.codec.encode(move), Draw):
            played = card_of(match, after[1]) if seat == after[0] else 0
            card = members(played or hands[seat])[0]
            hands[seat] &= ~bit(card)
            stock.insert(0, card)
        hands[seat] |= card_of(match, move)
        after = seat, move
    return hands, stock


def allows(record: Record, at: int, sample: Deal) -> bool:
    """Whether a sampled deal, dealt from the start, lets the moves before `at` be made and leads to the sample."""
    number = record.moves[at][0]
    moves = [(seat, move) for _, seat, move in record.moves[record.states[number][1] : at]]
    match = world(record, number)
    order = order_that_deals(match, *start_of(match, sample, moves))
    match = world(record, number, Rearranged(match.source, {(number, match.attempt): order}))
    try:
        for seat, move in moves:
            play_checked(match.deal, seat, move)
    except EngineError:
        return False
    return all(match.observe(seat).facts() == sample.observe(seat).facts() for seat in everyone(match))


def samples_look_real(ruleset: Ruleset, positions: int) -> int:
    """Property (a) at every position of random matches, for every seat and the spectator; answers how many."""
    chance = Chance(f"samples of {ruleset.name}")
    done = 0
    while done < positions:
        for record in records(ruleset, f"samples {done}", 200):
            done += samples_of(record, chance)
    return done


def samples_of(record: Record, chance: Chance) -> int:
    """Sample at every position of a record, and see whether one of the samples could have been played."""
    match = record.match
    done = 0
    for at, (number, _, move) in enumerate(record.moves):
        if at == record.states[number][1]:
            match = world(record, number)
        replayed = one_of(chance, everyone(match))
        for looker in everyone(match):
            observation = match.observe(looker)
            sample = observation.sample(chance)
            again = sample.observe(looker)
            assert again.facts() == observation.facts(), "a sampled deal looks different"
            assert view(match, again) == view(match, observation), "a sampled deal is shown differently"
            if looker == replayed:
                assert allows(record, at, sample), "a sampled deal cannot have been played like this"
            done += 1
        match.replay(move)
    return done


def view(match: Match, observation: object) -> bytes:
    """An observation of the match's running deal as JSON."""
    return msgspec.json.encode(match.ruleset.deal_view(observation, match))


# ---------------------------------------------------------------------------------------------------- (b)


@dataclass(frozen=True)
class Exchange:
    """Cards that a seat cannot place when `at` moves of the record have been made, exchanged in some of its deals.

    Deals that nobody has seen by then are other deals altogether. `number` is the first that is exchanged.
    """

    record: Record
    at: int
    seat: int
    orders: Orders

    @property
    def number(self) -> int:
        """The number of the first deal that is another one."""
        return min(number for number, _ in self.orders)

    def source(self) -> DealSource:
        """Where the other world's deals come from."""
        return Rearranged(self.record.match.source, self.orders, deal_at(self.record, self.at))

    def first(self) -> int:
        """How many moves there are before the first position to compare: the last decision of the deal before."""
        return max(self.record.states[self.number][1] - 1, 0)

    def worlds(self) -> tuple[Match, Match]:
        """The real match at that position, and the other."""
        before = deal_at(self.record, self.first())
        matches = world(self.record, before), world(self.record, before, self.source())
        for _, _, move in self.record.moves[self.record.states[before][1] : self.first()]:
            for match in matches:
                match.replay(move)
        return matches

    def moved(self, number: int) -> list[int]:
        """The two cards of a deal that lie elsewhere in the other world."""
        deal = number, self.record.states[number][0].attempt
        other = self.orders[deal]
        real = self.record.match.source.order(*deal, len(other))
        return [card for card, instead in zip(real, other, strict=True) if card != instead]


def deal_at(record: Record, at: int) -> int:
    """The number of the deal that runs, or has just ended the match, when `at` moves have been made."""
    return record.moves[at][0] if at < len(record.moves) else record.match.number


def hidden(record: Record, number: int, at: int, seat: int) -> int:
    """The set of the cards of a deal that a seat has not seen when `at` moves of the match have been made."""
    match = world(record, number)
    cards = bit(match.deal.size) - 1
    for of_deal, _, move in record.moves[record.states[number][1] : at]:
        if of_deal != number:
            break
        cards &= ~(match.observe(seat).hand | card_of(match, move))
        match.replay(move)
    return cards & ~match.observe(seat).hand if match.number == number else cards


def exchanged(match: Match, unseen: int, chance: Chance) -> list[int]:
    """The order that the match's deal came from, with two unseen cards exchanged."""
    order = match.source.order(match.number, match.attempt, match.deal.size)
    one = one_of(chance, members(unseen))
    hand = next((hand for hand in hands_dealt(match) if hand & bit(one)), bit(one))
    elsewhere = members(unseen & ~hand)
    if elsewhere:
        here, there = order.index(one), order.index(one_of(chance, elsewhere))
        order[here], order[there] = order[there], order[here]
    return order


def exchange(record: Record, at: int, seat: int, numbers: set[int], chance: Chance) -> Exchange | None:
    """Two cards exchanged in each of these deals that allows it; None where none does."""
    orders: Orders = {}
    for number in sorted(numbers):
        match, unseen = world(record, number), hidden(record, number, at, seat)
        real = match.source.order(number, match.attempt, match.deal.size)
        if unseen.bit_count() > 1 and (order := exchanged(match, unseen, chance)) != real:
            orders[number, match.attempt] = order
    return Exchange(record, at, seat, orders) if orders else None


def open_to_all(match: Match) -> object:
    """What the rules make of hidden cards before everybody: the turn, the first move, what hands counted at the end."""
    shown = match.ruleset.deal_view(match.observe(SPECTATOR), match)
    return match.to_move, match.number, match.attempt, match.totals, getattr(shown, "opening_card", None)


def possible(exchange: Exchange) -> int:
    """How many of the record's moves, up to `at`, look to everybody as if they had been made in either world."""
    real, other = exchange.worlds()
    for position in range(exchange.first(), exchange.at + 1):
        if open_to_all(real) != open_to_all(other):
            return position - 1
        if position == exchange.at or exchange.record.moves[position][2] not in other.deal.legal_moves():
            return position
        for match in (real, other):
            match.replay(exchange.record.moves[position][2])
    raise AssertionError("the loop ends at `at`")


def refusals(match: Match, seat: int) -> list[object]:
    """What every wrong move of a seat is answered; one stands for all where the seat may make none."""
    if seat == SPECTATOR:
        return []
    moves = {NOT_IN_GAME, *match.codec.moves}.difference(match.deal.legal_moves())
    found: list[object] = []
    for move in sorted(moves) if seat == match.to_move else [NOT_IN_GAME]:
        try:
            play_checked(match.deal, seat, move)
        except EngineError as error:
            words = match.ruleset.reasons.get(error.reason, "") if isinstance(error, IllegalMove) else ""
            found.append((error.code, str(error), words))
    return found


def sampled(match: Match, seat: int) -> list[object]:
    """What a seat samples."""
    sample = match.observe(seat).sample(Chance("the same in both worlds"))
    return [sample.observe(other).facts() for other in everyone(match)]


def compare(exchange: Exchange, situations: Counter[str]) -> int:
    """Play the record's moves from the start of a deal in the real world and in the one of the exchange.

    Everything that the seat sees and is told must be the same, as long as the moves are possible in both. Answers how
    many positions that were, and counts what they were like.
    """
    record, seat, at = exchange.record, exchange.seat, exchange.at
    first, (real, other) = exchange.first(), exchange.worlds()
    for position in range(first, at + 1):
        if open_to_all(real) != open_to_all(other):
            return position - first
        assert seen(real, seat) == seen(other, seat), "a view tells hidden cards apart"
        assert refusals(real, seat) == refusals(other, seat), "an answer tells hidden cards apart"
        situations.update(what_it_is_like(exchange, real, position))
        if position == at or record.moves[position][2] not in other.deal.legal_moves():
            if real.result is None:
                assert sampled(real, seat) == sampled(other, seat), "an answer tells hidden cards apart"
            return position - first + 1
        _, mover, move = record.moves[position]
        events = real.play(mover, move), other.play(mover, move)
        if open_to_all(real) == open_to_all(other):
            assert told(real, events[0], seat) == told(other, events[1], seat), "an event tells hidden cards apart"
    raise AssertionError("the loop ends at `at`")


def what_it_is_like(exchange: Exchange, match: Match, position: int) -> set[str]:
    """Words for the position that worlds are compared at: which of them a property has met is part of the property."""
    record, seat = exchange.record, exchange.seat
    in_stock = -1  # of the two cards that were exchanged in this deal, if any were
    if (match.number, match.attempt) in exchange.orders:
        in_hands = sum(hands_dealt(match))
        in_stock = sum(not in_hands & bit(card) for card in exchange.moved(match.number))
    if match.result is not None:
        return {"the match is over"} if in_stock in (0, 1) else set()
    shown = match.ruleset.deal_view(match.observe(SPECTATOR), match)
    facts = {
        str(getattr(shown, "contract", "")): True,
        str(getattr(shown, "phase", "")): True,
        "a deal begins": position == record.states[match.number][1],
        "a deal is about to end": deal_at(record, position + 1) != match.number or position + 1 == len(record.moves),
        "a deal ago": match.number > exchange.number,
        "the next deal": match.number < exchange.number,
        "somebody sits out": len(match.participants) < match.seats,
        "the reader sits out": seat >= 0 and seat not in match.participants,
        "a stock card for a hand's": in_stock == 1,
        "two stock cards": in_stock == 2,
    }
    return {word for word, fact in facts.items() if word and fact}


TIES: dict[str, dict[str, Any]] = {"elfer_raus": {"colours": 3, "max_number": 10, "rounds": 2}}
"""Options under which matches end in an extra deal among some seats, where a ruleset has that: in 1 of 50 by chance."""


def matches_with_an_extra_deal(ruleset: Ruleset, chance: Chance, most: int) -> Iterator[Record]:
    """Random matches of which somebody sits out the last deal, without end; none where there is no such thing."""
    while ruleset.name in TIES:
        seats = 3 + chance.number(ruleset.seats[1] - 2)
        record = played(new_match(ruleset, chance, seats, ruleset.resolve(None, TIES[ruleset.name], seats)), chance)
        if len(record.match.participants) < seats and len(record.states) <= most:
            yield record


def somewhere(record: Record, chance: Chance) -> int:
    """A number of moves: any, or few or none after the start of a deal, or all of a deal or all of the match."""
    starts = [start for _, start in record.states.values()]
    choices = (chance.number(len(record.moves) + 1), one_of(chance, starts) + chance.number(4), len(record.moves))
    return int(min(one_of(chance, (choices[0], *choices)), len(record.moves)))


def hidden_cards_do_not_show(ruleset: Ruleset, positions: int, situations: Counter[str] | None = None) -> int:
    """Property (b) on random matches, for random seats and the spectator, across deals too; answers how many.

    Counts in `situations` what the positions were like.
    """
    chance = Chance(f"exchanges of {ruleset.name}")
    extra = matches_with_an_extra_deal(ruleset, chance, 9)
    situations = Counter() if situations is None else situations
    done = 0
    while done < positions:
        for record in [*records(ruleset, f"exchanges {done}", min(positions, 1000)), *islice(extra, 1)]:
            for _ in range(3 * len(record.states)):
                done += exchange_somewhere(record, chance, situations)
    return done


def exchange_somewhere(record: Record, chance: Chance, situations: Counter[str]) -> int:
    """Exchange cards that a seat does not know at some position of the record, and compare."""
    at = somewhere(record, chance)
    found = exchange_at(record, at, chance)
    if at == len(record.moves):
        # Here most exchanges are seen in the scores, so that others are looked for.
        tries = (exchange_at(record, at, chance) for _ in range(20))
        found = next((each for each in tries if each is not None and possible(each) == at), found)
    return compare(found, situations) if found is not None else 0


def exchange_at(record: Record, at: int, chance: Chance) -> Exchange | None:
    """An exchange for somebody in the deal that runs, and perhaps in one before."""
    now = deal_at(record, at)
    numbers = one_of(chance, [{now}, {now, 1 + chance.number(now)}])
    return exchange(record, at, one_of(chance, everyone(record.match)), numbers, chance)
