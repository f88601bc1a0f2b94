"""What lies on the table in games that build rows, and the pile of Hundred."""

from rich.console import Group, RenderableType
from rich.text import Text

from service.terminal import Json, cards
from service.terminal.words import Words

CELL = 3
LABEL = 14
ON_TOP = 6
START_RANKS = {
    "nordic_60": "8",
    "nordic_56": "8",
    "german_36": "10",
    "spanish_48": "6",
    "spanish_40": "5",
    "french_52": "7",
}
"""Reihe: the rank that opens a row, by the option `deck`."""
PACK_SIZES = {3: 24, 4: 32, 5: 35, 6: 36}
"""Rosbiratschka: how many cards are played with, by the number of seats."""


def ranks_of(view: Json, page: Json) -> list[str]:
    """The ranks of this game's suits from low to high, with the ruleset's page of the catalogue."""
    if view["ruleset"] == "elfer_raus":
        return [str(number) for number in range(1, view["options"]["max_number"] + 1)]
    name = view["options"].get("deck") or f"german_{PACK_SIZES[len(view['seats'])]}"
    ranks: list[str] = page["packs"][name]["ranks"]
    return ranks


def rows(view: Json, page: Json, words: Words, width: int) -> RenderableType:
    """The rows, each with a place for every rank; without room for that, each by its two ends."""
    ranks = ranks_of(view, page)
    fits = LABEL + CELL * len(ranks) <= width
    lines = []
    for suit, row in view["deal"]["table"]["rows"].items():
        label = cards.suit_label(suit, words.language)
        label.pad_right(max(LABEL - label.cell_len, 1))
        if row is None:
            shown = Text(" " + _opening(view, suit, words), "dim italic")
        else:
            shown = (_strip if fits else _bar)(suit, ranks, str(row["low"]), str(row["high"]))
        lines.append(Text.assemble(label, shown, no_wrap=True))
    return Group(*lines)


def _opening(view: Json, suit: str, words: Words) -> str:
    ranks = {"rosbiratschka": "U", "reihe": START_RANKS.get(view["options"].get("deck"))}
    rank = view["deal"].get("start_numbers", {}).get(suit) or ranks.get(view["ruleset"])
    return words("row.closed", rank=rank) if rank else words("row.closed.unknown")


def _strip(suit: str, ranks: list[str], low: str, high: str) -> Text:
    first, last = ranks.index(low), ranks.index(high)
    shown = Text()
    for place, rank in enumerate(ranks):
        if first <= place <= last:
            shown.append(f"{rank:>2} ", f"bold {cards.ink(suit)}")
        else:
            shown.append(" · ", "dim")
    return shown


def _bar(suit: str, ranks: list[str], low: str, high: str) -> Text:
    first, last = ranks.index(low), ranks.index(high)
    ends = f"{low:>2} " if first == last else f"{low:>2} … {high:>2} "
    return Text.assemble("·" * first, (ends, f"bold {cards.ink(suit)}"), "·" * (len(ranks) - 1 - last))


def pile(view: Json, words: Words) -> RenderableType:
    """The pile of Hundred: its sum, who went beyond which limit, and the cards on top."""
    deal = view["deal"]
    passed = [
        words.about("pile.passed", each["seat"], limit=each["limit"], points=each["points"])
        for each in deal["thresholds"]
    ]
    total = Text(words("pile.sum", sum=deal["table"]["sum"]), "bold")
    if passed:
        total.append(f" ({'; '.join(passed)})", "not bold")
    top = Text(words("pile.last"))
    played = [each["card"] for each in deal["table"]["cards"]]
    top.append_text(cards.row_of(reversed(played[-ON_TOP:]), words.language))
    top.append(" …" if len(played) > ON_TOP else "")
    values = Text(words("pile.values"), "dim")
    return Group(total, top, values) if played else Group(total, values)
