# The C types of pile.py.
cimport cython
from libc.stdint cimport int8_t, uint64_t

from engine.bits cimport bit

cdef int NOBODY

cdef class Pile:
    cdef int8_t value[64]
    cdef int8_t cards[64]
    cdef int limits[3]
    cdef int costs[3]
    cdef int passers[3]
    cdef readonly tuple values
    cdef readonly int seats, first, played, sum, passed

    cdef void clear(self, int first) noexcept nogil
    cdef bint add(self, int seat, int card) noexcept nogil
    @cython.locals(cards=uint64_t, index=cython.int)
    cpdef uint64_t seen(self)
