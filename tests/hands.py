"""All hands that there can be, tried one by one: what the open play allows, said by the rules of play alone."""

from itertools import combinations

from engine.bits import bit, members
from engine.deal import play_checked
from engine.errors import EngineError
from engine.match import Match, dealt
from tests.positions import order_that_deals


class Order:
    """The chance of a match in which every deal comes from one order of the pack."""

    def __init__(self, order: list[int]) -> None:
        self.cards = order

    def order(self, _number: int, _attempt: int, _size: int) -> list[int]:
        """The order of the pack."""
        return self.cards

    def below(self, _purpose: str, _n: int) -> int:
        """The lowest number there is."""
        return 0


def spreads(unseen: int, sizes: list[int]) -> list[list[int]]:
    """Every way to give hidden cards to the seats."""
    if not sizes:
        return [[]]
    hands = [sum(map(bit, cards)) for cards in combinations(members(unseen), sizes[0])]
    return [[hand, *rest] for hand in hands for rest in spreads(unseen & ~hand, sizes[1:])]


def possible(match: Match, source: Order, hands: list[int], moves: list[tuple[int, int]]) -> bool:
    """Whether the moves of a deal, a seat's each, were legal where the seats hold these hands at its end."""
    whole = list(hands)
    for seat, move in moves:
        if move < match.deal.size:
            whole[seat] |= bit(move)
    source.cards = order_that_deals(match, whole)
    deal = dealt(match)
    try:
        for seat, move in moves:
            play_checked(deal, seat, move)
    except EngineError:
        return False
    return True
