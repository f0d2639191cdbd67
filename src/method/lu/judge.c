#include "method/lu/trust.h"

#include <float.h>
#include <math.h>

#include "method/lu/out_of_core.h"
#include "method/mapped.h"

enum { JOIN = 32 }; /* as in cl/lu_det.cl */

static clsolve_status enqueue_det(cls_lu *lu, int64_t begin, int64_t end) {
    cls_device *device = lu->device;
    cls_grid one = {{JOIN, 1, 1}, {JOIN, 1, 1}};

    for (int64_t j = begin, run; j < end; j += run) {
        run = cls_matrix_run(&lu->A, j, end);
        cls_ref ref = cls_matrix_at(&lu->A, 0, j);
        int32_t more = j > begin, swapped = !lu->hybrid && !lu->rbt.on; /* hybrid's pivots are on the host */
        cls_arg args[] = {CLS_BUFFER(ref.buffer), CLS_VALUE(ref.offset), CLS_VALUE(ref.ld),
                          CLS_VALUE(j),           CLS_VALUE(run),        CLS_BUFFER(lu->ipiv),
                          CLS_VALUE(swapped),     CLS_VALUE(more),       CLS_BUFFER(lu->check.record)};
        CLS_TRY(device->ops->launch(device, CLS_COMPUTE, lu->det, &one, args, 9, NULL, NULL));
    }
    return CLSOLVE_OK;
}

cls_lu_verdict cls_lu_verdict_begin(void) {
    return (cls_lu_verdict){.row = -1, .column = -1, .sign = 1, .known = 1}; /* the empty product is 1 */
}

clsolve_status cls_lu_judge_columns(cls_lu *lu, int64_t begin, int64_t end, cls_lu_verdict *verdict) {
    int64_t words[CLS_RECORD_WORDS];
    cls_measures measures;

    if (lu->A.mapped) {
        CLS_TRY(cls_check_enqueue(lu->device, &lu->check, &lu->A, lu->n, 1));
    } else {
        CLS_TRY(cls_check_enqueue_columns(lu->device, &lu->check, &lu->A, begin, end, 1));
        CLS_TRY(enqueue_det(lu, begin, end));
    }
    CLS_TRY(cls_check_read(lu->device, &lu->check, lu->n, &measures, words));
    double mantissa = lu->A.mapped ? cls_mapped_diagonal(&lu->A, &words[CLS_RECORD_EXPONENT])
                                   : cls_check_real(&lu->check, &words[CLS_RECORD_MANTISSA]);
    for (int64_t i = begin; lu->hybrid && !lu->rbt.on && i < end; ++i)
        if (lu->host_pivots[i] != i + 1) mantissa = -mantissa;
    if (verdict->row < 0) {
        verdict->row = measures.row;
        verdict->column = measures.column;
    }
    verdict->largest = fmax(verdict->largest, measures.largest);
    verdict->sign *= (mantissa > 0) - (mantissa < 0);
    verdict->log_abs_det += log(fabs(mantissa)) + (double)words[CLS_RECORD_EXPONENT] * log(2);
    if (verdict->sign == 0) verdict->log_abs_det = -(double)INFINITY;
    return CLSOLVE_OK;
}

clsolve_status cls_lu_judge(cls_lu *lu, cls_lu_verdict *verdict) {
    *verdict = cls_lu_verdict_begin();
    if (lu->n == 0) return CLSOLVE_OK;
    CLS_TRY(cls_lu_judge_columns(lu, 0, lu->n, verdict));
    if (lu->rbt.on) verdict->log_abs_det -= lu->rbt.log_det; /* det W^T A V has those two in it */
    return CLSOLVE_OK;
}

/* Only float factors are mended: double ones have a zero pivot for a reason. */
clsolve_status cls_lu_mend(cls_lu *lu, double largest) {
    cls_device *device = lu->device;
    float value = (float)(FLT_EPSILON * largest);

    if (lu->A.mapped || lu->out.slab > 0) {
        cls_matrix factors = lu->A.mapped ? lu->A : cls_lu_out_matrix(lu);
        cls_mapped_mend(&factors, (double)value);
        return CLSOLVE_OK;
    }
    for (int64_t j = 0, run; j < lu->n; j += run) {
        run = cls_matrix_run(&lu->A, j, lu->n);
        cls_ref ref = cls_matrix_at(&lu->A, 0, j);
        cls_grid grid = {{(size_t)((run + JOIN - 1) / JOIN * JOIN), 1, 1}, {JOIN, 1, 1}};
        cls_arg args[] = {CLS_BUFFER(ref.buffer), CLS_VALUE(ref.offset), CLS_VALUE(ref.ld),
                          CLS_VALUE(j),           CLS_VALUE(run),        CLS_VALUE(value)};
        CLS_TRY(device->ops->launch(device, CLS_COMPUTE, lu->mend, &grid, args, 6, NULL, NULL));
    }
    return CLSOLVE_OK;
}
