"""The catalogue is complete: a client builds its form for a new game from it, and shows every card and text by it."""

import re
from collections.abc import Iterator
from itertools import product
from typing import Any

import msgspec
import pytest

from engine.catalog import RULESETS
from engine.chance import Chance
from engine.errors import InvalidOptions
from engine.match import Ruleset
from service import texts
from service.rulesets import ruleset_page
from tests.positions import new_match, random_seats
from tests.service.form import Form, fits
from tests.service.players import Api, good, refused

Json = Any
PLAYER = {"kind": "player"}
BOT = {"kind": "bot", "bot": {"bot": "random"}}
PAGES = {
    (each.name, lang): msgspec.to_builtins(ruleset_page(each.name, lang))
    for each, lang in product(RULESETS, ("en", "es"))
}
each_ruleset = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.name)


def form_of(ruleset: Ruleset) -> Form:
    """The form that a client builds."""
    return Form(PAGES[ruleset.name, "en"])


# ------------------------------------------------------------------------------------------- the form for a new game


def try_it(api: Api, form: Form, preset: str | None, given: Json, seats: list[Json]) -> bool:
    """Create a game if the form says that it can be, with the options it says; whether it was created."""
    players = sum(seat["kind"] == "player" for seat in seats)
    wrong = form.refused(preset, given, len(seats), players)
    body = {"ruleset": form.page["name"], "preset": preset, "options": given, "seats": seats}
    answer = api.post("/v1/games", body)
    if wrong:
        problem = refused(answer, "invalid_options")
        assert {each["pointer"] for each in problem["errors"]} == wrong, body
        return False
    game = good(answer)["game"]
    assert game["options"] == form.resolved(preset, given), body
    return True


@each_ruleset
def test_every_preset_makes_a_game_of_the_options_that_the_form_shows(api: Api, ruleset: Ruleset) -> None:
    form = form_of(ruleset)
    for preset, seats in product((None, *form.presets), form.seats):
        assert try_it(api, form, preset, {}, [PLAYER] * seats)


@each_ruleset
def test_every_value_of_every_option_makes_a_game_or_is_refused_as_the_form_says(api: Api, ruleset: Ruleset) -> None:
    form = form_of(ruleset)
    for option in form.options:
        for seats in form.seats:
            made = [try_it(api, form, None, {option: value}, [PLAYER] * seats) for value in form.offered(option)]
            assert any(made)
            assert all(made) or any(each["option"] == option for each in form.page["constraints"])


@each_ruleset
def test_every_combination_that_is_refused_somewhere_is_made_or_refused_as_the_form_says(
    api: Api, ruleset: Ruleset
) -> None:
    """Each constraint, with every value of the options that it is about."""
    form, results = form_of(ruleset), set()
    for constraint in form.page["constraints"]:
        about = [name for name in {**constraint["when"], **constraint["needs"]} if name in form.options]
        for values in product(*map(form.offered, about)):
            for seats in ([PLAYER] * form.seats[0], [BOT] * form.seats[0], [PLAYER] * form.seats[-1]):
                results.add(try_it(api, form, None, dict(zip(about, values, strict=True)), seats))
    assert results == ({True, False} if form.page["constraints"] else set())


@each_ruleset
def test_what_the_form_does_not_offer_is_refused(api: Api, ruleset: Ruleset) -> None:
    form = form_of(ruleset)
    for option, schema in form.options.items():
        for value in (*beside(schema), "no such value", [], {}):
            assert not try_it(api, form, None, {option: value}, [PLAYER] * form.seats[0]), (option, value)
    assert not try_it(api, form, None, {"no_such_option": 1}, [PLAYER] * form.seats[0])


def beside(schema: Json) -> Iterator[int]:
    """The numbers just outside a range."""
    for each in schema.get("anyOf", [schema]):
        if "minimum" in each:
            yield from (each["minimum"] - 1, each["maximum"] + 1)


@each_ruleset
def test_the_form_and_the_rules_agree_on_any_options(ruleset: Ruleset) -> None:
    """Some options of a preset or none, drawn by chance: both refuse them at the same places, or resolve them alike."""
    form, chance, refusals = form_of(ruleset), Chance("forms"), 0
    for _ in range(1500):
        preset = [None, *form.presets][chance.number(1 + len(form.presets))]
        seats = random_seats(ruleset, chance)
        given = {
            name: (values := form.offered(name))[chance.number(len(values))]
            for name in form.options
            if chance.number(3) == 0
        }
        wrong = form.refused(preset, given, seats, players=seats)
        assert refusals_of(ruleset, preset, given, seats) == wrong
        if not wrong:
            assert msgspec.to_builtins(ruleset.resolve(preset, given, seats)) == form.resolved(preset, given)
        refusals += bool(wrong)
    assert (refusals > 0) == bool(form.page["constraints"])


def refusals_of(ruleset: Ruleset, preset: str | None, given: Json, seats: int) -> set[str]:
    """Where the rules refuse these options."""
    try:
        ruleset.resolve(preset, given, seats)
    except InvalidOptions as error:
        return {pointer for pointer, _ in error.errors}
    return set()


@each_ruleset
def test_every_bot_that_the_form_offers_may_take_a_seat(api: Api, ruleset: Ruleset) -> None:
    form = form_of(ruleset)
    listed = {(each["bot"], each["version"]) for each in good(api.get("/v1/bots"))["bots"]}
    for bot in form.page["bots"]:
        assert (bot["bot"], bot["version"]) in listed
        assert try_it(api, form, None, {}, [PLAYER] * (form.seats[0] - 1) + [{"kind": "bot", "bot": bot}])


# --------------------------------------------------------------------------------------------------- packs and cards


@each_ruleset
def test_the_pack_that_options_choose_is_the_one_that_is_dealt(ruleset: Ruleset) -> None:
    form, chance, chosen = form_of(ruleset), Chance("packs"), set()
    for _ in range(600):
        match = new_match(ruleset, chance)
        cards = form.pack(msgspec.to_builtins(match.options), match.seats)
        assert cards == list(match.codec.pack.cards)
        chosen.add(tuple(card for card in cards if "-skip" not in card and "-reverse" not in card))
    assert chosen == {tuple(each["cards"]) for each in form.page["packs"]}


@each_ruleset
def test_every_card_has_a_name_of_its_own_in_each_language(ruleset: Ruleset) -> None:
    page = PAGES[ruleset.name, "en"]
    kinds = {each["kind"]: each for each in page["kinds"]}
    extra = [card for each in page["extra_cards"] for card in each["cards"]]
    assert kinds.keys() == {each["kind"] for each in page["packs"]}
    for kind in kinds.values():
        names = [each["name"] for each in (*kind["cards"], *kind["suits"], *kind["ranks"])]
        assert not re.search("[{}]", str([list(name.values()) for name in names]))
        for lang in ("en", "es", "de"):
            assert len({each["name"][lang] for each in kind["cards"]}) == len(kind["cards"])
        for card in kind["cards"]:
            assert card["card"] in extra or card["card"] == f"{card['rank']}-{card['suit']}"
    for pack in page["packs"]:
        order = [each["card"] for each in kinds[pack["kind"]]["cards"]]
        assert pack["cards"] == [card for card in order if card in set(pack["cards"])]
        assert set(pack["suits"]) <= {each["suit"] for each in kinds[pack["kind"]]["suits"]}
        assert set(pack["ranks"]) <= {each["rank"] for each in kinds[pack["kind"]]["ranks"]}


@pytest.mark.parametrize(
    ("ruleset", "kind", "card", "names"),
    [
        ("tarneeb", "french", "Q-clubs", ("queen of clubs", "reina de tréboles", "Kreuz-Dame")),
        ("reihe", "french", "J-hearts", ("jack of hearts", "jota de corazones", "Herz-Bube")),
        ("reihe", "nordic", "J-hearts", ("J of hearts", "J de corazones", "Herz-J")),
        ("reihe", "spanish", "11-coins", ("knight of coins", "caballo de oros", "Münzen-Reiter")),
        ("rosbiratschka", "german", "U-leaves", ("Unter of leaves", "Unter de hojas", "Laub-Unter")),
        ("elfer_raus", "elfer_raus", "11-red", ("red 11", "11 rojo", "Rot 11")),
        ("elfer_raus", "elfer_raus", "2-reverse", ("reverse 2", "inversión 2", "Richtungswechsel 2")),
    ],
)
def test_cards_are_called_as_at_the_table(ruleset: str, kind: str, card: str, names: tuple[str, ...]) -> None:
    cards = next(each["cards"] for each in PAGES[ruleset, "en"]["kinds"] if each["kind"] == kind)
    assert tuple(next(each["name"] for each in cards if each["card"] == card).values()) == names


def test_start_cards_are_those_that_the_rulebook_names() -> None:
    """The packs of Reihe start from a rank, those of Rosbiratschka from the Unters; other games say it elsewhere."""
    starts = {each["pack"]: each["start_cards"] for name in PAGES for each in PAGES[name]["packs"]}
    ranks = {pack: {card.partition("-")[0] for card in cards} for pack, cards in starts.items() if cards}
    from_rank = {"nordic_60": "8", "nordic_56": "8", "spanish_48": "6", "spanish_40": "5"}
    assert from_rank.items() <= {pack: "".join(found) for pack, found in ranks.items()}.items()
    assert ranks["german_35"] == {"U"}
    assert starts["elfer_raus_4x20"] is None


# -------------------------------------------------------------------------------------------------- texts and moves


@each_ruleset
def test_everything_has_a_title_and_a_text_in_both_languages(ruleset: Ruleset) -> None:
    for lang in ("en", "es"):
        page = PAGES[ruleset.name, lang]
        options = page["options"]["properties"]
        assert options.keys() == set(ruleset.options.__struct_fields__)
        said = [page["text"], *(each["detail"] for each in page["reasons"])]
        said += [text for each in options.values() for text in (each["title"], each["description"])]
        said += [each[key] for part in ("presets", "move_types") for each in page[part] for key in ("title", "text")]
        said += [each["text"] for part in ("constraints", "dependent_defaults") for each in page[part]]
        assert all(said)
        assert [each["preset"] for each in page["presets"]] == list(ruleset.presets)
        assert [each["reason"] for each in page["reasons"]] == list(ruleset.reasons)


@each_ruleset
def test_no_text_is_left_untranslated_or_is_about_nothing(ruleset: Ruleset) -> None:
    said = texts.of_ruleset(ruleset.name)
    own = set(ruleset.options.__struct_fields__) - texts.common().options.keys()
    assert said.options.keys() == own
    assert said.presets.keys() == ruleset.presets.keys()
    assert said.moves.keys() == {each.__struct_config__.tag for each in ruleset.move_types}
    assert said.reasons.keys() == {"es"}
    assert said.reasons["es"].keys() == ruleset.reasons.keys()
    assert said.dependent.keys() == ruleset.dependent_defaults.keys()
    for each in (*said.options.values(), *said.presets.values(), *said.moves.values()):
        assert each.text.en != each.text.es


@each_ruleset
def test_every_value_of_a_choice_has_a_title(ruleset: Ruleset) -> None:
    form = form_of(ruleset)
    titled = {each["option"]: [choice["value"] for choice in each["choices"]] for each in form.page["choices"]}
    for option, schema in form.options.items():
        parts = [schema, schema.get("items", {}), *schema.get("anyOf", [])]
        named = {value for part in parts for value in part.get("enum", [])}
        named |= {None for part in parts if part.get("type") == "null"}
        assert set(titled.get(option, [])) == named, option


@each_ruleset
def test_a_move_fits_the_schema_of_its_type_and_no_other(ruleset: Ruleset) -> None:
    """Every move that a game has, and there is one of each type."""
    schemas = {each["type"]: each["schema"] for each in PAGES[ruleset.name, "en"]["move_types"]}
    moves = [msgspec.to_builtins(move) for move in new_match(ruleset, Chance("moves")).codec.moves.values()]
    for move in moves:
        assert [kind for kind, schema in schemas.items() if fits(move, schema)] == [move["type"]]
    assert {move["type"] for move in moves} == schemas.keys()


# ---------------------------------------------------------------------------------------------- language and caching


@pytest.mark.parametrize(
    ("accepted", "lang"),
    [
        ("", "en"),
        ("es", "es"),
        ("es-AR,en;q=0.8", "es"),
        ("de, es;q=0.5, en;q=0.4", "es"),
        ("en;q=0.1, es;q=0", "en"),
        ("fr", "en"),
        ("*", "en"),
        ("es;q=nonsense", "en"),
    ],
)
@pytest.mark.parametrize("path", ["/v1/rulesets", "/v1/rulesets/reihe"])
def test_texts_come_in_the_language_that_is_preferred(api: Api, path: str, accepted: str, lang: str) -> None:
    answer = api.get(path, accept_language=accepted)
    assert answer.headers["content-language"] == lang
    assert ("Rows grow up" if lang == "en" else "Las filas crecen") in answer.text


@pytest.mark.parametrize("path", ["/v1/rulesets", "/v1/rulesets/tarneeb", "/v1/bots", "/v1/errors"])
def test_the_catalogue_may_be_kept_and_is_not_sent_again(api: Api, path: str) -> None:
    answer = api.get(path)
    assert answer.headers["cache-control"] == "public, max-age=300"
    again = api.get(path, if_none_match=answer.headers["etag"])
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", answer.headers["etag"])
    assert api.get(path, if_none_match='"something else"').status_code == 200


@pytest.mark.parametrize("path", ["/v1/rulesets", "/v1/rulesets/tarneeb"])
def test_each_language_and_coding_has_its_own_etag(api: Api, path: str) -> None:
    """A cache between would otherwise answer a Spanish reader in English."""
    asked = [
        {"accept_language": lang, "accept_encoding": coding} for lang in ("en", "es") for coding in ("identity", "gzip")
    ]
    answers = [api.get(path, **headers) for headers in asked]
    assert len({answer.headers["etag"] for answer in answers}) == len(answers)
    assert {answer.headers["vary"] for answer in answers} == {"Accept-Language, Accept-Encoding"}
    assert [answer.headers.get("content-encoding") for answer in answers] == [None, "gzip"] * 2
    assert answers[0].json() == answers[1].json() != answers[2].json() == answers[3].json()
