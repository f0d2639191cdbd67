/* analyze_job.h: one run of `clsolve analyze`, from its options to what the analysis found. */
#ifndef CLS_TOOL_ANALYZE_JOB_H
#define CLS_TOOL_ANALYZE_JOB_H

#include <stdio.h>

#include "tool/solve_job.h"

typedef struct analyze_job {
    solve_job read;     /* the matrix, its path, the report's, and the order */
    const char *method; /* "sparse-lu", "sparse-cholesky" or "sparse-ldl"; NULL: not chosen yet */
    const char *svg_path;
    int symmetric;                /* complex, and not hermitian: sparse-ldl has a form for it */
    int order_asked;              /* one other than auto */
    int has_automatic, has_asked; /* the analysis ended */
    clsolve_sparse_analysis automatic, asked;
    int64_t *rows, *columns; /* in the order of elimination, for free(); NULL: not asked for */
} analyze_job;

/* report_analyze.c */
void report_text_analyze(FILE *file, const analyze_job *job);
exit_code report_json_analyze(const char *path, const analyze_job *job, const outcome *result, outcome *out);

/* pattern_svg.c: the pattern as read, and in the order of elimination if there is one. */
exit_code plot_pattern(const char *path, const analyze_job *job, outcome *out);

#endif
