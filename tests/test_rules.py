"""Every `[[case]]` of tests/rules/*.toml is one test, and every numbered rule has a case, a text and a line of code.

Every option has a case that comes out otherwise with another value of it.

A table begins with its `ruleset`, the `direction` in which it is played, the `[usual]` setting of a case that does not
say otherwise, and named `[hands]`. A case has `rule` (one or several), `says` (what happens, in one sentence), and

- what it starts from: `preset` and `options`; `seats`, else as many as there are hands; `dealer`; `hands`, a name or
  one hand a seat, suits in the pack's order and T for a ten (`"AK2.T9..J"`), with spaces where ranks have two digits,
  and the extra cards of a pack last (`"1 11.20..5.1-skip"`); a seat that sits out has `""`; or `pack = "in order"`,
  undealt; `draws`, the cards on top of the stock; `again`, the hands that are dealt where the first do not count;
  `totals` (a team's or a seat's), `deals_played` and `carried` before this deal; `drawn`, what every draw of a number
  gives; `voters`; then `moves`, in text (`"pass, bid 8, trump hearts, A-spades"`: a card alone is played; `seat 2
  proposes 20` and `seat 2 leaves` are no moves), and `play = "lowest"`, every seat's lowest legal move until the deal
  is over.
- what must be so then: any key of CHECKS below, or a field of the deal's view by its name in the API (`phase`,
  `declarer`, `tricks_taken`) or of the match's (`target`); when the deal is over, a field of `last_deal` (`scores`,
  `made`) or of the match's view. `"none"` is null.

Any other key is an error, so that a slip of the pen cannot pass for a proof.
"""

import dataclasses
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from msgspec import Struct, inspect

from engine.bits import bit
from engine.cards import Pack
from engine.catalog import find
from engine.codec import Codec
from engine.errors import EngineError, IllegalMove, InvalidOptions
from engine.match import Match
from engine.wire import Move
from tests.positions import order_that_deals

ROOT = Path(__file__).parent.parent
TABLES = [tomllib.loads(path.read_text()) for path in sorted((ROOT / "tests" / "rules").glob("*.toml"))]
GAMES = [table["ruleset"] for table in TABLES]

TOLD = {"rule", "says"}
CHOSEN = {"preset", "options"}
HEAD = {"ruleset", "direction", "usual", "hands", "case"}
START = {
    "seats", "dealer", "hands", "pack", "draws", "again", "totals", "deals_played", "carried", "drawn", "voters",
    "moves", "play",
}  # fmt: skip
LANGUAGES = ("en", "es")
FIELD = {each.__struct_config__.tag: (each.__struct_fields__ or (None,))[0] for each in get_args(Move)}


# ------------------------------------------------------------------------------------------ cards and moves in text


def hand(text: str, pack: Pack) -> list[str]:
    """The card ids of a hand in short: `AK2.T9..J`, or `1 11.20..5.1-skip`."""
    spaced = any(len(rank) > 1 and rank != "10" for rank in pack.ranks)
    parts = text.split(".")
    extra = parts.pop().split() if len(parts) > len(pack.suits) else []
    cards = [
        f"{'10' if rank == 'T' else rank}-{suit}"
        for suit, ranks in zip(pack.suits, parts, strict=True)
        for rank in (ranks.split() if spaced else ranks)
    ]
    assert set(cards) | set(extra) <= set(pack.cards), f"not cards of this pack: {text}"
    return [*cards, *extra]


def items(text: str, codec: Codec) -> Iterator[str]:
    """The moves of a list one by one: `bid 7..13` is seven of them, and a hand in short is each of its cards."""
    for item in filter(None, re.split(r",\s*", text.strip())):
        if span := re.fullmatch(r"(\w+) (\d+)\.\.(\d+)", item):
            yield from (f"{span[1]} {amount}" for amount in range(int(span[2]), int(span[3]) + 1))
        elif "." in item:
            yield from hand(item, codec.pack)
        else:
            yield item


def parse(text: str, codec: Codec) -> int:
    """The int of a move in text, by way of its JSON, as a client would send it."""
    kind, _, value = text.partition(" ")
    kind, value = (kind, value) if kind in FIELD else ("play", text)
    fields = {FIELD[kind]: int(value) if FIELD[kind] == "amount" else value} if FIELD[kind] else {}
    return codec.decode(msgspec.convert({"type": kind, **fields}, Move))


def written(move: int, codec: Codec) -> str:
    """A move as it is written in the tables."""
    values = [str(value) for value in msgspec.to_builtins(codec.encode(move)).values()]
    return " ".join(values).removeprefix("play ")


# --------------------------------------------------------------------------------------------------- the position


@dataclass(frozen=True)
class Prepared:
    """Chance that is no chance: every deal from the same orders of the pack, one for each attempt, and one number."""

    packs: list[list[int]] = field(default_factory=list)
    drawn: int = 0

    def order(self, number: int, attempt: int, size: int) -> list[int]:  # noqa: ARG002 (every deal is the same)
        """The order of the pack, from the top."""
        assert attempt <= len(self.packs), "these hands do not count, and the case does not say what is dealt `again`"
        assert len(self.packs[attempt - 1]) == size
        return self.packs[attempt - 1]

    def below(self, purpose: str, n: int) -> int:  # noqa: ARG002 (whatever it is for)
        """The number that the test draws."""
        return self.drawn % n


def each_seat(values: list[int], seats: int) -> list[int]:
    """A value for every seat from a value for every seat or every team."""
    return values * (seats // len(values))


@dataclass
class Position:
    """A case played to where its moves lead."""

    table: dict[str, Any]
    case: dict[str, Any]

    def __post_init__(self) -> None:
        assert set(self.table) <= HEAD
        assert set(self.table["usual"]) <= START
        self.ruleset = find(self.table["ruleset"])
        assert self.table.get("direction", self.ruleset.turn) == self.ruleset.turn
        self.options = self.ruleset.resolve(self.case.get("preset"), options_of(self.case), self.seats)
        self.before: int = self.setting("deals_played", 0)
        source = Prepared(drawn=self.setting("drawn", 0))
        self.match = Match(dataclasses.replace(self.ruleset, begin=self.begin), self.options, self.seats, source)
        self.match.voters = tuple(self.setting("voters", range(self.seats)))
        self.codec = self.match.codec
        self.events = self.match.start()[1:]
        for item in items(self.setting("moves", ""), self.codec):
            if proposal := re.fullmatch(r"seat (\d) proposes (\d+)", item):
                self.events = self.match.propose(int(proposal[1]), int(proposal[2]))
            elif leaving := re.fullmatch(r"seat (\d) leaves", item):
                self.events = self.match.leave(int(leaving[1]))
            else:
                self.events = self.match.play(self.match.to_move, parse(item, self.codec))
        if self.setting("play"):
            assert self.case["play"] == "lowest"
            while not self.deal_is_over:
                self.events = self.match.play(self.match.to_move, self.match.deal.legal_moves()[0])

    def setting(self, key: str, otherwise: Any = None) -> Any:
        """What the case says, else what the table usually has."""
        return self.case.get(key, self.table["usual"].get(key, otherwise))

    def hands(self, key: str) -> list[str]:
        """The hands of a setting, which may name them."""
        hands = self.setting(key, [])
        return self.table["hands"][hands] if isinstance(hands, str) else hands

    @property
    def seats(self) -> int:
        """How many seats there are: as many as the case says, or has hands."""
        return self.case.get("seats") or len(self.hands("hands")) or self.table["usual"]["seats"]

    def begin(self, match: Match) -> list[Struct]:
        """Begin the match as its ruleset does, and go on as if it had come to this deal."""
        events = self.ruleset.begin(match)
        match.dealer = self.setting("dealer", match.dealer)
        match.number = match.deals_played = self.before
        match.totals = each_seat(self.setting("totals", [0]), self.seats)
        match.carried |= self.setting("carried", {})
        pack = match.codec.pack
        if self.setting("pack"):
            assert self.case["pack"] == "in order"
            match.source.packs.append(list(range(len(pack.cards))))
            return events
        match.participants = [seat for seat, text in enumerate(self.hands("hands")) if text]
        stock = [pack.number[card] for card in items(self.setting("draws", ""), match.codec)]
        for key in ("hands", "again"):
            if texts := self.hands(key):
                hands = [sum(bit(pack.number[card]) for card in hand(text, pack)) if text else 0 for text in texts]
                match.source.packs.append(order_that_deals(match, hands, stock))
        return events

    @property
    def deal_is_over(self) -> bool:
        """Whether the deal that the case began with is over (the next one may have begun)."""
        return self.match.deals_played > self.before

    def fields(self) -> dict[str, Any]:
        """The match as everyone sees it, and the deal, or its record when it is over: fields as the API names them."""
        deal = self.ruleset.deal_view(self.match.observe(-1), self.match)
        views = self.ruleset.match_view(self.match), self.match.last_deal if self.deal_is_over else deal
        fields: dict[str, Any] = msgspec.to_builtins(views[0]) | msgspec.to_builtins(views[1])
        return fields

    def open_to(self, seat: int) -> str:
        """Everything that a seat, or -1 as a spectator, is sent, as JSON."""
        seen = self.match.observe(seat)
        views = self.ruleset.deal_view(seen, self.match), self.ruleset.match_view(self.match)
        return msgspec.json.encode((views, self.codec.cards(seen.hand))).decode()

    def everything(self) -> object:
        """All there is to a match, to see that nothing has changed."""
        seats = range(-1, self.match.seats)
        return self.match.state(), self.match.result, [self.match.observe(seat).facts() for seat in seats]


# ----------------------------------------------------------------------------------------------- what must be so


def legal(position: Position, wanted: str) -> None:
    """Exactly these moves are open to the seat to move."""
    codec = position.codec
    expected = sorted(parse(item, codec) for item in items(wanted, codec))
    listed = position.match.deal.legal_moves()
    assert [written(move, codec) for move in listed] == [written(move, codec) for move in expected]


def refused(position: Position, wanted: dict[str, str]) -> None:
    """Each of these moves is refused for its reason and changes nothing; `seat 2: pass` is tried by that seat."""
    for words, reason in wanted.items():
        seat, _, move = words.rpartition(": ")
        by = int(seat.removeprefix("seat ")) if seat else position.match.to_move
        before = position.everything()
        with pytest.raises(EngineError) as error:
            position.match.play(by, parse(move, position.codec))
        given = error.value.reason if isinstance(error.value, IllegalMove) else error.value.code
        assert (words, given) == (words, reason)
        assert position.everything() == before


def sees(position: Position, wanted: dict[str, str]) -> None:
    """Each of these, `seat_0` or `spectator`, is shown exactly these cards, in hands or on the table."""
    for who, cards in wanted.items():
        seat = -1 if who == "spectator" else int(who.removeprefix("seat_"))
        named = set(re.findall(r'"([^"]*)"', position.open_to(seat))) & set(position.codec.pack.cards)
        assert (who, named) == (who, set(hand(cards, position.codec.pack)))


def dealt(position: Position, wanted: list[str]) -> None:
    """The seats hold these hands; a seat that sits out has `""`."""
    codec, seats = position.codec, range(position.match.seats)
    held = [set(codec.cards(position.match.observe(seat).hand)) for seat in seats]
    assert held == [set(hand(cards, codec.pack)) if cards else set() for cards in wanted]


def first_dealers(position: Position, wanted: list[int]) -> None:
    """A new match can begin with each of these dealers and no other, depending on chance alone."""
    dealers = set()
    for drawn in range(position.match.seats):
        source = Prepared([list(range(len(position.codec.pack.cards)))], drawn)
        match = Match(position.ruleset, position.options, position.match.seats, source)
        match.start()
        dealers.add(match.dealer)
    assert dealers == set(wanted)


def told(position: Position, wanted: list[dict[str, Any]]) -> None:
    """The last move, or the start, is followed by exactly these events, of which these fields are named."""
    events = [msgspec.to_builtins(event) for event in position.events]
    assert [event["type"] for event in events] == [named["type"] for named in wanted]
    for event, named in zip(events, wanted, strict=True):
        assert {name: event[name] for name in named} == {name: null(value) for name, value in named.items()}


def null(wanted: Any) -> Any:
    """A value that a table has to write with `"none"` for null, as it is."""
    if isinstance(wanted, list):
        return [null(each) for each in wanted]
    if isinstance(wanted, dict):
        return {key: null(each) for key, each in wanted.items()}
    return None if wanted == "none" else wanted


def options_of(case: dict[str, Any]) -> dict[str, Any]:
    """The options that a case names."""
    options: dict[str, Any] = null(case.get("options", {}))
    return options


def result(position: Position, wanted: Any) -> None:
    """Who has won the match and why; `"none"` while it goes on."""
    ended = position.match.result
    assert (ended and {"winners": ended.winners, "reason": ended.reason}) == null(wanted)
    assert not ended or ended.scores == position.match.totals


def resolved(position: Position, wanted: dict[str, Any]) -> None:
    """These options have these values."""
    values = {name: getattr(position.options, name) for name in wanted}
    assert values == {name: null(value) for name, value in wanted.items()}


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
    "attempt": same(lambda position: position.match.attempt),
    "playing": same(lambda position: [position.match.observe(-1).playing(seat) for seat in range(position.seats)]),
    "told": told,
    "first_dealers": first_dealers,
    "result": result,
    "resolved": resolved,
}


def prove(table: dict[str, Any], case: dict[str, Any]) -> None:
    """Play a case and look whether everything it says is so."""
    if "refused_options" in case:
        assert set(case) <= TOLD | CHOSEN | {"seats", "refused_options"}
        ruleset = find(table["ruleset"])
        with pytest.raises(InvalidOptions) as error:
            ruleset.resolve(case.get("preset"), options_of(case), case.get("seats", ruleset.seats[1]))
        assert sorted(pointer for pointer, _ in error.value.errors) == case["refused_options"]
        return
    assert expected(case), "the case expects nothing"
    must_be_so(Position(table, case), expected(case))


def expected(case: dict[str, Any]) -> dict[str, Any]:
    """What a case says must be so."""
    return {key: wanted for key, wanted in case.items() if key not in TOLD | CHOSEN | START}


def must_be_so(position: Position, expected: dict[str, Any]) -> None:
    """Look whether all of it is so at the position."""
    fields = position.fields()
    for key, wanted in expected.items():
        assert key in CHECKS or key in fields, f"nothing is called {key!r} here: {[*START, *CHECKS, *fields]}"
        if key in CHECKS:
            CHECKS[key](position, wanted)
        else:
            assert (key, fields[key]) == (key, null(wanted))


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


def other_values(kind: inspect.Type, value: Any) -> list[Any]:
    """Some other values of an option: all of a few, the ends and the neighbours of a number."""
    match kind:
        case inspect.LiteralType(values=values):
            return [each for each in values if each != value]
        case inspect.BoolType():
            return [not value]
        case inspect.IntType(ge=low, le=high) if low is not None and high is not None:
            near = [value + by for by in (-1, 1, 2)] if isinstance(value, int) else []
            return [each for each in (*near, low, low + 1, high) if low <= each <= high and each != value]
        case inspect.NoneType():
            return [] if value is None else [None]
        case inspect.UnionType(types=kinds):
            return [other for each in kinds for other in other_values(each, value)]
        case inspect.ListType():
            return [value[::-1], value[1:], value[:1]]
        case inspect.Metadata(type=inner):
            return other_values(inner, value)
    raise NotImplementedError(f"an option of {kind} is new: say here which values it has")


def comes_out_otherwise(table: dict[str, Any], case: dict[str, Any], option: str, value: Any) -> bool:
    """Whether something that a case says is not so where one option has another value.

    That the option has that value does not count, nor that the hands of the case cannot be dealt then.
    """
    changed = {**case, "options": {**case.get("options", {}), option: value}}
    says = {key: wanted for key, wanted in expected(case).items() if key not in ("resolved", option)}
    try:
        position = Position(table, changed)
    except (InvalidOptions, AssertionError, KeyError, ValueError):
        return False
    except EngineError:
        return True  # one of its moves is refused
    try:
        must_be_so(position, says)
    except (AssertionError, KeyError, pytest.fail.Exception):
        return True  # KeyError: the deal is not over, or is, and has no such field
    return False


def case_that_depends_on(table: dict[str, Any], option: inspect.Field) -> dict[str, Any] | None:
    """A case that comes out otherwise with another value of an option; those that choose a value are tried first."""
    cases: list[dict[str, Any]] = [case for case in table["case"] if "refused_options" not in case]
    cases.sort(key=lambda case: option.name not in case.get("options", {}))
    for case in cases:
        value = getattr(Position(table, case).options, option.name)
        if any(comes_out_otherwise(table, case, option.name, other) for other in other_values(option.type, value)):
            return case
    return None


def options_of_game(game: str) -> list[inspect.Field]:
    """The options of a ruleset."""
    kind = inspect.type_info(find(game).options)
    assert isinstance(kind, inspect.StructType)
    return list(kind.fields)


OPTIONS = [pytest.param(game, each, id=f"{game}-{each.name}") for game in GAMES for each in options_of_game(game)]


@pytest.mark.parametrize(("game", "option"), OPTIONS)
def test_every_option_changes_how_a_case_comes_out(game: str, option: inspect.Field) -> None:
    """With another value of the option something that a case of the table says is not so: the option does something."""
    assert case_that_depends_on(table_of(game), option) is not None


@pytest.mark.parametrize("option", options_of_game("tarneeb"), ids=lambda option: option.name)
def test_an_option_that_changes_nothing_is_found(option: inspect.Field) -> None:
    """A case that only says what its options are depends on none of them."""
    empty = {"rule": "T38", "says": "nothing of play", "options": {"target": 20}, "resolved": {"target": 20}}
    assert case_that_depends_on({**table_of("tarneeb"), "case": [empty]}, option) is None


@pytest.mark.parametrize(
    "slip", [{"tricks_takn": [1, 0]}, {"dealr": 2}, {"to_move": 1}, {"refused": {"pass": "x"}}, {}]
)
def test_a_case_with_a_slip_of_the_pen_fails(slip: dict[str, Any]) -> None:
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        prove(table_of("tarneeb"), {"rule": "T1", "says": "this is not so", **slip})
