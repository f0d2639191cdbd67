/* Bands and right-hand sides in the caller's own OpenCL buffers: they never cross to the host, and what is beside them stays. */
#include <clsolve/clsolve.h>
#include <clsolve/opencl.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/context.h"
#include "band/band_support.h"

enum { N = 90, KL = 5, KU = 8, ROWS = KL + KU + 1, NRHS = 3, OFFSET = 19 };

static cl_context cl;
static cl_device_id id;
static cl_command_queue queue;
static clsolve_context *context;
static clsolve_type type;

/* The device that the tests are to run on, found by the name that the library gives it. */
static int find_device(void) {
    clsolve_context *any = test_context(1);
    clsolve_device_info info = clsolve_context_device(any);
    cl_platform_id platforms[16];
    cl_uint count = 0;
    clsolve_context_destroy(any);
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return 0;
    for (cl_uint p = 0; p < count && p < 16; p++) {
        cl_device_id ids[16];
        cl_uint devices = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, ids, &devices) != CL_SUCCESS) continue;
        for (cl_uint d = 0; d < devices && d < 16; d++) {
            char name[256] = "";
            (void)clGetDeviceInfo(ids[d], CL_DEVICE_NAME, sizeof name, name, NULL);
            if (strstr(name, info.name)) {
                id = ids[d];
                return 1;
            }
        }
    }
    return 0;
}

static int open_all(void **state) {
    cl_int code = CL_SUCCESS;
    (void)state;
    if (!find_device()) return -1;
    cl = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    if (cl) queue = clCreateCommandQueue(cl, id, 0, &code);
    if (code != CL_SUCCESS) return -1;
    if (clsolve_context_create_opencl(cl, id, queue, NULL, &context) != CLSOLVE_OK) return -1;
    type = clsolve_context_device(context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    return 0;
}

static int close_all(void **state) {
    (void)state;
    int64_t left = context->device->counters.buffers;
    clsolve_context_destroy(context);
    (void)clReleaseCommandQueue(queue);
    (void)clReleaseContext(cl);
    return left == 0 ? 0 : -1;
}

static size_t size_of(const test_matrix *m) {
    return (size_t)(m->lines * m->view.ld) * (type == CLSOLVE_F64 ? 8 : 4);
}

static size_t before(void) {
    return OFFSET * (type == CLSOLVE_F64 ? 8u : 4u);
}

static cl_mem put(const test_matrix *m, clsolve_matrix *view) {
    cl_int code = CL_SUCCESS;
    cl_mem memory = clCreateBuffer(cl, CL_MEM_READ_WRITE, before() + size_of(m), NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clEnqueueWriteBuffer(queue, memory, CL_TRUE, before(), size_of(m), m->memory, 0, NULL, NULL), 0);
    *view = clsolve_opencl_matrix(type, m->view.layout, m->view.rows, m->view.cols, m->view.ld, memory, OFFSET);
    return memory;
}

static void both_on_the_device(clsolve_panel panel, clsolve_band_form form) {
    test_random random = test_random_start(1);
    test_band A = test_band_random(&random, type, N, KL, KU, 0);
    test_matrix ab = test_band_view(&A, form, CLSOLVE_COLUMN_MAJOR, 2, (double)NAN);
    test_matrix b = test_matrix_make(type, CLSOLVE_COLUMN_MAJOR, N, NRHS, 3);
    double *B = test_doubles((int64_t)N * NRHS), *X = test_doubles((int64_t)N * NRHS);
    clsolve_band_options options = {.form = form, .panel = panel, .block = 16};
    clsolve_band *band = NULL;
    clsolve_matrix ab_view, b_view;
    clsolve_report report;

    for (int k = 0; k < N * NRHS; ++k) B[k] = test_rounded(type, test_random_signed(&random));
    test_matrix_set(&b, B);
    cl_mem ab_memory = put(&ab, &ab_view), b_memory = put(&b, &b_view);
    BAND_EXPECT(context, clsolve_band_create(context, N, KL, KU, type, &options, &band), CLSOLVE_OK);
    BAND_EXPECT(context, clsolve_band_factor(band, &ab_view), CLSOLVE_OK);
    assert_int_equal(clsolve_band_report(band, &report), CLSOLVE_OK);
    if (panel == CLSOLVE_PANEL_NATIVE) assert_int_equal(report.bytes_up, 0);
    BAND_EXPECT(context, clsolve_band_solve(band, CLSOLVE_NO_TRANS, &b_view), CLSOLVE_OK);
    assert_int_equal(clEnqueueReadBuffer(queue, b_memory, CL_TRUE, before(), size_of(&b), b.memory, 0, NULL, NULL), 0);
    test_matrix_get(&b, X);
    test_matrix_spare_intact(&b);
    assert_true(test_band_ratio(&A, CLSOLVE_NO_TRANS, NRHS, X, B) < RATIO_BOUND);

    /* Beyond the buffer; row-major; a handle that keeps its copy on the host. */
    ab_view.offset += 8 * ab_view.ld;
    BAND_EXPECT(context, clsolve_band_factor(band, &ab_view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    ab_view.offset -= 8 * ab_view.ld;
    ab_view.layout = CLSOLVE_ROW_MAJOR;
    ab_view.ld = N;
    BAND_EXPECT(context, clsolve_band_factor(band, &ab_view), CLSOLVE_ERROR_UNSUPPORTED);
    clsolve_band_destroy(band);
    options.refine = 1;
    ab_view = clsolve_opencl_matrix(type, CLSOLVE_COLUMN_MAJOR, ab.view.rows, N, ab.view.ld, ab_memory, OFFSET);
    BAND_EXPECT(context, clsolve_band_create(context, N, KL, KU, type, &options, &band), CLSOLVE_OK);
    BAND_EXPECT(context, clsolve_band_factor(band, &ab_view), CLSOLVE_ERROR_UNSUPPORTED);
    clsolve_band_destroy(band);

    (void)clReleaseMemObject(ab_memory);
    (void)clReleaseMemObject(b_memory);
    test_matrix_free(&ab);
    test_matrix_free(&b);
    test_band_free(&A);
    free(B);
    free(X);
}

static void test_device_views(void **state) {
    (void)state;
    for (int panel = CLSOLVE_PANEL_NATIVE; panel <= CLSOLVE_PANEL_HYBRID; ++panel)
        for (int form = CLSOLVE_BAND_PLAIN; form <= CLSOLVE_BAND_GBTRF; ++form)
            both_on_the_device((clsolve_panel)panel, (clsolve_band_form)form);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_device_views)};
    test_require_device();
    test_require_backend("opencl");
    return cmocka_run_group_tests(tests, open_all, close_all);
}
