#include "method/lu/lu.h"
#include "method/lu/out_of_core.h"
#include "method/lu/rbt.h"
#include "method/lu/substitute.h"
#include "method/lu/tournament.h"

#include <stdio.h>

/* How many leaves of at most `leaf` columns a block has. */
static int64_t leaves_of(int64_t block, int64_t leaf) {
    return (block + leaf - 1) / leaf;
}

/*
 * Block sizes. Leaf: a GPU pays a launch a column whatever the leaf's width, so a wider leaf leaves less to the small
 * matrix products, and the widest are those of one launch (resident.c); a CPU's matrix product is the faster the sooner it
 * takes over. Block: wide enough for the trailing product to run at full rate. In the host's own memory LAPACK's panel need
 * not end anywhere, but for the progress that is told between blocks and for slabs. docs/performance.md has the measurements.
 */
static void choose_blocks(cls_lu *lu, const clsolve_lu_options *options) {
    int64_t n = lu->n, wide = 0;

    if (lu->device->info.host_memory) {
        lu->leaf = 16;
        lu->block = !lu->hybrid ? 128 : n <= 4096 ? (n + 15) / 16 * 16 : 1024;
    } else {
        /* Where memory is short, narrow leaves leave more of it. */
        int partial =
            !lu->hybrid && lu->memory_limit == 0 && (!options || options->pivoting == CLSOLVE_PIVOTING_PARTIAL);
        wide = partial ? cls_lu_resident_width(lu->device, lu->type, n) : 0;
        lu->leaf = wide > 0 ? wide : 32;
        lu->block = n > 16384 ? 1024 : n >= 12288 ? 768 : n >= 6144 ? 512 : n >= 2048 ? 384 : 128;
    }
    if (options && options->block > 0) lu->block = options->block;
    if (wide > 0 && lu->block > 0) lu->leaf = lu->block / leaves_of(lu->block, wide); /* as few as can be, all alike */
    if (lu->block < lu->leaf) lu->leaf = lu->block > 0 ? lu->block : 1;
    lu->block -= lu->block % lu->leaf;
    if (lu->block < 1) lu->block = 1;
}

/* A CPU runs a work-group on one core: one work-item with a long loop in it, and as many groups as cores. A GPU wants
 * neighbouring work-items on neighbouring rows. */
static void choose_work_groups(cls_lu *lu) {
    const clsolve_device_info *info = &lu->device->info;

    if (info->type == CLSOLVE_DEVICE_CPU) {
        lu->work_group = lu->move_x = lu->move_y = 1;
        lu->rows_at_once = 256;
        lu->groups = info->compute_units > 0 ? info->compute_units : 1;
        lu->whole = 4096; /* a leaf of that many rows fits the cache of one core */
    } else {
        lu->work_group = cls_work_group(lu->device, 256);
        lu->rows_at_once = 1;
        lu->whole = 2 * lu->work_group;
        lu->groups = lu->n / lu->work_group + (lu->n % lu->work_group != 0);
        lu->move_x = cls_work_group(lu->device, 2 * lu->leaf);
        lu->move_y = cls_work_group(lu->device, 256) / lu->move_x;
    }
    if (lu->groups < 1) lu->groups = 1;
}

static clsolve_status build(cls_lu *lu) {
    cls_device *device = lu->device;
    cls_program *panel, *rows, *det;
    char options[160];

    (void)snprintf(options, sizeof options, "%s -DLS=%d -DROWS=%d -DWIDTH=%d", cls_type_option(lu->type),
                   (int)lu->work_group, (int)lu->rows_at_once, (int)lu->leaf);
    CLS_TRY(device->ops->program_get(device, "lu_panel", options, &panel));
    CLS_TRY(device->ops->kernel_create(device, panel, "lu_leaf_begin", &lu->leaf_begin));
    CLS_TRY(device->ops->kernel_create(device, panel, "lu_leaf_step", &lu->leaf_step));
    CLS_TRY(device->ops->kernel_create(device, panel, "lu_leaf_whole", &lu->leaf_whole));
    CLS_TRY(device->ops->kernel_create(device, panel, "lu_leaf_swaps", &lu->leaf_swaps));
    (void)snprintf(options, sizeof options, "%s -DLX=%d -DLY=%d -DWIDTH=%d", cls_type_option(lu->type), (int)lu->move_x,
                   (int)lu->move_y, (int)lu->leaf);
    CLS_TRY(device->ops->program_get(device, "lu_rows", options, &rows));
    CLS_TRY(device->ops->kernel_create(device, rows, "lu_move_rows", &lu->move_rows));
    CLS_TRY(device->ops->program_get(device, "lu_det", cls_type_option(lu->type), &det));
    CLS_TRY(device->ops->kernel_create(device, det, "lu_det", &lu->det));
    CLS_TRY(device->ops->kernel_create(device, det, "lu_mend", &lu->mend));
    CLS_TRY(cls_check_create(device, lu->type, &lu->check));
    return cls_transfer_create(device, lu->type, &lu->transfer);
}

static clsolve_status use_what_works(cls_lu *lu) {
    cls_lu_kernels form;

    CLS_TRY(cls_lu_self_test(lu->device, lu->type, &form));
    if (form == CLS_LU_KERNELS_NO_WHOLE) lu->whole = 0;
    if (form == CLS_LU_KERNELS_WRONG)
        return cls_fail(lu->device->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "the kernels of LU in %s give wrong results on %s with driver %s, a fault of its compiler as a "
                        "rule: use another device or driver",
                        lu->type == CLSOLVE_F64 ? "double" : "single", lu->device->info.name, lu->device->info.driver);
    return CLSOLVE_OK;
}

clsolve_status cls_lu_empty_lists(cls_lu *lu, int64_t cols) {
    const cls_device_ops *ops = lu->device->ops;
    const size_t bytes = (size_t)cols * sizeof(int64_t);

    if (cols == 0) return CLSOLVE_OK;
    CLS_TRY(ops->fill(lu->device, CLS_COMPUTE, lu->ipiv, 0, bytes, 0x7f));
    CLS_TRY(ops->fill(lu->device, CLS_COMPUTE, lu->sources, 0, 2 * bytes, 0xff));
    return ops->fill(lu->device, CLS_COMPUTE, lu->targets, 0, 2 * bytes, 0xff);
}

/* For panels of `rows` rows in a matrix of `cols` columns. */
static clsolve_status take_state(cls_lu *lu, int64_t rows, int64_t cols) {
    cls_device *device = lu->device;
    const cls_device_ops *ops = device->ops;
    size_t word = sizeof(int64_t);

    CLS_TRY(ops->buffer_create(device, (size_t)rows * word, &lu->positions));
    CLS_TRY(ops->buffer_create(device, (size_t)(2 * lu->groups * cls_type_size(lu->type)), &lu->values));
    CLS_TRY(ops->buffer_create(device, (size_t)(2 * lu->groups) * word, &lu->rows));
    CLS_TRY(ops->buffer_create(device, (size_t)(2 * lu->groups) * word, &lu->places));
    CLS_TRY(ops->buffer_create(device, (size_t)lu->leaf * word, &lu->pivots));
    CLS_TRY(ops->buffer_create(device, (size_t)cols * word, &lu->ipiv));
    CLS_TRY(ops->buffer_create(device, (size_t)(2 * cols) * word, &lu->sources));
    CLS_TRY(ops->buffer_create(device, (size_t)(2 * cols) * word, &lu->targets));
    CLS_TRY(ops->buffer_create(device, 2 * word, &lu->info));
    return cls_lu_empty_lists(lu, cols);
}

static clsolve_status setup_in_core(cls_lu *lu) {
    CLS_TRY(cls_matrix_create(lu->device, lu->type, lu->n, lu->n, lu->block, lu->slab_bytes, &lu->A));
    /* On mapped matrices no kernel ever works. */
    if (lu->hybrid && cls_in_place(lu->device)) return cls_lu_hybrid_setup(lu);
    CLS_TRY(build(lu));
    CLS_TRY(cls_lu_substitute_setup(lu));
    CLS_TRY(use_what_works(lu));
    return lu->hybrid ? cls_lu_hybrid_setup(lu) : cls_lu_resident_setup(lu);
}

/* Not mapped: what streams by is written by copies. A device that works in the host's memory has native panels then. */
static clsolve_status setup_out_of_core(cls_lu *lu, const clsolve_lu_options *options) {
    if (lu->device->info.host_memory) {
        lu->hybrid = 0;
        choose_blocks(lu, options);
    }
    CLS_TRY(build(lu));
    CLS_TRY(use_what_works(lu));
    if (!lu->hybrid) CLS_TRY(cls_lu_resident_setup(lu));
    CLS_TRY(cls_lu_out_setup(lu));
    return lu->hybrid ? cls_lu_hybrid_setup(lu) : CLSOLVE_OK;
}

clsolve_status cls_lu_setup(cls_device *device, int64_t n, clsolve_type type, const clsolve_lu_options *options,
                            cls_lu *lu) {
    lu->device = device;
    lu->n = n;
    lu->type = type;
    lu->slab_bytes = options ? options->slab_bytes : 0;
    lu->memory_limit = options ? options->memory_limit : 0;
    lu->base_bytes = -device->counters.buffer_bytes;
    lu->hybrid = options && options->panel == CLSOLVE_PANEL_HYBRID;
    int tournament = options && options->pivoting == CLSOLVE_PIVOTING_TOURNAMENT;
    if (!options || options->panel == CLSOLVE_PANEL_AUTO) lu->hybrid = !tournament && cls_in_place(device);
    choose_blocks(lu, options);
    choose_work_groups(lu);
    /* Short columns leave nothing to hide a panel under; without queues of different priority a panel of many launches
     * waits for the product at each of them. */
    int few_launches = lu->leaf > 32 && cls_lu_resident_width(device, type, n) > 0;
    lu->ahead = !lu->hybrid && (device->beside || few_launches) && n >= 2048;
    /* What 64 bits cannot count is refused, with the matrix in the message. */
    if (n > INT32_MAX) CLS_TRY(cls_matrix_create(device, type, n, n, lu->block, lu->slab_bytes, &lu->A));
    CLS_TRY(take_state(lu, n, n));
    CLS_TRY(cls_lu_moves_setup(lu));
    int rbt = options && options->pivoting == CLSOLVE_PIVOTING_RBT;
    if (rbt) CLS_TRY(cls_lu_rbt_setup(lu, options->seed));
    if (tournament) CLS_TRY(cls_lu_tournament_setup(lu));
    int fits = cls_lu_fits_in_core(lu);
    if (!fits && rbt) return cls_lu_rbt_not_in_core(lu);
    if (!fits && lu->in_core_only) return cls_lu_not_in_core(lu);
    CLS_TRY(fits ? setup_in_core(lu) : setup_out_of_core(lu, options));
    lu->base_bytes += device->counters.buffer_bytes;
    return CLSOLVE_OK;
}

clsolve_status cls_lu_setup_panels(cls_device *device, int64_t n, int64_t rows, int64_t width, clsolve_type type,
                                   int hybrid, int mapped, cls_lu *lu) {
    lu->device = device;
    lu->n = rows;
    lu->type = type;
    lu->hybrid = hybrid;
    lu->block = width;
    int64_t wide = hybrid ? 0 : cls_lu_resident_width(device, type, rows);
    lu->leaf = wide > 0                   ? leaves_of(width, leaves_of(width, wide)) /* all about as wide */
               : device->info.host_memory ? 16
                                          : 32;
    if (lu->leaf > width) lu->leaf = width;
    choose_work_groups(lu);
    if (hybrid) CLS_TRY(cls_lu_host_state(lu, n, mapped ? 0 : rows * width));
    if (mapped) return CLSOLVE_OK;
    CLS_TRY(take_state(lu, rows, n));
    CLS_TRY(build(lu));
    CLS_TRY(use_what_works(lu));
    return hybrid ? CLSOLVE_OK : cls_lu_resident_setup(lu);
}

void cls_lu_release(cls_lu *lu) {
    cls_device *device = lu->device;
    cls_buffer *buffers[] = {lu->positions, lu->values,  lu->rows, lu->places, lu->pivots,         lu->ipiv,
                             lu->sources,   lu->targets, lu->info, lu->offers, lu->merged_sources, lu->merged_targets};
    cls_kernel *kernels[] = {lu->leaf_begin, lu->leaf_step, lu->leaf_whole,  lu->leaf_swaps, lu->move_rows,
                             lu->det,        lu->mend,      lu->move_merged, lu->merge_moves};

    if (!device) return;
    /* What still runs uses these buffers; a failure to wait leaves nothing better to do than to go on. */
    (void)device->ops->finish(device, CLS_COMPUTE);
    for (size_t b = 0; b < sizeof buffers / sizeof *buffers; ++b) device->ops->buffer_destroy(device, buffers[b]);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; ++k) device->ops->kernel_destroy(device, kernels[k]);
    for (size_t k = 0; k < sizeof lu->leaf_resident / sizeof(cls_kernel *); ++k)
        device->ops->kernel_destroy(device, lu->leaf_resident[k / CLS_LU_BATCHES][k % CLS_LU_BATCHES]);
    cls_lu_hybrid_release(lu);
    cls_lu_rbt_release(lu);
    cls_lu_tournament_release(lu);
    cls_lu_substitute_release(lu);
    cls_check_destroy(device, &lu->check);
    cls_transfer_destroy(device, &lu->transfer);
    cls_lu_out_release(lu);
    cls_matrix_destroy(device, &lu->A);
    cls_matrix_destroy(device, &lu->B);
    cls_matrix_destroy(device, &lu->scratch);
}
