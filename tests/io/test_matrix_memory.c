/*
 * Memory follows what a file holds, not what it says, and a failed allocation is a result. The program is linked with
 * malloc, calloc and realloc wrapped: they note the largest request and can fail from one request on.
 */
#include <inttypes.h>

#include "io/io_support.h"
#include "io/matrix_market.h"
#include "support/test_support.h"
#include "tool/generate.h"

static size_t largest;
static long requests, fail_from = -1;

static int granted(size_t size) {
    if (size > largest) largest = size;
    return requests++ < fail_from || fail_from < 0;
}

WRAPS(void *, malloc, (size_t size)) {
    return granted(size) ? __real_malloc(size) : NULL;
}

WRAPS(void *, calloc, (size_t count, size_t size)) {
    return granted(size > 0 && count > SIZE_MAX / size ? SIZE_MAX : count * size) ? __real_calloc(count, size) : NULL;
}

WRAPS(void *, realloc, (void *memory, size_t size)) {
    return granted(size) ? __real_realloc(memory, size) : NULL;
}

TEST(test_headers_that_lie_cost_nothing) {
    static const char *const lies[] = {
        "%%MatrixMarket matrix coordinate real general\n1 1 9223372036854775807\n1 1 1\n",
        "%%MatrixMarket matrix coordinate real general\n2147483647 2147483647 4000000000\n1 1 1\n",
        "%%MatrixMarket matrix coordinate real general\n1 2147483647 0\n",
        "%%MatrixMarket matrix coordinate real general\n1 65538 1\n1 1 1\n",
        "%%MatrixMarket matrix coordinate pattern symmetric\n2147483647 2147483647 1\n1 1\n",
        "%%MatrixMarket matrix array real general\n2147483647 2147483647\n1\n",
        "%%MatrixMarket matrix array real symmetric\n2147483647 2147483647\n1\n",
        "%%MatrixMarket matrix array real skew-symmetric\n2147483647 2147483647\n1\n",
        "%%MatrixMarket matrix array real general\n1000000 1000000\n",
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        mm_matrix matrix;
        largest = 0;
        assert_int_equal(mm_read_memory(lies[i], strlen(lies[i]), "lie.mtx", &matrix, NULL), MM_MALFORMED);
        assert_in_range(largest, 0, 1 << 16);
    }
    SCRATCH_BY(mm_free)
    mm_matrix matrix = io_parse("%%MatrixMarket matrix coordinate real general\n2147483647 65537 1\n2147483647 1 1\n");
    assert_in_range(largest, 0, 1 << 20); /* many rows cost nothing, 65537 columns half a megabyte */
    assert_int_equal(matrix.row[0], 2147483646);
}

/* Runs `action` with its 1st, 2nd, ... request and all later ones failing, until it succeeds without. */
static void fail_each_request(mm_result (*action)(mm_message *message)) {
    mm_message message;
    for (long first = 0;; first++) {
        requests = 0;
        fail_from = first;
        const mm_result result = action(&message);
        fail_from = -1;
        if (result == MM_OK) {
            assert_true(requests <= first || first > 0);
            assert_true(first > 0);
            return;
        }
        assert_int_equal(result, MM_OUT_OF_MEMORY);
        assert_non_null(strstr(message.error, "out of memory"));
        assert_true(first < 1000);
    }
}

static mm_result read_sparse(mm_message *message) {
    static const char text[] = "%%MatrixMarket matrix coordinate real general\n3 3 3\n3 1 1\n1 1 1\n2 2 2\n";
    mm_matrix matrix;
    const mm_result result = mm_read_memory(text, sizeof text - 1, "t.mtx", &matrix, message);
    mm_free(&matrix);
    return result;
}

static mm_result read_symmetric_array(mm_message *message) {
    static const char text[] = "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n";
    mm_matrix matrix;
    const mm_result result = mm_read_memory(text, sizeof text - 1, "t.mtx", &matrix, message);
    mm_free(&matrix);
    return result;
}

static mm_result read_long_file(mm_message *message) {
    mm_matrix matrix;
    const mm_result result = mm_read(io_path("long.mtx"), &matrix, message);
    mm_free(&matrix);
    return result;
}

static mm_result generate_poisson(mm_message *message) {
    mm_matrix matrix;
    const mm_result result = generate_find("poisson")->make(9, 1, &matrix, message);
    mm_free(&matrix);
    return result;
}

static mm_result generate_random(mm_message *message) {
    mm_matrix matrix;
    const mm_result result = generate_find("random")->make(9, 1, &matrix, message);
    mm_free(&matrix);
    return result;
}

TEST(test_failed_allocations_are_a_result) {
    mm_matrix matrix;
    assert_int_equal(generate_find("tridiagonal")->make(2000, 1, &matrix, NULL), MM_OK);
    assert_int_equal(mm_write(io_path("long.mtx"), &matrix, NULL, NULL), MM_OK);
    mm_free(&matrix);
    fail_each_request(read_sparse);
    fail_each_request(read_symmetric_array);
    fail_each_request(read_long_file);
    fail_each_request(generate_poisson);
    fail_each_request(generate_random);
}

TEST(test_sizes_that_overflow) {
    mm_matrix matrix;
    mm_message message;
    const int64_t row = 0, column = 0;
    const double value = 1;
    assert_int_equal(mm_dense_create(INT64_MAX, INT64_MAX, &matrix, &message), MM_OUT_OF_MEMORY);
    assert_int_equal(mm_dense_create(INT64_C(1) << 31, INT64_C(1) << 31, &matrix, &message), MM_OUT_OF_MEMORY);
    assert_int_equal(mm_dense_create(INT64_C(1) << 32, INT64_C(1) << 32, &matrix, &message), MM_OUT_OF_MEMORY);
    assert_int_equal(mm_dense_create(-1, 1, &matrix, &message), MM_MALFORMED);
    assert_int_equal(mm_from_triplets(1, INT64_MAX, 1, &row, &column, &value, &matrix, &message), MM_OUT_OF_MEMORY);
    assert_int_equal(mm_from_triplets(1, INT64_MAX - 1, 1, &row, &column, &value, &matrix, &message), MM_OUT_OF_MEMORY);
    for (const generate_kind *kind = generate_kinds; kind->name; kind++) {
        assert_int_equal(kind->make(-4, 1, &matrix, &message), MM_MALFORMED);
        assert_int_equal(kind->make(INT64_MAX - 1, 1, &matrix, &message), MM_OUT_OF_MEMORY);
    }
}

TEST_PROGRAM_ALONE(io_folder_create, io_folder_remove)
