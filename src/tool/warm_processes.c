/*
 * warm_processes.c: NVIDIA's OpenCL compiles one program of a process at a time, nearly, whatever the number of threads
 * and contexts (docs/findings/compilation.md). Processes share the library's cache: of those that want the same
 * program at once one compiles it, and the others wait for its file. Neighbouring steps have many programs in common,
 * so steps are dealt out in turn, the most wanted first.
 */
#include "tool/warm_processes.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 8 }; /* each opens the device, which takes 0.2 s of the driver's lock, and has some hundred MB */
extern char **environ;

int warm_part_read(const char *text, warm_part *part) {
    int end = 0;
    const int read = sscanf(text, "%d/%d%n", &part->number, &part->count, &end);
    return read == 2 && text[end] == '\0' && part->number >= 1 && part->number <= part->count;
}

int warm_part_has(const warm_part *part, int step) {
    return part->count == 0 || step % part->count == part->number - 1;
}

int warm_processes_wanted(const clsolve_device_info *device) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (strcmp(device->platform, "NVIDIA CUDA") != 0 || cores < 2) return 0;
    return cores < MOST ? (int)cores : MOST;
}

/* Its words go nowhere: the caller says what is to be said. */
static int start(const char *selector, int all, int number, int count, pid_t *child) {
    char part[32];
    char *arguments[] = {"clsolve", "warm", "--device", (char *)selector, "--part", part, all ? "--all" : NULL, NULL};
    posix_spawn_file_actions_t actions;
    (void)snprintf(part, sizeof part, "%d/%d", number, count);
    if (posix_spawn_file_actions_init(&actions) != 0) return 0;
    int started = 1;
    for (int stream = 0; stream < 3 && started; stream++)
        started = posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0) == 0;
    started = started && posix_spawn(child, "/proc/self/exe", &actions, NULL, arguments, environ) == 0;
    (void)posix_spawn_file_actions_destroy(&actions);
    return started;
}

void warm_processes_run(const char *selector, int all, int count, progress *bar) {
    pid_t children[MOST];
    int started = 0;
    for (int k = 1; k <= count && k <= MOST; k++) started += start(selector, all, k, count, &children[started]);
    for (int k = 0; k < started; k++) {
        progress_draw(bar, "compile", (double)k / started);
        (void)waitpid(children[k], NULL, 0);
    }
}
