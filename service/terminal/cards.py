"""Cards on a terminal: how each suit looks, a card as a small piece of cardboard, and cards as people type them."""

import re
from collections.abc import Iterable
from itertools import groupby

from rich.text import Text

from service.terminal.words import LANGUAGES, texts

PAPER = "#f4f1e6"
INK: dict[str, tuple[str, str]] = {
    "spades": ("♠", f"#202020 on {PAPER}"),
    "hearts": ("♥", f"#c00000 on {PAPER}"),
    "diamonds": ("♦", f"#c00000 on {PAPER}"),
    "clubs": ("♣", f"#202020 on {PAPER}"),
    "acorns": ("♣", f"#7a4a10 on {PAPER}"),
    "leaves": ("♠", f"#006b1b on {PAPER}"),
    "bells": ("●", f"#a06a00 on {PAPER}"),
    "coins": ("●", f"#a06a00 on {PAPER}"),
    "cups": ("∪", f"#c00000 on {PAPER}"),  # noqa: RUF001 - a cup, no letter
    "swords": ("†", f"#1040b0 on {PAPER}"),
    "batons": ("¦", f"#006b1b on {PAPER}"),
    "red": ("", "#ffffff on #c62828"),
    "yellow": ("", "#202020 on #f2c40f"),
    "green": ("", "#ffffff on #2e7d32"),
    "blue": ("", "#ffffff on #1f5fbf"),
    "skip": ("", "#ffffff on #6a3d9a"),
    "reverse": ("", "#ffffff on #6a3d9a"),
}
"""The sign of each suit and its colours. Elfer Raus has colours for suits: they are named, never signed."""

ACTIONS = ("skip", "reverse")
"""Cards without a suit, whose number tells them apart and means nothing."""

FAMILIES = (
    ("spades", "hearts", "diamonds", "clubs"),
    ("acorns", "leaves", "hearts", "bells"),
    ("coins", "cups", "swords", "batons"),
    ("red", "yellow", "green", "blue", *ACTIONS),
)


def parts(card: str) -> tuple[str, str]:
    """Rank and suit of a card."""
    rank, _, suit = card.partition("-")
    return rank, suit


def sign(suit: str) -> str:
    """The sign of a suit, empty where it has none."""
    return INK.get(suit, ("", ""))[0]


def ink(suit: str) -> str:
    """The colours in which cards of a suit are printed."""
    return INK.get(suit, ("", "reverse"))[1]


def suit_name(suit: str, language: str) -> str:
    """What people call a suit."""
    return texts(language).get(f"suit.{suit}", suit)


def suit_label(suit: str, language: str) -> Text:
    """A suit in front of its cards: sign and name."""
    mark = f" {sign(suit)} " if sign(suit) else "   "
    return Text.assemble((mark, ink(suit)), f" {suit_name(suit, language)}")


def small(card: str, language: str) -> Text:
    """One card in a sentence or a column: `K♥`, `11 red`, `skip`."""
    rank, suit = parts(card)
    name = suit_name(suit, language)
    shown = name if suit in ACTIONS else f"{rank}{sign(suit)}" if sign(suit) else f"{rank} {name}"
    # A span, not the style of the whole text: that one would also colour what a column adds to its right.
    return Text.assemble((f" {shown} ", f"bold {ink(suit)}"))


def row_of(cards: Iterable[str], language: str) -> Text:
    """Several cards in the order of play; those of one colour after the other name it once."""
    shown = []
    for suit, group in groupby(cards, key=lambda card: parts(card)[1]):
        named = list(group)
        if sign(suit) or suit in ACTIONS:
            shown += [small(card, language) for card in named]
        else:
            before = "".join(f" {parts(card)[0]}" for card in named[:-1])
            shown.append(Text.assemble((before, f"bold {ink(suit)}"), small(named[-1], language)))
    return Text(" ").join(shown)


def typed_card(text: str, hand: list[str]) -> str | None:
    """The id of a card that somebody has typed: `K-hearts`, `kh`, `K ♥`, `rojo 11`; None if it is none.

    Suits may be shortened as long as one suit of the hand's pack remains.
    """
    suits = _family(hand)
    for pattern, rank_first in ((r"([0-9]+|[a-z])[\s-]*(\D+)", True), (r"(\D+?)[\s-]*([0-9]+|[a-z])", False)):
        found = re.fullmatch(pattern, text.strip().lower())
        if found:
            rank, suit = found.groups() if rank_first else reversed(found.groups())
            meant = {each for each in suits if is_called(each, suit.strip())}
            if len(meant) == 1:
                return f"{rank.upper()}-{meant.pop()}"
    return None


def _family(hand: list[str]) -> tuple[str, ...]:
    held = {parts(card)[1] for card in hand}
    return next((family for family in FAMILIES if held <= set(family)), FAMILIES[0])


def is_called(suit: str, typed: str) -> bool:
    """Whether somebody means this suit: by its sign, or by the beginning of its name in any language."""
    names = [suit, *(suit_name(suit, language) for language in LANGUAGES)]
    return bool(typed) and (typed == sign(suit) or any(name.lower().startswith(typed) for name in names))
