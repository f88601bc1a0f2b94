"""Leaks to plant in the service: each makes something depend on hands that whoever reads it does not see."""

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from rq import Queue

from engine import bots
from engine.bots import Decision
from engine.chance import Chance
from engine.deal import play_checked
from engine.errors import IllegalMove
from engine.match import Match
from service import app, bot_moves, following, games, targets, views
from service.routes import games as routes
from service.store import key, shard_of

Leak = Callable[[pytest.MonkeyPatch], None]


def others(match: Match, seat: int = -1) -> int:
    """A number that depends on who holds what beside this seat: what nobody may know."""
    hands = [match.deal.observe(other).hand for other in range(match.seats)]
    return sum((other + 1) * hand for other, hand in enumerate(hands) if other != seat) % 10007


def after_each_move(monkeypatch: pytest.MonkeyPatch, leak: Callable[[Any, Any, Match, Any], Any]) -> None:
    """Let something happen before every commit."""
    honest = games.commit

    async def leaky(context: Any, game: Any, match: Match, entry: Any, *more: Any) -> Any:
        if (awaited := leak(context, game, match, entry)) is not None:
            await awaited
        return await honest(context, game, match, entry, *more)

    for module in (games, targets):
        monkeypatch.setattr(module, "commit", leaky)


def last_match(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What the match that was looked at last would give away, at the end of a list."""
    last = [0]
    honest = games.load

    async def noted(context: Any, game_id: str) -> Any:
        game = await honest(context, game_id)
        last.append(others(views.match_of(game)))
        return game

    for module in (games, bot_moves, targets):
        monkeypatch.setattr(module, "load", noted)
    after_each_move(monkeypatch, lambda _context, _game, match, _entry: last.append(others(match)))
    return last


# ---------------------------------------------------------------------------------------------------- to readers


def leak_in_the_view(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number in a seat's view depends on its hand."""
    honest = views._seat_view

    def leaky(game: Any, seat: int, seen: Any) -> Any:
        leak = others(game.match, seen.seat) if game.match else 0
        return msgspec.structs.replace(honest(game, seat, seen), timeouts=leak)

    monkeypatch.setattr(views, "_seat_view", leaky)


def leak_in_an_event(monkeypatch: pytest.MonkeyPatch) -> None:
    """A seat is told somebody else's hand."""
    honest = views.reveal
    monkeypatch.setattr(views, "reveal", lambda match, event, seat: honest(match, event, (seat + 1) % match.seats))


def leak_in_an_error_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason against a move depends on what the others hold."""

    def leaky(deal: Any, seat: int, move: int) -> None:
        try:
            play_checked(deal, seat, move)
        except IllegalMove:
            held = sum(deal.observe(other).hand * (other + 1) for other in range(deal.seats) if other != seat)
            raise IllegalMove(("not_in_this_game", "wrong_phase")[held % 10007 % 2]) from None

    monkeypatch.setattr("engine.match.play_checked", leaky)


def leak_in_the_legal_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks is told what the seat to move may do, which depends on its hand."""

    def leaky(match: Match, _seen: Any) -> list[Any]:
        return [match.codec.encode(move) for move in match.deal.legal_moves()]

    monkeypatch.setattr(views, "legal_moves", leaky)
    monkeypatch.setattr(games, "legal_moves", leaky)


def leak_in_an_etag(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of a view depends on hidden cards that the view does not show."""
    honest, last = routes.answer, last_match(monkeypatch)

    def leaky(content: Any, status: int = 200, headers: Any = None) -> Any:
        sent = dict(headers or {})
        if "ETag" in sent:
            sent["ETag"] = sent["ETag"].replace('"', f'"{last[-1]}.', 1)
        return honest(content, status, sent)

    monkeypatch.setattr(routes, "answer", leaky)


def leak_in_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said of a request that is no request depends on the game that was asked for before."""
    honest, last = app.problem, last_match(monkeypatch)

    def leaky(request: Any, code: str, detail: str = "", *more: Any) -> Any:
        return honest(request, code, f"{detail} {last[-1]}" if code == "invalid_request" else detail, *more)

    monkeypatch.setattr(app, "problem", leaky)


def leak_in_a_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is told as it happens says more than what is read."""
    honest = following.follow

    async def leaky(context: Any, game: Any, *more: Any) -> Any:
        number = others(views.match_of(game))
        async for batch in honest(context, game, *more):
            yield [msgspec.structs.replace(item, at=f"{item.at} {number}") for item in batch]

    monkeypatch.setattr(following, "follow", leaky)


def leak_in_a_long_poll(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has waited for news is told where it stands by a number that hidden cards change."""
    honest = following.events_page

    async def leaky(context: Any, game: Any, *more: Any, seconds: float) -> Any:
        page = await honest(context, game, *more, seconds=seconds)
        return msgspec.structs.replace(page, next=str(others(views.match_of(game)))) if seconds else page

    monkeypatch.setattr(following, "events_page", leaky)


# ---------------------------------------------------------------------------------------------------- from bots


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


def sampling_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots that sample, and say something about what they have sampled: no leak, as long as the sampler has none."""

    def choose(seen: Any, chance: Chance, _budget: Any) -> Decision:
        sample = seen.sample(chance)
        hands = [sample.observe(other).hand for other in range(len(seen.sizes))]
        held = sum((other + 1) * hand for other, hand in enumerate(hands))
        return Decision(seen.moves[0], samples=held % 10007)

    monkeypatch.setattr(bots, "BOTS", tuple(replace(bot, choose=choose) for bot in bots.BOTS))


def leak_in_the_sampler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Observations keep the deal that they were made of, and bots sample it."""

    class Peeking:
        def __init__(self, observation: Any, deal: Any) -> None:
            self.observation = observation
            self.deal = deal

        def __getattr__(self, name: str) -> Any:
            return getattr(self.observation, name)

        def sample(self, _chance: Chance) -> Any:
            return self.deal.copy()

    monkeypatch.setattr(Match, "observe", lambda match, seat: Peeking(match.deal.observe(seat), match.deal))
    sampling_bots(monkeypatch)


# ---------------------------------------------------------------------------------------------------- to operators


def leak_in_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number that depends on the hands is kept with the start of each deal, though no answer shows it."""
    honest = Match.state

    def leaky(match: Match) -> Any:
        state = honest(match)
        return msgspec.structs.replace(state, carried={**state.carried, "hands": others(match)})

    monkeypatch.setattr(Match, "state", leaky)


def leak_in_the_log_of_the_api(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every commit is logged with the hands, where only the lowest level shows it."""
    log = logging.getLogger("tapete.api")
    after_each_move(monkeypatch, lambda _context, _game, match, _entry: log.debug("committed %s", others(match)))


def leak_in_the_log_of_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot's turn is logged with its hand."""
    honest = bot_moves._decide

    async def leaky(context: Any, game: Any, match: Match, *more: Any) -> Any:
        bot_moves.log.debug("thinking", extra={"hand": 0}, exc_info=ValueError(others(match)))
        return await honest(context, game, match, *more)

    monkeypatch.setattr(bot_moves, "_decide", leaky)


def leak_in_a_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """The job of a bot's turn says something about the hands."""
    honest, last = Queue.enqueue_call, last_match(monkeypatch)

    def leaky(queue: Queue, *arguments: Any, **more: Any) -> Any:
        return honest(queue, *arguments, **more, meta={"hands": last[-1]})

    monkeypatch.setattr(Queue, "enqueue_call", leaky)


def leak_in_what_is_published(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wake-up says what has happened."""

    def leaky(context: Any, game: Any, match: Match, _entry: Any) -> Any:
        return context.store.redis.publish(key("changed", shard_of(game.id)), f"{game.id} {others(match)}")

    after_each_move(monkeypatch, leaky)


NAMED = {
    leak_in_the_view: "(the new game|the view|the answer to a move|.*, with the creator's token) tells",
    leak_in_the_sampler: "(the advice of|what the bot played).* tells",
    leak_in_an_error_text: "what is said to .* tells",
}
"""The three that the design names, and where they are found: in every ruleset."""

MORE = {
    leak_in_an_event: "(what has happened|a page of the log|the answer to a move|the long poll|the stream).* tells",
    leak_in_the_legal_moves: "(the view|the legal moves|the answer to a move) tells",
    leak_in_an_etag: "the view tells",
    leak_in_a_problem: r"(what is said to a card that is none|\w+, (as it is|unknown query|wrong body .*)) tells",
    leak_in_a_stream: "the stream.* tells",
    leak_in_a_long_poll: "the long poll tells",
    leak_in_the_advice: "(the advice of|what the bot played).* tells",
    leak_in_what_is_kept: "what is kept tells",
    leak_in_the_log_of_a_worker: "what is logged tells",
    leak_in_the_log_of_the_api: "what is logged tells",
    leak_in_a_job: "what is queued tells",
    leak_in_what_is_published: "what is published tells",
}
"""The others, each in one ruleset."""
