"""Who sits where in a set, who deals, and where its chance comes from."""

from collections import Counter
from itertools import product
from typing import Any

import pytest

from engine.bits import members
from engine.bots import Bot, Budget, Decision, find
from engine.catalog import RULESETS
from engine.catalog import find as find_ruleset
from engine.chance import Chance
from engine.simulation.plans import Entrant, plan_comparison
from engine.simulation.playing import match_of_set, streams_of
from tests.simulation.tables import HIGHEST, LOWEST, RANDOM, RULES, TARNEEB, bot, comparison, games, table, tally

REIHE, ROSBIRATSCHKA, ELFER_RAUS = map(find_ruleset, ("reihe", "rosbiratschka", "elfer_raus"))
BY_LETTER = {"a": LOWEST, "b": HIGHEST, "c": RANDOM, "d": RULES}


# ---------------------------------------------------------------------------------------------------- who sits where


@pytest.mark.parametrize(
    ("seats", "lineups"),
    [
        ("aaaa", ["aaaa"]),
        ("abab", ["abab", "baba"]),
        ("aabb", ["aabb", "baab", "bbaa", "abba"]),
        ("abcd", ["abcd", "dabc", "cdab", "bcda"]),
        ("aba", ["aba", "aab", "baa"]),
    ],
)
def test_a_duplicate_set_has_every_rotation_that_differs(seats: str, lineups: list[str]) -> None:
    """Two bots that take turns round the table have two ways to sit."""
    ruleset = TARNEEB if len(seats) == 4 else REIHE
    plan = table([BY_LETTER[letter] for letter in seats], ruleset, duplicate=True)
    letters = {entrant: letter for letter, entrant in BY_LETTER.items()}
    assert ["".join(letters[plan.bots[index]] for index in lineup) for lineup in plan.lineups] == lineups


def test_without_duplicates_a_set_is_one_game() -> None:
    """Who was asked for sits where it was asked for; bots are told apart by their budget too."""
    quick, slow = (Entrant(find("rules"), Budget(samples=samples)) for samples in (10, 20))
    plan = table([slow, quick, slow, RULES])
    assert plan.bots == (slow, quick, RULES)
    assert plan.lineups == ((0, 1, 0, 2),)


@pytest.mark.parametrize("seats", range(2, 9))
def test_compared_bots_sit_equally_often_in_every_seat(seats: int) -> None:
    """Whether the number of seats is even or odd, and whether the bots differ or not."""
    for b in (HIGHEST, LOWEST):
        plan = comparison(LOWEST, b, seats, REIHE)
        assert plan.bots == (LOWEST, b)
        for seat in range(seats):
            assert sum(lineup[seat] for lineup in plan.lineups) * 2 == len(plan.lineups) == plan.games_of_a_set
        assert sum(map(sum, plan.lineups)) == plan.games_of_a_bot
        assert len(set(plan.lineups)) == len(plan.lineups)


def test_every_bot_gets_every_hand_of_a_set() -> None:
    """Four different bots play a set four times, and each holds the four hands once."""
    held: dict[str, list[int]] = {name: [] for name in "abcd"}

    def watching(name: str) -> Entrant:
        def choose(seen: Any) -> int:
            if not seen.tricks.played and seen.hand not in held[name]:
                held[name].append(seen.hand)
            return int(seen.moves[0])

        return bot(name, choose)

    tally(table([watching(name) for name in "abcd"], duplicate=True), 7, 1)
    hands = {frozenset(each) for each in held.values()}
    assert len(hands) == 1
    assert sorted(card for hand in hands.pop() for card in members(hand)) == list(range(52))


def test_partners_are_one_side_and_others_each_their_own() -> None:
    """In Tarneeb a seat has two opponents, in the other games everyone else."""
    assert table([RANDOM] * 4).opponents == 2
    assert table([RANDOM] * 5, REIHE).opponents == 4


# ---------------------------------------------------------------------------------------------------- what goes round


def test_every_seat_deals_every_contract_equally_often() -> None:
    """With six seats and six contracts too, where both going round at once would tie one to the other."""
    for seats in (3, 4, 6):
        plan = table([RANDOM] * seats, ROSBIRATSCHKA)
        found = Counter(
            (match.dealer, match.deal.contract)
            for match in (match_of_set(plan, streams_of(plan), number) for number in range(2 * seats * 6))
        )
        assert found == dict.fromkeys(product(range(seats), range(6)), 2)


def test_start_numbers_that_are_drawn_go_round() -> None:
    """Every combination comes equally often, with every dealer."""
    plan = table([RANDOM] * 3, ELFER_RAUS, start_number="ten_or_twelve")
    matches = [match_of_set(plan, streams_of(plan), number) for number in range(3 * 16)]
    found = Counter((match.dealer, match.deal.start_numbers) for match in matches)
    assert set(found.values()) == {1}
    assert {numbers for _, numbers in found} == set(product((10, 12), repeat=4))
    assert plan.ruleset.kinds(plan.options) == 16


def test_a_first_dealer_that_is_asked_for_deals_every_time() -> None:
    """In a unit of deals too, played by chance or not."""
    for entrant in (RANDOM, LOWEST):
        assert {game["dealer"] for game in games(table([entrant] * 4, first_dealer=2), 9)} == {2}
    assert {game["dealer"] for game in games(table([RANDOM] * 4), 8)} == {0, 1, 2, 3}


def test_matches_begin_at_the_beginning() -> None:
    """A match of any set plays all contracts, from the first on."""
    plan = table([RANDOM] * 4, ROSBIRATSCHKA, unit="matches")
    for game in games(plan, 5):
        assert game["deals"] == 6
        assert {name: count for name, count in game["counts"].items() if name.startswith("contract.")} == {
            f"contract.{name}": 1 for name in plan.options.contracts
        }


# ---------------------------------------------------------------------------------------------------- chance


def test_all_chance_comes_from_the_seed_and_the_number_of_the_set() -> None:
    """The same seed gives the same games, another seed or set another."""
    entrants = [RULES, RANDOM] * 2
    assert games(table(entrants), 5) == games(table(entrants), 5)
    assert games(table(entrants), 5) != games(table(entrants, seed="b"), 5)
    one, other, *_ = games(table(entrants, first_dealer=0), 5)
    assert (one["scores"], one["moves"]) != (other["scores"], other["moves"])


def test_the_same_seed_deals_the_same_cards_under_other_rules() -> None:
    """Options are compared on the same hands."""

    def first_hands(**options: Any) -> list[int]:
        plan = table([RANDOM] * 4, **options)
        matches = [match_of_set(plan, streams_of(plan), number) for number in range(20)]
        return [match.deal.observe(seat).hand for match in matches for seat in range(4)]

    assert first_hands() == first_hands(scoring="points", max_deals=5) != first_hands(seed="b")


def test_every_deal_of_a_match_is_shuffled_anew() -> None:
    """No two deals of the first sets, in matches or not, deal the first seat the same hand."""
    hands = []
    for unit in ("deals", "matches"):
        plan = table([RANDOM] * 4, unit=unit, seed=unit)
        for number in range(20):
            match = match_of_set(plan, streams_of(plan), number)
            for deal in range(1 if unit == "deals" else 5):
                order = match.source.order(match.number + deal, 1, 52)
                assert sorted(order) == list(range(52))
                hands.append(frozenset(order[:13]))
    assert len(set(hands)) == len(hands) == 120


def test_a_misdeal_is_shuffled_again() -> None:
    """Each attempt gives another order, the same whenever it is asked for."""
    plan = table([RANDOM] * 4)
    source = match_of_set(plan, streams_of(plan), 3).source
    orders = [source.order(4, attempt, 52) for attempt in (1, 2, 3)]
    assert len(set(map(tuple, orders))) == 3
    assert source.order(4, 2, 52) == orders[1]


def test_a_bot_gets_its_budget_and_draws_in_its_turn() -> None:
    """What an entrant may think reaches its bot; the numbers drawn in a game are all different, and so are games'."""
    got: list[Budget | None] = []
    drawn: list[int] = []

    def choose(seen: Any, chance: Chance, budget: Budget | None) -> Decision:
        got.append(budget)
        drawn.append(chance.number(1 << 60))
        return Decision(seen.moves[0])

    tally(table([Entrant(Bot("thinker", 1, "", choose), Budget(samples=9)), RULES] * 2, duplicate=True), 0, 5)
    assert set(got) == {Budget(samples=9)}
    assert len(set(drawn)) == len(drawn) > 50


def test_a_bot_that_breaks_the_rules_is_named() -> None:
    """A move that is not one of the observation's is the bot's error, not a result."""
    with pytest.raises(ValueError, match="cheat chose 99"):
        tally(table([bot("cheat", lambda _seen: 99)] * 4), 0, 1)


def test_a_comparison_says_what_it_compares() -> None:
    """Even of a bot with itself there are two."""
    plan = plan_comparison(TARNEEB, TARNEEB.resolve(None, {}, 4), RANDOM, RANDOM, 4, unit="deals", seed="a")
    assert (plan.bots, plan.compared, len(plan.lineups)) == ((RANDOM, RANDOM), True, 2)


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.name)
def test_every_ruleset_has_a_place_for_whatever_it_counts(ruleset: Any) -> None:
    """Places fit into the array, names are told apart, and a share is one of something that is counted."""
    names = {name if key is None else f"{name}.{key}" for name, key, _ in ruleset.counts.values()}
    assert len(names) == len(ruleset.counts)
    assert all(0 <= place < 256 for place in ruleset.counts)
    bases = {of for _, _, of in ruleset.counts.values()}
    assert bases <= {"deals", *names, *(name for name, _, _ in ruleset.counts.values())}
