# The C types of rules.py.
cimport cython
from libc.stdint cimport int8_t, uint64_t

from engine.bits cimport bit, lowest
from engine.deal cimport Deal
from engine.rows cimport Rows

cdef int MOST_SEATS, MOST_CARDS, MOST_ACTIONS, DRAW, END_TURN, PASS, NOBODY, ACTION_POINTS

cdef class ElferRausDeal(Deal):
    cdef uint64_t hands_lo[8]
    cdef uint64_t hands_hi[8]
    cdef uint64_t lacks_lo[8]
    cdef uint64_t lacks_hi[8]
    cdef uint64_t wants_lo[8]
    cdef uint64_t wants_hi[8]
    cdef int points[96]
    cdef int8_t turn[96]
    cdef int8_t acted[16]
    cdef uint64_t actions_lo, actions_hi, participants
    cdef readonly object terms
    cdef public tuple totals
    cdef readonly tuple start_numbers
    cdef readonly bint extra_deal
    cdef readonly Rows rows
    cdef bint voluntary_pass, forced_start, opener_continues
    cdef int numbers, first_reverse, draw_limit, players, hand_size
    cdef int laid, turn_cards, turn_numbers, drawn, passes, actions
    cdef readonly int stock, step, opener, opening_card, winner, turns

    @cython.locals(seat=cython.int)
    cdef void clear(self) noexcept nogil
    @cython.locals(seat=cython.int, index=cython.int)
    cdef void begin(self) noexcept nogil
    @cython.locals(colour=cython.int, card=cython.int, seat=cython.int)
    cdef void find_opener(self) noexcept nogil
    cdef int after(self, int seat) noexcept nogil
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
    @cython.locals(seat=cython.int)
    cdef void list_moves(self) noexcept nogil
    cdef void make(self, int move) noexcept nogil
    @cython.locals(seat=cython.int, wanted=uint64_t)
    cdef void lay(self, int card) noexcept nogil
    @cython.locals(seat=cython.int, card=cython.int)
    cdef void draw(self) noexcept nogil
    @cython.locals(skips=cython.int, reverses=cython.int, index=cython.int, seat=cython.int, _skip=cython.int)
    cdef void pass_on(self) noexcept nogil
    @cython.locals(seat=cython.int)
    cdef void note_stuck(self) noexcept nogil
    @cython.locals(seat=cython.int)
    cdef void note_end(self) noexcept nogil
    @cython.locals(seat=cython.int)
    cdef void note_pass(self) noexcept nogil
    @cython.locals(seat=cython.int, lo=uint64_t, hi=uint64_t)
    cdef void settle(self) noexcept nogil
