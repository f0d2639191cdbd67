/*
 * handle.h (private): what the handles of direct factorizations share, of dense LU, Cholesky and LDL^T and of bands:
 * their head, and the calls on it by a table of each family. A family is its table, its handle, and the calls that only
 * it has:
 *
 *      struct clsolve_x {
 *          cls_handle it;                            the calls' own, first: a head (head.h), and more
 *          clsolve_x_options options;
 *          cls_x factors;
 *      };
 *      static const cls_handle_family family = {CLS_HANDLE_FAMILY(x), .kind.method = "x", ...};
 *
 *      CLS_SQUARE_CALLS(x)                           handle_calls.h: the calls that others have too
 *      CLS_GENERAL_CALLS(x)
 *
 * The calls take NULL as the public ones do. A call refused before it enqueues leaves the outcome of earlier calls.
 */
#ifndef CLS_API_HANDLE_H
#define CLS_API_HANDLE_H

#include <stddef.h>

#include <clsolve/enqueue.h>
#include <clsolve/report.h>

#include "api/head.h"
#include "api/validate.h"
#include "method/direct/direct.h"

typedef struct cls_handle cls_handle;

/* Public calls of a family, as messages name them, but those of its head. */
typedef struct cls_handle_names {
    const char *factor, *solve, *condition, *inverse, *predict, *warm, *factor_enqueue, *solve_enqueue;
} cls_handle_names;
#define CLS_HANDLE_CALL(name, verb) "clsolve_" name "_" verb
#define CLS_HANDLE_NAMES(name)                                                                                         \
    {                                                                                                                  \
        .factor = CLS_HANDLE_CALL(name, "factor"), .solve = CLS_HANDLE_CALL(name, "solve"),                            \
        .condition = CLS_HANDLE_CALL(name, "condition"), .inverse = CLS_HANDLE_CALL(name, "inverse"),                  \
        .predict = CLS_HANDLE_CALL(name, "predict"), .warm = CLS_HANDLE_CALL(name, "warm"),                            \
        .factor_enqueue = CLS_HANDLE_CALL(name, "factor_enqueue"),                                                     \
        .solve_enqueue = CLS_HANDLE_CALL(name, "solve_enqueue")                                                        \
    }

/* Order and, of bands, diagonals below and above, as the caller gave them. */
typedef struct cls_handle_shape {
    int64_t n, kl, ku;
} cls_handle_shape;

/* Options that all families have. */
typedef struct cls_handle_options {
    cls_common_options common;
    clsolve_where where;
    const int64_t *reserved;
    size_t reserved_words;
} cls_handle_options;
#define CLS_HANDLE_OPTIONS(o)                                                                                          \
    ((cls_handle_options){*CLS_COMMON_OPTIONS((o), (o)->panel), (o)->where, (o)->reserved,                             \
                          sizeof((o)->reserved) / sizeof *(o)->reserved})

/* ---- the table of a family ---- */

typedef struct cls_handle_family {
    cls_head_kind kind; /* first; check, setup and release are those of all families */
    cls_handle_names names;
    int banded;                      /* the caller's matrix is AB, the diagonals of a band, else A */
    const char *factors;             /* "L\\U": of what an enqueued factorization says that it overflows */
    cls_family model;                /* of the time */
    double rate;                     /* a further right-hand side takes rate / n times as long as the factorization */
    int kernels_by_size;             /* orders have kernels of their own */
    int working_in_double;           /* WORKING goes to the host where the device does not compute in double */
    size_t options_at, options_size; /* in it */
    const void *on_device;           /* the family's options with `where` DEVICE */

    cls_handle_options (*options)(const void *options);
    /* The shape and the type of a create call; NULL: those of a square matrix. */
    clsolve_status (*check_shape)(cls_error *error, const char *call, const cls_handle_shape *shape, clsolve_type type);
    /* Options of this family alone; NULL: none. And whether the host can do what all ask; NULL: see cls_host_can. */
    clsolve_status (*check)(cls_error *error, const char *call, const void *options);
    int (*host_can)(const void *options);
    /* Rows of the caller's matrix; NULL: n. */
    int64_t (*rows)(const cls_handle *it);
    /* The memory of the factors on the device chosen, and it->direct. `release` of the factors alone, and of zeros. */
    clsolve_status (*setup)(cls_handle *it, clsolve_type type);
    void (*release)(cls_handle *it);
    /* The triangle of A that is read; NULL: all of A is. */
    clsolve_uplo *(*uplo)(cls_handle *it);
    /* The factors are on the host, where matrices on the device come to, and go from; NULL: such matrices are refused.
     */
    int (*fetches)(const cls_handle *it);
} cls_handle_family;

/* Fields of the table that follow from the names of the family's structs, clsolve_x and clsolve_x_options. */
#define CLS_HANDLE_FAMILY(x)                                                                                           \
    .kind.create = CLS_HANDLE_CALL(#x, "create"), .kind.report = CLS_HANDLE_CALL(#x, "report"),                        \
    .kind.bytes = sizeof(clsolve_##x), .kind.check = cls_handle_check, .kind.setup = cls_handle_setup,                 \
    .kind.release = cls_handle_release, .names = CLS_HANDLE_NAMES(#x), .options_at = offsetof(clsolve_##x, options),   \
    .options_size = sizeof(clsolve_##x##_options), .on_device = &(const clsolve_##x##_options) {                       \
        .where = CLSOLVE_WHERE_DEVICE                                                                                  \
    }

/* ---- handles ---- */

struct cls_handle {
    cls_head head;
    const cls_handle_family *family;
    cls_handle_shape shape;
    cls_direct direct; /* what became of the factorization, and what makes its answers accurate */
    /* The work that was enqueued and has not been asked for: handle_enqueue.c. */
    cls_async async;
    int pending_factor, pending_solve;
};

/* `handle`: the address of the caller's pointer, which becomes NULL on failure. */
clsolve_status cls_handle_create(const cls_handle_family *family, clsolve_context *context,
                                 const cls_handle_shape *shape, clsolve_type type, const void *options, void *handle);
/* They fill in a cls_head_kind. */
clsolve_status cls_handle_check(clsolve_context *context, const void *asked);
clsolve_status cls_handle_setup(cls_head *head, const void *asked);
void cls_handle_release(cls_head *head);

/* The name and the rows of the caller's matrix. */
static inline const char *cls_handle_matrix(const cls_handle *it) {
    return it->family->banded ? "AB" : "A";
}
static inline int64_t cls_handle_rows(const cls_handle *it) {
    return it->family->rows ? it->family->rows(it) : it->shape.n;
}

/* `uplo` is for families that have it. */
clsolve_status cls_handle_factor(cls_handle *it, clsolve_uplo uplo, const clsolve_matrix *A);
clsolve_status cls_handle_solve(cls_handle *it, clsolve_op op, const clsolve_matrix *B);
clsolve_status cls_handle_condition(cls_handle *it, clsolve_norm norm, double norm_A, double *rcond);
clsolve_status cls_handle_inverse(cls_handle *it, clsolve_uplo uplo, clsolve_matrix *X);
clsolve_status cls_handle_report(const cls_handle *it, clsolve_report *report);

/* The work of a call whose arguments are valid, while the caller waits; and its report. Between cls_enter and
 * cls_leave. */
clsolve_status cls_handle_factor_now(cls_handle *it, const char *call, clsolve_uplo uplo, const clsolve_matrix *A);
clsolve_status cls_handle_solve_now(cls_handle *it, const char *call, clsolve_op op, const clsolve_matrix *B);
void cls_handle_write_report(const cls_handle *it, clsolve_report *report);

/* The arguments alone, with `uplo` where the family has it. */
clsolve_status cls_handle_check_A(cls_handle *it, const char *call, clsolve_uplo uplo, const clsolve_matrix *A);
clsolve_status cls_handle_check_B(cls_handle *it, const char *call, clsolve_op op, const clsolve_matrix *B);
/* A matrix on the device is refused where the handle takes none, or where its buffer is too small. */
clsolve_status cls_handle_check_place(const cls_handle *it, const char *call, const clsolve_matrix *m);

/* The factors are there and no pivot is zero; else why not. Enqueued work is waited for first. */
clsolve_status cls_handle_check_factors(cls_handle *it, const char *call);

/* ---- enqueued work ---- */

/* Waits for what was enqueued, if anything was, and takes its outcome over: every call that needs the factors begins
 * so. */
clsolve_status cls_handle_settle(cls_handle *it);

/* ---- handle_enqueue.c ---- */

clsolve_status cls_handle_factor_enqueue(cls_handle *it, clsolve_uplo uplo, const clsolve_matrix *A,
                                         const clsolve_events *events);
clsolve_status cls_handle_solve_enqueue(cls_handle *it, clsolve_op op, const clsolve_matrix *B,
                                        const clsolve_events *events);
clsolve_status cls_handle_status(cls_handle *it);

/* ---- handle_ahead.c: what a caller can know and prepare before a matrix is there ---- */

clsolve_status cls_handle_check_shape(const cls_handle_family *family, cls_error *error, const char *call,
                                      const cls_handle_shape *shape, clsolve_type type);
/* m, the rows, is another number than n for LU alone. */
clsolve_status cls_handle_predict(const cls_handle_family *family, clsolve_context *context, int64_t m, int64_t n,
                                  int64_t nrhs, clsolve_type type, double *device_seconds, double *host_seconds);
clsolve_status cls_handle_warm(const cls_handle_family *family, clsolve_context *context, int64_t m,
                               const cls_handle_shape *shape, clsolve_type type);

/* The square matrix that takes as many operations as an m x n one, for the model of the time. */
cls_task cls_handle_task_of(cls_family family, int64_t m, int64_t n, clsolve_type type);

#endif
