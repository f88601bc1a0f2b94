"""Who sits at the table: a line for each seat with its cards, what it did and what it has."""

from collections.abc import Callable

from rich.table import Table
from rich.text import Text

from service.terminal import Json, cards
from service.terminal.story import Story
from service.terminal.words import Words

ROOMY = 70
"""From how many columns on there is room between those of the table."""

Cell = Callable[[int], Text | str]


def seats(view: Json, page: Json, words: Words, story: Story, columns: int) -> Table:
    """All seats in the order of play, beginning with the reader's."""
    shown = _columns(view, words, story)
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2 if columns >= ROOMY else 1, 0, 0))
    table.add_column("", width=1)
    wrapping = [words(f"column.{name}") for name in ("seat", "auction", "last_turn")]
    numeric = [words(f"column.{name}") for name in ("cards", "tricks", "points", "balance", "total")]
    for name in shown:
        table.add_column(name, justify="right" if name in numeric else "left", no_wrap=name not in wrapping)
    for seat in in_order(view, page, words.me):
        turn = view["to_move"] == seat and view["status"] == "playing"
        cells = [cell(seat) for cell in shown.values()]
        table.add_row(Text("▶", "bold yellow") if turn else "", *cells, style="bold" if turn else "")
    return table


def in_order(view: Json, page: Json, me: int) -> list[int]:
    """The seats as they are listed: the reader's first, then as the turn goes round when nobody turns it."""
    count = len(view["seats"])
    step = 1 if page["turn"] == "clockwise" else -1
    return [(me + step * place) % count for place in range(count)]


def _columns(view: Json, words: Words, story: Story) -> dict[str, Cell]:
    deal = view["deal"]
    kind = deal["table"]["kind"]
    columns: dict[str, Cell] = {
        words("column.seat"): lambda seat: _name(view, words, seat),
        words("column.cards"): lambda seat: _cards(view, words, seat),
    }
    if deal["phase"] == "auction":
        columns[words("column.auction")] = lambda seat: _calls(deal, words, seat)
    elif kind == "tricks":
        columns |= _trick_columns(deal, view, words)
    else:
        columns[words("column.last_turn")] = lambda seat: _last_turn(story, words, seat)
        if deal.get("thresholds") is not None:
            columns[words("column.points")] = lambda seat: str(_pile_points(deal, seat))
    if view["match"].get("balances") is not None:
        columns[words("column.balance")] = lambda seat: money(view["match"]["balances"][seat])
    columns[words("column.total")] = lambda seat: str(view["seats"][seat]["score"])
    return columns


def _trick_columns(deal: Json, view: Json, words: Words) -> dict[str, Cell]:
    table = deal["table"]
    trick = {each["seat"]: each["card"] for each in table["cards"]}
    last = table["last_trick"]
    before = {each["seat"]: each["card"] for each in last["cards"]} if last else {}
    columns: dict[str, Cell] = {
        words("column.trick"): lambda seat: cards.small(trick[seat], words.language) if seat in trick else "",
        words("column.last_trick"): lambda seat: _in_last(before.get(seat), last and last["taker"] == seat, words),
    }
    if deal.get("taken"):
        columns[words("column.tricks")] = lambda seat: str(deal["taken"][seat]["tricks"])
        columns[words("column.points")] = lambda seat: str(deal["taken"][seat]["points"])
    elif deal.get("tricks_taken"):
        took = deal["points_taken"] or deal["tricks_taken"]
        name = "column.points" if deal["points_taken"] else "column.tricks"
        columns[words(name)] = lambda seat: str(took[view["seats"][seat]["team"]])
    return columns


def _in_last(card: str | None, took_it: bool, words: Words) -> Text:
    if card is None:
        return Text()
    shown = cards.small(card, words.language)
    return Text.assemble(shown, ("✓", "green")) if took_it else shown


def _name(view: Json, words: Words, seat: int) -> Text:
    deal, seats_ = view["deal"], view["seats"]
    notes = []
    team = seats_[seat]["team"]
    if team is not None and seat != words.me and team == seats_[words.me]["team"]:
        notes.append(words("partner"))
    if deal["dealer"] == seat:
        notes.append(words("dealer"))
    if deal.get("declarer") == seat:
        notes.append(words("declarer"))
    if seats_[seat]["controller"] == "stand_in":
        notes.append(words("stand_in"))
    shown = Text(words.name(seat), "bold" if seat == words.me else "")
    return Text.assemble(shown, ("".join(f" · {note}" for note in notes), "dim not bold"))


def _cards(view: Json, words: Words, seat: int) -> Text | str:
    places = view["deal"].get("places") or []
    if seat in places:
        return Text(place_name(words, places.index(seat) + 1), "dim")
    if not view["seats"][seat]["playing"] and not view["seats"][seat]["cards"]:
        return Text(words("sitting_out"), "dim")
    return str(view["seats"][seat]["cards"])


def place_name(words: Words, place: int) -> str:
    """A place in the order of going out."""
    return words(f"place.{place}" if place <= 3 else "place.n", place=place)


def _calls(deal: Json, words: Words, seat: int) -> str:
    calls = [call["bid"] for call in deal["auction"] if call["seat"] == seat]
    return ", ".join(words("did.pass") if bid is None else str(bid) for bid in calls)


def _last_turn(story: Story, words: Words, seat: int) -> Text | str:
    turn = story.turns.get(seat)
    return turn.told(words) if turn else ""


def _pile_points(deal: Json, seat: int) -> int:
    return sum(each["points"] for each in deal["thresholds"] if each["seat"] == seat)


def money(cents: int) -> str:
    """An amount of cents as people write it."""
    return f"{cents / 100:.2f}"
