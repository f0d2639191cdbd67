/* small_support.h: what the programs share that run kernels on small matrices. */
#ifndef CLSOLVE_TEST_SMALL_SUPPORT_H
#define CLSOLVE_TEST_SMALL_SUPPORT_H

#include "blas/blas_support.h"

#include "lu/ratios.h"
#include "method/lu/lu.h"

extern cls_device *small_device; /* between small_open and small_close, set-up and tear-down of a group */

int small_open(void **state);
int small_close(void **state);

double *small_doubles(int64_t count); /* zeros, for free() */
int small_has(clsolve_type type);     /* the device has it */

/* To and from the first columns of a matrix on the device, whose transposition lu has. */
void small_up(cls_lu *lu, const test_matrix *from, const cls_matrix *to);
void small_down(cls_lu *lu, const cls_matrix *from, const test_matrix *to);

#endif
