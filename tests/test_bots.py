"""What the bots do: any legal move by what their seat knows, and in each game what people advise."""

from typing import Any

import pytest

from engine.bots import BOTS, Bot, find
from engine.bots.tarneeb_bidding import SCALES, best_trump
from engine.cards import FRENCH_ACE_HIGH
from engine.catalog import RULESETS
from engine.chance import Chance
from engine.match import Ruleset
from engine.rulesets.tarneeb import TARNEEB
from engine.rulesets.tarneeb.rules import MOVES, TarneebDeal
from engine.rulesets.tarneeb.view import CODEC
from engine.simulation.plans import Entrant, plan, plan_comparison
from engine.simulation.statistics import summarise
from tests.positions import PRESETS, of_preset, random_options, seats_in_turn, walk
from tests.simulation.tables import RANDOM, tally
from tests.test_rules import hand as in_full
from tests.test_rules import items, parse, written

each_bot = pytest.mark.parametrize("bot", BOTS, ids=lambda bot: bot.name)
RULES = find("rules")
PASS = 56
SETS = {"tarneeb": 25, "reihe": 150, "elfer_raus": 800, "rosbiratschka": 100}
"""How many sets it takes to tell; the closer a game is to luck, the more."""


# ---------------------------------------------------------------------------------------------------- every bot


@each_bot
def test_a_bot_always_chooses_a_legal_move(bot: Bot) -> None:
    """At any position of any ruleset, whoever led to it: here chance, under drawn options."""
    for ruleset in RULESETS:
        for match, chance in walk(ruleset, f"legal {bot.name}", 3000):
            if match.to_move >= 0:
                seen = match.observe(match.to_move)
                assert bot.choose(seen, chance, None).move in seen.moves


@each_bot
def test_a_bot_plays_whole_deals_with_itself(bot: Bot) -> None:
    """The positions that it brings about itself are other ones; a simulation lets no illegal move pass."""
    chance = Chance("options of whole deals")
    for ruleset in RULESETS:
        for number in range(40):
            seats = seats_in_turn(ruleset, number)
            options = random_options(ruleset, seats, chance)
            table = plan(ruleset, options, [Entrant(bot)] * seats, unit="deals", duplicate=False, seed="itself")
            assert tally(table, number, 1)["games"] == 1


@each_bot
def test_a_bot_decides_by_what_its_seat_knows(bot: Bot) -> None:
    """In another deal that the seat cannot tell from this one it chooses the same."""
    for ruleset in RULESETS:
        for match, chance in walk(ruleset, f"knows {bot.name}", 1000):
            if match.to_move >= 0:
                seen = match.observe(match.to_move)
                other = seen.sample(chance).observe(match.to_move)
                assert bot.choose(seen, Chance("same"), None) == bot.choose(other, Chance("same"), None)


# ---------------------------------------------------------------------------------------------------- Tarneeb


def seen_with(hand: str, moves: str = "", *, first: int = 0, preset: str = "tarneeb_31", **options: Any) -> Any:
    """What seat 0 sees that was dealt this hand, after these moves; seat `first` speaks first.

    The other hands hold the cards that they play, and for the rest what comes: nothing depends on it.
    """
    mine = {FRENCH_ACE_HIGH.number[card]: 0 for card in in_full(hand, FRENCH_ACE_HIGH)}
    owners: dict[int, int] = {}
    while True:
        deal = TarneebDeal(TARNEEB.resolve(preset, options, 4))
        deal.deal_out(order_of({**owners, **mine}, dealer=(first + 1) % 4), (first + 1) % 4)
        for move in (parse(item, CODEC) for item in items(moves, CODEC)):
            if move < 52 and not deal.observe(deal.to_move).hand >> move & 1:
                assert move not in {**owners, **mine}, f"{moves}: another seat holds {FRENCH_ACE_HIGH.cards[move]}"
                owners[move] = deal.to_move
                break
            deal.play(move)
        else:
            return deal.observe(0)


def order_of(owners: dict[int, int], dealer: int) -> list[int]:
    """An order of the pack that deals these cards to these seats, and the rest as it comes."""
    hands: list[list[int]] = [[card for card, owner in owners.items() if owner == seat] for seat in range(4)]
    rest = [card for card in range(52) if card not in owners]
    for hand in hands:
        while len(hand) < 13:
            hand.append(rest.pop())
    return [hands[(dealer - 1 - index) % 4][index // 4] for index in range(52)]


def answer(hand: str, moves: str = "", **given: Any) -> str:
    """What the bot `rules` does in seat 0, in words."""
    return written(RULES.choose(seen_with(hand, moves, **given), Chance(""), None).move, CODEC)


def how_high(hand: str, **given: Any) -> int:
    """How high the hand goes when an opponent bids on and on, until it passes; 0 where it never bids."""
    highest = 0
    for bid in range(7, 14):
        called = answer(hand, f"bid {bid - 1}" if bid > 7 else "", first=1 if bid > 7 else 0, **given)
        if called == "pass":
            break
        highest = int(called.removeprefix("bid "))
    return highest


@pytest.mark.parametrize(
    ("hand", "high"),
    [
        ("5432.K32.876.987", 0),  # a king and nothing
        ("A5432.K32.A76.98", 7),  # five tricks, and the partner's two
        ("AKQJ2.K32.76.987", 8),
        ("AKJT98.AK2.A2.32", 10),
        ("AKQJT9876543.2..", 13),  # all that there is without a partner
    ],
)
def test_it_counts_on_the_partner_for_two_tricks(hand: str, high: int) -> None:
    """What the hand does itself, and two."""
    assert how_high(hand) == high


@pytest.mark.parametrize("scoring", sorted(SCALES))
def test_it_counts_on_the_partner_for_no_more_than_two_tricks(scoring: str) -> None:
    """Whatever the auction, no bid is above the hand's own share and the partner's; only a forced one may be."""
    for match, _ in walk(TARNEEB, "no more", 2000):
        if match.to_move < 0 or (seen := match.observe(match.to_move)).phase:
            continue
        kind, amount = MOVES[RULES.choose(seen, Chance(""), None).move]
        if kind == "bid" and PASS in seen.moves and seen.terms.scoring == scoring and amount < seen.auction.high_bid:
            assert amount <= round(best_trump(seen)[0]) + SCALES[scoring].partner


def test_it_bids_as_little_as_it_can() -> None:
    """A contract made scores every trick: a hand good for ten begins with seven."""
    assert answer("AKJT98.AK2.A2.32") == "bid 7"
    assert answer("AKJT98.AK2.A2.32", "bid 8", first=1) == "bid 9"


def test_it_leaves_the_contract_to_its_partner() -> None:
    """The hand that goes to eight against opponents passes over its partner's seven; a better one takes it over."""
    assert answer("AKQJ2.K32.76.987", "bid 7, pass", first=2) == "pass"
    assert answer("AKJT98.AK2.A2.32", "bid 7, pass", first=2) == "bid 8"


def test_a_full_bid_wants_no_partner() -> None:
    """Twelve sure tricks are not thirteen; thirteen are bid at once."""
    assert answer("AKQJT9876.A2.A.A", "bid 12", first=1) == "pass"
    assert answer("AKQJT98765.A.A.A") == "bid 13"


def test_it_bids_where_it_has_to() -> None:
    """The dealer under `dealer_bids` may not pass: the lowest bid."""
    must_bid = {"all_pass": "dealer_bids"}
    assert answer("5432.K32.876.987", "pass, pass, pass", first=3, **must_bid) == "bid 7"


def test_it_bids_less_where_defenders_always_score() -> None:
    """What a made contract is worth is less there, and what a failed one costs is the same."""
    assert how_high("AKQJ2.K32.76.987", defenders_always_score=True) == 7


@pytest.mark.parametrize(("hand", "trump"), [("AQ432.K32.K6.987", "spades"), ("32.5.AQT987.A432", "diamonds")])
def test_it_names_its_best_suit(hand: str, trump: str) -> None:
    """Length and honours together."""
    assert answer(hand, "bid 8, pass, pass, pass") == f"trump {trump}"


CONTRACT = "bid 7, pass, pass, pass, trump spades, "
"""The seat that speaks first plays seven tricks, and leads."""


@pytest.mark.parametrize(
    ("says", "first", "hand", "played", "card"),
    [
        ("last to play, the cheapest winner", 3, "432.KJ82.765.987", "5-hearts, 3-hearts, 10-hearts", "J-hearts"),
        ("it does not overtake its partner's ace", 3, "432.K82.7654.987", "5-hearts, A-hearts, 10-hearts", "2-hearts"),
        ("nor a king that is sure", 3, "432.A82.7654.987", "5-hearts, K-hearts, 10-hearts", "2-hearts"),
        ("what cannot win is thrown away low", 3, "432.J72.7654.987", "5-hearts, A-hearts, K-hearts", "2-hearts"),
        ("it ruffs with its lowest trump", 3, "953..76542.98765", "5-hearts, 3-hearts, 10-hearts", "3-spades"),
        ("over a ruff, with the lowest that wins", 3, "953..76542.98765", "5-hearts, 3-hearts, 7-spades", "9-spades"),
        ("it does not ruff its partner's trick", 3, "953..76542.98765", "5-hearts, A-hearts, 10-hearts", "2-diamonds"),
        ("third to play, high", 2, "432.K72.7654.987", "3-hearts, 5-hearts", "K-hearts"),
        ("third to play, low under its partner's ace", 2, "432.K72.7654.987", "A-hearts, 5-hearts", "2-hearts"),
        ("second to play, low", 1, "432.K72.7654.987", "5-hearts", "2-hearts"),
        ("second to play, one of a sequence", 1, "432.QJ2.7654.987", "5-hearts", "Q-hearts"),
        ("declarer with the best trumps draws", 0, "AKQJ2.K32.76.987", "", "A-spades"),
        ("and with a sequence drives the ace out", 0, "KQJ32.K32.76.A87", "", "K-spades"),
    ],
)  # fmt: skip
def test_it_plays_sensible_whist(says: str, first: int, hand: str, played: str, card: str) -> None:
    """One position for each habit."""
    assert answer(hand, CONTRACT + played, first=first) == card, says


@pytest.mark.parametrize(
    ("says", "hand", "played", "card"),
    [
        ("honours go on the partner's sure trick", "432.KJ2.7654.987", "5-hearts, A-hearts, 10-hearts", "K-hearts"),
        ("also from other suits", "432..K7654.K9876", "5-hearts, A-hearts, 10-hearts", "K-diamonds"),
        ("and none under an opponent's", "432.KQ2.7654.987", "5-hearts, 4-hearts, A-hearts", "2-hearts"),
    ],
)
def test_where_points_count_it_looks_after_its_honours(says: str, hand: str, played: str, card: str) -> None:
    """The trick is worth what lies in it."""
    seven = CONTRACT.replace("7", "21")
    assert answer(hand, seven + played, first=3, preset="tarneeb_41") == card, says


@pytest.mark.parametrize("pair", PRESETS, ids=of_preset)
def test_advice_is_stronger_than_chance(pair: tuple[Ruleset, str]) -> None:
    """On duplicate deals `rules` beats `random` by more than the 95 % interval."""
    ruleset, preset = pair
    seats = min(4, ruleset.seats[1])
    options = ruleset.resolve(preset, {}, seats)
    compared = plan_comparison(ruleset, options, Entrant(RULES), RANDOM, seats, unit="deals", seed="advice")
    margin = summarise(compared, tally(compared, 0, SETS[ruleset.name])).bots[0].margin
    assert margin.interval is not None
    assert margin.interval[0] > 0
