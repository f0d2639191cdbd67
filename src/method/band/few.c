#include "method/band/few.h"

#include <math.h>

#include "base/clones.h"

#define CLS_FEW_CLONES CLS_CLONES

/* ---- real ---- */

#define ELEMENT                   REAL
#define ZERO                      0
#define IS_ZERO(a)                ((a) == 0)
#define LARGER_PART(a)            SIZE(a)
#define OVER(a, b)                ((a) / (b))
#define LESS_PRODUCT(a, l, u)     ((a) - (l) * (u))
#define LESS_PRODUCTS(a, l, u, i) ((a) - (l##0 [i] * u##0 + l##1 [i] * u##1 + (l##2 [i] * u##2 + l##3 [i] * u##3)))

#define REAL    double
#define SIZE(x) fabs(x)
#define NAME(x) x##_f64
#include "method/band/few_element.h"
#undef REAL
#undef SIZE
#undef NAME

#define REAL    float
#define SIZE(x) fabsf(x)
#define NAME(x) x##_f32
#include "method/band/few_element.h"
#undef REAL
#undef SIZE
#undef NAME
#undef ELEMENT
#undef ZERO
#undef IS_ZERO
#undef LARGER_PART
#undef OVER
#undef LESS_PRODUCT
#undef LESS_PRODUCTS

/* ---- complex ---- */

#define ELEMENT               NAME(element)
#define ZERO                  ((ELEMENT){0, 0})
#define IS_ZERO(a)            ((a).x == 0 && (a).y == 0)
#define SIZE(a)               (ABSOLUTE((a).x) + ABSOLUTE((a).y))
#define LARGER_PART(a)        NAME(larger_part)(a)
#define OVER(a, b)            NAME(over)(a, b)
#define LESS_PRODUCT(a, l, u) ((ELEMENT){(a).x - (l).x * (u).x + (l).y * (u).y, (a).y - (l).x * (u).y - (l).y * (u).x})
#define LESS_PRODUCTS(a, l, u, i)                                                                                      \
    LESS_PRODUCT(LESS_PRODUCT(LESS_PRODUCT(LESS_PRODUCT(a, l##0 [i], u##0), l##1 [i], u##1), l##2 [i], u##2),          \
                 l##3 [i], u##3)

/* The parts of a matrix's complex element. */
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

static inline element_c64 quotient(element_c64 a, element_c64 b) {
    const double d = b.x * b.x + b.y * b.y;
    return (element_c64){(a.x * b.x + a.y * b.y) / d, (a.y * b.x - a.x * b.y) / d};
}

static inline int in_the_middle(element_c64 a) {
    return larger_part_c64(a) < 0x1p400 && larger_part_c64(a) > 0x1p-400;
}

/* Both are brought to size 1 where a square might leave the range. */
static inline element_c64 over_c64(element_c64 a, element_c64 b) {
    int of_a = 0, of_b = 0;
    if (in_the_middle(b) && (in_the_middle(a) || IS_ZERO(a))) return quotient(a, b);
    if (!isfinite(larger_part_c64(a)) || !isfinite(larger_part_c64(b))) return quotient(a, b);
    (void)frexp(larger_part_c64(a), &of_a);
    (void)frexp(larger_part_c64(b), &of_b);
    const element_c64 p = {ldexp(a.x, -of_a), ldexp(a.y, -of_a)}, q = {ldexp(b.x, -of_b), ldexp(b.y, -of_b)};
    const element_c64 c = quotient(p, q);
    return (element_c64){ldexp(c.x, of_a - of_b), ldexp(c.y, of_a - of_b)};
}

/* No square of a float leaves the range of double. */
static inline element_c32 over_c32(element_c32 a, element_c32 b) {
    const element_c64 c = quotient((element_c64){(double)a.x, (double)a.y}, (element_c64){(double)b.x, (double)b.y});
    return (element_c32){(float)c.x, (float)c.y};
}

#define REAL        double
#define ABSOLUTE(x) fabs(x)
#define NAME(x)     x##_c64
#include "method/band/few_element.h"
#undef REAL
#undef ABSOLUTE
#undef NAME

#define REAL        float
#define ABSOLUTE(x) fabsf(x)
#define NAME(x)     x##_c32
#include "method/band/few_element.h"

/* ---- by type ---- */

const cls_few *cls_few_of(clsolve_type type) {
    static const cls_few real[] = {{factor_f32, largest_of_f32, solve_f32, solve_transposed_f32},
                                   {factor_f64, largest_of_f64, solve_f64, solve_transposed_f64}};
    static const cls_few pairs[] = {{factor_c32, largest_of_c32, solve_c32, solve_transposed_c32},
                                    {factor_c64, largest_of_c64, solve_c64, solve_transposed_c64}};
    return cls_is_complex(type) ? &pairs[cls_is_double(type)] : &real[cls_is_double(type)];
}
