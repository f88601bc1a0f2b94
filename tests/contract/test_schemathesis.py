"""Generated requests of all kinds against the running service, judged by what the published document promises."""

from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case
from schemathesis.config import SchemathesisConfig
from schemathesis.core.transport import Response

from tests.contract.generated import Games
from tests.contract.published import DOCUMENT

CONFIG = SchemathesisConfig.from_path(Path(__file__).with_name("schemathesis.toml"))
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT, config=CONFIG)
UNHURRIED = settings(deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def games(client: httpx.Client) -> Games:
    return Games(client)


@SCHEMA.parametrize()
@settings(UNHURRIED, max_examples=100)
def test_every_answer_is_as_promised(case: Case, games: Games, url: str) -> None:
    """Boundary values, what is wrong in one place, and anything else that fits the document or does not."""
    headers = games.prepare(case)
    answer = case.call(base_url=url, headers=headers)
    games.count(case, answer)
    case.validate_response(answer, headers=headers, transport_kwargs={"base_url": url})


def test_requests_that_follow_from_answers_are_answered_as_promised(games: Games, url: str) -> None:
    """Rows of requests, each made of what the ones before it answered."""

    class Client(SCHEMA.as_state_machine()):  # type: ignore[misc]
        def get_call_kwargs(self, case: Case) -> dict[str, Any]:
            return {"base_url": url, "headers": games.token_for(case)}

        def after_call(self, response: Response, case: Case) -> None:
            games.count(case, response)

    Client.run(settings=settings(UNHURRIED, max_examples=25, stateful_step_count=6))


def test_every_operation_has_succeeded(games: Games) -> None:
    """Otherwise the tests above would have looked at refusals only."""
    for label, statuses in games.answers.items():
        assert any(200 <= status < 300 for status in statuses), f"{label}: {statuses}"
