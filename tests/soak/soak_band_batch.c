/* soak_band_batch.c: many narrow bands at once; singular and nonfinite members among them. */
#include "band/narrow_support.h"
#include "lu/ratios.h"
#include "soak/soak.h"

typedef struct batch_task {
    soak *s;
    int64_t n, kl, ku, count, rounds;
    clsolve_type type;
    clsolve_band_batch *handle;
    clsolve_op op;
    clsolve_batch a, b;
    soak_array *info;
    narrow_band *band;
    int64_t *due; /* each member's info */
} batch_task;

static clsolve_status call_create(void *task) {
    batch_task *t = task;
    t->handle = NULL;
    return clsolve_band_batch_create(t->s->context, t->n, t->kl, t->ku, t->count, t->type, NULL, &t->handle);
}

SOAK_CALL(call_factor, batch_task, clsolve_band_batch_factor(t->handle, &t->a, t->info->data))
SOAK_CALL(call_solve, batch_task, clsolve_band_batch_solve(t->handle, t->op, &t->b, t->info->data))

static void *begin(soak *s) {
    static const int64_t counts[] = {1, 2, 3, 5, 0, 16, 17, 64, 65, 300};
    batch_task *t = soak_task(s, sizeof *t);
    t->type = soak_real_type(s);
    t->n = soak_size(s, 200);
    soak_diagonals(s, s->quick ? 3 : 32, &t->kl, &t->ku);
    t->count = counts[soak_between(s, 0, t->n > 40 ? 5 : 9)];
    t->rounds = soak_between(s, 1, 4);
    soak_say(s, " n %d kl %d ku %d members %d;", (int)t->n, (int)t->kl, (int)t->ku, (int)t->count);
    clsolve_status due = t->type == CLSOLVE_F64 && !s->device.fp64 ? CLSOLVE_ERROR_UNSUPPORTED : CLSOLVE_OK;
    soak_expect(s, "create", soak_call(s, "create", call_create, t), due, due);
    t->band = calloc((size_t)t->count + 1, sizeof *t->band);
    t->due = calloc((size_t)t->count + 1, sizeof *t->due);
    if (!t->band || !t->due) abort();
    return t;
}

/* Dominant, for a narrow band of random numbers may be singular to working precision. Some members have a zero column. */
static void draw_member(soak *s, batch_task *t, int64_t m) {
    narrow_band *band = &t->band[m];
    int64_t at = t->n > 0 ? soak_between(s, 0, t->n - 1) : 0;
    int kind = (int)soak_between(s, 1, 20);
    *band = narrow_band_random(&s->random, t->n, t->kl, t->ku, 0);
    t->due[m] = 0;
    for (int64_t i = 0; i < t->n; ++i) *narrow_band_at(band, i, i) += (double)(t->kl + t->ku + 1);
    if (kind == 1 && t->n > 0) {
        t->due[m] = at + 1;
        for (int64_t i = 0; i < t->n; ++i)
            if (i - at <= t->kl && at - i <= t->ku) *narrow_band_at(band, i, at) = 0;
    }
    narrow_band_round(band, t->type);
    if (kind == 2 && t->n > 0) t->due[m] = -1;
}

static soak_array *store(soak *s, batch_task *t) {
    soak_array *A = soak_batch(s, t->type, t->kl + t->ku + 1, t->n, t->count);
    for (int64_t m = 0; m < t->count; ++m) {
        for (int64_t j = 0; j < t->n; ++j)
            for (int64_t i = j > t->ku ? j - t->ku : 0; i < t->n && i <= j + t->kl; ++i)
                soak_set(A, t->ku + i - j, j, m, *narrow_band_at(&t->band[m], i, j));
        if (t->due[m] < 0)
            soak_set(A, t->ku, soak_between(s, 0, t->n - 1), m, soak_one_in(s, 2) ? (double)NAN : (double)INFINITY);
    }
    return A;
}

static void check_infos(soak *s, const batch_task *t, const char *call) {
    for (int64_t m = 0; m < t->count; ++m)
        if (soak_word(t->info, m) != t->due[m])
            soak_wrong(s, "%s: member %d has info %d where %d is due", call, (int)m, (int)soak_word(t->info, m),
                       (int)t->due[m]);
}

static void solve(soak *s, batch_task *t) {
    int64_t nrhs = soak_nrhs(s), size = t->n * nrhs;
    soak_array *B = soak_batch(s, t->type, t->n, nrhs, t->count);
    SCRATCH double *b = soak_doubles(size * t->count), *x = soak_doubles(size * t->count);
    t->op = soak_op(s, t->type);
    soak_say(s, " solve %d op %d", (int)nrhs, (int)t->op);
    soak_fill(s, t->type, b, size * t->count);
    soak_put(B, b);
    B->use = SOAK_RESULT;
    t->b = soak_batch_view(B);
    clsolve_status status = soak_call(s, "solve", call_solve, t);
    soak_expect(s, "solve", status, CLSOLVE_OK, CLSOLVE_OK);
    soak_get(B, x);
    if (status == CLSOLVE_OK && nrhs > 0) check_infos(s, t, "solve");
    for (int64_t m = 0; m < t->count && status == CLSOLVE_OK && size > 0; ++m) {
        const double *right = b + m * size, *got = x + m * size;
        if (t->due[m] != 0) {
            if (memcmp(got, right, (size_t)size * sizeof *x) != 0) soak_wrong(s, "member %d has changed", (int)m);
            continue;
        }
        double ratio = narrow_band_ratio(&t->band[m], t->type, t->op, nrhs, right, got) / (double)t->n;
        if (!(ratio < RATIO_BOUND)) soak_wrong(s, "member %d: the residual's ratio is %g", (int)m, ratio);
    }
    soak_drop(s, B);
}

static void refuse(soak *s, batch_task *t) {
    clsolve_batch a = t->a;
    int kind = (int)soak_between(s, 0, 3);
    soak_say(s, " refused %d", kind);
    if (kind == 0) t->a.count++;
    if (kind == 1) t->a.rows++, t->a.ld++;
    if (kind == 2) t->a.ld = 0;
    if (kind == 3) t->a.layout = (clsolve_layout)3;
    soak_expect(s, "factor", soak_call_unharmed(s, "factor", call_factor, t), CLSOLVE_ERROR_INVALID_ARGUMENT,
                CLSOLVE_ERROR_INVALID_ARGUMENT);
    t->a = a;
}

static int step(soak *s, void *task) {
    batch_task *t = task;
    if (!t->handle || s->wrong[0]) return 0;
    for (int64_t m = 0; m < t->count; ++m) draw_member(s, t, m);
    soak_array *A = store(s, t);
    t->info = soak_words(s, t->count);
    t->a = soak_batch_view(A);
    if (soak_one_in(s, 12)) refuse(s, t);
    t->info->use = SOAK_RESULT;
    clsolve_status status = soak_call(s, "factor", call_factor, t);
    soak_expect(s, "factor", status, CLSOLVE_OK, CLSOLVE_OK);
    if (status == CLSOLVE_OK) check_infos(s, t, "factor");
    soak_drop(s, A);
    for (int64_t k = soak_between(s, 1, 2); k > 0 && !s->wrong[0]; --k) solve(s, t);
    soak_drop(s, t->info);
    for (int64_t m = 0; m < t->count; ++m) narrow_band_free(&t->band[m]);
    return --t->rounds > 0;
}

static void end(soak *s, void *task) {
    SCRATCH batch_task *t = task;
    (void)s;
    clsolve_band_batch_destroy(t->handle);
    free(t->band);
    free(t->due);
}

const soak_family soak_band_batch = {"band batch", begin, step, end};
