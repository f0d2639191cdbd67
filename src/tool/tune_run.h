/* tune_run.h: the measurements of `clsolve tune` within its budget. */
#ifndef CLS_TOOL_TUNE_RUN_H
#define CLS_TOOL_TUNE_RUN_H

#include "tool/report.h"

/* Fills the results of the job, whose device is open, and with `share` its text. */
exit_code tune_run(tune_job *job, clsolve_context *context, outcome *out);

#endif
