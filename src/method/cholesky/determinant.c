/* determinant.c: log |det A| of the factors: the square of the product of L's diagonal. */
#include "method/cholesky/cholesky.h"

#include <math.h>

#include "method/mapped.h"

static clsolve_status multiply_diagonal(cls_cholesky *c, double *mantissa, int64_t *exponent) {
    enum { JOIN = 32 }; /* as in cl/lu_det.cl */
    cls_grid one = {{JOIN, 1, 1}, {JOIN, 1, 1}};
    int64_t words[CLS_RECORD_WORDS];
    cls_measures none;

    c->check.is_mapped = 0;
    for (int64_t j = 0, run; j < c->n; j += run) {
        run = cls_matrix_run(&c->A, j, c->n);
        cls_ref ref = cls_matrix_at(&c->A, 0, j);
        int32_t swapped = 0, more = j > 0;
        cls_arg args[] = {CLS_REF(ref),
                          CLS_VALUE(j),
                          CLS_VALUE(run),
                          CLS_BUFFER(c->info),
                          CLS_VALUE(swapped),
                          CLS_VALUE(more),
                          CLS_BUFFER(c->check.record)};
        CLS_TRY(cls_launch(c->device, CLS_COMPUTE, c->det, &one, CLS_ARGS(args)));
    }
    CLS_TRY(cls_check_read(c->device, &c->check, c->n, &none, words));
    *mantissa = cls_check_real(&c->check, &words[CLS_RECORD_MANTISSA]);
    *exponent = words[CLS_RECORD_EXPONENT];
    return CLSOLVE_OK;
}

clsolve_status cls_cholesky_determinant(cls_cholesky *cholesky, cls_growth *growth) {
    double mantissa[2] = {1, 0};
    int64_t exponent = 0;

    *growth = cls_growth_begin();
    if (cholesky->n == 0) return CLSOLVE_OK;
    const cls_matrix *matrix = cls_cholesky_matrix(cholesky);
    if (matrix->mapped)
        cls_mapped_diagonal(matrix, mantissa, &exponent, &growth->least);
    else
        CLS_TRY(multiply_diagonal(cholesky, &mantissa[0], &exponent));
    growth->log_abs_det = 2 * (log(fabs(mantissa[0])) + (double)exponent * log(2));
    return CLSOLVE_OK;
}
