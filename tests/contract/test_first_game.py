"""What /docs plays by clicking: its steps, sent one after the other to the running service, as the page sends them."""

import json
import re
import uuid
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.catalog import RULESETS
from service.openapi import described
from service.routes.docs import OURS
from tests.contract.published import APP, DOCUMENT
from tests.service.players import Json

TOLD: Json = json.loads((OURS / "first-game.json").read_text())
STEPS: list[Json] = TOLD["steps"]
OPERATIONS = {at.operation.id: at for at in described(APP)}
MOST_STEPS = 5000
A_NAME = re.compile(r"\{([a-z_]+)\}")


def filled(value: Any, known: Json) -> Any:
    """What a step says, with what is known in place of names."""
    if isinstance(value, str):
        whole = A_NAME.fullmatch(value)
        return known[whole[1]] if whole else A_NAME.sub(lambda name: str(known[name[1]]), value)
    if isinstance(value, list):
        return [filled(each, known) for each in value]
    return {name: filled(each, known) for name, each in value.items()} if isinstance(value, dict) else value


def at(place: str, value: Any) -> Any:
    for name in place.split(".") if place else ():
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


def situation(known: Json, view: Json | None) -> str:
    """What stands between a game and its next step; `situation` in panel.js says the same."""
    if "game_id" not in known:
        return "new"
    if view is None:
        return "stale"
    if view["result"]:
        return "over"
    if view["to_move"] != view["you"]["seat"]:
        return "waiting"
    return "moving" if "move" in known else "choosing"


class Reader:
    """Somebody who clicks through the steps of a game."""

    def __init__(self, client: httpx.Client, ruleset: str) -> None:
        self.client = client
        # People want to see what the bots do; a test does not.
        create = {**TOLD["games"][ruleset]["create"], "pace_seconds": 0}
        self.known: Json = {"create": create, "key": str(uuid.uuid4())}
        self.view: Json | None = None
        self.sent: list[str] = []

    def next(self) -> Json:
        """The step that comes next: of several the one that was taken less often."""
        fitting = [step for step in STEPS if step["when"] == situation(self.known, self.view)]
        return min(fitting, key=lambda step: self.sent.count(step["id"]))

    def send(self, step: Json) -> None:
        """Send a step's request, and take from the answer what it brings."""
        headers, body = (filled(step.get(part), self.known) for part in ("headers", "body"))
        path = filled(step["path"], self.known)
        answer = self.client.request(step["method"], path, headers=headers, json=body, timeout=60)
        assert answer.status_code in OPERATIONS[step["operation"]].operation.answers, f"{step['id']}: {answer.text}"
        self.sent.append(step["id"])
        self.known |= {name: at(place, answer.json()) for name, place in step["takes"].items()}
        if step.get("ages") or "view" in step:
            self.known.pop("move", None)
            self.view = at(step["view"], answer.json()) if "view" in step else None

    def over(self) -> bool:
        """Whether the game has been played to its end."""
        return situation(self.known, self.view) == "over"


@pytest.mark.parametrize("ruleset", [each.name for each in RULESETS])
def test_a_first_game_can_be_played_to_its_end_by_its_steps_alone(client: httpx.Client, ruleset: str) -> None:
    reader = Reader(client, ruleset)
    while not reader.over():
        reader.send(reader.next())
        assert len(reader.sent) < MOST_STEPS
    for step in STEPS:
        if step["when"] == "over":
            reader.send(step)
    assert set(reader.sent) == {step["id"] for step in STEPS}, "every step has had its moment"


def test_every_step_is_an_operation_of_the_document() -> None:
    for step in STEPS:
        told = OPERATIONS[step["operation"]]
        pattern = re.sub(r"\\\{[^/]+?\\\}", r"\\{[a-z_]+\\}", re.escape(told.path))
        assert re.fullmatch(pattern, step["path"].partition("?")[0])
        assert step["method"] == told.method.upper()
        assert ("body" in step) == ("requestBody" in DOCUMENT["paths"][told.path][told.method])


def test_every_name_in_a_step_is_one_that_an_earlier_step_brings() -> None:
    known = {"create", "key"}
    for step in STEPS:
        needed = set(A_NAME.findall(json.dumps([step["path"], step.get("headers"), step.get("body")])))
        assert needed <= known, step["id"]
        known |= step["takes"].keys()


def test_the_page_knows_every_situation_that_a_step_waits_for() -> None:
    panel = (Path(OURS) / "panel.js").read_text()
    function = panel[panel.index("export function situation") :].partition("\n}\n")[0]
    assert {step["when"] for step in STEPS} == set(re.findall(r'"(new|[a-z]{4,})"', function)) - {"abandoned"}
