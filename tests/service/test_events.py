import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from service.settings import Settings
from tests.service.players import (
    ONE_SUIT_EACH,
    PACK,
    PASS,
    Api,
    Json,
    Prepared,
    Table,
    any_of,
    bid,
    cards_in,
    good,
    one_suit_deal,
    refused,
    running,
    trump,
)

ITEM = {"version", "cursor", "at", "seat", "by", "bot", "move", "events"}
MATCH = {"options": {"max_deals": 3, "first_dealer": 1}, "preset": "tarneeb_41"}


@pytest.fixture(scope="module")
def played(api: Api) -> Table:
    """A whole match of three deals, of which one was thrown in."""
    table = api.create(**MATCH)
    table.play(PASS, PASS, PASS, PASS)
    assert table.play_on()["match"]["deals_played"] == 3
    return table


def pages(table: Table, limit: int, who: Any = None) -> Iterator[Json]:
    """Every page of the log, by following `next`."""
    after = ""
    while True:
        page = table.events(f"?limit={limit}{after}", who)
        yield page
        if not page["has_more"]:
            return
        after = f"&after={page['next']}"


# ---------------------------------------------------------------------------------------------------- pages


def test_a_log_begins_with_the_start_and_the_first_deal_in_one_entry(table: Table) -> None:
    page = table.events()
    assert page.keys() == {"items", "next", "has_more"}
    (item,) = page["items"]
    assert item.keys() == ITEM
    assert (item["version"], item["seat"], item["by"], item["bot"], item["move"]) == (1, None, "service", None, None)
    dealt = {"type": "dealt", "deal": 1, "attempt": 1, "dealer": 0, "cards": [13] * 4, "stock": 0, "hand": None}
    assert item["events"] == [{"type": "game_started"}, dealt]
    assert (page["next"], page["has_more"]) == (item["cursor"], False)
    assert item["cursor"] == table.view()["cursor"]


def test_every_move_is_an_entry_that_says_who_made_it(table: Table) -> None:
    table.play(PASS, bid(7))
    items = table.log()
    assert [(item["version"], item["seat"], item["by"], item["move"], item["events"]) for item in items[1:]] == [
        (2, 3, "player", PASS, []),
        (3, 2, "player", bid(7), []),
    ]
    assert all(item.keys() == ITEM for item in items)


@pytest.mark.parametrize("limit", [1, 2, 7, 50, 1000])
def test_pages_of_any_size_hold_the_whole_log_once_and_in_order(played: Table, limit: int) -> None:
    """Versions have no gaps, no page is longer than asked, only the last one says that there is no more."""
    found = list(pages(played, limit, who=2))
    items = [item for page in found for item in page["items"]]
    assert [item["version"] for item in items] == list(range(1, played.version() + 1))
    assert items == played.log(2)
    assert all(len(page["items"]) == limit for page in found[:-1])
    assert 1 <= len(found[-1]["items"]) <= limit
    assert all(page["next"] == page["items"][-1]["cursor"] for page in found)


def test_a_page_holds_a_hundred_entries_unless_told_otherwise(played: Table) -> None:
    page = played.events()
    assert (len(page["items"]), page["has_more"]) == (100, True)


def test_from_any_cursor_the_log_goes_on_with_the_next_version(played: Table) -> None:
    for item in played.log()[::13]:
        page = played.events(f"?after={item['cursor']}&limit=1")
        assert [next_item["version"] for next_item in page["items"]] == [item["version"] + 1]


def test_at_its_end_the_log_is_an_empty_page_whose_cursor_goes_on_later(table: Table) -> None:
    """A client asks again from `next`; what has happened meanwhile is in the next answer, and nothing else."""
    table.play(PASS)
    cursor = table.view()["cursor"]
    page = table.events(f"?after={cursor}")
    assert page == {"items": [], "next": cursor, "has_more": False}
    table.play(bid(7), PASS)
    page = table.events(f"?after={cursor}")
    assert [item["version"] for item in page["items"]] == [3, 4]


def test_a_view_and_the_answer_of_a_move_name_the_cursor_of_their_entry(table: Table) -> None:
    for _ in range(5):
        game = table.play(table.legal_moves(table.to_move())[-1])["game"]
        last = table.log()[-1]
        assert (last["version"], last["cursor"]) == (game["version"], game["cursor"])


def test_cursors_are_the_same_for_every_reader(played: Table) -> None:
    logs = [played.log(who) for who in (0, 1, 2, 3, None, "creator")]
    assert len({tuple(item["cursor"] for item in log) for log in logs}) == 1


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        ("limit=-1", "limit"),
        ("limit=ten", "limit"),
        ("limit=", "limit"),
        ("limit=1.5", "limit"),
        ("limit=%D9%A1", "limit"),
        ("limit=1&limit=2", "limit"),
        ("after=", "after"),
        ("after=now", "after"),
        ("after=7", "after"),
        ("after=-1-abc", "after"),
        ("after=01-abc", "after"),
        ("after=1-ABC", "after"),
        ("after=1-abc%0A", "after"),
        ("after=1-abcdefabcdefa", "after"),
        (f"after={'9' * 17}-abc", "after"),
        (f"after={'9' * 100}", "after"),
        ("after=1-a&after=1-a", "after"),
        ("colour=red", "colour"),
        ("After=1-a", "After"),
    ],
)
def test_a_query_that_the_document_does_not_have_is_refused_by_name(table: Table, query: str, parameter: str) -> None:
    problem = refused(table.get(f"/events?{query}"), "invalid_request")
    assert [place["parameter"] for place in problem["errors"]] == [parameter]


def test_a_cursor_of_another_history_says_that_history_is_lost(table: Table, played: Table) -> None:
    """Another game's cursor, a version that never was, the same version with another hash: all read the view again."""
    table.play(PASS, PASS)
    cursors = [item["cursor"] for item in played.log()]
    version, _, tail = table.view()["cursor"].partition("-")
    wrong = [*cursors[:5], cursors[-1], "99-abcdefabcdef", f"{10**15}-a", f"{version}-", "1-", f"4-{tail}"]
    wrong.append(f"{version}-{tail[::-1]}")
    for cursor in wrong:
        refused(table.get(f"/events?after={cursor}"), "history_lost")
    assert table.events(f"?after={version}-{tail}")["items"] == []


# ---------------------------------------------------------------------------------------------------- redaction


def test_a_seat_is_told_its_own_hand_and_nobody_elses_for_old_deals_too(api: Api) -> None:
    """During each deal its hand is noted; at the end the log still holds exactly these hands, for this seat alone."""
    table = api.create(options={"max_deals": 4}, preset="tarneeb_41")
    hands: dict[int, list[list[str]]] = {}
    while (view := table.view())["result"] is None:
        number = view["deal"]["number"]
        if number not in hands:
            hands[number] = [table.view(seat)["you"]["hand"] for seat in range(4)]
        table.play_on(1, seed=view["version"])
    for who in (0, 1, 2, 3, None, "creator"):
        dealt = [event for item in table.log(who) for event in item["events"] if event["type"] == "dealt"]
        assert [event["deal"] for event in dealt] == [1, 2, 3, 4]
        for event in dealt:
            assert event["hand"] == (hands[event["deal"]][who] if isinstance(who, int) else None)
    assert all(sorted(card for hand in four for card in hand) == sorted(PACK) for four in hands.values())


def test_the_log_names_no_card_but_what_was_played_and_ones_own(api: Api) -> None:
    """At every position of a deal, all cards in the whole log are either on the table's record or the reader's."""
    table = api.create()
    chance = random.Random("log")
    shown: set[str] = set()
    own = [set(table.view(seat)["you"]["hand"]) for seat in range(4)]
    while (view := table.view())["deal"]["number"] == 1:
        for who in (0, 1, 2, 3, None):
            named = cards_in(table.get("/events?limit=1000", who).text)
            assert named == shown | (own[who] if isinstance(who, int) else set())
        move = any_of(chance, table.legal_moves(view["to_move"]))
        shown |= {move["card"]} if move["type"] == "play" else set()
        good(table.send(view["to_move"], move, view["version"]))
    assert len(shown) == 52


# ---------------------------------------------------------------------------------------------------- folding


@dataclass
class Fold:
    """A game as a client knows it that has only read the log, from its own point of view."""

    seat: int | None
    options: Json
    version: int = 0
    cursor: str = ""
    number: int = 0
    dealer: int = 0
    sizes: list[int] = field(default_factory=list)
    hand: list[str] | None = None
    auction: list[Json] = field(default_factory=list)
    declarer: int | None = None
    bid: int | None = None
    trump: str | None = None
    leader: int | None = None
    cards: list[Json] = field(default_factory=list)
    last_trick: Json = None
    tricks: list[int] = field(default_factory=lambda: [0, 0])
    points: list[int] = field(default_factory=lambda: [0, 0])
    scores: list[int] = field(default_factory=lambda: [0] * 4)
    deals_played: int = 0
    last_deal: Json = None
    result: Json = None

    def add(self, item: Json) -> None:
        """Take the next entry in."""
        assert item["version"] == self.version + 1
        self.version, self.cursor = item["version"], item["cursor"]
        if item["move"] is not None:
            getattr(self, f"_{item['move']['type']}")(item["seat"], item["move"])
        for event in item["events"]:
            getattr(self, f"_{event['type']}")(event)

    def _pass(self, seat: int, _move: Json) -> None:
        self.auction.append({"seat": seat, "bid": None})

    def _bid(self, seat: int, move: Json) -> None:
        self.auction.append({"seat": seat, "bid": move["amount"]})

    def _trump(self, _seat: int, move: Json) -> None:
        self.trump = move["suit"]

    def _play(self, seat: int, move: Json) -> None:
        self.cards.append({"seat": seat, "card": move["card"]})
        self.sizes[seat] -= 1
        if seat == self.seat:
            assert self.hand is not None
            self.hand.remove(move["card"])

    def _game_started(self, _event: Json) -> None:
        pass

    def _dealt(self, event: Json) -> None:
        self.number, self.dealer, self.sizes, self.hand = event["deal"], event["dealer"], event["cards"], event["hand"]
        self.auction, self.declarer, self.bid, self.trump = [], None, None, None
        self.leader, self.cards, self.last_trick = None, [], None
        self.tricks, self.points = [0, 0], [0, 0]

    def _auction_won(self, event: Json) -> None:
        self.declarer = self.leader = event["declarer"]
        self.bid = event["bid"]

    def _trick_taken(self, event: Json) -> None:
        assert event["cards"] == self.cards
        self.last_trick = {"leader": self.leader, "cards": self.cards, "taker": event["taker"]}
        self.leader, self.cards = event["taker"], []
        self.tricks[event["taker"] % 2] += 1
        self.points[event["taker"] % 2] += event["points"] or 0

    def _deal_scored(self, event: Json) -> None:
        self.deals_played += 1
        self.scores = event["totals"]
        self.last_deal = {**{name: event[name] for name in event if name != "type"}, "ruleset": "tarneeb"}
        assert self.last_deal == {**self.last_deal, **self.record(), "made": event["made"], "scores": event["scores"]}

    def _all_passed(self, _event: Json) -> None:
        self.deals_played += 1
        nothing = {"scores": [0] * 4, "made": None, "all_passed": True, "discarded": [0, 0]}
        self.last_deal = {**self.record(), **nothing}

    def _game_over(self, event: Json) -> None:
        self.result = {name: event[name] for name in event if name != "type"}

    def record(self) -> Json:
        """The deal's record, as far as the play tells it."""
        return {
            "ruleset": "tarneeb",
            "number": self.number,
            "dealer": self.dealer,
            "totals": self.scores,
            "last_trick": self.last_trick,
            "declarer": self.declarer,
            "bid": self.bid,
            "trump": self.trump,
            "tricks_taken": self.tricks,
            "points_taken": self.points if self.options["scoring"] == "points" else None,
        }

    def deal(self) -> Json:
        """The running deal, as a view shows it."""
        phase = "play" if self.trump else "auction" if self.declarer is None else "trump"
        number = min(sum(self.tricks) + 1, 13)
        table = {"kind": "tricks", "trick_number": number, "leader": self.leader, "cards": self.cards}
        return {
            **{name: value for name, value in self.record().items() if name not in ("totals", "last_trick")},
            "phase": phase,
            "auction": self.auction,
            "table": {**table, "last_trick": self.last_trick},
        }

    def check(self, view: Json) -> None:
        """Hold it against a view of the same version."""
        assert (self.version, self.cursor) == (view["version"], view["cursor"])
        assert self.deal() == view["deal"]
        assert self.sizes == [seat["cards"] for seat in view["seats"]]
        assert self.scores == [seat["score"] for seat in view["seats"]]
        assert (self.deals_played, self.last_deal) == (view["match"]["deals_played"], view["match"]["last_deal"])
        assert self.result == view["result"]
        assert self.hand == (view["you"] and view["you"]["hand"])


@pytest.mark.parametrize("body", [MATCH, {"options": {"target": 7, "max_deals": 3}}])
def test_folding_the_log_gives_the_view_at_every_version(api: Api, body: Json) -> None:
    """Hands, sizes, table, auction, scores, records and the result: a spectator at each version, the seats by turns."""
    table = api.create(**body)
    table.play(PASS, PASS, PASS, PASS)
    folds = {who: Fold(who, table.view()["options"]) for who in (0, 1, 2, 3, None)}
    over = False
    while not over:
        view = table.play_on(1, seed=table.version())
        over = view["result"] is not None
        for who in folds if over else (None, view["version"] % 4):
            for item in table.events(f"?after={folds[who].cursor or '0-'}", who)["items"]:
                folds[who].add(item)
            folds[who].check(table.view(who))


# ---------------------------------------------------------------------------------------------------- deals


def test_finished_deals_are_told_as_they_were_scored(played: Table) -> None:
    """The records are those of the events; a thrown-in deal has one too; the last is there when the match is over."""
    page = good(played.get("/deals"))
    assert page.keys() == {"items", "next", "has_more"}
    assert [deal["number"] for deal in page["items"]] == [1, 2, 3]
    assert (page["next"], page["has_more"]) == (3, False)
    assert page["items"][0]["all_passed"] is True
    scored = [event for item in played.log() for event in item["events"] if event["type"] == "deal_scored"]
    for deal, event in zip(page["items"][1:], scored, strict=True):
        assert {**deal, "type": "deal_scored"} == {**event, "ruleset": "tarneeb"}
    assert page["items"][-1] == played.view()["match"]["last_deal"]


def test_a_deal_is_told_when_it_is_finished_and_not_before(settings: Settings) -> None:
    with running(settings, Prepared(ONE_SUIT_EACH)) as api:
        table = api.create(options={"target": 14})
        moves = one_suit_deal()
        for move in moves[:-1]:
            assert good(table.get("/deals")) == {"items": [], "next": 0, "has_more": False}
            table.play(move)
        view = table.play(moves[-1])["game"]
        page = good(table.get("/deals"))
        assert page == {"items": [view["match"]["last_deal"]], "next": 1, "has_more": False}
        assert page["items"][0]["scores"] == [0, 13, 0, 13]


@pytest.mark.parametrize("limit", [1, 2, 3, 1000])
@pytest.mark.parametrize("over", [False, True])
def test_deals_come_in_pages(api: Api, limit: int, over: bool) -> None:
    table = api.create(options={"max_deals": 5 if over else 50})
    for _ in range(5):
        table.play(PASS, PASS, PASS, PASS)
    assert (table.view()["result"] is not None) == over
    numbers: list[int] = []
    more = True
    while more:
        page = good(table.get(f"/deals?limit={limit}&after={len(numbers)}"))
        assert 1 <= len(page["items"]) <= limit
        numbers += [deal["number"] for deal in page["items"]]
        more = page["has_more"]
        assert page["next"] == len(numbers)
    assert numbers == [1, 2, 3, 4, 5]
    assert good(table.get("/deals?after=5")) == {"items": [], "next": 5, "has_more": False}
    assert good(table.get("/deals?after=9")) == {"items": [], "next": 9, "has_more": False}


def test_everyone_is_told_the_same_of_finished_deals(played: Table) -> None:
    assert len({played.get("/deals", who).text for who in (0, 1, 2, 3, None, "creator")}) == 1


@pytest.mark.parametrize("query", ["after=-1", "after=x", "after=1-abc", "limit=0", "after=99999999", "number=1"])
def test_a_page_of_deals_that_cannot_be_is_refused(played: Table, query: str) -> None:
    problem = refused(played.get(f"/deals?{query}"), "invalid_request")
    assert problem["errors"][0]["parameter"] == query.partition("=")[0]


def test_the_deals_of_a_match_that_has_just_begun_are_none(table: Table) -> None:
    table.play(bid(7), PASS, PASS, PASS, trump("hearts"))
    assert good(table.get("/deals")) == {"items": [], "next": 0, "has_more": False}
