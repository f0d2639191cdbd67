/*
 * call.c: factor and solve of a batch: see batch.h. Where the device has no room for all members, portions of
 * them take turns there: the values stay on the host then, and a solve factors each portion again.
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/type.h"
#include "device/use.h"
#include "method/members.h"
#include "method/sparse_batch/batch.h"

static clsolve_status no_memory(const cls_sparse_batch *batch) {
    return cls_no_memory(batch->device->error, "the members of a batch");
}

/* ---- setup ---- */

static int is_empty(const cls_sparse_batch *batch) {
    return batch->plan->rank < batch->plan->A.n || batch->plan->A.n == 0 || batch->count == 0;
}

static clsolve_status choose_portion(cls_sparse_batch *batch, int64_t memory_limit) {
    cls_device *device = batch->device;
    const double left = 0.9 * (double)device->ops->memory_left(device);
    const double limit = memory_limit > 0 ? (double)memory_limit : left;
    const double fixed = cls_batch_there_bytes(batch, 0),
                 block = cls_batch_there_bytes(batch, CLS_BATCH_MEMBERS) - fixed;
    const double blocks = floor((limit - fixed) / block); /* of few members, which take the most each */
    const int64_t most = cls_batch_there_most(batch);
    if (batch->count <= most && cls_batch_there_bytes(batch, batch->count) <= limit) return CLSOLVE_OK;
    if (blocks < 1 || most < CLS_BATCH_MEMBERS)
        return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY,
                        "%d members of order %lld take %.0f bytes of device memory, and %s has %.0f", CLS_BATCH_MEMBERS,
                        (long long)batch->plan->A.n, fixed + block,
                        memory_limit > 0 ? "memory_limit" : device->info.name, limit);
    batch->portion = batch->count;
    if (batch->portion > most) batch->portion = most;
    if ((double)batch->portion > blocks * CLS_BATCH_MEMBERS) batch->portion = (int64_t)blocks * CLS_BATCH_MEMBERS;
    if (batch->portion == batch->count) return CLSOLVE_OK;
    batch->values = cls_alloc((size_t)(batch->count * batch->plan->A.given) + 1, (size_t)cls_type_size(batch->type));
    return batch->values ? CLSOLVE_OK : no_memory(batch);
}

clsolve_status cls_sparse_batch_setup(cls_device *device, const cls_sparse_plan *plan, int64_t count,
                                      int64_t memory_limit, cls_sparse_batch *batch) {
    batch->device = device;
    batch->plan = plan;
    batch->type = plan->type;
    batch->count = batch->portion = count;
    batch->resident = -1;
    batch->backward_error = -1;
    if (is_empty(batch)) return CLSOLVE_OK;
    if (!device->no_kernels) CLS_TRY(choose_portion(batch, memory_limit));
    batch->states = cls_alloc((size_t)batch->portion + 1, sizeof *batch->states);
    batch->outcomes = cls_alloc((size_t)batch->portion + 1, sizeof *batch->outcomes);
    if (!batch->states || !batch->outcomes) return no_memory(batch);
    return device->no_kernels ? cls_batch_host_open(batch) : cls_batch_there_open(batch);
}

void cls_sparse_batch_release(cls_sparse_batch *batch) {
    if (!batch->device) return;
    if (batch->device->no_kernels)
        cls_batch_host_close(batch);
    else
        cls_batch_there_close(batch);
    if (batch->engine_open) cls_sparse_close(&batch->engine);
    cls_free(batch->values);
    cls_free(batch->states);
    cls_free(batch->outcomes);
}

/* ---- the report ---- */

static void forget(cls_sparse_batch *batch) {
    batch->again = batch->iterations = 0;
    batch->backward_error = -1;
    batch->upload = batch->download = 0;
}

/* *phase: all that was no transfer. */
static void note_seconds(const cls_sparse_batch *batch, double start, double *phase, clsolve_seconds *seconds) {
    seconds->upload = batch->upload;
    seconds->download = batch->download;
    *phase = cls_seconds() - start - batch->upload - batch->download;
}

/* ---- factor ---- */

/* A matrix whose pattern is singular: a member with NaN or Inf is told as such. */
static clsolve_status tell_rank(const cls_sparse_batch *batch, int32_t *infos) {
    for (int64_t m = 0; m < batch->count; m++) infos[m] = (int32_t)batch->plan->rank + 1;
    return CLSOLVE_OK;
}

/* The values of a portion to the host. */
static clsolve_status keep_values(cls_sparse_batch *batch, const clsolve_batch *values, char *to) {
    cls_device *device = batch->device;
    const size_t bytes = (size_t)(values->count * values->rows * cls_type_size(batch->type));
    cls_buffer *between = NULL;
    CLS_TRY(device->ops->buffer_create(device, bytes, &between));
    clsolve_status status = cls_members_up(device, values, between);
    if (status == CLSOLVE_OK) status = cls_bytes_read(device, CLS_COMPUTE, between, 0, to, bytes);
    status = cls_finish(device, CLS_COMPUTE, status);
    device->ops->buffer_destroy(device, between);
    return status;
}

static clsolve_batch kept_values(const cls_sparse_batch *batch, int64_t first, int64_t count) {
    const int64_t given = batch->plan->A.given;
    const clsolve_batch all = {.type = batch->type,
                               .layout = CLSOLVE_COLUMN_MAJOR,
                               .count = batch->count,
                               .rows = given,
                               .cols = 1,
                               .ld = given > 0 ? given : 1,
                               .stride = given,
                               .data = batch->values};
    return cls_members_of(&all, first, count);
}

static clsolve_status factor_portion(cls_sparse_batch *batch, const clsolve_batch *values, int64_t first) {
    batch->resident = -1;
    CLS_TRY(batch->device->no_kernels ? cls_batch_host_factor(batch, values) : cls_batch_there_factor(batch, values));
    memcpy(batch->outcomes, batch->states, (size_t)values->count * sizeof *batch->outcomes);
    batch->resident = first;
    return CLSOLVE_OK;
}

/* The factors of the members from `first` on are there. */
static clsolve_status bring_portion(cls_sparse_batch *batch, int64_t first, int64_t count) {
    const clsolve_batch values = kept_values(batch, first, count);
    return batch->resident == first ? CLSOLVE_OK : factor_portion(batch, &values, first);
}

static int64_t portion_at(const cls_sparse_batch *batch, int64_t first) {
    return batch->count - first < batch->portion ? batch->count - first : batch->portion;
}

clsolve_status cls_sparse_batch_factor(cls_sparse_batch *batch, const clsolve_batch *values, int32_t *infos,
                                       clsolve_seconds *seconds) {
    const double start = cls_seconds();
    forget(batch);
    if (is_empty(batch)) return tell_rank(batch, infos);
    for (int64_t first = 0; first < batch->count; first += batch->portion) {
        const int64_t count = portion_at(batch, first);
        clsolve_batch some = cls_members_of(values, first, count);
        if (batch->values) {
            const clsolve_batch kept = kept_values(batch, first, count);
            CLS_TRY(keep_values(batch, &some, kept.data));
            some = kept;
        }
        CLS_TRY(factor_portion(batch, &some, first));
        for (int64_t m = 0; m < count; m++) {
            infos[first + m] = batch->states[m] == CLS_MEMBER_NOT_FINITE ? -1 : 0;
            if (batch->states[m] != CLS_MEMBER_AGAIN) continue;
            CLS_TRY(cls_batch_again_factor(batch, m, &infos[first + m]));
        }
    }
    note_seconds(batch, start, &seconds->factor, seconds);
    return CLSOLVE_OK;
}

/* ---- solve ---- */

clsolve_status cls_sparse_batch_solve(cls_sparse_batch *batch, clsolve_op op, const clsolve_batch *B, int32_t *infos,
                                      clsolve_seconds *seconds) {
    const double start = cls_seconds();
    forget(batch);
    if (is_empty(batch)) return CLSOLVE_OK;
    for (int64_t first = 0; first < batch->count; first += batch->portion) {
        const int64_t count = portion_at(batch, first);
        const clsolve_batch some = cls_members_of(B, first, count);
        CLS_TRY(bring_portion(batch, first, count));
        CLS_TRY(batch->device->no_kernels ? cls_batch_host_solve(batch, op, &some, infos + first)
                                          : cls_batch_there_solve(batch, op, &some, infos + first));
        for (int64_t m = 0; m < count; m++) {
            if (infos[first + m] != 0) continue;
            if (batch->states[m] == CLS_MEMBER_NOT_FINITE) infos[first + m] = -1;
            if (batch->states[m] != CLS_MEMBER_AGAIN) continue;
            CLS_TRY(cls_batch_again_solve(batch, op, m, &some, &infos[first + m]));
        }
    }
    note_seconds(batch, start, &seconds->solve, seconds);
    return CLSOLVE_OK;
}

/* ---- determinants ---- */

/* The sign of the permutation of the rows and that of the columns, together. 0: no memory. */
static int sign_of_pivots(const cls_sparse_plan *plan) {
    char *seen = cls_alloc((size_t)plan->A.n + 1, 1);
    int sign = seen != NULL;
    for (int which = 0; which < 2 && seen; which++) {
        memset(seen, 0, (size_t)plan->A.n);
        for (int64_t k = 0; k < plan->A.n; k++)
            for (int64_t at = plan->pivot[which][k], steps = 0; !seen[at]; at = plan->pivot[which][at], steps++) {
                seen[at] = 1;
                if (steps > 0) sign = -sign;
            }
    }
    cls_free(seen);
    return sign;
}

static cls_member_det det_of(int64_t n, int64_t parts, const double *pivots, int exponent, int sign) {
    cls_member_det d = {.log = log(2) * exponent * (double)n, .sign = sign};
    for (int64_t k = 0; k < n; k++) {
        const double x = pivots[k * parts], y = parts == 2 ? pivots[k * parts + 1] : 0;
        d.log -= parts == 2 ? log(hypot(x, y)) : log(fabs(x));
        if (parts == 2) d.phase -= atan2(y, x);
        if (parts == 1 && x < 0) d.sign = -d.sign;
    }
    return d;
}

/* Number m of each array that is wanted. */
static void put_det(int64_t parts, int64_t m, const cls_member_det *d, double *det, double *sign, double *log_abs) {
    const double size = exp(d->log), re = parts == 2 ? d->sign * cos(d->phase) : d->sign;
    const double im = parts == 2 ? d->sign * sin(d->phase) : 0;
    if (log_abs) log_abs[m] = d->log;
    if (sign) sign[m * parts] = re;
    if (sign && parts == 2) sign[m * parts + 1] = im;
    if (det) det[m * parts] = d->sign == 0 ? 0 : re * size;
    if (det && parts == 2) det[m * parts + 1] = d->sign == 0 ? 0 : im * size;
}

/* A member that held NaN or Inf. */
static void put_unknown(int64_t parts, int64_t m, double *det, double *sign, double *log_abs) {
    if (log_abs) log_abs[m] = (double)NAN;
    for (int64_t p = 0; p < parts; p++) {
        if (sign) sign[m * parts + p] = (double)NAN;
        if (det) det[m * parts + p] = (double)NAN;
    }
}

/* A pivot that is far larger than its row of A: the elimination has taken digits of this row away (N. J. Higham,
 * Accuracy and Stability of Numerical Algorithms, 2nd ed., section 9.3). Solves are refined, a determinant is not. */
static int has_grown(const cls_sparse_plan *plan, clsolve_type type, const double *value, const double *pivots) {
    const cls_csr *A = &plan->A;
    const double most = 1 / cbrt(cls_type_epsilon(type));
    for (int64_t k = 0; k < A->n; k++) {
        const int64_t row = plan->pivot[0][k];
        double largest = 0;
        for (int64_t e = A->start[row] * A->parts; e < A->start[row + 1] * A->parts; e++)
            largest = fmax(largest, fabs(value[e]));
        const double inverse = A->parts == 2 ? hypot(pivots[2 * k], pivots[2 * k + 1]) : fabs(pivots[k]);
        if (inverse * largest * most < 1) return 1;
    }
    return 0;
}

/* Room for a portion, but `value` and `block` for one member's values and for a block of members. */
typedef struct pivots_of {
    double *pivots, *value;
    int32_t *exponents;
    char *block;
    int sign;
} pivots_of;

static clsolve_status take_pivots(cls_sparse_batch *batch, int64_t count, const pivots_of *p) {
    if (!batch->device->no_kernels) {
        CLS_TRY(cls_batch_there_pivots(batch, count, p->pivots));
        return cls_batch_there_exponents(batch, count, p->exponents);
    }
    cls_batch_host_pivots(batch, count, p->pivots);
    memcpy(p->exponents, batch->exponents, (size_t)count * sizeof *p->exponents);
    return CLSOLVE_OK;
}

/* The members first .. first + count - 1. */
static clsolve_status tell_portion(cls_sparse_batch *batch, int64_t first, int64_t count, const int32_t *infos,
                                   const pivots_of *p, double *const *to) {
    const int64_t n = batch->plan->A.n, parts = cls_type_parts(batch->type);
    CLS_TRY(bring_portion(batch, first, count));
    CLS_TRY(take_pivots(batch, count, p));
    for (int64_t m = 0; m < count; m++) {
        const double *pivots = p->pivots + m * n * parts;
        cls_member_det d = {.log = -HUGE_VAL};
        CLS_TRY(cls_batch_member_values(batch, m, p->block, p->value));
        if (infos[first + m] < 0) {
            put_unknown(parts, first + m, to[0], to[1], to[2]);
            continue;
        }
        if (infos[first + m] == 0 &&
            (batch->outcomes[m] == CLS_MEMBER_AGAIN || has_grown(batch->plan, batch->type, p->value, pivots)))
            CLS_TRY(cls_batch_again_determinant(batch, m, &d));
        else if (infos[first + m] == 0)
            d = det_of(n, parts, pivots, p->exponents[m], p->sign);
        put_det(parts, first + m, &d, to[0], to[1], to[2]);
    }
    return CLSOLVE_OK;
}

clsolve_status cls_sparse_batch_determinant(cls_sparse_batch *batch, const int32_t *infos, double *det, double *sign,
                                            double *log_abs) {
    const int64_t n = batch->plan->A.n, entries = batch->plan->A.entries, parts = cls_type_parts(batch->type);
    double *const to[] = {det, sign, log_abs};
    const cls_member_det one = {.sign = 1}, zero = {.log = -HUGE_VAL};
    batch->again = 0;
    for (int64_t m = 0; m < batch->count && is_empty(batch); m++)
        put_det(parts, m, n == 0 ? &one : &zero, det, sign, log_abs);
    if (is_empty(batch)) return CLSOLVE_OK;
    const pivots_of p = {.pivots = cls_alloc((size_t)(batch->portion * n * parts) + 1, sizeof *p.pivots),
                         .value = cls_alloc((size_t)(entries * parts) + 1, sizeof *p.value),
                         .exponents = cls_alloc((size_t)batch->portion + 1, sizeof *p.exponents),
                         .block =
                             cls_alloc((size_t)(entries * CLS_BATCH_MEMBERS) + 1, (size_t)cls_type_size(batch->type)),
                         .sign = sign_of_pivots(batch->plan)};
    clsolve_status status = p.pivots && p.value && p.exponents && p.block && p.sign ? CLSOLVE_OK : no_memory(batch);
    for (int64_t first = 0; first < batch->count && status == CLSOLVE_OK; first += batch->portion)
        status = tell_portion(batch, first, portion_at(batch, first), infos, &p, to);
    cls_free(p.pivots);
    cls_free(p.value);
    cls_free(p.exponents);
    cls_free(p.block);
    return status;
}

/* ---- condition numbers ---- */

/* The report stays that of the last call, but for the members that were done again. */
clsolve_status cls_sparse_batch_condition(cls_sparse_batch *batch, const int32_t *infos, double *rcond) {
    const double backward_error = batch->backward_error;
    const int64_t iterations = batch->iterations;
    clsolve_status status = CLSOLVE_OK;
    batch->again = 0;
    for (int64_t m = 0; m < batch->count && is_empty(batch); m++) rcond[m] = batch->plan->A.n == 0;
    for (int64_t first = 0; first < batch->count && status == CLSOLVE_OK && !is_empty(batch); first += batch->portion) {
        const int64_t count = portion_at(batch, first);
        status = bring_portion(batch, first, count);
        if (status == CLSOLVE_OK) status = cls_batch_condition_of(batch, count, infos + first, rcond + first);
    }
    batch->backward_error = backward_error;
    batch->iterations = iterations;
    return status;
}
