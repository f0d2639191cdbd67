/*
 * open.h (private): the device is opened by the call that first makes it worth while, and its kernels are compiled by a
 * thread of this library.
 *
 * The thread is not there to open: a driver registers what runs at the end of the process while it is loaded, and a
 * process that ends at that moment would run it under the thread's feet. The end waits for what the thread
 * compiles instead.
 */
#ifndef CLS_LAPACK_OPEN_H
#define CLS_LAPACK_OPEN_H

#include "lapack/call.h"

/*
 * Opens the device in PHASE_WAITING; another thread that is about to has it alone.
 *
 * A device may be taken for a moment: its memory, or its driver by many programs at once. So a failure that may pass
 * closes nothing: the host does the call, and the phase is PHASE_WAITING again. Calls from `look_at` on look once more:
 * after a quarter of a second, then each time after twice as long, seven times in all. That there is no device, or a
 * wrong option, is final.
 */
void cls_lapack_open(void);

/* Asks the thread for the kernels of the kind and type, for calls like this one. */
void cls_lapack_warm(lapack_kind kind, clsolve_type type, const lapack_shape *shape);

/*
 * The process ends. The thread begins nothing any more; a compilation under way is waited for, because the compiler's
 * own end would pull away what it works with.
 */
void cls_lapack_leave(void);

#endif
