/*
 * batch.h: LU with partial pivoting, Cholesky or LDL^T of many matrices at once, and what is done by the factors.
 *
 *      setup.c   the memory, and classes of members by their order
 *      launch.c  kernels: cl/lu_batch_small.cl, cl/cholesky_batch.cl, cl/ldl_batch.cl, cl/direct_batch_whole.cl, and
 *                the panels of cl/front_panel.cl for members of more rows than one launch factors whole (setup.c)
 *      dense.c   few large members, by the engine of dense LU
 *      call.c    the calls, and the ways of members to the device and back
 *      host.c    the same steps on a device without kernels, the host
 *      export.c  factors of LDL^T in LAPACK's form, by what gives those of one matrix
 *
 * The factors of a member are column-major and tight. On the device `rows` has the row of A that is row i of L U; on
 * the host the pivots of LAPACK's getrf, from 1. A member whose numbers are near an end of the range is scaled first
 * (cl/direct_batch.clh).
 */
#ifndef CLS_DIRECT_BATCH_H
#define CLS_DIRECT_BATCH_H

#include <clsolve/batch.h>
#include <clsolve/factorization.h>
#include <clsolve/report.h>

#include "device/device.h"

enum {
    CLS_DIRECT_BATCH_SMALL = 32, /* rows of members that one launch factors whole on every device; of one triangle */
    CLS_DIRECT_BATCH_SMALL_HALF = 64,
    CLS_DIRECT_BATCH_SHAPES = 3,  /* of solves: numbers of right-hand sides that a work-group has at once */
    CLS_DIRECT_BATCH_CLASSES = 16 /* at most */
};

/* Members of about one order: list[from] .. list[from + count - 1]. */
typedef struct cls_direct_batch_class {
    int64_t from, count, most; /* most: the largest order that the class has room for */
    int64_t bound;             /* of members of orders of their own: the largest order */
    int small;          /* a launch of cl/lu_batch_small.cl, cl/cholesky_batch.cl or cl/ldl_batch.cl factors them */
    int whole;          /* a launch of cl/direct_batch_whole.cl */
    int dense;          /* one after the other by the engine of dense LU */
    int64_t width;      /* of a panel */
    int64_t x, y, held; /* of small members, and of all solves: the work-group, rows of an item */
    int64_t share;      /* of small members of one triangle: work-items that share a row */
    int64_t items, per; /* of panels: work-items, and rows of each; of LDL^T: lanes, and members of a work-group */
    int64_t block; /* columns that are factored by panels, before the others take part (cl/direct_batch_block.cl) */
    int64_t columns, tile, strip; /* its work-groups */
    int registers;                /* of a work-item of small or whole members, at most; 0: as the compiler wants */
    cls_kernel *factor;           /* each built when first asked for */
    cls_kernel *right, *product, *left;
    cls_kernel *solve[CLS_DIRECT_BATCH_SHAPES];
} cls_direct_batch_class;

typedef enum cls_direct_batch_move {
    CLS_DIRECT_BATCH_TAKE,
    CLS_DIRECT_BATCH_SCALE,
    CLS_DIRECT_BATCH_ORDER,
    CLS_DIRECT_BATCH_OUT,
    CLS_DIRECT_BATCH_DET,
    CLS_DIRECT_BATCH_NORM,
    CLS_DIRECT_BATCH_PIVOTS,
    CLS_DIRECT_BATCH_MOVES
} cls_direct_batch_move;

/* LDL^T has members of up to CLS_DIRECT_BATCH_SMALL_HALF rows. */
typedef enum cls_direct_batch_family {
    CLS_DIRECT_BATCH_LU,
    CLS_DIRECT_BATCH_CHOLESKY,
    CLS_DIRECT_BATCH_LDL
} cls_direct_batch_family;

/* A handle asks for this. */
typedef struct cls_direct_batch_shape {
    cls_direct_batch_family family;
    int symmetric; /* of LDL^T: complex members are A = A^T, not hermitian */
    clsolve_type type;
    int64_t n, count;      /* n: the largest order */
    const int64_t *orders; /* of members of orders of their own; NULL: all are n */
    int condition;         /* of LU and LDL^T: norms of A are kept */
} cls_direct_batch_shape;

typedef struct cls_direct_dense cls_direct_dense;

typedef struct cls_direct_batch {
    cls_device *device;
    cls_direct_batch_family family;
    int symmetric;
    clsolve_type type;
    int64_t n, count;
    /* Members of orders of their own: of each its order, and its places in F and in rows; NULL: all are n. */
    int64_t *table;
    int64_t elements, all_rows; /* of F and of rows */
    int condition;              /* norms of A are kept */
    int64_t classes_count;
    cls_direct_batch_class classes[CLS_DIRECT_BATCH_CLASSES];
    cls_kernel *move[CLS_DIRECT_BATCH_MOVES];
    cls_buffer *F, *rows, *scales, *info, *outcome;
    cls_buffer *tables, *places; /* of such members: the table; where those of a call begin */
    cls_buffer *exchanges, *fronts,
        *list;                   /* of members that are factored by panels; exchanges: first what _take finds */
    cls_buffer *norms, *numbers; /* REALs: of A; what a call computes */
    cls_buffer *B;               /* members on their way; grows */
    int64_t B_bytes;
    int32_t *outcomes;       /* `count`, of the last solve */
    cls_direct_dense *dense; /* NULL until members want it */
} cls_direct_batch;

/* The members of a call on the device. Element (i, j) of member m lies at offset + m * member + i * row + j * column,
 * in elements. */
typedef struct cls_direct_members {
    cls_buffer *buffer;
    const void *host; /* in its place, on a device without kernels: the caller's memory, which is only read */
    int64_t offset, row, column, member;
    const int64_t *places; /* on the host, of members of orders of their own: in the place of m * member; steps of 0 are
                              the order, or as many columns as the call has */
} cls_direct_members;

static inline int cls_direct_batch_is_cholesky(const cls_direct_batch *batch) {
    return batch->family == CLS_DIRECT_BATCH_CHOLESKY;
}
static inline int cls_direct_batch_is_ldl(const cls_direct_batch *batch) {
    return batch->family == CLS_DIRECT_BATCH_LDL;
}
/* One triangle of a member is read, and of its inverse written. */
static inline int cls_direct_batch_is_half(const cls_direct_batch *batch) {
    return batch->family != CLS_DIRECT_BATCH_LU;
}
static inline int64_t cls_direct_batch_order(const cls_direct_batch *batch, int64_t m) {
    return batch->table ? batch->table[3 * m] : batch->n;
}
static inline int64_t cls_direct_batch_factors_of(const cls_direct_batch *batch, int64_t m) {
    return batch->table ? batch->table[3 * m + 1] : m * batch->n * batch->n;
}
static inline int64_t cls_direct_batch_rows_of(const cls_direct_batch *batch, int64_t m) {
    return batch->table ? batch->table[3 * m + 2] : m * batch->n;
}

/* The number of the member's class. */
static inline int64_t cls_direct_batch_class_of(const cls_direct_batch *batch, int64_t m) {
    int64_t c = 0;
    while (c + 1 < batch->classes_count && batch->classes[c].bound < batch->table[3 * m]) ++c;
    return c;
}

/* The device can have batches of such members. */
int cls_direct_batch_may(const cls_device *device, const cls_direct_batch_shape *shape);

/* A bit for each class that has such members; and for these bits the least order of each class. Returns how many. */
int64_t cls_direct_batch_classes_of(const int64_t *orders, int64_t count);
int64_t cls_direct_batch_least_orders(int64_t classes, int64_t orders[CLS_DIRECT_BATCH_CLASSES]);

/* `batch` is zeroed memory. On failure the caller still calls cls_direct_batch_release. */
clsolve_status cls_direct_batch_setup(cls_device *device, const cls_direct_batch_shape *shape, cls_direct_batch *batch);
void cls_direct_batch_release(cls_direct_batch *batch);
/* Room for members of so many columns on their way; SQUARE: as many as the member has rows. */
enum { CLS_DIRECT_BATCH_SQUARE = -1 };
clsolve_status cls_direct_batch_reserve(cls_direct_batch *batch, int64_t cols);

/*
 * As the public calls say, for n and count of at least 1; `infos` as their info, `seconds` of the phases. They wait.
 * All but the first take the factorization's infos in `infos`; solve and inverse leave their own there. uplo: the
 * triangle of Cholesky and of LDL^T; LU has none.
 */
clsolve_status cls_direct_batch_factor(cls_direct_batch *batch, clsolve_uplo uplo, const clsolve_batch *A,
                                       int32_t *infos, clsolve_seconds *seconds);
clsolve_status cls_direct_batch_solve(cls_direct_batch *batch, clsolve_op op, const clsolve_batch *B, int32_t *infos,
                                      clsolve_seconds *seconds);
clsolve_status cls_direct_batch_inverse(cls_direct_batch *batch, clsolve_uplo uplo, const clsolve_batch *X,
                                        int32_t *infos, clsolve_seconds *seconds);
/* For LU alone: the factorization and a solve; the factors do not stay. */
clsolve_status cls_direct_batch_factor_solve(cls_direct_batch *batch, clsolve_op op, const clsolve_batch *A,
                                             const clsolve_batch *B, int32_t *infos, clsolve_seconds *seconds);
/*
 * With `infos` NULL the factorization, a solve and the inverse do not wait: the infos stay on the device until
 * cls_direct_batch_infos. That is for calls for which _stays says so.
 */
int cls_direct_batch_factor_stays(const cls_direct_batch *batch);
int cls_direct_batch_sides_stay(cls_direct_batch *batch, const clsolve_batch *view);
/* The infos of the factorization; or with `later` those of the last solve or inverse, where the factorization's, in
 * `infos`, are 0. Waits. */
clsolve_status cls_direct_batch_infos(cls_direct_batch *batch, int later, int32_t *infos);
/* Either of F and ipiv may be NULL; Cholesky has no ipiv. */
clsolve_status cls_direct_batch_factors(cls_direct_batch *batch, clsolve_uplo uplo, const clsolve_batch *F,
                                        const int32_t *infos, int64_t *ipiv);
/* ---- of LU and of LDL^T ---- */

/* det: one double a member, or two of complex types, and so sign; any of them may be NULL. */
clsolve_status cls_direct_batch_determinant(cls_direct_batch *batch, const int32_t *infos, double *det, double *sign,
                                            double *log_abs);
/* For LDL^T alone: -1 in all three numbers of a member that held NaN or Inf. */
clsolve_status cls_direct_batch_inertia(cls_direct_batch *batch, const int32_t *infos, clsolve_inertia *inertias);
clsolve_status cls_direct_batch_condition(cls_direct_batch *batch, const int32_t *infos, double *rcond);

/* ---- export.c ---- */

/* As cls_direct_batch_factors, of LDL^T. */
clsolve_status cls_direct_batch_ldl_factors(cls_direct_batch *batch, const clsolve_batch *F, const int32_t *infos,
                                            int64_t *ipiv);

/* ---- ragged.c: the ways of members of orders of their own ---- */

/* Elements from the first of a view's member to its last, of such a member; 0: it has none. */
int64_t cls_direct_ragged_extent(const clsolve_batch *view, int64_t order, int square);
/* The members of a matrix's view, or with `square` 0 of right-hand sides: where kernels may take them, in *theirs; else
 * copies, which `buffer` has room for, and which come up with `fetch`. With neither `written` nor `fetch` the host
 * reads them where they lie. members->places is from cls_alloc. */
clsolve_status cls_direct_ragged_bring(cls_direct_batch *batch, const clsolve_batch *view, int square, int written,
                                       int fetch, cls_buffer *buffer, cls_direct_members *members, cls_buffer **theirs);
/* The buffer of a view on the device, within which all its members lie. The caller destroys it. */
clsolve_status cls_direct_ragged_adopt(cls_direct_batch *batch, const clsolve_batch *view, int square, int written,
                                       cls_buffer **theirs);
/* Copies back, of members whose info is 0. */
clsolve_status cls_direct_ragged_down(cls_direct_batch *batch, const clsolve_batch *view, int square,
                                      cls_buffer *buffer, const int32_t *infos);

/* ---- launch.c ---- */

/* `conjugate`, for one triangle: the lower triangle of the conjugate of A is read, or that of the conjugate of F
 * written. inverse_of: 0; else B is the identity, and becomes A^-1; for one triangle its lower one for 1, its upper one
 * for 2; with LU for 2 the inverse of what was factored, with LDL^T for 3 the upper triangle of that. */

clsolve_status cls_direct_batch_run_factor(cls_direct_batch *batch, const cls_direct_members *A, int32_t conjugate);
/* transposes: 0, 1 for the transpose, 2 for the conjugate one. */
clsolve_status cls_direct_batch_run_solve(cls_direct_batch *batch, const cls_direct_members *B, int64_t rhs,
                                          int32_t transposes, int32_t inverse_of);
/* Whether one work-group has all of so many right-hand sides of a member, so that a member is written whole or not. */
int cls_direct_batch_sides_together(const cls_direct_batch *batch, int64_t rhs);
clsolve_status cls_direct_batch_run_out(cls_direct_batch *batch, const cls_direct_members *F, int32_t conjugate);
/* Three REALs a member into batch->numbers: the determinant, or with `inertia` 1 the numbers of signs. */
clsolve_status cls_direct_batch_run_det(cls_direct_batch *batch, int32_t inertia);
/* One REAL a member; is_scaled: of what is factored in its place. */
clsolve_status cls_direct_batch_run_norm(cls_direct_batch *batch, const cls_direct_members *A, int32_t is_scaled,
                                         cls_buffer *norms);

/* ---- dense.c ---- */

/* Member m, which lies where its factors come, becomes them; *info as LAPACK's. Waits. *again: it is spoilt, and is to
 * come again; once at most. */
clsolve_status cls_direct_dense_factor(cls_direct_batch *batch, int64_t m, int32_t *info, int *again);
/* The pivots of the last one, counted from 1. */
cls_buffer *cls_direct_dense_pivots(const cls_direct_batch *batch);
void cls_direct_dense_close(cls_direct_batch *batch);

/* ---- host.c: the same in the host's memory; they are done when they return ---- */

clsolve_status cls_direct_batch_host_factor(cls_direct_batch *batch, const cls_direct_members *A, int conjugate);
clsolve_status cls_direct_batch_host_solve(cls_direct_batch *batch, const cls_direct_members *B, int64_t rhs,
                                           int transposes, int inverse_of);
/* For LU alone: a factorization and a solve for each member, whose factors do not come to F. */
clsolve_status cls_direct_batch_host_factor_solve(cls_direct_batch *batch, const cls_direct_members *A,
                                                  const cls_direct_members *B, int64_t rhs, int transposes);
clsolve_status cls_direct_batch_host_out(cls_direct_batch *batch, const cls_direct_members *F, int conjugate);
clsolve_status cls_direct_batch_host_det(cls_direct_batch *batch, int inertia);
clsolve_status cls_direct_batch_host_norm(cls_direct_batch *batch, const cls_direct_members *A, int is_scaled,
                                          cls_buffer *norms);

#endif
