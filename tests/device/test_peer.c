/* Memory of one device fetched by another one of the same context: rectangles of awkward shapes, more of them than the ring
 * has slots, in the order that events ask for. Devices that were opened apart do not join. */
#include "device_support.h"

#include "api/context.h"
#include "device/peer.h"
#include "support/fault_run.h"

enum { DEVICES = 3, SLOT = 8 << 20 };

static clsolve_context *context;
static cls_device *devices[DEVICES];

static int open_all(void **state) {
    const char *selectors[DEVICES];
    if (test_platform_selectors(selectors, DEVICES) < DEVICES) fail_msg("the platform has too few devices");
    if (clsolve_context_create_many(NULL, DEVICES, selectors, &context) != CLSOLVE_OK) return -1;
    for (int d = 0; d < DEVICES; ++d) devices[d] = cls_context_of(context, d)->device;
    return 0;
}

static int close_all(void **state) {
    clsolve_context_destroy(context);
    return 0;
}

TEST(who_joins) {
    cls_error error;
    cls_device *alone = test_device("", &error);
    for (int to = 0; to < DEVICES; ++to)
        for (int from = 0; from < DEVICES; ++from)
            assert_int_equal(cls_device_joins(devices[to], devices[from]), to == from ? CLS_APART : CLS_BY_HOST);
    assert_int_equal(cls_device_joins(devices[0], alone), CLS_APART);
    assert_int_equal(cls_device_joins(alone, devices[0]), CLS_APART);
    cls_device_close(alone);
}

/* One device fetches from another; the bytes beside the rectangle stay as they are. */
static void check(int to, int from, const cls_span *span) {
    const size_t from_bytes = span->from_offset + (span->columns > 0 ? span->columns : 1) * span->from_pitch;
    const size_t to_bytes = span->to_offset + (span->columns > 0 ? span->columns : 1) * span->to_pitch;
    SCRATCH unsigned char *there = malloc(from_bytes), *here = malloc(to_bytes), *wanted = malloc(to_bytes);
    cls_device *device = devices[to], *other = devices[from];
    cls_buffer *theirs = NULL, *ours = NULL;
    cls_event *ready = NULL, *done = NULL;

    assert_true(there && here && wanted);
    for (size_t i = 0; i < from_bytes; ++i) there[i] = (unsigned char)(i * 31 + i / 251);
    for (size_t i = 0; i < to_bytes; ++i) wanted[i] = here[i] = (unsigned char)(i * 7 + 1);
    for (size_t c = 0; c < span->columns; ++c)
        memcpy(wanted + span->to_offset + c * span->to_pitch, there + span->from_offset + c * span->from_pitch,
               span->bytes);
    assert_ok(other, other->ops->buffer_create(other, from_bytes, &theirs));
    assert_ok(device, device->ops->buffer_create(device, to_bytes, &ours));
    test_upload(device, ours, here, to_bytes);
    const cls_rect all = {from_bytes, 1, 0, from_bytes, from_bytes};
    assert_ok(other, other->ops->write(other, CLS_COMPUTE, theirs, there, &all, NULL, NULL));
    assert_ok(other, other->ops->mark(other, CLS_COMPUTE, &ready));
    const cls_wait wait = {1, &ready};
    assert_ok(device, device->ops->fetch(device, CLS_UP, other, theirs, ours, span, &wait, &done));
    assert_ok(device, device->ops->queue_wait(device, CLS_COMPUTE, done));
    test_download(device, ours, here, to_bytes);
    assert_memory_equal(here, wanted, to_bytes);
    device->ops->event_release(device, done);
    other->ops->event_release(other, ready);
    other->ops->buffer_destroy(other, theirs);
    device->ops->buffer_destroy(device, ours);
}

TEST(rectangles) {
    const cls_span spans[] = {
        {8, 1, 0, 8, 0, 8},
        {24, 5, 16, 40, 8, 24},
        {0, 5, 16, 40, 8, 24},
        {24, 0, 16, 40, 8, 24},
        {40000, 300, 80, 40008, 0, 40000},          /* six pieces */
        {40000, 300, 0, 40000, 30008, 40016},       /* columns that pass the end of a pitch */
        {SLOT + 24, 3, 8, SLOT + 32, 0, SLOT + 24}, /* a column longer than a slot, and more pieces than slots */
    };
    for (size_t s = 0; s < sizeof spans / sizeof *spans; ++s)
        check((int)s % DEVICES, (int)(s + 1) % DEVICES, &spans[s]);
}

/* ---- each call of the driver fails in its turn ---- */

enum { COLUMNS = 6, ROWS = 1 << 20 };

static cls_buffer *theirs, *ours;
static unsigned char sent[COLUMNS * ROWS], got[COLUMNS * ROWS];

static clsolve_status fetch_all(void) {
    const cls_span span = {ROWS, COLUMNS, 0, ROWS, 0, ROWS};
    cls_device *device = devices[1];
    cls_event *ready = NULL, *done = NULL;
    clsolve_status status = devices[0]->ops->mark(devices[0], CLS_COMPUTE, &ready);
    const cls_wait wait = {1, &ready};

    if (status == CLSOLVE_OK)
        status = device->ops->fetch(device, CLS_UP, devices[0], theirs, ours, &span, &wait, &done);
    if (status == CLSOLVE_OK) status = device->ops->event_wait(device, done);
    device->ops->event_release(device, done);
    devices[0]->ops->event_release(devices[0], ready);
    return status;
}

static fault_outcome fetching(const char **failed) {
    fault_outcome out = {CLSOLVE_OK, ""};

    out.status = fetch_all();
    *failed = faults_disarm();
    const char *said = devices[1]->error->text[0] ? devices[1]->error->text : devices[0]->error->text;
    (void)snprintf(out.message, sizeof out.message, "%s", said);
    if (out.status != CLSOLVE_OK) assert_int_equal(fetch_all(), CLSOLVE_OK);
    test_download(devices[1], ours, got, sizeof got);
    assert_memory_equal(got, sent, sizeof got);
    memset(got, 0, sizeof got);
    test_upload(devices[1], ours, got, sizeof got); /* for the next run */
    devices[0]->error->text[0] = devices[1]->error->text[0] = '\0';
    return out;
}

TEST(faults) {
    for (size_t i = 0; i < sizeof sent; ++i) sent[i] = (unsigned char)(i * 13 + i / 509);
    assert_ok(devices[0], devices[0]->ops->buffer_create(devices[0], sizeof sent, &theirs));
    assert_ok(devices[1], devices[1]->ops->buffer_create(devices[1], sizeof got, &ours));
    test_upload(devices[0], theirs, sent, sizeof sent);
    for (int k = 0; k < 4; ++k) assert_ok(devices[1], fetch_all()); /* every slot has its event */
    fault_each(FAULT_DEVICE, NULL, 10, fetching);
    devices[0]->ops->buffer_destroy(devices[0], theirs);
    devices[1]->ops->buffer_destroy(devices[1], ours);
}

TEST_PROGRAM(open_all, close_all)
