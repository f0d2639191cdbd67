/*
 * cl/gj_batch.cl where lanes of a wave have a member's rows, on emulated ones in orders drawn from the seed: the residuals of inverses and
 * solutions, and members that are singular or hold NaN, which are told and stay as they are. Members lie with gaps, and
 * inverses in their place or in memory of their own in either layout.
 */
#include "kernels/gj_batch_form.h"

#include <float.h>

#include "kernels/form_support.h"

enum { MOST = 32, MEMBERS = 12 };
typedef enum { RANDOM, SINGULAR, NOT_A_NUMBER, KINDS } kind;
static test_random numbers;

typedef struct batch {
    const gj_batch_form *form;
    gj_batch_launch launch;
    int row_major, conjugate, members;
    int apart, x_by_row; /* of inverses: not in the place of A; and their layout */
    kind kinds[MEMBERS];
    int zero[MEMBERS]; /* the column of a singular member that is zero */
    int info[MEMBERS];
    double complex A[MEMBERS][MOST * MOST], B[MEMBERS][MOST * MOST]; /* op(A) and B by columns, as they were */
} batch;

static int between(int low, int high) {
    return (int)test_random_between(&numbers, low, high);
}

static double complex drawn(const gj_batch_form *f, double more) {
    const double re = test_random_signed(&numbers) + more, im = f->is_complex ? test_random_signed(&numbers) : 0;
    return form_rounded(f->is_double, re) + I * form_rounded(f->is_double, im); /* gcc 12 rounds no CMPLX of two */
}

/* One large element in each row and column, so that pivots are not on the diagonal. */
static void fill(batch *b, int m) {
    const int n = b->form->n, turn = between(0, n - 1);
    b->kinds[m] = between(0, 2) > 0 ? RANDOM : (kind)between(0, KINDS - 1);
    b->zero[m] = between(0, n - 1);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            double complex value = drawn(b->form, (i + turn) % n == j ? 2 * n : 0);
            if (b->kinds[m] == SINGULAR && j == b->zero[m]) value = 0;
            b->A[m][i + j * n] = value;
        }
    if (b->kinds[m] == NOT_A_NUMBER) b->A[m][b->zero[m] * n + between(0, n - 1)] = (double)NAN;
    for (int e = 0; e < n * b->form->rhs; ++e) b->B[m][e] = drawn(b->form, 0);
}

static int64_t place(const batch *b, int m, int i, int j) {
    const gj_batch_launch *l = &b->launch;
    return l->a_offset + m * l->a_member + i * l->a_row + j * l->a_column;
}

/* In B, which receives the inverses too. */
static int64_t place_of_result(const batch *b, int m, int i, int j) {
    const gj_batch_launch *l = &b->launch;
    return l->b_offset + m * l->b_member + i * l->b_row + j * l->b_column;
}

static void put(const batch *b, void *to, int64_t at, double complex value) {
    form_put_element(b->form->is_complex, b->form->is_double, to, at, value);
}

static double complex get(const batch *b, const void *from, int64_t at) {
    return form_get_element(b->form->is_complex, b->form->is_double, from, at);
}

static void make(batch *b, const gj_batch_form *form) {
    const int n = form->n;
    memset(b, 0, sizeof *b);
    b->form = form;
    b->members = between(1, MEMBERS);
    b->row_major = between(0, 1);
    b->conjugate = form->is_complex && between(0, 1);
    b->apart = form->rhs > 0 || between(0, 1);
    b->x_by_row = form->rhs == 0 && between(0, 1);
    const int cols = form->rhs > 0 ? form->rhs : n, ld = n + between(0, 2);
    gj_batch_launch *l = &b->launch;
    *l = (gj_batch_launch){.a_offset = between(0, 3),
                           .a_row = b->row_major ? ld : 1,
                           .a_column = b->row_major ? 1 : ld,
                           .a_member = (int64_t)n * ld + between(0, 2),
                           .b_offset = between(0, 3),
                           .b_row = b->x_by_row ? cols : 1,
                           .b_column = b->x_by_row ? 1 : n,
                           .b_member = (int64_t)n * cols + between(0, 2),
                           .rhs = form->rhs,
                           .end = b->members,
                           .keep = 2 * b->conjugate,
                           .info = b->info};
    const int64_t room = l->a_offset + b->members * l->a_member;
    const int64_t results = l->b_offset + b->members * l->b_member;
    l->A = test_room(room, sizeof(double complex));
    l->B = b->apart ? test_room(results, sizeof(double complex)) : l->A;
    if (!b->apart) {
        l->b_offset = l->a_offset;
        l->b_member = l->a_member;
        l->b_row = b->x_by_row ? ld : 1;
        l->b_column = b->x_by_row ? 1 : ld;
    }
    for (int m = 0; m < b->members; ++m) {
        fill(b, m);
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
                put(b, l->A, place(b, m, i, j), b->conjugate ? conj(b->A[m][i + j * n]) : b->A[m][i + j * n]);
        for (int e = 0; e < n * form->rhs; ++e) put(b, l->B, place_of_result(b, m, e % n, e / n), b->B[m][e]);
    }
}

static void launch(batch *b) {
    static emulator_words none;
    const emulator_launch it = {.groups = (b->members + b->form->members - 1) / b->form->members,
                                .items = EMULATOR_LANES,
                                .kernel = b->form->kernel,
                                .arguments = &b->launch,
                                .words = &none,
                                .count = 1,
                                .seed = test_random_bits(&numbers),
                                .late = -1};
    const char *error = emulator_run(&it);
    if (error) fail_msg("n %d, complex %d: %s", b->form->n, b->form->is_complex, error);
}

static double complex result(const batch *b, int m, int i, int j) {
    return get(b, b->launch.B, place_of_result(b, m, i, j));
}

/* A X - B, or A X - 1, over |A| |X| + |B|. */
static void check_residual(const batch *b, int m) {
    const gj_batch_form *f = b->form;
    const int n = f->n, cols = f->rhs > 0 ? f->rhs : n;
    const double eps = f->is_double ? DBL_EPSILON : (double)FLT_EPSILON;

    for (int j = 0; j < cols; ++j)
        for (int i = 0; i < n; ++i) {
            const double complex wanted = f->rhs > 0 ? b->B[m][i + j * n] : i == j ? 1 : 0;
            double complex sum = -wanted;
            double size = cabs(wanted), most = 0;
            for (int k = 0; k < n; ++k) {
                const double complex x = result(b, m, k, j);
                sum += b->A[m][i + k * n] * x;
                most = fmax(most, cabs(x));
                size += cabs(b->A[m][i + k * n]);
            }
            if (!(cabs(sum) <= 200 * n * eps * (size * most + cabs(wanted))))
                fail_msg("n %d, complex %d, member %d: element (%d,%d) of A X is off by %g", n, f->is_complex, m, i, j,
                         cabs(sum));
        }
}

/* A, where no inverse has taken its place. */
static void check_matrix(const batch *b, int m) {
    const int n = b->form->n;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            const double complex was = b->conjugate ? conj(b->A[m][i + j * n]) : b->A[m][i + j * n];
            const double complex is = get(b, b->launch.A, place(b, m, i, j));
            assert_true(creal(was) == creal(is) || isnan(creal(was)));
        }
}

/* What was in B: right-hand sides, or the zeros of a new room. */
static void check_untouched(const batch *b, int m) {
    const int n = b->form->n, cols = b->form->rhs > 0 ? b->form->rhs : n;
    for (int e = 0; b->apart && e < n * cols; ++e)
        assert_true(result(b, m, e % n, e / n) == (b->form->rhs > 0 ? b->B[m][e] : 0));
}

TEST(in_lanes) {
    static batch b;
    for (int f = 0; f < FORMS; ++f)
        for (int round = 0; round < 5; ++round) {
            make(&b, FORM_AT(gj_batch_form, f));
            launch(&b);
            for (int m = 0; m < b.members; ++m) {
                assert_int_equal(b.info[m], b.kinds[m] == SINGULAR       ? b.zero[m] + 1
                                            : b.kinds[m] == NOT_A_NUMBER ? -1
                                                                         : 0);
                if (b.apart || b.info[m] != 0) check_matrix(&b, m);
                if (b.info[m] == 0)
                    check_residual(&b, m);
                else
                    check_untouched(&b, m);
            }
            free(b.launch.A);
            if (b.apart) free(b.launch.B);
        }
}

TEST_PROGRAM_BY(numbers = test_random_start(0x6a), NULL, emulator_close)
