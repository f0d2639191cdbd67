/*
 * builtin_test.c: products with a known result, by which kernels are tried before they are used. In the queue BESIDE:
 * what the caller has enqueued in COMPUTE may wait for what the caller does next. That holds through OpenCL; through
 * CUDA giving the buffers back waits for all queues, and clsolve/cuda.h says so.
 */
#include "blas/builtin.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"

/* The place of an operand: a multiple of 8 elements, or of none. */
static cls_ref place(cls_buffer *buffer, int odd) {
    cls_ref ref = {buffer, odd ? 3 : 8, odd ? CLS_TEST_LD - 3 : CLS_TEST_LD};
    return ref;
}

/* Whole numbers in float times 2^power, or such ones back; exactly. */
static void scale_floats(float *x, int power) {
    for (int64_t at = 0; at < CLS_TEST_ROOM; at++) x[at] = (float)ldexp((double)x[at], power);
}

static clsolve_status try_product(cls_device *device, cls_kernel *kernel, const cls_builtin_form *form, cls_product *p,
                                  void *host, int *right) {
    enum { SMALLEST = 149 }; /* 2^-149 is the smallest float */
    const cls_device_ops *ops = device->ops;
    const size_t bytes = (size_t)(CLS_TEST_ROOM * cls_type_size(p->type));
    const cls_rect rect = {bytes, 1, 0, bytes, bytes};
    const int trans[3] = {p->op_a != CLSOLVE_NO_TRANS, p->op_b != CLSOLVE_NO_TRANS, 0};
    cls_ref *const refs[3] = {&p->A, &p->B, &p->C};
    clsolve_status status = CLSOLVE_OK;

    for (int b = 0; b < 3; b++) *refs[b] = place(NULL, form->odd);
    for (int b = 0; b < 3; b++) {
        CLS_TRY_GOTO(status, ops->buffer_create(device, bytes, &refs[b]->buffer), end);
        cls_builtin_test_fill(host, p->type, *refs[b], trans[b], b == 0);
        if (form->tiny && b != 1) scale_floats(host, -SMALLEST);
        CLS_TRY_GOTO(status, ops->write(device, CLS_BESIDE, refs[b]->buffer, host, &rect, NULL, NULL), end);
        CLS_TRY_GOTO(status, ops->finish(device, CLS_BESIDE), end);
    }
    CLS_TRY_GOTO(status, form->launch(device, kernel, form->how, p), end);
    CLS_TRY_GOTO(status, ops->read(device, CLS_BESIDE, p->C.buffer, host, &rect, NULL, NULL), end);
    CLS_TRY_GOTO(status, ops->finish(device, CLS_BESIDE), end);
    if (form->tiny) scale_floats(host, SMALLEST);
    *right = cls_builtin_test_right(host, p->type, p->C);
end:
    for (int b = 0; b < 3; b++) ops->buffer_destroy(device, refs[b]->buffer);
    return status;
}

clsolve_status cls_builtin_test(cls_device *device, cls_kernel *kernel, const cls_builtin_form *form, int *right) {
    const cls_counters before = device->counters; /* what the test moves is no caller's */
    cls_product p = {.options = cls_blas_in(CLS_BESIDE),
                     .type = form->type,
                     .op_a = form->op_a,
                     .op_b = form->op_b,
                     .alpha = -1,
                     .beta = 1};
    void *host = cls_alloc(CLS_TEST_ROOM, sizeof(double));

    *right = 0;
    if (!host) return cls_fail(device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory to test a kernel with");
    p.m = CLS_TEST_M;
    p.n = CLS_TEST_N;
    p.k = CLS_TEST_K;
    clsolve_status status = try_product(device, kernel, form, &p, host, right);
    device->counters = before;
    cls_free(host);
    return status;
}

clsolve_status cls_builtin_test_once(cls_device *device, cls_kernel *kernel, const cls_builtin_form *form, int *right) {
    enum { RIGHT = 1, WRONG = 2 };
    char name[448];
    (void)snprintf(name, sizeof name, "%s %s %s%s", form->kernel, cls_type_option(form->type), form->options,
                   form->tiny ? " tiny" : "");
    const int known = device->ops->recall(device, name);
    *right = known == RIGHT;
    if (known == RIGHT || known == WRONG) return CLSOLVE_OK;
    CLS_TRY(cls_builtin_test(device, kernel, form, right));
    device->ops->remember(device, name, *right ? RIGHT : WRONG);
    return CLSOLVE_OK;
}

clsolve_status cls_builtin_tested(cls_device *device, const cls_builtin_form *form, cls_kernel **slot, int *fails) {
    const cls_error before = *device->error;
    cls_kernel *kernel = NULL;
    int right = 0;
    clsolve_status status = cls_builtin_kernel(device, &kernel, form->kernel, form->kernel, form->type, form->options);
    if (device->announcing) return status;
    if (status == CLSOLVE_OK) status = cls_builtin_test_once(device, kernel, form, &right);
    if (status == CLSOLVE_OK && right) {
        *slot = kernel;
        return CLSOLVE_OK;
    }
    device->ops->kernel_destroy(device, kernel);
    if (status == CLSOLVE_ERROR_BUILD || status == CLSOLVE_ERROR_DEVICE) {
        *device->error = before; /* another product serves: the refusal is no message of the caller's */
        status = CLSOLVE_OK;
    }
    *fails |= status == CLSOLVE_OK;
    return status;
}
