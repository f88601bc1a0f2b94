"""One run of schemathesis against a running service: every phase and every check, from one seed."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import redis
import schemathesis
from schemathesis import Case, HookContext
from schemathesis.config import SchemathesisConfig
from schemathesis.core.transport import Response
from schemathesis.engine import events, from_schema
from schemathesis.engine.recorder import ScenarioRecorder
from schemathesis.hooks import GLOBAL_HOOK_DISPATCHER
from schemathesis.schemas import BaseSchema

from tests.contract.generated import Counted, Games, Tokens
from tests.contract.starts import Starts

PHASES = ("examples", "coverage", "fuzzing", "stateful")


@dataclass
class Run:
    """What came of a run."""

    counted: Counted
    cases: Counter[str] = field(default_factory=Counter)
    """Requests by phase, those that checks send besides included."""
    checks: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    """Everything that was not as promised, with the request that shows it."""


def run(url: str, redis_url: str, document: dict[str, Any], seed: int, examples: int) -> Run:
    """Ask everything that the seed makes up, so many `examples` of each operation while fuzzing."""
    schema = _schema(url, document, seed, examples)
    with httpx.Client(base_url=url, timeout=30) as client, redis.Redis.from_url(redis_url) as kept:
        games = Games(Starts(client, kept), seed)
        found = Run(games.counted)
        with _hooked(schema, games):
            for event in from_schema(schema).execute():
                _note(event, found)
    return found


def _schema(url: str, document: dict[str, Any], seed: int, examples: int) -> BaseSchema:
    config = SchemathesisConfig.from_path(Path(__file__).with_name("schemathesis.toml"))
    schema = schemathesis.openapi.from_dict(document, config=config)
    schema.config.update(base_url=url)
    schema.config.seed = seed
    schema.config.generation.update(max_examples=examples)
    return schema


@contextmanager
def _hooked(schema: BaseSchema, games: Games) -> Iterator[None]:
    schema.auth()(Tokens)

    @schemathesis.hook  # can only be one for all schemas of the process
    def before_call(_context: HookContext, case: Case, _sent: dict[str, Any]) -> None:
        games.prepare(case)

    @schema.hook
    def after_call(_context: HookContext, case: Case, response: Response) -> None:
        games.count(case, response)

    try:
        yield
    finally:
        GLOBAL_HOOK_DISPATCHER.unregister(before_call)


def _note(event: events.EngineEvent, found: Run) -> None:
    if isinstance(event, events.ScenarioFinished):
        found.cases[event.phase.value] += len(event.recorder.interactions)
        found.failures += _failures(event.recorder, found.checks)
    elif isinstance(event, events.NonFatalError):
        found.failures.append(f"{event.label}: {event.info.format()}")
    elif isinstance(event, events.FatalError):
        raise event.exception


def _failures(recorder: ScenarioRecorder, checks: Counter[str]) -> Iterator[str]:
    for nodes in recorder.checks.values():
        for node in nodes:
            checks[node.name] += 1
            if (wrong := node.failure_info) is not None:
                failure = wrong.failure
                yield f"{recorder.label}: {node.name}: {failure.title}\n{failure.message}\n{wrong.code_sample}"
