/*
 * narrow.h: bands of few diagonals: kernels of their own, unblocked, for one matrix as a way of clsolve_band
 * (narrow_way.c) and for many at once (batch.c). Storage is gbtrf's everywhere, in LAPACK's own form after the
 * factorization.
 */
#ifndef CLS_BAND_NARROW_H
#define CLS_BAND_NARROW_H

#include "method/band/band.h"

/* kl + ku of the widest band that counts as narrow: its window of (kl + 1) (kl + ku + 1) doubles fits 48 KB. */
enum { CLS_NARROW_DIAGONALS = 64 };

/* ---- the kernels of one shape: narrow_kernels.c ---- */

typedef struct cls_narrow {
    cls_device *device;
    clsolve_type type;
    int64_t n, kl, ku, count;
    int item;              /* a work-item a matrix (cl/band_narrow_item.cl), else a work-group (cl/band_narrow.cl) */
    int interleaved;       /* item: element e of matrix m at m + e * count, else at m * member + e */
    int64_t x, y;          /* the work-group; of items x in a row */
    int64_t rows_a_launch; /* so that no launch gets too long */
    cls_kernel *factor, *sweep;
    cls_kernel *in, *out; /* of a batch; else NULL */
} cls_narrow;

/* The buffers of `count` matrices, with their pivots and infos. */
typedef struct cls_narrow_data {
    cls_buffer *AB;     /* a(i,j) at row top + i - j of column j; zero where A has nothing */
    int64_t top;        /* at least kl + ku, or n - 1 */
    int64_t ld, member; /* elements between columns, and between matrices where they are not interleaved */
    cls_buffer *ipiv;   /* n a matrix, int64, from 1 */
    cls_buffer *info;   /* an int64 each: set where it is 0 and a pivot is, to the column from 1 */
} cls_narrow_data;

/* Is the band narrow, and does the device have the local memory for it? */
int cls_narrow_fits(const cls_device *device, clsolve_type type, int64_t kl, int64_t ku);

/* Chooses the kernels' form for `count` matrices and builds them; a batch's too where `batch`. `narrow` is zeroed
 * memory; on failure the caller still calls release. */
clsolve_status cls_narrow_create(cls_device *device, int64_t n, int64_t kl, int64_t ku, clsolve_type type,
                                 int64_t count, int batch, cls_narrow *narrow);
void cls_narrow_release(cls_narrow *narrow);

/* Told after each launch that is enqueued: rows up to `done` are in it. */
typedef clsolve_status (*cls_narrow_tell)(void *user, int64_t done);

/* All enqueue. */
clsolve_status cls_narrow_factor(cls_narrow *narrow, const cls_narrow_data *data, cls_narrow_tell tell, void *user);
/* op(A)^-1 on `columns` right-hand sides of each matrix at B: offset, ld and elements between matrices as for AB. */
clsolve_status cls_narrow_solve(cls_narrow *narrow, const cls_narrow_data *data, clsolve_op op, int64_t columns,
                                cls_ref B, int64_t b_member);

/* ---- one matrix: narrow_way.c ---- */

/* Is a band of this order, of kl and ku as used, factored that way where the caller asks for no other? `bytes`: of its
 * window, which is to be one buffer of no more than slab_bytes (0: the device's limit). */
int cls_band_narrow_wanted(const cls_device *device, clsolve_type type, int64_t n, int64_t kl, int64_t ku,
                           int64_t slab_bytes);
/* The kernels into band->own. */
clsolve_status cls_band_narrow_setup(cls_band *band);
extern const cls_band_way cls_band_narrow;

#endif
