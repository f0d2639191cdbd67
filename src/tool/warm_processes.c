/*
 * warm_processes.c: NVIDIA's OpenCL compiles one program of a process at a time, nearly, whatever the number of threads
 * and contexts (docs/findings/compilation.md). Processes share the library's cache: of those that want the same
 * program at once one compiles it, and the others wait for its file. Neighbouring steps have many programs in common,
 * so steps are dealt out in turn, the most wanted first.
 */
#include "tool/warm_processes.h"

#include <stdio.h>
#include <string.h>

#include "base/system/host.h"
#include "base/system/program.h"

enum { MOST = 8 }; /* each opens the device, which takes 0.2 s of the driver's lock, and has some hundred MB */

int warm_part_read(const char *text, warm_part *part) {
    int end = 0;
    const int read = sscanf(text, "%d/%d%n", &part->number, &part->count, &end);
    return read == 2 && text[end] == '\0' && part->number >= 1 && part->number <= part->count;
}

int warm_part_has(const warm_part *part, int step) {
    return part->count == 0 || step % part->count == part->number - 1;
}

int warm_processes_wanted(const clsolve_device_info *device) {
    const int cores = cls_host_cores();
    if (strcmp(device->platform, "NVIDIA CUDA") != 0 || cores < 2) return 0;
    return cores < MOST ? cores : MOST;
}

/* Its words go nowhere: the caller says what is to be said. */
static int start(const char *selector, int all, int number, int count, int64_t *child) {
    char part[32];
    char *arguments[] = {"clsolve", "warm", "--device", (char *)selector, "--part", part, all ? "--all" : NULL, NULL};
    (void)snprintf(part, sizeof part, "%d/%d", number, count);
    return cls_program_start(arguments, child);
}

void warm_processes_run(const char *selector, int all, int count, progress *bar) {
    int64_t children[MOST];
    int started = 0;
    for (int k = 1; k <= count && k <= MOST; k++) started += start(selector, all, k, count, &children[started]);
    for (int k = 0; k < started; k++) {
        progress_draw(bar, "compile", (double)k / started);
        cls_program_wait(children[k]);
    }
}
