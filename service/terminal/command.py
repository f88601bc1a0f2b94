"""The command `tapete play`: its options."""

import signal
import sys
from typing import Any

import click

HELP = """\b
Exit codes:
  0   the match is over, or you have left
  2   wrong usage, or a game that is not to be had
  69  no service answers, or it has stopped answering
  70  no service could be started
"""


@click.command(epilog=HELP)
@click.argument("ruleset", required=False)
@click.option("--preset", metavar="NAME", help="A preset of the ruleset.")
@click.option("--option", "options", metavar="NAME=VALUE", multiple=True, help="An option of the ruleset; repeatable.")
@click.option("--seats", type=int, metavar="N", help="Seats at the table, yours included [4].")
@click.option("--bot", default="rules", metavar="NAME", help="Which bot plays the other seats [rules].")
@click.option("--language", type=click.Choice(["en", "es"]), default="en", help="What the table speaks [en].")
@click.option(
    "--pace", type=click.FloatRange(0, 60), default=0.8, metavar="SECONDS", help="How long bots take to move [0.8]."
)
@click.option("--seed", metavar="HEX", help="64 hex digits: the same seed deals the same cards again.")
@click.option("--url", metavar="URL", help="Where the service is [see above].")
@click.option("--game", metavar="ID", help="Come back to this game, instead of naming a ruleset; with --token.")
@click.option("--token", metavar="TOKEN", help="The token of your seat in that game.")
def play(**given: Any) -> None:
    """Play a game against bots at this terminal.

    RULESET is tarneeb, reihe, rosbiratschka or elfer_raus; `tapete rulesets NAME` prints its rules, presets and
    options.

    The service is asked over HTTP. Without --url it is the one at TAPETE_HOST and TAPETE_PORT [127.0.0.1, 8000],
    where `tapete up` runs; if none answers there, one is started for the length of this game.
    """
    from service.terminal.joining import Wish  # noqa: PLC0415 - no other command should wait for these
    from service.terminal.session import run  # noqa: PLC0415

    wish = Wish(**given)
    if (wish.game is None) != (wish.token is None):
        raise click.UsageError("--game and --token go together: both are printed when you leave a table.")
    if (wish.game is None) == (wish.ruleset is None):
        raise click.UsageError("Name a ruleset, such as `tapete play reihe`; `tapete rulesets` lists them.")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(0))  # by way of every `finally`: a service of ours ends with us
    run(wish)
