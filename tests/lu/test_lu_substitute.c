/*
 * Solves with few right-hand sides by cl/substitute.cl, on factors that are made up: L and U are what a triangle's solve is hard for, not
 * what a factorization leaves. The residual is judged row by row, |b - L U x| against n eps (|L| |U| |x|), so that small rows
 * count as large ones do (N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, theorem 9.4).
 */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blas/blas_support.h"
#include "lu/ratios.h"
#include "method/lu/lu.h"
#include "method/lu/substitute.h"

enum { AT_ONCE = 4, MOST = 8, MORE = 11 }; /* right-hand sides in a sweep; by the kernel; in any test */
static const double bound = 4;

static cls_device *device;
static cls_error error;

typedef enum { ORDINARY, GRADED, NEARLY_SINGULAR, TINY_PIVOTS, KINDS } kind;

typedef struct problem {
    clsolve_type type;
    clsolve_op op;
    int64_t n, cols;
    kind what;
    double *LU, *B, *X; /* n x n, n x cols, tight; of complex types two an element */
} problem;

static void say(const problem *p, const char *what, double value) {
    fail_msg("type %d, op %d, n %d, %d columns, kind %d: %s %g", (int)p->type, (int)p->op, (int)p->n, (int)p->cols,
             (int)p->what, what, value);
}

/* ---- the problem ---- */

static int64_t parts_of(const problem *p) {
    return test_numbers(p->type, 1);
}

static int in_double(clsolve_type type) {
    return test_numbers(type, 1) * 8 == cls_type_size(type);
}

static long double complex element(const problem *p, const double *values, int64_t k) {
    return parts_of(p) == 2 ? values[2 * k] + (long double)values[2 * k + 1] * I : (long double)values[k];
}

/* |L| <= 1, as pivoting leaves it. Graded: rows of U from large to small or the other way round, rows of L likewise. */
static void make_factors(problem *p, test_random *random) {
    int64_t n = p->n, parts = parts_of(p);
    double range = in_double(p->type) ? 30 : 8;
    int falls = (int)(test_random_bits(random) & 1);
    for (int64_t j = 0; j < n; j++)
        for (int64_t at = 0; at < n * parts; at++) {
            const int64_t i = at / parts;
            double x = test_random_signed(random) / (i > j ? 4 : 1) / sqrt((double)n);
            double place = (double)(falls ? i : n - 1 - i) / (double)n;
            if (i == j && at % parts == 0) x = x < 0 ? x - 1 : x + 1;
            if (p->what == GRADED) x *= pow(10, -range * place / (i > j ? 4 : 1));
            if (p->what == NEARLY_SINGULAR && i == j && (i == n / 3 || i == n - 2)) x *= test_epsilon(p->type) * 100;
            /* Their inverses overflow. */
            if (p->what == TINY_PIVOTS && i <= j && i == n / 2) x = ldexp(x, in_double(p->type) ? -1040 : -140);
            p->LU[at + j * n * parts] = test_rounded(p->type, x);
        }
}

static problem make(clsolve_type type, clsolve_op op, int64_t n, int64_t cols, kind what, test_random *random) {
    const int64_t parts = test_numbers(type, 1);
    problem p = {type,
                 op,
                 n,
                 cols,
                 what,
                 test_doubles(n * n * parts),
                 test_doubles(n * cols * parts),
                 test_doubles(n * cols * parts)};
    make_factors(&p, random);
    for (int64_t k = 0; k < n * cols * parts; k++) {
        double x = test_random_signed(random);
        if (what == TINY_PIVOTS) x = ldexp(x, in_double(type) ? -1000 : -100);
        p.B[k] = test_rounded(type, x);
    }
    return p;
}

static void drop(problem *p) {
    free(p->LU);
    free(p->B);
    free(p->X);
}

/* ---- on the device ---- */

/* What no kernel may read, and what is between columns, holds no numbers. */
static void spoil(const cls_matrix *m) {
    for (int64_t s = 0; s < m->slabs; s++) {
        int64_t left = m->cols - s * m->slab_cols, columns = left < m->slab_cols ? left : m->slab_cols;
        size_t bytes = (size_t)(columns * m->ld * cls_type_size(m->type));
        assert_ok(device, device->ops->fill(device, CLS_COMPUTE, m->slab[s], 0, bytes, 0xff));
    }
}

static void column(const problem *p, const cls_matrix *m, int64_t j, int down, double *x) {
    float singles[2 * 1024] = {0};
    const int64_t numbers = p->n * parts_of(p);
    size_t bytes = (size_t)(p->n * cls_type_size(p->type));
    cls_ref ref = cls_matrix_at(m, 0, j);
    cls_rect rect = {bytes, 1, (size_t)(ref.offset * cls_type_size(p->type)), bytes, bytes};
    void *host = in_double(p->type) ? (void *)x : (void *)singles;
    assert_true(p->n <= 1024);
    for (int64_t i = 0; i < numbers; i++) singles[i] = down ? 0 : (float)x[i];
    assert_ok(device, down ? device->ops->read(device, CLS_COMPUTE, ref.buffer, host, &rect, NULL, NULL)
                           : device->ops->write(device, CLS_COMPUTE, ref.buffer, host, &rect, NULL, NULL));
    assert_ok(device, device->ops->finish(device, CLS_COMPUTE));
    for (int64_t i = 0; down && !in_double(p->type) && i < numbers; i++) x[i] = (double)singles[i];
}

static void setup(const problem *p, int64_t slab_columns, cls_lu *lu) {
    int64_t size = cls_type_size(p->type);
    clsolve_lu_options options = {.panel = CLSOLVE_PANEL_NATIVE, .block = 8};
    options.slab_bytes = slab_columns * cls_matrix_ld(p->n, size) * size;
    memset(lu, 0, sizeof *lu);
    assert_ok(device, cls_lu_setup(device, p->n, p->type, &options, lu));
    if (slab_columns > 0 && p->n > slab_columns) assert_true(lu->A.slabs > 1);
    spoil(&lu->A);
    for (int64_t j = 0; j < p->n; j++) column(p, &lu->A, j, 0, p->LU + j * p->n * parts_of(p));
    assert_ok(device, cls_lu_reserve(lu, p->cols, 0));
}

static void solve(const problem *p, cls_lu *lu) {
    spoil(&lu->B);
    for (int64_t j = 0; j < p->cols; j++) column(p, &lu->B, j, 0, (double *)p->B + j * p->n * parts_of(p));
    assert_ok(device, cls_lu_apply(lu, p->op, p->cols)); /* no factorization, no moves of rows */
    for (int64_t j = 0; j < p->cols; j++) column(p, &lu->B, j, 1, p->X + j * p->n * parts_of(p));
}

/* ---- what is right ---- */

/* y = T x and size = |T| |x|, T the half of LU with L's ones, or op of it. */
static void times(const problem *p, int upper, const long double complex *x, const long double *s,
                  long double complex *y, long double *size) {
    int64_t n = p->n;
    for (int64_t i = 0; i < n; i++) y[i] = size[i] = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = upper ? 0 : j; i < (upper ? j + 1 : n); i++) {
            long double complex t = i == j && !upper ? 1 : element(p, p->LU, i + j * n);
            int64_t r = p->op != CLSOLVE_NO_TRANS ? j : i, k = p->op != CLSOLVE_NO_TRANS ? i : j;
            y[r] += (p->op == CLSOLVE_CONJ_TRANS ? conjl(t) : t) * x[k];
            size[r] += cabsl(t) * s[k];
        }
}

static void check(const problem *p) {
    static long double complex v[2][1024];
    static long double s[2][1024];
    const double most = bound * (double)(parts_of(p) == 2 ? 4 : 1); /* a complex product is of four */
    double tiny =
        in_double(p->type) ? 0x1p-1074 : 0x1p-149; /* of what has few bits, what a product or a sum may lose */
    for (int64_t c = 0; c < p->cols; c++) {
        for (int64_t i = 0; i < p->n; i++) {
            v[0][i] = element(p, p->X, i + c * p->n);
            s[0][i] = cabsl(v[0][i]);
        }
        int last = p->op == CLSOLVE_NO_TRANS;
        times(p, last, v[0], s[0], v[1], s[1]);
        times(p, !last, v[1], s[1], v[0], s[0]);
        for (int64_t i = 0; i < p->n; i++) {
            long double off = cabsl(element(p, p->B, i + c * p->n) - v[0][i]), n = (long double)p->n;
            long double ratio = off / ((n + 4) * (test_epsilon(p->type) * s[0][i] + n * tiny));
            if (!(ratio < most)) say(p, "ratio", (double)ratio);
        }
    }
}

static void run(clsolve_type type, clsolve_op op, int64_t n, int64_t cols, kind what, int64_t slab_columns) {
    test_random random = test_random_start((uint64_t)(n * 64 + cols * 4 + (int64_t)what));
    problem p = make(type, op, n, cols, what, &random);
    cls_lu lu;
    setup(&p, slab_columns, &lu);
    solve(&p, &lu);
    check(&p);
    cls_lu_release(&lu);
    drop(&p);
}

/* ---- tests ---- */

static int has(clsolve_type type) {
    return !in_double(type) || device->info.fp64;
}

/* Real ones have no conjugates. */
static clsolve_op last_of(clsolve_type type) {
    return test_numbers(type, 1) == 2 ? CLSOLVE_CONJ_TRANS : CLSOLVE_TRANS;
}

static void for_types(clsolve_type last, int64_t n, int64_t cols, kind what, int64_t slab_columns) {
    for (clsolve_type type = CLSOLVE_F32; type <= last; type++)
        for (clsolve_op op = CLSOLVE_NO_TRANS; has(type) && op <= last_of(type); op++)
            run(type, op, n, cols, what, slab_columns);
}

static void for_all(int64_t n, int64_t cols, kind what, int64_t slab_columns) {
    for_types(CLSOLVE_C64, n, cols, what, slab_columns);
}

/* Around parts, waves and blocks, and primes; by the kernel, and without it where a work-group is too small for a block of 64 rows. */
static void sizes(void **state) {
    static const int64_t orders[] = {0, 1, 2, 3, 5, 8, 9, 31, 33, 63, 64, 65, 127, 128, 129, 191, 257, 385};
    const int64_t items = device->info.max_work_group;
    const size_t step = test_reduced() ? 3 : 1;
    for (int kernel = 1; kernel >= 0; kernel--) {
        if (!kernel) device->info.max_work_group = 128;
        for (size_t k = 0; k < sizeof orders / sizeof *orders; k += kernel ? step : 5 * step) {
            const clsolve_type last = k % 3 == 0 ? CLSOLVE_C64 : CLSOLVE_F64;
            for_types(last, orders[k], 1 + (int64_t)k % 2 * (2 + (int64_t)k % 7), ORDINARY, 0);
        }
    }
    device->info.max_work_group = items;
}

static void columns(void **state) {
    for (int64_t cols = 0; cols <= MORE; cols += test_reduced() ? 5 : 1)
        for_types(cols % 4 == 1 ? CLSOLVE_C64 : CLSOLVE_F64, 137, cols, ORDINARY, 0);
}

/* Slabs of A and of B: of less than a block, of one and a bit, of all but a few columns. */
static void slabs(void **state) {
    static const int64_t widths[] = {8, 56, 64, 72, 200, 320};
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k += test_reduced() ? 2 : 1)
        for_types(k % 3 == 0 ? CLSOLVE_C64 : CLSOLVE_F64, 331, 1 + 2 * (int64_t)(k % 2), ORDINARY, widths[k]);
    for_all(40, 9, ORDINARY, 8);
}

static void kinds(void **state) {
    for (kind what = GRADED; what < KINDS; what++) {
        for_types(CLSOLVE_F64, 150, 1, what, 0);
        for_types(test_reduced() && what % 2 ? CLSOLVE_F64 : CLSOLVE_C64, test_reduced() ? 201 : 301, 4, what, 0);
    }
}

/* What is no number in one right-hand side is none of another's, whose bits are the same whoever is beside it. */
static void not_finite(void **state) {
    enum { N = 200 };
    for (clsolve_type type = CLSOLVE_F32; type <= CLSOLVE_C64; type++)
        for (clsolve_op op = CLSOLVE_NO_TRANS; has(type) && op <= last_of(type); op++)
            for (int64_t cols = 2; cols <= MOST; cols += test_reduced() ? 6 : 3) {
                test_random random = test_random_start((uint64_t)cols);
                problem p = make(type, op, N, cols, ORDINARY, &random);
                const int64_t parts = parts_of(&p), count = N * cols * parts;
                double *X = test_doubles(count);
                int64_t bad = test_random_between(&random, 0, cols - 1), row = test_random_between(&random, 0, N - 1);
                cls_lu lu;
                setup(&p, 0, &lu);
                solve(&p, &lu);
                check(&p);
                memcpy(X, p.X, sizeof *X * (size_t)count);
                p.B[(row + bad * N) * parts] = test_random_bits(&random) & 1 ? (double)INFINITY : (double)NAN;
                solve(&p, &lu);
                for (int64_t k = 0; k < N * cols; k++) {
                    const double *x = p.X + k * parts;
                    if (k / N != bad && memcmp(x, X + k * parts, sizeof *X * (size_t)parts) != 0)
                        say(&p, "another column", x[0]);
                    if (k / N == bad && isfinite(x[0]) && isfinite(x[parts - 1])) say(&p, "finite", x[0]);
                }
                cls_lu_release(&lu);
                free(X);
                drop(&p);
            }
}

/* A launch a block and sweep and up to 4 right-hand sides, no memory, and from 9 right-hand sides on the products. */
static void check_launches(clsolve_type type) {
    enum { N = 300 };
    test_random random = test_random_start(1);
    problem p = make(type, CLSOLVE_NO_TRANS, N, MORE, ORDINARY, &random);
    cls_lu lu;
    setup(&p, 0, &lu);
    cls_ref B = cls_matrix_at(&lu.B, 0, 0);
    if (lu.substitute.block == 0) {
        cls_lu_release(&lu);
        drop(&p);
        skip();
    }
    for (clsolve_op op = CLSOLVE_NO_TRANS; op <= last_of(type); op++)
        for (int64_t cols = 1; cols <= MOST; cols++) {
            cls_counters before = device->counters;
            assert_true(cls_lu_substitutes(&lu, cols));
            assert_ok(device, cls_lu_substitute(&lu, op, cols, B));
            int64_t blocks = (N + lu.substitute.block - 1) / lu.substitute.block,
                    sweeps = (cols + AT_ONCE - 1) / AT_ONCE;
            assert_int_equal(device->counters.launches - before.launches, 2 * blocks * sweeps);
            assert_int_equal(device->counters.buffers, before.buffers);
            /* And the whole solve has one more, for the rows. */
            assert_ok(device, cls_lu_apply(&lu, op, cols));
            assert_int_equal(device->counters.launches - before.launches, 4 * blocks * sweeps + 1);
        }
    assert_false(cls_lu_substitutes(&lu, MOST + 1));
    cls_lu_release(&lu);
    drop(&p);
}

static void launches(void **state) {
    for (clsolve_type type = CLSOLVE_F32; type <= CLSOLVE_C64; type++)
        if (has(type)) check_launches(type);
}

/* ---- the kernel's own test ---- */

static int wrong, asked, found;

int __real_cls_lu_substitute_right(clsolve_type type, const void *X);
int __wrap_cls_lu_substitute_right(clsolve_type type, const void *X);
int __wrap_cls_lu_substitute_right(clsolve_type type, const void *X) {
    asked++;
    found = __real_cls_lu_substitute_right(type, X);
    assert_true(found);
    return found && !wrong;
}

/* Asked once per device and direction; a kernel that is wrong is not used, and the solution is right without it. */
static void check_wrong_kernel(clsolve_type type, const char *fact) {
    test_random random = test_random_start(1);
    char *folder = device->cache_folder;
    int known = cls_fact_get(device, fact);
    problem p = make(type, CLSOLVE_NO_TRANS, 50, 1, ORDINARY, &random);
    device->cache_folder = NULL; /* nothing is known from runs before, nor kept for those to come */
    for (wrong = 0; wrong < 2; wrong++) {
        cls_lu lu;
        asked = 0;
        assert_int_equal(cls_fact_set(device, fact, 0), CLSOLVE_OK);
        for (int round = 0; round < 2; round++) {
            setup(&p, 0, &lu);
            solve(&p, &lu);
            if (round == 0) cls_lu_release(&lu);
        }
        if (asked > 0 && found) assert_int_equal(asked, wrong ? 1 : 1 + (int)last_of(type) - (int)CLSOLVE_NO_TRANS);
        assert_int_equal(cls_lu_substitutes(&lu, 1),
                         asked > 0 && found && !wrong); /* some devices have no use for it */
        cls_lu_release(&lu);
        check(&p);
    }
    wrong = 0;
    assert_int_equal(cls_fact_set(device, fact, known), CLSOLVE_OK);
    device->cache_folder = folder;
    drop(&p);
}

static void a_wrong_kernel_is_not_used(void **state) {
    check_wrong_kernel(CLSOLVE_F32, "substitution single 64");
    check_wrong_kernel(CLSOLVE_C32, "substitution complex single 64");
}

static int open_device(void **state) {
    device = test_blas_device(NULL, &error);
    return 0;
}

static int close_device(void **state) {
    device->ops->destroy(device);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(columns),
        cmocka_unit_test(slabs),
        cmocka_unit_test(kinds),
        cmocka_unit_test(not_finite),
        cmocka_unit_test(launches),
        cmocka_unit_test(a_wrong_kernel_is_not_used),
    };
    test_require_device();
    return cmocka_run_group_tests(tests, open_device, close_device);
}
