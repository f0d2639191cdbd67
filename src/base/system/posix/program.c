#define _XOPEN_SOURCE 700

#include "base/system/program.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int cls_program_begin(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    (void)signal(SIGPIPE, SIG_IGN); /* it is then a failed write with a message, and cleaning up still happens */
    return 1;
}

/* ---- interrupts: each call of the handler is async-signal-safe ---- */

static pthread_t main_thread;
static void (*clean_up_now)(void);

/* Drivers have threads, and the signal may come to any of them: the one that writes shall stand still meanwhile, or it
 * would make a file after the cleaning up. */
static void end(int number) {
    int error = errno;
    if (!pthread_equal(pthread_self(), main_thread)) {
        pthread_kill(main_thread, number);
    } else {
        clean_up_now();
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

void cls_program_on_interrupt(void (*clean_up)(void)) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    main_thread = pthread_self();
    clean_up_now = clean_up;
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

/* A dumb terminal cannot erase a line, so what was drawn would stay in the way of what follows. */
int cls_program_is_terminal(FILE *stream) {
    const char *kind = getenv("TERM");
    return isatty(fileno(stream)) == 1 && !(kind != NULL && strcmp(kind, "dumb") == 0);
}

/* ---- processes ---- */

int cls_program_start(char *const *arguments, int64_t *process) {
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    if (posix_spawn_file_actions_init(&actions) != 0) return 0;
    int started = 1;
    for (int stream = 0; stream < 3 && started; stream++)
        started = posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0) == 0;
    started = started && posix_spawn(&child, "/proc/self/exe", &actions, NULL, arguments, environ) == 0;
    (void)posix_spawn_file_actions_destroy(&actions);
    *process = child;
    return started;
}

void cls_program_wait(int64_t process) {
    (void)waitpid((pid_t)process, NULL, 0);
}
