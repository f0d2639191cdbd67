/*
 * type.h: what a type of elements is made of; the one place that says it.
 *
 *      type           element             size   real type      parts
 *      CLSOLVE_F32    float                  4   CLSOLVE_F32        1
 *      CLSOLVE_F64    double                 8   CLSOLVE_F64        1
 *      CLSOLVE_C32    float _Complex         8   CLSOLVE_F32        2
 *      CLSOLVE_C64    double _Complex       16   CLSOLVE_F64        2
 *
 * A complex element lies as its real part and its imaginary part, one behind the other. So a column of n complex
 * elements is one of 2 n real numbers.
 */
#ifndef CLS_TYPE_H
#define CLS_TYPE_H

#include <float.h>

#include <clsolve/matrix.h>

enum { CLS_TYPES = 4 }; /* of them, from CLSOLVE_F32 on */

static inline int cls_type_is_known(clsolve_type type) {
    return type >= CLSOLVE_F32 && type <= CLSOLVE_C64;
}

static inline int cls_is_complex(clsolve_type type) {
    return type == CLSOLVE_C32 || type == CLSOLVE_C64;
}

/* Its real numbers are doubles, else floats. */
static inline int cls_is_double(clsolve_type type) {
    return type == CLSOLVE_F64 || type == CLSOLVE_C64;
}

static inline clsolve_type cls_real_type(clsolve_type type) {
    return cls_is_double(type) ? CLSOLVE_F64 : CLSOLVE_F32;
}

/* The type in float: what factors of mixed precision have. */
static inline clsolve_type cls_single_type(clsolve_type type) {
    return cls_is_complex(type) ? CLSOLVE_C32 : CLSOLVE_F32;
}

/* And in double: that of vectors on the host. */
static inline clsolve_type cls_double_type(clsolve_type type) {
    return cls_is_complex(type) ? CLSOLVE_C64 : CLSOLVE_F64;
}

static inline int64_t cls_lesser(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Calls the one of name_f32, name_f64, name_c32 and name_c64 that is for the type. */
#define CLS_FOR_TYPE(type, name, ...)                                                                                  \
    ((type) == CLSOLVE_F32   ? name##_f32(__VA_ARGS__)                                                                 \
     : (type) == CLSOLVE_F64 ? name##_f64(__VA_ARGS__)                                                                 \
     : (type) == CLSOLVE_C32 ? name##_c32(__VA_ARGS__)                                                                 \
                             : name##_c64(__VA_ARGS__))

/* The operation that is the inverse's 1-norm partner: the transpose, of complex elements the conjugate one. */
static inline clsolve_op cls_adjoint(clsolve_type type) {
    return cls_is_complex(type) ? CLSOLVE_CONJ_TRANS : CLSOLVE_TRANS;
}

/* Real numbers in an element. */
static inline int64_t cls_type_parts(clsolve_type type) {
    return cls_is_complex(type) ? 2 : 1;
}

/* Bytes of an element. */
static inline int64_t cls_type_size(clsolve_type type) {
    return (cls_is_double(type) ? 8 : 4) * cls_type_parts(type);
}

/*
 * The most elements that the arrays of a call may have, gaps between lines too. Then all sums of sizes that a method
 * forms are numbers of 64 bits, in bytes of the largest element too: 16 bytes, and 64 arrays of them.
 */
#define CLS_MOST_ELEMENTS (INT64_C(1) << 53)

/* Whether an array of so many lines, `pitch` elements apart, has no more. */
static inline int cls_is_countable(int64_t lines, int64_t pitch) {
    return lines <= CLS_MOST_ELEMENTS && pitch <= CLS_MOST_ELEMENTS / (lines > 1 ? lines : 1);
}

/* For the type's real numbers: the distance from 1 to the next one, the smallest normal one, the largest one. */
static inline double cls_type_epsilon(clsolve_type type) {
    return cls_is_double(type) ? DBL_EPSILON : (double)FLT_EPSILON;
}

static inline double cls_type_least(clsolve_type type) {
    return cls_is_double(type) ? DBL_MIN : (double)FLT_MIN;
}

static inline double cls_type_most(clsolve_type type) {
    return cls_is_double(type) ? DBL_MAX : (double)FLT_MAX;
}

/* Real number k of an array. */
static inline double cls_type_get(clsolve_type type, const void *array, int64_t k) {
    return cls_is_double(type) ? ((const double *)array)[k] : (double)((const float *)array)[k];
}

static inline void cls_type_put(clsolve_type type, void *array, int64_t k, double value) {
    if (cls_is_double(type))
        ((double *)array)[k] = value;
    else
        ((float *)array)[k] = (float)value;
}

/* Is element 0 of the array zero, in all parts? */
static inline int cls_type_is_zero(clsolve_type type, const void *element) {
    return cls_type_get(type, element, 0) == 0 && (!cls_is_complex(type) || cls_type_get(type, element, 1) == 0);
}

/* "f32", "c64"; in messages "no type" for another one. */
static inline const char *cls_type_name(clsolve_type type) {
    static const char *const names[] = {"no type", "f32", "f64", "c32", "c64"};
    return names[cls_type_is_known(type) ? type : 0];
}

/* Behind the number of a wrong type: 0 is a view that was not filled in, or of arrays in Fortran that have none. */
static inline const char *cls_type_hint(clsolve_type type) {
    return type ? "" : " (in Fortran: the arrays have gaps, run backwards, or do not fit each other)";
}

#endif
