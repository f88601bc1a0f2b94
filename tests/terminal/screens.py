"""Known tables to be drawn: real games at a chosen moment, as a seat sees them, and the text of each screen."""

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType

from service.terminal import scores
from service.terminal.choices import choices
from service.terminal.screen import screen
from service.terminal.story import Story
from service.terminal.words import Words
from tests.service.players import SEED, Api

FOLDER = Path(__file__).parent / "screens"
Moment = Callable[[dict[str, Any]], bool]


@dataclass
class Scene:
    """A game, the moment at which it is looked at by the seat that is to move, and how."""

    ruleset: str
    title: str
    moment: Moment
    options: dict[str, Any] = field(default_factory=dict)
    seats: int = 4
    columns: int = 76
    language: str = "en"
    part: str = "table"
    """`table`, `deal_over` or `match_over`."""


def phase(name: str) -> Moment:
    return lambda view: view["deal"]["phase"] == name


def in_trick(number: int, cards: int) -> Moment:
    def is_there(view: dict[str, Any]) -> bool:
        table = view["deal"]["table"]
        return table.get("trick_number") == number and len(table["cards"]) == cards

    return is_there


def version(number: int) -> Moment:
    return lambda view: view["version"] >= number


def deals(number: int) -> Moment:
    return lambda view: view["match"]["deals_played"] >= number


def over(view: dict[str, Any]) -> bool:
    return view["result"] is not None


POINTS = {"scoring": "points"}
ONE = {"first_dealer": 1}
SCENES = [
    Scene("tarneeb", "the auction", version(4), ONE),
    Scene("tarneeb", "naming the trump", phase("trump"), ONE),
    Scene("tarneeb", "a trick is running", in_trick(4, 2), ONE),
    Scene("tarneeb", "in Spanish, for points, in 60 columns", in_trick(2, 1), {**ONE, **POINTS}, 4, 60, "es"),
    Scene("tarneeb", "a deal is over", deals(1), {**ONE, "all_pass": "dealer_bids"}, part="deal_over"),
    Scene("tarneeb", "the match is over", over, {**ONE, "all_pass": "dealer_bids", "max_deals": 1}, part="match_over"),
    Scene("reihe", "the first cards, for money", version(8), {**ONE, "ante": 200}),
    Scene("reihe", "eight seats, late", version(50), ONE, 8),
    Scene("reihe", "in Spanish, with a Spanish pack", version(20), {**ONE, "deck": "spanish_40"}, 3, 60, "es"),
    Scene("reihe", "a deal is over", deals(1), ONE, 3, part="deal_over"),
    Scene("rosbiratschka", "a trick contract", in_trick(4, 2), {**ONE, "contracts": ["no_hearts", "hundred"]}),
    Scene("rosbiratschka", "the pile of Hundred", version(12), {**ONE, "contracts": ["hundred"]}),
    Scene("rosbiratschka", "the rows, in Spanish", version(14), {**ONE, "contracts": ["rosbiratschka"]}, 6, 60, "es"),
    Scene(
        "rosbiratschka", "a deal is over", deals(1), {**ONE, "contracts": ["no_unters", "hundred"]}, part="deal_over"
    ),
    Scene("rosbiratschka", "the match is over", over, {**ONE, "contracts": ["hundred"]}, 3, part="match_over"),
    Scene("elfer_raus", "with action cards", version(20), {**ONE, "skip_cards": 4, "reverse_cards": 4}, 3),
    Scene("elfer_raus", "in Spanish, in 60 columns", version(30), ONE, 4, 60, "es"),
    Scene("elfer_raus", "a deal is over", deals(1), {**ONE, "max_number": 10}, 3, part="deal_over"),
]


def drawn(api: Api, scene: Scene) -> RenderableType:
    """What the seat that is to move sees; at the end of a match, seat 0."""
    body = {"ruleset": scene.ruleset, "options": scene.options, "seed": SEED}
    table = api.create(**body, seats=[{"kind": "player"}] * scene.seats)
    view, turn = table.view(), 0
    while not scene.moment(view) and not over(view):
        view, turn = table.play_on(1, seed=turn), turn + 1
    seat = 0 if view["to_move"] is None else view["to_move"]
    view, log = table.view(seat), table.log(seat)
    page = api.get(f"/v1/rulesets/{scene.ruleset}", accept_language=scene.language).json()
    words = Words(scene.language, view["seats"], seat)
    story = Story(words)
    for item in log:
        story.tell(item)
    if scene.part == "deal_over":
        return scores.deal_over(view, page, story.ended[-1], words)
    if scene.part == "match_over":
        return scores.match_over(view, page, words)
    offered = choices(view["you"]["legal_moves"])
    return screen(view, page, words, story, offered=offered, columns=scene.columns)


def text(api: Api, ruleset: str) -> str:
    """Every screen of a ruleset as text, without colours."""
    shown = []
    for scene in SCENES:
        if scene.ruleset == ruleset:
            console = Console(file=io.StringIO(), width=scene.columns, color_system=None)
            console.print(drawn(api, scene))
            assert isinstance(console.file, io.StringIO)
            lines = [line.rstrip() for line in console.file.getvalue().splitlines()]
            shown.append("\n".join([f"[{scene.title}]", *lines, ""]))
    return "\n".join(shown)
