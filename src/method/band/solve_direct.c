/* solve_direct.c: solves with the factors of a handle: of vectors on the host, and of the caller's right-hand sides. */
#include "base/clock.h"
#include "base/memory.h"
#include "method/band/direct.h"
#include "method/band/sides.h"
#include "method/direct/vectors.h"
#include "method/fetch.h"
#include "method/view.h"

/* ---- vectors on the host ---- */

static clsolve_status solve_part(cls_band *band, clsolve_op op, int64_t cols, double *x) {
    cls_transfer *transfer = &band->transfer;
    clsolve_matrix view = {
        cls_double_type(band->type), CLSOLVE_COLUMN_MAJOR, band->n, cols, band->n, x, CLSOLVE_ON_HOST, 0};

    if (cls_band_slides(band)) {
        cls_band_sides_take(band, &view, 0, cols);
        CLS_TRY(cls_band_apply(band, op, cols));
        cls_band_sides_give(band, &view, 0, cols);
        return CLSOLVE_OK;
    }
    CLS_TRY(cls_vectors_up(band->device, transfer, cols, x, &band->B));
    const clsolve_status status = cls_band_apply(band, op, cols);
    if (status != CLSOLVE_OK) return cls_vectors_stop(band->device, status);
    return cls_vectors_down(band->device, transfer, cols, &band->B, x);
}

clsolve_status cls_band_solve_host(void *factors, clsolve_op op, int64_t cols, double *x) {
    cls_band *band = factors;
    int64_t most = cls_band_most_columns(band, cols);

    CLS_TRY(cls_band_reserve(band, most, 0));
    for (int64_t c = 0; c < cols; c += most)
        CLS_TRY(solve_part(band, op, cols - c < most ? cols - c : most, x + c * band->n * cls_type_parts(band->type)));
    return CLSOLVE_OK;
}

/* ---- the caller's right-hand sides ---- */

/* Right-hand sides that pass through a window: from and to the host's memory. */
static clsolve_status solve_sliding(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, int64_t begin,
                                    int64_t cols, const clsolve_matrix *to, int64_t at, cls_place *in, cls_place *out) {
    cls_band *b = direct->factors;
    double start = cls_seconds();

    CLS_TRY(cls_band_reserve(b, cols, 0));
    cls_band_sides_take(b, B, begin, cols);
    *in = cls_band_sides_check(b, cols);
    if (in->row >= 0) return CLSOLVE_OK;
    CLS_TRY(cls_band_apply(b, op, cols));
    *out = cls_band_sides_check(b, cols);
    if (out->row < 0) cls_band_sides_give(b, to, at, cols);
    direct->costs.solve.solve += cls_seconds() - start;
    return CLSOLVE_OK;
}

/* `cols` columns of B from `begin` on, into those of `to` from `at` on. */
static clsolve_status solve_columns(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, int64_t begin,
                                    int64_t cols, const clsolve_matrix *to, int64_t at, cls_place *in, cls_place *out) {
    cls_band *b = direct->factors;
    cls_device *device = b->device;
    clsolve_seconds *seconds = &direct->costs.solve;
    double start = cls_band_now(b);

    if (cls_band_slides(b)) return solve_sliding(direct, op, B, begin, cols, to, at, in, out);
    CLS_TRY(cls_band_reserve(b, cols, B->layout == CLSOLVE_ROW_MAJOR));
    CLS_TRY(cls_upload(device, &b->transfer, B, begin, cols, &b->B, &b->scratch));
    CLS_TRY(cls_check_finite(device, &b->after, &b->B, cols, &in->row, &in->column));
    seconds->upload += cls_band_now(b) - start;
    if (in->row >= 0) return CLSOLVE_OK;

    start = cls_band_now(b);
    CLS_TRY(cls_band_apply(b, op, cols));
    CLS_TRY(cls_check_finite(device, &b->after, &b->B, cols, &out->row, &out->column));
    seconds->solve += cls_band_now(b) - start;
    if (out->row >= 0) return CLSOLVE_OK;

    start = cls_band_now(b);
    CLS_TRY(cls_download(device, &b->transfer, &b->B, cols, to, at, &b->scratch));
    seconds->download += cls_band_now(b) - start;
    return CLSOLVE_OK;
}

/* `most` columns at a time into X, which may be B. */
static clsolve_status solve_parts(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, int64_t most,
                                  const clsolve_matrix *X, cls_place *in, cls_place *out) {
    for (int64_t c = 0, cols; c < B->cols && in->row < 0 && out->row < 0; c += cols) {
        cols = B->cols - c < most ? B->cols - c : most;
        CLS_TRY(solve_columns(direct, op, B, c, cols, X, c, in, out));
        in->column += c;
        out->column += c;
    }
    return CLSOLVE_OK;
}

static clsolve_status solve_by_parts(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, int64_t most,
                                     cls_place *in, cls_place *out) {
    clsolve_matrix X = *B;

    X.ld = B->layout == CLSOLVE_COLUMN_MAJOR ? B->rows : B->cols;
    X.data = cls_alloc((size_t)B->rows, (size_t)(B->cols * cls_type_size(B->type)));
    if (!X.data) return cls_fail(direct->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory for the solution");
    clsolve_status status = solve_parts(direct, op, B, most, &X, in, out);
    if (status == CLSOLVE_OK && in->row < 0 && out->row < 0)
        cls_view_copy(&X, B); /* B changes only when all of it is known */
    cls_free(X.data);
    return status;
}

/* Transposed on the host and back: on the device a few of them transposed would take the room of many. */
static clsolve_status solve_transposed(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, int64_t most,
                                       cls_place *in, cls_place *out) {
    cls_band *b = direct->factors;

    CLS_TRY(cls_band_sides_reserve(b, B->cols));
    cls_band_sides_take(b, B, 0, B->cols);
    clsolve_matrix T = {.type = b->type,
                        .layout = CLSOLVE_COLUMN_MAJOR,
                        .rows = b->n,
                        .cols = B->cols,
                        .ld = b->n,
                        .data = b->sides,
                        .place = CLSOLVE_ON_HOST};
    CLS_TRY(solve_parts(direct, op, &T, most, &T, in, out));
    if (in->row < 0 && out->row < 0) cls_band_sides_give(b, B, 0, B->cols);
    return CLSOLVE_OK;
}

/* B lies on the host wherever it takes more than the room on the device. */
static clsolve_status solve_in_room(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                    cls_place *out) {
    const cls_band *b = direct->factors;
    int64_t most = cls_band_most_columns(b, B->cols);

    int beyond = B->layout == CLSOLVE_ROW_MAJOR && cls_band_is_short(b) && !cls_band_slides(b);
    return beyond           ? solve_transposed(direct, op, B, most, in, out)
           : most < B->cols ? solve_by_parts(direct, op, B, most, in, out)
                            : solve_columns(direct, op, B, 0, B->cols, B, 0, in, out);
}

/* A memory limit may leave no room for X next to the caller's B, nor for its transpose: then B crosses to the host. */
static clsolve_status solve_fetched(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                    cls_place *out) {
    cls_fetched there;

    CLS_TRY(cls_fetch(direct->device, B, &there));
    clsolve_status status = solve_in_room(direct, op, &there.view, in, out);
    if (status == CLSOLVE_OK && in->row < 0 && out->row < 0) status = cls_store(direct->device, &there, B);
    cls_fetched_free(&there);
    return status;
}

clsolve_status cls_band_solve_unrefined(cls_direct *direct, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                        cls_place *out) {
    const cls_band *b = direct->factors;
    int fits =
        cls_band_most_columns(b, B->cols) == B->cols && !(B->layout == CLSOLVE_ROW_MAJOR && cls_band_is_short(b));

    return B->place == CLSOLVE_ON_HOST || fits ? solve_in_room(direct, op, B, in, out)
                                               : solve_fetched(direct, op, B, in, out);
}
