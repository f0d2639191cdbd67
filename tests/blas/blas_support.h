/* blas_support.h: what tests share that multiply, or solve with triangles, on a device of their own. */
#ifndef CLS_TEST_BLAS_SUPPORT_H
#define CLS_TEST_BLAS_SUPPORT_H

#include "device/device_support.h"

#include "blas/blas.h"

/* The device under test with its BLAS, as test_device. */
static inline cls_device *test_blas_device(const char *cache_folder, cls_error *error) {
    cls_device *device = test_device(cache_folder, error);
    assert_ok(device, cls_blas_create(device));
    return device;
}

#endif
