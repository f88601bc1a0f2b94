# The C types of playouts.py.
cimport cython
from libc.stdint cimport int64_t

from engine.bits cimport count, draw_below, pick
from engine.chance cimport Chance
from engine.deal cimport Deal

@cython.locals(low=cython.int, moves=cython.int, k=cython.int)
cpdef int random_move(Deal deal, Chance chance) noexcept nogil

@cython.locals(moves=cython.int)
cpdef int finish(Deal deal, Chance chance) noexcept nogil

@cython.locals(misdeals=cython.int)
cpdef int deal_out(Deal deal, Chance chance) noexcept nogil

cdef class Tally:
    cdef int64_t sums[8]
    cdef readonly int64_t deals, moves, redeals

    @cython.locals(seat=cython.int, _done=cython.long)
    cdef void play(self, Deal deal, Chance chance, long number) noexcept nogil

@cython.locals(tally=Tally)
cpdef Tally random_deals(Deal deal, Chance chance, long number)
