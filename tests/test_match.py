"""A match: its options, its deals in a row, and what a log of it can be made to tell."""

from typing import Any

import pytest

from engine.bits import members
from engine.catalog import RULESETS, find
from engine.chance import PublishedDeals
from engine.deal import NOT_IN_GAME, play_checked
from engine.errors import DealOver, EngineError, IllegalMove, InvalidOptions, NotYourTurn, UnknownRuleset
from engine.match import Match, Ruleset, reveal
from engine.rulesets.tarneeb import TARNEEB
from engine.wire import Bid, Dealt, GameStarted, Pass
from tests.positions import PRESETS, of_preset


def refusals(preset: str | None, options: dict[str, Any], ruleset: Ruleset = TARNEEB) -> dict[str, str]:
    """What is wrong with options, by JSON pointer; something must be."""
    with pytest.raises(InvalidOptions) as refusal:
        ruleset.resolve(preset, options, ruleset.seats[0])
    assert refusal.value.errors
    return dict(refusal.value.errors)


def new_match(**options: Any) -> Match:
    """A match of Tarneeb that has begun, from a fixed seed."""
    match = Match(TARNEEB, TARNEEB.resolve(None, options, 4), 4, PublishedDeals("a match", []))
    match.start()
    return match


def pass_round(match: Match) -> list[Any]:
    """Four passes; answers what the last brought about."""
    events: list[Any] = []
    for _ in range(4):
        events = match.play(match.to_move, match.codec.decode(Pass()))
    return events


# ---------------------------------------------------------------------------------------------------- options


def test_every_option_has_a_value() -> None:
    """Given nothing, the defaults."""
    options = TARNEEB.resolve(None, {}, 4)
    assert (options.scoring, options.target, options.finish, options.max_deals) == ("tricks", 31, "reach", 200)
    assert options.first_dealer is None


@pytest.mark.parametrize("pair", PRESETS, ids=of_preset)
def test_a_preset_sets_what_it_names_and_nothing_else(pair: tuple[Ruleset, str]) -> None:
    """The rest is as if its values had been given by hand."""
    ruleset, preset = pair
    seats = ruleset.seats[0]
    assert ruleset.resolve(preset, {}, seats) == ruleset.resolve(None, ruleset.presets[preset], seats)


def test_options_override_a_preset() -> None:
    """What is given comes before what the preset says."""
    options = TARNEEB.resolve("tarneeb_41", {"target": 61}, 4)
    assert (options.scoring, options.target, options.finish) == ("points", 61, "exact")


def test_defaults_that_depend_on_an_option_are_taken_last() -> None:
    """They look at what preset and options have made of it."""
    assert TARNEEB.resolve(None, {"scoring": "points"}, 4).target == 41
    assert TARNEEB.resolve("tarneeb_41", {"scoring": "tricks"}, 4).full_bid_made == 26
    assert TARNEEB.resolve("tarneeb_31", {"scoring": "points"}, 4).target == 31


def test_json_calls_31_0_an_integer() -> None:
    """And so do we; the value is kept as an int."""
    target = TARNEEB.resolve(None, {"target": 31.0}, 4).target
    assert (target, type(target)) == (31, int)


def test_an_unknown_option_is_refused_with_what_there_is() -> None:
    """The pointer names it, the sentence lists the options."""
    found = refusals(None, {"colour": "green"})
    assert list(found) == ["/options/colour"]
    assert found["/options/colour"].startswith("tarneeb has no such option; it has scoring, target, ")


def test_a_pointer_escapes_what_pointers_escape() -> None:
    """RFC 6901: `~` is `~0` and `/` is `~1`."""
    assert list(refusals(None, {"a/b~c": 1})) == ["/options/a~1b~0c"]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("target", 6), ("target", 501), ("target", 31.5), ("target", "31"), ("target", None), ("target", True),
        ("target", float("inf")), ("target", 10**30), ("scoring", "trick"), ("scoring", 1), ("scoring", ["tricks"]),
        ("defenders_always_score", 1), ("defenders_always_score", "true"), ("first_dealer", 4), ("first_dealer", -1),
        ("max_deals", 0), ("max_deals", 1001), ("full_bid_made", -1),
    ],
)  # fmt: skip
def test_a_wrong_value_is_refused_at_its_option(option: str, value: object) -> None:
    """One sentence, at one pointer."""
    found = refusals(None, {option: value})
    assert list(found) == [f"/options/{option}"]
    assert found[f"/options/{option}"].endswith(".")


@pytest.mark.parametrize(
    ("option", "values"),
    [("target", (7, 500)), ("max_deals", (1, 1000)), ("full_bid_failed", (0, 500)), ("first_dealer", (0, 3, None))],
)
def test_the_ends_of_a_range_are_in_it(option: str, values: tuple[int | None, ...]) -> None:
    """The rulebook's ranges name their first and last value."""
    assert [getattr(TARNEEB.resolve(None, {option: value}, 4), option) for value in values] == list(values)


def test_an_unknown_preset_is_refused_with_what_there_is() -> None:
    """The pointer is that of the preset."""
    assert refusals("tarneeb_51", {}) == {
        "/preset": "tarneeb has the presets tarneeb_31, tarneeb_41_tricks, tarneeb_41."
    }


def test_every_mistake_is_told_at_once() -> None:
    """Whoever fills in a form wants to hear all of it."""
    assert set(refusals("tarneeb_51", {"target": 6, "colour": "green", "finish": "reach", "max_deals": "many"})) == {
        "/preset",
        "/options/target",
        "/options/colour",
        "/options/max_deals",
    }


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.name)
def test_a_ruleset_is_found_by_its_name(ruleset: Ruleset) -> None:
    """By exactly its name."""
    assert find(ruleset.name) is ruleset
    with pytest.raises(UnknownRuleset, match=f"there are .*{ruleset.name}"):
        find(ruleset.name.upper())


def test_every_error_has_a_code_of_its_own() -> None:
    """Codes are part of the API."""
    codes = [each.code for each in EngineError.__subclasses__()]
    assert len(set(codes)) == len(codes) > 4
    assert "engine_error" not in codes


# ---------------------------------------------------------------------------------------------------- deals in a row


def test_a_match_starts_with_a_deal() -> None:
    """It is told that the match has begun and that cards are dealt: how many, not which."""
    match = Match(TARNEEB, TARNEEB.resolve(None, {"first_dealer": 2}, 4), 4, PublishedDeals("a match", []))
    assert match.to_move == -1
    assert match.start() == [GameStarted(), Dealt(1, 1, 2, [13, 13, 13, 13], 0, None)]
    assert match.to_move == 1


def test_the_first_dealer_is_drawn_from_the_published_stream() -> None:
    """Where no seat is named, every seat deals first in some match, as its seed says."""
    dealers = set()
    for number in range(40):
        match = Match(TARNEEB, TARNEEB.resolve(None, {}, 4), 4, PublishedDeals(f"seed {number}", []))
        match.start()
        assert match.dealer == PublishedDeals(f"seed {number}", []).below("first_dealer", 4)
        dealers.add(match.dealer)
    assert dealers == {0, 1, 2, 3}


def test_the_next_deal_comes_with_the_last_move_of_the_one_before() -> None:
    """Its event is told with the end of that deal."""
    match = new_match(first_dealer=0)
    assert [type(event).__name__ for event in pass_round(match)] == ["AllPassed", "Dealt"]
    assert (match.number, match.dealer, match.deals_played, match.to_move) == (2, 3, 1, 2)


def test_a_log_without_hands_tells_a_seat_the_hand_it_was_dealt() -> None:
    """Also of a deal that is long over, and after cards of it have been played."""
    match = new_match(first_dealer=0)
    hands = {(1, seat): match.codec.cards(match.observe(seat).hand) for seat in range(4)}
    events = [event for event in pass_round(match) if isinstance(event, Dealt)]
    hands |= {(2, seat): match.codec.cards(match.observe(seat).hand) for seat in range(4)}
    events.append(Dealt(1, 1, 0, [13, 13, 13, 13], 0))
    match.play(match.to_move, match.codec.decode(Bid(13)))
    match.play(match.to_move, 52)
    match.play(match.to_move, members(match.observe(match.to_move).hand)[0])
    for event in events:
        for seat in range(4):
            assert reveal(match, event, seat).hand == hands[event.deal, seat]
    assert len({tuple(hand) for hand in hands.values()}) == 8


def test_the_source_decides_the_cards() -> None:
    """The same seed deals the same hands, another one others."""
    hands = []
    for seed in ("one", "one", "two"):
        match = Match(TARNEEB, TARNEEB.resolve(None, {"first_dealer": 0}, 4), 4, PublishedDeals(seed, []))
        match.start()
        hands.append(match.observe(0).hand)
    assert hands[0] == hands[1] != hands[2]


# ---------------------------------------------------------------------------------------------------- the only door


def test_whose_turn_it_is_is_asked_before_the_rules() -> None:
    """Another seat hears that it is not its turn, whatever it wants to do."""
    match = new_match(first_dealer=0)
    assert match.to_move == 3
    for move in (NOT_IN_GAME, 0, match.codec.decode(Bid(8))):
        with pytest.raises(NotYourTurn):
            match.play(0, move)


def test_a_seat_that_does_not_exist_is_never_to_move() -> None:
    """Not even the one that stands for nobody, when the deal is over."""
    match = new_match(max_deals=1)
    for seat in (-1, 4, 100):
        with pytest.raises(NotYourTurn):
            match.play(seat, 56)
    pass_round(match)
    for seat in (-1, 0, 4):
        with pytest.raises(DealOver):
            match.play(seat, 56)


def test_a_move_that_the_game_does_not_have_is_said_to_be_none() -> None:
    """NOT_IN_GAME is the one answer of `decode` to all of them."""
    match = new_match()
    with pytest.raises(IllegalMove) as refusal:
        play_checked(match.deal, match.to_move, NOT_IN_GAME)
    assert refusal.value.reason == "not_in_this_game"


@pytest.mark.parametrize(
    "order", [[], list(range(51)), [0, *range(51)], list(range(1, 53)), list(range(53))],
    ids=["empty", "short", "twice", "strange", "long"],
)  # fmt: skip
def test_only_a_whole_pack_is_dealt(order: list[int]) -> None:
    """An order that is not exactly the pack is a mistake of the caller."""
    deal = TARNEEB.deal(new_match())
    with pytest.raises(ValueError, match="every card of the pack exactly once"):
        deal.deal_out(order, 0)
