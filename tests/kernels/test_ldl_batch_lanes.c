/*
 * The kernels of LDL^T batches where lanes of a wave have a member's rows, on emulated ones in orders drawn from the
 * seed: P^T A P - L D L^H, that no element of L is large, and residuals, at orders that differ from member to member,
 * and beside good members those that are singular, hold NaN, or are tiny.
 */
#include "kernels/ldl_batch_form.h"

#include <float.h>

#include "kernels/form_support.h"

enum { MOST = 64, MEMBERS = 7, SIDES = 5, SINGULAR = 1, NUMBERLESS = 2, TINY = 3, HOLLOW = 4, SADDLE = 5, EMPTY = 6 };
static test_random numbers;

typedef struct batch {
    const ldl_batch_form *form;
    int64_t table[3 * MEMBERS], places[MEMBERS], sides[MEMBERS];
    int list[MEMBERS], info[MEMBERS], outcome[MEMBERS], scales[MEMBERS], rows[MEMBERS * MOST];
    double complex A[MEMBERS][MOST * MOST], B[MEMBERS][MOST * SIDES];
    void *a, *f, *b;
} batch;

static double complex drawn(const ldl_batch_form *f) {
    const double re = test_random_signed(&numbers), im = f->is_complex ? test_random_signed(&numbers) : 0;
    return (round(re * 256) + I * round(im * 256)) / 256; /* so few digits that a tiny multiple has them all */
}

static double complex get(const batch *b, const void *from, int64_t at) {
    return form_get_element(b->form->is_complex, b->form->is_double, from, at);
}

static double complex adjoint(const batch *b, double complex a) {
    return b->form->hermitian ? conj(a) : a;
}

static void fill(batch *b, int m) {
    const int64_t n = b->table[3 * m];
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j; i < n; ++i) {
            double complex a = drawn(b->form);
            if (i == j && b->form->hermitian) a = creal(a);
            if (m == HOLLOW && i == j && n % 2 == 0) a = 0;
            if (m == SADDLE && j >= n - n / 3) a = 0;
            if (m == SADDLE && i == j && i < n - n / 3) a = 4;
            if (m == SINGULAR && (i == n / 2 || j == n / 2)) a = 0;
            b->A[m][i + j * n] = a;
            b->A[m][j + i * n] = adjoint(b, a);
        }
    for (int64_t k = 0; k < n * SIDES; ++k) b->B[m][k] = drawn(b->form);
}

static void make(batch *b, const ldl_batch_form *form, int fewer) {
    int64_t elements = 0, rows = 0;
    memset(b, 0, sizeof *b);
    b->form = form;
    b->a = test_room(MEMBERS * MOST * MOST, sizeof(double complex));
    b->f = test_room(MEMBERS * MOST * MOST, sizeof(double complex));
    b->b = test_room(MEMBERS * MOST * SIDES, sizeof(double complex));
    for (int m = 0; m < MEMBERS; ++m) {
        const int64_t n = m == EMPTY ? 0 : m % 2 ? form->most : form->most - fewer;
        const double unit = m == TINY ? (form->is_double ? 0x1p-1040 : 0x1p-130) : 1;
        const int64_t of[3] = {n, elements, rows};
        memcpy(b->table + 3 * m, of, sizeof of);
        b->list[m] = m;
        b->places[m] = elements;
        b->sides[m] = rows * SIDES;
        fill(b, m);
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < n; ++i) {
                const double complex a = i < j ? (double complex)NAN : b->A[m][i + j * n] * unit;
                form_put_element(form->is_complex, form->is_double, b->a, elements + i + j * n,
                                 m == NUMBERLESS && i == n - 1 && j == 0 ? (double complex)NAN : a);
            }
        for (int64_t k = 0; k < n * SIDES; ++k)
            form_put_element(form->is_complex, form->is_double, b->b, rows * SIDES + k, b->B[m][k] * unit);
        elements += n * n;
        rows += n;
    }
}

static void run(const batch *b, void (*kernel)(void *), ldl_batch_launch *launch, int items, int members) {
    static emulator_words none;
    const emulator_launch it = {.groups = (MEMBERS + members - 1) / members,
                                .items = items,
                                .kernel = kernel,
                                .arguments = launch,
                                .words = &none,
                                .count = 1,
                                .seed = test_random_bits(&numbers),
                                .late = -1};
    const char *error = emulator_run(&it);
    if (error) fail_msg("order %d, complex %d: %s", b->form->most, b->form->is_complex, error);
}

/* L, D's diagonal, and at (k, k + 1) what is below it: (i, j) of L D L^H. */
static double complex product_at(const batch *b, const double complex *L, int64_t n, int64_t i, int64_t j,
                                 double *size) {
    double complex sum = 0;
    for (int64_t k = 0; k < n; ++k) {
        const double complex l = i > k ? L[i + k * n] : i == k, u = adjoint(b, j > k ? L[j + k * n] : j == k);
        const double complex d = L[k * (n + 1)], e = k + 1 < n ? L[k + (k + 1) * n] : 0;
        sum += l * d * u;
        *size += cabs(l * d * u);
        if (e == 0) continue;
        const double complex l2 = i > k + 1 ? L[i + (k + 1) * n] : i == k + 1;
        const double complex u2 = adjoint(b, j > k + 1 ? L[j + (k + 1) * n] : j == k + 1);
        sum += l2 * e * u + l * adjoint(b, e) * u2;
        *size += cabs(l2 * e * u) + cabs(l * e * u2);
    }
    return sum;
}

static void check_factors(const batch *b, int m) {
    static double complex L[MOST * MOST];
    const int64_t n = b->table[3 * m], *of = b->table + 3 * m;
    const int *row = b->rows + of[2];
    const double eps = b->form->is_double ? DBL_EPSILON : (double)FLT_EPSILON,
                 unit = m == TINY ? ldexp(1, -b->scales[m] / 2) : 1;
    const double given = m == TINY ? (b->form->is_double ? 0x1p-1040 : 0x1p-130) : 1;
    for (int64_t k = 0; k < n * n; ++k) {
        const int64_t i = k % n, j = k / n;
        L[k] = get(b, b->f, of[1] + k);
        if (i == j || j == i + 1) L[k] *= unit / given;
        if (i > j) assert_true(cabs(L[k]) < 4.1); /* 2.8 by |re| + |im| */
    }
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j; i < n; ++i) {
            double size = 0;
            const double complex a = b->A[m][row[i] + row[j] * n], rest = a - product_at(b, L, n, i, j, &size);
            if (!(cabs(rest) <= 8 * (double)n * eps * (size + cabs(a))))
                fail_msg("order %d, complex %d, member %d: (%d,%d) is off by %g", (int)n, b->form->is_complex, m,
                         (int)i, (int)j, cabs(rest));
        }
}

static void check_solution(const batch *b, int m) {
    const int64_t n = b->table[3 * m];
    const double eps = b->form->is_double ? DBL_EPSILON : (double)FLT_EPSILON;
    for (int64_t j = 0; j < SIDES; ++j)
        for (int64_t i = 0; i < n; ++i) {
            double complex sum = b->B[m][i + j * n];
            double most = 0, norm = cabs(sum);
            for (int64_t k = 0; k < n; ++k) {
                const double complex x = get(b, b->b, b->sides[m] + j * n + k);
                sum -= b->A[m][i + k * n] * x;
                most = fmax(most, cabs(x));
                norm += cabs(b->A[m][i + k * n]);
            }
            if (!(cabs(sum) <= 100 * (double)n * eps * norm * (1 + most)))
                fail_msg("order %d, complex %d, member %d: row %d is off by %g", (int)n, b->form->is_complex, m, (int)i,
                         cabs(sum));
        }
}

static void check(const ldl_batch_form *form, int fewer) {
    static batch b;
    make(&b, form, fewer);
    ldl_batch_launch launch = {.table = b.table,
                               .places = b.places,
                               .places_of_sides = b.sides,
                               .list = b.list,
                               .count = MEMBERS,
                               .rhs = SIDES,
                               .A = b.a,
                               .F = b.f,
                               .B = b.b,
                               .rows = b.rows,
                               .scales = b.scales,
                               .info = b.info,
                               .outcome = b.outcome};
    run(&b, form->factor, &launch, form->items, form->members);
    for (int m = 0; m < MEMBERS; ++m) {
        if (m == SINGULAR || m == NUMBERLESS)
            assert_true(m == SINGULAR ? b.info[m] > 0 : b.info[m] == -1);
        else
            assert_int_equal(b.info[m], 0);
        if (b.info[m] >= 0) check_factors(&b, m);
    }
    for (int first = 0; first < SIDES; first += form->sides, ++launch.column)
        run(&b, form->solve, &launch, form->items_of_solve, form->members_of_solve);
    for (int m = 0; m < MEMBERS; ++m) {
        assert_int_equal(b.outcome[m], 0);
        for (int64_t k = 0; b.info[m] != 0 && k < b.table[3 * m] * SIDES; ++k)
            assert_true(get(&b, b.b, b.sides[m] + k) == b.B[m][k]);
        if (b.info[m] == 0) check_solution(&b, m);
    }
    free(b.a);
    free(b.f);
    free(b.b);
}

TEST(in_lanes) {
    (void)state;
    for (int f = 0; f < FORMS; ++f) {
        check(FORM_AT(ldl_batch_form, f), 0);
        check(FORM_AT(ldl_batch_form, f), FORM_AT(ldl_batch_form, f)->most / 3 + 1);
    }
}

TEST_PROGRAM_BY(numbers = test_random_start(0x6c), NULL, emulator_close)
