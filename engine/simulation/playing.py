"""Playing the sets of a plan, in batches: whoever calls has the clock, and gets control back often."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from engine import MODE
from engine.bots import random_bot
from engine.chance import Chance, Streams
from engine.match import Match
from engine.playouts import finish, random_move
from engine.simulation.plans import Entrant, Plan
from engine.simulation.random_deals import RandomDeals, cards_stream, moves_stream
from engine.simulation.sums import Sums
from engine.simulation.tallies import Tally, tell

BATCH = 32768 if MODE == "compiled" else 256
"""How many random deals are played before whoever called gets control back: a few hundredths of a second."""
BATCHES = 8
"""How many of these come in one tally: to make one takes about a millisecond."""
TOGETHER = 100
"""How many sets of other games come in one tally."""


@dataclass
class Circumstances:
    """Where a set's match takes its chance from: an `engine.match.DealSource`.

    Shuffles are drawn, by the number of the deal within the match. All else goes round with the number of the set, so
    that every combination comes equally often: first who deals, then whatever else distinguishes deals.
    """

    streams: Streams
    number: int
    turn: int
    dealt_before: int

    def order(self, number: int, attempt: int, size: int) -> list[int]:
        """The order of the pack, from the top; each attempt draws on where the one before ended."""
        chance = self.streams.stream(cards_stream(self.number, number - self.dealt_before))
        return [chance.shuffled(list(range(size))) for _ in range(attempt)][-1]

    def below(self, purpose: str, n: int) -> int:
        """A number from 0 to n-1, whose turn it is."""
        if purpose == "first_dealer":
            return self.number % n
        self.turn, drawn = divmod(self.turn, n)
        return drawn


def match_of_set(plan: Plan, streams: Streams, number: int) -> Match:
    """The match of a set, dealt for the first time; in a unit of deals it begins where the set's kind of deal comes."""
    turn = number // plan.seats
    dealt_before = turn if plan.unit == "deals" else 0
    source = Circumstances(streams, number, turn, dealt_before)
    match = Match(plan.ruleset, plan.options, plan.seats, source, number=dealt_before)
    match.start()
    return match


def play(plan: Plan, first_set: int, sets: int, rows: list[bytes] | None = None) -> Iterator[Tally]:
    """Play `sets` sets, from the one of number `first_set` on; answers tallies to be merged, until all are played.

    Comes back after about 0.05 seconds of work at most, within a match after each deal: so a tally may be empty. The
    tallies so far are exactly those of the whole sets so far, and "sets" in them says how many those are. To stop, ask
    for no more. Where `rows` is given, a JSON object for each game of these sets is added to it, in the order of sets
    and lineups: {"set", "lineup", "dealer", "scores", "moves", "counts"}; of matches also "deals" and "reason".

    Raises ValueError where a bot chooses a move that is not legal.
    """
    end = first_set + sets
    if rows is None and plan.unit == "deals" and all_random(plan.bots):
        yield from play_random_deals(plan, first_set, end)
        return
    for start in range(first_set, end, TOGETHER):
        table = Table(plan, rows)
        for number in range(start, min(start + TOGETHER, end)):
            for lineup in range(len(plan.lineups)):
                for _ in table.play(number, lineup):
                    yield {}
            table.sums.end_set()
        yield table.tally()


def all_random(entrants: Sequence[Entrant]) -> bool:
    """Whether these all play by chance."""
    return all(entrant.bot.choose is random_bot.choose for entrant in entrants)


def new_sums(plan: Plan) -> Sums:
    """Nothing counted yet."""
    sides = [plan.side(seat) for seat in range(plan.seats)]
    return Sums(sides, plan.lineups, penalties=plan.ruleset.penalties, compared=plan.compared)


def tally_of(plan: Plan, sums: Sums) -> Tally:
    """What has been counted, by name."""
    tally = sums.tally()
    for name, count in counts_by_name(plan, sums.counted()).items():
        tell(tally, f"count.{name}", count)
    return tally


def counts_by_name(plan: Plan, counts: Sequence[int]) -> Tally:
    """What the ruleset has counted, by its names."""
    found: Tally = {}
    for place, (name, key, _of) in plan.ruleset.counts.items():
        tell(found, name if key is None else f"{name}.{key}", counts[place])
    return found


def play_random_deals(plan: Plan, first: int, end: int) -> Iterator[Tally]:
    """The sets from `first` up to before `end`, between bots that all play by chance."""
    seats = plan.seats
    streams = streams_of(plan)
    kinds = plan.ruleset.kinds(plan.options)
    dealers = [match_of_set(plan, streams, seat).dealer for seat in range(seats)]
    played = [
        RandomDeals(match_of_set(plan, streams, kind * seats).deal, streams, dealers, len(plan.lineups))
        for kind in range(kinds)
    ]
    batch = max(1, BATCH // len(plan.lineups))
    for start in range(first, end, BATCHES * batch):
        sums = new_sums(plan)
        stop = min(start + BATCHES * batch, end)
        for at in range(start, stop, batch):
            for kind, deals in enumerate(played):
                deals.play(sums, at, min(at + batch, stop), kind, kinds)
            if at + batch < stop:
                yield {}
        yield tally_of(plan, sums)


def streams_of(plan: Plan) -> Streams:
    """Where all chance of a plan comes from."""
    return Streams(f"simulation:{plan.seed}")


class Table:
    """Where the games of a plan are played one after the other, and counted."""

    def __init__(self, plan: Plan, rows: list[bytes] | None) -> None:
        self.plan = plan
        self.rows = rows
        self.streams = streams_of(plan)
        self.sums = new_sums(plan)
        self.endings: Tally = {}

    def play(self, number: int, lineup: int) -> Iterator[None]:
        """Play and count a game of a set; comes back after each deal."""
        before = self.sums.counted() if self.rows is not None else []
        match = match_of_set(self.plan, self.streams, number)
        seated = [self.plan.bots[bot] for bot in self.plan.lineups[lineup]]
        chance = self.streams.stream(moves_stream(number, lineup))
        row: dict[str, Any] = {"set": number, "lineup": lineup, "dealer": match.dealer, "scores": [], "moves": 0}
        for moves in self.deals(match, seated, chance):
            row["moves"] += moves
            yield
        if self.plan.unit == "deals":
            row["scores"] = match.deal.scores()
            self.sums.end_game(lineup)
        else:
            row |= {"scores": match.totals, "deals": match.deals_played, "reason": self.end_match(match, lineup)}
        if self.rows is not None:
            added = [now - then for now, then in zip(self.sums.counted(), before, strict=True)]
            row["counts"] = counts_by_name(self.plan, added)
            self.rows.append(msgspec.json.encode(row))

    def deals(self, match: Match, seated: Sequence[Entrant], chance: Chance) -> Iterator[int]:
        """Play and count the deals of a game; answers how many moves each had."""
        while True:
            moves = play_out(match.deal, seated, chance)
            self.sums.redeals += match.attempt - 1
            self.sums.end_deal(match.deal, moves)
            yield moves
            if self.plan.unit == "deals":
                return
            match.after_move()
            if match.result is not None:
                return

    def end_match(self, match: Match, lineup: int) -> str:
        """Count a match that is over; answers why it ended."""
        self.sums.end_match(lineup, match.totals, match.deals_played)
        reason: str = match.result.reason if match.result else ""
        tell(self.endings, f"ended.{reason}", 1)
        return reason

    def tally(self) -> Tally:
        """Everything counted, by name."""
        return {**tally_of(self.plan, self.sums), **self.endings}


def play_out(deal: Any, seated: Sequence[Entrant], chance: Chance) -> int:
    """Play a deal to its end with an entrant in each seat; answers how many moves that took.

    The bots draw from one stream of chance in turn. For those that play by chance nothing is observed.
    """
    if all_random(seated):
        return finish(deal, chance)
    moves = 0
    while (seat := deal.to_move) >= 0:
        bot = seated[seat].bot
        if bot.choose is random_bot.choose:
            move = random_move(deal, chance)
        else:
            seen = deal.observe(seat)
            move = bot.choose(seen, chance, seated[seat].budget).move
            if move not in seen.moves:
                raise ValueError(f"{bot.name} chose {move} where the moves are {seen.moves}")
        deal.play(move)
        moves += 1
    return moves
