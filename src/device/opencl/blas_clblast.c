/*
 * blas_clblast.c: BLAS for devices with memory of their own. The product is CLBlast's; the triangular solve is
 * ours, because CLBlast's works in steps of 16 rows and makes the host wait after each.
 *
 * Triangular solve. T is halved until a block has at most 32 rows; that block is solved by cl/trsm.cl, and one gemm
 * takes the solved half out of the other:
 *
 *     forward (lower, or upper transposed)      backward (upper, or lower transposed)
 *
 *       [ T11      ] [ X1 ]   [ B1 ]              [ T11 T12 ] [ X1 ]   [ B1 ]
 *       [ T21  T22 ] [ X2 ] = [ B2 ]              [     T22 ] [ X2 ] = [ B2 ]
 *       X1 first, B2 -= T21 X1, then X2           X2 first, B1 -= T12 X2, then X1
 *
 * Halving gives as many gemms as stepping by 32 would, but most of the work lies in large ones. Nothing here waits.
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

#include <pthread.h>

#include <clblast_c.h>

enum { BLOCK = 32, COLUMNS = 64, DEAD_LIMIT = 8 }; /* the first two as in cl/trsm.cl */

static pthread_mutex_t clblast_mutex = PTHREAD_MUTEX_INITIALIZER;
static int devices_alive, devices_dead; /* that used CLBlast; dead: since its cache was last cleared */

void cls_opencl_clblast_release(cls_opencl *device) {
    for (int t = 0; t < 2; t++) {
        cls_opencl_kernel_destroy(&device->base, device->own.scale[t]);
        cls_opencl_kernel_destroy(&device->base, device->own.trsm[t]);
    }
    if (!device->own.counted) return;
    (void)pthread_mutex_lock(&clblast_mutex);
    devices_alive--;
    devices_dead++;
    if (devices_alive == 0 || devices_dead >= DEAD_LIMIT) {
        (void)CLBlastClearCache();
        devices_dead = 0;
    }
    (void)pthread_mutex_unlock(&clblast_mutex);
}

static clsolve_status own_kernel(cls_device *device, cls_kernel **slot, const char *file, const char *name,
                                 clsolve_type type) {
    if (*slot) return CLSOLVE_OK;
    cls_program *program = NULL;
    CLS_TRY(device->ops->program_get(device, file, cls_type_option(type), &program));
    return device->ops->kernel_create(device, program, name, slot);
}

static int type_index(clsolve_type type) {
    return type == CLSOLVE_F64;
}

static size_t rounded_up(int64_t value, int64_t unit) {
    return (size_t)((value + unit - 1) / unit * unit);
}

static CLBlastTranspose trans_of(clsolve_op op) {
    return op == CLSOLVE_TRANS ? CLBlastTransposeYes : CLBlastTransposeNo;
}

static clsolve_status gemm(cls_device *base, clsolve_type type, clsolve_op op_a, clsolve_op op_b, int64_t m, int64_t n,
                           int64_t k, double alpha, cls_ref A, cls_ref B, double beta, cls_ref C) {
    cls_opencl *device = cls_opencl_of(base);
    /* CLBlast refuses empty matrices, BLAS does not. */
    if (m == 0 || n == 0) return CLSOLVE_OK;
    if (k == 0 || alpha == 0) return cls_blas_scale(base, device->own.scale, type, m, n, beta, C);
    CLBlastTranspose ta = trans_of(op_a), tb = trans_of(op_b);
    size_t sm = (size_t)m, sn = (size_t)n, sk = (size_t)k;
    cl_command_queue *queue = &device->queues[CLS_COMPUTE];
    CLBlastStatusCode code;
    (void)pthread_mutex_lock(&clblast_mutex);
    if (!device->own.counted) {
        device->own.counted = true;
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

/* ---- the triangular solve ---- */

typedef struct solve {
    cls_device *device;
    clsolve_type type;
    cls_uplo uplo;
    clsolve_op op;
    int64_t n;
    cls_kernel *kernel;
} solve;

static bool is_forward(const solve *s) {
    return (s->uplo == CLS_LOWER_UNIT) == (s->op == CLSOLVE_NO_TRANS);
}

/* m <= BLOCK */
static clsolve_status solve_block(const solve *s, int64_t m, cls_ref T, cls_ref B) {
    int32_t order = (int32_t)m, backward = !is_forward(s);
    int32_t trans = s->op == CLSOLVE_TRANS, unit = s->uplo == CLS_LOWER_UNIT;
    cls_arg args[] = {CLS_VALUE(order),     CLS_VALUE(s->n),      CLS_VALUE(backward), CLS_VALUE(trans),
                      CLS_VALUE(unit),      CLS_BUFFER(T.buffer), CLS_VALUE(T.offset), CLS_VALUE(T.ld),
                      CLS_BUFFER(B.buffer), CLS_VALUE(B.offset),  CLS_VALUE(B.ld)};
    cls_grid grid = {{rounded_up(s->n, COLUMNS), 1, 1}, {COLUMNS, 1, 1}};
    return s->device->ops->launch(s->device, CLS_COMPUTE, s->kernel, &grid, args, 11, NULL, NULL);
}

/* B(to) -= op(T)(to, from) X(from), the block of op(T) that lies off its diagonal. */
static clsolve_status update(const solve *s, int64_t to, int64_t rows, int64_t from, int64_t inner, cls_ref T,
                             cls_ref B) {
    cls_ref block = s->op == CLSOLVE_TRANS ? cls_ref_at(T, from, to) : cls_ref_at(T, to, from);
    return gemm(s->device, s->type, s->op, CLSOLVE_NO_TRANS, rows, s->n, inner, -1.0, block, cls_ref_at(B, from, 0),
                1.0, cls_ref_at(B, to, 0));
}

/* The depth is log2(m / 32). */
static clsolve_status solve_halves(const solve *s, int64_t m, cls_ref T, cls_ref B) {
    if (m <= BLOCK) return solve_block(s, m, T, B);
    int64_t top = (m / 2 + BLOCK - 1) / BLOCK * BLOCK, bottom = m - top;
    cls_ref T22 = cls_ref_at(T, top, top), B2 = cls_ref_at(B, top, 0);
    if (is_forward(s)) {
        CLS_TRY(solve_halves(s, top, T, B));
        CLS_TRY(update(s, top, bottom, 0, top, T, B));
        return solve_halves(s, bottom, T22, B2);
    }
    CLS_TRY(solve_halves(s, bottom, T22, B2));
    CLS_TRY(update(s, 0, top, top, bottom, T, B));
    return solve_halves(s, top, T, B);
}

static clsolve_status trsm(cls_device *device, clsolve_type type, cls_uplo uplo, clsolve_op op, int64_t m, int64_t n,
                           cls_ref T, cls_ref B) {
    if (m == 0 || n == 0) return CLSOLVE_OK;
    cls_kernel **kernel = &cls_opencl_of(device)->own.trsm[type_index(type)];
    CLS_TRY(own_kernel(device, kernel, "trsm", "trsm", type));
    solve s = {device, type, uplo, op, n, *kernel};
    return solve_halves(&s, m, T, B);
}

const cls_blas cls_opencl_blas_clblast = {"CLBlast", INT64_MAX, 0, gemm, trsm};
