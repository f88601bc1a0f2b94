# The C types of rules.py.
cimport cython
from libc.stdint cimport int8_t, int64_t, uint64_t

from engine.bits cimport bit, count, prefer
from engine.deal cimport Deal
from engine.rulesets.rosbiratschka.layout cimport Layout
from engine.rulesets.rosbiratschka.penalties cimport Penalties
from engine.rulesets.rosbiratschka.pile cimport Pile
from engine.tricks cimport Tricks

cdef int MOST_SEATS, PASS, NOBODY, NO_KING_OF_HEARTS, HUNDRED, LAYOUT, POINTS, SLAMS, DOUBLED, PASSES, SLAM_POINTS, LAST_POINTS

cdef class RosbiratschkaDeal(Deal):
    cdef uint64_t hands[6]
    cdef int packet[3]
    cdef readonly object setting, terms
    cdef readonly int contract
    cdef int slam_worth, packets
    cdef bint double_if_none
    cdef public tuple totals
    cdef readonly Penalties penalties
    cdef readonly Tricks tricks
    cdef readonly Pile pile
    cdef readonly Layout layout

    @cython.locals(seat=cython.int, index=cython.int, packet=cython.int, _seat=cython.int, _card=cython.int)
    cdef void begin(self) noexcept nogil
    cdef void list_moves(self) noexcept nogil
    @cython.locals(seat=cython.int)
    cdef void make(self, int move) noexcept nogil
    @cython.locals(taker=cython.int)
    cdef void follow(self, int seat, int card) noexcept nogil
    cdef bint last_trick(self) noexcept nogil
    cdef void lay(self, int seat, int card) noexcept nogil
    @cython.locals(seat=cython.int, index=cython.int)
    cdef void settle(self) noexcept nogil
    @cython.locals(seat=cython.int, takers=cython.int)
    cdef void judge(self) noexcept nogil
    @cython.locals(seat=cython.int, takers=cython.int)
    cdef int takers(self) noexcept nogil
    @cython.locals(seat=cython.int, takers=cython.int)
    cdef void count_up(self, int64_t *counts) noexcept nogil
