/*
 * tune.h: parameters of the library's own matrix product, searched for on the device and kept for it.
 *
 * Nearly all the work of a blocked factorization is C := C - A B with an inner size of 16 to 512, a rank-k update. On OpenCL
 * devices with memory of their own that is CLBlast's product, unless the library's own was measured to be faster there: a
 * kernel in OpenCL C that takes its tile sizes as parameters. clsolve_tune looks for good ones in bounded time, compares with
 * CLBlast at each kind of update, and stores what it found in the folder of the compiled kernels. Contexts made later on the
 * same device and driver use it, and so does this one: where it was faster, and nowhere else.
 *
 * How it searches: from the row that is stored, and a few guesses for the kind of device, changing one parameter at a time for as long as that helps
 * (C. Nugteren, V. Codreanu, CLTune: A Generic Auto-Tuner for OpenCL Kernels, MCSoC 2015, compares such searches). Each candidate
 * first multiplies a small matrix with a known result; those that are wrong there are counted and dropped.
 *
 * Through CUDA cuBLAS multiplies, and in the host's memory OpenBLAS: there a row changes nothing unless CLSOLVE_BLAS says so. On
 * NVIDIA GPUs of compute capability 8.0 and later the matrix unit's kernel goes first, but for floats with few columns.
 */
#ifndef CLSOLVE_TUNE_H
#define CLSOLVE_TUNE_H

#include <stddef.h>
#include <stdint.h>

#include <clsolve/context.h>
#include <clsolve/export.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/status.h>

/* The best candidates and the kinds of updates that a report has at most. */
enum { CLSOLVE_TUNE_BEST = 5, CLSOLVE_TUNE_UPDATES = 16 };

typedef struct clsolve_tune_options {
    /* Of the search, and of the comparison at the end, each; 0: 20. What is under way then is ended. Whatever time they take,
     * one candidate is timed and products without transposition are compared; CLBlast's own first use, seconds on some drivers,
     * comes on top. */
    double seconds;
    int32_t dry;               /* 1: nothing is stored, and this context goes on as before */
    clsolve_progress progress; /* NULL: none. Phases "CLBlast", "search", "compare" */
    void *progress_user;
} clsolve_tune_options;

typedef struct clsolve_tune_candidate {
    char text[128]; /* "tile 64 x 64 x 16, item 4 x 4, vector 2, local A B, ahead" */
    double gflops;  /* geometric mean of the updates of rank 32, 128 and 512, 1e9 operations a second */
} clsolve_tune_candidate;

/* C (m x n) := C - op(A) op(B), inner size k. */
typedef struct clsolve_tune_update {
    clsolve_op op_a, op_b;
    int64_t m, n, k;
    double own, clblast; /* 1e9 operations a second; own 0: the kernel is wrong in that form */
    int32_t used;        /* 1: from now on updates of this kind go to the library's own product */
} clsolve_tune_update;

typedef struct clsolve_tune_report {
    clsolve_type type;
    int64_t tried;          /* candidates; of these */
    int64_t timed;          /*   were right and timed, */
    int64_t wrong;          /*   gave a wrong product, */
    int64_t refused;        /*   did not build or start on this device */
    double search_seconds;  /* compiling the candidates included */
    double clblast_seconds; /* of CLBlast's first use */
    double seconds;         /* of the whole call */
    int32_t best_count;
    clsolve_tune_candidate best[CLSOLVE_TUNE_BEST]; /* the best first: it is the one in the row */
    int32_t update_count;
    clsolve_tune_update updates[CLSOLVE_TUNE_UPDATES];
    /* Kinds not compared, for time was up: there goes what was known of the same parameters before, or CLBlast. */
    int32_t updates_skipped;
    int32_t stored;
    char file[512]; /* where; or would have been */
} clsolve_tune_report;

CLSOLVE_BEGIN_DECLS

/*
 * Searches and stores. The device should be idle: other work makes the figures worthless. `options` and `report` may be NULL.
 * Errors, before any measuring: INVALID_ARGUMENT (type, seconds not finite or below 0); UNSUPPORTED: through CUDA, double on a
 * device without it; ERROR_FILE: nothing can be stored in the folder of the compiled kernels, or the context has none (and not
 * `dry`). Later: OUT_OF_MEMORY, OUT_OF_DEVICE_MEMORY, DEVICE; the stored row is then as it was.
 */
CLSOLVE_API clsolve_status clsolve_tune(clsolve_context *context, clsolve_type type,
                                        const clsolve_tune_options *options, clsolve_tune_report *report);

/*
 * One line for people into `text`: which product the context uses for `type`, and what is known of a stored row ("CLBlast; no row
 * is stored", "own where measured faster, up to 1.8 times CLBlast").
 */
CLSOLVE_API clsolve_status clsolve_tune_describe(clsolve_context *context, clsolve_type type, char *text, size_t size);

CLSOLVE_END_DECLS

#endif
