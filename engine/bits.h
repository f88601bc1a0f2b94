/* Sets of up to 64 small numbers in one word, and random numbers, for the compiled engine. bits.py is its twin. */
#ifndef TAPETE_BITS_H
#define TAPETE_BITS_H
#include <stdint.h>
#ifdef __BMI2__
#include <immintrin.h>
#endif

static inline uint64_t bit(int index) { return (uint64_t)1 << index; }
static inline int count(uint64_t word) { return __builtin_popcountll(word); }
static inline int lowest(uint64_t word) { return __builtin_ctzll(word); }

/* The place of the k-th set bit, from 0. */
static inline int pick(uint64_t word, int k) {
#ifdef __BMI2__
    return __builtin_ctzll(_pdep_u64((uint64_t)1 << k, word));
#else
    while (k--) word &= word - 1;
    return __builtin_ctzll(word);
#endif
}

/* The members of a set that are wanted, or the whole set where none is. */
static inline uint64_t prefer(uint64_t word, uint64_t wanted) { return word & wanted ? word & wanted : word; }

/* xoshiro256++ over a state of four words: inlined here because half of a playout is drawing numbers. */
static inline uint64_t draw(uint64_t *state) {
    uint64_t sum = state[0] + state[3], shifted = state[1] << 17;
    uint64_t drawn = ((sum << 23) | (sum >> 41)) + state[0];
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = (state[3] << 45) | (state[3] >> 19);
    return drawn;
}

/* The number-th number, from 0, of the sequence splitmix64 that starts at `word`. */
static inline uint64_t split(uint64_t word, uint64_t number) {
    uint64_t z = word + (number + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* A number from 0 to n-1, each equally likely: products of the incomplete last stripe are thrown away. */
static inline uint32_t draw_below(uint64_t *state, uint32_t n) {
    uint64_t product = (draw(state) >> 32) * n;
    if ((uint32_t)product < n) {
        uint32_t floor = -n % n;
        while ((uint32_t)product < floor) product = (draw(state) >> 32) * n;
    }
    return product >> 32;
}
#endif
