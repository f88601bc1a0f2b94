"""The statistics of a simulation for people: tables that fit into 80 columns."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from engine.simulation.results import BotStanding, Comparison, Count, Figure, Results, SeatedBot, SeatStanding
from service.simulate.outcome import Outcome

NO_NUMBER = "-"


def outcome(console: Console, found: Outcome) -> None:
    """Print what a simulation came to."""
    results = found.decoded()
    if results is None:
        console.print("Nothing was finished.")
        return
    asked = found.request
    rate = results.games / found.seconds
    console.print(
        f"{asked.ruleset}, {asked.preset or 'defaults'}: {results.games:,} {asked.unit} in {results.sets:,} sets, "
        f"{rate:,.0f} a second; seed {asked.seed}"
    )
    console.print(standings(results.bots, "bot"))
    console.print(standings(results.seats, "seat"))
    if results.comparison is not None:
        console.print(compared(results.comparison, results.bots))
    if found.stopped is not None:
        console.print(found.stopped.text)
    console.print(lengths(results))
    console.print(counted(results.counts))


def named(bot: SeatedBot) -> str:
    """A bot with its version and budget, as it is typed."""
    return f"{bot.bot}@{bot.version}" + (f":{bot.budget.samples}" if bot.budget else "")


def standings(each: Sequence[BotStanding] | Sequence[SeatStanding], of: str) -> Table:
    """A line for each bot or seat. What follows ± is half the 95 % interval."""
    table = _table(of, "score", "deviation", "margin", "wins")
    for standing in each:
        name = named(standing.bot) if isinstance(standing, BotStanding) else str(standing.seat)
        table.add_row(
            name,
            mean(standing.score),
            number(standing.score.deviation),
            mean(standing.margin),
            f"{100 * standing.win_share:.2f} %",
        )
    return table


def compared(comparison: Comparison, bots: Sequence[BotStanding]) -> Table:
    """How much better the first of two bots did."""
    first, second = (named(standing.bot) for standing in bots)
    table = _table(f"{first} over {second}", "difference", "95 % interval")
    for name, figure, times in (("score", comparison.score, 1), ("wins, %", comparison.win_share, 100)):
        low, high = figure.interval or (None, None)
        ends = NO_NUMBER if low is None or high is None else f"{number(low * times)} to {number(high * times)}"
        table.add_row(name, number(figure.mean * times), ends)
    return table


def lengths(results: Results) -> Table:
    """How long games were."""
    table = _table("length", "mean", "deviation", "least", "most")
    for name, length in (("moves", results.lengths.moves), ("deals", results.lengths.deals)):
        if length is not None:
            table.add_row(name, number(length.mean), number(length.deviation), str(length.least), str(length.most))
    return table


def counted(counts: Sequence[Count]) -> Table:
    """What the ruleset counts."""
    table = _table("counted", "number", "of", "share or mean")
    for count in counts:
        name = f"{count.name.replace('_', ' ')} {count.key or ''}".rstrip()
        table.add_row(name, f"{count.count:,}", f"{count.of:,}", number(count.ratio))
    return table


def mean(figure: Figure) -> str:
    """A mean, with half its interval where there is one."""
    if figure.interval is None:
        return number(figure.mean)
    return f"{number(figure.mean)} ± {number(figure.interval[1] - figure.mean)}"


def number(value: float | None) -> str:
    """Four digits after the point where it is small, fewer where it is not."""
    if value is None:
        return NO_NUMBER
    return f"{value:,.4f}" if abs(value) < 10 else f"{value:,.2f}"


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(columns[0])
    for name in columns[1:]:
        table.add_column(name, justify="right")
    return table
