/*
 * study_lu.cl: the kernels of two published OpenCL schemes of LU, the baselines of the dense LU table: the textbook one
 * with three matrices and branches, and the one that travels less and has none. Plain OpenCL C in double; matrices of
 * order m, column-major. Step i of either factors column i and then updates what is right of it and below.
 *
 *     factors   l_ri = a_ri / a_ii
 *     update    a_rc = a_rc - l_ri u_ic
 *
 * Work-items: one a row (factors) or one an element (update: dimension 0 along rows, so that neighbours touch
 * neighbouring words). No local memory. The global size is m exactly.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* Branches keep what is finished; U's row is written here too. */
__kernel void plain_factors(__global const double *a, __global double *l, __global double *u, int i, int m) {
    const size_t n = get_global_id(0), order = (size_t)m, step = (size_t)i;
    if (n > step) l[n + step * order] = a[n + step * order] / a[step + step * order];
    if (n == step) l[n + step * order] = 1;
    if (n >= step) u[step + n * order] = a[step + n * order];
}

__kernel void plain_update(__global double *a, __global const double *l, __global const double *u, int i, int m) {
    const size_t row = get_global_id(0), column = get_global_id(1), order = (size_t)m, step = (size_t)i;
    if (row > step && column > step) a[row + column * order] -= l[row + step * order] * u[step + column * order];
}

/* Every element is computed; the host keeps those that mean something. */
__kernel void reduced_factors(__global double *column, double pivot) {
    column[get_global_id(0)] /= pivot;
}

__kernel void reduced_update(__global double *a, __global const double *factors, __global const double *pivot_row,
                             int m) {
    a[get_global_id(0) + get_global_id(1) * (size_t)m] -= factors[get_global_id(0)] * pivot_row[get_global_id(1)];
}
