/* take.c: A to where it is factored: measured, and scaled where the options or its size ask for it. */
#include "method/lu/arrival.h"
#include "method/lu/direct.h"
#include "method/lu/host_small.h"
#include "method/lu/out_of_core.h"
#include "method/lu/rbt.h"
#include "method/lu/small.h"
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

/* The same out of core, where A is scaled in the memory that its factors will have. */
static clsolve_status take_staged(cls_direct *direct, const clsolve_matrix *A) {
    cls_lu *lu = direct->factors;
    cls_measures *all = &direct->measures;
    cls_matrix staged = cls_out_matrix(&lu->out);

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
    cls_matrix to = lu->out.slab > 0 ? cls_out_matrix(&lu->out) : lu->A;

    CLS_TRY(cls_copy_write(&direct->copy, &to));
    if (lu->n == 0 || lu->out.slab > 0) return CLSOLVE_OK;
    if (scaling->rows || scaling->cols) CLS_TRY(cls_lu_measure_scaled(direct));
    cls_lu_rbt_begin(lu, direct->largest);
    return CLSOLVE_OK;
}

int cls_lu_stages(const cls_direct *direct) {
    const cls_lu *lu = direct->factors;
    return lu->out.slab > 0 && (direct->copies || direct->equilibrate);
}

int cls_lu_takes_while_factoring(const cls_direct *direct, const clsolve_matrix *A) {
    const cls_lu *lu = direct->factors;
    return lu->out.slab == 0 && !lu->entries && !direct->copies && !direct->equilibrate && cls_lu_can_arrive(lu, A);
}

int cls_lu_scatters(const cls_direct *direct, const cls_entries *entries) {
    const cls_lu *lu = direct->factors;
    return lu->n > 0 && lu->out.slab == 0 && !direct->copies && !cls_lu_takes_small(direct) &&
           !cls_lu_takes_host_small(direct) && (lu->A.mapped || cls_entries_are_few(entries, lu->type, lu->n * lu->n));
}

int cls_lu_takes_small(const cls_direct *direct) {
    return !direct->copies && !direct->equilibrate && ((const cls_lu *)direct->factors)->small.on;
}

int cls_lu_takes_host_small(const cls_direct *direct) {
    return !direct->copies && !direct->equilibrate && ((const cls_lu *)direct->factors)->host_small;
}

clsolve_status cls_lu_take(cls_direct *direct, const clsolve_matrix *A) {
    const cls_lu *lu = direct->factors;

    if (direct->copies) return take_from_copy(direct);
    if (lu->n == 0) return CLSOLVE_OK;
    if (cls_lu_takes_host_small(direct)) return CLSOLVE_OK;
    if (cls_lu_takes_small(direct) || cls_lu_takes_while_factoring(direct, A)) return CLSOLVE_OK;
    if (lu->out.slab == 0) return cls_lu_take_plainly(direct, A);
    return cls_lu_stages(direct) ? take_staged(direct, A) : CLSOLVE_OK; /* else slab by slab, as they are factored */
}
