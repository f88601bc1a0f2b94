"""That the document shows everything it promises: an example of every good answer, and of every error code."""

from openapi.recorded import recorded
from openapi.write import EXAMPLES
from service.errors import PROBLEMS
from service.openapi import described
from tests.contract.published import APP

EXCHANGES = recorded(EXAMPLES)


def test_every_operation_shows_each_of_its_good_answers() -> None:
    promised = {
        (at.operation.id, str(status)) for at in described(APP) for status in at.operation.answers if status < 400
    }
    missing = promised - {(each.operation, each.status) for each in EXCHANGES}
    assert not missing, "record them with `make examples`"


def test_every_error_code_is_shown_somewhere() -> None:
    shown = {each.slug for each in EXCHANGES if each.status >= "400"}
    assert not PROBLEMS.keys() - shown, "record them with `make examples`"


def test_every_example_says_what_it_shows() -> None:
    assert EXCHANGES
    for each in EXCHANGES:
        assert each.summary.strip(), f"{each.operation}/{each.status}-{each.slug}"
