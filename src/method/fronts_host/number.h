/* number.h (private): an element of a sparse matrix, real or complex, where one way serves both. */
#ifndef CLS_FRONTS_HOST_NUMBER_H
#define CLS_FRONTS_HOST_NUMBER_H

#include <float.h>
#include <math.h>
#include <stdint.h>

typedef struct number {
    double re, im;
} number;

/* Element k of an array of doubles, one or two an element. */
static inline number get(const double *x, int64_t k, int64_t parts) {
    return (number){x[k * parts], parts == 2 ? x[k * parts + 1] : 0};
}

static inline double absolute(number x) {
    return x.im == 0 ? fabs(x.re) : hypot(x.re, x.im);
}

/* The largest absolute value of n elements; NaN stays. */
static inline double largest(const double *x, int64_t n, int64_t parts) {
    double most = 0;
    for (int64_t k = 0; k < n && parts == 1; k++) most = fabs(x[k]) > most || isnan(x[k]) ? fabs(x[k]) : most;
    if (parts == 1) return most;
    for (int64_t k = 0; k < n; k++) {
        const double size = absolute(get(x, k, parts));
        if (size > most || isnan(size)) most = size;
    }
    return most;
}

static inline int all_finite(const double *x, int64_t count) {
    int finite = 1;
    for (int64_t k = 0; k < count; k++) finite &= fabs(x[k]) <= DBL_MAX;
    return finite;
}

#endif
