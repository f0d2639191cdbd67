/* The search (clsolve_tune), and which product is taken afterwards. */
#include <unistd.h>

#include "api/context.h"
#include "blas/tune_support.h"

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

TEST(faster_ones_are_used) {
    clsolve_context *context = open_context(folder);
    clsolve_tune_report report;
    clsolve_tune_options options = shortest;
    const cls_counters before = context->device->counters;
    options.progress = count_phases;
    options.progress_user = folder;
    phases = 0;
    (void)clear_folder(0);
    is_said(context, "CLBlast; no tuning record is stored");
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
    context->device->blas->tiled = CLS_TILED_NEVER;
    assert_int_equal(multiplies_by_clblast(context), 1);
    context->device->blas->tiled = CLS_TILED_MEASURED;
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
TEST(the_budget_ends_the_comparison) {
    OWNED(context) *context = open_context(folder);
    const clsolve_device_info *info = &context->device->info;
    clsolve_tune_report report;
    char path[512], why[512];
    cls_record record;
    (void)clear_folder(1);
    for (int run = 0; run < 2; run++) {
        pause_ms = 25;
        assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &shortest, &report), CLSOLVE_OK);
        pause_ms = 0;
        assert_int_equal(report.update_count, CLS_RECORD_SHAPES);
        assert_int_equal(report.updates_skipped, CLSOLVE_TUNE_UPDATES - CLS_RECORD_SHAPES);
        assert_int_equal(cls_record_load(folder, info, CLSOLVE_F32, &record), CLS_RECORD_FOUND);
        for (int op = 0; op < CLS_RECORD_OPS; op++)
            for (int s = 0; s < CLS_RECORD_SHAPES; s++)
                assert_true(op == 0 ? record.against[op][s] > 1.1 : record.against[op][s] == run * 0.25);
        for (int k = 0; k < CLS_RECORD_OPS * CLS_RECORD_SHAPES; k++)
            record.against[k / CLS_RECORD_SHAPES][k % CLS_RECORD_SHAPES] = 0.25;
        assert_true(cls_record_store(folder, &record, info, CLSOLVE_F32, path, sizeof path, why, sizeof why));
    }
}

/* With `resume` an earlier search is not made again, and what it compared is not either; without it all is. */
TEST(an_interrupted_search_goes_on) {
    OWNED(context) *context = open_context(folder);
    const clsolve_device_info *info = &context->device->info;
    clsolve_tune_report report;
    clsolve_tune_options options = shortest;
    cls_record record;
    char path[512], why[512];
    (void)clear_folder(1);
    options.resume = 1;
    for (int op = 0; op < CLS_RECORD_OPS; op++) { /* one op a call: more there is no time for */
        assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &options, &report), CLSOLVE_OK);
        assert_int_equal(report.resumed, op > 0);
        assert_int_equal(report.tried, op == 0);
        assert_int_equal(report.update_count, CLS_RECORD_SHAPES);
        assert_int_equal(report.updates[0].op_a == CLSOLVE_TRANS, op & 1);
        assert_int_equal(report.updates_skipped, (CLS_RECORD_OPS - 1 - op) * CLS_RECORD_SHAPES);
        assert_int_equal(cls_record_load(folder, info, CLSOLVE_F32, &record), CLS_RECORD_FOUND);
        assert_int_equal(record.compared, (2 << op) - 1);
        assert_true(record.gflops > 0 && record.searched > 0);
    }
    const int before = calls;
    assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &options, &report), CLSOLVE_OK);
    assert_int_equal(report.tried + report.update_count + report.updates_skipped, 0);
    assert_int_equal(calls, before);
    /* A search that was cut off after half its time goes on, from its best candidate. */
    options.seconds = 0.2;
    record.searched = 0.1;
    assert_true(cls_record_store(folder, &record, info, CLSOLVE_F32, path, sizeof path, why, sizeof why));
    assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &options, &report), CLSOLVE_OK);
    assert_true(report.resumed && report.tried > 0);
    options.resume = 0;
    assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &shortest, &report), CLSOLVE_OK);
    assert_int_equal(report.resumed, 0);
    assert_true(report.tried > 0 && report.update_count > 0);
}

/* When the first kind of updates is to be compared, 150 seconds go by. */
static void let_time_pass(void *user, const char *phase, double fraction) {
    (void)user;
    (void)fraction;
    if (strcmp(phase, "compare") == 0) clock_ahead = 150;
}

/* A call whose search is over and that has two transpositions to compare: how many updates it compares. */
static int compared_with(clsolve_context *context, double seconds, double limit) {
    const clsolve_device_info *info = &context->device->info;
    clsolve_tune_options options = {.seconds = seconds, .limit = limit, .resume = 1, .progress = let_time_pass};
    clsolve_tune_report report;
    char path[512], why[512];
    cls_record record;
    assert_int_equal(cls_record_load(folder, info, CLSOLVE_F32, &record), CLS_RECORD_FOUND);
    record.searched = 100;
    record.compared = 12;
    assert_true(cls_record_store(folder, &record, info, CLSOLVE_F32, path, sizeof path, why, sizeof why));
    assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &options, &report), CLSOLVE_OK);
    clock_ahead = 0;
    assert_int_equal(report.tried, 0);
    assert_int_equal(report.update_count + report.updates_skipped, 2 * CLS_RECORD_SHAPES);
    return report.update_count;
}

/* The comparison has what the search leaves of its time, and with a limit what that leaves. */
TEST(time_that_is_left_is_used) {
    OWNED(context) *context = open_context(folder);
    const double bad[] = {-1, (double)NAN, (double)INFINITY};
    clsolve_tune_report report;
    (void)clear_folder(1);
    assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &shortest, &report), CLSOLVE_OK);
    assert_int_equal(compared_with(context, 100, 0), 2 * CLS_RECORD_SHAPES);
    assert_int_equal(compared_with(context, 60, 0), CLS_RECORD_SHAPES); /* there is no more than twice 60 */
    assert_int_equal(compared_with(context, 60, 200), 2 * CLS_RECORD_SHAPES);
    assert_int_equal(compared_with(context, 100, 120), CLS_RECORD_SHAPES);
    assert_int_equal(compared_with(context, 1e-9, 200), 2 * CLS_RECORD_SHAPES);
    for (int i = 0; i < 3; i++) {
        const clsolve_tune_options options = {.limit = bad[i]};
        assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &options, &report), CLSOLVE_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(clsolve_context_message(context), "limit"));
    }
}

TEST(slower_ones_are_not) {
    OWNED(context) *context = open_context(folder);
    clsolve_tune_report report;
    (void)clear_folder(1);
    assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &shortest, &report), CLSOLVE_OK);
    for (int u = 0; u < report.update_count; u++) assert_int_equal(report.updates[u].used, 0);
    assert_int_equal(clear_folder(1), 1); /* that it was measured is known too */
    is_said(context, "measured faster than the library's own everywhere");
    assert_int_equal(multiplies_by_clblast(context), 1);
}

/* What a longer search stored is tried first: one candidate alone then stores that again, not the first guess. */
TEST(a_stored_one_goes_first) {
    OWNED(context) *context = open_context(folder);
    cls_device *device = context->device;
    clsolve_tune_report report;
    cls_tile guesses[CLS_TILE_GUESSES];
    cls_record record = {.against = {{1, 1, 1, 1}}};
    char words[CLS_TILE_TEXT], path[512], why[512];
    (void)clear_folder(1);
    record.tile = guesses[cls_tile_guesses(&device->info, CLSOLVE_F32, guesses) - 1];
    record.tile.slice *= 2;
    assert_true(cls_tile_fits(&record.tile, &device->info, CLSOLVE_F32));
    cls_tile_words(&record.tile, words);
    assert_true(cls_record_store(folder, &record, &device->info, CLSOLVE_F32, path, sizeof path, why, sizeof why));
    assert_int_equal(clsolve_tune(context, CLSOLVE_F32, &shortest, &report), CLSOLVE_OK);
    expect_counts(&report, 1, 1, 0, 0);
    assert_string_equal(report.best[0].text, words);
    assert_int_equal(clear_folder(1), 1);
}

/* Where the provider works in the host's memory no product asks the record: none is said to use it. */
TEST(in_the_hosts_memory_none_is_used) {
    clsolve_context *context = open_context(folder);
    clsolve_tune_report report;
    clsolve_tune_options options = shortest;
    (void)clear_folder(1);
    if (!chosen->in_place) {
        clsolve_context_destroy(context);
        skip();
    }
    cls_blas_use(context->device, chosen);
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
TEST(wrong_candidates_are_dropped) {
    OWNED(context) *context = open_context(folder);
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
}

/* ---- what is refused before anything is measured ---- */

TEST(refusals) {
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
    context->device->blas->rival = NULL;
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
TEST(moves) {
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

TEST_PROGRAM_OF("opencl", make_folder, remove_folder)
