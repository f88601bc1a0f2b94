# The C types of random_deals.py.
cimport cython
from libc.stdint cimport int8_t, uint64_t

from engine.chance cimport Chance, Streams
from engine.deal cimport Deal
from engine.playouts cimport deal_out, finish
from engine.simulation.sums cimport Sums

cdef uint64_t OF_A_SET, PLAYS

cpdef uint64_t cards_stream(uint64_t number, uint64_t deal) noexcept nogil
cpdef uint64_t moves_stream(uint64_t number, uint64_t lineup) noexcept nogil

@cython.final
cdef class RandomDeals:
    cdef readonly Deal deal
    cdef Streams streams
    cdef Chance chance
    cdef int8_t dealers[8]
    cdef int seats, lineups

    cdef void game(self, Sums sums, uint64_t number, int lineup) noexcept nogil
    @cython.locals(number=uint64_t, turn=uint64_t, until=uint64_t, lineup=cython.int)
    cpdef object play(self, Sums sums, uint64_t first, uint64_t end, uint64_t kind, uint64_t kinds)
