/*
 * Batches over several devices: the answers and the infos are those of the members, wherever they were computed, and every
 * device takes part in its share. Members are diagonally dominant; one is singular and one holds NaN.
 */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <clsolve/clsolve.h>

#include "api/context.h"
#include "several/pocl_devices.h"

enum { N = 5, RHS = 2, MOST = 31, LINES = 3 };
static char message[4096];
static clsolve_context *context;

static clsolve_context *open_devices(const char *selector, const char *shares) {
    clsolve_context_options options = {.selector = selector, .message = message, .message_size = sizeof message};
    clsolve_context *made = NULL;
    assert_int_equal(shares ? setenv("CLSOLVE_SHARES", shares, 1) : unsetenv("CLSOLVE_SHARES"), 0);
    if (clsolve_context_create_with(&options, &made) != CLSOLVE_OK) print_error("%s: %s\n", selector, message);
    assert_non_null(made);
    return made;
}

static void put(void *array, clsolve_type type, int64_t at, double value) {
    if (type == CLSOLVE_F64)
        ((double *)array)[at] = value;
    else
        ((float *)array)[at] = (float)value;
}

static double get(const void *array, clsolve_type type, int64_t at) {
    return type == CLSOLVE_F64 ? ((const double *)array)[at] : (double)((const float *)array)[at];
}

static int64_t singular_of(int64_t count) {
    return count > 4 ? count / 2 : -1;
}

static int64_t nan_of(int64_t count) {
    return count > 4 ? count - 1 : -1;
}

/* Element (i, j) of member m; a row of zeros in the singular one. */
static double element(int64_t m, int64_t i, int64_t j, int64_t count) {
    if (m == singular_of(count) && i == N - 1) return 0;
    if (m == nan_of(count) && i == 1 && j == 1) return NAN;
    if (i > j + 1 || j > i + 1) return 0;
    return i == j ? 4 + (double)(m % 7) : 1 + (double)((m + i + 2 * j) % 3) / 4;
}

static double solution(int64_t m, int64_t i, int64_t r) {
    return (double)((m + 3 * i + 5 * r) % 11) - 5;
}

/* ---- a family: the system A X = B of each member ---- */

typedef struct arrays {
    clsolve_type type;
    int64_t count;
    double A[MOST * N * N], B[MOST * N * RHS]; /* of the type, which is no larger */
    int64_t info[MOST + 1];
} arrays;

typedef clsolve_status (*family)(clsolve_context *at, arrays *a, clsolve_report *report);

static clsolve_batch view(const arrays *a, int64_t rows, int64_t cols, void *data) {
    clsolve_batch b = clsolve_batch_f64(a->count, rows, cols, data);
    b.type = a->type;
    return b;
}

static void fill_right(arrays *a) {
    for (int64_t m = 0; m < a->count; m++)
        for (int64_t r = 0; r < RHS; r++)
            for (int64_t i = 0; i < N; i++) {
                double sum = 0;
                for (int64_t j = 0; j < N; j++) sum += element(m, i, j, 0) * solution(m, j, r);
                put(a->B, a->type, (m * RHS + r) * N + i, sum);
            }
}

static clsolve_status gauss_jordan(clsolve_context *at, arrays *a, clsolve_report *report) {
    const clsolve_gauss_jordan_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
    OWNED(gauss_jordan_batch) *batch = NULL;
    clsolve_batch A = view(a, N, N, a->A), B = view(a, N, RHS, a->B);
    int64_t offsets[MOST]; /* of B's members, which lie where they would without */
    for (int64_t m = 0; m < a->count; m++) offsets[m] = m * N * RHS;
    B.offsets = offsets;
    for (int64_t m = 0; m < a->count; m++)
        for (int64_t j = 0; j < N; j++)
            for (int64_t i = 0; i < N; i++) put(a->A, a->type, (m * N + j) * N + i, element(m, i, j, a->count));
    clsolve_status status = clsolve_gauss_jordan_batch_create(at, N, a->count, a->type, &options, &batch);
    if (status == CLSOLVE_OK) status = clsolve_gauss_jordan_batch_solve(batch, CLSOLVE_NO_TRANS, &A, &B, a->info);
    if (batch) assert_int_equal(clsolve_gauss_jordan_batch_report(batch, report), CLSOLVE_OK);
    return status;
}

static clsolve_status band(clsolve_context *at, arrays *a, clsolve_report *report) {
    OWNED(band_batch) *batch = NULL;
    clsolve_batch AB = view(a, 3, N, a->A), B = view(a, N, RHS, a->B);
    for (int64_t m = 0; m < a->count; m++)
        for (int64_t j = 0; j < N; j++)
            for (int64_t q = 0; q < 3; q++) { /* row i = j + q - 1 */
                int inside = j + q >= 1 && j + q - 1 < N;
                put(a->A, a->type, (m * N + j) * 3 + q, inside ? element(m, j + q - 1, j, a->count) : 0);
            }
    clsolve_status status = clsolve_band_batch_create(at, N, 1, 1, a->count, a->type, NULL, &batch);
    if (status == CLSOLVE_OK) status = clsolve_band_batch_factor(batch, &AB, a->info);
    if (status == CLSOLVE_OK) status = clsolve_band_batch_solve(batch, CLSOLVE_NO_TRANS, &B, a->info);
    if (batch) assert_int_equal(clsolve_band_batch_report(batch, report), CLSOLVE_OK);
    return status;
}

static clsolve_status tridiagonal(clsolve_context *at, arrays *a, clsolve_report *report) {
    const clsolve_tridiagonal_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
    OWNED(tridiagonal_batch) *batch = NULL;
    static double diagonals[LINES][MOST * N];
    clsolve_batch d[LINES], B = view(a, N, RHS, a->B);
    for (int q = 0; q < LINES; q++) {
        d[q] = view(a, N, 1, diagonals[q]);
        for (int64_t m = 0; m < a->count; m++)
            for (int64_t i = 0; i < N; i++) {
                int inside = i + q >= 1 && i + q - 1 < N;
                put(diagonals[q], a->type, m * N + i, inside ? element(m, i, i + q - 1, a->count) : 0);
            }
    }
    clsolve_status status = clsolve_tridiagonal_batch_create(at, N, a->count, a->type, &options, &batch);
    if (status == CLSOLVE_OK) status = clsolve_tridiagonal_batch_factor(batch, &d[0], &d[1], &d[2], a->info);
    if (status == CLSOLVE_OK) status = clsolve_tridiagonal_batch_solve(batch, CLSOLVE_NO_TRANS, &B, a->info);
    if (batch) assert_int_equal(clsolve_tridiagonal_batch_report(batch, report), CLSOLVE_OK);
    return status;
}

/* Of the pattern of tridiagonal matrices; the typical member is the first. */
static clsolve_status sparse(clsolve_context *at, arrays *a, clsolve_report *report) {
    enum { ENTRIES = 3 * N - 2 };
    const clsolve_sparse_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
    clsolve_sparse_batch *batch = NULL;
    clsolve_batch V = view(a, ENTRIES, 1, a->A), B = view(a, N, RHS, a->B);
    double typical[ENTRIES];
    int32_t start[N + 1] = {0}, column[ENTRIES];
    for (int i = 0, e = 0; i < N; start[++i] = e)
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++, e++) {
            column[e] = j;
            put(typical, a->type, e, element(0, i, j, 0));
            for (int64_t m = 0; m < a->count; m++) put(a->A, a->type, m * ENTRIES + e, element(m, i, j, a->count));
        }
    const clsolve_csr A = {a->type, CLSOLVE_I32, 0, N, N, start, column, typical};
    clsolve_status status = clsolve_sparse_batch_create_csr(at, &A, a->count, &options, &batch);
    if (status == CLSOLVE_OK) status = clsolve_sparse_batch_factor(batch, &V, a->info);
    if (status == CLSOLVE_OK) status = clsolve_sparse_batch_solve(batch, CLSOLVE_NO_TRANS, &B, a->info);
    if (batch) assert_int_equal(clsolve_sparse_batch_report(batch, report), CLSOLVE_OK);
    clsolve_sparse_batch_destroy(batch);
    for (int64_t m = 0; m < a->count && status == CLSOLVE_OK;
         m++) /* the column that is left without a pivot may be any */
        if (a->info[m] > 0) a->info[m] = report->info = N;
    return status;
}

static const family families[] = {gauss_jordan, band, tridiagonal, sparse};
enum { FAMILIES = sizeof families / sizeof families[0] };

/* ---- checks ---- */

static void check(const arrays *a) {
    const double tolerance = a->type == CLSOLVE_F64 ? 1e-10 : 1e-3;
    static arrays right;
    right.type = a->type;
    right.count = a->count;
    fill_right(&right);
    for (int64_t m = 0; m < a->count; m++) {
        int bad = m == singular_of(a->count) || m == nan_of(a->count);
        assert_int_equal(a->info[m], m == nan_of(a->count) ? -1 : bad ? N : 0);
        for (int64_t k = 0; k < N * RHS; k++) {
            double x = get(a->B, a->type, m * N * RHS + k);
            if (bad)
                assert_true(x == get(right.B, a->type, m * N * RHS + k)); /* as it was */
            else
                assert_true(fabs(x - solution(m, k % N, k / N)) <= tolerance);
        }
    }
}

/* Launches of each device, which has none without members. */
static void run(family f, clsolve_type type, int64_t count, const double *shares) {
    static arrays a;
    int64_t devices, firsts[CLS_DEVICES_MOST + 1], before[CLS_DEVICES_MOST];
    cls_device *const *list = cls_context_devices(context, &devices);
    clsolve_report report;
    for (int64_t d = 0; d < devices; d++) before[d] = list[d]->counters.launches;
    a.type = type;
    a.count = count;
    fill_right(&a);
    memset(a.info, 7, sizeof a.info);
    clsolve_status status = f(context, &a, &report);
    if (status != CLSOLVE_OK) print_error("%s\n", clsolve_context_message(context));
    assert_int_equal(status, CLSOLVE_OK);
    check(&a);
    assert_int_equal(report.members, count);
    assert_int_equal(report.member, singular_of(count) + 1);
    assert_int_equal(report.info, count > 4 ? N : 0);
    assert_int_equal(report.nrhs, RHS);
    if (!shares) return;
    double kept[CLS_DEVICES_MOST];
    double sum = 0;
    for (int64_t d = 0; d < devices; d++) sum += kept[d] = f == band && list[d]->no_kernels ? 0 : shares[d];
    for (int64_t d = 0; d < devices && count >= 2; d++)
        assert_true(fabs(clsolve_context_share_at(context, d) - kept[d] / sum) < 1e-12);
    cls_deal(count, devices, kept, firsts);
    for (int64_t d = 0; d < devices; d++) {
        int has = count < 2 ? d == 0 && count > 0 : firsts[d] < firsts[d + 1];
        if (!list[d]->no_kernels) assert_int_equal(list[d]->counters.launches > before[d], has);
    }
}

/* Every `step`-th count of members, from the largest on. Each number of lanes and each type costs each device a
 * compilation, so bands are in double, and batches of tridiagonal matrices in float and of few counts. */
static void over(const char *selector, const char *shares, const double *given, size_t step) {
    static const int64_t counts[] = {0, 1, 2, 3, 7, 31};
    context = open_devices(selector, shares);
    for (size_t f = 0; f < FAMILIES; f++)
        for (size_t c = (sizeof counts / sizeof counts[0] - 1) % step; c < sizeof counts / sizeof counts[0]; c += step)
            if (families[f] != tridiagonal || counts[c] == 0 || counts[c] > 3)
                run(families[f],
                    families[f] == tridiagonal || (families[f] == gauss_jordan && c % 2 == 0) ? CLSOLVE_F32
                                                                                              : CLSOLVE_F64,
                    counts[c], given);
    clsolve_context_destroy(context);
}

TEST(two_devices) {
    over("opencl:1,2", "1,1", (const double[]){1, 1}, 4);
}

TEST(three_uneven) {
    over("opencl:0,1,2", "3,1,2", (const double[]){3, 1, 2}, 1);
}

TEST(four_with_host) {
    over("opencl:2,1,0,host", "2,2,5,1", (const double[]){2, 2, 5, 1}, 3);
}

/* Few members stay on the lead where nobody asks for shares. */
TEST(few_stay) {
    context = open_devices("opencl:1,2", NULL);
    for (size_t f = 0; f < FAMILIES; f++)
        run(families[f], families[f] == tridiagonal ? CLSOLVE_F32 : CLSOLVE_F64, 7, NULL);
    assert_int_equal(context->devices[1]->counters.launches, 0);
    clsolve_context_destroy(context);
}

/* ---- factors that come back ---- */

enum { HELD = 7, ROWS = 4 };

/* Zeros where nothing came. */
typedef struct exports {
    double L[HELD * N * N], inverse[HELD * N * N], bands[HELD * N * ROWS];
    double X[HELD * N], det[HELD];
    int64_t ipiv[HELD * N], exchanges[HELD * N], infos[3][HELD], of_inverse[HELD];
} exports;

static void export_cholesky(exports *e) {
    const clsolve_cholesky_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
    OWNED(cholesky_batch) *batch = NULL;
    static double a[HELD * N * N];
    clsolve_batch A = clsolve_batch_f64(HELD, N, N, a), L = clsolve_batch_f64(HELD, N, N, e->L);
    clsolve_batch X = clsolve_batch_f64(HELD, N, N, e->inverse);
    for (int64_t m = 0; m < HELD; m++)
        for (int64_t j = 0; j < N; j++)
            for (int64_t i = j; i < N; i++) a[(m * N + j) * N + i] = element(m, i, j, HELD);
    assert_int_equal(clsolve_cholesky_batch_create(context, N, HELD, CLSOLVE_F64, &options, &batch), CLSOLVE_OK);
    assert_int_equal(clsolve_cholesky_batch_factor(batch, CLSOLVE_LOWER, &A, e->infos[0]), CLSOLVE_OK);
    assert_int_equal(clsolve_cholesky_batch_factors(batch, CLSOLVE_LOWER, &L), CLSOLVE_OK);
    assert_int_equal(clsolve_cholesky_batch_inverse(batch, CLSOLVE_LOWER, &X, e->of_inverse), CLSOLVE_OK);
}

static void export_bands(exports *e) {
    OWNED(band_batch) *batch = NULL;
    static double ab[HELD * N * 3];
    clsolve_batch AB = clsolve_batch_f64(HELD, 3, N, ab), AFB = clsolve_batch_f64(HELD, ROWS, N, e->bands);
    for (int64_t at = 0; at < HELD * N * 3; at++) /* a pivot that is not on the diagonal now and then */
        ab[at] = at % 3 == 1 ? 2 : (double)(at % 5);
    assert_int_equal(clsolve_band_batch_create(context, N, 1, 1, HELD, CLSOLVE_F64, NULL, &batch), CLSOLVE_OK);
    assert_int_equal(clsolve_band_batch_factor(batch, &AB, e->infos[1]), CLSOLVE_OK);
    assert_int_equal(clsolve_band_batch_factors(batch, &AFB, e->ipiv), CLSOLVE_OK);
}

/* Members of orders of their own, empty ones too. */
static void export_lu(exports *e) {
    const clsolve_lu_batch_options options = {.where = CLSOLVE_WHERE_DEVICE};
    OWNED(lu_batch) *batch = NULL;
    static double a[HELD * N * N];
    static const int64_t orders[HELD] = {3, 0, 5, 5, 1, 0, 5};
    clsolve_batch A = clsolve_batch_f64(HELD, N, N, a), X = clsolve_batch_f64(HELD, N, 1, e->X);
    for (int64_t at = 0; at < HELD * N * N; at++) a[at] = element(at / (N * N), at % N, at / N % N, HELD);
    for (int64_t at = 0; at < HELD * N; at++) e->X[at] = (double)(1 + at % 4);
    assert_int_equal(clsolve_lu_batch_create_ragged(context, orders, HELD, CLSOLVE_F64, &options, &batch), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_batch_factor(batch, &A, e->infos[2]), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_batch_factors(batch, NULL, e->exchanges), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_batch_determinant(batch, e->det, NULL, NULL), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_batch_solve(batch, CLSOLVE_TRANS, &X, e->infos[2]), CLSOLVE_OK);
}

static void export_all(const char *selector, const char *shares, exports *e) {
    context = open_devices(selector, shares);
    export_cholesky(e);
    export_bands(e);
    export_lu(e);
    clsolve_context_destroy(context);
}

static void assert_near(const double *a, const double *b, int64_t count) {
    for (int64_t k = 0; k < count; k++) assert_true(fabs(a[k] - b[k]) <= 1e-12);
}

/* Of all members, they are those of one device. */
TEST(factors_come_back) {
    static exports one, three;
    export_all("opencl:1", NULL, &one);
    export_all("opencl:0,1,2", "3,1,2", &three);
    assert_near(one.L, three.L, HELD * N * N);
    assert_near(one.inverse, three.inverse, HELD * N * N);
    assert_near(one.bands, three.bands, HELD * N * ROWS);
    assert_near(one.X, three.X, HELD * N);
    assert_near(one.det, three.det, HELD - 1);
    assert_true(isnan(one.det[nan_of(HELD)]) && isnan(three.det[nan_of(HELD)]));
    assert_memory_equal(one.ipiv, three.ipiv, sizeof one.ipiv);
    assert_memory_equal(one.exchanges, three.exchanges, sizeof one.exchanges);
    assert_memory_equal(one.infos, three.infos, sizeof one.infos);
    assert_memory_equal(one.of_inverse, three.of_inverse, sizeof one.of_inverse);
    assert_int_equal(one.infos[0][singular_of(HELD)], N);
    assert_int_equal(one.of_inverse[nan_of(HELD)], -1);
    assert_int_equal(one.infos[2][singular_of(HELD)], N);
    assert_true(one.L[0] > 0 && one.ipiv[HELD * N - 1] > 0);
}

TEST_PROGRAM_BY(pocl_devices(), NULL, NULL)
