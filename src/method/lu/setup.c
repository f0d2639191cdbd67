/* setup.c: what a dense LU takes, in core or out of core, and gives back. */
#include <limits.h>

#include "method/direct/room.h"
#include "method/arrival.h"
#include "method/lu/direct.h"
#include "method/lu/host_small.h"
#include "method/lu/out_of_core.h"
#include "method/lu/rbt.h"
#include "method/lu/small.h"
#include "method/lu/sweep.h"

static clsolve_status build_common(cls_lu *lu) {
    cls_device *device = lu->device;

    CLS_TRY(cls_check_kernel(device, lu->type, "lu_det", &lu->det));
    CLS_TRY(cls_check_kernel(device, lu->type, "lu_mend", &lu->mend));
    CLS_TRY(cls_check_create(device, lu->type, &lu->check));
    return cls_transfer_create(device, lu->type, &lu->transfer);
}

clsolve_status cls_lu_build(cls_lu *lu) {
    CLS_TRY(cls_panel_open(&lu->panel));
    return build_common(lu);
}

/* Few rows take none of the panel's kernels, and the caller need not wait for their compiler. */
static clsolve_status build(cls_lu *lu) {
    return lu->engine->panels ? cls_lu_build(lu) : build_common(lu);
}

/* The products of the first and of the last blocks, as the loop asks for them. */
static clsolve_status announce_products(cls_lu *lu) {
    int64_t b = lu->block, rest = lu->n - b;
    if (rest <= 0) return CLSOLVE_OK;
    const cls_block_column L = {cls_matrix_at(&lu->A, 0, 0), 0, b, lu->n};
    for (int last = 0; last < 2; last++) {
        int64_t m = last && rest > b ? b : rest;
        CLS_TRY(cls_panel_solve(&lu->panel, CLS_COMPUTE, &L, &lu->A, b, b + m));
        CLS_TRY(cls_panel_multiply(&lu->panel, CLS_COMPUTE, &lu->A, b, b + m, 0, b, b, b + m));
    }
    if (lu->borrows || cls_lu_sweep_is_there(lu)) return CLSOLVE_OK;
    /* The condition estimate solves with A transposed too, one right-hand side at a time. */
    cls_ref T = cls_matrix_at(&lu->A, 0, 0), x = {NULL, 0, cls_matrix_ld(lu->n, cls_type_size(lu->type))};
    return cls_gemm(lu->device, CLS_BLAS_DEFAULT, lu->type, cls_adjoint(lu->type), CLSOLVE_NO_TRANS, rest, 1, b, -1.0,
                    T, x, 1.0, x);
}

/* Who lends the matrix solves with the factors. */
static clsolve_status setup_solves(cls_lu *lu) {
    return lu->borrows ? CLSOLVE_OK : cls_lu_sweep_setup(lu);
}

/* The longest compilation comes first, so that few threads end together. */
static clsolve_status announced(void *what) {
    cls_lu *lu = what;
    CLS_TRY(announce_products(lu));
    CLS_TRY(setup_solves(lu));
    return build(lu);
}

clsolve_status cls_lu_map(cls_lu *lu) {
    if (lu->rows > INT_MAX / 2 || lu->A.ld > INT_MAX)
        return cls_fail(lu->device->error, CLSOLVE_ERROR_UNSUPPORTED,
                        "LAPACK counts in 32 bits, too few for n = %lld: use CLSOLVE_PANEL_NATIVE",
                        (long long)lu->rows);
    CLS_TRY(cls_panel_take_host(&lu->panel, lu->n, 0));
    return cls_matrix_map(lu->device, &lu->A);
}

static clsolve_status setup_in_core(cls_lu *lu) {
    if (!lu->borrows) CLS_TRY(cls_matrix_create(lu->device, lu->type, lu->n, lu->n, lu->block, lu->slab_bytes, &lu->A));
    if (lu->panel.mapped) { /* no kernel ever works on it */
        CLS_TRY(cls_lu_map(lu));
        if (cls_lu_host_small_suits(lu)) lu->engine = &cls_lu_host_loops;
        return CLSOLVE_OK;
    }
    CLS_TRY(cls_announce(lu->device, announced, lu));
    CLS_TRY(build(lu));
    return setup_solves(lu);
}

static clsolve_status setup_out_of_core(cls_lu *lu) {
    lu->engine = &cls_lu_panels;
    CLS_TRY(cls_lu_build(lu));
    return cls_lu_out_setup(lu);
}

static clsolve_pivoting pivoting_of(const clsolve_lu_options *options) {
    return options && options->pivoting != CLSOLVE_PIVOTING_AUTO ? options->pivoting : CLSOLVE_PIVOTING_PARTIAL;
}

/* The block is that of the order, and the leaf that of the rows. */
static cls_panel_sizes choose_sizes(const cls_lu *lu, int hybrid, int wide, int64_t block) {
    const cls_panel_sizes s = cls_panel_sizes_of(lu->device, lu->type, lu->n, hybrid, wide, block);
    return lu->rows == lu->n ? s : cls_panel_sizes_of(lu->device, lu->type, lu->rows, hybrid, wide, s.block);
}

clsolve_status cls_lu_take_panel(cls_lu *lu, const clsolve_lu_options *options, clsolve_panel panel) {
    clsolve_pivoting pivoting = pivoting_of(options);
    const int few = lu->engine == &cls_lu_few;
    /* Where memory is short, narrow leaves leave more of it. */
    const int wide = lu->memory_limit == 0 && pivoting == CLSOLVE_PIVOTING_PARTIAL && !few;
    /* LAPACK factors the panels in place. A panel that crossed the bus would take longer than the device's own. */
    const int hybrid = panel != CLSOLVE_PANEL_NATIVE && cls_in_place(lu->device);

    CLS_TRY(cls_room_hybrid(lu->device, panel));
    cls_panel_sizes sizes = choose_sizes(lu, hybrid, wide, options ? options->block : 0);
    if (few) sizes.block = sizes.leaf; /* no moves to merge */
    const cls_panel_shape shape = {.type = lu->type,
                                   .rows = lu->rows,
                                   .cols = lu->n,
                                   .leaf = sizes.leaf,
                                   .block = sizes.block,
                                   .hybrid = hybrid,
                                   .mapped = hybrid,
                                   .unpivoted = pivoting == CLSOLVE_PIVOTING_RBT,
                                   .memory_limit = lu->memory_limit};

    lu->block = sizes.block;
    /* A matrix that 64 bits cannot count is refused, with its size in the message. */
    if (lu->n > INT32_MAX)
        CLS_TRY(cls_matrix_create(lu->device, lu->type, lu->n, lu->n, lu->block, lu->slab_bytes, &lu->A));
    CLS_TRY(cls_panel_create(lu->device, &shape, &lu->panel));
    lu->ahead = cls_panel_worth_ahead(&lu->panel, lu->n);
    lu->arrival_columns = lu->ahead ? cls_arrival_columns(lu->device, lu->n) : 0;
    return CLSOLVE_OK;
}

clsolve_status cls_lu_setup(cls_device *device, int64_t n, clsolve_type type, const clsolve_lu_options *options,
                            cls_lu *lu) {
    clsolve_pivoting pivoting = pivoting_of(options);
    int few;

    lu->device = device;
    lu->n = lu->rows = n;
    lu->type = type;
    lu->slab_bytes = options ? options->slab_bytes : 0;
    lu->memory_limit = options ? options->memory_limit : 0;
    lu->base_bytes = -device->counters.buffer_bytes;
    CLS_TRY(cls_lu_small_setup(lu, options, &few));
    lu->engine = few ? &cls_lu_few : &cls_lu_panels;
    CLS_TRY(cls_lu_take_panel(lu, options, options ? options->panel : CLSOLVE_PANEL_AUTO));
    if (pivoting == CLSOLVE_PIVOTING_RBT) CLS_TRY(cls_lu_rbt_setup(lu, options->seed));
    int fits = lu->borrows || cls_lu_fits_in_core(lu);
    if (!fits && pivoting == CLSOLVE_PIVOTING_RBT)
        return cls_lu_not_in_core(lu, CLSOLVE_ERROR_UNSUPPORTED,
                                  "out of core nothing is factored without pivots: choose partial pivoting");
    if (!fits && lu->in_core_only)
        return cls_lu_not_in_core(lu, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                                  "single-precision factors do not do for this matrix");
    if (!fits && device->no_kernels)
        return cls_lu_not_in_core(lu, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, "the host has no other way");
    if (!fits && lu->panel.mapped) {
        /* Block columns that stream by are written by copies, and not mapped: panels are native. */
        cls_panel_release(&lu->panel);
        CLS_TRY(cls_lu_take_panel(lu, options, CLSOLVE_PANEL_NATIVE));
    }
    CLS_TRY(fits ? setup_in_core(lu) : setup_out_of_core(lu));
    lu->base_bytes += device->counters.buffer_bytes;
    return CLSOLVE_OK;
}

void cls_lu_release(cls_lu *lu) {
    cls_device *device = lu->device;

    if (!device) return;
    cls_panel_release(&lu->panel); /* waits */
    device->ops->kernel_destroy(device, lu->det);
    device->ops->kernel_destroy(device, lu->mend);
    cls_lu_rbt_release(lu);
    cls_lu_sweep_release(lu);
    cls_lu_small_release(lu);
    cls_check_destroy(device, &lu->check);
    cls_transfer_destroy(device, &lu->transfer);
    cls_out_release(&lu->out);
    if (!lu->borrows) cls_matrix_destroy(device, &lu->A);
    cls_matrix_destroy(device, &lu->B);
    cls_matrix_destroy(device, &lu->scratch);
}
