# The C types of rules.py.
cimport cython
from libc.stdint cimport int8_t, int64_t, uint64_t

from engine.bits cimport bit, count, lowest
from engine.deal cimport Deal
from engine.rows cimport Rows
from engine.rulesets.elfer_raus.proofs cimport Proofs
from engine.rulesets.elfer_raus.turns cimport Turns

cdef int MOST_SEATS, MOST_CARDS, DRAW, END_TURN, PASS, NOBODY, ACTION_POINTS
cdef int DRAWS, TURNS, PASSES, STOCK_EMPTY, OPENER_WON, CARDS_LEFT, ACTIONS

cdef class ElferRausDeal(Deal):
    cdef uint64_t hands_lo[8]
    cdef uint64_t hands_hi[8]
    cdef int points[96]
    cdef uint64_t actions_lo, actions_hi
    cdef readonly object terms
    cdef public tuple totals
    cdef readonly tuple start_numbers
    cdef readonly bint extra_deal
    cdef readonly Rows rows
    cdef readonly Turns turns
    cdef readonly Proofs proofs
    cdef bint voluntary_pass, forced_start, opener_continues
    cdef int numbers, draw_limit, hand_size, laid
    cdef readonly int stock, opener, opening_card, winner

    @cython.locals(seat=cython.int)
    cdef void clear(self) noexcept nogil
    @cython.locals(seat=cython.int, index=cython.int)
    cdef void begin(self) noexcept nogil
    @cython.locals(colour=cython.int, card=cython.int, seat=cython.int)
    cdef void find_opener(self) noexcept nogil
    cdef bint holds(self, int seat, int card) noexcept nogil
    cdef void take(self, int seat, int card) noexcept nogil
    cdef uint64_t open_lo(self) noexcept nogil
    cdef uint64_t open_hi(self) noexcept nogil
    @cython.locals(seat=cython.int)
    cdef bint able(self) noexcept nogil
    @cython.locals(seat=cython.int, held=uint64_t)
    cdef bint start_binds(self) noexcept nogil
    @cython.locals(seat=cython.int, lo=uint64_t, hi=uint64_t)
    cdef bint number_binds(self) noexcept nogil
    cdef bint may_pass(self) noexcept nogil
    cdef bint passed_round(self) noexcept nogil
    @cython.locals(seat=cython.int)
    cdef void list_moves(self) noexcept nogil
    cdef void make(self, int move) noexcept nogil
    @cython.locals(seat=cython.int)
    cdef void lay(self, int card) noexcept nogil
    @cython.locals(seat=cython.int)
    cdef void draw(self) noexcept nogil
    cdef void pass_turn(self) noexcept nogil
    cdef void end_turn(self) noexcept nogil
    @cython.locals(seat=cython.int, lo=uint64_t, hi=uint64_t)
    cdef void settle(self) noexcept nogil
    @cython.locals(seat=cython.int)
    cdef void count_up(self, int64_t *counts) noexcept nogil
