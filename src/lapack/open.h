/*
 * open.h (private): the device is opened, and its kernels are compiled, by a thread of this library. The thread exists from
 * the first time on that a device is looked for; it sleeps while it has nothing to do.
 */
#ifndef CLS_LAPACK_OPEN_H
#define CLS_LAPACK_OPEN_H

/* A smaller order is no reason to look for a device: no GPU is faster there. */
enum { LAPACK_LOOK_ORDER = 64 };

/* Asks the thread for a device, in PHASE_WAITING. `wait`: returns when it is known whether there is one. */
void cls_lapack_open(int wait);

/* Asks the thread for the kernels of the type. */
void cls_lapack_warm(int is_float);

/*
 * The process ends. The thread begins nothing any more; a compilation under way is waited for, because the compiler's own end
 * would pull away what it works with.
 */
void cls_lapack_leave(void);

#endif
