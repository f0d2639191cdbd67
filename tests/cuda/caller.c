#define _POSIX_C_SOURCE 200809L

#include "cuda/caller.h"

#include "base/type.h"

cls_cuda_driver cu;
CUdevice id;
CUcontext own;
CUstream stream;
clsolve_context *context;
clsolve_type type;

int caller_begins(void) {
    char why[256];
    int count = 0;
    if (!cls_cuda_driver_load(&cu, why, sizeof why) || cu.device_count(&count) != CUDA_SUCCESS || count == 0) {
        fprintf(stderr, "skipped: no CUDA device here: %s\n", why);
        return 0;
    }
    /* Of the caller's side this is about CUDA, whatever else the tests are to run on. */
    const char *wanted = test_selector();
    int number = 0;
    if (wanted && sscanf(wanted, "cuda:%d", &number) == 1) id = number;
    if (!wanted || strncmp(wanted, "cuda", 4) != 0) (void)setenv("CLSOLVE_TEST_DEVICE", "cuda:0", 1);
    return 1;
}

int caller_ends(int failed) {
    cls_cuda_driver_unload(&cu);
    return failed;
}

int caller_opens(void **state) {
    char message[512] = "";
    clsolve_context_options options = {.message = message, .message_size = sizeof message};
    if (cu.primary_retain(&own, id) != CUDA_SUCCESS || cu.context_push(own) != CUDA_SUCCESS) return -1;
    if (cu.stream_create(&stream, CU_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS) return -1;
    if (clsolve_context_create_cuda((int)id, stream, &options, &context) != CLSOLVE_OK) {
        print_error("%s\n", message);
        return -1;
    }
    type = clsolve_context_device(context).fp64 ? CLSOLVE_F64 : CLSOLVE_F32;
    return 0;
}

int caller_closes(void **state) {
    CUcontext popped = NULL;
    clsolve_context_destroy(context);
    if (cu.stream_destroy(stream) != CUDA_SUCCESS) return -1; /* still the caller's */
    if (cu.context_pop(&popped) != CUDA_SUCCESS || popped != own) return -1;
    return cu.primary_release(id) == CUDA_SUCCESS ? 0 : -1;
}

device_matrix put(clsolve_layout layout, int64_t rows, int64_t cols, const double *values) {
    device_matrix d;
    size_t size = (size_t)cls_type_size(type);
    d.host = test_matrix_make(type, layout, rows, cols, 3);
    test_matrix_set(&d.host, values);
    d.before = OFFSET * size;
    d.bytes = (size_t)(d.host.lines * d.host.view.ld) * size;
    CU(cu.memory_alloc(&d.memory, d.before + d.bytes + BEHIND));
    CU(cu.set_bytes(d.memory, 0x5a, d.before + d.bytes + BEHIND, stream));
    CU(cu.copy_up(d.memory + d.before, d.host.memory, d.bytes, stream));
    d.view = clsolve_cuda_matrix(type, layout, rows, cols, d.host.view.ld, (void *)(uintptr_t)d.memory, OFFSET);
    return d;
}

void get(device_matrix *d, double *values) {
    size_t all = d->before + d->bytes + BEHIND;
    SCRATCH char *copy = malloc(all);
    assert_non_null(copy);
    CU(cu.copy_down(copy, d->memory, all, stream));
    CU(cu.stream_wait(stream));
    for (size_t i = 0; i < all; i++)
        if (i < d->before || i >= d->before + d->bytes) assert_int_equal(copy[i], 0x5a);
    memcpy(d->host.memory, copy + d->before, d->bytes);
    test_matrix_spare_intact(&d->host);
    test_matrix_get(&d->host, values);
}

void drop(device_matrix *d) {
    CU(cu.memory_free(d->memory));
    test_matrix_free(&d->host);
}

double *random_values(uint64_t use, int64_t count) {
    test_random random = test_random_start(use);
    double *values = test_doubles(count);
    for (int64_t k = 0; k < count; k++) values[k] = test_rounded(type, test_random_signed(&random));
    return values;
}

void assert_same(const double *a, const double *b, int64_t count) {
    for (int64_t k = 0; k < count; k++) assert_true(a[k] == b[k]);
}

clsolve_lu *make(void) {
    clsolve_lu *lu = NULL;
    WORKS(clsolve_lu_create(context, N, type, NULL, &lu));
    return lu;
}

void assert_context_is_ours(void) {
    CUdevice now = -1;
    CUcontext popped = NULL;
    CU(cu.context_device(&now));
    assert_int_equal(now, id);
    CU(cu.context_pop(&popped));
    assert_ptr_equal(popped, own);
    CU(cu.context_push(own));
}

static CUstream other_stream;

device_matrix put_elsewhere(int64_t rows, int64_t cols, const double *values, CUevent *there) {
    device_matrix a = put(CLSOLVE_COLUMN_MAJOR, rows, cols, values);
    CU(cu.set_bytes(a.memory + a.before, 0, a.bytes, stream));
    CU(cu.stream_wait(stream));
    if (!other_stream) CU(cu.stream_create(&other_stream, CU_STREAM_NON_BLOCKING, 0));
    CU(cu.copy_up(a.memory + a.before, a.host.memory, a.bytes, other_stream));
    CU(cu.event_create(there, CU_EVENT_DISABLE_TIMING));
    CU(cu.event_record(*there, other_stream));
    return a;
}

void finish_event(CUevent event) {
    CU(cu.event_wait(event));
    CU(cu.event_destroy(event));
}

void context_is_ours(void **state) {
    (void)state;
    assert_context_is_ours();
    if (other_stream) CU(cu.stream_destroy(other_stream));
    other_stream = NULL;
}
