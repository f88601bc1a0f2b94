"""Elfer Raus: the deal and the match, rule by rule. Numbers (E9) are those of rules.en.md.

Moves: 0 to 95 play that card, 96 draws, 97 ends the turn, 98 passes. Cards are numbered colour by colour, low to high,
then the skips, then the reverses (E2, E4). Sets of cards are two words, `_lo` for cards 0 to 63 and `_hi` for the rest;
observations hold each set as one int.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

import cython

from engine.bits import joined, members, span
from engine.deal import Deal
from engine.rows import Rows
from engine.sampling import place

if not cython.compiled:
    from engine.bits import bit, lowest

if TYPE_CHECKING:
    from engine.chance import Chance

COLOURS = ("red", "yellow", "green", "blue")
MOST_SEATS = 8
MOST_CARDS = 96
MOST_ACTIONS = 16
DRAW = 96
END_TURN = 97
PASS = 98
NOBODY = -1
ACTION_POINTS = 20
WORD = 0xFFFFFFFFFFFFFFFF

MOVES: dict[int, str] = {DRAW: "draw", END_TURN: "end_turn", PASS: "pass"}
"""The moves that are no card, and their kinds (E10)."""


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


def hand_size(number_cards: int, players: int) -> int:
    """How many cards each player is dealt (E7)."""
    return 3 * number_cards // (4 * max(players, 3))


class ElferRausDeal(Deal):
    """One deal of Elfer Raus: rows built up and down from the start cards, a stock to draw from.

    `participants` is the set of the seats that play. `turn` holds the cards played this turn, `acted` all action cards
    played. What the open play proves about each seat's hand is kept beside it: `lacks` are cards that it cannot hold,
    `wants` cards of which it holds at least one (where there are any).
    """

    def __init__(
        self, terms: Terms, seats: int, participants: Sequence[int], start_numbers: Sequence[int], extra_deal: bool
    ) -> None:
        numbers = terms.colours * terms.max_number
        Deal.__init__(self, numbers + terms.skip_cards + terms.reverse_cards, seats)
        if not cython.compiled:
            self.hands_lo = [0] * MOST_SEATS
            self.hands_hi = [0] * MOST_SEATS
            self.lacks_lo = [0] * MOST_SEATS
            self.lacks_hi = [0] * MOST_SEATS
            self.wants_lo = [0] * MOST_SEATS
            self.wants_hi = [0] * MOST_SEATS
            self.points = [0] * MOST_CARDS
            self.turn = [0] * MOST_CARDS
            self.acted = [0] * MOST_ACTIONS
        self.terms = terms
        self.numbers = numbers
        self.first_reverse = numbers + terms.skip_cards
        self.draw_limit = terms.draw_limit
        self.voluntary_pass = terms.voluntary_pass
        self.forced_start = terms.forced_start
        self.opener_continues = terms.opener_continues
        self.totals: tuple[int, ...] = ()
        self.start_numbers = tuple(start_numbers)
        self.extra_deal = extra_deal
        self.participants = sum(1 << seat for seat in participants)
        self.players = len(participants)
        self.hand_size = hand_size(numbers, self.players)
        for card in range(self.size):
            self.points[card] = card % terms.max_number + 1 if card < numbers else ACTION_POINTS
        actions = span(numbers, self.size - 1)
        self.actions_lo = actions & WORD
        self.actions_hi = actions >> 64
        starts = [colour * terms.max_number + start - 1 for colour, start in enumerate(start_numbers)]
        self.rows = Rows([terms.max_number] * terms.colours, starts)
        self.clear()

    def clear(self) -> None:
        """Forget the play and all hands."""
        for seat in range(self.seats):
            self.hands_lo[seat] = 0
            self.hands_hi[seat] = 0
            self.lacks_lo[seat] = 0
            self.lacks_hi[seat] = 0
            self.wants_lo[seat] = 0
            self.wants_hi[seat] = 0
        self.rows.clear()
        self.stock = 0
        self.step = 1
        self.opener = NOBODY
        self.opening_card = NOBODY
        self.winner = NOBODY
        self.laid = 0
        self.turns = 0
        self.turn_cards = 0
        self.turn_numbers = 0
        self.drawn = 0
        self.passes = 0
        self.actions = 0
        self.to_move = NOBODY

    def begin(self) -> None:
        """Deal one card at a time from the first player after the dealer on; the rest is the stock (E7, E28, E38)."""
        self.clear()
        self.stock = self.size - self.hand_size * self.players
        seat = self.dealer
        for index in range(self.hand_size * self.players):
            seat = self.after(seat)
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
            for seat in range(self.seats):
                if card < 64:
                    self.lacks_lo[seat] |= bit(card)
                else:
                    self.lacks_hi[seat] |= bit(card - 64)

    def after(self, seat: int) -> int:
        """The next player in the direction of play (E1, E28, E38)."""
        seat = (seat + self.step + self.seats) % self.seats
        while not bit(seat) & self.participants:
            seat = (seat + self.step + self.seats) % self.seats
        return seat

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
        if self.turn_numbers:
            return False
        lo = self.rows.fits_lo | self.rows.starts_lo
        hi = self.rows.fits_hi | self.rows.starts_hi
        return (self.hands_lo[seat] & lo | self.hands_hi[seat] & hi) != 0

    def may_pass(self) -> bool:
        """Whether the seat to move, which is able and has done nothing this turn, may pass (E23 to E25)."""
        return self.voluntary_pass and self.drawn == 0 and self.passes < self.players and not self.start_binds()

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
        if self.turn_cards > 0:
            if not self.start_binds() and not self.number_binds():
                self.moves_hi |= bit(END_TURN - 64)
        elif not self.able():
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
            self.note_end()
            self.pass_on()
        else:
            self.note_pass()
            self.passes += 1
            self.pass_on()

    def lay(self, card: int) -> None:
        """Play a card; the last of a hand ends the deal, the first of the deal perhaps the turn (E13, E15, E30)."""
        seat = self.to_move
        self.passes = 0
        self.turn[self.turn_cards] = card
        self.turn_cards += 1
        self.laid += 1
        if card < 64:
            self.hands_lo[seat] &= ~bit(card)
            wanted = self.wants_lo[seat] & bit(card)
        else:
            self.hands_hi[seat] &= ~bit(card - 64)
            wanted = self.wants_hi[seat] & bit(card - 64)
        if wanted:
            self.wants_lo[seat] = 0
            self.wants_hi[seat] = 0
        if card < self.numbers:
            self.rows.add(card)
            self.turn_numbers += 1
        else:
            self.acted[self.actions] = card
            self.actions += 1
        if self.hands_lo[seat] == 0 and self.hands_hi[seat] == 0:
            self.winner = seat
            self.to_move = NOBODY
        elif self.laid == 1 and not self.opener_continues:
            self.pass_on()

    def draw(self) -> None:
        """Draw from the stock when stuck; the turn may end by itself (E19 to E21)."""
        seat = self.to_move
        self.note_stuck()
        card = self.order[self.size - self.stock]
        self.stock -= 1
        self.drawn += 1
        self.passes = 0
        self.take(seat, card)
        if not self.able() and (self.drawn == self.draw_limit or self.stock == 0):
            self.pass_on()

    def pass_on(self) -> None:
        """End the turn: reverses act, then each skip passes over one more player (E26 to E29)."""
        skips = 0
        reverses = 0
        for index in range(self.turn_cards):
            if self.turn[index] >= self.first_reverse:
                reverses += 1
            elif self.turn[index] >= self.numbers:
                skips += 1
        if self.players == 2:
            skips += reverses
        elif reverses & 1:
            self.step = -self.step
        seat = self.after(self.to_move)
        for _skip in range(skips):
            seat = self.after(seat)
        self.to_move = seat
        self.turns += 1
        self.turn_cards = 0
        self.turn_numbers = 0
        self.drawn = 0

    # What the moves prove to everyone. A card that a hand is proved to lack stays out of it until it is played: it
    # could come by a draw alone, and a card drawn when it can be played is played at once (E20).

    def note_stuck(self) -> None:
        """Who draws, or has to pass, holds nothing that can be played now (E19, E22)."""
        seat = self.to_move
        self.lacks_lo[seat] |= self.open_lo()
        self.lacks_hi[seat] |= self.open_hi()

    def note_end(self) -> None:
        """Who ends the turn was free to: no start card, no number card to play (E17, E18)."""
        seat = self.to_move
        if self.forced_start or self.turn_numbers == 0:
            self.lacks_lo[seat] |= self.rows.starts_lo
            self.lacks_hi[seat] |= self.rows.starts_hi
        if self.turn_numbers == 0:
            self.lacks_lo[seat] |= self.rows.fits_lo
            self.lacks_hi[seat] |= self.rows.fits_hi

    def note_pass(self) -> None:
        """A pass shows a hand that can play, or one that cannot; without a stock, perhaps neither (E22 to E25)."""
        seat = self.to_move
        if not self.voluntary_pass or self.passes >= self.players:
            self.note_stuck()
            return
        if self.forced_start:
            self.lacks_lo[seat] |= self.rows.starts_lo
            self.lacks_hi[seat] |= self.rows.starts_hi
        # An earlier pass with none of its cards played since says more: what could be played then still can be.
        if self.stock > 0 and self.wants_lo[seat] == 0 and self.wants_hi[seat] == 0:
            self.wants_lo[seat] = self.open_lo() & ~self.lacks_lo[seat]
            self.wants_hi[seat] = self.open_hi() & ~self.lacks_hi[seat]

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
        if self.turn_cards == 0:
            return "nothing_played"
        return "must_play_start" if self.start_binds() else "must_play_number"

    def why_not_pass(self) -> str:
        """Why a pass has no place (E22, E23)."""
        if self.turn_cards > 0:
            return "wrong_phase"
        return "must_play" if self.able() else "must_draw"

    def resume(self, seen: ElferRausObservation, hands: list[int], stock: list[int]) -> None:
        """Take up the open play that an observation holds, with these hands and this stock, from the top."""
        self.dealer = seen.dealer
        self.to_move = seen.to_move
        self.totals = seen.totals
        self.rows = seen.rows.copy()
        self.stock = seen.stock
        self.step = seen.step
        self.opener = seen.opener
        self.opening_card = seen.opening_card
        self.winner = seen.winner
        self.laid = seen.laid
        self.turns = seen.turns
        self.drawn = seen.drawn
        self.passes = seen.passes
        self.turn_cards = len(seen.turn)
        self.turn_numbers = sum(card < self.numbers for card in seen.turn)
        self.actions = len(seen.acted)
        for index, card in enumerate(seen.turn):
            self.turn[index] = card
        for index, card in enumerate(seen.acted):
            self.acted[index] = card
        for index, card in enumerate(stock):
            self.order[self.size - len(stock) + index] = card
        for seat in range(self.seats):
            self.hands_lo[seat] = hands[seat] & WORD
            self.hands_hi[seat] = hands[seat] >> 64
            self.lacks_lo[seat] = seen.lacks[seat] & WORD
            self.lacks_hi[seat] = seen.lacks[seat] >> 64
            self.wants_lo[seat] = seen.wants[seat] & WORD
            self.wants_hi[seat] = seen.wants[seat] >> 64

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
        seats = range(self.seats)
        return ElferRausObservation(
            seat=seat,
            hand=self.hand(seat) if seat >= 0 else 0,
            moves=self.legal_moves() if 0 <= seat == self.to_move else [],
            sizes=[self.hand(other).bit_count() for other in seats],
            stock=self.stock,
            dealer=self.dealer,
            to_move=self.to_move,
            participants=[other for other in seats if 1 << other & self.participants],
            extra_deal=self.extra_deal,
            totals=self.totals,
            start_numbers=self.start_numbers,
            opener=self.opener,
            opening_card=self.opening_card,
            rows=self.rows.copy(),
            step=self.step,
            turn=[self.turn[index] for index in range(self.turn_cards)],
            drawn=self.drawn,
            passes=self.passes,
            acted=[self.acted[index] for index in range(self.actions)],
            turns=self.turns,
            laid=self.laid,
            winner=self.winner,
            lacks=[joined(self.lacks_lo[other], self.lacks_hi[other]) for other in seats],
            wants=[joined(self.wants_lo[other], self.wants_hi[other]) for other in seats],
            terms=self.terms,
        )


def like(seen: ElferRausObservation) -> ElferRausDeal:
    """A deal of the same options, seats and start numbers, not dealt yet."""
    return ElferRausDeal(seen.terms, len(seen.sizes), seen.participants, seen.start_numbers, seen.extra_deal)


@dataclass(frozen=True)
class ElferRausObservation:
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

    def passed_over(self, after: ElferRausObservation) -> list[int]:
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

    def sample(self, chance: Chance) -> ElferRausDeal:
        """A full deal that this seat cannot tell from the real one, the order of the stock included.

        Uniform over the orders of the pack that agree with everything played, drawn and passed so far; why a seat
        chose to play what it played is not weighed. (Which of its cards a seat was dealt and which it drew makes no
        difference: each of them can have come in as many ways.) When the deal is over, what the hands left were worth
        is not weighed either.
        """
        seats = len(self.sizes)
        unseen = self.unseen()
        # Beside the seats two more places: the card that a seat has just drawn, and the stock.
        sizes = [0 if seat == self.seat else size for seat, size in enumerate(self.sizes)] + [0, self.stock]
        cannot = [*self.lacks, 0, 0]
        needs = [0 if seat == self.seat else wanted & ~self.lacks[seat] for seat, wanted in enumerate(self.wants)]
        needs += [0, 0]
        if not self.laid and self.opener not in (NOBODY, self.seat):
            needs[self.opener] = 1 << self.opening_card
        drew = self.just_drew()
        if drew not in (NOBODY, self.seat):
            sizes[drew] -= 1
            sizes[seats] = 1
            if self.drawn == self.terms.draw_limit or not self.stock:
                # The turn has not ended by itself: the card can be played (E21).
                needs[seats] = self.playable()
        places = place(chance, unseen, cannot, sizes, needs)
        hands = [places[seat] if seat != self.seat else self.hand for seat in range(seats)]
        if sizes[seats]:
            hands[drew] |= places[seats]
        deal = like(self)
        deal.resume(self, hands, chance.shuffled(members(places[seats + 1])))
        return deal


Reason = Literal["penalty_limit", "rounds", "extra_deal", "max_deals"]
"""Why a match has ended."""


class MatchTerms(Terms, Protocol):
    """The options that bear on the match."""

    start_number: str
    penalty_limit: int | None
    rounds: int | None
    max_deals: int
    first_dealer: int | None


class Draws(Protocol):
    """Where the first dealer and the start numbers are drawn from."""

    def below(self, purpose: str, n: int) -> int:
        """A number from 0 to n-1."""


class Play(Protocol):
    """What the rules of the match look at: an `engine.match.Match` of this ruleset."""

    deal: ElferRausDeal
    seats: int
    dealer: int
    participants: list[int]
    totals: list[int]
    deals_played: int
    carried: dict[str, Any]
    options: MatchTerms

    @property
    def source(self) -> Draws:
        """The match's chance."""


def forbidden(options: MatchTerms, seats: int) -> list[tuple[str, str]]:
    """What is wrong with these options together, as (JSON pointer, sentence) pairs (E3, E5, E34)."""
    wrong = []
    if options.start_number == "ten_or_twelve" and options.max_number < 12:
        wrong.append(("/options/start_number", "`ten_or_twelve` needs a `max_number` of 12 or more."))
    if options.penalty_limit is None and options.rounds is None:
        wrong.append(("/options/penalty_limit", "`penalty_limit` can be null only where `rounds` is set."))
    if options.first_dealer is not None and options.first_dealer >= seats:
        wrong.append(("/options/first_dealer", f"There is no seat {options.first_dealer} among {seats}."))
    return wrong


def start_numbers(match: Play) -> list[int]:
    """The number that starts each colour's row, the whole match through (E3)."""
    options = match.options
    colours = COLOURS[: options.colours]
    if options.start_number == "fixed":
        return [5 if options.max_number == 10 else 11] * len(colours)
    return [10 + 2 * match.source.below(f"start_numbers:{colour}", 2) for colour in colours]


def begin(match: Play) -> None:
    """The first dealer, the option's seat or one drawn, and what the match keeps (E3, E5)."""
    chosen = match.options.first_dealer
    match.dealer = match.source.below("first_dealer", match.seats) if chosen is None else chosen
    match.carried = {"start_numbers": start_numbers(match), "extra_deal": False}


def new_deal(options: Terms, seats: int, participants: Sequence[int], carried: Mapping[str, Any]) -> ElferRausDeal:
    """A deal of a match, not dealt yet."""
    return ElferRausDeal(options, seats, participants, carried["start_numbers"], carried["extra_deal"])


def misdealt(deal: ElferRausDeal) -> bool:
    """Whether no start card is in any hand: the same dealer deals again (E8)."""
    return deal.opener < 0


def settle(match: Play) -> list[int]:
    """Add the finished deal to the totals; answers what it was worth to each seat (E33)."""
    worth = match.deal.scores()
    match.totals[:] = map(sum, zip(match.totals, worth, strict=True))
    return worth


def leaders(match: Play) -> list[int]:
    """The seats with the lowest total (E34)."""
    return [seat for seat in range(match.seats) if match.totals[seat] == min(match.totals)]


def end_reached(match: Play) -> Reason | None:
    """The page's own end, if the last deal has brought it about (E34 to E36)."""
    limit, rounds = match.options.penalty_limit, match.options.rounds
    if limit is not None and max(match.totals) >= limit:
        return "penalty_limit"
    return "rounds" if rounds is not None and match.deals_played >= rounds else None


def ending(match: Play) -> tuple[list[int], Reason] | None:
    """Who has won the match and why, or None while it goes on (E34 to E41)."""
    if match.deal.extra_deal:
        return [match.deal.winner], "extra_deal"
    best, reason = leaders(match), end_reached(match)
    if reason and len(best) == 1:
        return best, reason
    return (best, "max_deals") if match.deals_played >= match.options.max_deals else None


def next_deal(match: Play) -> None:
    """The deal passes on clockwise; after the end it is an extra deal among the tied (E6, E37, E38)."""
    match.dealer = (match.dealer + 1) % match.seats
    if end_reached(match):
        match.participants = leaders(match)
        match.carried = {**match.carried, "extra_deal": True}
