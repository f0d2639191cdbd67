#include "solve/half.h"

#include <clsolve/cholesky.h>
#include <clsolve/ldl.h>

#include "api/door.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/type.h"
#include "solve/options.h"

/* ---- the families ---- */

static clsolve_status create_cholesky(clsolve_context *context, int64_t n, clsolve_type type, clsolve_symmetry symmetry,
                                      const clsolve_solver_options *o, void **handle) {
    (void)symmetry;
    const clsolve_cholesky_options options = {CLS_OPTIONS_OF(o)};
    clsolve_cholesky *made;
    const clsolve_status status = clsolve_cholesky_create(context, n, type, &options, &made);
    *handle = made;
    return status;
}

static void *once_cholesky(clsolve_context *context, const clsolve_matrix *A, const clsolve_matrix *B,
                           const clsolve_solver_options *o) {
    const clsolve_cholesky_options options = {CLS_OPTIONS_OF(o)};
    return cls_cholesky_once(context, A, B, &options);
}

static void keep_cholesky(void *handle, const clsolve_matrix *A) {
    cls_cholesky_keep(handle, A);
}

static const cls_half_family cholesky = {CLSOLVE_METHOD_CHOLESKY,
                                         CLSOLVE_SYMMETRY_HERMITIAN,
                                         "CLSOLVE_METHOD_CHOLESKY",
                                         create_cholesky,
                                         once_cholesky,
                                         keep_cholesky};

static clsolve_status create_ldl(clsolve_context *context, int64_t n, clsolve_type type, clsolve_symmetry symmetry,
                                 const clsolve_solver_options *o, void **handle) {
    const clsolve_ldl_options options = {CLS_OPTIONS_OF(o), .symmetry = symmetry};
    clsolve_ldl *made;
    const clsolve_status status = clsolve_ldl_create(context, n, type, &options, &made);
    *handle = made;
    return status;
}

static const cls_half_family ldl = {
    CLSOLVE_METHOD_LDL, CLSOLVE_SYMMETRY_HERMITIAN, "CLSOLVE_METHOD_LDL", create_ldl, NULL, NULL};
static const cls_half_family transposed = {
    CLSOLVE_METHOD_LDL, CLSOLVE_SYMMETRY_TRANSPOSE, "CLSOLVE_METHOD_LDL", create_ldl, NULL, NULL};

const cls_half_family *cls_half_of(clsolve_method method, clsolve_symmetry symmetry) {
    if (method != CLSOLVE_METHOD_LDL) return &cholesky;
    return symmetry == CLSOLVE_SYMMETRY_TRANSPOSE ? &transposed : &ldl;
}

/* ---- outcomes, solves ---- */

int cls_half_gave_up(clsolve_status status) {
    return status == CLSOLVE_NOT_POSITIVE_DEFINITE || status == CLSOLVE_NOT_CONVERGED ||
           status == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY || status == CLSOLVE_ERROR_OUT_OF_MEMORY ||
           status == CLSOLVE_ERROR_UNSUPPORTED;
}

static void conjugate(const clsolve_matrix *B) {
    const int64_t lines = B->layout == CLSOLVE_COLUMN_MAJOR ? B->cols : B->rows;
    const int64_t length = B->layout == CLSOLVE_COLUMN_MAJOR ? B->rows : B->cols;
    for (int64_t line = 0; line < lines; ++line)
        for (int64_t k = line * B->ld; k < line * B->ld + length; ++k)
            cls_type_put(B->type, B->data, 2 * k + 1, -cls_type_get(B->type, B->data, 2 * k + 1));
}

/* The conjugates of B's elements, on any failure again B as it was: a sign that is changed twice. */
static clsolve_status solve_conjugates(void *handle, clsolve_matrix *B) {
    conjugate(B);
    clsolve_status status = cls_door_solve(handle, CLSOLVE_NO_TRANS, B);
    conjugate(B);
    return status;
}

clsolve_status cls_half_solve_op(clsolve_context *context, const cls_half_family *family, void *handle, clsolve_op op,
                                 clsolve_matrix *B) {
    const clsolve_op conjugates = family->symmetry == CLSOLVE_SYMMETRY_TRANSPOSE ? CLSOLVE_CONJ_TRANS : CLSOLVE_TRANS;
    clsolve_matrix there;
    if (!cls_is_complex(B->type) || op != conjugates) return cls_door_solve(handle, CLSOLVE_NO_TRANS, B);
    if (B->place == CLSOLVE_ON_HOST) return solve_conjugates(handle, B);
    CLS_TRY(cls_context_fetch(context, B, &there));
    clsolve_status status = solve_conjugates(handle, &there);
    if (status == CLSOLVE_OK) status = cls_context_store(context, &there, B);
    cls_free(there.data);
    return status;
}
