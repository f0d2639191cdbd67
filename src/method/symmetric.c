#include "method/symmetric.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

clsolve_status cls_symmetric_create(cls_device *device, clsolve_type type, cls_symmetric *symmetric) {
    cls_program *program;
    char options[64];

    symmetric->tile = device->info.max_work_group >= 256 ? 16 : device->info.max_work_group >= 64 ? 8 : 4;
    (void)snprintf(options, sizeof options, "-DTILE=%d%s", (int)symmetric->tile,
                   cls_type_size(type) == 8 ? " -DWIDE" : "");
    CLS_TRY(device->ops->program_get(device, "symmetric", options, &program));
    return device->ops->kernel_create(device, program, "symmetric_mirror", &symmetric->mirror);
}

void cls_symmetric_destroy(cls_device *device, cls_symmetric *symmetric) {
    device->ops->kernel_destroy(device, symmetric->mirror);
    *symmetric = (cls_symmetric){0};
}

clsolve_matrix cls_symmetric_view(const clsolve_matrix *A, clsolve_uplo uplo, int *upper) {
    clsolve_matrix view = *A;
    *upper = (uplo == CLSOLVE_UPPER) == (A->layout == CLSOLVE_COLUMN_MAJOR);
    view.layout = CLSOLVE_COLUMN_MAJOR;
    return view;
}

cls_place cls_symmetric_place(clsolve_uplo uplo, int64_t row, int64_t column) {
    int swap = row >= 0 && (uplo == CLSOLVE_UPPER) == (row > column);
    return swap ? (cls_place){column, row} : (cls_place){row, column};
}

/* ---- the other triangle ---- */

static size_t tiles(int64_t size, int64_t tile) {
    return (size_t)((size + tile - 1) / tile * tile);
}

/* Rows i .. i + height - 1 of the columns j .. j + width - 1 become columns of the rows j .. */
static clsolve_status mirror_block(cls_device *device, cls_symmetric *symmetric, const cls_matrix *A, int64_t i,
                                   int64_t height, int64_t j, int64_t width, int upper) {
    const size_t tile = (size_t)symmetric->tile;
    cls_ref from = cls_matrix_at(A, i, j), to = cls_matrix_at(A, j, i);
    int32_t diagonal = i == j, above = upper;
    cls_grid grid = {{tiles(height, symmetric->tile), tiles(width, symmetric->tile), 1}, {tile, tile, 1}};
    cls_arg args[] = {CLS_BUFFER(from.buffer), CLS_VALUE(from.offset), CLS_VALUE(from.ld), CLS_BUFFER(to.buffer),
                      CLS_VALUE(to.offset),    CLS_VALUE(to.ld),       CLS_VALUE(height),  CLS_VALUE(width),
                      CLS_VALUE(diagonal),     CLS_VALUE(above)};
    return cls_launch(device, CLS_COMPUTE, symmetric->mirror, &grid, CLS_ARGS(args));
}

static clsolve_status mirror_device(cls_device *device, cls_symmetric *symmetric, const cls_matrix *A, int upper) {
    const int64_t n = A->rows;

    for (int64_t j = 0, width; j < n; j += width) {
        width = cls_matrix_run(A, j, n);
        for (int64_t i = upper ? 0 : j, height; i < (upper ? j + width : n); i += height) {
            height = cls_matrix_run(A, i, n);
            CLS_TRY(mirror_block(device, symmetric, A, i, height, j, width, upper));
        }
    }
    return CLSOLVE_OK;
}

enum { BLOCK = 32 }; /* of the host's copies, so that both sides stay in the cache */

/* Row by row within a block, column by column of blocks: *to = *from of the elements (i, j), i > j. */
#define FOR_BLOCKS_BELOW(n, i, j)                                                                                      \
    for (int64_t j0 = 0; j0 < (n); j0 += BLOCK)                                                                        \
        for (int64_t i0 = j0; i0 < (n); i0 += BLOCK)                                                                   \
            for (int64_t j = j0; j < j0 + BLOCK && j < (n); ++j)                                                       \
                for (int64_t i = i0 > j ? i0 : j + 1; i < i0 + BLOCK && i < (n); ++i)

static void mirror_f64(int64_t n, double *a, int64_t ld, int upper) {
    FOR_BLOCKS_BELOW(n, i, j) {
        if (upper)
            a[i + j * ld] = a[j + i * ld];
        else
            a[j + i * ld] = a[i + j * ld];
    }
}

static void mirror_f32(int64_t n, float *a, int64_t ld, int upper) {
    FOR_BLOCKS_BELOW(n, i, j) {
        if (upper)
            a[i + j * ld] = a[j + i * ld];
        else
            a[j + i * ld] = a[i + j * ld];
    }
}

void cls_symmetric_mirror_host(int64_t n, double *a, int64_t ld, int upper) {
    mirror_f64(n, a, ld, upper);
}

/* Of several slabs, element by element. */
static void mirror_mapped(const cls_matrix *A, int upper) {
    const size_t size = (size_t)cls_type_size(A->type);

    if (A->slabs == 1 && A->type == CLSOLVE_F64)
        mirror_f64(A->rows, cls_matrix_host(A, 0, 0), A->ld, upper);
    else if (A->slabs == 1)
        mirror_f32(A->rows, cls_matrix_host(A, 0, 0), A->ld, upper);
    else
        FOR_BLOCKS_BELOW(A->rows, i, j)
    memcpy(cls_matrix_host(A, upper ? i : j, upper ? j : i), cls_matrix_host(A, upper ? j : i, upper ? i : j), size);
}

clsolve_status cls_symmetric_mirror(cls_device *device, cls_symmetric *symmetric, const cls_matrix *A, int upper) {
    if (A->rows < 2) return CLSOLVE_OK;
    if (!A->mapped) return mirror_device(device, symmetric, A, upper);
    mirror_mapped(A, upper);
    return CLSOLVE_OK;
}

/* ---- the diagonal ---- */

static double get(clsolve_type type, const void *values, int64_t k) {
    return type == CLSOLVE_F64 ? ((const double *)values)[k] : (double)((const float *)values)[k];
}

static clsolve_status read_diagonal(cls_device *device, const cls_matrix *A, void *values) {
    const size_t size = (size_t)cls_type_size(A->type);

    for (int64_t j = 0, run; j < A->rows; j += run) {
        const cls_ref at = cls_matrix_at(A, j, j);
        run = cls_matrix_run(A, j, A->rows);
        const cls_rect rect = {size, (size_t)run, (size_t)at.offset * size, (size_t)(at.ld + 1) * size, size};
        CLS_TRY(
            device->ops->read(device, CLS_COMPUTE, at.buffer, (char *)values + (size_t)j * size, &rect, NULL, NULL));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_symmetric_diagonal(cls_device *device, const cls_matrix *A, double *diagonal) {
    const int64_t n = A->rows;

    if (A->mapped) {
        for (int64_t j = 0; j < n; ++j) diagonal[j] = get(A->type, cls_matrix_host(A, j, j), 0);
        return CLSOLVE_OK;
    }
    void *values = cls_alloc((size_t)n, (size_t)cls_type_size(A->type));
    if (!values) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a diagonal");
    clsolve_status status = read_diagonal(device, A, values);
    clsolve_status done = device->ops->finish(device, CLS_COMPUTE);
    for (int64_t j = 0; j < n; ++j) diagonal[j] = get(A->type, values, j);
    cls_free(values);
    return status != CLSOLVE_OK ? status : done;
}

/* ---- a triangle from the host to the host ---- */

static void copy_same(size_t size, int64_t n, const char *from, int64_t from_ld, char *to, int64_t to_ld, int upper) {
    for (int64_t j = 0; j < n; ++j) {
        const int64_t first = upper ? 0 : j, end = upper ? j + 1 : n;
        memcpy(to + (size_t)(first + j * to_ld) * size, from + (size_t)(first + j * from_ld) * size,
               (size_t)(end - first) * size);
    }
}

/* (i, j) of `from`, i > j or with `upper` the other way round, is (j, i) of `to`. */
static void copy_transposed(size_t size, int64_t n, const char *from, int64_t from_ld, char *to, int64_t to_ld,
                            int upper) {
    for (int64_t j = 0; j < n; ++j)
        memcpy(to + (size_t)(j + j * to_ld) * size, from + (size_t)(j + j * from_ld) * size, size);
    FOR_BLOCKS_BELOW(n, i, j) {
        const int64_t source = upper ? j + i * from_ld : i + j * from_ld, place = upper ? i + j * to_ld : j + i * to_ld;
        memcpy(to + (size_t)place * size, from + (size_t)source * size, size);
    }
}

void cls_symmetric_copy(clsolve_type type, int64_t n, const void *from, int64_t from_ld, int from_upper, void *to,
                        int64_t to_ld, int to_upper) {
    const size_t size = (size_t)cls_type_size(type);

    if (from_upper == to_upper)
        copy_same(size, n, from, from_ld, to, to_ld, to_upper);
    else
        copy_transposed(size, n, from, from_ld, to, to_ld, from_upper);
}
