#include "method/transfer.h"

#include <cblas.h>
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

/*
 * `lines` contiguous lines of `length` elements, `pitch` elements apart on the host, to or from the columns of `matrix`.
 * A line is a column of a column-major view or a row of a row-major one.
 */
static clsolve_status copy_lines(cls_device *device, const cls_matrix *matrix, char *host, int64_t length,
                                 int64_t lines, int64_t pitch, int up) {
    int64_t size = cls_type_size(matrix->type);
    cls_queue queue = up ? CLS_UP : CLS_DOWN;

    if (length == 0 || lines == 0) return CLSOLVE_OK;
    for (int64_t line = 0; line < lines;) {
        int64_t run = cls_matrix_run(matrix, line, lines);
        cls_ref ref = cls_matrix_at(matrix, 0, line);
        cls_rect rect = {(size_t)(length * size), (size_t)run, (size_t)(ref.offset * size), (size_t)(ref.ld * size),
                         (size_t)(pitch * size)};
        if (up)
            CLS_TRY(device->ops->write(device, queue, ref.buffer, host + line * pitch * size, &rect, NULL, NULL));
        else
            CLS_TRY(device->ops->read(device, queue, ref.buffer, host + line * pitch * size, &rect, NULL, NULL));
        line += run;
    }
    return matrix->mapped ? CLSOLVE_OK : device->ops->finish(device, queue);
}

static char *element(const clsolve_matrix *view, int64_t i, int64_t j) {
    int64_t index = view->layout == CLSOLVE_COLUMN_MAJOR ? i + j * view->ld : i * view->ld + j;
    return (char *)view->data + index * cls_type_size(view->type);
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
        if (matrix->type == CLSOLVE_F64)
            cblas_domatcopy(CblasColMajor, CblasTrans, (blasint)rows, (blasint)columns, 1.0, from, (blasint)from_ld, to,
                            (blasint)to_ld);
        else
            cblas_somatcopy(CblasColMajor, CblasTrans, (blasint)rows, (blasint)columns, 1.0f, from, (blasint)from_ld,
                            to, (blasint)to_ld);
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

/* The copy queues start only when the compute queue has come to here, and the host waits for it: the phases of a solve
 * follow each other, and their times are told apart. */
clsolve_status cls_upload(cls_device *device, cls_transfer *transfer, const clsolve_matrix *view, int64_t begin,
                          int64_t cols, const cls_matrix *matrix, const cls_matrix *scratch) {
    if (view->rows == 0 || cols == 0) return CLSOLVE_OK;
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

clsolve_status cls_upload_square(cls_device *device, cls_transfer *transfer, const clsolve_matrix *view,
                                 const cls_matrix *matrix) {
    if (matrix->mapped) return cls_upload(device, transfer, view, 0, view->cols, matrix, NULL);
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    CLS_TRY(copy_lines(device, matrix, view->data, view->rows, view->rows, view->ld, 1));
    if (view->layout == CLSOLVE_ROW_MAJOR && view->rows > 1) CLS_TRY(cls_transpose_square(device, transfer, matrix));
    return CLSOLVE_OK;
}
