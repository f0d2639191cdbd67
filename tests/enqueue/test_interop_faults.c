/*
 * Each allocation on the host and each call of the driver fails in its turn where matrices in the caller's buffers cross
 * to the host, are kept on the device, or are transposed there, and where a call follows another queue. B is the solution
 * or what it was, A is what it was, no buffer is left, and the handle works again once the fault is gone.
 */
#include <clsolve/clsolve.h>
#include <clsolve/opencl.h>

#include "api/context.h"
#include "api/door.h"
#include "device/staging.h"
#include "support/fault_run.h"
#include "support/opencl_caller.h"
#include "support/test_support.h"

enum { N = 20, NRHS = 2, ROWS = 3, FACTORS = 4 };
/* Handles that keep a copy of A on the device, or, by a limit, on the host; U of a tiny matrix; bands; solvers. */
enum { REFINED, LIMITED, TINY, BAND, BAND_REFINED, JORDAN, SPARSE, FOLLOWED, CASES };

static opencl_caller caller;
static cl_command_queue other;
static cl_mem memory_A, memory_AB, memory_B, memory_F;
static int which;
static int64_t limit;
static float A[N * N], AB[ROWS * N], B[N * NRHS]; /* A is tridiagonal, AB the same matrix by rows of its diagonals */
static int64_t start[N + 1], column[3 * N];
static float value[3 * N];
static double size = 1; /* of A and B */

typedef struct handles {
    clsolve_lu *lu;
    clsolve_band *band;
    clsolve_solver *solver;
} handles;

static clsolve_csr sparse_view(void) {
    return (clsolve_csr){.type = CLSOLVE_F32,
                         .index = CLSOLVE_I64,
                         .rows = N,
                         .cols = N,
                         .row_start = start,
                         .column = column,
                         .values = value};
}

static int solved(const float *Y) {
    for (int i = 0; i < N; i++)
        for (int c = 0; c < NRHS; c++) {
            double sum = 0;
            for (int j = 0; j < N; j++) sum += (double)A[i * N + j] * (double)Y[j * NRHS + c];
            double off = sum - (double)B[i * NRHS + c];
            if (!(fabs(off) <= 1e-3 * size)) return 0;
        }
    return 1;
}

static void write_all(cl_mem memory, const void *values, size_t bytes) {
    assert_int_equal(clEnqueueWriteBuffer(caller.queue, memory, CL_TRUE, 0, bytes, values, 0, NULL, NULL), CL_SUCCESS);
}

static void read_all(cl_mem memory, void *values, size_t bytes) {
    assert_int_equal(clEnqueueReadBuffer(caller.queue, memory, CL_TRUE, 0, bytes, values, 0, NULL, NULL), CL_SUCCESS);
}

/* Row-major, which asks the most of the library. */
static clsolve_matrix view_of(cl_mem memory, int64_t rows, int64_t cols) {
    return clsolve_opencl_matrix(CLSOLVE_F32, CLSOLVE_ROW_MAJOR, rows, cols, cols, memory, 0);
}

static clsolve_status create(handles *h) {
    clsolve_lu_options refined = {.refine = 1, .memory_limit = which == LIMITED ? limit : 0};
    clsolve_lu_options plain = {.refine = which == REFINED || which == LIMITED};
    clsolve_band_options band = {.refine = which == BAND_REFINED, .panel = CLSOLVE_PANEL_NATIVE};
    clsolve_solver_options jordan = {.method = CLSOLVE_METHOD_GAUSS_JORDAN}, lu = {.method = CLSOLVE_METHOD_LU};
    clsolve_matrix a = view_of(memory_A, N, N);
    clsolve_csr csr = sparse_view();
    if (which == BAND || which == BAND_REFINED)
        return clsolve_band_create(caller.context, N, 1, 1, CLSOLVE_F32, &band, &h->band);
    if (which == JORDAN) return clsolve_solver_create(caller.context, &a, &jordan, &h->solver);
    if (which == SPARSE) return clsolve_solver_create_csr(caller.context, &csr, &lu, &h->solver);
    return clsolve_lu_create(caller.context, N, CLSOLVE_F32, which == LIMITED ? &refined : &plain, &h->lu);
}

static clsolve_status factor(handles *h) {
    clsolve_matrix a = view_of(memory_A, N, N), ab = view_of(memory_AB, ROWS, N);
    clsolve_csr csr = sparse_view();
    if (which == FOLLOWED) {
        clsolve_status status = clsolve_context_follow_opencl(caller.context, other);
        if (status != CLSOLVE_OK) return status;
    }
    if (h->band) return clsolve_band_factor(h->band, &ab);
    if (which == JORDAN) return clsolve_solver_factor(h->solver, &a);
    if (which == SPARSE) return clsolve_solver_factor_csr(h->solver, &csr);
    return clsolve_lu_factor(h->lu, &a);
}

static clsolve_status solve(handles *h) {
    clsolve_matrix b = view_of(memory_B, N, NRHS);
    if (h->band) return clsolve_band_solve(h->band, CLSOLVE_NO_TRANS, &b);
    if (h->solver) return clsolve_solver_solve(h->solver, CLSOLVE_NO_TRANS, &b);
    return clsolve_lu_solve(h->lu, CLSOLVE_NO_TRANS, &b);
}

static clsolve_status factors(handles *h) {
    clsolve_matrix full = view_of(memory_F, N, N), band = view_of(memory_F, FACTORS, N);
    if (h->band) return clsolve_band_factors(h->band, &band, NULL);
    return which == TINY ? clsolve_lu_factors(h->lu, &full, NULL) : CLSOLVE_OK;
}

static clsolve_status work(handles *h) {
    clsolve_status status = factor(h);
    if (status == CLSOLVE_OK) status = factors(h);
    return status == CLSOLVE_OK ? solve(h) : status;
}

static void release(handles *h) {
    clsolve_lu_destroy(h->lu);
    clsolve_band_destroy(h->band);
    clsolve_solver_destroy(h->solver);
}

static fault_outcome scenario(const char **failed) {
    fault_outcome out = {CLSOLVE_OK, ""};
    handles h = {NULL, NULL, NULL};
    float Y[N * NRHS], back[N * N];
    int64_t buffers = caller.context->device->counters.buffers;

    out.status = create(&h);
    if (out.status == CLSOLVE_OK) out.status = work(&h);
    *failed = faults_disarm();
    if (out.status != CLSOLVE_OK)
        (void)snprintf(out.message, sizeof out.message, "%s", clsolve_context_message(caller.context));
    read_all(memory_B, Y, sizeof Y);
    if (memcmp(Y, B, sizeof Y) != 0 || out.status == CLSOLVE_OK) assert_true(solved(Y));
    read_all(memory_A, back, sizeof back);
    assert_memory_equal(back, A, sizeof A);
    write_all(memory_B, B, sizeof B);
    if (out.status != CLSOLVE_OK && (h.lu || h.band || h.solver)) {
        if (work(&h) != CLSOLVE_OK) fail_msg("case %d: %s", which, clsolve_context_message(caller.context));
        read_all(memory_B, Y, sizeof Y);
        assert_true(solved(Y));
        write_all(memory_B, B, sizeof B);
    }
    release(&h);
    cls_staging_destroy(caller.context->device); /* which slots there are depends on the time */
    assert_int_equal(caller.context->device->counters.buffers, buffers);
    return out;
}

/* Tridiagonal, times `size`. */
static void set_matrix(double wanted) {
    test_random random = test_random_start(1);
    int64_t entries = 0;
    size = wanted;
    memset(A, 0, sizeof A);
    memset(AB, 0, sizeof AB);
    for (int i = 0; i < N; i++) {
        start[i] = entries;
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++) {
            A[i * N + j] = (float)((test_random_signed(&random) + (i == j ? 4 : 0)) * size);
            AB[(1 + i - j) * N + j] = A[i * N + j];
            column[entries] = j;
            value[entries++] = A[i * N + j];
        }
    }
    start[N] = entries;
    for (int k = 0; k < N * NRHS; k++) B[k] = (float)(test_random_signed(&random) * size);
    write_all(memory_A, A, sizeof A);
    write_all(memory_AB, AB, sizeof AB);
    write_all(memory_B, B, sizeof B);
}

/* The least limit under which the matrix is in core. */
static void find_limit(void) {
    clsolve_report report = {.host_bytes = 1};
    which = LIMITED;
    for (limit = 4096; report.host_bytes > 0; limit += 2048) {
        handles h = {NULL, NULL, NULL};
        if (create(&h) != CLSOLVE_OK) continue;
        assert_int_equal(clsolve_lu_report(h.lu, &report), CLSOLVE_OK);
        release(&h);
    }
    limit -= 2048;
}

TEST(each_call) {
    set_matrix(1);
    find_limit();
    for (which = 0; which < CASES; which++) {
        const char *failed = NULL;
        set_matrix(which == TINY ? ldexp(1, -120) : 1);
        faults_arm(FAULT_DEVICE, INT64_MAX);
        fault_outcome out = scenario(&failed);
        if (out.status != CLSOLVE_OK) fail_msg("case %d: %s", which, out.message); /* warms the driver's own caches */
        fault_all(1, 3, scenario);
    }
}

/* A call that fails while a matrix is looked at finds nothing, leaves no message, and the next look finds what is there. */
TEST(each_look) {
    cls_device *device = caller.context->device;
    cls_symmetric_checker *checker = &caller.context->symmetric[0];
    float identity[N * N] = {0};
    const int64_t buffers = device->counters.buffers;
    const char *failed = "";
    int missed = 0;
    for (int i = 0; i < N; i++) identity[i * (N + 1)] = 1;
    write_all(memory_A, identity, sizeof identity);
    const clsolve_matrix view = view_of(memory_A, N, N);
    cls_symmetric_checker_destroy(device, checker);
    for (int kind = FAULT_ALLOCATION; kind <= FAULT_DEVICE; kind++)
        for (int64_t k = 0; failed || k == 0; k++) {
            caller.context->error.text[0] = '\0';
            faults_arm((fault_kind)kind, k);
            const int found = cls_context_is_symmetric_there(caller.context, &view, CLSOLVE_SYMMETRY_HERMITIAN, 1);
            failed = faults_disarm();
            missed += !found;
            assert_true(found || failed);
            assert_true(caller.context->error.text[0] == '\0');
            if (checker->unusable) { /* a build that failed is not tried again */
                assert_int_equal(cls_context_is_symmetric_there(caller.context, &view, CLSOLVE_SYMMETRY_HERMITIAN, 1),
                                 0);
                cls_symmetric_checker_destroy(device, checker);
            }
            assert_int_equal(cls_context_is_symmetric_there(caller.context, &view, CLSOLVE_SYMMETRY_HERMITIAN, 1), 1);
            cls_symmetric_checker_destroy(device, checker);
            cls_staging_destroy(device);
            assert_int_equal(device->counters.buffers, buffers);
        }
    assert_true(missed > 3);
}

static cl_mem make(size_t bytes) {
    return clCreateBuffer(caller.cl, CL_MEM_READ_WRITE, bytes, NULL, NULL);
}

static int open_all(void **state) {
    cl_int code = CL_SUCCESS;
    if (opencl_caller_open(&caller) != 0) return -1;
    other = clCreateCommandQueue(caller.cl, caller.id, 0, &code);
    memory_A = make(sizeof A);
    memory_AB = make(sizeof AB);
    memory_B = make(sizeof B);
    memory_F = make(sizeof A);
    return other && memory_A && memory_AB && memory_B && memory_F ? 0 : -1;
}

static int close_all(void **state) {
    cl_mem all[] = {memory_A, memory_AB, memory_B, memory_F};
    for (size_t m = 0; m < sizeof all / sizeof *all; m++) (void)clReleaseMemObject(all[m]);
    (void)clReleaseCommandQueue(other);
    return opencl_caller_close(&caller);
}

TEST_PROGRAM_OF("opencl", open_all, close_all)
