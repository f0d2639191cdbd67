/*
 * band.h: Cholesky factorization of a symmetric, of complex elements hermitian, positive definite band: what LAPACK's
 * pbtrf and pbtrs do.
 *
 *     on the host      few diagonals by loops, as in method/band/few.h; more of them by LAPACK    band_host.c
 *     on a device      by the blocks and kernels of a dense matrix, in a band's storage           band_device.c
 *
 * On both sides it is L, in the lower form, that is kept. A device that works in the host's memory is the host here.
 */
#ifndef CLS_CHOLESKY_BAND_H
#define CLS_CHOLESKY_BAND_H

#include <clsolve/band_cholesky.h>

#include "method/cholesky/cholesky.h"
#include "method/direct/direct.h"

typedef struct cls_band_cholesky {
    cls_device *device;
    clsolve_type type;   /* of the factors */
    int64_t n, k, given; /* diagonals below the main one, at most n - 1; as the caller gives them */
    clsolve_uplo uplo;   /* of the caller's next matrix */

    void *L; /* in the host's memory: k + 1 rows by n columns, LAPACK's lower form; else NULL */

    /* On a device. */
    cls_cholesky core;
    clsolve_cholesky_options options; /* of `core` */
    cls_kernel *take;
    cls_buffer *chunk; /* some columns of the caller's matrix on their way */
    void *lines;       /* as many on the host, in the type of the factors: of a copy, and for the factor's way down */
    int64_t columns;   /* so many; on the host all n */
} cls_band_cholesky;

/* Element (j + d, j) of the lower triangle lies at first + j * column + d * down of a caller's array. */
typedef struct cls_band_triangle {
    void *data;
    int64_t first, column, down;
    int conjugate;
} cls_band_triangle;

/* ---- band_table.c ---- */

/* `band` is zeroed memory, and stays where it is, as `options` do. On failure the caller still calls cls_direct_release
 * and then cls_band_cholesky_release. */
clsolve_status cls_band_cholesky_setup(cls_device *device, int64_t n, int64_t k, clsolve_type type,
                                       const clsolve_band_cholesky_options *options, cls_band_cholesky *band,
                                       cls_direct *direct);
void cls_band_cholesky_release(cls_band_cholesky *band);

/* The factor of A itself, in the caller's form on the host: given + 1 rows by n columns, in the type of the factors in
 * use. Elements outside of the matrix stay. OVERFLOW as cls_cholesky_out_of_range. */
clsolve_status cls_band_cholesky_export(const cls_direct *direct, const char *call, clsolve_uplo uplo,
                                        const clsolve_matrix *F);

/* ---- band_form.c ---- */

cls_band_triangle cls_band_triangle_of(const cls_band_cholesky *band, clsolve_uplo uplo, const clsolve_matrix *m);

/* cls_direct_ops.copy: both triangles, for residuals. */
clsolve_status cls_band_cholesky_copy(cls_direct *direct, const clsolve_matrix *A, int scale);

/* Columns begin .. begin + cols - 1 of a copy of A, scaled as it says: k + 1 rows of the lower form in the type of the
 * factors, zeros outside of the matrix. */
void cls_band_cholesky_pack(const cls_band_cholesky *band, const cls_copy *copy, int64_t begin, int64_t cols, void *to);

/* ---- band_host.c, band_device.c: the memory of the factors, and of cls_direct_ops what its names say ---- */

clsolve_status cls_band_cholesky_host_setup(cls_band_cholesky *band);
clsolve_status cls_band_cholesky_host_factor(cls_direct *direct, const clsolve_matrix *A, int *again);
clsolve_status cls_band_cholesky_host_solve(void *factors, clsolve_op op, int64_t cols, double *x);
clsolve_status cls_band_cholesky_host_unrefined(cls_direct *direct, clsolve_op op, const clsolve_matrix *B,
                                                cls_place *in, cls_place *out);

/* `beside`: device memory of the handle's other factors. */
clsolve_status cls_band_cholesky_device_setup(cls_band_cholesky *band, int64_t beside);
void cls_band_cholesky_device_release(cls_band_cholesky *band);
clsolve_status cls_band_cholesky_device_factor(cls_direct *direct, const clsolve_matrix *A, int *again);
clsolve_status cls_band_cholesky_device_solve(void *factors, clsolve_op op, int64_t cols, double *x);
cls_sides cls_band_cholesky_device_sides(void *factors, int64_t cols);

/* The caller's triangle to where the factors are: direct->measures and ->largest. */
clsolve_status cls_band_cholesky_host_take(cls_direct *direct, const clsolve_matrix *A);
clsolve_status cls_band_cholesky_device_take(cls_direct *direct, const clsolve_matrix *m);
void cls_band_cholesky_host_determinant(const cls_band_cholesky *b, cls_growth *growth);

/* Factors the matrix of `copy`, or with NULL the one that is there. */
clsolve_status cls_band_cholesky_host_run(cls_band_cholesky *band, const cls_copy *copy, int64_t *info,
                                          cls_growth *growth);
clsolve_status cls_band_cholesky_device_run(cls_band_cholesky *band, const cls_copy *copy, int64_t *info,
                                            cls_growth *growth);

/* Columns begin .. begin + cols - 1 of L as it was factored, no more than band->columns, come to band->lines: k + 1
 * rows each. */
clsolve_status cls_band_cholesky_device_lines(cls_band_cholesky *band, int64_t begin, int64_t cols);

#endif
