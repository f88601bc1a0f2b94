"""What the arena measures, and that it comes to the same however the work is cut up."""

import statistics
from itertools import combinations
from typing import Any

import pytest

from engine.arena import Entrant, Tally, play_sets, rotations_of, student_95, summary
from engine.bits import members
from engine.bots import Bot, Budget, Decision, find
from engine.catalog import RULESETS
from engine.chance import Chance
from engine.match import Ruleset
from engine.rulesets.tarneeb import TARNEEB

OPTIONS = TARNEEB.resolve("tarneeb_31", {}, 4)
RANDOM = Entrant(find("random"))


def bot(name: str, choose: Any) -> Entrant:
    """A bot that chooses a move by its observation alone."""
    return Entrant(Bot(name, 1, "", lambda seen, _chance, _budget: Decision(choose(seen))))


LOWEST = bot("lowest", lambda seen: seen.moves[0])
HIGHEST = bot("highest", lambda seen: seen.moves[-1])


def sets(entrants: list[Entrant], first_set: int, number: int, seed: str = "a") -> Tally:
    """Some sets of Tarneeb."""
    return play_sets(TARNEEB, OPTIONS, entrants, seed, first_set=first_set, sets=number)


# ---------------------------------------------------------------------------------------------------- adding up


def test_cutting_the_work_up_changes_nothing() -> None:
    """Sets played in chunks, merged in any order and grouping, come to what they come to at once."""
    entrants = [RANDOM, LOWEST] * 2
    one, two, three = sets(entrants, 0, 4), sets(entrants, 4, 1), sets(entrants, 5, 3)
    whole = sets(entrants, 0, 8)
    assert one.merge(two).merge(three) == one.merge(two.merge(three)) == whole
    assert three.merge(one).merge(two) == whole


def test_all_chance_comes_from_the_seed() -> None:
    """The same seed gives the same tally, another seed another."""
    entrants = [RANDOM, LOWEST] * 2
    assert sets(entrants, 0, 5) == sets(entrants, 0, 5)
    assert sets(entrants, 0, 5) != sets(entrants, 0, 5, seed="b")


def test_tallies_of_different_tables_do_not_merge() -> None:
    """Adding up records of other entrants is a mistake."""
    with pytest.raises(ValueError, match="zip"):
        sets([LOWEST] * 4, 0, 1).merge(Tally((), 2, 1, 1))


# ---------------------------------------------------------------------------------------------------- duplicate deals


def test_every_entrant_gets_every_hand_of_a_set() -> None:
    """Four different bots play a set four times, and each holds the four hands once."""
    held: dict[str, list[int]] = {name: [] for name in "abcd"}

    def watching(name: str) -> Entrant:
        def choose(seen: Any) -> int:
            if not seen.tricks.played and seen.hand not in held[name]:
                held[name].append(seen.hand)
            return int(seen.moves[0])

        return bot(name, choose)

    tally = sets([watching(name) for name in "abcd"], 7, 1)
    assert (tally.rotations, tally.sets) == (4, 1)
    hands = {frozenset(each) for each in held.values()}
    assert len(hands) == 1
    assert sorted(card for hand in hands.pop() for card in members(hand)) == list(range(52))


@pytest.mark.parametrize(("table", "rotations"), [("aaaa", 1), ("abab", 2), ("aabb", 4), ("abcd", 4), ("aba", 3)])
def test_only_rotations_that_differ_are_played(table: str, rotations: int) -> None:
    """Two bots that take turns round the table have two ways to sit."""
    there = {"a": LOWEST, "b": HIGHEST, "c": RANDOM, "d": Entrant(find("rules"))}
    assert rotations_of([there[name] for name in table]) == rotations


def test_between_equal_bots_the_luck_of_the_deal_cancels_out() -> None:
    """Every set of two bots that play the same comes out level."""
    tally = sets([HIGHEST, bot("the same", lambda seen: seen.moves[-1])] * 2, 0, 10)
    assert {(record.margin, record.set_squares) for record in tally.records} == {(0, 0)}
    assert all(record.squares for record in tally.records)
    assert summary(tally, 0).interval == 0


def test_what_one_side_wins_the_other_loses() -> None:
    """Partners have the same record; margins sum to nothing, and every deal has one win."""
    mine, theirs, mine_too, theirs_too = sets([RANDOM, LOWEST] * 2, 0, 10).records
    assert (mine, theirs) == (mine_too, theirs_too)
    assert mine.margin == -theirs.margin
    tally = sets([RANDOM, LOWEST] * 2, 0, 10)
    assert summary(tally, 0).wins + summary(tally, 1).wins == 1


def test_a_deal_that_all_pass_scores_nothing_and_is_half_a_win() -> None:
    """Four bots that always pass win half of their deals."""
    found = summary(sets([bot("timid", lambda _seen: 56)] * 4, 0, 3), 0)
    assert (found.score, found.margin, found.wins) == (0, 0, 0.5)


# ---------------------------------------------------------------------------------------------------- figures


def test_the_summary_is_that_of_a_statistics_book() -> None:
    """Means over deals; the interval from the means of the sets, the deviation from the deals."""
    entrants = [RANDOM, LOWEST] * 2
    each = [sets(entrants, number, 1) for number in range(30)]
    tally = sets(entrants, 0, 30)
    # Each of the two opponents of a deal has the same score: a margin is counted twice.
    means = [one.records[0].margin / one.rotations / 2 for one in each]
    found = summary(tally, 0)
    assert found.margin == pytest.approx(statistics.mean(means))
    assert found.interval == pytest.approx(2.045 * statistics.stdev(means) / 30**0.5, rel=1e-3)
    assert found.score == pytest.approx(tally.records[0].score / 60)
    squares = tally.records[0].squares / 4
    assert found.deviation == pytest.approx(((squares - 60 * found.margin**2) / 59) ** 0.5)


@pytest.mark.parametrize(("freedom", "bound"), [(3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (10**6, 1.960)])
def test_few_sets_make_wide_intervals(freedom: int, bound: float) -> None:
    """The bounds of the t distribution, from its table."""
    assert student_95(freedom) == pytest.approx(bound, rel=0.01)


def test_one_set_has_no_interval() -> None:
    """A single set tells nothing of how much sets differ."""
    assert summary(sets([LOWEST] * 4, 0, 1), 0).interval is None


# ---------------------------------------------------------------------------------------------------- bots


def test_a_bot_gets_its_budget_and_its_own_chance() -> None:
    """What an entrant may think reaches its bot; no two seats share a stream of chance."""
    got: list[Budget | None] = []
    drawn: dict[int, int] = {}

    def choose(seen: Any, chance: Chance, budget: Budget | None) -> Decision:
        got.append(budget)
        drawn.setdefault(seen.seat, chance.number(1 << 60))
        return Decision(seen.moves[0])

    sets([Entrant(Bot("thinker", 1, "", choose), Budget(samples=9))] * 4, 0, 1)
    assert set(got) == {Budget(samples=9)}
    assert all(drawn[one] != drawn[other] for one, other in combinations(range(4), 2))


def test_a_bot_that_breaks_the_rules_is_named() -> None:
    """A move that is not one of the observation's is the bot's error, not a result."""
    with pytest.raises(ValueError, match="cheat chose 99"):
        sets([bot("cheat", lambda _seen: 99)] * 4, 0, 1)


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.name)
def test_every_ruleset_can_be_played(ruleset: Ruleset) -> None:
    """Any game that there is, at its largest table."""
    for preset in ruleset.presets:
        options = ruleset.resolve(preset, {}, 4)
        tally = play_sets(ruleset, options, [RANDOM, LOWEST] * 2, "a", first_set=0, sets=2)
        assert tally.sets == 2
