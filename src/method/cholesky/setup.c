/* setup.c: what a Cholesky factorization takes, in core or out of core, and gives back. */
#include "method/cholesky/cholesky.h"

#include <stdio.h>

#include "blas/blas.h"
#include "method/columns/columns.h"
#include "method/direct/room.h"

/* ---- sizes ---- */

/* A leaf takes 33 KB of local memory for elements of 16 bytes; with all its elements there 64, of the smaller one
 * 17. */
enum { LEAF = 64, SMALL_LEAF = 32, ENOUGH_LOCAL = 48 << 10 };
/* By tiles two columns of tiles and more are in local memory: half of the columns where an element takes four words. */
enum { TILES_LEAF = 128 };
/* Products of large matrices are the faster the more columns of L they take; those of small ones wait for the panels.
 * Without cuBLAS's many squares at once a triangle is one product, which wants more of them. */
enum { BLOCK = 256, WIDE_BLOCK = 512, WIDEST_BLOCK = 1024, MANY = 4096, MOST = 12288 };

static int64_t whole_leaves(const cls_cholesky *c, int64_t columns) {
    return (columns + c->leaf - 1) / c->leaf * c->leaf;
}

/* Compilers that lose private values over barriers have the elements of a leaf in local memory. So do CPUs, whose
 * private arrays are no registers. */
static int in_local(const cls_device *device) {
    return device->weak_barriers || device->info.type == CLSOLVE_DEVICE_CPU;
}

static int64_t leaf_of(const cls_cholesky *c) {
    const int wide = c->type == CLSOLVE_C64 && in_local(c->device);

    if (c->tiles) return c->type == CLSOLVE_C64 ? LEAF : TILES_LEAF;
    return (c->device->info.local_memory >= ENOUGH_LOCAL && !wide) || c->device->no_kernels ? LEAF : SMALL_LEAF;
}

static int64_t block_of(const cls_cholesky *c) {
    if (!c->tiles || c->n < MANY) return BLOCK;
    const int one = cls_gemm_triangle_at_once(c->device, c->type) && !cls_gemm_steps_at_once(c->device, c->type);
    return one || c->n >= MOST ? WIDEST_BLOCK : WIDE_BLOCK;
}

/* Half of a band's reach: in wider blocks more is zeros, which take time and memory. */
static int64_t band_block(const cls_cholesky *c) {
    const int64_t half = c->reach / 2;
    return half > BLOCK ? BLOCK : half < c->leaf ? c->leaf : half / c->leaf * c->leaf;
}

static void choose_sizes(cls_cholesky *c, const clsolve_cholesky_options *options) {
    const int64_t asked = options ? options->block : 0;

    c->tiles = c->device->matrix_unit > 0;
    c->leaf = leaf_of(c);
    /* Groups that wait for the leaf keep compute units from products. Their words are no part of a limited memory. */
    c->together = c->tiles && c->memory_limit == 0 ? c->device->info.compute_units / 2 * (c->leaf / 2) : 0;
    c->block = whole_leaves(c, asked > 0 ? asked : c->is_band ? band_block(c) : block_of(c));
    c->ahead = c->device->beside && c->n > 4 * c->block;
    c->arrival_columns = c->is_band ? 0 : cls_arrival_columns(c->device, c->n);
}

/* ---- kernels ---- */

enum { OPTIONS = 160 };

static void options_of(const cls_cholesky *c, char options[OPTIONS]) {
    if (c->tiles)
        (void)snprintf(options, OPTIONS, "%s -DLEAF=%d -DCLS_UNIT=%d", cls_type_option(c->type), (int)c->leaf,
                       c->device->matrix_unit);
    else
        (void)snprintf(options, OPTIONS, "%s -DLEAF=%d%s", cls_type_option(c->type), (int)c->leaf,
                       in_local(c->device) ? " -DIN_LOCAL" : "");
}

/* The kernels of a leaf and of what is below it. KERNELS of cl/cholesky_tiles.cl is a number for each: where programs
 * compile side by side, each is a program, and the one that takes longest comes first. */
static clsolve_status build_leaf(cls_cholesky *c) {
    cls_device *device = c->device;
    const struct {
        const char *name;
        cls_kernel **kernel;
        int which;
    } wanted[] = {{"cholesky_panel", &c->panel_kernel, 4},
                  {"cholesky_leaf", &c->leaf_kernel, 1},
                  {"cholesky_rows", &c->rows_kernel, 2}};
    char options[OPTIONS], part[OPTIONS + 32];

    options_of(c, options);
    for (size_t k = c->tiles ? 0 : 1; k < sizeof wanted / sizeof *wanted; ++k) {
        cls_program *program;
        (void)snprintf(part, sizeof part, "%s -DKERNELS=%d", options, wanted[k].which);
        CLS_TRY(device->ops->program_get(device, c->tiles ? "cholesky_tiles" : "cholesky",
                                         c->tiles && device->splits ? part : options, &program));
        CLS_TRY(device->ops->kernel_create(device, program, wanted[k].name, wanted[k].kernel));
    }
    return CLSOLVE_OK;
}

static clsolve_status build(cls_cholesky *c) {
    cls_device *device = c->device;

    CLS_TRY(build_leaf(c));
    if (c->tiles && c->together > 0 && !device->announcing) /* else the build that follows would make another one */
        CLS_TRY(cls_offers_take(device, cls_offers_bytes(device, c->type, c->leaf * c->leaf), &c->offers));
    CLS_TRY(cls_check_kernel(device, c->type, "lu_det", &c->det));
    CLS_TRY(cls_check_create(device, c->type, &c->check));
    CLS_TRY(cls_transfer_create(device, c->type, &c->transfer));
    return cls_symmetric_create(device, c->type, &c->mirror);
}

/* The products of the first and of the last blocks, and a solve. */
static clsolve_status announced(void *what) {
    cls_cholesky *c = what;
    const int64_t b = c->block, behind = c->n - b, rest = behind < c->reach ? behind : c->reach, half = b / 2;
    const clsolve_op adjoint = cls_adjoint(c->type);
    const cls_ref at = {NULL, 0, c->is_band ? c->A.ld : cls_matrix_ld(c->n, cls_type_size(c->type))};

    CLS_TRY(build(c));
    if (rest > 0) {
        CLS_TRY(cls_gemm(c->device, CLS_BLAS_DEFAULT, c->type, CLSOLVE_NO_TRANS, adjoint, rest, b, b, -1.0, at, at, 1.0,
                         at));
        CLS_TRY(cls_gemm(c->device, CLS_BLAS_DEFAULT, c->type, CLSOLVE_NO_TRANS, adjoint, rest, half, half, -1.0, at,
                         at, 1.0, at));
        int done = 0;
        CLS_TRY(cls_gemm_triangle(c->device, CLS_BLAS_DEFAULT, c->type, CLSOLVE_NO_TRANS, adjoint, rest, b, -1.0, at,
                                  at, 1.0, at, &done));
    }
    return cls_trsm(c->device, CLS_BLAS_DEFAULT, c->type, CLS_LOWER, CLSOLVE_NO_TRANS,
                    c->is_band && b < c->n ? b : c->n, 1, at, at);
}

static void release_kernels(cls_cholesky *c) {
    cls_device *device = c->device;

    device->ops->kernel_destroy(device, c->leaf_kernel);
    device->ops->kernel_destroy(device, c->rows_kernel);
    device->ops->kernel_destroy(device, c->panel_kernel);
    device->ops->kernel_destroy(device, c->det);
    c->leaf_kernel = c->rows_kernel = c->panel_kernel = c->det = NULL;
    cls_offers_release(device, &c->offers);
    cls_check_destroy(device, &c->check);
    cls_transfer_destroy(device, &c->transfer);
    cls_symmetric_destroy(device, &c->mirror);
}

static clsolve_status build_and_test(cls_cholesky *c) {
    char options[OPTIONS];

    CLS_TRY(cls_announce(c->device, announced, c));
    CLS_TRY(build(c));
    options_of(c, options);
    return cls_cholesky_self_test(c, options);
}

/* Where the form by tiles does not build or is wrong, the other one takes its place. Blocks are of whole leaves
 * still. */
static clsolve_status take_kernels(cls_cholesky *c) {
    cls_device *device = c->device;
    const cls_error before = *device->error;
    void *words;

    CLS_TRY(device->ops->buffer_create(device, sizeof(int64_t), &c->info));
    CLS_TRY(cls_pinned_create(device, (CLS_WATCHED + 1) * sizeof(int64_t), &c->watched, &words));
    c->words = words;
    clsolve_status status = build_and_test(c);
    if (!c->tiles || (status != CLSOLVE_ERROR_UNSUPPORTED && status != CLSOLVE_ERROR_BUILD)) return status;
    *device->error = before;
    release_kernels(c);
    c->tiles = 0;
    c->together = 0;
    c->leaf = leaf_of(c);
    return build_and_test(c);
}

/* ---- memory ---- */

/* Where a matrix that does not fit cannot be factored out of core, it is told so here, with what would do. */
static clsolve_status check_memory(const cls_cholesky *c, int *fits) {
    const int64_t size = cls_type_size(c->type);
    const cls_room room = {.device = c->device,
                           .what = "a Cholesky factorization",
                           .n = c->n,
                           .column = cls_matrix_ld(c->n, size) * size,
                           .sides = cls_room_sides(c->n, c->memory_limit),
                           .limit = c->memory_limit,
                           .taken = c->beside + c->base_bytes + c->device->counters.buffer_bytes};
    int64_t had;

    *fits = cls_room_fits(&room, &had);
    return *fits || (!c->in_core_only && !c->device->no_kernels) ? CLSOLVE_OK : cls_room_check(&room);
}

clsolve_status cls_cholesky_setup(cls_device *device, int64_t n, clsolve_type type,
                                  const clsolve_cholesky_options *options, cls_cholesky *cholesky) {
    cls_cholesky *c = cholesky;
    const clsolve_panel panel = options ? options->panel : CLSOLVE_PANEL_AUTO;
    int fits;

    c->device = device;
    c->n = c->reach = n;
    c->type = type;
    c->slab_bytes = options ? options->slab_bytes : 0;
    c->memory_limit = options ? options->memory_limit : 0;
    c->base_bytes = -device->counters.buffer_bytes;
    CLS_TRY(cls_room_hybrid(device, panel));
    choose_sizes(c, options);
    if (c->borrows)
        fits = 1;
    else
        CLS_TRY(check_memory(c, &fits));
    if (fits && !c->borrows) {
        CLS_TRY(cls_matrix_create(device, type, n, n, c->block, c->slab_bytes, &c->A));
        if (panel != CLSOLVE_PANEL_NATIVE && cls_in_place(device))
            CLS_TRY(cls_room_map(device, &c->A, panel == CLSOLVE_PANEL_HYBRID || device->no_kernels));
    }
    /* Columns that stream by are written by copies, and not mapped: kernels factor them. */
    if (!c->A.mapped) CLS_TRY(take_kernels(c));
    if (!fits) CLS_TRY(cls_cholesky_out_setup(c));
    c->base_bytes += device->counters.buffer_bytes;
    return CLSOLVE_OK;
}

/* ---- bands ---- */

/* Blocks begin at multiples of so many elements, and so do their columns: products load words of 16 bytes then. */
enum { BAND_WORD = 4 };

/* Diagonals stored above the main one: as far as squares on the diagonal and the next panel's columns go. */
static int64_t band_top(const cls_cholesky *c) {
    const int64_t square = cls_trailing_square(c->reach), most = square < c->reach ? square : c->reach;
    const int64_t top = c->block > most ? c->block : most;
    return (top + BAND_WORD - 1) / BAND_WORD * BAND_WORD;
}

static clsolve_status check_band_memory(const cls_cholesky *c, int64_t rows) {
    const int64_t size = cls_type_size(c->type);
    char what[80];
    const cls_room room = {.device = c->device,
                           .what = what,
                           .n = c->n,
                           .column = cls_matrix_ld(rows, size) * size + cls_room_sides(c->n, c->memory_limit) * size,
                           .limit = c->memory_limit,
                           .taken = c->beside + c->base_bytes + c->device->counters.buffer_bytes};

    (void)snprintf(what, sizeof what, "a Cholesky factorization of a band with %lld diagonals on either side",
                   (long long)c->reach);
    return cls_room_check(&room);
}

clsolve_status cls_cholesky_setup_band(cls_device *device, int64_t n, int64_t k, clsolve_type type,
                                       const clsolve_cholesky_options *options, cls_cholesky *cholesky) {
    cls_cholesky *c = cholesky;

    c->device = device;
    c->n = n;
    c->reach = k;
    c->is_band = 1;
    c->type = type;
    c->slab_bytes = options->slab_bytes;
    c->memory_limit = options->memory_limit;
    c->base_bytes = -device->counters.buffer_bytes;
    choose_sizes(c, options);
    const int64_t top = band_top(c), rows = top + k + c->block;
    CLS_TRY(check_band_memory(c, rows + BAND_WORD - 1));
    CLS_TRY(cls_matrix_create(device, type, rows + BAND_WORD - 1, n, c->block, c->slab_bytes, &c->A));
    c->A.rows = n;
    c->A.ld -= BAND_WORD; /* the next column's begin is an element further */
    c->A.offset = top;
    c->A.shift = c->A.slab_cols;
    CLS_TRY(take_kernels(c));
    c->base_bytes += device->counters.buffer_bytes;
    return CLSOLVE_OK;
}

cls_matrix cls_cholesky_stored(const cls_cholesky *cholesky) {
    cls_matrix stored = cholesky->A;

    stored.ld += 1;
    stored.rows = cholesky->A.offset + cholesky->reach + cholesky->block;
    stored.offset = stored.shift = 0;
    return stored;
}

void cls_cholesky_release(cls_cholesky *cholesky) {
    cls_device *device = cholesky->device;

    if (!device) return;
    for (int queue = 0; queue < CLS_QUEUES; ++queue) (void)device->ops->finish(device, (cls_queue)queue);
    release_kernels(cholesky);
    device->ops->buffer_destroy(device, cholesky->info);
    cls_pinned_destroy(device, cholesky->watched);
    cls_out_release(&cholesky->out);
    if (!cholesky->borrows) cls_matrix_destroy(device, &cholesky->A);
    cls_matrix_destroy(device, &cholesky->B);
    cls_matrix_destroy(device, &cholesky->scratch);
}
