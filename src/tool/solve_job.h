/* solve_job.h: one run of `clsolve solve`, from its options to its measurements; the methods and precisions. */
#ifndef CLS_TOOL_SOLVE_JOB_H
#define CLS_TOOL_SOLVE_JOB_H

#include <clsolve/clsolve.h>

#include "io/matrix_market.h"
#include "tool/options.h"
#include "tool/outcome.h"
#include "tool/progress.h"
#include "tool/residual.h"
#include "tool/said.h"

typedef struct solve_job solve_job;
typedef struct job_opening job_opening; /* job_device.c */

typedef struct job_device {
    char selector[32], name[128];
    double share;
} job_device;

/* A row of the table of methods in methods.c. The library's solver runs all but gauss-jordan. */
typedef struct solve_method {
    const char *name; /* as after --method */
    clsolve_method method;
    /* Before the device is opened: can this matrix be done here at all? */
    exit_code (*check)(solve_job *job, outcome *out);
    /* Solves job->A X = job->B into job->X and fills job->report. */
    exit_code (*run)(clsolve_context *context, solve_job *job, outcome *out);
    const char *runs; /* in reports, where the library has not told what ran; NULL: it chooses */
} solve_method;

/* A row of the table of precisions. */
typedef struct solve_precision {
    const char *name;
    const char *answer;       /* in reports: the precision of the answer; the factors have their own */
    clsolve_type type;        /* of the matrices */
    clsolve_precision factor; /* of the factors */
    double eps;               /* unit roundoff of the type: LAPACK's epsilon */
} solve_precision;

struct solve_job {
    const char *matrix_path;
    const char *rhs_path;      /* NULL: B = A * (1, ..., 1) */
    const char *solution_path; /* NULL: not written */
    const char *json_path;     /* NULL: no report in JSON */
    int json_refused;          /* json_path cannot be written, or is another output */
    const char *selector;      /* NULL: the best device */
    int64_t memory_limit;      /* bytes of device memory; 0: what is free */
    int64_t block;             /* columns in a block; 0: chosen */
    clsolve_panel panel;       /* where dense LU factors its panels */
    clsolve_where where;       /* on the device, or on the host */
    clsolve_pivoting pivoting; /* of dense LU */
    int pivoting_asked;        /* 1: by name, so dense LU is wanted */
    uint64_t seed;             /* of rbt's butterflies */
    const solve_method *method;
    const solve_precision *precision;
    int equilibrate, refine;
    clsolve_sparse_order order;           /* of the sparse methods */
    const char *order_path;               /* NULL: no order of the caller's */
    int64_t *permutation;                 /* read from there, for free() */
    clsolve_gauss_jordan_variant variant; /* of gauss-jordan */
    int inverse;                          /* clsolve invert: B is the unit matrix, X the inverse */

    /* Flags for a report of a failure: */
    int has_matrix; /* A is read */
    int has_system; /* B is there too, and they belong together */
    int has_report; /* the library was called */

    mm_matrix A, B, X; /* B and X are dense */
    progress bar;
    int warned; /* of entries that are 0 in single precision */

    clsolve_solve_report ran; /* the library's own: what it chose and tried; all zeros where it did not run */

    int has_analysis; /* a sparse method ran */
    clsolve_sparse_analysis analysis;

    /* Options and outcome of block-gs. lines 0: another method ran. */
    clsolve_block_gs_method solver;
    double tolerance;       /* 0: the default */
    int64_t max_iterations; /* 0: the default */
    const char *plot_path;  /* NULL: no plot */
    int64_t lines, line_length;
    char solver_text[64], reason[128];
    int singular;    /* a grid all row sums of which are zero: the solution with mean 0 */
    double *history; /* for free() */
    int64_t history_count;
    /* When auto went on with another method: the first one's name and what it said, and block-gs's lines, for the plot;
     * else NULL, "" and 0. */
    const char *fallback_from;
    char method_fallback[1024];
    int64_t tried_lines;

    job_opening *opening;       /* of the device; NULL: none is under way */
    clsolve_device_info device; /* all zeros until one is open */
    job_device *devices;        /* all of them, with their shares of the work; NULL until the work is done */
    int64_t device_count;
    int64_t devices_used; /* those that worked; 0: the host did */
    clsolve_report report;
    int has_residuals;
    residuals residuals;
    double unrefined_residual;          /* scaled one of the solution that was refined unasked; NaN: none was */
    double read_seconds, write_seconds; /* NaN: not known */
    double started;                     /* progress_clock() when the command began */
};

/* sparse-lu, sparse-cholesky or sparse-ldl? */
static inline int method_is_sparse(clsolve_method method) {
    return method == CLSOLVE_METHOD_SPARSE_LU || method == CLSOLVE_METHOD_SPARSE_CHOLESKY ||
           method == CLSOLVE_METHOD_SPARSE_LDL;
}

/* "auto or lu": all that are there, the default first. The room is for SOLVE_NAMES. */
#define SOLVE_NAMES 256
void solve_method_names(char *list, size_t size);
void solve_precision_names(char *list, size_t size);

/* --where, of `command`; NULL is auto. */
exit_code solve_where_find(const char *command, const char *name, clsolve_where *where, outcome *out);

/* By name, NULL is the default; unknown ones are refused with what there is, and *method or *precision stays as it
 * was. */
exit_code solve_method_find(const char *name, const solve_method **method, outcome *out);
exit_code solve_precision_find(const char *name, const solve_precision **precision, outcome *out);

/* method_solver.c. check: can this host spell the matrix out? A sparse one need not be. */
exit_code method_dense_check(solve_job *job, outcome *out);
exit_code method_sparse_check(solve_job *job, outcome *out);
exit_code method_solver_run(clsolve_context *context, solve_job *job, outcome *out);
/* Was something asked for that block-gs has not? */
int method_block_gs_lacks(const solve_job *job);
exit_code method_block_gs_solver(const char *name, clsolve_block_gs_method *solver, outcome *out);

/* method_gauss_jordan.c. `name` NULL is AUTO; a wrong one is refused by `command`. */
exit_code gauss_jordan_variant_find(const char *command, const char *name, clsolve_gauss_jordan_variant *variant,
                                    outcome *out);
/* The line for a failure of the library's Gauss-Jordan. */
exit_code gauss_jordan_explain(clsolve_context *context, const solve_job *job, clsolve_status status, outcome *out);
exit_code method_gauss_jordan_run(clsolve_context *context, solve_job *job, outcome *out);

/* job.c: what solve and invert share. A report may go only to a place that is its own and can be written: first of
 * all. */
exit_code job_check_places(const char *command, solve_job *job, outcome *out);
/* job_device.c: job->selector's device. _begin opens it concurrently with what follows; _open waits for it, or opens
 * it, and notes it in job->device; _drop gives back one that is not wanted any more. */
void job_begin_device(solve_job *job);
void job_drop_device(solve_job *job);
void job_free_devices(solve_job *job);
exit_code job_open_device(solve_job *job, clsolve_context **context, outcome *out);
/* Opens the device, works on it, and notes what it did. */
exit_code job_on_device(solve_job *job, exit_code (*work)(clsolve_context *, solve_job *, outcome *), outcome *out);
/* job->residuals of job->X. */
exit_code job_measure(solve_job *job, outcome *out);
/* The relative residual at which an iteration stops: as asked for, or the library's default. */
double job_tolerance(const solve_job *job);
/* Takes the report of the library's solver, and in job->report its method's part. */
void job_take_report(solve_job *job, const clsolve_solver *solver);
/* The name of the method that ran, or is to. NULL: none is known. */
const char *job_method_name(const solve_job *job);
/* 1: by its condition number A is singular to working precision, and not for its scales alone. */
int job_is_near_singular(const solve_job *job);
/* A warning where no digit of the answer is sure. */
void job_warn_of_condition(const solve_job *job);
/* Is the relative residual what an iteration that took itself for converged may leave? */
int job_is_within_tolerance(const solve_job *job);
/* job->X to its file, if it has one, with `title` as its comment. */
exit_code job_write(solve_job *job, const char *title, outcome *out);
/* The report for people, where standard output is free for it, and flushed: a reader that is gone is to be known before
 * the JSON says how it ended. */
exit_code job_report_to_people(const solve_job *job, outcome *out);
/* The JSON report, of a failure too, and the memory of both; returns how the command ends. */
exit_code job_end(solve_job *job, command_line *line, outcome *out);

/* plot_svg.c: the residual history of an iteration, logarithmic. */
exit_code plot_history(const char *path, const solve_job *job, outcome *out);

/*
 * sparse_order.c: --order and --order-file of `command`. order_find takes the name, NULL is auto, or the path.
 * order_read then reads the file, if there is one: a permutation of job->A's columns.
 */
exit_code order_find(const char *command, const char *name, const char *path, solve_job *job, outcome *out);
exit_code order_read(solve_job *job, outcome *out);

/* problem.c: reads A, reads or forms B, of an inverse the unit matrix; refuses what is no linear system, naming the
 * file. */
exit_code problem_read(solve_job *job, outcome *out);
/* Reads A alone. */
exit_code problem_read_matrix(solve_job *job, outcome *out);
void problem_free(solve_job *job);

#endif
