/*
 * blas_int.h: sizes in the integers of BLAS and LAPACK, which have 32 bits as a rule. A size that was cut to 32 bits
 * would be another size, and the library would compute with other elements without a word. So every size goes through
 * here. The caller asks first whether sizes fit, and cuts columns into runs that do.
 *
 *      if (!CLS_BLAS_FITS(rows, ld)) ...another way...
 *      for (int64_t c = 0, run; c < cols; c += run) {
 *          run = cls_blas_run(cols - c);
 *          cblas_dtrsm(..., cls_blas_int(rows), cls_blas_int(run), ..., cls_blas_int(ld));
 *      }
 */
#ifndef CLS_BLAS_INT_H
#define CLS_BLAS_INT_H

#include <limits.h>
#include <stdint.h>

/* The longest run: a multiple of all blocks. */
#define CLS_BLAS_RUN (INT64_C(1) << 30)

static inline int cls_blas_fit(const int64_t *sizes, int count) {
    for (int s = 0; s < count; ++s)
        if (sizes[s] < 0 || sizes[s] > INT_MAX) return 0;
    return 1;
}

/* Whether all of these sizes and leading dimensions fit. */
#define CLS_BLAS_FITS(...)                                                                                             \
    cls_blas_fit((const int64_t[]){__VA_ARGS__}, (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))

/* How many of so many columns, or elements of a vector, one call takes. */
static inline int64_t cls_blas_run(int64_t left) {
    return left < CLS_BLAS_RUN ? left : CLS_BLAS_RUN;
}

/* A size that fits. Another one becomes -1, which BLAS and LAPACK refuse: it is never taken for a smaller one. */
static inline int cls_blas_int(int64_t size) {
    return size >= 0 && size <= INT_MAX ? (int)size : -1;
}

#endif
