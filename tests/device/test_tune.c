/*
 * The search (clsolve_tune), and which product is taken afterwards. The linker puts an idle CLBlast in the place of the real one,
 * whose first use would cost seconds: it counts its calls and is as slow as a case wants, so that which of the two is
 * faster does not depend on the machine. cls_own_test_right and cls_own_kernel are wrapped likewise, for a device that errs, and
 * cls_seconds, for a comparison that has time.
 */
#define _XOPEN_SOURCE 700

#include <clsolve/clsolve.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <clblast_c.h>

#include "api/context.h"
#include "device/opencl/opencl.h"
#include "device/tune.h"
#include "support/test_support.h"

static int calls;          /* of CLBlast's product */
static long pause_ms;      /* that each takes */
static int wrong, refused; /* how many tests are still to be wrong; kernels of `refused_file` not built */
static const char *refused_file;
static int clock_back; /* it is earlier than it was: time suffices */

CLBlastStatusCode __wrap_CLBlastSgemm(void);
CLBlastStatusCode __wrap_CLBlastDgemm(void);
int __real_cls_own_test_right(const void *C, clsolve_type type, cls_ref ref);
int __wrap_cls_own_test_right(const void *C, clsolve_type type, cls_ref ref);
clsolve_status __real_cls_own_kernel(cls_device *device, cls_kernel **slot, const char *file, const char *name,
                                     clsolve_type type, const char *options);
clsolve_status __wrap_cls_own_kernel(cls_device *device, cls_kernel **slot, const char *file, const char *name,
                                     clsolve_type type, const char *options);
double __real_cls_seconds(void);
double __wrap_cls_seconds(void);

double __wrap_cls_seconds(void) {
    return __real_cls_seconds() - (clock_back ? 1000 : 0);
}

static CLBlastStatusCode idle(void) {
    struct timespec time = {0, pause_ms * 1000000};
    calls++;
    if (pause_ms > 0) (void)nanosleep(&time, NULL);
    return CLBlastSuccess;
}

/* Their arguments count for nothing. */
CLBlastStatusCode __wrap_CLBlastSgemm(void) {
    return idle();
}

CLBlastStatusCode __wrap_CLBlastDgemm(void) {
    return idle();
}

int __wrap_cls_own_test_right(const void *C, clsolve_type type, cls_ref ref) {
    int right = __real_cls_own_test_right(C, type, ref);
    assert_int_equal(right, 1);
    return wrong-- > 0 ? 0 : right;
}

clsolve_status __wrap_cls_own_kernel(cls_device *device, cls_kernel **slot, const char *file, const char *name,
                                     clsolve_type type, const char *options) {
    if (refused_file && strcmp(file, refused_file) == 0 && refused-- > 0)
        return cls_fail(device->error, CLSOLVE_ERROR_BUILD, "%s is refused for a test", file);
    return __real_cls_own_kernel(device, slot, file, name, type, options);
}

/* ---- the folder, the context ---- */

static char folder[64];

/* With the names of compiled programs or without; gives back how many rows there are. */
static int clear_folder(int rows_only) {
    DIR *directory = opendir(folder);
    int rows = 0;
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char path[512];
        const int is_row = strncmp(entry->d_name, "product-", 8) == 0;
        if (entry->d_name[0] == '.') continue;
        assert_true(strncmp(entry->d_name, "new-", 4) != 0);
        rows += is_row;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (is_row || !rows_only) assert_int_equal(unlink(path), 0);
    }
    (void)closedir(directory);
    return rows;
}

static const cls_blas *chosen; /* the device's own provider, */
static int64_t work_group;     /* and its limit */

/* A device with CLBlast as its provider, whatever it is. */
static clsolve_context *open_context(const char *cache) {
    clsolve_context *context = NULL;
    clsolve_context_options options = {.selector = test_selector(), .cache_folder = cache};
    assert_int_equal(clsolve_context_create_with(&options, &context), CLSOLVE_OK);
    chosen = context->device->blas;
    work_group = context->device->info.max_work_group;
    context->device->blas = &cls_opencl_blas_clblast;
    context->device->tiled = CLS_TILED_MEASURED;
    context->device->matrix_unit = 0;
    /* So that small matrices are measured, and the first guesses are kernels that compile fast. */
    context->device->info.global_memory = 2 << 20;
    context->device->info.max_work_group = 4;
    return context;
}

/* LU's kernels with the device's own provider, for an idle one makes them wrong; and those of products. */
static void self_test_says(clsolve_context *context, clsolve_type type, const char *what) {
    char text[256];
    context->device->blas = chosen;
    context->device->info.max_work_group = work_group;
    assert_int_equal(clsolve_context_self_test(context, type, text, sizeof text), CLSOLVE_OK);
    context->device->blas = &cls_opencl_blas_clblast;
    context->device->info.max_work_group = 4;
    if (!strstr(text, what)) fail_msg("\"%s\" has no \"%s\"", text, what);
    assert_true(strcmp(what, "right") != 0 || strcmp(text, "right") == 0);
    assert_string_equal(clsolve_context_message(context), "");
}

static void is_said(clsolve_context *context, const char *what) {
    char text[256];
    assert_int_equal(clsolve_tune_describe(context, CLSOLVE_F32, text, sizeof text), CLSOLVE_OK);
    if (!strstr(text, what)) fail_msg("\"%s\" has no \"%s\"", text, what);
}

/* C -= A B of order N by the provider; 1 where CLBlast was called for it, else C is checked. */
static int multiplies_by_clblast(clsolve_context *context) {
    enum { N = 70 };
    static float data[N * N];
    const cls_device_ops *ops = context->device->ops;
    cls_device *device = context->device;
    const cls_rect rect = {sizeof data, 1, 0, sizeof data, sizeof data};
    cls_ref M[3];
    const int before = calls;
    for (int b = 0; b < 3; b++) {
        for (int k = 0; k < N * N; k++) data[k] = (float)((k * (b + 3)) % 7);
        M[b] = (cls_ref){NULL, 0, N};
        assert_int_equal(ops->buffer_create(device, sizeof data, &M[b].buffer), CLSOLVE_OK);
        assert_int_equal(ops->write(device, CLS_COMPUTE, M[b].buffer, data, &rect, NULL, NULL), CLSOLVE_OK);
        assert_int_equal(ops->finish(device, CLS_COMPUTE), CLSOLVE_OK);
    }
    assert_int_equal(
        device->blas->gemm(device, CLSOLVE_F32, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, N, N, N, -1, M[0], M[1], 1, M[2]),
        CLSOLVE_OK);
    assert_int_equal(ops->read(device, CLS_COMPUTE, M[2].buffer, data, &rect, NULL, NULL), CLSOLVE_OK);
    assert_int_equal(ops->finish(device, CLS_COMPUTE), CLSOLVE_OK);
    for (int i = 0; i < N && calls == before; i++)
        for (int j = 0; j < N; j++) {
            int sum = ((i + j * N) * 5) % 7;
            for (int l = 0; l < N; l++) sum -= ((i + l * N) * 3) % 7 * (((l + j * N) * 4) % 7);
            assert_true(data[i + j * N] == (float)sum);
        }
    for (int b = 0; b < 3; b++) ops->buffer_destroy(device, M[b].buffer);
    assert_true(calls - before <= 1);
    return calls - before;
}

/* One candidate alone: the budget is over when it was tried. */
static const clsolve_tune_options shortest = {.seconds = 1e-6};

static void expect_counts(const clsolve_tune_report *r, int64_t tried, int64_t timed, int64_t bad, int64_t not_built) {
    assert_int_equal(r->tried, tried);
    assert_int_equal(r->timed, timed);
    assert_int_equal(r->wrong, bad);
    assert_int_equal(r->refused, not_built);
}

/* ---- the search ---- */

static int phases;

/* Whatever the budget of the search was, the comparison has time. */
static void count_phases(void *user, const char *phase, double fraction) {
    assert_ptr_equal(user, folder);
    assert_non_null(phase);
    assert_true(fraction >= 0);
    clock_back = strcmp(phase, "compare") == 0;
    phases++;
}

static void faster_ones_are_used(void **state) {
    (void)state;
    clsolve_context *context = open_context(folder);
    clsolve_tune_report report;
    clsolve_tune_options options = shortest;
    const cls_counters before = context->device->counters;
    options.progress = count_phases;
    options.progress_user = folder;
    phases = 0;
    (void)clear_folder(0);
    is_said(context, "CLBlast; no row is stored");
    assert_int_equal(multiplies_by_clblast(context), 1);
    pause_ms = 25;
    assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &options, &report), CLSOLVE_OK);
    pause_ms = clock_back = 0;
    expect_counts(&report, 1, 1, 0, 0);
    assert_true(phases >= 18);
    assert_int_equal(report.updates_skipped, 0);
    assert_int_equal(report.best_count, 1);
    assert_true(report.best[0].gflops > 0 && strstr(report.best[0].text, "tile "));
    assert_int_equal(report.update_count, CLSOLVE_TUNE_UPDATES);
    for (int u = 0; u < report.update_count; u++) {
        assert_true(report.updates[u].own > 0 && report.updates[u].clblast > 0);
        assert_int_equal(report.updates[u].used, 1);
    }
    assert_int_equal(report.stored, 1);
    assert_int_equal(access(report.file, R_OK), 0);
    assert_int_equal(context->device->counters.bytes_up, before.bytes_up + 3 * 70 * 70 * 4);
    assert_int_equal(context->device->counters.buffers, 0);
    /* This context and the next one. */
    is_said(context, "the library's own where it was measured faster");
    assert_int_equal(multiplies_by_clblast(context), 0);
    clsolve_context_destroy(context);
    context = open_context(folder);
    assert_int_equal(multiplies_by_clblast(context), 0);
    context->device->tiled = CLS_TILED_NEVER;
    assert_int_equal(multiplies_by_clblast(context), 1);
    context->device->tiled = CLS_TILED_MEASURED;
    /* A dry run that finds another thing changes nothing. */
    options.dry = 1;
    assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &options, &report), CLSOLVE_OK);
    assert_int_equal(report.stored, 0);
    clock_back = 0;
    assert_int_equal(report.updates[5].used, 0);
    assert_int_equal(multiplies_by_clblast(context), 0);
    clsolve_context_destroy(context);
}

/* No time but for A B: CLBlast goes on with the other kinds, or with what is stored of the same parameters. */
static void the_budget_ends_the_comparison(void **state) {
    (void)state;
    clsolve_context *context = open_context(folder);
    const clsolve_device_info *info = &context->device->info;
    clsolve_tune_report report;
    char path[512], why[512];
    cls_row row;
    (void)clear_folder(1);
    for (int run = 0; run < 2; run++) {
        pause_ms = 25;
        assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &shortest, &report), CLSOLVE_OK);
        pause_ms = 0;
        assert_int_equal(report.update_count, CLS_ROW_SHAPES);
        assert_int_equal(report.updates_skipped, CLSOLVE_TUNE_UPDATES - CLS_ROW_SHAPES);
        assert_int_equal(cls_row_load(folder, info, CLSOLVE_F32, &row), CLS_ROW_FOUND);
        for (int op = 0; op < CLS_ROW_OPS; op++)
            for (int s = 0; s < CLS_ROW_SHAPES; s++)
                assert_true(op == 0 ? row.against[op][s] > 1.1 : row.against[op][s] == run * 0.25);
        for (int k = 0; k < CLS_ROW_OPS * CLS_ROW_SHAPES; k++)
            row.against[k / CLS_ROW_SHAPES][k % CLS_ROW_SHAPES] = 0.25;
        assert_true(cls_row_store(folder, &row, info, CLSOLVE_F32, path, sizeof path, why, sizeof why));
    }
    clsolve_context_destroy(context);
}

static void slower_ones_are_not(void **state) {
    (void)state;
    clsolve_context *context = open_context(folder);
    clsolve_tune_report report;
    (void)clear_folder(1);
    assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &shortest, &report), CLSOLVE_OK);
    for (int u = 0; u < report.update_count; u++) assert_int_equal(report.updates[u].used, 0);
    assert_int_equal(clear_folder(1), 1); /* that it was measured is known too */
    is_said(context, "measured faster than the library's own everywhere");
    assert_int_equal(multiplies_by_clblast(context), 1);
    clsolve_context_destroy(context);
}

/* What a longer search stored is tried first: one candidate alone then stores that again, not the first guess. */
static void a_stored_one_goes_first(void **state) {
    (void)state;
    clsolve_context *context = open_context(folder);
    cls_device *device = context->device;
    clsolve_tune_report report;
    cls_tile guesses[CLS_TILE_GUESSES];
    cls_row row = {.against = {{1, 1, 1, 1}}};
    char words[CLS_TILE_TEXT], path[512], why[512];
    (void)clear_folder(1);
    row.tile = guesses[cls_tile_guesses(&device->info, CLSOLVE_F32, guesses) - 1];
    row.tile.slice *= 2;
    assert_true(cls_tile_fits(&row.tile, &device->info, CLSOLVE_F32));
    cls_tile_words(&row.tile, words);
    assert_true(cls_row_store(folder, &row, &device->info, CLSOLVE_F32, path, sizeof path, why, sizeof why));
    assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &shortest, &report), CLSOLVE_OK);
    expect_counts(&report, 1, 1, 0, 0);
    assert_string_equal(report.best[0].text, words);
    assert_int_equal(clear_folder(1), 1);
    clsolve_context_destroy(context);
}

/* Where the provider works in the host's memory no product asks the row: none is said to use it. */
static void in_the_hosts_memory_none_is_used(void **state) {
    (void)state;
    clsolve_context *context = open_context(folder);
    clsolve_tune_report report;
    clsolve_tune_options options = shortest;
    (void)clear_folder(1);
    if (!chosen->in_place) {
        clsolve_context_destroy(context);
        skip();
    }
    context->device->blas = chosen;
    options.dry = 1;
    pause_ms = 25;
    assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &options, &report), CLSOLVE_OK);
    pause_ms = 0;
    for (int u = 0; u < report.update_count; u++) {
        assert_true(report.updates[u].own > report.updates[u].clblast);
        assert_int_equal(report.updates[u].used, 0);
    }
    clsolve_context_destroy(context);
}

/* The first is wrong and the second is not built: the third is taken, and the message is no failure's. */
static void wrong_candidates_are_dropped(void **state) {
    (void)state;
    clsolve_context *context = open_context(folder);
    clsolve_tune_report report;
    clsolve_tune_options options = shortest;
    options.dry = 1;
    wrong = 1;
    refused_file = "gemm_tiled";
    refused = 0;
    assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &options, &report), CLSOLVE_OK);
    expect_counts(&report, 2, 1, 1, 0);
    refused = 1;
    assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &options, &report), CLSOLVE_OK);
    expect_counts(&report, 2, 1, 0, 1);
    assert_string_equal(clsolve_context_message(context), "");
    refused = 1000;
    assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &options, &report), CLSOLVE_ERROR_BUILD);
    assert_non_null(strstr(clsolve_context_message(context), "none of"));
    refused_file = NULL;
    wrong = 0;
    assert_int_equal(context->device->counters.buffers, 0);
    clsolve_context_destroy(context);
}

/* ---- at the first use ---- */

static void store(const clsolve_context *context, const cls_tile *tile) {
    char path[512], why[256];
    cls_row row = {.tile = *tile};
    for (int op = 0; op < CLS_ROW_OPS; op++)
        for (int s = 0; s < CLS_ROW_SHAPES; s++) row.against[op][s] = 2;
    assert_int_equal(
        cls_row_store(folder, &row, &context->device->info, CLSOLVE_F32, path, sizeof path, why, sizeof why), 1);
}

static void a_wrong_product_is_not_used(void **state) {
    (void)state;
    static const cls_tile tile = {4, 6, 4, 4, 3, 4, 0, 0, 0};
    for (int how = 0; how < 3; how++) { /* wrong, not built, and right: but known to be wrong from the first time */
        clsolve_context *context = open_context(folder);
        if (how == 0) (void)clear_folder(0);
        store(context, &tile);
        wrong = how == 0;
        refused_file = how == 1 ? "gemm_tiled" : NULL;
        refused = how == 1;
        assert_int_equal(multiplies_by_clblast(context), 1);
        assert_int_equal(multiplies_by_clblast(context), 1);
        self_test_says(context, CLSOLVE_F32, "right; the tuned product is wrong here");
        is_said(context, "a row is there, but its kernel is wrong here");
        clsolve_context_destroy(context);
    }
    refused_file = NULL;
    wrong = 0;
    (void)clear_folder(0);
    clsolve_context *context = open_context(folder);
    store(context, &tile);
    self_test_says(context, CLSOLVE_F32, "right");
    assert_int_equal(multiplies_by_clblast(context), 0);
    clsolve_context_destroy(context);
}

static void a_refused_matrix_unit_is_told(void **state) {
    (void)state;
    clsolve_context *context = open_context("");
    if (!context->device->info.fp64) {
        clsolve_context_destroy(context);
        skip();
    }
    context->device->matrix_unit = 80;
    refused_file = "gemm_mma";
    refused = 1;
    self_test_says(context, CLSOLVE_F32, "right");
    self_test_says(context, CLSOLVE_F64, "right; the product by the matrix unit is wrong here or does not run");
    assert_int_equal(refused, 0);
    refused_file = NULL;
    clsolve_context_destroy(context);
}

static void a_damaged_row_is_told(void **state) {
    (void)state;
    clsolve_context *context = open_context(folder);
    char path[512], why[256];
    const cls_row row = {.tile = {4, 6, 4, 4, 3, 4, 0, 0, 0}};
    assert_int_equal(
        cls_row_store(folder, &row, &context->device->info, CLSOLVE_F32, path, sizeof path, why, sizeof why), 1);
    assert_int_equal(truncate(path, 50), 0);
    is_said(context, "the stored row is damaged and not used");
    assert_int_equal(multiplies_by_clblast(context), 1);
    (void)clear_folder(1);
    clsolve_context_destroy(context);
}

/* A row that comes with the library, on a device of which that is known. */
static void a_known_device(void **state) {
    (void)state;
    clsolve_context *context = open_context("");
    cls_row row;
    context->device->info.max_work_group = work_group;
    if (!cls_row_known(&context->device->info, CLSOLVE_F32, &row)) {
        clsolve_context_destroy(context);
        skip();
    }
    is_said(context, "on such devices; no row is stored");
    assert_int_equal(multiplies_by_clblast(context), 0);
    clsolve_context_destroy(context);
}

/* ---- what is refused before anything is measured ---- */

static void refusals(void **state) {
    (void)state;
    clsolve_tune_report report;
    clsolve_tune_options options = shortest;
    char path[128], text[8] = "before";
    const int before = calls;
    clsolve_context *context = open_context("");
    assert_int_equal(clsolve_tune(NULL, CLSOLVE_F32, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_tune_describe(NULL, CLSOLVE_F32, text, sizeof text), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_string_equal(text, "");
    assert_int_equal(clsolve_tune_describe(context, CLSOLVE_F32, text, sizeof text), CLSOLVE_OK); /* cut off to fit */
    assert_int_equal(strlen(text), sizeof text - 1);
    assert_int_equal(clsolve_tune_describe(context, CLSOLVE_F32, NULL, 0), CLSOLVE_OK);
    assert_int_equal(clsolve_tune(context, (clsolve_type)7, NULL, &report), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(clsolve_context_message(context), "type is 7"));
    const double bad[] = {-1, NAN, INFINITY};
    for (int b = 0; b < 3; b++) {
        options.seconds = bad[b];
        assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &options, &report), CLSOLVE_ERROR_INVALID_ARGUMENT);
    }
    assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &shortest, &report), CLSOLVE_ERROR_FILE);
    assert_non_null(strstr(clsolve_context_message(context), "no folder"));
    context->device->info.fp64 = 0;
    assert_int_equal(clsolve_tune(context, CLSOLVE_F64, &shortest, &report), CLSOLVE_ERROR_UNSUPPORTED);
    context->device->rival = NULL;
    assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &shortest, &report), CLSOLVE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(clsolve_context_message(context), "nothing to tune"));
    clsolve_context_destroy(context);
    (void)snprintf(path, sizeof path, "/dev/null/%s", "below");
    context = open_context(path);
    assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &shortest, &report), CLSOLVE_ERROR_FILE);
    assert_non_null(strstr(clsolve_context_message(context), "cannot write in /dev/null/below"));
    clsolve_context_destroy(context);
    assert_int_equal(calls, before);
}

/* Each changes something, most can be undone by another, and there is an end. */
static void moves(void **state) {
    (void)state;
    const cls_tile from = {48, 48, 8, 12, 12, 2, 1, 0, 0};
    cls_tile to, back;
    int count = 0;
    while (cls_tune_move(&from, count, &to)) {
        int undone = 0;
        assert_memory_not_equal(&from, &to, sizeof to);
        for (int m = 0; cls_tune_move(&to, m, &back); m++) undone |= memcmp(&from, &back, sizeof from) == 0;
        assert_true(undone);
        count++;
    }
    assert_true(count >= 20);
    assert_int_equal(cls_tune_move(&from, -1, &to), 0);
}

static int make_folder(void **state) {
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/clsolve-tune-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    (void)clear_folder(0);
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faster_ones_are_used),
        cmocka_unit_test(the_budget_ends_the_comparison),
        cmocka_unit_test(a_stored_one_goes_first),
        cmocka_unit_test(in_the_hosts_memory_none_is_used),
        cmocka_unit_test(slower_ones_are_not),
        cmocka_unit_test(wrong_candidates_are_dropped),
        cmocka_unit_test(a_wrong_product_is_not_used),
        cmocka_unit_test(a_refused_matrix_unit_is_told),
        cmocka_unit_test(a_damaged_row_is_told),
        cmocka_unit_test(refusals),
        cmocka_unit_test(moves),
        cmocka_unit_test(a_known_device),
    };
    test_require_device();
    test_require_backend("opencl");
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
