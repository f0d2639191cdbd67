/* run.h: groups of systems, one after the other, and what came of them. */
#ifndef CLSOLVE_TEST_SOAK_RUN_H
#define CLSOLVE_TEST_SOAK_RUN_H

#include "soak/soak.h"

enum {
    RUN_GROUP = 8,     /* systems that live together */
    RUN_FAMILIES = 14, /* system number k is of family k % RUN_FAMILIES */
    RUN_DEVICES = 8,
    RUN_CONTEXT = 64 /* groups until a device's context is destroyed and made anew */
};

typedef struct run_options {
    int64_t minutes, each, from, only; /* only < 0: all */
    int quick, stop;
    const char *device[RUN_DEVICES];
    int devices;
    const char **running; /* set to a description of what runs */
} run_options;

/* Systems RUN_GROUP * group and on, on the device whose turn it is. 0: the run ends here. */
int run_group(const run_options *o, int64_t group);

/* Destroys all contexts; nothing of the library's may be left then. */
void run_close(void);

void run_progress(double minutes);
/* A line a family and device; returns the program's exit status. */
int run_summary(int64_t resident_at_begin);

#endif
