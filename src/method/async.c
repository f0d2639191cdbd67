#include "method/async.h"

#include <stdio.h>
#include <string.h>

#include "device/staging.h"
#include "device/use.h"

enum { NOTHING = 0x7f, ROWS = 64 }; /* as in cl/verdict.cl */

clsolve_status cls_async_setup(cls_device *device, clsolve_type type, cls_async *async) {
    cls_program *program;
    char options[128];

    if (async->words) return CLSOLVE_OK;
    async->lanes = device->info.type == CLSOLVE_DEVICE_CPU ? 1 : cls_work_group(device, 64);
    (void)snprintf(options, sizeof options, "%s -DLS=%d", cls_type_option(type), (int)async->lanes);
    CLS_TRY(device->ops->program_get(device, "verdict", options, &program));
    if (!async->least) CLS_TRY(device->ops->kernel_create(device, program, "verdict_least", &async->least));
    if (!async->take) CLS_TRY(device->ops->kernel_create(device, program, "verdict_take", &async->take));
    if (!async->deliver) CLS_TRY(device->ops->kernel_create(device, program, "verdict_deliver", &async->deliver));
    return device->ops->buffer_create(device, CLS_ASYNC_WORDS * sizeof(int64_t), &async->words);
}

void cls_async_release(cls_device *device, cls_async *async) {
    if (!device) return;
    CLS_KERNELS_DESTROY(device, async->least, async->take, async->deliver);
    device->ops->buffer_destroy(device, async->words);
    *async = (cls_async){0};
}

clsolve_status cls_async_forget(cls_device *device, cls_async *async, int64_t first) {
    const size_t word = sizeof(int64_t);
    return device->ops->fill(device, CLS_COMPUTE, async->words, (size_t)first * word,
                             (size_t)(CLS_ASYNC_WORDS - first) * word, NOTHING);
}

clsolve_status cls_async_search(cls_device *device, cls_async *async, cls_check *check, const cls_matrix *matrix,
                                int64_t cols, cls_check_part part, int64_t word) {
    const size_t lanes = (size_t)async->lanes;
    cls_grid grid = {{lanes, 1, 1}, {lanes, 1, 1}};

    for (int64_t j = 0, run, count; j < cols; j += run) {
        run = cls_matrix_run(matrix, j, cols);
        CLS_TRY(cls_check_enqueue_slab(device, check, matrix, j, run, part, &count));
        cls_arg args[] = {CLS_BUFFER(check->firsts), CLS_VALUE(count), CLS_BUFFER(async->words), CLS_VALUE(word)};
        CLS_TRY(cls_launch(device, CLS_COMPUTE, async->least, &grid, CLS_ARGS(args)));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_async_take(cls_device *device, cls_async *async, cls_buffer *record, cls_buffer *info) {
    const size_t lanes = (size_t)async->lanes;
    const cls_grid grid = {{lanes, 1, 1}, {lanes, 1, 1}};
    const cls_arg args[] = {CLS_BUFFER(record), CLS_BUFFER(async->words), CLS_BUFFER(info)};
    return cls_launch(device, CLS_COMPUTE, async->take, &grid, CLS_ARGS(args));
}

static clsolve_status deliver_to(cls_device *device, cls_async *async, cls_buffer *info, const cls_matrix *X,
                                 const clsolve_matrix *B, cls_buffer *buffer) {
    enum { MOST_GROUPS = 1024 };
    const int32_t info_counts = info != NULL;
    const int by_column = B->layout == CLSOLVE_COLUMN_MAJOR;
    const int64_t row_step = by_column ? 1 : B->ld, column_step = by_column ? B->ld : 1;

    for (int64_t j = 0, run; j < B->cols; j += run) {
        const int64_t offset = B->offset + j * column_step;
        run = cls_matrix_run(X, j, B->cols);
        cls_ref ref = cls_matrix_at(X, 0, j);
        cls_grid grid = {
            {(size_t)((B->rows + ROWS - 1) / ROWS * ROWS), (size_t)(run < MOST_GROUPS ? run : MOST_GROUPS), 1},
            {ROWS, 1, 1}};
        cls_arg args[] = {CLS_BUFFER(async->words), CLS_BUFFER(info ? info : async->words),
                          CLS_VALUE(info_counts),   CLS_REF(ref),
                          CLS_VALUE(B->rows),       CLS_VALUE(run),
                          CLS_BUFFER(buffer),       CLS_VALUE(offset),
                          CLS_VALUE(row_step),      CLS_VALUE(column_step)};
        CLS_TRY(cls_launch(device, CLS_COMPUTE, async->deliver, &grid, CLS_ARGS(args)));
    }
    return CLSOLVE_OK;
}

clsolve_status cls_async_deliver(cls_device *device, cls_async *async, cls_buffer *info, const cls_matrix *X,
                                 const clsolve_matrix *B) {
    cls_buffer *buffer = NULL;
    size_t bytes;

    CLS_TRY(device->ops->adopt(device, B->data, &buffer, &bytes));
    const clsolve_status status = deliver_to(device, async, info, X, B, buffer);
    device->ops->buffer_destroy(device, buffer);
    return status;
}

clsolve_status cls_async_wait(cls_device *device, cls_async *async, cls_buffer *info, cls_async_outcome *outcome) {
    int64_t words[CLS_ASYNC_WORDS], none;
    const cls_fetch_part parts[] = {{async->words, words, sizeof words, 0},
                                    {info, &outcome->info, sizeof outcome->info, 0}};

    CLS_TRY(cls_staging_fetch(device, parts, 2));
    memset(&none, NOTHING, sizeof none);
    for (int w = 0; w < CLS_ASYNC_WORDS; w++) outcome->found[w] = words[w] < none ? words[w] : -1;
    return CLSOLVE_OK;
}
