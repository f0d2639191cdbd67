#include "band/in_place_support.h"

clsolve_context *any_context;

enum { OUTSIDE = 777, UNREAD = 555 };

int64_t any_least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

int64_t any_rows(const any_shape *s) {
    return 2 * s->kl + s->ku + 1;
}

double *any_at(const any_shape *s, double *AB, int64_t i, int64_t j) {
    return &AB[s->kl + s->ku + i - j + j * any_rows(s)];
}

int any_inside(const any_shape *s, int64_t r, int64_t j) {
    int64_t i = r - s->kl - s->ku + j;
    return i >= 0 && i < s->m;
}

double *any_random(const any_shape *s, clsolve_type type, uint64_t use) {
    test_random random = test_random_start(use);
    double *AB = test_doubles(any_rows(s) * s->n);
    for (int64_t j = 0; j < s->n; ++j)
        for (int64_t r = 0; r < any_rows(s); ++r)
            AB[r + j * any_rows(s)] = !any_inside(s, r, j) ? OUTSIDE
                                      : r < s->kl          ? UNREAD
                                                           : test_rounded(type, test_random_signed(&random));
    return AB;
}

clsolve_band_options any_options(clsolve_where where) {
    clsolve_band_options options = test_band_options();
    options.where = where;
    if (where == CLSOLVE_WHERE_HOST) options.panel = CLSOLVE_PANEL_AUTO;
    return options;
}

/* ---- the ratio ---- */

static double element(const any_shape *s, const double *AB, int64_t i, int64_t j) {
    return i - j <= s->kl && j - i <= s->ku ? AB[s->kl + s->ku + i - j + j * any_rows(s)] : 0;
}

/* Column j of P^-1 L U. */
static void product_column(const any_shape *s, const double *AFB, const int64_t *ipiv, int64_t j, long double *x) {
    const int64_t k = any_least(s->m, s->n), kv = s->kl + s->ku;
    for (int64_t i = 0; i < s->m; ++i)
        x[i] = i <= j && j - i <= kv && i < k ? (long double)AFB[kv + i - j + j * any_rows(s)] : 0;
    for (int64_t t = k - 1; t >= 0; --t) {
        for (int64_t i = t + 1; i < s->m && i <= t + s->kl; ++i) x[i] += AFB[kv + i - t + t * any_rows(s)] * x[t];
        long double other = x[ipiv[t] - 1];
        x[ipiv[t] - 1] = x[t];
        x[t] = other;
    }
}

double any_ratio(const any_shape *s, clsolve_type type, const double *A, const double *AFB, const int64_t *ipiv) {
    long double *x = test_room(s->m + 1, sizeof *x);
    double worst = 0, norm = 0;

    for (int64_t j = 0; j < s->n; ++j) {
        double sum = 0, column = 0;
        product_column(s, AFB, ipiv, j, x);
        for (int64_t i = 0; i < s->m; ++i) {
            sum += fabs((double)(x[i] - (long double)element(s, A, i, j)));
            column += fabs(element(s, A, i, j));
        }
        worst = test_worst(worst, sum);
        norm = fmax(norm, column);
    }
    free(x);
    if (worst == 0) return 0;
    return norm > 0 ? worst / norm / (double)s->n / test_epsilon(type) : HUGE_VAL;
}

/* ---- one matrix ---- */

void any_release(any_outcome *o) {
    free(o->ipiv);
    free(o->AFB);
}

static void check_outside(const any_shape *s, const double *A, const double *AFB) {
    for (int64_t j = 0; j < s->n; ++j)
        for (int64_t r = 0; r < any_rows(s); ++r)
            if (!any_inside(s, r, j) && AFB[r + j * any_rows(s)] != A[r + j * any_rows(s)])
                fail_msg("%d x %d: AB(%d,%d), outside of the matrix, was written", (int)s->m, (int)s->n, (int)r,
                         (int)j);
}

any_outcome any_factor(const any_shape *s, clsolve_type type, clsolve_layout layout, const double *A,
                       const clsolve_band_options *options) {
    const int64_t k = any_least(s->m, s->n);
    scratch_matrix ab = test_matrix_make(type, layout, any_rows(s), s->n, 3);
    any_outcome o = {.ipiv = calloc((size_t)k + 1, sizeof *o.ipiv), .AFB = test_doubles(any_rows(s) * s->n)};

    assert_non_null(o.ipiv);
    o.ipiv[k] = -77;
    test_matrix_set(&ab, A);
    o.status =
        clsolve_band_factor_in_place(any_context, s->m, s->n, s->kl, s->ku, &ab.view, o.ipiv, options, &o.report);
    test_matrix_get(&ab, o.AFB);
    test_matrix_spare_intact(&ab);
    assert_int_equal(o.ipiv[k], -77);
    check_outside(s, A, o.AFB);
    for (int64_t t = 0; o.status >= CLSOLVE_OK && t < k; ++t)
        if (o.ipiv[t] < t + 1 || o.ipiv[t] > any_least(s->m, t + 1 + s->kl))
            fail_msg("pivot %d of %d x %d is %d", (int)t, (int)s->m, (int)s->n, (int)o.ipiv[t]);
    return o;
}

void any_expect(const any_shape *s, const any_outcome *o, clsolve_status status) {
    if (o->status != status)
        fail_msg("%d x %d, kl %d, ku %d: %s: %s", (int)s->m, (int)s->n, (int)s->kl, (int)s->ku,
                 clsolve_status_name(o->status), clsolve_context_message(any_context));
}
