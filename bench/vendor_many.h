/* vendor_many.h: cusolverMgGetrf, which factors over several GPUs, loaded at run time as vendor.h's libraries are. */
#ifndef CLSOLVE_BENCH_VENDOR_MANY_H
#define CLSOLVE_BENCH_VENDOR_MANY_H

#include <stdint.h>

enum { VENDOR_MANY_DEVICES = 8 };

/*
 * Dgetrf and Dgetrs over the CUDA devices of these numbers: A (n x n) is on them before the clock runs, b (n) becomes x.
 * seconds[0] of the factorization, [1] of a solve, b on the devices too. Returns 0 when it failed, and *why says why.
 */
int vendor_many_lu(const int *devices, int count, int64_t n, const double *A, double *b, double seconds[2],
                   const char **why);

#endif
