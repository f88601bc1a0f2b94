"""`make contract`: schemathesis from several seeds against a running service; writes README.md.

Fails where anything was not as promised, and where an operation or a kind of game was never reached.
"""

import copy
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import click

sys.path[0] = str(Path(__file__).parents[2])

from service import redis_server  # noqa: E402 - the path comes first
from tests.contract.campaign import PHASES, Run, run  # noqa: E402
from tests.contract.published import DOCUMENT  # noqa: E402
from tests.contract.standing import service  # noqa: E402
from tests.contract.starts import SEATS, Starts  # noqa: E402

README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- written by make contract -->\n", "<!-- until here -->\n"
ENDS = ("deal_scored", "game_over")


def unreached(runs: list[Run]) -> list[str]:
    """What no request of these runs got to: operations without a success, ends of no deal or match, kinds of games."""
    operations = {f"{method.upper()} {path}" for path, item in DOCUMENT["paths"].items() for method in item}
    good = {label for each in runs for label, found in each.counted.statuses.items() if _successes(found)}
    ends = {(name, end) for each in runs for name, found in each.counted.events.items() for end in ENDS if found[end]}
    starts = {kind for each in runs for kind in each.counted.starts}
    return [
        *(f"{label}: no success" for label in sorted(operations - good)),
        *(f"{name}: no {end}" for name in SEATS for end in ENDS if (name, end) not in ends),
        *(f"no game {kind}" for kind in Starts.KINDS if kind not in starts),
        *(() if any(each.counted.streams for each in runs) else ("no stream",)),
    ]


def _successes(statuses: Counter[int]) -> int:
    return sum(count for status, count in statuses.items() if 200 <= status < 300)


def _table(head: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|---|" + "--:|" * (len(head) - 1)]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)])


def _by_phase(runs: dict[int, Run]) -> str:
    rows: list[tuple[object, ...]] = [
        (f"seed {seed}", *(each.cases[phase] for phase in PHASES), each.cases.total(), each.checks.total())
        for seed, each in runs.items()
    ]
    return _table(("", *PHASES, "requests", "checks"), rows)


def _by_operation(runs: list[Run]) -> str:
    statuses: dict[str, Counter[int]] = {}
    for each in runs:
        for label, found in each.counted.statuses.items():
            statuses.setdefault(label, Counter()).update(found)
    rows: list[tuple[object, ...]] = [
        (f"`{label}`", _successes(found), ", ".join(f"{status}: {found[status]}" for status in sorted(found)))
        for label, found in sorted(statuses.items(), key=lambda item: item[0].split()[::-1])
    ]
    return _table(("operation", "2xx", "all statuses"), rows)


def _by_ruleset(runs: list[Run]) -> str:
    counted = [each.counted.events for each in runs]
    rows: list[tuple[object, ...]] = [
        (name, *(sum(events[name][end] for events in counted) for end in ENDS)) for name in SEATS
    ]
    return _table(("ended by generated moves", "deals", "matches"), rows)


def _by_start(runs: list[Run]) -> str:
    total: Counter[str] = sum((each.counted.starts for each in runs), Counter())
    return _table(("game", "requests"), [(kind, total[kind]) for kind in [*Starts.KINDS, "generated"]])


def text(runs: dict[int, Run], examples: int, minutes: float) -> str:
    """What the runs came to, as Markdown."""
    every = list(runs.values())
    failures = sum(len(each.failures) for each in every)
    said = f"{len(runs)} seeds, {examples} examples for each operation, {minutes:.0f} minutes, {failures} failures."
    return "\n\n".join([said, _by_phase(runs), _by_operation(every), _by_ruleset(every), _by_start(every)]) + "\n"


def _write(written: str) -> None:
    before, _, rest = README.read_text().partition(BEGIN)
    README.write_text(f"{before}{BEGIN}\n{written}\n{END}{rest.partition(END)[2]}")


@click.command()
@click.option("--seed", "seeds", type=int, multiple=True, default=(1, 2, 3), show_default=True, help="May be repeated.")
@click.option("--examples", default=100, show_default=True, help="Of each operation while fuzzing.")
def main(seeds: tuple[int, ...], examples: int) -> None:
    """Ask all that the seeds make up, print what was answered, and write it down."""
    runs: dict[int, Run] = {}
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        server = redis_server.start(Path(folder))
        try:
            with service(server.url) as url:
                for seed in seeds:
                    runs[seed] = run(url, server.url, copy.deepcopy(DOCUMENT), seed, examples)
                    print(f"seed {seed}: {runs[seed].cases.total()} requests, {len(runs[seed].failures)} failures")
        finally:
            server.stop()
    written = text(runs, examples, (time.monotonic() - began) / 60)
    missing, failures = unreached(list(runs.values())), [each for found in runs.values() for each in found.failures]
    print(written, *failures, *missing, sep="\n\n")
    if missing or failures:
        sys.exit(1)
    _write(written)


if __name__ == "__main__":
    main()
