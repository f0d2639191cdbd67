/*
 * moves.c: rows exchanged by factored leaves, in other columns. Leaf by leaf each column is read and written once a leaf; a
 * block's leaves are therefore merged into one list, by which the columns beside the block and right-hand sides are moved
 * (cl/lu_rows.cl).
 */
#include "method/lu/lu.h"

#include <stdio.h>

clsolve_status cls_lu_moves_setup(cls_lu *lu) {
    cls_device *device = lu->device;
    size_t bytes = (size_t)(2 * lu->n) * sizeof(int64_t);
    cls_program *program;
    char options[160];

    /* A CPU's work-item has a column to itself: its rows stay in cache from leaf to leaf. */
    if (lu->hybrid || lu->block <= lu->leaf || device->info.type == CLSOLVE_DEVICE_CPU) return CLSOLVE_OK;
    (void)snprintf(options, sizeof options, "%s -DLX=%d -DLY=%d -DWIDTH=%d", cls_type_option(lu->type), (int)lu->move_x,
                   (int)lu->move_y, (int)lu->block);
    CLS_TRY(device->ops->program_get(device, "lu_rows", options, &program));
    CLS_TRY(device->ops->kernel_create(device, program, "lu_move_rows", &lu->move_merged));
    CLS_TRY(device->ops->kernel_create(device, program, "lu_merge_moves", &lu->merge_moves));
    CLS_TRY(device->ops->buffer_create(device, bytes, &lu->merged_sources));
    CLS_TRY(device->ops->buffer_create(device, bytes, &lu->merged_targets));
    if (bytes == 0) return CLSOLVE_OK;
    CLS_TRY(device->ops->fill(device, CLS_COMPUTE, lu->merged_sources, 0, bytes, 0xff));
    return device->ops->fill(device, CLS_COMPUTE, lu->merged_targets, 0, bytes, 0xff);
}

clsolve_status cls_lu_merge_moves(cls_lu *lu, int64_t j, int64_t width) {
    size_t items = (size_t)(lu->move_x * lu->move_y), pairs = (size_t)(2 * width);
    int64_t end = j + width;

    if (!lu->merged_sources || lu->rbt.on) return CLSOLVE_OK;
    cls_grid grid = {{(pairs + items - 1) / items * (size_t)lu->move_x, (size_t)lu->move_y, 1},
                     {(size_t)lu->move_x, (size_t)lu->move_y, 1}};
    cls_arg args[] = {CLS_BUFFER(lu->sources),
                      CLS_BUFFER(lu->targets),
                      CLS_BUFFER(lu->merged_sources),
                      CLS_BUFFER(lu->merged_targets),
                      CLS_VALUE(j),
                      CLS_VALUE(end),
                      CLS_VALUE(lu->leaf)};
    lu->merged = end;
    return lu->device->ops->launch(lu->device, lu->device->blas_queue, lu->merge_moves, &grid, args, 7, NULL, NULL);
}

/* The lists that do for the columns begin .. end-1: merged ones for whole blocks. */
typedef struct lists {
    cls_kernel *kernel;
    cls_buffer *sources, *targets;
    int64_t width;
} lists;

static lists choose_lists(const cls_lu *lu, int64_t begin, int64_t end) {
    const lists merged = {lu->move_merged, lu->merged_sources, lu->merged_targets, lu->block};
    const lists leaves = {lu->move_rows, lu->sources, lu->targets, lu->leaf};
    int whole = begin % lu->block == 0 && (end % lu->block == 0 || end == lu->merged) && end <= lu->merged;
    return lu->merged_sources && whole ? merged : leaves;
}

clsolve_status cls_lu_move_rows(cls_lu *lu, const cls_matrix *matrix, int64_t first, int64_t last, int64_t hole,
                                int64_t hole_width, int64_t begin, int64_t end, int reverse) {
    cls_device *device = lu->device;
    int32_t backwards = reverse;
    const lists list = choose_lists(lu, begin, end);

    if (lu->rbt.on) return CLSOLVE_OK; /* no pivots, no moves */
    if (matrix->mapped) {
        cls_lu_host_moves(lu, matrix, first, hole < last ? hole : last, begin, end, reverse);
        cls_lu_host_moves(lu, matrix, hole + hole_width, last, begin, end, reverse);
        return CLSOLVE_OK;
    }

    for (int64_t c = first; c < last;) {
        int64_t run = cls_matrix_run(matrix, c, last);
        cls_ref ref = cls_matrix_at(matrix, 0, c);
        /* The hole as this slab sees it: it never crosses a slab's end, for blocks don't. */
        int64_t here = hole >= c && hole < c + run ? hole - c : run;
        int64_t skipped = here < run ? hole_width : 0;
        int64_t columns = run - skipped;

        int64_t wanted = (columns + lu->move_y - 1) / lu->move_y;
        int64_t most = lu->device->info.type == CLSOLVE_DEVICE_CPU ? lu->groups : 65535;
        size_t groups = (size_t)(wanted < most ? wanted : most);
        cls_grid grid = {{groups * (size_t)lu->move_x, (size_t)lu->move_y, 1},
                         {(size_t)lu->move_x, (size_t)lu->move_y, 1}};
        cls_arg args[] = {CLS_BUFFER(ref.buffer),   CLS_VALUE(ref.offset),    CLS_VALUE(ref.ld),
                          CLS_VALUE(columns),       CLS_VALUE(here),          CLS_VALUE(skipped),
                          CLS_BUFFER(list.sources), CLS_BUFFER(list.targets), CLS_VALUE(begin),
                          CLS_VALUE(end),           CLS_VALUE(list.width),    CLS_VALUE(backwards)};
        CLS_TRY(device->ops->launch(device, device->blas_queue, list.kernel, &grid, args, 12, NULL, NULL));
        c += run;
    }
    return CLSOLVE_OK;
}
