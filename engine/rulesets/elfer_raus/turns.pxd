# The C types of turns.py.
cimport cython
from libc.stdint cimport int8_t, uint64_t

from engine.bits cimport bit

@cython.final
cdef class Turns:
    cdef int8_t cards[96]
    cdef int8_t acted[16]
    cdef int seats, numbers, first_reverse
    cdef uint64_t participants
    cdef readonly int players, step, ended, passes, passed, actions, played, numbers_played, drawn

    cdef void clear(self) noexcept nogil
    cdef void begin(self) noexcept nogil
    cdef int after(self, int seat) noexcept nogil
    cdef void play(self, int card) noexcept nogil
    cdef void skip(self) noexcept nogil
    cdef void draw(self) noexcept nogil
    @cython.locals(skips=cython.int, reverses=cython.int, index=cython.int, _skip=cython.int)
    cdef int end(self, int seat) noexcept nogil
