/* soak_cholesky_batch.c: many small Cholesky factorizations at once, and LDL^T by the same steps; members that are not positive
 * definite, or hold NaN; inertia. */
#include "base/type.h"
#include "lu/ratios.h"
#include "soak/soak.h"

typedef struct batch_task {
    soak *s;
    int64_t n, count, rounds;
    clsolve_type type;
    clsolve_uplo uplo;
    clsolve_cholesky_batch *handle;
    int is_ldl; /* then `ldl` and not `handle` */
    clsolve_ldl_batch *ldl;
    clsolve_batch a, b;
    soak_array *info;
    double *values;    /* of all members, tight, both triangles */
    int64_t *due;      /* each member's info */
    int64_t *negative; /* of each member of LDL^T: elements of the diagonal, of which as many eigenvalues are */
    clsolve_inertia *inertia;
} batch_task;

static clsolve_status call_create(void *task) {
    batch_task *t = task;
    t->handle = NULL;
    t->ldl = NULL;
    if (t->is_ldl) return clsolve_ldl_batch_create(t->s->context, t->n, t->count, t->type, NULL, &t->ldl);
    return clsolve_cholesky_batch_create(t->s->context, t->n, t->count, t->type, NULL, &t->handle);
}

static clsolve_status call_factor(void *task) {
    batch_task *t = task;
    if (t->is_ldl) return clsolve_ldl_batch_factor(t->ldl, t->uplo, &t->a, t->info->data);
    return clsolve_cholesky_batch_factor(t->handle, t->uplo, &t->a, t->info->data);
}

static clsolve_status call_solve(void *task) {
    batch_task *t = task;
    if (t->is_ldl) return clsolve_ldl_batch_solve(t->ldl, &t->b, t->info->data);
    return clsolve_cholesky_batch_solve(t->handle, &t->b, t->info->data);
}

static clsolve_status call_inverse(void *task) {
    batch_task *t = task;
    if (t->is_ldl) return clsolve_ldl_batch_inverse(t->ldl, t->uplo, &t->b, t->info->data);
    return clsolve_cholesky_batch_inverse(t->handle, t->uplo, &t->b, t->info->data);
}

SOAK_CALL(call_inertia, batch_task, clsolve_ldl_batch_inertia(t->ldl, t->inertia))

static void *begin(soak *s) {
    static const int64_t orders[] = {3, 8, 1, 2, 5, 16, 17, 31, 32, 33, 48, 63, 64, 0}, counts[] = {1, 2, 5, 0, 17, 65};
    batch_task *t = soak_task(s, sizeof *t);
    t->type = soak_type(s);
    t->n = orders[soak_between(s, 0, s->quick ? 1 : 13)];
    t->count = counts[soak_between(s, 0, 5)];
    t->rounds = soak_between(s, 1, 4);
    t->is_ldl = soak_one_in(s, 2);
    soak_say(s, "%s n %d members %d;", t->is_ldl ? " LDL^T" : "", (int)t->n, (int)t->count);
    const clsolve_status due = cls_is_double(t->type) && !s->device.fp64 ? CLSOLVE_ERROR_UNSUPPORTED : CLSOLVE_OK;
    soak_expect(s, "create", soak_call(s, "create", call_create, t), due, due);
    t->values = soak_elements(t->type, t->n * t->n * t->count);
    t->due = calloc((size_t)t->count + 1, sizeof *t->due);
    t->negative = calloc((size_t)t->count + 1, sizeof *t->negative);
    t->inertia = calloc((size_t)t->count + 1, sizeof *t->inertia);
    if (!t->due || !t->negative || !t->inertia) abort();
    return t;
}

/* Dominant; now and then an element of the diagonal is negative, NaN or Inf. Of LDL^T the diagonal has both signs. */
static void draw_member(soak *s, batch_task *t, int64_t m) {
    const int64_t n = t->n, at = n > 0 ? soak_between(s, 0, n - 1) : 0, kind = soak_between(s, 1, 20);
    double *a = t->values + soak_index(t->type, m * n * n);
    t->due[m] = n == 0 ? 0 : kind == 1 && !t->is_ldl ? at + 1 : kind == 2 ? -1 : 0;
    t->negative[m] = 0;
    for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = j; i < n; ++i) soak_put_conjugate(t->type, a, j + i * n, i + j * n);
        a[soak_index(t->type, j * (n + 1))] = 2 * (double)(n + 1);
        if (!t->is_ldl || soak_one_in(s, 2)) continue;
        a[soak_index(t->type, j * (n + 1))] *= -1;
        t->negative[m]++;
    }
    double *diagonal = &a[soak_index(t->type, at * (n + 1))];
    if (t->due[m] > 0) *diagonal = -1;
    if (t->due[m] < 0) *diagonal = soak_one_in(s, 2) ? (double)NAN : (double)INFINITY;
}

static int inside(const batch_task *t, int64_t i, int64_t j) {
    return t->uplo == CLSOLVE_LOWER ? i >= j : i <= j;
}

/* The triangles; what nobody may read is NaN. */
static soak_array *put_triangles(soak *s, batch_task *t) {
    soak_array *A = soak_batch(s, t->type, t->n, t->n, t->count);
    soak_put(A, t->values);
    for (int64_t m = 0; m < t->count; ++m)
        for (int64_t j = 0; j < t->n; ++j)
            for (int64_t i = 0; i < t->n; ++i)
                if (!inside(t, i, j)) soak_set(A, i, j, m, (double)NAN);
    return A;
}

static void check_infos(soak *s, const batch_task *t, const char *call) {
    for (int64_t m = 0; m < t->count; ++m)
        if (soak_word(t->info, m) != t->due[m])
            soak_wrong(s, "%s: member %d has info %d where %d is due", call, (int)m, (int)soak_word(t->info, m),
                       (int)t->due[m]);
}

static void count_signs(soak *s, batch_task *t) {
    soak_expect(s, "inertia", soak_call(s, "inertia", call_inertia, t), CLSOLVE_OK, CLSOLVE_OK);
    for (int64_t m = 0; m < t->count && !s->wrong[0]; ++m)
        if (t->due[m] == 0 && (t->inertia[m].negative != t->negative[m] || t->inertia[m].zero != 0))
            soak_wrong(s, "member %d has %d negative eigenvalues where %d are due", (int)m, (int)t->inertia[m].negative,
                       (int)t->negative[m]);
}

static void solve(soak *s, batch_task *t) {
    const int64_t nrhs = soak_nrhs(s), size = t->n * nrhs;
    soak_array *B = soak_batch(s, t->type, t->n, nrhs, t->count);
    SCRATCH double *b = soak_elements(t->type, size * t->count), *x = soak_elements(t->type, size * t->count);
    soak_say(s, " solve %d", (int)nrhs);
    soak_fill(s, t->type, b, size * t->count);
    soak_put(B, b);
    B->use = SOAK_RESULT;
    t->b = soak_batch_view(B);
    const clsolve_status status = soak_call(s, "solve", call_solve, t);
    soak_expect(s, "solve", status, CLSOLVE_OK, CLSOLVE_OK);
    soak_get(B, x);
    if (status == CLSOLVE_OK && size > 0) check_infos(s, t, "solve");
    for (int64_t m = 0; m < t->count && status == CLSOLVE_OK && size > 0 && !s->wrong[0]; ++m) {
        const double *right = b + soak_index(t->type, m * size), *got = x + soak_index(t->type, m * size);
        if (t->due[m] == 0)
            soak_check_solution(s, t->type, CLSOLVE_NO_TRANS, t->n, nrhs,
                                t->values + soak_index(t->type, m * t->n * t->n), got, right);
        else if (memcmp(got, right, (size_t)soak_index(t->type, size) * sizeof *x) != 0)
            soak_wrong(s, "member %d has changed", (int)m);
    }
    soak_drop(s, B);
}

static void invert(soak *s, batch_task *t) {
    const int64_t n = t->n, size = n * n;
    soak_array *X = put_triangles(s, t); /* what is there is written over */
    SCRATCH double *x = soak_elements(t->type, size * t->count);
    X->use = SOAK_RESULT;
    t->b = soak_batch_view(X);
    soak_say(s, " inverse");
    const clsolve_status status = soak_call(s, "inverse", call_inverse, t);
    soak_expect(s, "inverse", status, CLSOLVE_OK, CLSOLVE_OK);
    soak_get(X, x);
    for (int64_t m = 0; m < t->count && status == CLSOLVE_OK && n > 0 && !s->wrong[0]; ++m) {
        double *member = x + soak_index(t->type, m * size);
        if (t->due[m] != 0) continue;
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < n; ++i) {
                if (inside(t, i, j)) continue;
                if (!isnan(member[soak_index(t->type, i + j * n)]))
                    soak_wrong(s, "the inverse wrote the other triangle");
                soak_put_conjugate(t->type, member, i + j * n, j + i * n);
            }
        if (!s->wrong[0]) soak_check_inverse(s, t->type, n, t->values + soak_index(t->type, m * size), member);
    }
    soak_drop(s, X);
}

static int step(soak *s, void *task) {
    batch_task *t = task;
    if ((!t->handle && !t->ldl) || s->wrong[0]) return 0;
    soak_fill(s, t->type, t->values, t->n * t->n * t->count);
    t->uplo = soak_one_in(s, 2) ? CLSOLVE_UPPER : CLSOLVE_LOWER;
    for (int64_t m = 0; m < t->count; ++m) draw_member(s, t, m);
    soak_array *A = put_triangles(s, t);
    t->info = soak_words(s, t->count);
    t->info->use = SOAK_RESULT;
    t->a = soak_batch_view(A);
    const clsolve_status status = soak_call(s, "factor", call_factor, t);
    soak_expect(s, "factor", status, CLSOLVE_OK, CLSOLVE_OK);
    if (status == CLSOLVE_OK && t->n > 0) check_infos(s, t, "factor");
    soak_drop(s, A);
    if (t->is_ldl && status == CLSOLVE_OK && !s->wrong[0]) count_signs(s, t);
    for (int64_t k = soak_between(s, 1, 2); k > 0 && !s->wrong[0]; --k) solve(s, t);
    if (!s->wrong[0] && soak_one_in(s, 3)) invert(s, t);
    soak_drop(s, t->info);
    return --t->rounds > 0;
}

static void end(soak *s, void *task) {
    SCRATCH batch_task *t = task;
    (void)s;
    clsolve_cholesky_batch_destroy(t->handle);
    clsolve_ldl_batch_destroy(t->ldl);
    free(t->values);
    free(t->due);
    free(t->negative);
    free(t->inertia);
}

const soak_family soak_cholesky_batch = {"cholesky batch", begin, step, end};
