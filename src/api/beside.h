/*
 * beside.h (private): a thread that compiles what a context's device will be asked for, while calls are made on the
 * host.
 *
 *      state = cls_beside_ask(context, &task, 0)     BUSY, and the call goes to the host
 *      ...                                           READY at a later call, whose handle finds the programs
 *
 * The thread works on a twin of the device (cls_device_ops.twin): it runs a small system of the task there, as a call
 * would, so that programs are compiled, self-tests have run and their outcomes are kept. The device finds the programs
 * as they are. Compilers have lower priority; the thread itself, which loads programs that are compiled, has not. It
 * ends when there is nothing to do. A context that is destroyed does not wait for it: the thread ends after the
 * program that it compiles, by itself. The end of a process waits for that too, within bounds (base/process.h). A
 * child of a fork has no such thread, and no use of the context.
 */
#ifndef CLS_API_BESIDE_H
#define CLS_API_BESIDE_H

#include "api/context.h"
#include "cost/where.h"
#include "method/sparse/device_compile.h"

typedef enum cls_beside_state {
    CLS_BESIDE_BUSY = 0,
    CLS_BESIDE_READY = 1,
    CLS_BESIDE_FAILED = 2 /* the kernels did not build, or there can be no thread */
} cls_beside_state;

/* `samples`: for the measurement of the task's family (calibrate.h); else for calls of the task's family, type and
 * shape. It begins with the first question, and returns at once. Under the context's lock. */
cls_beside_state cls_beside_ask(clsolve_context *context, const cls_task *task, int samples);

/* The same for calls of the task, the first of which the host works on now, for about so many seconds: compilers wait
 * for its end, a tenth of a second at most. */
cls_beside_state cls_beside_ask_behind(clsolve_context *context, const cls_task *task, double seconds);

/* The same for factors of a sparse matrix on the context's first device. It waits for READY or FAILED, so many seconds
 * at most. */
cls_beside_state cls_beside_ask_sparse(clsolve_context *context, const cls_front_shape *shape, double seconds);

/* Nobody asks any more. NULL is fine. */
void cls_beside_release(cls_beside *beside);

/* For tests: returns when all that was asked for is done. */
void cls_beside_wait(clsolve_context *context);

#endif
