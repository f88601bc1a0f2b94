"""What holds in every ruleset, under every preset and option, at every position."""

import dataclasses
import sys
from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

import msgspec
import pytest

from engine import wire
from engine.bits import bit, members
from engine.cards import FAMILIES, SUITS
from engine.catalog import RULESETS
from engine.chance import Chance
from engine.codec import Codec
from engine.deal import NOT_IN_GAME, Deal, play_checked
from engine.errors import DealOver, IllegalMove, NotYourTurn
from engine.match import Match, MatchState, Ruleset, resume, reveal
from engine.sampling import place, spread
from tests.planted import with_deals
from tests.positions import (
    PRESETS,
    SPECTATOR,
    Record,
    again,
    all_seen,
    everyone,
    new_match,
    of_preset,
    one_of,
    played,
    random_move,
    random_options,
    random_seats,
    records,
    told,
    walk,
)
from tests.secrecy import card_of, hidden_cards_do_not_show, samples_look_real, view

each_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.name)


# ---------------------------------------------------------------------------------------------------- cards and moves


def hands_of(match: Match) -> list[int]:
    """The hand of every seat."""
    return [match.observe(seat).hand for seat in range(match.seats)]


def drawn(match: Match, event: Any, seat: int) -> int:
    """The set of the cards that an event tells a seat it drew."""
    card = getattr(reveal(match, event, seat), "card", None) if isinstance(event, wire.Drew) else None
    return bit(match.codec.pack.number[card]) if card else 0


@each_ruleset
def test_cards_come_into_a_hand_by_being_drawn_and_leave_it_by_being_played(ruleset: Ruleset) -> None:
    """At every position each card of the pack is in one hand, has been played, or is counted in the stock."""
    for record in records(ruleset, "conserved", 3000):
        number = on_table = 0
        match = again(record)
        match.start()
        for of_deal, seat, move in record.moves:
            if of_deal != number:
                number, on_table = of_deal, 0
            hands, public = hands_of(match), match.observe(SPECTATOR)
            assert public.sizes == [hand.bit_count() for hand in hands]
            assert public.hand == 0
            places = [card for place in (*hands, on_table) for card in members(place)]
            assert len(set(places)) == len(places) == len(match.codec.pack.cards) - public.stock
            card = card_of(match, move)
            on_table |= card
            hands[seat] &= ~card
            for event in match.play(seat, move):
                for each in range(match.seats):
                    hands[each] |= drawn(match, event, each)
            if match.number == number:
                assert hands_of(match) == hands


@each_ruleset
def test_a_seat_that_gets_no_cards_sees_what_a_spectator_sees(ruleset: Ruleset) -> None:
    """Whoever sits out a deal is told nothing else; and nobody is asked to move who does not play."""
    for match, _ in walk(ruleset, "sitting out", 3000):
        if match.to_move >= 0:
            assert match.observe(SPECTATOR).playing(match.to_move)
        for seat in set(range(match.seats)).difference(match.participants):
            assert not match.observe(SPECTATOR).playing(seat)
            assert view(match, match.observe(seat)) == view(match, match.observe(SPECTATOR))
            assert not match.observe(seat).hand
            assert not match.observe(seat).moves


def reason_against(match: Match, move: int) -> str:
    """Why the seat to move may not make a move, which must be refused."""
    try:
        play_checked(match.deal, match.to_move, move)
    except IllegalMove as refusal:
        return refusal.reason
    raise AssertionError(f"{move} was accepted, and is not in {match.deal.legal_moves()}")


@each_ruleset
def test_a_move_is_legal_exactly_if_it_is_listed(ruleset: Ruleset) -> None:
    """Each listed move can be played; any other is refused, with one of the reasons that the ruleset declares."""
    for match, _ in walk(ruleset, "legal", 3000):
        legal = match.deal.legal_moves()
        assert legal == sorted(set(legal))
        assert bool(legal) == (match.deal.to_move >= 0)
        for move in legal:
            deal = match.deal.copy()
            play_checked(deal, match.to_move, move)
            assert deal.observe(SPECTATOR).facts() != match.observe(SPECTATOR).facts()
        if legal:
            reasons = {
                move: reason_against(match, move) for move in {NOT_IN_GAME, *match.codec.moves}.difference(legal)
            }
            assert set(reasons.values()) <= set(ruleset.reasons)
            assert reasons[NOT_IN_GAME] == "not_in_this_game"


@each_ruleset
def test_a_reason_never_contradicts_what_is_seen(ruleset: Ruleset) -> None:
    """The common reasons come in their order: the type of the move has no place now, the card is not in the hand."""
    for match, _ in walk(ruleset, "why", 2500):
        if match.to_move < 0:
            continue
        hand, legal = match.observe(match.to_move).hand, match.deal.legal_moves()
        types = {type(match.codec.encode(move)) for move in legal}
        for move in set(match.codec.moves).difference(legal):
            reason = reason_against(match, move)
            assert reason != "not_in_this_game"
            if type(match.codec.encode(move)) in types:
                assert reason != "wrong_phase"
            if reason != "wrong_phase" and (card := card_of(match, move)):
                assert (reason == "card_not_in_hand") == (not card & hand)


@each_ruleset
def test_every_declared_reason_is_given_somewhere(ruleset: Ruleset) -> None:
    """A reason that no position gives would be a promise to clients that nobody keeps."""
    missing = set(ruleset.reasons)
    for match, _ in walk(ruleset, "reasons", 20000):
        if match.to_move >= 0:
            legal = match.deal.legal_moves()
            missing -= {reason_against(match, move) for move in {NOT_IN_GAME, *match.codec.moves}.difference(legal)}
        if not missing:
            return
    raise AssertionError(f"never given: {missing}")


@each_ruleset
def test_a_refused_move_changes_nothing(ruleset: Ruleset) -> None:
    """After every wrong move of every seat the position is what it was, and the match goes on as it would have."""
    for record in records(ruleset, "refused", 1500):
        match = again(record)
        match.start()
        for _, seat, move in record.moves:
            before = all_seen(match), match.state(), match.deals_played
            for attempt in {NOT_IN_GAME, *match.codec.moves}.difference(match.deal.legal_moves()):
                reason_against(match, attempt)
            for other in set(range(match.seats)) - {seat}:
                with pytest.raises(NotYourTurn):
                    match.play(other, move)
            assert (all_seen(match), match.state(), match.deals_played) == before
            match.play(seat, move)
        assert all_seen(match) == all_seen(record.match)
        assert match.result == record.match.result


@each_ruleset
def test_a_copy_goes_its_own_way(ruleset: Ruleset) -> None:
    """A copied deal is the same position, and what is played in it does not touch the original."""
    for match, chance in walk(ruleset, "copies", 300):
        before = [match.observe(seat).facts() for seat in everyone(match)]
        copy = match.deal.copy()
        assert [copy.observe(seat).facts() for seat in everyone(match)] == before
        while copy.to_move >= 0:
            copy.play(one_of(chance, copy.legal_moves()))
        assert [match.observe(seat).facts() for seat in everyone(match)] == before


# ---------------------------------------------------------------------------------------------------- moves as JSON


def codecs(ruleset: Ruleset) -> list[Codec]:
    """The moves as JSON under every preset, and under options drawn, for every number of seats."""
    chance = Chance("codecs")
    tables = range(ruleset.seats[0], ruleset.seats[1] + 1)
    options = [(seats, ruleset.resolve(preset, {}, seats)) for preset in ruleset.presets for seats in tables]
    options += [(seats, random_options(ruleset, seats, chance)) for seats in tables]
    return [ruleset.codec(each, seats) for seats, each in options]


@each_ruleset
def test_every_move_survives_json(ruleset: Ruleset) -> None:
    """Each move of the table is told as one JSON object of a declared type, and that is read as the same move."""
    for codec in codecs(ruleset):
        texts = {move: msgspec.json.encode(codec.encode(move)) for move in codec.moves}
        assert len(set(texts.values())) == len(texts)
        for move, text in texts.items():
            read = msgspec.json.decode(text, type=wire.Move)
            assert 0 <= move < 128
            assert isinstance(read, ruleset.move_types)
            assert codec.decode(read) == move


@each_ruleset
def test_every_legal_move_is_in_the_table(ruleset: Ruleset) -> None:
    """What the rules list can be told as JSON."""
    for match, _ in walk(ruleset, "table", 1000):
        assert match.codec.moves.keys() >= set(match.deal.legal_moves())


@each_ruleset
def test_a_deal_has_the_cards_that_its_options_name(ruleset: Ruleset) -> None:
    """The catalogue shows the pack of each preset, and the moves are those of the pack that is dealt."""
    for preset in ruleset.presets:
        for seats in range(ruleset.seats[0], ruleset.seats[1] + 1):
            pack = ruleset.codec(ruleset.resolve(preset, {}, seats), seats).pack
            assert dataclasses.replace(pack, extra=()) in ruleset.packs.values()
    for match, _ in walk(ruleset, "packs", 300):
        assert match.deal.size == len(match.codec.pack.cards)


@each_ruleset
def test_what_the_game_does_not_have_is_not_in_the_game(ruleset: Ruleset) -> None:
    """Cards, suits and move types of other games are well-formed, and decoded as NOT_IN_GAME."""
    all_cards = {f"{rank}-{suit}" for suits, ranks in FAMILIES for suit, rank in product(suits, ranks)}
    for codec in codecs(ruleset):
        assert all_cards > set(codec.pack.cards)
        for card in all_cards:
            assert (codec.decode(wire.Play(card)) >= 0) == (card in codec.pack.number)
        for suit in SUITS:
            named = wire.Trump in ruleset.move_types and suit in codec.pack.suits
            assert (codec.decode(wire.Trump(suit)) >= 0) == named
        for move in (wire.Pass(), wire.Draw(), wire.EndTurn(), wire.Bid(0)):
            assert (codec.decode(move) >= 0) == isinstance(move, ruleset.move_types)


@each_ruleset
@pytest.mark.parametrize("amount", [-(10**30), -1, 0, 41, 62, 63, 64, 127, 128, 10**30])
def test_any_integer_is_a_well_formed_bid(ruleset: Ruleset, amount: int) -> None:
    """A bid that no deal allows is a bid all the same: the rules refuse it, not the decoder."""
    for match, _ in walk(ruleset, "bids", 60):
        move = match.codec.decode(wire.Bid(amount))
        if wire.Bid in ruleset.move_types:
            assert isinstance(match.codec.encode(move), wire.Bid)
        else:
            assert move == NOT_IN_GAME
        assert move not in match.deal.legal_moves()


# ---------------------------------------------------------------------------------------------------- replay


@each_ruleset
def test_replay_equals_play(ruleset: Ruleset) -> None:
    """From the kept start of the running deal and the moves since come the same positions, views and events."""
    for record in records(ruleset, "replay", 1500):
        match = again(record)
        match.start()
        for at, (number, seat, move) in enumerate(record.moves):
            if at == record.states[number][1]:
                state = msgspec.json.decode(msgspec.json.encode(match.state()), type=MatchState)
                same = resume(ruleset, match.options, match.seats, match.source, state)
                quick = resume(ruleset, match.options, match.seats, match.source, state)
            assert all_seen(same) == all_seen(match)
            events, others = match.play(seat, move), same.play(seat, move)
            for each in everyone(match):
                assert told(match, events, each) == told(same, others, each)
            quick.replay(move)
            assert all_seen(quick) == all_seen(match)
        assert match.result == same.result == quick.result is not None


@each_ruleset
def test_a_kept_state_stays_as_it_was(ruleset: Ruleset) -> None:
    """What the match goes on to do does not reach into a state that was kept before."""
    for record in records(ruleset, "states", 500):
        match = again(record)
        match.start()
        kept: dict[int, tuple[MatchState, bytes]] = {}
        for number, seat, move in record.moves:
            if number not in kept:
                kept[number] = match.state(), msgspec.json.encode(match.state())
            match.play(seat, move)
        assert [msgspec.json.encode(state) for state, _ in kept.values()] == [text for _, text in kept.values()]


@each_ruleset
def test_events_tell_the_match(ruleset: Ruleset) -> None:
    """Whoever adds up the events knows the deals, the dealers, the totals and the end, as the match has them."""
    common = (wire.GameStarted, wire.Redealt, wire.Dealt, wire.AllPassed, wire.DealScored, wire.GameOver)
    for record in records(ruleset, "events", 3000):
        match = again(record)
        events = match.start()
        totals, deals, over = [0] * match.seats, 0, None
        for _, seat, move in [*record.moves, (0, 0, 0)]:
            for event in events:
                assert isinstance(event, (*common, *ruleset.events))
                assert over is None, "something happened after the end"
                if isinstance(event, wire.Dealt):
                    deals, dealt = deals + 1, event
                over = event if isinstance(event, wire.GameOver) else None
                totals = getattr(event, "totals", totals)
            assert (dealt.deal, dealt.attempt, dealt.dealer) == (match.number, match.attempt, match.dealer)
            assert (totals, deals) == (match.totals, match.number)
            if over is None:
                events = match.play(seat, move)
        assert over == wire.GameOver(match.result.winners, match.result.scores, match.result.reason)


# ---------------------------------------------------------------------------------------------------- scores, the end


def tarneeb_conserves(match: Match, before: list[int]) -> None:
    """Thirteen tricks, forty points, partners alike, and totals that grow by what was scored and not discarded."""
    record = match.last_deal
    assert sum(record.tricks_taken) == (0 if record.all_passed else 13)
    if match.options.scoring == "points":
        assert sum(record.points_taken) == (0 if record.all_passed else 40)
    else:
        assert record.points_taken is None
    assert record.scores[:2] == record.scores[2:]
    for seat in range(4):
        assert match.totals[seat] == before[seat] + record.scores[seat] - record.discarded[seat & 1]


def reihe_conserves(match: Match, before: list[int]) -> None:
    """Every seat has a place, and scores what the place is worth; the money is all there."""
    record, seats = match.last_deal, match.seats
    assert sorted(record.places) == list(range(seats))
    worth = (
        [seats + 1, *range(1 - seats, 0)]
        if match.options.scoring == "as_printed"
        else [seats + 1, *range(seats - 1, 0, -1)]
    )
    assert [record.scores[seat] for seat in record.places] == worth
    assert match.totals == list(map(int.__add__, before, record.scores))


def elfer_raus_conserves(match: Match, before: list[int]) -> None:
    """Whoever is out scores nothing, whoever holds cards something, and whoever sits out nothing."""
    record = match.last_deal
    played = [seat for seat, score in enumerate(record.scores) if score > 0]
    assert record.winner not in played
    assert match.totals == list(map(int.__add__, before, record.scores))


def rosbiratschka_conserves(match: Match, before: list[int]) -> None:
    """Every contract gives away eight points, or as many as there are hearts; a slam takes or gives eight."""
    record = match.last_deal
    points = 9 if record.contract == "no_hearts" and match.seats > 4 else 8
    if record.slam is not None:
        points = -8 if match.options.slam == "bonus" else 8
        assert record.scores[record.slam] == points
    assert sum(record.scores) == points * (2 if record.doubled else 1)
    assert match.totals == list(map(int.__add__, before, record.scores))


CONSERVES: dict[str, Callable[[Match, list[int]], None]] = {
    "tarneeb": tarneeb_conserves,
    "reihe": reihe_conserves,
    "elfer_raus": elfer_raus_conserves,
    "rosbiratschka": rosbiratschka_conserves,
}


@each_ruleset
def test_scores_conserve_what_the_game_conserves(ruleset: Ruleset) -> None:
    """After every deal the record adds up, and so do the totals, which nothing else changes; money is never lost."""
    for record in records(ruleset, "scores", 10000):
        match = again(record)
        match.start()
        for _, seat, move in record.moves:
            before, deals = list(match.totals), match.deals_played
            match.play(seat, move)
            if match.deals_played > deals:
                CONSERVES[ruleset.name](match, before)
                assert match.last_deal.totals == match.totals
            else:
                assert match.totals == before
            public = ruleset.match_view(match)
            if (balances := getattr(public, "balances", None)) is not None:
                assert sum(balances) + public.pot == 0


ENDS: dict[str, tuple[Callable[[list[int]], int], set[str]]] = {
    "tarneeb": (max, {"target", "full_bid", "max_deals"}),
    "reihe": (max, {"target", "max_deals"}),
    "elfer_raus": (min, {"penalty_limit", "rounds", "extra_deal", "max_deals"}),
    "rosbiratschka": (min, {"contracts"}),
}
"""Which total is the best, and how a match can end."""


def ends(record: Record) -> None:
    """The match is over, says who has won and why, and nobody can move any more."""
    match, result = record.match, record.match.result
    assert result is not None
    assert result.reason in ENDS[match.ruleset.name][1]
    assert result.winners
    assert result.winners == sorted(set(result.winners))
    assert result.scores == match.totals
    best = ENDS[match.ruleset.name][0](match.totals)
    leaders = [seat for seat in range(match.seats) if match.totals[seat] == best]
    if result.reason == "extra_deal":
        assert result.winners == [match.last_deal.winner]
    elif result.reason != "full_bid":
        assert result.winners == leaders or match.ruleset.name == "tarneeb"
    assert match.deals_played == match.number
    assert match.to_move == -1
    for seat in range(match.seats):
        with pytest.raises(DealOver):
            match.play(seat, record.moves[-1][2])


@each_ruleset
def test_every_match_ends(ruleset: Ruleset) -> None:
    """Under any options a match ends within its bound on deals, by the bound if by nothing else."""
    reasons = set()
    for record in records(ruleset, "ends", 8000):
        ends(record)
        match = record.match
        bound = getattr(match.options, "max_deals", None)
        assert bound is None or match.deals_played <= bound
        if match.result.reason == "max_deals":
            assert match.deals_played == bound
        reasons.add(match.result.reason)
    assert len(reasons) >= min(2, len(ENDS[ruleset.name][1])), "matches end in more ways than one, where there are more"


@pytest.mark.parametrize("pair", PRESETS, ids=of_preset)
def test_every_preset_ends(pair: tuple[Ruleset, str]) -> None:
    """A match of a preset ends with all its defaults, however badly it is played, and its last event says how."""
    ruleset, preset = pair
    chance = Chance(f"{preset} ends")
    for _ in range(3):
        seats = random_seats(ruleset, chance)
        ends(played(new_match(ruleset, chance, seats, ruleset.resolve(preset, {}, seats)), chance))
    match = new_match(ruleset, chance, seats, ruleset.resolve(preset, {}, seats))
    events = match.start()
    assert isinstance(events[0], wire.GameStarted)
    while match.result is None:
        assert not isinstance(events[-1], wire.GameOver) if events else True
        events = match.play(match.to_move, random_move(match, chance))
    assert events[-1] == wire.GameOver(match.result.winners, match.result.scores, match.result.reason)


# ---------------------------------------------------------------------------------------------------- secrecy


@each_ruleset
def test_a_sampled_deal_looks_like_the_real_one(ruleset: Ruleset) -> None:
    """To the seat that sampled it, at every position and from the start of a deal; and it could have been played."""
    assert samples_look_real(ruleset, 10000) >= 10000


BOUNDARIES = {"a deal begins", "a deal is about to end", "the next deal"}
CONTRACTS = {"no_tricks", "no_unters", "no_hearts", "no_king_of_hearts", "hundred", "rosbiratschka"}
SITUATIONS = {
    "tarneeb": {"auction", "trump", "play", "a deal ago", "the match is over"},
    "reihe": {"play"},  # a deal ends with one hand left at most, which everyone can place
    "rosbiratschka": {*CONTRACTS, "a deal ago", "the match is over"},
    "elfer_raus": {
        *("a stock card for a hand's", "two stock cards", "somebody sits out", "the reader sits out"),
        *("a deal ago", "the match is over"),
    },
}
"""What positions with hidden cards can be like, beside the ends and beginnings of deals that every game has."""


@each_ruleset
def test_hidden_cards_do_not_show(ruleset: Ruleset) -> None:
    """Exchanging two cards that a seat cannot place leaves what it sees, is told, is answered and samples the same."""
    situations: Counter[str] = Counter()
    assert hidden_cards_do_not_show(ruleset, 10000, situations) >= 10000
    expected = SITUATIONS[ruleset.name] | BOUNDARIES
    assert situations.keys() >= expected, f"never compared: {expected - situations.keys()}"
    assert all(situations[each] >= 50 for each in BOUNDARIES)


def others(deal: Deal, seat: int) -> list[int]:
    """The hands that a seat does not see."""
    return [deal.observe(other).hand for other in range(deal.seats) if other != seat]


def leak_in_the_view(ruleset: Ruleset) -> Ruleset:
    """The deal's view tells whether the next seat holds card 0."""

    def view(seen: Any, match: Match) -> Any:
        holds = match.deal.observe((seen.seat + 1) % match.seats).hand & 1
        return [ruleset.deal_view(seen, match), holds]

    return dataclasses.replace(ruleset, deal_view=view)


def leak_of_the_next_deal(ruleset: Ruleset) -> Ruleset:
    """The deal's view tells which card will be on top of the next pack."""

    def view(seen: Any, match: Match) -> Any:
        return [ruleset.deal_view(seen, match), match.source.order(match.number + 1, 1, match.deal.size)[0]]

    return dataclasses.replace(ruleset, deal_view=view)


def leak_at_the_start_of_a_deal(ruleset: Ruleset) -> Ruleset:
    """Before the first move of a deal its view tells a seat the next one's hand."""

    def view(seen: Any, match: Match) -> Any:
        untouched = sum(seen.sizes) + seen.stock == match.deal.size
        return [ruleset.deal_view(seen, match), untouched and match.deal.observe((seen.seat + 1) % match.seats).hand]

    return dataclasses.replace(ruleset, deal_view=view)


def leak_in_an_event(ruleset: Ruleset) -> Ruleset:
    """Every move comes with the number of low cards in the hands."""

    def happened(match: Match, before: Any, move: int) -> Any:
        return [*ruleset.happened(match, before, move), [hand & 0xFF for hand in others(match.deal, SPECTATOR)]]

    return dataclasses.replace(ruleset, happened=happened)


def leak_in_an_error(ruleset: Ruleset) -> Ruleset:
    """The reason against a move is another if somebody else holds that card."""

    def why_not(deal: Any, move: int) -> str:
        honest: str = deal.why_not(move)
        return f"{honest} indeed" if others(deal, deal.to_move)[0] >> move & 1 else honest

    return with_deals(ruleset, why_not=why_not)


class Peeking:
    """An observation that samples by looking at the real deal."""

    def __init__(self, observation: Any, deal: Any) -> None:
        self.observation = observation
        self.deal = deal

    def __getattr__(self, name: str) -> Any:
        return getattr(self.observation, name)

    def sample(self, _chance: Chance) -> Any:
        """The deal as it is."""
        return self.deal.copy()


def leak_in_the_sampler(ruleset: Ruleset) -> Ruleset:
    """Observations keep the deal that they were made of."""
    return with_deals(ruleset, observe=lambda deal, seat: Peeking(deal.observe(seat), deal))


LEAKS = [
    (leak_in_the_view, "a view tells"),
    (leak_of_the_next_deal, "a view tells"),
    (leak_at_the_start_of_a_deal, "a view tells"),
    (leak_in_an_event, "an event tells"),
    (leak_in_an_error, "an answer tells"),
    (leak_in_the_sampler, "an answer tells"),
]


@each_ruleset
@pytest.mark.parametrize(("leak", "found"), LEAKS, ids=lambda value: getattr(value, "__name__", ""))
def test_a_planted_leak_is_found(ruleset: Ruleset, leak: Callable[[Ruleset], Ruleset], found: str) -> None:
    """A leak planted on purpose makes the exchange of hidden cards show."""
    with pytest.raises(AssertionError, match=found):
        hidden_cards_do_not_show(leak(ruleset), 10000)


OPEN_ENDED = [each for each in RULESETS if "the match is over" in SITUATIONS[each.name]]


@pytest.mark.parametrize("ruleset", OPEN_ENDED, ids=lambda ruleset: ruleset.name)
def test_hands_that_open_at_the_end_are_found(ruleset: Ruleset) -> None:
    """No view opens a hand when the match is over."""

    def view(seen: Any, match: Match) -> Any:
        return [ruleset.deal_view(seen, match), match.result and others(match.deal, seen.seat)]

    with pytest.raises(AssertionError, match="a view tells"):
        hidden_cards_do_not_show(dataclasses.replace(ruleset, deal_view=view), 10000)


@each_ruleset
def test_a_sampler_that_forgets_is_found(ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sampler that forgets what the open play has proved makes deals that cannot have been played."""

    def forgetful(sampler: Callable[..., list[int]]) -> Callable[..., list[int]]:
        return lambda chance, unseen, cannot, *bounds: sampler(chance, unseen, [0] * len(cannot), *bounds)

    for name, module in list(sys.modules.items()):
        if name.startswith(f"engine.rulesets.{ruleset.name}."):
            for sampler in (spread, place):
                if hasattr(module, sampler.__name__):
                    monkeypatch.setattr(module, sampler.__name__, forgetful(sampler))
    with pytest.raises(AssertionError, match="cannot have been played"):
        samples_look_real(ruleset, 10000)
