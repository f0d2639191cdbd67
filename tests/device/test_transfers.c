/*
 * Rectangles up and down against a plain copy of bytes: pitches, offsets, counters, pageable and pinned memory, and
 * the staging slots, which are forced on and made small so that a CPU device cuts a rectangle into many pieces; with
 * any number of threads that fill and empty them.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp */

#include "device/rect.h"
#include "device/staging.h"
#include "device_support.h"

enum { DEVICE_BYTES = 6000, HOST_BYTES = 5000 };

static cls_error error;
static cls_device *device;
static test_random random_state;

typedef struct mode {
    int staged, pinned;
    size_t slot;
    int threads; /* -1: as many as the device has by itself */
    int shared;  /* as a GPU in the host's memory */
} mode;

static int rounds(void) {
    return test_reduced() ? 20 : 150;
}

static size_t between(int64_t low, int64_t high) {
    return (size_t)test_random_between(&random_state, low, high);
}

static void fill_bytes(unsigned char *data, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) data[i] = (unsigned char)test_random_bits(&random_state);
}

static cls_rect random_rect(void) {
    for (;;) {
        cls_rect r;
        r.bytes = between(1, 3) == 1 ? between(1, 1200) : between(1, 60);
        r.columns = between(1, 30);
        r.device_pitch = r.bytes + (between(0, 1) ? between(0, 40) : 0);
        r.host_pitch = r.bytes + (between(0, 1) ? between(0, 40) : 0);
        r.device_offset = between(0, 300);
        size_t span = (r.columns - 1) * r.device_pitch + r.bytes;
        if (span > DEVICE_BYTES || (r.columns - 1) * r.host_pitch + r.bytes > HOST_BYTES) continue;
        if (between(1, 3) == 1) r.device_offset = DEVICE_BYTES - span; /* up to the very end */
        if (r.device_offset + span <= DEVICE_BYTES) return r;
    }
}

/* Bytes outside the rectangle must stay as they were, on either side. */
static void round_trip(cls_buffer *buffer, unsigned char *host) {
    static unsigned char model[DEVICE_BYTES], expected[HOST_BYTES], got[DEVICE_BYTES];
    cls_rect r = random_rect();
    cls_event *done = NULL;
    fill_bytes(model, DEVICE_BYTES);
    fill_bytes(host, HOST_BYTES);
    test_upload(device, buffer, model, DEVICE_BYTES);

    cls_counters before = device->counters;
    assert_ok(device, device->ops->write(device, CLS_UP, buffer, host, &r, NULL, &done));
    assert_ok(device, device->ops->event_wait(device, done));
    device->ops->event_release(device, done);
    assert_int_equal(device->counters.transfers_up, before.transfers_up + 1);
    assert_int_equal(device->counters.bytes_up, before.bytes_up + (int64_t)(r.bytes * r.columns));
    for (size_t c = 0; c < r.columns; c++)
        memcpy(model + r.device_offset + c * r.device_pitch, host + c * r.host_pitch, r.bytes);
    test_download(device, buffer, got, DEVICE_BYTES);
    assert_memory_equal(got, model, DEVICE_BYTES);

    fill_bytes(host, HOST_BYTES);
    memcpy(expected, host, HOST_BYTES);
    for (size_t c = 0; c < r.columns; c++)
        memcpy(expected + c * r.host_pitch, model + r.device_offset + c * r.device_pitch, r.bytes);
    before = device->counters;
    assert_ok(device, device->ops->read(device, CLS_DOWN, buffer, host, &r, NULL, &done));
    assert_ok(device, device->ops->event_wait(device, done));
    device->ops->event_release(device, done);
    assert_int_equal(device->counters.transfers_down, before.transfers_down + 1);
    assert_int_equal(device->counters.bytes_down, before.bytes_down + (int64_t)(r.bytes * r.columns));
    assert_memory_equal(host, expected, HOST_BYTES);
}

static void many_rectangles(void **state) {
    const mode *how = *state;
    device = test_device("", &error);
    random_state = test_random_start(1 + (uint64_t)how->staged + 2 * (uint64_t)how->pinned);
    device->staged = how->staged != 0;
    if (how->slot) device->staging_bytes = how->slot;
    if (how->threads >= 0) device->threads = how->threads;
    device->shares_memory = how->shared;
    static unsigned char pageable[HOST_BYTES];
    cls_pinned *pinned = NULL;
    void *memory = pageable;
    cls_buffer *buffer = NULL;
    if (how->pinned) assert_ok(device, device->ops->pinned_create(device, HOST_BYTES, &pinned, &memory));
    assert_ok(device, device->ops->buffer_create(device, DEVICE_BYTES, &buffer));
    for (int i = 0; i < rounds(); i++) round_trip(buffer, memory);
    device->ops->buffer_destroy(device, buffer);
    device->ops->pinned_destroy(device, pinned);
    device->ops->destroy(device);
}

/* From buffer to buffer: neither what is beside the rectangle there nor what it came from changes. */
static void between_buffers(void **state) {
    static unsigned char source[DEVICE_BYTES], model[DEVICE_BYTES], got[DEVICE_BYTES];
    cls_buffer *from = NULL, *to = NULL;
    random_state = test_random_start(2);
    device = test_device("", &error);
    assert_ok(device, device->ops->buffer_create(device, DEVICE_BYTES, &from));
    for (int i = 0; i < rounds(); i++) {
        cls_rect r =
            random_rect(); /* its host's side becomes another buffer's, which ends just behind the last column */
        size_t at = between(0, 100), end = at + (r.columns - 1) * r.host_pitch + r.bytes;
        cls_span span = {r.bytes, r.columns, r.device_offset, r.device_pitch, at, r.host_pitch};
        assert_ok(device, device->ops->buffer_create(device, end, &to));
        fill_bytes(source, DEVICE_BYTES);
        fill_bytes(model, end);
        test_upload(device, from, source, DEVICE_BYTES);
        test_upload(device, to, model, end);
        cls_counters before = device->counters;
        assert_ok(device, device->ops->copy_rect(device, CLS_COMPUTE, from, to, &span));
        assert_int_equal(device->counters.bytes_up, before.bytes_up);
        for (size_t c = 0; c < r.columns; c++)
            memcpy(model + at + c * r.host_pitch, source + r.device_offset + c * r.device_pitch, r.bytes);
        test_download(device, to, got, end);
        assert_memory_equal(got, model, end);
        test_download(device, from, got, DEVICE_BYTES);
        assert_memory_equal(got, source, DEVICE_BYTES);
        device->ops->buffer_destroy(device, to);
    }
    device->ops->buffer_destroy(device, from);
    device->ops->destroy(device);
}

/* Enqueued one after the other without a wait between: a slot must not be filled while it still crosses. */
static void staged_back_to_back(void **state) {
    enum { PIECES = 64, BYTES = 1000 };
    static unsigned char source[BYTES], got[PIECES * BYTES];
    device = test_device("", &error);
    device->staged = 1;
    device->staging_bytes = 128;
    cls_buffer *buffer = NULL;
    assert_ok(device, device->ops->buffer_create(device, PIECES * BYTES, &buffer));
    for (size_t p = 0; p < PIECES; p++) {
        cls_rect rect = {BYTES, 1, p * BYTES, BYTES, BYTES};
        memset(source, (int)p, BYTES);
        /* A staged write has taken the data when it returns. */
        assert_ok(device, device->ops->write(device, p % 2 ? CLS_UP : CLS_COMPUTE, buffer, source, &rect, NULL, NULL));
    }
    assert_ok(device, device->ops->finish(device, CLS_UP));
    assert_ok(device, device->ops->finish(device, CLS_COMPUTE));
    test_download(device, buffer, got, sizeof got);
    for (size_t i = 0; i < sizeof got; i++) assert_int_equal(got[i], i / BYTES);
    device->ops->buffer_destroy(device, buffer);
    device->ops->destroy(device);
}

/* Many times what the slots hold, there and back, the way back into memory that nobody has touched; rows and columns. */
static void more_than_the_slots_hold(void **state) {
    const int threads = *(const int *)*state;
    enum { COLUMNS = 60, COLUMN = 150001, PITCH = COLUMN + 77, BYTES = COLUMNS * PITCH };
    const cls_rect wide = {COLUMN, COLUMNS, 5, COLUMN, PITCH}, tall = {BYTES - 5, 1, 5, BYTES, BYTES};
    cls_buffer *buffer = NULL;
    SCRATCH unsigned char *source = malloc(BYTES);
    device = test_device("", &error);
    device->staged = 1;
    device->staging_bytes = 64 * 1024;
    device->threads = threads;
    random_state = test_random_start((uint64_t)threads);
    assert_non_null(source);
    fill_bytes(source, BYTES);
    assert_ok(device, device->ops->buffer_create(device, BYTES, &buffer));
    for (int i = 0; i < 2; i++) {
        const cls_rect *rect = i == 0 ? &wide : &tall;
        unsigned char *got = calloc(BYTES, 1);
        assert_non_null(got);
        cls_counters before = device->counters;
        assert_ok(device, device->ops->write(device, CLS_UP, buffer, source, rect, NULL, NULL));
        assert_ok(device, device->ops->finish(device, CLS_UP));
        assert_ok(device, device->ops->read(device, CLS_DOWN, buffer, got, rect, NULL, NULL));
        assert_int_equal(device->counters.transfers_up, before.transfers_up + 1);
        assert_int_equal(device->counters.transfers_down, before.transfers_down + 1);
        assert_int_equal(device->counters.bytes_down, before.bytes_down + (int64_t)(rect->bytes * rect->columns));
        for (size_t c = 0; c < rect->columns; c++) {
            assert_memory_equal(got + c * rect->host_pitch, source + c * rect->host_pitch, rect->bytes);
            for (size_t b = rect->bytes; c + 1 < rect->columns && b < rect->host_pitch; b++)
                assert_int_equal(got[c * rect->host_pitch + b], 0);
        }
        free(got);
    }
    assert_int_equal(cls_pool_threads(device->pool), threads);
    device->ops->buffer_destroy(device, buffer);
    device->ops->destroy(device);
}

/* What is mapped crosses through no slot: none is made. */
static void mapped_without_slots(void **state) {
    enum { COLUMN = 100001, PITCH = COLUMN + 33, COLUMNS = 30, BYTES = COLUMNS * PITCH };
    const cls_rect rect = {COLUMN, COLUMNS, 5, PITCH, COLUMN};
    unsigned char *source = malloc(BYTES), *got = calloc(BYTES, 1);
    cls_buffer *buffer = NULL;
    device = test_device("", &error);
    if (strcmp(device->info.backend, "opencl") != 0) {
        device->ops->destroy(device);
        free(source);
        free(got);
        skip(); /* CUDA maps no buffers */
    }
    device->staged = device->shares_memory = 1;
    random_state = test_random_start(3);
    assert_true(source && got);
    fill_bytes(source, BYTES);
    assert_ok(device, device->ops->buffer_create(device, BYTES + 5, &buffer));
    assert_ok(device, device->ops->write(device, CLS_UP, buffer, source, &rect, NULL, NULL));
    assert_ok(device, device->ops->finish(device, CLS_UP));
    assert_ok(device, device->ops->read(device, CLS_DOWN, buffer, got, &rect, NULL, NULL));
    assert_null(device->staging);
    assert_memory_equal(got, source, COLUMN * COLUMNS);
    device->ops->buffer_destroy(device, buffer);
    device->ops->destroy(device);
    free(source);
    free(got);
}

/* Where a GPU shares the host's memory, the slots are no mapped buffers of the driver's. */
static void slots_of_shared_memory(void **state) {
    enum { BYTES = 3000 };
    const cls_rect rect = {BYTES, 1, 0, BYTES, BYTES};
    unsigned char source[BYTES], got[BYTES];
    cls_buffer *buffer = NULL;
    cls_pinned *pinned = NULL;
    void *memory = NULL;
    device = test_device("", &error);
    if (strcmp(device->info.backend, "opencl") != 0) { /* through CUDA all slots are the driver's */
        device->ops->destroy(device);
        skip();
    }
    device->staged = device->shares_memory = 1;
    random_state = test_random_start(5);
    fill_bytes(source, BYTES);
    assert_ok(device, device->ops->pinned_create(device, BYTES, &pinned, &memory));
    memcpy(memory, source, BYTES);
    assert_int_equal((uintptr_t)memory % 4096, 0);
    assert_true(device->ops->reaches(device, memory, BYTES));
    assert_ok(device, device->ops->buffer_create(device, BYTES, &buffer));
    assert_ok(device, device->ops->write(device, CLS_UP, buffer, memory, &rect, NULL, NULL));
    assert_ok(device, device->ops->finish(device, CLS_UP));
    assert_ok(device, device->ops->read(device, CLS_DOWN, buffer, got, &rect, NULL, NULL));
    assert_ok(device, device->ops->finish(device, CLS_DOWN));
    assert_memory_equal(got, source, BYTES);
    device->ops->pinned_destroy(device, pinned);
    device->ops->buffer_destroy(device, buffer);
    device->ops->destroy(device);
}

/* Every alignment of either side, columns too short for it among them; nothing between columns is written. */
static void unpacked_past_caches(void **state) {
    enum { COLUMNS = 70, MOST = 4200, PAD = 150, ROOM = COLUMNS * (MOST + PAD) + 64 };
    unsigned char *slot = malloc(ROOM), *got = malloc(ROOM);
    assert_true(slot && got);
    random_state = test_random_start(4);
    fill_bytes(slot, ROOM);
    for (int round = 0; round < 100; round++) {
        cls_rect r = {.bytes = between(1, 3) == 1 ? between(2040, 2060) : between(1900, MOST), .columns = COLUMNS};
        const size_t from = between(0, 63), to = between(0, 63);
        r.host_pitch = r.bytes + between(0, PAD);
        memset(got, 0x5a, ROOM);
        cls_rect_unpack((char *)got + to, (const char *)slot + from, &r, true);
        for (size_t i = 0; i < to; i++) assert_int_equal(got[i], 0x5a);
        for (size_t c = 0; c < r.columns; c++) {
            const unsigned char *column = got + to + c * r.host_pitch;
            assert_memory_equal(column, slot + from + c * r.bytes, r.bytes);
            for (size_t b = r.bytes; b < r.host_pitch; b++) assert_int_equal(column[b], 0x5a);
        }
        for (size_t i = to + r.columns * r.host_pitch; i < ROOM; i++) assert_int_equal(got[i], 0x5a);
    }
    free(slot);
    free(got);
}

/* The number is one that this machine has, is kept in the folder for the next device, and costs no counter. */
static void measured_threads(void **state) {
    char folder[] = "/tmp/clsolve-threads-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    device = test_device(folder, &error);
    device->staged = 1;
    device->threads = 77;
    const cls_counters before = device->counters;
    assert_ok(device, cls_staging_calibrate(device));
    const int threads = device->threads;
    assert_in_range(threads, 0, cls_pool_spare_cores(CLS_POOL_MOST));
    assert_memory_equal(&before, &device->counters, sizeof before);
    device->ops->destroy(device);
    device = test_device(folder, &error);
    assert_int_equal(device->threads, threads);
    device->staged = 0;
    device->threads = 78;
    assert_ok(device, cls_staging_calibrate(device)); /* nothing is staged: nothing to measure */
    assert_int_equal(device->threads, 78);
    device->ops->destroy(device);
    (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

/* An outcome: bytes of some buffers, of odd sizes, with what lies behind them in the host's memory as it
 * was. */
static void some_bytes_at_once(void **state) {
    enum { PARTS = 4, MOST = 5000 };
    static const size_t sizes[PARTS] = {1, 72, MOST, 7};
    static unsigned char there[PARTS][MOST + 8], here[PARTS][MOST + 8];
    cls_error message;
    cls_device *own = test_device("", &message);
    cls_fetch_part parts[PARTS];
    for (int staged = 0; staged < 2; staged++) {
        if (staged) own->staged = 1;
        for (int p = 0; p < PARTS; p++) {
            for (size_t b = 0; b < sizeof there[p]; b++) there[p][b] = (unsigned char)(17 * b + 31 * (size_t)p + 1);
            memset(here[p], 0xee, sizeof here[p]);
            parts[p] = (cls_fetch_part){NULL, here[p], sizes[p], p % 2 ? 8 : 0};
            assert_ok(own, own->ops->buffer_create(own, sizeof there[p], &parts[p].from));
            test_upload(own, parts[p].from, there[p], sizeof there[p]);
        }
        assert_ok(own, cls_staging_fetch(own, parts, PARTS));
        for (int p = 0; p < PARTS; p++) {
            assert_memory_equal(here[p], there[p] + parts[p].at, sizes[p]);
            for (size_t b = sizes[p]; b < sizeof here[p]; b++) assert_int_equal(here[p][b], 0xee);
            own->ops->buffer_destroy(own, parts[p].from);
        }
    }
    own->ops->destroy(own);
}

static void an_empty_rectangle_is_no_copy(void **state) {
    device = test_device("", &error);
    cls_buffer *buffer = NULL;
    cls_rect none = {0, 5, 0, 8, 8}, flat = {8, 0, 0, 8, 8};
    cls_event *done = NULL;
    assert_ok(device, device->ops->buffer_create(device, 64, &buffer));
    cls_counters before = device->counters;
    assert_ok(device, device->ops->write(device, CLS_UP, buffer, NULL, &none, NULL, NULL));
    assert_ok(device, device->ops->read(device, CLS_DOWN, buffer, NULL, &flat, NULL, &done));
    assert_non_null(done);
    assert_ok(device, device->ops->event_wait(device, done));
    device->ops->event_release(device, done);
    assert_memory_equal(&before, &device->counters, sizeof before);
    device->ops->buffer_destroy(device, buffer);
    device->ops->destroy(device);
}

static void a_copy_outside_the_buffer_is_an_error(void **state) {
    device = test_device("", &error);
    unsigned char host[64] = {0};
    cls_buffer *buffer = NULL;
    assert_ok(device, device->ops->buffer_create(device, 64, &buffer));
    for (int staged = 0; staged < 2; staged++) {
        device->staged = staged != 0;
        cls_rect beyond = {32, 1, 48, 32, 32};
        cls_counters before = device->counters;
        assert_int_equal(device->ops->write(device, CLS_UP, buffer, host, &beyond, NULL, NULL), CLSOLVE_ERROR_DEVICE);
        assert_non_null(strstr(error.text, "_INVALID_VALUE"));
        assert_int_equal(device->ops->read(device, CLS_DOWN, buffer, host, &beyond, NULL, NULL), CLSOLVE_ERROR_DEVICE);
        assert_memory_equal(&before, &device->counters, sizeof before);
    }
    device->ops->buffer_destroy(device, buffer);
    device->ops->destroy(device);
}

int main(void) {
    test_require_device();
    static mode direct = {0, 0, 0, -1, 0}, staged = {1, 0, 256, -1, 0}, whole = {1, 0, 0, -1, 0};
    static mode pinned = {1, 1, 256, -1, 0}, shared_pinned = {1, 1, 256, -1, 1};
    static mode alone = {1, 0, 256, 0, 0}, threads = {1, 0, 128, 5, 0}, many = {1, 0, 64, 13, 0};
    static mode shared_alone = {1, 0, 256, 0, 1}, shared_threads = {1, 0, 32, 5, 1};
    static int none = 0, two = 2, seven = 7;
    const struct CMUnitTest tests[] = {
        {"direct", many_rectangles, NULL, NULL, &direct},
        {"staged in small pieces", many_rectangles, NULL, NULL, &staged},
        {"staged by one thread", many_rectangles, NULL, NULL, &alone},
        {"staged by five threads", many_rectangles, NULL, NULL, &threads},
        {"staged by thirteen threads", many_rectangles, NULL, NULL, &many},
        {"mapped by one thread", many_rectangles, NULL, NULL, &shared_alone},
        {"mapped by five threads", many_rectangles, NULL, NULL, &shared_threads},
        {"from pinned memory where buffers could be mapped", many_rectangles, NULL, NULL, &shared_pinned},
        cmocka_unit_test(mapped_without_slots),
        {"more than the slots hold, one thread", more_than_the_slots_hold, NULL, NULL, &none},
        {"more than the slots hold, two more threads", more_than_the_slots_hold, NULL, NULL, &two},
        {"more than the slots hold, seven more threads", more_than_the_slots_hold, NULL, NULL, &seven},
        {"staged in one piece", many_rectangles, NULL, NULL, &whole},
        {"from pinned memory", many_rectangles, NULL, NULL, &pinned},
        cmocka_unit_test(between_buffers),
        cmocka_unit_test(staged_back_to_back),
        cmocka_unit_test(slots_of_shared_memory),
        cmocka_unit_test(unpacked_past_caches),
        cmocka_unit_test(measured_threads),
        cmocka_unit_test(some_bytes_at_once),
        cmocka_unit_test(an_empty_rectangle_is_no_copy),
        cmocka_unit_test(a_copy_outside_the_buffer_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
