/*
 * bench.h: what the tables of clsolve-bench share. Every candidate of a row is verified first and then timed in turn
 * with the others, A B C A B C, so that a machine that changes its speed changes it for all.
 */
#ifndef CLSOLVE_BENCH_H
#define CLSOLVE_BENCH_H

#include <stdint.h>
#include <stdio.h>

#include <clsolve/clsolve.h>

enum { BENCH_DEVICES = 8 };

typedef struct bench_options {
    const char *device;                     /* selector, NULL: the best */
    const char *device_list[BENCH_DEVICES]; /* all that were named */
    int devices;
    const char *csv; /* file for the table, NULL: none */
    int repeat;      /* timed runs of each candidate */
    int64_t sizes[32];
    int count;          /* sizes given; 0: the table's own */
    int64_t halves[32]; /* half-bandwidths, and columns in a block; as sizes */
    int half_count;
    int64_t blocks[32];
    int block_count;
    int members;          /* of a batch */
    const char *families; /* of peers: their names, commas between; NULL: all */
    int64_t memory_limit; /* clsolve's option: bytes of device memory, 0: what is free */
    int native, hybrid;   /* of lu: which of its own panels are timed */
    int rbt, tournament;  /* of lu: factorizations without pivots, or with a tournament's, are timed beside them */
    double limit;         /* seconds: a study's scheme whose next run would pass them is left out */
} bench_options;

/* One candidate of a table: runs once on the prepared problem and returns the seconds; below 0: failed. */
typedef double (*bench_run)(void *problem);

double bench_seconds(void);

/* Uniform numbers in [-1, 1) from a seed, the same everywhere. */
void bench_random(uint64_t seed, double *data, int64_t count);

/* The median of `count` numbers; sorts them. */
double bench_median(double *times, int count);

/* "device, driver, platform" for the head of a table. */
void bench_print_device(FILE *to, const clsolve_context *context);

/* dget02's ratio of a solution: ||b - A x||_1 / (||A||_1 ||x||_1 n eps), column-major A with ld n. */
double bench_ratio(int64_t n, int64_t nrhs, const double *A, const double *X, const double *B);

/* The same for an inverse: ||A X - I||_1 / (||A||_1 ||X||_1 n eps). NaN without memory. */
double bench_ratio_inverse(int64_t n, const double *A, const double *X);

/* Opens the device and the CSV file that the options name, calls `table`, closes them. An exit code. */
int bench_table(const bench_options *options,
                int (*table)(const bench_options *options, clsolve_context *context, FILE *csv));

/* The tables: exit codes. */
int bench_lu(const bench_options *options);
int bench_gauss_jordan(const bench_options *options);
int bench_batched(const bench_options *options);
int bench_inverse(const bench_options *options);
int bench_block_gs(const bench_options *options);
int bench_peers(const bench_options *options);
int bench_band(const bench_options *options);

#endif
