/* Which devices there are, and which of them each form of a selector names. */
#define _POSIX_C_SOURCE 200809L

#include "device_support.h"

#include <ctype.h>

#include <CL/cl.h>

#include "device/backend.h"

enum { MOST = 32 };
static clsolve_device_info list[MOST];
static int64_t count, first; /* first: of those that can be opened */

/* ---- a driver behind all others, which has no devices ---- */

static int last_asked; /* for its devices */
static const char last_driver;

static cl_platform_id last_platform(void) {
    return (cl_platform_id)(uintptr_t)&last_driver;
}

cl_int __real_clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *there);
cl_int __wrap_clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *there);
cl_int __wrap_clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *there) {
    cl_uint real = 0;
    cl_int code = __real_clGetPlatformIDs(0, NULL, &real);
    if (code != CL_SUCCESS || real == 0) return code;
    if (platforms) code = __real_clGetPlatformIDs(room < real ? room : real, platforms, NULL);
    if (platforms && room > real) platforms[real] = last_platform();
    if (there) *there = real + 1;
    return code;
}

cl_int __real_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *ids,
                             cl_uint *there);
cl_int __wrap_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *ids,
                             cl_uint *there);
cl_int __wrap_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *ids,
                             cl_uint *there) {
    if (platform != last_platform()) return __real_clGetDeviceIDs(platform, type, room, ids, there);
    last_asked = 1;
    return CL_DEVICE_NOT_FOUND;
}

static int list_devices(void **state) {
    cls_error error = {{0}};
    assert_int_equal(cls_devices_list(list, MOST, &count, &error), CLSOLVE_OK);
    assert_in_range(count, 1, MOST);
    while (first + 1 < count && cls_device_too_old(&list[first])) first++;
    return 0;
}

/* Opens, and gives back the info of what was opened. */
static clsolve_device_info opened(const char *selector) {
    cls_error error = {{0}};
    cls_device *device = NULL;
    if (cls_device_open(selector, "", &error, &device) != CLSOLVE_OK) {
        print_error("selector \"%s\": %s\n", selector ? selector : "NULL", error.text);
        fail();
    }
    clsolve_device_info info = device->info;
    device->ops->destroy(device);
    return info;
}

static void assert_no_device(const char *selector) {
    cls_error error = {{0}};
    cls_device *device = (cls_device *)&error;
    assert_int_equal(cls_device_open(selector, "", &error, &device), CLSOLVE_ERROR_NO_DEVICE);
    assert_null(device);
    assert_non_null(strstr(error.text, selector));
    for (int64_t i = 0; i < count && i < 8; i++) assert_non_null(strstr(error.text, list[i].selector));
}

static int rank_type(clsolve_device_type type) {
    return type == CLSOLVE_DEVICE_GPU ? 2 : type == CLSOLVE_DEVICE_OTHER ? 1 : 0;
}

/* No device that `type` (0: any) and `backend` (NULL: any) admit is better than `info`. */
static void assert_best(const clsolve_device_info *info, int type, const char *backend) {
    for (int64_t i = 0; i < count; i++) {
        const clsolve_device_info *other = &list[i];
        if (type != 0 && (int)other->type != type) continue;
        if (backend && strcmp(other->backend, backend) != 0) continue;
        if (cls_device_too_old(other)) continue;
        if (strcmp(other->name, info->name) == 0 && strcmp(other->backend, info->backend) != 0) {
            assert_true(backend || strcmp(info->backend, "cuda") == 0); /* the same GPU: through CUDA */
            continue;
        }
        assert_true(rank_type(info->type) >= rank_type(other->type));
        if (info->type != other->type) continue;
        assert_true(info->fp64 >= other->fp64);
        if (info->fp64 != other->fp64) continue;
        assert_true((int64_t)info->compute_units * info->clock_mhz >= (int64_t)other->compute_units * other->clock_mhz);
    }
}

TEST(infos_are_whole) {
    int cuda = 0;
    while (cuda < count && strcmp(list[cuda].backend, "cuda") == 0) cuda++; /* these come first */
    for (int64_t i = 0; i < count; i++) {
        char selector[32];
        (void)snprintf(selector, sizeof selector, "%s:%d", i < cuda ? "cuda" : "opencl",
                       (int)(i < cuda ? i : i - cuda));
        assert_string_equal(list[i].selector, selector);
        assert_string_equal(list[i].backend, i < cuda ? "cuda" : "opencl");
        assert_true(list[i].name[0] != '\0' && list[i].name[0] != ' ');
        assert_true(list[i].platform[0] != '\0');
        assert_true(list[i].compute_units > 0);
        assert_true(list[i].max_work_group > 0);
        assert_true(list[i].local_memory > 0);
        assert_true(list[i].global_memory > 0);
        assert_true(list[i].max_allocation > 0);
        assert_true(list[i].max_allocation <= list[i].global_memory);
    }
}

TEST(count_alone_and_short_lists) {
    cls_error error = {{0}};
    int64_t there = -1;
    assert_int_equal(cls_devices_list(NULL, 0, &there, &error), CLSOLVE_OK);
    assert_int_equal(there, count);
    clsolve_device_info two[2];
    memset(two, 0xab, sizeof two);
    assert_int_equal(cls_devices_list(two, 1, &there, &error), CLSOLVE_OK);
    assert_int_equal(there, count);
    assert_string_equal(two[0].selector, list[0].selector);
    assert_int_equal((unsigned char)two[1].selector[0], 0xab);
}

TEST(the_best) {
    clsolve_device_info null = opened(NULL), empty = opened("");
    assert_best(&null, 0, NULL);
    assert_string_equal(null.selector, empty.selector);
    for (int64_t i = 0; i < count; i++) { /* each backend that has one, letter case ignored */
        int cuda = strcmp(list[i].backend, "cuda") == 0;
        clsolve_device_info backend = opened(cuda ? "Cuda" : "OpenCL");
        assert_string_equal(backend.backend, list[i].backend);
        assert_best(&backend, 0, list[i].backend);
    }
}

TEST(by_type) {
    int cpus = 0, gpus = 0;
    for (int64_t i = 0; i < count; i++) {
        cpus += list[i].type == CLSOLVE_DEVICE_CPU;
        gpus += list[i].type == CLSOLVE_DEVICE_GPU;
    }
    if (cpus) {
        clsolve_device_info cpu = opened("CPU");
        assert_int_equal(cpu.type, CLSOLVE_DEVICE_CPU);
        assert_best(&cpu, CLSOLVE_DEVICE_CPU, NULL);
    } else {
        assert_no_device("cpu");
    }
    if (gpus) {
        clsolve_device_info gpu = opened("gpu");
        assert_int_equal(gpu.type, CLSOLVE_DEVICE_GPU);
        assert_best(&gpu, CLSOLVE_DEVICE_GPU, NULL);
    } else {
        assert_no_device("gpu");
    }
}

TEST(by_index) {
    for (int64_t i = 0; i < count; i++) {
        if (cls_device_too_old(&list[i])) continue;
        clsolve_device_info info = opened(list[i].selector);
        assert_string_equal(info.selector, list[i].selector);
        assert_string_equal(info.name, list[i].name);
    }
    assert_no_device("opencl:999");
    assert_no_device("opencl:");
    assert_no_device("opencl:-1");
    assert_no_device("opencl:0x");
    assert_no_device("cuda:999");
    if (strcmp(list[0].backend, "cuda") != 0) assert_no_device("cuda:0");
}

/* A driver takes long to start, so one that cannot have the device is left alone. */
TEST(drivers_behind_the_device_are_not_asked) {
    for (int64_t i = 0; i < count; i++) {
        if (strcmp(list[i].backend, "opencl") != 0 || cls_device_too_old(&list[i])) continue;
        last_asked = 0;
        (void)opened(list[i].selector);
        assert_false(last_asked);
        (void)opened("opencl"); /* the best of all */
        assert_true(last_asked);
    }
    last_asked = 0;
    assert_no_device("opencl:999");
    assert_true(last_asked);
}

/* The drivers' list may be another when a device of it is opened: its number is nothing, what describes it is. */
TEST(by_what_describes_it) {
    cls_error error = {0};
    cls_device *device = test_device("", &error);
    clsolve_device_info wanted = device->info;
    const cls_backend *backend = &cls_backend_opencl;
    device->ops->destroy(device);
#ifdef CLSOLVE_CUDA
    if (strcmp(wanted.backend, "cuda") == 0) backend = &cls_backend_cuda;
#endif
    assert_int_equal(backend->open(1000, &wanted, NULL, "", &error, &device), CLSOLVE_OK);
    assert_string_equal(device->info.name, wanted.name);
    device->ops->destroy(device);
    wanted.name[0]++;
    for (int64_t index = 0; index < 2; index++) {
        assert_int_equal(backend->open(index, &wanted, NULL, "", &error, &device), CLSOLVE_ERROR_NO_DEVICE);
        assert_null(device);
    }
}

TEST(by_part_of_a_name) {
    const char *texts[] = {list[first].name, list[first].vendor, list[first].platform};
    for (size_t t = 0; t < 3; t++) {
        size_t length = strlen(texts[t]);
        if (length < 4) continue;
        char part[128] = "";
        for (size_t i = 1; i + 1 < length; i++) part[i - 1] = (char)toupper((unsigned char)texts[t][i]);
        clsolve_device_info info = opened(part);
        assert_int_equal(info.type, list[first].type);
    }
    assert_no_device("no such device anywhere");
}

TEST(fp64_can_be_hidden) {
    test_pretend("no-fp64");
    clsolve_device_info info = opened(list[first].selector);
    test_pretend(NULL);
    assert_int_equal(info.fp64, 0);
    info = opened(list[first].selector);
    assert_int_equal(info.fp64, list[first].fp64);
}

/* An OpenCL device below 1.2 is listed, and refused by a message that says what is wanted. */
TEST(old_devices) {
    static const struct {
        const char *version;
        int old;
    } versions[] = {{"OpenCL 1.0 x", 1},
                    {"OpenCL 1.1 Mesa 22.3.6", 1},
                    {"OpenCL 1.2 CUDA", 0},
                    {"OpenCL 3.0 PoCL", 0},
                    {"OpenCL 2.1", 0},
                    {"CUDA 13.0, capability 9", 0},
                    {"", 0}};
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        clsolve_device_info info = list[first];
        (void)snprintf(info.version, sizeof info.version, "%s", versions[v].version);
        assert_int_equal(cls_device_too_old(&info), versions[v].old);
    }
    for (int64_t i = 0; i < count; i++) {
        cls_error error = {{0}};
        cls_device *device = (cls_device *)&error;
        if (!cls_device_too_old(&list[i])) continue;
        assert_int_equal(cls_device_open(list[i].selector, "", &error, &device), CLSOLVE_ERROR_UNSUPPORTED);
        assert_null(device);
        assert_non_null(strstr(error.text, list[i].name));
        assert_non_null(strstr(error.text, "OpenCL 1.2"));
    }
}

/* Only what can mean nothing else is told of a backend that was not built. */
TEST(without_cuda) {
    static const char *const exact[] = {"cuda", "CUDA:7", "cuda:12345"}, *const others[] = {"cuda:", "cuda:0x",
                                                                                            "cudas"};
    cls_error error = {{0}};
    cls_device *device = NULL;
#ifdef CLSOLVE_CUDA
    skip();
#endif
    for (int s = 0; s < 3; s++) {
        if (cls_device_open(exact[s], "", &error, &device) == CLSOLVE_OK) { /* NVIDIA's platform for OpenCL */
            device->ops->destroy(device);
            continue;
        }
        assert_non_null(strstr(error.text, "this build has no CUDA backend"));
        assert_no_device(others[s]);
        error.text[0] = '\0';
        assert_int_equal(cls_device_open(others[s], "", &error, &device), CLSOLVE_ERROR_NO_DEVICE);
        assert_null(strstr(error.text, "CUDA backend"));
    }
}

TEST_PROGRAM(list_devices, NULL)
