/*
 * LU over several devices with each allocation on the host and each call of the driver failing in its turn, whichever
 * device's it is: the call comes back, with the right status and a message that names what failed and on which device;
 * B is as it was; the same factors' memory works again once the fault is gone; nothing is left behind.
 */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "device/peer.h"
#include "lu/ratios.h"
#include "method/several/several.h"
#include "support/fault_run.h"

enum { DEVICES = 3, N = 37, WIDTH = 8, NRHS = 4 };

static clsolve_context *contexts[DEVICES]; /* or one for all devices, and NULL */
static cls_device *devices[DEVICES];
static int64_t buffers[DEVICES];
static clsolve_lu_options options;
static cls_several_shape shape = {.n = N, .type = CLSOLVE_F32, .count = DEVICES, .width = WIDTH, .options = &options};
static clsolve_layout layout;
static float A[N * N], B[N * NRHS], X[N * NRHS];

/* A by its entries, all of them, column by column. */
static int64_t column_start[N + 1], rows[N * N];
static double values[N * N];
static const cls_entries entries = {.n = N, .start = column_start, .row = rows, .parts = 1, .value = values};
static int sparse;

static clsolve_matrix view(float *data, int64_t cols) {
    clsolve_matrix m = clsolve_matrix_f32(N, cols, data);
    m.layout = layout;
    m.ld = layout == CLSOLVE_COLUMN_MAJOR ? N : cols;
    return m;
}

/* All that is done with the factors; Y becomes the solution, by both ways of solving. */
static clsolve_status work(cls_several *several, float *Y, float *Z) {
    clsolve_matrix a = view(A, N), y = view(Y, NRHS), z = view(Z, NRHS);
    cls_measures measures;
    cls_growth growth;
    cls_place in, out;
    int64_t info;
    int again;

    several->entries = sparse ? &entries : NULL;
    CLS_TRY(cls_several_upload(several, sparse ? NULL : &a, &measures));
    CLS_TRY(cls_several_factor(several, &info, &again));
    CLS_TRY(cls_several_growth(several, &growth));
    several->chained = NRHS;
    CLS_TRY(cls_several_solve(several, CLSOLVE_NO_TRANS, &y, &in, &out));
    several->chained = 0;
    return cls_several_solve(several, CLSOLVE_NO_TRANS, &z, &in, &out);
}

static int names_a_device(const char *message) {
    for (int d = 0; d < DEVICES; d++)
        if (strstr(message, devices[d]->info.name)) return 1;
    return 0;
}

static fault_outcome scenario(const char **failed) {
    fault_outcome out = {CLSOLVE_OK, ""};
    cls_several several = {0};
    float Y[N * NRHS], Z[N * NRHS];

    memcpy(Y, B, sizeof Y);
    memcpy(Z, B, sizeof Z);
    out.status = cls_several_setup(devices, &shape, &several);
    if (out.status == CLSOLVE_OK) out.status = cls_several_home_setup(&several);
    const int made = out.status == CLSOLVE_OK;
    if (made) out.status = work(&several, Y, Z);
    *failed = faults_disarm();
    (void)snprintf(out.message, sizeof out.message, "%s", devices[0]->error->text);
    if (out.status == CLSOLVE_OK) {
        assert_true(fault_solved(N * NRHS, X, Y) && fault_solved(N * NRHS, X, Z));
    } else if (made) {
        if (strncmp(*failed, "cls_", 4) != 0) assert_true(names_a_device(out.message));
        assert_true(memcmp(Y, B, sizeof Y) == 0 || fault_solved(N * NRHS, X, Y));
        memcpy(Y, B, sizeof Y);
        memcpy(Z, B, sizeof Z);
        assert_int_equal(work(&several, Y, Z), CLSOLVE_OK);
        assert_true(fault_solved(N * NRHS, X, Y) && fault_solved(N * NRHS, X, Z));
    }
    cls_several_release(&several);
    for (int d = 0; d < DEVICES; d++) assert_int_equal(devices[d]->counters.buffers, buffers[d]);
    return out;
}

/* A in either layout, or as a sparse matrix. */
static void choose(int way) {
    sparse = way == 2;
    layout = way == 1 ? CLSOLVE_ROW_MAJOR : CLSOLVE_COLUMN_MAJOR;
}

static void fill(void) {
    test_random random = test_random_start(23);

    options = test_lu_options();
    shape.always_beside = !devices[0]->blas->in_place;
    for (int i = 0; i < N * N; i++) A[i] = (float)test_random_signed(&random);
    for (int i = 0; i < N * N; i++) rows[i] = i % N, values[i] = (double)A[i];
    for (int j = 0; j <= N; j++) column_start[j] = (int64_t)j * N;
    for (int i = 0; i < N * NRHS; i++) B[i] = (float)test_random_signed(&random);
}

static void start(void) {
    cls_several several = {0};
    float Z[N * NRHS];

    memcpy(X, B, sizeof X);
    memcpy(Z, B, sizeof Z);
    assert_int_equal(cls_several_setup(devices, &shape, &several), CLSOLVE_OK);
    assert_int_equal(cls_several_home_setup(&several), CLSOLVE_OK);
    int fetches = 1;
    for (int d = 1; d < DEVICES; d++) fetches &= cls_device_joins(devices[0], devices[d]) != CLS_APART;
    assert_int_equal(several.home.sides > 0, fetches);
    assert_int_equal(work(&several, X, Z), CLSOLVE_OK);
    cls_several_release(&several);
    for (int d = 0; d < DEVICES; d++) buffers[d] = devices[d]->counters.buffers;
}

TEST(each_fault) {
    fault_lasting = 1; /* the contexts do: they keep a kernel's other form that a failure has asked for */
    for (int way = 0; way < 3; way++) {
        choose(way);
        start();
        fault_all(10, 20, scenario);
    }
}

/* Two GPUs, where the machine has them. */
static int has_second_gpu(void) {
    clsolve_device_info list[64];
    int64_t count = 0;
    if (clsolve_devices(list, 64, &count) != CLSOLVE_OK) return 0;
    for (int64_t i = 0; i < count && i < 64; i++)
        if (strcmp(list[i].selector, "cuda:1") == 0) return 1;
    return 0;
}

/* PoCL 3.1 crashes when threads compile for several devices of one context: so each compiles alone before. */
static void compile_alone(int d) {
    cls_several several = {0};
    cls_several_shape alone = shape;
    float Z[N * NRHS];

    alone.count = 1;
    assert_int_equal(cls_several_setup(devices + d, &alone, &several), CLSOLVE_OK);
    for (int way = 0; way < 3; way++) {
        choose(way);
        assert_int_equal(work(&several, X, Z), CLSOLVE_OK);
    }
    cls_several_release(&several);
}

/* All devices in one context, where the platform has so many. */
static int join(void) {
    const char *selectors[DEVICES];
    if (test_platform_selectors(selectors, DEVICES) < DEVICES) return 0;
    assert_int_equal(clsolve_context_create_many(NULL, DEVICES, selectors, &contexts[0]), CLSOLVE_OK);
    for (int d = 0; d < DEVICES; ++d) devices[d] = cls_context_of(contexts[0], d)->device;
    fill();
    for (int d = 0; d < DEVICES; ++d) compile_alone(d);
    return 1;
}

static int open_all(void **state) {
    if (join()) return 0;
    const int two = has_second_gpu();
    for (int d = 0; d < DEVICES; ++d) {
        const char *selector = test_selector();
        const int second = selector && strcmp(selector, "cuda:0") == 0 && d == 1 && two;
        const clsolve_context_options wanted = {.selector = second ? "cuda:1" : selector};
        assert_int_equal(clsolve_context_create_with(&wanted, &contexts[d]), CLSOLVE_OK);
        devices[d] = contexts[d]->device;
    }
    fill();
    return 0;
}

static int close_all(void **state) {
    for (int d = 0; d < DEVICES; ++d) clsolve_context_destroy(contexts[d]);
    return 0;
}

TEST_PROGRAM(open_all, close_all)
