/*
 * libFuzzer target: any bytes are either refused with one line that names the file, or become a matrix whose structure
 * holds and which, printed and read again, has the same bits.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/matrix_market.h"
#include "io/matrix_print.h"

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                    \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_structure(const mm_matrix *m) {
    CHECK(m->rows >= 0 && m->cols >= 0 && m->entries >= 0);
    for (int64_t k = 0; k < m->entries; k++) CHECK(isfinite(m->value[k]));
    if (!m->sparse) {
        CHECK(m->entries == m->rows * m->cols && !m->start && !m->row);
        return;
    }
    CHECK(m->start[0] == 0 && m->start[m->cols] == m->entries);
    for (int64_t j = 0; j < m->cols; j++) {
        CHECK(m->start[j] <= m->start[j + 1]);
        for (int64_t k = m->start[j]; k < m->start[j + 1]; k++) {
            CHECK(m->row[k] >= 0 && m->row[k] < m->rows);
            CHECK(k == m->start[j] || m->row[k - 1] < m->row[k]);
        }
    }
}

static void check_round_trip(const mm_matrix *m) {
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    CHECK(stream);
    CHECK(mm_print(stream, m, "fuzz") == 0);
    CHECK(fclose(stream) == 0);
    mm_matrix again;
    mm_message message;
    if (mm_read_memory(text, length, "again", &again, &message) != MM_OK) {
        /* a file may hold so many entries that were summed that what is left does not justify its columns */
        CHECK(m->sparse && strstr(message.error, "columns are empty"));
    } else {
        CHECK(again.rows == m->rows && again.cols == m->cols && again.entries == m->entries);
        CHECK(again.sparse == m->sparse);
        CHECK(m->entries == 0 || memcmp(again.value, m->value, (size_t)m->entries * sizeof *m->value) == 0);
        if (m->sparse) {
            CHECK(memcmp(again.start, m->start, ((size_t)m->cols + 1) * sizeof *m->start) == 0);
            CHECK(m->entries == 0 || memcmp(again.row, m->row, (size_t)m->entries * sizeof *m->row) == 0);
        }
    }
    mm_free(&again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    mm_matrix matrix;
    mm_message message;
    const mm_result result = mm_read_memory((const char *)data, size, "fuzz", &matrix, &message);
    CHECK(result == MM_OK || result == MM_MALFORMED || result == MM_OUT_OF_MEMORY);
    if (result == MM_OK) {
        CHECK(message.error[0] == '\0');
        check_structure(&matrix);
        check_round_trip(&matrix);
    } else {
        CHECK(strncmp(message.error, "fuzz:", 5) == 0);
        for (const char *c = message.error; *c; c++) CHECK(*c >= 0x20 && *c < 0x7f);
    }
    mm_free(&matrix);
    return 0;
}
