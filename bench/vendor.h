/*
 * vendor.h: what NVIDIA's own libraries take for the same systems: cuSOLVER, cuBLAS and cuSPARSE, loaded at run time from
 * where the device layer finds its own, so that clsolve-bench starts without them. On one CUDA device, in any type. Each call
 * works from host memory to host memory and returns those seconds; *device becomes those between the copies, of batches
 * with the copy of their infos. Below 0: it
 * failed, and vendor_message says why.
 */
#ifndef CLSOLVE_BENCH_VENDOR_H
#define CLSOLVE_BENCH_VENDOR_H

#include <stdint.h>

#include <clsolve/matrix.h>

typedef struct vendor vendor;

/* On CUDA device number `device`; NULL: not here, see vendor_message. */
vendor *vendor_open(int device);
void vendor_close(vendor *v);
const char *vendor_message(void);

/* getrf and getrs of cuSOLVER: A is n x n, b (n) becomes x. *device: of the factorization alone, or of both. */
double vendor_lu(vendor *v, clsolve_type type, int64_t n, const void *A, void *b, int both, double *device);

/* potrf and potrs of the lower triangle: b (n) becomes x. *device: of the factorization alone. */
double vendor_cholesky(vendor *v, clsolve_type type, int64_t n, const void *A, void *b, double *device);

/* sytrf of the lower triangle, and LAPACK's sytrs on the host: the seconds end before the latter. *device: of sytrf. */
double vendor_ldl(vendor *v, clsolve_type type, int64_t n, const void *A, void *b, double *device);

/* getrf, and getrs on the unit matrix: X (n x n) becomes the inverse. */
double vendor_inverse(vendor *v, clsolve_type type, int64_t n, const void *A, void *X, double *device);

/* cuBLAS: matinvBatched up to n = 32, beyond it getrfBatched and getriBatched. `count` matrices one behind the other. */
double vendor_batched(vendor *v, clsolve_type type, int64_t n, int64_t count, const void *A, void *X, double *device);
/* The same for Cholesky factorizations and a solve with each; *device: the factorizations. */
double vendor_cholesky_batch(vendor *v, clsolve_type type, int64_t n, int64_t count, const void *A, void *b,
                             double *device);
/* cuBLAS's getrfBatched, and getrsBatched: b becomes the solutions. *device: the factorizations, with `solves` both. */
double vendor_lu_batch(vendor *v, clsolve_type type, int64_t n, int64_t count, const void *A, void *b, int solves,
                       double *device);
/* The same of members on the device, `calls` times enqueued before a wait, then with a solve behind each: the seconds of one, and in
 * *both of one with its solve. */
double vendor_batch_there(vendor *v, int is_cholesky, clsolve_type type, int64_t n, int64_t count, int calls,
                          const void *A, void *b, double *both);

/* cuSPARSE's gtsv2StridedBatch: `count` systems of m unknowns, a, c, b the three diagonals; f becomes the solution. */
double vendor_lines(vendor *v, clsolve_type type, int64_t m, int64_t count, const void *a, const void *c, const void *b,
                    void *f, double *device);

#endif
