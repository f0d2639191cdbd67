/* options.h: the command line of clsolve-bench. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "bench.h"

/* The command line, as it reads and as tables take it; the options point into the texts. */
typedef struct bench_given {
    bench_options options;
    char *table; /* its name */
    char **devices, *csv, *sizes, *halves, *blocks, *panel, *pivoting, *families, *type, *order;
    long long memory_limit;
} bench_given;

/* Reads the command line; prints and ends the process for --help. NULL, or what is wrong with it, for people. */
const char *bench_given_read(int argc, const char **argv, bench_given *given);
void bench_given_free(bench_given *given);

#endif
