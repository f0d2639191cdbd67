/*
 * The kernels of LU batches where lanes of a wave have a member's rows, on emulated ones in orders drawn from the seed: LAPACK's pivots
 * and residuals, of all operations, at awkward orders of each form, and beside good members those that are singular, hold NaN, or are
 * tiny.
 */
#include "kernels/lu_batch_form.h"

#include <float.h>

#include "kernels/form_support.h"

enum { MOST = 128, MEMBERS = 5, SIDES = 5, FIELDS = 11 };
static test_random numbers;

typedef struct batch {
    const lu_batch_form *form;
    int n, count;
    int info[MEMBERS], expected[MEMBERS], outcome[MEMBERS], scales[MEMBERS], rows[MEMBERS * MOST],
        exchanges[MEMBERS * MOST];
    int64_t fronts[MEMBERS * FIELDS];
    int list[MEMBERS];
    double complex A[MEMBERS][MOST * MOST], B[MEMBERS][MOST * SIDES];
    void *a, *f, *b;
} batch;

static double complex drawn(const lu_batch_form *f) {
    const double re = test_random_signed(&numbers), im = f->is_complex ? test_random_signed(&numbers) : 0;
    return form_rounded(f->is_double, re) + I * form_rounded(f->is_double, im);
}

static double complex get(const batch *b, const void *from, int64_t at) {
    return form_get_element(b->form->is_complex, b->form->is_double, from, at);
}

static void put(const batch *b, void *to, int64_t at, double complex value) {
    form_put_element(b->form->is_complex, b->form->is_double, to, at, value);
}

/* With so few digits that a tiny multiple has them all. */
static double complex short_of(double complex value) {
    return (round(creal(value) * 256) + I * round(cimag(value) * 256)) / 256;
}

/* Member 1 has a column of zeros, or a negative pivot, 2 NaN, 3 is tiny where members are scaled. Of Cholesky the lower triangle is
 * there. */
static void make(batch *b, const lu_batch_form *form, int n, int count) {
    memset(b, 0, sizeof *b);
    b->form = form;
    b->n = n;
    b->count = count;
    b->a = test_room(count * n * n, sizeof(double complex));
    b->f = form->small ? test_room(count * n * n, sizeof(double complex)) : b->a;
    b->b = test_room(count * n * SIDES, sizeof(double complex));
    for (int m = 0; m < count; ++m) {
        const double unit = m == 3 && form->small ? (form->is_double ? 0x1p-1040 : 0x1p-130) : 1;
        for (int k = 0; k < n * n; ++k) {
            double complex value = short_of(drawn(form));
            const int i = k % n, j = k / n;
            if (form->cholesky) value = i < j ? 0 : i == j ? creal(value) + n : value;
            if (m == 1 && (form->cholesky ? i == n / 2 && i == j : j == n / 2)) value = form->cholesky ? -1 : 0;
            if (m == 2 && k == n * n - 1) value = NAN;
            if (form->cholesky && i > j) b->A[m][j + i * n] = conj(value);
            if (form->cholesky && i < j) continue;
            b->A[m][k] = value;
            put(b, b->a, m * n * n + k, value * unit);
        }
        for (int k = 0; k < n * SIDES; ++k) {
            b->B[m][k] = short_of(drawn(form));
            put(b, b->b, m * n * SIDES + k, b->B[m][k] * unit);
        }
        b->expected[m] = m == 1 ? n / 2 + 1 : m == 2 ? -1 : 0;
        int64_t *front = b->fronts + m * FIELDS;
        front[0] = front[10] = n;
        front[2] = (int64_t)m * n * n;
        front[6] = (int64_t)m * n;
        b->list[m] = m;
    }
}

static void drop(batch *b) {
    free(b->a);
    if (b->f != b->a) free(b->f);
    free(b->b);
}

static lu_batch_launch launch_of(batch *b) {
    return (lu_batch_launch){.n = b->n,
                             .count = b->count,
                             .rhs = SIDES,
                             .A = b->a,
                             .F = b->f,
                             .B = b->b,
                             .rows = b->rows,
                             .scales = b->scales,
                             .info = b->info,
                             .outcome = b->outcome,
                             .exchanges = b->exchanges,
                             .fronts = b->fronts,
                             .list = b->list};
}

static void run(const batch *b, void (*kernel)(void *), lu_batch_launch *launch, int groups) {
    static emulator_words none;
    const emulator_launch it = {.groups = groups,
                                .items = b->form->items,
                                .kernel = kernel,
                                .arguments = launch,
                                .words = &none,
                                .count = 1,
                                .seed = test_random_bits(&numbers),
                                .late = -1};
    const char *error = emulator_run(&it);
    if (error) fail_msg("n %d of %d, complex %d: %s", b->n, b->form->most, b->form->is_complex, error);
}

static int groups_of(const batch *b) {
    return (b->count + b->form->members - 1) / b->form->members;
}

/* As cls_direct_batch_run_factor, a member at a time. */
static void by_panels(batch *b) {
    const int width = b->form->width, n = b->n;
    for (int m = 0; m < b->count; ++m)
        for (int k = 0; k < n + width; k += width) {
            lu_batch_launch launch = launch_of(b);
            const int right = n - k - width;
            launch.list += m;
            launch.column = k;
            run(b, b->form->factor, &launch,
                1 + (k > 0 && right > 0 ? (right + width - 1) / width : 0) + (k > width ? k / width - 1 : 0));
        }
    for (int m = 0; m < b->count; ++m) {
        int *row = b->rows + m * n;
        for (int i = 0; i < n; ++i) row[i] = i;
        for (int k = 0; k < n; ++k) {
            const int other = b->exchanges[m * n + k], here = row[k];
            row[k] = row[other];
            row[other] = here;
        }
    }
}

/* A - L L^H. */
static void check_cholesky(const batch *b, int m) {
    const int n = b->n;
    const double eps = b->form->is_double ? DBL_EPSILON : (double)FLT_EPSILON;
    for (int j = 0; j < n; ++j)
        for (int i = j; i < n; ++i) {
            double complex sum = b->A[m][i + j * n];
            double size = cabs(sum);
            for (int k = 0; k <= j; ++k) {
                const double complex term =
                    get(b, b->f, m * n * n + i + k * n) * conj(get(b, b->f, m * n * n + j + k * n));
                sum -= term;
                size += cabs(term);
            }
            if (!(cabs(sum) <= 8 * n * eps * size))
                fail_msg("n %d, member %d: (%d,%d) of A - L L^H is %g", n, m, i, j, cabs(sum));
        }
}

/* P A - L U, and that no multiplier is larger than 1 by the measure of pivots. */
static void check_factors(const batch *b, int m) {
    const int n = b->n;
    const double eps = b->form->is_double ? DBL_EPSILON : (double)FLT_EPSILON;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            double complex sum = b->A[m][b->rows[m * n + i] + j * n];
            double size = cabs(sum);
            for (int k = 0; k <= (i < j ? i : j); ++k) {
                const double complex l = k == i ? 1 : get(b, b->f, m * n * n + i + k * n);
                const double complex term = l * get(b, b->f, m * n * n + k + j * n);
                sum -= term;
                size += cabs(term);
                if (k < i) assert_true(cabs(l) <= sqrt(2) * (1 + 8 * eps));
            }
            if (!(cabs(sum) <= 8 * n * eps * size))
                fail_msg("n %d of %d, complex %d, member %d: (%d,%d) of P A - L U is %g", n, b->form->most,
                         b->form->is_complex, m, i, j, cabs(sum));
        }
}

static void check_solution(const batch *b, int m, int transposes) {
    const int n = b->n;
    const double eps = b->form->is_double ? DBL_EPSILON : (double)FLT_EPSILON;
    for (int j = 0; j < SIDES; ++j)
        for (int i = 0; i < n; ++i) {
            double complex sum = b->B[m][i + j * n];
            double most = 0, norm = cabs(sum);
            for (int k = 0; k < n; ++k) {
                const double complex a = transposes ? b->A[m][k + i * n] : b->A[m][i + k * n],
                                     x = get(b, b->b, (m * SIDES + j) * n + k);
                sum -= (transposes == 2 ? conj(a) : a) * x;
                most = fmax(most, cabs(x));
                norm += cabs(a);
            }
            if (!(cabs(sum) <= 100 * n * eps * norm * (1 + most)))
                fail_msg("n %d of %d, complex %d, member %d, op %d: row %d is off by %g", n, b->form->most,
                         b->form->is_complex, m, transposes, i, cabs(sum));
        }
}

static void check(const lu_batch_form *form, int n, int transposes) {
    static batch b;
    make(&b, form, n, MEMBERS);
    lu_batch_launch launch = launch_of(&b);
    if (form->small)
        run(&b, form->factor, &launch, groups_of(&b));
    else
        by_panels(&b);
    for (int m = 0; m < b.count; ++m) {
        assert_int_equal(b.info[m], b.expected[m]);
        if (form->cholesky && b.info[m] == 0 && m != 3) check_cholesky(&b, m);
        if (!form->cholesky && b.info[m] >= 0 && (m != 3 || !form->small)) check_factors(&b, m);
    }
    launch = launch_of(&b);
    launch.transposes = form->cholesky ? 0 : transposes;
    for (int first = 0; first < SIDES; first += form->sides, ++launch.column)
        run(&b, form->solve, &launch, groups_of(&b));
    for (int m = 0; m < b.count; ++m) {
        assert_int_equal(b.outcome[m], 0);
        for (int k = 0; b.info[m] != 0 && k < n * SIDES; ++k) assert_true(get(&b, b.b, m * n * SIDES + k) == b.B[m][k]);
        if (b.info[m] == 0) check_solution(&b, m, form->cholesky ? 0 : transposes);
    }
    drop(&b);
}

TEST(in_lanes) {
    (void)state;
    for (int f = 0; f < FORMS; ++f) {
        const int most = FORM_AT(lu_batch_form, f)->most;
        for (int t = 0; t < 3; ++t)
            check(FORM_AT(lu_batch_form, f), t == 0 ? most : t == 1 ? most - 1 : most / 2 + 1, t);
    }
}

TEST_PROGRAM_BY(numbers = test_random_start(0x6b), NULL, emulator_close)
