/* What the reader takes, and that it takes it for what it is. */
#include <errno.h>
#include <inttypes.h>
#include <locale.h>

#include "io/io_support.h"
#include "io/matrix_market.h"
#include "support/test_support.h"

#define BANNER   "%%MatrixMarket matrix "
#define HUNDRED  "a comment of a hundred characters, which is not the shortest that anybody has ever written into a file"
#define THOUSAND HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED

/* Column-major, as they should come out; complex ones as pairs. */
typedef struct wellformed {
    const char *text;
    int64_t rows, cols, entries;
    int sparse;
    double value[12];
} wellformed;

static const wellformed cases[] = {
    {BANNER "coordinate real general\n2 2 2\n1 1 1.5\n2 1 -2\n", 2, 2, 2, 1, {1.5, -2, 0, 0}},
    {BANNER "coordinate real general\r\n% c\r\n\r\n2 2 1\r\n\r\n1\t2\t3\r\n\r\n", 2, 2, 1, 1, {0, 0, 3, 0}},
    {"%%matrixMARKET MATRIX Coordinate DOUBLE General\n1 1 1\n1 1 1", 1, 1, 1, 1, {1}},
    {BANNER "coordinate integer general\n%\n  % c\n 2  1 2 \n 2 1 -7 \n+1 +1 +4\n", 2, 1, 2, 1, {4, -7}},
    {BANNER "coordinate pattern general\n2 2 2\n2 1\n1 2\n", 2, 2, 2, 1, {0, 1, 1, 0}},
    {BANNER "coordinate pattern symmetric\n2 2 2\n2 1\n2 2\n", 2, 2, 3, 1, {0, 1, 1, 1}},
    {BANNER "coordinate real symmetric\n3 3 3\n3 1 5\n1 1 2\n3 2 7\n", 3, 3, 5, 1, {2, 0, 5, 0, 0, 7, 5, 7, 0}},
    {BANNER "coordinate real skew-symmetric\n2 2 1\n2 1 3\n", 2, 2, 2, 1, {0, 3, -3, 0}},
    {BANNER "coordinate real general\n2 2 5\n2 2 1\n1 1 1\n2 2 2\n2 1 9\n2 2 4\n", 2, 2, 3, 1, {1, 9, 0, 7}},
    {BANNER "coordinate real general\n3 1 3\n3 1 3\n1 1 1\n2 1 2\n", 3, 1, 3, 1, {1, 2, 3}},
    {BANNER "coordinate real general\n0 0 0\n", 0, 0, 0, 1, {0}},
    {BANNER "coordinate real general\n2 2 0", 2, 2, 0, 1, {0, 0, 0, 0}},
    {BANNER "coordinate real general\n1 1 1\n1 1 0\n", 1, 1, 1, 1, {0}},
    {BANNER "array real general\n2 3\n1\n2\n3\n4\n5\n6\n", 2, 3, 6, 0, {1, 2, 3, 4, 5, 6}},
    {BANNER "array integer general\n1 2\n\n-1\n\n2\n\n", 1, 2, 2, 0, {-1, 2}},
    {BANNER "array real symmetric\n2 2\n1\n2\n3\n", 2, 2, 4, 0, {1, 2, 2, 3}},
    {BANNER "array real skew-symmetric\n3 3\n1\n2\n3\n", 3, 3, 9, 0, {0, 1, 2, -1, 0, 3, -2, -3, 0}},
    {BANNER "array real skew-symmetric\n1 1\n", 1, 1, 1, 0, {0}},
    {BANNER "array real general\n0 3\n", 0, 3, 0, 0, {0}},
    {BANNER "coordinate complex general\n2 1 2\n2 1 3 -4\n1 1 0 1e0\n", 2, 1, 2, 1, {0, 1, 3, -4}},
    {BANNER "coordinate complex symmetric\n2 2 2\n1 1 1 2\n2 1 3 4\n", 2, 2, 3, 1, {1, 2, 3, 4, 3, 4, 0, 0}},
    {BANNER "coordinate complex skew-symmetric\n2 2 1\n2 1 3 4\n", 2, 2, 2, 1, {0, 0, 3, 4, -3, -4, 0, 0}},
    {BANNER "coordinate complex Hermitian\n2 2 2\n1 1 1 0\n2 1 3 4\n", 2, 2, 3, 1, {1, 0, 3, 4, 3, -4, 0, 0}},
    {BANNER "coordinate complex general\n1 1 2\n1 1 1 2\n1 1 10 20\n", 1, 1, 1, 1, {11, 22}},
    {BANNER "array complex general\n1 2\n1 2\n\n3 -4\n", 1, 2, 2, 0, {1, 2, 3, -4}},
    {BANNER "array complex hermitian\n2 2\n1 0\n2 3\n4 0\n", 2, 2, 4, 0, {1, 0, 2, 3, 2, -3, 4, 0}},
    {BANNER "array complex skew-symmetric\n2 2\n2 3\n", 2, 2, 4, 0, {0, 0, 2, 3, -2, -3, 0, 0}},
    {BANNER "array complex general\n0 3\n", 0, 3, 0, 0, {0}},
    {BANNER "array real general\n4 1\n1.e1\n.5E+1\n-2D-1\n1d2\n", 4, 1, 4, 0, {10, 5, -0.2, 100}},
    {BANNER "array real general\n3 1\n0.5000000-101\n-2.5+100\n.25+001\n", 3, 1, 3, 0, {0.5e-101, -2.5e100, 2.5}},
    {BANNER "array complex general\n1 1\n0.5-101 1.-200\n", 1, 1, 1, 0, {0.5e-101, 1e-200}},
    {BANNER "coordinate unsigned-integer general\n1 2 2\n1 1 0\n1 2 7\n", 1, 2, 2, 1, {0, 7}},
    {BANNER "array Unsigned-Integer symmetric\n2 2\n1\n2\n3\n", 2, 2, 4, 0, {1, 2, 2, 3}},
    {BANNER "coordinate real general\n1 1 1\n1 1 5\n% the end\n\n  % of it", 1, 1, 1, 1, {5}},
    {BANNER "array real general\r\n1 1\r\n5\r\n\x1a", 1, 1, 1, 0, {5}},
    {"\xef\xbb\xbf" BANNER "array real general\r\n1 1\r\n5\r\n", 1, 1, 1, 0, {5}},
    {"\xef\xbb\xbf" BANNER "coordinate real general\n1 1 1\n1 1 5\n", 1, 1, 1, 1, {5}},
    {BANNER "array real general\n1 1\n5\x1a\x1a\x1a", 1, 1, 1, 0, {5}},
    {BANNER "array real general\n%" THOUSAND THOUSAND THOUSAND "\r\n1 1\n5\n", 1, 1, 1, 0, {5}},
    {BANNER "array real general\n1 1\n5\n  %" THOUSAND THOUSAND, 1, 1, 1, 0, {5}},
};

static void assert_is(const wellformed *expected, const mm_matrix *matrix) {
    double dense[12] = {0};
    assert_int_equal(matrix->rows, expected->rows);
    assert_int_equal(matrix->cols, expected->cols);
    assert_int_equal(matrix->entries, expected->entries);
    assert_int_equal(matrix->sparse, expected->sparse);
    assert_int_equal(matrix->is_complex, strstr(expected->text, " complex ") != NULL);
    mm_to_dense(matrix, dense, matrix->rows);
    for (int64_t k = 0; k < matrix->rows * matrix->cols * mm_numbers(matrix); k++)
        assert_true(dense[k] == expected->value[k]);
}

TEST(test_each_form_is_read) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mm_matrix matrix = io_parse(cases[i].text);
        assert_is(&cases[i], &matrix);
        mm_free(&matrix);

        const char *path = io_path("form.mtx"); /* through a file too */
        mm_message message;
        io_write_text(path, cases[i].text, strlen(cases[i].text));
        if (mm_read(path, &matrix, &message) != MM_OK) fail_msg("%s", message.error);
        assert_is(&cases[i], &matrix);
        mm_free(&matrix);
    }
}

TEST(test_missing_banner_is_a_warning) {
    static const char text[] = "\xef\xbb\xbf% from an old copy\n2 2 1\n2 2 4\n";
    mm_matrix matrix;
    mm_message message;
    assert_int_equal(mm_read_memory(text, sizeof text - 1, "old.mtx", &matrix, &message), MM_OK);
    assert_string_equal(message.warning, "old.mtx:2: no banner; taken as 'coordinate real general'");
    assert_int_equal(matrix.entries, 1);
    assert_true(matrix.value[0] == 4);
    mm_free(&matrix);
}

TEST(test_underflow_is_a_warning) {
    static const char text[] = BANNER "array real general\n4 1\n0e-999\n-1e-400\n4.9e-324\n0.1e-99999999\n";
    mm_matrix matrix;
    mm_message message;
    assert_int_equal(mm_read_memory(text, sizeof text - 1, "tiny.mtx", &matrix, &message), MM_OK);
    assert_non_null(strstr(message.warning, "tiny.mtx:4: 2 values are too small"));
    assert_true(matrix.value[1] == 0 && signbit(matrix.value[1]));
    assert_true(matrix.value[2] == 4.9e-324);
    mm_free(&matrix);
}

static double parse_value(const char *number) {
    char text[1400];
    snprintf(text, sizeof text, "%sarray real general\n1 1\n%s\n", BANNER, number);
    mm_matrix matrix;
    mm_message message;
    if (mm_read_memory(text, strlen(text), "number", &matrix, &message) != MM_OK) fail_msg("%s", message.error);
    const double value = matrix.value[0];
    mm_free(&matrix);
    return value;
}

/* The C library's strtod is exactly rounded; its results are the reference. */
TEST(test_numbers_are_the_nearest_doubles) {
    static const char *const hard[] = {
        "0",
        "-0",
        "0.1",
        "9007199254740993",
        "9007199254740992.9999999999999999",
        "1.7976931348623157e308",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "1e22",
        "1e23",
        "1e-22",
        "8.98846567431158e307",
        "6.9294956446009195e15",
        "00000000000000000000000000.000000000000000000000000125",
        "123456789012345678901234567890",
        "12345678901234567890e-30",
        "0.000000000000000000000000000000001e33",
        "9007199254740993e-27",
        "1.2345678901234567e-54",
        "9007199254740993e54",
        "4503599627370497.5e-1",
        "1000000000000000128",
        "1000000000000000384",
        "18446744073709551615e27",
        "1e54",
        "1e-55",
        "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214",
    };
    for (size_t i = 0; i < sizeof hard / sizeof hard[0]; i++) {
        const double expected = strtod(hard[i], NULL), value = parse_value(hard[i]);
        if (memcmp(&value, &expected, sizeof value) != 0) fail_msg("%s: %.17g", hard[i], value);
    }
    test_random random = test_random_start(1);
    for (int i = 0; i < 20000; i++) {
        char number[100];
        const int whole = (int)test_random_between(&random, 1, 18), digits = (int)test_random_between(&random, 1, 22);
        snprintf(number, sizeof number, "%s%" PRId64 ".%0*" PRIu64 "e%d", i % 2 ? "-" : "",
                 test_random_between(&random, 0, INT64_MAX) % (int64_t)pow(10, whole), digits,
                 test_random_bits(&random) >> test_random_between(&random, 0, 63),
                 (int)test_random_between(&random, -30, 30) * (i % 3 ? 1 : 9));
        const double expected = strtod(number, NULL), value = parse_value(number);
        if (memcmp(&value, &expected, sizeof value) != 0) fail_msg("%s: %.17g, not %.17g", number, value, expected);
    }
}

TEST(test_the_locale_does_not_matter) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF.UTF-8", "de_DE"};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; i++) found = setlocale(LC_NUMERIC, names[i]);
    if (!found) {
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
    const double value = parse_value("1.2345678901234567e-5");
    mm_matrix matrix = io_parse(BANNER "array real general\n1 1\n-1234567.8901234567e-20\n"), again;
    const mm_result written = mm_write(io_path("locale.mtx"), &matrix, NULL, NULL);
    const mm_result read = mm_read(io_path("locale.mtx"), &again, NULL);
    setlocale(LC_NUMERIC, "C");
    assert_true(value == 1.2345678901234567e-5);
    assert_int_equal(written, MM_OK);
    assert_int_equal(read, MM_OK);
    io_assert_same(&matrix, &again);
    mm_free(&matrix);
    mm_free(&again);
}

TEST(test_unreadable_paths) {
    mm_matrix matrix;
    mm_message message;
    const char *path = io_path("nothing-here.mtx");
    assert_int_equal(mm_read(path, &matrix, &message), MM_UNREADABLE);
    assert_non_null(strstr(message.error, path));
    assert_non_null(strstr(message.error, strerror(ENOENT)));
    assert_int_equal(mm_read(io_path("."), &matrix, &message), MM_UNREADABLE);
    assert_non_null(strstr(message.error, "it is a folder; name a file in it"));

    if (!test_is_posix()) return; /* no name is too long for Windows to say that it is not there */
    SCRATCH char *endless = malloc(3000);
    assert_non_null(endless);
    memset(endless, 'x', 2999);
    endless[2999] = '\0';
    assert_int_equal(mm_read(endless, &matrix, &message), MM_UNREADABLE);
    assert_non_null(strstr(message.error, strerror(ENAMETOOLONG)));
}

/* Longer than the reader's buffer, so that lines cross its end; in a random order, so that columns must be sorted. */
TEST(test_a_long_file) {
    enum { N = 150 };
    static int64_t order[N * N];
    static char text[N * N * 40];
    test_random random = test_random_start(2);
    for (int64_t k = 0; k < N * N; k++) {
        const int64_t other = test_random_between(&random, 0, k);
        order[k] = order[other];
        order[other] = k;
    }
    int used = snprintf(text, sizeof text, "%scoordinate real general\n%d %d %d\n", BANNER, N, N, N * N);
    for (int k = 0; k < N * N; k++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%" PRId64 " %" PRId64 "  %" PRId64 ".25e0\r\n",
                         order[k] % N + 1, order[k] / N + 1, order[k]);
    io_write_text(io_path("long.mtx"), text, (size_t)used);
    mm_matrix matrix;
    mm_message message;
    if (mm_read(io_path("long.mtx"), &matrix, &message) != MM_OK) fail_msg("%s", message.error);
    assert_int_equal(matrix.entries, N * N);
    for (int64_t k = 0; k < N * N; k++) {
        assert_int_equal(matrix.start[k / N], k - k % N);
        assert_int_equal(matrix.row[k], k % N);
        assert_true(matrix.value[k] == (double)k + 0.25);
    }
    mm_free(&matrix);
}

/* A comment longer than the reader's buffer, before the entries and behind them, where the file ends in it. */
TEST(test_a_long_comment) {
    enum { LENGTH = 200000 };
    static char text[2 * LENGTH + 1000], comment[LENGTH + 1];
    memset(comment, 'c', LENGTH);
    const int used =
        snprintf(text, sizeof text, "%sarray real general\n%%%s\n2 1\n3\n4\n%%%s", BANNER, comment, comment);
    io_write_text(io_path("comment.mtx"), text, (size_t)used);
    mm_matrix matrix;
    mm_message message;
    if (mm_read(io_path("comment.mtx"), &matrix, &message) != MM_OK) fail_msg("%s", message.error);
    assert_true(matrix.entries == 2 && matrix.value[0] == 3 && matrix.value[1] == 4);
    mm_free(&matrix);
}

TEST(test_real_matrices) {
    static const struct {
        const char *name;
        int64_t n, entries;
    } real[] = {{"pde900", 900, 4380},   {"sherman1", 1000, 3750}, {"jpwh_991", 991, 6027},
                {"west0479", 479, 1910}, {"e05r0500", 236, 5856},  {"lns__131", 131, 536},
                {"gre__115", 115, 421},  {"olm500", 500, 1996},    {"1138_bus", 1138, 2 * 2596 - 1138}};
    int found = 0;
    for (size_t i = 0; i < sizeof real / sizeof real[0]; i++) {
        const char *path = test_matrix_path(real[i].name);
        if (!path) {
            print_message("%s.mtx is not here\n", real[i].name);
            continue;
        }
        found++;
        mm_matrix matrix;
        mm_message message;
        if (mm_read(path, &matrix, &message) != MM_OK) fail_msg("%s", message.error);
        assert_string_equal(message.warning, "");
        assert_true(matrix.sparse);
        assert_int_equal(matrix.rows, real[i].n);
        assert_int_equal(matrix.cols, real[i].n);
        assert_int_equal(matrix.entries, real[i].entries);
        mm_free(&matrix);
    }
    if (found == 0) skip();
}

TEST_PROGRAM_ALONE(io_folder_create, io_folder_remove)
