/*
 * played_times.c: the tests of test_played about measured times. The model (host_rate, device_rate) says one thing and the
 * clock, which only the calls move, another.
 */
#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "lapack/played_tests.h"

static const int64_t millisecond = 1000000;

/* The program's function stands before libc's. */
int clock_gettime(clockid_t id, struct timespec *t) {
    if (!played || !played->stands || id != CLOCK_MONOTONIC) return (int)syscall(SYS_clock_gettime, id, t);
    const int64_t now = atomic_load(&played->clock);
    *t = (struct timespec){.tv_sec = now / 1000000000, .tv_nsec = now % 1000000000};
    return 0;
}

/* The kernels are there, and the model has the device at a millisecond and the host at 0.7 n^3 ns. */
static void set(int64_t device, int64_t host) {
    played->stands = 1;
    atomic_store(&played->warm, 1);
    played->device_takes = device;
    played->host_takes = host;
}

/* How many of the calls are the device's. */
static int on_device(integer n, int calls) {
    int count = 0;
    for (int k = 0; k < calls; k++) count += factors_there(n);
    return count;
}

/* The first of all: the host has been measured before a device is there, so the device alone is tried. */
void test_known_host(void **unused) {
    (void)unused;
    set(2 * millisecond, millisecond);
    played->failing = "context_create_with";
    played->status = CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY;
    assert_int_equal(on_device(180, 3), 0);
    played->failing = NULL;
    atomic_fetch_add(&played->clock, 10000 * millisecond); /* the time of the next look */
    assert_int_equal(on_device(180, 100), 8);
}

/* By the model the device takes a fifth of the host's time, which is short: the host is measured first. */
void test_slow_device(void **unused) {
    (void)unused;
    set(10 * millisecond, millisecond);
    assert_int_equal(on_device(200, 64), 0);
    assert_int_equal(on_device(200, 500), 2); /* a trial that ends with its first measured call */
    played->host_takes = 1000 * millisecond;  /* a moment's delay */
    assert_int_equal(on_device(200, 1), 0);
    played->host_takes = millisecond;
    assert_int_equal(on_device(200, 100), 0);
    assert_int_equal(on_device(202, 100), 0); /* one class */
}

/* What is measured does not stay so. */
void test_change(void **unused) {
    (void)unused;
    set(10 * millisecond, 40 * millisecond);
    assert_true(on_device(200, 50) > 5);
    assert_true(on_device(200, 100) >= 92); /* a trial may come */
    set(40 * millisecond, millisecond);
    assert_true(on_device(200, 50) < 45);
    assert_true(on_device(200, 100) <= 8);
}

/* The host is expected to take 18 times as long as the device: it is not tried. */
void test_far_host(void **unused) {
    (void)unused;
    set(millisecond, millisecond / 2);
    assert_int_equal(on_device(300, 300), 300);
}

/* The host is slower, by ten times and by two: it is tried by two calls and by eight, and again when that has cost little. */
void test_trials(void **unused) {
    (void)unused;
    set(millisecond, 10 * millisecond);
    assert_int_equal(on_device(250, 1000), 998);
    assert_int_equal(on_device(250, 1000), 1000);
    set(5 * millisecond, 10 * millisecond);
    assert_int_equal(on_device(225, 300), 293); /* less than 10 ms are expected on the host: 64 ms first */
    assert_int_equal(on_device(225, 700), 700);
    assert_int_equal(on_device(225, 100), 92); /* 64 times as long as a trial are 1024 calls of the device's */
}
