import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec
import pytest
import redis

from engine import wire
from engine.chance import PublishedDeals, published_order
from engine.match import Match
from engine.rulesets.tarneeb import TARNEEB
from service.settings import Settings
from service.store import key, shard_of
from tests.positions import told
from tests.service.players import (
    ONE_SUIT_EACH,
    PACK,
    PASS,
    PLAYERS,
    SEED,
    SUITS,
    Api,
    Json,
    Move,
    Prepared,
    Table,
    any_of,
    bid,
    card,
    good,
    one_suit_deal,
    refused,
    running,
    trump,
)

MATCHES: dict[str, Json] = {
    "tricks": {"preset": "tarneeb_31", "options": {"target": 9}},
    "points": {"preset": "tarneeb_41", "options": {"max_deals": 2, "first_dealer": 2}},
    "dealer bids": {"options": {"all_pass": "dealer_bids", "max_deals": 2, "full_bid": "bonus"}},
}
matches = pytest.mark.parametrize("match", MATCHES)

READERS = [0, 1, 2, 3, None, "creator"]
VIEW = {
    *("game_id", "ruleset", "ruleset_version", "options", "status", "version", "cursor", "to_move", "deadline_at"),
    *("seats", "match", "deal", "you", "result", "fair", "commitment", "client_seeds", "created_at", "expires_at"),
}
SEAT = {
    *("seat", "kind", "name", "controller", "bot", "team", "cards", "score", "resigned", "timeouts", "playing"),
}  # fmt: skip
DEAL = {
    *("ruleset", "number", "dealer", "phase", "table", "auction", "declarer", "bid", "trump", "tricks_taken"),
    "points_taken",
}
LAST_DEAL = {
    *("ruleset", "number", "dealer", "scores", "totals", "last_trick", "declarer", "bid", "trump", "made"),
    *("tricks_taken", "points_taken", "all_passed", "discarded"),
}


def as_json(content: Any) -> Json:
    return json.loads(msgspec.json.encode(content))


# ---------------------------------------------------------------------------------------------------- a whole match


@matches
def test_a_match_by_four_tokens_goes_as_the_engine_says(api: Api, match: str) -> None:
    """At every position each seat is offered exactly the engine's moves, and told exactly what the engine says."""
    table = api.create(**MATCHES[match])
    options = TARNEEB.resolve(MATCHES[match].get("preset"), MATCHES[match]["options"], 4)
    engine = Match(TARNEEB, options, 4, PublishedDeals(SEED, []))
    engine.start()
    chance = random.Random(match)
    while engine.result is None:
        version, mover = table.version(), engine.to_move
        moves = as_json([engine.codec.encode(move) for move in engine.deal.legal_moves()])
        for seat in range(4):
            expected = {"version": version, "seat": seat, "to_move": mover, "moves": moves if seat == mover else []}
            assert good(table.get("/legal-moves", seat)) == expected
        move = any_of(chance, moves)
        answer = good(table.send(mover, move, version))
        events = engine.play(mover, engine.codec.decode(msgspec.convert(move, wire.Move)))
        assert answer["version"] == answer["game"]["version"] == version + 1
        assert answer["events"] == json.loads(told(engine, events, mover))
        assert answer["game"] == table.view(mover)
        assert answer["game"]["deal"] == as_json(TARNEEB.deal_view(engine.observe(mover), engine))
        assert answer["game"]["match"] == as_json(TARNEEB.match_view(engine))
    over = table.view(0)
    assert over["result"] == as_json(engine.result)
    assert (over["status"], over["to_move"], over["you"]["legal_moves"]) == ("finished", None, [])
    assert over["deal"] == answer["game"]["deal"]
    assert [seat["score"] for seat in over["seats"]] == over["result"]["scores"] == engine.totals


def wrong_because(view: Json, move: Move) -> str | None:
    """The rulebook's reason against a move of the seat that the view is for, from what that seat sees alone."""
    deal = view["deal"]
    kind = move["type"]
    ours = move.get("card", "A-spades") in PACK and move.get("suit", "spades") in SUITS
    phase = {"bid": "auction", "pass": "auction", "trump": "trump", "play": "play"}.get(kind)
    if phase is None or not ours:
        return "not_in_this_game"
    if deal["phase"] != phase:
        return "wrong_phase"
    bids = [call["bid"] for call in deal["auction"]]
    lowest, highest = (21, 40) if view["options"]["scoring"] == "points" else (7, 13)
    if kind == "bid":
        if not lowest <= move["amount"] <= highest:
            return "bid_out_of_range"
        return "bid_too_low" if move["amount"] <= max([each for each in bids if each], default=0) else None
    if kind == "pass":
        must_bid = view["options"]["all_pass"] == "dealer_bids" and bids == [None] * 3  # noqa: S105 - no password
        return "dealer_must_bid" if must_bid else None
    return wrong_card(view, move["card"]) if kind == "play" else None


def wrong_card(view: Json, wanted: str) -> str | None:
    """The rulebook's reason against playing a card."""
    hand = view["you"]["hand"]
    if wanted not in hand:
        return "card_not_in_hand"
    led = [each["card"].split("-")[1] for each in view["deal"]["table"]["cards"]][:1]
    can_follow = [each for each in hand if led and each.endswith(led[0])]
    return "must_follow_suit" if can_follow and wanted not in can_follow else None


OF_OTHER_GAMES: list[Move] = [
    card("8-acorns"), card("U-bells"), card("1-coins"), card("12-cups"), card("20-red"), card("3-skip"),
    trump("bells"), trump("red"), {"type": "draw"}, {"type": "end_turn"},
]  # fmt: skip
STRANGE_BIDS = [bid(amount) for amount in (0, 1, 6, 14, 20, 41, -5, 62, 63, 64, 127, 2**63, 2**64, 10**30, -(10**30))]
OF_TARNEEB = [PASS, *map(bid, range(7, 41)), *map(trump, SUITS), *map(card, PACK)]


@matches
def test_exactly_the_moves_that_the_rulebook_allows_are_listed(api: Api, match: str) -> None:
    table = api.create(**MATCHES[match])
    chance = random.Random(match)
    view = table.view()
    while view["result"] is None:
        mine = table.view(view["to_move"])
        allowed = [move for move in OF_TARNEEB + STRANGE_BIDS + OF_OTHER_GAMES if wrong_because(mine, move) is None]
        listed = mine["you"]["legal_moves"]
        assert sorted(map(str, listed)) == sorted(map(str, allowed))
        view = good(table.send(view["to_move"], any_of(chance, listed), view["version"]))["game"]


def test_every_wrong_move_is_refused_with_the_rulebooks_reason(api: Api) -> None:
    """At every position some wrong moves of each kind are tried; none changes the version that the next is made on."""
    reasons: Counter[str] = Counter()
    chance = random.Random("wrong moves")
    for match in MATCHES.values():
        table = api.create(**match, seed="0b" * 32)
        version, mover = 1, table.to_move()
        while mover is not None and version < 60:
            mine = table.view(mover)
            wrong = [move for move in OF_TARNEEB if wrong_because(mine, move)]
            rare = [move for move in wrong if wrong_because(mine, move) in ("must_follow_suit", "dealer_must_bid")]
            tries = [*chance.sample(wrong, 3), *rare[:1], chance.choice(STRANGE_BIDS), chance.choice(OF_OTHER_GAMES)]
            for move in tries:
                problem = refused(table.send(mover, move, version), "illegal_move")
                assert problem["reason"] == wrong_because(mine, move), move
                assert problem["detail"].startswith(TARNEEB.reasons[problem["reason"]])
                reasons[problem["reason"]] += 1
            # Three passes now and then lead the dealer into having to bid.
            move = PASS if version < 4 else any_of(chance, mine["you"]["legal_moves"])
            mover = good(table.send(mover, move, version))["game"]["to_move"]
            version += 1
    assert reasons.keys() == TARNEEB.reasons.keys()


@pytest.mark.parametrize("amount", [0, 6, 14, -5, 10**30])
def test_any_integer_is_a_bid_and_one_out_of_range_is_refused_by_the_rules(table: Table, amount: int) -> None:
    assert refused(table.send(3, bid(amount)), "illegal_move")["reason"] == "bid_out_of_range"


@pytest.mark.parametrize("move", [card("8-acorns"), {"type": "draw"}, {"type": "end_turn"}, trump("leaves")])
def test_what_other_games_have_is_not_in_this_game(table: Table, move: Move) -> None:
    assert refused(table.send(3, move), "illegal_move")["reason"] == "not_in_this_game"


def test_a_seat_that_can_follow_suit_must(settings: Settings) -> None:
    hands = [[*hand] for hand in ONE_SUIT_EACH]
    hands[2][0], hands[3][0] = hands[3][0], hands[2][0]  # seat 2 holds the two of clubs, seat 3 that of diamonds
    with running(settings, Prepared(hands)) as api:
        table = api.create()
        table.play(bid(7), PASS, PASS, PASS, trump("clubs"), card("A-clubs"))
        assert refused(table.send(2, card("A-diamonds")), "illegal_move")["reason"] == "must_follow_suit"
        assert refused(table.send(2, card("3-clubs")), "illegal_move")["reason"] == "card_not_in_hand"
        assert refused(table.send(2, trump("clubs")), "illegal_move")["reason"] == "wrong_phase"
        assert table.legal_moves(2) == [card("2-clubs")]
        table.play(card("2-clubs"), card("A-hearts"), card("A-spades"))
        assert table.view()["deal"]["table"]["last_trick"]["taker"] == 3


# ---------------------------------------------------------------------------------------------------- who sees what


def test_everyone_sees_the_same_but_for_their_own_hand_and_the_creators_metadata(api: Api) -> None:
    """At every position of a match: one shape for all, the reader's hand sorted and as long as everyone is told."""
    table = api.create(options={"target": 7}, metadata={"table": "7"})
    while True:
        views = {reader: table.view(reader) for reader in READERS}
        public = views[None]
        assert public["you"] is None
        assert public["metadata"] is None
        for reader in READERS:
            you, metadata = views[reader]["you"], views[reader]["metadata"]
            assert views[reader] == {**public, "you": you, "metadata": metadata}
            assert metadata == ({"table": "7"} if reader == "creator" else None)
            if not isinstance(reader, int):
                assert you is None
                continue
            assert you.keys() == {"seat", "hand", "legal_moves"}
            assert you["seat"] == reader
            assert you["hand"] == sorted(you["hand"], key=PACK.index)
            assert len(you["hand"]) == public["seats"][reader]["cards"]
            assert bool(you["legal_moves"]) == (reader == public["to_move"])
        hands = [held for reader in range(4) for held in views[reader]["you"]["hand"]]
        assert len(set(hands)) == len(hands), "no card is in two hands"
        if public["result"] is not None:
            return
        table.play_on(1, seed=public["version"])


def test_a_view_has_every_member_that_the_contract_names(table: Table) -> None:
    for reader in READERS:
        view = table.view(reader)
        assert view.keys() >= VIEW
        assert view["deal"].keys() == DEAL
        assert view["match"].keys() == {"ruleset", "deals_played", "last_deal", "target"}
        assert [seat.keys() for seat in view["seats"]] == [SEAT] * 4
        assert view["deal"]["table"].keys() == {"kind", "trick_number", "leader", "cards", "last_trick"}


@pytest.fixture(scope="module")
def one_suit(settings: Settings) -> Iterator[Api]:
    """An API whose deals give each seat a whole suit."""
    with running(settings, Prepared(ONE_SUIT_EACH)) as started:
        yield started


def test_what_is_not_decided_yet_is_null(one_suit: Api) -> None:
    """Bid, declarer and leader are null in the auction, trump until it is named; the auction is open to all."""
    table = one_suit.create()
    table.play(bid(7), PASS)
    deal = table.view()["deal"]
    assert deal["phase"] == "auction"
    assert deal["auction"] == [{"seat": 3, "bid": 7}, {"seat": 2, "bid": None}]
    assert (deal["declarer"], deal["bid"], deal["trump"], deal["table"]["leader"]) == (None, None, None, None)
    assert (deal["tricks_taken"], deal["points_taken"]) == ([0, 0], None)
    answer = table.play(PASS, PASS)
    assert answer["events"] == [{"type": "auction_won", "declarer": 3, "bid": 7}]
    deal = answer["game"]["deal"]
    assert deal["phase"] == "trump"
    assert (deal["declarer"], deal["bid"], deal["trump"], deal["table"]["leader"]) == (3, 7, None, 3)
    answer = table.play(trump("clubs"))
    assert answer["events"] == []
    assert (answer["game"]["deal"]["phase"], answer["game"]["deal"]["trump"]) == ("play", "clubs")
    assert answer["game"]["to_move"] == 3


def test_the_table_shows_the_running_trick_and_the_one_before_it(one_suit: Api) -> None:
    table = one_suit.create()
    first = [{"seat": seat, "card": f"2-{SUITS[seat]}"} for seat in (3, 2, 1, 0)]
    deal = one_suit_deal()
    shown = table.play(*deal[:8])["game"]["deal"]["table"]
    assert shown == {"kind": "tricks", "trick_number": 1, "leader": 3, "cards": first[:3], "last_trick": None}
    answer = table.play(deal[8])
    assert answer["events"] == [{"type": "trick_taken", "taker": 3, "cards": first, "points": None}]
    last = {"leader": 3, "cards": first, "taker": 3}
    shown = answer["game"]["deal"]["table"]
    assert shown == {"kind": "tricks", "trick_number": 2, "leader": 3, "cards": [], "last_trick": last}
    assert answer["game"]["deal"]["tricks_taken"] == [0, 1]
    assert [seat["cards"] for seat in answer["game"]["seats"]] == [12] * 4
    shown = table.play(deal[9])["game"]["deal"]["table"]
    assert (shown["trick_number"], shown["last_trick"]) == (2, last)
    assert shown["cards"] == [{"seat": 3, "card": "3-clubs"}]


def test_when_a_deal_ends_its_record_stands_beside_the_next_deal(one_suit: Api) -> None:
    """The last card settles the deal and deals again in one entry; a slow reader finds what was in `last_deal`."""
    table = one_suit.create(options={"target": 20})
    assert table.view()["match"] == {"ruleset": "tarneeb", "deals_played": 0, "last_deal": None, "target": 20}
    answer = table.play(*one_suit_deal(amount=9))
    assert [event["type"] for event in answer["events"]] == ["trick_taken", "deal_scored", "dealt"]
    view = answer["game"]
    last = view["match"]["last_deal"]
    assert last.keys() == LAST_DEAL
    assert answer["events"][1] == {"type": "deal_scored", **{name: last[name] for name in last if name != "ruleset"}}
    assert (last["number"], last["dealer"], last["scores"], last["totals"]) == (1, 0, [0, 13, 0, 13], [0, 13, 0, 13])
    assert (last["declarer"], last["bid"], last["trump"], last["made"]) == (3, 9, "clubs", True)
    assert (last["tricks_taken"], last["points_taken"], last["discarded"]) == ([0, 13], None, [0, 0])
    assert last["all_passed"] is False
    assert last["last_trick"]["cards"][0] == {"seat": 3, "card": "A-clubs"}
    assert (view["match"]["deals_played"], view["deal"]["number"], view["deal"]["dealer"]) == (1, 2, 3)
    assert (view["deal"]["auction"], view["deal"]["table"]["last_trick"]) == ([], None)
    assert [seat["score"] for seat in view["seats"]] == [0, 13, 0, 13]


def test_a_thrown_in_deal_leaves_a_record_of_zeros(table: Table) -> None:
    answer = table.play(PASS, PASS, PASS, PASS)
    assert [event["type"] for event in answer["events"]] == ["all_passed", "dealt"]
    last = answer["game"]["match"]["last_deal"]
    assert last.keys() == LAST_DEAL
    assert last["scores"] == last["totals"] == [0] * 4
    assert last["tricks_taken"] == last["discarded"] == [0, 0]
    assert (last["all_passed"], last["made"], last["last_trick"]) == (True, None, None)
    assert (last["declarer"], last["bid"], last["trump"]) == (None, None, None)
    assert answer["game"]["match"]["deals_played"] == 1


def test_after_the_end_the_deal_stays_as_the_last_move_left_it(one_suit: Api) -> None:
    table = one_suit.create(options={"target": 13})
    answer = table.play(*one_suit_deal())
    assert [event["type"] for event in answer["events"]] == ["trick_taken", "deal_scored", "game_over"]
    result = {"winners": [1, 3], "scores": [0, 13, 0, 13], "reason": "target"}
    assert answer["events"][2] == {"type": "game_over", **result}
    for reader in READERS:
        view = table.view(reader)
        assert (view["result"], view["status"], view["to_move"]) == (result, "finished", None)
        deal = view["deal"]
        assert (deal["number"], deal["phase"], deal["tricks_taken"], deal["trump"]) == (1, "play", [0, 13], "clubs")
        assert (deal["table"]["trick_number"], deal["table"]["cards"]) == (13, [])
        assert deal["table"]["last_trick"]["cards"][-1] == {"seat": 0, "card": "A-spades"}
        assert view["match"]["deals_played"] == 1
        assert view["match"]["last_deal"]["scores"] == [0, 13, 0, 13]
    for seat in range(4):
        moves = {"version": 58, "seat": seat, "to_move": None, "moves": []}
        assert good(table.get("/legal-moves", seat)) == moves
        refused(table.send(seat, PASS), "match_over")


def test_a_full_bid_that_is_made_wins_the_match(one_suit: Api) -> None:
    result = one_suit.create().play(*one_suit_deal(amount=13))["game"]["result"]
    assert result == {"winners": [1, 3], "scores": [0, 13, 0, 13], "reason": "full_bid"}


def test_the_bound_on_deals_ends_a_match_with_equal_leaders_sharing(table: Table) -> None:
    over = table.api.create(options={"max_deals": 1}).play(PASS, PASS, PASS, PASS)["game"]
    assert over["result"] == {"winners": [0, 1, 2, 3], "scores": [0] * 4, "reason": "max_deals"}
    assert over["deal"]["auction"][-1]["bid"] is None


# ---------------------------------------------------------------------------------------------------- creating


DEFAULTS = {
    "scoring": "tricks", "target": 31, "finish": "reach", "all_pass": "next_dealer", "defenders_always_score": False,
    "full_bid": "wins_match", "full_bid_made": 26, "full_bid_failed": 16, "max_deals": 200, "first_dealer": None,
}  # fmt: skip
POINTS = {"scoring": "points", "target": 41, "finish": "exact", "full_bid_made": 52, "full_bid_failed": 40}


@pytest.mark.parametrize(
    ("body", "resolved"),
    [
        ({}, {}),
        ({"preset": None, "options": {}}, {}),
        ({"preset": "tarneeb_31"}, {}),
        ({"preset": "tarneeb_41_tricks"}, {"target": 41}),
        ({"preset": "tarneeb_41"}, POINTS),
        ({"options": {"scoring": "points"}}, POINTS),
        ({"preset": "tarneeb_41", "options": {"target": 60}}, {**POINTS, "target": 60}),
        ({"options": {"scoring": "points", "full_bid_made": 1}}, {**POINTS, "full_bid_made": 1}),
        ({"preset": "tarneeb_41", "options": {"scoring": "tricks"}}, {"target": 41, "finish": "exact"}),
        ({"options": {"first_dealer": 3, "target": 31.0}}, {"first_dealer": 3}),
    ],
)
def test_views_show_every_option_with_the_value_it_has(api: Api, body: Json, resolved: Json) -> None:
    table = api.create(**body)
    assert table.view()["options"] == {**DEFAULTS, **resolved}
    assert table.view()["match"]["target"] == table.view()["options"]["target"]


def test_the_first_dealer_of_the_options_deals_and_the_seat_to_the_right_speaks(api: Api) -> None:
    for dealer in range(4):
        view = api.create(options={"first_dealer": dealer}).view()
        assert (view["deal"]["dealer"], view["to_move"]) == (dealer, (dealer - 1) % 4)


def test_the_answer_names_the_place_of_the_game_and_holds_its_tokens(api: Api) -> None:
    """A token for each player's seat and none for a bot's; the view in it is the creator's; no cache may keep it."""
    seats = [{"kind": "player", "name": "Ana"}, {"kind": "bot", "bot": {"bot": "rules"}}, *PLAYERS[2:]]
    table = api.create(seats=seats, pace_seconds=60)
    created = table.created.json()
    assert table.created.status_code == 201
    assert table.created.headers["location"] == f"/v1/games/{table.id}"
    assert table.created.headers["cache-control"] == "no-store"
    assert created.keys() == {"game", "seats", "creator_token"}
    assert [seat["seat"] for seat in created["seats"]] == [0, 2, 3]
    assert created["game"] == good(api.get(table.created.headers["location"], table.creator))
    assert len({*table.tokens.values(), table.creator}) == 4


def test_seats_say_who_they_were_made_for_and_who_moves(api: Api) -> None:
    seats = [
        {"kind": "player", "name": "Ana"},
        {"kind": "bot", "bot": {"bot": "random"}, "name": "Robot"},
        {"kind": "player"},
        {"kind": "bot", "bot": {"bot": "rules", "version": 1, "budget": {"samples": 5}}},
    ]
    shown = api.create(seats=seats, pace_seconds=60).view()["seats"]
    assert [(seat["seat"], seat["kind"], seat["controller"], seat["name"], seat["team"]) for seat in shown] == [
        (0, "player", "player", "Ana", 0),
        (1, "bot", "bot", "Robot", 1),
        (2, "player", "player", None, 0),
        (3, "bot", "bot", None, 1),
    ]
    assert [seat["bot"] for seat in shown] == [
        None,
        {"bot": "random", "version": 1, "budget": None},
        None,
        {"bot": "rules", "version": 1, "budget": {"samples": 5}},
    ]
    for seat in shown:
        assert (seat["resigned"], seat["timeouts"], seat["playing"], seat["score"]) == (False, 0, True, 0)


def test_a_bots_pace_is_half_a_second_with_a_player_at_the_table_and_nothing_among_bots(api: Api) -> None:
    bots = [{"kind": "bot", "bot": {"bot": "rules"}}] * 4
    assert api.create().view()["pace_seconds"] == 0.5
    assert api.create(pace_seconds=0).view()["pace_seconds"] == 0
    assert api.create(pace_seconds=2.5).view()["pace_seconds"] == 2.5
    assert api.create(seats=[*bots[:3], *PLAYERS[:1]]).view()["pace_seconds"] == 0.5
    assert api.create(seats=bots).view()["pace_seconds"] == 0


def header_of(kept: redis.Redis, table: Table) -> Json:
    return json.loads(kept.hget(key("game", shard_of(table.id), table.id), "header"))


def test_a_seed_of_ones_own_makes_the_deals_reproducible_and_the_game_not_fair(api: Api) -> None:
    options = {"first_dealer": None}
    one, other = api.create(options=options), api.create(options=options)
    another = api.create(options=options, seed="ab" * 32)
    assert [one.view(seat)["you"] for seat in range(4)] == [other.view(seat)["you"] for seat in range(4)]
    assert [one.view(seat)["you"] for seat in range(4)] != [another.view(seat)["you"] for seat in range(4)]
    assert one.view()["fair"] is False
    assert one.id != other.id
    assert one.view()["commitment"] != other.view()["commitment"]


def test_without_a_seed_each_game_has_its_own_and_is_fair(api: Api, kept: redis.Redis) -> None:
    tables = [api.create(seed=None) for _ in range(5)]
    seeds = {header_of(kept, table)["seed"] for table in tables}
    assert len(seeds) == 5
    assert all(re.fullmatch("[0-9a-f]{64}", seed) for seed in seeds)
    assert all(table.view()["fair"] is True for table in tables)


@pytest.mark.parametrize("seed", [None, SEED])
def test_the_commitment_can_be_checked_with_the_seed_and_so_can_the_deal(
    api: Api, kept: redis.Redis, seed: str | None
) -> None:
    """From the seed alone, by the published functions: the commitment, and every card that was dealt."""
    table = api.create(seed=seed)
    view = table.view()
    used = header_of(kept, table)["seed"]
    assert used == seed or seed is None
    assert view["commitment"] == f"sha256:{hashlib.sha256(f'tapete/1:{table.id}:{used}'.encode()).hexdigest()}"
    assert view["client_seeds"] == []
    order = published_order(used, [], 1, 1, 52)
    for seat in range(4):
        places = range((view["deal"]["dealer"] - 1 - seat) % 4, 52, 4)
        assert table.view(seat)["you"]["hand"] == sorted((PACK[order[place]] for place in places), key=PACK.index)


def create(api: Api, **body: Any) -> Any:
    return api.post("/v1/games", {"ruleset": "tarneeb", "seats": PLAYERS, **body})


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({"options": {"colour": "red"}}, ["/options/colour"]),
        ({"options": {"target": 6}}, ["/options/target"]),
        ({"options": {"target": 501}}, ["/options/target"]),
        ({"options": {"target": "31"}}, ["/options/target"]),
        ({"options": {"target": None}}, ["/options/target"]),
        ({"options": {"target": 31.5}}, ["/options/target"]),
        ({"options": {"target": True}}, ["/options/target"]),
        ({"options": {"target": [31]}}, ["/options/target"]),
        ({"options": {"defenders_always_score": 1}}, ["/options/defenders_always_score"]),
        ({"options": {"first_dealer": 4}}, ["/options/first_dealer"]),
        ({"options": {"scoring": "honours"}}, ["/options/scoring"]),
        ({"options": {"max_deals": 0}}, ["/options/max_deals"]),
        ({"options": {"max_deals": 10**30}}, ["/options/max_deals"]),
        ({"options": {"a/b~c": 1}}, ["/options/a~1b~0c"]),
        (
            {"options": {"colour": "red", "target": 0, "finish": "soon", "max_deals": 5}},
            ["/options/colour", "/options/target", "/options/finish"],
        ),
        ({"preset": "tarneeb_51"}, ["/preset"]),
        ({"preset": "tarneeb_41", "options": {"target": 1}}, ["/options/target"]),
        ({"seats": PLAYERS[:2]}, ["/seats"]),
        ({"seats": PLAYERS[:3]}, ["/seats"]),
        ({"seats": [*PLAYERS, *PLAYERS[:1]]}, ["/seats"]),
        ({"preset": "tarneeb_51", "options": {"target": 0}}, ["/preset", "/options/target"]),
    ],
)
def test_options_that_the_rulebook_does_not_know_are_refused_each_at_its_place(
    api: Api, body: Json, pointers: list[str]
) -> None:
    problem = refused(create(api, **body), "invalid_options")
    assert [place["pointer"] for place in problem["errors"]] == pointers
    assert all(place["detail"].endswith(".") for place in problem["errors"])


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"colour": "red"}, ""),
        ({"seats": [*PLAYERS[:3], {"kind": "player", "colour": "red"}]}, "/seats/3"),
        ({"seats": [*PLAYERS[:3], {"kind": "ghost"}]}, "/seats/3/kind"),
        ({"seats": [*PLAYERS[:3], {}]}, "/seats/3"),
        ({"seats": [*PLAYERS[:3], None]}, "/seats/3"),
        ({"seats": [*PLAYERS[:3], {"kind": "bot"}]}, "/seats/3"),
        ({"seats": [*PLAYERS[:3], {"kind": "bot", "bot": {"bot": "oracle"}}]}, "/seats/3/bot/bot"),
        ({"seats": [*PLAYERS[:3], {"kind": "bot", "bot": {"bot": "rules", "version": 0}}]}, "/seats/3/bot/version"),
        (
            {"seats": [*PLAYERS[:3], {"kind": "bot", "bot": {"bot": "rules", "budget": {"samples": 0}}}]},
            "/seats/3/bot/budget/samples",
        ),
        ({"seats": []}, "/seats"),
        ({"seats": [*PLAYERS, *PLAYERS, *PLAYERS[:1]]}, "/seats"),
        ({"seats": {"0": "player"}}, "/seats"),
        ({"ruleset": "bridge"}, "/ruleset"),
        ({"ruleset": None}, "/ruleset"),
        ({"options": []}, "/options"),
        ({"preset": 31}, "/preset"),
        ({"pace_seconds": -1}, "/pace_seconds"),
        ({"pace_seconds": 61}, "/pace_seconds"),
        ({"advice": "yes"}, "/advice"),
        ({"seed": "5eed"}, "/seed"),
        ({"seed": "5EED" * 16}, "/seed"),
        ({"seed": SEED + "\n"}, "/seed"),
        ({"seed": 7}, "/seed"),
        ({"metadata": {"key": 7}}, "/metadata"),
        ({"metadata": {"key": "x" * 501}}, "/metadata"),
        ({"metadata": {f"key {number}": "" for number in range(17)}}, "/metadata"),
        ({"metadata": {"x" * 41: ""}}, "/metadata"),
        ({"metadata": {"": ""}}, "/metadata"),
    ],
)
def test_a_body_of_another_shape_is_refused_with_its_place(api: Api, body: Json, pointer: str) -> None:
    problem = refused(create(api, **body), "invalid_request")
    assert [place["pointer"] for place in problem["errors"]] == [pointer]


@pytest.mark.parametrize("missing", ["ruleset", "seats"])
def test_a_body_without_a_needed_field_says_which(api: Api, missing: str) -> None:
    body = {"ruleset": "tarneeb", "seats": PLAYERS}
    del body[missing]
    assert missing in refused(api.post("/v1/games", body), "invalid_request")["errors"][0]["detail"]


def test_a_bot_in_a_version_that_does_not_exist_is_an_unknown_bot(api: Api) -> None:
    seats = [*PLAYERS[:3], {"kind": "bot", "bot": {"bot": "rules", "version": 1000}}]
    assert "rules version 1" in refused(create(api, seats=seats), "unknown_bot")["detail"]


def named(name: Any) -> Json:
    return {"seats": [{"kind": "player", "name": name}, *PLAYERS[1:]]}


@pytest.mark.parametrize("name", ["A", "Ana María", "José", "Ана", "アナ", "آنا", "👩‍🚀", "x" * 40, "<b>", '"', " "])
def test_names_may_be_in_any_script(api: Api, name: str) -> None:
    table = api.create(**named(name))
    assert table.view(1)["seats"][0]["name"] == name


@pytest.mark.parametrize(
    "name",
    ["", "x" * 41, 7, *"\n\t\0\x1f\x7f\x85\u200e\u200f\u202a\u202e\u2066\u2069\u061c\u2028\u2029", "Ana\n", "A\u202eb"],
)
def test_names_with_control_or_bidirectional_characters_are_refused(api: Api, name: Any) -> None:
    problem = refused(create(api, **named(name)), "invalid_request")
    assert problem["errors"][0]["pointer"] == "/seats/0/name"


def test_half_a_character_is_no_name(api: Api) -> None:
    """JSON can spell a lone surrogate, which no text is made of."""
    body = json.dumps({"ruleset": "tarneeb", **named("\ud83d")}).encode()
    assert b"ud83d" in body
    refused(api.post("/v1/games", body), "invalid_request")


def test_a_bots_name_is_held_to_the_same(api: Api) -> None:
    seats = [*PLAYERS[:3], {"kind": "bot", "bot": {"bot": "rules"}, "name": "Rob\u202eot"}]
    assert refused(create(api, seats=seats), "invalid_request")["errors"][0]["pointer"] == "/seats/3/name"


def test_metadata_up_to_its_limits_is_the_creators_alone(api: Api) -> None:
    metadata = {f"{number:02}" + "k" * 38: "x" * 500 for number in range(16)}
    table = api.create(metadata=metadata)
    assert table.view("creator")["metadata"] == table.created.json()["game"]["metadata"] == metadata
    assert [table.view(seat)["metadata"] for seat in (0, None)] == [None, None]


def test_a_refused_create_leaves_nothing_behind(api: Api, kept: redis.Redis) -> None:
    before = set(kept.scan_iter("tapete:*"))
    refused(create(api, options={"target": 0}), "invalid_options")
    refused(create(api, seats=[*PLAYERS[:3], {"kind": "bot", "bot": {"bot": "rules", "version": 9}}]), "unknown_bot")
    refused(create(api, colour="red"), "invalid_request")
    assert set(kept.scan_iter("tapete:*")) == before


# ---------------------------------------------------------------------------------------------------- ETag


def test_an_etag_names_a_view_until_the_next_move(table: Table) -> None:
    answer = table.get("", 0)
    etag = answer.headers["etag"]
    unchanged = table.get("", 0, if_none_match=etag)
    assert (unchanged.status_code, unchanged.content, unchanged.headers["etag"]) == (304, b"", etag)
    refused(table.send(3, bid(6)), "illegal_move")
    assert table.get("", 0, if_none_match=etag).status_code == 304
    table.play(PASS)
    changed = table.get("", 0, if_none_match=etag)
    assert changed.status_code == 200
    assert changed.headers["etag"] != etag
    assert table.get("", 0, if_none_match=changed.headers["etag"]).status_code == 304


def test_every_reader_has_an_etag_of_their_own(table: Table) -> None:
    """A cache that mistakes one reader for another would show a hand: tags differ, and caches are told to ask."""
    answers = [table.get("", reader) for reader in READERS]
    assert len({answer.headers["etag"] for answer in answers}) == len(READERS)
    for reader, answer in zip(READERS, answers, strict=True):
        assert answer.headers["cache-control"] == "private, no-cache"
        assert answer.headers["vary"] == "Authorization"
        others = [other.headers["etag"] for other in answers if other is not answer]
        assert table.get("", reader, if_none_match=", ".join(others)).status_code == 200
        assert table.get("", reader, if_none_match=", ".join([*others, answer.headers["etag"]])).status_code == 304


@pytest.mark.parametrize("wrapped", ["{}", "W/{}", '"other", {}', "W/{},W/{}", "*"])
def test_if_none_match_may_be_weak_a_list_or_a_star(table: Table, wrapped: str) -> None:
    etag = table.get("", 0).headers["etag"]
    assert table.get("", 0, if_none_match=wrapped.replace("{}", etag)).status_code == 304
    assert table.get("", 0, if_none_match='"other"').status_code == 200


def test_the_same_seat_of_another_game_has_another_etag(api: Api) -> None:
    tags = [api.create().get("", 0).headers["etag"] for _ in range(2)]
    assert tags[0] != tags[1]


def test_reading_changes_nothing_not_even_how_long_the_game_is_kept(table: Table, kept: redis.Redis) -> None:
    where = key("game", shard_of(table.id), table.id)
    before = kept.hgetall(where), kept.pexpiretime(where)
    for reader in READERS:
        table.view(reader)
        table.events(who=reader)
        good(table.get("/deals", reader))
    table.legal_moves(3)
    assert (kept.hgetall(where), kept.pexpiretime(where)) == before


def test_a_game_lives_on_in_another_process_with_the_same_secret(table: Table, settings: Settings) -> None:
    """Nothing of a game is kept in a process: another one takes over in the middle of a deal."""
    table.play_on(20)
    with running(settings) as other:
        elsewhere = replace(table, api=other)
        assert [elsewhere.view(reader) for reader in READERS] == [table.view(reader) for reader in READERS]
        elsewhere.play_on(10)
    assert table.version() == 31
