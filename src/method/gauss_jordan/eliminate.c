#include "method/gauss_jordan/gauss_jordan.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "blas/blas.h"
#include "method/mapped.h"

enum { NORM_GROUPS = 256 };

/* Beyond this order the matrix products of the blocked variant win; docs/performance.md has the measurements. If one
 * launch factors a panel, it wins sooner (docs/findings/small-systems.md). */
enum { FEW_TILES = 96, FEW_ROWS = 8 };
enum { RIGHT_SIDES = 64 }; /* columns that A leaves room for */

static void choose(cls_gj *gj, const clsolve_gauss_jordan_options *options) {
    const clsolve_device_info *info = &gj->device->info;
    const int few = cls_panel_resident_width(gj->device, gj->type, gj->n) > 0 ? FEW_ROWS : FEW_TILES;

    /* In the host's memory the work is LAPACK's, which always pivots, and small matrices are not too small for it. */
    gj->pivoting = !(options && options->pivoting == CLSOLVE_PIVOTING_NONE);
    gj->in_place = gj->pivoting && (gj->n > 0 || gj->device->no_kernels) && cls_in_place(gj->device);
    gj->variant = options ? options->variant : CLSOLVE_GAUSS_JORDAN_AUTO;
    if (gj->variant == CLSOLVE_GAUSS_JORDAN_AUTO)
        gj->variant = gj->in_place || gj->n > few ? CLSOLVE_GAUSS_JORDAN_BLOCKED : CLSOLVE_GAUSS_JORDAN_ONE_PASS;
    if (gj->variant != CLSOLVE_GAUSS_JORDAN_BLOCKED) gj->in_place = 0;
    gj->progress = options ? options->progress : NULL;
    gj->progress_user = options ? options->progress_user : NULL;
    if (info->type == CLSOLVE_DEVICE_CPU) {
        gj->work_group = 1;
        gj->rows_at_once = 256;
        gj->groups = info->compute_units > 0 ? info->compute_units : 1;
    } else {
        gj->work_group = cls_work_group(gj->device, 128);
        gj->rows_at_once = 1;
    }
}

static clsolve_status build(cls_gj *gj) {
    cls_device *device = gj->device;
    cls_gj_kernels *k = &gj->kernels;
    const cls_named_kernel rows[] = {
        {"gj_identity", &k->identity}, {"gj_pivot", &k->pivot}, {"gj_rows", &k->rows}, {"gj_extract", &k->extract}};
    const cls_named_kernel operations[] = {{"gj_multipliers", &k->multipliers},
                                           {"gj_eliminate", &k->eliminate},
                                           {"gj_clear", &k->clear},
                                           {"gj_reciprocals", &k->reciprocals},
                                           {"gj_normalise", &k->normalise}};
    const cls_named_kernel block[] = {{"gj_norm", &k->norm},
                                      {"gj_take_rows", &k->take_rows},
                                      {"gj_swap_columns", &k->swap_columns},
                                      {"gj_swap_pair", &k->swap_pair},
                                      {"gj_column_sources", &k->column_sources},
                                      {"gj_gather_rows", &k->gather_rows},
                                      {"gj_put_rows", &k->put_rows},
                                      {"gj_block_factor", &k->block_factor},
                                      {"gj_conjugate", &k->conjugate} /* of complex elements alone */};
    char options[128];

    (void)snprintf(options, sizeof options, "%s -DLS=%d -DROWS=%d", cls_type_option(gj->type), (int)gj->work_group,
                   (int)gj->rows_at_once);
    CLS_TRY(CLS_KERNELS_MAKE(device, "gj_rows", options, rows));
    CLS_TRY(
        cls_kernels_make(device, "gj_block", options, block, sizeof block / sizeof *block - !cls_is_complex(gj->type)));
    if (gj->variant != CLSOLVE_GAUSS_JORDAN_OPERATIONS) return CLSOLVE_OK;
    return CLS_KERNELS_MAKE(device, "gj_operations", options, operations);
}

static clsolve_status take_blocked(cls_gj *gj) {
    /* Beyond this order, docs/findings/overlap.md; complex ones take four times as long. */
    const int64_t long_products = cls_is_complex(gj->type) ? 1024 : 4096;
    cls_device *device = gj->device;
    int64_t n = gj->n, width = gj->block < n ? gj->block : n;

    CLS_TRY(cls_matrix_create(device, gj->type, n, width, 1, 0, &gj->P[0]));
    if (gj->in_place) return cls_matrix_map(device, &gj->P[0]);
    gj->ahead = cls_panel_worth_ahead(&gj->panel, n);
    gj->products_first = n > long_products;
    if (gj->ahead) CLS_TRY(cls_matrix_create(device, gj->type, n, width, 1, 0, &gj->P[1]));
    return cls_matrix_create(device, gj->type, width, n, 1, 0, &gj->R);
}

static clsolve_status take_rows(cls_gj *gj) {
    cls_device *device = gj->device;
    size_t n = (size_t)gj->n, size = (size_t)cls_type_size(gj->type);

    CLS_TRY(device->ops->buffer_create(device, n * sizeof(int64_t), &gj->place));
    CLS_TRY(device->ops->buffer_create(device, n * sizeof(int64_t), &gj->pivots));
    if (gj->variant != CLSOLVE_GAUSS_JORDAN_OPERATIONS) return CLSOLVE_OK;
    CLS_TRY(device->ops->buffer_create(device, n * size, &gj->multipliers));
    return device->ops->buffer_create(device, 2 * n * size, &gj->diagonals);
}

/* Whether the device has room for A and for columns of right-hand sides, which come later. */
static int fits(const cls_gj *gj) {
    int64_t n = gj->n, size = cls_type_size(gj->type), column = cls_matrix_ld(n, size) * size;
    int64_t beside = n < RIGHT_SIDES ? n : RIGHT_SIDES, left = gj->device->ops->memory_left(gj->device);
    return n == 0 || (left > 0 && n <= left / column - beside);
}

static clsolve_status take_matrix(cls_gj *gj) {
    cls_device *device = gj->device;

    if (!fits(gj))
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                        "Gauss-Jordan holds all of the %lld x %lld matrix on the device, and %s has no room for it: "
                        "dense LU streams it through",
                        (long long)gj->n, (long long)gj->n, device->info.name);
    CLS_TRY(cls_matrix_create(device, gj->type, gj->n, gj->n, gj->block, gj->slab_bytes, &gj->A));
    return gj->in_place ? cls_matrix_map(device, &gj->A) : CLSOLVE_OK;
}

/* Panels are factored where the rest of the elimination works: on the device, or in the host's memory. */
static clsolve_status take_panel(cls_gj *gj, int64_t block) {
    cls_device *device = gj->device;
    if (gj->in_place && block == 0) block = cls_gj_in_place_block(gj->n);
    cls_panel_sizes sizes = cls_panel_sizes_of(device, gj->type, gj->n, gj->in_place, 1, block);
    cls_panel_shape shape = {.type = gj->type,
                             .rows = gj->n,
                             .cols = gj->n,
                             .leaf = sizes.leaf,
                             .block = sizes.block,
                             .hybrid = gj->in_place,
                             .mapped = gj->in_place};

    gj->block = sizes.block;
    if (gj->n > INT32_MAX) CLS_TRY(take_matrix(gj)); /* what 64 bits cannot count is refused */
    CLS_TRY(cls_panel_create(device, &shape, &gj->panel));
    return gj->in_place ? cls_panel_take_host(&gj->panel, gj->n, 0) : CLSOLVE_OK;
}

static clsolve_status open_kernels(cls_gj *gj) {
    CLS_TRY(cls_panel_open(&gj->panel));
    CLS_TRY(cls_check_create(gj->device, gj->type, &gj->check));
    return cls_transfer_create(gj->device, gj->type, &gj->transfer);
}

/* The kernels, and the products and triangular solves of a block in the blocked variant. */
static clsolve_status announced(void *what) {
    cls_gj *gj = what;
    int64_t b = gj->block, n = gj->n;
    CLS_TRY(open_kernels(gj));
    CLS_TRY(build(gj));
    if (gj->variant != CLSOLVE_GAUSS_JORDAN_BLOCKED || n <= b) return CLSOLVE_OK;
    cls_ref A = cls_matrix_at(&gj->A, 0, 0);
    CLS_TRY(cls_trsm(gj->device, CLS_BLAS_DEFAULT, gj->type, CLS_LOWER_UNIT, CLSOLVE_NO_TRANS, b, n, A, A));
    return cls_gemm(gj->device, CLS_BLAS_DEFAULT, gj->type, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, n, n - b, b, -1.0, A, A,
                    1.0, A);
}

clsolve_status cls_gj_setup(cls_device *device, int64_t n, clsolve_type type,
                            const clsolve_gauss_jordan_options *options, cls_gj *gj) {
    gj->device = device;
    gj->n = n;
    gj->type = type;
    gj->slab_bytes = options ? options->slab_bytes : 0;
    choose(gj, options);
    CLS_TRY(take_panel(gj, options ? options->block : 0));
    CLS_TRY(take_matrix(gj));
    if (!gj->in_place) CLS_TRY(cls_announce(device, announced, gj));
    if (!gj->in_place) CLS_TRY(open_kernels(gj));
    CLS_TRY(gj->variant == CLSOLVE_GAUSS_JORDAN_BLOCKED ? take_blocked(gj) : take_rows(gj));
    if (gj->in_place) return CLSOLVE_OK;
    CLS_TRY(device->ops->buffer_create(device, (size_t)(NORM_GROUPS * cls_type_size(type)), &gj->partial));
    return build(gj);
}

void cls_gj_release(cls_gj *gj) {
    cls_device *device = gj->device;
    const cls_gj_kernels *k = &gj->kernels;

    if (!device) return;
    cls_panel_release(&gj->panel); /* waits: what still runs uses all of this */
    device->ops->event_release(device, gj->told);
    CLS_BUFFERS_DESTROY(device, gj->place, gj->pivots, gj->multipliers, gj->diagonals, gj->partial);
    CLS_KERNELS_DESTROY(device, k->pivot, k->rows, k->extract, k->identity, k->multipliers, k->eliminate, k->clear,
                        k->reciprocals, k->normalise, k->take_rows, k->swap_columns, k->swap_pair, k->norm,
                        k->block_factor, k->put_rows, k->column_sources, k->gather_rows, k->conjugate);
    cls_matrix_destroy(device, &gj->X);
    cls_matrix_destroy(device, &gj->P[0]);
    cls_matrix_destroy(device, &gj->P[1]);
    cls_matrix_destroy(device, &gj->R);
    cls_check_destroy(device, &gj->check);
    cls_transfer_destroy(device, &gj->transfer);
    cls_matrix_destroy(device, &gj->A);
    cls_matrix_destroy(device, &gj->B);
    cls_matrix_destroy(device, &gj->scratch);
}

clsolve_status cls_gj_reserve(cls_gj *gj, int64_t cols, int row_major) {
    int mapped = gj->in_place;

    CLS_TRY(cls_matrix_reserve(gj->device, gj->type, gj->n, cols, gj->slab_bytes, mapped, &gj->B));
    if (row_major && !mapped)
        CLS_TRY(cls_matrix_reserve(gj->device, gj->type, cols, gj->n, gj->slab_bytes, 0, &gj->scratch));
    if (gj->variant == CLSOLVE_GAUSS_JORDAN_BLOCKED) return CLSOLVE_OK;
    return cls_matrix_reserve(gj->device, gj->type, gj->n, cols, gj->slab_bytes, 0, &gj->X);
}

clsolve_status cls_gj_scale(cls_gj *gj, const cls_matrix *M, int64_t cols, double factor) {
    if (M->mapped) {
        cls_gj_in_place_scale(M, cols, factor);
        return CLSOLVE_OK;
    }
    for (int64_t c = 0, width; c < cols; c += width) {
        width = cls_matrix_run(M, c, cols);
        CLS_TRY(cls_scale(gj->device, CLS_COMPUTE, M->type, M->rows, width, factor, cls_matrix_at(M, 0, c)));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_gj_conjugate(cls_gj *gj) {
    const int64_t n = gj->n, most = gj->groups > 0 ? gj->groups : n;
    if (!cls_is_complex(gj->type)) return CLSOLVE_OK;
    if (gj->A.mapped) {
        cls_gj_in_place_conjugate(&gj->A);
        return CLSOLVE_OK;
    }
    for (int64_t c = 0, width; c < n; c += width) {
        width = cls_matrix_run(&gj->A, c, n);
        const cls_ref A = cls_matrix_at(&gj->A, 0, c);
        const int64_t groups = width < most ? width : most;
        const cls_grid grid = {{(size_t)(groups * gj->work_group), 1, 1}, {(size_t)gj->work_group, 1, 1}};
        cls_arg args[] = {CLS_REF(A), CLS_VALUE(n), CLS_VALUE(width)};
        CLS_TRY(cls_launch(gj->device, CLS_COMPUTE, gj->kernels.conjugate, &grid, CLS_ARGS(args)));
    }
    return CLSOLVE_OK;
}

static clsolve_status run(cls_gj *gj, int64_t cols) {
    switch (gj->variant) {
    case CLSOLVE_GAUSS_JORDAN_TWO_PASS:
        return cls_gj_two_pass(gj, cols);
    case CLSOLVE_GAUSS_JORDAN_OPERATIONS:
        return cls_gj_operations(gj, cols);
    case CLSOLVE_GAUSS_JORDAN_BLOCKED:
        return cls_gj_blocked(gj, cols);
    case CLSOLVE_GAUSS_JORDAN_AUTO:
    case CLSOLVE_GAUSS_JORDAN_ONE_PASS:
        break;
    }
    return cls_gj_one_pass(gj, cols);
}

/*
 * Blocked has had its panels measured, whole: for what BLAS and LAPACK make of Inf in a matrix may be finite. All
 * columns left of the first zero pivot count; to its right there is nothing to be had.
 */
static clsolve_status find_overflow(cls_gj *gj, int64_t *info) {
    cls_measures measures;

    if (gj->variant != CLSOLVE_GAUSS_JORDAN_BLOCKED || gj->in_place || gj->n == 0 || *info < 0) return CLSOLVE_OK;
    CLS_TRY(cls_check_read(gj->device, &gj->check, gj->n, &measures, NULL));
    if (measures.row >= 0 && (*info == 0 || measures.column < *info - 1)) *info = -(measures.column + 1);
    return CLSOLVE_OK;
}

static clsolve_status eliminate(cls_gj *gj, int64_t cols, int64_t *info) {
    cls_device *device = gj->device;
    int again = 0;

    *info = 0;
    CLS_TRY(cls_panel_start(&gj->panel, CLS_PANEL_REPEATABLE));
    clsolve_status status = gj->in_place ? cls_gj_in_place(gj, cols, info) : run(gj, cols);
    device->ops->event_release(device, gj->told);
    gj->told = NULL;
    CLS_TRY(status);
    CLS_TRY(cls_panel_end(&gj->panel, info, &again));
    if (again)
        return cls_fail(
            device->error, CLSOLVE_ERROR_DEVICE,
            "%s: the work-groups of a launch did not run together; they won't be asked to again, so call again",
            device->info.name);
    return find_overflow(gj, info);
}

clsolve_status cls_gj_solve(cls_gj *gj, int64_t cols, const cls_matrix **result, int64_t *info) {
    *result = gj->variant == CLSOLVE_GAUSS_JORDAN_BLOCKED ? &gj->B : &gj->X;
    return eliminate(gj, cols, info);
}

clsolve_status cls_gj_invert(cls_gj *gj, const cls_matrix **result, int64_t *info) {
    int64_t n = gj->n;

    if (gj->variant == CLSOLVE_GAUSS_JORDAN_BLOCKED) {
        *result = &gj->A;
        return eliminate(gj, -1, info);
    }
    *result = &gj->X;
    CLS_TRY(cls_gj_reserve(gj, n, 0));
    for (int64_t c = 0, width; c < n; c += width) {
        width = cls_matrix_run(&gj->B, c, n);
        CLS_TRY(cls_gj_identity(gj, cls_matrix_at(&gj->B, 0, c), n, width, c));
    }
    return eliminate(gj, n, info);
}

/* The largest of the groups' norms over the columns begin .. begin + cols - 1, which lie in one slab, times `scale`. */
static clsolve_status slab_norm(cls_gj *gj, const cls_matrix *M, int64_t begin, int64_t cols, double scale,
                                double *norm) {
    cls_device *device = gj->device;
    cls_ref ref = cls_matrix_at(M, 0, begin);
    int64_t groups = cols < NORM_GROUPS ? cols : NORM_GROUPS, size = cls_type_size(cls_real_type(M->type));
    double words[NORM_GROUPS];
    float scale32 = (float)scale;
    cls_arg factor64 = CLS_VALUE(scale), factor32 = CLS_VALUE(scale32);
    cls_grid grid = {{(size_t)(groups * gj->work_group), 1, 1}, {(size_t)gj->work_group, 1, 1}};
    cls_arg args[] = {CLS_REF(ref), CLS_VALUE(M->rows), CLS_VALUE(cols), cls_is_double(M->type) ? factor64 : factor32,
                      CLS_BUFFER(gj->partial)};
    size_t bytes = (size_t)(groups * size);

    CLS_TRY(cls_launch(device, CLS_COMPUTE, gj->kernels.norm, &grid, CLS_ARGS(args)));
    CLS_TRY(cls_bytes_get(device, gj->partial, 0, words, bytes));
    for (int64_t g = 0; g < groups; ++g) {
        const double one = cls_type_get(cls_real_type(M->type), words, g);
        if (!(one <= *norm)) *norm = one;
    }
    return CLSOLVE_OK;
}

/* Has the search for NaN measured the norm? Not where elements that small have lost digits to its scaling. */
static int is_measured(const cls_matrix *M, double measured) {
    const double digits = M->mapped ? 0x1p12 : 0x1p40; /* a device may flush what lies below the least number to zero */
    return measured > cls_type_least(M->type) * digits;
}

clsolve_status cls_gj_norm(cls_gj *gj, const cls_matrix *M, double measured, double *norm, int *exponent) {
    const int known = is_measured(M, measured);

    *norm = known ? measured : 0;
    *exponent = known ? 16 : 0; /* CLS_NORM_SCALE */
    if (known || M->rows == 0) return CLSOLVE_OK;
    if (M->mapped) {
        *norm = cls_mapped_norm(M);
        return CLSOLVE_OK;
    }
    /* Sums that overflow are made again, smaller. */
    for (int tries = 0; tries == 0 || (tries == 1 && isinf(*norm)); ++tries) {
        *norm = 0;
        *exponent = 16 * tries;
        for (int64_t c = 0, width; c < gj->n; c += width) {
            width = cls_matrix_run(M, c, gj->n);
            CLS_TRY(slab_norm(gj, M, c, width, ldexp(1, -*exponent), norm));
        }
    }
    return CLSOLVE_OK;
}
