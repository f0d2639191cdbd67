/* report.h: what the commands tell, to people and to programs. */
#ifndef CLS_TOOL_REPORT_H
#define CLS_TOOL_REPORT_H

#include <stdio.h>

#include <clsolve/context.h>

#include "tool/outcome.h"
#include "tool/solve_job.h"

/* "GPU", "CPU", "other" */
const char *report_device_type(clsolve_device_type type);

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

#endif
