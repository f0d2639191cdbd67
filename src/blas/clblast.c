/*
 * clblast.c: BLAS for devices with memory of their own. CLBlast multiplies, except where the built-in kernel reaches a
 * matrix unit (builtin_mma.c) or the built-in portable product was measured to be faster (builtin_tiled.c). Complex
 * matrices go through those products of real ones too (builtin_complex.c). The triangular solve is built in, because
 * CLBlast's works in steps of 16 rows and makes the host wait after each.
 *
 * CLBlast's cache of programs is the process's own, not ours: two facts follow.
 *
 *   - Its first use from two threads at once fails now and then (calls return errors or wrong results), so every call
 *     goes through one mutex. It only enqueues, so that costs little. This and the two counts that the mutex guards
 *     are the only state that devices share.
 *
 *   - The cache keys programs by the address of their cl_context. A program in it holds a reference to its context,
 *     so that address cannot come to mean another context while the entry lives: a stale entry is never hit. But the
 *     contexts of destroyed devices would stay alive with it, hundreds of megabytes each on some drivers. CLBlast can
 *     only drop all at once, and then devices still in use compile again. So all is dropped when the last device that
 *     used CLBlast goes, or when DEAD_LIMIT have gone since the last time. A call that is under way in code that is
 *     not ours holds its program by a shared pointer and is not disturbed.
 */
#define _POSIX_C_SOURCE 200809L

#include "blas/builtin.h"
#include "device/opencl/opencl.h"

#include <pthread.h>

#include <clblast_c.h>

enum { DEAD_LIMIT = 8 };

static pthread_mutex_t clblast_mutex = PTHREAD_MUTEX_INITIALIZER;
static int devices_alive, devices_dead; /* that used CLBlast; dead: since its cache was last cleared */

static void release(cls_device *device) {
    if (!device->blas->state) return;
    device->blas->state = NULL;
    (void)pthread_mutex_lock(&clblast_mutex);
    devices_alive--;
    devices_dead++;
    if (devices_alive == 0 || devices_dead >= DEAD_LIMIT) {
        (void)CLBlastClearCache();
        devices_dead = 0;
    }
    (void)pthread_mutex_unlock(&clblast_mutex);
}

static CLBlastTranspose trans_of(clsolve_op op) {
    return op == CLSOLVE_NO_TRANS ? CLBlastTransposeNo
           : op == CLSOLVE_TRANS  ? CLBlastTransposeYes
                                  : CLBlastTransposeConjugate;
}

/* In CLBlast's words, for the four types alike. */
#define CLBLAST_GEMM(Name, alpha, beta)                                                                                \
    CLBlast##Name##gemm(CLBlastLayoutColMajor, ta, tb, (size_t)p->m, (size_t)p->n, (size_t)p->k, alpha,                \
                        p->A.buffer->memory, (size_t)p->A.offset, (size_t)p->A.ld, p->B.buffer->memory,                \
                        (size_t)p->B.offset, (size_t)p->B.ld, beta, p->C.buffer->memory, (size_t)p->C.offset,          \
                        (size_t)p->C.ld, queue, NULL)

static CLBlastStatusCode multiply(const cls_product *p, cl_command_queue *queue) {
    const CLBlastTranspose ta = trans_of(p->op_a), tb = trans_of(p->op_b);
    const float alpha = (float)p->alpha, beta = (float)p->beta;
    switch (p->type) {
    case CLSOLVE_F32:
        return CLBLAST_GEMM(S, alpha, beta);
    case CLSOLVE_C32:
        return CLBLAST_GEMM(C, ((cl_float2){{alpha, 0}}), ((cl_float2){{beta, 0}}));
    case CLSOLVE_C64:
        return CLBLAST_GEMM(Z, ((cl_double2){{p->alpha, 0}}), ((cl_double2){{p->beta, 0}}));
    case CLSOLVE_F64:
        break;
    }
    return CLBLAST_GEMM(D, p->alpha, p->beta);
}

/* CLBlast's alone. It refuses empty matrices, BLAS does not. */
static clsolve_status plain(cls_device *base, const cls_product *p) {
    cls_opencl *device = cls_opencl_of(base);
    if (p->m == 0 || p->n == 0) return CLSOLVE_OK;
    if (p->k == 0 || p->alpha == 0) return cls_scale(base, p->options.queue, p->type, p->m, p->n, p->beta, p->C);
    (void)pthread_mutex_lock(&clblast_mutex);
    if (!base->blas->state) {
        base->blas->state = &clblast_mutex; /* any mark that the device is counted */
        devices_alive++;
    }
    const CLBlastStatusCode code = multiply(p, &device->queues[p->options.queue]);
    (void)pthread_mutex_unlock(&clblast_mutex);
    if (code != CLBlastSuccess) return cls_opencl_fail(base->error, (cl_int)code, "CLBlast gemm");
    base->counters.launches++;
    return CLSOLVE_OK;
}

static clsolve_status gemm(cls_device *device, const cls_product *p) {
    int right = 0;
    if (p->m > 0 && p->n > 0 && p->k > 0 && p->alpha != 0) {
        if (cls_builtin_complex_suits(device, p)) return cls_builtin_complex(device, p);
        if (cls_builtin_mma_takes(device, p)) CLS_TRY(cls_builtin_mma(device, p, &right));
        if (!right && cls_builtin_tiled_suits(device, p)) CLS_TRY(cls_builtin_tiled(device, p, &right));
        if (right) return CLSOLVE_OK;
    }
    if (device->announcing) return CLSOLVE_OK; /* CLBlast compiles at its first call */
    return plain(device, p);
}

const cls_blas_provider cls_blas_clblast = {
    "CLBlast", INT64_MAX, 0, 0, gemm, cls_builtin_trsm, cls_builtin_triangle, NULL, NULL, release};
const cls_blas_provider cls_blas_clblast_alone = {"CLBlast",        INT64_MAX, 0,    0,    plain,
                                                  cls_builtin_trsm, NULL,      NULL, NULL, release};
