/*
 * ran_wraps.c: wrappers that the linker puts in the place of calls (ran.wrap), to note what was in effect: a device when it is opened, a
 * handle when it is destroyed. They read the handles' fields, call nothing of the library but the call itself, and take no memory: tests
 * that count or fail calls see no difference.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clsolve/band_batch.h>
#include <clsolve/gauss_jordan_batch.h>

#include "api/band.h"
#include "api/block_gs.h"
#include "api/cholesky.h"
#include "api/gauss_jordan.h"
#include "api/ldl.h"
#include "api/lu_state.h"
#include "blas/blas.h"
#include "device/device.h"
#include "device/opencl/opencl.h"
#include "device/programs.h"
#include "method/lu/rectangle.h"
#include "support/ran.h"
#include "support/test_support.h"

/* ---- contexts of drivers ---- */

/*
 * CLSOLVE_TEST_KEEP=1, for drivers that take long to open a device: of each device one context stays open until the program
 * ends. CUDA's primary context is retained once more. OpenCL's context of a device alone is one for all handles of the
 * library; a test's own contexts (without properties) stay their own. The calls are the driver's, because tests let those
 * of the library fail.
 */
static int keeps(void) {
    const char *keep = getenv("CLSOLVE_TEST_KEEP");
    return keep && strcmp(keep, "1") == 0;
}

static void keep_primary(const clsolve_device_info *info) {
    static int kept[16];
    int (*get)(int *id, int ordinal) = NULL, (*retain)(void **primary, int id) = NULL;
    int ordinal = -1, id = 0;
    void *primary = NULL;
    if (!keeps() || sscanf(info->selector, "cuda:%d", &ordinal) != 1 || ordinal < 0 || ordinal > 15) return;
    void *driver = kept[ordinal]++ ? NULL : dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) return;
    *(void **)&get = dlsym(driver, "cuDeviceGet");
    *(void **)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
    if (get && retain && get(&id, ordinal) == 0) (void)retain(&primary, id);
}

typedef void(CL_CALLBACK *told)(const char *text, const void *info, size_t bytes, void *user);

cl_context __real_clCreateContext(const cl_context_properties *properties, cl_uint count, const cl_device_id *ids,
                                  told tell, void *user, cl_int *code);
cl_context __wrap_clCreateContext(const cl_context_properties *properties, cl_uint count, const cl_device_id *ids,
                                  told tell, void *user, cl_int *code);

cl_context ran_create_context(const cl_context_properties *properties, cl_uint count, const cl_device_id *ids,
                              told tell, void *user, cl_int *code) {
    static cl_context kept;
    static cl_device_id of;
    cl_int (*retain)(cl_context context) = NULL;
    if (!keeps() || !properties || count != 1) return __real_clCreateContext(properties, count, ids, tell, user, code);
    *(void **)&retain = dlsym(RTLD_NEXT, "clRetainContext");
    (void)ran_lock();
    const int is_kept = kept && of == ids[0];
    cl_context context = is_kept ? kept : __real_clCreateContext(properties, count, ids, tell, user, code);
    if (context && retain && (is_kept || !kept) && retain(context) == CL_SUCCESS && code) *code = CL_SUCCESS;
    if (context && !kept) {
        kept = context;
        of = ids[0];
    }
    ran_unlock();
    return context;
}

/* Programs with faults have another one (faults.c). */
__attribute__((weak)) cl_context __wrap_clCreateContext(const cl_context_properties *properties, cl_uint count,
                                                        const cl_device_id *ids, told tell, void *user, cl_int *code) {
    return ran_create_context(properties, count, ids, tell, user, code);
}

/* ---- devices ---- */

static void note_opened(const clsolve_device_info *info) {
    keep_primary(info);
    ran_note_device(info, NULL);
}

WRAPS(clsolve_status, cls_device_open,
      (const char *selector, const char *folder, cls_error *error, cls_device **device)) {
    clsolve_status status = __real_cls_device_open(selector, folder, error, device);
    if (status == CLSOLVE_OK) note_opened(&(*device)->info);
    return status;
}

WRAPS(clsolve_status, cls_device_open_among,
      (const cls_company *company, const char *selector, const char *folder, cls_error *error, cls_device **device)) {
    clsolve_status status = __real_cls_device_open_among(company, selector, folder, error, device);
    if (status == CLSOLVE_OK) note_opened(&(*device)->info);
    return status;
}

WRAPS(clsolve_status, cls_blas_create, (cls_device * device)) {
    clsolve_status status = __real_cls_blas_create(device);
    if (status == CLSOLVE_OK) ran_note_device(&device->info, device->blas->name);
    return status;
}

/* ---- compilers ---- */

typedef cl_int (*build_info)(cl_program program, cl_device_id id, cl_program_build_info what, size_t bytes, void *value,
                             size_t *size);

/* The build's log, where the driver keeps one, has no warning. Not by the call itself, because tests let that fail. */
static void note_warnings(cls_device *device, const cls_program *program) {
    static char log[1 << 16];
    build_info ask = NULL;
    *(void **)&ask = dlsym(RTLD_NEXT, "clGetProgramBuildInfo");
    ran_facts *facts = ran_lock();
    size_t bytes = 0;
    if (ask && !facts->wrong[0] &&
        ask(program->handle, cls_opencl_of(device)->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, &bytes) ==
            CL_SUCCESS) {
        log[bytes < sizeof log ? bytes : sizeof log - 1] = '\0';
        if (strstr(log, "warning")) {
            fprintf(stderr, "%s.cl with \"%s\":\n%s\n", program->name, program->options, log);
            (void)snprintf(facts->wrong, sizeof facts->wrong,
                           "a kernel is to build without a warning, but %.60s.cl with \"%.200s\" does not",
                           program->name, program->options);
        }
    }
    ran_unlock();
}

WRAPS(clsolve_status, cls_opencl_kernel_create,
      (cls_device * device, cls_program *program, const char *name, cls_kernel **kernel)) {
    if (program && program->handle) note_warnings(device, program);
    return __real_cls_opencl_kernel_create(device, program, name, kernel);
}

/* Where a kernel does not build, a method may take another. It must not do so because OpenCL's compiler was not told of a
 * function (cmake/FewBuiltins.awk). */
static void note_unknown(const cls_device *device, const char *name) {
    static const char *const signs[] = {"undeclared identifier '_cl_", "implicit declaration of",
                                        "no matching function", "is ambiguous"}; /* _cl_ is PoCL's */
    ran_facts *facts = ran_lock();
    for (size_t s = 0; s < sizeof signs / sizeof *signs; s++)
        if (!facts->wrong[0] && strstr(device->error->text, signs[s])) {
            fprintf(stderr, "%s\n", device->error->text);
            (void)snprintf(facts->wrong, sizeof facts->wrong,
                           "kernels are to call what OpenCL has, but in %.60s.cl the compiler found \"%s\"", name,
                           signs[s]);
        }
    ran_unlock();
}

WRAPS(clsolve_status, cls_program_get,
      (cls_device * device, const char *name, const char *options, cls_program **program)) {
    clsolve_status status = __real_cls_program_get(device, name, options, program);
    if (status == CLSOLVE_ERROR_BUILD && device->error) note_unknown(device, name);
    return status;
}

/* ---- handles ---- */

static const char *precision_name(clsolve_type asked, clsolve_type factors) {
    if (asked == CLSOLVE_F64 && factors == CLSOLVE_F32) return "mixed";
    return asked == CLSOLVE_F64 ? "double" : "single";
}

static void note_precision(clsolve_type asked, clsolve_type factors) {
    ran_facts *facts = ran_lock();
    ran_note(&facts->precisions, precision_name(asked, factors));
    ran_unlock();
}

/* `asked`: the panel of the options; `bound`: the library documents that it chooses another here. */
static void note_panel(clsolve_panel asked, const char *used, int bound) {
    const char *wanted = asked == CLSOLVE_PANEL_NATIVE ? "native" : asked == CLSOLVE_PANEL_HYBRID ? "hybrid" : used;
    ran_facts *facts = ran_lock();
    ran_note(&facts->panels, used);
    if (!bound && wanted[0] != used[0] && !facts->wrong[0])
        (void)snprintf(facts->wrong, sizeof facts->wrong, "a handle's options ask for %s panels, but it had %s ones",
                       wanted, used);
    ran_unlock();
}

static void note_pivoting(const clsolve_lu *lu) {
    ran_facts *facts = ran_lock();
    ran_note(&facts->pivotings, lu->lu.rbt.on ? "rbt" : "partial");
    ran_unlock();
}

WRAPS(void, clsolve_lu_destroy, (clsolve_lu * lu)) {
    if (lu && lu->lu.n > 0 && (lu->it.direct.factored || lu->it.pending_factor)) {
        /* Out of core a device that works in the host's memory has native panels, whatever was asked for. */
        int bound = lu->lu.out.slab > 0 && lu->it.head.context->device->info.host_memory;
        note_precision(lu->it.direct.type, lu->lu.type);
        note_panel(lu->options.panel, lu->lu.panel.hybrid ? "hybrid" : "native", bound);
        note_pivoting(lu);
    }
    __real_clsolve_lu_destroy(lu);
}

WRAPS(void, clsolve_cholesky_destroy, (clsolve_cholesky * cholesky)) {
    if (cholesky && cholesky->factors.n > 0 && cholesky->it.direct.factored) {
        /* Several slabs, or a window, are no matrix for LAPACK. */
        note_precision(cholesky->it.direct.type, cholesky->factors.type);
        note_panel(cholesky->options.panel, cholesky->factors.A.mapped ? "hybrid" : "native",
                   cholesky->factors.A.slabs > 1 || cholesky->factors.out.slab > 0);
    }
    __real_clsolve_cholesky_destroy(cholesky);
}

WRAPS(void, clsolve_ldl_destroy, (clsolve_ldl * ldl)) {
    if (ldl && ldl->factors.n > 0 && ldl->it.direct.factored) {
        note_precision(ldl->it.direct.type, ldl->factors.type);
        note_panel(ldl->options.panel, ldl->factors.A.mapped ? "hybrid" : "native", 0);
    }
    __real_clsolve_ldl_destroy(ldl);
}

WRAPS(clsolve_status, cls_rectangle_factor, (cls_rectangle * job, const clsolve_matrix *A, int64_t *ipiv)) {
    clsolve_status status = __real_cls_rectangle_factor(job, A, ipiv);
    if (status >= CLSOLVE_OK && A->rows > 0 && A->cols > 0 && !job->device->no_kernels) {
        note_precision(A->type, A->type);
        note_panel(job->options->panel, job->panel, 0);
    }
    return status;
}

WRAPS(void, clsolve_band_destroy, (clsolve_band * band)) {
    if (band && band->it.shape.n > 0 && band->it.direct.factored) {
        note_precision(band->it.direct.type, band->band.type);
        note_panel(band->options.panel, band->band.way->name, 0);
    }
    __real_clsolve_band_destroy(band);
}

WRAPS(clsolve_status, clsolve_band_batch_create,
      (clsolve_context * context, int64_t n, int64_t kl, int64_t ku, int64_t count, clsolve_type type,
       const clsolve_band_batch_options *options, clsolve_band_batch **batch)) {
    clsolve_status status = __real_clsolve_band_batch_create(context, n, kl, ku, count, type, options, batch);
    if (status == CLSOLVE_OK) note_precision(type, type);
    return status;
}

WRAPS(void, clsolve_gauss_jordan_destroy, (clsolve_gauss_jordan * handle)) {
    if (handle) note_precision(handle->gj.type, handle->gj.type);
    __real_clsolve_gauss_jordan_destroy(handle);
}

WRAPS(clsolve_status, clsolve_gauss_jordan_batch_create,
      (clsolve_context * context, int64_t n, int64_t count, clsolve_type type,
       const clsolve_gauss_jordan_batch_options *options, clsolve_gauss_jordan_batch **batch)) {
    clsolve_status status = __real_clsolve_gauss_jordan_batch_create(context, n, count, type, options, batch);
    if (status == CLSOLVE_OK) note_precision(type, type);
    return status;
}

WRAPS(void, clsolve_block_gs_destroy, (clsolve_block_gs * handle)) {
    if (handle) note_precision(handle->bt.grid.type, handle->bt.grid.type);
    __real_clsolve_block_gs_destroy(handle);
}
