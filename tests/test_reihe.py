"""Reihe: what passes prove of the hands, what a log tells of proposals and money, and what the source advises."""

from typing import Any

import pytest

from engine.bits import bit
from engine.bots import rules_bot
from engine.chance import Chance, PublishedDeals
from engine.match import Match, resume
from engine.rulesets.reihe import REIHE
from engine.wire import Pass, Play
from tests.hands import Order, possible, spreads
from tests.positions import SPECTATOR, all_seen, one_of, order_that_deals, random_move

MOST_UNSEEN = 8


def begun(seats: int, source: Any, **options: Any) -> Match:
    """A match that has begun."""
    match = Match(REIHE, REIHE.resolve(None, options, seats), seats, source)
    match.voters = tuple(range(seats))
    match.start()
    return match


# ---------------------------------------------------------------------------------------------------- what passes prove


@pytest.mark.parametrize("deck", ["german_36", "spanish_40"])
@pytest.mark.parametrize("seats", [3, 4, 5, 7])
def test_the_passes_allow_exactly_the_hands_that_could_have_played_so(deck: str, seats: int) -> None:
    """Near the end every spread of the hidden cards is tried: it is allowed if and only if each move was legal."""
    chance = Chance(f"passes of {deck} {seats}")
    narrowed = 0
    for _ in range(4):
        size = len(REIHE.packs[deck].cards)
        source = Order(chance.shuffled(list(range(size))))
        match = begun(seats, source, deck=deck)
        moves: list[tuple[int, int]] = []
        while sum(match.observe(SPECTATOR).sizes) > MOST_UNSEEN and len(match.observe(SPECTATOR).places) < seats - 1:
            moves.append((match.to_move, one_of(chance, match.deal.legal_moves())))
            match.deal.play(moves[-1][1])
        seen = match.observe(SPECTATOR)
        if sum(seen.sizes) > MOST_UNSEEN:
            continue
        tried = spreads(seen.unseen(), seen.sizes)
        for hands in (one_of(chance, tried) for _ in range(150)):
            allowed = not any(hand & lacks for hand, lacks in zip(hands, seen.lacks, strict=True))
            narrowed += not allowed
            assert allowed == possible(match, source, hands, moves), (hands, moves)
    assert narrowed, "nothing was proved: choose longer deals"


# ---------------------------------------------------------------------------------------------------- the match's log


def test_a_log_with_proposals_and_fees_leads_to_the_same_match() -> None:
    """Kept at the start of a deal and replayed with its moves and proposals, a match has the same pot and target."""
    chance = Chance("proposals")
    match = begun(3, PublishedDeals("proposals", []), ante=31, pass_fee=7, target=None, max_deals=6)
    state, entries, deal = match.state(), [], match.number
    while match.result is None:
        if chance.number(10) == 0:
            entries.append((True, chance.number(3), 20 + chance.number(2)))
            match.propose(*entries[-1][1:])
        entries.append((False, match.to_move, random_move(match, chance)))
        match.play(*entries[-1][1:])
        again = resume(REIHE, match.options, 3, match.source, state)
        again.voters = match.voters
        for proposal, seat, value in entries:
            if proposal:
                again.propose(seat, value)
            else:
                again.replay(value)
        assert (all_seen(again), again.carried) == (all_seen(match), match.carried)
        assert sum(match.carried["balances"]) + match.carried["pot"] == 0
        if match.number > deal:
            state, entries, deal = match.state(), [], match.number
    assert match.carried["target"] in (20, 21)
    assert match.carried["pot"] == 0


def test_what_is_agreed_on_in_a_copy_stays_there() -> None:
    """A copied match has proposals of its own."""
    match = begun(2, PublishedDeals("copies", []))
    copy = match.copy()
    copy.propose(0, 30)
    copy.propose(1, 30)
    assert (copy.carried["target"], copy.observe(0).target) == (30, 30)
    assert (match.carried["target"], match.observe(0).target) == (15, 15)
    assert match.carried["target_proposals"] == [None, None]


# ---------------------------------------------------------------------------------------------------- the advice


def advised(hands: list[str], moves: str = "", **options: Any) -> str:
    """The card that the bot `rules` plays; hands are suits between dots, in the order of the pack, T for a ten."""
    options = {"deck": "german_36", "first_dealer": 1, **options}
    match = begun(len(hands), Order(list(range(len(REIHE.packs[options["deck"]].cards)))), **options)
    pack = match.codec.pack
    cards = [
        sum(
            bit(pack.number[f"{'10' if rank == 'T' else rank}-{suit}"])
            for suit, ranks in zip(pack.suits, hand.split("."), strict=True)
            for rank in ranks
        )
        for hand in hands
    ]
    match.deal.deal_out(order_that_deals(match, cards), match.dealer)
    for card in moves.split():
        match.deal.play(match.codec.decode(Pass() if card == "pass" else Play(card)))
    seen = match.observe(match.to_move)
    assert len(seen.moves) > 1
    return pack.cards[rules_bot.choose(seen, Chance(""), None).move]


def test_a_lone_start_card_is_held() -> None:
    """The ten of bells would only let others in."""
    hands = ["678T.68T.6.T", "9.79.789T.78", "UO.UO.UO.9UO", "KA.KA.KA.6KA"]
    assert advised(hands) != "10-bells"


def test_a_row_is_opened_where_one_holds_the_far_end() -> None:
    """Acorns from the 6 to the A wait for the others' cards; the leaves would help others only."""
    hands = ["6TA.T.6789.6", "789.678.T.78", "UO.9UO.UO.9T", "K.KA.KA.UOKA"]
    assert advised(hands) == "10-acorns"


def test_a_card_with_nothing_beyond_it_is_held() -> None:
    """The U of acorns opens the way for O, K and A of others; the 9 of leaves is followed by one's own 8, 7 and 6."""
    hands = ["U.6789.678.6", "TA.OKA.UOKA.", "6789.U.9.OKA", "OK.T.T.789TU"]
    assert advised(hands, "pass 10-leaves U-leaves 10-acorns") == "9-leaves"
