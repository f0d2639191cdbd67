#include "ldl/ldl_support.h"

#include "base/type.h"

const ldl_shape ldl_shapes[LDL_SHAPES] = {{CLSOLVE_F64, CLSOLVE_SYMMETRY_HERMITIAN, "f64"},
                                          {CLSOLVE_F32, CLSOLVE_SYMMETRY_HERMITIAN, "f32"},
                                          {CLSOLVE_C64, CLSOLVE_SYMMETRY_HERMITIAN, "c64 hermitian"},
                                          {CLSOLVE_C32, CLSOLVE_SYMMETRY_HERMITIAN, "c32 hermitian"},
                                          {CLSOLVE_C64, CLSOLVE_SYMMETRY_TRANSPOSE, "c64 symmetric"},
                                          {CLSOLVE_C32, CLSOLVE_SYMMETRY_TRANSPOSE, "c32 symmetric"}};
const char *const ldl_names[LDL_KINDS] = {"random",        "diagonal", "condition 0.1/eps", "near underflow",
                                          "near overflow", "graded",   "saddle point",      "no diagonal"};

clsolve_ldl_options test_ldl_options(const ldl_shape *shape) {
    return (clsolve_ldl_options){.panel = test_lu_options().panel, .symmetry = shape->symmetry};
}

void test_ldl_require_panel(void) {
    const clsolve_ldl_options options = {.panel = test_lu_options().panel};
    clsolve_context *context = test_context(0);
    clsolve_ldl *ldl = NULL;
    const clsolve_status status = clsolve_ldl_create(context, 3, CLSOLVE_F32, &options, &ldl);
    const int has = status != CLSOLVE_ERROR_UNSUPPORTED;
    if (!has) fprintf(stderr, "skipped: %s\n", clsolve_context_message(context));
    clsolve_ldl_destroy(ldl);
    clsolve_context_destroy(context);
    if (!has) exit(TEST_SKIPPED);
}

double complex *ldl_elements(int64_t count) {
    double complex *memory = test_room(count + 1, sizeof *memory);
    return memory;
}

/* ---- matrices ---- */

static int is_hermitian(const ldl_shape *shape) {
    return shape->symmetry == CLSOLVE_SYMMETRY_HERMITIAN;
}

static double complex partner(const ldl_shape *shape, double complex a) {
    return is_hermitian(shape) ? conj(a) : a;
}

static double complex rounded(const ldl_shape *shape, double complex a) {
    return cls_is_complex(shape->type) ? CMPLX(test_rounded(shape->type, creal(a)), test_rounded(shape->type, cimag(a)))
                                       : CMPLX(test_rounded(shape->type, creal(a)), 0);
}

/* A becomes H A H^H, or H A H^T, with a reflection H = I - 2 v v^H. */
static void reflect(test_random *random, const ldl_shape *shape, int64_t n, double complex *A) {
    SCRATCH double complex *v = ldl_elements(n), *w = ldl_elements(n);
    double norm = 0;
    for (int64_t i = 0; i < n; ++i) v[i] = hermitian_drawn(random, shape->type);
    for (int64_t i = 0; i < n; ++i) norm += creal(v[i] * conj(v[i]));
    for (int64_t i = 0; i < n; ++i) v[i] /= sqrt(norm);
    for (int64_t j = 0; j < n; ++j) {
        double complex dot = 0;
        for (int64_t i = 0; i < n; ++i) dot += conj(v[i]) * A[i + j * n];
        for (int64_t i = 0; i < n; ++i) A[i + j * n] -= 2 * v[i] * dot;
    }
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) w[i] += A[i + j * n] * (is_hermitian(shape) ? v[j] : conj(v[j]));
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) A[i + j * n] -= 2 * w[i] * (is_hermitian(shape) ? conj(v[j]) : v[j]);
}

static void fill_random(test_random *random, const ldl_shape *shape, int64_t n, double complex *A) {
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j; i < n; ++i) A[i + j * n] = hermitian_drawn(random, shape->type);
}

static void fill_ill(test_random *random, const ldl_shape *shape, int64_t n, double complex *A) {
    const double condition = 0.1 / test_epsilon(shape->type);
    for (int64_t k = 0; k < n; ++k)
        A[k * (n + 1)] = (k % 3 == 1 ? -1 : 1) * pow(condition, n > 1 ? -(double)k / (double)(n - 1) : 0);
    for (int time = 0; time < 2 && n > 1; ++time) reflect(random, shape, n, A);
}

static int exponent_of(const ldl_shape *shape, ldl_kind kind) {
    const int far = cls_is_double(shape->type) ? 1000 : 105;
    return kind == LDL_TINY ? -far : kind == LDL_HUGE ? far : 0;
}

void ldl_make(test_random *random, const ldl_shape *shape, ldl_kind kind, int64_t n, double complex *A) {
    const int grades = cls_is_double(shape->type) ? 30 : 12, exponent = exponent_of(shape, kind);
    const int64_t first = n - n / 3; /* the rows of H, before those of B */

    memset(A, 0, (size_t)(n * n) * sizeof *A);
    if (kind == LDL_ILL)
        fill_ill(random, shape, n, A);
    else
        fill_random(random, shape, n, A);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j; i < n; ++i) {
            double complex a = A[i + j * n];
            if (kind == LDL_DIAGONAL) a = i == j ? (i % 2 ? -1 : 1) * (1 + fabs(creal(a))) : 0;
            if (kind == LDL_GRADED) a = ldexp(1, -(int)(2 * grades * (i + j) / (2 * n))) * a;
            if (kind == LDL_SADDLE && j >= first) a = 0;
            if (kind == LDL_SADDLE && i == j && i < first) a = (double)n;
            if (kind == LDL_NO_DIAGONAL && i == j && n % 2 == 0) a = 0;
            if (i == j && is_hermitian(shape)) a = creal(a);
            a = rounded(shape, ldexp(1, exponent) * a);
            A[i + j * n] = a;
            A[j + i * n] = partner(shape, a);
        }
}

/* ---- the caller's triangle ---- */

void ldl_set(const ldl_shape *shape, const test_matrix *m, clsolve_uplo uplo, const double complex *A) {
    const int64_t n = m->view.rows, parts = cls_type_parts(shape->type);
    SCRATCH double *values = test_doubles((n * n * parts) + 1);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) {
            double *to = values + (i + j * n) * parts;
            to[0] = triangle_has(uplo, i, j) ? creal(A[i + j * n]) : (double)NAN;
            if (parts == 2) to[1] = triangle_has(uplo, i, j) ? cimag(A[i + j * n]) : (double)NAN;
            if (parts == 2 && i == j && is_hermitian(shape)) to[1] = i % 3 ? 7 : (double)NAN;
        }
    test_matrix_set(m, values);
}

void ldl_get(const ldl_shape *shape, const test_matrix *m, clsolve_uplo uplo, double complex *values) {
    const int64_t n = m->view.rows, parts = cls_type_parts(shape->type);
    SCRATCH double *all = test_doubles((n * n * parts) + 1);
    test_matrix_get(m, all);
    test_matrix_spare_intact(m);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < n; ++i) {
            const double *from = all + (i + j * n) * parts;
            if (!triangle_has(uplo, i, j)) {
                assert_true(isnan(from[0])); /* as it was */
                continue;
            }
            const double complex a = CMPLX(from[0], parts == 2 ? from[1] : 0);
            values[i + j * n] = a;
            if (i != j) values[j + i * n] = partner(shape, a);
        }
}

/* ---- ratios ---- */

static void swap(double complex *x, int64_t i, int64_t k) {
    const double complex a = x[i];
    x[i] = x[k];
    x[k] = a;
}

/* Rows k and p, from column `begin` to end - 1; columns alike where `both`. */
static void exchange(int64_t n, double complex *A, int64_t k, int64_t p, int64_t end, int both) {
    for (int64_t j = 0; j < end; ++j) swap(A + j * n, k, p);
    for (int64_t i = 0; i < n && both; ++i) {
        const double complex a = A[i + k * n];
        A[i + k * n] = A[i + p * n];
        A[i + p * n] = a;
    }
}

/* F as L, unit and with all exchanges in it, and D; A as P^T A P. */
static void take_apart(const ldl_shape *shape, int64_t n, const int64_t *ipiv, double complex *A, double complex *L,
                       double complex *D) {
    for (int64_t k = 0; k < n; ++k) {
        const int pair = ipiv[k] < 0 && k + 1 < n;
        for (int64_t q = k; q <= k + pair; ++q) {
            const int64_t p = (ipiv[q] < 0 ? -ipiv[q] : ipiv[q]) - 1;
            exchange(n, A, q, p, n, 1);
            exchange(n, L, q, p, k, 0);
            D[q * (n + 1)] = L[q * (n + 1)];
        }
        if (pair) {
            D[k + 1 + k * n] = L[k + 1 + k * n];
            D[k + (k + 1) * n] = partner(shape, L[k + 1 + k * n]);
            L[k + 1 + k * n] = 0;
        }
        k += pair;
    }
    for (int64_t j = 0; j < n; ++j) {
        L[j * (n + 1)] = 1;
        for (int64_t i = 0; i < j; ++i) L[i + j * n] = 0;
    }
}

double ldl_factor_ratio(const ldl_shape *shape, int64_t n, const double complex *A, const double complex *F,
                        const int64_t *ipiv, int bounded) {
    /* Of LAPACK's rook pivots, and of others 8. Magnitudes of complex elements that are compared are |re| + |im|. */
    const double rook = cls_is_complex(shape->type) ? 5 : 2.9, others = cls_is_complex(shape->type) ? 12 : 8.1;
    const double most = cls_is_double(shape->type) ? others : rook;
    SCRATCH double complex *P = ldl_elements(n * n), *L = ldl_elements(n * n), *D = ldl_elements(n * n);
    SCRATCH double complex *LD = ldl_elements(n * n);
    const double norm = hermitian_norm(n, n, A);

    memcpy(P, A, (size_t)(n * n) * sizeof *P);
    memcpy(L, F, (size_t)(n * n) * sizeof *L);
    take_apart(shape, n, ipiv, P, L, D);
    for (int64_t k = 0; k < n * n; ++k)
        if (bounded && !(cabs(L[k]) < most)) fail_msg("%s: L has an element of %g", shape->name, cabs(L[k]));
    for (int64_t j = 0; j < n; ++j)
        for (int64_t k = j > 0 ? j - 1 : 0; k < n && k <= j + 1; ++k)
            for (int64_t i = 0; i < n; ++i) LD[i + j * n] += L[i + k * n] * D[k + j * n];
    if (!is_hermitian(shape)) /* hermitian_rest conjugates */
        for (int64_t k = 0; k < n * n; ++k) L[k] = conj(L[k]);
    const double rest = hermitian_rest(n, n, n, LD, L, 1, P);
    return rest == 0 ? 0 : rest / ((double)n * norm * test_epsilon(shape->type));
}

double ldl_log_det(int64_t n, const double complex *A, double *argument) {
    double complex *U = ldl_elements(n * n);
    double sum = 0, turn = 0;
    memcpy(U, A, (size_t)(n * n) * sizeof *U);
    for (int64_t k = 0; k < n; ++k) {
        int64_t p = k;
        for (int64_t i = k; i < n; ++i)
            if (cabs(U[i + k * n]) > cabs(U[p + k * n])) p = i;
        exchange(n, U, k, p, n, 0);
        sum += log(cabs(U[k + k * n]));
        turn += carg(U[k + k * n]) + (p != k ? acos(-1) : 0);
        for (int64_t i = k + 1; i < n; ++i) {
            const double complex l = U[i + k * n] / U[k + k * n];
            for (int64_t j = k; j < n; ++j) U[i + j * n] -= l * U[k + j * n];
        }
    }
    free(U);
    *argument = remainder(turn, 2 * acos(-1));
    return sum;
}
