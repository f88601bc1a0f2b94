"""The job of the bot queue: due work of a game, done through the same use cases that HTTP has."""

import asyncio
import logging
import traceback
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, cast

from service.bot_moves import answer_job, take_turn
from service.errors import Unavailable
from service.games import Context
from service.schemas import Due

log = logging.getLogger("tapete.worker")


@dataclass
class Process:
    """What a worker process keeps from job to job: its event loop, and what the use cases work with."""

    runner: asyncio.Runner
    context: Context


process: Process | None = None
"""Set by `workers.main` before the first job."""


class JobFailed(Exception):
    """A job has failed by a fault of ours; the text is the fault's kind, never its own text."""


def run(owner: str, version: int, kind: str) -> bool:
    """Do one piece of due work; False where it no longer applies. `owner` is a game, or a job a client asked for."""
    if process is None:
        raise RuntimeError("Jobs run in processes that `tapete worker bots` starts.")
    work: Coroutine[Any, Any, bool]
    if kind == "job":
        work = answer_job(process.context, owner)
    else:
        work = take_turn(process.context, owner, version, cast(Due, kind))
    try:
        return process.runner.run(work)
    except Unavailable as error:
        # Nothing has failed: the work stays due, and whoever takes it next does it.
        log.warning("A job waits: %s", error.detail)
        return False
    except Exception as error:
        # RQ would log the fault's text and keep it with the job, and it could hold a card.
        kind, place = type(error).__name__, "".join(traceback.format_tb(error.__traceback__))
    log.error("The job of %s failed (%s).\n%s", owner, kind, place)
    raise JobFailed(kind)
