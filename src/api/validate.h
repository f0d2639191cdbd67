/* validate.h: is a caller's matrix what a call takes? */
#ifndef CLS_API_VALIDATE_H
#define CLS_API_VALIDATE_H

#include <clsolve/batch.h>
#include <clsolve/lu.h>
#include <clsolve/matrix.h>

#include "base/error.h"
#include "method/direct/direct.h"

/*
 * A type that the call takes: INVALID_ARGUMENT for what is no type, UNSUPPORTED for a complex one unless the call takes
 * those. `what` names the argument: "type", "the type of A".
 */
typedef enum cls_types { CLS_REAL_TYPES, CLS_ALL_TYPES } cls_types;
clsolve_status cls_validate_type(cls_error *error, const char *call, const char *what, clsolve_type type,
                                 cls_types taken);

/*
 * `rows` and `cols` are what the call needs; -1: any. The message names the call, the argument and both values.
 */
clsolve_status cls_validate_matrix(cls_error *error, const char *call, const char *argument,
                                   const clsolve_matrix *matrix, clsolve_type type, int64_t rows, int64_t cols);

/* An argument that the call writes to. */
clsolve_status cls_validate_pointer(cls_error *error, const char *call, const char *argument, const void *pointer);

/* The same for a batch; one that is written must have room for its members. */
clsolve_status cls_validate_batch(cls_error *error, const char *call, const char *argument, const clsolve_batch *batch,
                                  clsolve_type type, int64_t rows, int64_t cols, int written);

/* The same for members of orders of their own: rows of the view are the largest order, and columns too of matrices that
 * are square. An ld of 0 is that of a tight member. */
typedef struct cls_orders {
    const int64_t *of; /* each member */
    int64_t largest, count;
} cls_orders;
clsolve_status cls_validate_ragged(cls_error *error, const char *call, const char *argument, const clsolve_batch *batch,
                                   clsolve_type type, const cls_orders *orders, int square, int written);

/* The order and the type of a dense matrix, by the create call of a family for all types. */
clsolve_status cls_validate_square(cls_error *error, const char *call, int64_t n, clsolve_type type);

/* Shared by the options of direct methods. CLS_COMMON_OPTIONS takes it from any of their structs; a family
 * without panels gives CLSOLVE_PANEL_AUTO. */
typedef struct cls_common_options {
    clsolve_panel panel;
    int32_t block;
    int64_t slab_bytes, memory_limit;
    clsolve_precision precision;
    int32_t rcond, equilibrate, refine;
} cls_common_options;
#define CLS_COMMON_OPTIONS(o, its_panel)                                                                               \
    (&(cls_common_options){(its_panel), (o)->block, (o)->slab_bytes, (o)->memory_limit, (o)->precision, (o)->rcond,    \
                           (o)->equilibrate, (o)->refine})
clsolve_status cls_validate_options(cls_error *error, const char *call, const cls_common_options *options,
                                    clsolve_type type);

/* The host has no options about the device, or about speed on it. */
int cls_host_can(const cls_common_options *options);

/* An option that is 0 or 1. */
clsolve_status cls_validate_flag(cls_error *error, const char *call, const char *option, int32_t value);

/*
 * The cap on sizes of all creates: an array of so many lines, `pitch` elements each, has no more than
 * CLS_MOST_ELEMENTS. `status` for more: INVALID_ARGUMENT, or OUT_OF_DEVICE_MEMORY where the header says so of a device
 * without room.
 */
clsolve_status cls_validate_extent(cls_error *error, clsolve_status status, const char *call, int64_t lines,
                                   int64_t pitch);

/* Fields of options that have no meaning yet are zeros: a program of a later version asks for what this one lacks. */
clsolve_status cls_validate_reserved(cls_error *error, const char *call, const int64_t *reserved, size_t words);
#define CLS_VALIDATE_RESERVED(error, call, array)                                                                      \
    cls_validate_reserved((error), (call), (array), sizeof(array) / sizeof((array)[0]))

/* The device computes in `type`; and it has kernels, for families that are nothing without. */
clsolve_status cls_validate_double(const cls_device *device, const char *call, clsolve_type type);
clsolve_status cls_validate_device(const cls_device *device, const char *call, clsolve_type type);

/* `taken`: the pivotings that the family has, bit p for pivoting p. UNSUPPORTED for another one, and for TOURNAMENT. */
enum {
    CLS_PIVOTINGS_OF_LU = 1 << CLSOLVE_PIVOTING_AUTO | 1 << CLSOLVE_PIVOTING_PARTIAL | 1 << CLSOLVE_PIVOTING_RBT,
    CLS_PIVOTINGS_OF_BANDS = 1 << CLSOLVE_PIVOTING_AUTO | 1 << CLSOLVE_PIVOTING_PARTIAL,
    CLS_PIVOTINGS_OF_ROWS = 1 << CLSOLVE_PIVOTING_AUTO | 1 << CLSOLVE_PIVOTING_PARTIAL | 1 << CLSOLVE_PIVOTING_NONE
};
clsolve_status cls_validate_pivoting(cls_error *error, const char *call, clsolve_pivoting pivoting, int taken);

/* The last arguments of clsolve_lu_predict and clsolve_band_predict. */
clsolve_status cls_validate_predict(cls_error *error, const char *call, int64_t nrhs, const double *device,
                                    const double *host);

clsolve_status cls_validate_op(cls_error *error, const char *call, clsolve_op op);
clsolve_status cls_validate_uplo(cls_error *error, const char *call, clsolve_uplo uplo);

/* The factors are there and no pivot is zero; else why not. `factor_call`: the call that makes them. */
clsolve_status cls_validate_factors(const cls_direct *direct, const char *call, const char *factor_call);

#endif
