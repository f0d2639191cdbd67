/*
 * ldl.c: sytrf, sysv, sytrs, sytri, sycon, the same with rook pivots (sytrf_rook ...), and those of hermitian matrices
 * (hetrf ...).
 *
 * The library has L D L^T. U D U^T of UPLO = 'U' is that of the matrix whose rows and columns come in reverse order:
 *
 *      element (i, j) here    n-1-i, n-1-j there        pivot k here    n+1 - that of n-1-k there
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lapack/call.h"
#include "lapack/device.h"

/* ---- the caller's triangle as a lower one ---- */

typedef struct turned {
    const lapack_call *call;
    int is_upper;
    clsolve_matrix given, A; /* the caller's; the lower triangle of this one */
    int64_t *ipiv;           /* n pivots of the library's */
} turned;

static int is_upper(const lapack_call *call) {
    return cls_call_letter(call, 0) == 'U';
}

static char *element(const clsolve_matrix *m, int64_t i, int64_t j) {
    return (char *)m->data + cls_device_size(m->type) * (size_t)(i + j * m->ld);
}

/* The upper triangle of `given` becomes the lower one of A; with `back` the other way round. */
static void turn(const turned *t, int back) {
    const size_t size = cls_device_size(t->A.type);
    const int64_t n = t->A.rows;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            char *here = element(&t->A, i, j), *there = element(&t->given, n - 1 - i, n - 1 - j);
            memcpy(back ? there : here, back ? here : there, size);
        }
}

static clsolve_status open_turned(const lapack_call *call, int at, int64_t n, int ld, turned *t) {
    *t = (turned){.call = call, .is_upper = is_upper(call), .given = cls_call_matrix(call, at, n, n, ld)};
    t->A = t->given;
    t->ipiv = malloc((size_t)cls_at_least_1(n) * sizeof *t->ipiv);
    if (t->is_upper) {
        t->A.ld = cls_at_least_1(n);
        t->A.data = cls_device_room(call, n, n);
    }
    if (!t->ipiv || !t->A.data) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    if (t->is_upper) turn(t, 0);
    return CLSOLVE_OK;
}

static void close_turned(turned *t) {
    if (t->is_upper) free(t->A.data);
    free(t->ipiv);
}

static int64_t turned_pivot(const turned *t, int64_t pivot) {
    const int64_t n = t->A.rows;
    return !t->is_upper ? pivot : pivot < 0 ? -(n + 1 + pivot) : n + 1 - pivot;
}

static void put_pivots(const turned *t, int at) {
    const int64_t n = t->A.rows;
    for (int64_t k = 0; k < n; k++) cls_call_put(t->call, at, t->is_upper ? n - 1 - k : k, turned_pivot(t, t->ipiv[k]));
}

static void get_pivots(const turned *t, int at) {
    const int64_t n = t->A.rows;
    for (int64_t k = 0; k < n; k++)
        t->ipiv[k] = turned_pivot(t, cls_call_get(t->call, at, t->is_upper ? n - 1 - k : k));
}

/* Rows in reverse order, where A's are. */
static void turn_rows(const turned *t, const clsolve_matrix *B) {
    const size_t size = cls_device_size(B->type);
    char kept[16];
    for (int64_t j = 0; j < B->cols && t->is_upper; j++)
        for (int64_t i = 0; i < B->rows / 2; i++) {
            char *one = element(B, i, j), *other = element(B, B->rows - 1 - i, j);
            memcpy(kept, one, size);
            memcpy(one, other, size);
            memcpy(other, kept, size);
        }
}

/* ---- handles ---- */

static clsolve_status make(const lapack_call *call, int64_t n, clsolve_ldl **ldl) {
    const int hermitian = call->name[0] == 'h', rook = strstr(call->name, "_rook") != NULL;
    const clsolve_ldl_options options = {.where = CLSOLVE_WHERE_DEVICE,
                                         .precision = CLSOLVE_PRECISION_WORKING,
                                         .memory_limit = cls_device_lu_options(n, call->type).memory_limit,
                                         .symmetry =
                                             hermitian ? CLSOLVE_SYMMETRY_HERMITIAN : CLSOLVE_SYMMETRY_TRANSPOSE,
                                         .pivots = rook ? CLSOLVE_LDL_PIVOTS_ROOK : CLSOLVE_LDL_PIVOTS_PARTIAL};
    *ldl = NULL;
    return cls_lapack.library.ldl_create(cls_lapack.context, n, call->type, &options, ldl);
}

/* Factors that the caller has; SINGULAR: a pivot is zero. */
static clsolve_status import(turned *t, int ipiv, clsolve_ldl **ldl) {
    clsolve_status status = make(t->call, t->A.rows, ldl);
    get_pivots(t, ipiv);
    return status == CLSOLVE_OK ? cls_lapack.library.ldl_import(*ldl, &t->A, t->ipiv) : status;
}

/* The same for what wants pivots that are not zero: others are the host's. */
static clsolve_status import_regular(turned *t, int ipiv, clsolve_ldl **ldl) {
    const clsolve_status status = import(t, ipiv, ldl);
    return status == CLSOLVE_SINGULAR ? CLSOLVE_ERROR_UNSUPPORTED : status;
}

/* A becomes its factors, of a singular matrix too; nothing else of the caller's is written. */
static clsolve_status factor(turned *t, clsolve_ldl *ldl) {
    return cls_lapack.library.ldl_factor(ldl, CLSOLVE_LOWER, &t->A);
}

/* The last steps, of which only the export can fail. `info` is a number of an argument. */
static clsolve_status deliver(turned *t, clsolve_ldl *ldl, int ipiv, int info, clsolve_status status) {
    clsolve_report report;
    clsolve_status exported = cls_lapack.library.ldl_report(ldl, &report);
    if (exported == CLSOLVE_OK) exported = cls_lapack.library.ldl_factors(ldl, &t->A, t->ipiv);
    if (exported != CLSOLVE_OK) return exported;
    if (t->is_upper) turn(t, 1);
    put_pivots(t, ipiv);
    const int64_t n = t->A.rows, k = report.info;
    cls_call_put(t->call, info, 0, k > 0 && t->is_upper ? n + 1 - k : k);
    return status;
}

/* The size of work that would do. */
static void put_room(const lapack_call *call, int at, int64_t words) {
    cls_call_put_real(call, at, 0, (double)words);
    if (cls_lapack_is_complex(call->type)) cls_call_put_real(call, at, 1, 0);
}

/* ---- sytrf(uplo, n, A, lda, ipiv, work, lwork, info) ---- */

static int check_sytrf(const lapack_call *call, lapack_shape *shape) {
    clsolve_uplo uplo;
    const int64_t n = cls_call_int(call, 1), lwork = cls_call_int(call, 6);
    *shape = (lapack_shape){.work = lwork == -1 ? WORK_HOST : WORK_FACTOR, .m = n, .n = n};
    return cls_call_uplo(call, 0, &uplo) && n >= 0 && cls_call_int(call, 3) >= cls_at_least_1(n) &&
           (lwork >= 1 || lwork == -1);
}

static clsolve_status run_sytrf(const lapack_call *call, const lapack_shape *shape) {
    clsolve_ldl *ldl = NULL;
    turned t;
    clsolve_status status = open_turned(call, 2, shape->n, 3, &t);
    if (status == CLSOLVE_OK) status = make(call, shape->n, &ldl);
    if (status == CLSOLVE_OK) status = factor(&t, ldl);
    if (status == CLSOLVE_OK || status == CLSOLVE_SINGULAR) status = deliver(&t, ldl, 4, 7, status);
    if (status == CLSOLVE_OK || status == CLSOLVE_SINGULAR) put_room(call, 5, shape->n);
    cls_lapack.library.ldl_destroy(ldl);
    close_turned(&t);
    return status;
}

const lapack_routine cls_lapack_sytrf = {check_sytrf, run_sytrf};

/* ---- sysv(uplo, n, nrhs, A, lda, ipiv, B, ldb, work, lwork, info) ---- */

static int check_sides(const lapack_call *call, lapack_shape *shape, lapack_work work) {
    clsolve_uplo uplo;
    const int64_t n = cls_call_int(call, 1), nrhs = cls_call_int(call, 2);
    *shape = (lapack_shape){.work = work, .m = n, .n = n, .nrhs = nrhs};
    return cls_call_uplo(call, 0, &uplo) && n >= 0 && nrhs >= 0 && cls_call_int(call, 4) >= cls_at_least_1(n) &&
           cls_call_int(call, 7) >= cls_at_least_1(n);
}

static int check_sysv(const lapack_call *call, lapack_shape *shape) {
    const int64_t lwork = cls_call_int(call, 9);
    return check_sides(call, shape, lwork == -1 ? WORK_HOST : WORK_FACTOR) && (lwork >= 1 || lwork == -1);
}

/* A copy of B becomes X, which is the caller's when the factors are. */
static clsolve_status factor_and_solve(turned *t, clsolve_ldl *ldl, clsolve_matrix *B, clsolve_matrix *X) {
    clsolve_status status = factor(t, ldl);
    const int singular = status == CLSOLVE_SINGULAR;
    if (status == CLSOLVE_OK) {
        cls_device_copy(B, X);
        turn_rows(t, X);
        status = cls_lapack.library.ldl_solve(ldl, X);
    }
    if (status == CLSOLVE_OK || singular) status = deliver(t, ldl, 5, 10, status);
    if (status != CLSOLVE_OK) return status;
    turn_rows(t, X);
    cls_device_copy(X, B);
    return status;
}

static clsolve_status run_sysv(const lapack_call *call, const lapack_shape *shape) {
    clsolve_matrix B = cls_call_matrix(call, 6, shape->n, shape->nrhs, 7), X = B;
    clsolve_ldl *ldl = NULL;
    turned t;
    X.ld = cls_at_least_1(X.rows);
    X.data = cls_device_room(call, X.rows, X.cols);
    clsolve_status status = open_turned(call, 3, shape->n, 4, &t);
    if (status == CLSOLVE_OK && !X.data) status = CLSOLVE_ERROR_OUT_OF_MEMORY;
    if (status == CLSOLVE_OK) status = make(call, shape->n, &ldl);
    if (status == CLSOLVE_OK) status = factor_and_solve(&t, ldl, &B, &X);
    if (status == CLSOLVE_OK || status == CLSOLVE_SINGULAR) put_room(call, 8, shape->n);
    cls_lapack.library.ldl_destroy(ldl);
    close_turned(&t);
    free(X.data);
    return status;
}

const lapack_routine cls_lapack_sysv = {check_sysv, run_sysv};

/* ---- sytrs(uplo, n, nrhs, A, lda, ipiv, B, ldb, info) ---- */

static int check_sytrs(const lapack_call *call, lapack_shape *shape) {
    return check_sides(call, shape, WORK_SOLVE);
}

static clsolve_status run_sytrs(const lapack_call *call, const lapack_shape *shape) {
    clsolve_matrix B = cls_call_matrix(call, 6, shape->n, shape->nrhs, 7);
    clsolve_ldl *ldl = NULL;
    turned t;
    clsolve_status status = open_turned(call, 3, shape->n, 4, &t);
    if (status == CLSOLVE_OK) status = import_regular(&t, 5, &ldl);
    if (status == CLSOLVE_OK) {
        turn_rows(&t, &B);
        status = cls_lapack.library.ldl_solve(ldl, &B);
        turn_rows(&t, &B);
    }
    if (status == CLSOLVE_OK) cls_call_put(call, 8, 0, 0);
    cls_lapack.library.ldl_destroy(ldl);
    close_turned(&t);
    return status;
}

const lapack_routine cls_lapack_sytrs = {check_sytrs, run_sytrs};

/* ---- sytri(uplo, n, A, lda, ipiv, work, info) ---- */

static int check_sytri(const lapack_call *call, lapack_shape *shape) {
    clsolve_uplo uplo;
    const int64_t n = cls_call_int(call, 1);
    *shape = (lapack_shape){.work = WORK_INVERT, .m = n, .n = n, .nrhs = n};
    return cls_call_uplo(call, 0, &uplo) && n >= 0 && cls_call_int(call, 3) >= cls_at_least_1(n);
}

static clsolve_status run_sytri(const lapack_call *call, const lapack_shape *shape) {
    clsolve_ldl *ldl = NULL;
    turned t;
    clsolve_status status = open_turned(call, 2, shape->n, 3, &t);
    if (status == CLSOLVE_OK) status = import_regular(&t, 4, &ldl);
    if (status == CLSOLVE_OK) status = cls_lapack.library.ldl_inverse(ldl, CLSOLVE_LOWER, &t.A);
    if (status == CLSOLVE_OK && t.is_upper) turn(&t, 1);
    if (status == CLSOLVE_OK) cls_call_put(call, 6, 0, 0);
    cls_lapack.library.ldl_destroy(ldl);
    close_turned(&t);
    return status;
}

const lapack_routine cls_lapack_sytri = {check_sytri, run_sytri};

/* ---- sycon(uplo, n, A, lda, ipiv, anorm, rcond, work, iwork, info); complex matrices have no iwork ---- */

/* A norm that is 0 or no number has answers of its own, which versions of LAPACK give differently. */
static int check_sycon(const lapack_call *call, lapack_shape *shape) {
    const double size = cls_call_real(call, 5);
    const int right = check_sytri(call, shape);
    shape->work = WORK_ESTIMATE;
    shape->nrhs = 1;
    return right && size > 0 && isfinite(size);
}

static clsolve_status run_sycon(const lapack_call *call, const lapack_shape *shape) {
    clsolve_ldl *ldl = NULL;
    double rcond = 0;
    turned t;
    clsolve_status status = open_turned(call, 2, shape->n, 3, &t);
    if (status == CLSOLVE_OK) status = import(&t, 4, &ldl);
    if (status == CLSOLVE_OK || status == CLSOLVE_SINGULAR) /* of a singular matrix it is 0 */
        status = cls_lapack.library.ldl_condition(ldl, cls_call_real(call, 5), &rcond);
    if (status == CLSOLVE_OK) {
        cls_call_put_real(call, 6, 0, rcond);
        cls_call_put(call, cls_lapack_is_complex(call->type) ? 8 : 9, 0, 0);
    }
    cls_lapack.library.ldl_destroy(ldl);
    close_turned(&t);
    return status;
}

const lapack_routine cls_lapack_sycon = {check_sycon, run_sycon};
