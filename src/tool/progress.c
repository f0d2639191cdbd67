/* progress.c: the bar. */
#include "tool/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECONDS_BEFORE  0.5
#define SECONDS_BETWEEN 0.1
#define CELLS           30

double progress_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_start(progress *bar) {
    /* A dumb terminal cannot erase a line, so the bar would stay in the way of what follows. */
    const char *kind = getenv("TERM");
    bool dumb = kind != NULL && strcmp(kind, "dumb") == 0;
    *bar = (progress){.terminal = isatty(STDERR_FILENO) == 1 && !dumb, .start = progress_clock()};
}

void progress_draw(void *user, const char *phase, double fraction) {
    progress *bar = user;
    if (!bar->terminal) return;
    double now = progress_clock();
    if (now - bar->start < SECONDS_BEFORE || now - bar->drawn < SECONDS_BETWEEN) return;

    /* Written so that NaN counts as the beginning. */
    double part = fraction > 0 ? (fraction < 1 ? fraction : 1) : 0;
    int full = (int)(part * CELLS);
    char cells[CELLS + 1];
    memset(cells, '-', CELLS);
    memset(cells, '#', (size_t)full);
    cells[CELLS] = '\0';
    fprintf(stderr, "\r%-10.10s [%s] %3d %%", phase != NULL ? phase : "", cells, (int)(part * 100));
    fflush(stderr);
    bar->shown = true;
    bar->drawn = now;
}

void progress_erase(progress *bar) {
    if (!bar->shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    bar->shown = false;
}
