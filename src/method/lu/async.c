#include "method/lu/async.h"

#include <stdio.h>
#include <string.h>

enum { WORDS = 4, IN_A = 0, IN_FACTORS = 1, IN_B = 2, IN_X = 3, NOTHING = 0x7f, ROWS = 64 }; /* as in cl/verdict.cl */

static clsolve_status setup(cls_lu *lu, cls_lu_async *async) {
    cls_device *device = lu->device;
    cls_program *program;
    char options[128];

    if (async->words) return CLSOLVE_OK;
    async->lanes = device->info.type == CLSOLVE_DEVICE_CPU ? 1 : cls_work_group(device, 64);
    (void)snprintf(options, sizeof options, "%s -DLS=%d", cls_type_option(lu->type), (int)async->lanes);
    CLS_TRY(device->ops->program_get(device, "verdict", options, &program));
    if (!async->least) CLS_TRY(device->ops->kernel_create(device, program, "verdict_least", &async->least));
    if (!async->deliver) CLS_TRY(device->ops->kernel_create(device, program, "verdict_deliver", &async->deliver));
    return device->ops->buffer_create(device, WORDS * sizeof(int64_t), &async->words);
}

void cls_lu_async_release(cls_device *device, cls_lu_async *async) {
    device->ops->kernel_destroy(device, async->least);
    device->ops->kernel_destroy(device, async->deliver);
    device->ops->buffer_destroy(device, async->words);
    *async = (cls_lu_async){0};
}

/* The words from `first` on: nothing found yet. */
static clsolve_status forget(cls_lu *lu, cls_lu_async *async, size_t first) {
    size_t word = sizeof(int64_t);
    return lu->device->ops->fill(lu->device, CLS_COMPUTE, async->words, first * word, (WORDS - first) * word, NOTHING);
}

/* The first NaN or Inf of the columns 0 .. cols-1 into words[slot]. */
static clsolve_status search(cls_lu *lu, cls_lu_async *async, const cls_matrix *matrix, int64_t cols, int64_t slot) {
    cls_device *device = lu->device;
    size_t lanes = (size_t)async->lanes;
    cls_grid grid = {{lanes, 1, 1}, {lanes, 1, 1}};

    for (int64_t j = 0; j < cols;) {
        int64_t run = cls_matrix_run(matrix, j, cols), count;
        CLS_TRY(cls_check_enqueue_slab(device, &lu->check, matrix, j, run, &count));
        cls_arg args[] = {CLS_BUFFER(lu->check.firsts), CLS_VALUE(count), CLS_BUFFER(async->words), CLS_VALUE(slot)};
        CLS_TRY(cls_launch(device, CLS_COMPUTE, async->least, &grid, CLS_ARGS(args)));
        j += run;
    }
    return CLSOLVE_OK;
}

clsolve_status cls_lu_async_factor(cls_lu *lu, cls_lu_async *async, const clsolve_matrix *A) {
    CLS_TRY(setup(lu, async));
    CLS_TRY(forget(lu, async, IN_A));
    CLS_TRY(cls_upload_square(lu->device, &lu->transfer, A, &lu->A));
    if (lu->n > 0) CLS_TRY(search(lu, async, &lu->A, lu->n, IN_A));
    CLS_TRY(cls_lu_factor_enqueue(lu));
    return lu->n > 0 ? search(lu, async, &lu->A, lu->n, IN_FACTORS) : CLSOLVE_OK;
}

/* lu->B into the caller's buffer, unless something went wrong. */
static clsolve_status deliver(cls_lu *lu, cls_lu_async *async, cls_buffer *buffer, const clsolve_matrix *B) {
    enum { MOST_GROUPS = 1024 };
    int by_column = B->layout == CLSOLVE_COLUMN_MAJOR;
    int64_t row_step = by_column ? 1 : B->ld, column_step = by_column ? B->ld : 1;

    for (int64_t j = 0; j < B->cols;) {
        int64_t run = cls_matrix_run(&lu->B, j, B->cols), offset = B->offset + j * column_step;
        cls_ref ref = cls_matrix_at(&lu->B, 0, j);
        cls_grid grid = {
            {(size_t)((lu->n + ROWS - 1) / ROWS * ROWS), (size_t)(run < MOST_GROUPS ? run : MOST_GROUPS), 1},
            {ROWS, 1, 1}};
        cls_arg args[] = {CLS_BUFFER(async->words), CLS_BUFFER(lu->panel.info), CLS_BUFFER(ref.buffer),
                          CLS_VALUE(ref.offset),    CLS_VALUE(ref.ld),          CLS_VALUE(lu->n),
                          CLS_VALUE(run),           CLS_BUFFER(buffer),         CLS_VALUE(offset),
                          CLS_VALUE(row_step),      CLS_VALUE(column_step)};
        CLS_TRY(cls_launch(lu->device, CLS_COMPUTE, async->deliver, &grid, CLS_ARGS(args)));
        j += run;
    }
    return CLSOLVE_OK;
}

clsolve_status cls_lu_async_solve(cls_lu *lu, cls_lu_async *async, clsolve_op op, const clsolve_matrix *B,
                                  int after_factor) {
    const cls_device_ops *ops = lu->device->ops;
    int64_t cols = B->cols;
    cls_buffer *buffer = NULL;
    size_t bytes;

    CLS_TRY(setup(lu, async));
    CLS_TRY(forget(lu, async, after_factor ? IN_B : IN_A));
    if (lu->n == 0 || cols == 0) return CLSOLVE_OK;
    CLS_TRY(cls_lu_reserve(lu, cols, B->layout == CLSOLVE_ROW_MAJOR));
    CLS_TRY(cls_upload(lu->device, &lu->transfer, B, 0, cols, &lu->B, &lu->scratch));
    CLS_TRY(search(lu, async, &lu->B, cols, IN_B));
    CLS_TRY(cls_lu_apply(lu, op, cols));
    CLS_TRY(search(lu, async, &lu->B, cols, IN_X));
    CLS_TRY(ops->adopt(lu->device, B->data, &buffer, &bytes));
    clsolve_status status = deliver(lu, async, buffer, B);
    ops->buffer_destroy(lu->device, buffer);
    return status;
}

clsolve_status cls_lu_async_outcome(cls_lu *lu, cls_lu_async *async, cls_lu_outcome *outcome) {
    const cls_device_ops *ops = lu->device->ops;
    int64_t words[WORDS], none, *found[WORDS] = {&outcome->in_A, &outcome->in_factors, &outcome->in_B, &outcome->in_X};
    cls_rect all = {sizeof words, 1, 0, sizeof words, sizeof words},
             one = {sizeof none, 1, 0, sizeof none, sizeof none};

    clsolve_status status = ops->read(lu->device, CLS_COMPUTE, async->words, words, &all, NULL, NULL);
    if (status == CLSOLVE_OK)
        status = ops->read(lu->device, CLS_COMPUTE, lu->panel.info, &outcome->info, &one, NULL, NULL);
    clsolve_status done = ops->finish(lu->device, CLS_COMPUTE); /* whatever is under way comes to its end */
    if (status != CLSOLVE_OK || done != CLSOLVE_OK) return status != CLSOLVE_OK ? status : done;
    memset(&none, NOTHING, sizeof none);
    for (int w = 0; w < WORDS; w++) *found[w] = words[w] < none ? words[w] : -1;
    return CLSOLVE_OK;
}
