"""Deals played out by chance: what counts as one."""

import pytest

from engine.catalog import RULESETS, find
from engine.chance import Chance, PublishedDeals
from engine.match import Match, Ruleset
from engine.playouts import random_deals
from tests.positions import new_match

ELFER_RAUS = find("elfer_raus")
SMALLEST = {"colours": 3, "max_number": 10}
"""With six seats one deal in eighteen leaves all three start cards in the stock."""


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.name)
def test_a_misdeal_is_a_deal_in_which_nobody_is_to_move(ruleset: Ruleset) -> None:
    """Compiled code does not know the rulesets' `misdealt`; to it, a deal that cannot begin is one."""
    chance = Chance("misdeals")
    misdeals = 0
    for number in range(400):
        match = new_match(ruleset, chance)
        if ruleset is ELFER_RAUS and number % 2:
            match = new_match(ruleset, chance, 6, ruleset.resolve(None, SMALLEST, 6))
        match.start()
        deal = ruleset.deal(match)
        deal.deal_out(chance.shuffled(list(range(deal.size))), chance.number(match.seats))
        assert ruleset.misdealt(deal) == (deal.to_move < 0)
        misdeals += ruleset.misdealt(deal)
    assert (misdeals > 0) == (ruleset is ELFER_RAUS)


def test_a_misdeal_is_dealt_again_and_counts_for_nothing() -> None:
    """Every deal that a tally counts has been played to its end: a winner with nothing left, and all others with."""
    match = Match(ELFER_RAUS, ELFER_RAUS.resolve(None, SMALLEST, 6), 6, PublishedDeals("again", []))
    match.start()
    chance = Chance("again")
    redeals = 0
    for _ in range(1000):
        tally = random_deals(match.deal, chance, 1)
        assert tally.deals == 1
        assert sum(score > 0 for score in tally.scores(6)) == 5
        assert tally.moves >= 3
        redeals += tally.redeals
    assert 20 < redeals < 100


def test_a_tally_adds_up_what_its_deals_came_to() -> None:
    """Many deals at once come to what they come to one by one, from the same stream of chance."""
    match = Match(ELFER_RAUS, ELFER_RAUS.resolve(None, SMALLEST, 6), 6, PublishedDeals("sums", []))
    match.start()
    chance = Chance("sums")
    single = [random_deals(match.deal, chance, 1) for _ in range(200)]
    at_once = random_deals(match.deal, Chance("sums"), 200)
    assert at_once.deals == 200
    assert at_once.moves == sum(tally.moves for tally in single)
    assert at_once.redeals == sum(tally.redeals for tally in single) > 0
    assert at_once.scores(6) == [sum(scores) for scores in zip(*(tally.scores(6) for tally in single), strict=True)]
