/*
 * sized.h: non-negative numbers with an exponent of their own, for products and quotients of norms whose factors may
 * lie at either end of double's range.
 */
#ifndef CLS_SIZED_H
#define CLS_SIZED_H

#include <math.h>

/* fraction * 2^exponent; a fraction that is no finite number says that the whole is none. */
typedef struct cls_sized {
    double fraction;
    int exponent;
} cls_sized;

static inline cls_sized cls_sized_of(double value) {
    cls_sized v = {value, 0};
    if (isfinite(value) && value > 0) v.fraction = frexp(value, &v.exponent);
    return v;
}

static inline cls_sized cls_sized_product(cls_sized a, cls_sized b) {
    cls_sized product = cls_sized_of(a.fraction * b.fraction);
    product.exponent += a.exponent + b.exponent;
    return product;
}

static inline cls_sized cls_sized_sum(cls_sized a, cls_sized b) {
    if (a.fraction == 0) return b;
    if (b.fraction == 0) return a;
    const cls_sized large = a.exponent < b.exponent ? b : a, small = a.exponent < b.exponent ? a : b;
    cls_sized sum = cls_sized_of(large.fraction + ldexp(small.fraction, small.exponent - large.exponent));
    sum.exponent += large.exponent;
    return sum;
}

/* Inf where that is no double. */
static inline double cls_sized_value(cls_sized a) {
    return ldexp(a.fraction, a.exponent);
}

/* 0 / 0 counts as 0. */
static inline double cls_sized_quotient(cls_sized a, cls_sized b) {
    if (a.fraction == 0 && b.fraction == 0) return 0;
    return ldexp(a.fraction / b.fraction, a.exponent - b.exponent);
}

#endif
