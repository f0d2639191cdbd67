/* Files written hold every bit, appear whole or not at all, and look like files that fopen makes. */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io_support.h"
#include "io/matrix_market.h"
#include "support/test_support.h"

/* Any finite double: all exponents, denormals and both zeros among them. */
static double any_double(test_random *random) {
    double value;
    do {
        const uint64_t bits = test_random_bits(random);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

static void round_trip(const mm_matrix *matrix, const char *comment) {
    mm_message message;
    mm_matrix again;
    const char *path = io_path("round.mtx");
    if (mm_write(path, matrix, comment, &message) != MM_OK) fail_msg("%s", message.error);
    if (mm_read(path, &again, &message) != MM_OK) fail_msg("%s", message.error);
    assert_string_equal(message.warning, "");
    io_assert_same(matrix, &again);
    mm_free(&again);
}

TEST(test_dense_round_trip) {
    static const double special[] = {
        0.0,  -0.0, 4.9406564584124654e-324, -2.2250738585072011e-308, 1.7976931348623157e308, 0.1,
        1e22, 1e23, 9007199254740993.0};
    test_random random = test_random_start(1);
    for (int64_t rows = 0; rows <= 5; rows++) {
        for (int64_t cols = 0; cols <= 4; cols++) {
            mm_matrix matrix;
            assert_int_equal(mm_dense_create(rows, cols, &matrix, NULL), MM_OK);
            for (int64_t k = 0; k < rows * cols; k++)
                matrix.value[k] = k < 9 && rows == 5 ? special[k] : any_double(&random);
            round_trip(&matrix, NULL);
            mm_free(&matrix);
        }
    }
}

TEST(test_sparse_round_trip) {
    test_random random = test_random_start(2);
    for (int64_t n = 0; n <= 70; n += 7) {
        int64_t row[300], column[300], count = 0;
        double value[300];
        for (int64_t k = 0; k < 4 * n; k++) {
            row[k] = test_random_between(&random, 0, n - 1);
            column[k] = test_random_between(&random, 0, n + 1);
            value[k] = any_double(&random) / 1e9; /* duplicates must not overflow */
            count++;
        }
        mm_matrix matrix;
        assert_int_equal(mm_from_triplets(n, n + 2, count, row, column, value, &matrix, NULL), MM_OK);
        round_trip(&matrix, "a comment");
        mm_free(&matrix);
    }
}

TEST(test_comments_stay_comments) {
    SCRATCH_BY(mm_free) mm_matrix matrix = io_parse("%%MatrixMarket matrix array real general\n1 1\n3\n");
    char endless[5001];
    memset(endless, '7', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    round_trip(&matrix, "");
    round_trip(&matrix, "two\n2 2\r\nlines\r");
    round_trip(&matrix, endless);
    assert_int_equal(mm_write(io_path("round.mtx"), &matrix, "made by hand", NULL), MM_OK);
    size_t length;
    SCRATCH char *text = io_read_text(io_path("round.mtx"), &length);
    assert_non_null(text);
    assert_string_equal(text, "%%MatrixMarket matrix array real general\n% made by hand\n1 1\n3\n");
}

TEST(test_permissions_and_links) {
    SCRATCH_BY(mm_free) mm_matrix matrix = io_parse("%%MatrixMarket matrix array real general\n1 1\n3\n");
    struct stat status;
    const mode_t before = umask(027);
    const mm_result result = mm_write(io_path("new.mtx"), &matrix, NULL, NULL);
    umask(before);
    assert_int_equal(result, MM_OK);
    assert_int_equal(stat(io_path("new.mtx"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);

    assert_int_equal(chmod(io_path("new.mtx"), 0604), 0);
    assert_int_equal(symlink("new.mtx", io_path("link.mtx")), 0);
    matrix.value[0] = 4;
    assert_int_equal(mm_write(io_path("link.mtx"), &matrix, NULL, NULL), MM_OK);
    assert_int_equal(lstat(io_path("link.mtx"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(lstat(io_path("new.mtx"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0604);
    mm_matrix again;
    assert_int_equal(mm_read(io_path("new.mtx"), &again, NULL), MM_OK);
    io_assert_same(&matrix, &again);
    mm_free(&again);

    assert_int_equal(symlink("nowhere", io_path("dangling.mtx")), 0);
    assert_int_equal(mm_write(io_path("dangling.mtx"), &matrix, NULL, NULL), MM_UNWRITABLE);
}

static void assert_unwritable(const char *path, const mm_matrix *matrix, const char *reason) {
    mm_message message;
    const int files = io_folder_count();
    assert_int_equal(mm_write(path, matrix, NULL, &message), MM_UNWRITABLE);
    assert_non_null(strstr(message.error, path));
    assert_non_null(strstr(message.error, reason));
    assert_int_equal(io_folder_count(), files);
}

/* A limit on the size of files stands for a full disk. */
TEST(test_a_failed_write_leaves_the_old_file) {
    static const char old[] = "what was there before\n";
    const char *path = io_path("old.mtx");
    io_write_text(path, old, sizeof old - 1);
    mm_matrix matrix;
    assert_int_equal(mm_dense_create(100, 100, &matrix, NULL), MM_OK);

    struct rlimit limit, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = 5000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    mm_message message;
    const int files = io_folder_count();
    const mm_result result = mm_write(path, &matrix, NULL, &message);
    const mm_result fresh = mm_write(io_path("fresh.mtx"), &matrix, NULL, NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(result, MM_UNWRITABLE);
    assert_int_equal(fresh, MM_UNWRITABLE);
    assert_non_null(strstr(message.error, strerror(EFBIG)));
    assert_int_equal(io_folder_count(), files);
    size_t length;
    SCRATCH char *text = io_read_text(path, &length);
    assert_non_null(text);
    assert_string_equal(text, old);
    mm_free(&matrix);
}

TEST(test_what_cannot_be_written) {
    SCRATCH_BY(mm_free)
    mm_matrix matrix = io_parse("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n");
    assert_unwritable(io_path("no/such/folder.mtx"), &matrix, strerror(ENOENT));
    assert_unwritable(io_path("."), &matrix, "it is a folder; name a file in it");
    io_write_text(io_path("file.mtx"), "x\n", 2);
    assert_unwritable(io_path("file.mtx/below.mtx"), &matrix, "file.mtx' is a file, not a folder");
    if (access("/dev/full", W_OK) == 0) assert_unwritable("/dev/full", &matrix, strerror(ENOSPC));
    assert_int_equal(mm_write("/dev/null", &matrix, NULL, NULL), MM_OK);
    struct stat status;
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));

    mm_message message;
    const int files = io_folder_count();
    matrix.value[1] = NAN;
    assert_int_equal(mm_write(io_path("nan.mtx"), &matrix, NULL, &message), MM_UNWRITABLE);
    assert_non_null(strstr(message.error, "(2, 2) is NaN"));
    matrix.value[0] = -INFINITY;
    assert_int_equal(mm_write(io_path("inf.mtx"), &matrix, NULL, &message), MM_UNWRITABLE);
    assert_non_null(strstr(message.error, "(1, 1) is infinite"));
    assert_int_equal(io_folder_count(), files);
}

TEST(test_a_read_only_file_is_kept) {
    if (geteuid() == 0) {
        print_message("nothing is read-only to root\n");
        skip();
    }
    SCRATCH_BY(mm_free) mm_matrix matrix = io_parse("%%MatrixMarket matrix array real general\n1 1\n3\n");
    io_write_text(io_path("read-only.mtx"), "x", 1);
    assert_int_equal(chmod(io_path("read-only.mtx"), 0444), 0);
    assert_unwritable(io_path("read-only.mtx"), &matrix, strerror(EACCES));
}

TEST(test_a_pipe_is_written_as_it_stands) {
    mm_matrix matrix = io_parse("%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 0.5\n"), again;
    int ends[2];
    char path[40];
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    const mm_result result = mm_write(path, &matrix, NULL, NULL);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    const mm_result read = mm_read(path, &again, NULL);
    close(ends[0]);
    assert_int_equal(result, MM_OK);
    assert_int_equal(read, MM_OK);
    io_assert_same(&matrix, &again);
    mm_free(&matrix);
    mm_free(&again);
}

TEST_PROGRAM_ALONE(io_folder_create, io_folder_remove)
