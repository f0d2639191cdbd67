/* table.c: the table of operations for method/direct, and what a handle takes. */
#include "method/several/direct.h"

#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "method/view.h"

/* ---- A ---- */

static clsolve_status several_copy(cls_direct *direct, const clsolve_matrix *A, int scale) {
    return cls_several_copy_take(&direct->copy, A, scale);
}

/* Without a copy: a tiny A is multiplied by a power of two where it lies. */
static clsolve_status multiply_part(cls_several_part *part, void *what) {
    cls_lu *lu = &part->lu;
    cls_device *device = lu->device;
    cls_scaling *scaling = &part->copy.scaling;
    const double factor = *(const double *)what;

    if (!scaling->host_r) CLS_TRY(cls_scaling_create(device, lu->n, lu->type, lu->type, lu->panel.mapped, scaling));
    CLS_TRY(cls_scaling_uniform(device, scaling, lu->panel.mapped, factor));
    CLS_TRY(cls_scaling_rows(device, scaling, &lu->A, part->cols, 1));
    return cls_several_measure_part(part, &lu->check, &lu->A);
}

/* The numbers of the scaling that direct reads; the factors are of that multiple of A. */
static clsolve_status note_uniform(cls_direct *direct, double unit) {
    cls_scaling *scaling = &direct->scaling;
    const size_t n = (size_t)direct->n;

    cls_several_set_uniform(direct->factors, unit);
    if (unit != 1 && !scaling->host_r) {
        scaling->n = direct->n;
        scaling->type = direct->type;
        scaling->host_r = cls_alloc(n, sizeof *scaling->host_r);
        scaling->host_c = cls_alloc(n, sizeof *scaling->host_c);
        if (!scaling->host_r || !scaling->host_c)
            return cls_fail(direct->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a scaling");
    }
    return cls_scaling_uniform(direct->device, scaling, 1, unit);
}

static clsolve_status several_take(cls_direct *direct, const clsolve_matrix *A) {
    cls_several *several = direct->factors;

    if (direct->copies) {
        cls_several_set_uniform(several, 1);
        return cls_several_copy_write(&direct->copy, &direct->largest);
    }
    CLS_TRY(cls_several_upload(several, A, &direct->measures));
    direct->largest = direct->measures.largest;
    if (direct->measures.row >= 0) return CLSOLVE_OK;
    double unit = cls_scaling_unit(direct->type, direct->largest);
    CLS_TRY(note_uniform(direct, unit));
    if (unit == 1) return CLSOLVE_OK;
    CLS_TRY(cls_several_run(several, multiply_part, &unit));
    cls_several_join_measures(several, &direct->measures);
    direct->largest = direct->measures.largest;
    return CLSOLVE_OK;
}

static clsolve_status several_factor(cls_direct *direct, const clsolve_matrix *A, int *again) {
    cls_several *several = direct->factors;

    (void)A;
    CLS_TRY(cls_several_factor(several, &direct->info, again));
    return *again ? CLSOLVE_OK : cls_several_growth(several, &direct->growth);
}

/* ---- solves ---- */

static clsolve_status solve_view(void *factors, clsolve_op op, const clsolve_matrix *B, cls_place *in, cls_place *out) {
    return cls_several_solve(factors, op, B, in, out);
}

static clsolve_status several_solve(void *factors, clsolve_op op, int64_t cols, double *x) {
    cls_several *several = factors;
    const double uniform = several->uniform;

    several->uniform = 1; /* the operator of direct takes care of it */
    clsolve_status status =
        cls_view_solve_doubles(several->error, several->type, several->n, cols, x, op, solve_view, several);
    several->uniform = uniform;
    return status;
}

static clsolve_status several_solve_unrefined(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                              cls_place *out) {
    const double start = cls_seconds();
    clsolve_status status = cls_several_solve(direct->factors, op, B, in, out);
    direct->costs.solve.solve = cls_seconds() - start;
    return status;
}

/* ---- the copy ---- */

static clsolve_status several_residual(cls_direct *direct, clsolve_op op, int64_t cols, const double *X,
                                       const double *B, double *R) {
    return cls_several_copy_residual(&direct->copy, op, cols, X, B, R);
}

/* The same block columns as those that there are. */
static clsolve_status setup_alike(const cls_direct *direct, cls_several *wide) {
    const cls_several *own = direct->factors;
    cls_device **devices = cls_alloc((size_t)own->count, sizeof(cls_device *));
    const cls_several_shape shape = {.n = own->n,
                                     .type = direct->type,
                                     .count = own->count,
                                     .shares = own->shares,
                                     .width = own->width,
                                     .group = own->group,
                                     .options = direct->options};

    if (!devices) return cls_fail(own->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a list of devices");
    for (int p = 0; p < own->count; ++p) devices[p] = own->parts[p].lu.device;
    const clsolve_status status = cls_several_setup(devices, &shape, wide);
    cls_free(devices);
    return status;
}

static clsolve_status several_factor_wide(cls_direct *direct, void *factors, int64_t *info, cls_growth *growth) {
    cls_several *wide = factors;
    int again = 1;

    CLS_TRY(setup_alike(direct, wide));
    wide->options = NULL; /* the caller has seen progress reach 1 */
    for (int round = 0; round < 2 && again; ++round) {
        CLS_TRY(cls_several_copy_write_plain(&direct->copy, wide));
        CLS_TRY(cls_several_factor(wide, info, &again));
    }
    return cls_several_growth(wide, growth);
}

static void several_release(void *factors) {
    cls_several_release(factors);
}

/* ---- factors ---- */

/* U of A itself, where A was factored times a power of two. */
static void unscale(const clsolve_matrix *LU, int exponent) {
    const int column = LU->layout == CLSOLVE_COLUMN_MAJOR;
    const int64_t n = LU->rows, parts = cls_type_parts(LU->type);

    for (int64_t l = 0; l < n; ++l) {
        const int64_t first = column ? 0 : l, end = column ? l + 1 : n;
        for (int64_t k = (l * LU->ld + first) * parts; k < (l * LU->ld + end) * parts; ++k)
            cls_type_put(LU->type, LU->data, k, ldexp(cls_type_get(LU->type, LU->data, k), exponent));
    }
}

/* The factors in use as LAPACK has them, as cls_lu_export. */
static clsolve_status several_export(cls_direct *direct, const char *call, const clsolve_matrix *LU, int64_t *ipiv) {
    const double uniform = cls_direct_uniform(direct);

    (void)call;
    if (direct->n == 0) return CLSOLVE_OK;
    CLS_TRY(cls_several_export(cls_direct_in_use(direct), LU, ipiv));
    if (LU && uniform != 1) unscale(LU, -ilogb(uniform));
    return CLSOLVE_OK;
}

/* ---- report ---- */

static int64_t bytes_of(const cls_several *several) {
    int64_t bytes = several ? cls_several_home_bytes(several) : 0;
    for (int p = 0; several && p < several->count; ++p) {
        const cls_several_part *part = &several->parts[p];
        bytes += part->lu.A.bytes + part->lu.B.bytes + part->lu.scratch.bytes + part->copy.A.bytes +
                 part->copy.X.bytes + part->copy.R.bytes;
        for (int s = 0; s < CLS_SEVERAL_SLOTS; ++s) bytes += part->slot[s].L.bytes;
    }
    return bytes;
}

static void several_report(const cls_direct *direct, clsolve_report *report) {
    const cls_several *several = direct->factors;

    report->device_bytes = bytes_of(several) + bytes_of(direct->wide);
    report->slab_columns = several->width < several->n ? several->width : several->n;
    report->slabs = several->blocks;
    report->direct.pivoting = report->direct.pivoting_used = "partial";
    for (int p = 0; p < several->count; ++p) report->direct.devices += several->parts[p].cols > 0;
}

static int several_scatters(const cls_direct *direct, const cls_entries *entries) {
    return cls_entries_are_few(entries, direct->type, entries->n * entries->n);
}

static const cls_direct_ops operations = {.factors_name = "L\\U",
                                          .factors_size = sizeof(cls_several),
                                          .plain_first = 1,
                                          .growth_limits_rcond = 1,
                                          .copy = several_copy,
                                          .take = several_take,
                                          .factor = several_factor,
                                          .residual = several_residual,
                                          .solve = several_solve,
                                          .solve_unrefined = several_solve_unrefined,
                                          .factor_wide = several_factor_wide,
                                          .invert = cls_several_invert,
                                          .export = several_export,
                                          .scatters = several_scatters,
                                          .release = several_release,
                                          .report = several_report};

/* ---- setup ---- */

int cls_several_has(const clsolve_lu_options *o) {
    return o->memory_limit == 0 && (o->pivoting == CLSOLVE_PIVOTING_AUTO || o->pivoting == CLSOLVE_PIVOTING_PARTIAL);
}

clsolve_status cls_several_direct_setup(cls_device *const *devices, const cls_several_shape *shape,
                                        cls_several *several, cls_direct *direct) {
    const clsolve_lu_options *options = shape->options;
    cls_device *lead = devices[0];
    cls_several_shape factors = *shape;
    const cls_direct given = {.ops = &operations,
                              .device = lead,
                              .type = shape->type,
                              .n = shape->n,
                              .factors = several,
                              .options = options,
                              .refines = options->refine,
                              .equilibrate = options->equilibrate,
                              .wants_rcond = options->rcond};

    CLS_TRY(cls_direct_begin(direct, &given, options->precision, 1));
    factors.type = cls_direct_factors_type(direct);
    for (int p = 0; p < shape->count; ++p)
        if (cls_is_double(shape->type) && !devices[p]->info.fp64)
            return cls_fail(lead->error, CLSOLVE_ERROR_UNSUPPORTED,
                            "%s (%s) does not compute in double, which each of several devices has to: leave it out",
                            devices[p]->info.selector, devices[p]->info.name);
    CLS_TRY(cls_several_setup(devices, &factors, several));
    direct->host_only = "a device, and a handle over several devices";
    direct->copies = direct->refines || options->equilibrate;
    if (direct->copies) CLS_TRY(cls_several_copy_setup(several, shape->type, &direct->copy));
    CLS_TRY(cls_several_home_setup(several));
    cls_direct_made(direct, 0);
    return CLSOLVE_OK;
}
