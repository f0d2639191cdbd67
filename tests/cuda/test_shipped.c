/*
 * Programs that were compiled with the library: the archives as files, and a device that loads them in the place of a
 * compiler. The second part runs on NVIDIA's libraries played by a CPU, whose GPU has the capability 7.5; it skips
 * where cuda:0 is another.
 */
#define _XOPEN_SOURCE 700

#include "device/device_support.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/memory.h"
#include "device/cuda/cuda_device.h"
#include "device/kernels.h"
#include "device/shipped.h"

enum { MEMBERS = 7, PLAYED = 75 };
static char folder[64];

static int make_folder(void **state) {
    (void)snprintf(folder, sizeof folder, "/tmp/clsolve-shipped-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    char command[128];
    (void)unsetenv("CLSOLVE_KERNELS");
    (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

/* ---- files ---- */

static cls_cache_key key_of(size_t k) {
    char name[16];
    (void)snprintf(name, sizeof name, "%zu", k);
    return cls_shipped_key("dialect", name, "-DREAL=float");
}

static char text_at(size_t k, size_t i) {
    return (char)('a' + (i * i / 7 + k) % 26);
}

/* Members of one and of many bytes, of three files. */
static void write_members(void) {
    static const size_t bytes[MEMBERS] = {1, 2, 3, 5, 1000, 4097, 70000};
    static const char *const files[MEMBERS] = {"lu", "bt", "lu", "lu", "trsm", "bt", "lu"};
    cls_shipped_member members[MEMBERS];
    for (size_t k = 0; k < MEMBERS; k++) {
        char *text = cls_alloc(bytes[k], 1);
        for (size_t i = 0; i < bytes[k]; i++) text[i] = text_at(k, i);
        members[k] = (cls_shipped_member){key_of(k), files[k], text, bytes[k]};
    }
    assert_true(cls_shipped_write(folder, "sm_75", PLAYED, members, MEMBERS));
    for (size_t k = 0; k < MEMBERS; k++) cls_free(members[k].payload);
}

/* How many members come out right; none comes out wrong. */
static int right_members(const char *target) {
    cls_shipped *archive = cls_shipped_open(folder, target);
    int right = 0;
    for (size_t k = 0; archive && k < MEMBERS; k++) {
        const cls_cache_key key = key_of(k);
        size_t bytes = 0;
        char *text = cls_shipped_load(archive, &key, &bytes);
        for (size_t i = 0; text && i < bytes; i++) assert_int_equal(text[i], text_at(k, i));
        right += text != NULL;
        cls_free(text);
    }
    cls_shipped_close(archive);
    return right;
}

TEST(what_is_written_is_found) {
    const cls_cache_key other = key_of(MEMBERS);
    size_t bytes = 0;
    write_members();
    assert_int_equal(right_members("sm_75"), MEMBERS);
    cls_shipped *archive = cls_shipped_open(folder, "sm_75");
    assert_non_null(archive);
    assert_int_equal(cls_shipped_capability(archive), PLAYED);
    assert_null(cls_shipped_load(archive, &other, &bytes));
    cls_shipped_close(archive);
    assert_true(cls_shipped_write(folder, "sm_80", 80, NULL, 0)); /* one without members is sound */
    archive = cls_shipped_open(folder, "sm_80");
    assert_non_null(archive);
    assert_null(cls_shipped_load(archive, &other, &bytes));
    cls_shipped_close(archive);
    assert_null(cls_shipped_open(folder, "sm_90"));
    assert_null(cls_shipped_open("/dev/null", "sm_75"));
    assert_false(cls_shipped_write("/dev/null", "sm_75", PLAYED, NULL, 0));
}

TEST(damage_is_seen) {
    char path[96], other[96];
    write_members();
    (void)snprintf(path, sizeof path, "%s/sm_75", folder);
    (void)snprintf(other, sizeof other, "%s/sm_86", folder);
    int file = open(path, O_RDWR);
    assert_true(file >= 0);
    const off_t size = lseek(file, 0, SEEK_END);
    for (off_t at = 0; at < size; at++) {
        char byte = 0, changed;
        assert_int_equal(pread(file, &byte, 1, at), 1);
        changed = (char)(byte ^ 0x10);
        assert_int_equal(pwrite(file, &changed, 1, at), 1);
        (void)right_members("sm_75");
        /* The capability alone is no part of a sum, and it is that of a GPU that is not asked about. */
        if (at < 12 || at >= 16) assert_true(right_members("sm_75") < MEMBERS);
        assert_int_equal(pwrite(file, &byte, 1, at), 1);
    }
    assert_int_equal(right_members("sm_75"), MEMBERS);
    for (off_t left = size - 1; left >= 0; left -= 7) {
        assert_int_equal(ftruncate(file, left), 0);
        assert_true(right_members("sm_75") < MEMBERS);
    }
    (void)close(file);
    write_members();
    assert_int_equal(rename(path, other), 0); /* of another target, by its name */
    assert_int_equal(right_members("sm_86"), 0);
}

/* ---- a device ---- */

static const char options[] = "-DREAL=float -DCLS_UNIT=75";

static cls_source source(const char *with) {
    const char *dialect = "", *scale = "";
    for (const cls_kernel_source *s = cls_kernel_sources; s->name; s++) {
        if (strcmp(s->name, "dialect") == 0) dialect = s->text;
        if (strcmp(s->name, "scale") == 0) scale = s->text;
    }
    return (cls_source){"scale", with, {dialect, "\n", scale}};
}

/* Gets scale.cl; gives back how many programs came compiled, -1 where one was compiled here instead. */
static int get_program(void) {
    cls_error error;
    cls_device *device = test_device("", &error);
    cls_program *program = NULL;
    cls_kernel *kernel = NULL;
    assert_ok(device, device->ops->program_get(device, "scale", options, &program));
    assert_ok(device, device->ops->kernel_create(device, program, "scale", &kernel));
    assert_int_equal(device->shipped + device->compiled, 1);
    assert_int_equal(device->cache_hits, 0);
    const int shipped = device->compiled > 0 ? -1 : (int)device->shipped;
    device->ops->kernel_destroy(device, kernel);
    device->ops->destroy(device);
    return shipped;
}

/* An archive of the program as a GPU of `capability` asks for it; in the place of its code `instead`, if not NULL. */
static void write_program(const char *target, int capability, const char *instead) {
    char own[64];
    cls_error error = {{0}};
    cls_cuda_nvrtc nvrtc;
    size_t bytes = 0;
    void *binary = NULL;
    (void)snprintf(own, sizeof own, "-DREAL=float -DCLS_UNIT=%d", capability);
    const cls_source text = source(own);
    assert_int_equal(cls_cuda_nvrtc_load(&nvrtc, 0, &error), CLSOLVE_OK);
    assert_int_equal(cls_cuda_compile(&nvrtc, PLAYED, &text, &error, &binary, &bytes, NULL), CLSOLVE_OK);
    cls_shipped_member member = {cls_cuda_shipped_key(capability, capability, &text), "scale", binary, bytes};
    if (instead) {
        member.payload = (void *)(uintptr_t)instead;
        member.bytes = strlen(instead) + 1;
    }
    assert_true(cls_shipped_write(folder, target, capability, &member, 1));
    cls_free(binary);
    cls_cuda_library_close(nvrtc.library);
}

static void need_played_gpu(void) {
    cls_error error = {{0}};
    cls_device *device = NULL;
    if (cls_device_open(test_selector(), "", &error, &device) != CLSOLVE_OK) skip();
    const int capability = strcmp(device->info.backend, "cuda") == 0 ? cls_cuda_of(device)->capability : 0;
    device->ops->destroy(device);
    if (capability != PLAYED) skip();
    assert_int_equal(setenv("CLSOLVE_KERNELS", folder, 1), 0);
}

TEST(nothing_is_compiled) {
    need_played_gpu();
    assert_int_equal(get_program(), -1); /* without an archive */
    write_program("sm_75", 75, NULL);
    assert_int_equal(get_program(), 1);
    assert_int_equal(setenv("CLSOLVE_KERNELS", "none", 1), 0);
    assert_int_equal(get_program(), -1);
}

TEST(older_code_of_the_generation_serves) {
    need_played_gpu();
    write_program("sm_70", 70, NULL);
    assert_int_equal(get_program(), 1);
    write_program("sm_75", 75, "no program that a driver takes");
    assert_int_equal(get_program(), -1);
}

TEST(code_of_another_generation_does_not) {
    need_played_gpu();
    write_program("sm_61", 61, NULL);
    write_program("sm_80", 80, NULL);
    write_program("ptx", 80, NULL);
    assert_int_equal(get_program(), -1);
    write_program("ptx", 61, NULL);
    assert_int_equal(get_program(), 1);
}

/* Options that are not in the archive are compiled. */
TEST(other_options_are_compiled) {
    need_played_gpu();
    const cls_source one = source("-DREAL=float -DCLS_UNIT=75"), other = source("-DREAL=double -DCLS_UNIT=75");
    const cls_source unit = source("-DREAL=float -DCLS_UNIT=7");
    const cls_cache_key a = cls_cuda_shipped_key(75, 75, &one), b = cls_cuda_shipped_key(75, 75, &other);
    const cls_cache_key c = cls_cuda_shipped_key(75, 75, &unit);
    assert_memory_not_equal(a.bytes, b.bytes, sizeof a.bytes);
    assert_memory_not_equal(a.bytes, c.bytes, sizeof a.bytes);
}

int main(void) {
    return test_run_each(NULL, NULL, make_folder, remove_folder);
}
