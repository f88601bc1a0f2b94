# The C types of rules.py.
cimport cython
from libc.stdint cimport int64_t, uint64_t

from engine.bits cimport bit, count, prefer
from engine.deal cimport Deal
from engine.rulesets.tarneeb.auction cimport Auction
from engine.tricks cimport Tricks

cdef int SEATS, CARDS, RANKS, JACK, TRUMP, PASS, BID, NOBODY, AUCTION, NAMING, PLAY, ALL_PASSED, MADE, NAMED, TAKEN

cdef class TarneebDeal(Deal):
    cdef uint64_t hands[4]
    cdef readonly object terms
    cdef bint points, defenders_always_score, bonus
    cdef int full_bid_made, full_bid_failed
    cdef public tuple totals
    cdef readonly int phase
    cdef readonly Auction auction
    cdef readonly Tricks tricks

    @cython.locals(seat=cython.int, index=cython.int)
    cdef void begin(self) noexcept nogil
    cdef void list_moves(self) noexcept nogil
    cdef void make(self, int move) noexcept nogil
    cdef void call(self, int amount) noexcept nogil
    @cython.locals(seat=cython.int, taker=cython.int)
    cdef void lay(self, int card) noexcept nogil
    cdef int taken(self, int side) noexcept nogil
    @cython.locals(seat=cython.int, side=cython.int, ours=cython.int, theirs=cython.int, made=cython.bint)
    cdef void settle(self) noexcept nogil
    @cython.locals(bid=cython.int, taken=cython.int)
    cdef void count_up(self, int64_t *counts) noexcept nogil

@cython.locals(points=cython.int, index=cython.int, place=cython.int, rank=cython.int)
cdef int points_taken(Tricks tricks, int side) noexcept nogil
