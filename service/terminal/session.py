"""One run of `tapete play`: a service, a seat at a game there, and what is said when it ends, however it ends."""

import shlex
import sys
from contextlib import ExitStack, closing
from typing import NoReturn

import click
from rich.console import Console

from service.terminal import embedded
from service.terminal.client import PATIENCE, BadAddressError, Client, Refused, Seat, UnreachableError
from service.terminal.embedded import NotStartedError
from service.terminal.joining import BadWishError, Wish, new_game, ruleset_page, usual_url
from service.terminal.play import Left, Table
from service.terminal.words import texts

WRONG, NO_SERVICE, NOT_STARTED = 2, 69, 70


def run(wish: Wish) -> None:
    """Find a service and a seat there, and play; what is known to go wrong is one sentence and an exit code."""
    console = Console(highlight=False)
    with ExitStack() as stack:
        try:
            client, ours = _service(stack, console, wish)
            _at_the_table(console, client, wish, ours)
        except (BadAddressError, BadWishError) as error:
            _refuse(error, WRONG)
        except Refused as refused:
            _refuse(refused.sentences(), WRONG)
        except UnreachableError:
            _refuse(texts(wish.language)["lost"].format(url=client.url, seconds=round(PATIENCE)), NO_SERVICE)
        except NotStartedError as error:
            _refuse(error, NOT_STARTED)
        except KeyboardInterrupt:
            console.print()


def _refuse(sentence: object, exit_code: int) -> NoReturn:
    click.echo(f"tapete: {sentence}", err=True)
    sys.exit(exit_code)


def _service(stack: ExitStack, console: Console, wish: Wish) -> tuple[Client, bool]:
    """The service to play on, and whether it is one of ours that ends with the game."""
    told = texts(wish.language)

    def trouble(lost: bool) -> None:
        text = told["trouble" if lost else "trouble.over"].format(url=client.url)
        console.print(text, style="yellow", markup=False)

    client = stack.enter_context(closing(Client(wish.url or usual_url(), wish.language, trouble)))
    if client.answers():
        return client, False
    if wish.url or wish.game:
        _refuse(told["nobody"].format(url=client.url), NO_SERVICE)
    console.print(told["starting"].format(url=client.url), style="dim", markup=False)
    url = stack.enter_context(embedded.service())
    client = stack.enter_context(closing(Client(url, wish.language, trouble)))
    return client, True


def _at_the_table(console: Console, client: Client, wish: Wish, ours: bool) -> None:
    """Play one game to its end, or until somebody leaves; then say how to come back."""
    seat = Seat(client, wish.game, str(wish.token)) if wish.game else new_game(client, wish)
    view = seat.view()
    if view["you"] is None:
        raise BadWishError(texts(wish.language)["no_seat"])
    table = Table(console, seat, view, ruleset_page(client, view["ruleset"]), wish.language)
    try:
        table.play()
    except (Left, KeyboardInterrupt):
        console.print()
        _say_how_to_return(console, seat, wish, ours)
    except (UnreachableError, Refused):
        _say_how_to_return(console, seat, wish, ours)
        raise


def _say_how_to_return(console: Console, seat: Seat, wish: Wish, ours: bool) -> None:
    told = texts(wish.language)
    if ours:
        console.print(told["leave.gone"], markup=False)
        return
    words = ["tapete", "play", "--game", seat.game_id, "--token", seat.token]
    words += ["--url", seat.client.url] if seat.client.url != usual_url() else []
    words += ["--language", wish.language] if wish.language != "en" else []
    console.print(told["leave.kept"], f"  {shlex.join(words)}", sep="\n", markup=False, soft_wrap=True)
