/*
 * band.h: LU with partial pivoting of a band matrix, by block columns: LAPACK's gbtrf on a storage in which every block
 * of the algorithm is an ordinary dense one.
 *
 * Storage. Column j of the window holds a(i,j) at physical row top + i - j, so a step of one column to the right along
 * a row of the matrix is ld - 1 elements: every rectangle of the matrix that lies within the stored diagonals is a
 * dense column-major block of leading dimension ld - 1, see cls_band_at. LAPACK's gbtrf keeps the corners of its panel
 * that stick out of the band (A13, A31) in work arrays; here the storage is wider by a block on either side, zero
 * there, and they exist.
 *
 *      top    = kv + block - 1     diagonals kept above the main one, kv = kl + ku of them with something in them
 *      bottom = kl + block - 1     and below it: the panel's swaps move L's rows within the block column
 *
 *                  j      k = j+block     k+kv
 *               j  |  U11  |     U12      |        for each block column:   m = kl + block rows
 *                  |  L11  |              |          1. panel: LU of the m x block block column, rows swapped
 *               k  |-------|--------------|          2. the same swaps right of it
 *                  |  L21  |     A22      |          3. U12 = L11^-1 A12
 *            k+kl  |-------|--------------|          4. A22 = A22 - L21 U12, kl x kv
 *
 * Columns left of the panel are never touched again. Within the block column the rows of L are swapped to its end; the
 * export makes gbtrf's form, which undoes that. So a solve takes swaps and triangles by turns, block by block.
 *
 * The window is a ring of `capacity` columns: column j of the matrix is column j % capacity of it. With capacity >= n
 * the whole band is there; else stream.c brings block columns and takes them away.
 */
#ifndef CLS_BAND_H
#define CLS_BAND_H

#include <clsolve/band.h>

#include "base/clock.h"
#include "device/staging.h"
#include "device/matrix.h"
#include "method/check.h"
#include "method/direct/copy.h"
#include "method/direct/growth.h"
#include "method/entries.h"
#include "method/panel/panel.h"
#include "method/transfer.h"

typedef struct cls_band cls_band;
typedef struct cls_band_stream cls_band_stream; /* stream.h */
typedef struct cls_band_convoy cls_band_convoy; /* source.c */

/* One way to factor and solve a band: by blocks (factor.c, solve.c), or narrow_way.c for few diagonals. */
typedef struct cls_band_way {
    const char *name; /* as the report's `panel` */
    /* Factors band->window in place; ipiv and info into band->panel.ipiv and .info on the device. Enqueues. */
    clsolve_status (*factor)(cls_band *band, const clsolve_band_options *options);
    /* The first `cols` columns of band->B become op(A)^-1 times them. Enqueues. */
    clsolve_status (*apply)(cls_band *band, clsolve_op op, int64_t cols);
    void (*release)(cls_band *band); /* what its setup took; NULL is fine */
} cls_band_way;

/* The matrix as the caller gave it: one of the three. */
typedef struct cls_band_source {
    const clsolve_matrix *view;
    int64_t first;        /* the row of the view in which the topmost diagonal in use lies */
    const cls_copy *copy; /* scaled as it says */
    const cls_entries *entries;
} cls_band_source;

enum { CLS_BAND_RING = 3 }; /* block columns on their way in each direction */

/* A pinned block column and the event after which it is free. */
typedef struct cls_band_slot {
    cls_pinned *pinned;
    void *memory;
    cls_event *busy;
    int64_t j, width; /* what it holds on its way down; width 0: nothing */
} cls_band_slot;

struct cls_band {
    int one_phase; /* the work takes no longer than reads of the clock do: its phases are not told apart */
    cls_device *device;
    clsolve_type type; /* of the factors */
    int64_t n;
    int64_t first;      /* the row of the caller's array in which the topmost diagonal in use lies */
    int64_t diagonal;   /* the row of gbtrf's array, by the caller's kl and ku, in which the main diagonal lies */
    int64_t rows, cols; /* of the caller's matrix: n; or less, of a rectangle that zeros make a square (in_place.h) */
    int64_t kl, ku, kv; /* as used: no more than n - 1 each, kv = min(kl + ku, n - 1) */
    int64_t block;      /* columns in a block; 1 for a way that keeps gbtrf's own form */
    int64_t top;        /* physical row of the main diagonal; bottom = window.rows - 1 - top */
    cls_matrix window;  /* top + 1 + bottom rows, `capacity` columns */
    int64_t capacity;   /* all n, or a multiple of block */

    const cls_band_way *way;
    void *own; /* of the way: its kernels and what it keeps */

    cls_panel panel; /* of `capacity` columns: its pivots and moves count rows and columns from cls_band_lead on */
    cls_kernel *det, *mend;
    cls_transfer transfer;
    int64_t info;           /* the first column without a pivot, from 1, or 0; known after cls_band_factor */
    double unit;            /* the power of two that a tiny A was multiplied by as it was taken; 1 for most */
    cls_measures measures;  /* of A as it was factored */
    cls_growth growth;      /* of the last factorization */
    double det_mantissa[2]; /* the product of the pivots is mantissa * 2^exponent; its real and imaginary part */
    int64_t det_exponent;

    cls_check check; /* of A */
    cls_check after; /* of U and B */
    int64_t chunk;   /* columns that a pinned slot has room for */
    cls_pool *pool;  /* of the device: moves columns from and to pinned memory; NULL: there are few */
    cls_band_slot up[CLS_BAND_RING];
    cls_matrix B, scratch; /* right-hand sides, and the same transposed; grown when more of them come */
    int64_t side_rows;     /* of B: n, or of a window on them, which begins at side_base: see sides.h */
    int64_t side_base;
    void *sides; /* all rows of side_cols of them on the host, then and where they are transposed there */
    int64_t side_cols;
    cls_band_convoy *convoy;    /* while a whole band comes up and is factored; else NULL */
    cls_band_stream *stream;    /* NULL: the band is in the window as a whole */
    const cls_entries *entries; /* of a factorization that runs, whose matrix is sparse; else NULL */
    cls_event *told;            /* how far the progress has been told */
    int64_t above;              /* of a mapped window: diagonals of U above its own, kv or fewer; see growth.c */
    int64_t reached; /* the first column that no row swapped up so far reaches: host panels only, see factor.c */
    void *spare;     /* of a mapped window: room for a panel as it was, see host.c */
    int64_t memory_limit, slab_bytes, base_bytes; /* as in cls_lu */
    int64_t left;                                 /* of the device's memory before anything was taken */
};

/* ---- setup.c ---- */

/* `band` is zeroed memory. `kl` and `ku` as the caller says. On failure the caller still calls cls_band_release. */
clsolve_status cls_band_setup(cls_device *device, int64_t n, int64_t kl, int64_t ku, clsolve_type type,
                              const clsolve_band_options *options, cls_band *band);
void cls_band_release(cls_band *band);

int64_t cls_band_bytes(const cls_band *band); /* device memory held */

/* ---- layout.c ---- */

/* Element (i, j); good for the rows that are stored of each column and the columns up to the end of cls_band_run. ld is
 * the window's less 1. */
cls_ref cls_band_at(const cls_band *band, int64_t i, int64_t j);
/* The same in a mapped window. */
void *cls_band_host(const cls_band *band, int64_t i, int64_t j);
/* How many of the columns j, j+1, ..., limit-1 lie side by side. */
int64_t cls_band_run(const cls_band *band, int64_t j, int64_t limit);
/* The columns j .. j+cols-1, which lie side by side, as a matrix whose rows and columns have the band's numbers less
 * `lead`. */
cls_matrix cls_band_view(const cls_band *band, int64_t j, int64_t cols, int64_t lead);
/* The same memory as it lies: physical rows first .. first+rows-1. */
cls_matrix cls_band_physical(const cls_band *band, int64_t j, int64_t cols, int64_t first, int64_t rows);

/* The width of the block column at j, and the row behind its panel. */
int64_t cls_band_width(const cls_band *band, int64_t j);
int64_t cls_band_below(const cls_band *band, int64_t j);
/* The block column that ends before column `end`. */
int64_t cls_band_before(const cls_band *band, int64_t end);
/* The lead: the state of the block column at j is kept at j - lead, and its numbers of rows and columns are the band's
 * less the lead; 0 where the band is in the window as a whole. */
int64_t cls_band_lead(const cls_band *band, int64_t j);
void cls_band_set_block(cls_band *band, int64_t block);
/* A, as far as is known (of a window nothing is before it has passed), is so small that other methods scale theirs:
 * products want the whole range of the type (cls_blas_options). */
int cls_band_tiny(const cls_band *band);
/* How the band's products run. */
cls_blas_options cls_band_how(const cls_band *band);
/* Reports to the caller's progress that columns up to `done` are factored, when what it was told before is done: the
 * host runs ahead of the device no further than that. */
clsolve_status cls_band_tell(cls_band *band, const clsolve_band_options *options, int64_t done);

/* ---- room.c ---- */

int64_t cls_band_rows(const cls_band *band); /* physical ones, of a column */
int cls_band_fits_as_a_whole(const cls_band *band);
/* band->capacity, band->side_rows, and unless it is `fixed` a smaller band->block where the device has little room. */
clsolve_status cls_band_choose_window(cls_band *band, int fixed, int64_t leaf);
/* Whether memory on the device is counted: right-hand sides are then transposed on the host. */
int cls_band_is_short(const cls_band *band);
/* As many right-hand sides as are solved for at a time when `cols` are wanted. */
int64_t cls_band_most_columns(const cls_band *band, int64_t cols);

/* ---- factor.c ---- */

/*
 * Takes `source` in and factors it. band->measures.row >= 0: it holds NaN or Inf, and there are no factors. *upload
 * receives the seconds that taking it in took, where that is a phase of its own. Waits.
 */
clsolve_status cls_band_factor(cls_band *band, const cls_band_source *source, const clsolve_band_options *options,
                               double *upload);
/* LAPACK's pivots, counted from 1. */
clsolve_status cls_band_pivots(cls_band *band, int64_t *ipiv);
/* The `factor` of the two ways by blocks, see cls_band_way. */
clsolve_status cls_band_factor_blocked(cls_band *band, const clsolve_band_options *options);

/* host.c: panels by LAPACK. The panel at j is factored; what needs it afterwards waits. `ready`: it may be read. */
clsolve_status cls_band_host_panel(cls_band *band, int64_t j, cls_event *ready);

/* ---- source.c ---- */

/* Columns begin .. begin+cols-1 of A times band->unit, kl+ku+1 rows each, `pitch` elements apart, in the band's type;
 * zeros outside of the matrix. */
void cls_band_pack(const cls_band *band, const cls_band_source *source, int64_t begin, int64_t cols, void *to,
                   int64_t pitch);
/* The whole window, on the device, becomes zero. Enqueues. */
clsolve_status cls_band_clear(cls_band *band, cls_queue queue);
/* All of A times band->unit into the window, which becomes zero elsewhere. Enqueues; the source is free again when it
 * returns. */
clsolve_status cls_band_take(cls_band *band, const cls_band_source *source);
/*
 * A band that goes up while it is factored by blocks on the device, from left to right:
 *
 *      begin;  need(to) before columns left of `to` are used, as often as that is;  end, whatever has happened
 *
 * need enqueues in the compute queue a wait for the columns, and their measuring (cls_band_measure). It does nothing
 * where there is no such way up. can_come: the band is large enough, and its way is such. After a failure the caller
 * finishes the queue CLS_UP after end.
 */
int cls_band_can_come(const cls_band *band, const cls_band_source *source);
clsolve_status cls_band_come_begin(cls_band *band, const cls_band_source *source);
clsolve_status cls_band_come_need(cls_band *band, int64_t to);
void cls_band_come_end(cls_band *band);
/* Columns j .. j+width-1 on their way up into the window, packed into `slot`; `done` may be NULL. */
clsolve_status cls_band_send(cls_band *band, const cls_band_source *source, int64_t j, int64_t width,
                             cls_band_slot *slot, cls_event **done);
/* `cols` runs of `bytes`, which lie `from_pitch` and `to_pitch` bytes apart, by all hands. */
typedef struct cls_band_haul {
    char *to;
    const char *from;
    size_t bytes, to_pitch, from_pitch;
    int64_t cols, each; /* columns in a part of the job */
} cls_band_haul;
/* `haul` as a job, for it to be posted or run; both stay where they are until then. */
void cls_band_haul_job(cls_band_haul *haul, cls_job *job);

/* The next of the pinned block columns, when it is free. */
clsolve_status cls_band_slot_wait(cls_band *band, cls_band_slot *slot);

/* ---- growth.c ---- */

/* A before it is factored, U and its diagonal after: of the columns j .. j+cols-1, in column order. Enqueue. */
clsolve_status cls_band_measure(cls_band *band, int64_t j, int64_t cols);
clsolve_status cls_band_look_at(cls_band *band, int64_t j, int64_t cols);
/* Waits, and leaves band->measures. */
clsolve_status cls_band_measured(cls_band *band);

/* ---- outcome.c ---- */

/* Waits, and leaves band->growth. */
clsolve_status cls_band_growth(cls_band *band);
/* Zero pivots become 2^-23 times `largest`: good for a preconditioner only. Enqueues. */
clsolve_status cls_band_perturb(cls_band *band, double largest);

/* ---- solve.c, export.c ---- */

/* The first `cols` columns of band->B become op(A)^-1 times them. Enqueues. */
clsolve_status cls_band_apply(cls_band *band, clsolve_op op, int64_t cols);
clsolve_status cls_band_apply_blocked(cls_band *band, clsolve_op op, int64_t cols);

/*
 * gbtrf leaves each column's multipliers as they were when it was eliminated; here the later swaps of the block column
 * at j have moved them. `block`: its physical columns, in the host's memory, from gbtrf's form into this, or back.
 */
void cls_band_swap_multipliers(const cls_band *band, int64_t j, int64_t width, const int64_t *ipiv, char *block,
                               int undo);
/* The factors as gbtrf has them; AFB has given_kl + given_ku + given_kl + 1 rows, and is on the host. */
clsolve_status cls_band_export(cls_band *band, int64_t given_kl, int64_t given_ku, const clsolve_matrix *AFB);

/* The clock, where phases are told apart. */
static inline double cls_band_now(const cls_band *band) {
    return band->one_phase ? 0 : cls_seconds();
}

#endif
