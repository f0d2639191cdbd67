/* progress.c: the bar. */
#include "tool/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/system/program.h"

#define SECONDS_BEFORE  0.5
#define SECONDS_BETWEEN 0.1
#define CELLS           30

double progress_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_start(progress *bar) {
    *bar = (progress){.terminal = cls_program_is_terminal(stderr), .start = progress_clock()};
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
