/*
 * bench.h: what the tables of clsolve-bench share. Every candidate of a row is verified first and then timed in turn
 * with the others, A B C A B C, so that a machine that changes its speed changes it for all.
 */
#ifndef CLSOLVE_BENCH_H
#define CLSOLVE_BENCH_H

#include <stdint.h>
#include <stdio.h>

#include <clsolve/clsolve.h>

#include "typed.h"
#include "vendor.h"

enum { BENCH_DEVICES = 8, BENCH_CANDIDATES = BENCH_DEVICES + 1 };

typedef struct bench_options {
    const char *device_list[BENCH_DEVICES]; /* selectors */
    int devices;                            /* 0: the best there is */
    const char *csv;                        /* file for the table, NULL: none */
    int repeat;                             /* timed runs of each candidate */
    int64_t sizes[32];
    int count;          /* sizes given; 0: the table's own */
    int64_t halves[32]; /* half-bandwidths, and columns in a block; as sizes */
    int half_count;
    int64_t blocks[32];
    int block_count;
    int members;          /* of a batch */
    clsolve_type type;    /* of the elements */
    const char *families; /* of peers: their names, commas between; NULL: all */
    int64_t memory_limit; /* clsolve's option: bytes of device memory, 0: what is free */
    int native, hybrid;   /* of lu: which of its own panels are timed */
    int rbt;              /* of lu: factorizations without pivots are timed beside them */
    int pinned;           /* of peers: the host's arrays are pinned */
    int alone;            /* of lu-batch and cholesky-batch: LAPACK is left out */
    int metis;            /* of sparse: METIS's order on a device */
    int cold, once;       /* of auto: first calls of processes; and what such a process does, or -1 */
    double limit;         /* seconds: a study's scheme whose next run would pass them is left out */
} bench_options;

/* One candidate of a table: runs once on the prepared problem and returns the seconds; below 0: failed. */
typedef double (*bench_run)(void *problem);

double bench_seconds(void);

/* Uniform numbers in [-1, 1) from a seed, the same everywhere. */
void bench_random(uint64_t seed, double *data, int64_t count);

/* The median of `count` numbers; sorts them. */
double bench_median(double *times, int count);

/* A device of ours, by its selector, or NVIDIA's own libraries. */
typedef struct bench_candidate {
    char name[32];
    clsolve_context *context; /* NULL: the vendor */
} bench_candidate;

/* Who takes part in a table, side by side: the devices in the order in which they were named, then the vendor. */
typedef struct bench_field {
    bench_candidate candidates[BENCH_CANDIDATES];
    int count, devices; /* with and without the vendor */
    vendor *vendor;     /* NULL: not here, or the table has no use for it */
    FILE *csv;          /* NULL: none is wanted */
    const bench_options *options;
} bench_field;

/* Opens what the options name, calls `table`, closes it. An exit code. */
int bench_table(const bench_options *options, int with_vendor, int (*table)(const bench_field *field));

/* One problem's candidates: the first `count` of the field, and behind them one on the host where it has a name. */
enum { BENCH_HOST = BENCH_CANDIDATES, BENCH_ENTRANTS };
typedef struct bench_contest {
    const bench_field *field;
    int count;
    const char *title, *host; /* of messages; host NULL: nobody */
    int64_t n;
    double (*run)(void *problem, int who, double *device); /* seconds, *device of them on the device; below 0: failed */
    double (*ratio)(const void *problem);                  /* of the answer: good below 30 */
} bench_contest;

/* Medians, by the entrant: seconds in all and on the device. */
typedef struct bench_figures {
    double total[BENCH_ENTRANTS], device[BENCH_ENTRANTS];
} bench_figures;

/* Verifies each and times them by turns. 0: one failed, which is said. */
int bench_compare(const bench_contest *contest, void *problem, bench_figures *medians);

/* "opencl:0", "vendor", or the host's name. */
const char *bench_entrant(const bench_contest *contest, int who);

/* Why a candidate of the field failed. */
const char *bench_why(const bench_field *field, int who);

/* A Gauss-Jordan handle for order n and the options' type on each device. 0: one cannot be made, which is said. */
int bench_inverters(const bench_field *field, int64_t n, clsolve_gauss_jordan *handles[BENCH_DEVICES]);

/* A comment line for each device at the head of a table, and one where the vendor is missing. */
void bench_print_field(const bench_field *field, int with_vendor);

/* The tables: exit codes. */
int bench_lu(const bench_options *options);
int bench_cholesky(const bench_options *options);
int bench_ldl(const bench_options *options);
int bench_ldl_batch(const bench_options *options);
int bench_cholesky_batch(const bench_options *options);
int bench_lu_batch(const bench_options *options);
int bench_batch_there(const bench_options *options);
int bench_band_cholesky(const bench_options *options);
int bench_gauss_jordan(const bench_options *options);
int bench_batched(const bench_options *options);
int bench_inverse(const bench_options *options);
int bench_block_gs(const bench_options *options);
int bench_peers(const bench_options *options);
int bench_band(const bench_options *options);
int bench_auto(const bench_options *options);
int bench_many(const bench_options *options);
int bench_sparse(const bench_options *options);
int bench_sparse_device(const bench_options *options); /* where devices are named */
int bench_sparse_batch(const bench_options *options);

#endif
