/*
 * batch.c: a batch's members come up tight in the caller's layout and are spread into the storage of the kernels on the
 * device, where they stay; right-hand sides likewise, and back.
 */
#include "method/band/batch.h"

#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/type.h"
#include "method/direct/scaling.h"
#include "method/members.h"

/* ---- memory ---- */

/* *product of what is not negative, or OUT_OF_DEVICE_MEMORY. */
static clsolve_status multiply(cls_device *device, int64_t a, int64_t b, int64_t c, int64_t size, int64_t *product) {
    int64_t most = INT64_MAX / 16;
    if ((b > 0 && a > most / b) || (c > 0 && a * b > most / c) || a * b * c > most / size)
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                        "a batch of %lld band matrices has more bytes than 64 bits can count", (long long)a);
    *product = a * b * c * size;
    return CLSOLVE_OK;
}

static clsolve_status grow(cls_device *device, cls_buffer **buffer, int64_t *held, int64_t bytes) {
    if (*buffer && *held >= bytes) return CLSOLVE_OK;
    device->ops->buffer_destroy(device, *buffer);
    *buffer = NULL;
    *held = 0;
    CLS_TRY(device->ops->buffer_create(device, (size_t)bytes, buffer));
    *held = bytes;
    return CLSOLVE_OK;
}

int64_t cls_band_batch_diagonals(int64_t n, int64_t given) {
    int64_t most = n > 0 ? n - 1 : 0;
    return given < most ? given : most;
}

clsolve_status cls_band_batch_setup(cls_device *device, int64_t n, int64_t given_kl, int64_t given_ku, int64_t count,
                                    clsolve_type type, cls_band_batch *batch) {
    int64_t kl = cls_band_batch_diagonals(n, given_kl), ku = cls_band_batch_diagonals(n, given_ku);
    int64_t size = cls_type_size(type), bytes = 0, tight = 0, pivots = 0;

    batch->narrow.device = device;
    batch->given_ku = given_ku;
    batch->given_rows = 2 * given_kl + given_ku + 1;
    batch->rows = 2 * kl + ku + 1;
    batch->above = given_kl + given_ku - kl - ku;
    CLS_TRY(multiply(device, count, n, batch->rows, size, &bytes));
    CLS_TRY(multiply(device, count, n, given_kl + given_ku + 1, size, &tight));
    CLS_TRY(multiply(device, count, n, 1, (int64_t)sizeof(int64_t), &pivots));
    CLS_TRY(cls_narrow_create(device, n, kl, ku, type, count, 1, &batch->narrow));
    batch->data.top = kl + ku;
    batch->data.ld = batch->rows;
    batch->data.member = batch->rows * n;
    CLS_TRY(device->ops->buffer_create(device, (size_t)bytes, &batch->data.AB));
    CLS_TRY(device->ops->buffer_create(device, (size_t)pivots, &batch->data.ipiv));
    CLS_TRY(device->ops->buffer_create(device, (size_t)count * sizeof(int64_t), &batch->data.info));
    CLS_TRY(device->ops->buffer_create(device, (size_t)count * 2 * sizeof(int32_t), &batch->spoilt));
    batch->flags = cls_alloc((size_t)count, 2 * sizeof *batch->flags);
    if (!batch->flags)
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a batch's infos");
    return grow(device, &batch->tight, &batch->tight_bytes, tight);
}

void cls_band_batch_release(cls_band_batch *batch) {
    cls_device *device = batch->narrow.device;
    cls_buffer *buffers[] = {batch->data.AB, batch->data.ipiv, batch->data.info, batch->tight, batch->B, batch->spoilt};
    if (!device) return;
    (void)device->ops->finish(device, CLS_COMPUTE); /* what still runs uses these buffers */
    for (size_t b = 0; b < sizeof buffers / sizeof *buffers; ++b) device->ops->buffer_destroy(device, buffers[b]);
    cls_free(batch->flags);
    cls_free(batch->powers);
    cls_narrow_release(&batch->narrow);
}

/* ---- members in and out of the kernels' storage ---- */

typedef struct tight {
    int64_t row, column, member;
} tight;

static tight tight_of(const clsolve_batch *view) {
    int by_column = view->layout == CLSOLVE_COLUMN_MAJOR;
    tight t = {by_column ? 1 : view->cols, by_column ? view->rows : 1, view->rows * view->cols};
    return t;
}

static int64_t step_of(const cls_narrow *narrow) {
    return narrow->interleaved ? narrow->count : 1;
}

/* A work-item a member, a group's second number a column; grids reach 65535 there. */
static cls_grid grid_of(const cls_narrow *narrow, int64_t columns) {
    int64_t x = narrow->item ? narrow->x : cls_work_group(narrow->device, 64);
    int64_t groups = (narrow->count + x - 1) / x;
    cls_grid grid = {{(size_t)(groups * x), (size_t)(columns < 65535 ? columns : 65535), 1}, {(size_t)x, 1, 1}};
    return grid;
}

/* view -> W, element (r, c) at row top + r; diagonal >= 0: a band's, its elements outside the matrix not looked at. */
static clsolve_status spread(cls_band_batch *batch, const clsolve_batch *view, int64_t diagonal, cls_buffer *W,
                             int64_t top, int64_t ld, int64_t member) {
    cls_narrow *narrow = &batch->narrow;
    cls_device *device = narrow->device;
    cls_grid grid = grid_of(narrow, view->cols);
    tight t = tight_of(view);
    int64_t rows = view->rows, cols = view->cols, n = narrow->n, count = narrow->count, step = step_of(narrow);
    int32_t band = diagonal >= 0;
    if (narrow->interleaved) member = 1;
    cls_arg args[] = {CLS_BUFFER(batch->tight),
                      CLS_VALUE(t.row),
                      CLS_VALUE(t.column),
                      CLS_VALUE(t.member),
                      CLS_VALUE(rows),
                      CLS_VALUE(cols),
                      CLS_VALUE(n),
                      CLS_VALUE(count),
                      CLS_VALUE(band),
                      CLS_VALUE(diagonal),
                      CLS_BUFFER(W),
                      CLS_VALUE(top),
                      CLS_VALUE(ld),
                      CLS_VALUE(member),
                      CLS_VALUE(step),
                      CLS_BUFFER(batch->spoilt)};
    return cls_launch(device, CLS_COMPUTE, narrow->in, &grid, CLS_ARGS(args));
}

/* W -> view, whose rows top .. top + held - 1 W has; the others become 0. */
static clsolve_status gather(cls_band_batch *batch, const clsolve_batch *view, int64_t top, int64_t held, cls_buffer *W,
                             int64_t ld, int64_t member) {
    cls_narrow *narrow = &batch->narrow;
    cls_device *device = narrow->device;
    cls_grid grid = grid_of(narrow, view->cols);
    tight t = tight_of(view);
    int64_t rows = view->rows, cols = view->cols, count = narrow->count, step = step_of(narrow);
    if (narrow->interleaved) member = 1;
    cls_arg args[] = {CLS_BUFFER(batch->tight), CLS_VALUE(t.row),         CLS_VALUE(t.column), CLS_VALUE(t.member),
                      CLS_VALUE(rows),          CLS_VALUE(cols),          CLS_VALUE(count),    CLS_BUFFER(W),
                      CLS_VALUE(top),           CLS_VALUE(held),          CLS_VALUE(ld),       CLS_VALUE(member),
                      CLS_VALUE(step),          CLS_BUFFER(batch->spoilt)};
    return cls_launch(device, CLS_COMPUTE, narrow->out, &grid, CLS_ARGS(args));
}

static clsolve_status clear(cls_device *device, cls_buffer *buffer, int64_t bytes) {
    if (bytes == 0) return CLSOLVE_OK;
    return device->ops->fill(device, CLS_COMPUTE, buffer, 0, (size_t)bytes, 0);
}

static clsolve_status fetch(cls_device *device, cls_buffer *buffer, void *to, size_t bytes) {
    cls_rect rect = {bytes, 1, 0, bytes, bytes};
    return device->ops->read(device, CLS_COMPUTE, buffer, to, &rect, NULL, NULL);
}

/* Members that held NaN or Inf, and whose info is 0, get -1. Waits. */
static clsolve_status note_spoilt(cls_band_batch *batch, int32_t *info) {
    cls_device *device = batch->narrow.device;
    int64_t count = batch->narrow.count;
    clsolve_status status = fetch(device, batch->spoilt, batch->flags, (size_t)count * 2 * sizeof *batch->flags);
    clsolve_status done = device->ops->finish(device, CLS_COMPUTE);
    if (status == CLSOLVE_OK) status = done;
    for (int64_t m = 0; status == CLSOLVE_OK && m < count; ++m)
        if (batch->flags[m] && info[m] == 0) info[m] = -1;
    return status;
}

/*
 * ---- tiny members ----
 *
 * Subnormal numbers have few digits. So a member all columns of which are tiny is multiplied by a power of two, and its
 * right-hand sides too, and U is divided by it. Such members are few: each comes to the host by itself, from where it
 * lies tight.
 */

/* pass_over multiplies each element by two to `power`, and finds the largest; with `power` 0 it only looks at them. */
typedef struct tiny_member {
    const clsolve_batch *view; /* in whose layout it lies */
    int64_t diagonal, most;    /* elements are of the rows c + r - diagonal = 0 .. n - 1 and r <= most */
    int64_t n;
    int power;
    double largest;
} tiny_member;

static void pass_over(tiny_member *t, void *values) {
    const clsolve_type type = t->view->type;
    const int64_t parts = cls_type_parts(type);
    const tight at = tight_of(t->view);
    for (int64_t c = 0; c < t->view->cols; ++c)
        for (int64_t r = 0; r < t->view->rows && r <= t->most; ++r) {
            const int64_t row = c + r - t->diagonal;
            if (t->diagonal >= 0 && (row < 0 || row >= t->n)) continue;
            for (int64_t k = (r * at.row + c * at.column) * parts, p = 0; p < parts; ++p) {
                const double value = cls_type_get(type, values, k + p);
                t->largest = fmax(t->largest, fabs(value));
                if (t->power != 0) cls_type_put(type, values, k + p, ldexp(value, t->power));
            }
        }
}

/* Member m where it lies tight, to the host or back. Waits. */
static clsolve_status move_tight(cls_band_batch *batch, const clsolve_batch *view, int64_t m, void *host, int up) {
    cls_device *device = batch->narrow.device;
    const size_t bytes = (size_t)(view->rows * view->cols * cls_type_size(view->type));
    const cls_rect rect = {bytes, 1, (size_t)m * bytes, bytes, bytes};
    const clsolve_status status = up ? device->ops->write(device, CLS_COMPUTE, batch->tight, host, &rect, NULL, NULL)
                                     : device->ops->read(device, CLS_COMPUTE, batch->tight, host, &rect, NULL, NULL);
    const clsolve_status done = device->ops->finish(device, CLS_COMPUTE);
    return status != CLSOLVE_OK ? status : done;
}

/* Member m of a band, of which nothing is known but that its columns are tiny: *power, and it is multiplied. */
static clsolve_status scale_band(cls_band_batch *batch, const clsolve_batch *AB, int64_t m, void *room, int *power) {
    tiny_member t = {.view = AB, .diagonal = batch->given_ku, .most = AB->rows, .n = batch->narrow.n};

    CLS_TRY(move_tight(batch, AB, m, room, 0));
    pass_over(&t, room);
    *power = t.power = ilogb(cls_scaling_tiny(AB->type, t.largest));
    if (t.power == 0) return CLSOLVE_OK;
    pass_over(&t, room);
    return move_tight(batch, AB, m, room, 1);
}

/* Members that were multiplied: their right-hand sides, or where `most` is 0 or more, rows 0 .. most of their factors
 * back. */
static clsolve_status scale_others(cls_band_batch *batch, const clsolve_batch *view, int64_t most) {
    clsolve_status status = CLSOLVE_OK;

    if (!batch->powers) return CLSOLVE_OK;
    void *room = cls_alloc((size_t)(view->rows * view->cols), (size_t)cls_type_size(view->type));
    if (!room)
        return cls_fail(batch->narrow.device->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                        "no host memory for a member of a batch");
    for (int64_t m = 0; m < batch->narrow.count && status == CLSOLVE_OK; ++m) {
        const int power = most >= 0 ? -batch->powers[m] : batch->powers[m];
        tiny_member t = {.view = view, .diagonal = -1, .most = most >= 0 ? most : view->rows, .power = power};
        if (power == 0) continue;
        status = move_tight(batch, view, m, room, 0);
        if (status != CLSOLVE_OK) break;
        pass_over(&t, room);
        status = move_tight(batch, view, m, room, 1);
    }
    cls_free(room);
    return status;
}

/* By the counts of tiny columns; *any: some member was multiplied. */
static clsolve_status scale_bands(cls_band_batch *batch, const clsolve_batch *AB, int *any) {
    const int64_t n = batch->narrow.n, count = batch->narrow.count;
    clsolve_status status = CLSOLVE_OK;
    int64_t first = 0;

    cls_free(batch->powers);
    batch->powers = NULL;
    *any = 0;
    while (first < count && batch->flags[count + first] < n) ++first;
    if (first == count) return CLSOLVE_OK;
    batch->powers = cls_alloc((size_t)count, sizeof *batch->powers);
    void *room = cls_alloc((size_t)(AB->rows * n), (size_t)cls_type_size(AB->type));
    if (!room || !batch->powers)
        status = cls_fail(batch->narrow.device->error, CLSOLVE_ERROR_OUT_OF_MEMORY,
                          "no host memory for a member of a batch");
    for (int64_t m = first; m < count && status == CLSOLVE_OK; ++m) {
        if (batch->flags[count + m] < n) continue;
        status = scale_band(batch, AB, m, room, &batch->powers[m]);
        *any = *any || batch->powers[m] != 0;
    }
    cls_free(room);
    return status;
}

/* ---- the calls ---- */

static clsolve_status read_pivots_found(cls_band_batch *batch, int32_t *info) {
    cls_device *device = batch->narrow.device;
    int64_t count = batch->narrow.count, *found = cls_alloc((size_t)count, sizeof *found);
    if (!found) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a batch's infos");
    clsolve_status status = fetch(device, batch->data.info, found, (size_t)count * sizeof *found);
    clsolve_status done = device->ops->finish(device, CLS_COMPUTE);
    if (status == CLSOLVE_OK) status = done;
    for (int64_t m = 0; status == CLSOLVE_OK && m < count; ++m)
        if (info[m] == 0) info[m] = (int32_t)found[m];
    cls_free(found);
    return status;
}

/* Spreads the members, which lie tight, to where they are factored. Waits. */
static clsolve_status take(cls_band_batch *batch, const clsolve_batch *AB, int32_t *info) {
    cls_narrow *narrow = &batch->narrow;
    cls_device *device = narrow->device;
    int64_t count = narrow->count, elements = count * narrow->n * batch->rows;
    /* Less than 0 where more diagonals were given than the matrix has: those are not looked at. */
    int64_t top = narrow->kl + narrow->ku - batch->given_ku;

    CLS_TRY(clear(device, batch->data.AB, elements * cls_type_size(narrow->type)));
    CLS_TRY(clear(device, batch->data.info, count * (int64_t)sizeof(int64_t)));
    CLS_TRY(clear(device, batch->spoilt, count * 2 * (int64_t)sizeof(int32_t)));
    CLS_TRY(spread(batch, AB, batch->given_ku, batch->data.AB, top, batch->data.ld, batch->data.member));
    return note_spoilt(batch, info);
}

clsolve_status cls_band_batch_factor(cls_band_batch *batch, const clsolve_batch *AB, int32_t *info,
                                     clsolve_seconds *seconds) {
    cls_narrow *narrow = &batch->narrow;
    cls_device *device = narrow->device;
    int64_t count = narrow->count;
    double start = cls_seconds();
    int scaled;

    for (int64_t m = 0; m < count; ++m) info[m] = 0;
    if (count == 0 || narrow->n == 0) return CLSOLVE_OK;
    CLS_TRY(cls_members_up(device, AB, batch->tight));
    CLS_TRY(take(batch, AB, info));
    CLS_TRY(scale_bands(batch, AB, &scaled));
    if (scaled) CLS_TRY(take(batch, AB, info));
    seconds->upload = cls_seconds() - start;

    start = cls_seconds();
    CLS_TRY(cls_narrow_factor(narrow, &batch->data, NULL, NULL));
    CLS_TRY(read_pivots_found(batch, info));
    seconds->factor = cls_seconds() - start;
    return CLSOLVE_OK;
}

clsolve_status cls_band_batch_solve(cls_band_batch *batch, clsolve_op op, const clsolve_batch *B, int32_t *info,
                                    clsolve_seconds *seconds) {
    cls_narrow *narrow = &batch->narrow;
    cls_device *device = narrow->device;
    int64_t n = narrow->n, columns = B->cols, bytes = 0;
    cls_ref X = {NULL, 0, n};
    double start = cls_seconds();

    if (narrow->count == 0 || n == 0 || columns == 0) return CLSOLVE_OK;
    CLS_TRY(multiply(device, narrow->count, n, columns, cls_type_size(narrow->type), &bytes));
    CLS_TRY(grow(device, &batch->tight, &batch->tight_bytes, bytes));
    CLS_TRY(grow(device, &batch->B, &batch->B_bytes, bytes));
    X.buffer = batch->B;
    CLS_TRY(cls_members_up(device, B, batch->tight));
    CLS_TRY(clear(device, batch->spoilt, narrow->count * 2 * (int64_t)sizeof(int32_t)));
    CLS_TRY(scale_others(batch, B, -1));
    CLS_TRY(spread(batch, B, -1, batch->B, 0, n, n * columns));
    CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
    seconds->upload = cls_seconds() - start;

    start = cls_seconds();
    CLS_TRY(cls_narrow_solve(narrow, &batch->data, op, columns, X, n * columns));
    CLS_TRY(gather(batch, B, 0, n, batch->B, n, n * columns));
    CLS_TRY(note_spoilt(batch, info));
    seconds->solve = cls_seconds() - start;

    start = cls_seconds();
    CLS_TRY(cls_members_down(device, B, batch->tight, info));
    seconds->download = cls_seconds() - start;
    return CLSOLVE_OK;
}

/* Interleaved pivots come down as they are and are put in order on the host. */
static clsolve_status read_pivots(cls_band_batch *batch, int64_t *pivots) {
    cls_device *device = batch->narrow.device;
    int64_t n = batch->narrow.n, count = batch->narrow.count;
    size_t bytes = (size_t)(n * count) * sizeof *pivots;
    int64_t *mixed = pivots;

    if (batch->narrow.interleaved) mixed = cls_alloc((size_t)(n * count), sizeof *mixed);
    if (!mixed) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for a batch's pivots");
    clsolve_status status = fetch(device, batch->data.ipiv, mixed, bytes);
    clsolve_status done = device->ops->finish(device, CLS_COMPUTE);
    if (status == CLSOLVE_OK) status = done;
    for (int64_t m = 0; mixed != pivots && status == CLSOLVE_OK && m < count; ++m)
        for (int64_t j = 0; j < n; ++j) pivots[m * n + j] = mixed[m + j * count];
    if (mixed != pivots) cls_free(mixed);
    return status;
}

clsolve_status cls_band_batch_factors(cls_band_batch *batch, const clsolve_batch *AFB, const int32_t *none,
                                      int64_t *pivots) {
    cls_narrow *narrow = &batch->narrow;
    cls_device *device = narrow->device;
    int64_t bytes = 0;

    if (narrow->count == 0 || narrow->n == 0) return CLSOLVE_OK;
    if (AFB) {
        CLS_TRY(multiply(device, narrow->count, narrow->n, batch->given_rows, cls_type_size(narrow->type), &bytes));
        CLS_TRY(grow(device, &batch->tight, &batch->tight_bytes, bytes));
        CLS_TRY(gather(batch, AFB, batch->above, batch->rows, batch->data.AB, batch->data.ld, batch->data.member));
        CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
        CLS_TRY(scale_others(batch, AFB, batch->above + narrow->kl + narrow->ku));
        CLS_TRY(cls_members_down(device, AFB, batch->tight, none));
    }
    return pivots ? read_pivots(batch, pivots) : CLSOLVE_OK;
}
