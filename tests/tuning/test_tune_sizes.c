/*
 * The fit of sizes (clsolve_tune_sizes): what it measures, what it stores, that it goes on where it was interrupted, and
 * that handles follow. The linker puts times in the place of factorizations, so that the machine decides nothing.
 */
#define _XOPEN_SOURCE 700

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <clsolve/clsolve.h>

#include "api/lu.h"
#include "blas/blas.h"
#include "method/lu/fit.h"
#include "support/test_support.h"

static int trials;        /* made so far */
static int real;          /* 1: they are */
static int refuse_blocks; /* 1: of blocks other than the default none runs */
static int slow_once;     /* 1: other work makes the next one slow */
static int64_t largest;   /* order with room */

clsolve_status __real_cls_lu_trial(const cls_lu_trials *t, int64_t n, const cls_fitted *fitted, int solve,
                                   double *seconds);
clsolve_status __wrap_cls_lu_trial(const cls_lu_trials *t, int64_t n, const cls_fitted *fitted, int solve,
                                   double *seconds);
int __wrap_cls_lu_trial_fits(const cls_lu_trials *t, int64_t n);

/* Fastest with a leaf of 64, blocks of 192 at 1024 and 256 elsewhere, look-ahead from 4096 on, substitution by 64. */
clsolve_status __wrap_cls_lu_trial(const cls_lu_trials *t, int64_t n, const cls_fitted *f, int solve, double *seconds) {
    trials++;
    if (real) return __real_cls_lu_trial(t, n, f, solve, seconds);
    const int64_t block = cls_fitted_block(f, n), good = n == 1024 ? 192 : 256;
    double off = block > 0 ? fabs(log2((double)block / (double)good)) : 0;
    if (refuse_blocks && block > 0 && block != 128 && block != 384)
        return cls_fail(t->device->error, CLSOLVE_ERROR_BUILD, "refused for a test");
    if (f->leaf > 0) off += fabs(log2((double)f->leaf / 64));
    if (f->ahead_from != 0) off += (f->ahead_from > 0) == (n >= 4096) ? 0 : 1;
    if (solve) off = f->few == 64 ? 0 : 1;
    *seconds = 1e-15 * (double)n * (1 + off); /* far below any budget */
    if (slow_once) *seconds *= 100;
    slow_once = 0;
    return CLSOLVE_OK;
}

int __wrap_cls_lu_trial_fits(const cls_lu_trials *t, int64_t n) {
    (void)t;
    return n <= largest;
}

/* ---- the folder, the context ---- */

static char folder[64];

static int make_folder(void **state) {
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/clsolve-sizes-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

/* How many records of sizes were there. */
static int clear_folder(int records_only) {
    DIR *directory = opendir(folder);
    int records = 0;
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char path[512];
        const int is_record = strncmp(entry->d_name, "sizes-", 6) == 0;
        if (entry->d_name[0] == '.') continue;
        records += is_record;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (is_record || !records_only) assert_int_equal(unlink(path), 0);
    }
    (void)closedir(directory);
    return records;
}

static int remove_folder(void **state) {
    (void)state;
    (void)clear_folder(0);
    return rmdir(folder);
}

static clsolve_context *open_context(void) {
    clsolve_context *context = NULL;
    clsolve_context_options options = {.selector = test_selector(), .cache_folder = folder};
    assert_int_equal(clsolve_context_create_with(&options, &context), CLSOLVE_OK);
    trials = real = refuse_blocks = slow_once = 0;
    largest = 8192;
    return context;
}

static clsolve_context *open_anew(void) {
    (void)clear_folder(1);
    return open_context();
}

static void is_said(clsolve_context *context, const char *what) {
    char text[512];
    assert_int_equal(clsolve_tune_sizes_describe(context, CLSOLVE_F32, text, sizeof text), CLSOLVE_OK);
    if (!strstr(text, what)) fail_msg("\"%s\" has no \"%s\"", text, what);
}

/* ---- the fit ---- */

static int phases;

static void count_phases(void *user, const char *phase, double fraction) {
    assert_ptr_equal(user, folder);
    assert_non_null(phase);
    assert_true(fraction >= 0);
    phases++;
}

static int64_t block_at(const clsolve_tune_sizes_report *r, int64_t n) {
    for (int k = 0; k < r->order_count; k++)
        if (r->orders[k] == n) return r->blocks[k];
    return 0;
}

static void the_best_sizes_are_found(void **state) {
    (void)state;
    clsolve_context *context = open_anew();
    const int in_place = cls_in_place(context->device), few = !in_place && !context->device->blas->narrow;
    clsolve_tune_options options = {.seconds = 60, .progress = count_phases, .progress_user = folder};
    clsolve_tune_sizes_report r;
    is_said(context, "the library's own; no tuning record is stored");
    phases = 0;
    assert_int_equal(clsolve_tune_sizes(context, CLSOLVE_F32, &options, &r), CLSOLVE_OK);
    assert_int_equal(r.measured, phases);
    assert_int_equal(r.trial_count, phases);
    assert_true(trials > phases); /* the slower one of two is measured once more */
    assert_int_equal(r.stopped + r.resumed, 0);
    assert_int_equal(r.stored, 1);
    assert_int_equal(access(r.file, R_OK), 0);
    assert_int_equal(r.order_count, 4);
    assert_int_equal(block_at(&r, 1024), 192);
    assert_int_equal(block_at(&r, 8192), in_place ? block_at(&r, 8192) : 256);
    if (!in_place) {
        assert_int_equal(r.ahead_from, 4096);
        assert_int_equal(r.leaf, 64);
    }
    if (few) assert_int_equal(r.substitution, 64);
    int used = 0;
    for (int t = 0; t < r.trial_count; t++) used += r.trials[t].used && strcmp(r.trials[t].part, "block") == 0;
    assert_int_equal(used, 4); /* one of each order */
    is_said(context, "block 192 at n = 1024");
    clsolve_context_destroy(context);
}

/* A handle has them, in this context and in later ones; its own option goes before; on another driver there is nothing. */
static void handles_follow(void **state) {
    (void)state;
    clsolve_context *context = open_anew();
    clsolve_lu *lu = NULL;
    clsolve_lu_options own = {.block = 64};
    clsolve_tune_options options = {.seconds = 60};
    clsolve_tune_sizes_report r;
    assert_int_equal(clsolve_tune_sizes(context, CLSOLVE_F32, &options, &r), CLSOLVE_OK);
    for (int later = 0; later < 2; later++) {
        const int in_place = cls_in_place(context->device);
        assert_int_equal(clsolve_lu_create(context, 1000, CLSOLVE_F32, NULL, &lu), CLSOLVE_OK);
        assert_int_equal(lu->lu.block, in_place ? 192 : 192 / lu->lu.panel.leaf * lu->lu.panel.leaf);
        if (!in_place) assert_true(lu->lu.panel.leaf == 64);
        if (!in_place && !context->device->blas->narrow) assert_int_equal(lu->lu.substitute.block, 64);
        clsolve_lu_destroy(lu);
        assert_int_equal(clsolve_lu_create(context, 1000, CLSOLVE_F32, &own, &lu), CLSOLVE_OK);
        assert_int_equal(lu->lu.block, 64);
        clsolve_lu_destroy(lu);
        clsolve_context_destroy(context);
        context = open_context();
    }
    (void)snprintf(context->device->info.driver, sizeof context->device->info.driver, "another");
    cls_fit_record record;
    assert_int_equal(cls_fit_load(context->device, context->device->blas->name, CLSOLVE_F32, &record), CLS_RECORD_NONE);
    clsolve_context_destroy(context);
}

/* One measurement a call, each stored; all together make what one long call does. */
static void an_interrupted_fit_goes_on(void **state) {
    (void)state;
    clsolve_context *context = open_anew();
    clsolve_tune_options all = {.seconds = 60, .dry = 1}, one = {.seconds = 1e-6, .resume = 1};
    clsolve_tune_sizes_report wanted, r = {.stopped = 1};
    int calls = 0;
    assert_int_equal(clsolve_tune_sizes(context, CLSOLVE_F32, &all, &wanted), CLSOLVE_OK);
    assert_int_equal(clear_folder(1), 0); /* dry */
    is_said(context, "the library's own");
    for (; r.stopped; calls++) {
        assert_int_equal(clsolve_tune_sizes(context, CLSOLVE_F32, &one, &r), CLSOLVE_OK);
        assert_int_equal(r.measured, 1);
        assert_int_equal(r.trial_count, calls + 1);
        assert_int_equal(r.resumed, calls > 0);
        clsolve_context_destroy(context); /* what counts is on disk */
        context = open_context();
    }
    assert_int_equal(calls, wanted.measured);
    assert_int_equal(r.leaf, wanted.leaf);
    assert_int_equal(r.ahead_from, wanted.ahead_from);
    assert_int_equal(r.substitution, wanted.substitution);
    assert_memory_equal(r.blocks, wanted.blocks, sizeof r.blocks);
    /* Nothing is left; a larger room is gone on with; without `resume` all is measured anew. */
    one.seconds = 60;
    assert_int_equal(clsolve_tune_sizes(context, CLSOLVE_F32, &one, &r), CLSOLVE_OK);
    assert_int_equal(r.measured, 0);
    largest = 16384;
    assert_int_equal(clsolve_tune_sizes(context, CLSOLVE_F32, &one, &r), CLSOLVE_OK);
    assert_true(r.measured > 0 && block_at(&r, 16384) > 0);
    const int64_t count = r.trial_count;
    one.resume = 0;
    assert_int_equal(clsolve_tune_sizes(context, CLSOLVE_F32, &one, &r), CLSOLVE_OK);
    assert_int_equal(r.measured, count);
    assert_int_equal(r.resumed, 0);
    clsolve_context_destroy(context);
}

/* `limit` ends the call, and `seconds` only says which orders are worth their time. */
static void a_limit_ends_the_fit(void **state) {
    (void)state;
    clsolve_context *context = open_anew();
    clsolve_tune_options short_one = {.seconds = 60, .limit = 1e-9, .dry = 1};
    clsolve_tune_options few_orders = {.seconds = 1e-13, .limit = 60, .dry = 1};
    clsolve_tune_options bad = {.limit = -1};
    clsolve_tune_sizes_report r;
    assert_int_equal(clsolve_tune_sizes(context, CLSOLVE_F32, &short_one, &r), CLSOLVE_OK);
    assert_int_equal(r.measured, 1);
    assert_int_equal(r.stopped, 1);
    assert_int_equal(clsolve_tune_sizes(context, CLSOLVE_F32, &few_orders, &r), CLSOLVE_OK);
    assert_int_equal(r.stopped, 0);
    assert_int_equal(r.order_count, 1);
    assert_true(r.measured > 1);
    assert_int_equal(clsolve_tune_sizes(context, CLSOLVE_F32, &bad, &r), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(clsolve_context_message(context), "limit"));
    clsolve_context_destroy(context);
}

/* The default was measured while other work ran: it is measured again before another size takes its place. */
static void other_work_decides_nothing(void **state) {
    (void)state;
    clsolve_context *context = open_anew();
    clsolve_tune_options options = {.seconds = 60, .dry = 1};
    clsolve_tune_sizes_report quiet, r;
    assert_int_equal(clsolve_tune_sizes(context, CLSOLVE_F32, &options, &quiet), CLSOLVE_OK);
    slow_once = 1;
    assert_int_equal(clsolve_tune_sizes(context, CLSOLVE_F32, &options, &r), CLSOLVE_OK);
    assert_int_equal(slow_once, 0);
    assert_int_equal(r.leaf, quiet.leaf);
    assert_memory_equal(r.blocks, quiet.blocks, sizeof r.blocks);
    clsolve_context_destroy(context);
}

/* What the compiler refuses is not used, and is no failure. */
static void refused_sizes_are_dropped(void **state) {
    (void)state;
    clsolve_context *context = open_anew();
    clsolve_tune_options options = {.seconds = 60};
    clsolve_tune_sizes_report r;
    if (cls_in_place(context->device)) {
        clsolve_context_destroy(context);
        skip();
    }
    refuse_blocks = 1;
    assert_int_equal(clsolve_tune_sizes(context, CLSOLVE_F32, &options, &r), CLSOLVE_OK);
    assert_string_equal(clsolve_context_message(context), "");
    int refused = 0;
    for (int t = 0; t < r.trial_count; t++) {
        refused += r.trials[t].seconds == 0;
        assert_true(r.trials[t].seconds > 0 || !r.trials[t].used);
    }
    assert_true(refused > 0);
    for (int k = 0; k < r.order_count; k++) assert_true(r.blocks[k] == 128 || r.blocks[k] == 384);
    clsolve_context_destroy(context);
}

static void a_damaged_record_is_told(void **state) {
    (void)state;
    clsolve_context *context = open_anew();
    clsolve_tune_options options = {.seconds = 60};
    clsolve_tune_sizes_report r;
    assert_int_equal(clsolve_tune_sizes(context, CLSOLVE_F32, &options, &r), CLSOLVE_OK);
    assert_int_equal(truncate(r.file, 50), 0);
    clsolve_context_destroy(context);
    context = open_context();
    is_said(context, "the library's own; the stored tuning record is damaged and not used");
    options.resume = 1;
    assert_int_equal(clsolve_tune_sizes(context, CLSOLVE_F32, &options, &r), CLSOLVE_OK);
    assert_int_equal(r.resumed, 0);
    assert_true(r.measured > 1);
    is_said(context, "block 192");
    clsolve_context_destroy(context);
}

/* Real ones: the factorization that a handle makes, and a solve. */
static void one_real_trial(void **state) {
    (void)state;
    clsolve_context *context = open_anew();
    cls_device *device = context->device;
    const cls_counters before = device->counters;
    cls_lu_trials t;
    cls_fitted sizes = {.block = {96}};
    double seconds = 0;
    real = 1;
    assert_int_equal(cls_lu_trials_create(device, CLSOLVE_F32, &t), CLSOLVE_OK);
    for (int solve = 0; solve < 2; solve++) {
        assert_int_equal(cls_lu_trial(&t, 200, &sizes, solve, &seconds), CLSOLVE_OK);
        assert_true(seconds > 0);
    }
    cls_lu_trials_destroy(&t);
    assert_null(device->fitted);
    assert_memory_equal(&before, &device->counters, sizeof before);
    clsolve_context_destroy(context);
}

static void refusals(void **state) {
    (void)state;
    clsolve_context *context = open_anew();
    clsolve_tune_options options = {.seconds = -1};
    clsolve_tune_sizes_report r;
    char text[8] = "before";
    assert_int_equal(clsolve_tune_sizes(NULL, CLSOLVE_F32, NULL, NULL), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(clsolve_tune_sizes(context, (clsolve_type)7, NULL, &r), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(clsolve_context_message(context), "type is 7"));
    assert_int_equal(clsolve_tune_sizes(context, CLSOLVE_F32, &options, &r), CLSOLVE_ERROR_INVALID_ARGUMENT);
    options.seconds = 1;
    options.reserved[3] = 1;
    assert_int_equal(clsolve_tune_sizes(context, CLSOLVE_F32, &options, &r), CLSOLVE_ERROR_INVALID_ARGUMENT);
    options.reserved[3] = 0;
    assert_int_equal(clsolve_tune_sizes_describe(NULL, CLSOLVE_F32, text, sizeof text), CLSOLVE_ERROR_INVALID_ARGUMENT);
    assert_string_equal(text, "");
    assert_int_equal(clsolve_tune_sizes_describe(context, CLSOLVE_F32, text, sizeof text), CLSOLVE_OK);
    assert_int_equal(strlen(text), sizeof text - 1);
    assert_int_equal(clsolve_tune_sizes_describe(context, CLSOLVE_F32, NULL, 0), CLSOLVE_OK);
    assert_int_equal(trials, 0);
    clsolve_context_destroy(context);
    clsolve_context_options none = {.selector = test_selector(), .cache_folder = ""};
    assert_int_equal(clsolve_context_create_with(&none, &context), CLSOLVE_OK);
    assert_int_equal(clsolve_tune_sizes(context, CLSOLVE_F32, &options, &r), CLSOLVE_ERROR_FILE);
    clsolve_context_destroy(context);
    assert_int_equal(clsolve_context_create("host", &context), CLSOLVE_OK);
    assert_int_equal(clsolve_tune_sizes(context, CLSOLVE_F32, &options, &r), CLSOLVE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(clsolve_context_message(context), "nothing to tune"));
    clsolve_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_sizes_are_found),
        cmocka_unit_test(handles_follow),
        cmocka_unit_test(an_interrupted_fit_goes_on),
        cmocka_unit_test(a_limit_ends_the_fit),
        cmocka_unit_test(other_work_decides_nothing),
        cmocka_unit_test(refused_sizes_are_dropped),
        cmocka_unit_test(a_damaged_record_is_told),
        cmocka_unit_test(one_real_trial),
        cmocka_unit_test(refusals),
    };
    test_require_device();
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
