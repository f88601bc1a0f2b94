# The C types of chance.py.
from libc.stdint cimport uint64_t

from engine.bits cimport draw, draw_below

cdef class Chance:
    cdef uint64_t state[4]
