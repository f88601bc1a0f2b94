"""From the command's options to its output: where it is played, progress meanwhile, tables and files in the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from engine.errors import InvalidOptions
from service import simulation_tables
from service.simulate import local, shown
from service.simulate.asking import BadWishError, Wish, mistakes, request, sentences
from service.simulate.outcome import Outcome
from service.simulate.remote import FailedError, Service
from service.simulate.remote import run as run_remotely
from service.simulation_plans import resolve
from service.simulation_schemas import CreateSimulation
from service.terminal.client import BUSY, BadAddressError, Client, Refused, UnreachableError

NO_SERVICE, FAILED, INTERRUPTED = 69, 70, 130
RATE_LIMITED = 429


def run(given: dict[str, Any]) -> None:
    """Do what the options say, and end the process with the exit code that fits."""
    files = {name: given.pop(name) for name in ("as_json", "as_csv", "rows", "plot")}
    where = {name: given.pop(name) for name in ("workers", "url", "key")}
    try:
        asked = request(Wish(**given, rows=files["rows"] is not None))
        with _rows_to(files["rows"]) as write_rows:
            found = _played(asked, where, write_rows)
        _write(files, found)
    except (BadWishError, BadAddressError, OSError) as error:
        raise click.UsageError(str(error)) from None
    except InvalidOptions as error:
        raise click.UsageError(mistakes(error)) from None
    except Refused as error:
        raise click.UsageError(_refusal(error)) from None
    except UnreachableError as error:
        _refuse(error, NO_SERVICE)
    except FailedError as error:
        _refuse(error, FAILED)
    if not found.complete:
        sys.exit(INTERRUPTED)


def _refusal(error: Refused) -> str:
    """Why a service does not do what was asked."""
    if limit := error.problem.get("limit_key"):
        return f"the limit `{limit}` of the service is reached for now; GET /v1/limits lists them."
    return sentences(error.problem.get("errors") or []) or str(error)


def _refuse(error: Exception, exit_code: int) -> None:
    click.echo(f"tapete: {error}", err=True)
    sys.exit(exit_code)


def _played(asked: CreateSimulation, where: dict[str, Any], write_rows: Callable[[list[bytes]], None]) -> Outcome:
    """Have it played, here or there, with a bar that says how far it is."""
    with _bar() as progress:
        if where["url"] is None:
            return local.run(resolve(asked), where["workers"], progress, write_rows)
        # A limit that is reached is told, and not waited for: it may take an hour.
        busy = [status for status in BUSY if status != RATE_LIMITED]
        with closing(Client(where["url"], "en", busy=busy)) as client:
            return run_remotely(Service(client, where["key"]), asked, progress, write_rows)


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error, where that is a terminal."""
    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[unit]}"), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None, unit="games")
        yield lambda done, of: bar.update(task, completed=done, total=of)


@contextmanager
def _rows_to(path: str | None) -> Iterator[Callable[[list[bytes]], None]]:
    """What writes rows to a file, a line each; without a file, nothing."""
    if path is None:
        yield lambda _rows: None
        return
    with click.open_file(path, "wb") as file:
        yield lambda rows: file.writelines(row + b"\n" for row in rows)


def _write(files: dict[str, str | None], found: Outcome) -> None:
    """Write the files, and print the tables unless standard output is one of them."""
    results = found.decoded()
    for path, content in ((files["as_json"], found.results), (files["as_csv"], simulation_tables.table(results))):
        if path is not None and content is not None:
            with click.open_file(path, "wb") as file:
                file.write(content)
    if files["plot"] is not None and results is not None:
        _plot(Path(files["plot"]), found)
    if "-" not in files.values():
        shown.outcome(Console(), found)


def _plot(path: Path, found: Outcome) -> None:
    from service.simulate import plots  # noqa: PLC0415 - it takes a while to load

    results = found.decoded()
    assert results is not None  # noqa: S101 - asked before
    try:
        plots.save(path, found.request, results)
    except ValueError as error:
        raise BadWishError(str(error)) from None
