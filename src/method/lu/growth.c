/* growth.c: growth and determinant of L\U. */
#include "method/lu/direct.h"

#include <math.h>

#include "method/mapped.h"

enum { JOIN = 32 }; /* as in cl/measure.cl */

static clsolve_status enqueue_det(cls_lu *lu, int64_t begin, int64_t end, int joins) {
    cls_device *device = lu->device;
    cls_grid one = {{JOIN, 1, 1}, {JOIN, 1, 1}};

    for (int64_t j = begin, run; j < end; j += run) {
        run = cls_matrix_run(&lu->A, j, end);
        cls_ref ref = cls_matrix_at(&lu->A, 0, j);
        int32_t more = joins || j > begin,
                swapped = !lu->panel.hybrid && !lu->rbt.on; /* hybrid's pivots are on the host */
        cls_arg args[] = {CLS_REF(ref),
                          CLS_VALUE(j),
                          CLS_VALUE(run),
                          CLS_BUFFER(lu->panel.ipiv),
                          CLS_VALUE(swapped),
                          CLS_VALUE(more),
                          CLS_BUFFER(lu->check.record)};
        CLS_TRY(cls_launch(device, CLS_COMPUTE, lu->det, &one, CLS_ARGS(args)));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_lu_growth_enqueue(cls_lu *lu, int64_t begin, int64_t end, int more) {
    CLS_TRY(cls_check_enqueue_more(lu->device, &lu->check, &lu->A, begin, end, CLS_CHECK_UPPER, more));
    return enqueue_det(lu, begin, end, more);
}

/* The determinant of a mapped matrix, or of what was enqueued. */
static void read_det(cls_lu *lu, int64_t *words, double mantissa[2], double *least) {
    *least = (double)INFINITY;
    if (lu->A.mapped) {
        cls_mapped_diagonal(&lu->A, mantissa, &words[CLS_RECORD_EXPONENT], least);
    } else {
        mantissa[0] = cls_check_real(&lu->check, &words[CLS_RECORD_MANTISSA]);
        mantissa[1] = cls_check_imaginary(&lu->check, &words[CLS_RECORD_MANTISSA]);
    }
}

clsolve_status cls_lu_growth_read(cls_lu *lu, double sign, cls_growth *growth) {
    int64_t words[CLS_RECORD_WORDS];
    cls_measures measures;
    double mantissa[2], least;

    CLS_TRY(cls_check_read(lu->device, &lu->check, lu->n, &measures, words));
    read_det(lu, words, mantissa, &least);
    growth->least = fmin(growth->least, least);
    if (growth->row < 0) {
        growth->row = measures.row;
        growth->column = measures.column;
    }
    growth->largest = fmax(growth->largest, measures.largest);
    cls_growth_multiply(growth, cls_is_complex(lu->type), sign * mantissa[0], sign * mantissa[1],
                        (double)words[CLS_RECORD_EXPONENT]);
    return CLSOLVE_OK;
}

clsolve_status cls_lu_growth_columns(cls_lu *lu, int64_t begin, int64_t end, cls_growth *growth) {
    double sign = 1;

    if (lu->A.mapped)
        CLS_TRY(cls_check_enqueue(lu->device, &lu->check, &lu->A, lu->n, CLS_CHECK_UPPER));
    else
        CLS_TRY(cls_lu_growth_enqueue(lu, begin, end, 0));
    for (int64_t i = begin; lu->panel.hybrid && !lu->rbt.on && i < end; ++i)
        if (lu->panel.host_pivots[i] != i + 1) sign = -sign;
    return cls_lu_growth_read(lu, sign, growth);
}

clsolve_status cls_lu_growth(cls_lu *lu, cls_growth *growth) {
    *growth = cls_growth_begin();
    if (lu->n == 0) return CLSOLVE_OK;
    CLS_TRY(cls_lu_growth_columns(lu, 0, lu->n, growth));
    if (lu->rbt.on) growth->log_abs_det -= lu->rbt.log_det; /* det W^T A V has those two in it */
    return CLSOLVE_OK;
}
