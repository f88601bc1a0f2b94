# The C form of bits.py. A shift of an untyped 1 is a 32-bit shift in compiled code: always write bit(i).
from libc.stdint cimport uint32_t, uint64_t

cdef extern from "bits.h" nogil:
    uint64_t bit(int index)
    int count(uint64_t word)
    int lowest(uint64_t word)
    int pick(uint64_t word, int k)
    uint64_t prefer(uint64_t word, uint64_t wanted)
    uint64_t draw(uint64_t *state)
    uint64_t split(uint64_t word, uint64_t number)
    uint32_t draw_below(uint64_t *state, uint32_t n)
