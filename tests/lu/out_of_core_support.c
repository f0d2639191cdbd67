#include "lu/out_of_core_support.h"

clsolve_context *ooc_context;
clsolve_type ooc_type;

/* ---- the device's calls, watched: the most memory that was taken at any moment; one that fails ---- */

static cls_device_ops watched;
static const cls_device_ops *plain;
int64_t ooc_base, ooc_peak, ooc_fail_at;

static clsolve_status fail_now(cls_device *device) {
    if (ooc_fail_at == 0 || --ooc_fail_at > 0) return CLSOLVE_OK;
    return cls_fail(device->error, CLSOLVE_ERROR_DEVICE, "made to fail");
}

static clsolve_status buffer_create(cls_device *device, size_t bytes, cls_buffer **buffer) {
    *buffer = NULL;
    CLS_TRY(fail_now(device));
    clsolve_status status = plain->buffer_create(device, bytes, buffer);
    if (device->counters.buffer_bytes - ooc_base > ooc_peak) ooc_peak = device->counters.buffer_bytes - ooc_base;
    return status;
}

static clsolve_status write(cls_device *device, cls_queue queue, cls_buffer *to, const void *host, const cls_rect *rect,
                            const cls_wait *wait, cls_event **done) {
    CLS_TRY(fail_now(device));
    return plain->write(device, queue, to, host, rect, wait, done);
}

static clsolve_status read(cls_device *device, cls_queue queue, cls_buffer *from, void *host, const cls_rect *rect,
                           const cls_wait *wait, cls_event **done) {
    CLS_TRY(fail_now(device));
    return plain->read(device, queue, from, host, rect, wait, done);
}

static clsolve_status launch(cls_device *device, cls_queue queue, cls_kernel *kernel, const cls_grid *grid,
                             const cls_arg *args, int32_t count, const cls_wait *wait, cls_event **done) {
    CLS_TRY(fail_now(device));
    return plain->launch(device, queue, kernel, grid, args, count, wait, done);
}

static clsolve_status mark(cls_device *device, cls_queue queue, cls_event **done) {
    CLS_TRY(fail_now(device));
    return plain->mark(device, queue, done);
}

void ooc_start_watch(void) {
    ooc_base = ooc_context->device->counters.buffer_bytes;
    ooc_peak = 0;
}

/* ---- handles ---- */

double *ooc_doubles(int64_t count) {
    return test_elements(CLSOLVE_C64, count);
}

int64_t ooc_size_of(clsolve_type t) {
    return cls_type_size(t);
}

int64_t ooc_least_limit(clsolve_type t, int64_t n, int32_t block) {
    clsolve_lu_options options = test_lu_options();
    clsolve_lu *lu = NULL;
    options.block = block;
    options.memory_limit = 1;
    long long wants = 0;
    OOC_EXPECT(clsolve_lu_create(ooc_context, n, t, &options, &lu), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY, "wants");
    assert_null(lu);
    assert_int_equal(sscanf(strstr(clsolve_context_message(ooc_context), "wants"), "wants %lld", &wants), 1);
    return wants;
}

clsolve_lu *ooc_make(clsolve_type t, int64_t n, const clsolve_lu_options *options) {
    clsolve_lu *lu = NULL;
    clsolve_lu_options mine = {0};
    if (options) mine = *options;
    mine.panel = test_lu_options().panel;
    if (clsolve_lu_create(ooc_context, n, t, &mine, &lu) != CLSOLVE_OK)
        fail_msg("create, limit %lld: %s", (long long)mine.memory_limit, clsolve_context_message(ooc_context));
    return lu;
}

clsolve_report ooc_report_of(const clsolve_lu *lu) {
    clsolve_report report;
    assert_int_equal(clsolve_lu_report(lu, &report), CLSOLVE_OK);
    return report;
}

void ooc_check(clsolve_lu *lu, test_random *random, clsolve_type t, clsolve_layout layout, int64_t n, int64_t nrhs,
               const double *A, int64_t singular) {
    SCRATCH double *LU = ooc_doubles(n * n), *B = ooc_doubles(n * nrhs), *X = ooc_doubles(n * nrhs);
    SCRATCH int64_t *ipiv = test_room(n + 1, sizeof *ipiv);
    test_matrix a = test_matrix_make(t, layout, n, n, 3), f = test_matrix_make(t, layout, n, n, 1);

    test_matrix_set(&a, A);
    clsolve_status status = clsolve_lu_factor(lu, &a.view);
    if (status != (singular ? CLSOLVE_SINGULAR : CLSOLVE_OK)) fail_msg("%s", clsolve_context_message(ooc_context));
    assert_int_equal(ooc_report_of(lu).info, singular);
    assert_int_equal(clsolve_lu_factors(lu, &f.view, ipiv), CLSOLVE_OK);
    test_matrix_get(&f, LU);
    test_matrix_spare_intact(&f);
    double ratio = ratio_factors(t, n, A, LU, ipiv);
    if (!(ratio < RATIO_BOUND)) fail_msg("factors' ratio %g", ratio);

    for (int op = CLSOLVE_NO_TRANS; op <= CLSOLVE_CONJ_TRANS; ++op) {
        scratch_matrix b = test_matrix_make(t, layout, n, nrhs, 2);
        for (int64_t k = 0; k < test_numbers(t, n * nrhs); ++k) B[k] = test_rounded(t, test_random_signed(random));
        test_matrix_set(&b, B);
        status = clsolve_lu_solve(lu, (clsolve_op)op, &b.view);
        test_matrix_get(&b, X);
        test_matrix_spare_intact(&b);
        assert_int_equal(status, singular ? CLSOLVE_SINGULAR : CLSOLVE_OK);
        ratio = singular ? 0 : ratio_solve(t, (clsolve_op)op, n, nrhs, A, X, B);
        if (!(ratio < RATIO_BOUND)) fail_msg("op %d, type %d, layout %d: ratio %g", op, (int)t, (int)layout, ratio);
        for (int64_t k = 0; singular && k < test_numbers(t, n * nrhs); ++k) assert_true(X[k] == B[k]);
    }
    test_matrix_free(&a);
    test_matrix_free(&f);
}

int ooc_open(void **state) {
    ooc_context = test_context(1);
    ooc_type = clsolve_context_device(ooc_context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    plain = ooc_context->device->ops;
    watched = *plain;
    watched.buffer_create = buffer_create;
    watched.write = write;
    watched.read = read;
    watched.launch = launch;
    watched.mark = mark;
    ooc_context->device->ops = &watched;
    return 0;
}

int ooc_close(void **state) {
    ooc_context->device->ops = plain;
    clsolve_context_destroy(ooc_context);
    return 0;
}
