/*
 * clsolve.h: the whole public interface of libclsolve: linear systems on any OpenCL device, and on NVIDIA's
 * GPUs through CUDA too.
 *
 * Read status.h and matrix.h first (what calls return, how a matrix is described), then context.h (the device),
 * then the header of the method: lu.h, gauss_jordan.h, block_tridiag.h, or solve.h for one call that does it all.
 * tune.h fits the matrix product to a device.
 */
#ifndef CLSOLVE_CLSOLVE_H
#define CLSOLVE_CLSOLVE_H

#include <clsolve/band.h>
#include <clsolve/band_batch.h>
#include <clsolve/batch.h>
#include <clsolve/block_tridiag.h>
#include <clsolve/context.h>
#include <clsolve/gauss_jordan.h>
#include <clsolve/lu.h>
#include <clsolve/matrix.h>
#include <clsolve/report.h>
#include <clsolve/solve.h>
#include <clsolve/status.h>
#include <clsolve/tune.h>
#include <clsolve/version.h>

#endif
