/*
 * out_of_core.h: what dense factorizations of matrices larger than the device share: the factors lie in the host's
 * memory, the device has a window of one slab of columns on them, and one or two block columns stream by.
 *
 *             c0    c1
 *      | K=0 | K=1 |  J  |      window: the slab J, on which the method works, or right-hand sides
 *      |     |     |     |      streams: block columns of the slabs K, one on its way while one is in use
 *
 * Memory. The factors are pageable (they may be most of the host's memory, too much to pin). Copies go through the
 * device layer's pinned slots where the device is behind a bus; the host packs the next block column there while the
 * device computes with the one before. Slabs themselves go up and down with nothing computed meanwhile.
 *
 * The method (method/lu, method/cholesky) fills the first part, and cls_out_setup does the rest.
 */
#ifndef CLS_OUT_OF_CORE_H
#define CLS_OUT_OF_CORE_H

#include <clsolve/report.h>

#include "blas/blas.h"
#include "device/matrix.h"
#include "method/check.h"
#include "method/transfer.h"

/* The most columns of one product: the workspace that a BLAS provider may take for itself stays small. */
enum { CLS_OUT_COLUMNS = 2048 };

typedef struct cls_out cls_out;
struct cls_out {
    /* The method's. */
    cls_device *device;
    const char *what; /* in messages: "an LU" */
    void *owner;      /* first argument of the functions that work with block columns and right-hand sides */
    cls_uplo lower;   /* the lower half of the factors: LOWER_UNIT for A = L U, LOWER for A = L L^H */
    clsolve_type type;
    int64_t n;
    cls_matrix *window;
    cls_transfer *transfer;
    cls_check *check;
    /* Moves rows of B's first `cols` columns as the slab at j has moved its own, or back. NULL: none have moved. */
    clsolve_status (*move)(void *owner, int64_t j, const cls_matrix *B, int64_t cols, int reverse);

    /* Chosen. */
    int64_t block;   /* columns that stream by at once; the window has a multiple of them */
    int64_t slab;    /* columns in the window; 0: all is in core */
    int64_t streams; /* one or two */

    /* While it factors. */
    int64_t window_begin, window_end; /* the slab in the window */
    clsolve_progress progress;        /* the caller's; NULL: none */
    void *progress_user;

    void *host;            /* the factors, n x n, column-major, ld n, in pageable memory */
    cls_buffer *stream[2]; /* n x block, or block x n */
    cls_event *up[2];      /* the block column has come */
    cls_event *used[2];    /* the work that uses it is done */

    /* The block columns that stream by. */
    cls_uplo half;
    int backward;
    int64_t next, end; /* the column at which the next one begins, of 0 .. end-1 */
    int64_t turn;      /* so many have been used */
};

/* ---- memory.c ---- */

/* The device's memory that is left for matrices, as far as its driver says; `limit`: the caller's, or 0; `taken` of it
 * is no more there. */
int64_t cls_out_left(cls_device *device, int64_t limit, int64_t taken);

typedef struct cls_out_room {
    int64_t limit;         /* the caller's bound on the device memory, or 0 */
    int64_t beside, taken; /* of it: other factors of the handle; what these have taken */
    int64_t slab_bytes;    /* the window's slabs have so many at most; 0: the device's own limit */
    double in_core;        /* bytes by which the matrix would be held in core */
} cls_out_room;

/* Chooses block, slab and streams, and takes the window, the streams and the host's memory. `block` is wanted, a
 * multiple of `leaf`. On failure the caller still calls cls_out_release, and destroys the window. */
clsolve_status cls_out_setup(cls_out *out, const cls_out_room *room, int64_t block, int64_t leaf);

/* ---- host.c ---- */

void cls_out_release(cls_out *out); /* a zeroed one is fine; not the window */

/* The host's memory of the factors as a matrix that is mapped (mapped.h): what is written there can be factored in
 * place. It lives as long as `out`. */
cls_matrix cls_out_matrix(cls_out *out);
/* The same as the view of a caller's matrix. */
clsolve_matrix cls_out_view(const cls_out *out);

/* The caller's columns begin .. begin+cols-1 to and from the first columns of the window. Either layout. */
clsolve_status cls_out_fetch(cls_out *out, const clsolve_matrix *view, int64_t begin, int64_t cols);
clsolve_status cls_out_store(cls_out *out, const clsolve_matrix *view, int64_t begin, int64_t cols);

/* ---- stream.c ---- */

/* The slab that begins with that column is the next one in the window. */
void cls_out_turn(cls_out *out, int64_t begin);
/* A part of this slab's work is done. */
void cls_out_tell(const cls_out *out, double part);

/*
 * That half of the block columns in 0 .. end-1 streams by, from the left or (`backward`) from the right: read; take and
 * leave for each; end with the status so far, which it returns. Work that is enqueued in COMPUTE between take and leave
 * may use the block column. In core `end` does no more.
 *
 *      half     its rows          *at
 *      lower    j .. n-1          element (j, j)
 *      upper    0 .. j+width-1    element (0, j)
 */
clsolve_status cls_out_stream_read(cls_out *out, cls_uplo half, int64_t end, int backward);
clsolve_status cls_out_stream_take(cls_out *out, cls_ref *at);
clsolve_status cls_out_stream_leave(cls_out *out);
clsolve_status cls_out_stream_end(cls_out *out, clsolve_status status);
/* cls_columns_ops.used (columns.h): those before the window are left, and the progress is told. */
clsolve_status cls_out_stream_used(cls_out *out, int64_t c, int64_t k);

/* ---- solve.c ---- */

/*
 * B becomes op(A)^-1 B, as many columns at a time as the window has. Is there a NaN or Inf, `in` B or `to` of X,
 * then B is as it was.
 */
clsolve_status cls_out_solve(cls_out *out, clsolve_op op, const clsolve_matrix *B, clsolve_seconds *seconds,
                             cls_place *in, cls_place *to);
/* The same of tight doubles, n x cols, whatever the type: NaN where anything of B or X is none. */
clsolve_status cls_out_solve_vectors(cls_out *out, clsolve_op op, int64_t cols, double *x);

#endif
