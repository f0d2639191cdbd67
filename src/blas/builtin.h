/*
 * builtin.h: products and triangular solves by the library's built-in kernels. They are written against device.h alone,
 * so for any backend. Providers take from them what suits them.
 */
#ifndef CLS_BUILTIN_H
#define CLS_BUILTIN_H

#include "blas/provider.h"
#include "blas/record.h"

/* The tiles that cl/gemm_mma.cl and cl/gemm_mfma.cl are built with. */
typedef enum cls_mma_tile { CLS_MMA_SMALL = 0, CLS_MMA_LARGE = 1, CLS_MMA_TILES = 2 } cls_mma_tile;

/* Whether the unit keeps subnormal floats. */
typedef enum cls_mma_range { CLS_RANGE_UNTESTED = 0, CLS_RANGE_KEPT = 1, CLS_RANGE_LOST = 2 } cls_mma_range;

/* The kernels of a device; [0] float, [1] double where there are two. For all four types the place is
 * cls_builtin_place. */
static inline int cls_builtin_place(clsolve_type type) {
    return (int)type - CLSOLVE_F32;
}

/* A buffer that is kept for the calls that follow; none: zeros. */
typedef struct cls_room {
    cls_buffer *buffer;
    size_t bytes;
} cls_room;

struct cls_builtin {
    cls_kernel *scale[CLS_TYPES], *trsm[CLS_TYPES][2]; /* trsm with few and with many columns a group */
    int trsm_kind[CLS_TYPES]; /* builtin_trsm.c: the kind of those in trsm, counted from 1; 0: not chosen yet */
    /* By type, tile, op(A), op(B), and whether copies take whole words. */
    cls_kernel *mma[2][CLS_MMA_TILES][2][2][2];
    int mma_fails[2]; /* 1: the self-test found it wrong on this device */
    cls_mma_range mma_range;

    /* The portable product: its parameters, where they are from, and by type, whether the tile is the half one, op(A),
     * op(B) and whether places are multiples of the vector. */
    int record_known[2]; /* 1: record and outcome are set */
    cls_record record[2];
    cls_record_outcome outcome[2];
    cls_kernel *tiled[2][2][2][2][2];
    int tiled_fails[2]; /* 1: it is wrong on this device, or does not build or run */

    /* For complex products by real ones: op(A) of each queue's, and op(B) where B is to be transposed. */
    cls_kernel *complex_form[2];
    cls_room room[CLS_QUEUES], turned[CLS_QUEUES];
};

/* The device's, made at the first call. */
clsolve_status cls_builtin_get(cls_device *device, cls_builtin **builtin);
/* Gives it back, before the programs go. */
void cls_builtin_release(cls_device *device);

/* A kernel into *slot, unless it is there. `options` come on top of the type's; may be "". */
clsolve_status cls_builtin_kernel(cls_device *device, cls_kernel **slot, const char *file, const char *name,
                                  clsolve_type type, const char *options);

/* ---- tests of products ---- */

/* A kernel in one form. `odd`: for places that are multiples of no vector. */
typedef struct cls_builtin_form {
    const char *kernel; /* the file's name and the kernel's */
    clsolve_type type;
    const char *options;
    clsolve_op op_a, op_b;
    int odd;
    int tiny; /* A and C are multiples of the smallest float: a product that loses subnormal numbers is wrong */
    /* Enqueues it in the product's queue; it gets `how`. */
    clsolve_status (*launch)(cls_device *device, cls_kernel *kernel, const void *how, const cls_product *p);
    const void *how;
} cls_builtin_form;

/*
 * A small product with a known result: more than a tile each way and no multiple of one, between places that are
 * multiples of 8 elements or, `odd`, of none. Counts nothing. *right: each element is exactly as it should be, and so
 * are those around.
 */
clsolve_status cls_builtin_test(cls_device *device, cls_kernel *kernel, const cls_builtin_form *form, int *right);

/* Its operands. Whole numbers, so that the product is exact in any order, in float too; those of A want 13 bits, the
 * two parts that cl/gemm_mma.cl has of a float. The inner size has whole slices of 32 and a part of one, and as many of
 * 16 as that kernel goes round without a branch. _fill: all of the room of one, as though the matrix at `ref` began a
 * column earlier, so that what lies before it has a value too; `trans`: transposed; `wide`: A's numbers. _right: of the
 * room of C afterwards. */
enum {
    CLS_TEST_M = 131,
    CLS_TEST_N = 67,
    CLS_TEST_K = 117,
    CLS_TEST_LD = 136,
    CLS_TEST_ROOM = CLS_TEST_LD * (CLS_TEST_M + 1)
};
void cls_builtin_test_fill(void *to, clsolve_type type, cls_ref ref, int trans, int wide);
int cls_builtin_test_right(const void *C, clsolve_type type, cls_ref ref);

/* Its outcome, which is kept with the compiled programs: the form is tested once on this device and driver. */
clsolve_status cls_builtin_test_once(cls_device *device, cls_kernel *kernel, const cls_builtin_form *form, int *right);

/* The kernel into *slot, after its first test on this device and driver. Where that came out wrong, or the compiler or
 * the device refuses the kernel, *slot stays NULL and *fails becomes 1. */
clsolve_status cls_builtin_tested(cls_device *device, const cls_builtin_form *form, cls_kernel **slot, int *fails);

/* ---- the product by the device's matrix unit: cl/gemm_mma.cl (NVIDIA), cl/gemm_mfma.cl (AMD) ---- */

/* Whether cls_builtin_mma is for this device: one with a matrix unit for that type, whose kernel is right. */
int cls_builtin_mma_suits(const cls_device *device, clsolve_type type);

/*
 * Whether it is for this product. Doubles: always. Floats through NVIDIA's unit have an error of some 20 times float's
 * rounding next to that of k sums, so it is for sums of many and products of some width, where it is faster. Numbers of
 * tf32 are multiples of 2^-136, where float's are of 2^-149, so it is not for products that keep the whole range.
 * AMD's unit multiplies whole floats; products that keep the whole range ask a test at their first use.
 */
int cls_builtin_mma_takes(const cls_device *device, const cls_product *p);

/*
 * The first use of each form computes a small product with a known result. *right: 0, when that was wrong; then nothing
 * was enqueued and cls_builtin_mma_suits is false from now on. *right is 0 too for a product that is to keep the whole
 * range, where the unit loses it.
 */
clsolve_status cls_builtin_mma(cls_device *device, const cls_product *p, int *right);
/* The lower triangle of a square C likewise, without the groups above it. *done: 0, and nothing was enqueued, where the
 * unit is not for the product. */
clsolve_status cls_builtin_triangle(cls_device *device, const cls_product *p, int *done);
/* Builds and tests the forms that C -= A B takes with operands at multiples of 16 bytes, as the library's own matrices
 * have them. Other forms are tested at their first use. */
clsolve_status cls_builtin_mma_try(cls_device *device, clsolve_type type);

/* ---- the portable product: cl/gemm_tiled.cl ---- */

/* Whether it is for this product here: where a record was measured faster than CLBlast (record.h), or as
 * device->blas->tiled says. Reads the record at the first call. */
int cls_builtin_tiled_suits(cls_device *device, const cls_product *p);

/* As cls_builtin_mma. A kernel that does not build or start on this device counts as wrong. */
clsolve_status cls_builtin_tiled(cls_device *device, const cls_product *p, int *right);
/* As cls_builtin_mma_try, where any product goes that way. */
clsolve_status cls_builtin_tiled_try(cls_device *device, clsolve_type type);

/* ---- complex products by those of real matrices: cl/gemm_complex.cl ---- */

/* Whether one of the products above takes the real product that `p` becomes; op(B) is B. */
int cls_builtin_complex_suits(cls_device *device, const cls_product *p);
/* By the provider's product of real matrices, which takes one of those. */
clsolve_status cls_builtin_complex(cls_device *device, const cls_product *p);

/* Whether a triangle of complex elements is solved with as a real one: a unit lower one, of doubles, on NVIDIA's GPUs,
 * with neither few nor many columns. `_triangle`: the real one for order m, at most CLS_COMPLEX_ORDER. */
enum { CLS_COMPLEX_ORDER = 512 };
int cls_builtin_complex_solves(const cls_device *device, const cls_triangle *t);
clsolve_status cls_builtin_complex_triangle(cls_device *device, const cls_triangle *t, int64_t m, cls_ref T, cls_ref B,
                                            cls_triangle *real);

/* The record that is used for `type`, and the outcome on the stored one. With `anew`, after it was stored, it is read
 * again. */
clsolve_status cls_builtin_record(cls_device *device, clsolve_type type, int anew, const cls_record **record,
                                  cls_record_outcome *outcome);

/* The form with these parameters, its options in `text`; for the search, which brings its own parameters. */
enum { CLS_TILED_TEXT = 256 };
cls_builtin_form cls_builtin_tiled_form(const cls_tile *tile, clsolve_type type, clsolve_op op_a, clsolve_op op_b,
                                        int aligned, char text[CLS_TILED_TEXT]);
clsolve_status cls_builtin_tiled_launch(cls_device *device, cls_kernel *kernel, const void *tile, const cls_product *p);
/* Whether the places of A, B and C are multiples of the vector. */
int cls_builtin_tiled_aligned(const cls_tile *tile, const cls_product *p);

/* Tests the kernels that C -= A B uses. *wrong: NULL where they are right, else what is not, for people. */
clsolve_status cls_builtin_self_test(cls_device *device, clsolve_type type, const char **wrong);

/* The triangular solve: blocks by cl/trsm.cl or cl/trsm_portable.cl, the rest by the device's gemm. The first use of
 * each kernel solves a small system with a known result; else nothing in it waits. */
clsolve_status cls_builtin_trsm(cls_device *device, const cls_triangle *triangle);

/* A kernel of it: the largest triangle that it solves at once, the columns of a group. */
typedef struct cls_trsm_form {
    clsolve_type type;
    int64_t order, columns;
    /* Enqueues it in the triangle's queue; it gets `how`. */
    clsolve_status (*launch)(cls_device *device, const void *how, const cls_triangle *triangle);
    const void *how;
} cls_trsm_form;
/* All cases with known results, in the queue CLS_BESIDE. Counts nothing. */
clsolve_status cls_builtin_trsm_test(cls_device *device, const cls_trsm_form *form, int *right);

#endif
