"""Elfer Raus: what draws and passes prove of the hands, and what the bot makes of the source's advice."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from types import SimpleNamespace

import pytest

from engine.bots import rules_bot
from engine.catalog import find
from engine.chance import Chance, PublishedDeals
from engine.match import Match
from engine.rulesets.elfer_raus.rules import MOVES, ElferRausDeal, ElferRausObservation, hand_size
from tests.positions import SPECTATOR

ELFER_RAUS = find("elfer_raus")
DRAW, END_TURN, PASS = MOVES


# -------------------------------------------------------------------------------------------------- what is proved

SMALLEST = {
    "colours": 2, "max_number": 4, "draw_limit": 1, "voluntary_pass": False, "forced_start": True,
    "opener_continues": True, "skip_cards": 0, "reverse_cards": 0,
}  # fmt: skip
"""Eight cards, two in each hand: so small that every order of those that a seat does not see can be tried."""

Looks = Callable[[ElferRausObservation], bool]


def smallest(options: dict[str, int], seats: int) -> ElferRausDeal:
    """A deal of a pack that no game has, not dealt yet; rows start from the 2."""
    terms = SimpleNamespace(**{**SMALLEST, **options})
    return ElferRausDeal(terms, seats, list(range(seats)), [2] * terms.colours, False)


def drew(seen: ElferRausObservation) -> bool:
    """Another seat has drawn a card and has not moved since."""
    return seen.just_drew() not in (SPECTATOR, seen.seat)


def passed(seen: ElferRausObservation) -> bool:
    """Another seat has passed although able, and may still hold what it could have played."""
    return any(wanted for seat, wanted in enumerate(seen.wants) if seat != seen.seat)


def lacks(seen: ElferRausObservation) -> bool:
    """Another seat has shown that it lacks a card that nobody has played."""
    return any(lacked & seen.unseen() for seat, lacked in enumerate(seen.lacks) if seat != seen.seat)


POSITIONS: dict[str, tuple[int, dict[str, int], Looks]] = {
    "a card just drawn that can be played": (2, {"draw_limit": 1}, drew),
    "a card just drawn that may be playable": (2, {"draw_limit": 2, "forced_start": False}, drew),
    "a seat that drew": (2, {"draw_limit": 2}, lacks),
    "three seats, of which one drew": (3, {}, lacks),
    "a free pass": (2, {"voluntary_pass": True, "forced_start": False}, passed),
    "a free pass without start cards": (3, {"voluntary_pass": True}, passed),
    "a free pass with action cards": (3, {"voluntary_pass": True, "skip_cards": 1}, passed),
    "a seat that drew, with action cards": (2, {"reverse_cards": 1}, lacks),
}


@dataclass
class Reached:
    """A position that a seat looks at: the order it was dealt from, and the moves that led to it."""

    deal: ElferRausDeal
    seen: ElferRausObservation
    order: list[int]
    moves: list[tuple[int, int]]


def reached(seats: int, options: dict[str, int], looks: Looks) -> Reached:
    """The first of many random positions that looks so to a seat."""
    chance = Chance(f"positions {seats} {options}")
    deal = smallest(options, seats)
    while True:
        order = chance.shuffled(list(range(deal.size)))
        deal.deal_out(order, 0)
        moves: list[tuple[int, int]] = []
        while deal.to_move >= 0 and len(moves) < 9:
            legal = deal.legal_moves()
            # Turns that end soon prove more.
            moves.append((deal.to_move, legal[-1] if chance.number(2) else legal[chance.number(len(legal))]))
            deal.play(moves[-1][1])
            seen = deal.observe(chance.number(seats))
            if deal.to_move >= 0 and looks(seen):
                return Reached(deal, seen, order, moves)


def hands(deal: ElferRausDeal) -> tuple[int, ...]:
    """All hands."""
    return tuple(deal.observe(seat).hand for seat in range(deal.seats))


def orders_that_fit(at: Reached) -> Counter[tuple[int, ...]]:
    """How many orders of the pack allow the moves and look the same to the seat, for all hands that there can be now.

    The cards that the seat was dealt stay where they are.
    """
    deal, order = at.deal, list(at.order)
    deal.deal_out(order, 0)
    dealt = deal.observe(at.seen.seat).hand
    places = [place for place, card in enumerate(order) if not dealt >> card & 1]
    fitting: Counter[tuple[int, ...]] = Counter()
    for cards in permutations([order[place] for place in places]):
        for place, card in zip(places, cards, strict=True):
            order[place] = card
        deal.deal_out(order, 0)
        for seat, move in at.moves:
            if deal.to_move != seat or move not in deal.legal_moves():
                break
            deal.play(move)
        else:
            if deal.observe(at.seen.seat).facts() == at.seen.facts():
                fitting[hands(deal)] += 1
    return fitting


@pytest.mark.parametrize(("seats", "options", "looks"), POSITIONS.values(), ids=POSITIONS)
def test_samples_come_up_as_often_as_orders_of_the_pack_allow(
    seats: int, options: dict[str, int], looks: Looks
) -> None:
    """Trying every order of the pack gives the hands that fit what was seen, and how likely all of them are."""
    at = reached(seats, options, looks)
    fitting = orders_that_fit(at)
    chance = Chance("samples")
    samples = 100 * len(fitting)
    found = Counter(hands(at.seen.sample(chance)) for _ in range(samples))
    assert set(found) <= set(fitting), "a sampled deal cannot have been played like this"
    expected = {each: samples * times / fitting.total() for each, times in fitting.items()}
    chi_square = sum((found[each] - mean) ** 2 / mean for each, mean in expected.items())
    freedom = len(fitting) - 1
    assert abs(chi_square - freedom) <= 5 * (2 * freedom) ** 0.5


def test_the_order_of_the_stock_is_sampled_too() -> None:
    """Who draws next draws any card of the stock, and other samples have it in another order."""
    match = Match(ELFER_RAUS, ELFER_RAUS.resolve("ravensburger", {}, 3), 3, PublishedDeals("stock", []))
    match.start()
    seen = match.observe(SPECTATOR)
    chance = Chance("stock")
    drawn = set()
    while len(drawn) < 15:
        deal = seen.sample(chance)
        deal.play(deal.legal_moves()[0])
        if deal.legal_moves() == [DRAW]:
            hand, seat = deal.observe(deal.to_move).hand, deal.to_move
            deal.play(DRAW)
            drawn.add(deal.observe(seat).hand & ~hand)


# ------------------------------------------------------------------------------------------------------ the rest


def test_hands_grow_with_the_pack_and_shrink_with_the_players() -> None:
    """The sizes that the rulebook names, and the smallest there are."""
    assert [hand_size(80, players) for players in range(2, 7)] == [20, 20, 15, 12, 10]
    assert hand_size(30, 6) == 3


def test_a_deal_without_a_start_card_in_hand_is_dealt_again() -> None:
    """With few cards it happens now and then, and never leaves a deal that nobody can open."""
    options = ELFER_RAUS.resolve(None, {"colours": 3, "max_number": 10, "rounds": 1}, 6)
    attempts = set()
    for seed in range(150):
        match = Match(ELFER_RAUS, options, 6, PublishedDeals(f"again {seed}", []))
        match.start()
        attempts.add(match.attempt)
        assert match.observe(match.to_move).moves == [match.observe(SPECTATOR).opening_card]
    assert len(attempts) > 1


@pytest.mark.parametrize("seats", [2, 4])
def test_the_advice_beats_chance(seats: int) -> None:
    """Seats 0, 2, ... play by advice, the others by chance: the advised are left with less."""
    options = ELFER_RAUS.resolve(None, {"rounds": 1}, seats)
    chance = Chance("advice")
    ahead = 0
    for seed in range(60):
        match = Match(ELFER_RAUS, options, seats, PublishedDeals(f"advice {seed}", []))
        match.start()
        while match.deals_played == 0:
            seen = match.observe(match.to_move)
            by_chance = seen.moves[chance.number(len(seen.moves))]
            match.play(seen.seat, by_chance if seen.seat % 2 else rules_bot.choose(seen, chance, None).move)
        ahead += sum(match.totals[1::2]) - sum(match.totals[::2])
    assert ahead > 0
