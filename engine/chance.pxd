# The C types of chance.py.
cimport cython
from libc.stdint cimport uint64_t

from engine.bits cimport draw, draw_below, split

cdef class Chance:
    cdef uint64_t state[4]

cdef class Streams:
    cdef Chance origin

    @cython.locals(index=cython.int)
    cdef void start(self, Chance chance, uint64_t number) noexcept nogil
    cpdef Chance stream(self, uint64_t number)
