/* method_lu.c: --method lu: the matrix spelled out and given to the library's dense LU. */
#include "tool/dense.h"
#include "tool/solve_job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

exit_code method_lu_check(solve_job *job, outcome *out) {
    /* A sparse matrix is spelled out in double first, whatever the precision. */
    return dense_check(job->matrix_path, job->A.rows, job->A.cols, CLSOLVE_F64, out);
}

static void warn_lost(solve_job *job, int64_t lost) {
    if (lost == 0) return;
    char text[256];
    snprintf(text, sizeof text, "%.150s: %" PRId64 " entries are so small that they are 0 in single precision",
             job->matrix_path, lost);
    outcome_warn(text);
}

static exit_code explain(clsolve_context *context, const solve_job *job, clsolve_status status, outcome *out) {
    char said[SAID_SIZE];
    said_by_context(context, status, said);
    if (status == CLSOLVE_SINGULAR && job->report.info > 0)
        return outcome_fail_status(out, status,
                                   "%s: the matrix is singular: U(%" PRId64 ",%" PRId64
                                   ") of its factors is exactly zero; no solution is written",
                                   job->matrix_path, job->report.info, job->report.info);
    return outcome_fail_status(out, status, "%s: %s", job->matrix_path, said);
}

/* The solution in double, whatever it was computed in. */
static void keep_solution(const clsolve_matrix *B, mm_matrix *X) {
    size_t count = (size_t)X->entries;
    if (count == 0) return;
    if (B->type == CLSOLVE_F64) {
        memcpy(X->value, B->data, count * sizeof *X->value);
        return;
    }
    const float *from = B->data;
    for (size_t k = 0; k < count; k++) X->value[k] = (double)from[k];
}

static exit_code solve_views(clsolve_context *context, solve_job *job, const clsolve_matrix *A, clsolve_matrix *B,
                             outcome *out) {
    clsolve_solve_options options = {.method = CLSOLVE_METHOD_LU,
                                     .lu = {.panel = job->panel,
                                            .block = (int32_t)job->block,
                                            .memory_limit = job->memory_limit,
                                            .progress = progress_draw,
                                            .progress_user = &job->bar,
                                            .precision = job->precision->factor,
                                            .rcond = 1,
                                            .equilibrate = job->equilibrate,
                                            .refine = job->refine,
                                            .pivoting = job->pivoting,
                                            .seed = job->seed}};
    clsolve_status status = clsolve_solve(context, A, B, &options, &job->report);
    progress_erase(&job->bar);
    job->has_report = 1;
    if (status != CLSOLVE_OK) return explain(context, job, status, out);
    keep_solution(B, &job->X);
    return EXIT_CODE_OK;
}

exit_code method_lu_run(clsolve_context *context, solve_job *job, outcome *out) {
    clsolve_type type = job->precision->type;
    clsolve_matrix A, B;
    void *owned_A = NULL, *owned_B = NULL;
    int64_t lost = 0;
    const char *rhs = job->rhs_path != NULL ? job->rhs_path : "the right-hand side A*(1,...,1)";

    exit_code code = dense_view(job->matrix_path, &job->A, type, &A, &owned_A, &lost, out);
    warn_lost(job, lost);
    if (code == EXIT_CODE_OK) code = dense_view(rhs, &job->B, type, &B, &owned_B, NULL, out);
    if (code == EXIT_CODE_OK && owned_B == NULL) {
        /* The library would overwrite job->B, which the residual needs: let it work in X's memory. */
        if (job->B.entries > 0) memcpy(job->X.value, job->B.value, (size_t)job->B.entries * sizeof *job->X.value);
        B.data = job->X.value;
    }
    if (code == EXIT_CODE_OK) code = solve_views(context, job, &A, &B, out);
    free(owned_A);
    free(owned_B);
    return code;
}
