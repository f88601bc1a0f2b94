"""What the table looks like: golden screens of real games, recorded by `make screens`, and their colours."""

import io
import re
from collections.abc import Iterator

import pytest
import redis
from rich.console import Console

from service.settings import Settings
from service.terminal import cards
from tests.service.players import Api, running
from tests.terminal.screens import FOLDER, SCENES, Scene, drawn, text


@pytest.fixture(scope="module")
def api(redis_url: str) -> Iterator[Api]:
    """An API in this process on a database of its own."""
    url = f"{redis_url}?db=2"
    with redis.Redis.from_url(url) as kept:
        kept.flushdb()
    with running(Settings(url, url, (bytes(range(32)),), bot_queue="tests-terminal")) as started:
        yield started


@pytest.mark.parametrize("ruleset", dict.fromkeys(scene.ruleset for scene in SCENES))
def test_screens_look_as_they_were_recorded(api: Api, ruleset: str) -> None:
    assert text(api, ruleset) == (FOLDER / f"{ruleset}.txt").read_text(), "if this is meant, `make screens` and review"


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: f"{scene.ruleset}: {scene.title}")
def test_no_line_is_wider_than_the_terminal(api: Api, scene: Scene) -> None:
    console = Console(file=io.StringIO(), width=scene.columns)
    lines = console.render_lines(drawn(api, scene), pad=False)
    assert all(sum(segment.cell_length for segment in line) <= scene.columns for line in lines)


def colours_of(api: Api, scene: Scene) -> dict[str, set[str]]:
    """Each piece of a screen that is drawn in colours on a background, and in which."""
    console = Console(file=io.StringIO(), width=scene.columns, color_system="truecolor", force_terminal=True)
    found: dict[str, set[str]] = {}
    for segment in console.render(drawn(api, scene)):
        if segment.style and segment.style.bgcolor and segment.style.color:
            inked = f"{segment.style.color.name} on {segment.style.bgcolor.name}"
            found.setdefault(segment.text.strip(), set()).add(inked)
    return found


def scene(title: str) -> Scene:
    return next(each for each in SCENES if each.title == title)


def test_hearts_and_diamonds_are_red_and_spades_and_clubs_are_black_on_paper(api: Api) -> None:
    colours = colours_of(api, scene("naming the trump"))
    assert colours["♥"] == colours["♦"] == {f"#c00000 on {cards.PAPER}"}
    assert colours["♠"] == colours["♣"] == {f"#202020 on {cards.PAPER}"}


def test_cards_of_elfer_raus_have_their_own_colours(api: Api) -> None:
    colours = colours_of(api, scene("with action cards"))
    told = {colour for inks in colours.values() for colour in inks}
    assert {cards.ink(colour) for colour in ("red", "yellow", "green", "blue")} <= told


def test_only_cards_that_can_be_played_look_like_cards_when_one_must_choose(api: Api) -> None:
    chosen_from = scene("a trick is running")
    console = Console(file=io.StringIO(), width=chosen_from.columns, color_system="truecolor", force_terminal=True)
    lines = [list(line) for line in console.render_lines(drawn(api, chosen_from))]
    hand = next(index for index, line in enumerate(lines) if "Your hand" in "".join(part.text for part in line))
    shown = [
        part for line in lines[hand + 1 :] for part in line if part.style and part.text.strip() in cards_of_the_hand
    ]
    playable = [part for part in shown if part.style and part.style.bgcolor]
    dull = [part for part in shown if part.style and part.style.dim]
    numbered = sum(part.text.strip().endswith(")") for line in lines[hand + 1 :] for part in line)
    assert len(playable) == numbered
    assert dull
    assert len(playable) + len(dull) == len(shown)


cards_of_the_hand = {*map(str, range(2, 11)), "J", "Q", "K", "A"}


def test_pictures_are_whole_by_themselves() -> None:
    pictures = list(FOLDER.glob("*.svg"))
    assert pictures
    for picture in pictures:
        assert re.findall(r"https?://[^\s\"<]+", picture.read_text()) == ["http://www.w3.org/2000/svg"]
