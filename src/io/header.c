#include "io/header.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "io/message.h"
#include "io/number.h"

#define BANNER           "%%MatrixMarket"
#define BANNER_IN_FORMAT "%%%%MatrixMarket" /* for printf */

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Letter case ignored, and not by the locale's idea of letters. */
static int word_is(mm_span word, const char *text) {
    const size_t length = strlen(text);
    if ((size_t)(word.end - word.begin) != length) return 0;
    for (size_t i = 0; i < length; i++)
        if (lower(word.begin[i]) != lower(text[i])) return 0;
    return 1;
}

static const char *show(char (*out)[40], mm_span word) {
    return mm_printable(*out, sizeof *out, word.begin, (size_t)(word.end - word.begin));
}

/* One value of one of the banner's words. */
typedef struct choice {
    const char *word;
    int value;
} choice;

static const choice formats[] = {{"coordinate", 1}, {"array", 0}, {NULL, 0}};
static const choice fields[] = {{"real", MM_REAL},
                                {"double", MM_REAL},
                                {"integer", MM_INTEGER},
                                {"unsigned-integer", MM_UNSIGNED},
                                {"pattern", MM_PATTERN},
                                {"complex", MM_COMPLEX},
                                {NULL, 0}};
static const choice symmetries[] = {{"general", MM_GENERAL},
                                    {"symmetric", MM_SYMMETRIC},
                                    {"skew-symmetric", MM_SKEW},
                                    {"hermitian", MM_HERMITIAN},
                                    {NULL, 0}};

static mm_result take_choice(mm_lines *lines, mm_span *rest, const choice *choices, const char *expected, int *value) {
    const mm_span word = mm_take_word(rest);
    char shown[40];
    if (word.begin == word.end) return mm_malformed(lines, "the banner ends too early; write %s here", expected);
    for (const choice *c = choices; c->word; c++) {
        if (!word_is(word, c->word)) continue;
        *value = c->value;
        return MM_OK;
    }
    return mm_malformed(lines, "the banner says '%s'; write %s here", show(&shown, word), expected);
}

/* Reads the words after "%%MatrixMarket" on the first line. */
static mm_result read_banner(mm_lines *lines, mm_span rest, mm_header *header) {
    const mm_span object = mm_take_word(&rest);
    char shown[40];
    if (!word_is(object, "matrix"))
        return mm_malformed(lines, "the banner describes '%s'; only '" BANNER_IN_FORMAT " matrix ...' is read here",
                            show(&shown, object));
    int field = MM_REAL, symmetry = MM_GENERAL;
    mm_result result = take_choice(lines, &rest, formats, "'coordinate' or 'array'", &header->sparse);
    if (result != MM_OK) return result;
    result = take_choice(lines, &rest, fields, "'real', 'integer', 'unsigned-integer', 'complex' or 'pattern'", &field);
    if (result != MM_OK) return result;
    result =
        take_choice(lines, &rest, symmetries, "'general', 'symmetric', 'skew-symmetric' or 'hermitian'", &symmetry);
    if (result != MM_OK) return result;
    header->field = (mm_field)field;
    header->symmetry = (mm_symmetry)symmetry;

    if (!mm_at_end(&rest))
        return mm_malformed(lines, "'%s' follows the banner's five words; remove it",
                            show(&shown, mm_take_word(&rest)));
    if (header->field == MM_PATTERN && !header->sparse)
        return mm_malformed(lines, "an array cannot be a 'pattern', it has only values; write 'coordinate', or "
                                   "'real' and the values");
    if (header->symmetry == MM_HERMITIAN && header->field != MM_COMPLEX)
        return mm_malformed(lines, "only a 'complex' matrix is 'hermitian'; write 'symmetric' for a real one");
    if (header->field == MM_PATTERN && header->symmetry == MM_SKEW)
        return mm_malformed(lines, "a 'pattern' cannot be 'skew-symmetric', it has no signs; write 'real' and the "
                                   "values");
    return MM_OK;
}

/* Takes "%%MatrixMarket" off the front of `line`; 0 when it does not stand there. */
static int take_banner_name(mm_span *line) {
    mm_span rest = *line;
    if (!word_is(mm_take_word(&rest), BANNER) || *line->begin != '%') return 0;
    *line = rest;
    return 1;
}

/* A comment that may have been meant as the banner, which would change what the numbers mean. */
static int looks_like_banner(mm_span line) {
    while (line.begin < line.end && (*line.begin == '%' || *line.begin == ' ' || *line.begin == '\t')) line.begin++;
    mm_span word = mm_take_word(&line);
    const ptrdiff_t length = (ptrdiff_t)strlen("MatrixMarket");
    if (word.end - word.begin > length) word.end = word.begin + length;
    return word_is(word, "MatrixMarket");
}

/* Refuses bytes that say that this is another kind of file altogether. A byte order mark of UTF-8, which editors on
 * Windows write, is taken off the line. */
static mm_result take_first_bytes(mm_lines *lines, mm_span *line) {
    const size_t length = (size_t)(line->end - line->begin);
    if (length >= 2 && memcmp(line->begin, "\x1f\x8b", 2) == 0)
        return mm_malformed(lines, "this is a gzip file; decompress it first (gunzip)");
    if (length >= 2 && (memcmp(line->begin, "\xff\xfe", 2) == 0 || memcmp(line->begin, "\xfe\xff", 2) == 0))
        return mm_malformed(lines, "the file is in UTF-16; save it as plain ASCII");
    if (length >= 3 && memcmp(line->begin, "\xef\xbb\xbf", 3) == 0) line->begin += 3;
    return MM_OK;
}

/* Skips comments and blank lines, from the line given on, up to the size line. */
static mm_result find_size_line(mm_lines *lines, mm_span *line, int more) {
    for (;;) {
        if (!more) {
            if (lines->number > 0) return mm_malformed(lines, "the file ends before the size line; it is not whole");
            lines->number = 1; /* where the first line is missing: editors know no line 0 */
            return mm_malformed(lines, "the file is empty; a Matrix Market file starts with '" BANNER_IN_FORMAT "'");
        }
        mm_span rest = *line;
        const int blank = mm_at_end(&rest);
        if (!blank && *rest.begin != '%') return MM_OK;
        if (!blank && looks_like_banner(rest))
            return mm_malformed(lines, "the banner is not in its place; it is the first line and starts with "
                                       "'" BANNER_IN_FORMAT "'");
        if (!blank && memchr(rest.begin, '\0', (size_t)(rest.end - rest.begin)))
            return mm_malformed(lines, "a comment holds a NUL byte; this is not a text file, or it is damaged");
        const mm_result result = mm_lines_next(lines, line, &more);
        if (result != MM_OK) return result;
    }
}

/* Up to three sizes and how many they are. */
static mm_result take_sizes(mm_lines *lines, mm_span rest, int64_t sizes[3], int *count) {
    static const char *const name[] = {"rows", "columns", "entries"};
    char shown[40];
    for (*count = 0; *count < 3 && !mm_at_end(&rest); ++*count) {
        const mm_number number = mm_take_integer(&rest, &sizes[*count]);
        const int64_t limit = *count == 2 ? INT64_MAX : MM_SIZE_MAX;
        if (number == MM_NUMBER_BAD)
            return mm_malformed(lines, "'%s' is no number of %s; a size line holds whole numbers",
                                show(&shown, mm_take_word(&rest)), name[*count]);
        if (number == MM_NUMBER_OVERFLOW || sizes[*count] > limit)
            return mm_malformed(lines, "too many %s; at most %" PRId64 " are taken here", name[*count], limit);
        if (sizes[*count] < 0)
            return mm_malformed(lines, "the number of %s is negative; sizes count from 0", name[*count]);
    }
    if (!mm_at_end(&rest))
        return mm_malformed(lines, "'%s' follows the sizes; remove it", show(&shown, mm_take_word(&rest)));
    return MM_OK;
}

/* How many values an array file of this shape holds. MM_SIZE_MAX keeps the products inside 64 bits. */
static int64_t array_values(const mm_header *header) {
    const int64_t n = header->rows;
    switch (header->symmetry) {
    case MM_SYMMETRIC:
    case MM_HERMITIAN:
        return n * (n + 1) / 2;
    case MM_SKEW:
        return n > 0 ? n * (n - 1) / 2 : 0;
    default:
        return header->rows * header->cols;
    }
}

static mm_result read_sizes(mm_lines *lines, mm_span line, int has_banner, mm_header *header) {
    int64_t sizes[3] = {0, 0, 0};
    int count = 0;
    const mm_result result = take_sizes(lines, line, sizes, &count);
    if (result != MM_OK && !has_banner && lines->number == 1)
        return mm_malformed(lines, "this is no Matrix Market file; the first line is '" BANNER_IN_FORMAT
                                   " matrix coordinate real general' or the like");
    if (result != MM_OK) return result;
    if (!has_banner && count != 3)
        return mm_malformed(lines,
                            "there is no banner, and %d number%s no sizes of a sparse matrix; put '" BANNER_IN_FORMAT
                            " matrix array real general' on the first line if this is a dense one",
                            count, count == 1 ? " is" : "s are");
    const int wanted = header->sparse ? 3 : 2;
    if (count != wanted)
        return mm_malformed(lines, "the size line has %d number%s; %s", count, count == 1 ? "" : "s",
                            header->sparse ? "'coordinate' needs three: rows, columns, entries"
                                           : "'array' needs two: rows, columns");
    header->rows = sizes[0];
    header->cols = sizes[1];
    header->size_line = lines->number;
    if (header->symmetry != MM_GENERAL && header->rows != header->cols)
        return mm_malformed(lines, "%" PRId64 " x %" PRId64 " is not square; the banner must say 'general'",
                            header->rows, header->cols);
    header->entries = header->sparse ? sizes[2] : array_values(header);
    if (!has_banner)
        mm_warn(lines->message, "%s:%" PRId64 ": no banner; taken as 'coordinate real general'", lines->name,
                lines->number);
    return MM_OK;
}

mm_result mm_read_header(mm_lines *lines, mm_header *header) {
    memset(header, 0, sizeof *header);
    header->sparse = 1;
    mm_span line = {NULL, NULL};
    int more = 0, has_banner = 0;
    mm_result result = mm_lines_next(lines, &line, &more);
    if (result != MM_OK) return result;
    if (more) {
        result = take_first_bytes(lines, &line);
        if (result != MM_OK) return result;
        has_banner = take_banner_name(&line);
        if (has_banner && lines->cut) return mm_malformed(lines, "the banner is too long; it has five words");
        if (has_banner) {
            result = read_banner(lines, line, header);
            if (result == MM_OK) result = mm_lines_next(lines, &line, &more);
            if (result != MM_OK) return result;
        }
    }
    result = find_size_line(lines, &line, more);
    if (result != MM_OK) return result;
    return read_sizes(lines, line, has_banner, header);
}
