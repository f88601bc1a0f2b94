"""The command `tapete`: what is run, and the exit code of everything that can stop it."""

import asyncio
import os
import signal
import socket
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar

import click
from rich.console import Console

from service import children, listening, redis_server, supervisor
from service import verify as verifier
from service.settings import Settings, SettingsError
from service.simulate.command import simulate
from service.terminal.command import play

if TYPE_CHECKING:
    from service.keys import Keys

T = TypeVar("T")
EXIT_CODES_HELP = """\b
Exit codes:
  0   stopped as told
  1   `tapete verify`: the replay does not hold
  2   wrong usage
  69  Redis is unavailable, or not one that will do
  70  a part of the service ended while it was starting
  73  the data directory cannot be used, or another instance uses it
  75  the address is taken, or not one of this machine
  78  a setting is missing or wrong, or the engine is not as required
"""
FAILED_PART = 70


class EngineError(Exception):
    """The engine does not load, or is not compiled though REQUIRE_COMPILED=1 asks for it."""


EXIT_CODES: dict[type[Exception], int] = {
    redis_server.RedisUnavailableError: 69,
    supervisor.DataDirectoryError: 73,
    listening.AddressError: 75,
    SettingsError: 78,
    EngineError: 78,
    verifier.Wrong: 1,
}


@contextmanager
def _one_sentence() -> Iterator[None]:
    """Turn what we know to go wrong into one sentence and its exit code."""
    try:
        yield
    except supervisor.PartFailedError as error:
        _refuse(error, error.exit_code if error.exit_code in EXIT_CODES.values() else FAILED_PART)
    except tuple(EXIT_CODES) as error:
        _refuse(error, EXIT_CODES[type(error)])


def _refuse(error: Exception, exit_code: int) -> None:
    click.echo(f"tapete: {error}", err=True)
    sys.exit(exit_code)


def _engine_mode() -> str:
    """Say which engine this process runs, `compiled` or `pure`. Raises EngineError."""
    try:
        from engine import MODE  # noqa: PLC0415 - may refuse, in its own words
    except ImportError as error:
        raise EngineError(str(error)) from None
    if MODE != "compiled" and os.environ.get("REQUIRE_COMPILED") == "1":
        raise EngineError(
            "The engine is not compiled, and REQUIRE_COMPILED=1 makes that an error: "
            "install a C compiler and Python's headers, then run `make compile`."
        )
    return MODE


def _ready_to_run(settings: Settings) -> Settings:
    """Check what any single part needs before it starts; warn of a slow engine, and of a Redis that may lose moves."""
    children.follow_supervisor()
    # Whoever asks us to stop while we are still starting gets the same exit code as later.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    if _engine_mode() == "pure":
        click.echo("The engine is not compiled: bots and simulations are slow.", err=True)
    redis_server.check(settings.complete().redis_url)
    redis_server.check(settings.queue_redis_url, queue=True)
    # Under a supervisor that has said it already, once.
    if children.SUPERVISOR not in os.environ and (warning := redis_server.what_may_be_lost(settings.redis_url)):
        click.echo(warning, err=True)
    return settings


def _default_data_dir() -> Path:
    """Where games are kept unless told otherwise: the user's place for application data."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "tapete"


def _settings(host: str | None, port: int | None) -> Settings:
    settings = Settings.from_environment(os.environ)
    return replace(settings, host=host or settings.host, port=settings.port if port is None else port)


host_option = click.option("--host", help="Address to listen on [TAPETE_HOST; 127.0.0.1].")
port_option = click.option(
    "--port", type=click.IntRange(0, 65535), help="Port to listen on, 0 for any free one [TAPETE_PORT; 8000]."
)


data_dir_option = click.option(
    "--data-dir",
    type=click.Path(path_type=Path),
    envvar="TAPETE_DATA_DIR",
    help="Where games are kept [TAPETE_DATA_DIR; $XDG_DATA_HOME/tapete or ~/.local/share/tapete].",
)


@click.group(epilog=EXIT_CODES_HELP, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tapete", message="tapete %(version)s")
def main() -> None:
    """Run a card table as an HTTP service."""


@main.command(epilog=EXIT_CODES_HELP)
@host_option
@port_option
@data_dir_option
@click.option(
    "--bot-workers",
    type=click.IntRange(1, 64),
    default=2,
    envvar="TAPETE_BOT_WORKERS",
    help="Processes that think for bots [TAPETE_BOT_WORKERS; 2].",
)
@click.option(
    "--simulation-workers",
    type=click.IntRange(0, 64),
    default=1,
    envvar="TAPETE_SIMULATION_WORKERS",
    help="Processes that play simulations; with 0 they wait [TAPETE_SIMULATION_WORKERS; 1].",
)
def up(host: str | None, port: int | None, data_dir: Path | None, bot_workers: int, simulation_workers: int) -> None:
    """Run API, Redis and workers under one supervisor until Ctrl-C or SIGTERM.

    Redis comes with the install, unless REDIS_URL names one.
    """
    with _one_sentence():
        mode = _engine_mode()
        workers = supervisor.Workers(bot_workers, simulation_workers)
        supervisor.run(_settings(host, port), (data_dir or _default_data_dir()).absolute(), workers, mode)


@main.command(epilog=EXIT_CODES_HELP)
@host_option
@port_option
@click.option("--fd", type=int, help="Answer on this inherited listening socket instead of host and port.")
def api(host: str | None, port: int | None, fd: int | None) -> None:
    """Run the API alone, against REDIS_URL, with TAPETE_SECRET."""
    with _one_sentence():
        settings = _settings(host, port)
        listener = listening.listen(settings.host, settings.port) if fd is None else socket.socket(fileno=fd)
        settings = _ready_to_run(settings)
        if fd is None:
            click.echo(f"The API answers at {listening.url(listener)}", err=True)
        from service.server import serve  # noqa: PLC0415 - no other command should wait for it

        if not serve(settings, listener):
            sys.exit(FAILED_PART)


@main.command(epilog=EXIT_CODES_HELP)
@click.argument("name", required=False)
@click.option("--language", type=click.Choice(["en", "es"]), default="en", help="Of titles and rules [en].")
def rulesets(name: str | None, language: str) -> None:
    """List the rulesets, or print one with its options and rules."""
    with _one_sentence():
        _engine_mode()
        from engine.errors import UnknownRuleset  # noqa: PLC0415 - no other command should wait for these
        from service import printed  # noqa: PLC0415

        console = Console()
        if name is None:
            printed.rulesets(console, language)
            return
        try:
            printed.ruleset(console, name, language)
        except UnknownRuleset as error:
            raise click.UsageError(str(error)) from None


@main.command(epilog=EXIT_CODES_HELP)
@click.argument("replay", type=click.File("rb"))
def verify(replay: BinaryIO) -> None:
    """Check the replay of a game that is over: its seed, and every card, move and score.

    REPLAY is a file with what `GET /v1/games/{game_id}/replay` answers; - reads it from standard input.
    """
    with _one_sentence():
        _engine_mode()
        from service import referee  # noqa: PLC0415 - no other command should wait for the engine

        game = verifier.read(replay.read())
        verifier.check(game)
        referee.check(game)
        click.echo(verifier.report(game))
        click.echo("Every move was allowed, and everything told of it is so.")


main.add_command(play)
main.add_command(simulate)


@main.group()
def worker() -> None:
    """Run workers alone, against REDIS_URL, with TAPETE_SECRET."""


@worker.command(epilog=EXIT_CODES_HELP)
def bots() -> None:
    """Think for bots, one at a time; start as many of these as there are cores."""
    with _one_sentence():
        settings = _ready_to_run(Settings.from_environment(os.environ))
        from workers.main import run_bots  # noqa: PLC0415 - no other command should wait for it

        sys.exit(run_bots(settings))


@worker.command(epilog=EXIT_CODES_HELP)
def simulations() -> None:
    """Play simulations; start as many of these as there are cores to spare. They let all others go first."""
    with _one_sentence():
        settings = _ready_to_run(Settings.from_environment(os.environ))
        from workers.main import run_simulations  # noqa: PLC0415 - no other command should wait for it

        sys.exit(run_simulations(settings))


@main.group()
def keys() -> None:
    """Give out API keys, list and end them.

    In the Redis that REDIS_URL names, else in that of the `tapete up` that runs on the data directory. A running
    service takes notice within seconds.
    """


@keys.command("add", epilog=EXIT_CODES_HELP)
@click.argument("name")
@click.option(
    "--limit", "limits", multiple=True, help="A limit of its own: games=100/hour, streams=8. May be repeated."
)
@data_dir_option
def add_key(name: str, limits: tuple[str, ...], data_dir: Path | None) -> None:
    """Make a key for NAME and print it, once: only its hash is kept.

    With the first key, creating games needs one. A second key of the same name may do the same as the first.
    """
    from service.keys import NAME_PATTERN  # noqa: PLC0415 - no other command should wait for it
    from service.rates import LimitsError, parse_own  # noqa: PLC0415

    if not NAME_PATTERN.fullmatch(name):
        raise click.UsageError("NAME takes up to 40 letters, digits, dots, dashes and underscores.")
    try:
        parse_own(" ".join(limits))
    except LimitsError as error:
        raise click.UsageError(str(error)) from None
    click.echo(_with_keys(data_dir, lambda kept: kept.add(name, " ".join(limits))))
    click.echo("Keep it: it is shown this once. Send it as `Authorization: Bearer`.", err=True)


@keys.command("list", epilog=EXIT_CODES_HELP)
@data_dir_option
def list_keys(data_dir: Path | None) -> None:
    """List every key that was given out, the revoked ones too."""
    row = "{:<20} {:<13} {:<11} {:<17} {:<8} {}".format
    click.echo(row("name", "id", "made", "last used", "state", "limits of its own"))
    for key, used in _with_keys(data_dir, lambda kept: kept.listed()):
        hour = f"{_day(used)} {time.strftime('%H:00', time.gmtime(used / 1000))}" if used else "never"
        state = "good" if key.revoked_at is None else "revoked"
        click.echo(row(key.name, key.id, _day(key.created_at), hour, state, key.limits).rstrip())


def _day(milliseconds: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(milliseconds / 1000))


@keys.command("revoke", epilog=EXIT_CODES_HELP)
@click.argument("which", metavar="NAME|ID")
@click.option("--forget", is_flag=True, help="Off the list too. Without any on it the service is open again.")
@data_dir_option
def revoke_key(which: str, data_dir: Path | None, *, forget: bool) -> None:
    """End the key with this id, or all keys of this name.

    Games that they created go on, and tokens stay good. A name should not pass on to somebody else: a new key of the
    name may end its games.
    """
    ended = _with_keys(data_dir, lambda kept: kept.forget(which) if forget else kept.revoke(which))
    if not ended:
        raise click.UsageError(f"There is no {'' if forget else 'good '}key {which!r}: `tapete keys list` shows them.")
    for key in ended:
        click.echo(f"{key.id} of {key.name} is {'forgotten' if forget else 'revoked'}.")


def _with_keys(data_dir: Path | None, work: "Callable[[Keys], Awaitable[T]]") -> T:
    """Do something with the API keys that the service looks at."""
    with _one_sentence():
        url = Settings.from_environment(os.environ).redis_url or _embedded_redis(data_dir)
        redis_server.check(url)
        from service.keys import Keys  # noqa: PLC0415 - no other command should wait for these
        from service.store import connect  # noqa: PLC0415

        async def done() -> T:
            async with connect(url) as client:
                return await work(Keys(client))

        return asyncio.run(done())


def _embedded_redis(data_dir: Path | None) -> str:
    folder = (data_dir or _default_data_dir()).absolute()
    url = f"unix://{redis_server.socket_path(folder)}"
    if not redis_server.is_ready(url):
        raise redis_server.RedisUnavailableError(
            f"No `tapete up` runs on the data directory {folder}: start it, name another with --data-dir, "
            "or the Redis itself in REDIS_URL."
        )
    return url


if __name__ == "__main__":
    main()
