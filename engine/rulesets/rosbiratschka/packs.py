"""The four packs of Rosbiratschka, one for each number of players, and the cards in them that count (B2, B5)."""

from dataclasses import dataclass, field

from engine.bits import bit
from engine.cards import GERMAN, Pack

RANKS = ("6", "7", "8", "9", "10", "U", "O", "K", "A")
HUNDRED_VALUES = {"A": 11, "K": 4, "O": 3, "U": 2, "10": 10}


@dataclass(frozen=True)
class Setting:
    """A pack, the packets in which it is dealt, and what follows from them: cards by their ints, sets as ints."""

    pack: Pack
    packets: tuple[int, ...]
    suits: tuple[range, ...] = field(init=False)
    """The cards of each suit, low to high."""
    lengths: tuple[int, ...] = field(init=False)
    """The number of cards in each suit."""
    hearts: int = field(init=False)
    high_hearts: int = field(init=False)
    """The king and the ace of hearts."""
    unters: tuple[int, ...] = field(init=False)
    """The Unter of each suit."""
    king_of_hearts: int = field(init=False)
    values: tuple[int, ...] = field(init=False)
    """What each card counts in Hundred (B24)."""

    @property
    def name(self) -> str:
        """What the catalogue calls the pack."""
        return f"german_{len(self.pack.cards)}"

    def __post_init__(self) -> None:
        number = self.pack.number
        names = [card.split("-")[1] for card in self.pack.cards]
        suits = tuple(range(names.index(suit), names.index(suit) + names.count(suit)) for suit in self.pack.suits)
        for name, value in {
            "suits": suits,
            "lengths": tuple(map(len, suits)),
            "hearts": sum(map(bit, suits[self.pack.suits.index("hearts")])),
            "high_hearts": bit(number["K-hearts"]) | bit(number["A-hearts"]),
            "unters": tuple(number[f"U-{suit}"] for suit in self.pack.suits),
            "king_of_hearts": number["K-hearts"],
            "values": tuple(HUNDRED_VALUES.get(card.split("-")[0], 0) for card in self.pack.cards),
        }.items():
            object.__setattr__(self, name, value)


SETTINGS = {
    3: Setting(Pack(GERMAN, RANKS[3:]), (2, 3, 3)),
    4: Setting(Pack(GERMAN, RANKS[1:]), (2, 3, 3)),
    5: Setting(Pack(GERMAN, RANKS, missing=("6-bells",)), (2, 2, 3)),
    6: Setting(Pack(GERMAN, RANKS), (3, 3)),
}
"""What is played with, by the number of players (B2, B5)."""
