"""Tricks: following suit, who takes, and what the open play proves.

The plain form is tested here card by card; tests/test_builds.py holds that the compiled one is the same, and the
random deals below are played on whichever build runs.
"""

from typing import Any

import pytest

from engine.bits import bit, members
from engine.cards import FRENCH_ACE_HIGH
from engine.chance import Chance, PublishedDeals
from engine.match import Match
from engine.rulesets.tarneeb import TARNEEB
from tests.plain import plain

RANKS = 13
SUITS = (RANKS,) * 4
CLOCKWISE, COUNTERCLOCKWISE = 1, 3


TRICKS = plain("tricks")


def numbers(cards: str) -> list[int]:
    """The numbers of cards written like `A-spades K-hearts`."""
    return [FRENCH_ACE_HIGH.number[card] for card in cards.split()]


def tricks(cards: str, *, leader: int = 0, trump: str | None = None, step: int = CLOCKWISE, seats: int = 4) -> Any:
    """Cards played one after the other, seats taking their turns as the tricks demand."""
    played = TRICKS.Tricks(seats, SUITS, step)
    played.clear(leader)
    if trump:
        played.name_trump(FRENCH_ACE_HIGH.number[f"A-{trump}"])
    seat = leader
    for card in numbers(cards):
        taker = played.add(seat, card)
        seat = taker if taker >= 0 else (seat + step) % seats
    return played


# ---------------------------------------------------------------------------------------------------- who takes


@pytest.mark.parametrize(
    ("cards", "trump", "taker"),
    [
        ("2-spades 5-spades A-spades K-spades", None, 2),
        ("A-spades 2-spades 3-spades 4-spades", None, 0),
        ("2-spades A-hearts A-diamonds A-clubs", None, 0),
        ("2-spades A-hearts 3-spades A-clubs", None, 2),
        ("A-spades 2-hearts K-spades Q-spades", "hearts", 1),
        ("A-spades 2-hearts K-spades 3-hearts", "hearts", 3),
        ("A-spades 3-hearts K-spades 2-hearts", "hearts", 1),
        ("2-hearts A-spades A-clubs 3-hearts", "hearts", 3),
        ("2-spades A-diamonds 3-spades A-clubs", "hearts", 2),
    ],
)
def test_the_highest_trump_takes_the_trick_else_the_highest_of_the_suit_led(
    cards: str, trump: str | None, taker: int
) -> None:
    """Only trumps and the suit led can take; a higher card of another suit is thrown away."""
    played = tricks(cards, trump=trump)
    assert played.taker_of(0) == taker
    assert played.leader == taker
    assert [played.taken_by(seat) for seat in range(4)] == [int(seat == taker) for seat in range(4)]


def test_a_trick_is_taken_when_its_last_card_is_laid() -> None:
    """Until then nobody has it, and the leader stays the leader."""
    played = TRICKS.Tricks(4, SUITS, CLOCKWISE)
    played.clear(2)
    turns = zip((2, 3, 0, 1), numbers("2-spades A-spades 3-spades 4-spades"), strict=True)
    assert [played.add(seat, card) for seat, card in turns] == [-1, -1, -1, 3]


@pytest.mark.parametrize(("step", "order"), [(CLOCKWISE, [2, 3, 0, 1]), (COUNTERCLOCKWISE, [2, 1, 0, 3])])
def test_a_trick_goes_round_in_the_direction_of_play(step: int, order: list[int]) -> None:
    """The record names the seat of each card, in order of play."""
    played = tricks("2-spades 3-spades 4-spades 5-spades", leader=2, step=step)
    assert [seat for seat, _ in played.trick(0)] == order
    assert [card for _, card in played.trick(0)] == numbers("2-spades 3-spades 4-spades 5-spades")


def test_the_taker_leads_and_the_running_trick_is_last_in_the_record() -> None:
    """One finished trick and two cards of the next."""
    played = tricks("2-spades A-spades 3-spades 4-spades 5-hearts 6-hearts")
    assert [[seat for seat, _ in trick] for trick in played.record()] == [[0, 1, 2, 3], [1, 2]]
    assert played.seen() == sum(map(bit, numbers("2-spades A-spades 3-spades 4-spades 5-hearts 6-hearts")))


def test_three_can_play_tricks_too() -> None:
    """The number of seats is the game's."""
    played = tricks("2-spades A-spades 3-spades 2-hearts 3-hearts 4-hearts", seats=3)
    assert [played.taker_of(0), played.taker_of(1)] == [1, 0]


def test_suits_may_be_of_unequal_length() -> None:
    """A suit ends where its last card does: of nine and eight cards, the ninth is of the first suit."""
    played = TRICKS.Tricks(3, (9, 8), CLOCKWISE)
    played.clear(0)
    assert [played.add(seat, card) for seat, card in ((0, 7), (1, 9), (2, 8))] == [-1, -1, 2]
    assert played.cannot_hold() == [0, sum(map(bit, range(9))), 0]
    assert played.copy().add(2, 16) == -1
    assert played.copy().record() == played.record()


# ---------------------------------------------------------------------------------------------------- following suit


def test_the_suit_led_must_be_followed_and_nothing_before_the_lead() -> None:
    """`led` is the whole suit of the first card, and empty when a new trick begins."""
    hearts = sum(bit(card) for card in range(13, 26))
    assert tricks("5-hearts").led == hearts
    assert tricks("5-hearts A-clubs 2-hearts").led == hearts
    assert tricks("5-hearts A-clubs 2-hearts 3-hearts").led == 0
    assert tricks("").led == 0


def test_who_does_not_follow_shows_that_he_cannot() -> None:
    """A discard or a trump shows a void of the suit led, for good, and of nothing else."""
    played = tricks("A-spades 2-hearts K-spades 3-clubs 5-diamonds 6-diamonds 7-diamonds 8-hearts", trump="hearts")
    suits = {suit: sum(bit(13 * at + rank) for rank in range(13)) for at, suit in enumerate(FRENCH_ACE_HIGH.suits)}
    assert played.taker_of(0) == 1
    assert played.cannot_hold() == [suits["diamonds"], suits["spades"], 0, suits["spades"]]


def test_a_copy_goes_its_own_way() -> None:
    """Cards laid in a copy are not laid in the original."""
    played = tricks("A-spades 2-spades 3-spades 4-spades 5-hearts 6-hearts", trump="hearts")
    copy = played.copy()
    assert copy.record() == played.record()
    assert copy.add(2, numbers("A-hearts")[0]) == -1
    assert copy.add(3, numbers("7-hearts")[0]) == 2
    assert copy.taker_of(1) == 2
    assert (played.completed, played.in_trick, played.leader) == (1, 2, 0)
    assert played.seen() == copy.seen() & ~bit(numbers("A-hearts")[0]) & ~bit(numbers("7-hearts")[0])


def test_cleared_tricks_are_forgotten() -> None:
    """A new deal starts without trumps, tricks or cards."""
    played = tricks("A-spades 2-spades 3-spades 4-spades 5-hearts", trump="hearts")
    played.clear(3)
    assert (played.record(), played.seen(), played.trumps, played.led, played.leader) == ([], 0, 0, 0, 3)
    assert [played.taken_by(seat) for seat in range(4)] == [0, 0, 0, 0]


# ---------------------------------------------------------------------------------------------------- whole deals


def naive_taker(trick: list[tuple[int, int]], trump: int) -> int:
    """Who takes a trick, said as the rulebook says it."""
    trumps = [(card, seat) for seat, card in trick if card // RANKS == trump]
    followers = [(card, seat) for seat, card in trick if card // RANKS == trick[0][1] // RANKS]
    return max(trumps or followers)[1]


def test_random_deals_go_as_the_rulebook_says() -> None:
    """Takers, leaders, voids and the cards that may be played, against a second telling of the rules."""
    chance = Chance("tricks")
    options = TARNEEB.resolve(None, {}, 4)
    deal = TARNEEB.deal(Match(TARNEEB, options, 4, PublishedDeals("tricks", [])))
    for _ in range(60):
        deal.deal_out(chance.shuffled(list(range(52))), chance.number(4))
        hands = [set(members(deal.observe(seat).hand)) for seat in range(4)]
        voids: list[set[int]] = [set(), set(), set(), set()]
        running: list[tuple[int, int]] = []
        while deal.to_move >= 0:
            seat, legal = deal.to_move, deal.legal_moves()
            move = legal[chance.number(len(legal))]
            if deal.observe(seat).phase == 2:
                suit = running[0][1] // RANKS if running else -1
                follow = {card for card in hands[seat] if card // RANKS == suit}
                assert set(legal) == (follow or hands[seat])
                if running and move // RANKS != suit:
                    voids[seat] |= set(range(suit * RANKS, suit * RANKS + RANKS))
                hands[seat].remove(move)
                running.append((seat, move))
            deal.play(move)
            seen = deal.observe(-1)
            assert [set(members(cards)) for cards in seen.tricks.cannot_hold()] == voids
            if len(running) == 4:
                assert seen.tricks.record()[-1] == running
                assert seen.tricks.taker_of(seen.tricks.completed - 1) == naive_taker(running, seen.auction.trump)
                assert deal.to_move in (seen.tricks.leader, -1)
                running = []
