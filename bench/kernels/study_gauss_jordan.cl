/*
 * study_gauss_jordan.cl: the schemes of two published studies, for comparison only.
 *
 * Gauss-Jordan en GPU (COMTEL 2012): (A|B) by rows, n x (n+1), a work-item a row, a launch a pivot, no pivoting. There
 * every work-item normalises the pivot's row in place while others read it; here each makes the quotient for itself, the
 * same reads and divisions without the race, so that the answer can be checked before its time is told.
 *
 * S. Tasior, Parallel Gauss-Jordan elimination through trace theory (2025), first version: the multiplier is M_ii / M_ji and
 * the whole row j is scaled by it. Elements grow or vanish by a quotient with every pivot.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* Model 1, down: rows below p, columns from p on. */
__kernel void forward(__global double *AB, long n, long p) {
    long r = (long)get_global_id(0), width = n + 1;
    if (r <= p || r >= n) return;
    double factor = AB[r * width + p], pivot = AB[p * width + p];
    for (long j = p; j <= n; ++j) AB[r * width + j] -= factor * (AB[p * width + j] / pivot);
}

/* Model 1, up: only the pivot's column and the last one are not zero. */
__kernel void backward(__global double *AB, long n, long p) {
    long r = (long)get_global_id(0), width = n + 1;
    if (r >= p) return;
    AB[r * width + n] -= AB[r * width + p] * (AB[p * width + n] / AB[p * width + p]);
    AB[r * width + p] = 0;
}

/* Model 2: all rows but p. */
__kernel void both(__global double *AB, long n, long p) {
    long r = (long)get_global_id(0), width = n + 1;
    if (r == p || r >= n) return;
    double factor = AB[r * width + p], pivot = AB[p * width + p];
    for (long j = p; j <= n; ++j) AB[r * width + j] -= factor * (AB[p * width + j] / pivot);
}

__kernel void extract(__global const double *AB, long n, __global double *X) {
    long r = (long)get_global_id(0);
    if (r < n) X[r] = AB[r * (n + 1) + n] / AB[r * (n + 1) + r];
}

/* The unstable operations A, B and C; D and E are extract's division. Dimension 0: columns, 1: rows. */
__kernel void unstable_a(__global const double *M, long n, long i, __global double *a) {
    long j = (long)get_global_id(0);
    if (j < n && j != i) a[j] = M[i * (n + 1) + i] / M[j * (n + 1) + i];
}

__kernel void unstable_b(__global double *M, long n, long i, __global const double *a) {
    long k = (long)get_global_id(0) % (n + 1), j = (long)get_global_id(0) / (n + 1);
    if (j < n && j != i) M[j * (n + 1) + k] *= a[j];
}

__kernel void unstable_c(__global double *M, long n, long i) {
    long k = (long)get_global_id(0) % (n + 1), j = (long)get_global_id(0) / (n + 1);
    if (j < n && j != i) M[j * (n + 1) + k] -= M[i * (n + 1) + k];
}
