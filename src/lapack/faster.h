/*
 * faster.h (private): which calls the device is expected to do faster, by the library's model of the time (transfers
 * both ways and the state of the kernels included), and then by what calls took (measured.h). All functions are called
 * under `inside`.
 */
#ifndef CLS_LAPACK_FASTER_H
#define CLS_LAPACK_FASTER_H

#include "lapack/call.h"

/* A smaller order is no reason to look for a device: no GPU is faster there. */
enum { LAPACK_LOOK_ORDER = 64 };

/* Sets `least` of each kind and type from the model, unless CLSOLVE_LAPACK_MIN did. */
void cls_lapack_tabulate(void);

/* Compiles the kernels of the kind and type and tabulates again. */
void cls_lapack_compile(lapack_kind kind, clsolve_type type, const lapack_wanted *wanted);

/* 1: the device is expected to be faster, or it is tried; class_key: as in measured.h. */
int cls_lapack_is_faster(const lapack_call *call, const lapack_shape *shape, uint32_t class_key);

/* 1: the kernels of the kind and type are not compiled yet. 0: they are, or they do not compile. */
int cls_lapack_lacks_kernels(lapack_kind kind, clsolve_type type);

#endif
