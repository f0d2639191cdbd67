/* solve_job.h: one run of `clsolve solve`, from its options to its measurements; the methods and precisions. */
#ifndef CLS_TOOL_SOLVE_JOB_H
#define CLS_TOOL_SOLVE_JOB_H

#include <clsolve/clsolve.h>

#include "io/matrix_market.h"
#include "tool/outcome.h"
#include "tool/progress.h"
#include "tool/residual.h"

typedef struct solve_job solve_job;

/* A row of the table of methods. A new method is a row in methods.c and a file method_NAME.c. */
typedef struct solve_method {
    const char *name; /* as after --method */
    /* Before the device is opened: can this matrix be done here at all? */
    exit_code (*check)(const solve_job *job, outcome *out);
    /* Solves job->A X = job->B into job->X and fills job->report. NULL: not there yet. */
    exit_code (*run)(clsolve_context *context, solve_job *job, outcome *out);
    const char *runs; /* the method that it comes to, in reports: "lu" for auto */
} solve_method;

/* A row of the table of precisions. */
typedef struct solve_precision {
    const char *name;
    clsolve_type type;
    double eps; /* unit roundoff: LAPACK's epsilon; 0: not there yet */
} solve_precision;

struct solve_job {
    const char *matrix_path;
    const char *rhs_path;      /* NULL: B = A * (1, ..., 1) */
    const char *solution_path; /* NULL: not written */
    const char *json_path;     /* NULL: no report in JSON */
    const char *selector;      /* NULL: the best device */
    const solve_method *method;
    const solve_precision *precision;
    clsolve_gauss_jordan_variant variant; /* of gauss-jordan */
    int inverse;                          /* clsolve invert: B is the unit matrix, X the inverse */

    mm_matrix A, B, X; /* B and X are dense */
    progress bar;

    clsolve_device_info device; /* all zeros until one is open */
    clsolve_report report;
    int has_residuals;
    residuals residuals;
    double read_seconds, write_seconds;
};

/* By name; unknown ones and those that are not there yet are refused with what works instead. */
exit_code solve_method_find(const char *name, const solve_method **method, outcome *out);
exit_code solve_precision_find(const char *name, const solve_precision **precision, outcome *out);

/* method_lu.c */
exit_code method_lu_check(const solve_job *job, outcome *out);
exit_code method_lu_run(clsolve_context *context, solve_job *job, outcome *out);

/*
 * method_gauss_jordan.c. `name` NULL is AUTO; a wrong one is refused by `command`. The data are the library's views of
 * job->A and of job->B, the second for the library to overwrite; gauss_jordan_keep then makes job->X of it.
 */
typedef struct gauss_jordan_data {
    clsolve_matrix A, B;
    void *owned_A, *owned_B;
} gauss_jordan_data;

exit_code gauss_jordan_variant_find(const char *command, const char *name, clsolve_gauss_jordan_variant *variant,
                                    outcome *out);
exit_code gauss_jordan_views(solve_job *job, const char *rhs, gauss_jordan_data *data, outcome *out);
void gauss_jordan_keep(const gauss_jordan_data *data, mm_matrix *X);
void gauss_jordan_data_free(gauss_jordan_data *data);
/* The line for a failure of the library's Gauss-Jordan. */
exit_code gauss_jordan_explain(clsolve_context *context, const solve_job *job, clsolve_status status, outcome *out);
exit_code method_gauss_jordan_run(clsolve_context *context, solve_job *job, outcome *out);

/* command_solve.c: opens job->selector's device and notes it in job->device. */
exit_code job_open_device(solve_job *job, clsolve_context **context, outcome *out);

/* problem.c: reads A, reads or forms B; refuses what is no linear system, naming the file. */
exit_code problem_read(solve_job *job, outcome *out);
/* Reads A; B is the unit matrix. */
exit_code problem_read_identity(solve_job *job, outcome *out);
void problem_free(solve_job *job);

#endif
