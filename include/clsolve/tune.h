/*
 * tune.h: search for good parameters of the built-in matrix product and for good sizes of dense LU on a device, and
 * storage of what was found; measurement of the device's and the host's speeds, by which CLSOLVE_WHERE_AUTO chooses
 * between them.
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
 *     if (status == CLSOLVE_OK) status = clsolve_tune_sizes(context, CLSOLVE_F64, &options, NULL); // then dense LU
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
/* The largest numbers of orders with a block and of trials in a report on sizes. */
enum { CLSOLVE_TUNE_ORDERS = 8, CLSOLVE_TUNE_TRIALS = 64 };

typedef struct clsolve_tune_options {
    /*
     * clsolve_tune: seconds for the search, and as many for the comparison; 0: 20. The comparison also takes what the
     * search leaves. clsolve_tune_sizes: seconds of the call; 0: 20. A measurement that is running then is finished. One
     * candidate or size is always timed, and products without transposition are always compared. The first use of
     * CLBlast takes time besides, seconds on some drivers.
     */
    double seconds;
    int32_t dry;    /* 1: nothing is stored, and this context goes on as before */
    int32_t resume; /* 1: what an earlier call has measured and stored is not measured again */
    /* Called in the phases "CLBlast", "search", "compare", "leaf", "block", "look-ahead", "substitution" (report.h);
     * NULL: none. */
    clsolve_progress progress;
    void *progress_user; /* first argument of `progress` */
    /*
     * Seconds after which the call ends, where that is not what `seconds` says; 0: it is. So the rest of a time that was
     * divided otherwise goes to the comparison: `resume`, `seconds` as before or less, and `limit` what is left. In
     * clsolve_tune_sizes `seconds` then says which orders are worth measuring.
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

/* One measurement of clsolve_tune_sizes: a factorization of order n, for the substitution a solve. */
typedef struct clsolve_tune_trial {
    const char *part; /* "leaf", "block", "look-ahead" or "substitution"; a static string */
    int64_t n;
    int64_t value;  /* as the field of that part in clsolve_tune_sizes_report; look-ahead: 0 or 1; leaf by steps: < 0 */
    double seconds; /* 0: the device or its compiler refused it */
    int32_t used;   /* 1: the fastest of its part and order, which is used from now on */
} clsolve_tune_trial;

/* What dense LU takes on this device from now on. 0: not measured, the library's default stands. */
typedef struct clsolve_tune_sizes_report {
    clsolve_type type;
    int64_t leaf;                        /* columns of the widest leaf of a panel */
    int32_t leaf_by_steps;               /* 1: leaves take a launch a column, though one launch could factor them */
    int32_t order_count;                 /* number of entries in orders and blocks */
    int64_t orders[CLSOLVE_TUNE_ORDERS]; /* orders of A, rising, */
    int64_t blocks[CLSOLVE_TUNE_ORDERS]; /* and columns of a block there */
    int64_t ahead_from;                  /* panels are factored beside products from this order on; -1: never */
    int64_t substitution;                /* rows of a block of solves with few right-hand sides; -1: products */
    int64_t measured;                    /* number of measurements of this call */
    int32_t stopped;                     /* 1: the time was up before all was measured */
    int32_t resumed;                     /* 1: an earlier call's measurements were gone on with */
    double seconds;                      /* of the whole call */
    int64_t trial_count;                 /* number of entries in trials, */
    clsolve_tune_trial trials[CLSOLVE_TUNE_TRIALS]; /* earlier calls' among them */
    int32_t stored;                                 /* 1: the record was stored */
    char file[512];                                 /* the file of the record; "" with `dry` */
    int64_t reserved[8];
} clsolve_tune_sizes_report;

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
 *   ERROR_UNSUPPORTED            the context is on CUDA
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
 * Finds the sizes with which dense LU is fastest on the device, by factorizations and solves of random matrices, and
 * stores them: the leaf of a panel, the block for orders from 1024 to 16384 as far as time and memory go, from which
 * order on panels are factored beside products, and the block of solves with few right-hand sides. The product should
 * have been tuned before, because its speed decides the block. It is stored after each measurement, so a call that is
 * interrupted loses none; with options->resume the next call goes on.
 *
 * Handles that are created later in this context use the sizes, and so do contexts made later on the same device and
 * driver. Options of a handle go before. Devices in the host's memory have blocks alone.
 *
 *   type, options, report   as for clsolve_tune
 *
 * The statuses are those of clsolve_tune, with two differences: a context on CUDA is fine, and the selector host gives
 * ERROR_UNSUPPORTED. An order for which there is no room is left out.
 */
CLSOLVE_API clsolve_status clsolve_tune_sizes(clsolve_context *context, clsolve_type type,
                                              const clsolve_tune_options *options, clsolve_tune_sizes_report *report);

/* Describes in one line for people which sizes dense LU has in this context, as clsolve_tune_describe. */
CLSOLVE_API clsolve_status clsolve_tune_sizes_describe(clsolve_context *context, clsolve_type type, char *text,
                                                       size_t size);

/*
 * Writes what is stored for this device, of both types, as one block of text: a comment with device, driver and measured
 * rates, and rows for the library's table of known devices (src/tuning/known_devices.inc). It holds no name of a user, a
 * host or a file. docs/tuning.md says where to send it.
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
 * Measures how many threads of the host transfers take best, and how long small systems of each family take on the device
 * and on the host. That lasts about a second, and longer where kernels have to be compiled first. Choices of
 * CLSOLVE_WHERE_AUTO (factorization.h) in this context go by that from then on, and count no compilation of these
 * families' kernels any more. So do those of later contexts on the same device, driver and number of cores, where the
 * context has a folder of compiled kernels. Without this call AUTO goes by a guess at first, and measures by itself once
 * a second of work was done for which the guess did not decide.
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
