/*
 * tune.h: search for good parameters of the built-in matrix product on a device, and storage of these parameters. Also
 * measurement of the device's and the host's speeds, by which CLSOLVE_WHERE_AUTO chooses between them.
 *
 * Example, given clsolve_context *context:
 *
 *     char text[256];
 *     clsolve_tune_report report;
 *     clsolve_tune_options options = {.seconds = 60}; // the device should be idle meanwhile
 *     clsolve_status status = clsolve_tune(context, CLSOLVE_F64, &options, &report);
 *     if (status == CLSOLVE_OK) printf("best of %lld: %s\n", (long long)report.tried, report.best[0].text);
 *     if (status == CLSOLVE_OK) status = clsolve_tune_describe(context, CLSOLVE_F64, text, sizeof text);
 *     if (status == CLSOLVE_OK) puts(text); // which product this context uses now
 *
 * Nearly all the work of a blocked factorization is a rank-k update, C := C - A B with an inner size of 16 to 512. On
 * OpenCL devices with memory of their own CLBlast computes it. The built-in product computes it where it was measured
 * to be faster. The built-in product is a kernel in OpenCL C whose parameters are its tile sizes.
 *
 * clsolve_tune works in bounded time:
 *
 *   1. search for good parameters
 *   2. compare the best with CLBlast at each kind of update
 *   3. store both as a tuning record in the folder of the compiled kernels
 *
 * The record is stored after each better candidate and after each transposition that was compared. With `resume` a call
 * goes on from there. This context uses the record when the call is done, and so do contexts made later on the same
 * device and driver. They use the built-in product for the kinds of update at which it was faster, and for no others.
 *
 * Algorithm of the search. It begins with the stored record and a few guesses for the kind of device. It changes one
 * parameter at a time as long as that helps. C. Nugteren, V. Codreanu, CLTune: A Generic Auto-Tuner for OpenCL Kernels,
 * MCSoC 2015, compares searches of this kind. Each candidate first multiplies a small matrix with a known result.
 * Candidates with a wrong result are counted and dropped.
 *
 * Devices on which a record changes nothing, unless the environment variable CLSOLVE_BLAS forces the built-in product:
 *
 *   any device through CUDA                           cuBLAS multiplies
 *   a device that works in the host's memory          OpenBLAS multiplies
 *   NVIDIA GPU of compute capability 8.0 or later     the matrix unit multiplies, except floats with few columns
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

/* The largest numbers of best candidates and of kinds of update in a report. */
enum { CLSOLVE_TUNE_BEST = 5, CLSOLVE_TUNE_UPDATES = 16 };

typedef struct clsolve_tune_options {
    /*
     * Seconds for the search, and as many for the comparison; 0: 20. The comparison also takes what the search leaves.
     * A measurement that is running when they are over is finished. One candidate is always timed, and products without
     * transposition are always compared. The first use of CLBlast takes time besides, seconds on some drivers.
     */
    double seconds;
    int32_t dry;               /* 1: nothing is stored, and this context goes on as before */
    int32_t resume;            /* 1: what an earlier call has measured and stored is not measured again */
    clsolve_progress progress; /* called in the phases "CLBlast", "search" and "compare" (report.h); NULL: none */
    void *progress_user;       /* first argument of `progress` */
    /*
     * Seconds after which the call ends, where that is not what `seconds` says; 0: it is. So the rest of a time that
     * was divided otherwise goes to the comparison: `resume`, `seconds` as before or less, and `limit` what is left.
     */
    double limit;
    int64_t reserved[7]; /* zeros */
} clsolve_tune_options;

typedef struct clsolve_tune_candidate {
    char text[128]; /* "tile 64 x 64 x 16, item 4 x 4, vector 2, local A B, ahead" */
    double gflops;  /* 1e9 operations a second, geometric mean of the updates of rank 32, 128 and 512 */
} clsolve_tune_candidate;

/* A kind of update, C := C - op(A) op(B) with C of m x n and inner size k. */
typedef struct clsolve_tune_update {
    clsolve_op op_a, op_b;
    int64_t m, n, k;
    double own, clblast; /* 1e9 operations a second: built-in product, CLBlast; own 0: that kernel is wrong */
    int32_t used;        /* 1: from now on the built-in product computes updates of this kind */
} clsolve_tune_update;

typedef struct clsolve_tune_report {
    clsolve_type type;
    int64_t tried;                                  /* number of candidates */
    int64_t timed;                                  /* candidates that were right and timed */
    int64_t wrong;                                  /* candidates that gave a wrong product */
    int64_t refused;                                /* candidates that did not build or start on this device */
    double search_seconds;                          /* of the search, compiling the candidates included */
    double clblast_seconds;                         /* of the first use of CLBlast */
    double seconds;                                 /* of the whole call */
    int32_t best_count;                             /* number of entries in best */
    clsolve_tune_candidate best[CLSOLVE_TUNE_BEST]; /* the best first, which is the one in the record */
    int32_t update_count;                           /* number of entries in updates */
    clsolve_tune_update updates[CLSOLVE_TUNE_UPDATES];
    /*
     * Number of kinds of update that were not compared because the time was up. An earlier comparison of the same
     * parameters decides for them, else CLBlast computes them.
     */
    int32_t updates_skipped;
    int32_t stored;  /* 1: the record was stored */
    char file[512];  /* the file of the record, also if storing failed; "" with `dry` */
    int64_t resumed; /* 1: an earlier call's record was gone on with; the counts and lists are of this call alone */
    int64_t reserved[7];
} clsolve_tune_report;

CLSOLVE_BEGIN_DECLS

/*
 * Searches for good parameters, compares and stores them. The device should be idle: other work makes the figures
 * worthless.
 *
 *   type      CLSOLVE_F32 or CLSOLVE_F64
 *   options   NULL: the defaults
 *   report    out: what was found; may be NULL
 *
 *   status                       when, before any measurement
 *   ERROR_INVALID_ARGUMENT       the type is not valid; seconds or limit is not finite or below 0
 *   ERROR_UNSUPPORTED            the context is on CUDA, or of the host alone
 *   ERROR_UNSUPPORTED            the type is CLSOLVE_F64, and the device has no double precision
 *   ERROR_FILE                   without `dry`: the context has no folder of compiled kernels, or cannot store in it
 *
 *   status                       when, later: what was measured before that is stored
 *   ERROR_OUT_OF_MEMORY          the host has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device has no room
 *   ERROR_BUILD                  no candidate runs on the device
 *   ERROR_DEVICE                 the driver failed
 *   ERROR_FILE                   the record could not be stored
 */
CLSOLVE_API clsolve_status clsolve_tune(clsolve_context *context, clsolve_type type,
                                        const clsolve_tune_options *options, clsolve_tune_report *report);

/*
 * Describes in one line for people which product the context uses for `type`, and which tuning record it has.
 *
 *   text   out: the line, at most `size` bytes
 *
 * The statuses are ERROR_INVALID_ARGUMENT and ERROR_UNSUPPORTED, as for clsolve_tune's `type`.
 */
CLSOLVE_API clsolve_status clsolve_tune_describe(clsolve_context *context, clsolve_type type, char *text, size_t size);

/*
 * Writes what is stored for this device, of both types, as one block of text. It has a comment with device, driver and
 * measured rates, and rows for the library's table of known devices (src/tuning/known_devices.inc). It holds no name of
 * a user, a host or a file. docs/tuning.md says where to send it.
 *
 *   text   out: the block, at most `size` bytes; 16384 suffice
 *
 * ERROR_STATE: no record is stored. ERROR_INVALID_ARGUMENT: `size` does not suffice, or text is NULL.
 */
CLSOLVE_API clsolve_status clsolve_tune_share(clsolve_context *context, char *text, size_t size);

/* The same of one type, CLSOLVE_F32 or CLSOLVE_F64; ERROR_INVALID_ARGUMENT: another one. */
CLSOLVE_API clsolve_status clsolve_tune_share_type(clsolve_context *context, clsolve_type type, char *text,
                                                   size_t size);

/*
 * Measures how many threads of the host transfers take best, and how long small systems of each family take on the
 * device and on the host. That lasts about a second, and longer where kernels have to be compiled first. Choices of
 * CLSOLVE_WHERE_AUTO (factorization.h) in this context go by that from then on, and count no compilation of these
 * families' kernels any more. So do those of later contexts on the same device, driver and number of cores, where the
 * context has a folder of compiled kernels. Without this call AUTO goes by a guess at first, and measures by itself
 * once a second of work was done for which the guess did not decide.
 *
 *   type      CLSOLVE_F32 or CLSOLVE_F64
 *
 *   status                       when
 *   ERROR_INVALID_ARGUMENT       the type is not valid
 *   ERROR_UNSUPPORTED            the type is CLSOLVE_F64, and the device has no double precision
 *   ERROR_OUT_OF_MEMORY          the host has no room
 *   ERROR_OUT_OF_DEVICE_MEMORY   the device has no room
 *   ERROR_BUILD, ERROR_DEVICE    the driver failed; families that were measured before that stay so
 */
CLSOLVE_API clsolve_status clsolve_calibrate(clsolve_context *context, clsolve_type type);

CLSOLVE_END_DECLS

#endif
