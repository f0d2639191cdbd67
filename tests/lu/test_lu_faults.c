/*
 * Each allocation on the host and each call of the driver fails in its turn, from the first of creating a context to the
 * last of a solve: the status is the right one, the message says which call it was, B is as it was, the handle still
 * works once the fault is gone, and nothing is left behind, neither on the host nor in the driver.
 */
#include <clsolve/clsolve.h>

#include "api/context.h"
#include "blas/blas.h"
#include "support/fault_run.h"
#include "support/test_support.h"

/* One leaf and its solves, so that it is quick in the shape of a GPU too, where CLBlast would compile again each time. */
enum { N = 20, NRHS = 3, LD = N + 2, NUMBERS = 2 * LD * LD };

static int on_cuda, on_pocl, in_place;
static fault_scenario scenario;
static clsolve_layout layout;
static clsolve_lu_options lu_options;
static clsolve_type type = CLSOLVE_F32; /* or CLSOLVE_C32, whose elements are two numbers */
static float A[NUMBERS], B[NUMBERS], X[NUMBERS];

static clsolve_matrix view(float *data, int64_t cols) {
    clsolve_matrix m = clsolve_matrix_f32(N, cols, data);
    m.type = type;
    m.layout = layout;
    m.ld = LD;
    return m;
}

static void fill(void) {
    test_random random = test_random_start(1);
    for (int i = 0; i < NUMBERS; i++) A[i] = (float)test_random_signed(&random);
    for (int i = 0; i < NUMBERS; i++) B[i] = (float)test_random_signed(&random);
    memcpy(X, B, sizeof X);
}

static clsolve_status work(void *lu, float *Y) {
    const clsolve_matrix a = view(A, N);
    clsolve_matrix y = view(Y, NRHS);
    CLS_TRY(clsolve_lu_factor(lu, &a));
    return clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &y);
}

FAULT_HANDLE(it, lu, clsolve_lu_create(context, N, type, &lu_options, &made), work, NUMBERS, B, X);

/* `folder`: of programs, none or the usual one. */
static void start(clsolve_layout wanted, clsolve_panel panel, const char *folder) {
    layout = wanted;
    lu_options.panel = panel;
    fill();
    scenario = fault_with_handle(NULL, folder, &it);
}

/* A device is the one it is, or is not opened: no shape is chosen by what a failed query left at 0. */
TEST(described) {
    const char *const calls[] = {on_cuda ? "cuDeviceGetAttribute" : "clGetDeviceInfo",
                                 on_cuda ? "cuDeviceTotalMem" : "clGetPlatformInfo",
                                 on_cuda ? "cuDeviceGetName" : "clGetDeviceIDs"};
    char message[512];
    clsolve_context *context = test_context(1);
    clsolve_device_info whole = clsolve_context_device(context);
    clsolve_context_destroy(context);
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        int errors = 0;
        clsolve_context_options options = {
            .selector = test_selector(), .message = message, .message_size = sizeof message};
        faults_arm_call(calls[c], INT64_MAX);
        assert_int_equal(clsolve_context_create_with(&options, &context), CLSOLVE_OK);
        clsolve_context_destroy(context);
        faults_disarm();
        const int64_t stride = fault_bounded_stride(faults_seen());
        for (int64_t k = 0;; k += stride) {
            faults_arm_call(calls[c], k);
            clsolve_status status = clsolve_context_create_with(&options, &context);
            const char *failed = faults_disarm();
            if (status == CLSOLVE_OK) {
                clsolve_device_info info = clsolve_context_device(context);
                info.clock_mhz = whole.clock_mhz; /* this may stay unknown */
                /* and its number is another where a platform before it is passed over */
                memcpy(info.selector, whole.selector, sizeof info.selector);
                assert_memory_equal(&info, &whole, sizeof info);
                clsolve_context_destroy(context);
            } else {
                assert_true(status == CLSOLVE_ERROR_NO_DEVICE || strstr(message, calls[c]));
                errors++;
            }
            if (!failed) break;
        }
        if (stride == 1) assert_true(errors > 0);
    }
}

/* Nor is it listed with nothing to compute by. */
TEST(listed) {
    clsolve_device_info list[16];
    const char *call = on_cuda ? "cuDeviceGetAttribute" : "clGetDeviceInfo";
    int64_t count;
    faults_arm_call(call, INT64_MAX);
    assert_int_equal(clsolve_devices(list, 16, &count), CLSOLVE_OK);
    faults_disarm();
    const int64_t stride = fault_bounded_stride(faults_seen());
    for (int64_t k = 0;; k += stride) {
        faults_arm_call(call, k);
        assert_int_equal(clsolve_devices(list, 16, &count), CLSOLVE_OK);
        for (int64_t i = 0; i < count && i < 16; i++)
            assert_true(list[i].compute_units > 0 && list[i].max_work_group > 0);
        if (!faults_disarm()) break;
    }
}

TEST(panels_on_the_device) {
    start(CLSOLVE_COLUMN_MAJOR, CLSOLVE_PANEL_NATIVE, NULL);
    fault_all(10, 50, scenario);
    start(CLSOLVE_ROW_MAJOR, CLSOLVE_PANEL_NATIVE, NULL);
    fault_each(FAULT_DEVICE, NULL, 50, scenario);
}

TEST(panels_on_the_host) {
    if (!in_place) skip();
    start(CLSOLVE_COLUMN_MAJOR, CLSOLVE_PANEL_HYBRID, NULL);
    fault_all(10, 20, scenario);
    start(CLSOLVE_ROW_MAJOR, CLSOLVE_PANEL_HYBRID, NULL);
    fault_each(FAULT_DEVICE, NULL, 20, scenario);
}

/* The calls are those of real matrices, with other kernels: some of them suffice. */
TEST(complex_elements) {
    type = CLSOLVE_C32;
    fault_stride = 9;
    start(CLSOLVE_COLUMN_MAJOR, CLSOLVE_PANEL_NATIVE, NULL);
    fault_all(1, 2, scenario);
    fault_stride = 1;
    type = CLSOLVE_F32;
}

/* Twice the identity, in the reverse order, as a sparse matrix. */
static fault_outcome use_sparse(clsolve_context *context, const char **failed) {
    const clsolve_lu_options options = {.panel = CLSOLVE_PANEL_NATIVE, .where = CLSOLVE_WHERE_DEVICE};
    const int64_t buffers = context->device->counters.buffers;
    fault_outcome out = {CLSOLVE_OK, ""};
    clsolve_lu *lu = NULL;
    int64_t begin[N + 1], column[N], place[N];
    float value[N], y[N];
    int intact = 1, right = 1;
    for (int i = 0; i <= N; i++) begin[i] = i;
    for (int i = 0; i < N; i++) column[i] = i, place[i] = N - 1 - i, value[i] = 2, y[i] = 1;
    const clsolve_csr sparse = clsolve_csr_i64_f32(N, begin, column, value);
    clsolve_matrix b = clsolve_matrix_f32(N, 1, y);

    out.status = clsolve_lu_create(context, N, CLSOLVE_F32, &options, &lu);
    if (out.status == CLSOLVE_OK) out.status = clsolve_lu_factor_csr(lu, &sparse, place, place);
    if (out.status == CLSOLVE_OK) out.status = clsolve_lu_solve(lu, CLSOLVE_NO_TRANS, &b);
    *failed = faults_disarm();
    for (int i = 0; i < N; i++) intact &= y[i] == 1, right &= y[i] == 0.5F;
    if (out.status != CLSOLVE_OK)
        fault_failed(context, &out, intact, right);
    else
        assert_true(right);
    clsolve_lu_destroy(lu);
    assert_int_equal(context->device->counters.buffers, buffers);
    return out;
}

TEST(sparse_matrices) {
    const char *failed = NULL;
    scenario = fault_with_context(NULL, NULL, use_sparse);
    assert_int_equal(scenario(&failed).status, CLSOLVE_OK);
    fault_each(FAULT_ALLOCATION, NULL, 10, scenario);
    if (test_pretends("gpu")) fault_each(FAULT_DEVICE, NULL, 30, scenario); /* entries cross */
}

/* What happens only when kernels are compiled from their source. Through PoCL a program that did not build is built again,
 * with all built-in functions. */
TEST(compiling) {
    start(CLSOLVE_COLUMN_MAJOR, CLSOLVE_PANEL_NATIVE, "");
    fault_each(FAULT_DEVICE, on_cuda ? "nvrtcCreateProgram" : "clCreateProgramWithSource", 4, scenario);
    fault_each(FAULT_DEVICE, on_cuda ? "nvrtcCompileProgram" : "clBuildProgram", on_pocl ? 0 : 4, scenario);
    if (on_cuda) fault_each(FAULT_DEVICE, "cuModuleLoadData", 4, scenario);
    if (on_cuda) fault_each(FAULT_DEVICE, "nvrtcGetCUBIN", 4, scenario);
}

/* The export of row-major factors transposes them on the device and back: whichever call fails, the next export is the same. */
TEST(factors_outlive_an_export) {
    enum { ORDER = 40 };
    static float a[ORDER * ORDER], first[ORDER * ORDER], next[ORDER * ORDER];
    test_random random = test_random_start(9);
    clsolve_matrix A = clsolve_matrix_f32(ORDER, ORDER, a), F = clsolve_matrix_f32(ORDER, ORDER, first);
    int64_t pivots[ORDER];
    F.layout = CLSOLVE_ROW_MAJOR;
    for (int i = 0; i < ORDER * ORDER; i++) a[i] = (float)test_random_signed(&random);
    for (int slabs = 0; slabs < 2; slabs++) { /* in one buffer, and in many */
        clsolve_lu_options options = {.panel = CLSOLVE_PANEL_NATIVE, .block = 8, .slab_bytes = slabs};
        OWNED(context) *context = test_context(1);
        OWNED(lu) *lu = NULL;
        const char *failed = "";
        assert_int_equal(clsolve_lu_create(context, ORDER, CLSOLVE_F32, &options, &lu), CLSOLVE_OK);
        assert_int_equal(clsolve_lu_factor(lu, &A), CLSOLVE_OK);
        F.data = first;
        assert_int_equal(clsolve_lu_factors(lu, &F, pivots), CLSOLVE_OK);
        faults_arm(FAULT_DEVICE, INT64_MAX);
        assert_int_equal(clsolve_lu_factors(lu, &F, pivots), CLSOLVE_OK);
        faults_disarm();
        const int64_t stride = fault_bounded_stride(faults_seen());
        for (int64_t k = 0; failed; k += stride) {
            F.data = next;
            faults_arm(FAULT_DEVICE, k);
            clsolve_status status = clsolve_lu_factors(lu, &F, pivots);
            failed = faults_disarm();
            if (!failed) assert_int_equal(status, CLSOLVE_OK);
            assert_int_equal(clsolve_lu_factors(lu, &F, pivots), CLSOLVE_OK);
            assert_memory_equal(next, first, sizeof first);
        }
    }
}

/* More than the device has: the message says how much was wanted and how much there is. */
TEST(no_call_is_forgotten) {
#ifdef CLSOLVE_CUDA
    const char *call = faults_cuda_forgotten();
    if (call) fail_msg("no wrapper for %s in faults_cuda.c", call);
#endif
}

TEST(device_memory) {
    char has[32];
    int64_t n = 1000000;
    OWNED(context) *context = test_context(1);
    clsolve_device_info info = clsolve_context_device(context);
    clsolve_lu *lu = NULL;
    clsolve_status status = clsolve_lu_create(context, n, CLSOLVE_F32, NULL, &lu);
    if (status != CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY) fail_msg("%s", clsolve_status_name(status));
    assert_null(lu);
    (void)snprintf(has, sizeof has, "%lld", (long long)info.global_memory);
    assert_non_null(strstr(clsolve_context_message(context), has));
    /* One number is what there is, another what was wanted: at the least a column. */
    const char *said = clsolve_context_message(context);
    int numbers = 0;
    for (char *end; *said; said = end > said ? end : said + 1)
        numbers += strtoull(said, &end, 10) >= (unsigned long long)n * sizeof(float);
    if (numbers < 2) fail_msg("%s", clsolve_context_message(context));
}

int main(void) {
    test_require_device();
    clsolve_context *context = NULL;
    if (clsolve_context_create(test_selector(), &context) == CLSOLVE_OK) {
        on_cuda = strcmp(clsolve_context_device(context).backend, "cuda") == 0;
        on_pocl = strcmp(clsolve_context_device(context).platform, "Portable Computing Language") == 0;
        in_place = cls_in_place(context->device);
    }
    clsolve_context_destroy(context);
    return test_run(NULL, NULL);
}
