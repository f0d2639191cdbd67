/*
 * progress.h: a bar on stderr while long work runs, for people only: nothing where stderr is no terminal, and
 * nothing in the first half second.
 */
#ifndef CLS_TOOL_PROGRESS_H
#define CLS_TOOL_PROGRESS_H

#include <stdbool.h>

typedef struct progress {
    bool terminal;
    bool shown; /* a bar stands on the last line now */
    double start, drawn;
} progress;

/* Seconds since some fixed moment; never goes back. */
double progress_clock(void);

void progress_start(progress *bar);

/* A clsolve_progress: `user` is the progress. */
void progress_draw(void *user, const char *phase, double fraction);

/* Takes the bar away, before anything else is printed. */
void progress_erase(progress *bar);

#endif
