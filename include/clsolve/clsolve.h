/*
 * clsolve.h: the whole public interface of libclsolve: linear systems on any OpenCL device, and on NVIDIA's GPUs
 * through CUDA too.
 *
 * The headers in reading order:
 *
 *   status.h               the status that every call returns
 *   matrix.h               views of dense matrices
 *   csr.h                  views of sparse matrices
 *   batch.h                views of many small matrices
 *   context.h              the device
 *   report.h               the report of a handle
 *   enqueue.h              what enqueueing calls wait for, and their contract, for programs with opencl.h or cuda.h
 *   factorization.h        panel, precision and pivoting, which several families share
 *   lu.h                   dense LU
 *   lu_batch.h             LU of many matrices
 *   cholesky.h             dense Cholesky, of a symmetric positive definite matrix
 *   cholesky_batch.h       Cholesky of many matrices
 *   ldl.h                  dense LDL^T, of a symmetric or hermitian indefinite matrix
 *   ldl_batch.h            LDL^T of many matrices
 *   gauss_jordan.h         inverse, many right-hand sides
 *   gauss_jordan_batch.h   inverses of many small matrices, and their systems
 *   band.h                 LU of a band matrix
 *   band_cholesky.h        Cholesky of a band matrix
 *   band_batch.h           LU of many band matrices
 *   tridiagonal_batch.h    many tridiagonal systems
 *   block_gs.h             5-point operators on grids
 *   grid_slab.h            the steps of these on a slab of lines, for grids over several devices
 *   solve.h                any matrix, dense or sparse: chooses the method
 *   sparse.h               a sparse matrix of any pattern
 *   sparse_batch.h         many sparse matrices of one pattern
 *   tune.h                 parameters of the matrix product for a device
 *
 *   version.h              the version of the library
 *
 * Two more headers, for programs that use OpenCL or CUDA themselves, include this one:
 *
 *   opencl.h             the caller's context, queue, buffers and events
 *   cuda.h               the caller's stream, device memory and events
 */
#ifndef CLSOLVE_CLSOLVE_H
#define CLSOLVE_CLSOLVE_H

#include <clsolve/status.h>
#include <clsolve/matrix.h>
#include <clsolve/csr.h>
#include <clsolve/batch.h>
#include <clsolve/context.h>
#include <clsolve/report.h>
#include <clsolve/enqueue.h>
#include <clsolve/factorization.h>
#include <clsolve/lu.h>
#include <clsolve/lu_batch.h>
#include <clsolve/cholesky.h>
#include <clsolve/cholesky_batch.h>
#include <clsolve/ldl.h>
#include <clsolve/ldl_batch.h>
#include <clsolve/gauss_jordan.h>
#include <clsolve/gauss_jordan_batch.h>
#include <clsolve/band.h>
#include <clsolve/band_batch.h>
#include <clsolve/band_cholesky.h>
#include <clsolve/tridiagonal_batch.h>
#include <clsolve/block_gs.h>
#include <clsolve/grid_slab.h>
#include <clsolve/solve.h>
#include <clsolve/sparse.h>
#include <clsolve/sparse_batch.h>
#include <clsolve/tune.h>
#include <clsolve/version.h>

#endif
