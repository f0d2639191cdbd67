/* study_gauss_jordan.h: the published Gauss-Jordan schemes on an OpenCL device, for comparison: see study_gauss_jordan.cl. */
#ifndef CLSOLVE_BENCH_STUDY_GAUSS_JORDAN_H
#define CLSOLVE_BENCH_STUDY_GAUSS_JORDAN_H

#include <stdint.h>

typedef enum gj_study_scheme { STUDY_MODEL_1, STUDY_MODEL_2, STUDY_UNSTABLE } gj_study_scheme;

typedef struct gj_study gj_study;

/* On the first OpenCL device of that name, of that platform; NULL and a comment line of the table when it cannot be had. */
gj_study *gj_study_open(const char *device, const char *platform);
void gj_study_close(gj_study *s);

/*
 * AB (n x (n+1), row-major) is copied up and X (n) receives the solution. *computed: seconds on the device; the return
 * value: those and the copy of the solution back. Below 0: failed.
 */
double gj_study_solve(gj_study *s, gj_study_scheme scheme, int64_t n, const double *AB, double *X, double *computed);

#endif
