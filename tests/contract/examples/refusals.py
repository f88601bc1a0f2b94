"""An example of every error code, come to as tests/service/test_problems.py comes to it; there it says how."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import redis

from service.errors import PROBLEMS
from service.settings import Settings
from tests.contract.examples.tape import Remote, Tape
from tests.service.players import PASS, Api, Table, card, running
from tests.service.test_problems import EVERY_CODE, Broken, Situation, one_that_is_over

MOVES: dict[str, tuple[str, Callable[[Table], httpx.Response]]] = {
    "invalid_request": ("There is no such card in any game", lambda table: table.send(3, card("1-cups"))),
    "unauthorized": ("A move without a token", lambda table: table.send(None, PASS)),
    "forbidden": ("The creator has no hand to play from", lambda table: table.send("creator", PASS)),
}
"""What else a move may be answered than what is told of it anyway."""


def refuse(tape: Tape, settings: Settings, folder: Path) -> None:
    """Tell every code; `settings` are those of the running service, and nothing lies in `folder`."""
    with _unwell(settings, folder) as (broken, without_redis), redis.Redis.from_url(settings.redis_url) as kept:
        tape.keep(without_redis.get("/health/ready"), "No game can be played: the store cannot be reached")
        for code, provoke in EVERY_CODE.items():
            tape.api.begin(f"refusal {code}")
            at = Situation(tape.api, broken, without_redis, *_games(tape.api), kept)
            tape.keep(provoke(at), PROBLEMS[code].title, code)
    tape.api.begin("refused moves")
    table, _ = _games(tape.api)
    for code, (summary, send) in MOVES.items():
        tape.keep(send(table), summary, code)


def _games(api: Remote) -> tuple[Table, Table]:
    return api.create(options={"first_dealer": 0}), one_that_is_over(api)


@contextmanager
def _unwell(settings: Settings, folder: Path) -> Iterator[tuple[Api, Api]]:
    """The service with a fault in it, and the service without its store: in this process, since neither is alive."""
    url = f"unix://{folder}/none.sock"
    with running(settings, Broken) as broken, running(replace(settings, redis_url=url, queue_redis_url=url)) as alone:
        yield broken, alone
