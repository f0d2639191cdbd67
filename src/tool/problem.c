/* problem.c: A and B from their files, checked against each other. */
#include "tool/dense.h"
#include "tool/solve_job.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static exit_code read_file(const char *path, mm_matrix *matrix, outcome *out) {
    mm_message message = {0};
    mm_result result = mm_read(path, matrix, &message);
    if (result != MM_OK) return outcome_fail_file(out, result, &message);
    if (message.warning[0] != '\0') outcome_warn(message.warning);
    return EXIT_CODE_OK;
}

static exit_code create_dense(int64_t rows, int64_t cols, mm_matrix *matrix, outcome *out) {
    mm_message message = {0};
    mm_result result = mm_dense_create(rows, cols, matrix, &message);
    return result == MM_OK ? EXIT_CODE_OK : outcome_fail_file(out, result, &message);
}

static exit_code make_complex(mm_matrix *matrix, outcome *out) {
    mm_message message = {0};
    mm_result result = mm_make_complex(matrix, &message);
    return result == MM_OK ? EXIT_CODE_OK : outcome_fail_file(out, result, &message);
}

/* A complex matrix that is spelled out and has no room is refused. */
static exit_code check_complex(solve_job *job, outcome *out) {
    const clsolve_method method = job->method->method;
    const int sparse = method == CLSOLVE_METHOD_AUTO || method == CLSOLVE_METHOD_BAND ||
                       method == CLSOLVE_METHOD_BLOCK_GS || method_is_sparse(method);
    if (!job->inverse && sparse && job->A.sparse) return EXIT_CODE_OK;
    return dense_check(job->matrix_path, job->A.rows, job->A.cols, CLSOLVE_C64, out);
}

/* If one of A and B is complex, the other one becomes so. */
static exit_code match_types(solve_job *job, outcome *out) {
    exit_code code = EXIT_CODE_OK;
    if (job->A.is_complex == job->B.is_complex) return code;
    if (!job->A.is_complex) code = check_complex(job, out);
    if (code == EXIT_CODE_OK) code = make_complex(&job->A, out);
    return code == EXIT_CODE_OK ? make_complex(&job->B, out) : code;
}

/* Solutions are compared and written densely, so a sparse B is spelled out. */
static exit_code make_dense(const char *path, mm_matrix *B, outcome *out) {
    if (!B->sparse) return EXIT_CODE_OK;
    exit_code code = dense_check(path, B->rows, B->cols, dense_type(B, CLSOLVE_F64), out);
    mm_matrix dense = {0};
    if (code == EXIT_CODE_OK) code = create_dense(B->rows, B->cols, &dense, out);
    if (code == EXIT_CODE_OK && B->is_complex) code = make_complex(&dense, out);
    if (code != EXIT_CODE_OK) return code;
    mm_to_dense(B, dense.value, B->rows > 0 ? B->rows : 1);
    mm_free(B);
    *B = dense;
    return EXIT_CODE_OK;
}

static exit_code read_rhs(solve_job *job, outcome *out) {
    exit_code code = read_file(job->rhs_path, &job->B, out);
    if (code != EXIT_CODE_OK) return code;
    if (job->B.rows != job->A.rows)
        return outcome_fail(out, EXIT_CODE_FILE,
                            "%s: the right-hand side has %" PRId64 " rows and the matrix in %s has %" PRId64
                            "; they must be the same",
                            job->rhs_path, job->B.rows, job->matrix_path, job->A.rows);
    return make_dense(job->rhs_path, &job->B, out);
}

/* B = A * (1, ..., 1): the exact solution is known, up to the rounding of the row sums. */
static exit_code form_rhs(solve_job *job, outcome *out) {
    mm_message message = {0};
    const int64_t parts = mm_numbers(&job->A);
    const mm_result result = mm_row_sums(&job->A, &job->B, &message);
    if (result != MM_OK) return outcome_fail_file(out, result, &message);
    for (int64_t i = 0; i < job->A.rows; i++)
        if (!isfinite(job->B.value[i * parts]) || !isfinite(job->B.value[i * parts + parts - 1]))
            return outcome_fail(out, EXIT_CODE_FILE,
                                "%s: the right-hand side A*(1,...,1) overflows in row %" PRId64
                                "; give a right-hand side or scale the matrix",
                                job->matrix_path, i + 1);
    return EXIT_CODE_OK;
}

static exit_code form_identity(solve_job *job, outcome *out) {
    int64_t n = job->A.rows;
    exit_code code = create_dense(n, n, &job->B, out);
    for (int64_t i = 0; code == EXIT_CODE_OK && i < n; i++) job->B.value[i + i * n] = 1;
    return code;
}

exit_code problem_read_matrix(solve_job *job, outcome *out) {
    exit_code code = read_file(job->matrix_path, &job->A, out);
    if (code != EXIT_CODE_OK) return code;
    job->has_matrix = 1;
    if (job->A.rows != job->A.cols)
        return outcome_fail(out, EXIT_CODE_FILE, "%s: the matrix is %" PRId64 " x %" PRId64 "; %s needs a square one",
                            job->matrix_path, job->A.rows, job->A.cols,
                            job->inverse ? "an inverse" : "a linear system");
    return job->A.is_complex ? check_complex(job, out) : job->method->check(job, out);
}

exit_code problem_read(solve_job *job, outcome *out) {
    double start = progress_clock();
    exit_code code = problem_read_matrix(job, out);
    if (code == EXIT_CODE_OK)
        code = job->inverse ? form_identity(job, out) : job->rhs_path != NULL ? read_rhs(job, out) : form_rhs(job, out);
    if (code == EXIT_CODE_OK) code = match_types(job, out);
    if (code == EXIT_CODE_OK) code = create_dense(job->B.rows, job->B.cols, &job->X, out);
    if (code == EXIT_CODE_OK && job->B.is_complex) code = make_complex(&job->X, out);
    job->read_seconds = progress_clock() - start;
    job->has_system = code == EXIT_CODE_OK;
    return code;
}

void problem_free(solve_job *job) {
    mm_free(&job->A);
    mm_free(&job->B);
    mm_free(&job->X);
    free(job->history);
    free(job->permutation);
}
