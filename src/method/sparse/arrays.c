/*
 * arrays.c: values of A and right-hand sides in the caller's memory on the device. Where the device has the factors
 * they stay there; else they come to the host, and X goes back.
 */
#include "device/matrix.h"
#include "method/fetch.h"
#include "method/sparse/engine.h"
#include "method/transfer.h"

/* ---- values ---- */

/* Leaves them on the device where the next factors are made there. */
static clsolve_status take_array(cls_error *error, const char *call, const clsolve_matrix *values, cls_sparse *sparse) {
    cls_fetched here;
    int taken = 0, lost = 0;
    if (cls_sparse_values_may(sparse, values)) {
        const clsolve_status status = cls_sparse_values_take(sparse, values, &taken);
        if (status == CLSOLVE_OK && taken) return status;
        lost = status != CLSOLVE_OK; /* the values of before may be */
    }
    clsolve_status status = cls_fetch(sparse->arrays, values, &here);
    if (status == CLSOLVE_OK) {
        const clsolve_csr view = {.type = sparse->type, .values = here.view.data};
        status = cls_sparse_take_values(error, call, &view, sparse);
        cls_fetched_free(&here);
    } else {
        lost = 1;
    }
    if (lost && status != CLSOLVE_OK) cls_sparse_begin_factors(sparse);
    return status;
}

clsolve_status cls_sparse_factor_array(cls_error *error, const char *call, const clsolve_matrix *values,
                                       cls_sparse *sparse) {
    CLS_TRY(take_array(error, call, values, sparse));
    return cls_sparse_factor_taken(error, call, sparse);
}

/* ---- right-hand sides ---- */

/* With B in the caller's buffer. *done 0: B is as it was. */
static clsolve_status solve_buffer(cls_sparse *sparse, clsolve_op op, const clsolve_matrix *B, cls_buffer *theirs,
                                   int *done) {
    const int by_column = B->layout == CLSOLVE_COLUMN_MAJOR;
    const cls_sparse_sides sides = {
        .buffer = theirs, .first = B->offset, .down = by_column ? 1 : B->ld, .across = by_column ? B->ld : 1};
    int finite = 1;
    if (!cls_buffer_takes_kernels(theirs, B->offset, cls_type_size(B->type), 1)) return CLSOLVE_OK;
    CLS_TRY(cls_sparse_refine_there(sparse, op, &sides, B->cols, cls_sparse_promised(sparse), &finite));
    *done = finite && sparse->outcome.backward_error <= cls_sparse_promised(sparse);
    sparse->stalled = finite && !*done;
    return CLSOLVE_OK;
}

clsolve_status cls_sparse_solve_array(cls_sparse *sparse, clsolve_op op, const clsolve_matrix *B, int *done) {
    cls_buffer *theirs;
    *done = 0;
    if (B->place != CLSOLVE_ON_DEVICE || B->rows == 0 || B->cols == 0 || !cls_sparse_vectors_may(sparse))
        return CLSOLVE_OK;
    sparse->outcome = (cls_sparse_outcome){.backward_error = -1};
    CLS_TRY(cls_transfer_adopt(sparse->device, B, &theirs));
    const clsolve_status status = solve_buffer(sparse, op, B, theirs, done);
    sparse->device->ops->buffer_destroy(sparse->device, theirs);
    return status;
}
