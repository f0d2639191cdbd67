/* test_support.c: see test_support.h. */
#define _POSIX_C_SOURCE 200809L

#include "support/test_support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "api/context.h"
#include "base/environment.h"
#include "blas/builtin.h"
#include "device/device.h"
#include "support/ran.h"

#define POCL "Portable Computing Language"

#if defined(__SANITIZE_ADDRESS__)
/*
 * The loader unloads a driver that has no device, and LeakSanitizer then cannot name the module of what that driver has
 * left behind, nor suppress it. So nothing is unloaded here.
 */
int dlclose(void *handle);
int dlclose(void *handle) {
    (void)handle;
    return 0;
}
#endif

/* ---- the functions of a program ---- */

enum { TESTS = 64 };
static struct CMUnitTest tests[TESTS];
static struct {
    const char *file;
    int line;
} places[TESTS];
static size_t test_count;

/* Compilers order the constructors of a file as they please. */
void test_enlist(const char *name, CMUnitTestFunction function, const char *file, int line) {
    size_t at = test_count++;
    if (at == TESTS) abort();
    for (; at > 0 && strcmp(places[at - 1].file, file) == 0 && places[at - 1].line > line; --at) {
        tests[at] = tests[at - 1];
        places[at] = places[at - 1];
    }
    tests[at] = (struct CMUnitTest){name, function, NULL, NULL, NULL};
    places[at].file = file;
    places[at].line = line;
}

int test_run(CMFixtureFunction open, CMFixtureFunction close) {
    return _cmocka_run_group_tests("tests", tests, test_count, open, close);
}

int test_run_each(CMFixtureFunction open, CMFixtureFunction close, CMFixtureFunction before, CMFixtureFunction after) {
    for (size_t k = 0; k < test_count; ++k) {
        tests[k].setup_func = before;
        tests[k].teardown_func = after;
    }
    return test_run(open, close);
}

/* ---- the environment ---- */

const char *test_env(const char *name) {
    const char *value = getenv(name);
    if (!ran_knows(name)) {
        fprintf(stderr, "FAILED: configuration: a test asks for %s, which support/ran.c does not know\n", name);
        abort();
    }
    ran_asked(name);
    return value && *value ? value : NULL;
}

int test_pretends(const char *word) {
    return cls_environment_pretends(word) != 0;
}

int test_on_host(void) {
    const char *host = getenv("CLSOLVE_HOST");
    return host && strcmp(host, "always") == 0;
}

int test_is_posix(void) {
#ifdef _WIN32
    return 0;
#else
    return 1;
#endif
}

#ifndef _WIN32
int test_let_others_write(const char *folder, int others) {
    return chmod(folder, others ? 0777 : 0700) == 0;
}
#endif

int test_has_clblast(void) {
#ifdef CLSOLVE_CLBLAST
    return 1;
#else
    return 0;
#endif
}

const char *test_portable_provider(void) {
    return test_has_clblast() ? "CLBlast" : "built-in";
}

void test_pretend(const char *word) {
    static char begun[256], all[512];
    static int known;
    const char *now = getenv("CLSOLVE_PRETEND");
    if (!known++) (void)snprintf(begun, sizeof begun, "%s", now ? now : "");
    (void)snprintf(all, sizeof all, "%s%s%s", word ? word : "", word && begun[0] ? "," : "", begun);
    assert_int_equal(setenv("CLSOLVE_PRETEND", all, 1), 0);
}

int test_reduced(void) {
    const char *value = test_env("CLSOLVE_TEST_REDUCED");
    return value && strcmp(value, "1") == 0;
}

/* ---- random numbers ---- */

uint64_t test_seed(void) {
    static uint64_t seed = 1; /* the same for all runs: who changes something must not meet a red test of another's */
    static int known;
    if (!known) {
        const char *given = test_env("CLSOLVE_TEST_SEED");
        if (given && strcmp(given, "clock") == 0) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            seed = ((uint64_t)now.tv_sec * 1000003u ^ (uint64_t)now.tv_nsec) & 0xffffffffu;
        } else if (given) {
            char *end = NULL;
            seed = strtoull(given, &end, 0);
            if (end == given || *end || *given == '-') {
                fprintf(stderr, "CLSOLVE_TEST_SEED=%s is no seed: give a whole number, 0 or larger, or clock\n", given);
                exit(2);
            }
        }
        known = 1;
        fprintf(stderr, "CLSOLVE_TEST_SEED=%" PRIu64 "\n", seed);
    }
    return seed;
}

test_random test_random_start(uint64_t use) {
    test_random random = {test_seed()};
    random.state = test_random_bits(&random) ^ use;
    return random;
}

uint64_t test_random_bits(test_random *random) {
    uint64_t z = (random->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double test_random_unit(test_random *random) {
    return (double)(test_random_bits(random) >> 11) * 0x1p-53;
}

double test_random_signed(test_random *random) {
    return 2 * test_random_unit(random) - 1;
}

int64_t test_random_between(test_random *random, int64_t low, int64_t high) {
    uint64_t span = (uint64_t)high - (uint64_t)low + 1;
    uint64_t bits = test_random_bits(random);
    return (int64_t)((uint64_t)low + (span == 0 ? bits : bits % span));
}

void test_random_fill(test_random *random, double *data, int64_t count) {
    for (int64_t i = 0; i < count; i++) data[i] = test_random_signed(random);
}

/* ---- the device ---- */

const char *test_selector(void) {
    const char *given = test_env("CLSOLVE_TEST_DEVICE");
    if (given) return given;

    int64_t count = 0;
    const char *selector = NULL;
    if (clsolve_devices(NULL, 0, &count) != CLSOLVE_OK || count <= 0) return NULL;
    clsolve_device_info *list = calloc((size_t)count, sizeof *list);
    if (list && clsolve_devices(list, count, &count) == CLSOLVE_OK) {
        for (int64_t i = 0; i < count && !selector; i++) {
            if (strstr(list[i].platform, POCL)) selector = POCL;
        }
    }
    free(list);
    return selector;
}

void test_spare_simulator(struct cls_device *device) {
    if (strcmp(device->info.platform, "Oclgrind") == 0) device->staging_bytes = 1 << 16;
}

int64_t test_buffers(const struct cls_device *device) {
    const cls_builtin *builtin = device->blas ? device->blas->builtin : NULL;
    int64_t count = device->counters.buffers;
    for (int q = 0; builtin && q < CLS_QUEUES; q++)
        count -= (builtin->room[q].buffer != NULL) + (builtin->turned[q].buffer != NULL);
    return count;
}

/* Handles stay on the device that the test is of, unless it says otherwise. */
static void stay_on_device(void) {
    (void)setenv("CLSOLVE_HOST", "never", 0);
}

int64_t test_platform_selectors(const char **selectors, int64_t most) {
    enum { LIST = 16 };
    static clsolve_device_info list[LIST];
    int64_t there = 0, count = 0;
    clsolve_context *context = test_context(1);
    const clsolve_device_info under_test = clsolve_context_device(context);
    clsolve_context_destroy(context);
    if (clsolve_devices(list, LIST, &there) != CLSOLVE_OK) fail_msg("no list of devices");
    for (int64_t d = 0; d < there && d < LIST && count < most; ++d)
        if (strcmp(list[d].platform, under_test.platform) == 0) selectors[count++] = list[d].selector;
    return count;
}

void test_listen(void *user, const char *phase, double fraction) {
    test_listener *told = user;
    assert_string_equal(phase, told->phase);
    assert_true(fraction >= told->last && fraction <= 1);
    told->last = fraction;
    told->calls++;
}

void test_works(clsolve_context *context, clsolve_status status) {
    if (status != CLSOLVE_OK) fail_msg("%s: %s", clsolve_status_name(status), clsolve_context_message(context));
}

void test_give_back(void *variable) {
    void *memory;
    memcpy(&memory, variable, sizeof memory);
    free(memory);
}

void *test_room(int64_t count, size_t size) {
    void *memory = calloc((size_t)count + 1, size);
    assert_non_null(memory);
    return memory;
}

double *test_doubles(int64_t count) {
    return test_room(count, sizeof(double));
}

clsolve_context *test_context(int cached) {
    char message[1024] = "";
    clsolve_context_options options = {0};
    clsolve_context *context = NULL;
    stay_on_device();
    options.selector = test_selector();
    options.cache_folder = cached ? NULL : "";
    options.message = message;
    options.message_size = sizeof message;
    clsolve_status status = clsolve_context_create_with(&options, &context);
    if (status != CLSOLVE_OK) fail_msg("no context: %s: %s", clsolve_status_name(status), message);
    test_spare_simulator(context->device);
    return context;
}

/* A driver that is installed and enabled must show its device: else a misspelt selector would skip a test for good. */
static int driver_is_there(void) {
    const char *folder = getenv("OCL_ICD_VENDORS"), *enabled = getenv("RUSTICL_ENABLE");
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/rusticl.icd", folder && *folder ? folder : "/etc/OpenCL/vendors");
    return enabled && *enabled && length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0;
}

/* Is there a device that CLSOLVE_TEST_DEVICE names? */
static int named_device_is_there(void) {
    clsolve_context *context = NULL;
    clsolve_context_options options = {.selector = test_env("CLSOLVE_TEST_DEVICE"), .cache_folder = ""};
    clsolve_status status = clsolve_context_create_with(&options, &context);
    clsolve_context_destroy(context);
    return status != CLSOLVE_ERROR_NO_DEVICE;
}

/* CLSOLVE_BLAS names a provider that the device under test has not, as CUDA's have no CLBlast. */
static int provider_is_absent(char *message, size_t size) {
    const char *provider = getenv("CLSOLVE_BLAS");
    clsolve_context *context = NULL;
    clsolve_context_options options = {
        .selector = test_selector(), .cache_folder = "", .message = message, .message_size = size};
    if (!provider || !*provider) return 0;
    clsolve_status status = clsolve_context_create_with(&options, &context);
    clsolve_context_destroy(context);
    return status == CLSOLVE_ERROR_UNSUPPORTED;
}

void test_require_backend(const char *backend) {
    clsolve_context *context = NULL;
    clsolve_context_options options = {.selector = test_selector(), .cache_folder = ""};
    if (clsolve_context_create_with(&options, &context) != CLSOLVE_OK) return; /* the test itself will say why */
    clsolve_device_info info = clsolve_context_device(context);
    clsolve_context_destroy(context);
    if (strcmp(info.backend, backend) == 0) return;
    fprintf(stderr, "skipped: it is for %s alone, and the device under test is %s\n", backend, info.selector);
    exit(TEST_SKIPPED);
}

void test_require_device(void) {
    stay_on_device();
    char message[512] = "";
    int64_t count = 0;
    const char *optional = test_env("CLSOLVE_TEST_DEVICE_OPTIONAL");
    if (clsolve_devices(NULL, 0, &count) == CLSOLVE_OK && count == 0) {
        fprintf(stderr, "skipped: no device here (on Debian: apt-get install pocl-opencl-icd)\n");
        exit(TEST_SKIPPED);
    }
    if (optional && !named_device_is_there()) {
        if (driver_is_there()) {
            fprintf(stderr, "FAILED: configuration: rusticl is installed and enabled, but no device is called %s\n",
                    test_selector());
            exit(EXIT_FAILURE);
        }
        fprintf(stderr, "skipped: no device %s here (on Debian: apt-get install mesa-opencl-icd)\n", test_selector());
        exit(TEST_SKIPPED);
    }
    if (provider_is_absent(message, sizeof message)) {
        fprintf(stderr, "skipped: %s\n", message);
        exit(TEST_SKIPPED);
    }
}

/* ---- real matrices ---- */

const char *test_matrix_path(const char *name) {
    static char path[4096];
    const char *folder = test_env("CLSOLVE_TEST_MATRICES");
    if (!folder) folder = CLSOLVE_TEST_MATRICES_DEFAULT;
    const char *ending = strstr(name, ".mtx") ? "" : ".mtx";
    int length = snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    if (length < 0 || (size_t)length >= sizeof path || access(path, R_OK) != 0) {
        fprintf(stderr, "skipped: no %s%s in %s (CLSOLVE_TEST_MATRICES names another folder)\n", name, ending, folder);
        return NULL;
    }
    return path;
}
