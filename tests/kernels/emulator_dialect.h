/*
 * emulator_dialect.h: the words of cl/dialect.clh as the emulator has them, for a kernel's text to stand behind. Wants CLS_DOUBLE and
 * the number of work-items of a group, ITEMS_OF_GROUP. NO_LANES, NO_COPIES_AHEAD: as a device without them.
 * SUB_GROUPS: as one with sub-groups.
 */
#ifndef CLSOLVE_TEST_EMULATOR_DIALECT_H
#define CLSOLVE_TEST_EMULATOR_DIALECT_H

#include "kernels/emulator.h"

#include <math.h>
#include <string.h>

typedef int64_t idx_t;
typedef uint64_t wide_t;
#if CLS_DOUBLE
typedef double REAL;
typedef uint64_t REAL_BITS;
#define REAL_EXPONENT ((REAL_BITS)0x7ff0000000000000)
#define REAL_SIGN     ((REAL_BITS)0x8000000000000000)
#define ABS(x)        fabs(x)
#else
typedef float REAL;
typedef uint32_t REAL_BITS;
#define REAL_EXPONENT ((REAL_BITS)0x7f800000)
#define REAL_SIGN     ((REAL_BITS)0x80000000)
#define ABS(x)        fabsf(x)
#endif
typedef struct REAL2 {
    REAL x, y;
} REAL2;

static inline REAL_BITS to_bits(REAL x) {
    REAL_BITS bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline REAL from_bits(REAL_BITS bits) {
    REAL x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline void store_pair(unsigned address, REAL x, REAL y) {
    REAL2 pair = {x, y};
    emulator_store_local(address, &pair, sizeof pair);
}

static inline unsigned highest_bit(unsigned x) {
    unsigned bit = 0;
    while (x >>= 1) bit++;
    return bit;
}

static inline REAL get_real(REAL x, unsigned lane) {
    const uint64_t bits = to_bits(x);
    const unsigned low = emulator_lanes(EMULATOR_GET, (unsigned)bits, lane);
    const unsigned high = CLS_DOUBLE ? emulator_lanes(EMULATOR_GET, (unsigned)(bits >> 32), lane) : 0;
    return from_bits((REAL_BITS)((uint64_t)high << 32 | low));
}

#define REAL_TO_BITS(x) to_bits(x)
#define BITS_TO_REAL(x) from_bits((REAL_BITS)(x))
#define KERNEL          static
#define WORK_GROUP(x, y, z)
#define UNROLL
#define HELPER  static inline
#define INLINED static inline
#define GLOBAL
#define LOCAL_PTR
#define RESTRICT                             restrict
#define LOCAL_ARRAY(type, name, count)       type *const name = emulator_local(#name, sizeof(type) * (count))
#define LOCAL_ADDRESS(p)                     emulator_local_address(p)
#define STORE_LOCAL_PAIR(tag, address, x, y) store_pair(address, x, y)
#define LOCAL_ID(d)                          emulator_item()
#define GROUP_ID(d)                          emulator_group()
#define GROUPS(d)                            emulator_groups()
#define BARRIER()                            emulator_barrier(0, ITEMS_OF_GROUP)
#define LOCAL_BARRIER()                      BARRIER()
#define PART_BARRIER(number, items)          emulator_barrier(number, items)

#define PAIR_OF_WORDS              emulator_words
#define STORE_WORDS(p, a, b, c, d) emulator_store_words(p, a, b, c, d)
#define LOAD_WORDS(p, a, b, c, d)                                                                                      \
    do {                                                                                                               \
        const emulator_words loaded = emulator_load_words(p);                                                          \
        (a) = loaded.x;                                                                                                \
        (b) = loaded.y;                                                                                                \
        (c) = loaded.z;                                                                                                \
        (d) = loaded.w;                                                                                                \
    } while (0)

#ifndef NO_LANES
#define LANES                      EMULATOR_LANES
#define LANES_MAX(x)               emulator_lanes(EMULATOR_MAX, x, 0)
#define LANES_MIN(x)               emulator_lanes(EMULATOR_MIN, x, 0)
#define LANES_VOTE(c)              emulator_lanes(EMULATOR_VOTE, (c) != 0, 0)
#define LANES_GET(x, lane)         emulator_lanes(EMULATOR_GET, x, lane)
#define LANE_XOR(x, mask)          emulator_lanes(EMULATOR_GET, x, (unsigned)(emulator_item() % LANES) ^ (unsigned)(mask))
#define LANES_GET_REAL(x, lane)    get_real(x, lane)
#define LANES_GET_ELEMENT(x, lane) EACH_PART(LANES_GET_REAL, x, lane)
#define LANES_SYNC()               (void)emulator_lanes(EMULATOR_SYNC, 0, 0)
#define HIGHEST_BIT(x)             highest_bit(x)
#define RSQRT(x)                   rsqrt(x)
#endif

#ifdef SUB_GROUPS
#define SUB_GROUP_MAX(x) ((__typeof__(x))emulator_sub_group(EMULATOR_LARGEST, (uint64_t)(x)))
#define SUB_GROUP_MIN(x) ((__typeof__(x))emulator_sub_group(EMULATOR_SMALLEST, (uint64_t)(x)))
#define SUB_GROUP_LANE   emulator_sub_group_lane()
#define SUB_GROUP_SIZE   emulator_sub_group_size()
#define SUB_GROUP_ID     emulator_sub_group_id()
#define SUB_GROUP_COUNT  emulator_sub_group_count()
#endif

#define LOCAL_BASE       REAL *
#define LOCAL_BASE_OF(p) (p)
#ifdef NO_COPIES_AHEAD
#define LOCAL_COPY(base, at, from, there, wanted)                                                                      \
    do {                                                                                                               \
        if (wanted) (base)[at] = (there) ? *(from) : (REAL)0;                                                          \
    } while (0)
#define LOCAL_COPY_COMMIT()
#define LOCAL_COPY_WAIT(count)
#else
#define COPIES_AHEAD
#define LOCAL_COPY(base, at, from, there, wanted)                                                                      \
    do {                                                                                                               \
        if (wanted) emulator_copy((base) + (at), (there) ? (from) : NULL, sizeof(REAL));                               \
    } while (0)
#define LOCAL_COPY_COMMIT()    emulator_copy_commit()
#define LOCAL_COPY_WAIT(count) emulator_copy_wait(count)
#endif

#if !CLS_DOUBLE /* kernels have one name for both types */
#define ldexp(x, e) ldexpf(x, e)
#define frexp(x, e) frexpf(x, e)
#define hypot(x, y) hypotf(x, y)
#endif
#include "../cl/elements.clh"

/* Signs and pragmas as kernels are written; what one form has no use for. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wmisleading-indentation"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#pragma GCC diagnostic ignored "-Wunused-function"

#endif
