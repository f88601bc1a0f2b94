"""The two properties that hold secrecy, for any ruleset: each raises AssertionError where something leaks.

(a) A sampled deal looks to its seat like the real one, and allows everything that has been played.
(b) Exchanging two cards that a seat cannot place changes nothing that it can know or be told.

Neither is enough: a sampler that peeks passes (a), and one that forgets a shown void passes (b).
"""

import msgspec

from engine.bits import bit, members
from engine.chance import Chance
from engine.deal import NOT_IN_GAME, Deal, play_checked
from engine.errors import EngineError, IllegalMove
from engine.match import DealSource, Match, MatchState, Ruleset, dealt, resume
from engine.wire import Draw, Play
from tests.positions import SPECTATOR, Record, everyone, one_of, order_that_deals, records, seen, told


class Rearranged:
    """A match's chance with another order of the pack for one deal."""

    def __init__(self, source: DealSource, state: MatchState, order: list[int]) -> None:
        self.source = source
        self.deal = state.number, state.attempt
        self.rearranged = order

    def order(self, number: int, attempt: int, size: int) -> list[int]:
        """The order of the pack: the other one where it is asked for."""
        return self.rearranged if (number, attempt) == self.deal else self.source.order(number, attempt, size)

    def below(self, purpose: str, n: int) -> int:
        """A number, as the match would draw it."""
        return self.source.below(purpose, n)


def world(record: Record, number: int, order: list[int] | None = None) -> Match:
    """The record's match again at the start of a deal, dealt from another order if one is given."""
    match, state = record.match, record.states[number][0]
    source = match.source if order is None else Rearranged(match.source, state, order)
    return resume(match.ruleset, match.options, match.seats, source, state)


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
    match = world(record, number, order_that_deals(match, *start_of(match, sample, moves)))
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


def open_to_all(match: Match) -> object:
    """What the rules make of hidden cards before everybody: the turn, the first move, what hands counted at the end."""
    shown = match.ruleset.deal_view(match.observe(SPECTATOR), match)
    return match.to_move, match.number, match.totals, getattr(shown, "opening_card", None)


def answers(match: Match, seat: int) -> list[object]:
    """All that a seat can find out by asking: what every wrong move is answered, and what it samples."""
    found: list[object] = []
    if seat != SPECTATOR:
        legal = match.deal.legal_moves() if seat == match.to_move else []
        for move in sorted({NOT_IN_GAME, *match.codec.moves}.difference(legal)):
            try:
                play_checked(match.deal, seat, move)
            except EngineError as error:
                words = match.ruleset.reasons.get(error.reason, "") if isinstance(error, IllegalMove) else ""
                found.append((error.code, str(error), words))
    sample = match.observe(seat).sample(Chance("the same in both worlds"))
    return [*found, [sample.observe(other).facts() for other in everyone(match)]]


def compare(record: Record, number: int, at: int, seat: int, order: list[int]) -> int:
    """Play the record's moves from the start of a deal in the real world and in one where it was dealt from `order`.

    Everything that the seat sees and is told must be the same, as long as the moves are possible in both. Answers how
    many positions that were.
    """
    real, other = world(record, number), world(record, number, order)
    first = record.states[number][1]
    if other.ruleset.misdealt(other.deal):
        return 0
    for done, (_, mover, move) in enumerate(record.moves[first : at + 1]):
        if open_to_all(real) != open_to_all(other):
            return done
        assert seen(real, seat) == seen(other, seat), "a view tells hidden cards apart"
        if first + done == at or move not in other.deal.legal_moves():
            assert answers(real, seat) == answers(other, seat), "an answer tells hidden cards apart"
            return done + 1
        events = real.play(mover, move), other.play(mover, move)
        if open_to_all(real) == open_to_all(other):
            assert told(real, events[0], seat) == told(other, events[1], seat), "an event tells hidden cards apart"
    raise AssertionError("a position after the end was asked for")


def hidden_cards_do_not_show(ruleset: Ruleset, positions: int) -> int:
    """Property (b) on random matches, for random seats and the spectator, across deals too; answers how many."""
    chance = Chance(f"exchanges of {ruleset.name}")
    done = 0
    while done < positions:
        for record in records(ruleset, f"exchanges {done}", min(positions, 1000)):
            for _ in range(2 * len(record.states)):
                done += exchange_somewhere(record, chance)
    return done


def exchange_somewhere(record: Record, chance: Chance) -> int:
    """Exchange two cards of one deal that a seat does not know at some position of the record, and compare."""
    at = chance.number(len(record.moves))
    seat = one_of(chance, everyone(record.match))
    number = one_of(chance, [record.moves[at][0], 1 + chance.number(record.moves[at][0])])
    unseen = hidden(record, number, at, seat)
    if unseen.bit_count() < 2:
        return 0
    order = exchanged(world(record, number), unseen, chance)
    real = record.match.source.order(number, record.states[number][0].attempt, len(order))
    return compare(record, number, at, seat, order) if order != real else 0
