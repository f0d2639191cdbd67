/* take.c: A to where it is factored: measured, and scaled where the options or its size ask for it. */
#include "base/clock.h"
#include "method/arrival.h"
#include "method/lu/direct.h"
#include "method/lu/out_of_core.h"
#include "method/lu/rbt.h"
#include "method/mapped.h"

static clsolve_status measure(cls_lu *lu, cls_measures *measures) {
    CLS_TRY(cls_check_enqueue(lu->device, &lu->check, &lu->A, lu->n, CLS_CHECK_WHOLE));
    return cls_check_read(lu->device, &lu->check, lu->n, measures, NULL);
}

static clsolve_status take(cls_lu *lu, const clsolve_matrix *A, cls_measures *measures) {
    if (!lu->entries && cls_check_takes(A, &lu->A)) {
        cls_check_take(lu->device, &lu->check, A, &lu->A);
        return cls_check_read(lu->device, &lu->check, lu->n, measures, NULL);
    }
    CLS_TRY(lu->entries ? cls_entries_scatter(lu->device, lu->entries, 0, lu->n, &lu->A)
                        : cls_upload_square(lu->device, &lu->transfer, A, &lu->A));
    return measure(lu, measures);
}

clsolve_status cls_lu_measure_scaled(cls_direct *direct) {
    cls_measures scaled;

    CLS_TRY(measure(direct->factors, &scaled));
    direct->largest = scaled.largest;
    return CLSOLVE_OK;
}

clsolve_status cls_lu_take_plainly(cls_direct *direct, const clsolve_matrix *A) {
    cls_lu *lu = direct->factors;
    cls_scaling *scaling = &direct->scaling;

    CLS_TRY(take(lu, A, &direct->measures));
    direct->largest = direct->measures.largest;
    if (direct->measures.row >= 0) return CLSOLVE_OK;
    if (!direct->equilibrate) return cls_direct_scale_tiny(direct, &lu->check, &lu->A);
    CLS_TRY(cls_scaling_find(lu->device, scaling, &lu->A, direct->measures.largest, 1));
    if (!scaling->rows && !scaling->cols) return CLSOLVE_OK;
    CLS_TRY(cls_scaling_to(lu->device, scaling, &lu->A, &lu->A));
    return cls_lu_measure_scaled(direct);
}

clsolve_status cls_lu_factor_anew(cls_direct *direct, const clsolve_matrix *A, int *again) {
    cls_lu *lu = direct->factors;
    const double start = cls_seconds();

    CLS_TRY(cls_lu_take_plainly(direct, A));
    direct->costs.factor.upload += cls_seconds() - start;
    return lu->engine->factor(lu, direct->options, &direct->info, &direct->growth, again);
}

clsolve_status cls_lu_take_staged(cls_direct *direct, const clsolve_matrix *A) {
    cls_lu *lu = direct->factors;
    cls_measures *all = &direct->measures;
    cls_matrix staged = cls_out_matrix(&lu->out);

    if (direct->copies) return cls_copy_write(&direct->copy, &staged);
    cls_lu_out_stage(lu, A);
    cls_mapped_measure(&staged, 0, lu->n, 0, &all->row, &all->column, &all->largest, &all->norm1);
    if (all->row >= 0) return CLSOLVE_OK;
    CLS_TRY(cls_scaling_find(lu->device, &direct->scaling, &staged, all->largest, 1));
    return cls_scaling_to(lu->device, &direct->scaling, &staged, &staged);
}

/* The copy into the memory of the factors. */
static clsolve_status take_from_copy(cls_direct *direct) {
    cls_lu *lu = direct->factors;
    const cls_scaling *scaling = &direct->copy.scaling;

    CLS_TRY(cls_copy_write(&direct->copy, &lu->A));
    if (lu->n == 0) return CLSOLVE_OK;
    if (scaling->rows || scaling->cols) CLS_TRY(cls_lu_measure_scaled(direct));
    cls_lu_rbt_begin(lu, direct->largest);
    return CLSOLVE_OK;
}

int cls_lu_takes_while_factoring(const cls_direct *direct, const clsolve_matrix *A) {
    const cls_lu *lu = direct->factors;
    return !lu->entries && !direct->copies && !direct->equilibrate && lu->ahead && !lu->rbt.on &&
           lu->arrival_columns > 0 && cls_arrival_suits(A, &lu->A);
}

static clsolve_status receive(void *owner, cls_queue queue, int64_t begin, int64_t cols) {
    cls_lu *lu = owner;
    return cls_check_accumulate(lu->device, &lu->check, queue, &lu->A, begin, cols, CLS_CHECK_WHOLE, begin > 0);
}

clsolve_status cls_lu_arrival_begin(cls_lu *lu, const clsolve_matrix *view) {
    const cls_arrival_plan plan = {.device = lu->device,
                                   .from = view,
                                   .to = &lu->A,
                                   .columns = lu->arrival_columns,
                                   .receive = receive,
                                   .owner = lu};

    CLS_TRY(cls_arrival_begin(&plan, &lu->arrival));
    lu->device->counters.transfers_up -= lu->arrival->groups - 1; /* it is one matrix */
    return CLSOLVE_OK;
}

int cls_lu_scatters(const cls_direct *direct, const cls_entries *entries) {
    const cls_lu *lu = direct->factors;
    return lu->n > 0 && !direct->copies && (lu->A.mapped || cls_entries_are_few(entries, lu->type, lu->n * lu->n));
}

clsolve_status cls_lu_take(cls_direct *direct, const clsolve_matrix *A) {
    if (direct->copies) return take_from_copy(direct);
    if (direct->n == 0 || cls_lu_takes_while_factoring(direct, A)) return CLSOLVE_OK;
    return cls_lu_take_plainly(direct, A);
}
