"""Chance: streams that their seed decides, and deals that anyone can compute again."""

import hashlib
import struct
from collections import Counter

import pytest

from engine.bits import draw, draw_below
from engine.chance import Chance, PublishedDeals, published_order, published_stream

# ---------------------------------------------------------------------------------------------------- published deals


def order_from_the_documentation(seed: str, client_seeds: list[str], deal: int, attempt: int, size: int) -> list[int]:
    """The pack as a suspicious player computes it, from what is published about it and nothing of ours."""
    text = f"tapete/1:{seed}:{','.join(client_seeds)}:deal:{deal}:{attempt}"
    words = []
    for block in range(64):
        words += struct.unpack(">4Q", hashlib.sha256(f"{text}:{block}".encode()).digest())
    pack = list(range(size))
    for place in reversed(range(1, size)):
        choices = place + 1
        while words[0] >= 2**64 - 2**64 % choices:
            del words[0]
        other = words.pop(0) % choices
        pack[place], pack[other] = pack[other], pack[place]
    return pack


@pytest.mark.parametrize("client_seeds", [[], ["one"], ["one", "ñandú"]], ids=len)
@pytest.mark.parametrize(("deal", "attempt", "size"), [(1, 1, 52), (2, 1, 52), (1, 2, 52), (200, 1, 96), (1, 1, 1)])
def test_a_published_deal_is_what_its_description_gives(
    client_seeds: list[str], deal: int, attempt: int, size: int
) -> None:
    """Fifteen lines of anyone's code come to the same order."""
    order = published_order("5e" * 32, client_seeds, deal, attempt, size)
    assert order == order_from_the_documentation("5e" * 32, client_seeds, deal, attempt, size)
    assert PublishedDeals("5e" * 32, client_seeds).order(deal, attempt, size) == order
    assert sorted(order) == list(range(size))


def test_a_published_deal_stays_what_it_was() -> None:
    """Games are proved long after they were played: these cards never change."""
    assert published_order("seed", ["a", "b"], 3, 1, 10) == [5, 4, 6, 0, 3, 9, 1, 2, 8, 7]
    assert PublishedDeals("seed", ["a", "b"]).below("first_dealer", 4) == 3


@pytest.mark.parametrize(
    "other",
    [
        ("tree", ["a", "b"], 1, 1),
        ("seed", ["b", "a"], 1, 1),
        ("seed", ["a"], 1, 1),
        ("seed", ["a", "b"], 2, 1),
        ("seed", ["a", "b"], 1, 2),
    ],
    ids=["seed", "order_of_shares", "share", "deal", "attempt"],
)
def test_everything_a_deal_is_made_of_matters(other: tuple[str, list[str], int, int]) -> None:
    """Another seed, another player's share or its place, another deal or attempt is another order."""
    assert published_order(*other, 52) != published_order("seed", ["a", "b"], 1, 1, 52)


def test_words_that_would_favour_small_numbers_are_skipped() -> None:
    """With n just over half of 2^64, half of the words are thrown away, and what is left is below n."""
    n = (1 << 63) + 1
    words = []
    for block in range(8):
        digest = hashlib.sha256(f"tapete/1:seed::purpose:{block}".encode()).digest()
        words += [int.from_bytes(digest[at : at + 8], "big") for at in range(0, 32, 8)]
    kept = [word for word in words if word < n]
    assert 4 < len(kept) < 28
    stream = published_stream("seed", [], "purpose")
    assert [stream.below(n) for _ in kept] == kept


def test_published_deals_favour_no_card() -> None:
    """Over many deals every card lies on top, and at the bottom, equally often."""
    orders = [published_order("fair", [], deal, 1, 13) for deal in range(1, 2601)]
    for place in (0, 6, 12):
        assert chi_square(Counter(order[place] for order in orders), 13) < BOUND[13]


# ---------------------------------------------------------------------------------------------------- uniformity

# Chi-square values that chance exceeds once in ten thousand times. The seeds are fixed: a test passes always or never.
BOUND = {2: 15.1, 3: 18.4, 13: 39.1, 52: 97.2, 24: 57.1}


def chi_square(found: Counter[object], kinds: int) -> float:
    """How far the counts are from all being equal."""
    expected = found.total() / kinds
    return sum((found[kind] - expected) ** 2 for kind in found) / expected + expected * (kinds - len(found))


@pytest.mark.parametrize("n", [2, 3, 13, 52])
def test_numbers_are_equally_likely(n: int) -> None:
    """Every number below n is drawn, and none too often."""
    chance = Chance(f"uniform {n}")
    found = Counter(chance.number(n) for _ in range(400 * n))
    assert set(found) == set(range(n))
    assert chi_square(found, n) < BOUND[n]


def test_a_fair_number_is_not_a_product_alone() -> None:
    """With n at three quarters of 2^32, numbers that divide by 3 would come twice as often without rejection."""
    n = 3 << 30
    chance = Chance("rejection")
    assert chi_square(Counter(chance.number(n) % 3 for _ in range(6000)), 3) < BOUND[3]


def test_shuffles_are_equally_likely() -> None:
    """Every order of four cards comes equally often."""
    chance = Chance("orders")
    found = Counter(tuple(chance.shuffled([0, 1, 2, 3])) for _ in range(24 * 300))
    assert len(found) == 24
    assert chi_square(found, 24) < BOUND[24]


def test_a_shuffle_leaves_the_pack_alone() -> None:
    """What is shuffled is a copy."""
    pack = list(range(52))
    order = Chance("copy").shuffled(pack)
    assert pack == list(range(52)) == sorted(order) != order


# ---------------------------------------------------------------------------------------------------- streams


def test_the_generator_is_xoshiro256_plus_plus() -> None:
    """The published test vector: the first numbers from the state 1, 2, 3, 4."""
    state = [1, 2, 3, 4]
    assert [draw(state) for _ in range(10)] == [
        41943041,
        58720359,
        3588806011781223,
        3591011842654386,
        9228616714210784205,
        9973669472204895162,
        14011001112246962877,
        12406186145184390807,
        15849039046786891736,
        10450023813501588000,
    ]


def test_a_stream_begins_at_the_hash_of_its_seed() -> None:
    """The state is SHA-256 of the seed text as four big-endian words, in this build as in bits.py."""
    chance = Chance("año 41")
    state = list(struct.unpack(">4Q", hashlib.sha256("año 41".encode()).digest()))
    for n in [2, 3, 52, 1000, 3 << 30, (1 << 32) - 1] * 50:
        assert chance.number(n) == draw_below(state, n)


@pytest.mark.parametrize("n", [1 << 32, (1 << 32) + 1, 1 << 64, 10**30])
def test_numbers_may_be_of_any_size(n: int) -> None:
    """Counting deals takes more than 64 bits: every bit of a great number is drawn."""
    chance = Chance(f"great {n}")
    drawn = [chance.number(n) for _ in range(400)]
    assert 0 <= min(drawn) < n // 50
    assert n - n // 50 <= max(drawn) < n
    assert 130 < sum(number % 2 for number in drawn) < 270


def test_the_only_number_below_one_is_zero() -> None:
    """Drawing from one thing gives that thing."""
    assert [Chance("one").number(1) for _ in range(3)] == [0, 0, 0]


@pytest.mark.parametrize("n", [0, -1, -(1 << 40)])
def test_there_is_no_number_below_zero(n: int) -> None:
    """Drawing from nothing is a mistake of the caller, and not an endless loop."""
    with pytest.raises(ValueError, match="cannot be drawn"):
        Chance("none").number(n)


def test_the_same_seed_is_the_same_stream_and_another_is_not() -> None:
    """Simulations are repeated from their seed."""
    draws = [[Chance(seed).number(1 << 64) for _ in range(4)] for seed in ("a", "a", "b", "a ")]
    assert draws[0] == draws[1]
    assert len({tuple(each) for each in draws}) == 3
