/*
 * The text of clsolve_tune_share: its rows, compiled as the table of known devices, give back what was stored, and it
 * names no file.
 */
#define _XOPEN_SOURCE 700

#include <dirent.h>
#include <unistd.h>

#include <clsolve/clsolve.h>

#include "api/context.h"
#include "blas/record.h"
#include "support/test_support.h"

static char folder[64];

static const cls_record product = {
    .tile = {64, 48, 16, 8, 6, 4, 1, 1, 1},
    .against = {{1.25, 2, 0, 12.34}, {0.5, 1, 3, 4}, {0, 0, 0, 0}, {9.99, 0.01, 100, 1.5}},
    .gflops = 1234.5};

/* A device whose driver gives names that end a string or a comment where they may. */
static clsolve_context *open_context(void) {
    clsolve_context *context = NULL;
    clsolve_context_options options = {.selector = test_selector(), .cache_folder = folder};
    assert_int_equal(clsolve_context_create_with(&options, &context), CLSOLVE_OK);
    cls_device *device = context->device;
    (void)snprintf(device->info.name, sizeof device->info.name,
                   "An \"odd\" \\ GPU */ ?"
                   "?/ \xc3\xa9");
    (void)snprintf(device->info.vendor, sizeof device->info.vendor, "V */");
    (void)snprintf(device->info.platform, sizeof device->info.platform, "P\"1\"");
    device->info.type = CLSOLVE_DEVICE_GPU;
    device->info.max_work_group = 1024;
    device->info.local_memory = 65536;
    return context;
}

static int make_folder(void **state) {
    (void)snprintf(folder, sizeof folder, "/tmp/clsolve-share-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    DIR *directory = opendir(folder);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.') (void)unlink(path);
    }
    (void)closedir(directory);
    return rmdir(folder);
}

TEST(without_records) {
    OWNED(context) *context = open_context();
    char text[64] = "before";
    assert_int_equal(clsolve_tune_share(NULL, text, sizeof text), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_tune_share(context, NULL, 0), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_tune_share(context, text, sizeof text), CLSOLVE_ERROR_STATE);
    assert_string_equal(text, "");
    assert_non_null(strstr(clsolve_context_message(context), "no tuning record"));
}

static void store(const clsolve_context *context) {
    const cls_device *device = context->device;
    char path[512], why[256];
    for (int t = CLSOLVE_F32; t <= CLSOLVE_F64; t++) {
        const clsolve_type type = (clsolve_type)t;
        cls_record scaled = product;
        scaled.gflops *= t == CLSOLVE_F32 ? 2 : 1;
        assert_true(cls_record_store(folder, &scaled, &device->info, type, path, sizeof path, why, sizeof why));
    }
}

/* The lines that the program prints for the device of that platform and name. */
static void expect_pasted(const char *rows, const char *platform, const char *name, const char *first,
                          const char *second) {
    char command[4096], program[96], line[256];
    const char *const root = CLSOLVE_TEST_ROOT;
    (void)snprintf(program, sizeof program, "%s/paste", folder);
    (void)snprintf(command, sizeof command,
                   "%s -std=c11 -Wall -Wextra -Werror -I %s/include -I %s/src '-DCLS_KNOWN_DEVICES=\"%s\"' "
                   "%s/tests/tuning/paste.c %s/src/blas/record_known.c %s/src/blas/record_tile.c -lm -o %s",
                   CLSOLVE_TEST_COMPILER, root, root, rows, root, root, root, program);
    assert_int_equal(system(command), 0);
    (void)snprintf(command, sizeof command, "%s '%s' '%s'", program, platform, name);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    assert_non_null(fgets(line, sizeof line, out));
    assert_string_equal(line, first);
    assert_non_null(fgets(line, sizeof line, out));
    assert_string_equal(line, second);
    assert_int_equal(pclose(out), 0);
}

TEST(rows_are_pasted) {
    OWNED(context) *context = open_context();
    char text[16384], path[96], version[64];
    store(context);
    assert_int_equal(clsolve_tune_share(context, text, sizeof text), CLSOLVE_OK);
    assert_null(strstr(text, folder));
    assert_null(strstr(text, "/tmp"));
    (void)snprintf(version, sizeof version, "/* clsolve %s on An ", clsolve_version());
    assert_true(strncmp(text, version, strlen(version)) == 0);
    assert_non_null(strstr(text, "\n * double: product 1234.5 GFLOP/s\n * single: product 2469.0 GFLOP/s\n */\n"));
    for (const char *end = text; (end = strchr(end, '\n')); end++)
        assert_true(end == strrchr(text, '\n') || strcspn(end + 1, "\n") <= 150);
    (void)snprintf(path, sizeof path, "%s/rows.inc", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    expect_pasted(path, "P.1.", "An .odd. . GPU ./ .?/ .?", "1 64 16 1 1.25 1.50 2469.00\n",
                  "1 64 16 1 1.25 1.50 1234.50\n");
    expect_pasted(path, "P.1.", "another", "0 0 0 0 0.00 0.00 0.00\n", "0 0 0 0 0.00 0.00 0.00\n");
    assert_int_equal(clsolve_tune_share(context, text, 100), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_string_equal(text, "");
}

static int count_of(const char *text, const char *word) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++) count++;
    return count;
}

/* The rows of one type are all that is stored of it, and nothing of the other one. */
TEST(one_type_alone) {
    OWNED(context) *context = open_context();
    char both[16384], text[16384];
    store(context);
    assert_int_equal(clsolve_tune_share(context, both, sizeof both), CLSOLVE_OK);
    assert_true(count_of(both, ", F64, ") == 1 && count_of(both, ", F32, ") == 1);
    assert_true(count_of(both, " * double:") == 1 && count_of(both, " * single:") == 1);
    assert_int_equal(clsolve_tune_share_type(context, CLSOLVE_F64, text, sizeof text), CLSOLVE_OK);
    assert_true(count_of(text, ", F64, ") == 1 && count_of(text, ", F32, ") == 0);
    assert_true(count_of(text, " * double:") == 1 && count_of(text, " * single:") == 0);
    assert_int_equal(clsolve_tune_share_type(context, CLSOLVE_F32, text, sizeof text), CLSOLVE_OK);
    assert_true(count_of(text, ", F64, ") == 0 && count_of(text, ", F32, ") == 1);
    assert_true(count_of(text, " * double:") == 0 && count_of(text, " * single:") == 1);
    assert_int_equal(clsolve_tune_share_type(context, (clsolve_type)0, text, sizeof text),
                     CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_string_equal(text, "");
    assert_int_equal(clsolve_tune_share_type(NULL, CLSOLVE_F32, text, sizeof text), CLSOLVE_ERROR_INVALID_ARGUMENT);
}

TEST_PROGRAM(make_folder, remove_folder)
