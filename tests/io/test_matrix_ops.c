/* Triplets, dense copies and products of the host's matrices. */
#include "io/io_support.h"
#include "io/matrix_market.h"
#include "support/test_support.h"

TEST(test_triplets_in_any_order) {
    static const int64_t row[] = {2, 0, 2, 1, 2}, column[] = {1, 0, 1, 1, 0};
    static const double value[] = {1, 2, 3, 4, 5};
    static const int64_t start[] = {0, 2, 4, 4}, rows[] = {0, 2, 1, 2};
    static const double sums[] = {2, 5, 4, 4};
    mm_matrix A;
    assert_int_equal(mm_from_triplets(3, 3, 5, row, column, value, &A, NULL), MM_OK);
    assert_int_equal(A.entries, 4);
    assert_memory_equal(A.start, start, sizeof start);
    assert_memory_equal(A.row, rows, sizeof rows);
    assert_memory_equal(A.value, sums, sizeof sums);
    mm_free(&A);
    mm_free(&A);
    mm_free(NULL);
}

/* 1 + 2^-53 - 1 is 0 or 2^-53, as the order has it. */
TEST(test_duplicates_are_summed_in_their_order) {
    static const int64_t row[] = {1, 0, 0, 0}, column[] = {0, 0, 0, 0};
    static const double value[] = {9, 1, 0x1p-53, -1}, turned[] = {9, 1, -1, 0x1p-53};
    mm_matrix A;
    assert_int_equal(mm_from_triplets(2, 1, 4, row, column, value, &A, NULL), MM_OK);
    assert_true(A.value[0] == 0);
    mm_free(&A);
    assert_int_equal(mm_from_triplets(2, 1, 4, row, column, turned, &A, NULL), MM_OK);
    assert_true(A.value[0] == 0x1p-53);
    mm_free(&A);
}

TEST(test_bad_triplets) {
    static const int64_t bad_row[] = {-1, 2}, good[] = {0, 0};
    static const double value[] = {1, 1}, huge[] = {1.7e308, 1.7e308};
    mm_matrix A;
    mm_message message;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(mm_from_triplets(2, 2, 1, &bad_row[k], good, value, &A, &message), MM_MALFORMED);
        assert_non_null(strstr(message.error, "outside 2 x 2"));
        assert_int_equal(mm_from_triplets(2, 2, 1, good, &bad_row[k], value, &A, &message), MM_MALFORMED);
    }
    assert_int_equal(mm_from_triplets(-1, 2, 0, NULL, NULL, NULL, &A, &message), MM_MALFORMED);
    assert_int_equal(mm_from_triplets(2, 2, 2, good, good, huge, &A, &message), MM_MALFORMED);
    assert_non_null(strstr(message.error, "no finite number"));
}

/* The reference: the same sums, two products at a time, straight from the definition. */
static void assert_product(const mm_matrix *A, const double *dense, int64_t columns, const double *X) {
    SCRATCH double *Y = test_room(A->rows * columns, sizeof *Y);
    mm_product(A, columns, X, Y);
    for (int64_t c = 0; c < columns; c++) {
        for (int64_t i = 0; i < A->rows; i++) {
            long double sum = 0, magnitude = 0;
            for (int64_t j = 0; j < A->cols; j++) {
                const long double term = (long double)dense[i + j * A->rows] * X[j + c * A->cols];
                sum += term;
                magnitude += fabsl(term);
            }
            const double error = fabs((double)(Y[i + c * A->rows] - sum));
            assert_true(error <= 0x1p-53 * fabs((double)sum) + 0x1p-60 * (double)(magnitude * A->cols));
        }
    }
}

TEST(test_product_and_dense_copy) {
    static const int64_t sizes[][2] = {{0, 3}, {3, 0}, {1, 1}, {5, 3}, {255, 7}, {256, 4}, {257, 9}, {600, 20}};
    test_random random = test_random_start(1);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const int64_t rows = sizes[s][0], cols = sizes[s][1], count = rows * cols / 2;
        const size_t room = (size_t)(rows * cols + 3 * cols + 1);
        SCRATCH int64_t *row = malloc(room * sizeof *row), *column = malloc(room * sizeof *column);
        SCRATCH double *value = malloc(room * sizeof *value), *X = malloc(room * sizeof *X);
        SCRATCH double *padded = NULL;
        assert_true(row && column && value && X);
        for (int64_t k = 0; k < count; k++) {
            row[k] = test_random_between(&random, 0, rows - 1);
            column[k] = test_random_between(&random, 0, cols - 1);
        }
        test_random_fill(&random, value, count);
        test_random_fill(&random, X, 3 * cols);
        mm_matrix sparse, dense;
        assert_int_equal(mm_from_triplets(rows, cols, count, row, column, value, &sparse, NULL), MM_OK);
        assert_int_equal(mm_dense_create(rows, cols, &dense, NULL), MM_OK);
        mm_to_dense(&sparse, dense.value, rows);
        assert_product(&sparse, dense.value, 3, X);
        assert_product(&dense, dense.value, 3, X);

        padded = test_room((rows + 2) * cols, sizeof *padded);
        for (int64_t k = 0; k < (rows + 2) * cols; k++) padded[k] = 77;
        mm_to_dense(&dense, padded, rows + 2);
        for (int64_t k = 0; k < (rows + 2) * cols; k++) {
            const int64_t i = k % (rows + 2), j = k / (rows + 2);
            assert_true(padded[k] == (i < rows ? dense.value[i + j * rows] : 77));
        }
        mm_free(&sparse);
        mm_free(&dense);
    }
}

/* What sums in double would lose: 1 + 2^-54 - 1. A long double that is no wider has nothing to keep. */
TEST(test_products_keep_small_differences) {
    if (sizeof(long double) == sizeof(double)) skip();
    static const int64_t zero[] = {0, 0, 0}, columns[] = {0, 1, 2};
    static const double value[] = {1, 0x1p-54, -1}, ones[] = {1, 1, 1};
    double y = 0;
    mm_matrix A;
    assert_int_equal(mm_from_triplets(1, 3, 3, zero, columns, value, &A, NULL), MM_OK);
    mm_product(&A, 1, ones, &y);
    assert_true(y == 0x1p-54);
    mm_free(&A);
}

TEST_PROGRAM_ALONE(NULL, NULL)
