/*
 * Two threads, each with devices of its own, call the BLAS provider at once from its very first use on: CLBlast's cache
 * is shared by the whole process, and so it must be guarded, and must survive devices that come and go beside one
 * that stays. Few devices, because a GPU's driver opens them slowly and one after the other.
 */
#include "blas/blas_support.h"

#include <pthread.h>

enum { THREADS = 3, ROUNDS = 2, DEVICES = 4 };

/* [1 3; 2 4] squared, then the solve with its upper half; gives back what went wrong, NULL when nothing did. */
static const char *use(cls_device *device) {
    const float square[4] = {1, 2, 3, 4}, product[4] = {7, 10, 15, 22}, solved[4] = {-0.5f, 2.5f, -1.5f, 5.5f};
    float got[4];
    cls_buffer *buffer = NULL;
    cls_rect in = {16, 1, 0, 16, 16}, out = {16, 1, 32, 16, 16};
    const cls_device_ops *ops = device->ops;
    if (ops->buffer_create(device, 48, &buffer) != CLSOLVE_OK) return "buffer";
    cls_ref A = {buffer, 0, 2}, C = {buffer, 8, 2};
    const char *wrong = NULL;
    if (ops->write(device, CLS_COMPUTE, buffer, square, &in, NULL, NULL) != CLSOLVE_OK)
        wrong = "write";
    else if (cls_gemm(device, CLS_BLAS_DEFAULT, CLSOLVE_F32, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, 2, 2, 2, 1, A, A, 0,
                      C) != CLSOLVE_OK)
        wrong = "gemm";
    else if (ops->read(device, CLS_COMPUTE, buffer, got, &out, NULL, NULL) != CLSOLVE_OK ||
             ops->finish(device, CLS_COMPUTE) != CLSOLVE_OK || memcmp(got, product, sizeof got) != 0)
        wrong = "product";
    else if (cls_trsm(device, CLS_BLAS_DEFAULT, CLSOLVE_F32, CLS_UPPER, CLSOLVE_NO_TRANS, 2, 2, A, C) != CLSOLVE_OK)
        wrong = "trsm";
    else if (ops->read(device, CLS_COMPUTE, buffer, got, &out, NULL, NULL) != CLSOLVE_OK ||
             ops->finish(device, CLS_COMPUTE) != CLSOLVE_OK)
        wrong = "read";
    for (int i = 0; i < 4 && !wrong; i++)
        if (!(got[i] > solved[i] - 1e-5f && got[i] < solved[i] + 1e-5f)) wrong = "solution";
    ops->buffer_destroy(device, buffer);
    return wrong;
}

static const char *open_and_use(void) {
    cls_error error = {{0}};
    cls_device *device = NULL;
    if (cls_device_open(test_selector(), "", &error, &device) != CLSOLVE_OK) return "open";
    if (cls_blas_create(device) != CLSOLVE_OK) return "blas";
    const char *wrong = use(device);
    device->ops->destroy(device);
    return wrong;
}

static void *thread_body(void *result) {
    for (int round = 0; round < ROUNDS && !*(const char **)result; round++) *(const char **)result = open_and_use();
    return NULL;
}

TEST(threads_at_once) {
    pthread_t threads[THREADS];
    const char *wrong[THREADS] = {NULL};
    (void)test_selector();
    for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_create(&threads[t], NULL, thread_body, &wrong[t]), 0);
    for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_join(threads[t], NULL), 0);
    for (int t = 0; t < THREADS; t++) {
        if (wrong[t]) print_error("thread %d: %s\n", t, wrong[t]);
        assert_null(wrong[t]);
    }
}

TEST(devices_come_and_go_beside_one) {
    cls_error error;
    cls_device *stays = test_blas_device("", &error);
    assert_null(use(stays));
    for (int i = 0; i < DEVICES; i++) assert_null(open_and_use());
    assert_null(use(stays));
    stays->ops->destroy(stays);
}

TEST_PROGRAM(NULL, NULL)
