# The C types of proofs.py.
cimport cython
from libc.stdint cimport uint64_t

from engine.bits cimport bit
from engine.rows cimport Rows

@cython.final
cdef class Proofs:
    cdef uint64_t lacks_lo[8]
    cdef uint64_t lacks_hi[8]
    cdef uint64_t wants_lo[8]
    cdef uint64_t wants_hi[8]
    cdef int seats
    cdef bint forced_start

    @cython.locals(seat=cython.int)
    cdef void clear(self) noexcept nogil
    @cython.locals(seat=cython.int)
    cdef void nobody_holds(self, int card) noexcept nogil
    @cython.locals(wanted=uint64_t)
    cdef void played(self, int seat, int card) noexcept nogil
    cdef void stuck(self, int seat, uint64_t open_lo, uint64_t open_hi) noexcept nogil
    cdef void ended(self, int seat, Rows rows, int numbers_played) noexcept nogil
    cdef void passed(self, int seat, Rows rows, uint64_t open_lo, uint64_t open_hi, int stock) noexcept nogil
