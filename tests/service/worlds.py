"""Two services that differ in nothing but hidden cards, and everything that leaves them, byte for byte.

What would differ between any two services is fixed where it comes from, never taken out of what they say: the clocks
(Redis's in the scripts, Python's, RQ's) stand still in the year 2100, so that nothing expires; request ids, RQ's ids
and the worker's name are constants; secrets and ids of games are given. The sweep runs when a test says so.
"""

import asyncio
import datetime
import logging
import re
import sys
import uuid
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import redis
from rq import Queue
from rq.serializers import JSONSerializer
from rq.timeouts import BaseDeathPenalty

from engine.bots import Decision
from engine.chance import PublishedDeals
from engine.match import DealSource
from service import bot_moves, due, edge, events, jobs, redis_server, simulation_sweep
from service.openapi import document
from service.rates import OFF
from service.settings import Settings
from service.store import Script
from tests.service.players import SEED, Api, everything_in, running
from workers import bots
from workers.main import AllowedJob, BotWorker

MOMENT = 4102444800
"""The second that it always is: the first of the year 2100."""
SCRIPTED = 99_999
"""The budget of a bot seat whose moves a test has written down."""
script: list[int] = []
"""The moves that scripted bots make next."""
waiting: list[events.Bell] = []
"""Who has waited for news."""


# ---------------------------------------------------------------------------------------------------- standing still


def stand_still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fix what differs between any two services: clocks, random ids, when the sweep runs."""
    now = datetime.datetime.fromtimestamp(MOMENT, datetime.UTC)
    for name, module in list(sys.modules.items()):
        for clock in ("now", "uuid4"):
            if name.partition(".")[0] == "rq" and hasattr(module, clock):
                monkeypatch.setattr(module, clock, {"now": lambda: now, "uuid4": lambda: uuid.UUID(int=0)}[clock])
    monkeypatch.setattr(bot_moves, "time", SimpleNamespace(monotonic=lambda: float(MOMENT)))
    monkeypatch.setattr(edge, "secrets", SimpleNamespace(token_hex=lambda size: "0" * 2 * size))
    monkeypatch.setattr(jobs, "secrets", SimpleNamespace(token_hex=lambda size: "0" * 2 * size))
    monkeypatch.setattr(simulation_sweep.Feed, "run", lambda _: asyncio.sleep(1e6))
    monkeypatch.setattr(due.Sweep, "run", lambda _: asyncio.sleep(1e6))
    monkeypatch.setattr(due.Sweep, "nudge", lambda *_: None)
    monkeypatch.setattr(events.Bell, "wait", noted(events.Bell.wait))
    monkeypatch.setattr(bot_moves, "_choose", as_scripted(bot_moves._choose))


def noted(honest: Callable[..., Any]) -> Callable[..., Any]:
    """Waiting for news, which is noted first: a test lets something happen when its readers really wait."""

    async def wait(bell: Any, seconds: float) -> bool:
        waiting.append(bell)
        return bool(await honest(bell, seconds))

    return wait


def as_scripted(honest: Callable[..., Decision]) -> Callable[..., Decision]:
    """Choices of bots, of which some are written down."""

    def choose(spec: Any, seen: Any, seed: str) -> Decision:
        is_scripted = spec.budget is not None and spec.budget.samples == SCRIPTED
        return Decision(script[-1]) if is_scripted else honest(spec, seen, seed)

    return choose


def stop_the_clock(api: Api) -> None:
    """Let the scripts of a store see the same moment for ever."""
    scripts = api.app.app.state.simulations.store.scripts.values()
    for each in (*vars(api.context.store).values(), *scripts):
        if isinstance(each, Script):
            each.text = each.text.replace("redis.call('TIME')", f"{{'{MOMENT}', '0'}}")
            each.sha = None


class NoAlarm(BaseDeathPenalty):
    """A job's time limit that sets no alarm: the alarm of this process is pytest's."""

    def setup_death_penalty(self) -> None:
        """Set nothing."""

    def cancel_death_penalty(self) -> None:
        """Cancel nothing."""


# ---------------------------------------------------------------------------------------------------- a world


class Lines(logging.Handler):
    """Everything that is logged, at any level, with what was put into it, but by the client of the tests."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Write it down."""
        if record.name != "httpx":
            self.lines.append(f"{record.levelname} {record.name} {self.format(record)} {record.args!r}")


class World:
    """A service whose deals are laid out, each game's under the seed that it is created with, and its bot worker.

    What an operator may see is written down: `logged` lines, and the `queued` jobs as RQ keeps them.
    """

    def __init__(self, url: str, lines: Lines) -> None:
        self.settings = Settings(url, url, (bytes(range(32)),), bot_queue="secrecy", log_level="debug", limits=OFF)
        self.deals: dict[str, DealSource] = {SEED: PublishedDeals(SEED, [])}
        self.lines = lines
        self.redis = redis.Redis.from_url(url)
        self.logged: list[str] = []
        self.queued: list[dict[bytes, bytes]] = []
        self.met: set[tuple[str, str]] = set()
        self.api: Api
        self.operations: list[Operation]

    @contextmanager
    def open(self) -> Iterator["World"]:
        """Run the service."""
        self.redis.config_set("appendonly", "no")  # nobody needs these games again
        with running(self.settings, lambda seed, _: self.deals[seed]) as self.api, self.redis:
            stop_the_clock(self.api)
            self.operations = list(operations(document(self.api.app.app)))
            self.worker = worker_of(self)
            self.sweep = due.Sweep(self.api.context.store, self.api.queue)
            with self.redis.pubsub() as self.listener:
                self.listener.psubscribe("*")
                self.listener.get_message(timeout=1)
                yield self

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """The answer of anything asynchronous; what is logged meanwhile is for the operator."""
        self.lines.lines = []
        answer = self.api.run(work)
        self.logged += self.lines.lines
        return answer

    def published(self) -> list[tuple[bytes, bytes]]:
        """Channel and text of everything that has been published since the last time."""
        heard = []
        self.redis.publish("so far", "")
        while (message := self.listener.get_message(timeout=5)) is None or message["channel"] != b"so far":
            assert message is not None, "what is published is heard"
            heard.append((message["channel"], message["data"]))
        return heard

    def ask(self, method: str, path: str, token: str | None = None, /, **more: Any) -> httpx.Response:
        """One request."""
        return self.asked(self.run(self.api.request(method, path, token, **more)))

    def asked(self, answer: httpx.Response) -> httpx.Response:
        """Note which operation has answered how."""
        path, method = answer.request.url.path, answer.request.method
        is_problem = answer.headers.get("content-type") == "application/problem+json" and answer.content
        code = answer.json()["code"] if is_problem else ""
        said = code or str(answer.status_code)
        self.met.update((each.name, said) for each in self.operations if each.is_asked(method, path))
        return answer

    def work(self, member: str) -> None:
        """Let the sweep make the job of a piece of due work, look at it in the queue, and let the worker do it."""
        self.queue_up(member)
        self.do(member)

    def queue_up(self, member: str) -> None:
        """Let the sweep make the job of a piece of due work, and look at it in the queue."""
        self.run(self.sweep.sweep_all())
        payload = self.redis.hgetall(f"rq:job:{member.replace(':', '-')}")
        assert payload, f"{member} was not due"
        self.queued.append(payload)

    def do(self, member: str) -> None:
        """Let the worker do the job that has been made of a piece of due work."""
        job = AllowedJob.fetch(member.replace(":", "-"), self.redis, serializer=JSONSerializer)
        self.redis.lrem(self.worker.queues[0].key, 0, job.id)
        bots.process = bots.Process(self.api.runner, self.api.context)
        self.lines.lines = []
        self.worker.execute_job(job, self.worker.queues[0])
        bots.process = None
        self.logged += self.lines.lines

    def kept(self) -> dict[bytes, Any]:
        """Everything in Redis."""
        return everything_in(self.redis)

    def forget(self) -> None:
        """Empty Redis, and what an operator has seen."""
        self.redis.flushall()
        self.logged.clear()
        self.queued.clear()
        self.published()


def worker_of(each: World) -> BotWorker:
    """The worker of a world, which works when it is told to."""
    queue = Queue(each.settings.bot_queue, connection=each.redis, serializer=JSONSerializer)
    worker = BotWorker(
        [queue], name="worker", connection=each.redis, serializer=JSONSerializer, job_class=AllowedJob,
        prepare_for_work=False,
    )  # fmt: skip
    worker.log_job_description = False
    worker.death_penalty_class = NoAlarm
    return worker


@contextmanager
def two_worlds(folder: Path) -> Iterator[tuple[World, World]]:
    """Two services on servers of their own, so that their games may have the same ids and nobody hears both."""
    lines = Lines()
    root = logging.getLogger()
    level = root.level
    servers = []
    for name in ("real", "other"):
        (folder / name).mkdir()
        servers.append(redis_server.start(folder / name))
    root.addHandler(lines)
    root.setLevel(logging.DEBUG)
    try:
        with pytest.MonkeyPatch.context() as fixed:
            stand_still(fixed)
            with World(servers[0].url, lines).open() as real, World(servers[1].url, lines).open() as other:
                yield real, other
    finally:
        root.setLevel(level)
        root.removeHandler(lines)
        for server in servers:
            server.stop()


# ---------------------------------------------------------------------------------------------------- the document


@dataclass(frozen=True)
class Operation:
    """An operation of the published document, and every status and code of a problem that it says it answers."""

    name: str
    path: str
    method: str
    answers: frozenset[str]
    has_body: bool

    def is_asked(self, method: str, path: str) -> bool:
        """Whether a request is for this operation."""
        pattern = re.sub(r"\\{[^/]+?\\}", "[^/]+", re.escape(self.path))
        return method == self.method and re.fullmatch(pattern, path) is not None


def operations(published: dict[str, Any]) -> Iterator[Operation]:
    """Every operation of the published document."""
    for path, item in published["paths"].items():
        for method, operation in item.items():
            if "operationId" in operation:
                answers = frozenset(_answers(operation["responses"]))
                yield Operation(operation["operationId"], path, method.upper(), answers, "requestBody" in operation)


def _answers(responses: dict[str, Any]) -> Iterator[str]:
    for status, response in responses.items():
        problem = response.get("content", {}).get("application/problem+json")
        yield from problem["schema"]["allOf"][1]["properties"]["code"]["enum"] if problem else [status]
