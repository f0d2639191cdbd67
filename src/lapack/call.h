/*
 * call.h (private): one call of a routine of LAPACK, of any precision and width of integers. All arguments of Fortran
 * are addresses, so a call is an array of them.
 */
#ifndef CLS_LAPACK_CALL_H
#define CLS_LAPACK_CALL_H

#include <ctype.h>
#include <stdint.h>

#include <clsolve/matrix.h>

#include "lapack/state.h"

typedef struct lapack_call {
    int entry;        /* LAPACK_PLAIN_d_getrf, ... */
    const char *name; /* "getrf" */
    lapack_kind kind;
    clsolve_type type;
    int wide; /* 1: integers of 64 bits */
    void *const *args;
} lapack_call;

/* The part of the work that is proportional to n^3, or where there is none, n^2. */
typedef enum lapack_work {
    WORK_HOST,    /* a case that is the host's */
    WORK_FACTOR,  /* A is factored, and nrhs systems are solved */
    WORK_SOLVE,   /* factors of the caller's: nrhs systems at once */
    WORK_INVERT,  /* factors of the caller's: the inverse */
    WORK_ESTIMATE /* factors of the caller's: systems with one right-hand side, one after another */
} lapack_work;

/* The numbers that decide where the call goes. m = 0 or n = 0: the host returns at once. */
typedef struct lapack_shape {
    lapack_work work;
    int64_t m, n, nrhs, kl, ku;
} lapack_shape;

typedef struct lapack_routine {
    /* 1: all arguments are as LAPACK wants them, and `shape` is known; 0: LAPACK's own check is to find out. */
    int (*check)(const lapack_call *call, lapack_shape *shape);
    /* The call, on the device. OK or SINGULAR: it is done, info too. Else nothing that LAPACK reads was changed. */
    clsolve_status (*run)(const lapack_call *call, const lapack_shape *shape);
} lapack_routine;

/* The routines, as names.h has them. */
extern const lapack_routine cls_lapack_getrf, cls_lapack_getrs, cls_lapack_getri, cls_lapack_gesv, cls_lapack_gecon,
    cls_lapack_gerfs, cls_lapack_gesvx, cls_lapack_mixed, cls_lapack_gbtrf, cls_lapack_gbtrs, cls_lapack_gbsv,
    cls_lapack_gbcon, cls_lapack_potrf, cls_lapack_potrs, cls_lapack_potri, cls_lapack_posv, cls_lapack_pocon,
    cls_lapack_sytrf, cls_lapack_sytrs, cls_lapack_sytri, cls_lapack_sysv, cls_lapack_sycon;

static inline int64_t cls_call_int(const lapack_call *call, int i) {
    return call->wide ? *(const int64_t *)call->args[i] : *(const int32_t *)call->args[i];
}

static inline void cls_call_put(const lapack_call *call, int i, int64_t at, int64_t value) {
    if (call->wide)
        ((int64_t *)call->args[i])[at] = value;
    else
        ((int32_t *)call->args[i])[at] = (int32_t)value;
}

static inline int64_t cls_call_get(const lapack_call *call, int i, int64_t at) {
    return call->wide ? ((const int64_t *)call->args[i])[at] : ((const int32_t *)call->args[i])[at];
}

static inline char cls_call_letter(const lapack_call *call, int i) {
    return (char)toupper((unsigned char)*(const char *)call->args[i]);
}

/* 1: argument i is U or L. */
static inline int cls_call_uplo(const lapack_call *call, int i, clsolve_uplo *uplo) {
    const char letter = cls_call_letter(call, i);
    *uplo = letter == 'U' ? CLSOLVE_UPPER : CLSOLVE_LOWER;
    return letter == 'U' || letter == 'L';
}

/* 1: argument i is N, T or C. */
static inline int cls_call_op(const lapack_call *call, int i, clsolve_op *op) {
    char letter = cls_call_letter(call, i);
    *op = letter == 'N'                                        ? CLSOLVE_NO_TRANS
          : letter == 'C' && cls_lapack_is_complex(call->type) ? CLSOLVE_CONJ_TRANS
                                                               : CLSOLVE_TRANS;
    return letter == 'N' || letter == 'T' || letter == 'C';
}

/* 1: argument i is 1, O or I. */
static inline int cls_call_norm(const lapack_call *call, int i, clsolve_norm *norm) {
    char letter = cls_call_letter(call, i);
    *norm = letter == 'I' ? CLSOLVE_NORM_INF : CLSOLVE_NORM_ONE;
    return letter == '1' || letter == 'O' || letter == 'I';
}

/* Norms, bounds and the like are real in a complex routine too. */
static inline double cls_call_real(const lapack_call *call, int i) {
    return cls_lapack_is_single(call->type) ? (double)*(const float *)call->args[i] : *(const double *)call->args[i];
}

static inline void cls_call_put_real(const lapack_call *call, int i, int64_t at, double value) {
    if (cls_lapack_is_single(call->type))
        ((float *)call->args[i])[at] = (float)value;
    else
        ((double *)call->args[i])[at] = value;
}

/* A view by columns of argument i, with the leading dimension in argument `ld`. */
static inline clsolve_matrix cls_call_matrix(const lapack_call *call, int i, int64_t rows, int64_t cols, int ld) {
    clsolve_matrix view = clsolve_matrix_f64(rows, cols, NULL);
    view.type = call->type;
    view.data = call->args[i];
    view.ld = cls_call_int(call, ld);
    return view;
}

static inline int64_t cls_at_least_1(int64_t n) {
    return n > 1 ? n : 1;
}

#endif
