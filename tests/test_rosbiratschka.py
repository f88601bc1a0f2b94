"""Rosbiratschka: what the open play of each contract proves of the hands, no more and no less; and the advice."""

import pytest

from engine.bits import bit
from engine.bots import rules_bot
from engine.chance import Chance
from engine.match import Match
from engine.rulesets.rosbiratschka import ROSBIRATSCHKA
from engine.rulesets.rosbiratschka.rules import CONTRACTS
from tests.hands import Order, possible, spreads
from tests.positions import SPECTATOR, one_of

MOST_UNSEEN = 5


def begun(contract: str, open_row: str, seats: int, source: Order) -> Match:
    """A match that begins with one deal of a contract."""
    options = ROSBIRATSCHKA.resolve(None, {"contracts": [contract], "open_row": open_row}, seats)
    match = Match(ROSBIRATSCHKA, options, seats, source)
    match.start()
    return match


@pytest.mark.parametrize("open_row", ["when_stuck", "any_time"])
@pytest.mark.parametrize("contract", CONTRACTS)
def test_the_open_play_allows_exactly_the_hands_that_could_have_played_so(contract: str, open_row: str) -> None:
    """Near the end every spread of the hidden cards is tried: it is allowed if and only if each move was legal."""
    chance = Chance(f"proofs of {contract} {open_row}")
    narrowed = 0
    for seats in (3, 4, 5, 6):
        size = len(ROSBIRATSCHKA.codec(None, seats).pack.cards)
        source = Order(chance.shuffled(list(range(size))))
        match = begun(contract, open_row, seats, source)
        moves: list[tuple[int, int]] = []
        while match.result is None and sum(match.observe(SPECTATOR).sizes) > MOST_UNSEEN:
            moves.append((match.to_move, one_of(chance, match.deal.legal_moves())))
            match.play(*moves[-1])
        seen = match.observe(SPECTATOR)
        if sum(seen.sizes) > MOST_UNSEEN:
            continue  # the deal ended before
        cannot = seen.cannot_hold()
        for hands in spreads(bit(size) - 1 & ~seen.seen(), seen.sizes):
            allowed = not any(hand & never for hand, never in zip(hands, cannot, strict=True))
            narrowed += not allowed
            assert allowed == possible(match, source, hands, moves), (hands, moves)
    assert narrowed or contract in ("hundred", "no_king_of_hearts")


@pytest.mark.parametrize("slam", ["bonus", "penalty"])
@pytest.mark.parametrize("contract", CONTRACTS)
def test_who_follows_the_advice_has_fewer_points_than_who_plays_by_chance(contract: str, slam: str) -> None:
    """One seat against others that play any card, in turn every seat of three to six, forty deals of each contract."""
    chance = Chance(f"advice for {contract}")
    advised = others = 0.0
    for deal in range(40):
        seats = 3 + deal % 4
        options = ROSBIRATSCHKA.resolve(None, {"contracts": [contract], "slam": slam}, seats)
        order = chance.shuffled(list(range(len(ROSBIRATSCHKA.codec(options, seats).pack.cards))))
        match = Match(ROSBIRATSCHKA, options, seats, Order(order))
        match.start()
        seat = deal // 4 % seats
        while match.result is None:
            seen = match.observe(match.to_move)
            move = rules_bot.choose(seen, chance, None).move if match.to_move == seat else one_of(chance, seen.moves)
            match.play(match.to_move, move)
        advised += match.totals[seat]
        others += (sum(match.totals) - match.totals[seat]) / (seats - 1)
    assert advised < 0.85 * others
