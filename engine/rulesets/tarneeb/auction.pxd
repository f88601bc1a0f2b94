# The C types of auction.py.
cimport cython
from libc.stdint cimport int8_t, uint64_t

from engine.bits cimport bit, count

cdef int SEATS, NOBODY

@cython.final
cdef class Auction:
    cdef int8_t callers[32]
    cdef int8_t bids[32]
    cdef readonly str scoring
    cdef readonly int low_bid, high_bid
    cdef readonly bint dealer_bids
    cdef readonly int calls, bid, declarer
    cdef public int trump
    cdef readonly uint64_t passed

    cdef void clear(self) noexcept nogil
    @cython.locals(lowest=cython.int)
    cdef uint64_t open_bids(self) noexcept nogil
    cdef bint may_pass(self) noexcept nogil
    cdef int call(self, int seat, int amount) noexcept nogil
