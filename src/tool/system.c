#include "tool/system.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/dense.h"

/* The entries of column j: first .. last - 1. */
static void column_range(const mm_matrix *A, int64_t j, int64_t *first, int64_t *last) {
    *first = A->sparse ? A->start[j] : j * A->rows;
    *last = A->sparse ? A->start[j + 1] : *first + A->rows;
}

static int64_t row_of(const mm_matrix *A, int64_t j, int64_t e) {
    return A->sparse ? A->row[e] : e - j * A->rows;
}

/* The first entry that float cannot hold is refused; those that become 0 are counted. */
static exit_code check_range(const char *what, const mm_matrix *A, clsolve_type type, int64_t *lost, outcome *out) {
    const int64_t parts = mm_numbers(A);
    for (int64_t j = 0; type == CLSOLVE_F32 && j < A->cols; j++) {
        int64_t first, last;
        column_range(A, j, &first, &last);
        for (int64_t k = first * parts; k < last * parts; k++) {
            float rounded = (float)A->value[k];
            if (isinf(rounded))
                return outcome_fail(out, EXIT_CODE_FILE,
                                    "%s: entry (%" PRId64 ", %" PRId64 ") is %.6g, out of the range of single "
                                    "precision; use --precision double or scale the matrix",
                                    what, row_of(A, j, k / parts) + 1, j + 1, A->value[k]);
            if (rounded == 0 && A->value[k] != 0) ++*lost;
        }
    }
    return EXIT_CODE_OK;
}

static int is_zero(const mm_matrix *A, int64_t e) {
    const int64_t parts = mm_numbers(A);
    return A->value[e * parts] == 0 && A->value[e * parts + parts - 1] == 0;
}

/* Entry `from` of the file as entry `to` of the rows. */
static void put_entry(const mm_matrix *A, int64_t from, clsolve_type type, void *values, int64_t to) {
    const int64_t parts = mm_numbers(A);
    for (int64_t p = 0; p < parts; p++)
        if (type == CLSOLVE_F64)
            ((double *)values)[to * parts + p] = A->value[from * parts + p];
        else
            ((float *)values)[to * parts + p] = (float)A->value[from * parts + p];
}

/* The compressed columns of the file become compressed rows; explicit zeros are left out. */
static void fill_rows(const mm_matrix *A, clsolve_type type, system_data *data) {
    int64_t *next = data->row_start + 1; /* next[i]: where row i's next entry goes; at last where it ends */
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t j = 0; j < A->cols; j++) {
            int64_t first, last;
            column_range(A, j, &first, &last);
            for (int64_t e = first; e < last; e++) {
                int64_t i = row_of(A, j, e);
                if (is_zero(A, e)) continue;
                if (pass == 0) {
                    if (i + 1 < A->rows) next[i + 1]++;
                    continue;
                }
                int64_t at = next[i]++;
                data->column[at] = j;
                put_entry(A, e, type, data->values, at);
            }
        }
        for (int64_t i = 1; pass == 0 && i < A->rows; i++) next[i] += next[i - 1];
    }
}

exit_code system_make_rows(const solve_job *job, system_data *data, outcome *out) {
    const mm_matrix *A = &job->A;
    clsolve_type type = job->precision->type;
    size_t count = 0, entries = (size_t)(A->sparse ? A->entries : A->rows * A->cols);
    for (size_t e = 0; e < entries; e++) count += !is_zero(A, (int64_t)e);
    data->row_start = calloc((size_t)A->rows + 2, sizeof *data->row_start);
    data->column = calloc(count + 1, sizeof *data->column);
    data->values = calloc((count + 1) * (size_t)mm_numbers(A), type == CLSOLVE_F64 ? sizeof(double) : sizeof(float));
    if (data->row_start == NULL || data->column == NULL || data->values == NULL)
        return outcome_fail(out, EXIT_CODE_MEMORY, "%s: out of host memory", job->matrix_path);
    fill_rows(A, type, data);
    data->csr = clsolve_csr_i64_f64(A->rows, data->row_start, data->column, data->values);
    data->csr.type = dense_type(A, type);
    return EXIT_CODE_OK;
}

static void warn_lost(solve_job *job, int64_t lost) {
    char text[256];
    if (lost == 0 || job->warned) return;
    snprintf(text, sizeof text, "%.150s: %" PRId64 " entries are so small that they are 0 in single precision",
             job->matrix_path, lost);
    outcome_warn(text);
    job->warned = 1;
}

exit_code system_make(solve_job *job, system_form form, system_data *data, outcome *out) {
    const char *formed = job->inverse ? "the unit matrix" : "the right-hand side A*(1,...,1)";
    const char *rhs = job->rhs_path != NULL ? job->rhs_path : formed;
    clsolve_type type = job->precision->type;
    int64_t lost = 0;
    exit_code code;

    *data = (system_data){.sparse = form == SYSTEM_AS_READ ? job->A.sparse : form == SYSTEM_SPARSE};
    if (data->sparse) {
        code = check_range(job->matrix_path, &job->A, type, &lost, out);
        if (code == EXIT_CODE_OK) code = system_make_rows(job, data, out);
    } else {
        code = dense_view(job->matrix_path, &job->A, type, &data->A, &data->owned_A, &lost, out);
    }
    if (code == EXIT_CODE_OK) warn_lost(job, lost);
    if (code == EXIT_CODE_OK) code = dense_view(rhs, &job->B, type, &data->B, &data->owned_B, NULL, out);
    if (code == EXIT_CODE_OK && data->owned_B == NULL) {
        /* The library would overwrite job->B, which the residual needs: let it work in X's memory. */
        if (job->B.entries > 0)
            memcpy(job->X.value, job->B.value, (size_t)(job->B.entries * mm_numbers(&job->B)) * sizeof *job->X.value);
        data->B.data = job->X.value;
    }
    return code;
}

void system_take_solution(const system_data *data, mm_matrix *X) {
    const float *from = data->B.data;
    if (data->B.type == CLSOLVE_F64 || data->B.type == CLSOLVE_C64) return; /* it was made there */
    for (int64_t k = 0; k < X->entries * mm_numbers(X); k++) X->value[k] = (double)from[k];
}

void system_free(system_data *data) {
    free(data->owned_A);
    free(data->owned_B);
    free(data->row_start);
    free(data->column);
    free(data->values);
}
