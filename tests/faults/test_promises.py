"""The checks themselves: each sees what it is there to see, in a game that was right before."""

import asyncio
import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from engine.catalog import find
from engine.chance import PublishedDeals
from engine.errors import EngineError
from engine.match import Match
from service.views import SPECTATOR
from tests.faults.drive import OPTIONS, Game, Json
from tests.faults.promises import Examined, as_json, examine, told

SEED = "5eed" * 16


class Kept:
    """A whole game as it should be: its log, its views, and what its two players were promised."""

    def __init__(self, ruleset: str) -> None:
        self.rules = find(ruleset)
        self.match = Match(
            self.rules, self.rules.resolve(None, OPTIONS[ruleset], 4), 4, PublishedDeals(SEED, []), voters=(0, 2)
        )
        self.game = Game("gm_x", ruleset, SEED, {0: "a", 2: "b"})
        self.log: list[Json] = []
        chance = random.Random("kept")
        self._write(None, None, self.match.start())
        while self.match.result is None:
            seat, move = self.match.to_move, chance.choice(self.match.observe(self.match.to_move).moves)
            wire = as_json(self.match.codec.encode(move))
            self._write(seat, wire, self.match.play(seat, move))
        self.game.promises = [told(entry) for entry in self.log if entry["seat"] in self.game.tokens]

    def _write(self, seat: int | None, move: Json, events: list[Any]) -> None:
        number = len(self.log) + 1
        by = "service" if seat is None else "player" if seat in (0, 2) else "bot"
        entry = {"version": number, "cursor": f"{number}-c", "at": "2026-01-01T00:00:00.000Z", "seat": seat, "by": by}
        self.log.append({**entry, "move": move, "events": as_json(events)})
        self.game.views.extend(self.view(reader) for reader in (SPECTATOR, 0, 2))

    def view(self, reader: int) -> Json:
        """The game as somebody sees it now."""
        seen, match = self.match.observe(reader), self.match
        return {
            "version": len(self.log),
            "cursor": self.log[-1]["cursor"],
            "status": "playing" if match.result is None else "finished",
            "to_move": match.to_move if match.result is None else None,
            "deal": as_json(self.rules.deal_view(seen, match)),
            "match": as_json(self.rules.match_view(match)),
            "result": as_json(match.result),
            "you": None if reader < 0 else {"seat": reader, "hand": match.codec.cards(seen.hand)},
        }

    def examined(self) -> Examined:
        """What is found of it."""

        async def send(_method: str, path: str, _token: str | None = None) -> Json:
            return {"items": self.log} if "/events" in path else self.view(SPECTATOR)

        load: Any = SimpleNamespace(client=SimpleNamespace(send=send))
        return asyncio.run(examine(load, self.game))


@pytest.mark.parametrize("ruleset", OPTIONS)
def test_a_game_that_is_as_promised_is_found_so(ruleset: str) -> None:
    found = Kept(ruleset).examined()
    assert (found.lost, found.doubled) == (0, 0)
    assert any(step.bots_turn for step in found.steps)


def test_a_promise_that_is_not_in_the_log_is_lost() -> None:
    kept = Kept("tarneeb")
    last = kept.game.promises[-1]
    kept.game.promises.append(type(last)(len(kept.log) + 1, last.seat, last.by, last.move))
    assert kept.examined().lost == 1


def test_a_promise_of_another_move_is_lost_and_the_move_in_its_place_is_one_too_many() -> None:
    kept = Kept("tarneeb")
    last = kept.game.promises.pop()
    kept.game.promises.append(type(last)(last.version, last.seat, last.by, {"type": "play", "card": "none"}))
    found = kept.examined()
    assert (found.lost, found.doubled) == (1, 1)


def test_a_move_that_nobody_was_promised_is_doubled_unless_its_answer_is_still_to_come() -> None:
    kept = Kept("tarneeb")
    del kept.game.promises[-2:]
    views = list(kept.game.views)
    assert kept.examined().doubled == 2
    kept.game.in_flight, kept.game.views = True, views
    assert kept.examined().doubled == 1


def gap(kept: Kept) -> None:
    del kept.log[5]


def same_move_twice(kept: Kept) -> None:
    again = {**kept.log[-2], "version": len(kept.log), "cursor": kept.log[-1]["cursor"]}
    kept.log.insert(-1, again)
    kept.log[-1]["version"] += 1


def other_events(kept: Kept) -> None:
    kept.log[-1]["events"].pop()


def other_hand(kept: Kept) -> None:
    next(view for view in kept.game.views if view["you"])["you"]["hand"].pop()


def other_table(kept: Kept) -> None:
    kept.game.views[20]["deal"] = kept.game.views[3]["deal"]


def other_history(kept: Kept) -> None:
    kept.game.views[-1]["cursor"] = "1-other"


def view_beyond_the_log(kept: Kept) -> None:
    kept.game.views[0]["version"] = len(kept.log) + 1


@pytest.mark.parametrize(
    "spoil", [gap, same_move_twice, other_events, other_hand, other_table, other_history, view_beyond_the_log]
)
def test_a_log_that_is_none_and_a_view_that_does_not_show_it_fail(spoil: Callable[[Kept], None]) -> None:
    kept = Kept("tarneeb")
    spoil(kept)
    with pytest.raises((AssertionError, EngineError)):  # the rules refuse a move that is there twice
        kept.examined()
