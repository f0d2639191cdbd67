/* interrupt.c: the handler, of which each call is async-signal-safe. */
#include "tool/interrupt.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

#include "io/whole_file.h"

static pthread_t main_thread;

/* Drivers have threads, and the signal may come to any of them: the one that writes shall stand still meanwhile, or it
 * would make a file after the cleaning up. */
static void end(int number) {
    int error = errno;
    if (!pthread_equal(pthread_self(), main_thread)) {
        pthread_kill(main_thread, number);
    } else {
        mm_discard_temporary();
        signal(number, SIG_DFL);
        raise(number); /* pending until this returns */
    }
    errno = error;
}

/* A write beyond the limit of a file's size fails, and is told as other failures are. A handler, for those are not
 * inherited by the command that `run` starts, as ignored signals would be. */
static void let_write_fail(int number) {
    (void)number;
}

void interrupt_clean_up(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    main_thread = pthread_self();
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction old, action = {.sa_handler = end};
        if (sigaction(numbers[i], NULL, &old) != 0 || old.sa_handler == SIG_IGN) continue;
        sigfillset(&action.sa_mask);
        action.sa_flags = SA_RESTART;
        sigaction(numbers[i], &action, NULL);
    }
    const struct sigaction fail = {.sa_handler = let_write_fail, .sa_flags = SA_RESTART};
    sigaction(SIGXFSZ, &fail, NULL);
}
