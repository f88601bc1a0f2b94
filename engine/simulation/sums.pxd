# The C types of sums.py.
cimport cython
from libc.stdint cimport int8_t, int32_t, int64_t

from engine.deal cimport Deal

cdef int64_t EXACT, HIGH, ONE_WIN, MASK
cdef int MOST_COUNTS, BOTS, BUCKETS, LEAD, WIN_LEAD, MOVES, DEALS

@cython.locals(size=int64_t, index=int64_t, width=int64_t)
cdef int place(int64_t number) noexcept nogil

@cython.final
cdef class Squares:
    cdef int64_t low[128]
    cdef int64_t high[128]

    @cython.locals(square=int64_t)
    cdef void add(self, int index, int64_t value) noexcept nogil
    cdef object tell(self, dict tally, int index, str name)

@cython.final
cdef class Histogram:
    cdef int32_t counts[128][3200]

    cdef void add(self, int chair, int64_t number) noexcept nogil
    @cython.locals(index=cython.int)
    cdef object tell(self, dict tally, int chair, str name)

@cython.final
cdef class Sums:
    cdef int worth[8]
    cdef int8_t side[8]
    cdef int64_t together[8]
    cdef int8_t sitter[128]
    cdef int64_t total[128]
    cdef int64_t margin[128]
    cdef int64_t wins[128]
    cdef int64_t set_score[16]
    cdef int64_t set_margin[16]
    cdef int64_t set_wins[16]
    cdef int64_t shares[9]
    cdef int64_t counts[256]
    cdef int seats, chairs, bots, opponents, sign
    cdef bint compared, single
    cdef Histogram histogram
    cdef Squares squares, margin_squares, set_score_squares, set_margin_squares
    cdef readonly int64_t sets, games, deals
    cdef public int64_t redeals
    cdef int64_t moves

    cdef void number(self, int chair, int64_t value) noexcept nogil
    @cython.locals(seat=cython.int, total=int64_t, best=int64_t, score=int64_t, share=int64_t, margin=int64_t)
    cdef void add(self, int lineup) noexcept nogil
    @cython.locals(seat=cython.int, winners=cython.int)
    cdef int winners(self, int64_t best) noexcept nogil
    @cython.locals(bot=cython.int)
    cdef void sit(self, int chair, int seat, int64_t score, int64_t margin) noexcept nogil
    cdef void win(self, int chair, int64_t share) noexcept nogil
    @cython.locals(seat=cython.int, bot=cython.int)
    cpdef void end_set(self) noexcept nogil
    cdef void lead(self, int chair, int64_t value) noexcept nogil
    cdef void end_holder(self, int holder) noexcept nogil
    @cython.locals(seat=cython.int)
    cpdef void end_deal(self, Deal deal, int64_t moves) noexcept nogil
    cpdef void end_game(self, int lineup) noexcept nogil
    @cython.locals(seat=cython.int)
    cpdef object end_match(self, int lineup, object totals, int64_t deals)
    @cython.locals(index=cython.int)
    cpdef list counted(self)
    @cython.locals(chair=cython.int)
    cpdef dict tally(self)
    cdef object tell_number(self, dict tally, int chair, str name)
