"""The job of the bot queue: due work of a game, done through the same use cases that HTTP has."""

import asyncio
from dataclasses import dataclass

from service.bot_moves import answer_job, take_turn
from service.games import Context


@dataclass
class Process:
    """What a worker process keeps from job to job: its event loop, and what the use cases work with."""

    runner: asyncio.Runner
    context: Context


process: Process | None = None
"""Set by `workers.main` before the first job."""


def run(owner: str, version: int, kind: str) -> bool:
    """Do one piece of due work; False where it no longer applies. `owner` is a game, or a job a client asked for."""
    if process is None:
        raise RuntimeError("Jobs run in processes that `tapete worker bots` starts.")
    if kind == "bot":
        return process.runner.run(take_turn(process.context, owner, version))
    return process.runner.run(answer_job(process.context, owner))
