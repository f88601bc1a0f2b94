"""Packs, suits and ranks: a card is an int in its pack and `{rank}-{suit}` outside.

A pack's cards are numbered suit by suit in the rulebook's order, each suit from its lowest rank to its highest, so
ascending ints are sorted hands.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

GERMAN = ("acorns", "leaves", "hearts", "bells")
FRENCH = ("spades", "hearts", "diamonds", "clubs")
SPANISH = ("coins", "cups", "swords", "batons")
COLOURS = ("red", "yellow", "green", "blue")


@dataclass(frozen=True)
class Pack:
    """Which cards there are: every rank in every suit but the `missing` cards, and then the `extra` ones.

    `ranks` run from low to high, which is how neighbours lie, whatever their numbers are.
    """

    suits: tuple[str, ...]
    ranks: tuple[str, ...]
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    cards: tuple[str, ...] = field(init=False, compare=False)
    """The id of each card, by its int."""
    number: dict[str, int] = field(init=False, compare=False)
    """The int of each card, by its id."""

    def __post_init__(self) -> None:
        whole = [f"{rank}-{suit}" for suit in self.suits for rank in self.ranks]
        cards = (*(card for card in whole if card not in self.missing), *self.extra)
        object.__setattr__(self, "cards", cards)
        object.__setattr__(self, "number", {card: number for number, card in enumerate(cards)})


FRENCH_ACE_HIGH = Pack(FRENCH, ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"))

# Every suit and rank that any ruleset of the rulebook uses: what fits is a card of some game, what does not is
# a mistake in the request. A test holds that each pack above fits.
FAMILIES: tuple[tuple[Sequence[str], Sequence[str]], ...] = (
    (GERMAN, (*map(str, range(1, 11)), "U", "O", "K", "J", "E", "A")),
    (FRENCH, ("A", *map(str, range(2, 11)), "J", "Q", "K")),
    (SPANISH, tuple(map(str, range(1, 13)))),
    (COLOURS, tuple(map(str, range(1, 21)))),
    (("skip", "reverse"), tuple(map(str, range(1, 9)))),
)


def _pattern() -> str:
    parts = "|".join(f"(?:{'|'.join(ranks)})-(?:{'|'.join(suits)})" for suits, ranks in FAMILIES)
    # `$` alone would let a trailing newline pass in Python; the look-ahead means the same in every dialect.
    return f"^(?:{parts})$(?!\\n)"


CARD_PATTERN = _pattern()
"""A regular expression that exactly the card ids of all rulesets match, in Python and in ECMAScript."""

SUITS = (*GERMAN, "spades", "diamonds", "clubs", *SPANISH, *COLOURS)
"""Every suit of every ruleset, once."""

is_card = re.compile(CARD_PATTERN).match
