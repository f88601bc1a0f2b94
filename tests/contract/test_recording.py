"""How recorded exchanges come into the document."""

import json
from pathlib import Path
from typing import Any

import pytest

from openapi.recorded import with_examples
from openapi.write import app
from service.openapi import document

PLAIN = document(app())
GAME = "/v1/games/{game_id}"


def media(status: int, answer: Any) -> str:
    """What the service declares such an answer as."""
    if isinstance(answer, str):
        return "text/event-stream; charset=utf-8"
    return "application/problem+json" if status >= 400 and "code" in answer else "application/json"


def record(folder: Path, name: str, status: int, answer: Any, asked: Any = None, *, summary: str = "So.") -> None:
    """A file such as `make examples` writes."""
    file = folder / f"{name}.json"
    file.parent.mkdir(exist_ok=True)
    request = {"method": "POST", "path": "/", "headers": {}, "body": asked}
    headers = {} if answer is None else {"Content-Type": media(status, answer)}
    response = {"status": status, "headers": headers, "body": answer}
    file.write_text(json.dumps({"summary": summary, "request": request, "response": response}))


def problem(code: str) -> dict[str, Any]:
    return {"code": code, "status": 400}


def test_without_files_the_document_is_the_same(tmp_path: Path) -> None:
    assert with_examples(PLAIN, tmp_path / "none") == PLAIN


def test_a_good_exchange_is_an_example_of_request_and_answer(tmp_path: Path) -> None:
    record(tmp_path, "createGame/201-reihe", 201, {"game": 1}, {"ruleset": "reihe"}, summary="A game of Reihe.")
    operation = with_examples(PLAIN, tmp_path)["paths"]["/v1/games"]["post"]
    asked = operation["requestBody"]["content"]["application/json"]["examples"]
    assert asked == {"reihe": {"summary": "A game of Reihe.", "value": {"ruleset": "reihe"}}}
    answered = operation["responses"]["201"]["content"]["application/json"]["examples"]
    assert answered == {"reihe": {"summary": "A game of Reihe.", "value": {"game": 1}}}


def test_what_was_sent_in_vain_is_no_example_of_a_request(tmp_path: Path) -> None:
    record(tmp_path, "createGame/400-invalid_request", 400, problem("invalid_request"), {"ruleset": 7})
    whole = with_examples(PLAIN, tmp_path)
    assert "examples" not in whole["paths"]["/v1/games"]["post"]["requestBody"]["content"]["application/json"]
    shared = whole["components"]["responses"]["InvalidRequest"]["content"]["application/problem+json"]
    assert shared["examples"]["invalid_request"]["value"] == problem("invalid_request")


def test_a_refusal_of_one_operation_alone_is_told_there(tmp_path: Path) -> None:
    record(tmp_path, "applyMove/409-not_your_turn", 409, problem("not_your_turn"))
    answers = with_examples(PLAIN, tmp_path)["paths"][f"{GAME}/moves"]["post"]["responses"]
    assert answers["409"]["content"]["application/problem+json"]["examples"].keys() == {"not_your_turn"}


def test_of_a_shared_refusal_the_first_example_stays(tmp_path: Path) -> None:
    for operation in ("applyMove", "createGame"):
        record(tmp_path, f"{operation}/400-invalid_request", 400, problem(operation))
    shared = with_examples(PLAIN, tmp_path)["components"]["responses"]["InvalidRequest"]
    examples = shared["content"]["application/problem+json"]["examples"]
    assert [each["value"]["code"] for each in examples.values()] == ["applyMove"]


def test_two_statuses_may_have_recorded_the_same_slug_with_other_requests(tmp_path: Path) -> None:
    record(tmp_path, "askBot/200-asked", 200, {"state": "done"}, {"play": True})
    record(tmp_path, "askBot/202-asked", 202, {"state": "queued"}, {"play": False})
    operation = with_examples(PLAIN, tmp_path)["paths"][f"{GAME}/bot-moves"]["post"]
    asked = operation["requestBody"]["content"]["application/json"]["examples"]
    assert {name: each["value"]["play"] for name, each in asked.items()} == {"asked": True, "asked-202": False}


def test_an_answer_without_a_body_has_no_example(tmp_path: Path) -> None:
    record(tmp_path, "deleteGame/204", 204, None)
    assert with_examples(PLAIN, tmp_path) == PLAIN


def test_a_stream_is_told_as_text_and_its_first_event_as_value(tmp_path: Path) -> None:
    stream = ': ping\n\nretry: 1000\n\nid: 1-a\ndata: {"version":1}\n\nid: 2-b\ndata: {"version":2}\n\n'
    record(tmp_path, "listEvents/200-stream", 200, stream)
    content = with_examples(PLAIN, tmp_path)["paths"][f"{GAME}/events"]["get"]["responses"]["200"]["content"]
    assert "examples" not in content["application/json"]
    example = content["text/event-stream"]["examples"]["stream"]
    assert example["value"] == {"id": "1-a", "data": '{"version":1}'}
    assert stream.strip() in example["description"]


def test_the_readiness_that_is_none_is_no_problem_document(tmp_path: Path) -> None:
    record(tmp_path, "getReady/503", 503, {"status": "unavailable"})
    content = with_examples(PLAIN, tmp_path)["paths"]["/health/ready"]["get"]["responses"]["503"]["content"]
    assert content["application/json"]["examples"]["example"]["value"] == {"status": "unavailable"}


def test_what_no_operation_answers_is_an_example_of_a_problem(tmp_path: Path) -> None:
    record(tmp_path, "anyOperation/405-method_not_allowed", 405, problem("method_not_allowed"))
    whole = with_examples(PLAIN, tmp_path)
    assert whole["components"]["schemas"]["Problem"]["examples"] == [problem("method_not_allowed")]


def test_a_status_that_the_operation_does_not_promise_is_refused(tmp_path: Path) -> None:
    record(tmp_path, "getLive/404-not_found", 404, problem("not_found"))
    with pytest.raises(KeyError):
        with_examples(PLAIN, tmp_path)


def test_a_file_that_is_named_after_another_status_is_refused(tmp_path: Path) -> None:
    record(tmp_path, "getLive/200", 503, {"status": "ok"})
    with pytest.raises(ValueError, match="the name says 200, and the answer is 503"):
        with_examples(PLAIN, tmp_path)
