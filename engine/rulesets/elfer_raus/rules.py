"""Elfer Raus: the deal, rule by rule; the match is in match_rules.py. Numbers (E9) are those of rules.en.md.

Moves: 0 to 95 play that card, 96 draws, 97 ends the turn, 98 passes. Cards are numbered colour by colour, low to high,
then the skips, then the reverses (E2, E4). Sets of cards are two words, `_lo` for cards 0 to 63 and `_hi` for the rest;
observations hold each set as one int.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import cython

from engine.bits import joined, span
from engine.deal import Deal
from engine.rows import Rows
from engine.rulesets.elfer_raus.observation import Seen, Terms
from engine.rulesets.elfer_raus.proofs import Proofs
from engine.rulesets.elfer_raus.turns import Turns

if not cython.compiled:
    from engine.bits import bit, count, lowest

if TYPE_CHECKING:
    from engine.chance import Chance

MOST_SEATS = 8
MOST_CARDS = 96
DRAW = 96
END_TURN = 97
PASS = 98
NOBODY = -1
ACTION_POINTS = 20
WORD = 0xFFFFFFFFFFFFFFFF

MOVES: dict[int, str] = {DRAW: "draw", END_TURN: "end_turn", PASS: "pass"}
"""The moves that are no card, and their kinds (E10)."""


DRAWS = 0
TURNS = 1
PASSES = 2
STOCK_EMPTY = 3
OPENER_WON = 4
CARDS_LEFT = 5
ACTIONS = 6

COUNTS: dict[int, tuple[str, str | None, str]] = {
    DRAWS: ("draws", None, "deals"),
    TURNS: ("turns", None, "deals"),
    PASSES: ("passes", None, "deals"),
    STOCK_EMPTY: ("stock_empty", None, "deals"),
    OPENER_WON: ("opener_won", None, "deals"),
    CARDS_LEFT: ("cards_left", None, "deals"),
    ACTIONS: ("action_cards", None, "deals"),
}
"""What is counted of deals, by place: cards drawn, turns, passes, deals in which the stock ran out or the opener won,
cards left in all hands, and action cards played; each with its key and with what it is a share of."""


def hand_size(number_cards: int, players: int) -> int:
    """How many cards each player is dealt (E7)."""
    return 3 * number_cards // (4 * max(players, 3))


class ElferRausDeal(Deal):
    """One deal of Elfer Raus: rows built up and down from the start cards, a stock to draw from.

    Its parts are the `rows` on the table, the `turns`, and the `proofs` of what hands hold that the open play gives.
    `laid` counts the cards played; `opener` plays the `opening_card` first, `winner` has emptied the hand.
    """

    def __init__(
        self, terms: Terms, seats: int, participants: Sequence[int], start_numbers: Sequence[int], extra_deal: bool
    ) -> None:
        numbers = terms.colours * terms.max_number
        Deal.__init__(self, numbers + terms.skip_cards + terms.reverse_cards, seats)
        if not cython.compiled:
            self.hands_lo = [0] * MOST_SEATS
            self.hands_hi = [0] * MOST_SEATS
            self.points = [0] * MOST_CARDS
        self.terms = terms
        self.numbers = numbers
        self.draw_limit = terms.draw_limit
        self.voluntary_pass = terms.voluntary_pass
        self.forced_start = terms.forced_start
        self.opener_continues = terms.opener_continues
        self.totals: tuple[int, ...] = ()
        self.start_numbers = tuple(start_numbers)
        self.extra_deal = extra_deal
        self.hand_size = hand_size(numbers, len(participants))
        for card in range(self.size):
            self.points[card] = card % terms.max_number + 1 if card < numbers else ACTION_POINTS
        actions = span(numbers, self.size - 1)
        self.actions_lo = actions & WORD
        self.actions_hi = actions >> 64
        starts = [colour * terms.max_number + start - 1 for colour, start in enumerate(start_numbers)]
        self.rows = Rows([terms.max_number] * terms.colours, starts)
        self.turns = Turns(seats, participants, numbers, terms.skip_cards)
        self.proofs = Proofs(seats, terms.forced_start)
        self.clear()

    def clear(self) -> None:
        """Forget the play and all hands."""
        for seat in range(self.seats):
            self.hands_lo[seat] = 0
            self.hands_hi[seat] = 0
        self.rows.clear()
        self.turns.clear()
        self.proofs.clear()
        self.stock = 0
        self.opener = NOBODY
        self.opening_card = NOBODY
        self.winner = NOBODY
        self.laid = 0
        self.to_move = NOBODY

    def begin(self) -> None:
        """Deal one card at a time from the first player after the dealer on; the rest is the stock (E7, E28, E38)."""
        self.clear()
        self.stock = self.size - self.hand_size * self.turns.players
        seat = self.dealer
        for index in range(self.size - self.stock):
            seat = self.turns.after(seat)
            self.take(seat, self.order[index])
        self.find_opener()

    def find_opener(self) -> None:
        """Who holds the first colour's start card begins; earlier colours' lie in the stock (E8, E11)."""
        for colour in range(self.rows.suits):
            card = self.rows.start[colour]
            for seat in range(self.seats):
                if self.holds(seat, card):
                    self.opener = seat
                    self.opening_card = card
                    self.to_move = seat
                    return
            self.proofs.nobody_holds(card)

    def holds(self, seat: int, card: int) -> bool:
        """Whether a card is in a seat's hand."""
        if card < 64:
            return (self.hands_lo[seat] & bit(card)) != 0
        return (self.hands_hi[seat] & bit(card - 64)) != 0

    def take(self, seat: int, card: int) -> None:
        """Put a card into a hand."""
        if card < 64:
            self.hands_lo[seat] |= bit(card)
        else:
            self.hands_hi[seat] |= bit(card - 64)

    def open_lo(self) -> int:
        """The first word of what can be played now, by whoever holds it (E14)."""
        return self.rows.fits_lo | self.rows.starts_lo | self.actions_lo

    def open_hi(self) -> int:
        """The second word of what can be played now (E14)."""
        return self.rows.fits_hi | self.rows.starts_hi | self.actions_hi

    def able(self) -> bool:
        """Whether the seat to move holds a card that can be played (E14, E19)."""
        seat = self.to_move
        return (self.hands_lo[seat] & self.open_lo() | self.hands_hi[seat] & self.open_hi()) != 0

    def start_binds(self) -> bool:
        """Whether the seat to move holds a start card that must leave the hand (E17)."""
        seat = self.to_move
        held = self.hands_lo[seat] & self.rows.starts_lo | self.hands_hi[seat] & self.rows.starts_hi
        return self.forced_start and held != 0

    def number_binds(self) -> bool:
        """Whether the seat to move has played action cards only, and can play a number card (E18)."""
        seat = self.to_move
        if self.turns.numbers_played:
            return False
        lo = self.rows.fits_lo | self.rows.starts_lo
        hi = self.rows.fits_hi | self.rows.starts_hi
        return (self.hands_lo[seat] & lo | self.hands_hi[seat] & hi) != 0

    def may_pass(self) -> bool:
        """Whether the seat to move, which is able and has done nothing this turn, may pass (E23, E24)."""
        return self.voluntary_pass and self.turns.drawn == 0 and not self.passed_round() and not self.start_binds()

    def passed_round(self) -> bool:
        """Whether as many turns in a row as there are players have ended in a pass (E25)."""
        return self.turns.passes >= self.turns.players

    def list_moves(self) -> None:
        """Every legal move: playable cards, or a draw or pass when stuck; ending the turn, passing while able."""
        seat = self.to_move
        self.moves_lo = 0
        self.moves_hi = 0
        if self.laid == 0:
            # The opening card and nothing else (E12).
            if self.opening_card < 64:
                self.moves_lo = bit(self.opening_card)
            else:
                self.moves_hi = bit(self.opening_card - 64)
            return
        self.moves_lo = self.hands_lo[seat] & self.open_lo()
        self.moves_hi = self.hands_hi[seat] & self.open_hi()
        if self.turns.played > 0:
            if not self.start_binds() and not self.number_binds():
                self.moves_hi |= bit(END_TURN - 64)
        elif self.moves_lo == 0 and self.moves_hi == 0:
            # Stuck (E19, E22).
            self.moves_hi |= bit(DRAW - 64) if self.stock > 0 else bit(PASS - 64)
        elif self.may_pass():
            self.moves_hi |= bit(PASS - 64)

    def make(self, move: int) -> None:
        """Make a move that is known to be legal."""
        if move < DRAW:
            self.lay(move)
        elif move == DRAW:
            self.draw()
        elif move == END_TURN:
            self.proofs.ended(self.to_move, self.rows, self.turns.numbers_played)
            self.end_turn()
        else:
            self.pass_turn()

    def lay(self, card: int) -> None:
        """Play a card; the last of a hand ends the deal, the first of the deal perhaps the turn (E13, E15, E30)."""
        seat = self.to_move
        self.laid += 1
        if card < 64:
            self.hands_lo[seat] &= ~bit(card)
        else:
            self.hands_hi[seat] &= ~bit(card - 64)
        self.turns.play(card)
        if self.voluntary_pass:
            # Nothing but a pass by choice shows what a hand holds.
            self.proofs.played(seat, card)
        if card < self.numbers:
            self.rows.add(card)
        if self.hands_lo[seat] == 0 and self.hands_hi[seat] == 0:
            self.winner = seat
            self.to_move = NOBODY
        elif self.laid == 1 and not self.opener_continues:
            self.end_turn()

    def draw(self) -> None:
        """Draw from the stock when stuck; the turn may end by itself (E19 to E21)."""
        seat = self.to_move
        self.proofs.stuck(seat, self.open_lo(), self.open_hi())
        self.take(seat, self.order[self.size - self.stock])
        self.stock -= 1
        self.turns.draw()
        if not self.able() and (self.turns.drawn == self.draw_limit or self.stock == 0):
            self.end_turn()

    def pass_turn(self) -> None:
        """Pass: for want of a card, or although able (E22 to E25)."""
        if not self.voluntary_pass or self.passed_round():
            self.proofs.stuck(self.to_move, self.open_lo(), self.open_hi())
        else:
            self.proofs.passed(self.to_move, self.rows, self.open_lo(), self.open_hi(), self.stock)
        self.turns.skip()
        self.end_turn()

    def end_turn(self) -> None:
        """The turn passes on (E26 to E29)."""
        self.to_move = self.turns.end(self.to_move)

    def settle(self) -> None:
        """Everyone but the winner scores what is left in hand; who sits out nothing (E32, E38)."""
        for seat in range(self.seats):
            self.worth[seat] = 0
            lo = self.hands_lo[seat]
            hi = self.hands_hi[seat]
            while lo:
                self.worth[seat] += self.points[lowest(lo)]
                lo &= lo - 1
            while hi:
                self.worth[seat] += self.points[64 + lowest(hi)]
                hi &= hi - 1

    def count_up(self, counts: list[int]) -> None:
        """Count draws, turns, passes, what is left, and whether the opener won; see COUNTS."""
        counts[DRAWS] += self.size - self.hand_size * self.turns.players - self.stock
        counts[TURNS] += self.turns.ended + 1
        counts[PASSES] += self.turns.passed
        counts[ACTIONS] += self.turns.actions
        if self.stock == 0:
            counts[STOCK_EMPTY] += 1
        if self.winner == self.opener:
            counts[OPENER_WON] += 1
        for seat in range(self.seats):
            counts[CARDS_LEFT] += count(self.hands_lo[seat]) + count(self.hands_hi[seat])

    def why_not(self, move: int) -> str:
        """The first reason against a move that is not legal now, in the rulebook's order (E31)."""
        if move < self.size:
            return self.why_not_play(move)
        if move == DRAW:
            return "cannot_draw"
        if move == END_TURN:
            return self.why_not_end()
        return self.why_not_pass() if move == PASS else "not_in_this_game"

    def why_not_play(self, card: int) -> str:
        """Why a card cannot be played (E12, E14)."""
        if not self.holds(self.to_move, card):
            return "card_not_in_hand"
        return "not_playable" if self.laid else "must_open_with"

    def why_not_end(self) -> str:
        """Why the turn cannot end (E16 to E18)."""
        if self.turns.played == 0:
            return "nothing_played"
        return "must_play_start" if self.start_binds() else "must_play_number"

    def why_not_pass(self) -> str:
        """Why a pass has no place (E22, E23)."""
        if self.turns.played > 0:
            return "wrong_phase"
        return "must_play" if self.able() else "must_draw"

    def resume(self, seen: Seen, hands: list[int], stock: list[int]) -> None:
        """Take up the open play that an observation holds, with these hands and this stock, from the top."""
        self.dealer = seen.dealer
        self.to_move = seen.to_move
        self.totals = seen.totals
        self.rows = seen.rows.copy()
        self.stock = seen.stock
        self.opener = seen.opener
        self.opening_card = seen.opening_card
        self.winner = seen.winner
        self.laid = seen.laid
        self.turns.resume(seen)
        self.proofs.resume(seen)
        for index, card in enumerate(stock):
            self.order[self.size - len(stock) + index] = card
        for seat in range(self.seats):
            self.hands_lo[seat] = hands[seat] & WORD
            self.hands_hi[seat] = hands[seat] >> 64

    def hand(self, seat: int) -> int:
        """The cards of a seat."""
        return joined(self.hands_lo[seat], self.hands_hi[seat])

    def copy(self) -> ElferRausDeal:
        """An independent copy at the same position, hidden hands and stock and all; of `order` the stock is kept."""
        seen = self.observe(NOBODY)
        other = like(seen)
        stock = [self.order[index] for index in range(self.size - self.stock, self.size)]
        other.resume(seen, [self.hand(seat) for seat in range(self.seats)], stock)
        return other

    def observe(self, seat: int) -> ElferRausObservation:
        """What a seat may know: the open play and its own hand; -1 observes as a spectator, without a hand (E9)."""
        return ElferRausObservation(
            seat=seat,
            hand=self.hand(seat) if seat >= 0 else 0,
            moves=self.legal_moves() if 0 <= seat == self.to_move else [],
            sizes=[self.hand(other).bit_count() for other in range(self.seats)],
            stock=self.stock,
            dealer=self.dealer,
            to_move=self.to_move,
            participants=self.turns.playing(),
            extra_deal=self.extra_deal,
            totals=self.totals,
            start_numbers=self.start_numbers,
            opener=self.opener,
            opening_card=self.opening_card,
            rows=self.rows.copy(),
            step=self.turns.step,
            turn=self.turns.cards_played(),
            drawn=self.turns.drawn,
            passes=self.turns.passes,
            acted=self.turns.actions_played(),
            turns=self.turns.ended,
            laid=self.laid,
            winner=self.winner,
            lacks=self.proofs.lacks(),
            wants=self.proofs.wants(),
            terms=self.terms,
        )


class ElferRausObservation(Seen):
    """All that one seat may know of a deal, named field by field in `Seen`, and full deals that fit it (E9)."""

    def sample(self, chance: Chance) -> ElferRausDeal:
        """A full deal that this seat cannot tell from the real one, the order of the stock included; see `hidden`."""
        deal = like(self)
        deal.resume(self, *self.hidden(chance))
        return deal


def like(seen: Seen) -> ElferRausDeal:
    """A deal of the same options, seats and start numbers, not dealt yet."""
    return ElferRausDeal(seen.terms, len(seen.sizes), seen.participants, seen.start_numbers, seen.extra_deal)
