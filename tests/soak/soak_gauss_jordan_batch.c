/* soak_gauss_jordan_batch.c: many small inverses and systems at once; singular and nonfinite members among them. */
#include "base/type.h"
#include "soak/soak.h"

typedef struct batch_task {
    soak *s;
    int64_t n, count, nrhs, rounds;
    clsolve_type type;
    clsolve_gauss_jordan_batch *handle; /* of the round: its number of members is the handle's */
    clsolve_op op;
    clsolve_batch a, b;
    soak_array *A, *B, *info;
    soak_kind *kinds; /* of each member */
    int64_t *zero;    /* its zero column */
    double *values, *right;
} batch_task;

static clsolve_status call_create(void *task) {
    batch_task *t = task;
    t->handle = NULL;
    return clsolve_gauss_jordan_batch_create(t->s->context, t->n, t->count, t->type, NULL, &t->handle);
}

SOAK_CALL(call_solve, batch_task, clsolve_gauss_jordan_batch_solve(t->handle, t->op, &t->a, &t->b, t->info->data))
SOAK_CALL(call_invert, batch_task, clsolve_gauss_jordan_batch_invert(t->handle, &t->a, &t->b, t->info->data))

static void *begin(soak *s) {
    /* Each order and number of right-hand sides has a kernel of its own. */
    static const int64_t few[] = {0, 1, 3, 17, 2, 4, 5, 8, 16, 31, 32, 33, 64};
    batch_task *t = soak_task(s, sizeof *t);
    t->type = soak_type(s);
    t->n = few[soak_between(s, 0, s->quick ? 3 : 12)];
    if (!s->quick && soak_one_in(s, 15)) t->n = soak_between(s, 0, CLSOLVE_GAUSS_JORDAN_BATCH_LARGEST);
    t->rounds = soak_between(s, 1, 5);
    soak_say(s, " n %d;", (int)t->n);
    return t;
}

/* ---- members ---- */

static void draw(soak *s, batch_task *t, int inverse) {
    static const int64_t counts[] = {1, 2, 3, 5, 0, 16, 17, 64, 65, 200};
    int64_t n = t->n;
    t->count = counts[soak_between(s, 0, n > 20 ? 5 : 9)];
    t->op = inverse ? CLSOLVE_NO_TRANS : soak_op(s, t->type);
    t->nrhs = inverse ? n : !s->quick && soak_one_in(s, 15) ? soak_nrhs(s) : soak_one_in(s, 3) ? 3 : 1;
    soak_say(s, " %s %d members nrhs %d", inverse ? "invert" : "solve", (int)t->count, (int)t->nrhs);
    t->A = soak_batch(s, t->type, n, n, t->count);
    t->B = soak_batch(s, t->type, n, t->nrhs, t->count);
    t->info = soak_words(s, t->count);
    t->values = soak_elements(t->type, n * n * t->count);
    t->right = soak_elements(t->type, n * t->nrhs * t->count);
    t->kinds = calloc((size_t)t->count + 1, sizeof *t->kinds);
    t->zero = calloc((size_t)t->count + 1, sizeof *t->zero);
    if (!t->kinds || !t->zero) abort();
    for (int64_t m = 0; m < t->count; ++m) {
        static const soak_kind odd[] = {SOAK_ZERO_COLUMN, SOAK_ZERO_ROW, SOAK_NONFINITE};
        t->kinds[m] = n > 0 && soak_one_in(s, 12) ? odd[soak_between(s, 0, 2)]
                      : soak_one_in(s, 2)         ? SOAK_PERMUTED
                                                  : SOAK_DOMINANT;
        soak_dense_of(s, t->kinds[m], t->type, n, t->values + soak_index(t->type, m * n * n), &t->zero[m]);
    }
    soak_fill(s, t->type, t->right, n * t->nrhs * t->count);
    soak_put(t->A, t->values);
    soak_put(t->B, t->right);
    for (int64_t m = 0; m < t->count; ++m)
        if (t->kinds[m] == SOAK_NONFINITE)
            soak_set(t->A, soak_between(s, 0, n - 1), soak_between(s, 0, n - 1), m,
                     soak_one_in(s, 2) ? HUGE_VAL : -HUGE_VAL);
}

static void check_member(soak *s, const batch_task *t, int64_t m, const double *x, int inverse) {
    int64_t n = t->n, size = soak_index(t->type, n * t->nrhs), info = soak_word(t->info, m);
    const double *b = t->right + m * size;
    soak_kind kind = t->nrhs > 0 ? t->kinds[m] : SOAK_DOMINANT; /* else A is not looked at */
    int right = info == 0;
    if (kind == SOAK_NONFINITE) right = info == -1;
    /* A transposed zero row is a zero column, whose number the pivot has. */
    if (kind == (t->op != CLSOLVE_NO_TRANS ? SOAK_ZERO_ROW : SOAK_ZERO_COLUMN)) right = info == t->zero[m] + 1;
    if (kind == (t->op != CLSOLVE_NO_TRANS ? SOAK_ZERO_COLUMN : SOAK_ZERO_ROW)) right = info > 0 && info <= n;
    if (!right) soak_wrong(s, "member %d, %s: info is %d", (int)m, soak_kind_names[kind], (int)info);
    if (info != 0 && memcmp(x, b, (size_t)size * sizeof *x) != 0)
        soak_wrong(s, "member %d with info %d has changed", (int)m, (int)info);
    if (info != 0 || !right) return;
    if (inverse)
        soak_check_inverse(s, t->type, n, t->values + soak_index(t->type, m * n * n), x);
    else
        soak_check_solution(s, t->type, t->op, n, t->nrhs, t->values + soak_index(t->type, m * n * n), x, b);
}

static void drop(soak *s, batch_task *t) {
    soak_drop(s, t->A);
    soak_drop(s, t->B);
    soak_drop(s, t->info);
    free(t->values);
    free(t->right);
    free(t->kinds);
    free(t->zero);
}

/* One argument at a time that the header does not allow. */
static void refuse(soak *s, batch_task *t) {
    int kind = (int)soak_between(s, 0, 4);
    clsolve_batch a = t->a, b = t->b;
    soak_say(s, " refused %d", kind);
    if (kind == 0) t->a.count++;
    if (kind == 1) t->a.rows++, t->a.ld++;
    if (kind == 2) t->b.ld = 0;
    if (kind == 3) t->b.layout = (clsolve_layout)3;
    if (kind == 4) t->a.type = (clsolve_type)5;
    soak_expect(s, "batch_solve", soak_call_unharmed(s, "batch_solve", call_solve, t), CLSOLVE_ERROR_INVALID_ARGUMENT,
                CLSOLVE_ERROR_INVALID_ARGUMENT);
    t->a = a;
    t->b = b;
}

static int step(soak *s, void *task) {
    batch_task *t = task;
    int inverse = soak_one_in(s, 2);
    clsolve_status due = cls_is_double(t->type) && !s->device.fp64 ? CLSOLVE_ERROR_UNSUPPORTED : CLSOLVE_OK;
    if (s->wrong[0]) return 0;
    draw(s, t, inverse);
    soak_expect(s, "create", soak_call(s, "create", call_create, t), due, due);
    if (!t->handle) {
        drop(s, t);
        return 0;
    }
    t->a = soak_batch_view(t->A);
    t->b = soak_batch_view(t->B);
    if (soak_one_in(s, 12)) refuse(s, t);
    t->B->use = t->info->use = SOAK_RESULT;
    clsolve_status status =
        soak_call(s, inverse ? "batch_invert" : "batch_solve", inverse ? call_invert : call_solve, t);
    soak_expect(s, "batch", status, CLSOLVE_OK, CLSOLVE_OK);
    double *x = soak_elements(t->type, t->n * t->nrhs * t->count);
    soak_get(t->B, x);
    for (int64_t m = 0; m < t->count && status == CLSOLVE_OK; ++m)
        check_member(s, t, m, x + soak_index(t->type, m * t->n * t->nrhs), inverse);
    free(x);
    clsolve_gauss_jordan_batch_destroy(t->handle);
    t->handle = NULL;
    drop(s, t);
    return --t->rounds > 0;
}

static void end(soak *s, void *task) {
    SCRATCH batch_task *t = task;
    (void)s;
    clsolve_gauss_jordan_batch_destroy(t->handle);
}

const soak_family soak_gauss_jordan_batch = {"gauss-jordan batch", begin, step, end};
