/* table.c: dense LU's table of operations for method/direct. */
#include "method/lu/direct.h"

#include <float.h>

#include "base/clock.h"
#include "method/arrival.h"
#include "method/lu/out_of_core.h"
#include "method/lu/rbt.h"
#include "method/lu/small.h"
#include "method/lu/sweep.h"
#include "method/mapped.h"

/* ---- factor ---- */

static clsolve_status lu_copy(cls_direct *direct, const clsolve_matrix *A, int scale) {
    cls_lu_rbt_end(direct->factors);
    return cls_copy_take(&direct->copy, A, scale);
}

/* Measures and growth come with the slabs. */
static clsolve_status factor_out_of_core(cls_direct *direct, const clsolve_matrix *A, int *again) {
    cls_lu *lu = direct->factors;
    const clsolve_lu_options *options = direct->options;
    cls_lu_slabs work = {.A = A, .in = {.row = -1, .column = -1}, .out = cls_growth_begin()};

    lu->slabs = &work;
    lu->out.progress = options->progress;
    lu->out.progress_user = options->progress_user;
    const clsolve_status status = cls_out_stream_end(&lu->out, cls_lu_factor(lu, NULL, &direct->info, again));
    lu->slabs = NULL;
    lu->A.origin = 0;
    CLS_TRY(status);
    direct->costs.factor.upload += work.upload;
    if (A || work.in.row >= 0) direct->measures = work.in;
    direct->largest = work.in.largest;
    direct->growth = work.out;
    return CLSOLVE_OK;
}

/* A staged matrix has been measured before it was scaled. */
static clsolve_status factor_staged(cls_direct *direct, const clsolve_matrix *A, int *again) {
    (void)A;
    return factor_out_of_core(direct, NULL, again);
}

static clsolve_status factor_and_take(cls_direct *direct, const clsolve_matrix *A, int *again) {
    cls_lu *lu = direct->factors;

    clsolve_status status = cls_lu_arrival_begin(lu, A);
    if (status == CLSOLVE_OK) status = cls_lu_factor(lu, direct->options, &direct->info, again);
    if (lu->arrival) direct->costs.factor.upload += lu->arrival->seconds;
    cls_arrival_end(&lu->arrival);
    CLS_TRY(status);
    return cls_check_read(lu->device, &lu->check, lu->n, &direct->measures, NULL);
}

/* A tiny matrix is scaled before it is factored. Whether A is tiny is known after the upload; a tiny A is uploaded
 * again. */
static clsolve_status factor_while_taking(cls_direct *direct, const clsolve_matrix *A, int *again) {
    CLS_TRY(factor_and_take(direct, A, again));
    direct->largest = direct->measures.largest;
    if (direct->measures.row >= 0 || *again) return CLSOLVE_OK;
    if (cls_scaling_unit(direct->type, direct->largest) == 1) return cls_lu_growth(direct->factors, &direct->growth);
    return cls_lu_factor_anew(direct, A, again);
}

static clsolve_status factor_taken(cls_direct *direct, int *again) {
    cls_lu *lu = direct->factors;
    return lu->engine->factor(lu, direct->options, &direct->info, &direct->growth, again);
}

/* In the host's memory: the reciprocal of a pivot, by which LAPACK multiplies, may overflow or has overflowed, and A is
 * not scaled yet. */
static int has_tiny_pivot(const cls_direct *direct) {
    const cls_lu *lu = direct->factors;
    const double tiny = cls_type_least(direct->type) / cls_type_epsilon(direct->type);
    return lu->A.mapped && lu->n > 0 && !direct->copies && !direct->equilibrate && cls_direct_uniform(direct) == 1 &&
           (direct->growth.row >= 0 || direct->growth.least < tiny);
}

/* Then A comes once more. Its tiny columns are scaled: that changes neither pivots nor L. */
static clsolve_status scale_tiny_pivots(cls_direct *direct, const clsolve_matrix *A, int *again) {
    cls_lu *lu = direct->factors;
    int any;

    if (*again || direct->measures.row >= 0 || !has_tiny_pivot(direct)) return CLSOLVE_OK;
    double start = cls_seconds();
    CLS_TRY(cls_lu_take_plainly(direct, A));
    CLS_TRY(cls_direct_scale_columns(direct, &lu->A, &any));
    if (any) CLS_TRY(cls_lu_measure_scaled(direct));
    direct->costs.factor.upload += cls_seconds() - start;
    return factor_taken(direct, again);
}

static clsolve_status factor_in_core(cls_direct *direct, const clsolve_matrix *A, int *again) {
    CLS_TRY(cls_lu_takes_while_factoring(direct, A) ? factor_while_taking(direct, A, again)
                                                    : factor_taken(direct, again));
    return scale_tiny_pivots(direct, A, again);
}

static clsolve_status factor_given(cls_direct *direct, const clsolve_matrix *A, int *again) {
    const cls_lu *lu = direct->factors;
    CLS_TRY(lu->engine->factor_given(direct, A, again));
    return scale_tiny_pivots(direct, A, again);
}

/* ---- zero pivots ---- */

/* Only float factors are perturbed: double ones have a zero pivot for a reason. */
static clsolve_status lu_perturb(void *factors, double largest) {
    enum { GROUP = 32 }; /* as in cl/measure.cl */
    cls_lu *lu = factors;
    cls_device *device = lu->device;
    float value = (float)(FLT_EPSILON * largest);

    if (lu->A.mapped) {
        cls_mapped_perturb(&lu->A, (double)value);
        return CLSOLVE_OK;
    }
    for (int64_t j = 0, run; j < lu->n; j += run) {
        run = cls_matrix_run(&lu->A, j, lu->n);
        cls_ref ref = cls_matrix_at(&lu->A, 0, j);
        cls_grid grid = {{(size_t)((run + GROUP - 1) / GROUP * GROUP), 1, 1}, {GROUP, 1, 1}};
        cls_arg args[] = {CLS_REF(ref), CLS_VALUE(j), CLS_VALUE(run), CLS_VALUE(value)};
        CLS_TRY(cls_launch(device, CLS_COMPUTE, lu->mend, &grid, CLS_ARGS(args)));
    }
    return CLSOLVE_OK;
}

static clsolve_status perturb_out_of_core(void *factors, double largest) {
    cls_lu *lu = factors;
    const cls_matrix matrix = cls_out_matrix(&lu->out);
    cls_mapped_perturb(&matrix, (double)(float)(FLT_EPSILON * largest));
    return CLSOLVE_OK;
}

/* ---- solves ---- */

static clsolve_status solve_vectors(void *factors, clsolve_op op, int64_t cols, double *x) {
    return ((const cls_lu *)factors)->engine->solve_vectors(factors, op, cols, x);
}

static clsolve_status solve_vectors_out_of_core(void *factors, clsolve_op op, int64_t cols, double *x) {
    cls_lu *lu = factors;
    return cls_out_solve_vectors(&lu->out, op, cols, x);
}

static clsolve_status solve_out_of_core(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                        cls_place *out) {
    cls_lu *lu = direct->factors;
    return cls_out_solve(&lu->out, op, B, &direct->costs.solve, in, out);
}

/* Tiny columns, or factors of rows that come after a solve with a transpose: the vectors of the host keep the digits of
 * a small B. */
static clsolve_status lu_solve_unrefined(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                         cls_place *out) {
    const cls_lu *lu = direct->factors;
    const int tiny_rows = op != CLSOLVE_NO_TRANS && cls_scaling_rows_tiny(&direct->scaling);

    if (direct->equilibrate ? tiny_rows : direct->scaling.cols) return cls_direct_solve_staged(direct, op, B, in, out);
    return lu->engine->solve(direct, op, B, in, out);
}

/* ---- enqueued ---- */

static clsolve_status lu_enqueue(cls_direct *direct, cls_async *async, const clsolve_matrix *A) {
    cls_lu *lu = direct->factors;

    CLS_TRY(cls_async_setup(lu->device, lu->type, async));
    return lu->engine->enqueue(lu, async, A);
}

static cls_buffer *lu_state(const cls_direct *direct) {
    return ((const cls_lu *)direct->factors)->panel.info;
}

static clsolve_status lu_solve_failed(cls_direct *direct, int *again) {
    return cls_lu_sweep_failed(direct->factors, again);
}

/* ---- fall back ---- */

static int is_unpivoted(const void *factors) {
    return ((const cls_lu *)factors)->rbt.on;
}

/* lu->A becomes what `set` makes of the copy and is factored, twice where the device asks for it. */
static clsolve_status factor_copy(cls_direct *direct, cls_lu *lu,
                                  clsolve_status (*set)(cls_copy *copy, const cls_matrix *to), int64_t *info,
                                  cls_growth *growth) {
    clsolve_lu_options quiet = *(const clsolve_lu_options *)direct->options;
    int again = 1;

    quiet.progress = NULL; /* the caller has seen it reach 1 */
    for (int round = 0; round < 2 && again; ++round) {
        CLS_TRY(set(&direct->copy, &lu->A));
        CLS_TRY(lu->engine->factor(lu, &quiet, info, growth, &again));
    }
    return CLSOLVE_OK;
}

static clsolve_status factor_pivoted(cls_direct *direct) {
    cls_lu_rbt_end(direct->factors);
    return factor_copy(direct, direct->factors, cls_copy_write, &direct->info, &direct->growth);
}

static clsolve_status factor_wide(cls_direct *direct, void *factors, int64_t *info, cls_growth *growth) {
    const cls_lu *own = direct->factors;
    cls_lu *wide = factors;
    clsolve_lu_options pivoted = *(const clsolve_lu_options *)direct->options;

    if (pivoted.pivoting == CLSOLVE_PIVOTING_RBT) pivoted.pivoting = CLSOLVE_PIVOTING_PARTIAL;
    wide->in_core_only = 1;
    wide->beside = own->base_bytes + own->B.bytes + own->scratch.bytes;
    CLS_TRY(cls_lu_setup(direct->device, direct->n, direct->type, &pivoted, wide));
    return factor_copy(direct, wide, cls_copy_write_plain, info, growth);
}

static void lu_release(void *factors) {
    cls_lu_release(factors);
}

/* ---- report ---- */

/* The bytes of the copy and of double factors. */
static int64_t copied_bytes(const cls_direct *direct) {
    const cls_lu *wide = direct->wide;
    return cls_copy_bytes(&direct->copy) + (wide ? wide->base_bytes + wide->B.bytes : 0);
}

static void lu_report(const cls_direct *direct, clsolve_report *report) {
    const cls_lu *lu = direct->factors;
    int64_t n = lu->n, slab = lu->out.slab;

    report->device_bytes = lu->A.bytes + lu->B.bytes + lu->scratch.bytes + direct->state_bytes + copied_bytes(direct);
    report->slab_columns = slab < n ? slab : n;
    report->slabs = slab > 0 ? (n + slab - 1) / slab : lu->A.slabs;
    if (slab > 0) report->host_bytes = n * n * cls_type_size(lu->type);
    report->direct.pivoting = lu->rbt.offered ? "rbt" : "partial";
    report->direct.pivoting_used = direct->repivoted ? "partial" : report->direct.pivoting;
    report->direct.pivoting_fallback = direct->repivoted;
    report->direct.seed = lu->rbt.seed;
    report->direct.devices = 1;
}

#define SHARED                                                                                                         \
    .factors_name = "L\\U", .factors_size = sizeof(cls_lu), .plain_first = 1, .growth_limits_rcond = 1,                \
    .copy = lu_copy, .is_unpivoted = is_unpivoted, .factor_pivoted = factor_pivoted, .factor_wide = factor_wide,       \
    .release = lu_release, .report = lu_report
#define IN_CORE                                                                                                        \
    SHARED, .import = cls_lu_import, .perturb = lu_perturb, .solve = solve_vectors, .sides = cls_lu_sides,             \
            .solve_unrefined = lu_solve_unrefined, .enqueue = lu_enqueue, .solve_enqueue = cls_sides_solve_enqueue,    \
            .state = lu_state, .solve_failed = lu_solve_failed, .invert = cls_lu_invert, .export = cls_lu_export
#define OUT_OF_CORE                                                                                                    \
    SHARED, .perturb = perturb_out_of_core, .solve = solve_vectors_out_of_core, .invert = cls_lu_invert_by_host,       \
            .export = cls_lu_export_slabs

/* Who factors A in core, where it lies, is lu->engine's. */
static const cls_direct_ops in_core = {IN_CORE, .take = cls_lu_take, .factor = factor_in_core,
                                       .scatters = cls_lu_scatters};
static const cls_direct_ops as_given = {IN_CORE, .factor = factor_given};
static const cls_direct_ops out_of_core = {OUT_OF_CORE, .factor = factor_out_of_core,
                                           .solve_unrefined = solve_out_of_core};
/* A or its copy is scaled in the memory of the factors. */
static const cls_direct_ops staged = {OUT_OF_CORE, .take = cls_lu_take_staged, .factor = factor_staged,
                                      .solve_unrefined = cls_direct_solve_staged};

/* ---- setup ---- */

static clsolve_status setup_copy(cls_direct *direct, cls_lu *lu, int64_t slab_bytes) {
    cls_device *device = direct->device;
    int out_of_core = lu->out.slab > 0, vectors = !cls_is_double(direct->type) || device->info.fp64 ? 2 : 3;
    int on_host = out_of_core || !cls_direct_copy_fits(direct, lu->memory_limit, lu->base_bytes, vectors);
    int64_t bytes = device->counters.buffer_bytes;

    CLS_TRY(cls_copy_setup(device, lu->n, direct->type, lu->type, out_of_core || lu->A.mapped, on_host, slab_bytes,
                           &direct->copy));
    lu->base_bytes += device->counters.buffer_bytes - bytes; /* what right-hand sides then leave of a limit */
    return CLSOLVE_OK;
}

static void choose_operations(cls_direct *direct, const cls_lu *lu) {
    const int plain = !direct->copies && !direct->equilibrate;

    if (lu->out.slab > 0) {
        direct->ops = plain ? &out_of_core : &staged;
        direct->host_only = "the device, and out of core the handle";
    } else if (plain && lu->engine->factor_given) {
        direct->ops = &as_given;
        direct->one_phase = lu->engine == &cls_lu_host_loops;
    }
}

static clsolve_status setup_scaling(cls_direct *direct, const cls_lu *lu) {
    clsolve_type type = direct->type;

    if (direct->copies || !direct->equilibrate) return CLSOLVE_OK;
    return cls_scaling_create(direct->device, lu->n, type, type, lu->out.slab > 0 || lu->A.mapped, &direct->scaling);
}

clsolve_status cls_lu_direct_setup(cls_device *device, int64_t n, clsolve_type type, const clsolve_lu_options *options,
                                   cls_lu *lu, cls_direct *direct) {
    const cls_direct given = {.ops = &in_core,
                              .device = device,
                              .type = type,
                              .n = n,
                              .factors = lu,
                              .options = options,
                              .refines = options->refine,
                              .equilibrate = options->equilibrate,
                              .wants_rcond = options->rcond};
    const int may = options->memory_limit == 0 && options->pivoting != CLSOLVE_PIVOTING_RBT;

    CLS_TRY(cls_direct_begin(direct, &given, options->precision, may));
    if (direct->mixed && !cls_in_place(device)) CLS_TRY(cls_copy_announce(device, type, cls_single_type(type)));
    CLS_TRY(cls_lu_setup(device, n, cls_direct_factors_type(direct), options, lu));
    if (lu->rbt.offered) direct->copies = direct->refines = 1;
    if (direct->mixed && lu->out.slab > 0) direct->only_float = direct->alone = 1;
    if (direct->copies) CLS_TRY(setup_copy(direct, lu, options->slab_bytes));
    CLS_TRY(setup_scaling(direct, lu));
    choose_operations(direct, lu);
    if (direct->wants_rcond && direct->ops == &as_given && lu->engine == &cls_lu_few) CLS_TRY(cls_lu_small_keep(lu));
    return cls_direct_made_within(direct, "clsolve_lu_create", options->memory_limit,
                                  lu->A.bytes + copied_bytes(direct));
}
