/*
 * study.h: the two schemes of a published study of LU in OpenCL, as baselines, in plain OpenCL as a program would have
 * it. Partial pivoting, the forward and the backward substitution are the host's in both.
 *
 *   plain     before each of the two kernels of a step A, L and U (m^2 elements each) go to the device, after it they
 *             come back: 12 m^2 elements a step
 *   reduced   kernel 1 gets a column and returns it; kernel 2 gets A, the column of factors and the pivot's row, and
 *             returns A: 2 m^2 elements a step and a few vectors
 */
#ifndef CLSOLVE_BENCH_STUDY_H
#define CLSOLVE_BENCH_STUDY_H

#include <stdint.h>

#include <clsolve/context.h>

typedef struct study study;

typedef enum study_scheme { STUDY_PLAIN, STUDY_REDUCED } study_scheme;

/* The cl_device_id that clsolve calls `device`; NULL: OpenCL has none of that name. */
void *study_find_device(const clsolve_device_info *device);

/* Opens the device that clsolve calls `device` and builds the kernels. NULL: study_message says why. */
study *study_open(const clsolve_device_info *device);
void study_close(study *s);

/*
 * A x = b for one right-hand side: A is n x n, column-major, ld = n, and is overwritten; b becomes x. 0, or -1 and
 * study_message.
 */
int study_solve(study *s, study_scheme scheme, int64_t n, double *A, double *b);

/* Why the last call failed; static text of the driver's call. */
const char *study_message(void);

/* The seconds that the study reports, on a Core i5 760 and a Barts Pro GPU. */
typedef struct study_row {
    int64_t n;
    double cpu_plain, cpu_reduced, gpu_plain, gpu_reduced;
} study_row;

/* NULL where the study has no such size. */
const study_row *study_published(int64_t n);

#endif
