/* What the reader refuses: each with its result, the right line in the message, and a word of what is wrong. */
#include <inttypes.h>

#include "io/matrix_market.h"
#include "support/test_support.h"

#define BANNER     "%%MatrixMarket matrix "
#define COORDINATE BANNER "coordinate real general\n"
#define SYMMETRIC  BANNER "coordinate real symmetric\n"
#define SKEW       BANNER "coordinate real skew-symmetric\n"
#define ARRAY      BANNER "array real general\n"
#define TEN        "1234567890"
#define HUNDRED    TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define THOUSAND   HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED

typedef struct malformed {
    const char *text;
    size_t length;
    int line;
    const char *says;
} malformed;

#define CASE(text, line, says)                                                                                         \
    { text, sizeof(text) - 1, line, says }

static const malformed cases[] = {
    /* the banner */
    CASE("", 1, "starts with '%%MatrixMarket'"),
    CASE("\n", 1, "ends before the size line"),
    CASE("% only a comment\n", 1, "ends before the size line"),
    CASE(COORDINATE, 1, "ends before the size line"),
    CASE("hello world\n", 1, "'%%MatrixMarket matrix coordinate real general'"),
    CASE("\x7f"
         "ELF\x02\x01\x01\0\0\0\n",
         1, "no Matrix Market file"),
    CASE("\x1f\x8b\x08\x00\n", 1, "gunzip"),
    CASE("\xef\xbb\xbf\xef\xbb\xbf" COORDINATE "1 1 0\n", 1, "no Matrix Market file"),
    CASE(COORDINATE "\xef\xbb\xbf 1 1 0\n", 2, "\\xef"),
    CASE("\xef\xbb\xbf", 1, "ends before the size line"),
    CASE("\xff\xfe%\0%\0\n", 1, "UTF-16"),
    CASE("\n" COORDINATE "1 1 0\n", 2, "first line and starts with '%%MatrixMarket'"),
    CASE(" " COORDINATE "1 1 0\n", 1, "banner is not in its place"),
    CASE("%MatrixMarket matrix coordinate real symmetric\n1 1 0\n", 1, "banner is not in its place"),
    CASE("%%MatrixMarketmatrix coordinate real symmetric\n1 1 0\n", 1, "banner is not in its place"),
    CASE("%%MatrixMarket\n1 1 0\n", 1, "describes ''"),
    CASE("%%MatrixMarket vector coordinate real general\n1 0\n", 1, "'vector'; only '%%MatrixMarket matrix ...'"),
    CASE(BANNER "\n1 1 0\n", 1, "ends too early"),
    CASE(BANNER "coordinate\n1 1 0\n", 1, "ends too early"),
    CASE(BANNER "coordinate real\n1 1 0\n", 1, "'general'"),
    CASE(BANNER "dense real general\n1 1\n", 1, "'dense'"),
    CASE(BANNER "coordinate float general\n1 1 0\n", 1, "'float'"),
    CASE(BANNER "coordinate real diagonal\n1 1 0\n", 1, "'diagonal'"),
    CASE(BANNER "coordinate real general rubbish\n1 1 0\n", 1, "'rubbish'"),
    CASE(BANNER "coordinate real general\0\n1 1 0\n", 1, "general\\x00"),
    CASE(BANNER "coordinate real Hermitian\n1 1 0\n", 1, "only a 'complex' matrix is 'hermitian'"),
    CASE(BANNER "coordinate complex general\n1 1 1\n1 1 1\n", 3, "the imaginary part is missing"),
    CASE(BANNER "coordinate complex general\n1 1 1\n1 1 1 x\n", 3, "'x' is no imaginary part"),
    CASE(BANNER "coordinate complex general\n1 1 1\n1 1 1 2 3\n", 3, "'3' follows the value"),
    CASE(BANNER "coordinate complex hermitian\n1 1 1\n1 1 1 2\n", 3, "the diagonal of a hermitian matrix is real"),
    CASE(BANNER "array complex hermitian\n1 1\n1 2\n", 3, "the diagonal of a hermitian matrix is real"),
    CASE(BANNER "array complex general\n1 1\n1 1e999\n", 3, "too large"),
    CASE(BANNER "array pattern general\n1 1\n1\n", 1, "array cannot be a 'pattern'"),
    CASE(BANNER "coordinate pattern skew-symmetric\n1 1 0\n", 1, "'pattern' cannot be 'skew-symmetric'"),
    CASE("2 2\n1\n2\n3\n4\n", 1, "put '%%MatrixMarket matrix array"),
    CASE("% x\n2\n", 2, "1 number is no sizes"),
    /* the size line */
    CASE(COORDINATE "% c\0c\n1 1 0\n", 2, "NUL"),
    CASE(COORDINATE "1 1\n", 2, "needs three"),
    CASE(COORDINATE "1 1 1 1\n", 2, "'1' follows the sizes"),
    CASE(ARRAY "1 1 1\n1\n", 2, "needs two"),
    CASE(ARRAY "1\n1\n", 2, "1 number;"),
    CASE(COORDINATE "%\n\n1 x 1\n1 1 1\n", 4, "'x' is no number of columns"),
    CASE(COORDINATE "1.0 1 1\n1 1 1\n", 2, "'1.0'"),
    CASE(COORDINATE "1 1 1e3\n1 1 1\n", 2, "'1e3'"),
    CASE(COORDINATE "-1 1 0\n", 2, "negative"),
    CASE(COORDINATE "1 -1 0\n", 2, "negative"),
    CASE(COORDINATE "1 1 -1\n", 2, "negative"),
    CASE(ARRAY "-3 -3\n", 2, "negative"),
    CASE(COORDINATE "2147483648 1 0\n", 2, "too many rows"),
    CASE(COORDINATE "1 1000000000000 0\n", 2, "too many columns"),
    CASE(COORDINATE "1 1 9223372036854775808\n1 1 1\n", 2, "too many entries"),
    CASE(COORDINATE "99999999999999999999999999 1 1\n1 1 1\n", 2, "too many rows"),
    CASE(COORDINATE "1 2000000000 0\n", 2, "most columns are empty"),
    CASE(SYMMETRIC "2 3 1\n1 1 1\n", 2, "not square"),
    CASE(BANNER "array real skew-symmetric\n2 3\n1\n", 2, "not square"),
    /* how many entries */
    CASE(COORDINATE "2 2 2\n1 1 1\n", 3, "after 1 of 2"),
    CASE(COORDINATE "2 2 2\n1 1 1\n\n\n", 5, "after 1 of 2"),
    CASE(COORDINATE "2 2 9223372036854775807\n1 1 1\n", 3, "after 1 of 9223372036854775807"),
    CASE(COORDINATE "2 2 1\n1 1 1\n2 2 1\n", 4, "sizes on line 2"),
    CASE(COORDINATE "2 2 0\n1 1 1\n", 3, "more follows"),
    CASE(COORDINATE "2 2 1\n1 1 1\n\n\0\n", 5, "more follows"),
    CASE(ARRAY "2 2\n1\n2\n3\n", 5, "after 3 of 4"),
    CASE(ARRAY "2 2\n1\n2\n3\n4\n5\n", 7, "more follows"),
    CASE(ARRAY "2147483647 2147483647\n1\n", 3, "after 1 of 4611686014132420609"),
    CASE(BANNER "array real symmetric\n2 2\n1\n2\n3\n4\n", 6, "more follows the 3 numbers of the lower triangle, "),
    CASE(BANNER "array real skew-symmetric\n2 2\n0\n2\n-2\n0\n", 4,
         "the 1 numbers of the lower triangle without the diagonal, which"),
    CASE(BANNER "array real skew-symmetric\n2 2\n", 2, "after 0 of 1"),
    /* indices */
    CASE(COORDINATE "2 2 1\n0 1 1\n", 3, "row 0 is outside 1 .. 2"),
    CASE(COORDINATE "2 2 1\n1 0 1\n", 3, "column 0 is outside 1 .. 2"),
    CASE(COORDINATE "2 2 1\n3 1 1\n", 3, "row 3 is outside"),
    CASE(COORDINATE "2 2 1\n1 3 1\n", 3, "column 3 is outside"),
    CASE(COORDINATE "2 2 1\n-1 1 1\n", 3, "row -1 is outside"),
    CASE(COORDINATE "0 0 1\n1 1 1\n", 3, "outside 1 .. 0"),
    CASE(COORDINATE "2 2 1\n18446744073709551617 1 1\n", 3, "too large for the row"),
    CASE(COORDINATE "2 2 1\n1.0 1 1\n", 3, "'1.0' is no row"),
    CASE(COORDINATE "2 2 1\n1 1x 1\n", 3, "'1x' is no column"),
    CASE(COORDINATE "2 2 1\n1, 1, 1\n", 3, "'1,' is no row"),
    CASE(COORDINATE "2 2 1\n\xd9\xa1 1 1\n", 3, "'\\xd9\\xa1' is no row"),
    CASE(COORDINATE "2 2 1\n+ 1 1\n", 3, "'+' is no row"),
    CASE(SYMMETRIC "2 2 2\n1 1 1\n1 2 1\n", 4, "above the diagonal"),
    CASE(SKEW "2 2 1\n2 2 0\n", 3, "on the diagonal"),
    CASE(SKEW "2 2 1\n1 2 1\n", 3, "above the diagonal"),
    /* values */
    CASE(COORDINATE "2 2 1\n1 1\n", 3, "value is missing"),
    CASE(COORDINATE "2 2 1\n1\n", 3, "column is missing"),
    CASE("2 2 1\n1 1\n", 2, "value is missing"),
    CASE(COORDINATE "2 2 1\n1 1 x\n", 3, "'x' is no value"),
    CASE(COORDINATE "2 2 1\n1 1 .\n", 3, "'.' is no value"),
    CASE(COORDINATE "2 2 1\n1 1 -\n", 3, "'-' is no value"),
    CASE(COORDINATE "2 2 1\n1 1 1e\n", 3, "'1e' is no value"),
    CASE(COORDINATE "2 2 1\n1 1 1e+\n", 3, "'1e+' is no value"),
    CASE(COORDINATE "2 2 1\n1 1 e5\n", 3, "'e5' is no value"),
    CASE(COORDINATE "2 2 1\n1 1 1.2.3\n", 3, "'1.2.3' is no value"),
    CASE(COORDINATE "2 2 1\n1 1 1-2\n", 3, "'1-2' is no value"),
    CASE(COORDINATE "2 2 1\n1 1 1.5-\n", 3, "'1.5-' is no value"),
    CASE(COORDINATE "2 2 1\n1 1 1,5\n", 3, "'1,5' is no value"),
    CASE(COORDINATE "2 2 1\n1 1 0x10\n", 3, "'0x10' is no value"),
    CASE(COORDINATE "2 2 1\n1 1 1\0\n", 3, "'1\\x00' is no value"),
    CASE(COORDINATE "2 2 1\n1 1 1\r2\n", 3, "'1\\x0d2' is no value"),
    CASE(COORDINATE "2 2 1\n1 1 nan\n", 3, "'nan' is no finite number"),
    CASE(COORDINATE "2 2 1\n1 1 -Infinity\n", 3, "'-Infinity' is no finite number"),
    CASE(COORDINATE "2 2 1\n1 1 1e999\n", 3, "'1e999' is too large for the value"),
    CASE(COORDINATE "2 2 1\n1 1 -1.8e308\n", 3, "too large for the value"),
    CASE(COORDINATE "2 2 1\n1 1 1e99999999999999999999\n", 3, "too large for the value"),
    CASE(COORDINATE "2 2 1\n1 1 " HUNDRED HUNDRED HUNDRED HUNDRED "\n", 3, "too large for the value"),
    CASE(COORDINATE "2 2 2\n1 1 1e308\n1 1 1e308\n", 4, "(1, 1) sum to more"),
    CASE(BANNER "coordinate integer general\n1 1 1\n1 1 1.5\n", 3, "no integer"),
    CASE(BANNER "array integer general\n1 1\n1e2\n", 3, "no integer"),
    CASE(BANNER "array unsigned-integer general\n1 1\n1.0\n", 3, "no integer"),
    CASE(BANNER "array unsigned-integer general\n1 1\n-1\n", 3, "the banner must say 'integer'"),
    CASE(ARRAY "1 1\nInf\n", 3, "no finite number"),
    /* lines */
    CASE(COORDINATE "2 2 1\n1 1 1 1\n", 3, "'1' follows the value"),
    CASE(COORDINATE "2 2 1\n1 1 1 % one\n", 3, "'%' follows the value"),
    CASE(COORDINATE "2 2 2\n1 1 1 2 2 1\n", 3, "'2' follows the value"),
    CASE(BANNER "coordinate pattern general\n2 2 1\n1 1 1\n", 3, "'1' follows the indices"),
    CASE(ARRAY "2 1\n1 2\n", 3, "'2' follows the value"),
    CASE(COORDINATE "2 2 2\n1 1 1\n% late\n2 2 1\n", 4, "move it above the size line"),
    CASE(BANNER "coordinate real general" THOUSAND HUNDRED "\n1 1 0\n", 1, "the banner is too long"),
    CASE(COORDINATE "1 1 1\n1 1 1\n% the end\n1 1 1\n", 5, "more follows"),
    CASE(COORDINATE "1 1 1\n1 1 1\n\x1a\n", 4, "more follows"),
    CASE(COORDINATE "1 1 1\n\x1a", 3, "after 0 of 1"),
    CASE(COORDINATE "1 1 1\n1 1 0." THOUSAND HUNDRED "\n", 3, "longer than"),
    CASE(COORDINATE "1 1 1\r\n1 1 0." THOUSAND HUNDRED, 3, "longer than"),
};

TEST(test_each_is_refused_with_its_line) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const malformed *c = &cases[i];
        mm_matrix matrix;
        mm_message message;
        char place[40];
        snprintf(place, sizeof place, "bad.mtx:%d: ", c->line);
        const mm_result result = mm_read_memory(c->text, c->length, "bad.mtx", &matrix, &message);
        if (result != MM_MALFORMED || strncmp(message.error, place, strlen(place)) != 0 ||
            !strstr(message.error, c->says) || strchr(message.error, '\n'))
            fail_msg("case %zu: result %d, '%s'; expected %s... %s", i, (int)result, message.error, place, c->says);
        const mm_matrix zeros = {0};
        assert_memory_equal(&matrix, &zeros, sizeof matrix);
    }
}

/* The bytes that a good file has, cut anywhere or with one changed: an answer, whatever it is, and no crash. */
TEST(test_damaged_files_never_crash) {
    static const char whole[] =
        SKEW "% comment\r\n\r\n12 12 3\r\n2 1 1.5\n\n12 1 -2.25e-3\n7 6 1000000000000000000000001";
    char text[sizeof whole];
    test_random random = test_random_start(1);
    for (size_t length = 0; length < sizeof whole; length++) {
        mm_matrix matrix;
        memcpy(text, whole, length);
        const mm_result result = mm_read_memory(text, length, "cut.mtx", &matrix, NULL);
        assert_true(result == MM_OK || result == MM_MALFORMED);
        mm_free(&matrix);
    }
    for (int i = 0; i < 20000; i++) {
        mm_matrix matrix;
        memcpy(text, whole, sizeof whole);
        text[test_random_between(&random, 0, (int64_t)sizeof whole - 2)] = (char)test_random_bits(&random);
        const mm_result result = mm_read_memory(text, sizeof whole - 1, "changed.mtx", &matrix, NULL);
        assert_true(result == MM_OK || result == MM_MALFORMED);
        mm_free(&matrix);
    }
}

TEST_PROGRAM_ALONE(NULL, NULL)
