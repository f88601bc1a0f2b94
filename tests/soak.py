"""`make soak`: thousands of random matches of every preset and number of seats, watched for what holds in every game.

At every position: a seat is to move that takes part, and the move made is one of the game that it can make: its cards
come from its hand. At positions here and there, and at the start and end of every deal, everything that there is to be
seen: each card is once in a hand, on the table or in the stock; each listed move is one of the game, a random other one
is refused for a reason of the game and changes nothing. A copy of the deal is played along and comes to the same
position. After a deal the totals are those before and what it was worth; money is never lost. A match ends within its
bounds, and its result is its totals.

Exit codes: 0 all is well, 1 a fault was found: each is printed with the command that plays its match again, 2 wrong
usage. Ctrl-C ends it early, with the table of what has been played.
"""

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import reduce
from multiprocessing import get_context
from operator import or_
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import engine
from engine.catalog import RULESETS, find
from engine.chance import Chance, PublishedDeals
from engine.deal import NOT_IN_GAME, Deal, play_checked
from engine.errors import IllegalMove
from engine.match import Match, Ruleset
from engine.wire import Draw, Pass, Play
from tests.positions import SPECTATOR, seats_in_turn

EVERY = 48
"""One position in so many is looked at from all seats: that costs thirty times what a move costs."""
MOST_MOVES = 20_000
"""No deal takes a tenth of so many moves; one that does never ends."""
SHARE = 50
"""How many matches a process plays before it reports."""


class Wrong(AssertionError):
    """Something that holds in every game does not hold."""


def holds(so: object, otherwise: str) -> None:
    """Raise Wrong with this sentence unless it is so."""
    if not so:
        raise Wrong(otherwise)


# ---------------------------------------------------------------------------------------------------- one deal


class Kinds:
    """The moves of a match by kind, and one drawn: first its kind, then one of that, so that passes are not rare."""

    def __init__(self, match: Match) -> None:
        self.moves = match.codec.moves
        self.kind = {move: type(as_json) for move, as_json in self.moves.items()}

    def one_of(self, legal: list[int], chance: Chance) -> int:
        """A legal move."""
        if self.kind[legal[0]] is not self.kind[legal[-1]]:
            kinds = list({self.kind[move]: None for move in legal})
            kind = kinds[chance.number(len(kinds))]
            legal = [move for move in legal if self.kind[move] is kind]
        return legal[chance.number(len(legal))]


class Deals(PublishedDeals):
    """The shuffles of a match, and the last of them."""

    def order(self, number: int, attempt: int, size: int) -> list[int]:
        """The order of the pack, from the top."""
        self.last = super().order(number, attempt, size)
        return self.last


class Cards:
    """Where every card of a running deal must be, from the order of the pack and the moves alone."""

    def __init__(self, match: Match, order: list[int], kinds: Kinds) -> None:
        self.kinds = kinds
        self.pack = (1 << len(order)) - 1
        self.table = 0
        self.hands = [match.observe(seat).hand for seat in range(match.seats)]
        self.stock = order[len(order) - match.observe(SPECTATOR).stock :]
        self.undealt = sum(1 << card for card in self.stock)
        self.conserved()

    def conserved(self) -> None:
        """Each card is in one place."""
        places = [self.table, self.undealt, *self.hands]
        holds(reduce(or_, places) == self.pack, "a card is nowhere")
        holds(sum(place.bit_count() for place in places) == self.pack.bit_count(), "a card is in two places")

    def move(self, seat: int, move: int) -> None:
        """Follow a move."""
        kind = self.kinds.kind[move]
        if kind is Play:
            if not self.hands[seat] >> move & 1:
                raise Wrong(f"seat {seat} plays a card that it does not hold: {move}")
            self.hands[seat] ^= 1 << move
            self.table |= 1 << move
        elif kind is Draw:
            holds(self.stock, f"seat {seat} draws from no stock")
            card = 1 << self.stock.pop(0)
            self.hands[seat] |= card
            self.undealt ^= card

    def look(self, deal: Deal) -> None:
        """Every seat holds what it must, every card is in one place; a spectator sees how many but not which."""
        public = deal.observe(SPECTATOR)
        hands = [deal.observe(seat).hand for seat in range(deal.seats)]
        holds(hands == self.hands, f"the hands are {hands}, not {self.hands}")
        holds(public.sizes == [hand.bit_count() for hand in hands], f"hands are said to be of {public.sizes} cards")
        holds(public.hand == 0, "a spectator sees a hand")
        holds(public.stock == len(self.stock), f"the stock is said to hold {public.stock}, not {len(self.stock)}")
        self.conserved()


def look_at_moves(match: Match, deal: Deal, kinds: Kinds, cards: Cards, chance: Chance) -> None:
    """Each listed move is of this game, and a card in hand; another one is refused and changes nothing."""
    legal, seat = deal.legal_moves(), deal.to_move
    holds(legal == sorted(kinds.moves.keys() & set(legal)), f"these are not moves of the game, in order: {legal}")
    held = [move for move in legal if kinds.kind[move] is Play and not cards.hands[seat] >> move & 1]
    holds(not held, f"seat {seat} could play cards that it does not hold: {held}")
    holds(deal.observe(seat).moves == legal, "the seat to move sees other moves")
    others = [NOT_IN_GAME, *kinds.moves.keys() - set(legal)]
    move = others[chance.number(len(others))]
    before = deal.observe(seat).facts(), deal.observe(SPECTATOR).facts()
    try:
        play_checked(deal, seat, move)
    except IllegalMove as refusal:
        holds(refusal.reason in match.ruleset.reasons, f"{move} is refused for no reason of the game: {refusal.reason}")
    else:
        raise Wrong(f"{move} is accepted, and is none of {legal}")
    holds(before == (deal.observe(seat).facts(), deal.observe(SPECTATOR).facts()), "a refusal changes the deal")


def play_deal(match: Match, order: list[int], chance: Chance, kinds: Kinds) -> int:
    """Play the running deal to its end, and let the match follow; answers how many moves that took."""
    cards, deal, number = Cards(match, order, kinds), match.deal.copy(), match.number
    sizes = [hand.bit_count() for hand in cards.hands]
    holds(all(sizes[seat] for seat in match.participants), f"some who play are dealt nothing: {sizes}")
    moves, look = 0, chance.number(EVERY)
    while (seat := deal.to_move) >= 0:
        looked = moves == look
        if looked:
            cards.look(deal)
            look_at_moves(match, deal, kinds, cards, chance)
            look += 1 + chance.number(2 * EVERY)
        holds(cards.hands[seat], "a seat is to move that holds nothing")
        move = kinds.one_of(deal.legal_moves(), chance)
        cards.move(seat, move)
        deal.play(move)
        follow(match, move, looked or deal.to_move < 0 or kinds.kind[move] is Pass)
        moves += 1
        holds(moves < MOST_MOVES, "the deal does not end")
    cards.look(deal)
    holds(match.number > number or match.result is not None, "the deal is over, and the match does not know")
    look_at_end(match, deal)
    return moves


def look_at_end(match: Match, deal: Deal) -> None:
    """A finished deal has no moves, and as a copy that was played along it is worth what the match has counted."""
    holds(deal.legal_moves() == [], "a deal that is over has moves")
    holds(deal.scores() == match.last_deal.scores, f"a copy scores {deal.scores()}, not {match.last_deal.scores}")


def follow(match: Match, move: int, through: bool) -> None:
    """Make a move in the match itself: `through` it where that may change more than the deal, as a pass that costs.

    Through the match a move takes ten times as long, for its events are made of two observations.
    """
    if through:
        match.replay(move)
    else:
        match.deal.play(move)


# ---------------------------------------------------------------------------------------------------- one match


@dataclass
class Played:
    """What a number of matches came to."""

    matches: int = 0
    deals: int = 0
    moves: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)

    def add(self, other: "Played") -> None:
        """Both together."""
        self.matches += other.matches
        self.deals += other.deals
        self.moves += other.moves
        self.seconds += other.seconds
        self.faults += other.faults


def most_deals(options: Any) -> int:
    """How many deals a match may take: as the options say."""
    bound: int = options.max_deals if hasattr(options, "max_deals") else options.rounds * len(options.contracts)
    return bound


def play_match(ruleset: Ruleset, preset: str, seed: str, number: int) -> Played:
    """Play one match of a preset, which all comes from the seed and its number; raises Wrong where something is."""
    text = f"{seed} {ruleset.name} {preset} {number}"
    seats, chance = seats_in_turn(ruleset, number), Chance(text)
    source = Deals(text, [])
    match = Match(ruleset, ruleset.resolve(preset, {}, seats), seats, source)
    match.start()
    played, kinds = Played(matches=1), Kinds(match)
    while match.result is None:
        before, pot = list(match.totals), balance(match)
        played.moves += play_deal(match, source.last, chance, kinds)
        played.deals += 1
        holds(played.deals <= most_deals(match.options), "the match goes on beyond its bound")
        holds(match.deals_played == played.deals, f"{match.deals_played} deals are counted, not {played.deals}")
        holds(match.totals == added(before, match), f"{match.last_deal.scores} makes {match.totals} of {before}")
        holds(balance(match) == pot, "money is lost")
    ended(match)
    return played


def added(before: Sequence[int], match: Match) -> list[int]:
    """The totals after the last deal: what it was worth, but for what a side could not count (T35)."""
    record = match.last_deal
    lost = getattr(record, "discarded", None) or [0] * match.seats
    return [before[seat] + record.scores[seat] - lost[seat % len(lost)] for seat in range(match.seats)]


def balance(match: Match) -> int:
    """All the money there is: what was paid is in the pot, so it is nothing."""
    public: Any = match.ruleset.match_view(match)
    balances = getattr(public, "balances", None)
    return 0 if balances is None else sum(balances) + public.pot


def ended(match: Match) -> None:
    """The result is the totals, somebody has won, and nobody is to move."""
    result = match.result
    holds(result is not None and result.scores == match.totals, f"the result is {result}, the totals {match.totals}")
    holds(result and result.winners, "nobody has won")
    holds(result and set(result.winners) <= set(range(match.seats)), f"no such winners: {result}")
    holds(match.to_move == SPECTATOR, "the match is over, and a seat is to move")


# ---------------------------------------------------------------------------------------------------- many matches


@dataclass(frozen=True)
class Share:
    """Some matches of one preset, played by one process."""

    ruleset: str
    preset: str
    seed: str
    numbers: range


def play_share(share: Share) -> tuple[Share, Played]:
    """Play the matches of a share; a fault ends its match, not the share."""
    total, ruleset = Played(), find(share.ruleset)
    started = time.process_time()
    for number in share.numbers:
        try:
            total.add(play_match(ruleset, share.preset, share.seed, number))
        except Exception as error:  # whatever goes wrong in a match is a fault, and named with its match
            total.add(Played(matches=1, faults=[f"{again(share, number)}\n    {type(error).__name__}: {error}"]))
    total.seconds = time.process_time() - started
    return share, total


def again(share: Share, number: int) -> str:
    """The command that plays one match again."""
    return (
        f'make soak ARGS="--only {share.ruleset}:{share.preset} --seed {share.seed} --first {number} --matches 1"'
        f"  ({seats_in_turn(find(share.ruleset), number)} seats)"
    )


def shares(presets: Sequence[tuple[str, str]], seed: str, first: int, matches: int) -> list[Share]:
    """All that is to be played, in shares, preset by preset."""
    end = first + matches
    return [
        Share(ruleset, preset, seed, range(at, min(at + SHARE, end)))
        for ruleset, preset in presets
        for at in range(first, end, SHARE)
    ]


INTERRUPTS_ARE_OURS = signal.SIGINT, signal.SIG_IGN
"""A terminal sends Ctrl-C to every process; the one that tells the table ends the others."""


def played(todo: Sequence[Share], processes: int) -> Iterator[tuple[Share, Played]]:
    """The shares as they are done, by as many processes."""
    if processes == 1:
        yield from map(play_share, todo)
        return
    with get_context("spawn").Pool(processes, initializer=signal.signal, initargs=INTERRUPTS_ARE_OURS) as pool:
        yield from pool.imap_unordered(play_share, todo)


# ---------------------------------------------------------------------------------------------------- on the terminal


def reporter(console: Console, matches: int) -> tuple[AbstractContextManager[Any], Callable[[str, Played], None]]:
    """How progress is told: a bar for each preset on a terminal, elsewhere a line for each preset that is done."""

    def line(name: str, so_far: Played) -> None:
        if so_far.matches == matches:
            console.print(f"{name}: {so_far.matches} matches, {so_far.deals} deals, {len(so_far.faults)} faults")

    if not console.is_terminal:
        return nullcontext(), line
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    progress, bars = Progress(*columns, console=console), {}

    def bar(name: str, so_far: Played) -> None:
        if name not in bars:
            bars[name] = progress.add_task(name, total=matches)
        progress.update(bars[name], completed=so_far.matches)

    return progress, bar


def table_of(totals: dict[str, Played]) -> Table:
    """A row for each preset. Seconds are of one processor, so that deals a second are too."""
    table = Table("preset", title=f"{engine.MODE} engine", title_justify="left")
    for column in ("matches", "deals", "moves", "seconds", "deals/s", "faults"):
        table.add_column(column, justify="right")
    for name, done in totals.items():
        rate = done.deals / done.seconds if done.seconds else 0.0
        counts = f"{done.matches:,}", f"{done.deals:,}", f"{done.moves:,}"
        table.add_row(name, *counts, f"{done.seconds:,.0f}", f"{rate:,.0f}", str(len(done.faults)))
    return table


def soak(todo: Sequence[Share], processes: int, matches: int, console: Console) -> list[str]:
    """Play all shares, or as many as there is patience for; tell the progress and the table; answers the faults."""
    totals: dict[str, Played] = {f"{share.ruleset}:{share.preset}": Played() for share in todo}
    shown, report = reporter(console, matches)
    with shown, suppress(KeyboardInterrupt):
        for share, done in played(todo, processes):
            name = f"{share.ruleset}:{share.preset}"
            totals[name].add(done)
            report(name, totals[name])
    console.print(table_of(totals))
    return [fault for done in totals.values() for fault in done.faults]


def presets_of(only: str) -> list[tuple[str, str]]:
    """All presets, or those of one ruleset, or one; empty where there is none such."""
    ruleset, _, preset = only.partition(":")
    every = [(each.name, name) for each in RULESETS for name in each.presets]
    return [pair for pair in every if ruleset in ("", pair[0]) and preset in ("", pair[1])]


def arguments() -> argparse.ArgumentParser:
    """The options of the command."""
    parser = argparse.ArgumentParser(prog="make soak", description="Play random matches and look for faults.")
    parser.add_argument("--matches", type=int, default=10_000, help="matches of each preset (10000)")
    parser.add_argument("--only", default="", metavar="RULESET[:PRESET]", help="these presets alone")
    parser.add_argument("--seed", default="soak", help="the word that all chance comes from (soak)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first match (0)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="how many at a time (all cores)")
    return parser


def main() -> int:
    """Soak, and say what was found."""
    given = arguments().parse_args()
    presets = presets_of(given.only)
    if not presets or given.matches < 1 or given.processes < 1:
        arguments().error("--only names a ruleset or ruleset:preset; --matches and --processes are 1 or more")
    console, started = Console(width=None if sys.stdout.isatty() else 100), time.monotonic()
    todo = shares(presets, given.seed, given.first, given.matches)
    faults = soak(todo, given.processes, given.matches, console)
    console.print(f"{time.monotonic() - started:,.0f} seconds in all, {len(faults)} faults")
    for fault in faults:
        console.print(fault, soft_wrap=True, markup=False, highlight=False)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
