# The C types of penalties.py.
cimport cython
from libc.stdint cimport uint64_t

from engine.bits cimport bit, count
from engine.tricks cimport Tricks

cdef int NO_TRICKS, NO_HEARTS, NO_UNTERS, NO_KING_OF_HEARTS

cdef class Penalties:
    cdef readonly uint64_t cards, twice
    cdef readonly int a_card, a_trick, first, last, tricks

    @cython.locals(cards=uint64_t, place=cython.int)
    cdef uint64_t counted(self, Tricks tricks, int index) noexcept nogil
    @cython.locals(cards=uint64_t, points=cython.int)
    cdef int points(self, Tricks tricks, int index) noexcept nogil
    cpdef int last_trick(self, Tricks tricks)
    cpdef list taken(self, Tricks tricks)
