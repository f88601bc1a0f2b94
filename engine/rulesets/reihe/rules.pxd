# The C types of rules.py.
cimport cython
from libc.stdint cimport int8_t, int64_t, uint64_t

from engine.bits cimport bit, count
from engine.deal cimport Deal
from engine.rows cimport Rows

cdef int PASS, NOBODY, PASSES, CARDS_LEFT

cdef class ReiheDeal(Deal):
    cdef uint64_t hands[8]
    cdef uint64_t lacks[8]
    cdef int passes[8]
    cdef int8_t places[8]
    cdef readonly object terms
    cdef readonly bint as_printed
    cdef public tuple totals
    cdef public object target
    cdef readonly int out
    cdef readonly Rows rows

    @cython.locals(seat=cython.int, index=cython.int)
    cdef void begin(self) noexcept nogil
    cdef uint64_t playable(self) noexcept nogil
    cdef void list_moves(self) noexcept nogil
    @cython.locals(seat=cython.int)
    cdef void make(self, int move) noexcept nogil
    @cython.locals(other=cython.int)
    cdef void go_out(self, int seat) noexcept nogil
    @cython.locals(place=cython.int)
    cdef void settle(self) noexcept nogil
    @cython.locals(seat=cython.int)
    cdef void count_up(self, int64_t *counts) noexcept nogil

cdef int after(int seat, int seats) noexcept nogil
