/*
 * device.h (private): the numbers of a sparse factorization on the device, by levels of the tree of fronts.
 *
 *      calls.c    all of it, for one device or several
 *      open.c     the device's memory
 *      kernels.c  its kernels
 *      plan.c     which fronts are a level, and what has to pass by because memory is short
 *      levels.c   levels and classes of fronts, and slabs of their factors
 *      slabs.c    slabs of factors, which lie on the device or come from the host's memory
 *      factor.c   fronts from the deepest level to the roots: entries, children's rests, panels, products
 *      wide.c     fronts that are worth dense products of their own, and whole inverses of their triangles
 *      large.c    one large front, by the engines of dense matrices
 *      aside.c    work that nothing else of a level waits for, in a queue of its own
 *      pivots.c   the pivots, for determinant and inertia
 *      solve.c    substitution up and down the levels
 *      rows.c     the pattern of A for residuals
 *      deal.c     which subtrees each of several devices has; parts.c the work on all of them
 *
 * A level holds fronts whose children are all in levels before it: the fronts of one depth of the tree, the deepest
 * first. Where memory is short, subtrees follow each other and have levels of their own, so that fewer rests wait at
 * once. Within a level fronts of about the same size are a class, for which each step is one launch. Large fronts are a
 * class each: their products and triangular solves are those of dense matrices (blas/blas.h).
 *
 * The factors of classes that follow each other are a slab, which is one buffer. Slabs that find no room on the device
 * lie in the host's memory: each goes down when its fronts are done, and comes up for a solve, one on its way while
 * another one is in use.
 *
 * Pivots are chosen within the PIVOT block of a front; of L D L^T, whose pivots have 1 x 1 or 2 x 2 elements, within
 * windows of it (cl/front_window.cl). A pivot that is small is replaced and counted: refinement and the host's factors
 * do the rest (method/sparse). No sum depends on which work-group is first, so the bits are the same
 * each time.
 */
#ifndef CLS_FRONTS_DEVICE_DEVICE_H
#define CLS_FRONTS_DEVICE_DEVICE_H

#include "blas/blas.h"
#include "device/use.h"
#include "method/fronts_device/company.h"
#include "method/analysis/analysis.h"

/*
 * Fronts by their pivots, and by their operations:
 *
 *      SMALL    pivots and border are so few rows that one launch does all, each work-item a row
 *      NEAR     a wave or two have the rows of a panel; UP and LOW follow in one launch
 *      FAR      one work-group has them
 *      WIDE     as FAR, but borders are so wide that the rest of each front is a dense product of its own, and solves
 *               go by several work-groups
 *      MIDDLE   as WIDE, but UP and LOW are multiplied by whole inverses of the triangles, which are made before;
 *               panels have half as many columns, because registers do not suffice for more
 *      BROAD    as MIDDLE, but a work-item has several rows; of L D L^T few of them are the dense engine's
 *      LARGE    one front, by the engine of dense matrices; without an engine as WIDE, with more rows a work-item
 */
typedef enum cls_front_kind {
    CLS_SMALL,
    CLS_NEAR,
    CLS_FAR,
    CLS_WIDE,
    CLS_MIDDLE,
    CLS_BROAD,
    CLS_LARGE,
    CLS_FRONT_KINDS
} cls_front_kind;

/* The most pivots of a front of each kind; of BROAD CLS_FRONT_BLOCK. */
enum { CLS_MOST_NEAR = 64, CLS_MOST_FAR = 256, CLS_MOST_MIDDLE = 512 };
/* The most rows, pivots and border, of a SMALL front; CLS_MOST_TINY of elements of more than 8 bytes. */
enum { CLS_MOST_TINY = 32, CLS_MOST_SMALL = 64 };

/* Fronts list[from] .. list[from + count - 1]; the largest f, b and f + b of them. */
typedef struct cls_front_class {
    int64_t from, count, most_pivots, most_border, most_rows;
    cls_front_kind kind;
    int64_t all;      /* of a level: fronts on all devices; count is of those here */
    int parents;      /* some of them have children */
    int64_t slab;     /* which has their factors */
    int64_t diagonal; /* of a LARGE front: the first of its blocks, see cls_sparse_device */
} cls_front_class;

/* The factors of the fronts list[from] .. list[from + count - 1]. */
typedef struct cls_front_slab {
    int64_t from, count;
    int64_t begin, elements;                /* begin: elements of the slabs before it */
    void *host;                             /* NULL: they stay on the device */
    cls_front_class whole[CLS_FRONT_KINDS]; /* its fronts of a kind */
    cls_front_class triangles;              /* see cls_sparse_device */
} cls_front_slab;

/* The levels of all fronts. The rests of a level lie behind each other. */
typedef struct cls_front_plan {
    int64_t levels, *level; /* of each front */
    int64_t *rests;         /* of each level: where its rests begin; */
    int64_t elements;       /* of all rests that are there at once */
    int64_t behind;         /* of those: rests of subtrees that were dealt out, behind the stacks */
} cls_front_plan;

enum { CLS_FRONT_SLOTS = 2 };
enum { CLS_FRONT_BLOCK = 1024 }; /* rows of a triangle that becomes a whole inverse, at most */

/* As LDL in cl/front.clh. */
typedef enum cls_front_ldl { CLS_NO_LDL, CLS_LDL_TRANSPOSED, CLS_LDL_CONJUGATED } cls_front_ldl;

enum { CLS_FRONT_FIELDS = 11, CLS_OF_BLOCK = 4, CLS_OF_POSITION = 3, CLS_OF_WINDOWS = 4 }; /* as in cl/front.clh */
enum {
    CLS_PIVOTS,
    CLS_BORDER,
    CLS_PIVOT, /* places in the slab */
    CLS_UP_AT,
    CLS_LOW_AT,
    CLS_REST,
    CLS_FIRST,
    CLS_RELATIVE,
    CLS_CHILD,
    CLS_CHILDREN,
    CLS_LD
};

typedef struct cls_sparse_device {
    cls_device *device;
    const cls_front_deal *deal; /* NULL: all fronts are here */
    int32_t part;
    double beside, beside_free;     /* bytes of the part on the top's device; as far as they are not taken yet */
    struct cls_front_parts *others; /* of the top: the other parts; NULL: there are none */
    const cls_symbolic *symbolic;
    cls_symbolic split; /* of L D L^T, which has no LARGE fronts: what `symbolic` points to then */
    clsolve_type type;  /* of the factors */
    int cholesky;
    cls_front_ldl ldl;
    clsolve_sparse_form form;
    int64_t entries, parts;
    int64_t n, borders; /* rows of A; of all borders together */
    int64_t limit;      /* bytes of the device's memory; 0: what is free */
    int64_t width;      /* of panels; from MIDDLE fronts on half of it */
    int64_t levels;     /* level d, from the first one on, has the classes level[d] .. level[d + 1] - 1 */
    int64_t *level;
    cls_front_class *classes;
    cls_front_class whole[CLS_FRONT_KINDS]; /* all fronts of a kind: how many, and the largest */
    /*
     * PIVOT of a LARGE front is solved for by blocks of CLS_FRONT_BLOCK rows and columns, described as fronts of their
     * own: the triangles on the diagonal, L below each of them (as UP of a front whose border are the triangle's
     * columns), and U right of each of them (as UP, its border the columns behind). Block i of each is list[from + i].
     */
    cls_front_class triangles, below, right_of;
    int64_t described; /* fronts and such blocks */
    int64_t *front;    /* CLS_FRONT_FIELDS numbers a front */
    int32_t *list;

    cls_buffer *fronts, *lists, *children, *relative, *border, *place; /* of the analysis */
    cls_buffer *order, *ipiv, *replaced, *value, *rests;               /* of the factorization */
    cls_buffer *blocks, *windows;                                      /* of L D L^T: D, and cl/front_window.cl's */
    cls_buffer *x, *other, *left;                                      /* of `sides` right-hand sides */
    int64_t sides, most_sides;                                         /* now; at once, at most */

    cls_front_plan plan;
    cls_front_slab *slab;
    int64_t slabs, streamed; /* the first `streamed` ones take turns in `slots` buffers, which are arena[0] and [1] */
    int64_t slots;
    cls_buffer **arena;                      /* of the others arena[slots + slab - streamed] */
    int64_t held[CLS_FRONT_SLOTS];           /* the slab there; -1: none */
    int unsaved[CLS_FRONT_SLOTS];            /* the host's memory does not have it yet */
    struct cls_event *used[CLS_FRONT_SLOTS]; /* the work that uses it is done; NULL: there was none */
    struct cls_event *rests_made;            /* all rests that were enqueued aside; NULL: COMPUTE waits for them */
    int aside;                               /* there is work aside that COMPUTE does not wait for yet */
    struct cls_front_engine *engine;         /* large.c; NULL: none is needed */
    cls_kernel *scatter, *gather, *sort, *outcome, *diagonal, *invert, *rest, *child, *row;
    cls_kernel *small[2];                      /* of up to CLS_MOST_TINY rows, and of more */
    cls_kernel *panel[CLS_FRONT_KINDS];        /* of LARGE without an engine */
    cls_kernel *edge[CLS_FRONT_KINDS];         /* UP and LOW; of LARGE without an engine */
    cls_kernel *unfold, *twice, *take, *apply; /* of WIDE and MIDDLE */
    cls_kernel *up[2], *down[2];               /* of SMALL and NEAR, and of FAR */
    int64_t local, far_local;                  /* work-items of most kernels, and of those for many rows */
    int64_t near_local;                        /* and of up[0] and down[0] */
    cls_buffer *scratch;                       /* triangles of WIDE and MIDDLE, and behind them a block of one front */
    int64_t scratch_block, scratch_elements;
    int64_t triangles_at_once; /* elements of them, at most, but for those of one front */

    void *staged;            /* values on their way, in the type of the factors; right-hand sides too */
    size_t staged_bytes;     /* its size */
    int32_t *made;           /* of positions: the row of the front that is there now; room for pivots.c */
    int32_t *counts;         /* of each front: replaced pivots */
    int range;               /* the largest value was below 2^range, and not far below */
    int exponent;            /* values were multiplied by 2^-exponent */
    double magnitude;        /* and are no larger than this then */
    int64_t replaced_pivots; /* in the last factorization */
    int64_t negative;        /* of L D L^T: eigenvalues of D that are less than 0 */
    int again;               /* a panel of a large front failed: all fronts are to be factored again */
    int vanished;            /* a pivot was as good as zero, or of Cholesky not positive: these are no factors */
    double bytes;            /* of the device's memory */
    double streamed_bytes;   /* of slabs in the host's memory */
    int opened;              /* memory and kernels are there */
} cls_sparse_device;

/* The device can have sparse factors. */
int cls_sparse_device_may(const cls_device *device);

/*
 * Plans factors that take at most `limit` bytes of each device's memory (0: what is free), with right-hand sides in the
 * host's memory and what refinement wants. Nothing is taken yet, but `bytes` and `streamed_bytes` say what will be.
 * ERROR_OUT_OF_DEVICE_MEMORY: the limit has no room for the largest front and the rests. On failure *made is NULL.
 */
clsolve_status cls_sparse_device_plan(const cls_sparse_company *company, const cls_symbolic *symbolic,
                                      clsolve_type type, clsolve_sparse_form form, int64_t entries, int64_t limit,
                                      cls_sparse_device **made);
/* Takes memory and kernels, by another plan if there is less memory by now. After a failure close it. */
clsolve_status cls_sparse_device_open(cls_sparse_device *sparse);
void cls_sparse_device_close(cls_sparse_device *sparse);

/* The entries, scaled, are smaller than 2^exponent. Returns by which power of two they are to be divided. */
int cls_front_set_range(cls_sparse_device *sparse, int exponent);
/* value: entries of A, scaled; NULL: they lie in sparse->value, in the range that was set. Waits. */
clsolve_status cls_sparse_device_factor(cls_sparse_device *sparse, const double *value);

/* The same of such values without a wait, where all slabs are on the device. */
clsolve_status cls_front_factor_enqueue(cls_sparse_device *sparse);
/* Replaced pivots of all fronts, whether one vanished, and whether a panel failed. Waits. */
clsolve_status cls_front_find_outcome(cls_sparse_device *sparse);

/* As cls_factors_solve. Waits. */
clsolve_status cls_sparse_device_solve(cls_sparse_device *sparse, int adjoint, double *x, int64_t nrhs);

/* The same for `sides` columns that lie in sparse->x, where there is room for them after the first call. */
clsolve_status cls_front_reserve(cls_sparse_device *sparse, int64_t sides);
clsolve_status cls_front_substitute(cls_sparse_device *sparse, int transposed, int64_t sides);

/* The pivots of all positions, on the scale of `value` (of Cholesky their roots, for values divided by 2^exponent), n
 * elements, and the position of the row of each. L D L^T has the eigenvalues of D, or where complex D is not hermitian
 * numbers with the same product; two of a block have each other's rows. */
clsolve_status cls_sparse_device_pivots(cls_sparse_device *sparse, double *pivot, int64_t *row);

/* ---- within these files ---- */

/* A launch for each front of a class: `groups` work-groups of local[0] x local[1] work-items. */
typedef struct cls_front_launch {
    cls_kernel *kernel;
    int64_t groups;
    size_t local[2];
    int across; /* fronts along dimension 0, and `groups` along dimension 1 */
    cls_queue queue;
} cls_front_launch;
/* args: those behind the fronts, the list, and where in it the kernel begins; at most 13 of them. */
clsolve_status cls_front_run_class(cls_sparse_device *sparse, const cls_front_class *of, const cls_front_launch *launch,
                                   const cls_arg *args, int32_t count);

/* ---- kernels.c ---- */

/* The compilers begin with what cls_front_get_kernels is going to ask for. The fronts are described. */
clsolve_status cls_front_announce_kernels(cls_sparse_device *sparse);
clsolve_status cls_front_get_kernels(cls_sparse_device *sparse);
void cls_front_drop_kernels(cls_sparse_device *sparse);

/* ---- plan.c ---- */

/* Chooses levels, slabs and scratch memory for `limit` bytes, and describes the fronts. */
clsolve_status cls_front_make_plan(cls_sparse_device *sparse, double limit);
/* The device's memory that the handle may take. */
double cls_front_limit(const cls_sparse_device *sparse);

/* ---- one device: what calls.c is made of ---- */

/* No factors yet: what depends on the device, the type and the form. */
cls_sparse_device cls_front_begin(cls_device *device, clsolve_type type, clsolve_sparse_form form);
/* *made NULL: no memory; after another failure close it. */
clsolve_status cls_front_make(cls_device *device, const cls_symbolic *symbolic, clsolve_type type,
                              clsolve_sparse_form form, int64_t entries, int64_t limit, cls_sparse_device **made);
/* The same for a part of a deal. */
clsolve_status cls_front_make_part(const cls_sparse_device *top, cls_device *device, const cls_front_deal *deal,
                                   int32_t part, cls_sparse_device **made);
clsolve_status cls_front_open(cls_sparse_device *sparse);
void cls_front_close(cls_sparse_device *sparse); /* NULL is fine */
clsolve_status cls_front_factor_here(cls_sparse_device *sparse, const double *value);
clsolve_status cls_front_pivots(cls_sparse_device *sparse, double *pivot, int64_t *row);
clsolve_status cls_front_take_sides(cls_sparse_device *sparse, int64_t sides);
/* The two ways of a solve, over the fronts that are here. */
clsolve_status cls_front_go_up(cls_sparse_device *sparse, int transposed, int64_t sides);
clsolve_status cls_front_go_down(cls_sparse_device *sparse, int transposed, int64_t sides);

/* ---- several devices ---- */

static inline int cls_front_is_here(const cls_sparse_device *sparse, int64_t s) {
    return !sparse->deal || sparse->deal->part_of[s] == sparse->part;
}

/* The root of a subtree that was dealt out, whose rest waits for the top. */
static inline int cls_front_is_dealt(const cls_sparse_device *sparse, int64_t s) {
    const int64_t above = sparse->symbolic->tree.parent[s];
    return sparse->deal && sparse->deal->part_of[s] != 0 && (above < 0 || sparse->deal->part_of[above] == 0);
}

/* ---- levels.c ---- */

/* The sizes of the blocks of each front, without their places. 0: no memory. */
int cls_front_describe(cls_sparse_device *sparse);
/* Elements of the factors of front s; and with those before it, to a place where they may begin. */
int64_t cls_front_elements(const cls_sparse_device *sparse, int64_t s);
int64_t cls_front_room(const cls_sparse_device *sparse, int64_t s);
/* Sorts the fronts by the plan's levels, and gives them places in slabs of at most `most` elements, if no front is
 * larger. 0: no memory. */
int cls_front_make_levels(cls_sparse_device *sparse, int64_t most);
void cls_front_reserve_scratch(cls_sparse_device *sparse);
/* SCRATCH_LD of cl/front.clh. */
int64_t cls_front_scratch_ld(int64_t f);
/* So many fronts of a class have their triangles in scratch at once, *apart elements from each other. */
int64_t cls_front_some_of(const cls_sparse_device *sparse, const cls_front_class *of, int64_t *apart);

/* ---- slabs.c ---- */

/* Memory of all slabs, on the device and on the host. */
clsolve_status cls_front_take_slabs(cls_sparse_device *sparse);
void cls_front_free_slabs(cls_sparse_device *sparse);
/* Nothing that is in the slots counts: a factorization begins. */
void cls_front_forget_slabs(cls_sparse_device *sparse);
/* A slab that is to be made: its buffer is free and zero, for what COMPUTE does next. */
clsolve_status cls_front_clear_slab(cls_sparse_device *sparse, int64_t slab);
/* COMPUTE has got all work on the slab; `made`: it is to go down when that is done. */
clsolve_status cls_front_leave_slab(cls_sparse_device *sparse, int64_t slab, int made);
/* All slabs that were made are in the host's memory. */
clsolve_status cls_front_save_slabs(cls_sparse_device *sparse);
/* A slab that was made: its factors are there for what COMPUTE does next. */
clsolve_status cls_front_bring_slab(cls_sparse_device *sparse, int64_t slab);

/* ---- aside.c ---- */

/*
 * The queue of work that nothing else of its level waits for: one of its own, so that COMPUTE goes on with the next
 * fronts. DOWN has nothing else to do then, because all slabs stay on the device; BESIDE, SOON and UP are the
 * engines'. Else it is COMPUTE.
 */
cls_queue cls_front_aside(const cls_sparse_device *sparse);
/* The work that goes aside from now on starts after all that is in COMPUTE now. */
clsolve_status cls_front_go_aside(cls_sparse_device *sparse);
/* Rests of a class have gone aside, the last ones so far: sparse->rests_made becomes their event. */
clsolve_status cls_front_mark_rests(cls_sparse_device *sparse);
/* COMPUTE goes on behind all that went aside. */
clsolve_status cls_front_end_aside(cls_sparse_device *sparse);

/* ---- wide.c ---- */

/* PIVOT of each front of the class, which is factored, becomes the inverses of its triangles; of kind MIDDLE, UP and
 * LOW are multiplied by them. Wants the order of the rows. */
clsolve_status cls_front_invert_class(cls_sparse_device *sparse, const cls_front_class *of);
/* The rest of the front list[at] of the class by a dense product, in the queue cls_front_aside. `fresh`: it has no
 * children, so the rest holds anything. */
clsolve_status cls_front_rest(cls_sparse_device *sparse, const cls_front_class *of, int64_t at, int fresh);

/* ---- large.c ---- */

/* The engine for LARGE fronts, unless there are none. None where the provider works in the host's memory: it multiplies
 * alone. */
clsolve_status cls_front_engine_open(cls_sparse_device *sparse);
void cls_front_engine_close(cls_sparse_device *sparse);
/* Factors PIVOT of the LARGE front, and of LU solves for UP. Its exchanges of rows go to sparse->ipiv, and what came of
 * it to sparse->replaced. Enqueues. */
clsolve_status cls_front_engine_run(cls_sparse_device *sparse, const cls_front_class *of);
/* Whether the engine has the fronts of the class. */
int cls_front_engine_takes(const cls_sparse_device *sparse, const cls_front_class *of);
/* PIVOT of each such front of L D L^T, with the bounds of pivots that are replaced and that vanish. Enqueues. */
clsolve_status cls_front_engine_run_ldl(cls_sparse_device *sparse, const cls_front_class *of, cls_arg tiny,
                                        cls_arg zero);
/* A leaf whose work-groups meet has failed: the engine makes others from now on. An engine of L D L^T gets no more. */
void cls_front_engine_failed(cls_sparse_device *sparse);

/* Numbers times 2^exponent, from double to the type of the factors; and back. */
void cls_front_scale(clsolve_type type, const double *from, int64_t count, int exponent, void *to);
void cls_front_unscale(clsolve_type type, const void *from, int64_t count, int exponent, double *to);

/* 2^exponent is above the largest of all values, which are finite. By the device's threads; rows.c. */
int cls_front_exponent(cls_device *device, const double *value, int64_t count);

/* One triangle is kept: Cholesky, L D L^T. */
static inline int cls_front_is_one_sided(const cls_sparse_device *sparse) {
    return sparse->cholesky || sparse->ldl != CLS_NO_LDL;
}
/* And the other one is its conjugate, which means something to complex values. */
static inline int cls_front_conjugates(const cls_sparse_device *sparse) {
    return sparse->cholesky || sparse->ldl == CLS_LDL_CONJUGATED;
}

/* Room for elements on their way. */
clsolve_status cls_front_stage(cls_sparse_device *sparse, int64_t elements);

/* B (m x n) = op(T)^-1 B, by blocks that suit the provider, in the queue cls_front_aside. */
clsolve_status cls_front_triangle(cls_sparse_device *sparse, cls_uplo uplo, clsolve_op op, int64_t m, int64_t n,
                                  cls_ref T, cls_ref B);

/* Compilers for CPUs take long for unrolled loops over 32 rows, and for a kernel in groups of another size. */
static inline int cls_front_is_rolled(const cls_device *device) {
    return device->rolled || device->info.type == CLSOLVE_DEVICE_CPU;
}

/* Work-items that have the rows of a MIDDLE front. */
static inline int64_t cls_front_middle_group(const cls_device *device) {
    return cls_work_group(device, 512);
}

static inline int64_t cls_front_of(const cls_sparse_device *sparse, int64_t s, int field) {
    return sparse->front[s * CLS_FRONT_FIELDS + field];
}

/* The buffer of a slab's factors. */
static inline cls_buffer **cls_front_arena(const cls_sparse_device *sparse, int64_t slab) {
    if (slab < sparse->streamed) return &sparse->arena[slab % sparse->slots];
    return &sparse->arena[sparse->slots + slab - sparse->streamed];
}

static inline cls_buffer *cls_front_buffer(const cls_sparse_device *sparse, const cls_front_class *of) {
    return *cls_front_arena(sparse, of->slab);
}

/* A block of a front of a class. */
static inline cls_ref cls_front_ref(const cls_sparse_device *sparse, const cls_front_class *of, int64_t s, int field) {
    const cls_ref ref = {cls_front_buffer(sparse, of), cls_front_of(sparse, s, field), cls_front_of(sparse, s, CLS_LD)};
    return ref;
}

#endif
