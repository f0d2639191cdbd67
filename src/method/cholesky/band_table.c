/* band_table.c: what a band takes and gives back on either side; see band.h. */
#include "method/cholesky/band.h"

#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/type.h"
#include "blas/blas.h"
#include "method/cholesky/direct.h"
#include "method/direct/scaling.h"

/* ---- the factor to the caller ---- */

/* The factored matrix is a power of two times S A S, with S = diag(s) of powers of two; its L is the root times S L.
 * Without `to` nothing is stored. 0: the type does not hold L of A itself. */
static int store_lines(const cls_direct *direct, const cls_band_cholesky *b, int64_t begin, int64_t cols,
                       const void *lines, const cls_band_triangle *to) {
    const int64_t parts = cls_type_parts(b->type);
    const double root = sqrt(direct->copies ? direct->copy.unit : cls_direct_uniform(direct));
    const double *s = cls_direct_scaled_lines(direct) ? cls_direct_scaling(direct)->host_r : NULL;
    int holds = 1;

    for (int64_t j = begin; j < begin + cols; ++j)
        for (int64_t d = 0; d <= b->k && j + d < b->n; ++d)
            for (int64_t part = 0; part < parts; ++part) {
                const double value = cls_type_get(b->type, lines, parts * (d + (j - begin) * (b->k + 1)) + part);
                const double plain = value / root / (s ? s[j + d] : 1);
                holds &= cls_cholesky_holds(b->type, plain, d == 0 && part == 0);
                if (to)
                    cls_type_put(b->type, to->data, parts * (to->first + j * to->column + d * to->down) + part,
                                 part && to->conjugate ? -plain : plain);
            }
    return holds;
}

static clsolve_status pass(const cls_direct *direct, cls_band_cholesky *b, const cls_band_triangle *to, int *holds) {
    *holds = 1;
    for (int64_t j = 0, cols; j < b->n; j += cols) {
        cols = b->n - j < b->columns ? b->n - j : b->columns;
        if (!b->L) CLS_TRY(cls_band_cholesky_device_lines(b, j, cols));
        *holds &= store_lines(direct, b, j, cols, b->L ? b->L : b->lines, to);
    }
    return CLSOLVE_OK;
}

/* Factors in float of a matrix of doubles are looked at first. */
clsolve_status cls_band_cholesky_export(const cls_direct *direct, const char *call, clsolve_uplo uplo,
                                        const clsolve_matrix *F) {
    cls_band_cholesky *b = cls_direct_in_use(direct);
    const cls_band_triangle to = cls_band_triangle_of(b, uplo, F);
    int holds = 1;

    if (cls_direct_in_float(direct)) CLS_TRY(pass(direct, b, NULL, &holds));
    return holds ? pass(direct, b, &to, &holds) : cls_cholesky_out_of_range(direct, call);
}

/* ---- the factor from the caller ---- */

static clsolve_status import_factor(cls_direct *direct, const clsolve_matrix *F, const int64_t *ipiv) {
    cls_band_cholesky *b = direct->factors;
    const cls_band_triangle t = cls_band_triangle_of(b, b->uplo, F);
    const int64_t parts = cls_type_parts(b->type);

    (void)ipiv;
    direct->growth = cls_growth_begin();
    direct->info = 0;
    if (b->n == 0) return CLSOLVE_OK;
    CLS_TRY(b->L ? cls_band_cholesky_host_take(direct, F) : cls_band_cholesky_device_take(direct, F));
    b->core.whole_range = cls_scaling_unit(b->type, direct->largest) != 1;
    const cls_place wild = {direct->measures.row, direct->measures.column};
    direct->measures = (cls_measures){.row = -1, .column = -1}; /* of A nothing is known */
    if (wild.row >= 0) {
        direct->growth.row = wild.row;
        direct->growth.column = wild.column;
        return CLSOLVE_OK;
    }
    for (int64_t j = b->n - 1; j >= 0; --j)
        if (cls_type_get(b->type, t.data, parts * (t.first + j * t.column)) == 0) direct->info = j + 1;
    if (direct->info > 0) direct->growth = cls_growth_unknown();
    if (direct->info > 0) return CLSOLVE_OK;
    if (!b->L) return cls_cholesky_determinant(&b->core, &direct->growth);
    cls_band_cholesky_host_determinant(b, &direct->growth);
    return CLSOLVE_OK;
}

/* ---- memory ---- */

/* On the device. */
static int64_t bytes_of(const cls_band_cholesky *b) {
    if (!b || b->L) return 0;
    return b->core.base_bytes + b->core.B.bytes + b->core.scratch.bytes +
           b->columns * (b->k + 1) * cls_type_size(b->type);
}

/* ---- double factors of the copy ---- */

/* A device that works in the host's memory has no better way than the host. */
static int works_on_host(const cls_device *device) {
    return device->no_kernels || cls_in_place(device);
}

static clsolve_status setup_side(cls_band_cholesky *band, cls_device *device, clsolve_type type, int64_t n, int64_t k,
                                 const clsolve_cholesky_options *options, int64_t beside) {
    *band = (cls_band_cholesky){.device = device,
                                .type = type,
                                .n = n,
                                .k = n == 0  ? 0
                                     : k < n ? k
                                             : n - 1,
                                .given = k,
                                .options = *options};
    if (n > 0 && band->k + 1 > INT64_MAX / 64 / n)
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                        "a band of order %lld has more bytes than 64 bits can count", (long long)n);
    return works_on_host(device) ? cls_band_cholesky_host_setup(band) : cls_band_cholesky_device_setup(band, beside);
}

static clsolve_status factor_wide(cls_direct *direct, void *factors, int64_t *info, cls_growth *growth) {
    const cls_band_cholesky *own = direct->factors;
    cls_band_cholesky *wide = factors;
    cls_copy plain = direct->copy; /* without the scaling that float wanted */
    clsolve_cholesky_options quiet = own->options;

    plain.r = plain.c = NULL;
    quiet.progress = NULL; /* the caller has seen it reach 1 */
    CLS_TRY(setup_side(wide, own->device, cls_double_type(own->type), own->n, own->given, &quiet, bytes_of(own)));
    if (own->L) return cls_band_cholesky_host_run(wide, &plain, info, growth);
    return cls_band_cholesky_device_run(wide, &plain, info, growth);
}

static void give_back(void *factors) {
    cls_band_cholesky_release(factors);
}

/* ---- report ---- */

static int64_t host_bytes_of(const cls_band_cholesky *b) {
    return b && b->L ? b->n * (b->k + 1) * cls_type_size(b->type) : 0;
}

static void band_report(const cls_direct *direct, clsolve_report *report) {
    const cls_band_cholesky *b = direct->factors;

    report->device_bytes = bytes_of(b) + bytes_of(direct->wide);
    report->host_bytes = host_bytes_of(b) + host_bytes_of(direct->wide);
    report->band.lower = report->band.upper = b->k;
    report->band.block = b->L ? 1 : b->core.block;
    report->band.panel = b->L ? "lapack" : "native";
}

/* ---- setup ---- */

static const cls_direct_ops on_host = {.factors_name = "L",
                                       .factors_size = sizeof(cls_band_cholesky),
                                       .plain_first = 1,
                                       .positive_definite = 1,
                                       .copy = cls_band_cholesky_copy,
                                       .factor = cls_band_cholesky_host_factor,
                                       .import = import_factor,
                                       .solve = cls_band_cholesky_host_solve,
                                       .solve_unrefined = cls_band_cholesky_host_unrefined,
                                       .factor_wide = factor_wide,
                                       .release = give_back,
                                       .report = band_report};

static const cls_direct_ops on_device = {.factors_name = "L",
                                         .factors_size = sizeof(cls_band_cholesky),
                                         .plain_first = 1,
                                         .positive_definite = 1,
                                         .copy = cls_band_cholesky_copy,
                                         .factor = cls_band_cholesky_device_factor,
                                         .import = import_factor,
                                         .solve = cls_band_cholesky_device_solve,
                                         .sides = cls_band_cholesky_device_sides,
                                         .solve_unrefined = cls_sides_solve,
                                         .factor_wide = factor_wide,
                                         .release = give_back,
                                         .report = band_report};

clsolve_status cls_band_cholesky_setup(cls_device *device, int64_t n, int64_t k, clsolve_type type,
                                       const clsolve_band_cholesky_options *options, cls_band_cholesky *band,
                                       cls_direct *direct) {
    const clsolve_cholesky_options core = {.block = options->block,
                                           .slab_bytes = options->slab_bytes,
                                           .memory_limit = options->memory_limit,
                                           .progress = options->progress,
                                           .progress_user = options->progress_user};
    const cls_direct given = {.ops = works_on_host(device) ? &on_host : &on_device,
                              .device = device,
                              .type = type,
                              .n = n,
                              .factors = band,
                              .options = options,
                              .refines = options->refine,
                              .equilibrate = options->equilibrate,
                              .wants_rcond = options->rcond};

    CLS_TRY(cls_direct_begin(direct, &given, options->precision, 0));
    direct->copies = direct->refines || options->equilibrate;
    CLS_TRY(setup_side(band, device, cls_direct_factors_type(direct), n, k, &core, 0));
    if (direct->copies) {
        CLS_TRY(cls_copy_setup_band(device, n, band->k, band->k, type, &direct->copy));
        direct->copy.symmetric = 1;
    }
    cls_direct_made(direct, 0);
    return CLSOLVE_OK;
}

void cls_band_cholesky_release(cls_band_cholesky *band) {
    if (!band->device) return;
    cls_free(band->L);
    if (!works_on_host(band->device)) cls_band_cholesky_device_release(band);
    *band = (cls_band_cholesky){0};
}
