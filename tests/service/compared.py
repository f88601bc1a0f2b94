"""One match played in two worlds by the same log, and compared wherever somebody can look."""

import asyncio
import base64
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle, islice, zip_longest
from typing import Any

import msgspec
import pytest
import redis

from engine.chance import Chance
from engine.deal import NOT_IN_GAME
from engine.match import Match, Ruleset
from service import creation, following
from service.bot_moves import take_turn
from service.games import load, make_move
from service.schemas import Controller
from service.store import Entry, Loaded, due_member, job_member, key, shard_of
from tests.positions import SPECTATOR, Record, new_match, one_of, played, random_options, random_seats, records
from tests.secrecy import Exchange, exchange_at, hands_dealt, matches_with_an_extra_deal, possible, somewhere
from tests.service.players import Move, Table, good
from tests.service.readers import STREAM, Reader, Told, told
from tests.service.worlds import SCRIPTED, World, script, waiting

EVERY = 4
"""In one of so many games everything is asked wrongly, too."""
Worlds = tuple[World, World]
NOTHING_IS_LEFT = {"reihe"}
"""Where a deal ends with one hand left at most, so that nothing is hidden any more when the match is over."""
PLAYER = {"kind": "player"}
BOT = {"kind": "bot", "bot": {"bot": "random", "budget": {"samples": SCRIPTED}}}


# ---------------------------------------------------------------------------------------------------- exchanges


def exchanges(ruleset: Ruleset, seed: str) -> Iterator[Exchange]:
    """Exchanges in short random matches: each preset in turn, options drawn, extra deals; without end."""
    chance = Chance(f"exchanges over HTTP {ruleset.name} {seed}")
    extra = matches_with_an_extra_deal(ruleset, chance, 3)
    if ruleset.name not in NOTHING_IS_LEFT:
        found = (each for record in records(ruleset, seed, 1 << 40) for each in ends(record, chance))
        yield from islice((each for each in found if each.seat != SPECTATOR), 1)
    for preset in cycle([None, *ruleset.presets]):
        seats = random_seats(ruleset, chance)
        record = played(new_match(ruleset, chance, seats, short_options(ruleset, preset, seats, chance)), chance)
        for each in (record, *islice(extra, int(preset is None))):
            for _ in range(2):
                found = exchange_at(each, somewhere(each, chance), chance)
                if found is not None and possible(found) >= found.first():
                    yield found


def ends(record: Record, chance: Chance) -> Iterator[Exchange]:
    """Exchanges that last until the match is over, which few do; of short matches."""
    for _ in range(5 * (len(record.moves) < 300)):
        found = exchange_at(record, len(record.moves), chance)
        if found is not None and possible(found) == found.at:
            yield found


def short_options(ruleset: Ruleset, preset: str | None, seats: int, chance: Chance) -> Any:
    """The options of a preset, or drawn ones, for a match of one to three deals where that can be said."""
    if preset is None:
        return random_options(ruleset, seats, chance, most_deals=3)
    has_bound = "max_deals" in ruleset.options.__struct_fields__
    return ruleset.resolve(preset, {"max_deals": 1 + chance.number(3)} if has_bound else {}, seats)


def is_a_real_exchange(exchange: Exchange) -> None:
    """The two worlds differ in what lies where, and in nothing that the reader was dealt."""
    for (number, attempt), order in exchange.orders.items():
        sources = exchange.record.match.source, exchange.source()
        before, after = (source.order(number, attempt, len(order)) for source in sources)
        assert before != after == order
    real, other = exchange.worlds()
    assert exchange.seat == SPECTATOR or hands_dealt(real)[exchange.seat] == hands_dealt(other)[exchange.seat]


# ---------------------------------------------------------------------------------------------------- comparing


def alike(real: Told, other: Told) -> None:
    """What is told in both worlds is the same."""
    for (what, one), (_, another) in zip(real, other, strict=True):
        assert one == another, f"{what} tells hidden cards apart:\n{one!r}\n{another!r}"


def same(what: str, real: list[Any], other: list[Any]) -> None:
    """What an operator sees in both worlds is the same; the error shows the first difference."""
    differing = next((pair for pair in zip_longest(real, other) if pair[0] != pair[1]), None)
    assert differing is None, f"{what} tells hidden cards apart: {differing}"


def operators_see_the_same(worlds: Worlds) -> None:
    """What has been logged, published, queued and kept is the same in both worlds."""
    real, other = worlds
    same("what is logged", real.logged, other.logged)
    same("what is queued", real.queued, other.queued)
    same("what is published", real.published(), other.published())
    kept, also_kept = (each.kept() for each in worlds)
    assert any(name.startswith(b"tapete:") for name in kept)
    same("what is kept", list(kept.items()), [(name, also_kept.get(name)) for name in {**kept, **also_kept}])
    for each in worlds:
        each.logged.clear()
        each.queued.clear()


class Away:
    """A store's Redis that cannot be reached."""

    def __getattr__(self, name: str) -> Any:
        async def fails(*_: Any) -> Any:
            raise redis.ConnectionError("nobody answers")

        return fails


@dataclass
class Play:
    """The match of an exchange as it is played in both worlds. `match` is the real one, as the engine has it."""

    worlds: Worlds
    exchange: Exchange
    chance: Chance
    tables: tuple[Table, Table]
    readers: tuple[Reader, Reader]
    match: Match
    players: list[int]
    made: int = 0
    version: int = 1

    @property
    def reader(self) -> int:
        """The seat that reads, as the engine numbers it."""
        return self.exchange.seat

    # ------------------------------------------------------------------------------------------------ moving

    def go_to(self, position: int) -> None:
        """Let all moves before a position be made, without being asked for over HTTP."""
        self.quickly(self.exchange.record.moves[self.made : position])
        self._made(position - self.made)

    def _made(self, count: int) -> None:
        for _, _, move in self.exchange.record.moves[max(self.made, self.exchange.first()) : self.made + count]:
            self.match.replay(move)
        self.made += count
        self.version += count

    def quickly(self, moves: list[tuple[int, int, int]]) -> None:
        """Let moves be made without being asked for over HTTP."""
        for world, table in zip(self.worlds, self.tables, strict=True):
            world.run(self._make(world, table, moves))

    async def _make(self, world: World, table: Table, moves: list[tuple[int, int, int]]) -> None:
        game: Loaded | None = await load(world.api.context, table.id)
        for _, seat, move in moves:
            assert game is not None
            by: Controller = "player" if seat in self.players else "bot"
            entry = Entry(seat, by, game.header.seats[seat].bot, self.match.codec.encode(move), game.version, [])
            game = await make_move(world.api.context, game, entry, by)

    def move(self, *, followed: bool) -> None:
        """Let the record's next move be made in both worlds, by whoever makes it, perhaps while the reader waits."""
        _, mover, move = self.exchange.record.moves[self.made]
        as_json = msgspec.to_builtins(self.match.codec.encode(move))
        script[:] = [move]
        if followed:
            for reader in self.readers:
                reader.catch_up()
            alike(*(self._followed(at, mover, as_json) for at in (0, 1)))
        elif mover == self.reader:
            alike(*(reader.moving(as_json, self.version) for reader in self.readers))
        elif mover not in self.players:
            for world, table in zip(self.worlds, self.tables, strict=True):
                world.work(due_member(table.id, self.version, "bot"))
        else:
            self.quickly([self.exchange.record.moves[self.made]])
        self._made(1)

    def _followed(self, at: int, mover: int, move: Move) -> Told:
        """A move, and what a long poll and a stream are told that were there before it."""
        world, table, reader = self.worlds[at], self.tables[at], self.readers[at]
        api, token = world.api, table.token(reader.who)
        moving = table.sending(mover, move, self.version) if mover in self.players else \
            take_turn(api.context, table.id, self.version)  # fmt: skip

        async def all_at_once() -> list[Any]:
            waiting.clear()
            async with asyncio.timeout(60):
                asked = [
                    asyncio.ensure_future(
                        api.request("GET", f"{table.path}/events?after={reader.cursor}&{how}", token, headers)
                    )
                    for how, headers in (("wait=25", {}), ("max_items=1", STREAM))
                ]
                while len(waiting) < len(asked):
                    await asyncio.sleep(0)
                return await asyncio.gather(*asked, moving)

        poll, stream, answer = world.run(all_at_once())
        assert good(poll)["items"], "the poll ends with the move"
        yield "the long poll", told(world.asked(poll))
        yield "the stream as it happens", told(world.asked(stream))
        if mover == self.reader:
            yield "the answer to a move", told(world.asked(answer))

    # ------------------------------------------------------------------------------------------------ looking

    def look(self) -> None:
        """Compare all that the reader can read and find out at this position, and all that an operator can."""
        real, other = self.readers
        self._let_another_ask()
        alike(real.reading(), other.reading())
        alike(real.tries(self._wrong_moves(), self.version), other.tries(self._wrong_moves(), self.version))
        alike(real.advice(self.version), other.advice(self.version))
        operators_see_the_same(self.worlds)

    def propose(self) -> None:
        """Compare what the proposal of a target is answered; it may be an entry of the log."""
        real, other = self.readers
        alike(real.proposal(100 + self.reader), other.proposal(100 + self.reader))
        self.version = good(real.here("GET"))["version"]
        assert self.version == good(other.here("GET"))["version"]
        operators_see_the_same(self.worlds)

    def look_at_refusals(self) -> None:
        """Compare what every operation says to whatever is wrong with a request."""
        real, other = self.readers
        alike(real.wrongly(), other.wrongly())
        operators_see_the_same(self.worlds)

    def look_in_trouble(self) -> None:
        """Compare what every operation says while the store is away, and when the game has expired: the last look."""
        stores = [(each.api.context.store, each.api.app.app.state.simulations.store) for each in self.worlds]
        honest = [games.redis for games, _ in stores]
        for store in (each for both in stores for each in both):
            store.redis = Away()
        try:
            alike(*(reader.correctly(self.version) for reader in self.readers))
        finally:
            for both, server in zip(stores, honest, strict=True):
                for store in both:
                    store.redis = server
        for world, table in zip(self.worlds, self.tables, strict=True):
            world.redis.delete(*(key(kind, shard_of(table.id), table.id) for kind in ("game", "log", "deals")))
        alike(*(reader.correctly(self.version, unless="createGame") for reader in self.readers))
        operators_see_the_same(self.worlds)

    def look_at_leaving(self) -> None:
        """Compare what changes who sits where, and the end of it all; also a table that waits: the last look."""
        real, other = self.readers
        alike(real.waiting(), other.waiting())
        alike(real.leaving(self.version), other.leaving(self.version))
        operators_see_the_same(self.worlds)

    def look_at_the_end(self) -> None:
        """Compare the whole log, and what is said to who lets a bot play."""
        real, other = self.readers
        alike(real.whole_log(), other.whole_log())
        alike(real.play_by_bot(self.version), other.play_by_bot(self.version))

    def _wrong_moves(self) -> list[Move]:
        """Moves of the exchanged cards and some others, without those that the reader could really make."""
        codec = self.match.codec
        cards = {codec.pack.cards[each] for number, _ in self.exchange.orders for each in self.exchange.moved(number)}
        shown = [move for move, as_json in codec.moves.items() if getattr(as_json, "card", None) in cards]
        some = islice(cycle(codec.moves), self.version % len(codec.moves), None, 7)
        legal = set(self.match.deal.legal_moves()) if self.match.to_move == self.reader else set()
        wrong = [move for move in dict.fromkeys([*shown, *islice(some, 4)]) if move not in legal | {NOT_IN_GAME}]
        return [msgspec.to_builtins(codec.encode(move)) for move in wrong] or [{"type": "bid", "amount": -1}]

    def _let_another_ask(self) -> None:
        """Let another player who is to move ask for advice, which the reader must not see; it stays in the queue."""
        mover = self.match.to_move
        if mover in self.players and mover != self.reader:
            for world, table, reader in zip(self.worlds, self.tables, self.readers, strict=True):
                if (member := asked_by(world, table, mover, self.version)) is not None:
                    reader.job_of_another = member.partition(":")[0]
                    world.queue_up(member)

    def look_at_faults(self, hands: Callable[[Match], Any], monkeypatch: pytest.MonkeyPatch) -> None:
        """Compare what becomes of a fault whose text holds hands, wherever somebody looks at a match, and in a job."""
        members = [self._due(*each) for each in zip(self.worlds, self.tables, strict=True)]
        with monkeypatch.context() as faulty:
            faulty.setattr(Match, "observe", lambda match, _: hands(match))
            faulty.setattr(following, "item", lambda _entry, match, **_: hands(match))
            for world, member in zip(self.worlds, members, strict=True):
                world.do(member)
            alike(*(reader.correctly(self.version) for reader in self.readers))
        operators_see_the_same(self.worlds)

    def _due(self, world: World, table: Table) -> str:
        """A job in the queue: of the bot that is to move, or of whoever is to move and asks one."""
        mover = self.match.to_move
        member = asked_by(world, table, mover, self.version) if mover in self.players else None
        member = member or due_member(table.id, self.version, "bot")
        world.queue_up(member)
        return member


def asked_by(world: World, table: Table, seat: int, version: int) -> str | None:
    """The due work of the advice that a seat asks for; None where there is no advice."""
    body = {"expected_version": version, "bot": {"bot": "rules"}}
    asked = world.ask("POST", f"{table.path}/bot-moves", table.tokens[seat], json=body)
    return job_member(good(asked)["job_id"]) if asked.status_code == 202 else None


# ---------------------------------------------------------------------------------------------------- a game


def create(worlds: Worlds, exchange: Exchange, name: str, monkeypatch: pytest.MonkeyPatch, *, advice: bool) -> Play:
    """The exchange's game in both worlds, under one id, with players and scripted bots."""
    record, chance = exchange.record, Chance(f"looks at {name}")
    game_id = f"gm_{base64.b32encode(hashlib.sha256(name.encode()).digest())[:20].decode().lower()}"
    monkeypatch.setattr(creation, "new_game_id", lambda: game_id)
    seats = [PLAYER if each == exchange.seat or chance.number(3) else BOT for each in range(record.match.seats)]
    if record.ruleset.propose is not None:
        seats = [PLAYER] * record.match.seats  # one voter alone would set a target, and the match were another
    body = {
        "ruleset": record.ruleset.name, "options": msgspec.to_builtins(record.match.options), "seats": seats,
        "pace_seconds": 0, "advice": advice, "metadata": {"for": "the creator"},
    }  # fmt: skip
    tables = []
    for world, source in zip(worlds, (record.match.source, exchange.source()), strict=True):
        world.forget()
        seed = f"{len(world.deals):064x}"
        world.deals[seed] = source
        tables.append(world.api.create(seed=seed, **body))
        world.asked(tables[-1].created)
    real, other = tables
    assert told(real.created) == told(other.created), "the new game tells hidden cards apart"
    who = one_of(chance, [None, "creator"]) if exchange.seat == SPECTATOR else exchange.seat
    readers = Reader(worlds[0], real, who), Reader(worlds[1], other, who)
    players = [seat for seat, made_for in enumerate(seats) if made_for is PLAYER]
    return Play(worlds, exchange, chance, (real, other), readers, exchange.worlds()[0], players)


def compare(play: Play, *, thorough: bool) -> int:
    """Play the record in both worlds as far as it goes and compare everything; answers how many positions that were."""
    exchange, chance = play.exchange, play.chance
    first, last = exchange.first(), possible(exchange)
    start = exchange.record.states[exchange.number][1]
    looks = {first, start, last - 1, last, *(first + chance.number(last - first + 1) for _ in range(3))}
    looks &= set(range(first, last + 1))
    once = one_of(chance, sorted(looks)) if thorough else -1
    for number, position in enumerate(sorted(looks)):
        play.go_to(position)
        play.look()
        if position == once:
            play.look_at_refusals()
            play.propose()
        if position < last:
            play.move(followed=number % 2 == 0)
    play.look_at_the_end()
    if thorough:
        play.look_in_trouble()
    else:
        play.look_at_leaving()
    return len(looks)


def compare_worlds(worlds: Worlds, ruleset: Ruleset, seed: str, positions: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Compare at this many positions."""
    done = 0
    for number, exchange in enumerate(exchanges(ruleset, seed)):
        is_a_real_exchange(exchange)
        play = create(worlds, exchange, f"{ruleset.name} {seed} {number}", monkeypatch, advice=number % 3 != 1)
        done += compare(play, thorough=number % EVERY == 0)
        if done >= positions:
            return done
    raise AssertionError("there are exchanges without end")


def compare_faults(worlds: Worlds, ruleset: Ruleset, games: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare what becomes of faults in this many games."""

    def hands(match: Match) -> Any:
        raise RuntimeError(f"{match.deal.to_move} {hands_of(match)}")

    def hands_of(match: Match) -> list[list[str]]:
        return [match.codec.cards(match.deal.observe(seat).hand) for seat in range(match.seats)]

    found = (each for each in exchanges(ruleset, "faults") if possible(each) < len(each.record.moves))
    for number, exchange in enumerate(islice(found, games)):
        play = create(worlds, exchange, f"{ruleset.name} faults {number}", monkeypatch, advice=True)
        play.go_to(possible(exchange))
        play.look_at_faults(hands, monkeypatch)
