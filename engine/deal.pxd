# The C types of deal.py.
cimport cython
from libc.stdint cimport int8_t, int64_t, uint64_t

from engine.bits cimport draw_below, lowest
from engine.chance cimport Chance

cdef class Deal:
    cdef uint64_t moves_lo, moves_hi
    cdef int8_t order[128]
    cdef int worth[8]
    cdef readonly int size, seats
    cdef public int dealer, to_move

    cdef void begin(self) noexcept nogil
    cdef void list_moves(self) noexcept nogil
    cdef void make(self, int move) noexcept nogil
    cdef void settle(self) noexcept nogil
    cdef void count_up(self, int64_t *_counts) noexcept nogil

    @cython.locals(moves=list, lo=uint64_t, hi=uint64_t)
    cpdef list legal_moves(self)

    @cython.locals(index=cython.int, last=cython.int, other=cython.int, card=int8_t)
    cdef void shuffle(self, Chance chance) noexcept nogil
