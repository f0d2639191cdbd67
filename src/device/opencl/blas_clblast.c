/*
 * blas_clblast.c: BLAS for devices with memory of their own. The product is CLBlast's, but where the device has a
 * matrix unit that our own kernel reaches (own_mma.c), and where our portable one was measured faster; the
 * triangular solve is ours, because CLBlast's works in steps of 16 rows and makes the host wait after each.
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

#include "device/opencl/opencl.h"
#include "device/own.h"

#include <pthread.h>

#include <clblast_c.h>

enum { DEAD_LIMIT = 8 };

static pthread_mutex_t clblast_mutex = PTHREAD_MUTEX_INITIALIZER;
static int devices_alive, devices_dead; /* that used CLBlast; dead: since its cache was last cleared */

void cls_opencl_clblast_release(cls_opencl *device) {
    if (!device->clblast_counted) return;
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
    return op == CLSOLVE_TRANS ? CLBlastTransposeYes : CLBlastTransposeNo;
}

/* CLBlast's alone. It refuses empty matrices, BLAS does not. */
static clsolve_status plain(cls_device *base, clsolve_type type, clsolve_op op_a, clsolve_op op_b, int64_t m, int64_t n,
                            int64_t k, double alpha, cls_ref A, cls_ref B, double beta, cls_ref C) {
    cls_opencl *device = cls_opencl_of(base);
    if (m == 0 || n == 0) return CLSOLVE_OK;
    if (k == 0 || alpha == 0) return cls_own_scale(base, type, m, n, beta, C);
    CLBlastTranspose ta = trans_of(op_a), tb = trans_of(op_b);
    size_t sm = (size_t)m, sn = (size_t)n, sk = (size_t)k;
    cl_command_queue *queue = &device->queues[base->blas_queue];
    CLBlastStatusCode code;
    (void)pthread_mutex_lock(&clblast_mutex);
    if (!device->clblast_counted) {
        device->clblast_counted = true;
        devices_alive++;
    }
    if (type == CLSOLVE_F64)
        code = CLBlastDgemm(CLBlastLayoutColMajor, ta, tb, sm, sn, sk, alpha, A.buffer->memory, (size_t)A.offset,
                            (size_t)A.ld, B.buffer->memory, (size_t)B.offset, (size_t)B.ld, beta, C.buffer->memory,
                            (size_t)C.offset, (size_t)C.ld, queue, NULL);
    else
        code = CLBlastSgemm(CLBlastLayoutColMajor, ta, tb, sm, sn, sk, (float)alpha, A.buffer->memory, (size_t)A.offset,
                            (size_t)A.ld, B.buffer->memory, (size_t)B.offset, (size_t)B.ld, (float)beta,
                            C.buffer->memory, (size_t)C.offset, (size_t)C.ld, queue, NULL);
    (void)pthread_mutex_unlock(&clblast_mutex);
    if (code != CLBlastSuccess) return cls_opencl_fail(base->error, (cl_int)code, "CLBlast gemm");
    base->counters.launches++;
    return CLSOLVE_OK;
}

static clsolve_status gemm(cls_device *base, clsolve_type type, clsolve_op op_a, clsolve_op op_b, int64_t m, int64_t n,
                           int64_t k, double alpha, cls_ref A, cls_ref B, double beta, cls_ref C) {
    const cls_product p = {type, op_a, op_b, m, n, k, alpha, beta, A, B, C};
    int right = 0;
    if (m > 0 && n > 0 && k > 0 && alpha != 0) {
        if (cls_own_mma_takes(base, &p)) CLS_TRY(cls_own_mma(base, &p, &right));
        if (!right && cls_own_tiled_suits(base, &p)) CLS_TRY(cls_own_tiled(base, &p, &right));
        if (right) return CLSOLVE_OK;
    }
    return plain(base, type, op_a, op_b, m, n, k, alpha, A, B, beta, C);
}

const cls_blas cls_opencl_blas_clblast = {"CLBlast", INT64_MAX, 0, 0, gemm, cls_own_trsm};
const cls_blas cls_opencl_blas_clblast_alone = {"CLBlast", INT64_MAX, 0, 0, plain, cls_own_trsm};
