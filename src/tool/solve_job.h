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

    mm_matrix A, B, X; /* B and X are dense */
    progress bar;

    /* Of block-gs: what was asked for, and what came of it. lines 0: another method ran. */
    clsolve_block_tridiag_method solver;
    double tolerance;       /* 0: the default */
    int64_t max_iterations; /* 0: the default */
    const char *plot_path;  /* NULL: no plot */
    int64_t lines, line_length;
    char solver_text[64], reason[96];
    int singular;
    double *history; /* for free() */
    int64_t history_count;

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

/* method_block_gs.c. is_grid: more than one line of a block-tridiagonal system; else `why` has the reason. */
exit_code method_block_gs_check(const solve_job *job, outcome *out);
exit_code method_block_gs_run(clsolve_context *context, solve_job *job, outcome *out);
int method_block_gs_is_grid(const solve_job *job, outcome *why);
exit_code method_block_gs_solver(const char *name, clsolve_block_tridiag_method *solver, outcome *out);

/* methods.c */
exit_code method_auto_check(const solve_job *job, outcome *out);
exit_code method_auto_run(clsolve_context *context, solve_job *job, outcome *out);

/* plot_svg.c: the residual history of an iteration, logarithmic. */
exit_code plot_history(const char *path, const solve_job *job, outcome *out);

/* problem.c: reads A, reads or forms B; refuses what is no linear system, naming the file. */
exit_code problem_read(solve_job *job, outcome *out);
void problem_free(solve_job *job);

#endif
