/*
 * Sizes of dense LU from measurements, where they count, and their records as texts and files. No device is needed.
 */
#define _XOPEN_SOURCE 700

#include "device/device_support.h"

#include <unistd.h>

#include "base/memory.h"
#include "blas/blas.h"
#include "method/panel/panel.h"
#include "tuning/fitted.h"

static cls_error error;

static cls_device named(const char *name, const char *driver) {
    cls_device device = {.error = &error};
    (void)snprintf(device.info.name, sizeof device.info.name, "%s", name);
    (void)snprintf(device.info.driver, sizeof device.info.driver, "%s", driver);
    (void)snprintf(device.info.platform, sizeof device.info.platform, "P");
    return device;
}

/* ---- the choice ---- */

static void put(cls_fit_record *record, cls_fit_part part, int32_t n, int32_t value, double seconds) {
    record->trials[record->count++] = (cls_fit_trial){part, n, value, seconds};
}

static void the_fastest_are_taken(void **state) {
    (void)state;
    cls_fit_record record = {.count = 0};
    cls_fit_decide(&record);
    assert_int_equal(record.fitted.leaf + record.fitted.block[0] + record.fitted.ahead_from + record.fitted.few, 0);
    put(&record, CLS_FIT_LEAF, 1024, 128, 1.0);
    put(&record, CLS_FIT_LEAF, 2048, 128, 1.0); /* the larger order counts */
    put(&record, CLS_FIT_LEAF, 2048, 64, 0.8);
    put(&record, CLS_FIT_LEAF, 2048, -32, 0.0); /* refused */
    put(&record, CLS_FIT_BLOCK, 1024, 128, 1.0);
    put(&record, CLS_FIT_BLOCK, 1024, 192, 0.98); /* as good as even: the default stands */
    put(&record, CLS_FIT_BLOCK, 4096, 384, 1.0);
    put(&record, CLS_FIT_BLOCK, 4096, 256, 0.5);
    put(&record, CLS_FIT_BLOCK, 4096, 192, 0.6);
    put(&record, CLS_FIT_FEW, 4096, 128, 1.0);
    put(&record, CLS_FIT_FEW, 4096, CLS_FITTED_PRODUCTS, 0.9);
    cls_fit_decide(&record);
    assert_int_equal(record.fitted.leaf, 64);
    assert_int_equal(record.fitted.by_steps, 0);
    assert_int_equal(record.fitted.block[0], 128);
    assert_int_equal(record.fitted.block[1], 0);
    assert_int_equal(record.fitted.block[2], 256);
    assert_int_equal(record.fitted.ahead_from, 0);
    assert_int_equal(record.fitted.few, CLS_FITTED_PRODUCTS);
    put(&record, CLS_FIT_LEAF, 2048, -64, 0.1);
    cls_fit_decide(&record);
    assert_int_equal(record.fitted.leaf, 64);
    assert_int_equal(record.fitted.by_steps, 1);
}

/* From the smallest order on from which on it is always faster; beyond the measured orders the default stands. */
static void look_ahead_pays_from_an_order_on(void **state) {
    (void)state;
    static const struct {
        int pays[3], usual;
        int32_t from;
    } cases[] = {{{1, 1, 1}, 1, 2048},
                 {{0, 1, 1}, 0, 4096},
                 {{1, 0, 1}, 1, 8192},
                 {{1, 1, 0}, 1, 16384},
                 {{1, 1, 0}, 0, CLS_FITTED_NEVER},
                 {{0, 0, 0}, 0, CLS_FITTED_NEVER}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        cls_fit_record record = {.count = 0};
        for (int k = 0; k < 3; k++)
            for (int turn = 0; turn < 2; turn++) {
                const int with = turn == 0 ? cases[c].usual : !cases[c].usual;
                put(&record, CLS_FIT_AHEAD, 2048 << k, with, !with ? 1.5 : cases[c].pays[k] ? 1.0 : 2.0);
            }
        put(&record, CLS_FIT_AHEAD, 16384, 1, 1.0); /* alone it says nothing */
        cls_fit_decide(&record);
        assert_int_equal(record.fitted.ahead_from, cases[c].from);
        put(&record, CLS_FIT_AHEAD, 16384, 0, 0.5);
        cls_fit_decide(&record);
        assert_int_equal(record.fitted.ahead_from, CLS_FITTED_NEVER);
    }
}

/* ---- where they count ---- */

static void the_nearest_order_decides(void **state) {
    (void)state;
    const cls_fitted f = {.block = {100, 0, 400, 800, 0}};
    static const int64_t cases[][2] = {{1, 0},      {700, 0},    {725, 100},  {1024, 100},  {2040, 100},  {2050, 400},
                                       {4096, 400}, {5790, 400}, {5800, 800}, {16384, 800}, {100000, 800}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        assert_int_equal(cls_fitted_block(&f, cases[c][0]), cases[c][1]);
    assert_int_equal(cls_fitted_last(&f), 8192);
}

/* Leaf, block and look-ahead of a handle on a GPU; the caller's block goes before, and nothing fitted is the default. */
static void sizes_follow(void **state) {
    (void)state;
    cls_device gpu = named("G", "1");
    cls_panel panel = {.device = &gpu, .type = CLSOLVE_F64, .leaf = 32};
    const cls_panel_sizes usual = cls_panel_sizes_of(&gpu, CLSOLVE_F64, 4096, 0, 1, 0);
    assert_int_equal(usual.leaf, 32);
    assert_int_equal(usual.block, 384);
    assert_int_equal(cls_panel_worth_ahead(&panel, 4096), 0);
    cls_fitted both[2] = {{.leaf = 0}, {.leaf = 64, .by_steps = 1, .block = {0, 0, 512, 1024, 0}, .ahead_from = 4096}};
    gpu.fitted = both;
    cls_panel_sizes s = cls_panel_sizes_of(&gpu, CLSOLVE_F64, 4096, 0, 1, 0);
    assert_int_equal(s.leaf, 64);
    assert_int_equal(s.block, 512);
    assert_int_equal(cls_panel_sizes_of(&gpu, CLSOLVE_F64, 8192, 0, 1, 0).block, 1024);
    assert_int_equal(cls_panel_sizes_of(&gpu, CLSOLVE_F64, 8192, 0, 1, 256).block, 256);
    assert_int_equal(cls_panel_sizes_of(&gpu, CLSOLVE_F64, 20000, 0, 1, 0).block, 2048); /* twice the default there */
    assert_int_equal(cls_panel_sizes_of(&gpu, CLSOLVE_F64, 512, 0, 1, 0).block, 128);
    assert_int_equal(cls_panel_leaf_of(&gpu, CLSOLVE_F64, 4096, 256, 0), 64);
    assert_int_equal(cls_panel_worth_ahead(&panel, 4095), 0);
    assert_int_equal(cls_panel_worth_ahead(&panel, 4096), 1);
    both[1].ahead_from = CLS_FITTED_NEVER;
    gpu.beside = 1;
    assert_int_equal(cls_panel_worth_ahead(&panel, 8192), 0);
    both[1].ahead_from = 0;
    assert_int_equal(cls_panel_worth_ahead(&panel, 8192), 1);
    /* The other type, and panels that LAPACK factors, have the defaults. */
    s = cls_panel_sizes_of(&gpu, CLSOLVE_F32, 4096, 0, 1, 0);
    assert_int_equal(s.leaf, usual.leaf);
    assert_int_equal(s.block, usual.block);
    assert_int_equal(cls_panel_sizes_of(&gpu, CLSOLVE_F64, 4096, 1, 1, 0).block, usual.block);
}

/* ---- records as texts ---- */

static const cls_fit_record example = {
    .fitted = {.leaf = 64, .by_steps = 1, .block = {128, 384, 512, 0, 0}, .ahead_from = 4096, .few = -1},
    .count = 3,
    .trials = {{CLS_FIT_LEAF, 4096, -64, 0.043712}, {CLS_FIT_AHEAD, 4096, 1, 0}, {CLS_FIT_FEW, 4096, -1, 1.5e-4}}};

static cls_record_outcome read_back(const char *text, const cls_device *device, cls_fit_record *record) {
    return cls_fit_parse(text, strlen(text), device, "CLBlast", CLSOLVE_F64, record);
}

static void expect_example(const cls_fit_record *record) {
    assert_memory_equal(&record->fitted, &example.fitted, sizeof record->fitted);
    assert_int_equal(record->count, example.count);
    for (int t = 0; t < example.count; t++) {
        assert_int_equal(record->trials[t].part, example.trials[t].part);
        assert_int_equal(record->trials[t].n, example.trials[t].n);
        assert_int_equal(record->trials[t].value, example.trials[t].value);
        assert_true(record->trials[t].seconds == example.trials[t].seconds);
    }
}

static void a_text_and_back(void **state) {
    (void)state;
    char text[CLS_FIT_TEXT];
    cls_fit_record record = {.count = 0};
    cls_device device = named("Some GPU\n(2nd)", "1.2");
    const cls_device other = named("Some GPU", "1.2"), driver = named("Some GPU\n(2nd)", "1.3");
    assert_int_equal(cls_fit_print(&example, &device, "CLBlast", CLSOLVE_F64, text, sizeof text), 1);
    assert_int_equal(read_back(text, &device, &record), CLS_RECORD_FOUND);
    expect_example(&record);
    assert_int_equal(read_back(text, &other, &record), CLS_RECORD_OTHER);
    assert_int_equal(read_back(text, &driver, &record), CLS_RECORD_OTHER);
    assert_int_equal(cls_fit_parse(text, strlen(text), &device, "CLBlast", CLSOLVE_F32, &record), CLS_RECORD_OTHER);
    assert_int_equal(cls_fit_parse(text, strlen(text), &device, "cuBLAS", CLSOLVE_F64, &record), CLS_RECORD_OTHER);
    device.matrix_unit = 90;
    assert_int_equal(read_back(text, &device, &record), CLS_RECORD_OTHER);
    device.matrix_unit = 0;
    char *kernels = strstr(text, "\"kernels\": \"");
    assert_non_null(kernels);
    kernels[12] = kernels[12] == '0' ? '1' : '0';
    assert_int_equal(read_back(text, &device, &record), CLS_RECORD_OLD);
}

/* Cut off at each byte; each byte another one; numbers that cannot be; another version of the form. */
static void damaged_texts(void **state) {
    (void)state;
    static char text[CLS_FIT_TEXT], bad[CLS_FIT_TEXT + 64];
    const cls_device device = named("G", "1");
    cls_fit_record record = example;
    assert_int_equal(cls_fit_print(&example, &device, "CLBlast", CLSOLVE_F64, text, sizeof text), 1);
    const size_t length = strlen(text);
    for (size_t cut = 0; cut < length; cut++)
        assert_int_equal(cls_fit_parse(text, cut, &device, "CLBlast", CLSOLVE_F64, &record), CLS_RECORD_BROKEN);
    for (size_t at = 0; at < length; at++)
        for (const char *c = "x\""; *c; c++) {
            if (text[at] == *c) continue;
            memcpy(bad, text, length + 1);
            bad[at] = *c;
            assert_int_not_equal(read_back(bad, &device, &record), CLS_RECORD_FOUND);
        }
    static const struct {
        const char *from, *to;
        cls_record_outcome outcome;
    } cases[] = {{"\"leaf\": 64", "\"leaf\": 64.0", CLS_RECORD_BROKEN},
                 {"\"leaf\": 64", "\"leaf\": 99999999999", CLS_RECORD_BROKEN},
                 {"\"leaf\": 64", "\"leaf\": 4096", CLS_RECORD_UNFIT},
                 {"\"leaf\": 64", "\"leaf\": -1", CLS_RECORD_UNFIT},
                 {"\"leaf\": 64", "\"leaf\": 64, \"more\": 1", CLS_RECORD_BROKEN},
                 {"\"2048\": 384", "\"2049\": 384", CLS_RECORD_BROKEN},
                 {"\"2048\": 384", "\"2048\": -384", CLS_RECORD_UNFIT},
                 {"\"substitution\": -1", "\"substitution\": 100", CLS_RECORD_UNFIT},
                 {"\"ahead_from\": 4096", "\"ahead_from\": -2", CLS_RECORD_UNFIT},
                 {"\"look-ahead\"", "\"look-back\"", CLS_RECORD_BROKEN},
                 {"sizes record 1", "sizes record 0", CLS_RECORD_OLD},
                 {"sizes record 1", "sizes record ", CLS_RECORD_BROKEN}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const char *at = strstr(text, cases[c].from);
        assert_non_null(at);
        (void)snprintf(bad, sizeof bad, "%.*s%s%s", (int)(at - text), text, cases[c].to, at + strlen(cases[c].from));
        assert_int_equal(read_back(bad, &device, &record), cases[c].outcome);
    }
    assert_int_equal(read_back("", &device, &record), CLS_RECORD_BROKEN);
    assert_int_equal(read_back("[]", &device, &record), CLS_RECORD_BROKEN);
    expect_example(&record); /* as it was */
    assert_int_equal(cls_fit_print(&example, &device, "CLBlast", CLSOLVE_F64, bad, 100), 0);
    assert_string_equal(bad, "");
}

/* As many trials as a record holds have room in the text. */
static void a_full_record(void **state) {
    (void)state;
    static char text[CLS_FIT_TEXT];
    const cls_device device = named("A device with a long name, as drivers like to give them", "1.2.3.4");
    cls_fit_record record = {.count = 0}, back;
    while (record.count < CLS_FIT_TRIALS) put(&record, CLS_FIT_FEW, 16384, -100000, 123.456789012);
    assert_int_equal(cls_fit_print(&record, &device, "CLBlast", CLSOLVE_F64, text, sizeof text), 1);
    assert_int_equal(read_back(text, &device, &back), CLS_RECORD_FOUND);
    assert_int_equal(back.count, CLS_FIT_TRIALS);
}

/* ---- and as files ---- */

static void files(void **state) {
    (void)state;
    char folder[64] = "/tmp/clsolve-fitted-test-XXXXXX", path[512], unit[512], why[256] = "";
    cls_device device = named("G", "1"), other = named("G", "2");
    cls_fit_record record = {.count = 0};
    assert_non_null(mkdtemp(folder));
    assert_int_equal(cls_fit_load(&device, "CLBlast", CLSOLVE_F64, &record), CLS_RECORD_NONE);
    device.cache_folder = other.cache_folder = folder;
    assert_int_equal(cls_fit_load(&device, "CLBlast", CLSOLVE_F64, &record), CLS_RECORD_NONE);
    assert_int_equal(cls_fit_store(&device, "CLBlast", CLSOLVE_F64, &example, path, sizeof path, why, sizeof why), 1);
    assert_int_equal(cls_fit_load(&device, "CLBlast", CLSOLVE_F64, &record), CLS_RECORD_FOUND);
    expect_example(&record);
    assert_int_equal(cls_fit_load(&device, "CLBlast", CLSOLVE_F32, &record), CLS_RECORD_NONE);
    assert_int_equal(cls_fit_load(&other, "CLBlast", CLSOLVE_F64, &record), CLS_RECORD_NONE);
    /* With a matrix unit the same device has a record of its own. */
    device.matrix_unit = 90;
    assert_int_equal(cls_fit_load(&device, "CLBlast", CLSOLVE_F64, &record), CLS_RECORD_NONE);
    assert_int_equal(cls_fit_store(&device, "CLBlast", CLSOLVE_F64, &example, unit, sizeof unit, why, sizeof why), 1);
    assert_string_not_equal(path, unit);
    device.matrix_unit = 0;
    /* A device takes what is stored, once it is opened. */
    assert_int_equal(cls_fitted_open(&device, "CLBlast"), CLSOLVE_OK);
    assert_memory_equal(cls_fitted_of(&device, CLSOLVE_F64), &example.fitted, sizeof example.fitted);
    assert_int_equal(cls_fitted_of(&device, CLSOLVE_F32)->leaf, 0);
    cls_free(device.fitted);
    device.fitted = NULL;
    assert_int_equal(truncate(path, 50), 0);
    assert_int_equal(cls_fit_load(&device, "CLBlast", CLSOLVE_F64, &record), CLS_RECORD_BROKEN);
    assert_int_equal(cls_fitted_open(&device, "CLBlast"), CLSOLVE_OK);
    assert_int_equal(cls_fitted_of(&device, CLSOLVE_F64)->leaf, 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(unlink(unit), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_are_taken),
        cmocka_unit_test(look_ahead_pays_from_an_order_on),
        cmocka_unit_test(the_nearest_order_decides),
        cmocka_unit_test(sizes_follow),
        cmocka_unit_test(a_text_and_back),
        cmocka_unit_test(damaged_texts),
        cmocka_unit_test(a_full_record),
        cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
