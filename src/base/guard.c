#define _GNU_SOURCE /* fegetexcept */

#include "base/guard.h"

#include <pthread.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

/*
 * 1: some exception is trapped. To ask takes a tenth of the time of feholdexcept, which counts next to the solve of a
 * small system. A C library that has no fegetexcept cannot be asked.
 */
static int some_are_trapped(void) {
#ifdef __GLIBC__
    int trapped = fegetexcept() != 0;
#ifdef __SSE__
    trapped |= (_mm_getcsr() & _MM_MASK_MASK) != _MM_MASK_MASK; /* a program may have set those of SSE alone */
#endif
    return trapped;
#else
    return 1;
#endif
}

/* Nearly every sum is inexact, and to clear a flag takes as long as the solve of a small system. */
enum { FLAGS = FE_ALL_EXCEPT & ~FE_INEXACT };

/* Guards of this thread. A call of the library makes others; to set guards again would take longer than to count. */
static _Thread_local int guards;

void cls_guard_begin(cls_guard *guard) {
    guard->outermost = guards++ == 0;
    if (!guard->outermost) return;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancel);
    guard->held = some_are_trapped() && feholdexcept(&guard->environment) == 0;
    guard->flags = guard->held ? 0 : fetestexcept(FLAGS);
}

void cls_guard_end(const cls_guard *guard) {
    guards--;
    if (!guard->outermost) return;
    if (guard->held) {
        (void)fesetenv(&guard->environment);
    } else {
        const int raised = fetestexcept(FLAGS) & ~guard->flags;
        if (raised) (void)feclearexcept(raised);
    }
    (void)pthread_setcancelstate(guard->cancel, &(int){0});
}
