/*
 * The way back of a batch, whose members of info 0 are copied in runs: what no run has is not written, and when one fails
 * no other is still on its way to the caller's memory. On a device that only keeps account.
 */
#include "method/members.h"

#include "support/test_support.h"

enum { COUNT = 8, N = 3, BYTES = N * N * sizeof(double), FROM_DEVICE = 7 };

static struct account {
    cls_error error;
    int runs, fails_at, under_way, finished;
    int written[COUNT];
    int scattered;
    double *arriving; /* the last copy's */
    size_t bytes;
} account;

static clsolve_batch batch_of(double *data) {
    return (clsolve_batch){.type = CLSOLVE_F64,
                           .layout = CLSOLVE_COLUMN_MAJOR,
                           .count = COUNT,
                           .rows = N,
                           .cols = N,
                           .ld = N,
                           .stride = N * N,
                           .data = data};
}

/* The copy begins and does not end before `finish`. */
static clsolve_status note_read(cls_device *device, cls_queue queue, cls_buffer *from, void *host, const cls_rect *rect,
                                const cls_wait *wait, cls_event **done) {
    const size_t all = rect->bytes * rect->columns;
    (void)from, (void)wait, (void)done;
    assert_int_equal(queue, CLS_DOWN);
    assert_int_equal(rect->device_offset % BYTES, 0);
    assert_int_equal(all % BYTES, 0);
    if (++account.runs == account.fails_at) return cls_fail(device->error, CLSOLVE_ERROR_DEVICE, "the run fails");
    account.under_way++;
    account.arriving = host, account.bytes = all;
    for (size_t m = rect->device_offset / BYTES; m < (rect->device_offset + all) / BYTES; m++) account.written[m]++;
    return CLSOLVE_OK;
}

static clsolve_status note_finish(cls_device *device, cls_queue queue) {
    (void)device;
    if (queue != CLS_DOWN) return CLSOLVE_OK;
    for (size_t k = 0; account.under_way > 0 && account.scattered && k < account.bytes / sizeof(double); k++)
        account.arriving[k] = FROM_DEVICE;
    account.under_way = 0, account.finished++;
    return CLSOLVE_OK;
}

/* `gap`: elements between two members; with some they are scattered on the host, from one copy of all. */
static clsolve_status down(const int32_t *info, int fails_at, int gap) {
    static const cls_device_ops ops = {.read = note_read, .finish = note_finish};
    double data[COUNT * (N * N + 1)] = {0};
    clsolve_batch view = batch_of(data);
    view.stride += gap;
    memset(&account, 0, sizeof account);
    account.fails_at = fails_at;
    account.scattered = gap > 0;
    cls_device device = {.ops = &ops, .error = &account.error};
    clsolve_status status = cls_members_down(&device, &view, NULL, info);
    for (int64_t k = 0; gap && k < COUNT * view.stride; k++) {
        const int64_t m = k / view.stride, inside = k % view.stride < N * N;
        assert_true(data[k] == (status == CLSOLVE_OK && inside && info[m] == 0 ? FROM_DEVICE : 0));
    }
    return status;
}

TEST(test_runs) {
    static const int32_t info[COUNT] = {1, 0, 0, 2, 0, -1, -1, 0};
    assert_int_equal(down(info, 0, 0), CLSOLVE_OK);
    assert_int_equal(account.runs, 3);
    assert_int_equal(account.finished, 1);
    for (int m = 0; m < COUNT; m++) assert_int_equal(account.written[m], info[m] == 0);
}

TEST(test_none) {
    static const int32_t info[COUNT] = {1, 1, 1, 1, 1, 1, 1, 1};
    assert_int_equal(down(info, 0, 0), CLSOLVE_OK);
    assert_int_equal(account.runs, 0);
}

TEST(test_failure) {
    static const int32_t info[COUNT] = {0, 1, 0, 1, 0, 1, 0, 1};
    for (int fails_at = 1; fails_at <= COUNT / 2; fails_at++) {
        assert_int_equal(down(info, fails_at, 0), CLSOLVE_ERROR_DEVICE);
        assert_int_equal(account.runs, fails_at);
        assert_int_equal(account.under_way, 0);
    }
}

/* What a copy brings is there when the host scatters it, and only then. */
TEST(test_scattered) {
    static const int32_t info[COUNT] = {1, 0, 0, 2, 0, -1, -1, 0};
    assert_int_equal(down(info, 0, 1), CLSOLVE_OK);
    assert_int_equal(account.runs, 1);
    assert_int_equal(account.under_way, 0);
    assert_int_equal(down(info, 1, 1), CLSOLVE_ERROR_DEVICE);
    assert_int_equal(account.under_way, 0);
}

TEST_PROGRAM_ALONE(NULL, NULL)
