"""What one seat may know of a deal of Elfer Raus, and what the rest may then be (E9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from engine.bits import members
from engine.sampling import place

if TYPE_CHECKING:
    from engine.chance import Chance
    from engine.rows import Rows

NOBODY = -1


class Terms(Protocol):
    """The options that bear on a deal, resolved; option names and values are the rulebook's (E42)."""

    colours: int
    max_number: int
    draw_limit: int
    voluntary_pass: bool
    forced_start: bool
    opener_continues: bool
    skip_cards: int
    reverse_cards: int


@dataclass(frozen=True)
class Seen:
    """All that one seat may know of a deal, named field by field (E9); -1 is a spectator.

    `hand` is the set of its cards, `moves` its legal moves when it is to move, `sizes` how many cards each seat holds,
    `stock` how many lie face down, `totals` each seat's penalty before this deal. `turn` are the cards played and
    `drawn` counts the cards drawn this turn, `acted` are all action cards played, `turns` and `laid` count the turns
    ended and the cards played. `step` is 1 clockwise, -1 counterclockwise. `lacks` and `wants` are what the open play
    proves about each hand: cards that it cannot hold, but for one just drawn, and cards of which it holds at least one.
    """

    seat: int
    hand: int
    moves: list[int]
    sizes: list[int]
    stock: int
    dealer: int
    to_move: int
    participants: list[int]
    extra_deal: bool
    totals: tuple[int, ...]
    start_numbers: tuple[int, ...]
    opener: int
    opening_card: int
    rows: Rows
    step: int
    turn: list[int]
    drawn: int
    passes: int
    acted: list[int]
    turns: int
    laid: int
    winner: int
    lacks: list[int]
    wants: list[int]
    terms: Terms

    def playing(self, seat: int) -> bool:
        """Whether a seat takes part and still holds cards (E30, E38)."""
        return self.sizes[seat] > 0

    @property
    def numbers(self) -> int:
        """How many number cards there are; the action cards come after them (E2, E4)."""
        return self.terms.colours * self.terms.max_number

    @property
    def cards(self) -> int:
        """How many cards there are."""
        return self.numbers + self.terms.skip_cards + self.terms.reverse_cards

    def is_skip(self, card: int) -> bool:
        """Whether a card passes over a player: a skip, and with two players a reverse too (E27, E29)."""
        first_reverse = self.numbers + self.terms.skip_cards
        return card >= self.numbers and (card < first_reverse or len(self.participants) == 2)

    def playable(self) -> int:
        """The set of all cards that can be played now, by whoever holds them, played action cards too (E14)."""
        return self.rows.fits() | self.rows.starts() | (1 << self.cards) - (1 << self.numbers)

    def unseen(self) -> int:
        """The set of the cards that the seat cannot see: in other hands, or in the stock (E9)."""
        played = self.rows.seen() | sum(1 << card for card in self.acted)
        return ((1 << self.cards) - 1) & ~self.hand & ~played

    def just_drew(self) -> int:
        """The seat that has drawn and has not moved since, so that its last card is open to question; else -1."""
        return self.to_move if self.drawn and not self.turn else NOBODY

    def passed_over(self, after: Seen) -> list[int]:
        """The seats passed over when the turn ended, one for each skip, given what could be seen then (E27)."""
        seats = len(self.sizes)
        seat = self.to_move
        over = []
        for _skip in range(sum(self.is_skip(card) for card in self.turn)):
            seat = (seat + after.step) % seats
            while seat not in self.participants:
                seat = (seat + after.step) % seats
            over.append(seat)
        return over

    def facts(self) -> tuple[object, ...]:
        """Everything it holds, as values to compare."""
        return (
            (self.seat, self.hand, self.moves, self.sizes, self.stock, self.dealer, self.to_move),
            (self.participants, self.extra_deal, self.totals, self.start_numbers, self.opener, self.opening_card),
            (self.rows.record(), self.step, self.turn, self.drawn, self.passes, self.acted),
            (self.turns, self.laid, self.winner, self.lacks, self.wants),
        )

    def needs(self) -> list[int]:
        """For each seat but its own a set of cards of which it holds at least one; 0 where nothing is known (E12)."""
        needs = [0 if seat == self.seat else wanted & ~self.lacks[seat] for seat, wanted in enumerate(self.wants)]
        if not self.laid and self.opener not in (NOBODY, self.seat):
            needs[self.opener] = 1 << self.opening_card
        return needs

    def hidden(self, chance: Chance) -> tuple[list[int], list[int]]:
        """Every hand, and the stock from the top, as they may be: each such order of the pack equally likely.

        It agrees with everything played, drawn and passed so far; why a seat chose to play what it played is not
        weighed. (Which of its cards a seat was dealt and which it drew makes no difference: each of them can have come
        in as many ways.) When the deal is over, what the hands left were worth is not weighed either.
        """
        seats, drew, playable = len(self.sizes), self.just_drew(), 0
        # Beside the seats two more places: the card that a seat has just drawn, and the stock.
        sizes = [0 if seat == self.seat else size for seat, size in enumerate(self.sizes)] + [0, self.stock]
        if drew not in (NOBODY, self.seat):
            sizes[drew] -= 1
            sizes[seats] = 1
            if self.drawn == self.terms.draw_limit or not self.stock:
                # The turn has not ended by itself: the card can be played (E21).
                playable = self.playable()
        places = place(chance, self.unseen(), [*self.lacks, 0, 0], sizes, [*self.needs(), playable, 0])
        hands = [places[seat] if seat != self.seat else self.hand for seat in range(seats)]
        if sizes[seats]:
            hands[drew] |= places[seats]
        return hands, chance.shuffled(members(places[seats + 1]))
