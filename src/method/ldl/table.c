/* table.c: LDL^T's table of operations for method/direct. */
#include "base/clock.h"
#include "blas/blas.h"
#include "method/direct/half.h"
#include "method/ldl/direct.h"

/* ---- take ---- */

static cls_half half_of(cls_ldl *ldl) {
    return (cls_half){.A = &ldl->A,
                      .check = &ldl->check,
                      .transfer = &ldl->transfer,
                      .mirror = &ldl->mirror,
                      .uplo = ldl->uplo,
                      .transposes = cls_ldl_mirrors(ldl) == CLS_TRANSPOSES,
                      .crosses = 1};
}

static clsolve_status ldl_copy(cls_direct *direct, const clsolve_matrix *A, int scale) {
    const cls_half half = half_of(direct->factors);
    return cls_half_copy(direct, &half, A, scale);
}

static clsolve_status ldl_take(cls_direct *direct, const clsolve_matrix *A) {
    cls_ldl *ldl = direct->factors;
    const cls_half half = half_of(ldl);

    if (ldl->n == 0) return CLSOLVE_OK;
    CLS_TRY(direct->copies ? cls_copy_write(&direct->copy, &ldl->A) : cls_half_take(direct, &half, A));
    return direct->measures.row < 0 ? cls_half_measure_scaled(direct, &half) : CLSOLVE_OK;
}

/* ---- factor ---- */

static clsolve_status factor_now(cls_ldl *ldl, const clsolve_ldl_options *options, int64_t *info, cls_growth *growth) {
    *info = 0;
    ldl->pending = 0;
    if (ldl->n > 0) CLS_TRY(ldl->engine->factor(ldl, options, info));
    return cls_ldl_examine(ldl, growth);
}

static clsolve_status ldl_factor(cls_direct *direct, const clsolve_matrix *A, int *again) {
    (void)A;
    *again = 0;
    return factor_now(direct->factors, direct->options, &direct->info, &direct->growth);
}

static clsolve_status factor_wide(cls_direct *direct, void *factors, int64_t *info, cls_growth *growth) {
    const cls_ldl *own = direct->factors;
    cls_ldl *wide = factors;
    clsolve_ldl_options quiet = *(const clsolve_ldl_options *)direct->options;

    quiet.progress = NULL; /* the caller has seen it reach 1 */
    wide->beside = own->base_bytes + own->B.bytes + own->scratch.bytes;
    CLS_TRY(cls_ldl_setup(direct->device, direct->n, cls_double_type(direct->type), &quiet, wide));
    CLS_TRY(cls_copy_write_plain(&direct->copy, &wide->A));
    return factor_now(wide, &quiet, info, growth);
}

static void ldl_release(void *factors) {
    cls_ldl_release(factors);
}

/* ---- solve ---- */

static void conjugate(int64_t elements, double *x) {
    for (int64_t k = 0; k < elements; ++k) x[2 * k + 1] = -x[2 * k + 1];
}

/* A^-1 is its own transpose, or its own conjugate transpose. The other one is solved for with conjugates: conj(A^-1
 * conj(x)). */
static clsolve_status solve_vectors(void *factors, clsolve_op op, int64_t cols, double *x) {
    cls_ldl *ldl = factors;
    const cls_sides sides = cls_ldl_sides(ldl, cols);
    const int turns = cls_is_complex(ldl->type) && op != CLSOLVE_NO_TRANS && op != cls_ldl_adjoint(ldl);

    if (turns) conjugate(ldl->n * cols, x);
    CLS_TRY(cls_sides_solve_vectors(ldl->device, &sides, CLSOLVE_NO_TRANS, cols, x));
    if (turns) conjugate(ldl->n * cols, x);
    return CLSOLVE_OK;
}

/* ---- report ---- */

/* The bytes of the copy and of double factors. */
static int64_t copied_bytes(const cls_direct *direct) {
    const cls_ldl *wide = direct->wide;
    return cls_copy_bytes(&direct->copy) + (wide ? wide->base_bytes + wide->B.bytes : 0);
}

static void ldl_report(const cls_direct *direct, clsolve_report *report) {
    const cls_ldl *ldl = direct->factors;

    report->device_bytes =
        ldl->A.bytes + ldl->B.bytes + ldl->scratch.bytes + direct->state_bytes + copied_bytes(direct);
    report->slabs = ldl->A.slabs;
    if (direct->factored && !ldl->pending && direct->growth.row < 0 && ldl->hermitian && !cls_direct_in_float(direct))
        report->direct.inertia = cls_ldl_count(cls_direct_in_use(direct));
}

static const cls_direct_ops operations = {.factors_name = "D",
                                          .factors_size = sizeof(cls_ldl),
                                          .plain_first = 1,
                                          .growth_limits_rcond = 1,
                                          .copy = ldl_copy,
                                          .take = ldl_take,
                                          .factor = ldl_factor,
                                          .import = cls_ldl_import,
                                          .solve = solve_vectors,
                                          .sides = cls_ldl_sides,
                                          .solve_unrefined = cls_sides_solve,
                                          .enqueue = cls_ldl_async_factor,
                                          .solve_enqueue = cls_sides_solve_enqueue,
                                          .state = cls_ldl_async_state,
                                          .finish = cls_ldl_async_finish,
                                          .invert = cls_ldl_invert,
                                          .factor_wide = factor_wide,
                                          .release = ldl_release,
                                          .report = ldl_report};

/* ---- setup ---- */

enum { VECTORS = 3 }; /* of scaling, next to a copy of A */

static clsolve_status setup_copy(cls_direct *direct, cls_ldl *ldl) {
    const int64_t bytes = direct->device->counters.buffer_bytes;

    CLS_TRY(cls_copy_setup(direct->device, ldl->n, direct->type, ldl->type, ldl->A.mapped != NULL,
                           !cls_direct_copy_fits(direct, ldl->memory_limit, ldl->base_bytes, VECTORS), ldl->slab_bytes,
                           &direct->copy));
    CLS_TRY(cls_copy_setup_symmetric(&direct->copy));
    direct->copy.indefinite = 1;
    ldl->base_bytes += direct->device->counters.buffer_bytes - bytes; /* what right-hand sides then leave of a limit */
    return CLSOLVE_OK;
}

clsolve_status cls_ldl_direct_setup(cls_device *device, int64_t n, clsolve_type type,
                                    const clsolve_ldl_options *options, cls_ldl *ldl, cls_direct *direct) {
    const cls_direct given = {.ops = &operations,
                              .device = device,
                              .type = type,
                              .n = n,
                              .factors = ldl,
                              .options = options,
                              .refines = options->refine,
                              .equilibrate = options->equilibrate,
                              .wants_rcond = options->rcond};

    CLS_TRY(cls_direct_begin(direct, &given, options->precision, options->memory_limit == 0));
    if (direct->mixed && !cls_in_place(device)) CLS_TRY(cls_copy_announce(device, type, cls_single_type(type)));
    CLS_TRY(cls_ldl_setup(device, n, cls_direct_factors_type(direct), options, ldl));
    if (direct->copies)
        CLS_TRY(setup_copy(direct, ldl));
    else if (direct->equilibrate)
        CLS_TRY(cls_scaling_create(device, n, type, type, ldl->A.mapped != NULL, &direct->scaling));
    return cls_direct_made_within(direct, "clsolve_ldl_create", options->memory_limit,
                                  ldl->A.bytes + copied_bytes(direct));
}
