/* generate_band.c: kind `band`: each element is asked for once, column by column, and goes to the file or into a
 * sum. */
#include "tool/generate_band.h"

#include <inttypes.h>
#include <stdlib.h>

#include "io/matrix_print.h"
#include "tool/output.h"
#include "tool/random.h"

/* 0: go on. */
typedef int (*entry_made)(void *user, int64_t row, int64_t column, double value);

static int each_entry(const generate_band *band, entry_made made, void *user) {
    random_state random = random_start(band->seed);
    for (int64_t j = 0; j < band->n; j++) {
        int64_t first = j > band->ku ? j - band->ku : 0;
        int64_t last = j < band->n - 1 - band->kl ? j + band->kl : band->n - 1;
        for (int64_t i = first; i <= last; i++) {
            double value = random_signed(&random); /* on the diagonal too: the others are the same either way */
            if (band->dominant && i == j) value = (double)(band->kl + band->ku + 1);
            int stop = made(user, i, j, value);
            if (stop != 0) return stop;
        }
    }
    return 0;
}

/* The whole diagonals less the corners that are cut off. */
int64_t generate_band_entries(const generate_band *band) {
    int64_t n = band->n, kl = band->kl, ku = band->ku;
    return n * (kl + ku + 1) - kl * (kl + 1) / 2 - ku * (ku + 1) / 2;
}

static int print_entry(void *stream, int64_t row, int64_t column, double value) {
    return mm_print_entry(stream, row, column, value);
}

typedef struct printed {
    const generate_band *band;
    const char *comment;
} printed;

static int print_band(FILE *stream, const void *what) {
    const printed *p = what;
    mm_matrix size = {.rows = p->band->n, .cols = p->band->n, .sparse = 1, .entries = generate_band_entries(p->band)};
    if (mm_print_head(stream, &size, p->comment) != 0) return -1;
    return each_entry(p->band, print_entry, stream);
}

exit_code generate_band_matrix(const generate_band *band, const char *path, const char *comment, outcome *out) {
    const printed p = {band, comment};
    return output_print(path, print_band, &p, out);
}

static int add_entry(void *sums, int64_t row, int64_t column, double value) {
    (void)column;
    ((long double *)sums)[row] += value;
    return 0;
}

exit_code generate_band_rhs(const generate_band *band, const char *path, const char *comment, outcome *out) {
    mm_matrix b = {0};
    mm_message message = {0};
    mm_result result = mm_dense_create(band->n, 1, &b, &message);
    if (result != MM_OK) return outcome_fail_file(out, result, &message);
    long double *sums =
        calloc((size_t)band->n, sizeof *sums); /* as mm_product sums, so that b is the same to the bit */
    exit_code code = EXIT_CODE_OK;
    if (sums == NULL) {
        code = outcome_fail(out, EXIT_CODE_MEMORY, "generate: out of host memory");
    } else {
        (void)each_entry(band, add_entry, sums);
        for (int64_t i = 0; i < band->n; i++) b.value[i] = (double)sums[i];
        code = output_matrix(path, &b, comment, out);
    }
    free(sums);
    mm_free(&b);
    return code;
}
