"""The whole table on one screen: the match, the seats, what lies on the table, the reader's hand and its choices."""

from collections.abc import Iterator
from itertools import groupby

from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.text import Text

from service.terminal import Json, cards, layouts
from service.terminal.choices import Choice
from service.terminal.seats import money, seats
from service.terminal.story import Story
from service.terminal.words import Words

WIDEST = 76
NEWS = 4
CELL = 4


def width(console: Console) -> int:
    """How wide the table is drawn: lines that are too long are hard to follow."""
    return min(console.width, WIDEST)


def screen(
    view: Json,
    page: Json,
    words: Words,
    story: Story,
    *,
    offered: list[Choice],
    columns: int,
    gap: tuple[str, ...] = ("",),
) -> RenderableType:
    """The table as one seat sees it now; `gap` is what separates its parts, nothing where a screen is low."""
    blocks: list[RenderableType] = [title(view, page, words), *_facts(view, words), *gap]
    blocks.append(seats(view, page, words, story, columns))
    kind = view["deal"]["table"]["kind"]
    if kind == "rows":
        blocks += [*gap, layouts.rows(view, page, words, columns)]
    elif kind == "pile":
        blocks += [*gap, layouts.pile(view, words)]
    if story.news:
        blocks += [*gap, *(Text.assemble(("· ", "dim"), line) for line in story.news[-NEWS:])]
    blocks += [*gap, *hand(view, words, offered, columns)]
    others = _other_moves(words, offered)
    return Group(*blocks, *gap, others) if others else Group(*blocks)


def title(view: Json, page: Json, words: Words) -> RenderableType:
    """The name of the game, which deal it is, and what ends the match."""
    told = [words("deal", number=view["deal"]["number"])]
    match, options = view["match"], view["options"]
    if "target" in match:
        told.append(words("no_target") if match["target"] is None else words("target", target=match["target"]))
    if match.get("rounds"):
        told.append(words("rounds", rounds=match["rounds"]))
    if match.get("penalty_limit"):
        told.append(words("penalty_limit", limit=match["penalty_limit"]))
    if view["ruleset"] == "rosbiratschka":
        deals = options["rounds"] * len(options["contracts"])
        told[0] = words("deal.of", number=view["deal"]["number"], deals=deals)
    if view["deal"].get("extra_deal"):
        told.append(words("extra_deal"))
    return Rule(Text.assemble((page["title"], "bold"), f" · {' · '.join(told)}"), align="left", style="dim")


def _facts(view: Json, words: Words) -> Iterator[Text]:
    """What else everyone knows of the deal, by what the view has of it."""
    deal = view["deal"]
    if "auction" in deal:
        yield _auction(deal, words)
    if "contract" in deal:
        key = f"contract.{deal['contract']}"
        yield Text.assemble(words("contract.number"), (words(key), "bold"), " (", words(f"{key}.costs"), ")")
        if view["match"]["contracts_left"]:
            left = ", ".join(words(f"contract.{each}") for each in view["match"]["contracts_left"])
            yield Text(words("contracts_left") + left, "dim")
    if "stock" in deal:
        yield Text(" · ".join([words("stock", stock=deal["stock"]), words(f"direction.{deal['direction']}")]))
    if view["match"].get("pot") is not None:
        yield Text(words("pot", pot=money(view["match"]["pot"])))


def _auction(deal: Json, words: Words) -> Text:
    unit = "points" if deal["points_taken"] is not None else "tricks"
    if deal["phase"] == "auction":
        bids = [call for call in deal["auction"] if call["bid"] is not None]
        if not bids:
            return Text(words("auction.none"))
        return Text(words.about(f"auction.{unit}", bids[-1]["seat"], bid=bids[-1]["bid"]))
    if deal["trump"] is None:
        return Text(words.about("trump", deal["declarer"]))
    side = words.names(sorted({deal["declarer"], (deal["declarer"] + 2) % 4}, key=lambda seat: seat != words.me))
    return Text.assemble(
        words(f"contract.{unit}", who=side, bid=deal["bid"]), cards.suit_label(deal["trump"], words.language)
    )


# ---------------------------------------------------------------------------------------------------- the hand


def hand(view: Json, words: Words, offered: list[Choice], columns: int) -> Iterator[RenderableType]:
    """The reader's cards, with the number that chooses it below each one that can be played."""
    held = view["you"]["hand"]
    numbers = {choice.move["card"]: choice.key for choice in offered if choice.move["type"] == "play"}
    if not held:
        yield Text(words("hand.empty"), "dim")
    else:
        yield Text(words("hand.choose" if numbers else "hand"), "dim")
    for suit, group in groupby(held, key=lambda card: cards.parts(card)[1]):
        of_suit = list(group)
        per_line = max((columns - layouts.LABEL) // CELL, 1)
        for start in range(0, len(of_suit), per_line):
            label = cards.suit_label(suit, words.language) if start == 0 else Text()
            label.pad_right(layouts.LABEL - label.cell_len)
            yield from _line(label, of_suit[start : start + per_line], numbers, bool(offered))


def _line(label: Text, held: list[str], numbers: dict[str, int], choosing: bool) -> Iterator[Text]:
    upper, lower = label, Text(" " * layouts.LABEL)
    for card in held:
        rank, suit = cards.parts(card)
        dull = choosing and card not in numbers
        upper.append(f"{rank:>2} ", "dim" if dull else f"bold {cards.ink(suit)}").append(" ")
        lower.append(f"{numbers[card]:>2}) " if card in numbers else " " * CELL, "bold cyan")
    yield upper
    if any(card in numbers for card in held):
        lower.rstrip()
        yield lower


def _other_moves(words: Words, offered: list[Choice]) -> Text:
    """The moves without a card."""
    shown = Text("   ").join(
        Text.assemble((f"{choice.key}) ", "bold cyan"), _move(choice.move, words))
        for choice in offered
        if choice.move["type"] not in ("play", "bid")
    )
    bids = [str(choice.key) for choice in offered if choice.move["type"] == "bid"]
    if bids:
        shown.append(f"   {words('move.bid')}" if shown else words("move.bid").capitalize())
        shown.append(" ".join(bids), "bold cyan")
    return shown


def _move(move: Json, words: Words) -> Text:
    if move["type"] == "trump":
        return cards.suit_label(move["suit"], words.language)
    return Text(words(f"move.{move['type']}"))
