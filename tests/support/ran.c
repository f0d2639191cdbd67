/* ran.c: see ran.h. The checks and the record; what is noted comes from ran_wraps.c. */
#define _DEFAULT_SOURCE /* on_exit */

#include "support/ran.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/system/folder.h"
#include "support/test_support.h"

extern char **environ;

/* Every variable that the library, its tests, their stand-ins or scripts read. A misspelt one is none of these. */
static const char *const known[] = {"CLSOLVE_BLAS",
                                    "CLSOLVE_HOST",
                                    "CLSOLVE_KERNELS",
                                    "CLSOLVE_LAPACK",
                                    "CLSOLVE_LAPACK_DEVICE",
                                    "CLSOLVE_LAPACK_HOST",
                                    "CLSOLVE_LAPACK_MEMORY",
                                    "CLSOLVE_LAPACK_MIN",
                                    "CLSOLVE_LAPACK_STATS",
                                    "CLSOLVE_SHARES",
                                    "CLSOLVE_PRETEND",
                                    "CLSOLVE_TEST_DEVICE",
                                    "CLSOLVE_TEST_DEVICE_OPTIONAL",
                                    "CLSOLVE_TEST_SECOND",
                                    "CLSOLVE_TEST_SEED",
                                    "CLSOLVE_TEST_MATRICES",
                                    "CLSOLVE_TEST_REDUCED",
                                    "CLSOLVE_TEST_LARGE",
                                    "CLSOLVE_TEST_FAULT_STRIDE",
                                    "CLSOLVE_TEST_FAULT_CALLS",
                                    "CLSOLVE_TEST_FAULT_MOST",
                                    "CLSOLVE_TEST_KEEP",
                                    "CLSOLVE_TEST_PANEL",
                                    "CLSOLVE_TEST_SHAPE",
                                    "CLSOLVE_TEST_NAME",
                                    "CLSOLVE_TEST_ONLY",
                                    "CLSOLVE_TEST_PROGRAM",
                                    "CLSOLVE_TEST_REGISTERED",
                                    "CLSOLVE_TEST_RECORDS",
                                    "CLSOLVE_SOAK_BIN",         /* of scripts/soak.sh */
                                    "CLSOLVE_LIBRARY",          /* of the Python package */
                                    "CLSOLVE_SANITIZE_TIMEOUT", /* of scripts/sanitize_cuda.sh */
                                    "CLSOLVE_STAND_IN_CUDA",
                                    "CLSOLVE_STAND_IN_FREE",
                                    "CLSOLVE_STAND_IN_RATIO",
                                    "CLSOLVE_STAND_IN_BROKEN",
                                    "CLSOLVE_STAND_IN_PROHIBITED"};
enum { KNOWN = sizeof known / sizeof *known };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ran_facts facts;
static int asked[KNOWN];
static int groups_run, functions_run, functions_skipped, functions_failed;

ran_facts *ran_lock(void) {
    (void)pthread_mutex_lock(&lock);
    return &facts;
}

void ran_unlock(void) {
    (void)pthread_mutex_unlock(&lock);
}

void ran_note(ran_tally *tally, const char *text) {
    int at = 0;
    while (at < tally->count && strcmp(tally->text[at], text) != 0) ++at;
    if (at == RAN_TEXTS) return;
    if (at == tally->count) {
        (void)snprintf(tally->text[at], RAN_LENGTH, "%s", text);
        tally->count++;
    }
    tally->times[at]++;
}

static int place_of(const char *name, size_t length) {
    for (int k = 0; k < KNOWN; ++k)
        if (strlen(known[k]) == length && strncmp(known[k], name, length) == 0) return k;
    return -1;
}

int ran_knows(const char *name) {
    return place_of(name, strlen(name)) >= 0;
}

void ran_asked(const char *name) {
    int place = place_of(name, strlen(name));
    if (place < 0) return;
    (void)ran_lock();
    asked[place] = 1;
    ran_unlock();
}

/* ---- devices ---- */

static int contains(const char *text, const char *part) {
    size_t length = strlen(part);
    for (; strlen(text) >= length; ++text)
        if (strncasecmp(text, part, length) == 0) return 1;
    return 0;
}

/* As clsolve/context.h describes selectors. */
static int is_named(const clsolve_device_info *info, const char *selector) {
    if (strcmp(selector, "gpu") == 0) return info->type == CLSOLVE_DEVICE_GPU;
    if (strcmp(selector, "cpu") == 0) return info->type == CLSOLVE_DEVICE_CPU;
    if (strcmp(selector, info->backend) == 0 || strcmp(selector, info->selector) == 0) return 1;
    return contains(info->name, selector) || contains(info->vendor, selector) || contains(info->platform, selector);
}

static const char *type_name(const clsolve_device_info *info) {
    if (test_pretends("gpu") && strcmp(info->backend, "opencl") == 0) return "treated as GPU";
    return info->type == CLSOLVE_DEVICE_GPU ? "GPU" : info->type == CLSOLVE_DEVICE_CPU ? "CPU" : "other";
}

static void wrong(ran_facts *f, const char *what, const char *seen) {
    if (!f->wrong[0]) (void)snprintf(f->wrong, sizeof f->wrong, "%s, but %s", what, seen);
}

static void check_device(ran_facts *f, const clsolve_device_info *info, const char *provider) {
    const char *blas = getenv("CLSOLVE_BLAS");
    if (strcmp(info->backend, "host") == 0) return; /* these are about the devices beside it */
    if (test_pretends("no-fp64") && info->fp64)
        wrong(f, "CLSOLVE_PRETEND has no-fp64", "a device was opened with double");
    if (test_pretends("gpu") && (info->type != CLSOLVE_DEVICE_GPU || info->host_memory))
        wrong(f, "CLSOLVE_PRETEND has gpu", "a device was opened that is none");
    if (provider && blas && *blas) {
        const char *wanted = strcmp(blas, "own") == 0 ? test_portable_provider() : blas;
        if (strncasecmp(provider, wanted, strlen(wanted)) != 0) wrong(f, "CLSOLVE_BLAS is set to another", provider);
    }
}

/* The text without what would end a field, or a cell of a table. */
static void clean(char *text) {
    char *host = strstr(text, " HSTR:"); /* PoCL's version goes on with the target */
    if (host) *host = '\0';
    for (; *text; ++text)
        if (*text == '\t' || *text == '\n' || *text == '|' || *text == ';') *text = ' ';
}

void ran_note_device(const clsolve_device_info *info, const char *provider) {
    const char *selector = getenv("CLSOLVE_TEST_DEVICE");
    char version[sizeof info->version], text[RAN_LENGTH];
    ran_facts *f = ran_lock();
    (void)snprintf(version, sizeof version, "%s", info->version);
    clean(version);
    (void)snprintf(text, sizeof text, "%.80s (%.60s, driver %.60s): %.100s", info->platform, version, info->driver,
                   info->name);
    clean(text);
    ran_note(&f->devices, text);
    ran_note(&f->backends, info->backend);
    ran_note(&f->types, type_name(info));
    ran_note(&f->doubles, info->fp64 ? "yes" : test_pretends("no-fp64") ? "hidden" : "no");
    if (provider) ran_note(&f->providers, provider);
    if (selector && *selector && is_named(info, selector)) f->as_named++;
    check_device(f, info, provider);
    ran_unlock();
}

/* ---- the checks ---- */

static int failed(const char *what, const char *name, const char *more) {
    fprintf(stderr, "FAILED: configuration: %s%s%s\n", name, what, more);
    return 1;
}

int ran_check_names(void) {
    int bad = 0;
    for (char **entry = environ; *entry; ++entry) {
        const char *end = strchr(*entry, '=');
        if (strncmp(*entry, "CLSOLVE_", 8) != 0 || !end) continue;
        if (place_of(*entry, (size_t)(end - *entry)) < 0)
            bad += failed(": no test and no part of the library knows this variable", *entry, "");
    }
    return bad;
}

/* One entry "NAME=value" of CLSOLVE_TEST_REGISTERED. */
static int check_entry(const char *entry) {
    char name[64];
    const char *equals = strchr(entry, '='), *value;
    if (!equals || equals == entry || (size_t)(equals - entry) >= sizeof name)
        return failed(" is registered, which is no NAME=value", entry, "");
    memcpy(name, entry, (size_t)(equals - entry));
    name[equals - entry] = '\0';
    value = getenv(name);
    if (!value || strcmp(value, equals + 1) != 0)
        return failed(" is registered, but the environment has ", entry, value ? value : "no such variable");
    /* The library reads its own, and check_device looks at their effect; tests read the others. */
    int place = place_of(name, strlen(name));
    if (strncmp(name, "CLSOLVE_TEST_", 13) == 0 && place >= 0 && !asked[place])
        return failed(" is registered, but the program never asked for it", entry, "");
    return 0;
}

static int has(const ran_tally *tally, const char *text) {
    for (int at = 0; at < tally->count; ++at)
        if (strcmp(tally->text[at], text) == 0) return 1;
    return 0;
}

static int check_effects(const char *registered) {
    const char *panel = getenv("CLSOLVE_TEST_PANEL"), *selector = getenv("CLSOLVE_TEST_DEVICE");
    int bad = 0;
    if (facts.wrong[0]) bad += failed(facts.wrong, "", "");
    if (facts.devices.count > 0 && selector && *selector && facts.as_named == 0 &&
        asked[place_of("CLSOLVE_TEST_DEVICE", strlen("CLSOLVE_TEST_DEVICE"))])
        bad += failed(": no device was opened that CLSOLVE_TEST_DEVICE names", selector, "");
    if (facts.devices.count == 0 && *registered)
        bad += failed(" is registered, but no device was opened", registered, "");
    if (strstr(registered, "CLSOLVE_TEST_PANEL=") && panel && strcmp(panel, "auto") != 0 && !has(&facts.panels, panel))
        bad += failed(": no panel was factored so", panel, "");
    if (strstr(registered, "CLSOLVE_HOST=always") && !has(&facts.backends, "host"))
        bad += failed(": nothing worked on the host", "CLSOLVE_HOST=always", "");
    return bad;
}

static void name_program(char *name, size_t size) {
    ssize_t length = readlink("/proc/self/exe", name, size - 1);
    name[length > 0 ? length : 0] = '\0';
    const char *slash = strrchr(name, '/');
    if (slash) memmove(name, slash + 1, strlen(slash));
}

static int check_registered(void) {
    const char *registered = getenv("CLSOLVE_TEST_REGISTERED"), *program = getenv("CLSOLVE_TEST_PROGRAM");
    char copy[1024], name[4096], *rest = copy, *entry;
    int bad = 0;
    if (test_env("CLSOLVE_TEST_ONLY")) return 0; /* some functions of a program show less than its name says */
    name_program(name, sizeof name);
    if (program && *program && strcmp(program, name) != 0)
        bad += failed(" is the program that the test is called after, and this one is ", program, name);
    (void)snprintf(copy, sizeof copy, "%s", registered ? registered : "");
    while ((entry = strtok_r(rest, " ", &rest))) bad += check_entry(entry);
    return functions_skipped == functions_run
               ? bad
               : bad + check_effects(registered ? registered : ""); /* skipped: no effects */
}

/* ---- the record ---- */

static void put_tally(FILE *file, const ran_tally *tally, int times) {
    fputc('\t', file);
    for (int at = 0; at < tally->count; ++at) {
        fprintf(file, "%s%s", at ? "; " : "", tally->text[at]);
        if (times) fprintf(file, " %ld", tally->times[at]);
    }
    if (tally->count == 0) fputc('-', file);
}

/* The file of the record, or 0 where none is wanted. */
static int record_path(char *path, size_t size) {
    const char *name = getenv("CLSOLVE_TEST_NAME"), *folder = getenv("CLSOLVE_TEST_RECORDS");
    if (!name || !*name || strchr(name, '/')) return 0;
    if (!folder || !*folder) folder = CLSOLVE_TEST_RECORDS_DEFAULT;
    cls_folder_make(folder);
    int length = snprintf(path, size, "%s/%s.tsv", folder, name);
    return length > 0 && (size_t)length < size;
}

static void write_record(const char *outcome) {
    char path[4096], when[32];
    time_t now = time(NULL);
    struct tm parts;
    if (!record_path(path, sizeof path)) return;
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "no record of this run: %s: %s\n", path, strerror(errno));
        return;
    }
    char program[4096];
    name_program(program, sizeof program);
    fprintf(file, "%s\t%s\t%s\t%d\t%d\t%d", getenv("CLSOLVE_TEST_NAME"), program, outcome, functions_run,
            functions_skipped, functions_failed);
    put_tally(file, &facts.devices, 0);
    put_tally(file, &facts.backends, 0);
    put_tally(file, &facts.types, 0);
    put_tally(file, &facts.doubles, 0);
    put_tally(file, &facts.providers, 0);
    put_tally(file, &facts.panels, 1);
    put_tally(file, &facts.pivotings, 1);
    put_tally(file, &facts.precisions, 1);
    (void)strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    fprintf(file, "\t%s\n", when);
    (void)fclose(file);
}

static pid_t own; /* not that of a child which a test has forked */

/* A program whose functions were all skipped has not passed: it has skipped. One that ran no group has skipped too; when it says that it
 * has passed, it has failed. */
static void end_of_program(int status, void *unused) {
    (void)unused;
    if (getpid() != own || !getenv("CLSOLVE_TEST_NAME")) return;
    if (groups_run > 0) {
        if (status != 0 || functions_skipped < functions_run) return;
        (void)fflush(NULL);
        _exit(TEST_SKIPPED);
    }
    write_record(status == TEST_SKIPPED ? "skipped" : "failed");
    if (status != 0) return;
    (void)failed("the program ended before it ran any function", "", "");
    _exit(EXIT_FAILURE);
}

__attribute__((constructor)) static void begin(void) {
    own = getpid();
    (void)on_exit(end_of_program, NULL);
}

int ran_finish(int functions, int lost) {
    functions_run += functions;
    functions_failed += lost;
    int bad = lost + ran_check_names() + check_registered();
    if (functions == 0) bad += failed("the program ran no function", "", "");
    groups_run++;
    write_record(bad || functions_failed ? "failed" : functions_skipped == functions_run ? "skipped" : "passed");
    return bad;
}

/* ---- cmocka ---- */

/* cmocka 1.1 prints that a teardown has failed, and does not count it. */
static CMFixtureFunction group_teardown;
static int teardown_fails;

static int noted_teardown(void **state) {
    teardown_fails = 1; /* stays so where an assertion leaves it */
    const int code = group_teardown(state);
    teardown_fails = code != 0;
    return code;
}

WRAPS(int, _cmocka_run_group_tests,
      (const char *name, const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup,
       CMFixtureFunction teardown)) {
    const char *only = test_env("CLSOLVE_TEST_ONLY");
    if (ran_check_names() > 0) return ran_finish((int)count, 1);
    if (only) cmocka_set_test_filter(only);
    group_teardown = teardown;
    teardown_fails = 0;
    const int lost = __real__cmocka_run_group_tests(name, tests, count, setup, teardown ? noted_teardown : NULL);
    return ran_finish((int)count, lost > 0 || !teardown_fails ? lost : 1);
}

WRAPS(void, _skip, (const char *file, int line)) {
    functions_skipped++;
    __real__skip(file, line);
}
