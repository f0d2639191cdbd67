/* table.c: Cholesky's table of operations for method/direct. */
#include "method/cholesky/direct.h"

#include "base/clock.h"
#include "blas/blas.h"
#include "method/direct/half.h"

/* ---- factor ---- */

/* A matrix that is not positive definite has no factor. */
static clsolve_status examine(cls_cholesky *cholesky, int64_t info, cls_growth *growth) {
    *growth = cls_growth_unknown();
    return info > 0 ? CLSOLVE_OK : cls_cholesky_determinant(cholesky, growth);
}

static clsolve_status factor_now(cls_cholesky *cholesky, const clsolve_cholesky_options *options, int64_t *info,
                                 cls_growth *growth) {
    CLS_TRY(cls_cholesky_factor(cholesky, options, info));
    return examine(cholesky, *info, growth);
}

/* A tiny matrix is scaled before it is factored. The library knows that it is tiny when all of it has come, and then
 * fetches it again. */
static clsolve_status factor_and_take(cls_direct *direct, const clsolve_matrix *A, int at_once) {
    const cls_cholesky *c = direct->factors;
    clsolve_cholesky_options quiet = *(const clsolve_cholesky_options *)direct->options;

    CLS_TRY(at_once ? cls_cholesky_factor_at_once(direct, A) : cls_cholesky_factor_while_taking(direct, A));
    cls_half_name_place(c->uplo, &direct->measures);
    direct->largest = direct->measures.largest;
    if (direct->measures.row >= 0) {
        direct->info = 0; /* nothing is said of its minors */
        return CLSOLVE_OK;
    }
    if (cls_scaling_unit(direct->type, direct->largest) == 1)
        return at_once ? CLSOLVE_OK : examine(direct->factors, direct->info, &direct->growth);
    const double start = cls_seconds();
    CLS_TRY(cls_cholesky_take_plainly(direct, A));
    direct->costs.factor.upload += cls_seconds() - start;
    quiet.progress = NULL; /* the caller has seen it reach 1 */
    return factor_now(direct->factors, &quiet, &direct->info, &direct->growth);
}

static clsolve_status factor_at_once(cls_direct *direct, const clsolve_matrix *A, int *again) {
    *again = 0;
    return factor_and_take(direct, A, 1);
}

static clsolve_status cholesky_factor(cls_direct *direct, const clsolve_matrix *A, int *again) {
    *again = 0;
    if (cls_cholesky_takes_while_factoring(direct, A)) return factor_and_take(direct, A, 0);
    return factor_now(direct->factors, direct->options, &direct->info, &direct->growth);
}

static clsolve_status factor_wide(cls_direct *direct, void *factors, int64_t *info, cls_growth *growth) {
    const cls_cholesky *own = direct->factors;
    cls_cholesky *wide = factors;
    clsolve_cholesky_options quiet = *(const clsolve_cholesky_options *)direct->options;

    quiet.progress = NULL; /* the caller has seen it reach 1 */
    wide->in_core_only = 1;
    wide->beside = own->base_bytes + own->B.bytes + own->scratch.bytes;
    CLS_TRY(cls_cholesky_setup(direct->device, direct->n, cls_double_type(direct->type), &quiet, wide));
    CLS_TRY(cls_copy_write_plain(&direct->copy, &wide->A));
    return factor_now(wide, &quiet, info, growth);
}

static void cholesky_release(void *factors) {
    cls_cholesky_release(factors);
}

/* ---- enqueued ---- */

/* Elements of L never exceed the root of A's largest one: the factor is not searched. */
static clsolve_status cholesky_enqueue(cls_direct *direct, cls_async *async, const clsolve_matrix *A) {
    cls_cholesky *c = direct->factors;
    const cls_triangle_view view = cls_symmetric_view(A, c->uplo);

    CLS_TRY(cls_async_setup(c->device, c->type, async));
    CLS_TRY(cls_async_forget(c->device, async, CLS_ASYNC_A));
    if (c->n > 0) {
        CLS_TRY(cls_symmetric_upload(c->device, &c->transfer, &view.matrix, view.upper, &c->A));
        CLS_TRY(cls_symmetric_to_lower(c->device, &c->mirror, &c->A, &view));
        CLS_TRY(cls_async_search(c->device, async, &c->check, &c->A, c->n, CLS_CHECK_LOWER, CLS_ASYNC_A));
    }
    return cls_cholesky_factor_enqueue(c);
}

static cls_buffer *cholesky_state(const cls_direct *direct) {
    return ((const cls_cholesky *)direct->factors)->info;
}

/* ---- solves of a matrix larger than the device ---- */

static clsolve_status solve_slabs_host(void *factors, clsolve_op op, int64_t cols, double *x) {
    cls_cholesky *c = factors;
    return cls_out_solve_vectors(&c->out, op, cols, x);
}

static clsolve_status solve_slabs(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                  cls_place *out) {
    cls_cholesky *c = direct->factors;
    if (direct->copies || direct->scaling.rows || direct->scaling.cols)
        return cls_direct_solve_staged(direct, op, B, in, out);
    return cls_out_solve(&c->out, op, B, &direct->costs.solve, in, out);
}

/* ---- report ---- */

/* The bytes of the copy and of double factors. */
static int64_t copied_bytes(const cls_direct *direct) {
    const cls_cholesky *wide = direct->wide;
    return cls_copy_bytes(&direct->copy) + (wide ? wide->base_bytes + wide->B.bytes : 0);
}

static void cholesky_report(const cls_direct *direct, clsolve_report *report) {
    const cls_cholesky *c = direct->factors;

    report->device_bytes = c->A.bytes + c->B.bytes + c->scratch.bytes + direct->state_bytes + copied_bytes(direct);
    report->slabs = c->A.slabs;
    if (c->out.slab == 0) return;
    report->slab_columns = c->A.cols;
    report->slabs = (c->n + c->out.slab - 1) / c->out.slab;
    report->host_bytes = c->n * c->n * cls_type_size(c->type);
}

#define SHARED                                                                                                         \
    .factors_name = "L", .factors_size = sizeof(cls_cholesky), .plain_first = 1, .positive_definite = 1,               \
    .copy = cls_cholesky_copy, .sides = cls_cholesky_sides, .import = cls_cholesky_import,                             \
    .enqueue = cholesky_enqueue, .solve_enqueue = cls_sides_solve_enqueue, .state = cholesky_state,                    \
    .invert = cls_cholesky_invert, .factor_wide = factor_wide, .release = cholesky_release, .report = cholesky_report
#define IN_CORE SHARED, .solve = cls_cholesky_solve_host, .solve_unrefined = cls_sides_solve

static const cls_direct_ops in_core = {IN_CORE, .take = cls_cholesky_take, .factor = cholesky_factor};
static const cls_direct_ops at_once = {IN_CORE, .factor = factor_at_once};
static const cls_direct_ops out_of_core = {SHARED, .take = cls_cholesky_take, .factor = cholesky_factor,
                                           .solve = solve_slabs_host, .solve_unrefined = solve_slabs};

/* ---- setup ---- */

enum { VECTORS = 3 }; /* of scaling, next to a copy of A */

static clsolve_status setup_copy(cls_direct *direct, cls_cholesky *c) {
    const int64_t bytes = direct->device->counters.buffer_bytes;
    const int on_host = c->out.slab > 0 || !cls_direct_copy_fits(direct, c->memory_limit, c->base_bytes, VECTORS);

    CLS_TRY(cls_copy_setup(direct->device, c->n, direct->type, c->type, cls_cholesky_matrix(c)->mapped != NULL, on_host,
                           c->slab_bytes, &direct->copy));
    CLS_TRY(cls_copy_setup_symmetric(&direct->copy));
    c->base_bytes += direct->device->counters.buffer_bytes - bytes; /* what right-hand sides then leave of a limit */
    return CLSOLVE_OK;
}

static void choose_operations(cls_direct *direct, const cls_cholesky *c, const clsolve_cholesky_options *options) {
    enum { FEW = 2048 }; /* columns; from there on the host asks whether it has failed (factor.c) */
    const int plain = !direct->copies && !direct->equilibrate && !direct->wants_rcond && !options->progress;

    if (c->out.slab > 0) {
        direct->ops = &out_of_core;
        direct->host_only = "the device, and out of core the handle";
    } else if (plain && c->n > 0 && c->n < FEW && !c->A.mapped) {
        direct->ops = &at_once;
    }
}

clsolve_status cls_cholesky_direct_setup(cls_device *device, int64_t n, clsolve_type type,
                                         const clsolve_cholesky_options *options, cls_cholesky *cholesky,
                                         cls_direct *direct) {
    const cls_direct given = {.ops = &in_core,
                              .device = device,
                              .type = type,
                              .n = n,
                              .factors = cholesky,
                              .options = options,
                              .refines = options->refine,
                              .equilibrate = options->equilibrate,
                              .wants_rcond = options->rcond};

    CLS_TRY(cls_direct_begin(direct, &given, options->precision, options->memory_limit == 0));
    if (direct->mixed && !cls_in_place(device)) CLS_TRY(cls_copy_announce(device, type, cls_single_type(type)));
    CLS_TRY(cls_cholesky_setup(device, n, cls_direct_factors_type(direct), options, cholesky));
    if (direct->mixed && cholesky->out.slab > 0) direct->only_float = direct->alone = 1;
    choose_operations(direct, cholesky, options);
    if (direct->copies)
        CLS_TRY(setup_copy(direct, cholesky));
    else if (direct->equilibrate)
        CLS_TRY(
            cls_scaling_create(device, n, type, type, cls_cholesky_matrix(cholesky)->mapped != NULL, &direct->scaling));
    return cls_direct_made_within(direct, "clsolve_cholesky_create", options->memory_limit,
                                  cholesky->A.bytes + copied_bytes(direct));
}
