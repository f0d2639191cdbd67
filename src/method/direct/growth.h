/* growth.h: what one pass over the factors finds: growth and determinant. */
#ifndef CLS_GROWTH_H
#define CLS_GROWTH_H

#include <math.h>
#include <stdint.h>

typedef struct cls_growth {
    int64_t row, column; /* of the first NaN or Inf in the factors; -1 when all is finite */
    double largest;      /* max |u(i,j)| */
    double least;        /* min |u(i,i)| but for zeros, of complex ones of the larger part; Inf: not known */
    double log_abs_det;  /* natural; -Inf when a pivot is zero */
    int sign;            /* of the determinant: -1, 0, 1; of complex factors 0 or 1 */
    double phase;        /* of complex factors: the determinant's argument */
    int known;           /* whether all of this has been computed */
} cls_growth;

/* The growth of no columns yet: the empty product is 1. */
static inline cls_growth cls_growth_begin(void) {
    return (cls_growth){.row = -1, .column = -1, .least = (double)INFINITY, .sign = 1, .known = 1};
}

/* The determinant becomes mantissa 2^exponent times it. The mantissa is re, of complex factors re + i im. */
static inline void cls_growth_multiply(cls_growth *growth, int is_complex, double re, double im, double exponent) {
    const double pi = 3.14159265358979323846;
    growth->sign *= is_complex ? re != 0 || im != 0 : (re > 0) - (re < 0);
    growth->log_abs_det += log(is_complex ? hypot(re, im) : fabs(re)) + exponent * log(2);
    if (is_complex) growth->phase = remainder(growth->phase + atan2(im, re), 2 * pi);
    if (growth->sign != 0) return;
    growth->log_abs_det = -(double)INFINITY;
    growth->phase = 0;
}

/* max |u(i,j)| / max |a(i,j)|: no product of the two, which may be beyond the range. 1 for a matrix of zeros. */
static inline double cls_growth_ratio(const cls_growth *growth, double largest) {
    return largest > 0 ? growth->largest / largest : 1;
}

/* The growth where there are no factors. */
static inline cls_growth cls_growth_unknown(void) {
    return (cls_growth){.row = -1, .column = -1, .least = (double)INFINITY};
}

#endif
