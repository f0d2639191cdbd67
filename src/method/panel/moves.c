/*
 * moves.c: the rows that factored leaves have exchanged, moved in other columns (cl/lu_rows.cl). Leaf by leaf, each
 * column would be read and written once a leaf. So the leaves' lists are merged into one list a block, for the other
 * columns and right-hand sides.
 */
#include "method/panel/parts.h"

#include <stdio.h>

clsolve_status cls_panel_empty_lists(cls_panel *panel, int64_t cols) {
    const cls_device_ops *ops = panel->device->ops;
    const size_t bytes = (size_t)cols * sizeof(int64_t);

    if (cols == 0) return CLSOLVE_OK;
    CLS_TRY(ops->fill(panel->device, CLS_COMPUTE, panel->ipiv, 0, bytes, 0x7f));
    CLS_TRY(ops->fill(panel->device, CLS_COMPUTE, panel->sources, 0, 2 * bytes, 0xff));
    return ops->fill(panel->device, CLS_COMPUTE, panel->targets, 0, 2 * bytes, 0xff);
}

/* The kernels for lists of `width` columns; that which merges them is for wide ones. */
static clsolve_status get_program(const cls_panel *panel, int64_t width, int with_merge, cls_program **program) {
    char options[160];

    (void)snprintf(options, sizeof options, "%s -DLX=%d -DLY=%d -DWIDTH=%d -DMERGES=%d", cls_type_option(panel->type),
                   (int)panel->moves.x, (int)panel->moves.y, (int)width, with_merge);
    return panel->device->ops->program_get(panel->device, "lu_rows", options, program);
}

/* On a CPU a work-item has a column to itself, whose rows stay in cache from leaf to leaf. */
static int merges(const cls_panel *panel) {
    return !panel->hybrid && panel->block > panel->leaf && panel->device->info.type != CLSOLVE_DEVICE_CPU;
}

/* Merged lists, where they are of use. */
clsolve_status cls_panel_moves_take(cls_panel *panel, int64_t cols) {
    cls_device *device = panel->device;
    cls_panel_moves *moves = &panel->moves;
    size_t bytes = (size_t)(2 * cols) * sizeof(int64_t);

    if (!merges(panel)) return CLSOLVE_OK;
    CLS_TRY(device->ops->buffer_create(device, bytes, &moves->merged_sources));
    CLS_TRY(device->ops->buffer_create(device, bytes, &moves->merged_targets));
    if (bytes == 0) return CLSOLVE_OK;
    CLS_TRY(device->ops->fill(device, CLS_COMPUTE, moves->merged_sources, 0, bytes, 0xff));
    return device->ops->fill(device, CLS_COMPUTE, moves->merged_targets, 0, bytes, 0xff);
}

clsolve_status cls_panel_moves_build(cls_panel *panel) {
    cls_device *device = panel->device;
    cls_panel_moves *moves = &panel->moves;
    cls_program *program;

    if (merges(panel)) {
        CLS_TRY(get_program(panel, panel->block, 1, &program));
        CLS_TRY(device->ops->kernel_create(device, program, "lu_move_rows", &moves->merged));
        CLS_TRY(device->ops->kernel_create(device, program, "lu_merge_moves", &moves->merge));
    }
    CLS_TRY(get_program(panel, panel->leaf, 0, &program));
    return device->ops->kernel_create(device, program, "lu_move_rows", &moves->rows);
}

void cls_panel_moves_release(cls_panel *panel) {
    const cls_device_ops *ops = panel->device->ops;
    cls_panel_moves *moves = &panel->moves;

    ops->kernel_destroy(panel->device, moves->rows);
    ops->kernel_destroy(panel->device, moves->merged);
    ops->kernel_destroy(panel->device, moves->merge);
    ops->buffer_destroy(panel->device, moves->merged_sources);
    ops->buffer_destroy(panel->device, moves->merged_targets);
}

clsolve_status cls_panel_merge_moves(cls_panel *panel, cls_queue queue, int64_t j, int64_t width) {
    cls_panel_moves *moves = &panel->moves;
    size_t items = (size_t)(moves->x * moves->y), pairs = (size_t)(2 * width);
    int64_t end = j + width;

    if (!moves->merged_sources || panel->unpivoted.on) return CLSOLVE_OK;
    cls_grid grid = {{(pairs + items - 1) / items * (size_t)moves->x, (size_t)moves->y, 1},
                     {(size_t)moves->x, (size_t)moves->y, 1}};
    cls_arg args[] = {CLS_BUFFER(panel->sources),
                      CLS_BUFFER(panel->targets),
                      CLS_BUFFER(moves->merged_sources),
                      CLS_BUFFER(moves->merged_targets),
                      CLS_VALUE(j),
                      CLS_VALUE(end),
                      CLS_VALUE(panel->leaf)};
    moves->done = end;
    return cls_launch(panel->device, queue, moves->merge, &grid, CLS_ARGS(args));
}

/* The lists for the columns begin .. end-1: merged ones for whole blocks. */
typedef struct lists {
    cls_kernel *kernel;
    cls_buffer *sources, *targets;
    int64_t width;
} lists;

static lists choose_lists(const cls_panel *panel, int64_t begin, int64_t end) {
    const cls_panel_moves *moves = &panel->moves;
    const lists merged = {moves->merged, moves->merged_sources, moves->merged_targets, panel->block};
    const lists leaves = {moves->rows, panel->sources, panel->targets, panel->leaf};
    int whole = begin % panel->block == 0 && (end % panel->block == 0 || end == moves->done) && end <= moves->done;
    return moves->merged_sources && whole ? merged : leaves;
}

/* Concurrently with a panel, one group a compute unit: more groups hold up the panel's own kernels. NVIDIA's own leaves
 * have no such bound, because with it a factorization of n = 8192 takes 2 % longer. */
static int64_t most_groups(const cls_panel *panel, cls_queue queue) {
    const clsolve_device_info *info = &panel->device->info;

    if (info->type == CLSOLVE_DEVICE_CPU) return panel->steps.groups;
    return queue == CLS_BESIDE && !panel->device->promised_together && info->compute_units > 0 ? info->compute_units
                                                                                               : 65535;
}

clsolve_status cls_panel_move_rows(cls_panel *panel, cls_queue queue, const cls_matrix *matrix, int64_t first,
                                   int64_t last, int64_t hole, int64_t hole_width, int64_t begin, int64_t end,
                                   int reverse) {
    cls_device *device = panel->device;
    const cls_panel_moves *moves = &panel->moves;
    int32_t backwards = reverse;
    const lists list = choose_lists(panel, begin, end);

    if (panel->unpivoted.on) return CLSOLVE_OK; /* no pivots, no moves */
    if (matrix->mapped) {
        cls_panel_host_moves(panel, matrix, first, hole < last ? hole : last, begin, end, reverse);
        cls_panel_host_moves(panel, matrix, hole + hole_width, last, begin, end, reverse);
        return CLSOLVE_OK;
    }

    for (int64_t c = first; c < last;) {
        int64_t run = cls_matrix_run(matrix, c, last);
        cls_ref ref = cls_matrix_at(matrix, 0, c);
        /* The hole within this slab: it never crosses a slab's end, because blocks do not. */
        int64_t here = hole >= c && hole < c + run ? hole - c : run;
        int64_t skipped = here < run ? hole_width : 0;
        int64_t columns = run - skipped;

        int64_t wanted = (columns + moves->y - 1) / moves->y;
        int64_t most = most_groups(panel, queue);
        size_t groups = (size_t)(wanted < most ? wanted : most);
        cls_grid grid = {{groups * (size_t)moves->x, (size_t)moves->y, 1}, {(size_t)moves->x, (size_t)moves->y, 1}};
        cls_arg args[] = {CLS_REF(ref),        CLS_VALUE(columns),       CLS_VALUE(here),
                          CLS_VALUE(skipped),  CLS_BUFFER(list.sources), CLS_BUFFER(list.targets),
                          CLS_VALUE(begin),    CLS_VALUE(end),           CLS_VALUE(list.width),
                          CLS_VALUE(backwards)};
        CLS_TRY(cls_launch(device, queue, list.kernel, &grid, CLS_ARGS(args)));
        c += run;
    }
    return CLSOLVE_OK;
}
