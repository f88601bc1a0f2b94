# The C types of tricks.py.
cimport cython
from libc.stdint cimport int8_t, uint64_t

from engine.bits cimport bit

cdef int NOBODY

cdef class Tricks:
    cdef int8_t cards[64]
    cdef int8_t leaders[64]
    cdef int8_t takers[64]
    cdef uint64_t suits[64]
    cdef int taken[8]
    cdef readonly int seats, pack, step, played, completed, in_trick, leader, taker
    cdef readonly uint64_t trumps, led, beating

    @cython.locals(suit=uint64_t, _card=cython.int)
    cdef void add_suit(self, int size) noexcept nogil

    @cython.locals(seat=cython.int)
    cdef void clear(self, int leader) noexcept nogil
    cdef void name_trump(self, int card) noexcept nogil
    cdef int add(self, int seat, int card) noexcept nogil

    @cython.locals(suit=uint64_t)
    cdef void take(self, int seat, int card) noexcept nogil

    @cython.locals(cards=uint64_t, index=cython.int)
    cpdef uint64_t seen(self)

    @cython.locals(led=uint64_t)
    cpdef list cannot_hold(self)
