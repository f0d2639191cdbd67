/*
 * The engine of LDL^T by kernels (method/ldl/device.h) alone: factors and solutions by scaled residuals, for matrices
 * that each of its two ways is for, and which way they went.
 */
#include <clsolve/clsolve.h>

#include <complex.h>

#include "api/context.h"
#include "method/ldl/device.h"
#include "lu/ratios.h"
#include "support/test_support.h"

enum { SIDES = 3 };

typedef struct form {
    clsolve_type type;
    int hermitian;
    const char *name;
} form;

static const form forms[] = {{CLSOLVE_F32, 1, "f32"},           {CLSOLVE_F64, 1, "f64"},
                             {CLSOLVE_C32, 1, "c32"},           {CLSOLVE_C64, 1, "c64"},
                             {CLSOLVE_C32, 0, "c32 symmetric"}, {CLSOLVE_C64, 0, "c64 symmetric"}};

/* All matrices are tried, and each wrong one is named. */
static int wrong;
#define WRONG(...) (++wrong, print_error(__VA_ARGS__))

/* ---- matrices ---- */

typedef enum kind {
    RANDOM,
    ZERO_DIAGONAL,
    SADDLE,
    CORNERS,
    EXCHANGE,
    FAINT,
    GRADED,
    SINGULAR,
    TINY,
    ZEROS,
    KINDS
} kind;
static const char *const kind_names[KINDS] = {
    "random", "zero diagonal", "saddle point", "[0 B; B^T 0]", "[0 I; I 0]", "[small B; B^T small]",
    "graded", "singular",      "tiny",         "zeros"};

static uint64_t seed;

static double uniform(void) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

static double complex element(const form *f) {
    const double re = uniform();
    return cls_is_complex(f->type) ? re + uniform() * I : re;
}

static double complex adjoint(const form *f, double complex x) {
    return f->hermitian ? conj(x) : x;
}

static double size_in(const form *f, kind k, int64_t n, int64_t i, int64_t j) {
    const int64_t half = (n + 1) / 2;
    const int top = i < half, left = j < half;
    switch (k) {
    case ZERO_DIAGONAL:
        return i != j;
    case SADDLE:
        return top || left;
    case CORNERS:
        return top != left;
    case FAINT:
        return top != left ? 1 : 1.0 / 1024;
    case EXCHANGE:
        return i == j + half || j == i + half || (n % 2 == 1 && i == half - 1 && j == i);
    case GRADED:
        return pow(2, -(double)((i + j) * 20 / (n + 1)));
    case TINY:
        return cls_is_double(f->type) ? 1e-290 : 1e-30;
    case ZEROS:
        return 0;
    default:
        return 1;
    }
}

/* A, n x n. A singular one is of rank n / 2 but for rounding. */
static void make(const form *f, kind k, int64_t n, double complex *a) {
    const int64_t rank = k == SINGULAR ? (n + 1) / 2 : n;
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j; i < n; ++i) {
            double complex x = element(f);
            if (k == EXCHANGE) x = 1;
            x *= size_in(f, k, n, i, j);
            if (i == j && f->hermitian) x = creal(x);
            if (!cls_is_double(f->type)) x = (float)creal(x) + (float)cimag(x) * I;
            a[i + j * n] = x;
            a[j + i * n] = adjoint(f, x);
        }
    /* The rest from the leading block: rows and columns are copies of those rank places before. */
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j; i < n && rank < n; ++i) {
            const int64_t p = i % rank, q = j % rank;
            a[i + j * n] = a[p + q * n];
            a[j + i * n] = a[q + p * n];
        }
}

/* ---- the device ---- */

static void put(clsolve_type type, void *values, int64_t k, double complex x) {
    const int64_t parts = cls_type_parts(type);
    cls_type_put(type, values, k * parts, creal(x));
    if (parts == 2) cls_type_put(type, values, k * parts + 1, cimag(x));
}

static double complex get(clsolve_type type, const void *values, int64_t k) {
    const int64_t parts = cls_type_parts(type);
    return cls_type_get(type, values, k * parts) + (parts == 2 ? cls_type_get(type, values, k * parts + 1) * I : 0);
}

static cls_rect rect_of(const cls_matrix *m, int64_t cols) {
    const size_t size = (size_t)cls_type_size(m->type), bytes = (size_t)m->rows * size;
    return (cls_rect){bytes, (size_t)cols, 0, (size_t)m->ld * size, bytes};
}

static void to_device(cls_device *device, cls_matrix *m, int64_t cols, const double complex *x, void *room) {
    const cls_rect rect = rect_of(m, cols);
    for (int64_t k = 0; k < m->rows * cols; ++k) put(m->type, room, k, x[k]);
    assert_int_equal(device->ops->write(device, CLS_COMPUTE, m->slab[0], room, &rect, NULL, NULL), CLSOLVE_OK);
    assert_int_equal(device->ops->finish(device, CLS_COMPUTE), CLSOLVE_OK);
}

static void from_device(cls_device *device, const cls_matrix *m, int64_t cols, double complex *x, void *room) {
    const cls_rect rect = rect_of(m, cols);
    assert_int_equal(device->ops->read(device, CLS_COMPUTE, m->slab[0], room, &rect, NULL, NULL), CLSOLVE_OK);
    assert_int_equal(device->ops->finish(device, CLS_COMPUTE), CLSOLVE_OK);
    for (int64_t k = 0; k < m->rows * cols; ++k) x[k] = get(m->type, room, k);
}

/* ---- checks ---- */

static double norm_1(int64_t n, int64_t cols, const double complex *a) {
    return ratio_norm(CLSOLVE_C64, n, cols, (const double *)a);
}

static void exchange(int64_t n, double complex *a, int64_t p, int64_t q) {
    for (int64_t k = 0; k < n && p != q; ++k) {
        const double complex x = a[p + k * n];
        a[p + k * n] = a[q + k * n];
        a[q + k * n] = x;
    }
    for (int64_t k = 0; k < n && p != q; ++k) {
        const double complex x = a[k + p * n];
        a[k + p * n] = a[k + q * n];
        a[k + q * n] = x;
    }
}

/* ||P^T A P - L D L^H|| / (n ||A|| epsilon); `r` becomes the numerator's matrix. *most: of L. */
static double residual(const form *f, const cls_ldl *ldl, const double complex *a, double complex *l, double complex *r,
                       double *most) {
    const int64_t n = ldl->n;
    memcpy(r, a, (size_t)(n * n) * sizeof *r);
    for (int64_t k = 0; k < n; ++k) {
        const int64_t other = llabs(ldl->ipiv[k]) - 1;
        assert_in_range(other, k, n - 1);
        exchange(n, r, k, other);
    }
    *most = 0;
    for (int64_t j = 0; j < n; ++j) {
        const double complex d = get(f->type, ldl->d, j);
        assert_true(d == l[j + j * n] || d != d);
        for (int64_t i = 0; i <= j; ++i) l[i + j * n] = i == j;
        for (int64_t i = j + 1; i < n; ++i) *most = fmax(*most, fabs(creal(l[i + j * n])) + fabs(cimag(l[i + j * n])));
    }
    for (int64_t k = 0; k < n; ++k) {
        const int first = k + 1 < n && get(f->type, ldl->e, k) != 0, second = k > 0 && get(f->type, ldl->e, k - 1) != 0;
        const double complex d = get(f->type, ldl->d, k);
        assert_int_equal(ldl->ipiv[k] < 0, first || second);
        if (first) assert_true(l[k + 1 + k * n] == 0);
        for (int64_t j = k - second; j < n; ++j) {
            double complex row = d * adjoint(f, l[j + k * n]);
            if (first) row += adjoint(f, get(f->type, ldl->e, k)) * adjoint(f, l[j + (k + 1) * n]);
            if (second) row += get(f->type, ldl->e, k - 1) * adjoint(f, l[j + (k - 1) * n]);
            for (int64_t i = k; i < n; ++i) r[i + j * n] -= l[i + k * n] * row;
        }
    }
    for (int64_t j = 0; j < n; ++j) /* the lower triangle alone was reduced by all */
        for (int64_t i = 0; i < j; ++i) r[i + j * n] = 0;
    const double norm = norm_1(n, n, a), left = norm_1(n, n, r);
    return norm == 0 ? (left == 0 ? 0 : INFINITY) : left / ((double)n * norm * cls_type_epsilon(f->type));
}

static double solution(const form *f, int64_t n, const double complex *a, const double complex *b,
                       const double complex *x, double complex *r) {
    for (int64_t c = 0; c < SIDES; ++c)
        for (int64_t i = 0; i < n; ++i) {
            r[i + c * n] = b[i + c * n];
            for (int64_t k = 0; k < n; ++k) r[i + c * n] -= a[i + k * n] * x[k + c * n];
        }
    return norm_1(n, SIDES, r) / ((double)n * norm_1(n, n, a) * norm_1(n, SIDES, x) * cls_type_epsilon(f->type));
}

/* Which way it is to go: windows find pivots in matrices with elements everywhere, and not in zeros. */
static void check_way(const cls_ldl *ldl, kind k, const form *f) {
    const cls_ldl_device *own = cls_ldl_own(ldl);
    const int many = ldl->n >= 3 * own->window;
    const int fast = k == RANDOM || k == ZERO_DIAGONAL || k == SADDLE || k == TINY || k == ZEROS;
    const int exact = (k == CORNERS || k == EXCHANGE || k == FAINT) && many;
    if ((fast && (own->exact_blocks > 0 || own->fast_blocks != (ldl->n + own->taken - 1) / own->taken)) ||
        (exact && own->exact_blocks == 0))
        WRONG("%s, %s, n = %lld: %lld windows, %lld launches of the exact way\n", f->name, kind_names[k],
              (long long)ldl->n, (long long)own->fast_blocks, (long long)own->exact_blocks);
}

/* With partial pivots the first row of a block of order 2 stays. */
static void check_exchanges(const cls_ldl *ldl) {
    for (int64_t k = 0; ldl->partial && k < ldl->n; ++k)
        if (ldl->ipiv[k] < 0) {
            assert_int_equal(ldl->ipiv[k], -(k + 1));
            ++k;
        }
}

static void one(clsolve_context *context, const form *f, kind k, int64_t n, int32_t block, int partial) {
    cls_device *device = context->device;
    const clsolve_ldl_options options = {.panel = CLSOLVE_PANEL_NATIVE, .block = block};
    const size_t elements = (size_t)(n * n + n * SIDES + 1);
    SCRATCH double complex *a = calloc(elements, sizeof *a), *l = calloc(elements, sizeof *l),
                           *r = calloc(elements, sizeof *r);
    SCRATCH double complex *b = calloc(elements, sizeof *b);
    SCRATCH void *room = calloc(elements, 16);
    cls_ldl ldl = {.device = device, .n = n, .type = f->type, .hermitian = f->hermitian, .partial = partial};
    int64_t info = -1;

    ldl.ipiv = calloc((size_t)n + 1, sizeof *ldl.ipiv);
    ldl.d = calloc((size_t)n + 1, 16);
    ldl.e = calloc((size_t)n + 1, 16);
    seed = (uint64_t)(n * 100 + (int64_t)k) + test_seed();
    make(f, k, n, a);
    for (int64_t i = 0; i < n * SIDES; ++i) b[i] = element(f);
    assert_int_equal(cls_matrix_create(device, f->type, n, n, 1, 0, &ldl.A), CLSOLVE_OK);
    assert_int_equal(cls_matrix_create(device, f->type, n, SIDES, 1, 0, &ldl.B), CLSOLVE_OK);
    if (cls_ldl_on_device.setup(&ldl, &options) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));
    to_device(device, &ldl.A, n, a, room);
    to_device(device, &ldl.B, SIDES, b, room);
    if (cls_ldl_on_device.factor(&ldl, &options, &info) != CLSOLVE_OK) fail_msg("%s", clsolve_context_message(context));
    from_device(device, &ldl.A, n, l, room);
    double most, ratio = residual(f, &ldl, a, l, r, &most);
    if (!(ratio < 30) || !(most <= 9 || partial))
        WRONG("%s, %s, n = %lld: residual %g, largest element of L %g\n", f->name, kind_names[k], (long long)n, ratio,
              most);
    check_way(&ldl, k, f);
    check_exchanges(&ldl);
    const int is_singular = k == SINGULAR || norm_1(n, n, a) == 0 || (k == CORNERS && n % 2 == 1);
    if (k == ZEROS) assert_int_equal(info, 1);
    if (!is_singular) assert_int_equal(info, 0);
    if (!is_singular) {
        for (int again = 0; again < 2; ++again) { /* with numbers from the host the second time */
            to_device(device, &ldl.B, SIDES, b, room);
            if (again) assert_int_equal(cls_ldl_on_device.put(&ldl), CLSOLVE_OK);
            assert_int_equal(cls_ldl_on_device.apply(&ldl, SIDES), CLSOLVE_OK);
            from_device(device, &ldl.B, SIDES, l, room);
            ratio = solution(f, n, a, b, l, r);
            if (!(ratio < 30))
                WRONG("%s, %s, n = %lld: solution's residual %g\n", f->name, kind_names[k], (long long)n, ratio);
        }
    }
    cls_ldl_on_device.release(&ldl);
    cls_matrix_destroy(device, &ldl.A);
    cls_matrix_destroy(device, &ldl.B);
    free(ldl.ipiv);
    free(ldl.d);
    free(ldl.e);
}

TEST(factors_are_right) {
    static const int64_t orders[] = {1, 2, 3, 5, 16, 31, 32, 33, 63, 64, 65, 97, 131, 257};
    for (size_t t = 0; t < sizeof forms / sizeof forms[0]; ++t)
        for (kind k = RANDOM; k < KINDS; ++k)
            for (size_t o = 0; o < sizeof orders / sizeof orders[0]; ++o)
                one(*state, &forms[t], k, orders[o], 0, (int)(t + (size_t)k + o) % 2);
    assert_int_equal(wrong, 0);
}

/* Many panels, which with look-ahead overlap the products behind them. */
TEST(panels_are_right) {
    static const int64_t orders[] = {193, 257, 331};
    for (size_t t = 0; t < sizeof forms / sizeof forms[0]; ++t)
        for (kind k = RANDOM; k < KINDS; ++k) {
            one(*state, &forms[t], k, orders[(t + (size_t)k) % 3], k % 2 ? 32 : 64, 0);
            one(*state, &forms[t], k, orders[(t + (size_t)k) % 3], k % 2 ? 64 : 32, 1);
        }
    assert_int_equal(wrong, 0);
}

static int open_context(void **state) {
    clsolve_context *context = NULL;
    if (clsolve_context_create(test_selector(), &context) != CLSOLVE_OK) return -1;
    *state = context;
    return 0;
}

static int close_context(void **state) {
    clsolve_context_destroy(*state);
    return 0;
}

TEST_PROGRAM(open_context, close_context)
