/*
 * The cache of compiled programs: as bytes in files (hit, damage of every kind, no folder, writers at once, claims), as
 * program_get uses it, and what a process that is killed leaves. Processes are forked before any driver is loaded, for a driver's threads don't survive a fork.
 */
#define _XOPEN_SOURCE 700

#include "device_support.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <CL/cl.h>

#include "base/memory.h"
#include "device/program_cache.h"
#include "device/programs.h"
#include "device/recall.h"

static char folder[64];
static const char payload[] = "not really a program, but as good for a cache that knows only bytes";

static int make_folder(void **state) {
    (void)snprintf(folder, sizeof folder, "/tmp/clsolve-cache-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

/* Calls `what` with the path of each file in the folder; gives back how many there are. */
static int each_file(void (*what)(const char *path)) {
    DIR *directory = opendir(folder);
    if (!directory) return 0;
    int count = 0;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char path[512];
        if (entry->d_name[0] == '.') continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (what) what(path);
        count++;
    }
    (void)closedir(directory);
    return count;
}

static void remove_file(const char *path) {
    (void)unlink(path);
}

static int remove_folder(void **state) {
    (void)each_file(remove_file);
    (void)rmdir(folder);
    return 0;
}

static cls_cache_key key_of(const char *a, const char *b) {
    const char *fields[] = {a, b};
    return cls_cache_key_of(fields, 2);
}

static int is_stored(const cls_cache_key *key) {
    size_t bytes = 0;
    char *got = cls_cache_load(folder, key, &bytes);
    int same = got && bytes == sizeof payload && memcmp(got, payload, bytes) == 0;
    /* Whatever comes back at all must be what was stored. */
    assert_true(same || !got);
    cls_free(got);
    return same;
}

/* ---- files ---- */

TEST(keys_tell_fields_apart) {
    cls_cache_key keys[] = {key_of("ab", "c"), key_of("a", "bc"), key_of("abc", ""), key_of("", "abc"),
                            key_of("c", "ab")};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        for (size_t j = 0; j < i; j++) assert_memory_not_equal(keys[i].bytes, keys[j].bytes, 16);
    cls_cache_key again = key_of("ab", "c"), null = key_of(NULL, "abc");
    assert_memory_equal(again.bytes, keys[0].bytes, 16);
    assert_memory_equal(null.bytes, keys[3].bytes, 16);
}

TEST(what_is_stored_is_found) {
    cls_cache_key key = key_of("x", "y"), other = key_of("x", "z");
    assert_false(is_stored(&key));
    cls_cache_store(folder, &key, payload, sizeof payload);
    assert_true(is_stored(&key));
    assert_false(is_stored(&other));
    assert_int_equal(each_file(NULL), 1);
}

TEST(every_damaged_byte_is_seen) {
    cls_cache_key key = key_of("x", "y");
    char path[128];
    int used = snprintf(path, sizeof path, "%s/", folder);
    for (int i = 0; i < 16; i++) used += snprintf(path + used, 3, "%02x", key.bytes[i]);
    (void)snprintf(path + used, 8, ".clbin");
    cls_cache_store(folder, &key, payload, sizeof payload);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    int file = open(path, O_RDWR);
    assert_true(file >= 0);
    for (off_t at = 0; at < about.st_size; at++) {
        char byte = 0, changed;
        assert_int_equal(pread(file, &byte, 1, at), 1);
        changed = (char)(byte ^ 0x10);
        assert_int_equal(pwrite(file, &changed, 1, at), 1);
        assert_false(is_stored(&key));
        assert_int_equal(pwrite(file, &byte, 1, at), 1);
    }
    assert_true(is_stored(&key));
    /* Longer, then shorter and shorter. */
    assert_int_equal(ftruncate(file, about.st_size + 1), 0);
    assert_false(is_stored(&key));
    for (off_t size = about.st_size - 1; size >= 0; size -= 7) {
        assert_int_equal(ftruncate(file, size), 0);
        assert_false(is_stored(&key));
    }
    (void)close(file);
    cls_cache_store(folder, &key, payload, sizeof payload);
    assert_true(is_stored(&key));
}

TEST(a_wrong_key_under_the_name_is_seen) {
    cls_cache_key key = key_of("x", "y"), other = key_of("x", "z");
    char paths[2][128];
    const cls_cache_key *keys[] = {&key, &other};
    for (int k = 0; k < 2; k++) {
        int used = snprintf(paths[k], sizeof paths[k], "%s/", folder);
        for (int i = 0; i < 16; i++) used += snprintf(paths[k] + used, 3, "%02x", keys[k]->bytes[i]);
        (void)snprintf(paths[k] + used, 8, ".clbin");
    }
    cls_cache_store(folder, &key, payload, sizeof payload);
    assert_int_equal(rename(paths[0], paths[1]), 0);
    assert_false(is_stored(&key));
    assert_false(is_stored(&other));
}

TEST(no_folder_is_no_error) {
    cls_cache_key key = key_of("x", "y");
    size_t bytes = 0;
    /* Below a file there can be no folder, whoever runs this. */
    assert_null(cls_cache_load("/dev/null/clsolve", &key, &bytes));
    cls_cache_store("/dev/null/clsolve", &key, payload, sizeof payload);
    assert_null(cls_cache_load("/dev/null/clsolve", &key, &bytes));
    /* A folder that is not there yet is made, with those above it. */
    char deep[256], inner[128];
    (void)snprintf(inner, sizeof inner, "%s/a", folder);
    (void)snprintf(deep, sizeof deep, "%s/b", inner);
    cls_cache_store(deep, &key, payload, sizeof payload);
    char *got = cls_cache_load(deep, &key, &bytes);
    assert_non_null(got);
    cls_free(got);
    char command[300];
    (void)snprintf(command, sizeof command, "rm -r '%s'", inner);
    assert_int_equal(system(command), 0);
}

TEST(folders_follow_xdg) {
    const struct {
        const char *wanted, *xdg, *home, *expected;
    } cases[] = {
        {"/here", "/xdg", "/home", "/here"},           {"", "/xdg", "/home", NULL},
        {NULL, "/xdg", "/home", "/xdg/clsolve"},       {NULL, "relative", "/home", "/home/.cache/clsolve"},
        {NULL, NULL, "/home", "/home/.cache/clsolve"}, {NULL, NULL, NULL, NULL},
    };
    SCRATCH char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    xdg = xdg ? strdup(xdg) : NULL;
    home = home ? strdup(home) : NULL;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        (void)(cases[i].xdg ? setenv("XDG_CACHE_HOME", cases[i].xdg, 1) : unsetenv("XDG_CACHE_HOME"));
        (void)(cases[i].home ? setenv("HOME", cases[i].home, 1) : unsetenv("HOME"));
        char why[256] = "";
        char *got = cls_cache_folder(cases[i].wanted, why, sizeof why);
        assert_string_equal(why, "");
        if (cases[i].expected)
            assert_string_equal(got, cases[i].expected);
        else
            assert_null(got);
        cls_free(got);
    }
    (void)(xdg ? setenv("XDG_CACHE_HOME", xdg, 1) : unsetenv("XDG_CACHE_HOME"));
    (void)(home ? setenv("HOME", home, 1) : unsetenv("HOME"));
}

/* A folder that others may write to, or that another user owns, is not used, and that is said. */
TEST(folders_of_others_are_not_used) {
    static const struct {
        mode_t mode;
        int used;
    } cases[] = {{0700, 1}, {0755, 1}, {0720, 0}, {0702, 0}, {0777, 0}};
    char why[256];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        why[0] = '\0';
        assert_int_equal(chmod(folder, cases[i].mode), 0);
        char *got = cls_cache_folder(folder, why, sizeof why);
        if (cases[i].used) {
            assert_string_equal(got, folder);
            assert_string_equal(why, "");
        } else {
            assert_null(got);
            assert_non_null(strstr(why, folder));
            assert_non_null(strstr(why, "others may write to it"));
        }
        cls_free(got);
    }
    assert_int_equal(chmod(folder, 0700), 0);
    /* Root alone may give a folder away; else one of root's serves. */
    const char *others = geteuid() == 0 && chown(folder, 12345, (gid_t)-1) == 0 ? folder : "/usr";
    if (geteuid() == 0 && others != folder) skip();
    assert_null(cls_cache_folder(others, why, sizeof why));
    assert_non_null(strstr(why, "it belongs to another user"));
}

/* So is one that others make after the context, and a file that is not sound in a folder that is. */
TEST(each_use_looks_again) {
    char why[256] = "", path[128], *file = path;
    size_t bytes;
    struct stat about;
    cls_cache_key key = key_of("x", "y");
    cls_cache_store(folder, &key, payload, sizeof payload);
    assert_int_equal(chmod(folder, 0777), 0);
    assert_false(is_stored(&key));
    assert_false(cls_cache_writable(folder, why, sizeof why));
    assert_non_null(strstr(why, "others may write to it"));
    cls_cache_store(folder, &key, payload, sizeof payload - 1);
    assert_int_equal(chmod(folder, 0700), 0);
    assert_true(is_stored(&key));
    int used = snprintf(path, sizeof path, "%s/", folder);
    for (int i = 0; i < 16; i++) used += snprintf(path + used, 3, "%02x", key.bytes[i]);
    (void)snprintf(path + used, 8, ".clbin");
    assert_int_equal(stat(file, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    assert_int_equal(chmod(file, 0620), 0);
    assert_false(is_stored(&key));
    assert_false(cls_cache_read(folder, file + strlen(folder), why, 8, &bytes));
    assert_int_equal(chmod(file, 0644), 0);
    assert_true(is_stored(&key));
    /* A link would lead to a file of another folder. */
    char other[160];
    (void)snprintf(other, sizeof other, "%s/else", folder);
    assert_int_equal(rename(file, other), 0);
    assert_int_equal(symlink(other, file), 0);
    assert_false(is_stored(&key));
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rename(other, file), 0);
    if (geteuid() != 0) return; /* root alone may give a file away */
    assert_int_equal(chown(file, 12345, (gid_t)-1), 0);
    assert_false(is_stored(&key));
    cls_cache_store(folder, &key, payload, sizeof payload); /* it is replaced */
    assert_true(is_stored(&key));
    assert_int_equal(chown(folder, 12345, (gid_t)-1), 0);
    assert_false(is_stored(&key));
    assert_int_equal(chown(folder, 0, (gid_t)-1), 0);
}

/* A relative folder is that of the moment at which the context was made. */
TEST(a_relative_folder_stays) {
    char why[256] = "", before[4096];
    cls_cache_key key = key_of("x", "y");
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    char *got = cls_cache_folder("inside", why, sizeof why);
    assert_non_null(got);
    assert_int_equal(chdir("/"), 0);
    cls_cache_store(got, &key, payload, sizeof payload);
    assert_int_equal(access("/inside", F_OK), -1);
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(access("inside", F_OK), 0);
    assert_int_equal(chdir(before), 0);
    char command[300];
    (void)snprintf(command, sizeof command, "rm -r '%s'", got);
    assert_int_equal(system(command), 0);
    cls_free(got);
}

/* What killed processes have left goes, and what others are writing stays. */
TEST(remains_are_removed) {
    static const char *const names[] = {"new-old", "new-young", "sizes-old"};
    const struct timespec hours_ago[] = {{.tv_sec = time(NULL) - 7200}, {.tv_sec = time(NULL) - 7200}};
    char path[3][128], why[256] = "";
    for (int k = 0; k < 3; k++) {
        (void)snprintf(path[k], sizeof path[k], "%s/%s", folder, names[k]);
        int file = open(path[k], O_WRONLY | O_CREAT, 0600);
        assert_true(file >= 0);
        if (k != 1) assert_int_equal(futimens(file, hours_ago), 0);
        (void)close(file);
    }
    cls_free(cls_cache_folder(folder, why, sizeof why));
    for (int k = 0; k < 3; k++) assert_int_equal(access(path[k], F_OK), k == 0 ? -1 : 0);
}

/* Runs `body` in `count` processes at once; all have to return 0. */
static void in_processes(int count, int (*body)(int number)) {
    pid_t children[8];
    for (int c = 0; c < count; c++) {
        children[c] = fork();
        assert_true(children[c] >= 0);
        if (children[c] == 0) _exit(body(c));
    }
    for (int c = 0; c < count; c++) {
        int status = -1;
        assert_int_equal(waitpid(children[c], &status, 0), children[c]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

/* Stores and loads one key over and over: a reader finds nothing or the whole. */
static int writer(int number) {
    cls_cache_key key = key_of("shared", "key");
    (void)number;
    for (int i = 0; i < 200; i++) {
        size_t bytes = 0;
        cls_cache_store(folder, &key, payload, sizeof payload);
        char *got = cls_cache_load(folder, &key, &bytes);
        if (!got || bytes != sizeof payload || memcmp(got, payload, bytes) != 0) return 1;
        cls_free(got);
    }
    return 0;
}

TEST(processes_write_at_once) {
    in_processes(4, writer);
    assert_int_equal(each_file(NULL), 1);
}

/* ---- claims ---- */

/* Of processes that want the same at once one works, and the others find what it has stored. */
static int claimer(int number) {
    cls_cache_key key = key_of("claimed", "key");
    size_t bytes = 0;
    cls_waiting waiting = {0};
    (void)number;
    int claim = cls_cache_claim(folder, &key, &waiting, NULL);
    char *got = cls_cache_load(folder, &key, &bytes);
    if (claim < 0) return 1;
    if (!got) { /* nobody else works meanwhile */
        char path[128];
        (void)snprintf(path, sizeof path, "%s/working", folder);
        if (mkdir(path, 0700) != 0) return 2;
        (void)nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        cls_cache_store(folder, &key, payload, sizeof payload);
        char done[128];
        (void)snprintf(done, sizeof done, "%s/done", folder);
        if (rename(path, done) != 0) return 3;
    }
    cls_free(got);
    cls_cache_unclaim(folder, &key, claim);
    return 0;
}

TEST(processes_share_the_work) {
    char done[128];
    in_processes(4, claimer);
    (void)snprintf(done, sizeof done, "%s/done", folder);
    assert_int_equal(rmdir(done), 0);
    assert_int_equal(each_file(NULL), 1);
}

/* A process that dies has claimed nothing, and one that is told to stop does not wait. */
TEST(a_claim_ends_with_its_process) {
    cls_cache_key key = key_of("claimed", "key");
    cls_waiting waiting = {0};
    atomic_int stop = 1;
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (cls_cache_claim(folder, &key, &waiting, NULL) < 0 || write(ready[1], "c", 1) != 1) _exit(1);
        for (;;) (void)pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(cls_cache_claim(folder, &key, &waiting, &stop), -1);
    assert_int_equal(kill(child, SIGKILL), 0);
    int claim = cls_cache_claim(folder, &key, &waiting, NULL);
    assert_true(claim >= 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    cls_cache_unclaim(folder, &key, claim);
    assert_int_equal(each_file(NULL), 0);
    (void)close(ready[0]);
    (void)close(ready[1]);
    assert_int_equal(cls_cache_claim("/dev/null/clsolve", &key, &waiting, NULL), -1);
}

/* A process that is stopped keeps its claims. It is waited for once. */
TEST(a_stopped_process_holds_up_once) {
    const cls_cache_key keys[] = {key_of("claimed", "one"), key_of("claimed", "two")}, free = key_of("nobody", "");
    enum { MOST = 300 };
    cls_waiting waiting = {.most = MOST};
    int ready[2], status;
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (int k = 0; k < 2; k++)
            if (cls_cache_claim(folder, &keys[k], &waiting, NULL) < 0) _exit(1);
        if (write(ready[1], "c", 1) != 1) _exit(1);
        for (;;) (void)pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(kill(child, SIGSTOP), 0);
    assert_int_equal(waitpid(child, &status, WUNTRACED), child);
    assert_true(WIFSTOPPED(status));
    assert_int_equal(cls_cache_claim(folder, &keys[0], &waiting, NULL), -1);
    assert_true(atomic_load(&waiting.ran_out));
    /* A second wait would take minutes, and the test ends then. */
    waiting.most = 1000 * MOST;
    (void)alarm(20);
    assert_int_equal(cls_cache_claim(folder, &keys[1], &waiting, NULL), -1);
    (void)alarm(0);
    int claim = cls_cache_claim(folder, &free, &waiting, NULL);
    assert_true(claim >= 0);
    cls_cache_unclaim(folder, &free, claim);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    (void)close(ready[0]);
    (void)close(ready[1]);
}

/* ---- numbers ---- */

/* Whichever kernel changes, all that self-tests have found is found anew. */
TEST(a_changed_kernel_is_tested_anew) {
    enum { MOST = 256 };
    static cls_kernel_source changed[MOST];
    char right[33], other[33];
    int count = 0;
    while (cls_kernel_sources[count].name) count++;
    assert_in_range(count, 2, MOST - 1);
    cls_kernels_key(cls_kernel_sources, right);
    for (int k = 0; k < count; k++) {
        memcpy(changed, cls_kernel_sources, (size_t)(count + 1) * sizeof *changed);
        changed[k].text = "mended";
        cls_kernels_key(changed, other);
        assert_string_not_equal(other, right);
    }
    cls_kernels_key(cls_kernel_sources, other);
    assert_string_equal(other, right);
}

/* ---- program_get ---- */

/* PoCL keeps programs itself, so the folder of the library has none of them. */
static int driver_keeps;

/* Opens a device, gets scale.cl `count` times with other options, and gives back how many came from the cache; -1: a
 * failure. `killed`: the process ends with all that open. */
static int get_programs(const char *cache_folder, int count, int killed) {
    cls_error error = {{0}};
    cls_device *device = NULL;
    if (cls_device_open(test_selector(), cache_folder, &error, &device) != CLSOLVE_OK) return -1;
    int failed = 0;
    for (int c = 0; c < count && !failed; c++) {
        char options[64];
        cls_program *program = NULL;
        cls_kernel *kernel = NULL;
        (void)snprintf(options, sizeof options, "-DREAL=float -DCLS_TEST=%d", c);
        failed = device->ops->program_get(device, "scale", options, &program) != CLSOLVE_OK ||
                 device->ops->kernel_create(device, program, "scale", &kernel) != CLSOLVE_OK;
        device->ops->kernel_destroy(device, kernel);
    }
    failed |= device->cache_hits + device->compiled != count;
    if (killed) (void)raise(failed ? SIGABRT : SIGKILL);
    int hits = failed ? -1 : (int)device->cache_hits;
    device->ops->destroy(device);
    return hits;
}

static int get_program(const char *cache_folder) {
    return get_programs(cache_folder, 1, 0);
}

/* PoCL's own cache is not for processes that fill it at once: each has one of its own. */
static int builder(int number) {
    const char *shared = getenv("POCL_CACHE_DIR");
    char own[4096];
    if (shared && snprintf(own, sizeof own, "%s/process-%d", shared, number) < (int)sizeof own)
        (void)setenv("POCL_CACHE_DIR", own, 1);
    return get_program(folder) < 0;
}

TEST(processes_build_at_once) {
    in_processes(3, builder);
    assert_int_equal(each_file(NULL), !driver_keeps);
}

enum { PROGRAMS = 3 };

static void remove_tree(const char *path) {
    char command[4300];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
}

/* PoCL's folder is the test's own, for other tests put files into the usual one. */
static void own_driver_folder(char *before, size_t size) {
    const char *usual = getenv("POCL_CACHE_DIR");
    char own[4200];
    (void)snprintf(before, size, "%s", usual ? usual : "");
    (void)snprintf(own, sizeof own, "%s-pocl", folder);
    assert_int_equal(setenv("POCL_CACHE_DIR", own, 1), 0);
}

static void usual_driver_folder(const char *before) {
    remove_tree(getenv("POCL_CACHE_DIR"));
    assert_int_equal(before[0] ? setenv("POCL_CACHE_DIR", before, 1) : unsetenv("POCL_CACHE_DIR"), 0);
}

/* How many programs or kernels PoCL keeps. */
static int files_of_driver(const char *name) {
    char command[4200], text[32] = "";
    (void)snprintf(command, sizeof command, "find '%s' -name '%s' 2>/dev/null | wc -l", getenv("POCL_CACHE_DIR"), name);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_non_null(fgets(text, sizeof text, pipe));
    (void)pclose(pipe);
    return atoi(text);
}

static int kept_by_driver(void) {
    return files_of_driver("program.bc") + files_of_driver("*.so");
}

/* ---- kernels that are compiled when they are launched ---- */

/* Of the launches in this process, those that found no code in PoCL's folder. Each is of another kernel, and all
 * processes launch them in the same order. */
static int counted, launches, compilations;

WRAPS(cl_int, clEnqueueNDRangeKernel,
      (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
       const size_t *local, cl_uint count, const cl_event *events, cl_event *event)) {
    if (counted) compilations += files_of_driver("*.so") <= launches++;
    return __real_clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, events, event);
}

enum { PROCESSES = 2 };

/* Scales nothing, by kernels of several programs. */
static clsolve_status launch_kernels(cls_device *device) {
    const int64_t rows = 0, columns = 0, offset = 0, ld = 1;
    const float beta = 1;
    cls_buffer *buffer = NULL;
    CLS_TRY(device->ops->buffer_create(device, 64, &buffer));
    counted = 1;
    for (int p = 0; p < PROGRAMS; p++) {
        cls_arg args[] = {CLS_VALUE(rows),    CLS_VALUE(columns), CLS_VALUE(beta),
                          CLS_BUFFER(buffer), CLS_VALUE(offset),  CLS_VALUE(ld)};
        const cls_grid grid = {{64, 1, 1}, {64, 1, 1}};
        char options[64];
        cls_program *program = NULL;
        cls_kernel *kernel = NULL;
        (void)snprintf(options, sizeof options, "-DREAL=float -DCLS_TEST=%d", p);
        CLS_TRY(device->ops->program_get(device, "scale", options, &program));
        CLS_TRY(device->ops->kernel_create(device, program, "scale", &kernel));
        CLS_TRY(cls_launch(device, CLS_COMPUTE, kernel, &grid, CLS_ARGS(args)));
        CLS_TRY(device->ops->finish(device, CLS_COMPUTE));
        device->ops->kernel_destroy(device, kernel);
    }
    counted = 0;
    device->ops->buffer_destroy(device, buffer);
    return CLSOLVE_OK;
}

static int result[2]; /* a pipe: each process writes how many kernels it has compiled */

static int launcher(int number) {
    cls_error error = {{0}};
    cls_device *device = NULL;
    (void)number;
    if (cls_device_open(test_selector(), folder, &error, &device) != CLSOLVE_OK) return 1;
    if (launch_kernels(device) != CLSOLVE_OK) return 2;
    cls_device_close(device);
    return launches != PROGRAMS || write(result[1], &compilations, sizeof compilations) != sizeof compilations;
}

/* Two processes that begin together compile each kernel once; a third one later compiles none. */
TEST(processes_share_what_launches_compile) {
    char before[4096];
    int made[PROCESSES], later;
    if (!driver_keeps) skip();
    own_driver_folder(before, sizeof before);
    assert_int_equal(pipe(result), 0);
    in_processes(PROCESSES, launcher);
    assert_int_equal(read(result[0], made, sizeof made), sizeof made);
    assert_int_equal(made[0] + made[1], PROGRAMS);
    in_processes(1, launcher);
    assert_int_equal(read(result[0], &later, sizeof later), sizeof later);
    assert_int_equal(later, 0);
    (void)close(result[0]);
    (void)close(result[1]);
    usual_driver_folder(before);
}

static int again(int number) {
    (void)number;
    return get_programs(folder, PROGRAMS, 0) != (driver_keeps ? 0 : PROGRAMS);
}

/* The next process compiles nothing. */
TEST(a_killed_process_leaves_all_that_it_compiled) {
    char before[4096];
    int status = 0;
    own_driver_folder(before, sizeof before);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(get_programs(folder, PROGRAMS, 1));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(each_file(NULL), driver_keeps ? 0 : PROGRAMS);
    const int kept = kept_by_driver();
    in_processes(1, again);
    assert_int_equal(kept_by_driver(), kept);
    assert_true(!driver_keeps || kept >= PROGRAMS);
    usual_driver_folder(before);
}

/* A sound file whose payload no driver knows: the checksum is right, the driver says no. */
static void spoil_file(const char *path) {
    cls_cache_key key;
    const char *name = strrchr(path, '/') + 1;
    for (int i = 0; i < 16; i++) {
        unsigned byte = 0;
        assert_int_equal(sscanf(name + 2 * i, "%2x", &byte), 1);
        key.bytes[i] = (unsigned char)byte;
    }
    cls_cache_store(folder, &key, payload, sizeof payload);
}

static void cut_file(const char *path) {
    assert_int_equal(truncate(path, 100), 0);
}

/* From the second start on, each time in the same one file. */
TEST(programs_come_from_the_cache) {
    if (driver_keeps) skip();
    assert_int_equal(get_program(folder), 0);
    assert_int_equal(each_file(NULL), 1);
    assert_int_equal(get_program(folder), 1);
    (void)each_file(cut_file);
    assert_int_equal(get_program(folder), 0);
    assert_int_equal(get_program(folder), 1);
    (void)each_file(spoil_file);
    assert_int_equal(get_program(folder), 0);
    assert_int_equal(get_program(folder), 1);
    assert_int_equal(each_file(NULL), 1);
    (void)each_file(remove_file);
    assert_int_equal(get_program(""), 0);
    assert_int_equal(each_file(NULL), 0);
    assert_int_equal(get_program("/dev/null/clsolve"), 0);
}

/* Nothing is stored there, and the context says it once. */
TEST(a_context_says_that_its_folder_is_not_used) {
    clsolve_context_options options = {.selector = test_selector(), .cache_folder = folder};
    clsolve_context *context = NULL;
    assert_int_equal(chmod(folder, 0777), 0);
    assert_int_equal(get_program(folder), 0);
    assert_int_equal(each_file(NULL), 0);
    assert_int_equal(clsolve_context_create_with(&options, &context), CLSOLVE_OK);
    assert_non_null(strstr(clsolve_context_message(context), "others may write to it"));
    clsolve_context_destroy(context);
    assert_int_equal(chmod(folder, 0700), 0);
    assert_int_equal(clsolve_context_create_with(&options, &context), CLSOLVE_OK);
    assert_string_equal(clsolve_context_message(context), "");
    clsolve_context_destroy(context);
}

/* 0: there is a device, and PoCL; 1: there is another. */
static int check_device(int number) {
    (void)number;
    cls_error error = {{0}};
    int64_t count = 0;
    cls_device *device = NULL;
    if (cls_devices_list(NULL, 0, &count, &error) != CLSOLVE_OK || count == 0) return 2;
    if (cls_device_open(test_selector(), "", &error, &device) != CLSOLVE_OK) return 2;
    return strcmp(device->info.platform, "Portable Computing Language") != 0;
}

int main(void) {
    /* In a process of its own, so that this one has loaded no driver when it forks. */
    pid_t child = fork();
    int status = 0;
    if (child == 0) _exit(check_device(0));
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) > 1)
        return TEST_SKIPPED;
    driver_keeps = WEXITSTATUS(status) == 0;
    return test_run_each(NULL, NULL, make_folder, remove_folder);
}
