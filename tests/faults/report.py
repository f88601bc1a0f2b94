"""`make faults`: every fault many times over, under load; writes README.md, and fails where a promise was broken."""

import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

sys.path[0] = str(Path(__file__).parents[2])

from service import redis_server  # noqa: E402 - the path comes first
from tests.faults.drive import TABLES  # noqa: E402
from tests.faults.faults import FAULTS, Fault  # noqa: E402
from tests.faults.rounds import Tally, examine_all, play  # noqa: E402
from tests.faults.stand import Stand, stand, stand_behind_a_proxy  # noqa: E402

README = Path(__file__).parent / "README.md"
CYCLES = 14
"""Every kill once in each; everything else in every second one."""

TEXT = """\
# Faults

What becomes of {tables} games at a time when processes are killed, Redis refuses or hangs, the disk is full, or answers
are lost. All four rulesets, bots in half the seats; the players do what the documentation tells clients to do: after a
503, or without an answer, they send the same bytes again.

After each round, of every game:

- every acknowledged move is in the log, at the version that was promised (*lost*), and no other move of a player is
  (*doubled*); the versions have no gaps;
- the log is a match by the rules, and every view that anybody ever got is a replay of it, deal and hand included;
- the game goes on (*stuck*: it does not, within a minute), and in the end all games are played to their end;
- every refusal is a problem document with code `unavailable` and a `Retry-After`; *repeated* counts those requests, and
  those whose connection broke or timed out. Any other refusal fails the run.

*Longest stall*: the longest time between two moves of one game while the fault lasted or after it, the players' own
thinking included (the first row has it without a fault). *Bots go on after*: the longest that a bot's turn took since
all it needs was there again: a worker, and both Redis servers. A turn whose worker died comes back when its lease of
1.5 s ends.

`make faults` writes this page ({minutes:.0f} minutes, {cores} cores, {redis}, Python {python}); `make test` does every
fault once. Lost, doubled and stuck are promised to be 0. The times are what one machine took, others working on it:
after several deaths in a row the supervisor waits longer before it starts a part again, up to 5 s.

{table}

With kill -9 of a process, half of the time it is halted for a moment before, so that others have done what it asked
and the answer is lost. A worker is halted in the middle of a job. The last two rows run on Redis servers of one's own,
behind proxies. A full disk is a limit on the size of files, a little beyond Redis's log: a write fits half, and the
server ends itself; where the limit kills it instead, the half stays in the log. An answer is cut off when the command
has been executed: the connection breaks in its place, here {cuts} times.
"""
HEAD = (
    "fault", "rounds", "kills", "moves acknowledged", "repeated", "lost", "doubled", "stuck", "longest stall",
    "bots go on after",
)  # fmt: skip


def plan(behind_a_proxy: bool, cycles: int) -> Iterator[Fault]:
    """The faults in the order in which they happen."""
    for cycle in range(cycles):
        for fault in FAULTS:
            if fault.behind_a_proxy == behind_a_proxy and (fault.kills or cycle % 2 == 0):
                yield fault


def row(name: str, tally: Tally, cells: str = "| {} |") -> str:
    """A line of the table."""
    values = (
        name, tally.rounds, tally.kills, tally.acknowledged,
        tally.repeated, tally.lost, tally.doubled, tally.stuck, f"{tally.stall:.1f} s", f"{tally.bots_wait:.1f} s",
    )  # fmt: skip
    return cells.format(" | ".join(map(str, values)))


def table(tallies: dict[str, Tally]) -> str:
    """What all rounds came to, as Markdown."""
    total = Tally()
    for tally in tallies.values():
        total.add(tally)
    lines = [f"| {' | '.join(HEAD)} |", "|---|" + "--:|" * (len(HEAD) - 1)]
    return "\n".join([*lines, *(row(name, tally) for name, tally in tallies.items()), row("all", total)])


def run(progress: Progress, cycles: int, tallies: dict[str, Tally]) -> None:
    """Let all faults happen to both kinds of service, and all games end."""
    stands: list[AbstractContextManager[Stand]] = []
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        stands = [stand(Path(one)), stand_behind_a_proxy(Path(other))]
        for behind_a_proxy, standing in enumerate(stands):
            faults = list(plan(bool(behind_a_proxy), cycles))
            task = progress.add_task("starting", total=len(faults))
            with standing as running:
                for fault in faults:
                    progress.update(task, description=fault.name)
                    tallies[fault.name].add(found := play(running, fault))
                    progress.console.print(row(fault.name, found, "{}"), soft_wrap=True, highlight=False)
                    progress.advance(task)
                progress.update(task, description="all games to their end")
                running.load.finish()
                examine_all(running.load, tallies[faults[-1].name])


@click.command()
@click.option("--cycles", default=CYCLES, show_default=True, help="How often each part is killed.")
def main(cycles: int) -> None:
    """Let every fault happen, and write down what came of it."""
    tallies = {fault.name: Tally() for fault in FAULTS}
    began = time.monotonic()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=Console()) as progress:
        run(progress, cycles, tallies)
    text = TEXT.format(
        tables=len(TABLES),
        minutes=(time.monotonic() - began) / 60,
        cores=os.cpu_count(),
        redis=redis_server.find_binary()[1],
        python=platform.python_version(),
        table=table(tallies),
        cuts=sum(tally.cuts for tally in tallies.values()),
    )
    README.write_text(text)
    sys.exit(any(tally.lost or tally.doubled or tally.stuck for tally in tallies.values()))


if __name__ == "__main__":
    main()
