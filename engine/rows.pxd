# The C types of rows.py.
cimport cython
from libc.stdint cimport int8_t, uint64_t

from engine.bits cimport bit

@cython.final
cdef class Rows:
    cdef int8_t start[4]
    cdef readonly tuple lengths, start_cards
    cdef readonly int suits
    cdef uint64_t bottoms_lo, bottoms_hi, tops_lo, tops_hi
    cdef readonly uint64_t laid_lo, laid_hi, fits_lo, fits_hi, starts_lo, starts_hi

    @cython.locals(suit=cython.int)
    cdef void clear(self) noexcept nogil
    @cython.locals(up=uint64_t, down=uint64_t)
    cdef void add(self, int card) noexcept nogil

cdef uint64_t low_word(int card) noexcept nogil
cdef uint64_t high_word(int card) noexcept nogil
