#include "method/symmetric.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

clsolve_status cls_symmetric_create(cls_device *device, clsolve_type type, cls_symmetric *symmetric) {
    cls_program *program;
    char options[64];

    symmetric->tile = device->info.max_work_group >= 256 ? 16 : device->info.max_work_group >= 64 ? 8 : 4;
    (void)snprintf(options, sizeof options, "-DTILE=%d%s%s", (int)symmetric->tile, cls_is_complex(type) ? " " : "",
                   cls_is_complex(type)  ? cls_type_option(type)
                   : type == CLSOLVE_F64 ? " -DWIDE"
                                         : "");
    CLS_TRY(device->ops->program_get(device, "symmetric", options, &program));
    return device->ops->kernel_create(device, program, "symmetric_mirror", &symmetric->mirror);
}

void cls_symmetric_destroy(cls_device *device, cls_symmetric *symmetric) {
    device->ops->kernel_destroy(device, symmetric->mirror);
    *symmetric = (cls_symmetric){0};
}

cls_triangle_view cls_symmetric_view(const clsolve_matrix *A, clsolve_uplo uplo) {
    const int turned = A->layout == CLSOLVE_ROW_MAJOR;
    cls_triangle_view view = {*A, (uplo == CLSOLVE_UPPER) != turned, turned && cls_is_complex(A->type)};

    view.matrix.layout = CLSOLVE_COLUMN_MAJOR;
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

/* Rows i .. i + height - 1 of the columns j .. j + width - 1 become columns of the rows j ..; `alone`: they do not. */
static clsolve_status mirror_block(cls_device *device, cls_symmetric *symmetric, cls_queue queue, const cls_matrix *A,
                                   int64_t i, int64_t height, int64_t j, int64_t width, int upper, int conjugate,
                                   int alone) {
    const size_t tile = (size_t)symmetric->tile;
    cls_ref from = cls_matrix_at(A, i, j), to = cls_matrix_at(A, j, i);
    int32_t diagonal = i == j, above = upper, conjugates = conjugate, stays = alone;
    cls_grid grid = {{tiles(height, symmetric->tile), tiles(width, symmetric->tile), 1}, {tile, tile, 1}};
    cls_arg args[] = {CLS_REF(from),       CLS_REF(to),      CLS_VALUE(height),     CLS_VALUE(width),
                      CLS_VALUE(diagonal), CLS_VALUE(above), CLS_VALUE(conjugates), CLS_VALUE(stays)};
    return cls_launch(device, queue, symmetric->mirror, &grid, CLS_ARGS(args));
}

static clsolve_status mirror_device(cls_device *device, cls_symmetric *symmetric, const cls_matrix *A, int upper,
                                    int conjugate) {
    const int64_t n = A->rows;

    for (int64_t j = 0, width; j < n; j += width) {
        width = cls_matrix_run(A, j, n);
        for (int64_t i = upper ? 0 : j, height; i < (upper ? j + width : n); i += height) {
            height = cls_matrix_run(A, i, n);
            CLS_TRY(mirror_block(device, symmetric, CLS_COMPUTE, A, i, height, j, width, upper, conjugate, 0));
        }
    }
    return CLSOLVE_OK;
}

/* Without conjugates only the diagonal changes: squares on it. */
clsolve_status cls_symmetric_own(cls_device *device, cls_symmetric *symmetric, cls_queue queue, const cls_matrix *A,
                                 int64_t begin, int64_t end, int conjugate) {
    enum { SQUARE = 256 };

    if (conjugate == CLS_TRANSPOSES) return CLSOLVE_OK;
    for (int64_t j = begin, width; j < end && cls_is_complex(A->type); j += width) {
        width = cls_matrix_run(A, j, conjugate || end - j < SQUARE ? end : j + SQUARE);
        CLS_TRY(
            mirror_block(device, symmetric, queue, A, j, conjugate ? A->rows - j : width, j, width, 0, conjugate, 1));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_symmetric_to_lower(cls_device *device, cls_symmetric *symmetric, const cls_matrix *A,
                                      const cls_triangle_view *view) {
    return view->upper ? cls_symmetric_mirror(device, symmetric, A, 1, view->conjugate)
                       : cls_symmetric_own(device, symmetric, CLS_COMPUTE, A, 0, A->rows, view->conjugate);
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

/* Imaginary part k of an array. */
static void negate(clsolve_type type, void *array, int64_t k) {
    cls_type_put(type, array, 2 * k + 1, -cls_type_get(type, array, 2 * k + 1));
}

void cls_symmetric_column(clsolve_type type, void *column, int64_t first, int64_t rows, int64_t j, int conjugate) {
    if (!cls_is_complex(type) || conjugate == CLS_TRANSPOSES) return;
    for (int64_t i = 0; conjugate && i < rows; ++i) negate(type, column, i);
    if (j >= first && j < first + rows) cls_type_put(type, column, 2 * (j - first) + 1, 0);
}

/* Elements (i, j) and (j, i) of a complex matrix; i > j. */
static void mirror_pair(clsolve_type type, void *below, void *above, int upper, int conjugate) {
    void *from = upper ? above : below, *to = upper ? below : above;

    memcpy(to, from, (size_t)cls_type_size(type));
    if (conjugate != CLS_TRANSPOSES) negate(type, conjugate ? from : to, 0);
}

void cls_symmetric_mirror_host(clsolve_type type, int64_t n, void *a, int64_t ld, int upper, int conjugate) {
    const int64_t size = cls_type_size(type);
    char *at = a;

    if (type == CLSOLVE_F64) mirror_f64(n, a, ld, upper);
    if (type == CLSOLVE_F32) mirror_f32(n, a, ld, upper);
    if (!cls_is_complex(type)) return;
    for (int64_t j = 0; j < n && conjugate != CLS_TRANSPOSES; ++j) cls_type_put(type, at + j * (ld + 1) * size, 1, 0);
    FOR_BLOCKS_BELOW(n, i, j)
    mirror_pair(type, at + (i + j * ld) * size, at + (j + i * ld) * size, upper, conjugate);
}

/* Mirrors a matrix of several slabs, element by element. */
static void mirror_mapped(const cls_matrix *A, int upper, int conjugate) {
    const size_t size = (size_t)cls_type_size(A->type);

    if (A->slabs == 1) {
        cls_symmetric_mirror_host(A->type, A->rows, cls_matrix_host(A, 0, 0), A->ld, upper, conjugate);
        return;
    }
    for (int64_t j = 0; j < A->rows && cls_is_complex(A->type) && conjugate != CLS_TRANSPOSES; ++j)
        cls_type_put(A->type, cls_matrix_host(A, j, j), 1, 0);
    FOR_BLOCKS_BELOW(A->rows, i, j) {
        if (cls_is_complex(A->type))
            mirror_pair(A->type, cls_matrix_host(A, i, j), cls_matrix_host(A, j, i), upper, conjugate);
        else
            memcpy(cls_matrix_host(A, upper ? i : j, upper ? j : i), cls_matrix_host(A, upper ? j : i, upper ? i : j),
                   size);
    }
}

clsolve_status cls_symmetric_mirror(cls_device *device, cls_symmetric *symmetric, const cls_matrix *A, int upper,
                                    int conjugate) {
    if (A->rows < 1 || (A->rows < 2 && !cls_is_complex(A->type))) return CLSOLVE_OK;
    if (!A->mapped) return mirror_device(device, symmetric, A, upper, conjugate);
    mirror_mapped(A, upper, conjugate);
    return CLSOLVE_OK;
}

/* ---- the diagonal ---- */

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
        for (int64_t j = 0; j < n; ++j) diagonal[j] = cls_type_get(A->type, cls_matrix_host(A, j, j), 0);
        return CLSOLVE_OK;
    }
    void *values = cls_alloc((size_t)n, (size_t)cls_type_size(A->type));
    if (!values) return cls_no_memory(device->error, "a diagonal");
    clsolve_status status = read_diagonal(device, A, values);
    clsolve_status done = device->ops->finish(device, CLS_COMPUTE);
    for (int64_t j = 0; j < n; ++j) diagonal[j] = cls_type_get(A->type, values, cls_type_parts(A->type) * j);
    cls_free(values);
    return status != CLSOLVE_OK ? status : done;
}

/* ---- a triangle from the host to the host ---- */

static void copy_same(int64_t n, const char *from, const cls_triangle_view *to) {
    const clsolve_type type = to->matrix.type;
    const int64_t size = cls_type_size(type), ld = to->matrix.ld;

    for (int64_t j = 0; j < n; ++j) {
        const int64_t first = to->upper ? 0 : j, rows = to->upper ? j + 1 : n - j;
        char *column = (char *)to->matrix.data + (first + j * ld) * size;
        memcpy(column, from + (first + j * n) * size, (size_t)(rows * size));
        for (int64_t i = 0; to->conjugate == 1 && i < rows; ++i) negate(type, column, i);
    }
}

/* (i, j) of `from`, i > j or with `upper` the other way round, is (j, i) of `to`. */
static void copy_transposed(int64_t n, const char *from, int upper, const cls_triangle_view *to) {
    const clsolve_type type = to->matrix.type;
    const int64_t size = cls_type_size(type), ld = to->matrix.ld;
    const int conjugate = cls_is_complex(type) && !to->conjugate;
    char *data = to->matrix.data;

    for (int64_t j = 0; j < n; ++j) memcpy(data + j * (ld + 1) * size, from + j * (n + 1) * size, (size_t)size);
    FOR_BLOCKS_BELOW(n, i, j) {
        const int64_t source = upper ? j + i * n : i + j * n, place = upper ? i + j * ld : j + i * ld;
        memcpy(data + place * size, from + source * size, (size_t)size);
        if (conjugate) negate(type, data + place * size, 0);
    }
}

void cls_symmetric_copy(int64_t n, const void *from, int from_upper, const cls_triangle_view *to) {
    if (from_upper == to->upper)
        copy_same(n, from, to);
    else
        copy_transposed(n, from, from_upper, to);
}
