/*
 * home.c: op(A) X = B for few right-hand sides on one device, the home, which has all factors a second time, as LAPACK
 * has them. Then a solve takes no longer than with one device: there are no steps from device to device (chain.c).
 *
 * A factorization brings each panel to the home all the same; here it comes to its place in the home's matrix, and L
 * costs nothing. The first solve fetches U of the other devices, copies the home's own block columns, and moves the
 * rows of L as later pivots do. A solve that can be had for less by the chain goes there (cls_several_home_pays).
 *
 *      L and U are n x n:   | 0 | 1 | 2 | 3 |      0, 2: the home's own, from lu.A
 *                                                  1, 3: rows from the diagonal on come while the matrix is factored
 */
#include "method/events.h"
#include "method/lu/sweep.h"
#include "method/several/several.h"

#include <stdio.h>

enum { ITEMS = 256, MOST_COLUMNS = 65535 };

/* Seconds by which the chain is the slower for each of its steps, and bytes a second from another device by way of the
 * host's memory (docs/findings/transfers.md). Where devices reach each other, the first solve pays. */
static const double step_seconds = 65e-6, bytes_by_host = 30e9;

static cls_several_part *part_of(cls_several *several) {
    return &several->parts[several->home.number];
}

/* ---- setup ---- */

static int fetches_all(const cls_several *several, int p) {
    for (int from = 0; from < several->count; ++from)
        if (from != p && several->parts[from].cols > 0 && !several->peer[p * several->count + from]) return 0;
    return !several->parts[p].lu.panel.mapped;
}

/* At most half of what is left of the device's memory. */
static int has_room(const cls_several *several, int p) {
    cls_device *device = several->parts[p].lu.device;
    const int64_t size = cls_type_size(several->type), column = cls_matrix_ld(several->n, size) * size;
    return (double)column * (double)several->n <= 0.5 * (double)device->ops->memory_left(device);
}

static clsolve_status build(void *what) {
    cls_several *several = what;
    cls_several_home *home = &several->home;
    cls_device *device = home->lu.device;
    cls_program *program;
    char options[160];

    home->items = cls_work_group(device, ITEMS);
    (void)snprintf(options, sizeof options, "%s -DLX=%d -DWIDTH=%d", cls_type_option(several->type), (int)home->items,
                   (int)part_of(several)->lu.panel.leaf);
    CLS_TRY(device->ops->program_get(device, "lu_final", options, &program));
    CLS_TRY(device->ops->kernel_create(device, program, "lu_final_rows", &home->rows));
    CLS_TRY(device->ops->kernel_create(device, program, "lu_final_place", &home->place));
    return device->announcing ? cls_lu_sweep_setup(&home->lu) : CLSOLVE_OK;
}

static clsolve_status take(cls_several *several) {
    cls_several_home *home = &several->home;
    cls_lu *lu = &home->lu;
    cls_device *device = lu->device;

    CLS_TRY(cls_matrix_create(device, several->type, several->n, several->n, several->width,
                              part_of(several)->lu.slab_bytes, &lu->A));
    CLS_TRY(device->ops->buffer_create(device, (size_t)(several->n * several->blocks) * sizeof(int), &home->lists));
    CLS_TRY(cls_announce(device, build, several));
    CLS_TRY(build(several));
    return cls_lu_sweep_setup(lu);
}

clsolve_status cls_several_home_setup(cls_several *several) {
    cls_several_home *home = &several->home;
    int p = 0;

    if (several->count < 2 || several->n == 0) return CLSOLVE_OK;
    while (p < several->count && !(fetches_all(several, p) && has_room(several, p))) ++p;
    if (p == several->count) return CLSOLVE_OK;
    cls_device *device = several->parts[p].lu.device;
    const cls_error before = *device->error;
    home->number = p;
    home->lu = (cls_lu){.device = device, .type = several->type, .n = several->n, .rows = several->n};
    const clsolve_status status = take(several);
    if (status == CLSOLVE_OK) {
        home->sides = several->chained;
        return CLSOLVE_OK;
    }
    cls_several_home_release(several);
    if (status != CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY) return cls_several_tell(several, &several->parts[p], status);
    *device->error = before; /* it is of use, and not needed */
    return CLSOLVE_OK;
}

void cls_several_home_release(cls_several *several) {
    cls_several_home *home = &several->home;
    cls_device *device = home->lu.device;

    if (!device) return;
    cls_lu_sweep_release(&home->lu);
    cls_matrix_destroy(device, &home->lu.A);
    device->ops->kernel_destroy(device, home->rows);
    device->ops->kernel_destroy(device, home->place);
    device->ops->buffer_destroy(device, home->lists);
    *home = (cls_several_home){0};
}

int64_t cls_several_home_bytes(const cls_several *several) {
    const cls_several_home *home = &several->home;
    return home->lu.A.bytes + (home->lists ? several->n * several->blocks * (int64_t)sizeof(int) : 0);
}

/* ---- what comes ---- */

int cls_several_home_takes(const cls_several_part *part) {
    const cls_several *several = part->several;
    return several->home.sides > 0 && several->home.number == part->number && several->with_pivots;
}

void cls_several_home_forget(cls_several *several) {
    several->home.state = CLS_HOME_HAS_PANELS;
    several->home.chains = 0;
}

/* Elements of U that other devices have. */
static double elements_away(const cls_several *several) {
    double elements = 0;
    for (int64_t b = 0; b < several->blocks; ++b)
        if (several->owner[b] != several->home.number)
            elements += (double)cls_several_column(several, b) * (double)cls_several_width(several, b);
    return elements;
}

int cls_several_home_pays(const cls_several *several, int64_t cols) {
    const cls_several_home *home = &several->home;
    const double solves = (double)(home->chains + 1);

    if (cols > home->sides || home->state == CLS_HOME_IS_SPOILT) return 0;
    if (home->state == CLS_HOME_IS_WHOLE || several->is_direct) return 1;
    return elements_away(several) * (double)cls_type_size(several->type) <=
           bytes_by_host * step_seconds * 2 * (double)several->blocks * solves;
}

/* U above the block column, concurrently with what is in COMPUTE. */
static clsolve_status fetch_upper(cls_several *several, int64_t b) {
    cls_several_part *part = part_of(several), *owner = &several->parts[several->owner[b]];
    cls_device *device = part->lu.device;
    const int64_t j = cls_several_column(several, b);
    const cls_matrix window = cls_several_window(owner, b);
    const cls_ref from = cls_matrix_at(&window, 0, j), to = cls_matrix_at(&several->home.lu.A, 0, j);
    const size_t size = (size_t)cls_type_size(several->type);
    const cls_span span = {(size_t)j * size,           (size_t)cls_several_width(several, b),
                           (size_t)from.offset * size, (size_t)from.ld * size,
                           (size_t)to.offset * size,   (size_t)to.ld * size};
    return device->ops->fetch(device, CLS_UP, owner->lu.device, from.buffer, to.buffer, &span, NULL, NULL);
}

/* The rows begin .. n-1 of block column b. */
static clsolve_status place(cls_several *several, int64_t b, cls_ref from, cls_ref to, int64_t begin) {
    cls_several_home *home = &several->home;
    const int64_t n = several->n, columns = cls_several_width(several, b), items = home->items;
    cls_grid grid = {{(size_t)((n - begin + items - 1) / items * items), (size_t)columns, 1}, {(size_t)items, 1, 1}};
    cls_arg args[] = {CLS_REF(from),    CLS_REF(to),  CLS_BUFFER(home->lists), CLS_VALUE(n), CLS_VALUE(b),
                      CLS_VALUE(begin), CLS_VALUE(n), CLS_VALUE(columns)};
    return cls_launch(home->lu.device, CLS_COMPUTE, home->place, &grid, CLS_ARGS(args));
}

/* In a slot, and back. */
static clsolve_status move_rows(cls_several *several, int64_t b) {
    cls_device *device = several->home.lu.device;
    const int64_t j = cls_several_column(several, b), k = cls_several_column(several, b + 1);
    const cls_ref at = cls_matrix_at(&several->home.lu.A, 0, j);
    const cls_ref slot = cls_matrix_at(&part_of(several)->slot[0].L, 0, 0);
    const size_t size = (size_t)cls_type_size(several->type);
    const cls_span span = {(size_t)(several->n - k) * size,  (size_t)(k - j),
                           (size_t)(slot.offset + k) * size, (size_t)slot.ld * size,
                           (size_t)(at.offset + k) * size,   (size_t)at.ld * size};

    if (k == several->n) return CLSOLVE_OK;
    CLS_TRY(place(several, b, at, slot, k));
    return device->ops->copy_rect(device, CLS_COMPUTE, slot.buffer, at.buffer, &span);
}

static clsolve_status list_rows(cls_several *several) {
    cls_several_home *home = &several->home;
    const cls_panel *panel = &part_of(several)->lu.panel;
    cls_grid grid = {{(size_t)(several->blocks * home->items), 1, 1}, {(size_t)home->items, 1, 1}};
    cls_arg args[] = {CLS_BUFFER(home->lists), CLS_VALUE(several->n), CLS_VALUE(several->width),
                      CLS_BUFFER(panel->sources), CLS_BUFFER(panel->targets)};
    return cls_launch(home->lu.device, CLS_COMPUTE, home->rows, &grid, CLS_ARGS(args));
}

/* The home's matrix becomes all of L and U, after a factorization. Enqueues; COMPUTE waits for all of it. */
static clsolve_status complete(cls_several *several) {
    cls_several_home *home = &several->home;
    cls_device *device = home->lu.device;

    home->state = CLS_HOME_IS_SPOILT; /* rows that have moved do not move again */
    for (int64_t b = 1; b < several->blocks; ++b)
        if (several->owner[b] != home->number) CLS_TRY(fetch_upper(several, b));
    CLS_TRY(device->ops->flush(device, CLS_UP));
    CLS_TRY(list_rows(several));
    for (int64_t b = 0; b < several->blocks; ++b) {
        const int64_t j = cls_several_column(several, b);
        const cls_matrix window = cls_several_window(part_of(several), b);
        CLS_TRY(several->owner[b] != home->number
                    ? move_rows(several, b)
                    : place(several, b, cls_matrix_at(&window, 0, j), cls_matrix_at(&home->lu.A, 0, j), 0));
    }
    CLS_TRY(cls_queue_follow(device, CLS_COMPUTE, CLS_UP));
    home->state = CLS_HOME_IS_WHOLE;
    return CLSOLVE_OK;
}

/* ---- the solve ---- */

static clsolve_status take_block(cls_pass *pass, cls_pass_column *F) {
    const cls_lu *lu = pass->holder;
    F->at = cls_matrix_at(&lu->A, F->begin, F->j);
    return CLSOLVE_OK;
}

/* The columns c .. c+cols-1 of B, which lie in one slab. */
static clsolve_status solve_slab(cls_lu *lu, clsolve_op op, const cls_matrix *B, int64_t c, int64_t cols) {
    static const cls_pass_ops ops = {.take = take_block};
    cls_pass pass = cls_pass_of(&ops, lu, lu->device, CLS_LOWER_UNIT, lu->n, lu->device->blas->trsm_block);

    if (cls_lu_sweeps(lu, cols)) return cls_lu_sweep(lu, op, cols, cls_matrix_at(B, 0, c));
    pass.slab = lu->A.slab_cols;
    return cls_pass_both(&pass, op, B, c, c + cols);
}

static clsolve_status apply(cls_several *several, clsolve_op op, int64_t cols) {
    cls_several_part *part = part_of(several);
    const cls_matrix *B = &part->lu.B;
    const int64_t n = several->n;
    cls_panel *panel = &part->lu.panel;

    several->home.lu.sweep.used = 0;
    if (several->uniform != 1) CLS_TRY(cls_scaling_rows(part->lu.device, &part->copy.scaling, B, cols, 1));
    if (op == CLSOLVE_NO_TRANS) CLS_TRY(cls_panel_move_rows(panel, CLS_COMPUTE, B, 0, cols, cols, 0, 0, n, 0));
    for (int64_t c = 0, run; c < cols; c += run) {
        run = cls_matrix_run(B, c, cols);
        CLS_TRY(solve_slab(&several->home.lu, op, B, c, run));
    }
    return op == CLSOLVE_NO_TRANS ? CLSOLVE_OK : cls_panel_move_rows(panel, CLS_COMPUTE, B, 0, cols, cols, 0, 0, n, 1);
}

static clsolve_status solve(cls_several *several, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                            cls_place *out) {
    cls_lu *lu = &part_of(several)->lu;
    cls_device *device = lu->device;
    const int64_t cols = B->cols;
    cls_measures before, now;
    int again = 0;

    CLS_TRY(cls_lu_reserve(lu, cols, B->layout == CLSOLVE_ROW_MAJOR));
    if (several->home.state != CLS_HOME_IS_WHOLE) CLS_TRY(complete(several));
    CLS_TRY(cls_upload(device, &lu->transfer, B, 0, cols, &lu->B, &lu->scratch));
    CLS_TRY(cls_check_enqueue(device, &lu->check, &lu->B, cols, CLS_CHECK_WHOLE));
    cls_check_turn(&lu->check);
    CLS_TRY(apply(several, op, cols));
    CLS_TRY(cls_check_enqueue(device, &lu->check, &lu->B, cols, CLS_CHECK_WHOLE));
    CLS_TRY(cls_check_read_both(device, &lu->check, lu->n, &before, &now));
    *in = (cls_place){before.row, before.column};
    *out = (cls_place){now.row, now.column};
    if (in->row < 0 && out->row >= 0) CLS_TRY(cls_lu_sweep_failed(&several->home.lu, &again));
    if (again) {
        CLS_TRY(cls_upload(device, &lu->transfer, B, 0, cols, &lu->B, &lu->scratch));
        CLS_TRY(apply(several, op, cols));
        CLS_TRY(cls_check_finite(device, &lu->check, &lu->B, cols, &out->row, &out->column));
    }
    if (in->row >= 0 || out->row >= 0) return CLSOLVE_OK;
    return cls_download(device, &lu->transfer, &lu->B, cols, B, 0, &lu->scratch);
}

clsolve_status cls_several_home_solve(cls_several *several, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                      cls_place *out) {
    *in = *out = (cls_place){-1, -1};
    if (B->cols == 0) return CLSOLVE_OK;
    const clsolve_status status = solve(several, op, B, in, out);
    return status == CLSOLVE_OK ? status : cls_several_fail(several, part_of(several), status);
}
