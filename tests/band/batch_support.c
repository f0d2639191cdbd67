#include "band/batch_support.h"

#include <float.h>

#include "api/context.h"

const char *const form_names[FORMS] = {"own", "group", "item"};
clsolve_context *context;
clsolve_type type;
clsolve_device_info real;
static const double spare = -77.25;

/* The device is what it is, or a GPU with so many work-items in a group and so few units that batches count as large. */
static void set_form(int form, const clsolve_device_info *real) {
    clsolve_device_info *info = &context->device->info;
    *info = *real;
    if (form == FORM_OWN) return;
    info->type = CLSOLVE_DEVICE_GPU;
    if (info->max_work_group > 64) info->max_work_group = 64;
    info->compute_units = form == FORM_ITEM ? 1 : 1 << 20;
}

double get(const members *m, int64_t index) {
    return type == CLSOLVE_F32 ? (double)((float *)m->view.data)[index] : ((double *)m->view.data)[index];
}

void put(const members *m, int64_t index, double value) {
    if (type == CLSOLVE_F32)
        ((float *)m->view.data)[index] = (float)value;
    else
        ((double *)m->view.data)[index] = value;
}

int64_t index_of(const members *m, int64_t member, int64_t r, int64_t c) {
    const clsolve_batch *b = &m->view;
    int64_t begin = b->offsets ? b->offsets[member] : member * b->stride;
    return begin + (b->layout == CLSOLVE_COLUMN_MAJOR ? r + c * b->ld : r * b->ld + c);
}

/* `how`: 0 tight; 1 with room between lines and members; 2 by offsets in falling order. All `spare`. */
static members make(int64_t count, int64_t rows, int64_t cols, clsolve_layout layout, int how) {
    members m = {0};
    int64_t line = layout == CLSOLVE_COLUMN_MAJOR ? rows : cols, lines = layout == CLSOLVE_COLUMN_MAJOR ? cols : rows;
    clsolve_batch *b = &m.view;
    *b = (clsolve_batch){.type = type, .layout = layout, .count = count, .rows = rows, .cols = cols};
    b->ld = (line > 0 ? line : 1) + (how > 0 ? 2 : 0);
    b->stride = b->ld * lines + (how > 0 ? 3 : 0);
    m.elements = b->stride * count + 1;
    b->data = calloc((size_t)m.elements, sizeof(double));
    assert_non_null(b->data);
    if (how == 2) {
        m.offsets = calloc((size_t)count + 1, sizeof *m.offsets);
        assert_non_null(m.offsets);
        for (int64_t c = 0; c < count; ++c) m.offsets[c] = (count - 1 - c) * b->stride;
        b->offsets = m.offsets;
    }
    for (int64_t k = 0; k < m.elements; ++k) put(&m, k, spare);
    return m;
}

static void drop(members *m) {
    free(m->view.data);
    free(m->offsets);
}

batch make_batch(test_random *random, shape s) {
    batch t = {.s = s};
    t.band = calloc((size_t)s.count + 1, sizeof *t.band);
    t.info = calloc((size_t)s.count + 1, sizeof *t.info);
    t.exact = calloc((size_t)s.count + 1, sizeof *t.exact);
    t.b = calloc((size_t)(s.count * s.n * s.nrhs) + 1, sizeof *t.b);
    assert_true(t.band != NULL && t.info != NULL && t.exact != NULL && t.b != NULL);
    t.AB = make(s.count, s.kl + s.ku + 1, s.n, s.layout, s.how);
    t.B = make(s.count, s.n, s.nrhs, s.layout, s.how);
    for (int64_t m = 0; m < s.count; ++m) {
        t.band[m] = narrow_band_random(random, s.n, s.kl, s.ku, 0);
        narrow_band_round(&t.band[m], type);
        for (int64_t k = 0; k < s.n * s.nrhs; ++k) {
            double value = test_random_signed(random);
            t.b[m * s.n * s.nrhs + k] = type == CLSOLVE_F32 ? (double)(float)value : value;
        }
    }
    return t;
}

void store(const batch *t) {
    const shape *s = &t->s;
    for (int64_t m = 0; m < s->count; ++m) {
        for (int64_t j = 0; j < s->n; ++j)
            for (int64_t r = 0; r < s->kl + s->ku + 1; ++r) {
                int64_t i = r - s->ku + j;
                put(&t->AB, index_of(&t->AB, m, r, j),
                    i >= 0 && i < s->n ? *narrow_band_at(&t->band[m], i, j) : (double)NAN);
            }
        for (int64_t c = 0; c < s->nrhs; ++c)
            for (int64_t i = 0; i < s->n; ++i) put(&t->B, index_of(&t->B, m, i, c), t->b[(m * s->nrhs + c) * s->n + i]);
    }
}

void drop_batch(batch *t) {
    for (int64_t m = 0; m < t->s.count; ++m) narrow_band_free(&t->band[m]);
    drop(&t->AB);
    drop(&t->B);
    free(t->band);
    free(t->info);
    free(t->exact);
    free(t->b);
    clsolve_band_batch_destroy(t->handle);
}

void must(clsolve_status status) {
    if (status != CLSOLVE_OK) fail_msg("%s: %s", clsolve_status_name(status), clsolve_context_message(context));
}

void run_factor(batch *t) {
    const shape *s = &t->s;
    if (!t->handle) must(clsolve_band_batch_create(context, s->n, s->kl, s->ku, s->count, type, NULL, &t->handle));
    store(t);
    must(clsolve_band_batch_factor(t->handle, &t->AB.view, t->info));
}

/* Member m of B, into x; what lies between must be as it was. */
static void load(const batch *t, int64_t m, double *x) {
    for (int64_t c = 0; c < t->s.nrhs; ++c)
        for (int64_t i = 0; i < t->s.n; ++i) x[c * t->s.n + i] = get(&t->B, index_of(&t->B, m, i, c));
}

void check_solutions(batch *t, clsolve_op op) {
    const shape *s = &t->s;
    SCRATCH double *x = test_doubles((s->n * s->nrhs) + 1);
    store(t);
    must(clsolve_band_batch_solve(t->handle, op, &t->B.view, t->info));
    for (int64_t m = 0; m < s->count; ++m) {
        const double *b = t->b + m * s->n * s->nrhs;
        load(t, m, x);
        if (t->info[m] != 0) {
            assert_memory_equal(x, b, (size_t)(s->n * s->nrhs) * sizeof *x);
            continue;
        }
        double ratio = narrow_band_ratio(&t->band[m], type, op, s->nrhs, b, x) / (double)(s->n > 0 ? s->n : 1);
        if (!(ratio < 30)) fail_msg("member %lld: ratio %g", (long long)m, ratio);
    }
}

/* Pivots are rows that the column reaches, multipliers at most 1, and info the first zero on U's diagonal. */
static void check_pivots_of(const narrow_band *band, const double *factors, const int64_t *pivots, int64_t info) {
    int64_t n = band->n, kv = band->kl + band->ku, zero = 0;
    double most = 1 + 4 * (type == CLSOLVE_F32 ? FLT_EPSILON : DBL_EPSILON);
    for (int64_t j = 0; j < n; ++j) {
        int64_t last = j + band->kl < n ? j + band->kl : n - 1;
        assert_in_range(pivots[j], j + 1, last + 1);
        for (int64_t i = j + 1; i <= last; ++i) {
            double l = factors[kv + i - j + j * band->ld];
            if (!(fabs(l) <= most)) fail_msg("multiplier %lld of column %lld is %g", (long long)i, (long long)j, l);
        }
        if (factors[kv + j * band->ld] == 0 && zero == 0) zero = j + 1;
    }
    assert_int_equal(info, zero);
}

/* With `alike`, all operations are exact, and LAPACK's answer is the only one. */
static void compare_with_lapack(const narrow_band *band, const double *ours, const int64_t *our_pivots,
                                int64_t our_info, int alike) {
    int64_t n = band->n, kv = band->kl + band->ku, *pivots = calloc((size_t)n + 1, sizeof *pivots);
    SCRATCH double *factors = calloc((size_t)(band->ld * n) + 1, sizeof *factors);
    assert_true(factors != NULL && pivots != NULL);
    int64_t info = narrow_band_gbtrf(band, factors, pivots);
    if (alike) {
        assert_int_equal(our_info, info);
        for (int64_t j = 0; j < n; ++j) assert_int_equal(our_pivots[j], pivots[j]);
        for (int64_t j = 0; j < n; ++j)
            for (int64_t r = 0; r < band->ld; ++r) {
                int64_t i = r - kv + j, at = r + j * band->ld;
                if (i >= 0 && i < n && !(ours[at] == factors[at]))
                    fail_msg("element %lld, %lld: %g, not %g", (long long)i, (long long)j, ours[at], factors[at]);
            }
    }
    /* An error as large as eps n ||A|| makes no such matrix singular. */
    double safe = type == CLSOLVE_F32 ? 1e-4 : 1e-10;
    if (n > 0 && info == 0 && narrow_band_rcond(band, factors, pivots) > safe) assert_int_equal(our_info, 0);
    free(pivots);
}

void check_factors(batch *t) {
    const shape *s = &t->s;
    int64_t rows = 2 * s->kl + s->ku + 1, *pivots = calloc((size_t)(s->n * s->count) + 1, sizeof *pivots);
    SCRATCH double *factors = calloc((size_t)(rows * s->n) + 1, sizeof *factors);
    members AFB = make(s->count, rows, s->n, s->layout, s->how);
    assert_true(pivots != NULL && factors != NULL);
    must(clsolve_band_batch_factors(t->handle, &AFB.view, pivots));
    for (int64_t m = 0; m < s->count; ++m) {
        if (t->info[m] < 0) continue;
        for (int64_t j = 0; j < s->n; ++j)
            for (int64_t r = 0; r < rows; ++r) factors[r + j * rows] = get(&AFB, index_of(&AFB, m, r, j));
        check_pivots_of(&t->band[m], factors, pivots + m * s->n, t->info[m]);
        compare_with_lapack(&t->band[m], factors, pivots + m * s->n, t->info[m], t->exact[m]);
        double ratio = narrow_band_factor_ratio(&t->band[m], type, factors, pivots + m * s->n);
        if (!(ratio < 30))
            fail_msg("n %lld, kl %lld, ku %lld, member %lld: ratio of the factors %g", (long long)s->n,
                     (long long)s->kl, (long long)s->ku, (long long)m, ratio);
    }
    drop(&AFB);
    free(pivots);
}

void each_form(void (*check)(int form)) {
    for (int form = 0; form < FORMS; ++form) {
        set_form(form, &real);
        print_message("form %s\n", form_names[form]);
        check(form);
    }
    set_form(FORM_OWN, &real);
}

/* Half of the members become exact ones, and half of those singular. */
static void mix_in_exact(test_random *random, batch *t) {
    for (int64_t m = 0; m < t->s.count; ++m) {
        t->exact[m] = (int)(test_random_bits(random) & 1);
        if (!t->exact[m]) continue;
        narrow_band_free(&t->band[m]);
        t->band[m] = narrow_band_exact(random, t->s.n, t->s.kl, t->s.ku, (int)(test_random_bits(random) & 1));
    }
}

void check_shape(test_random *random, shape s) {
    batch t = make_batch(random, s);
    mix_in_exact(random, &t);
    run_factor(&t);
    for (int64_t m = 0; m < s.count; ++m) assert_true(t.info[m] >= 0);
    check_factors(&t);
    check_solutions(&t, CLSOLVE_NO_TRANS);
    check_solutions(&t, CLSOLVE_TRANS);
    drop_batch(&t);
}
