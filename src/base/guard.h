/*
 * guard.h: what the library takes from its caller's thread while it works there, and gives back:
 *
 *      cls_guard guard;
 *      cls_guard_begin(&guard);
 *      ...                           no floating-point trap, no cancellation of the thread
 *      cls_guard_end(&guard);
 *
 * Traps. A program may have floating-point exceptions trapped (feenableexcept, gfortran's -ffpe-trap). The library
 * divides by zero and overflows on its way to right results, and threads that a driver starts inherit the traps. The
 * exceptions that the library raises are no news for the program: its flags come back as they were, but for
 * FE_INEXACT.
 *
 * Cancellation. A thread that was cancelled within a call would keep the context's lock for ever.
 *
 * Guards may stand within guards, of which the outermost works. Threads of the library call cls_guard_begin once, at
 * their beginning.
 */
#ifndef CLS_GUARD_H
#define CLS_GUARD_H

#include <fenv.h>

typedef struct cls_guard {
    fenv_t environment; /* the caller's, where `held` */
    int held, flags;    /* else: the flags that were raised */
    int cancel;         /* the caller's state of cancellation */
    int outermost;
} cls_guard;

void cls_guard_begin(cls_guard *guard);
void cls_guard_end(const cls_guard *guard);

/* The same for a function with several returns: as the first line of its body. */
#define CLS_GUARD                                                                                                      \
    __attribute__((cleanup(cls_guard_leave))) cls_guard cls_guard_here;                                                \
    cls_guard_begin(&cls_guard_here)

static inline void cls_guard_leave(cls_guard *guard) {
    cls_guard_end(guard);
}

#endif
