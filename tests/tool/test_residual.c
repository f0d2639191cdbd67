/* test_residual.c: the ratios against values worked out by hand, and at the edges where quotients go wrong. */

#include "support/test_support.h"
#include "tool/residual.h"

#define EPS 0x1p-53

static mm_matrix dense(int64_t rows, int64_t cols, double *value) {
    return (mm_matrix){.rows = rows, .cols = cols, .entries = rows * cols, .value = value};
}

static void near(double got, double wanted) {
    assert_true(fabs(got - wanted) <= 1e-14 * fabs(wanted));
}

/* A = (1 2; 3 4), x = (1, 1), b = (3, 8): r = (0, 1). */
TEST(by_hand) {
    double a[] = {1, 3, 2, 4}, b[] = {3, 8}, x[] = {1, 1};
    mm_matrix A = dense(2, 2, a), B = dense(2, 1, b), X = dense(2, 1, x);
    residuals got;
    assert_true(residuals_compute(&A, &B, &X, EPS, &got));
    near(got.relative, 1 / sqrt(73.0));
    near(got.backward, 1.0 / (7 * 1 + 8));
    near(got.scaled, 1 / (6 * 2 * 2 * EPS));
}

/* The same matrix in compressed columns, a second right-hand side that is solved exactly: the largest counts. */
TEST(sparse_and_columns) {
    int64_t start[] = {0, 2, 4}, row[] = {0, 1, 0, 1};
    double a[] = {1, 3, 2, 4}, b[] = {1, 3, 3, 8}, x[] = {1, 0, 1, 1};
    mm_matrix A = {.rows = 2, .cols = 2, .sparse = 1, .entries = 4, .start = start, .row = row, .value = a};
    mm_matrix B = dense(2, 2, b), X = dense(2, 2, x);
    residuals got;
    assert_true(residuals_compute(&A, &B, &X, EPS, &got));
    near(got.relative, 1 / sqrt(73.0));
    near(got.backward, 1.0 / 15);
    near(got.scaled, 1 / (6 * 2 * 2 * EPS));
}

TEST(zero_by_zero_is_zero) {
    double a[] = {2}, b[] = {0}, x[] = {0};
    mm_matrix A = dense(1, 1, a), B = dense(1, 1, b), X = dense(1, 1, x), none = dense(0, 0, NULL);
    residuals got;
    assert_true(residuals_compute(&A, &B, &X, EPS, &got));
    assert_true(got.relative == 0 && got.backward == 0 && got.scaled == 0);
    assert_true(residuals_compute(&none, &none, &none, EPS, &got));
    assert_true(got.relative == 0 && got.backward == 0 && got.scaled == 0);
}

/* NaN anywhere must not be lost in a maximum, wherever it stands. */
TEST(nan_stays) {
    for (int place = 0; place < 4; place++) {
        double a[] = {1, 3, 2, 4}, b[] = {3, 7, 3, 7}, x[] = {1, 1, 1, 1};
        x[place] = NAN;
        mm_matrix A = dense(2, 2, a), B = dense(2, 2, b), X = dense(2, 2, x);
        residuals got;
        assert_true(residuals_compute(&A, &B, &X, EPS, &got));
        assert_true(isnan(got.relative) && isnan(got.backward) && isnan(got.scaled));
    }
}

/* Squares of these overflow, or vanish; the quotients do not. */
TEST(extreme_sizes) {
    for (int tiny = 0; tiny < 2; tiny++) {
        double scale = tiny ? 1e-300 : 1e300;
        double a[] = {1, 3, 2, 4}, b[] = {3 * scale, 8 * scale}, x[] = {scale, scale};
        mm_matrix A = dense(2, 2, a), B = dense(2, 1, b), X = dense(2, 1, x);
        residuals got;
        assert_true(residuals_compute(&A, &B, &X, EPS, &got));
        assert_true(fabs(got.relative - 1 / sqrt(73.0)) < 1e-12);
        assert_true(fabs(got.backward - 1.0 / 15) < 1e-12);
    }
}

/* Norms of A, or products, that overflow make neither a wrong answer right nor a right one wrong. */
TEST(overflowing_norms) {
    residuals got;
    double c[] = {1.5e308, 0.7e308, 0.7e308, 1.5e308}, d[] = {1.5e308, 0.7e308}, x[] = {1, 0}, y[] = {0, 1};
    mm_matrix C = dense(2, 2, c), D = dense(2, 1, d), Y = dense(2, 1, x);
    assert_true(residuals_compute(&C, &D, &Y, EPS, &got));
    assert_true(got.relative == 0 && got.backward == 0 && got.scaled == 0);
    Y = dense(2, 1, y);
    assert_true(residuals_compute(&C, &D, &Y, EPS, &got));
    assert_true(fabs(got.backward / (0.8 / (2.2 + 1.5)) - 1) < 1e-12);
    assert_true(fabs(got.scaled * EPS / (1.6 / (2.2 * 2)) - 1) < 1e-12);

    double tiny[] = {0x1p-1000}, huge[] = {0x1p1000}, one[] = {1};
    mm_matrix T = dense(1, 1, tiny), H = dense(1, 1, huge), O = dense(1, 1, one);
    assert_true(residuals_compute(&T, &H, &O, EPS, &got));
    assert_true(got.relative == 1 && got.backward == 1 && got.scaled > 30);
    assert_true(residuals_compute(&H, &O, &H, EPS, &got)); /* the product alone overflows */
    assert_true(got.scaled * EPS == 1 && got.backward == 1);
}

/* Nor do products that underflow: b is the nearest number to A x that there is, and 1 / 128 of it away. */
TEST(underflowing_products) {
    double a[] = {(1 + 0x1p-8) * 0x1p-600}, x[] = {(1 + 0x1p-8) * 0x1p-472}, b[] = {0x1p-1072};
    mm_matrix A = dense(1, 1, a), B = dense(1, 1, b), X = dense(1, 1, x);
    residuals got;
    assert_true(residuals_compute(&A, &B, &X, EPS, &got));
    assert_true(fabs(got.backward * 256 - 1) < 0.01 && fabs(got.relative * 128 - 1) < 0.01);
}

TEST_PROGRAM_ALONE(NULL, NULL)
