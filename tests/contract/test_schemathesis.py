"""Generated requests of all kinds against the running service, judged by what the published document promises.

This is one short run; `make contract` makes longer ones from several seeds, and writes down what they came to.
"""

import copy

import pytest

from engine.catalog import RULESETS
from service.openapi import described
from tests.contract.campaign import PHASES, Run, run
from tests.contract.published import APP, DOCUMENT
from tests.contract.report import unreached
from tests.contract.starts import SEATS

SEED = 1
EXAMPLES = 15


@pytest.fixture(scope="module")
def found(url: str, games_redis_url: str) -> Run:
    return run(url, games_redis_url, copy.deepcopy(DOCUMENT), SEED, EXAMPLES)


def test_every_answer_is_as_promised(found: Run) -> None:
    """Boundary values, what is wrong in one place, anything else that fits or does not, and rows along the links."""
    assert not found.failures, "\n\n".join(found.failures)
    assert all(found.cases[phase] for phase in PHASES), found.cases


def test_every_operation_has_succeeded_and_every_kind_of_game_was_asked_about(found: Run) -> None:
    """Otherwise the test above would have looked at refusals only."""
    assert {at.path for at in described(APP)} == set(DOCUMENT["paths"])
    assert len(found.counted.statuses) == len(list(described(APP)))
    assert not unreached([found])


def test_generated_moves_end_deals_and_matches_in_every_ruleset(found: Run) -> None:
    assert {ruleset.name for ruleset in RULESETS} == set(SEATS)
    for ruleset in SEATS:
        assert {"deal_scored", "game_over"} <= set(found.counted.events[ruleset]), ruleset
    assert any(events["dealt"] for events in found.counted.events.values()), "no match went on after a deal"
