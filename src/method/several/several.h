/*
 * several.h: dense LU over several devices. Block columns are dealt out in turn, each device by its share; a device
 * holds its own packed, one behind the other, and the panel of a block column is factored where it lies:
 *
 *      block     0   1   2   3   4   5       a device's matrix is n x its columns
 *      device    0   1   0   1   0   1       device 0: | 0 | 2 | 4 |     device 1: | 1 | 3 | 5 |
 *
 *      cls_several several = {0};
 *      const cls_several_shape shape = {.n = n, .type = CLSOLVE_F64, .count = 2};
 *      CLS_TRY(cls_several_setup(devices, &shape, &several));
 *      CLS_TRY(cls_several_upload(&several, &A, &measures));
 *      CLS_TRY(cls_several_factor(&several, &info, &again));
 *      CLS_TRY(cls_several_solve(&several, CLSOLVE_NO_TRANS, &B, &in, &out));
 *      cls_several_release(&several);
 *
 * Threads. Each device has a thread of the host for the time of a call (run.c), which alone speaks to the device: a
 * device that makes its caller wait, as the host's BLAS does, holds up no other. Threads tell each other what is
 * enqueued or lies in the host's memory (exchange.c). When one fails all others stop, and the call's message names the
 * device.
 *
 * Rows of L. A finished block column of L stays as it is: later pivots do not move its rows. Solves take moves and
 * triangles by turns, P_0, L_0^-1, P_1, L_1^-1, ..., as out of core (method/lu/out_of_core.h); only the export moves.
 *
 *      setup.c      what the devices take, and who has what            factor.c     the factorization
 *      run.c        a thread a device, and failures                   solve.c      many right-hand sides
 *      exchange.c   block columns from one device to the others       chain.c      few right-hand sides, by all
 *      home.c       few right-hand sides, by one device
 *      transfer.c   the caller's matrices, growth                     invert.c     the inverse
 *      copy.c       a copy of A                                       table.c      the table for method/direct
 */
#ifndef CLS_SEVERAL_H
#define CLS_SEVERAL_H

#include <pthread.h>

#include "method/columns/pass.h"
#include "method/direct/scaling.h"
#include "method/lu/whole.h"

enum { CLS_SEVERAL_WAYS = 3 };   /* places of an owner in the host's memory */
enum { CLS_SEVERAL_CHUNKS = 8 }; /* of a block column on its way through the host's memory, at most */
enum { CLS_SEVERAL_SLOTS = 2 };  /* block columns that a device has room for while they come, the host on their way */

typedef struct cls_several cls_several;

/* A block column that another device has made and this one uses. */
typedef struct cls_several_slot {
    cls_matrix L;    /* n x width, rows from the first that has come */
    cls_event *come; /* it is there */
    cls_event *used; /* what uses it is done */
    int64_t *lists;  /* its moves on their way, 2 x 2 width */
    int *pivots;     /* the same as LAPACK's */
} cls_several_slot;

/* The device's columns of A next to their factors, and vectors of refinement: copy.c. All zeros if A is not copied. */
typedef struct cls_several_copy {
    cls_matrix A, X, R;
    cls_transfer transfer;
    cls_check check;
    cls_scaling scaling;
    double *partial; /* R on the host */
    double *local;   /* rows of X that the device's columns meet */
} cls_several_copy;

/* A place in the host's memory for a block column on its way to devices that do not fetch it. */
typedef struct cls_several_way {
    cls_pinned *pinned;
    void *host;
    int64_t *pivots;
    int64_t holds; /* the place in the pass of the last one, or -1 */
} cls_several_way;

typedef struct cls_several_part {
    cls_several *several;
    int number;
    cls_lu lu; /* A is n x cols, its block columns; panel, checks and transfers are those of one device's LU */
    int64_t cols;
    cls_several_copy copy;
    cls_several_slot slot[CLS_SEVERAL_SLOTS];
    cls_queue beside;  /* for products that panels are concurrent with: CLS_BESIDE, or CLS_COMPUTE */
    cls_matrix window; /* on lu.A: a panel of its own, as these columns */
    cls_lu_whole panel;
    cls_columns inside;
    int64_t sent; /* block columns that went down in the pass */
    cls_several_way way[CLS_SEVERAL_WAYS];
    int64_t coming; /* the place of the block column whose way up still reads the host's memory, or -1 */
    int by_host;    /* devices that get this one's block columns by way of the host */
    int active;     /* it takes block columns in this pass */
    int64_t info;   /* of its own panels, as LAPACK's */
    int again;      /* its panels are to be factored anew */
    cls_measures measures;
    cls_growth growth;
    int64_t begin, sides; /* the columns of B that are its own in a solve */
    cls_place in, out;
    clsolve_status status; /* of the work under way */
} cls_several_part;

typedef enum cls_home_state {
    CLS_HOME_HAS_PANELS = 0, /* those of the other devices, after a factorization */
    CLS_HOME_IS_WHOLE = 1,
    CLS_HOME_IS_SPOILT = 2 /* until the next factorization */
} cls_home_state;

/* The device that has all factors a second time: home.c. All zeros if none has the room. */
typedef struct cls_several_home {
    int number;
    cls_lu lu;     /* of it, A is L\U as LAPACK has it; there are kernels for few right-hand sides, and nothing else */
    int64_t sides; /* so many right-hand sides at most are solved here; 0: none */
    cls_home_state state;
    int64_t chains; /* solves by the chain since the factorization */
    int64_t items;  /* of a work-group */
    cls_kernel *rows, *place;
    cls_buffer *lists; /* cl/lu_final.cl */
} cls_several_home;

/* A place in a pass over the block columns: what has become of the one whose turn it is. */
typedef struct cls_several_post {
    int enqueued;                          /* the owner has enqueued all that it is made of */
    int hosted;                            /* it is on its way to the host's memory, or there */
    cls_event *chunks[CLS_SEVERAL_CHUNKS]; /* the owner's: chunks of it are there; NULL: they were before */
    int taken;                             /* by so many devices from there */
    cls_event *ready;                      /* the owner's: it is made; NULL: it was before the pass */
    const char *host;                      /* its first element there, and bytes between its columns */
    size_t pitch;
    const int64_t *pivots; /* of a factorization */
} cls_several_post;

struct cls_several {
    int count;
    cls_several_part *parts;
    clsolve_type type;
    int64_t group;                     /* as in the shape */
    int64_t n, width, blocks;          /* columns of a block but the last, and how many there are */
    const clsolve_lu_options *options; /* the caller's, who hears of progress; may be NULL */
    double *shares;                    /* of the devices; NULL: all alike */
    int *owner;                        /* of each block column */
    int64_t *local;                    /* and its first column among the owner's */
    int by_strips;                     /* panels are: where events of another queue cost little */
    char *peer;                        /* [to * count + from]: `to` fetches from `from` by itself */

    pthread_mutex_t lock; /* of the posts and of `failed` */
    pthread_cond_t changed;
    int has_lock;
    cls_several_post *posts; /* of the pass under way, one a block column */
    cls_uplo half;           /* what passes: rows j .. n-1 of the block column at j, or 0 .. j+width-1 */
    int backward;            /* from the last */
    int with_pivots;
    cls_error *error; /* of the first device */
    cls_several_home home;
    int is_direct;              /* no block column goes by way of the host's memory */
    int64_t chained;            /* so many right-hand sides at most go round from device to device */
    const cls_entries *entries; /* of a factorization under way whose matrix came as a sparse one; else NULL */
    double uniform;             /* A was multiplied by it before it was factored; 1: it was not */
    int failed, first_failed;
};

typedef struct cls_several_shape {
    int64_t n;
    clsolve_type type;
    int count;
    const double *shares;              /* of the work, one a device; NULL: all alike */
    int64_t width;                     /* columns of a block; 0: as suits the devices */
    int64_t group;                     /* block columns that a device has one behind the other; 0: as suits them */
    const clsolve_lu_options *options; /* may be NULL */
    int always_beside; /* panels are concurrent with products also where it is not worth it: for tests */
} cls_several_shape;

/* ---- setup.c ---- */

/* `several` is zeroed memory and stays where it is. On failure the caller still calls cls_several_release. */
clsolve_status cls_several_setup(cls_device *const *devices, const cls_several_shape *shape, cls_several *several);
void cls_several_release(cls_several *several);

static inline int64_t cls_several_column(const cls_several *several, int64_t b) {
    return b * several->width < several->n ? b * several->width : several->n;
}
static inline int64_t cls_several_width(const cls_several *several, int64_t b) {
    return cls_several_column(several, b + 1) - cls_several_column(several, b);
}
/* The block column at place k of a pass. */
static inline int64_t cls_several_at(const cls_several *several, int64_t k) {
    return several->backward ? several->blocks - 1 - k : k;
}
/* The owner's matrix as one whose columns have the numbers that those of block column b have in A. */
static inline cls_matrix cls_several_window(const cls_several_part *part, int64_t b) {
    return cls_matrix_from(&part->lu.A, cls_several_column(part->several, b) - part->several->local[b]);
}

/* ---- run.c ---- */

/* Does `work` for each device, each in a thread of its own; returns when all are done and all queues are empty. The
 * first failure's message names its device. */
typedef clsolve_status (*cls_several_work)(cls_several_part *part, void *what);
clsolve_status cls_several_run(cls_several *several, cls_several_work work, void *what);
/* For a call that drives all devices from the caller's thread: a failure's message names the device. */
clsolve_status cls_several_tell(cls_several *several, const cls_several_part *part, clsolve_status status);
/* The same, and waits for all devices: nothing of the call still runs when the caller goes on. */
clsolve_status cls_several_fail(cls_several *several, const cls_several_part *part, clsolve_status status);
/* One that stops because another has failed. */
clsolve_status cls_several_stopped(void);

/* ---- exchange.c: a pass of block columns past all devices ---- */

clsolve_status cls_several_pass_begin(cls_several *several, cls_uplo half, int backward, int with_pivots);
void cls_several_pass_end(cls_several *several);

/* The owner: what makes the block column at place k is enqueued in COMPUTE (`made`), or was done before the pass. */
clsolve_status cls_several_offer(cls_several_part *part, int64_t k, int made);
/* Anyone: the block column at place k, its first row that of `half`; COMPUTE waits for it. */
clsolve_status cls_several_take(cls_several_part *part, int64_t k, cls_ref *at);
/* The work that uses it has been enqueued in that queue, or in queues that it waits for. */
clsolve_status cls_several_used(cls_several_part *part, int64_t k, cls_queue queue);

/* A pass of finished factors: the device posts its own block columns, and if it is active takes the one at place k. */
clsolve_status cls_several_next(cls_several_part *part, int64_t k, cls_ref *at);
/* Waits for the way up that still reads the host's memory: at the end of a pass. */
clsolve_status cls_several_acknowledge(cls_several_part *part);

/* ---- transfer.c ---- */

/* Each block column that is the device's own. */
#define CLS_SEVERAL_EACH_OWN(part, b)                                                                                  \
    for (int64_t b = 0; b < (part)->several->blocks; ++b)                                                              \
        if ((part)->several->owner[b] == (part)->number)

/* The device's columns of the caller's A, or of many->entries, into `to`, n x cols and packed as lu.A is. `scratch` is
 * as cls_upload's, made when it is wanted. */
clsolve_status cls_several_upload_part(cls_several_part *part, const clsolve_matrix *A, cls_transfer *transfer,
                                       const cls_matrix *to, cls_matrix *scratch);
/* part->measures of what lies in `matrix`, n x cols; its places are A's. */
clsolve_status cls_several_measure_part(cls_several_part *part, cls_check *check, const cls_matrix *matrix);
/* Joins the measures of all devices. */
void cls_several_join_measures(const cls_several *several, cls_measures *measures);

/* The caller's A, of either layout; *measures of all of it. */
clsolve_status cls_several_upload(cls_several *several, const clsolve_matrix *A, cls_measures *measures);
/* L\U as LAPACK has them (NULL: not wanted), and pivots from 1 (likewise). */
clsolve_status cls_several_export(cls_several *several, const clsolve_matrix *LU, int64_t *ipiv);
/* Growth and determinant of what was factored. */
clsolve_status cls_several_growth(cls_several *several, cls_growth *growth);

/* ---- factor.c ---- */

/* *info and *again as cls_lu_factor's. */
clsolve_status cls_several_factor(cls_several *several, int64_t *info, int *again);

/* ---- solve.c ---- */

/* Before the first solve of a matrix that was multiplied by a power of two before it was factored: see
 * cls_direct_uniform. 1: it was not. */
void cls_several_set_uniform(cls_several *several, double uniform);

/* B becomes op(A)^-1 B. If there is a NaN or Inf, `in` B or `out` of X, B stays as it was. */
clsolve_status cls_several_solve(cls_several *several, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                 cls_place *out);
/* X becomes the inverse, or with a NaN or Inf at `out` stays as it was. */
clsolve_status cls_several_solve_identity(cls_several *several, const clsolve_matrix *X, cls_place *out);

/* ---- chain.c ---- */

/* cls_pass_ops.move of the device's columns of B. */
clsolve_status cls_several_move(cls_several_part *part, const cls_pass *pass, const cls_pass_column *column);
/* cls_several_solve for few right-hand sides. */
clsolve_status cls_several_chain(cls_several *several, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                 cls_place *out);

/* ---- home.c ---- */

/* After everything else: a device that is left with twice the room becomes the home. Without one solves go by the
 * chain. */
clsolve_status cls_several_home_setup(cls_several *several);
void cls_several_home_release(cls_several *several);
/* Device memory held. */
int64_t cls_several_home_bytes(const cls_several *several);
/* A factorization begins. */
void cls_several_home_forget(cls_several *several);
/* Whether a panel that comes to that device in this pass stays there, in home.lu.A. */
int cls_several_home_takes(const cls_several_part *part);
/* Whether a solve that is asked for now is sooner done there, with those that came before it. */
int cls_several_home_pays(const cls_several *several, int64_t cols);
/* cls_several_solve there. */
clsolve_status cls_several_home_solve(cls_several *several, clsolve_op op, const clsolve_matrix *B, cls_place *in,
                                      cls_place *out);

#endif
