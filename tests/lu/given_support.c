#include "lu/given_support.h"

clsolve_context *given_context;
int given_has_double;

static const int64_t sizes[] = {0, 1, 2, 3, 5, 15, 16, 17, 33, 64, 65, 127, 128, 129, 200, 307};
enum { SIZES = sizeof sizes / sizeof *sizes };

void given_by_lapack(lu_system *s) {
    const int64_t n = s->n;
    lapack_int order = (lapack_int)n, ld = order > 0 ? order : 1;
    SCRATCH float *single = test_room((n * n) + 1, sizeof *single);

    for (int64_t k = 0; k < n * n; ++k) {
        single[k] = (float)s->A[k];
        s->LU[k] = s->A[k];
    }
    if (s->type == CLSOLVE_F64)
        s->info = LAPACKE_dgetrf(LAPACK_COL_MAJOR, order, order, s->LU, ld, s->pivots);
    else
        s->info = LAPACKE_sgetrf(LAPACK_COL_MAJOR, order, order, single, ld, s->pivots);
    for (int64_t k = 0; s->type == CLSOLVE_F32 && k < n * n; ++k) s->LU[k] = (double)single[k];
    for (int64_t k = 0; k < n; ++k) s->ipiv[k] = s->pivots[k];
}

lu_system given_system(clsolve_type type, int64_t n, uint64_t use) {
    lu_system s = {.type = type, .n = n, .A = test_doubles(n * n), .LU = test_doubles(n * n)};
    test_random random = test_random_start(use);

    s.ipiv = calloc((size_t)n + 1, sizeof *s.ipiv);
    s.pivots = calloc((size_t)n + 1, sizeof *s.pivots);
    assert_true(s.ipiv && s.pivots);
    test_random_fill(&random, s.A, n * n);
    for (int64_t k = 0; k < n * n; ++k) s.A[k] = test_rounded(type, s.A[k]);
    given_by_lapack(&s);
    return s;
}

void given_free(lu_system *s) {
    free(s->A);
    free(s->LU);
    free(s->ipiv);
    free(s->pivots);
}

clsolve_lu *given_handle(const lu_system *s, int host, int refines) {
    clsolve_lu_options options = test_lu_options();
    clsolve_lu *lu = NULL;
    options.where = host ? CLSOLVE_WHERE_HOST : CLSOLVE_WHERE_DEVICE;
    options.precision = CLSOLVE_PRECISION_WORKING;
    options.refine = refines;
    if (host) options.panel = CLSOLVE_PANEL_AUTO;
    if (clsolve_lu_create(given_context, s->n, s->type, &options, &lu) != CLSOLVE_OK)
        fail_msg("create: %s", clsolve_context_message(given_context));
    return lu;
}

test_matrix given_matrix(const lu_system *s, clsolve_layout layout, int64_t cols, const double *values) {
    test_matrix m = test_matrix_make(s->type, layout, s->n, cols, 2);
    test_matrix_set(&m, values);
    return m;
}

clsolve_lu *given_import(const lu_system *s, int host, clsolve_layout layout) {
    clsolve_lu *lu = given_handle(s, host, 0);
    scratch_matrix m = given_matrix(s, layout, s->n, s->LU);
    clsolve_status status = clsolve_lu_import(lu, &m.view, s->ipiv);
    if (status != CLSOLVE_OK) fail_msg("import, n %d: %s", (int)s->n, clsolve_context_message(given_context));
    return lu;
}

void given_each(void (*check)(const lu_system *s, clsolve_lu *lu, clsolve_layout layout)) {
    for (int64_t k = 0; k < SIZES; ++k)
        for (int is_double = 0; is_double <= given_has_double; ++is_double) {
            if (test_reduced() && k % 2) continue;
            scratch_given s = given_system(is_double ? CLSOLVE_F64 : CLSOLVE_F32, sizes[k], (uint64_t)(100 + k));
            for (int host = 0; host < 2; ++host) {
                clsolve_layout layout = (k + is_double + host) % 2 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
                OWNED(lu) *lu = given_import(&s, host, layout);
                check(&s, lu, layout);
            }
        }
}
