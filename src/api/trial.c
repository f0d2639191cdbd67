#include "api/trial.h"

#include "base/memory.h"
#include "method/block_gs/whole.h"
#include "method/members.h"

static const char call[] = "calibration";

/* The real part of a complex element. */
static void put(const cls_trial *t, int which, int64_t at, double value) {
    cls_type_put(t->type, t->data[which].data, at * cls_type_parts(t->type), value);
}

/* Pseudo-random between -1/2 and 1/2, with `added` to row `row` of each column; row < 0: to (j, j). */
static clsolve_status fill(cls_trial *t, int which, int64_t rows, int64_t cols, int64_t row, double added) {
    clsolve_matrix *m = &t->data[which];
    uint64_t state = 88172645463325252u;
    *m = clsolve_matrix_f64(rows, cols, NULL);
    m->type = t->type;
    m->data = cls_alloc((size_t)rows, (size_t)(cols * cls_type_size(t->type)));
    if (!m->data) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    for (int64_t j = 0; j < cols; ++j)
        for (int64_t i = 0; i < rows; ++i) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17; /* Marsaglia's xorshift64 */
            double value = (double)(state >> 11) * 0x1p-53 - 0.5 + (i == (row < 0 ? j : row) ? added : 0);
            put(t, which, i + j * rows, value);
        }
    return CLSOLVE_OK;
}

static clsolve_grid grid_of(const cls_trial *t, int which, int64_t N, int64_t M) {
    clsolve_grid view = clsolve_grid_f64(N, M, t->data[which].data);
    view.type = t->type;
    return view;
}

static clsolve_status open_dense(cls_trial *t) {
    int inverse = t->family == CLS_FAMILY_INVERSE;
    CLS_TRY(fill(t, 0, t->n, t->n, -1, (double)t->n));
    CLS_TRY(fill(t, 1, t->n, inverse ? t->n : 1, -1, 0));
    t->options.lu.rcond = t->rcond;
    return inverse ? cls_gj_setup(t->device, t->n, t->type, NULL, &t->gj)
                   : cls_lu_direct_setup(t->device, t->n, t->type, &t->options.lu, &t->lu, &t->direct);
}

/* The lower triangle of the same matrix is that of a positive definite one. */
static clsolve_status open_cholesky(cls_trial *t) {
    CLS_TRY(fill(t, 0, t->n, t->n, -1, (double)t->n));
    CLS_TRY(fill(t, 1, t->n, 1, -1, 0));
    t->options.cholesky.rcond = t->rcond;
    return cls_cholesky_direct_setup(t->device, t->n, t->type, &t->options.cholesky, &t->cholesky, &t->direct);
}

/* The lower triangle of an indefinite matrix, whose pivots are off the diagonal. Its inverse is small: one call after
 * the other solves for the answer before. */
static clsolve_status open_ldl(cls_trial *t) {
    CLS_TRY(fill(t, 0, t->n, t->n, -1, 0));
    for (int64_t j = 0; j < t->n; j += 2) put(t, 0, (j + 1 < t->n ? j + 1 : j) + j * t->n, (double)t->n);
    CLS_TRY(fill(t, 1, t->n, 1, -1, 0));
    t->options.ldl.rcond = t->rcond;
    return cls_ldl_direct_setup(t->device, t->n, t->type, &t->options.ldl, &t->ldl, &t->direct);
}

static clsolve_status open_band(cls_trial *t) {
    const int64_t ku = t->k + t->more;
    CLS_TRY(fill(t, 0, t->k + ku + 1, t->n, ku, (double)(t->k + ku)));
    CLS_TRY(fill(t, 1, t->n, 1, -1, 0));
    t->options.band.rcond = t->rcond;
    return cls_band_direct_setup(t->device, t->n, t->k, ku, t->type, &t->options.band, &t->band, &t->direct);
}

static clsolve_status open_band_cholesky(cls_trial *t) {
    CLS_TRY(fill(t, 0, t->k + 1, t->n, 0, 2 * (double)t->k));
    CLS_TRY(fill(t, 1, t->n, 1, -1, 0));
    t->options.band_cholesky.rcond = t->rcond;
    return cls_band_cholesky_setup(t->device, t->n, t->k, t->type, &t->options.band_cholesky, &t->band_cholesky,
                                   &t->direct);
}

/* Members without a solution do as well: the kernels run, and write no X. */
static clsolve_status open_ragged(cls_trial *t, cls_direct_batch_family family) {
    const cls_direct_batch_shape shape = {
        .family = family, .type = t->type, .n = t->n, .count = t->k, .orders = t->orders};
    int64_t elements = 0;
    for (int64_t m = 0; m < t->k; ++m) {
        t->places[m] = elements;
        elements += t->orders[m] * t->orders[m];
    }
    CLS_TRY(fill(t, 0, elements, 1, -1, 0));
    return cls_direct_batch_setup(t->device, &shape, &t->direct_batch);
}

static clsolve_status open_direct_batch(cls_trial *t) {
    const int cholesky = t->kind == CLS_MEMBERS_CHOLESKY;
    const cls_direct_batch_family family = cholesky                     ? CLS_DIRECT_BATCH_CHOLESKY
                                           : t->kind == CLS_MEMBERS_LDL ? CLS_DIRECT_BATCH_LDL
                                                                        : CLS_DIRECT_BATCH_LU;
    const cls_direct_batch_shape shape = {.family = family, .type = t->type, .n = t->n, .count = t->k};
    CLS_TRY(fill(t, 1, t->n, t->k, -1, 0));
    if (t->classes > 0) return open_ragged(t, family);
    CLS_TRY(fill(t, 0, t->n, t->n * t->k, cholesky ? -1 : 0, 0));
    for (int64_t j = 0; cholesky && j < t->n * t->k; ++j) put(t, 0, j % t->n + j * t->n, (double)t->n);
    return cls_direct_batch_setup(t->device, &shape, &t->direct_batch);
}

/* A triangle of two rows: the kernels are the same for every pattern. */
enum { PATTERN_ROWS = 2, PATTERN_ENTRIES = 3 };

static clsolve_status open_sparse_batch(cls_trial *t) {
    static const int64_t start[] = {0, 1, 3}, column[] = {0, 0, 1};
    cls_error unused;
    t->n = PATTERN_ROWS;
    CLS_TRY(fill(t, 0, PATTERN_ENTRIES, t->k, -1, 2));
    CLS_TRY(fill(t, 1, PATTERN_ROWS, t->k, -1, 0));
    for (int64_t e = 0; e < PATTERN_ENTRIES * t->k; ++e) put(t, 0, e, 2);
    clsolve_csr A = clsolve_csr_i64_f64(PATTERN_ROWS, start, column, t->data[0].data);
    A.type = t->type;
    CLS_TRY(cls_sparse_plan_make(&unused, call, &A, &t->plan));
    return cls_sparse_batch_setup(t->device, t->plan, t->k, 0, &t->sparse_batch);
}

static clsolve_status open_batch(cls_trial *t) {
    if (t->classes > 0) {
        t->k = cls_direct_batch_least_orders(t->classes, t->orders);
        t->n = t->orders[t->k - 1];
    }
    t->infos = cls_alloc((size_t)t->k, sizeof *t->infos);
    if (!t->infos) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    if (cls_members_are_factored(t->kind)) return open_direct_batch(t);
    if (t->kind == CLS_MEMBERS_SPARSE) return open_sparse_batch(t);
    CLS_TRY(fill(t, 0, t->n, t->n * t->k, 0, 0));
    return cls_gj_batch_setup(t->device, t->n, t->k, t->type, &t->batch);
}

static clsolve_status open_lines(cls_trial *t) {
    t->infos = cls_alloc((size_t)t->k, sizeof *t->infos);
    if (!t->infos) return CLSOLVE_ERROR_OUT_OF_MEMORY;
    for (int q = 0; q < 4; ++q) CLS_TRY(fill(t, q, 1, t->n * t->k, q == 1 ? 0 : 1, 4));
    return t->device->no_kernels
               ? cls_host_lines_setup(t->device, t->n, t->k, t->type, &t->host_lines)
               : cls_bt_members_setup(t->device, t->n, t->k, t->type, CLSOLVE_PIVOTING_AUTO, &t->lines);
}

/* A call on a grid also sets up: the solver's handle is for one matrix. */
static clsolve_status open_grid(cls_trial *t) {
    cls_bt bt = {0};
    clsolve_status status = cls_bt_setup(t->device, t->n, t->n, t->type, NULL, &bt);
    if (status == CLSOLVE_OK) status = cls_bt_build_all(&bt); /* the caller's next matrix may want other levels */
    cls_bt_release(&bt);
    CLS_TRY(status);
    for (int q = 0; q < 3; ++q) CLS_TRY(fill(t, q, 1, t->n * t->n, 0, 0));
    for (int64_t at = 0; at < t->n * t->n; ++at) {
        put(t, 0, at, -1);
        put(t, 1, at, 4.1);
    }
    return CLSOLVE_OK;
}

clsolve_status cls_trial_open(cls_trial *t) {
    switch (t->family) {
    case CLS_FAMILY_BAND:
        return open_band(t);
    case CLS_FAMILY_BAND_CHOLESKY:
        return open_band_cholesky(t);
    case CLS_FAMILY_BATCH:
        return open_batch(t);
    case CLS_FAMILY_LINES:
        return open_lines(t);
    case CLS_FAMILY_GRID:
        return open_grid(t);
    case CLS_FAMILY_CHOLESKY:
        return open_cholesky(t);
    case CLS_FAMILY_LDL:
        return open_ldl(t);
    case CLS_FAMILY_LU:
    case CLS_FAMILY_INVERSE:
    case CLS_FAMILIES:
        break;
    }
    return open_dense(t);
}

void cls_trial_close(cls_trial *t) {
    cls_direct_release(&t->direct);
    cls_lu_release(&t->lu);
    cls_cholesky_release(&t->cholesky);
    cls_ldl_release(&t->ldl);
    cls_band_release(&t->band);
    cls_band_cholesky_release(&t->band_cholesky);
    cls_gj_release(&t->gj);
    cls_gj_batch_release(&t->batch);
    cls_direct_batch_release(&t->direct_batch);
    if (t->plan) cls_sparse_batch_release(&t->sparse_batch);
    cls_sparse_plan_free(t->plan);
    cls_bt_members_release(&t->lines);
    cls_host_lines_release(&t->host_lines);
    for (int q = 0; q < 4; ++q) cls_free(t->data[q].data);
    cls_free(t->infos);
}

/* ---- one call ---- */

static clsolve_status run_direct_batch(cls_trial *t, const clsolve_batch *A) {
    clsolve_batch B = clsolve_batch_f64(t->k, t->n, 1, t->data[1].data);
    clsolve_seconds seconds = {0};
    B.type = t->type;
    if (t->classes > 0) B.ld = 0;
    CLS_TRY(cls_direct_batch_factor(&t->direct_batch, CLSOLVE_LOWER, A, t->infos, &seconds));
    return cls_direct_batch_solve(&t->direct_batch, CLSOLVE_NO_TRANS, &B, t->infos, &seconds);
}

static clsolve_status run_sparse_batch(cls_trial *t) {
    clsolve_batch values = clsolve_batch_f64(t->k, PATTERN_ENTRIES, 1, t->data[0].data);
    clsolve_batch B = clsolve_batch_f64(t->k, PATTERN_ROWS, 1, t->data[1].data);
    clsolve_seconds seconds = {0};
    values.type = B.type = t->type;
    CLS_TRY(cls_sparse_batch_factor(&t->sparse_batch, &values, t->infos, &seconds));
    return cls_sparse_batch_solve(&t->sparse_batch, CLSOLVE_NO_TRANS, &B, t->infos, &seconds);
}

static clsolve_status run_batch(cls_trial *t) {
    clsolve_batch view = clsolve_batch_f64(t->k, t->n, t->n, t->data[0].data);
    view.type = t->type;
    if (t->classes > 0) {
        view.ld = 0;
        view.offsets = t->places;
    }
    if (cls_members_are_factored(t->kind)) return run_direct_batch(t, &view);
    if (t->kind == CLS_MEMBERS_SPARSE) return run_sparse_batch(t);
    CLS_TRY(cls_gj_batch_reserve_A(&t->batch));
    const cls_gj_members members = cls_gj_batch_tight(&view, CLSOLVE_NO_TRANS, t->batch.A);
    CLS_TRY(cls_members_up(t->device, &view, t->batch.A));
    CLS_TRY(cls_gj_batch_run(&t->batch, 0, &members, &members));
    CLS_TRY(cls_gj_batch_finish(&t->batch));
    return cls_members_down(t->device, &view, t->batch.A, t->infos);
}

static clsolve_status run_lines(cls_trial *t) {
    clsolve_grid views[4];
    clsolve_seconds seconds = {0};
    for (int q = 0; q < 4; ++q) views[q] = grid_of(t, q, t->k, t->n);
    const clsolve_grid *const arrays[3] = {&views[0], &views[1], &views[2]};
    if (!t->device->no_kernels) {
        CLS_TRY(cls_bt_members_factor(&t->lines, arrays, t->infos, &seconds));
        return cls_bt_members_solve(&t->lines, CLSOLVE_NO_TRANS, &views[3], 1, t->infos, &seconds);
    }
    cls_host_lines_factor(&t->host_lines, arrays, t->infos);
    return cls_host_lines_solve(&t->host_lines, CLSOLVE_NO_TRANS, &views[3], 1, t->infos);
}

/* The five-point Laplacian, nearly: the solution takes the place of the right-hand side. */
static clsolve_status run_grid(cls_trial *t) {
    static const clsolve_block_gs_options options = {.zero_guess = 1};
    clsolve_grid beside = grid_of(t, 0, t->n, t->n), on = grid_of(t, 1, t->n, t->n), b = grid_of(t, 2, t->n, t->n);
    const clsolve_grid *const arrays[5] = {&beside, &on, &beside, &beside, &beside};
    cls_bt bt = {0};
    cls_bt_factored factored;
    cls_bt_solved solved;
    clsolve_status status = cls_bt_setup(t->device, t->n, t->n, t->type, &options, &bt);
    if (status == CLSOLVE_OK) status = cls_bt_factor_system(&bt, call, arrays, &factored);
    if (status == CLSOLVE_OK) status = cls_bt_solve_system(&bt, call, &(cls_bt_sides){&b, NULL, &b, 1}, &solved);
    cls_bt_release(&bt);
    return status;
}

clsolve_status cls_trial_run(cls_trial *t) {
    cls_gj_outcome outcome = {.rcond = -1};
    switch (t->family) {
    case CLS_FAMILY_BATCH:
        return run_batch(t);
    case CLS_FAMILY_LINES:
        return run_lines(t);
    case CLS_FAMILY_GRID:
        return run_grid(t);
    case CLS_FAMILY_INVERSE:
        return cls_gj_inverse(&t->gj, &t->data[0], &t->data[1], &outcome);
    case CLS_FAMILY_LU:
    case CLS_FAMILY_CHOLESKY:
    case CLS_FAMILY_LDL:
    case CLS_FAMILY_BAND:
    case CLS_FAMILY_BAND_CHOLESKY:
    case CLS_FAMILIES:
        break;
    }
    CLS_TRY(cls_direct_factor(&t->direct, call, &t->data[0]));
    return cls_direct_solve(&t->direct, call, CLSOLVE_NO_TRANS, &t->data[1]);
}
