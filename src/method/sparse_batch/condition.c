/*
 * condition.c: the reciprocal condition numbers of a batch: Hager's and Higham's estimate (method/direct/rcond.h)
 * for all members of a portion at once, whose climbs share each solve. Members that ask for the transpose wait while
 * those that ask for A are solved, and the other way round.
 *
 * All is done with A / 2^exponent, as it was factored, so that subnormal and huge members have condition numbers too.
 */
#include <math.h>

#include "base/arrays.h"
#include "base/type.h"
#include "method/direct/rcond.h"
#include "method/sparse_batch/batch.h"

enum { NONE = -1 }; /* in the place of an op: the member's estimate is known */

typedef struct climbing {
    cls_sparse_batch *batch;
    int64_t n, count; /* members of the portion */
    clsolve_batch B;  /* a vector a member, in the type */
    cls_climb *climb;
    signed char *sign;
    double *x;        /* one vector in double; NULL: they are so in B */
    int *wants;       /* the op of each member's next solve */
    int32_t *skipped; /* of a solve: 0 where the member takes part */
    double *rcond;
} climbing;

static clsolve_status no_memory(const cls_sparse_batch *batch) {
    return cls_no_memory(batch->device->error, "the condition numbers of a sparse batch");
}

/* ---- norms ---- */

/* A block of members, neighbours side by side. */
static clsolve_status take_block(cls_sparse_batch *batch, int64_t block, void *values) {
    if (!batch->device->no_kernels) return cls_batch_there_block(batch, block, values);
    cls_batch_host_block(batch, block, values);
    return CLSOLVE_OK;
}

/* |A|_1 from the entries of one member, in double. `sum`: of each column. */
static double norm_of(const cls_csr *A, const double *value, double *sum) {
    double most = 0;
    for (int64_t j = 0; j < A->n; j++) sum[j] = 0;
    for (int64_t e = 0; e < A->entries; e++)
        sum[A->column[e]] += A->parts == 2 ? hypot(value[2 * e], value[2 * e + 1]) : fabs(value[e]);
    for (int64_t j = 0; j < A->n; j++) most = sum[j] > most ? sum[j] : most;
    return most;
}

clsolve_status cls_batch_member_values(cls_sparse_batch *batch, int64_t m, void *block, double *value) {
    const int64_t w = m % CLS_BATCH_MEMBERS, parts = cls_type_parts(batch->type),
                  numbers = batch->plan->A.entries * parts;
    if (w == 0) CLS_TRY(take_block(batch, m / CLS_BATCH_MEMBERS, block));
    for (int64_t k = 0; k < numbers; k++)
        value[k] = cls_type_get(batch->type, block, (k / parts * CLS_BATCH_MEMBERS + w) * parts + k % parts);
    return CLSOLVE_OK;
}

/* The norms of the portion's first members, of A / 2^exponent. */
static clsolve_status find_norms(cls_sparse_batch *batch, int64_t count, double *norms) {
    const cls_csr *A = &batch->plan->A;
    const int64_t numbers = A->entries * cls_type_parts(batch->type);
    double *value = cls_alloc((size_t)(numbers + A->n) + 1, sizeof *value), *sum = value + numbers;
    char *block = cls_alloc((size_t)(A->entries * CLS_BATCH_MEMBERS) + 1, (size_t)cls_type_size(batch->type));
    clsolve_status status = value && block ? CLSOLVE_OK : no_memory(batch);
    for (int64_t m = 0; m < count && status == CLSOLVE_OK; m++) {
        status = cls_batch_member_values(batch, m, block, value);
        norms[m] = status == CLSOLVE_OK ? norm_of(A, value, sum) : 0;
    }
    cls_free(value);
    cls_free(block);
    return status;
}

/* ---- climbs ---- */

/* The member's last solution becomes its next vector. */
static void advance(climbing *c, int64_t m) {
    const int64_t numbers = c->n * cls_type_parts(c->B.type);
    double *x = c->x ? c->x : (double *)c->B.data + m * numbers;
    clsolve_op op = CLSOLVE_NO_TRANS;
    for (int64_t k = 0; k < numbers && c->x; k++) x[k] = cls_type_get(c->B.type, c->B.data, m * numbers + k);
    c->wants[m] = cls_climb_next(&c->climb[m], x, &op) ? (int)op : NONE;
    for (int64_t k = 0; k < numbers && c->x; k++) cls_type_put(c->B.type, c->B.data, m * numbers + k, x[k]);
}

/* One solve for the members that want `op`. */
static clsolve_status solve_wanted(climbing *c, clsolve_op op) {
    cls_sparse_batch *batch = c->batch;
    int64_t wanted = 0;
    for (int64_t m = 0; m < c->count; m++) {
        c->skipped[m] = c->wants[m] != (int)op;
        wanted += !c->skipped[m];
    }
    if (wanted == 0) return CLSOLVE_OK;
    CLS_TRY(batch->device->no_kernels ? cls_batch_host_solve(batch, op, &c->B, c->skipped)
                                      : cls_batch_there_solve(batch, op, &c->B, c->skipped));
    for (int64_t m = 0; m < c->count; m++) {
        if (c->skipped[m]) continue;
        const int32_t state = batch->states[m];
        if (state == CLS_MEMBER_DONE) {
            advance(c, m);
            continue;
        }
        c->wants[m] = NONE; /* beyond the range, or static pivots do not suffice for it */
        c->climb[m].norm = HUGE_VAL;
        if (state == CLS_MEMBER_AGAIN) CLS_TRY(cls_batch_again_condition(batch, m, &c->rcond[m]));
    }
    return CLSOLVE_OK;
}

static int is_over(const climbing *c) {
    int over = 1;
    for (int64_t m = 0; m < c->count && over; m++) over = c->wants[m] == NONE;
    return over;
}

static clsolve_status climb_all(climbing *c) {
    static const clsolve_op adjoints[] = {CLSOLVE_TRANS, CLSOLVE_CONJ_TRANS};
    while (!is_over(c)) {
        CLS_TRY(solve_wanted(c, CLSOLVE_NO_TRANS));
        CLS_TRY(solve_wanted(c, adjoints[cls_is_complex(c->B.type)]));
    }
    return CLSOLVE_OK;
}

/* The members whose infos are 0 begin; of the others rcond says what it is. */
static clsolve_status begin(climbing *c, const int32_t *infos) {
    cls_sparse_batch *batch = c->batch;
    for (int64_t m = 0; m < c->count; m++) {
        c->climb[m] = (cls_climb){.n = c->n, .parts = cls_type_parts(c->B.type), .sign = c->sign + m * c->n};
        c->wants[m] = NONE;
        c->rcond[m] = infos[m] < 0 ? (double)NAN : 0;
        if (infos[m] == 0 && batch->outcomes[m] == CLS_MEMBER_AGAIN)
            CLS_TRY(cls_batch_again_condition(batch, m, &c->rcond[m]));
        else if (infos[m] == 0)
            advance(c, m);
    }
    return CLSOLVE_OK;
}

static clsolve_status run_portion(climbing *c, const int32_t *infos) {
    double *norms = cls_alloc((size_t)c->count, sizeof *norms);
    clsolve_status status = norms ? find_norms(c->batch, c->count, norms) : no_memory(c->batch);
    if (status == CLSOLVE_OK) status = begin(c, infos);
    if (status == CLSOLVE_OK) status = climb_all(c);
    for (int64_t m = 0; m < c->count && status == CLSOLVE_OK; m++) {
        const double inverse = c->climb[m].norm;
        if (inverse > 0 && inverse < HUGE_VAL) c->rcond[m] = 1 / norms[m] / inverse;
    }
    cls_free(norms);
    return status;
}

clsolve_status cls_batch_condition_of(cls_sparse_batch *batch, int64_t count, const int32_t *infos, double *rcond) {
    const int64_t n = batch->plan->A.n;
    const size_t numbers = (size_t)(count * n), size = (size_t)cls_type_size(batch->type);
    climbing c = {.batch = batch, .n = n, .count = count, .rcond = rcond};
    c.B = (clsolve_batch){.type = batch->type,
                          .layout = CLSOLVE_COLUMN_MAJOR,
                          .count = count,
                          .rows = n,
                          .cols = 1,
                          .ld = n,
                          .stride = n,
                          .data = cls_alloc(numbers, size)};
    const int fine = CLS_ALLOC_ALL(CLS_ARRAY(c.climb, count), CLS_ARRAY(c.sign, numbers), CLS_ARRAY(c.wants, count),
                                   CLS_ARRAY(c.skipped, count), CLS_ARRAY(c.x, 2 * n)) &&
                     c.B.data != NULL;
    if (cls_is_double(batch->type)) c.x = NULL;
    batch->of_quotient = 1;
    const clsolve_status status = fine ? run_portion(&c, infos) : no_memory(batch);
    batch->of_quotient = 0;
    cls_free(c.B.data);
    cls_free(c.climb); /* and all others */
    return status;
}
