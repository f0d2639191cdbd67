/*
 * A machine without any OpenCL driver (the environment hides them), and without NVIDIA's: no devices, and a clear message. In a
 * build with CUDA, too: it loads that driver only if it is there.
 */
#include "device_support.h"

#include <clsolve/cuda.h>

TEST(nothing_is_listed) {
    cls_error error = {{0}};
    int64_t count = -1;
    assert_int_equal(cls_devices_list(NULL, 0, &count, &error), CLSOLVE_OK);
    assert_int_equal(count, 0);
}

TEST(nothing_can_be_opened) {
    const char *selectors[] = {NULL, "", "gpu", "opencl:0", "a name"};
    for (size_t i = 0; i < sizeof selectors / sizeof selectors[0]; i++) {
        cls_error error = {{0}};
        cls_device *device = (cls_device *)&error;
        assert_int_equal(cls_device_open(selectors[i], NULL, &error, &device), CLSOLVE_ERROR_NO_DEVICE);
        assert_null(device);
        assert_non_null(strstr(error.text, "no OpenCL device found: no driver is installed, or none could be loaded"));
    }
    cls_device *device = NULL;
    assert_int_equal(cls_device_open("gpu", NULL, NULL, &device), CLSOLVE_ERROR_NO_DEVICE);
}

/* Each backend says what is missing. */
TEST(cuda_says_why) {
    cls_error error = {{0}};
    char message[1024] = "";
    cls_device *device = (cls_device *)&error;
    assert_int_equal(cls_device_open("cuda:0", NULL, &error, &device), CLSOLVE_ERROR_NO_DEVICE);
    assert_null(device);
    clsolve_context_options options = {.message = message, .message_size = sizeof message};
    clsolve_context *context = (clsolve_context *)&error;
    clsolve_status status = clsolve_context_create_cuda(0, NULL, &options, &context);
    assert_null(context);
#ifdef CLSOLVE_CUDA
    assert_non_null(strstr(error.text, "no CUDA device found: "));
    assert_null(strstr(error.text, "OpenCL")); /* nobody asked */
    assert_int_equal(status, CLSOLVE_ERROR_NO_DEVICE);
    assert_non_null(strstr(message, "no CUDA device: "));
#else
    assert_non_null(strstr(error.text, "this build has no CUDA backend"));
    assert_non_null(strstr(error.text, "-DCLSOLVE_CUDA=ON"));
    assert_null(strstr(error.text, "OpenCL")); /* nobody asked */
    assert_int_equal(status, CLSOLVE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(message, "built without CUDA"));
#endif
}

int main(void) {
    cls_error error = {{0}};
    int64_t count = 0;
    if (cls_devices_list(NULL, 0, &count, &error) == CLSOLVE_OK && count > 0) {
        fprintf(stderr, "skipped: NVIDIA's driver is here, and nothing hides it\n");
        return TEST_SKIPPED;
    }
    return test_run(NULL, NULL);
}
