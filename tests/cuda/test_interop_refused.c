/* What clsolve/cuda.h refuses of a caller's own CUDA: memory that is not there, another device's, streams of another device. */
#include "cuda/caller.h"

#define REFUSED(call, text) TEST_EXPECT(context, call, CLSOLVE_ERROR_INVALID_ARGUMENT, text)

TEST(bad_memory_is_refused) {
    SCRATCH double *A = random_values(8, N * N);
    device_matrix a = put(CLSOLVE_COLUMN_MAJOR, N, N, A);
    clsolve_lu *lu = make();
    clsolve_matrix bad = a.view;
    CUevent none = NULL;
    bad.data = A; /* the host's */
    REFUSED(clsolve_lu_factor(lu, &bad), "no memory on a CUDA device");
    bad = a.view, bad.offset += BEHIND; /* beyond the end */
    assert_int_equal(clsolve_lu_factor(lu, &bad), CLSOLVE_ERROR_INVALID_ARGUMENT);
    bad = a.host.view;
    REFUSED(clsolve_lu_factor_enqueue(lu, &bad, NULL), "clsolve_cuda_matrix()");
    REFUSED(clsolve_lu_factor_enqueue(lu, &a.view, EVENTS(1, NULL, NULL)), "wait list");
    REFUSED(clsolve_lu_factor_enqueue(lu, &a.view, EVENTS(-1, NULL, NULL)), "wait list");
    REFUSED(clsolve_lu_factor_enqueue(lu, &a.view, EVENTS((int64_t)1 << 32, &none, NULL)), "wait list");
    WORKS(clsolve_lu_factor(lu, &a.view)); /* none of that stays */
    clsolve_lu_destroy(lu);

    /* A context of the library's own takes none, for its stream and the caller's are in no order. */
    clsolve_context *plain = NULL;
    assert_int_equal(clsolve_context_create(test_selector(), &plain), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_create(plain, N, type, NULL, &lu), CLSOLVE_OK);
    assert_int_equal(clsolve_lu_factor(lu, &a.view), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(clsolve_context_message(plain), "clsolve_context_create_cuda"));
    clsolve_lu_destroy(lu);
    clsolve_context_destroy(plain);
    drop(&a);
}

TEST(memory_of_another_device_is_refused) {
    SCRATCH double *A = random_values(12, N * N);
    CUdevice other = id == 0 ? 1 : 0;
    CUcontext there = NULL, popped = NULL;
    CUdeviceptr memory = 0;
    int count = 0;
    CU(cu.device_count(&count));
    if (count < 2) skip();
    CU(cu.primary_retain(&there, other));
    CU(cu.context_push(there));
    CU(cu.memory_alloc(&memory, N * N * sizeof *A));
    CU(cu.context_pop(&popped));
    clsolve_lu *lu = make();
    clsolve_matrix bad = clsolve_cuda_matrix(type, CLSOLVE_COLUMN_MAJOR, N, N, N, (void *)(uintptr_t)memory, 0);
    REFUSED(clsolve_lu_factor(lu, &bad), "another CUDA device");
    REFUSED(clsolve_lu_factor_enqueue(lu, &bad, NULL), "another CUDA device");
    clsolve_lu_destroy(lu);
    CU(cu.context_push(there));
    CU(cu.memory_free(memory));
    CU(cu.context_pop(&popped));
    CU(cu.primary_release(other));
}

/* What counts is what is left behind it. */
TEST(a_pointer_into_an_allocation) {
    SCRATCH double *A = random_values(13, N * N);
    size_t size = type == CLSOLVE_F64 ? 8 : 4;
    device_matrix a = put(CLSOLVE_COLUMN_MAJOR, N, N, A);
    clsolve_lu *lu = make();
    clsolve_matrix within = a.view;
    within.data = (char *)a.view.data + OFFSET * size;
    within.offset = 0;
    WORKS(clsolve_lu_factor(lu, &within));
    within.data = (char *)within.data + 2 * BEHIND * size; /* the last elements are beyond */
    assert_int_equal(clsolve_lu_factor(lu, &within), CLSOLVE_ERROR_INVALID_ARGUMENT);
    clsolve_lu_destroy(lu);
    drop(&a);
}

TEST(bad_devices_are_refused) {
    int count = 0;
    char message[512] = "";
    clsolve_context_options options = {.message = message, .message_size = sizeof message};
    clsolve_context *other = context;
    CU(cu.device_count(&count));
    assert_int_equal(clsolve_context_create_cuda(count, NULL, &options, &other), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_null(other);
    assert_non_null(strstr(message, "clsolve_context_create_cuda"));
    assert_int_equal(clsolve_context_create_cuda(-1, NULL, &options, &other), CLSOLVE_ERROR_INVALID_ARGUMENT);
    if (count < 2) return;
    assert_int_equal(clsolve_context_create_cuda((int)id == 0 ? 1 : 0, stream, &options, &other),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(message, "another device"));
    assert_context_is_ours();
}

int main(void) {
    return CALLER_RUN;
}
