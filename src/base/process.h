/*
 * process.h: what a process has once, however many contexts there are. This is the library's only state that belongs to
 * no context, because what it guards belongs to none: drivers, the host's BLAS, forks.
 *
 *      CLS_TRY(cls_process_enter_drivers(&error));     refused in the child of a process that had used one
 *      ...                                             one thread at a time lists and opens devices
 *      cls_process_leave_drivers();
 *
 *      CLS_HOST_BLAS;                                  in each function that calls BLAS or LAPACK on the host, before
 *      cblas_dgemm(...);
 *
 * Drivers. The first listing of PoCL 3.1 ends the process where two threads begin it. Drivers have threads and locks
 * that a child of a fork does not get, so a call into one would wait for ever there.
 *
 * BLAS. OpenBLAS ends its threads when the process forks, and does not wait until they are idle: a thread within a
 * product would wait for them for ever. So a fork waits here until no thread is within a call of BLAS, and calls that
 * come later wait until the process has forked. The handlers of a fork run in the opposite order of their registration.
 * OpenBLAS registers its own when it is loaded, and the library when the first context is made.
 *
 * Ends. Compilers and drivers are C++: when the process ends, their objects are destroyed while other threads still
 * run. So an end waits for threads that compile for themselves (api/beside.h), and for those that compile what was
 * announced (device/programs.h), until their program is done: thirty seconds at most, and five where the process uses
 * no time of a core meanwhile. If the first thread ends the process, the wait comes before all handlers. Else a handler
 * waits: while such threads work it is registered again and again.
 */
#ifndef CLS_PROCESS_H
#define CLS_PROCESS_H

#include <stdatomic.h>

#include "base/error.h"

/* How many forks lie between the process that loaded the library and this one, since a context was made or asked
 * for. */
unsigned cls_process_generation(void);

/* ERROR_FORKED, with the message: `generation` is that of a parent. */
clsolve_status cls_process_is_own(unsigned generation, cls_error *error);

clsolve_status cls_process_enter_drivers(cls_error *error);
void cls_process_leave_drivers(void);

/* Between these two a thread works for itself, apart from any call. 0: the process ends, and nothing begins. */
int cls_process_work_begin(void);
void cls_process_work_end(void);
/* Between these two a thread compiles what was announced. Where threads of all contexts are more than the cores, they
 * would take turns, and each compiler longer. So as many begin as there are cores, and the others wait. 0: the process
 * ends, or `stop`, where there is one, has become 1, and nothing begins. */
int cls_process_compile_begin(const atomic_int *stop);
void cls_process_compile_end(void);
/* 1: such threads are there now. */
int cls_process_compiles(void);
/* The process ends: threads that work for themselves are to come to an end too. */
int cls_process_ends(void);
/* A library was loaded that such a thread calls: its objects are destroyed after the wait for the thread. */
void cls_process_expect_end(void);

void cls_host_blas_begin(void);
void cls_host_blas_end(void);

/* From here to the end of the block. */
#define CLS_HOST_BLAS                                                                                                  \
    __attribute__((cleanup(cls_host_blas_leave))) int cls_host_blas_here = 0;                                          \
    cls_host_blas_begin()

static inline void cls_host_blas_leave(const int *unused) {
    (void)unused;
    cls_host_blas_end();
}

#endif
