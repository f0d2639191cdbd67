/* call.c: the calls of a batch, and the ways of its members to the device and back: see batch.h. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/type.h"
#include "device/staging.h"
#include "device/use.h"
#include "method/direct_batch/batch.h"
#include "method/members.h"

/* ---- the ways of the members ---- */

/* Tight in `buffer`, in the view's layout. */
static cls_direct_members tight(const clsolve_batch *view, cls_buffer *buffer) {
    const int by_column = view->layout == CLSOLVE_COLUMN_MAJOR;
    return (cls_direct_members){.buffer = buffer,
                                .row = by_column ? 1 : view->cols,
                                .column = by_column ? view->rows : 1,
                                .member = view->rows * view->cols};
}

/* Members that the kernels take where they lie, in `theirs`. */
static cls_direct_members there(const clsolve_batch *view, cls_buffer *theirs) {
    const int by_column = view->layout == CLSOLVE_COLUMN_MAJOR;
    return (cls_direct_members){.buffer = theirs,
                                .offset = view->offset,
                                .row = by_column ? 1 : view->ld,
                                .column = by_column ? view->ld : 1,
                                .member = view->stride};
}

/* The other triangle, read as the lower one. */
static void transpose(cls_direct_members *m) {
    const int64_t row = m->row;
    m->row = m->column;
    m->column = row;
}

static clsolve_status get(cls_direct_batch *batch, cls_buffer *buffer, size_t bytes, void *to) {
    CLS_TRY(batch->device->ops->finish(batch->device, CLS_COMPUTE));
    return cls_bytes_get(batch->device, buffer, 0, to, bytes);
}

/* Behind what was enqueued, so that there is one wait for both: through memory that the bus reaches. Where the device
 * works in the host's memory the wait comes first, because such a read copies at once. */
static clsolve_status read_infos(cls_direct_batch *batch, cls_buffer *buffer, int32_t *infos) {
    cls_device *device = batch->device;
    const size_t bytes = (size_t)batch->count * sizeof *infos;
    void *near;
    if (!device->staged) return get(batch, buffer, bytes, infos);
    CLS_TRY(cls_staging_scratch(device, bytes, &near));
    CLS_TRY(cls_bytes_get(device, buffer, 0, near, bytes));
    memcpy(infos, near, bytes);
    return CLSOLVE_OK;
}

int cls_direct_batch_factor_stays(const cls_direct_batch *batch) {
    return !batch->device->no_kernels && !batch->table && !batch->classes[0].dense;
}

/* Solutions are written where they lie. */
int cls_direct_batch_sides_stay(cls_direct_batch *batch, const clsolve_batch *view) {
    cls_buffer *theirs = NULL;
    if (!cls_direct_batch_factor_stays(batch) || !cls_direct_batch_sides_together(batch, view->cols)) return 0;
    const clsolve_status status = cls_members_there(batch->device, view, 1, &theirs);
    const int stays = status == CLSOLVE_OK && theirs;
    batch->device->ops->buffer_destroy(batch->device, theirs);
    return stays;
}

/* A member without factors has no solution. */
static void join_outcomes(const cls_direct_batch *batch, int32_t *infos) {
    for (int64_t m = 0; m < batch->count; ++m)
        if (infos[m] == 0) infos[m] = batch->outcomes[m];
}

clsolve_status cls_direct_batch_infos(cls_direct_batch *batch, int later, int32_t *infos) {
    if (!later) return read_infos(batch, batch->info, infos);
    CLS_TRY(read_infos(batch, batch->outcome, batch->outcomes));
    join_outcomes(batch, infos);
    return CLSOLVE_OK;
}

/* The caller's buffer is let go, behind what was enqueued. */
static clsolve_status leave(cls_direct_batch *batch, cls_buffer *theirs) {
    batch->device->ops->buffer_destroy(batch->device, theirs);
    return CLSOLVE_OK;
}

/* Waits for what was enqueued, also where it failed; then the caller's buffer is let go. `infos`, or NULL, come from
 * `told`. */
static clsolve_status done_with(cls_direct_batch *batch, const cls_direct_members *members, cls_buffer *theirs,
                                clsolve_status status, cls_buffer *told, int32_t *infos) {
    cls_device *device = batch->device;
    cls_free((void *)members->places);
    if (status == CLSOLVE_OK && infos) status = read_infos(batch, told, infos);
    const clsolve_status done = status == CLSOLVE_OK && infos ? CLSOLVE_OK : device->ops->finish(device, CLS_COMPUTE);
    device->ops->buffer_destroy(device, theirs);
    return status == CLSOLVE_OK ? done : status;
}

/* ---- factor ---- */

/* Copies come to where the factors will be, element upon element; small members also in the other layout, or by the
 * other triangle, because all of one is read before any of it is written. Whole members are read again later, and so
 * are those of the engine of dense LU. */
static clsolve_status bring_copies(cls_direct_batch *batch, int upper, const clsolve_batch *A,
                                   cls_direct_members *from) {
    const cls_direct_batch_class *class = &batch->classes[0];
    const int in_place =
        !class->whole && !class->dense && ((A->layout == CLSOLVE_COLUMN_MAJOR) != upper || class->small);
    if (!in_place) CLS_TRY(cls_direct_batch_reserve(batch, CLS_DIRECT_BATCH_SQUARE));
    *from = tight(A, in_place ? batch->F : batch->B);
    return cls_members_up(batch->device, A, from->buffer);
}

/* The host reads members where they lie. */
static clsolve_status read_there(cls_direct_batch *batch, const clsolve_batch *A, cls_direct_members *from) {
    *from = there(A, NULL);
    from->host = A->data;
    from->offset = 0;
    if (!A->offsets) return CLSOLVE_OK;
    int64_t *places = cls_alloc((size_t)batch->count, sizeof *places);
    if (!places) return cls_no_memory(batch->device->error, "members of a batch");
    memcpy(places, A->offsets, (size_t)batch->count * sizeof *places);
    from->places = places;
    return CLSOLVE_OK;
}

/* Members of orders of their own have room of their own. */
static clsolve_status bring(cls_direct_batch *batch, int upper, const clsolve_batch *A, cls_direct_members *from,
                            cls_buffer **theirs) {
    const int is_near = batch->device->no_kernels && A->place == CLSOLVE_ON_HOST;
    *theirs = NULL;
    if (batch->table) {
        if (!is_near && A->place == CLSOLVE_ON_HOST) CLS_TRY(cls_direct_batch_reserve(batch, CLS_DIRECT_BATCH_SQUARE));
        return cls_direct_ragged_bring(batch, A, 1, 0, !is_near, batch->B, from, theirs);
    }
    if (is_near) return read_there(batch, A, from);
    CLS_TRY(cls_members_there(batch->device, A, 0, theirs));
    if (!*theirs) return bring_copies(batch, upper, A, from);
    *from = there(A, *theirs);
    return CLSOLVE_OK;
}

clsolve_status cls_direct_batch_factor(cls_direct_batch *batch, clsolve_uplo uplo, const clsolve_batch *A,
                                       int32_t *infos, clsolve_seconds *seconds) {
    cls_device *device = batch->device;
    const int upper = cls_direct_batch_is_half(batch) && uplo == CLSOLVE_UPPER;
    const double build = device->build_seconds;
    cls_direct_members from;
    cls_buffer *theirs;
    double start = cls_seconds();

    CLS_TRY(bring(batch, upper, A, &from, &theirs));
    if (upper) transpose(&from);
    seconds->upload = cls_seconds() - start;

    start = cls_seconds();
    clsolve_status status = CLSOLVE_OK;
    if (batch->condition) status = cls_direct_batch_run_norm(batch, &from, 1, batch->norms);
    if (status == CLSOLVE_OK) status = cls_direct_batch_run_factor(batch, &from, upper && !batch->symmetric);
    CLS_TRY(status == CLSOLVE_OK && !infos ? leave(batch, theirs)
                                           : done_with(batch, &from, theirs, status, batch->info, infos));
    seconds->factor = cls_seconds() - start - (device->build_seconds - build);
    return CLSOLVE_OK;
}

/* ---- solve, inverse ---- */

/* With more right-hand sides than a work-group has, one of a member may have written before another one finds NaN. So
 * they are copied, where members have one order. Copies of one triangle's inverse go back with the other one. */
static clsolve_status bring_sides(cls_direct_batch *batch, const clsolve_batch *view, int inverse_of,
                                  cls_direct_members *B, cls_buffer **theirs) {
    const int fetch = cls_direct_batch_is_half(batch) || !inverse_of;
    *theirs = NULL;
    if (batch->table) {
        if (view->place == CLSOLVE_ON_HOST)
            CLS_TRY(cls_direct_batch_reserve(batch, inverse_of ? CLS_DIRECT_BATCH_SQUARE : view->cols));
        return cls_direct_ragged_bring(batch, view, inverse_of != 0, 1, fetch, batch->B, B, theirs);
    }
    if (cls_direct_batch_sides_together(batch, view->cols)) CLS_TRY(cls_members_there(batch->device, view, 1, theirs));
    *B = there(view, *theirs);
    if (*theirs) return CLSOLVE_OK;
    CLS_TRY(cls_direct_batch_reserve(batch, view->cols));
    *B = tight(view, batch->B);
    return fetch ? cls_members_up(batch->device, view, batch->B) : CLSOLVE_OK;
}

static clsolve_status send(cls_direct_batch *batch, const clsolve_batch *view, int square, const int32_t *infos) {
    return batch->table ? cls_direct_ragged_down(batch, view, square, batch->B, infos)
                        : cls_members_down(batch->device, view, batch->B, infos);
}

static clsolve_status solve(cls_direct_batch *batch, const clsolve_batch *view, int32_t transposes, int32_t inverse_of,
                            int32_t *infos, clsolve_seconds *seconds) {
    cls_device *device = batch->device;
    const double build = device->build_seconds;
    cls_buffer *theirs = NULL;
    cls_direct_members B;
    double start = cls_seconds();

    CLS_TRY(bring_sides(batch, view, inverse_of, &B, &theirs));
    seconds->upload = cls_seconds() - start;

    start = cls_seconds();
    const clsolve_status status = cls_direct_batch_run_solve(batch, &B, view->cols, transposes, inverse_of);
    if (status == CLSOLVE_OK && !infos) return leave(batch, theirs);
    CLS_TRY(done_with(batch, &B, theirs, status, batch->outcome, batch->outcomes));
    join_outcomes(batch, infos);
    seconds->solve = cls_seconds() - start - (device->build_seconds - build);
    if (theirs) return CLSOLVE_OK;

    start = cls_seconds();
    CLS_TRY(send(batch, view, inverse_of != 0, infos));
    seconds->download = cls_seconds() - start;
    return CLSOLVE_OK;
}

static int32_t transposes_of(const cls_direct_batch *batch, clsolve_op op) {
    return op == CLSOLVE_NO_TRANS ? 0 : op == CLSOLVE_CONJ_TRANS && cls_is_complex(batch->type) ? 2 : 1;
}

clsolve_status cls_direct_batch_solve(cls_direct_batch *batch, clsolve_op op, const clsolve_batch *B, int32_t *infos,
                                      clsolve_seconds *seconds) {
    return solve(batch, B, transposes_of(batch, op), 0, infos, seconds);
}

/* On a device without kernels, with all arrays on the host. */
static clsolve_status host_factor_solve(cls_direct_batch *batch, clsolve_op op, const clsolve_batch *A,
                                        const clsolve_batch *B, int32_t *infos, clsolve_seconds *seconds) {
    cls_direct_members from, sides;
    cls_buffer *theirs;
    const double start = cls_seconds();
    CLS_TRY(read_there(batch, A, &from));
    clsolve_status status = bring_sides(batch, B, 0, &sides, &theirs);
    if (status == CLSOLVE_OK)
        status = cls_direct_batch_host_factor_solve(batch, &from, &sides, B->cols, transposes_of(batch, op));
    cls_free((void *)from.places);
    CLS_TRY(status);
    CLS_TRY(read_infos(batch, batch->info, infos));
    CLS_TRY(read_infos(batch, batch->outcome, batch->outcomes));
    join_outcomes(batch, infos);
    seconds->factor = cls_seconds() - start;
    return send(batch, B, 0, infos);
}

clsolve_status cls_direct_batch_factor_solve(cls_direct_batch *batch, clsolve_op op, const clsolve_batch *A,
                                             const clsolve_batch *B, int32_t *infos, clsolve_seconds *seconds) {
    if (batch->device->no_kernels && !batch->table && A->place == CLSOLVE_ON_HOST && B->place == CLSOLVE_ON_HOST)
        return host_factor_solve(batch, op, A, B, infos, seconds);
    CLS_TRY(cls_direct_batch_factor(batch, CLSOLVE_LOWER, A, infos, seconds));
    const double upload = seconds->upload;
    CLS_TRY(cls_direct_batch_solve(batch, op, B, infos, seconds));
    seconds->upload += upload;
    return CLSOLVE_OK;
}

clsolve_status cls_direct_batch_inverse(cls_direct_batch *batch, clsolve_uplo uplo, const clsolve_batch *X,
                                        int32_t *infos, clsolve_seconds *seconds) {
    return solve(batch, X, 0, cls_direct_batch_is_half(batch) && uplo == CLSOLVE_UPPER ? 2 : 1, infos, seconds);
}

/* ---- factors ---- */

/* Row k of L U is row order[k] of A. The exchange of a step moves the row that gives way to where the chosen one was:
 * so row i lies, before step k, where the exchanges of i, and of the place that it came to then, and so on, lead. */
static void exchanges_of(const int32_t *order, int64_t n, int64_t *ipiv) {
    for (int64_t k = 0; k < n; ++k) {
        int64_t from = order[k];
        while (from < k) from = ipiv[from] - 1;
        ipiv[k] = from + 1;
    }
}

static clsolve_status get_pivots(cls_direct_batch *batch, const int32_t *infos, int64_t *ipiv) {
    const size_t all = (size_t)batch->all_rows;
    int32_t *rows = cls_alloc(all, sizeof *rows);
    if (!rows) return cls_no_memory(batch->device->error, "a batch's pivots");
    const clsolve_status status = get(batch, batch->rows, all * sizeof *rows, rows);
    for (int64_t m = 0; m < batch->count && status == CLSOLVE_OK; ++m) {
        const int64_t n = cls_direct_batch_order(batch, m), first = cls_direct_batch_rows_of(batch, m);
        if (infos[m] < 0) continue;
        if (!batch->device->no_kernels) exchanges_of(rows + first, n, ipiv + first);
        for (int64_t k = first; k < first + n && batch->device->no_kernels; ++k) ipiv[k] = rows[k];
    }
    cls_free(rows);
    return status;
}

/* Copies of Cholesky's factors go back with the other triangle. */
static clsolve_status place_export(cls_direct_batch *batch, const clsolve_batch *F, cls_direct_members *to,
                                   cls_buffer **theirs) {
    if (batch->table) {
        if (F->place == CLSOLVE_ON_HOST) CLS_TRY(cls_direct_batch_reserve(batch, CLS_DIRECT_BATCH_SQUARE));
        return cls_direct_ragged_bring(batch, F, 1, 1, cls_direct_batch_is_half(batch), batch->B, to, theirs);
    }
    CLS_TRY(cls_members_there(batch->device, F, 1, theirs));
    *to = there(F, *theirs);
    if (*theirs) return CLSOLVE_OK;
    CLS_TRY(cls_direct_batch_reserve(batch, CLS_DIRECT_BATCH_SQUARE));
    *to = tight(F, batch->B);
    return cls_direct_batch_is_half(batch) ? cls_members_up(batch->device, F, batch->B) : CLSOLVE_OK;
}

/* A member has factors of LU where a pivot is zero too. */
static clsolve_status export_to(cls_direct_batch *batch, int upper, const clsolve_batch *F, const int32_t *infos) {
    cls_buffer *theirs;
    cls_direct_members to;
    CLS_TRY(place_export(batch, F, &to, &theirs));
    if (upper) transpose(&to);
    CLS_TRY(done_with(batch, &to, theirs, cls_direct_batch_run_out(batch, &to, upper), NULL, NULL));
    if (theirs) return CLSOLVE_OK;
    for (int64_t m = 0; m < batch->count; ++m)
        batch->outcomes[m] = infos[m] < 0 || cls_direct_batch_is_half(batch) ? infos[m] : 0;
    return send(batch, F, 1, batch->outcomes);
}

clsolve_status cls_direct_batch_factors(cls_direct_batch *batch, clsolve_uplo uplo, const clsolve_batch *F,
                                        const int32_t *infos, int64_t *ipiv) {
    if (cls_direct_batch_is_ldl(batch)) return cls_direct_batch_ldl_factors(batch, F, infos, ipiv);
    if (F) CLS_TRY(export_to(batch, cls_direct_batch_is_half(batch) && uplo == CLSOLVE_UPPER, F, infos));
    return ipiv ? get_pivots(batch, infos, ipiv) : CLSOLVE_OK;
}

/* ---- determinant, condition ---- */

/* `each` REALs a member in batch->numbers. */
static clsolve_status reserve_numbers(cls_direct_batch *batch) {
    enum { EACH = 3 };
    const size_t bytes = (size_t)(batch->count * EACH * cls_type_size(cls_real_type(batch->type)));
    if (batch->numbers) return CLSOLVE_OK;
    return batch->device->ops->buffer_create(batch->device, bytes, &batch->numbers);
}

/* So many REALs of a buffer, as doubles. *made is from cls_alloc. */
static clsolve_status get_numbers(cls_direct_batch *batch, cls_buffer *buffer, int64_t count, double **made) {
    const clsolve_type real = cls_real_type(batch->type);
    const size_t bytes = (size_t)(count * cls_type_size(real));
    double *numbers = cls_alloc((size_t)count, sizeof *numbers);
    void *given = cls_alloc(bytes, 1);
    clsolve_status status = CLSOLVE_OK;
    if (!numbers || !given) status = cls_no_memory(batch->device->error, "a batch's numbers");
    if (status == CLSOLVE_OK) status = get(batch, buffer, bytes, given);
    for (int64_t k = 0; k < count && status == CLSOLVE_OK; ++k) numbers[k] = cls_type_get(real, given, k);
    cls_free(given);
    if (status != CLSOLVE_OK) {
        cls_free(numbers);
        numbers = NULL;
    }
    *made = numbers;
    return status;
}

/* The determinant is (of[0] + i of[1]) 2^of[2]. */
static void put_determinant(int64_t parts, int64_t m, const double *of, double *det, double *sign, double *log_abs) {
    const double size = hypot(of[0], of[1]);
    const int exponent = (int)of[2];
    for (int64_t p = 0; p < parts; ++p) {
        if (det) det[m * parts + p] = ldexp(of[p], exponent);
        if (sign) sign[m * parts + p] = size == 0 ? 0 : parts == 1 ? copysign(1, of[p]) : of[p] / size;
    }
    if (log_abs) log_abs[m] = size == 0 ? -HUGE_VAL : log(size) + of[2] * 0.693147180559945309417;
}

clsolve_status cls_direct_batch_determinant(cls_direct_batch *batch, const int32_t *infos, double *det, double *sign,
                                            double *log_abs) {
    static const double unknown[3] = {NAN, NAN, 0}, none[3] = {1, 0, 0};
    double *numbers;
    for (int64_t m = 0; batch->n == 0 && m < batch->count; ++m)
        put_determinant(cls_type_parts(batch->type), m, none, det, sign, log_abs);
    if (batch->n == 0) return CLSOLVE_OK;
    CLS_TRY(reserve_numbers(batch));
    CLS_TRY(cls_direct_batch_run_det(batch, 0));
    CLS_TRY(get_numbers(batch, batch->numbers, 3 * batch->count, &numbers));
    for (int64_t m = 0; m < batch->count; ++m)
        put_determinant(cls_type_parts(batch->type), m, infos[m] < 0 ? unknown : numbers + 3 * m, det, sign, log_abs);
    cls_free(numbers);
    return CLSOLVE_OK;
}

clsolve_status cls_direct_batch_inertia(cls_direct_batch *batch, const int32_t *infos, clsolve_inertia *inertias) {
    static const clsolve_inertia unknown = {-1, -1, -1}, none = {0, 0, 0};
    double *numbers;
    for (int64_t m = 0; batch->n == 0 && m < batch->count; ++m) inertias[m] = none;
    if (batch->n == 0) return CLSOLVE_OK;
    CLS_TRY(reserve_numbers(batch));
    CLS_TRY(cls_direct_batch_run_det(batch, 1));
    CLS_TRY(get_numbers(batch, batch->numbers, 3 * batch->count, &numbers));
    for (int64_t m = 0; m < batch->count; ++m) {
        const double *of = numbers + 3 * m;
        inertias[m] = (clsolve_inertia){(int64_t)of[0], (int64_t)of[1], (int64_t)of[2]};
        if (infos[m] < 0) inertias[m] = unknown;
    }
    cls_free(numbers);
    return CLSOLVE_OK;
}

/* The inverses of what was factored, column-major in batch->B, and their norms. LDL^T has the upper triangle of each,
 * which the norm reads as a lower one. */
static clsolve_status run_condition(cls_direct_batch *batch) {
    const int64_t n = batch->n;
    const clsolve_batch view = {
        .type = batch->type, .layout = CLSOLVE_COLUMN_MAJOR, .count = batch->count, .rows = n, .cols = n};
    cls_buffer *theirs = NULL;
    cls_direct_members X = {.buffer = batch->B, .row = 1, .column = n, .member = n * n};
    if (batch->table) CLS_TRY(cls_direct_ragged_bring(batch, &view, 1, 1, 0, batch->B, &X, &theirs));
    clsolve_status status = cls_direct_batch_run_solve(batch, &X, n, 0, cls_direct_batch_is_ldl(batch) ? 3 : 2);
    if (cls_direct_batch_is_ldl(batch)) transpose(&X);
    if (status == CLSOLVE_OK) status = cls_direct_batch_run_norm(batch, &X, 0, batch->numbers);
    return done_with(batch, &X, theirs, status, batch->outcome, batch->outcomes);
}

clsolve_status cls_direct_batch_condition(cls_direct_batch *batch, const int32_t *infos, double *rcond) {
    const int64_t n = batch->n, count = batch->count;
    double *of_A = NULL, *of_X = NULL;
    for (int64_t m = 0; n == 0 && m < count; ++m) rcond[m] = 1;
    if (n == 0) return CLSOLVE_OK;
    CLS_TRY(reserve_numbers(batch));
    CLS_TRY(cls_direct_batch_reserve(batch, CLS_DIRECT_BATCH_SQUARE));
    CLS_TRY(run_condition(batch));
    clsolve_status status = get_numbers(batch, batch->norms, count, &of_A);
    if (status == CLSOLVE_OK) status = get_numbers(batch, batch->numbers, count, &of_X);
    for (int64_t m = 0; m < count && status == CLSOLVE_OK; ++m)
        rcond[m] = infos[m] < 0                              ? NAN
                   : infos[m] > 0 || batch->outcomes[m] != 0 ? 0
                   : cls_direct_batch_order(batch, m) == 0   ? 1
                                                             : 1 / of_A[m] / of_X[m];
    cls_free(of_A);
    cls_free(of_X);
    return status;
}
