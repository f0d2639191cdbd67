/* report.h: what the commands tell, to people and to programs. */
#ifndef CLS_TOOL_REPORT_H
#define CLS_TOOL_REPORT_H

#include <stdio.h>

#include <clsolve/context.h>

#include <clsolve/tune.h>

#include "tool/outcome.h"
#include "tool/said.h"
#include "tool/solve_job.h"

/* The result of `clsolve tune` for one precision. */
typedef struct tune_result {
    clsolve_type type;
    int has_product;              /* the library measured it */
    char product_said[SAID_SIZE]; /* why no product was measured; "": it was */
    clsolve_tune_report product;
} tune_result;

/* One run of `clsolve tune`, and what is known of it by now. */
typedef struct tune_job {
    const char *json_path, *selector;
    const char *precision; /* "double", "single"; NULL: all that the device has */
    int64_t budget;        /* seconds of all */
    double started;        /* by progress_clock */
    int share;             /* the text to be shared is printed, and no report */
    clsolve_tune_options options;
    clsolve_device_info device; /* all zeros until one is open */
    int count;
    tune_result results[2];
    char text[16384]; /* to be shared */
} tune_job;

/* "GPU", "CPU", "other" */
const char *report_device_type(clsolve_device_type type);

/* report_next.c: one line at most. */
void report_text_next(FILE *file, const solve_job *job);

/* report_text.c: aligned lines for people. */
void report_text_solve(FILE *file, const solve_job *job);
void report_text_devices(FILE *file, const clsolve_device_info *list, int64_t count);
void report_text_device_details(FILE *file, const clsolve_device_info *list, int64_t count);

/*
 * report_json.c: written whole or not at all, `path` "-" is standard output. Numbers that JSON cannot hold (NaN
 * and infinities) become null, bytes that are not UTF-8 become '?'.
 */
exit_code report_json_solve(const char *path, const solve_job *job, const outcome *result, outcome *out);
exit_code report_json_devices(const char *path, const clsolve_device_info *list, int64_t count, outcome *out);

/* report_tune.c: of `clsolve tune`, to people and to programs. */
void report_text_tune(FILE *file, const tune_job *job);
exit_code report_json_tune(const char *path, const tune_job *job, const outcome *result, outcome *out);

#endif
