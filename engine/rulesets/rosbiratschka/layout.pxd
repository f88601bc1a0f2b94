# The C types of layout.py.
cimport cython
from libc.stdint cimport int8_t, uint64_t

from engine.bits cimport bit
from engine.rows cimport Rows

cdef int NOBODY

cdef class Layout:
    cdef uint64_t cannot[8]
    cdef int passed[8]
    cdef int8_t place[8]
    cdef readonly object setting
    cdef readonly int seats, out
    cdef readonly bint any_time
    cdef readonly uint64_t gone
    cdef readonly Rows rows

    @cython.locals(seat=cython.int)
    cdef void clear(self) noexcept nogil
    @cython.locals(fitting=uint64_t)
    cdef uint64_t playable(self, uint64_t hand) noexcept nogil
    cdef void skip(self, int seat) noexcept nogil
    cdef void add(self, int seat, int card) noexcept nogil
    cdef void leave(self, int seat) noexcept nogil
    cdef int next_seat(self, int seat) noexcept nogil
