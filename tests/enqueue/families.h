/*
 * families.h: Cholesky, LDL^T, Gauss-Jordan, bands and grids with arrays on the device, for tests of clsolve/enqueue.h through either
 * backend.
 *
 * The program defines these before it includes family_tests.h:
 *
 *   EVENTS(count, wait, done)       events of its backend, for an enqueueing call; OTHER_EVENTS: of the other one
 *   GRID                            clsolve_opencl_grid or clsolve_cuda_grid
 *   event, array                    types of its support; an array has a `view`
 *   array_put(rows, cols, values)   an array by columns, with something around it
 *   array_put_late(..., &there)     the same, full of zeros until the event `there` is done
 *   array_get, array_drop           reads its values back, behind all that was enqueued; releases it
 *   event_finish(event)             waits for it and releases it
 *   caller_context, caller_type     of the group
 *
 * All systems have the solution 1.
 */
#include <clsolve/clsolve.h>

#include "support/test_support.h"

#define scratch_array SCRATCH_BY(array_drop) array

enum { ORDER = 40, SIDES = 3, LOWER = 2, UPPER = 1, BAND_ROWS = LOWER + UPPER + 1, LINES = 9, POINTS = 13, MOST = 7 };

typedef enum spoil { GOOD, SINGULAR, NAN_IN_MATRIX, NAN_IN_SIDES } spoil;

typedef struct rig rig;

/* Each family has two calls: factor and solve, or Gauss-Jordan's solve and invert. */
typedef struct family {
    const char *name;
    int first_result, second_result; /* the arrays that the calls write; -1: none */
    clsolve_status sides[2];         /* the outcomes of both with NaN in the right-hand sides */
    clsolve_status singular;         /* and of a matrix that is singular, or no matrix for the family */
    void (*values)(rig *r, spoil how);
    int (*solved)(rig *r);
    clsolve_status (*create)(rig *r);
    clsolve_status (*first)(rig *r, const clsolve_events *events);
    clsolve_status (*second)(rig *r, const clsolve_events *events);
    clsolve_status (*status)(rig *r);
    void (*destroy)(rig *r);
} family;

struct rig {
    const family *f;
    void *handle;
    int arrays;
    int64_t rows[MOST], cols[MOST];
    double *values[MOST];
    array m[MOST];
    clsolve_grid g[MOST];
};

/* The calls of a family; `made`: the handle that CREATE makes, `e`: the events of a call. */
#define CALLS_OF(family, CREATE, FIRST, SECOND)                                                                        \
    static clsolve_status family##_create(rig *r) {                                                                    \
        clsolve_##family *made = NULL;                                                                                 \
        const clsolve_status status = CREATE;                                                                          \
        r->handle = made;                                                                                              \
        return status;                                                                                                 \
    }                                                                                                                  \
    static clsolve_status family##_first(rig *r, const clsolve_events *e) {                                            \
        return FIRST;                                                                                                  \
    }                                                                                                                  \
    static clsolve_status family##_second(rig *r, const clsolve_events *e) {                                           \
        return SECOND;                                                                                                 \
    }                                                                                                                  \
    static clsolve_status family##_status(rig *r) {                                                                    \
        return clsolve_##family##_status(r->handle);                                                                   \
    }                                                                                                                  \
    static void family##_destroy(rig *r) {                                                                             \
        clsolve_##family##_destroy(r->handle);                                                                         \
    }
#define CALLS(family) family##_create, family##_first, family##_second, family##_status, family##_destroy

static double *rig_values(rig *r, int64_t rows, int64_t cols) {
    test_random random = test_random_start((uint64_t)r->arrays + 1);
    double *v = test_doubles(rows * cols);
    for (int64_t k = 0; k < rows * cols; k++) v[k] = test_rounded(caller_type, test_random_signed(&random));
    r->rows[r->arrays] = rows;
    r->cols[r->arrays] = cols;
    return r->values[r->arrays++] = v;
}

static double rig_off(const double *x, int64_t count) {
    double most = 0;
    for (int64_t k = 0; k < count; k++) most = fmax(most, x[k] == x[k] ? fabs(x[k] - 1) : 1e9);
    return most;
}

/* ---- Gauss-Jordan: A, B, X ---- */

static void gj_values(rig *r, spoil how) {
    double *A = rig_values(r, ORDER, ORDER), *B = rig_values(r, ORDER, SIDES);
    (void)rig_values(r, ORDER, ORDER);
    for (int i = 0; i < ORDER; i++) A[i + i * ORDER] += 16;
    for (int i = 0; how == SINGULAR && i < ORDER; i++) A[i + 7 * ORDER] = 0;
    for (int i = 0; i < ORDER; i++) {
        double sum = 0;
        for (int j = 0; j < ORDER; j++) sum += A[i + j * ORDER];
        for (int c = 0; c < SIDES; c++) B[i + c * ORDER] = test_rounded(caller_type, sum);
    }
    if (how == NAN_IN_MATRIX) A[5 + 6 * ORDER] = (double)NAN;
    if (how == NAN_IN_SIDES) B[4] = (double)NAN;
}

CALLS_OF(gauss_jordan, clsolve_gauss_jordan_create(caller_context, ORDER, caller_type, NULL, &made),
         clsolve_gauss_jordan_solve_enqueue(r->handle, CLSOLVE_NO_TRANS, &r->m[0].view, &r->m[1].view, e),
         clsolve_gauss_jordan_invert_enqueue(r->handle, &r->m[0].view, &r->m[2].view, e))

static int gj_solved(rig *r) {
    double X[ORDER * ORDER], Y[ORDER * SIDES], ones[ORDER] = {0};
    array_get(&r->m[1], Y);
    array_get(&r->m[2], X);
    for (int i = 0; i < ORDER; i++)
        for (int j = 0; j < ORDER; j++) ones[i] += X[i + j * ORDER] * r->values[1][j];
    return rig_off(Y, ORDER * SIDES) < 1e-4 && rig_off(ones, ORDER) < 1e-4;
}

/* ---- Cholesky: A, B ---- */

static void cholesky_values(rig *r, spoil how) {
    double *A = rig_values(r, ORDER, ORDER), *B = rig_values(r, ORDER, SIDES), sum[ORDER] = {0};
    for (int j = 0; j < ORDER; j++)
        for (int i = 0; i <= j; i++) {
            if (i == j) A[i + j * ORDER] = how == SINGULAR && i == 7 ? -1 : ORDER;
            sum[i] += A[i + j * ORDER];
            if (i < j) sum[j] += A[i + j * ORDER];
            if (i < j) A[j + i * ORDER] = (double)NAN; /* the triangle that is not read */
        }
    for (int k = 0; k < ORDER * SIDES; k++) B[k] = test_rounded(caller_type, sum[k % ORDER]);
    if (how == NAN_IN_MATRIX) A[5 + 6 * ORDER] = (double)NAN;
    if (how == NAN_IN_SIDES) B[4] = (double)NAN;
}

CALLS_OF(cholesky, clsolve_cholesky_create(caller_context, ORDER, caller_type, NULL, &made),
         clsolve_cholesky_factor_enqueue(r->handle, CLSOLVE_UPPER, &r->m[0].view, e),
         clsolve_cholesky_solve_enqueue(r->handle, &r->m[1].view, e))

/* ---- LDL^T: A, B; the matrix of Cholesky with both signs on the diagonal ---- */

static void ldl_values(rig *r, spoil how) {
    cholesky_values(r, how == SINGULAR ? GOOD : how);
    double *A = r->values[0], *B = r->values[1];
    for (int i = 1; i < ORDER; i += 2) {
        A[i + i * ORDER] = -ORDER;
        for (int c = 0; c < SIDES; c++) B[i + c * ORDER] = test_rounded(caller_type, B[i + c * ORDER] - 2 * ORDER);
    }
    for (int k = 0; how == SINGULAR && k < ORDER; k++) A[k < 7 ? k + 7 * ORDER : 7 + k * ORDER] = 0;
}

CALLS_OF(ldl, clsolve_ldl_create(caller_context, ORDER, caller_type, NULL, &made),
         clsolve_ldl_factor_enqueue(r->handle, CLSOLVE_UPPER, &r->m[0].view, e),
         clsolve_ldl_solve_enqueue(r->handle, &r->m[1].view, e))

/* ---- bands: AB, B ---- */

static void band_values(rig *r, spoil how) {
    double *AB = rig_values(r, BAND_ROWS, ORDER), *B = rig_values(r, ORDER, SIDES), sum[ORDER] = {0};
    for (int j = 0; j < ORDER; j++)
        for (int d = 0; d < BAND_ROWS; d++) {
            int i = j + d - UPPER;
            if (d == UPPER) AB[d + j * BAND_ROWS] += 4;
            if (how == SINGULAR && j == 7) AB[d + j * BAND_ROWS] = 0;
            if (i >= 0 && i < ORDER) sum[i] += AB[d + j * BAND_ROWS];
        }
    for (int k = 0; k < ORDER * SIDES; k++) B[k] = test_rounded(caller_type, sum[k % ORDER]);
    if (how == NAN_IN_MATRIX) AB[UPPER + 6 * BAND_ROWS] = (double)NAN;
    if (how == NAN_IN_SIDES) B[4] = (double)NAN;
}

CALLS_OF(band, clsolve_band_create(caller_context, ORDER, LOWER, UPPER, caller_type, NULL, &made),
         clsolve_band_factor_enqueue(r->handle, &r->m[0].view, e),
         clsolve_band_solve_enqueue(r->handle, CLSOLVE_NO_TRANS, &r->m[1].view, e))

/* Of Cholesky and LDL^T too. */
static int band_solved(rig *r) {
    double Y[ORDER * SIDES];
    array_get(&r->m[1], Y);
    return rig_off(Y, ORDER * SIDES) < 1e-4;
}

/* ---- grids: up, a, c, b, down, F, Y; the columns of the arrays are the lines ---- */

static void grid_values(rig *r, spoil how) {
    const int64_t all = (int64_t)LINES * POINTS;
    for (int q = 0; q < 7; q++) (void)rig_values(r, POINTS, LINES);
    double **v = r->values;
    for (int64_t o = 0; o < all; o++) {
        int coupled[] = {o >= POINTS, o % POINTS > 0, 1, o % POINTS < POINTS - 1, o < all - POINTS};
        v[2][o] = 5;
        if (how == SINGULAR && o / POINTS == 3) v[1][o] = v[2][o] = v[3][o] = 0;
        v[5][o] = 0;
        for (int q = 0; q < 5; q++) v[5][o] += coupled[q] ? v[q][o] : 0;
        v[5][o] = test_rounded(caller_type, v[5][o]);
    }
    if (how == NAN_IN_MATRIX) v[2][40] = (double)NAN;
    if (how == NAN_IN_SIDES) v[5][40] = (double)NAN;
}

/* The views of the arrays as they are now. */
static clsolve_grid *grid_views(rig *r) {
    for (int q = 0; q < 7; q++) {
        r->g[q] = GRID(caller_type, LINES, POINTS, r->m[q].view.data, r->m[q].view.offset);
        r->g[q].line_stride = r->m[q].view.ld;
        r->g[q].place = r->m[q].view.place;
    }
    return r->g;
}

static clsolve_status factor_grids(clsolve_block_gs *handle, const clsolve_grid *g, const clsolve_events *e) {
    return clsolve_block_gs_factor_enqueue(handle, &g[0], &g[1], &g[2], &g[3], &g[4], e);
}

CALLS_OF(block_gs, clsolve_block_gs_create(caller_context, LINES, POINTS, caller_type, NULL, &made),
         factor_grids(r->handle, grid_views(r), e),
         clsolve_block_gs_solve_enqueue(r->handle, grid_views(r) + 5, r->g + 6, 1, e))

static int grid_solved(rig *r) {
    double Y[LINES * POINTS];
    array_get(&r->m[6], Y);
    return rig_off(Y, (int64_t)LINES * POINTS) < 1e-3;
}

#define LATE_NAN CLSOLVE_OK, CLSOLVE_ERROR_NONFINITE /* the second call reads the right-hand sides */
/* clang-format off */
static const family families[] = {
    {"cholesky", -1, 1, {LATE_NAN}, CLSOLVE_NOT_POSITIVE_DEFINITE, cholesky_values, band_solved, CALLS(cholesky)},
    {"ldl", -1, 1, {LATE_NAN}, CLSOLVE_SINGULAR, ldl_values, band_solved, CALLS(ldl)},
    {"gauss_jordan", 1, 2, {CLSOLVE_ERROR_NONFINITE, CLSOLVE_OK}, CLSOLVE_SINGULAR, gj_values, gj_solved,
     CALLS(gauss_jordan)},
    {"band", -1, 1, {LATE_NAN}, CLSOLVE_SINGULAR, band_values, band_solved, CALLS(band)},
    {"block_gs", -1, 6, {LATE_NAN}, CLSOLVE_SINGULAR, grid_values, grid_solved, CALLS(block_gs)},
};
/* clang-format on */
enum { FAMILIES = sizeof families / sizeof *families };

/* ---- a system of a family on the device ---- */

#define ENQUEUED(call) TEST_EXPECT(caller_context, call, CLSOLVE_OK, "")

/* `there`: the first array is all zeros before this event; NULL: it is there at once. */
static rig rig_open(const family *f, spoil how, event *there) {
    rig r = {.f = f};
    f->values(&r, how);
    for (int q = 0; q < r.arrays; q++)
        r.m[q] = q == 0 && there ? array_put_late(r.rows[q], r.cols[q], r.values[q], there)
                                 : array_put(r.rows[q], r.cols[q], r.values[q]);
    ENQUEUED(f->create(&r));
    return r;
}

static void rig_close(rig *r) {
    r->f->destroy(r);
    for (int q = 0; q < r->arrays; q++) {
        array_drop(&r->m[q]);
        free(r->values[q]);
    }
}

/* An array holds what was put there; q < 0: none is meant. */
static void rig_unchanged(rig *r, int q) {
    if (q < 0) return;
    int64_t count = r->rows[q] * r->cols[q];
    SCRATCH double *back = test_doubles(count);
    array_get(&r->m[q], back);
    for (int64_t k = 0; k < count; k++) assert_true(back[k] == r->values[q][k] || r->values[q][k] != r->values[q][k]);
}
