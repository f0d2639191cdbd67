#include "method/transfer.h"

#include <cblas.h>
#include <stdio.h>
#include <string.h>

#include "base/blas_int.h"
#include "device/staging.h"
#include "device/use.h"

clsolve_status cls_transfer_create(cls_device *device, clsolve_type type, cls_transfer *transfer) {
    const cls_named_kernel kernels[] = {{"transpose_copy", &transfer->copy},
                                        {"transpose_exchange", &transfer->exchange}};
    char options[128];

    transfer->tile = device->info.max_work_group >= 256 ? 16 : device->info.max_work_group >= 64 ? 8 : 4;
    (void)snprintf(options, sizeof options, "%s -DTILE=%d", cls_type_option(type), (int)transfer->tile);
    return CLS_KERNELS_MAKE(device, "transpose", options, kernels);
}

void cls_transfer_destroy(cls_device *device, cls_transfer *transfer) {
    CLS_KERNELS_DESTROY(device, transfer->copy, transfer->exchange);
    *transfer = (cls_transfer){0};
}

static size_t tiles(int64_t size, int64_t tile) {
    return (size_t)((size + tile - 1) / tile * tile);
}

/* to (cols x rows) = from (rows x cols) transposed, for matrices of one or more slabs each. */
static clsolve_status transpose_copy(cls_device *device, cls_transfer *transfer, const cls_matrix *from, int64_t rows,
                                     int64_t cols, const cls_matrix *to) {
    const int64_t most = 65535 * transfer->tile; /* grids reach no further there */

    for (int64_t j = 0; j < cols;) {
        int64_t width = cls_matrix_run(from, j, cols - j < most ? cols : j + most);
        for (int64_t i = 0; i < rows;) {
            int64_t height = cls_matrix_run(to, i, rows);
            cls_ref source = cls_matrix_at(from, i, j), target = cls_matrix_at(to, j, i);
            size_t tile = (size_t)transfer->tile;
            cls_grid grid = {{tiles(height, transfer->tile), tiles(width, transfer->tile), 1}, {tile, tile, 1}};
            cls_arg args[] = {CLS_REF(source), CLS_REF(target), CLS_VALUE(height), CLS_VALUE(width)};
            CLS_TRY(cls_launch(device, CLS_COMPUTE, transfer->copy, &grid, CLS_ARGS(args)));
            i += height;
        }
        j += width;
    }
    return CLSOLVE_OK;
}

clsolve_status cls_transpose_from(cls_device *device, cls_transfer *transfer, cls_ref from, int64_t rows, int64_t cols,
                                  const cls_matrix *to) {
    cls_matrix one = {.type = to->type,
                      .rows = rows,
                      .cols = cols,
                      .ld = from.ld,
                      .slab_cols = cols,
                      .slabs = 1,
                      .slab = &from.buffer,
                      .offset = from.offset};
    return transpose_copy(device, transfer, &one, rows, cols, to);
}

/* Its first `most` launches; *done: how many were made. Each is its own inverse. */
static clsolve_status exchange(cls_device *device, cls_transfer *transfer, const cls_matrix *matrix, int64_t most,
                               int64_t *done) {
    int64_t n = matrix->rows;

    for (int64_t j = 0; j < n;) {
        int64_t width = cls_matrix_run(matrix, j, n);
        for (int64_t i = 0; i <= j;) {
            if (*done == most) return CLSOLVE_OK;
            int64_t height = cls_matrix_run(matrix, i, n);
            cls_ref upper = cls_matrix_at(matrix, i, j), lower = cls_matrix_at(matrix, j, i);
            size_t tile = (size_t)transfer->tile;
            int32_t diagonal = i == j;
            cls_grid grid = {{tiles(height, transfer->tile), tiles(width, transfer->tile), 1}, {tile, tile, 1}};
            cls_arg args[] = {CLS_REF(lower), CLS_REF(upper), CLS_VALUE(height), CLS_VALUE(width), CLS_VALUE(diagonal)};
            CLS_TRY(cls_launch(device, CLS_COMPUTE, transfer->exchange, &grid, CLS_ARGS(args)));
            ++*done;
            i += height;
        }
        j += width;
    }
    return CLSOLVE_OK;
}

clsolve_status cls_transpose_square(cls_device *device, cls_transfer *transfer, const cls_matrix *matrix, int *spoilt) {
    int64_t done = 0, undone = 0;
    clsolve_status status = exchange(device, transfer, matrix, INT64_MAX, &done);
    if (status != CLSOLVE_OK && exchange(device, transfer, matrix, done, &undone) != CLSOLVE_OK && spoilt) *spoilt = 1;
    return status;
}

static clsolve_status enqueue_lines(cls_device *device, const cls_matrix *matrix, char *host, int64_t length,
                                    int64_t lines, int64_t pitch, int up) {
    int64_t size = cls_type_size(matrix->type);

    for (int64_t line = 0; line < lines;) {
        int64_t run = cls_matrix_run(matrix, line, lines);
        cls_ref ref = cls_matrix_at(matrix, 0, line);
        cls_rect rect = {(size_t)(length * size), (size_t)run, (size_t)(ref.offset * size), (size_t)(ref.ld * size),
                         (size_t)(pitch * size)};
        if (up)
            CLS_TRY(device->ops->write(device, CLS_UP, ref.buffer, host + line * pitch * size, &rect, NULL, NULL));
        else
            CLS_TRY(device->ops->read(device, CLS_DOWN, ref.buffer, host + line * pitch * size, &rect, NULL, NULL));
        line += run;
    }
    return CLSOLVE_OK;
}

/*
 * `lines` contiguous lines of `length` elements, `pitch` elements apart on the host, to or from the columns of
 * `matrix`. A line is a column of a column-major view or a row of a row-major one.
 */
static clsolve_status copy_lines(cls_device *device, const cls_matrix *matrix, char *host, int64_t length,
                                 int64_t lines, int64_t pitch, int up) {
    cls_queue queue = up ? CLS_UP : CLS_DOWN;

    if (length == 0 || lines == 0) return CLSOLVE_OK;
    clsolve_status status = enqueue_lines(device, matrix, host, length, lines, pitch, up);
    if (status == CLSOLVE_OK) return matrix->mapped ? CLSOLVE_OK : device->ops->finish(device, queue);
    /* The copies that did start must not touch the caller's memory any more; the first failure is the one to tell. */
    cls_error first = *device->error;
    (void)device->ops->finish(device, queue);
    *device->error = first;
    return status;
}

cls_move cls_transfer_part(const cls_matrix *matrix, const clsolve_matrix *view, int64_t first, int64_t end, int64_t j,
                           int64_t cols, int up) {
    const int64_t size = cls_type_size(matrix->type);
    const cls_ref at = cls_matrix_at(matrix, first, j);

    return (cls_move){.way = up ? CLS_WAY_UP : CLS_WAY_DOWN,
                      .queue = up ? CLS_UP : CLS_DOWN,
                      .buffer = at.buffer,
                      .host = (char *)view->data + (first + j * view->ld) * size,
                      .rect = {(size_t)((end - first) * size), (size_t)cols, (size_t)(at.offset * size),
                               (size_t)(at.ld * size), (size_t)(view->ld * size)}};
}

static char *element(const clsolve_matrix *view, int64_t i, int64_t j) {
    int64_t index = view->layout == CLSOLVE_COLUMN_MAJOR ? i + j * view->ld : i * view->ld + j;
    return (char *)view->data + index * cls_type_size(view->type);
}

/* Transposes any sizes by squares of a few cache lines, one behind the other. `size`: bytes of an element. */
static inline void transpose_squares(size_t size, int64_t rows, int64_t cols, const char *from, int64_t from_ld,
                                     char *to, int64_t to_ld) {
    enum { SIDE = 16 };
    const int64_t step = (int64_t)size;

    for (int64_t j0 = 0; j0 < cols; j0 += SIDE)
        for (int64_t i0 = 0; i0 < rows; i0 += SIDE)
            for (int64_t j = j0; j < cols && j < j0 + SIDE; ++j)
                for (int64_t i = i0; i < rows && i < i0 + SIDE; ++i)
                    memcpy(to + (j + i * to_ld) * step, from + (i + j * from_ld) * step, size);
}

static void transpose_any(int64_t size, int64_t rows, int64_t cols, const void *from, int64_t from_ld, void *to,
                          int64_t to_ld) {
    if (size == 4)
        transpose_squares(4, rows, cols, from, from_ld, to, to_ld);
    else if (size == 8)
        transpose_squares(8, rows, cols, from, from_ld, to, to_ld);
    else
        transpose_squares(16, rows, cols, from, from_ld, to, to_ld);
}

void cls_transpose_host(clsolve_type type, int64_t rows, int64_t cols, const void *from, int64_t from_ld, void *to,
                        int64_t to_ld) {
    if (!CLS_BLAS_FITS(rows, cols, from_ld, to_ld)) {
        transpose_any(cls_type_size(type), rows, cols, from, from_ld, to, to_ld);
        return;
    }
    const blasint m = cls_blas_int(rows), n = cls_blas_int(cols), ld = cls_blas_int(from_ld), ldt = cls_blas_int(to_ld);
    const double one_c64[2] = {1, 0};
    const float one_c32[2] = {1, 0};

    switch (type) {
    case CLSOLVE_F32:
        cblas_somatcopy(CblasColMajor, CblasTrans, m, n, 1.0f, from, ld, to, ldt);
        break;
    case CLSOLVE_F64:
        cblas_domatcopy(CblasColMajor, CblasTrans, m, n, 1.0, from, ld, to, ldt);
        break;
    case CLSOLVE_C32:
        cblas_comatcopy(CblasColMajor, CblasTrans, m, n, one_c32, from, ld, to, ldt);
        break;
    case CLSOLVE_C64:
        cblas_zomatcopy(CblasColMajor, CblasTrans, m, n, one_c64, from, ld, to, ldt);
        break;
    }
}

/* A row-major view to or from a mapped matrix: transposed by the copy itself. Counted as the copy that it is. */
static void copy_transposed(cls_device *device, const cls_matrix *matrix, int64_t cols, const clsolve_matrix *view,
                            int64_t begin, int up) {
    for (int64_t j = 0, run; j < cols; j += run) {
        run = cls_matrix_run(matrix, j, cols);
        void *inside = cls_matrix_host(matrix, 0, j), *outside = element(view, 0, begin + j);
        size_t rows = (size_t)(up ? run : view->rows), columns = (size_t)(up ? view->rows : run);
        size_t from_ld = (size_t)(up ? view->ld : matrix->ld), to_ld = (size_t)(up ? matrix->ld : view->ld);
        const void *from = up ? outside : inside;
        void *to = up ? inside : outside;
        cls_transpose_host(matrix->type, (int64_t)rows, (int64_t)columns, from, (int64_t)from_ld, to, (int64_t)to_ld);
    }
    int64_t bytes = view->rows * cols * cls_type_size(matrix->type);
    if (up) {
        device->counters.transfers_up++;
        device->counters.bytes_up += bytes;
    } else {
        device->counters.transfers_down++;
        device->counters.bytes_down += bytes;
    }
}

/* ---- views on the device ---- */

/* A view that the caller has on a device that works in the host's memory, for a matrix that is mapped: it is mapped
 * too. */
static clsolve_status copy_mapped(cls_device *device, cls_transfer *transfer, const clsolve_matrix *view,
                                  cls_buffer *buffer, int64_t begin, int64_t cols, const cls_matrix *matrix, int up) {
    clsolve_matrix on_host = *view;
    cls_counters counters = device->counters;
    void *memory;

    CLS_TRY(device->ops->map(device, buffer, &memory));
    on_host.place = CLSOLVE_ON_HOST;
    on_host.offset = 0;
    on_host.data = (char *)memory + view->offset * cls_type_size(view->type);
    clsolve_status status = up ? cls_upload(device, transfer, &on_host, begin, cols, matrix, NULL)
                               : cls_download(device, transfer, matrix, cols, &on_host, begin, NULL);
    device->counters = counters; /* nothing has crossed to the caller's side */
    clsolve_status unmapped = device->ops->unmap(device, buffer, memory);
    return status != CLSOLVE_OK ? status : unmapped;
}

/* Between `matrix` and the caller's buffer, on the compute queue: nothing crosses the bus and nothing waits. `pitch` is
 * that of the buffer's lines, the first of which lies at `offset`. */
static clsolve_status copy_on_device(cls_device *device, const cls_matrix *matrix, cls_buffer *buffer, int64_t offset,
                                     int64_t length, int64_t lines, int64_t pitch, int up) {
    size_t size = (size_t)cls_type_size(matrix->type);

    for (int64_t line = 0; line < lines;) {
        int64_t run = cls_matrix_run(matrix, line, lines);
        cls_ref ref = cls_matrix_at(matrix, 0, line);
        size_t theirs = (size_t)(offset + line * pitch) * size, ours = (size_t)ref.offset * size;
        size_t their_pitch = (size_t)pitch * size, our_pitch = (size_t)ref.ld * size;
        cls_span in = {(size_t)length * size, (size_t)run, theirs, their_pitch, ours, our_pitch};
        cls_span out = {(size_t)length * size, (size_t)run, ours, our_pitch, theirs, their_pitch};
        if (up)
            CLS_TRY(device->ops->copy_rect(device, CLS_COMPUTE, buffer, ref.buffer, &in));
        else
            CLS_TRY(device->ops->copy_rect(device, CLS_COMPUTE, ref.buffer, buffer, &out));
        line += run;
    }
    return CLSOLVE_OK;
}

clsolve_status cls_transfer_adopt(cls_device *device, const clsolve_matrix *view, cls_buffer **buffer) {
    int by_column = view->layout == CLSOLVE_COLUMN_MAJOR;
    int64_t line = by_column ? view->rows : view->cols, lines = by_column ? view->cols : view->rows;
    size_t bytes;

    CLS_TRY(device->ops->adopt(device, view->data, buffer, &bytes));
    int64_t elements = (int64_t)(bytes / (size_t)cls_type_size(view->type)), span = (lines - 1) * view->ld + line;
    if (view->offset <= elements && span <= elements - view->offset) return CLSOLVE_OK;
    device->ops->buffer_destroy(device, *buffer);
    return cls_fail(device->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                    "the matrix takes %lld elements from offset %lld on, and its buffer has %lld", (long long)span,
                    (long long)view->offset, (long long)elements);
}

clsolve_status cls_transfer_fits(cls_device *device, const clsolve_matrix *view) {
    cls_buffer *buffer;

    if (view->place != CLSOLVE_ON_DEVICE || view->rows == 0 || view->cols == 0) return CLSOLVE_OK;
    CLS_TRY(cls_transfer_adopt(device, view, &buffer));
    device->ops->buffer_destroy(device, buffer);
    return CLSOLVE_OK;
}

static int64_t offset_of(const clsolve_matrix *view, int64_t begin) {
    return view->offset + begin * (view->layout == CLSOLVE_COLUMN_MAJOR ? view->ld : 1);
}

static clsolve_status from_device(cls_device *device, cls_transfer *transfer, const clsolve_matrix *view, int64_t begin,
                                  int64_t cols, const cls_matrix *matrix, const cls_matrix *scratch) {
    int by_column = view->layout == CLSOLVE_COLUMN_MAJOR;
    int64_t length = by_column ? view->rows : cols, lines = by_column ? cols : view->rows;
    const cls_matrix *to = by_column ? matrix : scratch;
    cls_buffer *buffer;

    CLS_TRY(cls_transfer_adopt(device, view, &buffer));
    clsolve_status status =
        matrix->mapped ? copy_mapped(device, transfer, view, buffer, begin, cols, matrix, 1)
                       : copy_on_device(device, to, buffer, offset_of(view, begin), length, lines, view->ld, 1);
    device->ops->buffer_destroy(device, buffer);
    if (status != CLSOLVE_OK || matrix->mapped || by_column) return status;
    return transpose_copy(device, transfer, scratch, cols, view->rows, matrix);
}

/* Done when it returns, as a download is. */
static clsolve_status to_device(cls_device *device, cls_transfer *transfer, const cls_matrix *matrix, int64_t cols,
                                const clsolve_matrix *view, int64_t begin, const cls_matrix *scratch) {
    int by_column = view->layout == CLSOLVE_COLUMN_MAJOR;
    int64_t length = by_column ? view->rows : cols, lines = by_column ? cols : view->rows;
    const cls_matrix *from = by_column ? matrix : scratch;
    cls_buffer *buffer;

    if (!matrix->mapped && !by_column) CLS_TRY(transpose_copy(device, transfer, matrix, view->rows, cols, scratch));
    CLS_TRY(cls_transfer_adopt(device, view, &buffer));
    clsolve_status status =
        matrix->mapped ? copy_mapped(device, transfer, view, buffer, begin, cols, matrix, 0)
                       : copy_on_device(device, from, buffer, offset_of(view, begin), length, lines, view->ld, 0);
    device->ops->buffer_destroy(device, buffer);
    return cls_finish(device, CLS_COMPUTE, status);
}

/* ---- both places ---- */

/* The copy queues start only when the compute queue has come to here, and the host waits for it: the phases of a solve
 * follow each other, and their times are told apart. */
clsolve_status cls_upload(cls_device *device, cls_transfer *transfer, const clsolve_matrix *view, int64_t begin,
                          int64_t cols, const cls_matrix *matrix, const cls_matrix *scratch) {
    if (view->rows == 0 || cols == 0) return CLSOLVE_OK;
    if (view->place == CLSOLVE_ON_DEVICE) return from_device(device, transfer, view, begin, cols, matrix, scratch);
    if (matrix->mapped && view->layout == CLSOLVE_ROW_MAJOR) {
        copy_transposed(device, matrix, cols, view, begin, 1);
        return CLSOLVE_OK;
    }
    if (!matrix->mapped) CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    if (view->layout == CLSOLVE_COLUMN_MAJOR)
        return copy_lines(device, matrix, element(view, 0, begin), view->rows, cols, view->ld, 1);
    CLS_TRY(copy_lines(device, scratch, element(view, 0, begin), cols, view->rows, view->ld, 1));
    return transpose_copy(device, transfer, scratch, cols, view->rows, matrix);
}

clsolve_status cls_download(cls_device *device, cls_transfer *transfer, const cls_matrix *matrix, int64_t cols,
                            const clsolve_matrix *view, int64_t begin, const cls_matrix *scratch) {
    if (view->rows == 0 || cols == 0) return CLSOLVE_OK;
    if (view->place == CLSOLVE_ON_DEVICE) return to_device(device, transfer, matrix, cols, view, begin, scratch);
    if (matrix->mapped && view->layout == CLSOLVE_ROW_MAJOR) {
        copy_transposed(device, matrix, cols, view, begin, 0);
        return CLSOLVE_OK;
    }
    if (view->layout == CLSOLVE_ROW_MAJOR) CLS_TRY(transpose_copy(device, transfer, matrix, view->rows, cols, scratch));
    if (!matrix->mapped) CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    if (view->layout == CLSOLVE_COLUMN_MAJOR)
        return copy_lines(device, matrix, element(view, 0, begin), view->rows, cols, view->ld, 0);
    return copy_lines(device, scratch, element(view, 0, begin), cols, view->rows, view->ld, 0);
}

/* A row-major view on the device and `matrix`, each the other transposed by a kernel, which is one pass; *done is 0
 * where kernels may not use the caller's buffer. Enqueues. */
static clsolve_status transpose_there(cls_device *device, cls_transfer *transfer, const clsolve_matrix *view,
                                      const cls_matrix *matrix, int up, int *done) {
    cls_buffer *buffer;
    clsolve_status status = CLSOLVE_OK;

    *done = 0;
    if (view->place != CLSOLVE_ON_DEVICE || view->layout != CLSOLVE_ROW_MAJOR || view->rows == 0) return CLSOLVE_OK;
    CLS_TRY(cls_transfer_adopt(device, view, &buffer));
    *done = cls_buffer_takes_kernels(buffer, view->offset, cls_type_size(view->type), !up);
    const cls_matrix theirs = {.type = view->type,
                               .rows = view->cols,
                               .cols = view->rows,
                               .ld = view->ld,
                               .slab_cols = view->rows,
                               .slabs = 1,
                               .slab = &buffer,
                               .offset = view->offset};
    if (*done && up) status = transpose_copy(device, transfer, &theirs, view->cols, view->rows, matrix);
    if (*done && !up) status = transpose_copy(device, transfer, matrix, view->rows, view->cols, &theirs);
    device->ops->buffer_destroy(device, buffer);
    return status;
}

clsolve_status cls_upload_square(cls_device *device, cls_transfer *transfer, const clsolve_matrix *view,
                                 const cls_matrix *matrix) {
    int done;

    if (matrix->mapped) return cls_upload(device, transfer, view, 0, view->cols, matrix, NULL);
    CLS_TRY(transpose_there(device, transfer, view, matrix, 1, &done));
    if (done) return CLSOLVE_OK;
    if (view->place == CLSOLVE_ON_DEVICE) {
        clsolve_matrix lines = *view;
        lines.layout = CLSOLVE_COLUMN_MAJOR;
        CLS_TRY(from_device(device, transfer, &lines, 0, view->cols, matrix, NULL));
    } else {
        CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
        CLS_TRY(copy_lines(device, matrix, view->data, view->rows, view->rows, view->ld, 1));
    }
    if (view->layout == CLSOLVE_ROW_MAJOR && view->rows > 1)
        CLS_TRY(cls_transpose_square(device, transfer, matrix, NULL));
    return CLSOLVE_OK;
}

clsolve_status cls_download_square(cls_device *device, cls_transfer *transfer, const cls_matrix *matrix,
                                   const clsolve_matrix *view) {
    clsolve_matrix lines = *view;
    int done;

    if (matrix->mapped) return cls_download(device, transfer, matrix, view->cols, view, 0, NULL);
    CLS_TRY(transpose_there(device, transfer, view, matrix, 0, &done));
    if (done) return device->ops->finish(device, CLS_COMPUTE);
    lines.layout = CLSOLVE_COLUMN_MAJOR;
    if (view->layout == CLSOLVE_ROW_MAJOR) CLS_TRY(cls_transpose_square(device, transfer, matrix, NULL));
    return cls_download(device, transfer, matrix, view->cols, &lines, 0, NULL);
}
