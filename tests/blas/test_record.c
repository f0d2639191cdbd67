/*
 * Parameters of the portable product: which are refused, which are guessed, where a record says that it is used, and
 * records as texts and files. No device is needed.
 */
#define _XOPEN_SOURCE 700

#include "device/device_support.h"

#include <dirent.h>
#include <unistd.h>

#include "blas/record.h"

/* ---- parameters ---- */

static const clsolve_device_info small = {.max_work_group = 256, .local_memory = 32768, .name = "A", .driver = "1"};

TEST(parameters_that_cannot_be) {
    const cls_tile good = {64, 64, 16, 4, 4, 2, 1, 1, 1};
    assert_true(cls_tile_fits(&good, &small, CLSOLVE_F32));
    const cls_tile bad[] = {
        {0, 64, 16, 4, 4, 2, 1, 1, 0},    {64, 0, 16, 4, 4, 2, 1, 1, 0},
        {64, 64, 0, 4, 4, 2, 1, 1, 0},    {64, 64, 16, 0, 4, 2, 1, 1, 0},
        {64, 64, 16, 4, 0, 2, 1, 1, 0},   {64, 64, 16, 4, 4, 0, 1, 1, 0},
        {64, 64, 16, 4, 4, 3, 1, 1, 0},   {64, 64, 16, 4, 4, 8, 1, 1, 0},
        {64, 64, 16, 5, 4, 1, 1, 1, 0},   {64, 64, 16, 4, 5, 2, 1, 1, 0},
        {64, 64, 16, 4, 4, 2, 2, 1, 0},   {64, 64, 16, 4, 4, 2, 0, 0, 1},
        {64, 64, 16, 4, 4, 2, 1, -1, 0},  {64, 64, 15, 4, 4, 2, 1, 1, 0},
        {64, 64, 16, 2, 2, 2, 1, 1, 0},   /* 1024 items */
        {64, 64, 16, 64, 64, 2, 0, 0, 0}, /* sums */
        {128, 128, 64, 8, 8, 2, 1, 1, 0}, /* local memory */
        {64, 64, 2, 4, 4, 2, 1, 1, 0},    /* fewer words than items */
        {64, 6, 16, 16, 6, 4, 0, 1, 0},   /* columns that no vector divides, in local memory */
    };
    for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++)
        if (cls_tile_fits(&bad[b], &small, CLSOLVE_F32)) fail_msg("%d fits", (int)b);
}

TEST(guesses_fit) {
    cls_tile list[CLS_TILE_GUESSES];
    const clsolve_device_info least = {.max_work_group = 1, .type = CLSOLVE_DEVICE_GPU};
    assert_int_equal(cls_tile_guesses(&least, CLSOLVE_F64, list) > 0, 1);
    assert_int_equal(cls_tile_items(&list[0]), 1);
    for (int type = CLSOLVE_DEVICE_CPU; type <= CLSOLVE_DEVICE_OTHER; type++)
        for (int t = CLSOLVE_F32; t <= CLSOLVE_F64; t++) {
            clsolve_device_info info = small;
            info.type = (clsolve_device_type)type;
            const int count = cls_tile_guesses(&info, (clsolve_type)t, list);
            assert_true(count >= 3 && count <= CLS_TILE_GUESSES);
            for (int g = 0; g < count; g++) assert_true(cls_tile_fits(&list[g], &info, (clsolve_type)t));
        }
}

/* The compilers of some makers keep the usual parameters' sums in memory, or leave room for one wave. */
TEST(makers_begin_elsewhere) {
    cls_tile list[CLS_TILE_GUESSES];
    clsolve_device_info gpu = {.max_work_group = 256, .local_memory = 65536, .type = CLSOLVE_DEVICE_GPU};
    static const char *const names[] = {"gfx90a:sramecc+:xnack-", "gfx906:sramecc+:xnack-"};
    for (int n = 0; n < 2; n++) {
        (void)snprintf(gpu.name, sizeof gpu.name, "%s", names[n]);
        assert_true(cls_tile_guesses(&gpu, CLSOLVE_F32, list) > 1);
        assert_int_equal(list[0].item_m * list[0].item_n, n == 0 ? 64 : 32);
    }
    (void)snprintf(gpu.name, sizeof gpu.name, "Arc");
    (void)snprintf(gpu.vendor, sizeof gpu.vendor, "Intel(R) Corporation");
    assert_true(cls_tile_guesses(&gpu, CLSOLVE_F32, list) > 1);
    assert_int_equal(list[0].item_m * list[0].item_n, 32);
}

TEST(known_devices) {
    cls_record record;
    clsolve_device_info pocl = small;
    pocl.type = CLSOLVE_DEVICE_CPU;
    (void)snprintf(pocl.name, sizeof pocl.name, "pthread-AMD EPYC 9999");
    (void)snprintf(pocl.platform, sizeof pocl.platform, "Portable Computing Language");
    for (int t = CLSOLVE_F32; t <= CLSOLVE_F64; t++) {
        clsolve_device_info other = pocl;
        assert_int_equal(cls_record_known(&pocl, (clsolve_type)t, &record), 1);
        assert_true(cls_record_best(&record) > 1 && cls_tile_fits(&record.tile, &pocl, (clsolve_type)t));
        other.type = CLSOLVE_DEVICE_GPU;
        assert_int_equal(cls_record_known(&other, (clsolve_type)t, &record), 0);
        other = pocl;
        other.max_work_group = 1;
        assert_int_equal(cls_record_known(&other, (clsolve_type)t, &record), 0);
        (void)snprintf(other.name, sizeof other.name, "another");
        assert_int_equal(cls_record_known(&other, (clsolve_type)t, &record), 0);
    }
}

/* Half of a tile each way keeps the number of work-items; what has no half stays as it is. */
TEST(halves) {
    const cls_tile half = {32, 64, 16, 4, 4, 2, 1, 1, 1}, least = {1, 1, 1, 1, 1, 1, 0, 0, 0};
    clsolve_device_info gpu = small;
    cls_tile tile = {64, 128, 16, 8, 8, 2, 1, 1, 1};
    gpu.type = CLSOLVE_DEVICE_GPU;
    gpu.max_work_group = 256;
    gpu.local_memory = 48 * 1024;
    assert_int_equal(cls_tile_halve(&tile, &gpu, CLSOLVE_F64), 1);
    assert_memory_equal(&tile, &half, sizeof tile);
    tile = least;
    assert_int_equal(cls_tile_halve(&tile, &gpu, CLSOLVE_F64), 0);
    assert_memory_equal(&tile, &least, sizeof tile);
}

/* An H200's products are ours from the first use on, whatever is transposed. */
TEST(a_known_gpu) {
    cls_record record;
    clsolve_device_info gpu = small, other;
    gpu.type = CLSOLVE_DEVICE_GPU;
    gpu.max_work_group = 1024;
    gpu.local_memory = 48 * 1024;
    (void)snprintf(gpu.name, sizeof gpu.name, "NVIDIA H200");
    (void)snprintf(gpu.platform, sizeof gpu.platform, "NVIDIA CUDA");
    for (int type = 0; type < 2; type++) {
        assert_int_equal(cls_record_known(&gpu, type ? CLSOLVE_F64 : CLSOLVE_F32, &record), 1);
        for (int op = 0; op < CLS_RECORD_OPS; op++)
            for (int64_t k = 32; k <= 512; k *= 4)
                assert_true(cls_record_takes(&record, op & 1 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS,
                                             op & 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS, 5000, 5000, k));
    }
    other = gpu;
    (void)snprintf(other.name, sizeof other.name, "NVIDIA A100");
    assert_int_equal(cls_record_known(&other, CLSOLVE_F32, &record), 0);
    other = gpu;
    (void)snprintf(other.platform, sizeof other.platform, "CUDA");
    assert_int_equal(cls_record_known(&other, CLSOLVE_F32, &record), 0);
    other = gpu;
    other.local_memory = 4 * 1024; /* less than the tile takes */
    assert_int_equal(cls_record_known(&other, CLSOLVE_F32, &record), 0);
}

/* ---- the choice ---- */

static int takes(const cls_record *record, int ops, int64_t m, int64_t n, int64_t k) {
    return cls_record_takes(record, ops & 1 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS,
                            ops & 2 ? CLSOLVE_TRANS : CLSOLVE_NO_TRANS, m, n, k);
}

TEST(used_where_it_was_faster) {
    static const int64_t ends[2][4][3] = {{{5000, 40, 128}, {900, 900, 33}, {900, 900, 65}, {900, 900, 257}},
                                          {{64, 900, 128}, {900, 900, 64}, {900, 900, 256}, {900, 900, 400}}};
    for (int op = 0; op < 8; op++)
        for (int shape = 0; shape < 4; shape++) {
            const int64_t(*where)[3] = ends[op / 4];
            cls_record record = {.tile = {64, 64, 16, 4, 4, 2, 1, 1, 0}};
            assert_true(cls_record_best(&record) == 0);
            record.against[op % 4][shape] = 1.01; /* as good as even */
            assert_true(cls_record_best(&record) == 0);
            assert_int_equal(takes(&record, op % 4, where[shape][0], where[shape][1], where[shape][2]), 0);
            record.against[op % 4][shape] = 1.5;
            assert_true(cls_record_best(&record) == 1.5);
            for (int o = 0; o < 4; o++)
                for (int s = 0; s < 4; s++)
                    assert_int_equal(takes(&record, o, where[s][0], where[s][1], where[s][2]),
                                     o == op % 4 && s == shape);
        }
}

/* ---- records as texts ---- */

static const cls_record example = {.tile = {64, 48, 16, 8, 6, 4, 1, 0, 1},
                                   .against = {{1.25, 2, 0, 12.34}, {0.5, 1, 3, 4}, {0, 0, 0, 0}, {9.99, 0.01, 100, 1}},
                                   .gflops = 1234.5,
                                   .searched = 6.05,
                                   .compared = 5};
enum { TEXT = 2048 };

static clsolve_device_info named(const char *name, const char *driver) {
    clsolve_device_info info = small;
    (void)snprintf(info.name, sizeof info.name, "%s", name);
    (void)snprintf(info.driver, sizeof info.driver, "%s", driver);
    (void)snprintf(info.platform, sizeof info.platform, "P");
    return info;
}

static cls_record_outcome read_back(const char *text, const clsolve_device_info *info, clsolve_type type,
                                    cls_record *record) {
    return cls_record_parse(text, strlen(text), info, type, record);
}

TEST(a_text_and_back) {
    char text[TEXT];
    cls_record record;
    const clsolve_device_info info = named("Some GPU\n(2nd)", "1.2"), other = named("Some GPU", "1.2"),
                              driver = named("Some GPU\n(2nd)", "1.3");
    assert_int_equal(cls_record_print(&example, &info, CLSOLVE_F32, text, sizeof text), 1);
    memset(&record, 0, sizeof record);
    assert_int_equal(read_back(text, &info, CLSOLVE_F32, &record), CLS_RECORD_FOUND);
    assert_memory_equal(&record.tile, &example.tile, sizeof record.tile);
    assert_true(record.gflops == example.gflops && record.searched == example.searched);
    assert_int_equal(record.compared, example.compared);
    for (int op = 0; op < 4; op++)
        for (int s = 0; s < 4; s++) assert_true(fabs(record.against[op][s] - example.against[op][s]) < 1e-9);
    assert_int_equal(read_back(text, &other, CLSOLVE_F32, &record), CLS_RECORD_OTHER);
    assert_int_equal(read_back(text, &driver, CLSOLVE_F32, &record), CLS_RECORD_OTHER);
    assert_int_equal(read_back(text, &info, CLSOLVE_F64, &record), CLS_RECORD_OTHER);
    clsolve_device_info weak = info;
    weak.max_work_group = 16;
    assert_int_equal(read_back(text, &weak, CLSOLVE_F32, &record), CLS_RECORD_UNFIT);
    char *kernel = strstr(text, "\"kernel\": \"");
    assert_non_null(kernel);
    kernel[11] = kernel[11] == '0' ? '1' : '0';
    assert_int_equal(read_back(text, &info, CLSOLVE_F32, &record), CLS_RECORD_OLD);
    for (int v = CLS_RECORD_FOUND; v <= CLS_RECORD_UNFIT; v++)
        assert_true(strlen(cls_record_outcome_text((cls_record_outcome)v)) > 0);
}

/* Cut off at each byte; each byte another one; more behind the end; numbers that cannot be; the format before this
 * one. */
TEST(damaged_texts) {
    char text[TEXT], bad[TEXT + 64];
    const clsolve_device_info info = named("G", "1");
    const cls_record untouched = {.tile = {7, 7, 7, 7, 7, 7, 7, 7, 7}, .against = {{7}}};
    cls_record record = untouched;
    assert_int_equal(cls_record_print(&example, &info, CLSOLVE_F32, text, sizeof text), 1);
    const size_t length = strlen(text);
    for (size_t cut = 0; cut < length; cut++)
        assert_int_equal(cls_record_parse(text, cut, &info, CLSOLVE_F32, &record), CLS_RECORD_BROKEN);
    for (size_t at = 0; at < length; at++)
        for (const char *c = "x\""; *c; c++) {
            if (text[at] == *c) continue;
            memcpy(bad, text, length + 1);
            bad[at] = *c;
            assert_int_not_equal(read_back(bad, &info, CLSOLVE_F32, &record), CLS_RECORD_FOUND);
        }
    static const char *const replaced[][2] = {{"\"slice\": 16", "\"slice\": 16.0"},
                                              {"\"slice\": 16", "\"slice\": 99999999999"},
                                              {"\"slice\": 16", "\"slice\": -16"},
                                              {"\"slice\": 16", "\"slice\": 16, \"more\": 1"},
                                              {"\"slice\": 16", "\"slice\": 16, \"slice\": 16"},
                                              {"12.34", "12.34, 1"},
                                              {"12.34", "1e300"},
                                              {"12.34", "\"12.34\""},
                                              {"\"gflops\": 1234.5", "\"gflops\": -1.0"},
                                              {"\"searched\": 6.05", "\"searched\": true"},
                                              {"\"compared\": 5", "\"compared\": 16"},
                                              {"\"compared\": 5", "\"compared\": -1"}};
    for (size_t r = 0; r < sizeof replaced / sizeof *replaced; r++) {
        const char *at = strstr(text, replaced[r][0]);
        assert_non_null(at);
        (void)snprintf(bad, sizeof bad, "%.*s%s%s", (int)(at - text), text, replaced[r][1],
                       at + strlen(replaced[r][0]));
        assert_int_equal(read_back(bad, &info, CLSOLVE_F32, &record), CLS_RECORD_BROKEN);
    }
    char *version = strstr(text, "tuning record 3");
    assert_non_null(version);
    memcpy(bad, text, length + 1);
    bad[version - text + 14] = '2'; /* the form before this one */
    assert_int_equal(read_back(bad, &info, CLSOLVE_F32, &record), CLS_RECORD_OLD);
    (void)snprintf(bad, sizeof bad, "%s}", text);
    assert_int_equal(read_back(bad, &info, CLSOLVE_F32, &record), CLS_RECORD_BROKEN);
    assert_int_equal(read_back("", &info, CLSOLVE_F32, &record), CLS_RECORD_BROKEN);
    assert_int_equal(read_back("[]", &info, CLSOLVE_F32, &record), CLS_RECORD_BROKEN);
    assert_int_equal(read_back("clsolve product 1\ndevice G\nend\n", &info, CLSOLVE_F32, &record), CLS_RECORD_BROKEN);
    assert_memory_equal(&record, &untouched, sizeof record);
    assert_int_equal(cls_record_print(&example, &info, CLSOLVE_F32, text, 100), 0); /* there is no room */
    assert_string_equal(text, "");
}

/* ---- and as files ---- */

static void one_file_in(const char *folder, char *path, size_t size) {
    DIR *directory = opendir(folder);
    int count = 0;
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        if (entry->d_name[0] == '.') continue;
        (void)snprintf(path, size, "%s/%s", folder, entry->d_name);
        count++;
    }
    (void)closedir(directory);
    assert_int_equal(count, 1);
}

static void write_file(const char *path, const char *text, size_t bytes) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

TEST(files) {
    char folder[64], deep[96], path[512], found[512], why[256] = "", text[8192];
    const clsolve_device_info info = named("G", "1"), other = named("H", "1");
    cls_record record;
    (void)snprintf(folder, sizeof folder, "/tmp/clsolve-record-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    (void)snprintf(deep, sizeof deep, "%s/made", folder);
    assert_int_equal(cls_record_load(NULL, &info, CLSOLVE_F32, &record), CLS_RECORD_NONE);
    assert_int_equal(cls_record_load(deep, &info, CLSOLVE_F32, &record), CLS_RECORD_NONE);
    assert_int_equal(cls_record_store(deep, &example, &info, CLSOLVE_F32, path, sizeof path, why, sizeof why), 1);
    one_file_in(deep, found, sizeof found); /* and no temporary one */
    assert_string_equal(found, path);
    assert_int_equal(cls_record_load(deep, &info, CLSOLVE_F32, &record), CLS_RECORD_FOUND);
    assert_memory_equal(&record.tile, &example.tile, sizeof record.tile);
    assert_int_equal(cls_record_load(deep, &other, CLSOLVE_F32, &record), CLS_RECORD_NONE);
    assert_int_equal(cls_record_load(deep, &info, CLSOLVE_F64, &record), CLS_RECORD_NONE);
    /* Another device's under this one's name; too long a one; a folder; then a new one in its place. */
    assert_int_equal(cls_record_print(&example, &other, CLSOLVE_F32, text, sizeof text), 1);
    write_file(path, text, strlen(text));
    assert_int_equal(cls_record_load(deep, &info, CLSOLVE_F32, &record), CLS_RECORD_OTHER);
    memset(text, 'x', sizeof text);
    write_file(path, text, sizeof text);
    assert_int_equal(cls_record_load(deep, &info, CLSOLVE_F32, &record), CLS_RECORD_BROKEN);
    assert_int_equal(cls_record_store(deep, &example, &info, CLSOLVE_F32, path, sizeof path, why, sizeof why), 1);
    assert_int_equal(cls_record_load(deep, &info, CLSOLVE_F32, &record), CLS_RECORD_FOUND);
    /* A file where the folder should be: nothing can be stored, and the message says so. */
    assert_int_equal(cls_record_store(path, &example, &info, CLSOLVE_F32, found, sizeof found, why, sizeof why), 0);
    assert_non_null(strstr(why, path));
    assert_non_null(strstr(why, "Not a directory"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(deep), 0);
    assert_int_equal(rmdir(folder), 0);
}

TEST_PROGRAM_ALONE(NULL, NULL)
