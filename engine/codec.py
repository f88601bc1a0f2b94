"""A game's moves and cards as JSON and back: one table, read in both directions."""

from collections.abc import Mapping

from engine.bits import members
from engine.cards import Pack
from engine.deal import NOT_IN_GAME
from engine.wire import Bid, Move


class Codec:
    """The moves of a game played with one pack. `moves` says what each int means."""

    def __init__(self, pack: Pack, moves: Mapping[int, Move]) -> None:
        self.pack = pack
        self.moves = moves
        self._number = {as_json: move for move, as_json in moves.items()}
        amounts = [as_json.amount for as_json in moves.values() if isinstance(as_json, Bid)]
        self._bids = (min(amounts), max(amounts)) if amounts else (0, 0)

    def encode(self, move: int) -> Move:
        """A move as JSON."""
        return self.moves[move]

    def decode(self, move: Move) -> int:
        """A move from JSON: NOT_IN_GAME where the game has no such thing. Bids out of range are as good as its ends."""
        if isinstance(move, Bid):
            low, high = self._bids
            move = Bid(min(max(move.amount, low), high))
        return self._number.get(move, NOT_IN_GAME)

    def cards(self, hand: int) -> list[str]:
        """The card ids of a set, sorted."""
        return [self.pack.cards[card] for card in members(hand)]
