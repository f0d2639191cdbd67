/*
 * elements_host.h: complex elements on the host, for code that is included once for each type: element_c64 and
 * element_c32, and the words of elements_words.h that are more than an expression.
 */
#ifndef CLS_ELEMENTS_HOST_H
#define CLS_ELEMENTS_HOST_H

#include <math.h>

typedef struct element_c64 {
    double x, y;
} element_c64;

typedef struct element_c32 {
    float x, y;
} element_c32;

static inline double larger_part_c64(element_c64 a) {
    return fabs(a.x) > fabs(a.y) ? fabs(a.x) : fabs(a.y);
}

static inline float larger_part_c32(element_c32 a) {
    return fabsf(a.x) > fabsf(a.y) ? fabsf(a.x) : fabsf(a.y);
}

static inline element_c64 quotient_of_middle(element_c64 a, element_c64 b) {
    const double d = b.x * b.x + b.y * b.y;
    return (element_c64){(a.x * b.x + a.y * b.y) / d, (a.y * b.x - a.x * b.y) / d};
}

static inline int is_middle(element_c64 a) {
    return larger_part_c64(a) < 0x1p400 && larger_part_c64(a) > 0x1p-400;
}

/* Both are brought to size 1 where a square might leave the range. */
static inline element_c64 over_c64(element_c64 a, element_c64 b) {
    int of_a = 0, of_b = 0;
    if (is_middle(b) && (is_middle(a) || (a.x == 0 && a.y == 0))) return quotient_of_middle(a, b);
    if (!isfinite(larger_part_c64(a)) || !isfinite(larger_part_c64(b))) return quotient_of_middle(a, b);
    (void)frexp(larger_part_c64(a), &of_a);
    (void)frexp(larger_part_c64(b), &of_b);
    const element_c64 p = {ldexp(a.x, -of_a), ldexp(a.y, -of_a)}, q = {ldexp(b.x, -of_b), ldexp(b.y, -of_b)};
    const element_c64 c = quotient_of_middle(p, q);
    return (element_c64){ldexp(c.x, of_a - of_b), ldexp(c.y, of_a - of_b)};
}

/* No square of a float leaves the range of double. */
static inline element_c32 over_c32(element_c32 a, element_c32 b) {
    const element_c64 p = {(double)a.x, (double)a.y}, q = {(double)b.x, (double)b.y}, c = quotient_of_middle(p, q);
    return (element_c32){(float)c.x, (float)c.y};
}

#endif
