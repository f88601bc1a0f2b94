"""Rows: what fits, what may start, and what lies where, against a table kept card by card.

The plain form is tested here; tests/test_builds.py holds that the compiled one is the same, in the games that use it.
"""

import pytest

from engine.bits import members
from engine.chance import Chance
from tests.plain import plain

Rows = plain("rows").Rows

LAYOUTS = {
    "reihe": ([15] * 4, [7, 22, 37, 52]),
    "one_card_short": ([9, 9, 9, 8], [5, 14, 23, 31]),
    "twenty_numbers": ([20] * 4, [10, 30, 50, 70]),
    "starts_differ": ([20] * 4, [9, 31, 49, 71]),
    "three_colours": ([20] * 3, [10, 30, 50]),
    "start_at_an_end": ([3, 3], [0, 5]),
    "a_suit_of_one": ([1, 2], [0, 2]),
    "across_the_words": ([48, 48], [15, 80]),
}

each_layout = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
Layout = tuple[list[int], list[int]]


def suits(layout: Layout) -> list[list[int]]:
    """The cards of each suit."""
    cards = iter(range(sum(layout[0])))
    return [[next(cards) for _ in range(length)] for length in layout[0]]


def fitting(layout: Layout, laid: set[int]) -> set[int]:
    """The cards that are not laid and lie beside one of their suit that is."""
    return {
        card
        for suit in suits(layout)
        for card in suit
        if card not in laid and any(other in laid and other in suit for other in (card - 1, card + 1))
    }


@each_layout
def test_rows_are_what_laying_cards_one_by_one_makes_of_them(layout: Layout) -> None:
    """Whatever the order, at every step the words and the ends say what the cards on the table say."""
    chance = Chance(f"rows {layout}")
    rows = Rows(*layout)
    for _ in range(5):
        laid: set[int] = set()
        while True:
            starts = {card for card in layout[1] if card not in laid}
            assert set(members(rows.starts())) == starts
            assert set(members(rows.fits())) == fitting(layout, laid)
            assert rows.fits() == rows.fits_lo + (rows.fits_hi << 64)
            assert rows.starts() == rows.starts_lo + (rows.starts_hi << 64)
            assert max(rows.fits_lo, rows.starts_lo) < 1 << 64
            assert set(members(rows.seen())) == laid
            on = [[card for card in suit if card in laid] for suit in suits(layout)]
            assert rows.record() == [(row[0], row[-1]) if row else None for row in on]
            assert [rows.ends(suit) for suit in range(rows.suits)] == rows.record()
            playable = sorted(starts | fitting(layout, laid))
            if not playable:
                break
            card = playable[chance.number(len(playable))]
            rows.add(card)
            laid.add(card)
        assert laid == set(range(sum(layout[0])))
        rows.clear()


@each_layout
def test_a_copy_goes_its_own_way(layout: Layout) -> None:
    """What is laid on a copied table does not lie on the original, nor the other way round."""
    rows = Rows(*layout)
    rows.add(layout[1][0])
    before = rows.record(), rows.fits(), rows.starts()
    copy = rows.copy()
    assert (copy.record(), copy.fits(), copy.starts()) == before
    copy.add(layout[1][1])
    assert (rows.record(), rows.fits(), rows.starts()) == before
    rows.clear()
    assert rows.record() == [None] * rows.suits
    assert copy.ends(1) == (layout[1][1], layout[1][1])


@pytest.mark.parametrize(
    ("lengths", "starts"),
    [([9, 9], [4, 4]), ([9, 9], [4, 18]), ([9], [-1]), ([1] * 5, [0, 1, 2, 3, 4]), ([49, 49], [0, 50]), ([9, 9], [4])],
    ids=["another_suits", "beyond_the_pack", "no_card", "five_suits", "too_many_cards", "one_missing"],
)
def test_rows_that_cannot_be_are_refused(lengths: list[int], starts: list[int]) -> None:
    """The compiled engine does not look where it writes, so what it is given is looked at first."""
    with pytest.raises(ValueError, match=r"."):
        Rows(lengths, starts)
