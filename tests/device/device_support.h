/* device_support.h: what the tests of the device layer share. */
#ifndef CLS_TEST_DEVICE_SUPPORT_H
#define CLS_TEST_DEVICE_SUPPORT_H

#include "support/test_support.h"

#include "device/device.h"
#include "device/ref.h"

/* The device under test; its message goes to `error`. Fails the test when there is none. */
static inline cls_device *test_device(const char *cache_folder, cls_error *error) {
    cls_device *device = NULL;
    memset(error, 0, sizeof *error);
    if (cls_device_open(test_selector(), cache_folder, error, &device) != CLSOLVE_OK) {
        print_error("%s\n", error->text);
        fail();
    }
    test_spare_simulator(device);
    return device;
}

/* The call succeeds, else the device's message is shown. */
#define assert_ok(device, call)                                                                                        \
    do {                                                                                                               \
        clsolve_status status_ = (call);                                                                               \
        if (status_ != CLSOLVE_OK) print_error("%s\n", (device)->error->text);                                         \
        assert_int_equal(status_, CLSOLVE_OK);                                                                         \
    } while (0)

/* All of `bytes` up, or down, and waited for. */
static inline void test_upload(cls_device *device, cls_buffer *buffer, const void *host, size_t bytes) {
    cls_rect all = {bytes, 1, 0, bytes, bytes};
    assert_ok(device, device->ops->write(device, CLS_COMPUTE, buffer, host, &all, NULL, NULL));
    assert_ok(device, device->ops->finish(device, CLS_COMPUTE));
}

static inline void test_download(cls_device *device, cls_buffer *buffer, void *host, size_t bytes) {
    cls_rect all = {bytes, 1, 0, bytes, bytes};
    assert_ok(device, device->ops->read(device, CLS_COMPUTE, buffer, host, &all, NULL, NULL));
    assert_ok(device, device->ops->finish(device, CLS_COMPUTE));
}

#endif
