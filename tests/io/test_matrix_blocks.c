/*
 * Files of many blocks, whose parts are read by several threads: the same matrix as from the triplets that were written,
 * and the same refusals, with their lines, as in small files.
 */
#include <inttypes.h>

#include "io_support.h"
#include "support/test_support.h"

enum { ENTRIES = 60000, ROWS = 3000, LINE = 64, HEAD = 3 };

typedef struct text {
    char *bytes;
    size_t length;
    char *line[ENTRIES]; /* where each entry begins */
    int64_t row[ENTRIES], column[ENTRIES];
    double value[ENTRIES];
} text;

/* Entries in the lower triangle, in any order, and a blank line behind every seventh. */
static text *make_text(const char *symmetry, int64_t announced) {
    test_random random = test_random_start(7);
    text *t = test_room(1, sizeof *t);
    t->bytes = calloc(ENTRIES + 10, LINE);
    assert_non_null(t->bytes);
    char *at = t->bytes;
    at += sprintf(at, "%%%%MatrixMarket matrix coordinate real %s\n%% a comment\n%d %d %" PRId64 "\n", symmetry, ROWS,
                  ROWS, announced);
    for (int k = 0; k < ENTRIES; k++) {
        t->row[k] = test_random_between(&random, 0, ROWS - 1);
        t->column[k] = test_random_between(&random, 0, t->row[k]);
        t->value[k] = test_random_unit(&random) - 0.5;
        t->line[k] = at;
        at += sprintf(at, "%" PRId64 " %" PRId64 " %.17g%s\n%s", t->row[k] + 1, t->column[k] + 1, t->value[k],
                      k % 5 == 0 ? "\r" : "", k % 7 == 6 ? "  \n" : "");
    }
    t->length = (size_t)(at - t->bytes);
    return t;
}

static void free_text(text *t) {
    free(t->bytes);
    free(t);
}

/* Lines that stand before entry k, and its own. */
static int line_of(int k) {
    return HEAD + k + k / 7 + 1;
}

static mm_result read_both_ways(const text *t, mm_matrix *matrix, mm_message *message) {
    mm_matrix again;
    mm_message said;
    const mm_result result = mm_read_memory(t->bytes, t->length, "large.mtx", matrix, message);
    const char *path = io_path("large.mtx");
    io_write_text(path, t->bytes, t->length);
    assert_int_equal(mm_read(path, &again, &said), result);
    assert_string_equal(strrchr(said.error, '/') ? strrchr(said.error, '/') + 1 : said.error, message->error);
    assert_string_equal(strrchr(said.warning, '/') ? strrchr(said.warning, '/') + 1 : said.warning, message->warning);
    if (result == MM_OK) io_assert_same(matrix, &again);
    mm_free(&again);
    return result;
}

TEST(test_same_matrix) {
    mm_matrix expected, got;
    mm_message message;
    text *t = make_text("general", ENTRIES);
    for (int end = 0; end < 2; end++) { /* with the last line's end and without */
        if (end == 1)
            while (t->bytes[t->length - 1] <= ' ') t->length--;
        assert_int_equal(read_both_ways(t, &got, &message), MM_OK);
        assert_int_equal(mm_from_triplets(ROWS, ROWS, ENTRIES, t->row, t->column, t->value, &expected, NULL), MM_OK);
        io_assert_same(&expected, &got);
        mm_free(&expected);
        mm_free(&got);
    }
    free_text(t);
}

TEST(test_symmetric) {
    static int64_t row[2 * ENTRIES], column[2 * ENTRIES];
    static double value[2 * ENTRIES];
    mm_matrix expected, got;
    mm_message message;
    int64_t count = 0;
    text *t = make_text("symmetric", ENTRIES);
    for (int k = 0; k < ENTRIES; k++)
        for (int mirrored = 0; mirrored < 1 + (t->row[k] != t->column[k]); mirrored++, count++) {
            row[count] = mirrored ? t->column[k] : t->row[k];
            column[count] = mirrored ? t->row[k] : t->column[k];
            value[count] = t->value[k];
        }
    assert_int_equal(read_both_ways(t, &got, &message), MM_OK);
    assert_int_equal(mm_from_triplets(ROWS, ROWS, count, row, column, value, &expected, NULL), MM_OK);
    io_assert_same(&expected, &got);
    mm_free(&expected);
    mm_free(&got);
    free_text(t);
}

static void assert_refused(const text *t, int line, const char *says) {
    mm_matrix matrix;
    mm_message message;
    char where[40];
    (void)snprintf(where, sizeof where, "large.mtx:%d: ", line);
    assert_int_equal(read_both_ways(t, &matrix, &message), MM_MALFORMED);
    if (strncmp(message.error, where, strlen(where)) != 0 || !strstr(message.error, says))
        fail_msg("\"%s\" instead of \"%s...%s\"", message.error, where, says);
}

TEST(test_wrong_lines) {
    static const struct {
        const char *with, *says;
    } wrong[] = {{"x", "is no row"}, {"0 ", "outside 1 .. "}, {"%", "comment stands among"}, {"?", "is no row"}};
    test_random random = test_random_start(8);
    text *t = make_text("general", ENTRIES);
    for (int round = 0; round < 40; round++) {
        int k = round == 0 ? 0 : round == 1 ? ENTRIES - 1 : (int)test_random_between(&random, 0, ENTRIES - 1);
        const size_t w = (size_t)round % 4, length = strlen(wrong[w].with);
        char kept[2], later[2];
        memcpy(kept, t->line[k], length);
        /* A second one behind it is not the one that is told. */
        int other = k + (ENTRIES - 1 - k) / 2;
        memcpy(later, t->line[other], 1);
        t->line[other][0] = 'y';
        memcpy(t->line[k], wrong[w].with, length);
        assert_refused(t, line_of(k), wrong[w].says);
        memcpy(t->line[other], later, 1);
        memcpy(t->line[k], kept, length);
    }
    free_text(t);
}

TEST(test_wrong_counts) {
    text *more = make_text("general", ENTRIES - 10000);
    assert_refused(more, line_of(ENTRIES - 10000), "more follows the");
    free_text(more);
    text *fewer = make_text("general", ENTRIES + 5);
    assert_refused(fewer, line_of(ENTRIES - 1) + (ENTRIES % 7 == 0), "ends after 60000 of 60005");
    free_text(fewer);
}

TEST(test_underflows) {
    mm_matrix matrix;
    mm_message message;
    char said[80];
    text *t = make_text("general", ENTRIES);
    const int first = ENTRIES / 3, tiny[] = {first, first + 1, ENTRIES - 2};
    for (int i = 0; i < 3; i++) {
        char *at = strchr(strchr(t->line[tiny[i]], ' ') + 1, ' ') + 1;
        memcpy(at, "1e-999", 6); /* the value has at least as many characters */
        for (at += 6; *at != '\n' && *at != '\r'; at++) *at = ' ';
    }
    assert_int_equal(read_both_ways(t, &matrix, &message), MM_OK);
    (void)snprintf(said, sizeof said, "large.mtx:%d: 3 values are too small", line_of(first));
    assert_memory_equal(message.warning, said, strlen(said));
    mm_free(&matrix);
    free_text(t);
}

/* Through a pipe, which gives a little at a time. */
TEST(test_array_from_pipe) {
    if (!test_is_posix()) skip();
    enum { N = 260 };
    char command[256], *bytes = malloc(N * N * 28 + 100), *at = bytes;
    test_random random = test_random_start(9);
    SCRATCH double *value = calloc(N * N, sizeof *value);
    mm_matrix got;
    at += sprintf(at, "%%%%MatrixMarket matrix array real general\n%d %d\n", N, N);
    for (int k = 0; k < N * N; k++) at += sprintf(at, "%.17g\n", value[k] = test_random_unit(&random));
    io_write_text(io_path("array.mtx"), bytes, (size_t)(at - bytes));
    const char *pipe = io_path("pipe");
    (void)snprintf(command, sizeof command, "mkfifo %s && { cat %s > %s & }", pipe, io_path("array.mtx"), pipe);
    assert_int_equal(system(command), 0);
    assert_int_equal(mm_read(pipe, &got, NULL), MM_OK);
    assert_int_equal(got.entries, N * N);
    assert_memory_equal(got.value, value, N * N * sizeof *value);
    mm_free(&got);
    free(bytes);
}

TEST_PROGRAM_ALONE(io_folder_create, io_folder_remove)
