#define _XOPEN_SOURCE 700

#include "blas/tune_support.h"

#include <dirent.h>
#include <time.h>
#include <unistd.h>

#include <clblast_c.h>

#include "api/context.h"

int calls;
long pause_ms;
int wrong, refused;
const char *refused_file;
int clock_back;
double clock_ahead;

CLBlastStatusCode __wrap_CLBlastSgemm(void);
CLBlastStatusCode __wrap_CLBlastDgemm(void);

WRAPS(double, cls_seconds, (void)) {
    return __real_cls_seconds() - (clock_back ? 1000 : 0) + clock_ahead;
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

WRAPS(int, cls_builtin_test_right, (const void *C, clsolve_type type, cls_ref ref)) {
    int right = __real_cls_builtin_test_right(C, type, ref);
    assert_int_equal(right, 1);
    return wrong-- > 0 ? 0 : right;
}

WRAPS(clsolve_status, cls_builtin_kernel,
      (cls_device * device, cls_kernel **slot, const char *file, const char *name, clsolve_type type,
       const char *options)) {
    if (refused_file && strcmp(file, refused_file) == 0 && refused-- > 0)
        return cls_fail(device->error, CLSOLVE_ERROR_BUILD, "%s is refused for a test", file);
    return __real_cls_builtin_kernel(device, slot, file, name, type, options);
}

/* ---- the folder, the context ---- */

char folder[64];

int clear_folder(int records_only) {
    DIR *directory = opendir(folder);
    int records = 0;
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char path[512];
        const int is_record = strncmp(entry->d_name, "product-", 8) == 0;
        if (entry->d_name[0] == '.') continue;
        assert_true(strncmp(entry->d_name, "new-", 4) != 0);
        records += is_record;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (is_record || !records_only) assert_int_equal(unlink(path), 0);
    }
    (void)closedir(directory);
    return records;
}

const cls_blas_provider *chosen;
int64_t work_group;

clsolve_context *open_context(const char *cache) {
    clsolve_context *context = NULL;
    clsolve_context_options options = {.selector = test_selector(), .cache_folder = cache};
    assert_int_equal(clsolve_context_create_with(&options, &context), CLSOLVE_OK);
    chosen = context->device->blas->provider;
    work_group = context->device->info.max_work_group;
    cls_blas_use(context->device, &cls_blas_clblast);
    context->device->blas->tiled = CLS_TILED_MEASURED;
    context->device->matrix_unit = 0;
    /* So that small matrices are measured, and the first guesses are kernels that compile fast. */
    context->device->info.global_memory = 2 << 20;
    context->device->info.max_work_group = 4;
    return context;
}

void self_test_says(clsolve_context *context, clsolve_type type, const char *what) {
    char text[256];
    cls_blas_use(context->device, chosen);
    context->device->info.max_work_group = work_group;
    assert_int_equal(clsolve_context_self_test(context, type, text, sizeof text), CLSOLVE_OK);
    cls_blas_use(context->device, &cls_blas_clblast);
    context->device->info.max_work_group = 4;
    if (!strstr(text, what)) fail_msg("\"%s\" has no \"%s\"", text, what);
    assert_true(strcmp(what, "right") != 0 || strcmp(text, "right") == 0);
    assert_string_equal(clsolve_context_message(context), "");
}

void is_said(clsolve_context *context, const char *what) {
    char text[256];
    assert_int_equal(clsolve_tune_describe(context, CLSOLVE_F32, text, sizeof text), CLSOLVE_OK);
    if (!strstr(text, what)) fail_msg("\"%s\" has no \"%s\"", text, what);
}

int multiplies_by_clblast(clsolve_context *context) {
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
    assert_int_equal(cls_gemm(device, CLS_BLAS_DEFAULT, CLSOLVE_F32, CLSOLVE_NO_TRANS, CLSOLVE_NO_TRANS, N, N, N, -1,
                              M[0], M[1], 1, M[2]),
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

int make_folder(void **state) {
    (void)snprintf(folder, sizeof folder, "/tmp/clsolve-tune-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

int remove_folder(void **state) {
    (void)clear_folder(0);
    return rmdir(folder);
}
