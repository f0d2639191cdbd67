/* caller.h: the side of a program that has its own memory on a device, for tables of calls with arrays there. */
#ifndef BENCH_CALLER_H
#define BENCH_CALLER_H

#include <clsolve/clsolve.h>

typedef struct bench_caller bench_caller;

/* Opens the device of CUDA or OpenCL that `selector` names. NULL: it cannot be opened, or works in the host's memory;
 * bench_caller_message says why. */
bench_caller *bench_caller_open(const char *selector);
const char *bench_caller_message(void);
void bench_caller_close(bench_caller *caller); /* NULL is allowed */

/* A context of the caller's own handles. */
clsolve_context *bench_caller_context(const bench_caller *caller);

/* A column of `count` numbers on the device. 0: there is no memory. */
int bench_caller_take(bench_caller *caller, int64_t count, clsolve_matrix *column);
void bench_caller_drop(bench_caller *caller, clsolve_matrix *column); /* of zeros too */

/* All of the column from the host, and to it. They wait. 0: the driver fails. */
int bench_caller_put(bench_caller *caller, const clsolve_matrix *column, const double *from);
int bench_caller_get(bench_caller *caller, const clsolve_matrix *column, double *to);

#endif
