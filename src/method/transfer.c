#include "method/transfer.h"

#include <stdio.h>

clsolve_status cls_transfer_create(cls_device *device, clsolve_type type, cls_transfer *transfer) {
    cls_program *program;
    char options[128];

    transfer->tile = device->info.max_work_group >= 256 ? 16 : device->info.max_work_group >= 64 ? 8 : 4;
    (void)snprintf(options, sizeof options, "%s -DTILE=%d", cls_type_option(type), (int)transfer->tile);
    CLS_TRY(device->ops->program_get(device, "transpose", options, &program));
    CLS_TRY(device->ops->kernel_create(device, program, "transpose_copy", &transfer->copy));
    return device->ops->kernel_create(device, program, "transpose_exchange", &transfer->exchange);
}

void cls_transfer_destroy(cls_device *device, cls_transfer *transfer) {
    device->ops->kernel_destroy(device, transfer->copy);
    device->ops->kernel_destroy(device, transfer->exchange);
    *transfer = (cls_transfer){0};
}

static size_t tiles(int64_t size, int64_t tile) {
    return (size_t)((size + tile - 1) / tile * tile);
}

/* to (cols x rows) = from (rows x cols) transposed, for matrices of one or more slabs each. */
static clsolve_status transpose_copy(cls_device *device, cls_transfer *transfer, const cls_matrix *from, int64_t rows,
                                     int64_t cols, const cls_matrix *to) {
    for (int64_t j = 0; j < cols;) {
        int64_t width = cls_matrix_run(from, j, cols);
        for (int64_t i = 0; i < rows;) {
            int64_t height = cls_matrix_run(to, i, rows);
            cls_ref source = cls_matrix_at(from, i, j), target = cls_matrix_at(to, j, i);
            size_t tile = (size_t)transfer->tile;
            cls_grid grid = {{tiles(height, transfer->tile), tiles(width, transfer->tile), 1}, {tile, tile, 1}};
            cls_arg args[] = {CLS_BUFFER(source.buffer), CLS_VALUE(source.offset), CLS_VALUE(source.ld),
                              CLS_BUFFER(target.buffer), CLS_VALUE(target.offset), CLS_VALUE(target.ld),
                              CLS_VALUE(height),         CLS_VALUE(width)};
            CLS_TRY(device->ops->launch(device, CLS_COMPUTE, transfer->copy, &grid, args, 8, NULL, NULL));
            i += height;
        }
        j += width;
    }
    return CLSOLVE_OK;
}

clsolve_status cls_transpose_square(cls_device *device, cls_transfer *transfer, const cls_matrix *matrix) {
    int64_t n = matrix->rows;

    for (int64_t j = 0; j < n;) {
        int64_t width = cls_matrix_run(matrix, j, n);
        for (int64_t i = 0; i <= j;) {
            int64_t height = cls_matrix_run(matrix, i, n);
            cls_ref upper = cls_matrix_at(matrix, i, j), lower = cls_matrix_at(matrix, j, i);
            size_t tile = (size_t)transfer->tile;
            int32_t diagonal = i == j;
            cls_grid grid = {{tiles(height, transfer->tile), tiles(width, transfer->tile), 1}, {tile, tile, 1}};
            cls_arg args[] = {CLS_BUFFER(lower.buffer), CLS_VALUE(lower.offset), CLS_VALUE(lower.ld),
                              CLS_BUFFER(upper.buffer), CLS_VALUE(upper.offset), CLS_VALUE(upper.ld),
                              CLS_VALUE(height),        CLS_VALUE(width),        CLS_VALUE(diagonal)};
            CLS_TRY(device->ops->launch(device, CLS_COMPUTE, transfer->exchange, &grid, args, 9, NULL, NULL));
            i += height;
        }
        j += width;
    }
    return CLSOLVE_OK;
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
 * `lines` contiguous lines of `length` elements, `pitch` elements apart on the host, to or from the columns of `matrix`.
 * A line is a column of a column-major view or a row of a row-major one.
 */
static clsolve_status copy_lines(cls_device *device, const cls_matrix *matrix, char *host, int64_t length,
                                 int64_t lines, int64_t pitch, int up) {
    cls_queue queue = up ? CLS_UP : CLS_DOWN;

    if (length == 0 || lines == 0) return CLSOLVE_OK;
    clsolve_status status = enqueue_lines(device, matrix, host, length, lines, pitch, up);
    if (status == CLSOLVE_OK) return device->ops->finish(device, queue);
    /* The copies that did start must not touch the caller's memory any more; the first failure is the one to tell. */
    cls_error first = *device->error;
    (void)device->ops->finish(device, queue);
    *device->error = first;
    return status;
}

/* Where the lines of a view lie in the caller's buffer. */
typedef struct device_lines {
    cls_buffer *buffer;
    int64_t offset, pitch;
} device_lines;

/* The same between `matrix` and the caller's buffer, on the compute queue: nothing crosses the bus and nothing waits. */
static clsolve_status copy_on_device(cls_device *device, const cls_matrix *matrix, const device_lines *theirs,
                                     int64_t length, int64_t lines, int up) {
    int64_t size = cls_type_size(matrix->type);

    if (length == 0 || lines == 0) return CLSOLVE_OK;
    for (int64_t line = 0; line < lines;) {
        int64_t run = cls_matrix_run(matrix, line, lines);
        cls_ref ref = cls_matrix_at(matrix, 0, line);
        size_t offset = (size_t)((theirs->offset + line * theirs->pitch) * size),
               pitch = (size_t)(theirs->pitch * size);
        size_t our_offset = (size_t)(ref.offset * size), our_pitch = (size_t)(ref.ld * size);
        cls_span in = {(size_t)(length * size), (size_t)run, offset, pitch, our_offset, our_pitch};
        cls_span out = {(size_t)(length * size), (size_t)run, our_offset, our_pitch, offset, pitch};
        if (up)
            CLS_TRY(device->ops->copy_rect(device, CLS_COMPUTE, theirs->buffer, ref.buffer, &in));
        else
            CLS_TRY(device->ops->copy_rect(device, CLS_COMPUTE, ref.buffer, theirs->buffer, &out));
        line += run;
    }
    return CLSOLVE_OK;
}

/* `lines` lines of `length` of a view whose column `begin` is the first that counts: to or from `matrix`. */
static clsolve_status copy_view_on_device(cls_device *device, const cls_matrix *matrix, const clsolve_matrix *view,
                                          int64_t begin, int64_t length, int64_t lines, int up) {
    int64_t step = view->layout == CLSOLVE_COLUMN_MAJOR ? view->ld : 1;
    device_lines theirs = {NULL, view->offset + begin * step, view->ld};
    size_t bytes;

    CLS_TRY(device->ops->adopt(device, view->data, &theirs.buffer, &bytes));
    int64_t elements = (int64_t)(bytes / (size_t)cls_type_size(view->type));
    int64_t span = lines > 0 ? (lines - 1) * view->ld + length : 0;
    clsolve_status status;
    if (theirs.offset > elements || span > elements - theirs.offset)
        status = cls_fail(device->error, CLSOLVE_ERROR_INVALID_ARGUMENT,
                          "the matrix takes %lld elements from offset %lld on, and its buffer has %lld",
                          (long long)span, (long long)theirs.offset, (long long)elements);
    else
        status = copy_on_device(device, matrix, &theirs, length, lines, up);
    device->ops->buffer_destroy(device, theirs.buffer); /* the driver keeps it until the copies are done */
    return status;
}

static char *element(const clsolve_matrix *view, int64_t i, int64_t j) {
    int64_t index = view->layout == CLSOLVE_COLUMN_MAJOR ? i + j * view->ld : i * view->ld + j;
    return (char *)view->data + index * cls_type_size(view->type);
}

/* The copy queues start only when the compute queue has come to here, and the host waits for it: the phases of a solve
 * follow each other, and their times are told apart. */
clsolve_status cls_upload(cls_device *device, cls_transfer *transfer, const clsolve_matrix *view, int64_t begin,
                          int64_t cols, const cls_matrix *matrix, const cls_matrix *scratch) {
    int by_column = view->layout == CLSOLVE_COLUMN_MAJOR;
    int64_t length = by_column ? view->rows : cols, lines = by_column ? cols : view->rows;
    const cls_matrix *to = by_column ? matrix : scratch;

    if (view->rows == 0 || cols == 0) return CLSOLVE_OK;
    if (view->place == CLSOLVE_ON_DEVICE) {
        CLS_TRY(copy_view_on_device(device, to, view, begin, length, lines, 1));
    } else {
        CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
        CLS_TRY(copy_lines(device, to, element(view, 0, begin), length, lines, view->ld, 1));
    }
    if (by_column) return CLSOLVE_OK;
    return transpose_copy(device, transfer, scratch, cols, view->rows, matrix);
}

clsolve_status cls_download(cls_device *device, cls_transfer *transfer, const cls_matrix *matrix, int64_t cols,
                            const clsolve_matrix *view, int64_t begin, const cls_matrix *scratch) {
    if (view->rows == 0 || cols == 0) return CLSOLVE_OK;
    int by_column = view->layout == CLSOLVE_COLUMN_MAJOR;
    int64_t length = by_column ? view->rows : cols, lines = by_column ? cols : view->rows;
    const cls_matrix *from = by_column ? matrix : scratch;

    if (!by_column) CLS_TRY(transpose_copy(device, transfer, matrix, view->rows, cols, scratch));
    if (view->place == CLSOLVE_ON_DEVICE) CLS_TRY(copy_view_on_device(device, from, view, begin, length, lines, 0));
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    if (view->place == CLSOLVE_ON_DEVICE) return CLSOLVE_OK;
    return copy_lines(device, from, element(view, 0, begin), length, lines, view->ld, 0);
}

clsolve_status cls_upload_square(cls_device *device, cls_transfer *transfer, const clsolve_matrix *view,
                                 const cls_matrix *matrix) {
    if (view->place == CLSOLVE_ON_DEVICE) {
        if (view->rows > 0) CLS_TRY(copy_view_on_device(device, matrix, view, 0, view->rows, view->rows, 1));
    } else {
        CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
        CLS_TRY(copy_lines(device, matrix, view->data, view->rows, view->rows, view->ld, 1));
    }
    if (view->layout == CLSOLVE_ROW_MAJOR && view->rows > 1) CLS_TRY(cls_transpose_square(device, transfer, matrix));
    return CLSOLVE_OK;
}
