#include "support/fault_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/context.h"
#include "support/test_support.h"

static int is_question(const char *call) {
    static const char *const begins[] = {"clGet", "cuDeviceGet", "cuDeviceTotalMem", "cuPointerGet", "cuCtxGet"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(call, begins[i], strlen(begins[i])) == 0) return 1;
    return 0;
}

static void check_status(fault_kind kind, const char *call, const fault_outcome *out) {
    clsolve_status s = out->status;
    int right;
    /* What the driver does not tell is done without, a binary that it does not take is compiled, and so on. */
    if (s == CLSOLVE_OK) return;
    if (kind == FAULT_ALLOCATION)
        right = s == CLSOLVE_ERROR_OUT_OF_MEMORY;
    else if (is_question(call)) /* an unknown device, or one that says of nothing how much it has */
        right = s == CLSOLVE_ERROR_NO_DEVICE || s == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY ||
                s == CLSOLVE_ERROR_OUT_OF_MEMORY || s == CLSOLVE_ERROR_DEVICE;
    else if (strcmp(call, "clCreateBuffer") == 0 || strcmp(call, "cuMemAlloc") == 0 ||
             strcmp(call, "cuMemHostAlloc") == 0)
        right = s == CLSOLVE_ERROR_OUT_OF_DEVICE_MEMORY || s == CLSOLVE_ERROR_OUT_OF_MEMORY;
    else if (strcmp(call, "clBuildProgram") == 0 || strcmp(call, "clCreateKernel") == 0 ||
             strcmp(call, "nvrtcCompileProgram") == 0 || strcmp(call, "cuModuleGetFunction") == 0)
        right = s == CLSOLVE_ERROR_BUILD;
    else
        right = s == CLSOLVE_ERROR_DEVICE;
    if (!right) fail_msg("%s failed: %s: %s", call, clsolve_status_name(s), out->message);
    if (out->message[0] == '\0') fail_msg("%s failed: no message", call);
    const int of_cublas = strncmp(call, "cublas", 6) == 0 && strstr(out->message, "cuBLAS");
    if (kind == FAULT_DEVICE && !is_question(call) && !of_cublas && !strstr(out->message, call))
        fail_msg("%s failed, but the message says: %s", call, out->message);
}

int64_t fault_stride = 1;

int64_t fault_bounded_stride(int64_t seen) {
    const char *calls = test_env("CLSOLVE_TEST_FAULT_CALLS"), *bound = test_env("CLSOLVE_TEST_FAULT_MOST");
    int64_t most = calls ? strtoll(calls, NULL, 10) : INT64_MAX, least = bound ? strtoll(bound, NULL, 10) : INT64_MAX;
    if (least < most) most = least;
    return most > 0 && seen / most > 1 ? seen / most : 1;
}

/* One of how many calls fails: fault_stride, or more where the environment bounds how many fail in all. */
static int64_t choose_stride(fault_kind kind, const char *call, fault_scenario run) {
    const char *given = test_env("CLSOLVE_TEST_FAULT_STRIDE"), *failed;
    int64_t stride = given ? strtoll(given, NULL, 10) : 1;
    if (test_env("CLSOLVE_TEST_FAULT_CALLS") || test_env("CLSOLVE_TEST_FAULT_MOST")) {
        if (call)
            faults_arm_call(call, INT64_MAX);
        else
            faults_arm(kind, INT64_MAX);
        assert_int_equal(run(&failed).status, CLSOLVE_OK);
        const int64_t bounded = fault_bounded_stride(faults_seen());
        if (bounded > stride) stride = bounded;
    }
    return stride > fault_stride ? stride : fault_stride;
}

/* The context that all runs of fault_each share where opening a device takes long. */
static clsolve_context *kept;
static int keeps;

int fault_lasting = 0;
enum { LASTING = 3 }; /* a lane of transfers has two slots */

/* The scenario, with the call number k failing. *left: the driver's objects that are more than before. */
static fault_outcome run_once(fault_kind kind, const char *call, int64_t k, fault_scenario run, const char **failed,
                              int64_t *left) {
    const int64_t objects = faults_objects();
    if (call)
        faults_arm_call(call, k);
    else
        faults_arm(kind, k);
    const fault_outcome out = run(failed);
    *left = faults_objects() - objects;
    return out;
}

static void end_kept(void) {
    clsolve_context_destroy(kept);
    kept = NULL;
    keeps = 0;
}

/* Where a bound says that opening a device takes long, the runs share one context, which the first run opens. Calls of one name are
 * mostly those that open a device or build programs, so these have a context each. */
static void begin_kept(fault_kind kind, const char *call, fault_scenario run) {
    const char *failed;
    end_kept(); /* of a test that has failed */
    if (call || !test_env("CLSOLVE_TEST_FAULT_MOST")) return;
    keeps = 1;
    faults_arm(kind, INT64_MAX);
    assert_int_equal(run(&failed).status, CLSOLVE_OK);
}

void fault_each(fault_kind kind, const char *call, int least, fault_scenario run) {
    test_random random = test_random_start(2);
    begin_kept(kind, call, run);
    const int64_t stride = choose_stride(kind, call, run);
    const int lasting = fault_lasting || kept;
    int64_t k = 0, errors = 0;
    for (const char *failed = ""; failed; k += test_random_between(&random, 1, 2 * stride - 1)) {
        int64_t left;
        fault_outcome out = run_once(kind, call, k, run, &failed, &left);
        for (int again = 0; left > 0 && again < LASTING * lasting; again++)
            out = run_once(kind, call, k, run, &failed, &left);
        if (lasting && left < 0) left = 0;
        if (left != 0) fail_msg("%s, call %d: %d driver objects left", failed ? failed : "no fault", (int)k, (int)left);
        if (failed)
            check_status(kind, failed, &out);
        else
            assert_int_equal(out.status, CLSOLVE_OK);
        errors += out.status != CLSOLVE_OK;
    }
    end_kept();
    print_message("%s: %d calls, %d of them lead to an error\n", call ? call : "all", (int)k - 1, (int)errors);
    assert_in_range(errors, stride > fault_stride ? least / (2 * stride - 1) : least, k);
}

void fault_all(int least_allocations, int least_calls, fault_scenario run) {
    fault_each(FAULT_ALLOCATION, NULL, least_allocations, run);
    fault_each(FAULT_DEVICE, NULL, least_calls, run);
}

/* ---- parts of scenarios ---- */

static struct {
    const char *selector, *cache;
    fault_use use;
    const fault_handle *handle;
} chosen;

static fault_outcome use_context(const char **failed) {
    fault_outcome out = {CLSOLVE_OK, ""};
    clsolve_context *context = NULL;
    clsolve_context_options options = {.selector = chosen.selector,
                                       .cache_folder = chosen.cache,
                                       .message = out.message,
                                       .message_size = sizeof out.message};

    if (kept) return chosen.use(kept, failed);
    out.status = clsolve_context_create_with(&options, &context);
    if (out.status == CLSOLVE_OK) {
        out = chosen.use(context, failed);
        if (keeps)
            kept = context;
        else
            clsolve_context_destroy(context);
    } else {
        *failed = faults_disarm();
        assert_null(context);
    }
    return out;
}

fault_scenario fault_with_context(const char *selector, const char *cache, fault_use use) {
    static char under_test[128];
    if (!under_test[0] && test_selector()) (void)snprintf(under_test, sizeof under_test, "%s", test_selector());
    chosen.selector = selector ? selector : under_test;
    chosen.cache = cache;
    chosen.use = use;
    return use_context;
}

int fault_solved(int64_t count, const float *X, const float *Y) {
    double most = 0, off = 0;
    for (int64_t i = 0; i < count; i++) {
        double x = X[i] < 0 ? -X[i] : X[i], d = Y[i] < X[i] ? X[i] - Y[i] : Y[i] - X[i];
        if (x > most) most = x;
        off = test_worst(off, d);
    }
    return off <= 1e-3 * most;
}

void fault_failed(clsolve_context *context, fault_outcome *out, int intact, int solved) {
    (void)snprintf(out->message, sizeof out->message, "%s", clsolve_context_message(context));
    if (intact) return;
    assert_true(solved);
    assert_true(strstr(out->message, "clFinish") || strstr(out->message, "clWaitForEvents") ||
                strstr(out->message, "Synchronize"));
}

static fault_outcome use_handle(clsolve_context *context, const char **failed) {
    static float Y[1 << 15]; /* nothing is taken while a fault is armed */
    const fault_handle *h = chosen.handle;
    const size_t bytes = (size_t)h->count * sizeof *Y;
    const int64_t buffers = test_buffers(context->device);
    fault_outcome out = {CLSOLVE_OK, ""};
    void *handle = NULL;

    assert_true(bytes <= sizeof Y);
    memcpy(Y, h->B, bytes);
    out.status = h->create(context, &handle);
    if (out.status == CLSOLVE_OK) out.status = h->work(handle, Y);
    *failed = faults_disarm();
    if (out.status != CLSOLVE_OK) {
        fault_failed(context, &out, memcmp(Y, h->B, bytes) == 0, fault_solved(h->count, h->X, Y));
        memcpy(Y, h->B, bytes);
        if (handle && h->work(handle, Y) != CLSOLVE_OK)
            fail_msg("after %s failed: %s", *failed ? *failed : "nothing", clsolve_context_message(context));
    }
    if (handle) assert_true(fault_solved(h->count, h->X, Y));
    h->destroy(handle);
    assert_int_equal(test_buffers(context->device), buffers);
    return out;
}

fault_scenario fault_with_handle(const char *selector, const char *cache, const fault_handle *h) {
    const fault_scenario run = fault_with_context(selector, cache, use_handle);
    const clsolve_context_options options = {.selector = chosen.selector, .cache_folder = cache};
    const char *failed = NULL;
    clsolve_context *context = NULL;
    void *handle = NULL;

    chosen.handle = h;
    memcpy(h->X, h->B, (size_t)h->count * sizeof *h->X);
    assert_int_equal(clsolve_context_create_with(&options, &context), CLSOLVE_OK);
    test_works(context, h->create(context, &handle));
    test_works(context, h->work(handle, h->X));
    h->destroy(handle);
    clsolve_context_destroy(context);
    faults_arm(FAULT_DEVICE, INT64_MAX);
    assert_int_equal(run(&failed).status, CLSOLVE_OK);
    assert_null(failed);
    return run;
}
