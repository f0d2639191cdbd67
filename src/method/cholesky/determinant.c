/* determinant.c: log |det A| of the factors: the square of the product of L's diagonal. */
#include "method/cholesky/cholesky.h"

#include <math.h>

#include "method/mapped.h"

clsolve_status cls_cholesky_multiply_diagonal(cls_cholesky *cholesky) {
    enum { JOIN = 32 }; /* as in cl/measure.cl */
    cls_cholesky *c = cholesky;
    cls_grid one = {{JOIN, 1, 1}, {JOIN, 1, 1}};

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
    return CLSOLVE_OK;
}

/* ln of the square of mantissa * 2^exponent. */
static double log_of_square(double mantissa, int64_t exponent) {
    return 2 * (log(fabs(mantissa)) + (double)exponent * log(2));
}

void cls_cholesky_take_determinant(const cls_cholesky *cholesky, const int64_t *record, cls_growth *growth) {
    const double mantissa = cls_check_real(&cholesky->check, &record[CLS_RECORD_MANTISSA]);
    *growth = cls_growth_begin();
    growth->log_abs_det = log_of_square(mantissa, record[CLS_RECORD_EXPONENT]);
}

clsolve_status cls_cholesky_determinant(cls_cholesky *cholesky, cls_growth *growth) {
    double mantissa[2] = {1, 0};
    int64_t exponent = 0, words[CLS_RECORD_WORDS];
    cls_measures none;

    *growth = cls_growth_begin();
    if (cholesky->n == 0) return CLSOLVE_OK;
    const cls_matrix *matrix = cls_cholesky_matrix(cholesky);
    if (matrix->mapped) {
        cls_mapped_diagonal(matrix, mantissa, &exponent, &growth->least);
        growth->log_abs_det = log_of_square(mantissa[0], exponent);
        return CLSOLVE_OK;
    }
    CLS_TRY(cls_cholesky_multiply_diagonal(cholesky));
    CLS_TRY(cls_check_read(cholesky->device, &cholesky->check, cholesky->n, &none, words));
    cls_cholesky_take_determinant(cholesky, words, growth);
    return CLSOLVE_OK;
}
