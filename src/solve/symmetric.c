#include "solve/symmetric.h"

#include <math.h>
#include <string.h>

#include <clsolve/cholesky.h>
#include <clsolve/ldl.h>
#include <clsolve/lu.h>

#include "api/door.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/type.h"
#include "solve/search.h"

int cls_lets_cholesky(const clsolve_solver_options *o, int64_t n) {
    return n >= CLS_CHOLESKY_LEAST && o->pivoting == CLSOLVE_PIVOTING_AUTO && o->panel != CLSOLVE_PANEL_HYBRID;
}

/* ---- does AUTO try it? ---- */

/* `alone`: the first piece is searched, and no other. */
static cls_symmetry of_host(clsolve_context *context, const clsolve_matrix *A, clsolve_symmetry symmetry, int alone) {
    cls_search search;
    cls_search_start(&search, A, symmetry);
    if (cls_search_first(&search)) return CLS_SYMMETRY_NONE;
    if (alone) return CLS_SYMMETRY_BEGINS;
    return cls_search_run(context, &search) ? CLS_SYMMETRY_NONE : CLS_SYMMETRY_WHOLE;
}

/* The least seconds of the sides that are allowed. */
static double least_seconds(clsolve_where where, double device, double host) {
    return where == CLSOLVE_WHERE_DEVICE ? device : where == CLSOLVE_WHERE_HOST ? host : fmin(device, host);
}

typedef clsolve_status predicts(clsolve_context *context, int64_t n, int64_t nrhs, clsolve_type type, double *device,
                                double *host);

/* Whether a method is expected to take less time than LU. Options for the device alone leave no choice of the side. */
static int is_expected_faster(clsolve_context *context, const clsolve_solver_options *o, const clsolve_matrix *A,
                              predicts *predict) {
    const int64_t n = A->rows;
    double device, host, lu_device, lu_host;

    if (o->panel != CLSOLVE_PANEL_AUTO || o->block || o->slab_bytes || o->memory_limit ||
        o->precision == CLSOLVE_PRECISION_MIXED)
        return 0;
    if (predict(context, n, 1, A->type, &device, &host) != CLSOLVE_OK ||
        clsolve_lu_predict(context, n, n, 1, A->type, &lu_device, &lu_host) != CLSOLVE_OK)
        return 0;
    return least_seconds(o->where, device, host) < least_seconds(o->where, lu_device, lu_host);
}

/* The diagonal of a matrix on the host tells. The kernel that looks at one on the device wants a positive diagonal. */
static clsolve_method method_of(clsolve_context *context, const clsolve_solver_options *options,
                                const clsolve_matrix *A) {
    if (A->place != CLSOLVE_ON_HOST || cls_search_diagonal(A)) return CLSOLVE_METHOD_CHOLESKY;
    return is_expected_faster(context, options, A, clsolve_ldl_predict) ? CLSOLVE_METHOD_LDL : CLSOLVE_METHOD_LU;
}

/* A GPU: few rows go to Cholesky where it is faster. */
static int pays_on_gpu(clsolve_context *context, const clsolve_solver_options *options, const clsolve_matrix *A,
                       clsolve_method method) {
    if (method != CLSOLVE_METHOD_CHOLESKY || A->rows >= CLS_CHOLESKY_LEAST_ON_GPU) return 1;
    return A->place == CLSOLVE_ON_HOST && is_expected_faster(context, options, A, clsolve_cholesky_predict);
}

static const cls_suits lu = {CLSOLVE_METHOD_LU, CLS_SYMMETRY_NONE, NULL};

static cls_suits suits_half(clsolve_method method, clsolve_symmetry of_complex, cls_symmetry symmetry) {
    if (symmetry == CLS_SYMMETRY_NONE) return lu;
    return (cls_suits){method, symmetry, cls_half_of(method, of_complex)};
}

/* A complex matrix on the host that is its transpose. Its first piece shows at once that most are not. */
static cls_suits transposed(clsolve_context *context, const clsolve_solver_options *options, const clsolve_matrix *A,
                            int alone) {
    const clsolve_symmetry transpose = CLSOLVE_SYMMETRY_TRANSPOSE;
    if (of_host(context, A, transpose, 1) == CLS_SYMMETRY_NONE ||
        !is_expected_faster(context, options, A, clsolve_ldl_predict))
        return lu;
    return suits_half(CLSOLVE_METHOD_LDL, transpose, of_host(context, A, transpose, alone));
}

cls_suits cls_dense_suits(clsolve_context *context, const clsolve_solver_options *options, const clsolve_matrix *A) {
    const clsolve_symmetry hermitian = CLSOLVE_SYMMETRY_HERMITIAN;
    const int in_place = clsolve_context_device(context).host_memory, there = A->place != CLSOLVE_ON_HOST;

    if (!cls_lets_cholesky(options, A->rows) || (in_place && there)) return lu;
    /* Several devices share dense LU, and neither Cholesky nor LDL^T. */
    if (!in_place && clsolve_context_device_count(context) > 1) return lu;
    const clsolve_method method = method_of(context, options, A);
    const int is_half = method != CLSOLVE_METHOD_LU && (in_place || pays_on_gpu(context, options, A, method));
    const cls_symmetry symmetry = !is_half ? CLS_SYMMETRY_NONE
                                  : !there ? of_host(context, A, hermitian, !in_place)
                                  : cls_context_is_symmetric_there(context, A, hermitian, 1) ? CLS_SYMMETRY_WHOLE
                                                                                             : CLS_SYMMETRY_NONE;
    if (symmetry == CLS_SYMMETRY_NONE && cls_is_complex(A->type) && !there)
        return transposed(context, options, A, !in_place);
    return suits_half(method, hermitian, symmetry);
}

cls_suits cls_dense_after(clsolve_context *context, const clsolve_solver_options *options, const clsolve_matrix *A,
                          clsolve_method method, clsolve_status status) {
    if (method == CLSOLVE_METHOD_CHOLESKY && status == CLSOLVE_NOT_POSITIVE_DEFINITE &&
        is_expected_faster(context, options, A, clsolve_ldl_predict))
        return suits_half(CLSOLVE_METHOD_LDL, CLSOLVE_SYMMETRY_HERMITIAN, CLS_SYMMETRY_WHOLE);
    return lu;
}

const char *cls_suits_reason(const cls_suits *suits, clsolve_type type) {
    if (suits->method == CLSOLVE_METHOD_LU) return "auto: the matrix is dense";
    if (suits->half->symmetry == CLSOLVE_SYMMETRY_TRANSPOSE) return "auto: the matrix is complex symmetric, A = A^T";
    if (suits->method == CLSOLVE_METHOD_LDL)
        return cls_is_complex(type) ? "auto: the matrix is hermitian, and its diagonal is not positive"
                                    : "auto: the matrix is symmetric, and its diagonal is not positive";
    return cls_is_complex(type) ? "auto: the matrix is hermitian, and its diagonal is positive"
                                : "auto: the matrix is symmetric, and its diagonal is positive";
}

const char *cls_after_reason(clsolve_method method) {
    return method == CLSOLVE_METHOD_LDL ? "auto: after ldl" : "auto: after cholesky";
}

/* ---- what is no matrix for either ---- */

/* `takes`: the end of the sentence. */
static clsolve_status fail_asymmetric(clsolve_context *context, const char *call, const cls_search *found,
                                      const char *takes) {
    const char *kind = cls_is_complex(found->A->type) && found->sign < 0 ? "hermitian" : "symmetric";
    const long long row = found->row + 1, column = found->column + 1;
    if (row == column)
        return cls_context_fail(context, CLSOLVE_ERROR_INVALID_ARGUMENT,
                                "%s: the matrix is not hermitian: A(%lld,%lld), counted from 1, is not real%s", call,
                                row, row, takes);
    return cls_context_fail(context, CLSOLVE_ERROR_INVALID_ARGUMENT,
                            "%s: the matrix is not %s: A(%lld,%lld) and A(%lld,%lld), counted from 1, differ%s", call,
                            kind, row, column, column, row, takes);
}

static clsolve_status check_on_host(clsolve_context *context, const char *call, clsolve_method method,
                                    const clsolve_matrix *A, const cls_half_family **half) {
    static const char *const takes[2][2] = {
        {"; CLSOLVE_METHOD_CHOLESKY takes symmetric ones", "; CLSOLVE_METHOD_CHOLESKY takes hermitian ones"},
        {"; CLSOLVE_METHOD_LDL takes symmetric ones",
         "; CLSOLVE_METHOD_LDL takes hermitian ones, and those with A = A^T"}};
    const clsolve_symmetry transpose = CLSOLVE_SYMMETRY_TRANSPOSE;
    cls_search search;
    *half = cls_half_of(method, CLSOLVE_SYMMETRY_HERMITIAN);
    cls_search_start(&search, A, CLSOLVE_SYMMETRY_HERMITIAN);
    if (!cls_search_first(&search) && !cls_search_run(context, &search)) return CLSOLVE_OK;
    if (method == CLSOLVE_METHOD_LDL && cls_is_complex(A->type) && of_host(context, A, transpose, 0)) {
        *half = cls_half_of(method, transpose);
        return CLSOLVE_OK;
    }
    return fail_asymmetric(context, call, &search, takes[method == CLSOLVE_METHOD_LDL][cls_is_complex(A->type)]);
}

/* A kernel looks at a matrix on the device. Only one that it finds to be neither, or cannot look at, comes to the host,
 * which finds the pair for the message. */
clsolve_status cls_dense_check_symmetric(clsolve_context *context, const char *call, clsolve_method method,
                                         const clsolve_matrix *A, const cls_half_family **half) {
    const int kinds = method == CLSOLVE_METHOD_LDL && cls_is_complex(A->type) ? 2 : 1;
    clsolve_matrix here;

    if (A->place == CLSOLVE_ON_HOST || A->rows == 0) return check_on_host(context, call, method, A, half);
    for (int kind = 0; kind < kinds; kind++) {
        const clsolve_symmetry symmetry = kind ? CLSOLVE_SYMMETRY_TRANSPOSE : CLSOLVE_SYMMETRY_HERMITIAN;
        *half = cls_half_of(method, symmetry);
        if (cls_context_is_symmetric_there(context, A, symmetry, 0)) return CLSOLVE_OK;
    }
    CLS_TRY(cls_context_fetch(context, A, &here));
    const clsolve_status status = check_on_host(context, call, method, &here, half);
    cls_free(here.data);
    return status;
}

/* ---- factor ---- */

/* On the host LAPACK has all cores. */
static int works_on_device(const void *handle) {
    clsolve_report report;
    return cls_door_report(handle, &report) == CLSOLVE_OK && strcmp(report.where, "device") == 0;
}

/* The search is over before a right-hand side is touched. Either family reads the lower triangle alone, so its outcome
 * says nothing of a matrix that is not symmetric; but a failure of the device or of the host stands. */
static clsolve_status factor_beside_search(clsolve_context *context, clsolve_symmetry symmetry, void *handle,
                                           const clsolve_matrix *A, int *gives_up) {
    cls_search search;
    clsolve_status status = CLSOLVE_OK;
    int differs;

    cls_search_start(&search, A, symmetry); /* the first piece has been searched */
    if (works_on_device(handle) && cls_search_begin(context, &search)) {
        status = cls_door_factor(handle, A);
        differs = cls_search_end(context, &search);
    } else {
        differs = cls_search_run(context, &search);
        if (!differs) status = cls_door_factor(handle, A);
    }
    *gives_up = cls_half_gave_up(status);
    if (!differs || (status < CLSOLVE_OK && status != CLSOLVE_ERROR_NONFINITE && !*gives_up)) return status;
    *gives_up = 1;
    return fail_asymmetric(context, "clsolve_solve", &search, "");
}

clsolve_status cls_half_try(clsolve_context *context, const cls_suits *suits, void *handle, const clsolve_matrix *A,
                            int *gives_up) {
    if (suits->symmetry == CLS_SYMMETRY_BEGINS)
        return factor_beside_search(context, suits->half->symmetry, handle, A, gives_up);
    const clsolve_status status = cls_door_factor(handle, A);
    *gives_up = cls_half_gave_up(status);
    return status;
}
