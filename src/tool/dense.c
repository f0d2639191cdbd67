/* dense.c: the memory question, and rounding to float. */
#include "tool/dense.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/system/host.h"

/* Bytes of memory that this host has; HUGE_VAL where the system does not tell. */
static double host_memory(void) {
    const int64_t bytes = cls_host_memory();
    return bytes > 0 ? (double)bytes : HUGE_VAL;
}

static size_t size_of(clsolve_type type) {
    const int is_float = type == CLSOLVE_F32 || type == CLSOLVE_C32;
    const size_t parts = type == CLSOLVE_C32 || type == CLSOLVE_C64 ? 2 : 1;
    return parts * (is_float ? sizeof(float) : sizeof(double));
}

clsolve_type dense_type(const mm_matrix *matrix, clsolve_type real) {
    if (!matrix->is_complex) return real;
    return real == CLSOLVE_F32 ? CLSOLVE_C32 : CLSOLVE_C64;
}

exit_code dense_check(const char *what, int64_t rows, int64_t cols, clsolve_type type, outcome *out) {
    /* In double, where no product overflows; its rounding is far below what matters here. */
    double bytes = (double)rows * (double)cols * (double)size_of(type), have = host_memory();
    if (bytes <= have && bytes < (double)PTRDIFF_MAX) return EXIT_CODE_OK;
    return outcome_fail(out, EXIT_CODE_MEMORY,
                        "%s: out of host memory: a dense matrix of %" PRId64 " x %" PRId64
                        " takes %.1f GB and this host has %.1f GB; use a smaller matrix or a larger host",
                        what, rows, cols, bytes / 1e9, have / 1e9);
}

/* `rows` and `count` are of numbers, `parts` of them an entry. */
static exit_code round_to_float(const char *what, const double *from, int64_t rows, int64_t count, int64_t parts,
                                float *to, int64_t *lost, outcome *out) {
    for (int64_t k = 0; k < count; k++) {
        to[k] = (float)from[k];
        if (isinf(to[k]))
            return outcome_fail(out, EXIT_CODE_FILE,
                                "%s: entry (%" PRId64 ", %" PRId64 ") is %.6g, out of the range of single "
                                "precision; use --precision double or scale the matrix",
                                what, k % rows / parts + 1, k / rows + 1, from[k]);
        if (lost != NULL && to[k] == 0 && from[k] != 0) ++*lost;
    }
    return EXIT_CODE_OK;
}

exit_code dense_view(const char *what, const mm_matrix *matrix, clsolve_type type, clsolve_matrix *view, void **owned,
                     int64_t *lost, outcome *out) {
    const int64_t parts = mm_numbers(matrix), rows = matrix->rows, cols = matrix->cols, count = rows * cols * parts;
    size_t room = count > 0 ? (size_t)count : 1;
    *owned = NULL;
    double *full = matrix->value;
    if (matrix->sparse) {
        full = calloc(room, sizeof *full);
        if (full == NULL) return outcome_fail(out, EXIT_CODE_MEMORY, "%s: out of host memory", what);
        mm_to_dense(matrix, full, rows > 0 ? rows : 1);
        *owned = full;
    }
    *view = clsolve_matrix_f64(rows, cols, full);
    view->type = dense_type(matrix, type);
    if (type == CLSOLVE_F64) return EXIT_CODE_OK;

    float *rounded = malloc(room * sizeof *rounded);
    exit_code code = rounded == NULL ? outcome_fail(out, EXIT_CODE_MEMORY, "%s: out of host memory", what)
                                     : round_to_float(what, full, rows * parts, count, parts, rounded, lost, out);
    free(*owned);
    *owned = rounded;
    view->data = rounded;
    return code;
}
