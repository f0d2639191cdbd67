/* Device memory: created and counted, refused when it cannot fit, filled, copied, mapped; pinned memory. */
#include "device_support.h"

static cls_error error;
static cls_device *device;

static int open_device(void **state) {
    device = test_device("", &error);
    return 0;
}

static int close_device(void **state) {
    int64_t left = device->counters.buffers, bytes = device->counters.buffer_bytes;
    device->ops->destroy(device);
    return left == 0 && bytes == 0 ? 0 : -1;
}

TEST(are_counted) {
    cls_buffer *one = NULL, *two = NULL;
    assert_ok(device, device->ops->buffer_create(device, 1000, &one));
    assert_ok(device, device->ops->buffer_create(device, 24, &two));
    assert_int_equal(device->counters.buffers, 2);
    assert_int_equal(device->counters.buffer_bytes, 1024);
    device->ops->buffer_destroy(device, one);
    assert_int_equal(device->counters.buffers, 1);
    assert_int_equal(device->counters.buffer_bytes, 24);
    device->ops->buffer_destroy(device, two);
    device->ops->buffer_destroy(device, NULL);
    assert_int_equal(device->counters.buffers, 0);
}

TEST(zero_bytes_are_fine) {
    cls_buffer *buffer = NULL;
    assert_ok(device, device->ops->buffer_create(device, 0, &buffer));
    assert_non_null(buffer);
    assert_int_equal(device->counters.buffer_bytes, 0);
    assert_ok(device, device->ops->fill(device, CLS_COMPUTE, buffer, 0, 0, 1));
    assert_ok(device, device->ops->copy(device, CLS_COMPUTE, buffer, 0, buffer, 0, 0));
    device->ops->buffer_destroy(device, buffer);
}

TEST(too_large_is_refused) {
    const size_t sizes[] = {(size_t)device->info.max_allocation + 1, (size_t)device->info.global_memory + 1,
                            SIZE_MAX / 2, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char wanted[32], has[32];
        cls_buffer *buffer = (cls_buffer *)&error;
        assert_int_equal(device->ops->buffer_create(device, sizes[i], &buffer), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY);
        assert_null(buffer);
        (void)snprintf(wanted, sizeof wanted, "%zu", sizes[i]);
        (void)snprintf(has, sizeof has, "%lld", (long long)device->info.global_memory);
        assert_non_null(strstr(error.text, wanted));
        assert_non_null(strstr(error.text, has));
    }
    assert_int_equal(device->counters.buffers, 0);
}

TEST(all_together_have_to_fit) {
    cls_buffer *buffer = NULL;
    int64_t whole = device->info.global_memory;
    device->info.global_memory = 1000;
    assert_ok(device, device->ops->buffer_create(device, 600, &buffer));
    cls_buffer *more = NULL;
    assert_int_equal(device->ops->buffer_create(device, 401, &more), CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_null(more);
    assert_ok(device, device->ops->buffer_create(device, 400, &more));
    device->info.global_memory = whole;
    device->ops->buffer_destroy(device, buffer);
    device->ops->buffer_destroy(device, more);
}

TEST(fill_takes_every_alignment) {
    enum { BYTES = 100 };
    unsigned char expected[BYTES], got[BYTES];
    cls_buffer *buffer = NULL;
    assert_ok(device, device->ops->buffer_create(device, BYTES, &buffer));
    for (size_t offset = 0; offset < 35; offset += 1 + offset / 8) {
        for (size_t bytes = 0; bytes <= 48; bytes++) {
            memset(expected, 0x11, BYTES);
            test_upload(device, buffer, expected, BYTES);
            assert_ok(device, device->ops->fill(device, CLS_COMPUTE, buffer, offset, bytes, 0xfe));
            memset(expected + offset, 0xfe, bytes);
            test_download(device, buffer, got, BYTES);
            assert_memory_equal(got, expected, BYTES);
        }
    }
    device->ops->buffer_destroy(device, buffer);
}

TEST(copy_within_and_between) {
    enum { BYTES = 64 };
    unsigned char data[BYTES], got[BYTES];
    for (int i = 0; i < BYTES; i++) data[i] = (unsigned char)i;
    cls_buffer *one = NULL, *two = NULL;
    assert_ok(device, device->ops->buffer_create(device, BYTES, &one));
    assert_ok(device, device->ops->buffer_create(device, BYTES, &two));
    test_upload(device, one, data, BYTES);
    cls_counters before = device->counters;
    assert_ok(device, device->ops->copy(device, CLS_COMPUTE, one, 0, one, 40, 8));
    assert_ok(device, device->ops->copy(device, CLS_COMPUTE, one, 0, two, 0, BYTES));
    assert_ok(device, device->ops->copy(device, CLS_COMPUTE, one, 3, two, 7, 5));
    assert_memory_equal(&before, &device->counters, sizeof before);
    test_download(device, two, got, BYTES);
    memcpy(data + 40, data, 8);
    unsigned char expected[BYTES];
    memcpy(expected, data, BYTES);
    memcpy(expected + 7, data + 3, 5);
    assert_memory_equal(got, expected, BYTES);
    device->ops->buffer_destroy(device, one);
    device->ops->buffer_destroy(device, two);
}

TEST(mapped_memory_is_the_buffer) {
    cls_buffer *buffer = NULL;
    void *memory = NULL, *again = NULL;
    assert_ok(device, device->ops->buffer_create(device, 4096, &buffer));
    if (!device->info.host_memory) {
        assert_int_equal(device->ops->map(device, buffer, &memory), CLSOLVE_ERROR_UNSUPPORTED);
        assert_null(memory);
        device->ops->buffer_destroy(device, buffer);
        return;
    }
    unsigned char got[16];
    assert_ok(device, device->ops->fill(device, CLS_COMPUTE, buffer, 0, 4096, 7));
    assert_ok(device, device->ops->map(device, buffer, &memory));
    assert_int_equal((uintptr_t)memory % 64, 0);
    assert_int_equal(((unsigned char *)memory)[4095], 7);
    memset(memory, 9, 16);
    assert_ok(device, device->ops->unmap(device, buffer, memory));
    test_download(device, buffer, got, 16);
    for (int i = 0; i < 16; i++) assert_int_equal(got[i], 9);
    /* No copy: the same memory each time. */
    assert_ok(device, device->ops->map(device, buffer, &again));
    assert_ptr_equal(memory, again);
    assert_ok(device, device->ops->unmap(device, buffer, again));
    device->ops->buffer_destroy(device, buffer);
}

TEST(pinned_memory_carries_data) {
    cls_pinned *pinned = NULL, *empty = NULL;
    void *memory = NULL, *nothing = NULL;
    cls_buffer *buffer = NULL;
    unsigned char got[256];
    assert_ok(device, device->ops->pinned_create(device, 256, &pinned, &memory));
    assert_ok(device, device->ops->pinned_create(device, 0, &empty, &nothing));
    assert_ok(device, device->ops->buffer_create(device, 256, &buffer));
    memset(memory, 0x5a, 256);
    test_upload(device, buffer, memory, 256);
    memset(memory, 0, 256);
    test_download(device, buffer, got, 256);
    for (int i = 0; i < 256; i++) assert_int_equal(got[i], 0x5a);
    device->ops->pinned_destroy(device, pinned);
    device->ops->pinned_destroy(device, empty);
    device->ops->pinned_destroy(device, NULL);
    device->ops->buffer_destroy(device, buffer);
}

TEST_PROGRAM(open_device, close_device)
