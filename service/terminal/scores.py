"""The score after a deal, how it came about, and the end of the match."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from service.terminal import Json, cards
from service.terminal.seats import in_order
from service.terminal.words import Words

PENALTIES = ("rosbiratschka", "elfer_raus")
"""The rulesets in which points are bad."""


def deal_over(view: Json, page: Json, scored: Json, words: Words) -> RenderableType:
    """A deal that has been scored, as its event tells it."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(words("column.seat"))
    table.add_column(words("column.deal"), justify="right")
    table.add_column(words("column.total"), justify="right")
    for seat in in_order(view, page, words.me):
        score = scored["scores"][seat]
        total = Text(str(scored["totals"][seat]), "bold")
        table.add_row(words.name(seat), f"{score:+d}" if score else "0", total)
    heading = Rule(Text(words("scored", number=scored["number"]), "bold"), align="left", style="dim")
    below = [] if view["result"] else _penalties(view, words)  # the end of the match, shown next, says it again
    return Group(heading, *_story_of(view, page, scored, words), "", table, *below)


def match_over(view: Json, page: Json, words: Words) -> RenderableType:
    """Who has won, and why the match is over."""
    result = view["result"]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    best = sorted(in_order(view, page, words.me), key=lambda seat: (seat not in result["winners"], _rank(view, seat)))
    for seat in best:
        won = seat in result["winners"]
        table.add_row("★" if won else "", words.name(seat), str(result["scores"][seat]), style="bold" if won else "")
    heading = Rule(Text(words("over"), "bold"), align="left", style="dim")
    reason = f"over.{result['reason']}"
    told = Text(_winners(result["winners"], words), "bold green")
    if words.known(reason):
        told.append(f" {words(reason)}", "none")
    return Group(heading, told, "", table, *_penalties(view, words))


def _rank(view: Json, seat: int) -> int:
    score: int = view["result"]["scores"][seat]
    return score if view["ruleset"] in PENALTIES else -score


def _winners(winners: list[int], words: Words) -> str:
    others = [seat for seat in winners if seat != words.me]
    if words.me in winners:
        return words("over.won.shared", who=words.names(others)) if others else words("over.won.you")
    return words("over.won.other" if len(others) == 1 else "over.won.others", who=words.names(others))


def _penalties(view: Json, words: Words) -> list[Text]:
    return [Text(), Text(words("penalties"), "dim")] if view["ruleset"] in PENALTIES else []


def _story_of(view: Json, page: Json, scored: Json, words: Words) -> Iterator[Text]:
    """How the score came about, by what the event has of it."""
    if scored.get("declarer") is not None:
        yield from _contract(view, page, scored, words)
    if scored.get("contract"):
        name = words(f"contract.{scored['contract']}")
        yield Text.assemble(words("contract.number"), (name, "bold"))
    if scored.get("slam") is not None:
        yield Text(words.about("scored.slam", scored["slam"]))
    if scored.get("doubled"):
        yield Text(words("scored.doubled"))
    if scored.get("places"):
        yield Text(words("scored.places", who=", ".join(map(words.name, scored["places"]))))
    if scored.get("winner") is not None:
        yield Text(words.about("scored.winner", scored["winner"]))
    if scored.get("last_trick"):
        trick = scored["last_trick"]
        played = cards.row_of((each["card"] for each in trick["cards"]), words.language)
        yield Text.assemble(words.about("scored.last_trick", trick["taker"]), played)


def _contract(view: Json, page: Json, scored: Json, words: Words) -> Iterator[Text]:
    teams = [
        [seat for seat in in_order(view, page, words.me) if view["seats"][seat]["team"] == team] for team in (0, 1)
    ]
    team = view["seats"][scored["declarer"]]["team"]
    unit = "tricks" if scored["points_taken"] is None else "points"
    took = (scored["points_taken"] or scored["tricks_taken"])[team]
    key = f"scored.{'made' if scored['made'] else 'failed'}.{unit}"
    yield Text(words(key, who=words.names(teams[team]), bid=scored["bid"], took=took))
    for each, points in enumerate(scored["discarded"]):
        if points:
            yield Text(words("scored.discarded", who=words.names(teams[each]), points=points))
