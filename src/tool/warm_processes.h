/* warm_processes.h: clsolve warm in several processes, for drivers that compile one program of a process at a time. */
#ifndef CLS_TOOL_WARM_PROCESSES_H
#define CLS_TOOL_WARM_PROCESSES_H

#include <clsolve/clsolve.h>

#include "tool/progress.h"

/* A part of the steps, as the hidden option --part K/COUNT names it: K from 1 on. {0, 0}: all. */
typedef struct warm_part {
    int number, count;
} warm_part;

/* 0: the text is none. */
int warm_part_read(const char *text, warm_part *part);
/* The step, counted from 0, is of the part. */
int warm_part_has(const warm_part *part, int step);

/* So many processes are worth their start on the device; 0: none. */
int warm_processes_wanted(const clsolve_device_info *device);

/* Runs this command for each part of `count`, all at once, and waits for them. How they end is no matter: the caller
 * does all steps afterwards, and finds in the cache what they have compiled. `all`: its option. */
void warm_processes_run(const char *selector, int all, int count, progress *bar);

#endif
