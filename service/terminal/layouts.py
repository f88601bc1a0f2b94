"""What lies on the table in games that build rows, and the pile of Hundred."""

from rich.console import Group, RenderableType
from rich.text import Text

from service.terminal import Json, cards
from service.terminal.words import Words

CELL = 3
LABEL = 14
ON_TOP = 6


def pack_of(view: Json, page: Json) -> Json:
    """The pack of this game, on the ruleset's page of the catalogue."""
    chosen = {**view["options"], "seats": len(view["seats"])}
    found: Json = next(
        pack for pack in page["packs"] if all(chosen[name] == value for name, value in pack["when"].items())
    )
    return found


def rows(view: Json, page: Json, words: Words, width: int) -> RenderableType:
    """The rows, each with a place for every rank; without room for that, each by its two ends."""
    pack = pack_of(view, page)
    ranks = pack["ranks"]
    fits = LABEL + CELL * len(ranks) <= width
    lines = []
    for suit, row in view["deal"]["table"]["rows"].items():
        label = cards.suit_label(suit, words.language)
        label.pad_right(max(LABEL - label.cell_len, 1))
        if row is None:
            shown = Text(" " + _opening(view, pack, suit, words), "dim italic")
        else:
            shown = (_strip if fits else _bar)(suit, ranks, str(row["low"]), str(row["high"]))
        lines.append(Text.assemble(label, shown, no_wrap=True))
    return Group(*lines)


def _opening(view: Json, pack: Json, suit: str, words: Words) -> str:
    """Which card opens a row: Elfer Raus draws it, elsewhere the pack says it."""
    starts = [cards.parts(card) for card in pack["start_cards"] or []]
    ranks = {of: rank for rank, of in starts} | view["deal"].get("start_numbers", {})
    return words("row.closed", rank=ranks[suit])


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
