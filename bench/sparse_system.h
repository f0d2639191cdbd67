/* sparse_system.h: sparse systems by name, for clsolve-bench and for the program of the peers. */
#ifndef BENCH_SPARSE_SYSTEM_H
#define BENCH_SPARSE_SYSTEM_H

#include <stdint.h>

/* Compressed rows, indices from 0, columns ascending. */
typedef struct sparse_system {
    int n, symmetric, positive; /* positive: definite too */
    int *start, *column;
    double *value, *b;
} sparse_system;

/*
 *      poisson2d:K         five-point operator on K x K points
 *      poisson3d:K         seven-point operator on K x K x K points
 *      convection2d:K, convection3d:K    the same with a first derivative: not symmetric
 *      elasticity3d:K      linear elasticity of a beam of 4 K x K x K cubes, clamped at one end: 3 unknowns a point
 *      stokes3d:K          a saddle point: flow through K x K x K cells, velocities on faces and a pressure in each cell
 *      circuit:N           a random network of N nodes with a power law of degrees, voltage sources and controlled sources
 *      FILE.mtx            a real Matrix Market file
 * 0: no such system, or no memory.
 */
int sparse_system_make(const char *name, sparse_system *system);
void sparse_system_free(sparse_system *system);

/* ||b - A x|| / (||A|| ||x|| + ||b||) in infinity norms. */
double sparse_system_error(const sparse_system *system, const double *x);

#endif
