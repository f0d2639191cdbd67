#include "method/fronts_host/front.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "base/memory.h"
#include "method/fronts_host/product.h"

/* FEW: columns of a panel that is not divided. STRIP: rows of a strip. SHORT_WORK: numbers that lie on the stack.
 * RELAXED: times that a front of L D L^T without a border halves its threshold. */
enum { FEW = 8, STRIP = 256, SHORT_WORK = 512, RELAXED = 4 };

/* The columns of a block of so many columns' elimination. */
static int64_t block_of(int64_t columns) {
    return columns > 256 ? 128 : columns > 32 ? 32 : FEW;
}

/* The columns before the division of a triangle of so many columns, more than FEW. */
static int64_t half_of(int64_t columns) {
    return (columns / 2 + FEW - 1) / FEW * FEW;
}

/* Rows f of a child's contribution are delayed ones, which come after the parent's own; the border's follow by
 * `relative`. */
typedef struct target {
    int64_t f, m, b;
    void *columns, *rows; /* m x f, f x b */
    void *rest;           /* b x b, of so many bytes */
    size_t rest_bytes;
} target;

#define ELEMENT        double
#define NAME(x)        x##_real
#define PRODUCT(x)     cls_##x##_real
#define SIZE(x)        fabs(x)
#define CONJUGATE(x)   (x)
#define QUOTIENT(x, t) ((x) / (t))
#define REAL_PART(x)   (x)
#define COMPLEX        0
#include "method/fronts_host/front_element.h"
#undef ELEMENT
#undef NAME
#undef PRODUCT
#undef SIZE
#undef CONJUGATE
#undef QUOTIENT
#undef REAL_PART
#undef COMPLEX

#define ELEMENT        double complex
#define NAME(x)        x##_complex
#define PRODUCT(x)     cls_##x##_complex
#define SIZE(x)        cls_size(x)
#define CONJUGATE(x)   conj(x)
#define QUOTIENT(x, t) cls_quotient(x, t)
#define REAL_PART(x)   creal(x)
#define COMPLEX        1
#include "method/fronts_host/front_element.h"

void cls_contribution_free(cls_factors *factors, cls_contribution *contribution) {
    const size_t size = (size_t)contribution->size, element = (size_t)factors->parts * sizeof(double);
    cls_blocks_give(&factors->blocks, (cls_block){contribution->data, contribution->bytes}, size * size * element);
    *contribution = (cls_contribution){0};
}

clsolve_status cls_front_factor(cls_front_run *run, int64_t s, cls_pool *pool) {
    return run->factors->parts == 2 ? factor_complex(run, s, pool) : factor_real(run, s, pool);
}

clsolve_status cls_front_factor_dense(cls_front *front, clsolve_sparse_form form, int64_t parts, double threshold,
                                      cls_pool *pool) {
    for (int64_t k = 0; k < front->f; k++) front->row[k] = front->column[k] = k;
    return parts == 2 ? eliminate_all_complex(front, form, threshold, 1, pool)
                      : eliminate_all_real(front, form, threshold, 1, pool);
}
