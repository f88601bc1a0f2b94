"""Every `[[case]]` of tests/rules/*.toml is one test, and every numbered rule has a case, a text and a line of code.

A table begins with its `ruleset`, the `direction` in which it deals, the `[usual]` setting of a case that does not say
otherwise, and named `[hands]`. A case has `rule` (one number or several), `says` (what happens, in one sentence), and

- what it starts from: `preset` and `options`; `dealer`; `hands`, a name or one hand a seat, suits in the pack's order
  and T for a ten (`"AK2.T9..J"`), or `pack = "in order"`, undealt; `totals` (a team's or a seat's) and `deals_played`
  before this deal; then `moves`, in text (`"pass, bid 8, trump hearts, A-spades"`: a card alone is played), and
  `play = "lowest"`, every seat's lowest legal move until the deal is over.
- what must be so then: any key of CHECKS below, or a field of the deal's view by its name in the API (`phase`,
  `declarer`, `tricks_taken`); when the deal is over, a field of `last_deal` (`scores`, `made`). `"none"` is null.

Any other key is an error, so that a slip of the pen cannot pass for a proof.
"""

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from engine.catalog import find
from engine.errors import EngineError, IllegalMove, InvalidOptions
from engine.match import Match, MatchState, Ruleset, resume
from engine.wire import Move

ROOT = Path(__file__).parent.parent
TABLES = [tomllib.loads(path.read_text()) for path in sorted((ROOT / "tests" / "rules").glob("*.toml"))]
GAMES = [table["ruleset"] for table in TABLES]

TOLD = {"rule", "says"}
CHOSEN = {"preset", "options"}
START = {"dealer", "hands", "pack", "totals", "deals_played", "moves", "play"}
LANGUAGES = ("en", "es")
FIELD = {each.__struct_config__.tag: (each.__struct_fields__ or (None,))[0] for each in get_args(Move)}


# ------------------------------------------------------------------------------------------ cards and moves in text


def hand(text: str, ruleset: Ruleset) -> list[str]:
    """The card ids of a hand in short: `AK2.T9..J`."""
    suits = zip(ruleset.pack.suits, text.split("."), strict=True)
    return [f"{'10' if rank == 'T' else rank}-{suit}" for suit, ranks in suits for rank in ranks]


def items(text: str, ruleset: Ruleset) -> Iterator[str]:
    """The moves of a list one by one: `bid 7..13` is seven of them, and a hand in short is each of its cards."""
    for item in filter(None, re.split(r",\s*", text.strip())):
        if span := re.fullmatch(r"(\w+) (\d+)\.\.(\d+)", item):
            yield from (f"{span[1]} {amount}" for amount in range(int(span[2]), int(span[3]) + 1))
        elif "." in item:
            yield from hand(item, ruleset)
        else:
            yield item


def parse(text: str, ruleset: Ruleset) -> int:
    """The int of a move in text, by way of its JSON, as a client would send it."""
    kind, _, value = text.partition(" ")
    kind, value = (kind, value) if kind in FIELD else ("play", text)
    fields = {FIELD[kind]: int(value) if FIELD[kind] == "amount" else value} if FIELD[kind] else {}
    return ruleset.decode(msgspec.convert({"type": kind, **fields}, Move))


def written(move: int, ruleset: Ruleset) -> str:
    """A move as it is written in the tables."""
    values = [str(value) for value in msgspec.to_builtins(ruleset.encode(move)).values()]
    return " ".join(values).removeprefix("play ")


# --------------------------------------------------------------------------------------------------- the position


@dataclass(frozen=True)
class Prepared:
    """Chance that is no chance: every deal from the same order of the pack, and the number that the test draws."""

    pack: list[int]
    drawn: int = 0

    def order(self, number: int, attempt: int, size: int) -> list[int]:  # noqa: ARG002 (every deal is the same)
        """The order of the pack, from the top."""
        assert len(self.pack) == size
        return self.pack

    def below(self, purpose: str, n: int) -> int:  # noqa: ARG002 (whatever it is for)
        """The number that the test draws."""
        return self.drawn % n


def order_of(hands: list[list[str]], dealer: int, step: int, ruleset: Ruleset) -> list[int]:
    """The pack that deals these hands one card at a time, from the seat after the dealer on."""
    turns = [hands[(dealer + step * turn) % len(hands)] for turn in range(1, len(hands) + 1)]
    return [ruleset.pack.number[card] for cards in zip(*turns, strict=True) for card in cards]


def each_seat(values: list[int], seats: int) -> list[int]:
    """A value for every seat from a value for every seat or every team."""
    return values * (seats // len(values))


@dataclass
class Position:
    """A case played to where its moves lead."""

    table: dict[str, Any]
    case: dict[str, Any]

    def __post_init__(self) -> None:
        assert set(self.table) == {"ruleset", "direction", "usual", "hands", "case"}
        assert set(self.table["usual"]) <= START
        self.ruleset = find(self.table["ruleset"])
        self.options = self.ruleset.resolve(self.case.get("preset"), self.case.get("options", {}))
        self.before: int = self.setting("deals_played", 0)
        self.match = self.begin()
        for move in items(self.setting("moves", ""), self.ruleset):
            self.match.play(self.match.to_move, parse(move, self.ruleset))
        if self.setting("play"):
            assert self.case["play"] == "lowest"
            while not self.deal_is_over:
                self.match.play(self.match.to_move, self.match.deal.legal_moves()[0])

    def setting(self, key: str, otherwise: Any = None) -> Any:
        """What the case says, else what the table usually has."""
        return self.case.get(key, self.table["usual"].get(key, otherwise))

    def begin(self) -> Match:
        """The match at the start of this deal."""
        dealer, hands = self.setting("dealer"), self.setting("hands")
        hands = self.table["hands"][hands] if isinstance(hands, str) else hands
        step = {"clockwise": 1, "counterclockwise": -1}[self.table["direction"]]
        order = order_of([hand(each, self.ruleset) for each in hands], dealer, step, self.ruleset)
        if self.setting("pack"):
            assert self.case["pack"] == "in order"
            order.sort()
        totals = each_seat(self.setting("totals", [0]), len(hands))
        state = MatchState(self.before + 1, dealer, 1, totals, self.before, msgspec.Raw(b"null"), {})
        return resume(self.ruleset, self.options, len(hands), Prepared(order), state)

    @property
    def deal_is_over(self) -> bool:
        """Whether the deal that the case began with is over (the next one may have begun)."""
        return self.match.deals_played > self.before

    def fields(self) -> dict[str, Any]:
        """The deal as everyone sees it, or the record of it when it is over: fields as the API names them."""
        seen = self.ruleset.deal_view(self.match.observe(-1), self.match)
        fields: dict[str, Any] = msgspec.to_builtins(self.match.last_deal if self.deal_is_over else seen)
        return fields

    def open_to(self, seat: int) -> str:
        """Everything that a seat, or -1 as a spectator, is sent, as JSON."""
        seen = self.match.observe(seat)
        views = self.ruleset.deal_view(seen, self.match), self.ruleset.match_view(self.match)
        return msgspec.json.encode((views, self.ruleset.cards(seen.hand))).decode()

    def everything(self) -> object:
        """All there is to a match, to see that nothing has changed."""
        seats = range(-1, self.match.seats)
        return self.match.state(), self.match.result, [self.match.observe(seat).facts() for seat in seats]


# ----------------------------------------------------------------------------------------------- what must be so


def legal(position: Position, wanted: str) -> None:
    """Exactly these moves are open to the seat to move."""
    ruleset = position.ruleset
    expected = sorted(parse(item, ruleset) for item in items(wanted, ruleset))
    listed = position.match.deal.legal_moves()
    assert [written(move, ruleset) for move in listed] == [written(move, ruleset) for move in expected]


def refused(position: Position, wanted: dict[str, str]) -> None:
    """Each of these moves is refused for its reason and changes nothing; `seat 2: pass` is tried by that seat."""
    for words, reason in wanted.items():
        seat, _, move = words.rpartition(": ")
        by = int(seat.removeprefix("seat ")) if seat else position.match.to_move
        before = position.everything()
        with pytest.raises(EngineError) as error:
            position.match.play(by, parse(move, position.ruleset))
        given = error.value.reason if isinstance(error.value, IllegalMove) else error.value.code
        assert (words, given) == (words, reason)
        assert position.everything() == before


def sees(position: Position, wanted: dict[str, str]) -> None:
    """Each of these, `seat_0` or `spectator`, is shown exactly these cards, in hands or on the table."""
    for who, cards in wanted.items():
        seat = -1 if who == "spectator" else int(who.removeprefix("seat_"))
        named = set(re.findall(r'"([^"]*)"', position.open_to(seat))) & set(position.ruleset.pack.cards)
        assert (who, named) == (who, set(hand(cards, position.ruleset)))


def dealt(position: Position, wanted: list[str]) -> None:
    """The seats hold these hands."""
    ruleset, seats = position.ruleset, range(position.match.seats)
    held = [set(ruleset.cards(position.match.observe(seat).hand)) for seat in seats]
    assert held == [set(hand(cards, ruleset)) for cards in wanted]


def first_dealers(position: Position, wanted: list[int]) -> None:
    """A new match can begin with each of these dealers and no other, depending on chance alone."""
    dealers = set()
    for drawn in range(position.match.seats):
        source = Prepared(list(range(len(position.ruleset.pack.cards))), drawn)
        match = Match(position.ruleset, position.options, position.match.seats, source)
        match.start()
        dealers.add(match.dealer)
    assert dealers == set(wanted)


def result(position: Position, wanted: Any) -> None:
    """Who has won the match and why; `"none"` while it goes on."""
    ended = position.match.result
    assert (ended and {"winners": ended.winners, "reason": ended.reason}) == (None if wanted == "none" else wanted)
    assert not ended or ended.scores == position.match.totals


def resolved(position: Position, wanted: dict[str, Any]) -> None:
    """These options have these values."""
    values = {name: getattr(position.options, name) for name in wanted}
    assert values == {name: None if value == "none" else value for name, value in wanted.items()}


def same(fact: Callable[[Position], object]) -> Callable[[Position, object], None]:
    """The check that a fact is as wanted."""

    def check(position: Position, wanted: object) -> None:
        assert fact(position) == wanted

    return check


def totals_after(position: Position, wanted: list[int]) -> None:
    """The match scores are these, and so says the record of the deal."""
    totals = each_seat(wanted, position.match.seats)
    assert position.match.totals == totals
    assert position.fields()["totals"] == totals


def scores(position: Position, wanted: list[int]) -> None:
    """The deal was worth this."""
    assert position.fields()["scores"] == each_seat(wanted, position.match.seats)


CHECKS: dict[str, Callable[[Position, Any], None]] = {
    "to_move": same(lambda position: position.match.to_move),
    "legal": legal,
    "refused": refused,
    "sees": sees,
    "dealt": dealt,
    "cards": same(lambda position: position.match.observe(-1).sizes),
    "taker": same(lambda position: position.fields()["table"]["last_trick"]["taker"]),
    "scores": scores,
    "totals_after": totals_after,
    "deals_after": same(lambda position: position.match.deals_played),
    "next_dealer": same(lambda position: position.match.dealer),
    "first_dealers": first_dealers,
    "result": result,
    "resolved": resolved,
}


def prove(table: dict[str, Any], case: dict[str, Any]) -> None:
    """Play a case and look whether everything it says is so."""
    if "refused_options" in case:
        assert set(case) <= TOLD | CHOSEN | {"refused_options"}
        with pytest.raises(InvalidOptions) as error:
            find(table["ruleset"]).resolve(case.get("preset"), case.get("options", {}))
        assert sorted(pointer for pointer, _ in error.value.errors) == case["refused_options"]
        return
    expected = {key: wanted for key, wanted in case.items() if key not in TOLD | CHOSEN | START}
    assert expected, "the case expects nothing"
    position = Position(table, case)
    fields = position.fields()
    for key, wanted in expected.items():
        assert key in CHECKS or key in fields, f"nothing is called {key!r} here: {[*START, *CHECKS, *fields]}"
        if key in CHECKS:
            CHECKS[key](position, wanted)
        else:
            assert (key, fields[key]) == (key, None if wanted == "none" else wanted)


# ---------------------------------------------------------------------------------------------------- the tests


def numbers(case: dict[str, Any]) -> list[str]:
    """The rules that a case proves."""
    return [case["rule"]] if isinstance(case["rule"], str) else case["rule"]


def every_case() -> Iterator[Any]:
    """Each case of each table, called by its game, its rules and its sentence."""
    for table in TABLES:
        for case in table["case"]:
            yield pytest.param(table, case, id=f"{table['ruleset']} {'+'.join(numbers(case))}: {case['says']}")


@pytest.mark.parametrize(("table", "case"), list(every_case()))
def test_the_rules_say_that(table: dict[str, Any], case: dict[str, Any]) -> None:
    prove(table, case)


def folder(game: str) -> Path:
    """Where a ruleset lives."""
    return ROOT / "engine" / "rulesets" / game


def rulebook(game: str, language: str) -> str:
    """The numbered rules of a game, as served to clients."""
    return (folder(game) / f"rules.{language}.md").read_text()


def stated(game: str, language: str) -> list[str]:
    """The numbers of a rulebook, in its order."""
    return re.findall(r"^\*\*([A-Z]+\d+)\*\* ", rulebook(game, language), re.MULTILINE)


def cited(game: str) -> set[str]:
    """The rules that a ruleset's code names: `T7`, or all of `T7 to T9`."""
    letters = re.sub(r"\d", "", stated(game, "en")[0])
    code = "\n".join(path.read_text() for path in folder(game).glob("*.py"))
    spans = re.findall(rf"\b{letters}(\d+)(?: to {letters}(\d+))?\b", code)
    return {f"{letters}{rule}" for first, last in spans for rule in range(int(first), int(last or first) + 1)}


def table_of(game: str) -> dict[str, Any]:
    """The table of a game."""
    return TABLES[GAMES.index(game)]


@pytest.mark.parametrize("game", GAMES)
def test_rules_are_numbered_without_gaps_and_alike_in_both_languages(game: str) -> None:
    english, spanish = stated(game, "en"), stated(game, "es")
    letters = re.sub(r"\d", "", english[0])
    assert english == [f"{letters}{rule}" for rule in range(1, len(english) + 1)]
    assert spanish == english


@pytest.mark.parametrize("game", GAMES)
def test_every_rule_is_cited_in_the_code_and_the_code_cites_no_other(game: str) -> None:
    rules = stated(game, "en")
    missing = [rule for rule in rules if rule not in cited(game)]
    assert not missing, f"cited nowhere in engine/rulesets/{game}: {', '.join(missing)}"
    unknown = sorted(cited(game) - set(rules))
    assert not unknown, f"cited, but not a rule: {', '.join(unknown)}"


@pytest.mark.parametrize("game", GAMES)
def test_every_rule_is_proved_by_a_case_and_every_case_names_a_rule(game: str) -> None:
    rules = stated(game, "en")
    proved = {rule for case in table_of(game)["case"] for rule in numbers(case)}
    missing = [rule for rule in rules if rule not in proved]
    assert not missing, f"without a case in tests/rules/{game}.toml: {', '.join(missing)}"
    unknown = sorted(proved - set(rules))
    assert not unknown, f"in a case, but not a rule: {', '.join(unknown)}"


@pytest.mark.parametrize("game", GAMES)
def test_every_option_preset_and_reason_is_in_both_rulebooks(game: str) -> None:
    ruleset = find(game)
    words = [*ruleset.options.__struct_fields__, *ruleset.presets, *ruleset.reasons]
    missing = [
        (language, word) for language in LANGUAGES for word in words if f"`{word}`" not in rulebook(game, language)
    ]
    assert not missing, f"named in no rule: {missing}"


@pytest.mark.parametrize("game", GAMES)
def test_every_option_value_preset_and_reason_is_in_a_case(game: str) -> None:
    ruleset, cases = find(game), table_of(game)["case"]
    used = {(name, str(value)) for case in cases for name, value in case.get("options", {}).items()}
    used |= {(name, str(value)) for case in cases for name, value in case.get("resolved", {}).items()}
    schema = msgspec.json.schema(ruleset.options)["$defs"][ruleset.options.__name__]["properties"]
    values = {(name, str(value)) for name in schema for value in schema[name].get("enum", [])}
    assert sorted(values - used) == []
    assert set(schema) <= {name for name, _ in used}
    assert set(ruleset.presets) <= {case.get("preset") for case in cases}
    assert set(ruleset.reasons) <= {reason for case in cases for reason in case.get("refused", {}).values()}


@pytest.mark.parametrize(
    "slip", [{"tricks_takn": [1, 0]}, {"dealr": 2}, {"to_move": 1}, {"refused": {"pass": "x"}}, {}]
)
def test_a_case_with_a_slip_of_the_pen_fails(slip: dict[str, Any]) -> None:
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        prove(TABLES[0], {"rule": numbers(TABLES[0]["case"][0]), "says": "this is not so", **slip})
