"""Sampling: every deal that the open play allows, each equally likely, and no other."""

from collections import Counter
from itertools import combinations

import pytest

from engine.bits import bit, count, members
from engine.chance import Chance
from engine.rulesets.tarneeb import TARNEEB
from engine.rulesets.tarneeb.rules import TarneebDeal, TarneebObservation
from engine.sampling import place, spread


def word(*cards: int) -> int:
    """The set of these cards."""
    return sum(map(bit, cards))


def all_spreads(unseen: int, cannot: list[int], sizes: list[int]) -> set[tuple[int, ...]]:
    """Every spread, by trying them all."""
    if not sizes:
        return set() if unseen else {()}
    allowed = members(unseen & ~cannot[0])
    hands = [word(*cards) for cards in combinations(allowed, sizes[0])]
    return {(hand, *rest) for hand in hands for rest in all_spreads(unseen & ~hand, cannot[1:], sizes[1:])}


def is_uniform(found: Counter[tuple[int, ...]], expected: set[tuple[int, ...]]) -> bool:
    """Whether all that is expected was found, nothing else, and the counts are as chance makes them.

    The chi-square value of so many kinds is about normal: five standard deviations are never seen by chance.
    """
    if set(found) != expected:
        return False
    mean, freedom = found.total() / len(expected), len(expected) - 1
    chi_square = sum((times - mean) ** 2 for times in found.values()) / mean
    return abs(chi_square - freedom) <= 5 * (2 * freedom) ** 0.5


LOW, HIGH = word(0, 1, 2), word(3, 4, 5)

CASES = {
    "free": (LOW | HIGH, [0, 0, 0], [2, 2, 2]),
    "uneven": (LOW | HIGH, [0, 0, 0], [1, 2, 3]),
    "one_void": (LOW | HIGH, [LOW, 0, 0], [2, 2, 2]),
    "two_voids_of_one_suit": (LOW | HIGH, [LOW, LOW, 0], [1, 2, 3]),
    "voids_of_two_suits": (LOW | HIGH, [LOW, HIGH, 0], [2, 2, 2]),
    "voids_of_both_suits": (LOW | HIGH, [LOW | HIGH, 0, 0], [0, 3, 3]),
    "overlapping": (word(*range(7)), [word(0, 1, 2, 3), word(2, 3, 4), word(5)], [2, 2, 3]),
    "forced": (LOW | HIGH, [LOW, HIGH, HIGH], [3, 2, 1]),
    "one_seat": (LOW, [0], [3]),
    "a_seat_without_cards": (LOW, [0, 0, 0], [0, 1, 2]),
    "beyond_32_bits": (word(0, 31, 32, 40, 51), [word(40), word(0, 31), 0], [2, 2, 1]),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_spread_that_fits_is_equally_likely(case: tuple[int, list[int], list[int]]) -> None:
    """Drawn spreads are all those that trying finds, and none too often, however the voids lie."""
    expected = all_spreads(*case)
    chance = Chance(f"spreads {case}")
    assert is_uniform(Counter(tuple(spread(chance, *case)) for _ in range(60 * len(expected) + 1)), expected)


def test_filling_the_most_constrained_suit_first_would_be_noticed() -> None:
    """A sampler that takes the forced cards first and then whatever fits is not uniform, and the check says so."""
    unseen, cannot, sizes = CASES["overlapping"]
    chance = Chance("naive")

    def naive() -> tuple[int, ...] | None:
        hands, left = [0, 0, 0], list(sizes)
        for card in sorted(members(unseen), key=lambda card: sum(not bit(card) & void for void in cannot)):
            seats = [seat for seat in range(3) if left[seat] and not cannot[seat] & bit(card)]
            if not seats:
                return None
            seat = seats[chance.number(len(seats))]
            hands[seat] |= bit(card)
            left[seat] -= 1
        return tuple(hands)

    expected = all_spreads(unseen, cannot, sizes)
    found = Counter(hands for _ in range(100 * len(expected)) if (hands := naive()))
    assert set(found) == expected
    assert not is_uniform(found, expected)


@pytest.mark.parametrize(
    ("unseen", "cannot", "sizes"),
    [
        (LOW | HIGH, [LOW, LOW, LOW], [2, 2, 2]),
        (LOW | HIGH, [LOW | HIGH, 0, 0], [1, 2, 3]),
        (LOW | HIGH, [LOW, LOW, 0], [2, 3, 1]),
        (LOW | HIGH, [0, 0, 0], [2, 2, 1]),
        (LOW | HIGH, [0, 0, 0], [2, 2, 3]),
        (LOW, [], []),
    ],
    ids=["nobody_may_hold", "one_may_hold_none", "too_few_high_cards", "a_card_left", "a_card_missing", "no_seats"],
)
def test_what_cannot_have_happened_is_refused(unseen: int, cannot: list[int], sizes: list[int]) -> None:
    """Sizes and voids that no deal fits are a mistake in what was observed, never a wrong deal."""
    assert not all_spreads(unseen, cannot, sizes)
    with pytest.raises(ValueError, match="no deal of the unseen cards fits"):
        spread(Chance("impossible"), unseen, cannot, sizes)


# ---------------------------------------------------------------------------------------------------- what seats need

NEEDS = {
    "nothing": [0, 0, 0],
    "one_card": [word(0), 0, 0],
    "one_of_two": [0, word(0, 4), 0],
    "one_of_all": [LOW | HIGH, LOW | HIGH, LOW | HIGH],
    "two_seats_the_same": [word(0, 3), word(0, 3), 0],
    "three_seats": [word(1, 3), word(2, 3, 4), word(1, 5)],
}


@pytest.mark.parametrize("needs", NEEDS.values(), ids=NEEDS)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_placing_that_fits_is_equally_likely(case: tuple[int, list[int], list[int]], needs: list[int]) -> None:
    """Placed cards are all spreads in which each seat holds one that it needs, and none comes up too often."""
    unseen, cannot, sizes = case
    needs = [wanted if size else 0 for wanted, size in zip(needs, sizes, strict=False)]
    expected = {
        hands
        for hands in all_spreads(*case)
        if all(hand & wanted for hand, wanted in zip(hands, needs, strict=True) if wanted)
    }
    chance = Chance(f"placings {case} {needs}")
    if not expected:
        with pytest.raises(ValueError, match=r"deal|drawn"):
            place(chance, unseen, cannot, sizes, needs)
        return
    found = Counter(tuple(place(chance, *case, needs)) for _ in range(60 * len(expected) + 1))
    assert is_uniform(found, expected)


def test_placing_takes_sizes_that_add_up() -> None:
    """A card too many or too few is a mistake in what was observed."""
    for sizes in ([2, 2, 1], [2, 2, 3]):
        with pytest.raises(ValueError, match="the sizes do not add up"):
            place(Chance("impossible"), LOW | HIGH, [0, 0, 0], sizes, [0, 0, 0])


# ---------------------------------------------------------------------------------------------------- late in a deal


def late_position(seed: str, cards_left: int) -> tuple[list[int], int, list[int], TarneebDeal]:
    """The moves of a random deal until each seat holds so many cards: the order, the dealer, the moves, the deal."""
    chance = Chance(seed)
    order, dealer = chance.shuffled(list(range(52))), chance.number(4)
    deal = TarneebDeal(TARNEEB.resolve(None, {"all_pass": "dealer_bids"}, 4))
    deal.deal_out(order, dealer)
    moves = []
    while max(deal.observe(-1).sizes) > cards_left or deal.observe(-1).tricks.in_trick:
        legal = deal.legal_moves()
        moves.append(legal[chance.number(len(legal))])
        deal.play(moves[-1])
    return order, dealer, moves, deal


def could_have_been_played(seen: TarneebObservation, hands: tuple[int, ...], dealer: int, moves: list[int]) -> bool:
    """Whether these hands and the cards played before them could have made these moves, by dealing and playing them."""
    full = list(hands)
    for seat, card in (play for trick in seen.tricks.record() for play in trick):
        full[seat] |= bit(card)
    order, seat = [0] * 52, dealer
    piles = [members(hand) for hand in full]
    for index in range(52):
        seat = (seat + 3) % 4
        order[index] = piles[seat].pop()
    deal = TarneebDeal(seen.terms)
    deal.deal_out(order, dealer)
    for move in moves:
        if move not in deal.legal_moves():
            return False
        deal.play(move)
    return True


@pytest.mark.parametrize("seed", ["late 3", "late 9", "late 18"])
def test_a_tarneeb_deal_is_sampled_from_all_that_could_have_been_played(seed: str) -> None:
    """With two tricks left, samples are uniform over the deals that allow every move, found by playing them all."""
    _, dealer, moves, deal = late_position(seed, 2)
    seat = deal.to_move
    seen = deal.observe(seat)
    unseen = bit(52) - 1 & ~seen.hand & ~seen.tricks.seen()
    sizes = [0 if other == seat else size for other, size in enumerate(seen.sizes)]
    expected = set()
    for hands in all_spreads(unseen, [0] * 4, sizes):
        full = tuple(hand or seen.hand for hand in hands)
        if could_have_been_played(seen, full, dealer, moves):
            expected.add(full)
    assert 1 < len(expected) < len(all_spreads(unseen, [0] * 4, sizes)), "the position should have voids that matter"
    chance = Chance(seed)
    samples = [seen.sample(chance) for _ in range(40 * len(expected))]
    found = Counter(tuple(sample.observe(other).hand for other in range(4)) for sample in samples)
    assert is_uniform(found, expected)


def test_a_spectators_sample_deals_every_hand() -> None:
    """Without a hand of his own the spectator samples all four."""
    deal = late_position("spectator", 5)[3]
    seen = deal.observe(-1)
    sample = seen.sample(Chance("spectator"))
    hands = [sample.observe(seat).hand for seat in range(4)]
    assert [count(hand) for hand in hands] == seen.sizes
    assert sum(hands) == bit(52) - 1 & ~seen.tricks.seen()
