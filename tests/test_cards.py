"""Cards: one table of ids for each pack, read in both directions, and one pattern for all of them."""

import re
from itertools import product
from typing import get_args

import pytest

from engine import cards, wire
from engine.bits import bit, count, lowest, members, pick, prefer
from engine.cards import FAMILIES, SUITS, Pack, is_card
from engine.catalog import RULESETS

PACKS = sorted({pack for pack in vars(cards).values() if isinstance(pack, Pack)}, key=str)


def test_a_pack_has_every_rank_in_every_suit_once() -> None:
    """The French pack has 52 cards, four aces and thirteen hearts."""
    pack = cards.FRENCH_ACE_HIGH
    assert len(set(pack.cards)) == len(pack.cards) == 52
    assert [card for card in pack.cards if card.startswith("A-")] == ["A-spades", "A-hearts", "A-diamonds", "A-clubs"]
    assert sum(card.endswith("-hearts") for card in pack.cards) == 13


def test_ascending_numbers_are_a_sorted_hand() -> None:
    """Cards are numbered suit by suit, each from its lowest rank to its highest."""
    numbers = cards.FRENCH_ACE_HIGH.number
    in_order = [
        "2-spades",
        "3-spades",
        "10-spades",
        "J-spades",
        "A-spades",
        "2-hearts",
        "A-hearts",
        "2-clubs",
        "A-clubs",
    ]
    assert sorted(in_order, key=numbers.__getitem__) == in_order


@pytest.mark.parametrize("pack", PACKS, ids=str)
def test_ids_and_numbers_are_one_table(pack: Pack) -> None:
    """Going from a number to its id and back, and from an id to its number and back, ends where it began."""
    assert [pack.number[card] for card in pack.cards] == list(range(len(pack.cards)))
    assert {pack.cards[number]: number for number in pack.number.values()} == pack.number


@pytest.mark.parametrize("pack", [*PACKS, *(pack for ruleset in RULESETS for pack in ruleset.packs.values())], ids=str)
def test_every_card_of_every_pack_is_a_card(pack: Pack) -> None:
    """What a game deals is what requests may name."""
    assert all(is_card(card) for card in pack.cards)


def test_the_pattern_matches_cards_and_nothing_else() -> None:
    """Of every rank with every suit exactly those are cards that some game of the rulebook has."""
    there_are = {f"{rank}-{suit}" for suits, ranks in FAMILIES for suit, rank in product(suits, ranks)}
    ranks = {rank for _, ranks in FAMILIES for rank in ranks} | {"0", "01", "21", "Q♥", "a", ""}
    suits = {suit for suits, _ in FAMILIES for suit in suits} | {"Hearts", "heart", ""}
    assert {card for rank, suit in product(ranks, suits) if is_card(card := f"{rank}-{suit}")} == there_are


@pytest.mark.parametrize(
    "text", ["A-spades\n", " A-spades", "A-spades ", "A-spades\nA-spades", "A spades", "", "A-spadesA-spades"]
)
def test_a_card_with_anything_beside_it_is_no_card(text: str) -> None:
    """Not even with a newline at the end, which Python's `$` lets pass."""
    assert not is_card(text)
    assert not re.search(cards.CARD_PATTERN, text), "JSON Schema searches, and does not match from the start"


def test_there_is_one_list_of_suits() -> None:
    """The suits that requests may name are those of the families, each once; skip and reverse are no suits to name."""
    assert len(set(SUITS)) == len(SUITS)
    assert set(SUITS) == {suit for suits, _ in FAMILIES[:-1] for suit in suits}
    assert set(get_args(wire.Suit)) == set(SUITS)


# ---------------------------------------------------------------------------------------------------- sets of cards

SOME_SETS = [0, 1, 0b1011, 1 << 51, 1 << 63, (1 << 64) - 1, 0xF0F0_F0F0_0000_0001]


@pytest.mark.parametrize("word", SOME_SETS, ids=hex)
def test_a_word_is_the_set_of_its_bits(word: int) -> None:
    """Members, count, lowest and the k-th smallest are those of the set, up to number 63."""
    numbers = [number for number in range(64) if word >> number & 1]
    assert members(word) == numbers
    assert count(word) == len(numbers)
    assert [pick(word, k) for k in range(len(numbers))] == numbers
    assert sum(map(bit, numbers)) == word
    if numbers:
        assert lowest(word) == numbers[0]


def test_what_is_preferred_is_taken_where_there_is_any() -> None:
    """A hand follows with the cards of the suit, or with all it has."""
    assert prefer(0b1110, 0b0110) == 0b0110
    assert prefer(0b1110, 0b0001) == 0b1110
    assert prefer(0, 0b0001) == 0
