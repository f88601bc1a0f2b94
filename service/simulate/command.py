"""The command `tapete simulate`: its options."""

from __future__ import annotations

from typing import Any

import click

HELP = """\b
Exit codes:
  0    all was played, or the sequential test has stopped it
  2    wrong usage, or a simulation that is not to be had
  69   no service answers at --url, or it has stopped answering
  70   the service gave the simulation up
  130  stopped by Ctrl-C; what was counted is printed
"""
FILE = click.Path(dir_okay=False, writable=True, allow_dash=True)


@click.command(epilog=HELP)
@click.argument("ruleset")
@click.option("--count", type=int, default=100_000, show_default=True, help="How many deals or matches.")
@click.option("--matches", is_flag=True, help="Play whole matches instead of deals.")
@click.option("--preset", metavar="NAME", help="A preset of the ruleset.")
@click.option("--option", "options", metavar="NAME=VALUE", multiple=True, help="An option of the ruleset; repeatable.")
@click.option(
    "--bot", "bots", metavar="BOT", multiple=True, help="Who plays [random]: NAME, NAME@VERSION or NAME:SAMPLES; "
    "repeatable, then they take turns round the table.",
)  # fmt: skip
@click.option("--compare", nargs=2, metavar="BOT BOT", help="Compare two bots on duplicate deals.")
@click.option("--seats", type=int, metavar="N", help="Seats at the table [4, or as many bots as are named].")
@click.option("--duplicate", is_flag=True, help="Play the same cards for every rotation of the bots.")
@click.option("--seed", metavar="TEXT", help="The same seed simulates the same again [drawn].")
@click.option(
    "--stop", nargs=2, type=float, metavar="LOWER UPPER", help="Stop a comparison as soon as a sequential test tells "
    "which is the difference of the two, a seat and game.",
)  # fmt: skip
@click.option(
    "--risks", nargs=2, type=float, metavar="ALPHA BETA", default=(0.05, 0.05), show_default=True,
    help="How often it may be wrong, where LOWER and where UPPER is true.",
)  # fmt: skip
@click.option("--every", type=int, metavar="SETS", default=500, show_default=True, help="How often it looks.")
@click.option("--workers", type=click.IntRange(1, 1024), metavar="N", help="Processes [as many as there are cores].")
@click.option("--url", metavar="URL", help="Have a service play it, instead of this machine.")
@click.option("--key", metavar="KEY", envvar="TAPETE_API_KEY", help="An API key of that service [TAPETE_API_KEY].")
@click.option("--json", "as_json", type=FILE, metavar="FILE", help="Write the results as JSON; - is standard output.")
@click.option("--csv", "as_csv", type=FILE, metavar="FILE", help="Write the results as a table, a figure a line.")
@click.option("--rows", type=FILE, metavar="FILE", help="Write what each game came to, a JSON object a line.")
@click.option(
    "--plot", type=click.Path(dir_okay=False, writable=True), metavar="FILE", help="Draw the scores: out.png."
)
def simulate(**given: Any) -> None:
    """Play deals or matches between bots by the thousand, and print their statistics.

    RULESET is tarneeb, reihe, rosbiratschka or elfer_raus; `tapete rulesets NAME` prints its presets and options.

    It is played by all cores of this machine, without a service, unless --url names one. Both give the same results,
    to the last byte, for the same request and seed.
    """
    from service.simulate.session import run  # noqa: PLC0415 - no other command should wait for it

    run(given)
