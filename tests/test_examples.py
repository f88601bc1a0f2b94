"""Every worked example of the catalogue is played as a client is told it, and comes to what it says."""

from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from engine.bits import bit
from engine.catalog import RULESETS, find
from engine.errors import IllegalMove
from engine.match import Match, Ruleset
from engine.wire import Move
from service.rulesets import RulesetPage, ruleset_page
from tests.positions import SPECTATOR, order_that_deals

Json = Any
PAGES: dict[str, Json] = {each.name: msgspec.to_builtins(ruleset_page(each.name, "en")) for each in RULESETS}
EXAMPLES = [(name, example) for name, page in PAGES.items() for example in page["examples"]]
each_example = pytest.mark.parametrize(
    ("name", "example"), EXAMPLES, ids=[f"{name} {example['example']}" for name, example in EXAMPLES]
)
each_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.name)


@dataclass
class Laid:
    """A pack that lies as it shall be dealt."""

    order_of_pack: list[int] = field(default_factory=list)

    def order(self, number: int, attempt: int, size: int) -> list[int]:  # noqa: ARG002 (each deal is the same)
        """The order of the pack, from the top."""
        return self.order_of_pack

    def below(self, purpose: str, n: int) -> int:  # noqa: ARG002 (whatever it is for)
        """Nothing in an example is left to chance."""
        raise AssertionError(f"{purpose} is drawn")


def begun(name: str, example: Json) -> Match:
    """The match of an example, dealt."""
    ruleset, source = find(name), Laid()
    # The first dealer is the example's, so none is drawn.
    given = {**example["options"], "first_dealer": example["dealer"]}

    def begin(match: Match) -> list[Struct]:
        events = ruleset.begin(match)
        match.totals = list(example["totals"])
        number = match.codec.pack.number
        hands = [sum(bit(number[card]) for card in hand) for hand in example["hands"]]
        source.order_of_pack = order_that_deals(match, hands, [number[card] for card in example["stock"]])
        return events

    options = ruleset.resolve(example["preset"], given, example["seats"])
    match = Match(replace(ruleset, begin=begin), options, example["seats"], source)
    match.voters = tuple(range(match.seats))
    match.start()
    return match


def decoded(match: Match, move: Json) -> int:
    """The int of a move."""
    return match.codec.decode(msgspec.convert(move, Move))


def play(name: str, example: Json) -> Match:
    """The match of an example, played as far as it goes."""
    match = begun(name, example)
    assert [match.codec.cards(match.observe(seat).hand) for seat in range(match.seats)] == example["hands"]
    for played in example["moves"]:
        assert match.deals_played == 0, "the deal is over before the example is"
        assert match.to_move == played["seat"]
        match.play(match.to_move, decoded(match, played["move"]))
    return match


def fields(match: Match) -> Json:
    """The fields of the views: of the running deal, or of the deal that has ended, and of the match."""
    deal = match.last_deal if match.deals_played else match.ruleset.deal_view(match.observe(SPECTATOR), match)
    return msgspec.to_builtins(match.ruleset.match_view(match)) | msgspec.to_builtins(deal)


def prove(name: str, example: Json) -> None:
    """Play an example and look whether everything it says is so."""
    match, outcome = play(name, example), example["outcome"]
    if match.deals_played == 0:
        assert (outcome["scores"], outcome["totals"], outcome["winners"]) == (None, None, None)
        assert outcome["to_move"] == match.to_move
        legal = [msgspec.to_builtins(match.codec.encode(move)) for move in match.deal.legal_moves()]
        assert outcome["legal_moves"] == legal
    else:
        assert (outcome["to_move"], outcome["legal_moves"], outcome["refused"]) == (None, None, [])
        assert outcome["scores"] == fields(match)["scores"]
        assert outcome["totals"] == match.totals
        assert outcome["winners"] == (match.result.winners if match.result else None)
    for refused in outcome["refused"]:
        with pytest.raises(IllegalMove) as error:
            match.play(match.to_move, decoded(match, refused["move"]))
        assert (refused["move"], error.value.reason) == (refused["move"], refused["reason"])
    shown = fields(match)
    assert outcome["fields"] == {key: shown[key] for key in outcome["fields"]}


@each_example
def test_an_example_comes_to_what_it_says(name: str, example: Json) -> None:
    prove(name, example)


@each_example
def test_an_example_names_rules_that_there_are(name: str, example: Json) -> None:
    assert example["rules"]
    assert all(f"**{rule}** " in PAGES[name]["rules"] for rule in example["rules"])


@each_ruleset
def test_examples_read_the_same_in_both_languages_but_for_the_texts(ruleset: Ruleset) -> None:
    english, spanish = ruleset_page(ruleset.name, "en").examples, ruleset_page(ruleset.name, "es").examples
    for one, other in zip(english, spanish, strict=True):
        assert one.text != other.text
        assert msgspec.structs.replace(other, title=one.title, text=one.text) == one


@each_ruleset
def test_every_preset_has_an_example_and_both_scoring_and_legality_have(ruleset: Ruleset) -> None:
    page: RulesetPage = ruleset_page(ruleset.name, "en")
    assert set(ruleset.presets) <= {example.preset for example in page.examples}
    assert {example.outcome.scores is None for example in page.examples} == {True, False}


def test_every_contract_of_rosbiratschka_has_an_example_of_its_score() -> None:
    scored = [each["outcome"]["fields"] for each in PAGES["rosbiratschka"]["examples"] if each["outcome"]["scores"]]
    contracts = {"no_tricks", "no_hearts", "no_king_of_hearts", "hundred", "rosbiratschka"}
    assert contracts <= {each.get("contract") for each in scored}
    assert any("slam" in each for each in scored)


@pytest.mark.parametrize(
    ("name", "slip"),
    [
        ("contract_made", {"scores": [11, 0, 11, 0]}),
        ("contract_made", {"totals": [11, 0, 11, 0]}),
        ("contract_made", {"winners": [0, 2]}),
        ("contract_made", {"fields": {"bid": 8}}),
        ("bidding", {"legal_moves": [{"type": "pass"}]}),
        ("bidding", {"to_move": 2}),
        ("bidding", {"refused": [{"move": {"type": "bid", "amount": 8}, "reason": "bid_out_of_range"}]}),
        ("bidding", {"refused": [{"move": {"type": "pass"}, "reason": "bid_too_low"}]}),
    ],
)
def test_an_example_with_a_slip_of_the_pen_fails(name: str, slip: Json) -> None:
    example = next(each for each in PAGES["tarneeb"]["examples"] if each["example"] == name)
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        prove("tarneeb", {**example, "outcome": {**example["outcome"], **slip}})
