/* study_block_gs.cl: a red-black sweep as published: a work-item a line, of M points, its factors in private arrays. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#ifndef M
#define M 16
#endif

__kernel void sweep(__global const double *A, __global const double *a, __global const double *c,
                    __global const double *b, __global const double *B, __global const double *F, __global double *Y,
                    int N, int colour) {
    int i = 2 * (int)get_global_id(0) + colour;
    double alpha[M + 2], beta[M + 2];
    if (i >= N) return;
    for (int k = 0; k < M; ++k) {
        long o = (long)i * M + k;
        double f = F[o], lower = k > 0 ? a[o] : 0, upper = k < M - 1 ? b[o] : 0;
        if (i > 0) f -= A[o] * Y[o - M];
        if (i < N - 1) f -= B[o] * Y[o + M];
        double below = c[o] + (k > 0 ? lower * alpha[k] : 0);
        alpha[k + 1] = -upper / below;
        beta[k + 1] = (f - (k > 0 ? lower * beta[k] : 0)) / below;
    }
    double y = 0;
    for (int k = M - 1; k >= 0; --k) Y[(long)i * M + k] = y = alpha[k + 1] * y + beta[k + 1];
}
