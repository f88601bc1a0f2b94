import base64
import hashlib
import json
import logging
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
import msgspec
import pytest
import redis

from engine import bots
from engine.bits import members
from engine.bots import Decision
from engine.chance import Chance, PublishedDeals
from engine.deal import play_checked
from engine.errors import IllegalMove
from engine.match import DealSource, Match
from engine.rulesets.tarneeb import TARNEEB
from engine.rulesets.tarneeb.view import CODEC
from service import bot_moves, creation, games, views
from service.jobs import BOT_JOB
from service.settings import Settings
from tests.positions import SPECTATOR, Record, new_match, one_of, played, random_options
from tests.secrecy import Rearranged, exchanged, hands_dealt, hidden, world
from tests.service.players import (
    PACK,
    SEED,
    Api,
    Json,
    Move,
    Table,
    bid,
    card,
    cards_in,
    everything_in,
    good,
    running,
)

POSITIONS = 200
PLAYER = {"kind": "player"}


# ---------------------------------------------------------------------------------------------------- two worlds


@dataclass
class World:
    """A service whose deals are laid out, each game's under the seed that it is created with."""

    settings: Settings
    deals: dict[str, DealSource] = field(default_factory=dict)
    api: Api = field(init=False)

    def source(self, seed: str, _client_seeds: list[str]) -> DealSource:
        """The deals of one game."""
        return self.deals[seed]


@pytest.fixture(scope="module")
def worlds(settings: Settings) -> Iterator[tuple[World, World]]:
    """Two services that share nothing: their games may have the same ids."""
    url = settings.redis_url.replace("?db=1", "?db=2")
    with redis.Redis.from_url(url) as client:
        client.flushdb()
    real, other = World(settings), World(replace(settings, redis_url=url, queue_redis_url=url))
    with running(real.settings, real.source) as real.api, running(other.settings, other.source) as other.api:
        yield real, other


@dataclass
class Exchange:
    """Two cards of one deal that a reader cannot place, exchanged; what else is played is the same in both worlds.

    `at` is how many moves of the record are made at most; the exchange may allow fewer.
    """

    record: Record
    number: int
    reader: int
    cards: list[str]
    order: list[int]
    at: int

    @property
    def who(self) -> int | None:
        """The reader as the API knows it."""
        return None if self.reader == SPECTATOR else self.reader

    def possible(self) -> int:
        """How many of the record's moves are legal in the other world too."""
        other = world(self.record, self.number, self.order)
        made = self.record.states[self.number][1]
        while made < self.at and self.record.moves[made][2] in other.deal.legal_moves():
            other.replay(self.record.moves[made][2])
            made += 1
        return made


def exchanges(seed: str) -> Iterator[Exchange]:
    """Exchanges at chance positions of short random matches, for seats and the spectator, of old deals as well."""
    chance = Chance(f"exchanges over HTTP {seed}")
    while True:
        options = random_options(TARNEEB, 4, chance, most_deals=2)
        record = played(new_match(TARNEEB, chance, 4, options), chance)
        for _ in range(2):
            at, reader = chance.number(len(record.moves)), one_of(chance, [0, 1, 2, 3, SPECTATOR])
            number = one_of(chance, range(1, record.moves[at][0] + 1))
            unseen = hidden(record, number, at, reader)
            if unseen.bit_count() < 2:
                continue
            match = world(record, number)
            order = exchanged(match, unseen, chance)
            before = match.source.order(number, match.attempt, match.deal.size)
            cards = [PACK[card] for card, instead in zip(before, order, strict=True) if card != instead]
            if cards:
                yield Exchange(record, number, reader, cards, order, at)


def is_a_real_exchange(exchange: Exchange) -> None:
    """The two worlds differ in what others hold, and in nothing that the reader holds."""
    real, other = (hands_dealt(world(exchange.record, exchange.number, order)) for order in (None, exchange.order))
    assert real != other
    assert exchange.reader == SPECTATOR or real[exchange.reader] == other[exchange.reader]


# ---------------------------------------------------------------------------------------------------- all that is told

TIMELESS = [
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z"), "a time"),
    (re.compile(r'"at": ?\d+'), '"at":0'),
    (re.compile(r"\b(\d+)-[0-9a-f]{12}\b"), r"\1-a hash of times"),
    (re.compile(r'"request_id":"[0-9a-f]{16}"'), '"request_id":""'),
    (re.compile(r'"seconds":[\d.e-]+'), '"seconds":0'),
]


def timeless(text: str) -> str:
    """The text without what times have made different."""
    for pattern, instead in TIMELESS:
        text = pattern.sub(instead, text)
    return text


def told(answer: httpx.Response) -> str:
    """Every byte of an answer, but for times: status, headers, body."""
    headers = {name: value for name, value in answer.headers.items() if name not in ("x-request-id", "content-length")}
    return timeless(f"{answer.status_code} {headers} {answer.text}")


@dataclass
class Reader:
    """One world as the reader asks it; every question is asked of both, in the same words."""

    table: Table
    who: int | None
    cursor: str = ""

    def position(self, version: int, tries: list[Move]) -> Iterator[tuple[str, str]]:
        """All that can be read and found out at a position without changing it."""
        table, who = self.table, self.who
        answer = table.get("", who)
        yield "the view", told(answer)
        yield "the view that has not changed", told(table.get("", who, if_none_match=answer.headers["etag"]))
        news = table.get(f"/events{self.cursor and f'?after={self.cursor}'}", who)
        self.cursor = good(news)["next"]
        yield "what has happened", told(news)
        yield "the finished deals", told(table.get("/deals", who))
        if who is None:
            return
        yield "the legal moves", told(table.get("/legal-moves", who))
        for move in tries:
            yield f"what is said to {move}", told(table.send(who, move, version))
        yield "what is said to an old version", told(table.send(who, tries[0], version - 1))

    def advice(self, version: int) -> Iterator[tuple[str, str]]:
        """What bots say, or that it is not this seat's turn to be advised."""
        assert self.who is not None
        for bot in ("rules", "random"):
            asked = self.table.ask_bot(self.who, bot={"bot": bot}, expected_version=version)
            yield f"asking {bot}", told(asked)
            if asked.status_code == 202:
                api, job = self.table.api, good(asked)["job_id"]
                api.run(bot_moves.answer_job(api.context, job))
                yield f"the advice of {bot}", told(api.get(f"/v1/jobs/{job}", self.table.token(self.who)))

    def whole_log(self) -> Iterator[tuple[str, str]]:
        """The log from its start."""
        yield "the log", told(self.table.get("/events?limit=1000", self.who))


def alike(real: Iterator[tuple[str, str]], other: Iterator[tuple[str, str]]) -> None:
    """What is told in both worlds is the same."""
    for (what, one), (_, another) in zip(real, other, strict=True):
        assert one == another, f"{what} tells hidden cards apart"


def create(each: World, exchange: Exchange, game_id: str, deals: DealSource, monkeypatch: pytest.MonkeyPatch) -> Table:
    """The exchange's game in one world."""
    seed = f"{len(each.deals):064x}"
    each.deals[seed] = deals
    monkeypatch.setattr(creation, "new_game_id", lambda: game_id)
    options = msgspec.to_builtins(exchange.record.match.options)
    return each.api.create(seed=seed, options=options, metadata={"for": "the creator"})


def compare(worlds: tuple[World, World], exchange: Exchange, game_id: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Play the record in both worlds as far as it goes and compare everything; answers how many positions that were."""
    record, first = exchange.record, exchange.record.states[exchange.number][1]
    sources = (record.match.source, Rearranged(record.match.source, record.states[exchange.number][0], exchange.order))
    tables = [
        create(each, exchange, game_id, source, monkeypatch) for each, source in zip(worlds, sources, strict=True)
    ]
    assert tables[0].tokens == tables[1].tokens
    assert told(tables[0].created) == told(tables[1].created), "the new game tells hidden cards apart"
    real, other = (Reader(table, exchange.who) for table in tables)
    last, compared = exchange.possible(), 0
    for made in range(last + 1):
        version = made + 1
        if made == last or (made >= first and made * 5 % 7 < 3):
            compared += 1
            legal = legal_for(record, made, exchange.reader)
            tries = [*map(card, exchange.cards), bid(made % 45), card(PACK[made % 52])]
            tries = [move for move in tries if move not in legal]
            alike(real.position(version, tries), other.position(version, tries))
            if exchange.who is not None and (made == last or made % 2 == 0):
                alike(real.advice(version), other.advice(version))
        if made < last:
            _, mover, number = record.moves[made]
            move = msgspec.to_builtins(CODEC.encode(number))
            answers = [table.send(mover, move, version) for table in tables]
            assert [answer.status_code for answer in answers] == [200, 200]
            if mover == exchange.reader:
                assert told(answers[0]) == told(answers[1]), "the answer to a move tells hidden cards apart"
    alike(real.whole_log(), other.whole_log())
    assert kept_of(worlds[0], game_id) == kept_of(worlds[1], game_id), "what is kept tells hidden cards apart"
    return compared


def legal_for(record: Record, made: int, reader: int) -> list[Move]:
    """What a reader might really do after so many moves, which is no try then."""
    if record.moves[made][1] != reader:
        return []
    number = record.moves[made][0]
    match = world(record, number)
    for _, _, move in record.moves[record.states[number][1] : made]:
        match.replay(move)
    return [msgspec.to_builtins(CODEC.encode(move)) for move in match.deal.legal_moves()]


def kept_of(each: World, game_id: str) -> str:
    """All that a world keeps of a game and its jobs."""
    with redis.Redis.from_url(each.settings.redis_url) as client:
        ours = {name: value for name, value in everything_in(client).items() if game_id[3:].encode() in name}
    assert len(ours) > 3
    times = rb"(turn_at|created_at|expires_at|asked_at)': b'\d+'"
    return timeless(re.sub(times.decode(), "", repr(sorted(ours.items()))))


def compare_worlds(worlds: tuple[World, World], seed: str, positions: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Compare at this many positions."""
    done = 0
    for exchange in exchanges(seed):
        is_a_real_exchange(exchange)
        digest = hashlib.sha256(f"{seed} {done}".encode()).digest()
        game_id = f"gm_{base64.b32encode(digest)[:20].decode().lower()}"
        done += compare(worlds, exchange, game_id, monkeypatch)
        if done >= positions:
            return done
    raise AssertionError


def test_exchanging_two_hidden_cards_changes_no_byte_that_a_seat_can_read(
    worlds: tuple[World, World], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Views, events, deals, legal moves, refusals, answers to moves, the advice of bots, and all that is kept."""
    assert compare_worlds(worlds, "honest", POSITIONS, monkeypatch) >= POSITIONS


# ---------------------------------------------------------------------------------------------------- planted leaks

Leak = Callable[[pytest.MonkeyPatch], None]


def others(match: Match, seat: int) -> int:
    """A number that depends on who holds what beside this seat: what nobody may know."""
    return sum((other + 1) * match.deal.observe(other).hand for other in range(4) if other != seat) % 10007


def leak_in_the_view(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number in a seat's view depends on its hand."""
    honest = views._seat_view

    def leaky(game: Any, match: Match, seat: int, seen: Any) -> Any:
        return msgspec.structs.replace(honest(game, match, seat, seen), timeouts=others(match, seat))

    monkeypatch.setattr(views, "_seat_view", leaky)


def leak_in_an_event(monkeypatch: pytest.MonkeyPatch) -> None:
    """A seat is told somebody else's hand."""
    honest = views.reveal
    monkeypatch.setattr(views, "reveal", lambda match, event, seat: honest(match, event, (seat + 1) % 4))


def leak_in_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason against a card is another if the next seat holds it."""

    def leaky(deal: Any, seat: int, move: int) -> None:
        try:
            play_checked(deal, seat, move)
        except IllegalMove as refusal:
            if 0 <= move < 52 and deal.observe((seat + 1) % 4).hand >> move & 1:
                raise IllegalMove("must_follow_suit") from None
            raise refusal from None

    monkeypatch.setattr("engine.match.play_checked", leaky)


def leak_in_the_legal_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks is told what the seat to move may do, which depends on its hand."""

    def leaky(match: Match, _seen: Any) -> list[Any]:
        return [CODEC.encode(move) for move in match.deal.legal_moves()]

    monkeypatch.setattr(views, "legal_moves", leaky)
    monkeypatch.setattr(games, "legal_moves", leaky)


def leak_in_the_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot looks into the other hands before it chooses."""
    honest = bot_moves._decide
    peeked: list[int] = []

    async def leaky(context: Any, game: Any, match: Match, *more: Any) -> Any:
        peeked.append(others(match, match.to_move))
        return await honest(context, game, match, *more)

    def choose(seen: Any, _chance: Any, _budget: Any) -> Decision:
        return Decision(seen.moves[peeked[-1] % len(seen.moves)])

    monkeypatch.setattr(bot_moves, "_decide", leaky)
    monkeypatch.setattr(bots, "BOTS", tuple(replace(bot, choose=choose) for bot in bots.BOTS))


def leak_in_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hands are written into the log with a deal, though no answer shows them."""
    honest = Match._deal
    shown = views.told

    def leaky(match: Match) -> Any:
        return [msgspec.structs.replace(event, stock=others(match, 0)) for event in honest(match)]

    def covered(events: list[Any], match: Match, seat: int) -> list[Any]:
        return [
            msgspec.structs.replace(each, stock=0) if hasattr(each, "stock") else each
            for each in shown(events, match, seat)
        ]

    monkeypatch.setattr(Match, "_deal", leaky)
    for module in (views, games):
        monkeypatch.setattr(module, "told", covered)


LEAKS = {
    leak_in_the_view: "(the new game|the view|the answer to a move) tells",
    leak_in_an_event: "(what has happened|the answer to a move) tells",
    leak_in_a_refusal: "what is said to .* tells",
    leak_in_the_legal_moves: "(the view|the legal moves|the answer to a move) tells",
    leak_in_the_advice: "the advice of .* tells",
    leak_in_what_is_kept: "what is kept tells",
}


@pytest.mark.parametrize(("leak", "found"), LEAKS.items(), ids=lambda value: getattr(value, "__name__", ""))
def test_a_planted_leak_is_found(
    worlds: tuple[World, World], leak: Leak, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A leak put there on purpose makes the comparison fail, and say where."""
    leak(monkeypatch)
    with pytest.raises(AssertionError, match=found):
        compare_worlds(worlds, leak.__name__.removeprefix("leak_in_"), POSITIONS, monkeypatch)


# ---------------------------------------------------------------------------------------------------- where cards are


def texts_in(kept: redis.Redis) -> Iterator[tuple[str, str]]:
    """Every key of the database and everything in it, compressed values unpacked."""
    for name, value in everything_in(kept).items():
        text = repr(value)
        if isinstance(value, dict) and b"data" in value:
            text += zlib.decompress(value[b"data"]).decode()
        yield name.decode(), text


def owner_of(job: dict[bytes, bytes]) -> int:
    """The seat that asked for a job."""
    return int(json.loads(job[b"asked"])["seat"])


def test_what_is_kept_published_queued_and_logged_holds_no_card_of_a_hand_and_no_seed(
    api: Api, kept: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    """At every position of a deal with bots and advice: only cards that were played, and the seed in the header alone.

    The answer of a job holds a card, too: one of the seat's that asked.
    """
    caplog.set_level(logging.DEBUG)
    kept.flushdb()
    seats = [PLAYER, {"kind": "bot", "bot": {"bot": "random"}}, PLAYER, {"kind": "bot", "bot": {"bot": "rules"}}]
    options = {"max_deals": 1, "first_dealer": 1}  # so that seat 0 speaks first, and bids
    table = api.create(seats=seats, pace_seconds=0, options=options, metadata={"note": "for the creator"})
    listener = kept.pubsub()
    listener.psubscribe("*")
    hands = dealt_by_seed(table)
    api.answers.clear()
    shown: set[str] = set()
    answers_with_cards = 0
    while (view := table.view())["result"] is None:
        mover, version = view["to_move"], view["version"]
        if mover % 2 == 0:
            job = good(table.ask_bot(mover))["job_id"]
            api.run(bot_moves.answer_job(api.context, job))
        for name, text in texts_in(kept):
            in_text = cards_in(text)
            if ":job:" in name and in_text - shown:
                answers_with_cards += 1
                assert in_text <= shown | set(hands[owner_of(kept.hgetall(name))])
            else:
                assert in_text <= shown, name
            assert text.count(SEED) == text.count(f'"seed":"{SEED}"') == (":game:" in name), name
            assert not any(str(mask(hand)) in text for hand in hands), name
        if mover % 2:
            api.run(bot_moves.take_turn(api.context, table.id, version))
        else:
            table.play(bid(7) if version == 1 else table.legal_moves(mover)[0])
        move = table.log()[-1]["move"]
        shown |= {move["card"]} if move["type"] == "play" else set()
    assert len(shown) == 52
    assert answers_with_cards > 10
    only_names_and_versions(listener, table)
    only_owners_and_versions(kept)
    logged = caplog.text + "".join(repr(record.args) for record in caplog.records)
    assert table.id in logged, "requests are logged here, so a card in one would be found"
    for secret in (*PACK, SEED, "for the creator", *(str(mask(hand)) for hand in hands)):
        assert secret not in logged
    for answer in api.answers:
        headers = str(answer.headers)
        assert not cards_in(headers)
        assert SEED not in headers + answer.text


def dealt_by_seed(table: Table) -> list[list[str]]:
    """Every hand, as the published deal function has them."""
    match = Match(TARNEEB, TARNEEB.resolve(None, table.view()["options"], 4), 4, PublishedDeals(SEED, []))
    match.start()
    hands = [[PACK[card] for card in members(hand)] for hand in hands_dealt(match)]
    assert [table.view(seat)["you"]["hand"] for seat in (0, 2)] == hands[::2]
    return hands


def mask(hand: list[str]) -> int:
    """A hand as the engine holds it."""
    return sum(1 << PACK.index(each) for each in hand)


def only_names_and_versions(listener: Any, table: Table) -> None:
    """Everything that was published while a game was played names a game or job, and a version."""
    heard = []
    while (message := listener.get_message(timeout=0.1)) is not None:
        if message["type"] == "pmessage":
            heard.append(message["data"].decode())
    listener.close()
    ours = [text for text in heard if table.id in text]
    assert len(ours) > 52
    assert all(re.fullmatch(r"(gm|jb)_\w+ \d+", text) for text in heard if "_" in text)


def only_owners_and_versions(kept: redis.Redis) -> None:
    """Every job in the queue says whose turn or wish it is, a version and a kind: nothing that a hand could be."""
    jobs = [zlib.decompress(kept.hget(name, "data")) for name in kept.scan_iter("rq:job:*")]
    assert len(jobs) > 10
    for job in jobs:
        called: Json = json.loads(job)
        function, instance, (owner, version, kind), more = called
        assert (function, instance, more) == (BOT_JOB, None, {})
        assert re.fullmatch(r"(gm|jb)_\w+", owner)
        assert isinstance(version, int)
        assert kind in ("bot", "job")
