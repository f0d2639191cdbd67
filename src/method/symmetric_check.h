/*
 * symmetric_check.h: whether a matrix that lies on the device is one for Cholesky or LDL^T: symmetric, of complex
 * elements hermitian or symmetric. One launch of cl/symmetric_check.cl and a word that comes back.
 */
#ifndef CLS_METHOD_SYMMETRIC_CHECK_H
#define CLS_METHOD_SYMMETRIC_CHECK_H

#include <clsolve/factorization.h>

#include "device/device.h"

/* The kernel for one type on one device. A zeroed one is made at the first check, and is valid to destroy. */
typedef struct cls_symmetric_checker {
    cls_kernel *kernel;
    cls_buffer *record;  /* a word: the mark of the last check that found a difference */
    int64_t tile, lines; /* the work-group: tile x lines */
    uint32_t mark;       /* of the last check: another one each time, so that nothing clears the record */
    int unusable;        /* 1: the kernel does not build here, or is wrong: it is not tried again */
} cls_symmetric_checker;

/* Makes one, unless it is made; before the first use on a device and driver the kernel answers for matrices that are
 * known. UNSUPPORTED where it is wrong, or the device has no double. On failure the checker has nothing to destroy. */
clsolve_status cls_symmetric_checker_make(cls_device *device, clsolve_type type, cls_symmetric_checker *checker);
void cls_symmetric_checker_destroy(cls_device *device, cls_symmetric_checker *checker);

/* Compares a square view on the device, not empty, by the checker that is made here where it is not yet. The host waits
 * for the compute queue. `symmetry`: the one that a complex A is to have; `positive`: 1: the diagonal is to be
 * positive too. *symmetric is 0 on failure. */
clsolve_status cls_symmetric_check(cls_device *device, const clsolve_matrix *A, clsolve_symmetry symmetry, int positive,
                                   cls_symmetric_checker *checker, int *symmetric);

#endif
