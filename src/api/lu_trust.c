/* lu_trust.c: what an LU handle does beyond factors and solves: scaling, refinement, mixed precision, what to report. */
#include <float.h>
#include <math.h>

#include "api/lu.h"
#include "base/clock.h"
#include "base/memory.h"
#include "method/lu/out_of_core.h"
#include "method/lu/rbt.h"
#include "method/mapped.h"
#include "method/vectors.h"

cls_lu *cls_lu_in_use(clsolve_lu *lu) {
    return lu->refined.factors.lu ? lu->refined.factors.lu : &lu->lu;
}

static const cls_scaling *scaling_of(const clsolve_lu *lu) {
    return lu->refined.device ? &lu->refined.keep.scaling : &lu->scaling;
}

/* The factors as an operator, with the scaling they were made with. */
static cls_lu_operator operator_of(clsolve_lu *lu) {
    if (lu->refined.device) return lu->refined.factors;
    cls_lu_operator plain = {
        .lu = &lu->lu, .r = lu->scaling.host_r, .c = lu->scaling.host_c, .unit = cls_vector_unit(lu->largest)};
    /* What is known of a matrix that was multiplied as a whole is known of the product. */
    if (cls_lu_lifted(lu) != 1) plain.r = plain.c = NULL;
    return plain;
}

clsolve_status cls_lu_trust_setup(clsolve_lu *lu) {
    cls_device *device = lu->context->device;

    int refines = lu->type != lu->lu.type || lu->options.refine || lu->lu.rbt.offered;

    cls_lu_trust_forget(lu);
    if (refines) return cls_lu_refined_setup(device, lu->type, &lu->options, &lu->lu, &lu->refined);
    if (lu->options.equilibrate)
        return cls_scaling_create(device, lu->lu.n, lu->type, lu->type, lu->lu.out.slab > 0 || lu->lu.A.mapped,
                                  &lu->scaling);
    return CLSOLVE_OK;
}

void cls_lu_trust_release(clsolve_lu *lu) {
    cls_lu_refined_release(&lu->refined);
    cls_scaling_destroy(lu->context->device, &lu->scaling);
}

void cls_lu_trust_forget(clsolve_lu *lu) {
    lu->rcond = -1;
    lu->rcond_is_bound = 0;
    lu->largest = 0;
    lu->verdict = (cls_lu_verdict){.row = -1};
    lu->steps = (cls_refined){.backward_error = -1};
}

/* ---- factor ---- */

static clsolve_status measure(clsolve_lu *lu, cls_measures *measures) {
    cls_lu *m = &lu->lu;
    CLS_TRY(cls_check_enqueue(m->device, &m->check, &m->A, m->n, 0));
    return cls_check_read(m->device, &m->check, m->n, measures, NULL);
}

/* What is factored is no longer A: its largest element is needed once more, for the growth. */
static clsolve_status measure_scaled(clsolve_lu *lu) {
    cls_measures scaled;

    CLS_TRY(measure(lu, &scaled));
    lu->largest = scaled.largest;
    return CLSOLVE_OK;
}

/* A tiny matrix is brought to a size at which reciprocals of pivots do not overflow; what that takes is taken when it is
 * first needed. */
static clsolve_status lift(clsolve_lu *lu) {
    cls_lu *m = &lu->lu;
    cls_device *device = m->device;
    int mapped = m->A.mapped != NULL;
    double factor = cls_scaling_lift(lu->type, lu->measures.largest);

    if (factor != 1 && !lu->scaling.host_r) {
        int64_t bytes = device->counters.buffer_bytes;
        clsolve_status status = cls_scaling_create(device, m->n, lu->type, lu->type, mapped, &lu->scaling);
        if (status != CLSOLVE_OK) cls_scaling_destroy(device, &lu->scaling); /* half made it would be taken for ready */
        CLS_TRY(status);
        lu->state_bytes += device->counters.buffer_bytes - bytes;
    }
    CLS_TRY(cls_scaling_uniform(device, &lu->scaling, mapped, factor));
    if (factor == 1) return CLSOLVE_OK;
    CLS_TRY(cls_scaling_rows(device, &lu->scaling, &m->A, m->n, 1));
    CLS_TRY(measure(lu, &lu->measures)); /* sums that were no numbers of the type are some now */
    lu->largest = lu->measures.largest;
    return CLSOLVE_OK;
}

/* Unrefined, in core. */
static clsolve_status take_plainly(clsolve_lu *lu, const clsolve_matrix *A) {
    cls_lu *m = &lu->lu;

    CLS_TRY(cls_upload_square(m->device, &m->transfer, A, &m->A));
    CLS_TRY(measure(lu, &lu->measures));
    lu->largest = lu->measures.largest;
    if (lu->measures.row >= 0) return CLSOLVE_OK;
    if (!lu->options.equilibrate) return lift(lu);
    CLS_TRY(cls_scaling_find(m->device, &lu->scaling, &m->A, lu->measures.largest, 1));
    if (!lu->scaling.rows && !lu->scaling.cols) return CLSOLVE_OK;
    CLS_TRY(cls_scaling_to(m->device, &lu->scaling, &m->A, &m->A));
    return measure_scaled(lu);
}

/* The same out of core, where A is scaled in the memory that its factors will have. */
static clsolve_status take_staged(clsolve_lu *lu, const clsolve_matrix *A) {
    cls_lu *m = &lu->lu;
    cls_measures *all = &lu->measures;
    cls_matrix staged = cls_lu_out_matrix(m);

    cls_lu_out_stage(m, A);
    cls_mapped_measure(&staged, m->n, 0, &all->row, &all->column, &all->largest, &all->norm1);
    if (all->row >= 0) return CLSOLVE_OK;
    CLS_TRY(cls_scaling_find(m->device, &lu->scaling, &staged, all->largest, 1));
    return cls_scaling_to(m->device, &lu->scaling, &staged, &staged);
}

int cls_lu_stages(const clsolve_lu *lu) {
    return lu->lu.out.slab > 0 && (lu->refined.device || lu->options.equilibrate);
}

clsolve_status cls_lu_take(clsolve_lu *lu, const clsolve_matrix *A) {
    const cls_scaling *scaling = scaling_of(lu);

    lu->measures = (cls_measures){.row = -1, .column = -1};
    if (lu->lu.n == 0) return lu->refined.device ? cls_lu_refined_set(&lu->refined, &lu->lu, A) : CLSOLVE_OK;
    if (!lu->refined.device) return cls_lu_stages(lu) ? take_staged(lu, A) : take_plainly(lu, A);
    CLS_TRY(cls_lu_refined_set(&lu->refined, &lu->lu, A));
    lu->measures = lu->refined.keep.measures;
    lu->largest = lu->measures.largest;
    if (lu->measures.row >= 0 || lu->lu.out.slab > 0) return CLSOLVE_OK;
    if (scaling->rows || scaling->cols) CLS_TRY(measure_scaled(lu));
    cls_lu_rbt_begin(&lu->lu, lu->largest);
    return CLSOLVE_OK;
}

static clsolve_status widen(clsolve_lu *lu, const char *why) {
    CLS_TRY(cls_lu_refined_widen(&lu->refined, &lu->options, why, &lu->info, &lu->verdict));
    lu->largest = lu->measures.largest;
    return CLSOLVE_OK;
}

/* Float factors that are no use are mended or replaced. */
static clsolve_status examine_single(clsolve_lu *lu) {
    if (lu->info > 0 && cls_lu_refined_must_mend(&lu->refined)) {
        /* Two pivots that differ in double may be equal in float: that is no reason to give up, for refinement will
         * see whether the mended factors do. Of the determinant they say nothing. */
        CLS_TRY(cls_lu_mend(&lu->lu, lu->largest));
        lu->info = 0;
        lu->verdict.sign = 0;
        lu->verdict.log_abs_det = 0;
    }
    if (!cls_lu_refined_can_widen(&lu->refined)) return CLSOLVE_OK;
    if (lu->info > 0) return widen(lu, "the single-precision factors have a zero pivot");
    if (lu->verdict.row >= 0) return widen(lu, "the single-precision factors left the range of float");
    return CLSOLVE_OK;
}

/* The factors lie where those without pivots lay, so a failure in between leaves none. */
static clsolve_status repivot(clsolve_lu *lu, const char *why) {
    clsolve_status status = cls_lu_refined_repivot(&lu->refined, &lu->options, why, &lu->info, &lu->verdict);
    if (status != CLSOLVE_OK) {
        lu->factored = 0;
        return status;
    }
    return examine_single(lu);
}

clsolve_status cls_lu_examine(clsolve_lu *lu) {
    if (lu->lu.out.slab == 0) CLS_TRY(cls_lu_judge(&lu->lu, &lu->verdict)); /* else done slab by slab */
    if (!cls_lu_refined_unpivoted(&lu->refined)) return examine_single(lu);
    const char *doubt = cls_lu_refined_doubt(&lu->refined, lu->info, &lu->verdict, lu->largest);
    return doubt ? repivot(lu, doubt) : CLSOLVE_OK;
}

static const char near_singular[] = "the matrix is close to a singular one";

/* Solves with factors without pivots are refined for this; what they do not get to is for partial pivoting to say. */
static clsolve_status condition_unpivoted(clsolve_lu *lu) {
    CLS_TRY(cls_lu_refined_rcond(&lu->refined, &lu->rcond, &lu->rcond_is_bound));
    if (lu->rcond >= 0 && !lu->rcond_is_bound) return CLSOLVE_OK;
    lu->rcond_is_bound = 0;
    CLS_TRY(repivot(lu, near_singular));
    return cls_lu_condition(lu);
}

/* Factors whose elements have grown beyond what their digits hold are those of another matrix. */
static int factors_tell(clsolve_lu *lu) {
    double epsilon = cls_lu_in_use(lu)->type == CLSOLVE_F64 ? DBL_EPSILON : FLT_EPSILON;
    return !lu->verdict.known || lu->lu.n == 0 || lu->verdict.largest * (double)lu->lu.n * epsilon < lu->largest;
}

clsolve_status cls_lu_condition(clsolve_lu *lu) {
    if (!lu->options.rcond || lu->verdict.row >= 0) return CLSOLVE_OK;
    if (lu->info > 0) {
        lu->rcond = 0;
        return CLSOLVE_OK;
    }
    if (cls_lu_refined_unpivoted(&lu->refined)) return condition_unpivoted(lu);
    if (lu->refined.mixed && !lu->refined.wide)
        return cls_lu_refined_rcond(&lu->refined, &lu->rcond, &lu->rcond_is_bound);
    cls_lu_operator factors = operator_of(lu);
    lu->rcond_is_bound = 0;
    CLS_TRY(cls_lu_rcond(&factors, lu->measures.norm1, &lu->rcond));
    if (!factors_tell(lu)) lu->rcond = -1;
    return CLSOLVE_OK;
}

/* ---- solve ---- */

static clsolve_status solve_part(void *handle, clsolve_op op, int64_t cols, const double *B, double *X) {
    clsolve_lu *lu = handle;
    return cls_lu_refined_solve(&lu->refined, op, cols, B, X, &lu->steps);
}

static int is_done(const void *handle) {
    const clsolve_lu *lu = handle;
    int good = lu->steps.converged && !lu->steps.unsettled && !lu->refined.near_singular;
    return good || !(cls_lu_refined_unpivoted(&lu->refined) || cls_lu_refined_can_widen(&lu->refined));
}

/* To partial pivoting, and then to double. */
static clsolve_status fall_back(void *handle) {
    clsolve_lu *lu = handle;

    if (!cls_lu_refined_unpivoted(&lu->refined))
        CLS_TRY(widen(lu, "refinement with single-precision factors did not converge"));
    else
        CLS_TRY(repivot(lu, lu->refined.near_singular ? near_singular : "refinement did not converge"));
    lu->refined.near_singular = 0;
    CLS_TRY(cls_lu_condition(lu));
    if (lu->verdict.row >= 0) {
        lu->outcome = CLSOLVE_OVERFLOW;
        return cls_nonfinite(lu->context, CLSOLVE_OVERFLOW, "clsolve_lu_solve: L\\U", lu->verdict.row,
                             lu->verdict.column);
    }
    if (lu->info == 0) return CLSOLVE_OK;
    lu->outcome = CLSOLVE_SINGULAR;
    return cls_singular(lu->context, "clsolve_lu_solve", lu->info);
}

static int in_float(const void *handle) {
    const clsolve_lu *lu = handle;
    return lu->refined.mixed && !lu->refined.wide;
}

clsolve_status cls_lu_solve_refined(clsolve_lu *lu, clsolve_op op, const clsolve_matrix *B) {
    cls_trusted how = {.context = lu->context,
                       .type = lu->type,
                       .X = "clsolve_lu_solve: X",
                       .B = "clsolve_lu_solve: B",
                       .steps = &lu->steps,
                       .handle = lu,
                       .solve = solve_part,
                       .done = is_done,
                       .fall_back = fall_back,
                       .in_float = in_float};
    double start = cls_seconds();
    clsolve_status status = cls_trusted_solve(&how, op, B);
    lu->costs.solve.solve = cls_seconds() - start;
    return status;
}

static clsolve_status solve_scaled(clsolve_lu *lu, clsolve_op op, const clsolve_matrix *B, double *X) {
    cls_lu_operator factors = operator_of(lu);
    double most = lu->type == CLSOLVE_F32 ? (double)FLT_MAX : DBL_MAX;
    int64_t n = B->rows, count = n * B->cols;

    cls_vectors_get(B, 0, B->cols, X);
    for (int64_t k = 0; k < count; ++k)
        if (!isfinite(X[k]))
            return cls_nonfinite(lu->context, CLSOLVE_ERROR_NONFINITE, "clsolve_lu_solve: B", k % n, k / n);
    CLS_TRY(cls_lu_apply_host(&factors, op, B->cols, X, X));
    for (int64_t k = 0; k < count; ++k)
        if (!(fabs(X[k]) <= most))
            return cls_nonfinite(lu->context, CLSOLVE_OVERFLOW, "clsolve_lu_solve: X", k % n, k / n);
    cls_vectors_put(B, 0, B->cols, X);
    return CLSOLVE_OK;
}

clsolve_status cls_lu_solve_scaled(clsolve_lu *lu, clsolve_op op, const clsolve_matrix *B) {
    double *X = cls_alloc((size_t)B->rows, (size_t)B->cols * sizeof *X), start = cls_seconds();

    if (!X)
        return cls_fail(&lu->context->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                        "no host memory for a solution of %lld columns: solve for fewer at a time", (long long)B->cols);
    clsolve_status status = solve_scaled(lu, op, B, X);
    lu->costs.solve.solve = cls_seconds() - start;
    cls_free(X);
    return status;
}

/* ---- report ---- */

/* As the report says it, but for the whole matrix by one number. */
static int scaled_lines(const clsolve_lu *lu) {
    const cls_scaling *scaling = scaling_of(lu);
    return lu->refined.fallback || scaling->uniform != 1 ? 0 : scaling->rows + 2 * scaling->cols;
}

double cls_lu_lifted(const clsolve_lu *lu) {
    if (scaled_lines(lu)) return 1;
    if (lu->refined.device) return lu->refined.keep.unit;
    return lu->scaling.rows ? lu->scaling.uniform : 1;
}

void cls_lu_trust_report(const clsolve_lu *lu, clsolve_report *report) {
    int64_t lacking = 0;

    cls_report_steps(&lu->steps, lu->refined.fallback, lu->refined.mixed, lu->type, report);
    report->pivoting = lu->lu.rbt.offered ? "rbt" : lu->lu.tournament.on ? "tournament" : "partial";
    report->pivoting_used = lu->refined.repivoted ? "partial" : report->pivoting;
    report->pivoting_fallback = lu->refined.repivoted;
    report->seed = lu->lu.rbt.seed;
    report->rcond = lu->rcond;
    report->rcond_is_bound = lu->rcond_is_bound;
    if (!lu->factored) return;
    report->equilibrated = cls_lu_lifted(lu) != 1 ? CLSOLVE_SCALED_UNIFORMLY : scaled_lines(lu);
    if (!lu->refined.fallback) lacking = cls_scaling_exponent(scaling_of(lu));
    if (lu->refined.device) lacking -= lu->lu.n * ilogb(lu->refined.keep.unit);
    if (!lu->verdict.known || lu->verdict.row >= 0) return;
    if (lu->lu.n > 0) report->growth = lu->largest > 0 ? lu->verdict.largest / lu->largest : 1;
    report->det_sign = lu->verdict.sign;
    /* Mended factors say nothing of the determinant: neither does the scaling then. */
    int det_known = lu->verdict.sign != 0 || isinf(lu->verdict.log_abs_det);
    report->log_abs_det = det_known ? lu->verdict.log_abs_det + (double)lacking * log(2) : 0;
    report->det_precision = lu->refined.fallback || lu->lu.type == CLSOLVE_F64 ? "double" : "single";
}
