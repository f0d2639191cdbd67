/*
 * random.h: xoshiro256** (D. Blackman and S. Vigna, Scrambled Linear Pseudorandom Number Generators, ACM TOMS 47,
 * 2021), seeded by splitmix64: integers only, so the same seed gives the same numbers on every machine.
 */
#ifndef CLS_RANDOM_H
#define CLS_RANDOM_H

#include <stdint.h>

typedef struct random_state {
    uint64_t s[4];
} random_state;

static inline random_state random_start(uint64_t seed) {
    random_state state;
    for (int i = 0; i < 4; i++) {
        uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        state.s[i] = z ^ (z >> 31);
    }
    return state;
}

static inline uint64_t random_rotate(uint64_t x, int by) {
    return (x << by) | (x >> (64 - by));
}

static inline uint64_t random_bits(random_state *state) {
    uint64_t *s = state->s;
    const uint64_t result = random_rotate(s[1] * 5, 7) * 9;
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = random_rotate(s[3], 45);
    return result;
}

/* Uniform in [-1, 1): 53 random bits, of which the top one becomes the sign. Exact, no rounding. */
static inline double random_signed(random_state *state) {
    const int64_t bits = (int64_t)(random_bits(state) >> 11) - (INT64_C(1) << 52);
    return (double)bits / 4503599627370496.0; /* 2^52 */
}

/* Uniform in 0 .. count-1, count > 0: what would favour the low numbers is drawn again. */
static inline uint64_t random_below(random_state *state, uint64_t count) {
    const uint64_t biased = (UINT64_MAX - count + 1) % count; /* 2^64 mod count */
    uint64_t bits;
    do {
        bits = random_bits(state);
    } while (bits < biased);
    return bits % count;
}

#endif
