/* A machine without any OpenCL driver (the environment hides them): no devices, and a clear message. */
#include "device_support.h"

static void nothing_is_listed(void **state) {
    (void)state;
    cls_error error = {{0}};
    int64_t count = -1;
    assert_int_equal(cls_devices_list(NULL, 0, &count, &error), CLSOLVE_OK);
    assert_int_equal(count, 0);
}

static void nothing_can_be_opened(void **state) {
    (void)state;
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_listed), cmocka_unit_test(nothing_can_be_opened)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
