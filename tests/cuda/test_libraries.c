/* Which NVRTC and cuBLAS are taken for a driver: none of a newer major of CUDA, whatever the name of its file. */
#include "support/test_support.h"

#include <dlfcn.h>

#include "device/cuda/driver.h"

static cls_cuda_driver driver;

static int most(void) {
    return driver.cuda / 1000;
}

/* The stand-in's are of CUDA 13 and not for an older driver; another one may be installed that is. */
static bool wanted(clsolve_status status, const cls_error *error) {
    if (status == CLSOLVE_OK) return true;
    assert_int_equal(status, CLSOLVE_ERROR_UNSUPPORTED);
    assert_true(most() < 13);
    if (!strstr(error->text, "newer than the driver")) fail_msg("%s", error->text);
    return false;
}

TEST(nvrtc_is_not_newer) {
    cls_cuda_nvrtc nvrtc;
    cls_error error = {{0}};
    int major = 0, minor = 0;
    if (!wanted(cls_cuda_nvrtc_load(&nvrtc, driver.cuda, &error), &error)) return;
    assert_int_equal(nvrtc.version(&major, &minor), NVRTC_SUCCESS);
    assert_in_range(major, 11, most());
    cls_cuda_library_close(nvrtc.library);
}

TEST(cublas_is_not_newer) {
    cls_cuda_cublas cublas;
    cls_error error = {{0}};
    if (!wanted(cls_cuda_cublas_load(&cublas, driver.cuda, &error), &error)) return;
    __typeof__(cublasGetProperty) *ask = NULL;
    void *address = dlsym(cublas.library, "cublasGetProperty");
    int major = 0;
    assert_non_null(address);
    memcpy(&ask, &address, sizeof ask);
    assert_int_equal(ask(MAJOR_VERSION, &major), CUBLAS_STATUS_SUCCESS);
    assert_in_range(major, 11, most());
    cls_cuda_library_close(cublas.library);
}

/* For what needs no driver. */
TEST(any_will_do) {
    cls_cuda_nvrtc nvrtc;
    cls_error error = {{0}};
    assert_int_equal(cls_cuda_nvrtc_load(&nvrtc, 0, &error), CLSOLVE_OK);
    cls_cuda_library_close(nvrtc.library);
}

int main(void) {
    char why[256];
    if (!cls_cuda_driver_load(&driver, why, sizeof why)) {
        fprintf(stderr, "skipped: no CUDA device here: %s\n", why);
        return TEST_SKIPPED;
    }
    int failed = test_run(NULL, NULL);
    cls_cuda_driver_unload(&driver);
    return failed;
}
