/*
 * dense.h (private): what the handles of dense LU, Cholesky and LDL^T share: their head, and the calls on it by a table
 * of each family. A family is its table, its handle, and the calls that only it has:
 *
 *      struct clsolve_x {
 *          cls_dense it;                            the calls' own, first
 *          clsolve_x_options options;
 *          cls_x factors;
 *      };
 *      static const cls_dense_family family = {.names = CLS_DENSE_NAMES("x"), ...};
 *
 *      clsolve_status clsolve_x_solve(clsolve_x *x, clsolve_matrix *B) {
 *          return cls_dense_solve((cls_dense *)x, CLSOLVE_NO_TRANS, B);
 *      }
 *
 * The calls take NULL as the public ones do. A call refused before it enqueues leaves the outcome of earlier calls.
 */
#ifndef CLS_API_DENSE_H
#define CLS_API_DENSE_H

#include <stddef.h>

#include <clsolve/enqueue.h>
#include <clsolve/report.h>

#include "api/validate.h"
#include "api/where.h"
#include "method/async.h"
#include "method/direct/direct.h"

typedef struct cls_dense cls_dense;

/* The public calls of a family, as messages name them. */
typedef struct cls_dense_names {
    const char *family; /* of the method in reports, and of the argument that receives a handle */
    const char *create, *factor, *solve, *condition, *inverse, *report, *predict, *warm;
    const char *factor_enqueue, *solve_enqueue;
} cls_dense_names;
#define CLS_DENSE_CALL(name, verb) "clsolve_" name "_" verb
#define CLS_DENSE_NAMES(name)                                                                                          \
    {                                                                                                                  \
        .family = name, .create = CLS_DENSE_CALL(name, "create"), .factor = CLS_DENSE_CALL(name, "factor"),            \
        .solve = CLS_DENSE_CALL(name, "solve"), .condition = CLS_DENSE_CALL(name, "condition"),                        \
        .inverse = CLS_DENSE_CALL(name, "inverse"), .report = CLS_DENSE_CALL(name, "report"),                          \
        .predict = CLS_DENSE_CALL(name, "predict"), .warm = CLS_DENSE_CALL(name, "warm"),                              \
        .factor_enqueue = CLS_DENSE_CALL(name, "factor_enqueue"),                                                      \
        .solve_enqueue = CLS_DENSE_CALL(name, "solve_enqueue")                                                         \
    }

/* Options that all families have. */
typedef struct cls_dense_options {
    cls_common_options common;
    clsolve_where where;
    const int64_t *reserved;
    size_t reserved_words;
} cls_dense_options;
#define CLS_DENSE_OPTIONS(o)                                                                                           \
    ((cls_dense_options){*CLS_COMMON_OPTIONS((o), (o)->panel), (o)->where, (o)->reserved,                              \
                         sizeof((o)->reserved) / sizeof *(o)->reserved})

/* ---- the table of a family ---- */

typedef struct cls_dense_family {
    cls_dense_names names;
    const char *handle;               /* "a Cholesky handle" */
    const char *factors;              /* "L\\U": of what an enqueued factorization says that it overflows */
    cls_family model;                 /* of the time */
    double rate;                      /* a further right-hand side takes rate / n times as long as the factorization */
    int kernels_by_size;              /* orders have kernels of their own */
    size_t bytes;                     /* of a handle */
    size_t options_at, options_bytes; /* in it */
    const void *on_device;            /* the family's options with `where` DEVICE */

    cls_dense_options (*options)(const void *options);
    /* Options of this family alone; NULL: none. And whether the host can do what they ask. */
    clsolve_status (*check)(cls_error *error, const char *call, const void *options);
    int (*host_can)(const void *options);
    /* The memory of the factors, on it->choice.device, and it->direct. `release` of the factors alone, and of zeros. */
    clsolve_status (*setup)(cls_dense *it, int64_t n, clsolve_type type);
    void (*release)(cls_dense *it);
    /* The triangle of A that is read; NULL: all of A is. */
    clsolve_uplo *(*uplo)(cls_dense *it);
    /* A matrix on the device is refused where the handle takes none, or where its buffer is too small. */
    clsolve_status (*check_place)(cls_dense *it, const char *call, const clsolve_matrix *m);
    /* The triangle `uplo` of the inverse, from factors that are there; NULL: the family has a call of its own. */
    clsolve_status (*invert)(cls_direct *direct, const char *call, clsolve_uplo uplo, const clsolve_matrix *X);

    /* Work that is enqueued without waiting: whether the factors are where it goes; NULL: never. `info`: the buffer of
     * LAPACK's. */
    int (*runs_ahead)(const cls_dense *it);
    clsolve_status (*async_factor)(cls_dense *it, const clsolve_matrix *A);
    clsolve_status (*async_solve)(cls_dense *it, clsolve_op op, const clsolve_matrix *B, int after_factor);
    cls_buffer *(*info)(const cls_dense *it);
    /* Ends an enqueued factorization that the device leaves to the host where `info` is not 0: solves that were
     * enqueued behind it have delivered nothing then. NULL: there is no such. */
    clsolve_status (*finish)(cls_dense *it, cls_async_outcome *outcome);
} cls_dense_family;

/* ---- handles ---- */

struct cls_dense {
    const cls_dense_family *family;
    clsolve_context *context;
    cls_choice choice;     /* on the device, or on the host */
    cls_direct direct;     /* what became of the factorization, and what makes its answers accurate */
    clsolve_status status; /* of the last call */
    /* The work that was enqueued and has not been asked for: dense_enqueue.c. */
    cls_async async;
    int pending_factor, pending_solve;
    cls_error message; /* the line that belongs to `status`, when that is an enqueued call's; else empty */
};

/* *handle becomes NULL on failure. */
clsolve_status cls_dense_create(const cls_dense_family *family, clsolve_context *context, int64_t n, clsolve_type type,
                                const void *options, void **handle);
void cls_dense_destroy(cls_dense *it);

/* `uplo` is for families that have it. */
clsolve_status cls_dense_factor(cls_dense *it, clsolve_uplo uplo, const clsolve_matrix *A);
clsolve_status cls_dense_solve(cls_dense *it, clsolve_op op, const clsolve_matrix *B);
clsolve_status cls_dense_condition(cls_dense *it, clsolve_norm norm, double norm_A, double *rcond);
clsolve_status cls_dense_inverse(cls_dense *it, clsolve_uplo uplo, clsolve_matrix *X);
clsolve_status cls_dense_report(const cls_dense *it, clsolve_report *report);

/* The work of a call whose arguments are valid, while the caller waits; and its report. Between cls_enter and
 * cls_leave. */
clsolve_status cls_dense_factor_now(cls_dense *it, const char *call, clsolve_uplo uplo, const clsolve_matrix *A);
clsolve_status cls_dense_solve_now(cls_dense *it, const char *call, clsolve_op op, const clsolve_matrix *B);
void cls_dense_write_report(const cls_dense *it, clsolve_report *report);

/* The factors are there and no pivot is zero; else why not. Enqueued work is waited for first. */
clsolve_status cls_dense_check_factors(cls_dense *it, const char *call);

/* ---- enqueued work ---- */

/* Waits for what was enqueued, if anything was, and takes its outcome over: every call that needs the factors begins
 * so. */
clsolve_status cls_dense_settle(cls_dense *it);

/* ---- dense_enqueue.c ---- */

clsolve_status cls_dense_factor_enqueue(cls_dense *it, clsolve_uplo uplo, const clsolve_matrix *A,
                                        const clsolve_events *events);
clsolve_status cls_dense_solve_enqueue(cls_dense *it, clsolve_op op, const clsolve_matrix *B,
                                       const clsolve_events *events);
clsolve_status cls_dense_status(cls_dense *it);

/* ---- dense_ahead.c: what a caller can know and prepare before a matrix is there ---- */

/* m and n, the rows and columns, are the same for all but LU. */
clsolve_status cls_dense_predict(const cls_dense_family *family, clsolve_context *context, int64_t m, int64_t n,
                                 int64_t nrhs, clsolve_type type, double *device_seconds, double *host_seconds);
clsolve_status cls_dense_warm(const cls_dense_family *family, clsolve_context *context, int64_t m, int64_t n,
                              clsolve_type type);

/* The square matrix that takes as many operations as an m x n one, for the model of the time. */
cls_task cls_dense_task_of(cls_family family, int64_t m, int64_t n, clsolve_type type);

#endif
