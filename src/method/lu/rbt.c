#include "method/lu/rbt.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "method/lu/rbt_host.h"

enum { LEVELS = 4, MOST_GROUPS = 1024 }; /* W inner and outer, V inner and outer; groups along columns */

static int64_t quarter(int64_t n) {
    return (n + 3) / 4;
}

/* ---- the numbers ---- */

/* splitmix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014): number k of a seed, the same everywhere. */
static uint64_t bits_of(uint64_t seed, uint64_t k) {
    uint64_t z = seed + (k + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Rounded to the type of the factors, for the determinant is to be that of what is multiplied. */
static double number(const cls_lu *lu, int64_t level, int64_t i, int paired) {
    double r = (double)(bits_of(lu->rbt.seed, (uint64_t)(level * 4 * quarter(lu->n) + i)) >> 11) * 0x1p-53 - 0.5;
    double value = exp(r / 10) * (paired ? sqrt(0.5) : 1);
    return cls_is_double(lu->type) ? value : (double)(float)value;
}

/* Members 0 and 1, 2 and 3 of a group are partners on the inner level, 0 and 2, 1 and 3 on the outer one. */
static int64_t partner(int64_t level, int64_t i, int64_t q) {
    int64_t member = i / q, other = level % 2 == 0 ? member ^ 1 : member ^ 2;
    return i + (other - member) * q;
}

/* All of them; ln |det W det V| comes with them. The signs of the two determinants are the same. */
static void fill(cls_lu *lu, double *diagonals) {
    int64_t n = lu->n, q = quarter(n);

    lu->rbt.log_det = 0;
    for (int64_t level = 0; level < LEVELS; ++level)
        for (int64_t i = 0; i < n; ++i) {
            int paired = partner(level, i, q) < n;
            double value = diagonals[level * 4 * q + i] = number(lu, level, i, paired);
            lu->rbt.log_det += log(value) + (paired ? log(2) / 2 : 0);
        }
}

/* ---- setup ---- */

static clsolve_status no_memory(const cls_lu *lu) {
    return cls_fail(lu->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for random butterflies");
}

static clsolve_status build(cls_lu *lu) {
    cls_device *device = lu->device;
    cls_program *program;
    char options[128];

    lu->rbt.lanes = cls_work_group(device, 128);
    (void)snprintf(options, sizeof options, "%s -DLS=%d -DWIDTH=%d", cls_type_option(lu->type), (int)lu->rbt.lanes,
                   (int)lu->panel.leaf);
    CLS_TRY(device->ops->program_get(device, "lu_rbt", options, &program));
    CLS_TRY(device->ops->kernel_create(device, program, "lu_rbt_matrix", &lu->rbt.matrix));
    return device->ops->kernel_create(device, program, "lu_rbt_vectors", &lu->rbt.vectors);
}

static clsolve_status write(cls_lu *lu, const void *diagonals, size_t bytes) {
    cls_device *device = lu->device;
    cls_rect rect = {bytes, 1, 0, bytes, bytes};

    CLS_TRY(device->ops->buffer_create(device, bytes, &lu->rbt.diagonals));
    CLS_TRY(device->ops->write(device, CLS_COMPUTE, lu->rbt.diagonals, diagonals, &rect, NULL, NULL));
    return device->ops->finish(device, CLS_COMPUTE);
}

static clsolve_status send(cls_lu *lu, const double *diagonals) {
    size_t count = (size_t)(LEVELS * 4 * quarter(lu->n));

    if (cls_is_double(lu->type)) return write(lu, diagonals, count * sizeof *diagonals);
    float *singles = cls_alloc(count, sizeof *singles);
    if (!singles) return no_memory(lu);
    for (size_t k = 0; k < count; ++k) singles[k] = (float)diagonals[k];
    clsolve_status status = write(lu, singles, count * sizeof *singles);
    cls_free(singles);
    return status;
}

clsolve_status cls_lu_rbt_setup(cls_lu *lu, uint64_t seed) {
    double *diagonals = cls_alloc((size_t)(LEVELS * 4 * quarter(lu->n)), sizeof *diagonals);

    if (!diagonals) return no_memory(lu);
    lu->rbt.offered = 1;
    lu->rbt.seed = seed;
    fill(lu, diagonals);
    if (lu->panel.mapped) {
        lu->rbt.host = diagonals;
        return CLSOLVE_OK;
    }
    clsolve_status status = build(lu);
    if (status == CLSOLVE_OK) status = send(lu, diagonals);
    cls_free(diagonals);
    return status;
}

void cls_lu_rbt_release(cls_lu *lu) {
    cls_device *device = lu->device;

    device->ops->kernel_destroy(device, lu->rbt.matrix);
    device->ops->kernel_destroy(device, lu->rbt.vectors);
    device->ops->buffer_destroy(device, lu->rbt.diagonals);
    cls_free(lu->rbt.host);
}

/* A matrix that is singular leaves a last pivot of about the rounding of what was subtracted from it, which grows
 * like the root of their number; sixteen times that is still far below the pivots of a matrix that this kind of LU is
 * good for. */
void cls_lu_rbt_begin(cls_lu *lu, double largest) {
    double epsilon = cls_is_double(lu->type) ? DBL_EPSILON / 2 : (double)FLT_EPSILON / 2;

    if (!lu->rbt.offered) return;
    lu->rbt.on = 1;
    cls_panel_without_pivots(&lu->panel, 16 * sqrt((double)lu->n) * epsilon * largest);
}

void cls_lu_rbt_end(cls_lu *lu) {
    lu->rbt.on = 0;
    cls_panel_with_pivots(&lu->panel);
}

/* ---- the matrix ---- */

/* Along the groups of rows LS at a time, along columns what `columns` there are. */
static cls_grid grid_of(const cls_lu *lu, int64_t columns) {
    size_t lanes = (size_t)lu->rbt.lanes, rows = (size_t)quarter(lu->n);
    size_t across = (size_t)(columns < MOST_GROUPS ? columns : MOST_GROUPS);
    return (cls_grid){{(rows + lanes - 1) / lanes * lanes, across, 1}, {lanes, 1, 1}};
}

/* The groups of columns from `first` on, as many as lie in the same slabs and have the same number of members. */
static clsolve_status transform_run(cls_lu *lu, int64_t first, int64_t *columns) {
    int64_t n = lu->n, q = quarter(n);
    int32_t members = 0;
    cls_ref at[4];

    *columns = q - first;
    for (int k = 0; k < 4; ++k) {
        int64_t j = first + k * q;
        at[k] = cls_matrix_at(&lu->A, 0, j < n ? j : first); /* of a short group: never touched */
        if (j >= n) continue;
        int64_t run = cls_matrix_run(&lu->A, j, n);
        if (run < *columns) *columns = run;
        members++;
    }
    cls_grid grid = grid_of(lu, *columns);
    cls_arg args[] = {CLS_BUFFER(at[0].buffer), CLS_VALUE(at[0].offset),
                      CLS_BUFFER(at[1].buffer), CLS_VALUE(at[1].offset),
                      CLS_BUFFER(at[2].buffer), CLS_VALUE(at[2].offset),
                      CLS_BUFFER(at[3].buffer), CLS_VALUE(at[3].offset),
                      CLS_VALUE(at[0].ld),      CLS_VALUE(lu->n),
                      CLS_VALUE(first),         CLS_VALUE(*columns),
                      CLS_VALUE(members),       CLS_BUFFER(lu->rbt.diagonals)};
    return cls_launch(lu->device, CLS_COMPUTE, lu->rbt.matrix, &grid, CLS_ARGS(args));
}

clsolve_status cls_lu_rbt_transform(cls_lu *lu) {
    if (lu->A.mapped) {
        cls_lu_rbt_host_matrix(&lu->A, lu->rbt.host);
        return CLSOLVE_OK;
    }
    for (int64_t first = 0, columns; first < quarter(lu->n); first += columns)
        CLS_TRY(transform_run(lu, first, &columns));
    return CLSOLVE_OK;
}

/* ---- right-hand sides ---- */

static clsolve_status mix(cls_lu *lu, int64_t cols, int64_t begin, int32_t back) {
    if (lu->A.mapped) {
        cls_lu_rbt_host_vectors(&lu->B, cols, lu->rbt.host, begin, back);
        return CLSOLVE_OK;
    }
    for (int64_t c = 0, run; c < cols; c += run) {
        run = cls_matrix_run(&lu->B, c, cols);
        cls_ref B = cls_matrix_at(&lu->B, 0, c);
        cls_grid grid = grid_of(lu, run);
        cls_arg args[] = {CLS_REF(B),       CLS_VALUE(lu->n), CLS_VALUE(run), CLS_BUFFER(lu->rbt.diagonals),
                          CLS_VALUE(begin), CLS_VALUE(back)};
        CLS_TRY(cls_launch(lu->device, CLS_COMPUTE, lu->rbt.vectors, &grid, CLS_ARGS(args)));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_lu_rbt_before(cls_lu *lu, clsolve_op op, int64_t cols) {
    return mix(lu, cols, op == CLSOLVE_NO_TRANS ? 0 : 8 * quarter(lu->n), 0);
}

clsolve_status cls_lu_rbt_after(cls_lu *lu, clsolve_op op, int64_t cols) {
    return mix(lu, cols, op == CLSOLVE_NO_TRANS ? 8 * quarter(lu->n) : 0, 1);
}
