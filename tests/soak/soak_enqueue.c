/* soak_enqueue.c: dense LU and Gauss-Jordan on the caller's own OpenCL context and queue: matrices in the caller's
 * buffers, enqueued calls. */
#include <clsolve/opencl.h>

#include "api/context.h"
#include "base/type.h"
#include "blas/blas.h"
#include "soak/soak.h"
#include "support/opencl_caller.h"

/* The caller's side, made when it is first needed. */
static struct {
    char selector[sizeof((clsolve_device_info *)0)->selector];
    cl_context cl;
    cl_device_id id;
    cl_command_queue queue;
    clsolve_context *context;
} caller;

typedef struct enqueue_task {
    soak *s;
    int64_t n, nrhs, rounds;
    clsolve_type type;
    clsolve_lu_options o;
    clsolve_lu *lu;
    clsolve_gauss_jordan *jordan; /* one of the two */
    clsolve_op op;
    soak_array *A, *B;
    int wait, synchronous;
    double *values;
} enqueue_task;

/* The device of the soak, by the name that the library gives it. */
static cl_device_id find_device(const clsolve_device_info *info) {
    cl_platform_id platforms[16];
    cl_uint count = 0;
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return NULL;
    for (cl_uint p = 0; p < count && p < 16; p++) {
        cl_device_id ids[16];
        cl_uint devices = 0;
        char platform[256] = "";
        (void)clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof platform, platform, NULL);
        if (strcmp(platform, info->platform) != 0) continue;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, ids, &devices) != CL_SUCCESS) continue;
        for (cl_uint d = 0; d < devices && d < 16; d++) {
            char name[256] = "";
            (void)clGetDeviceInfo(ids[d], CL_DEVICE_NAME, sizeof name, name, NULL);
            if (strstr(name, info->name)) return ids[d];
        }
    }
    return NULL;
}

static int64_t buffers_left; /* in contexts that were closed */

static void close_caller(void) {
    if (caller.context) buffers_left += test_buffers(caller.context->device);
    clsolve_context_destroy(caller.context);
    if (caller.queue) (void)clReleaseCommandQueue(caller.queue);
    if (caller.cl) (void)clReleaseContext(caller.cl);
    memset(&caller, 0, sizeof caller);
}

static int open_caller(const clsolve_device_info *info) {
    cl_int code = CL_SUCCESS;
    if (caller.context && strcmp(caller.selector, info->selector) == 0) return 1;
    if (caller.context) close_caller(); /* another device's turn */
    memcpy(caller.selector, info->selector, sizeof caller.selector);
    caller.id = strcmp(info->backend, "opencl") == 0 ? find_device(info) : NULL;
    if (!caller.id) return 0;
    caller.cl = clCreateContext(NULL, 1, &caller.id, NULL, NULL, &code);
    if (caller.cl) caller.queue = clCreateCommandQueue(caller.cl, caller.id, 0, &code);
    if (code != CL_SUCCESS) return 0;
    return clsolve_context_create_opencl(caller.cl, caller.id, caller.queue, NULL, &caller.context) == CLSOLVE_OK;
}

void soak_enqueue_close(int64_t *left) {
    close_caller();
    *left = buffers_left;
    buffers_left = 0;
}

/* ---- the call: arrays up, factor and solve enqueued, arrays back ---- */

static cl_mem up(const soak_array *a) {
    cl_int code = CL_SUCCESS;
    return clCreateBuffer(caller.cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, (size_t)a->bytes, a->memory, &code);
}

/* All of it, what is around the elements too. */
static void down(soak_array *a, cl_mem memory) {
    (void)clEnqueueReadBuffer(caller.queue, memory, CL_TRUE, 0, (size_t)a->bytes, a->memory, 0, NULL, NULL);
    (void)clReleaseMemObject(memory);
}

static clsolve_matrix view(const soak_array *a, cl_mem memory) {
    int64_t before = ((const char *)a->data - (const char *)a->memory) / cls_type_size(a->type);
    return clsolve_opencl_matrix(a->type, a->layout, a->d[0], a->d[1], a->ld, memory, before);
}

static clsolve_status enqueue(enqueue_task *t, const clsolve_matrix *a, clsolve_matrix *b) {
    cl_event factored = NULL, solved = NULL;
    clsolve_status status = clsolve_lu_factor_enqueue(t->lu, a, EVENTS(0, NULL, &factored));
    if (status != CLSOLVE_OK) {
        soak_wrong(t->s, "enqueueing a factorization gave %s", clsolve_status_name(status));
        return status;
    }
    status = clsolve_lu_solve_enqueue(t->lu, t->op, b, EVENTS(t->wait ? 1 : 0, t->wait ? &factored : NULL, &solved));
    if (status == CLSOLVE_OK && !solved) soak_wrong(t->s, "there is no event of an enqueued solve");
    if (status == CLSOLVE_OK) status = clsolve_lu_status(t->lu);
    if (solved) (void)clReleaseEvent(solved);
    if (factored) (void)clReleaseEvent(factored);
    return status;
}

static clsolve_status enqueue_jordan(enqueue_task *t, const clsolve_matrix *a, clsolve_matrix *b) {
    cl_event solved = NULL;
    clsolve_status status = clsolve_gauss_jordan_solve_enqueue(t->jordan, t->op, a, b, EVENTS(0, NULL, &solved));
    if (status != CLSOLVE_OK) soak_wrong(t->s, "enqueueing a system gave %s", clsolve_status_name(status));
    if (status == CLSOLVE_OK && !solved) soak_wrong(t->s, "there is no event of an enqueued system");
    if (status == CLSOLVE_OK) status = clsolve_gauss_jordan_status(t->jordan);
    if (solved) (void)clReleaseEvent(solved);
    return status;
}

static clsolve_status call_both(void *task) {
    enqueue_task *t = task;
    cl_mem am = up(t->A), bm = up(t->B);
    clsolve_matrix a = view(t->A, am), b = view(t->B, bm);
    clsolve_status status;
    if (t->jordan) {
        status = t->synchronous ? clsolve_gauss_jordan_solve(t->jordan, t->op, &a, &b) : enqueue_jordan(t, &a, &b);
    } else if (t->synchronous) {
        status = clsolve_lu_factor(t->lu, &a);
        if (status == CLSOLVE_OK) status = clsolve_lu_solve(t->lu, t->op, &b);
    } else {
        status = enqueue(t, &a, &b);
    }
    (void)clFinish(caller.queue);
    down(t->A, am);
    down(t->B, bm);
    return status;
}

/* ---- the family ---- */

static void *begin(soak *s) {
    enqueue_task *t = soak_task(s, sizeof *t);
    if (!open_caller(&s->device)) {
        soak_say(s, " no OpenCL device");
        return t;
    }
    s->context = caller.context;
    t->type = soak_type(s);
    if (!s->device.fp64) t->type = cls_single_type(t->type); /* without double A in double stays on the host */
    t->n = soak_size(s, 400);
    t->rounds = soak_between(s, 1, 4);
    t->o.panel = (clsolve_panel)soak_between(s, 0, cls_in_place(s->context->device) ? 2 : 1);
    t->o.rcond = soak_one_in(s, 6);
    t->o.equilibrate = soak_one_in(s, 6);
    t->values = soak_elements(t->type, t->n * t->n);
    if (soak_one_in(s, 3)) {
        soak_say(s, " Gauss-Jordan n %d;", (int)t->n);
        soak_expect(s, "create", clsolve_gauss_jordan_create(s->context, t->n, t->type, NULL, &t->jordan), CLSOLVE_OK,
                    CLSOLVE_OK);
        return t;
    }
    soak_say(s, " n %d panel %d rcond %d equilibrate %d;", (int)t->n, (int)t->o.panel, (int)t->o.rcond,
             (int)t->o.equilibrate);
    soak_expect(s, "create", clsolve_lu_create(s->context, t->n, t->type, &t->o, &t->lu), CLSOLVE_OK, CLSOLVE_OK);
    return t;
}

static int step(soak *s, void *task) {
    enqueue_task *t = task;
    int64_t at = 0;
    if ((!t->lu && !t->jordan) || s->wrong[0]) return 0;
    t->nrhs = soak_nrhs(s);
    t->op = soak_op(s, t->type);
    t->wait = soak_one_in(s, 2);
    t->synchronous = soak_one_in(s, 4);
    soak_say(s, " nrhs %d op %d wait %d synchronous %d", (int)t->nrhs, (int)t->op, t->wait, t->synchronous);
    soak_kind kind = soak_dense(s, t->type, t->n, t->values, &at);
    /* Gauss-Jordan is forward stable only, and does not look at A where there is nothing to solve. */
    if (t->jordan && (kind == SOAK_RANDOM || t->nrhs == 0 || t->n == 0))
        soak_dense_of(s, kind = SOAK_PERMUTED, t->type, t->n, t->values, &at);
    clsolve_status due = CLSOLVE_OK;
    if (kind == SOAK_NONFINITE) due = CLSOLVE_ERROR_NONFINITE;
    if (kind == SOAK_ZERO_COLUMN || kind == SOAK_ZERO_ROW) due = CLSOLVE_SINGULAR;
    SCRATCH double *b = soak_elements(t->type, t->n * t->nrhs), *x = soak_elements(t->type, t->n * t->nrhs);
    t->A = soak_matrix(s, t->type, t->n, t->n);
    t->B = soak_matrix(s, t->type, t->n, t->nrhs);
    soak_fill(s, t->type, b, t->n * t->nrhs);
    soak_put(t->A, t->values);
    soak_put(t->B, b);
    if (kind == SOAK_NONFINITE) soak_poison(s, t->A);
    t->B->use = SOAK_RESULT;
    clsolve_status status = soak_call_unharmed(s, "factor and solve", call_both, t);
    soak_expect(s, "factor and solve", status, due, due);
    if (status == CLSOLVE_OK) {
        soak_get(t->B, x);
        soak_check_solution(s, t->type, t->op, t->n, t->nrhs, t->values, x, b);
    }
    soak_drop(s, t->A);
    soak_drop(s, t->B);
    return --t->rounds > 0;
}

static void end(soak *s, void *task) {
    SCRATCH enqueue_task *t = task;
    (void)s;
    clsolve_lu_destroy(t->lu);
    clsolve_gauss_jordan_destroy(t->jordan);
    free(t->values);
}

const soak_family soak_enqueue = {"enqueue", begin, step, end};
