/*
 * row.h: the parameters of the portable product (cl/gemm_tiled.cl) for one device and type, and what was measured with
 * them: a row. It is found by the search of tune.h and kept as a text in the folder of the compiled programs; for some devices
 * one comes with the library (row_known.c).
 *
 * File. product-<32 hex digits>.txt, the digits the hash of device, driver, platform and type; lines in exactly this order:
 *
 *      clsolve product 1                     the format
 *      device NVIDIA H200                    as the driver gives it, control characters as '?'
 *      driver 580.159.04
 *      platform NVIDIA CUDA
 *      type double                           or single
 *      kernel 0123456789abcdef...            the hash of the kernel's source
 *      tile 64 64 16 4 4 2 1 1 0             tile_m tile_n slice item_m item_n vector local_a local_b ahead
 *      against AB 1.2 1.1 1.3 1.4            our rate divided by CLBlast's at each shape of cls_row_shapes, 0: not used
 *      against AtB ...
 *      against ABt ...
 *      against AtBt ...
 *      end
 *
 * It is written under another name and renamed. A file that is not exactly this, of another device, driver or kernel, counts as
 * none; the verdict says which.
 */
#ifndef CLS_ROW_H
#define CLS_ROW_H

#include "device/device.h"

/* As cl/gemm_tiled.cl has them. */
typedef struct cls_tile {
    int32_t tile_m, tile_n, slice, item_m, item_n, vector, local_a, local_b, ahead;
} cls_tile;
enum { CLS_TILE_FIELDS = 9, CLS_TILE_TEXT = 192 };

/* Updates C -= op(A) op(B) that a row has rates for. `columns` 0: as many as rows. */
enum { CLS_ROW_SHAPES = 4, CLS_ROW_OPS = 4 };
typedef struct cls_row_shape {
    int64_t columns, k;
} cls_row_shape;
extern const cls_row_shape cls_row_shapes[CLS_ROW_SHAPES];

typedef struct cls_row {
    cls_tile tile;
    /* Our rate divided by CLBlast's, by op (1: op(A) = A^T, 2: op(B) = B^T) and shape; 0: not measured, or wrong there. */
    double against[CLS_ROW_OPS][CLS_ROW_SHAPES];
} cls_row;

typedef enum cls_row_verdict {
    CLS_ROW_FOUND = 0,
    CLS_ROW_NONE = 1,   /* no such file, or no folder */
    CLS_ROW_BROKEN = 2, /* cut off, damaged, or of another format */
    CLS_ROW_OTHER = 3,  /* of another device, driver or type */
    CLS_ROW_OLD = 4,    /* measured with another version of the kernel */
    CLS_ROW_UNFIT = 5   /* parameters that this device cannot have */
} cls_row_verdict;

/* Items of a work-group, and bytes of its local memory. */
int64_t cls_tile_items(const cls_tile *tile);
int64_t cls_tile_local(const cls_tile *tile, clsolve_type type);

/* 1: the kernel can be built with these and the device's limits allow it. */
int cls_tile_fits(const cls_tile *tile, const clsolve_device_info *info, clsolve_type type);

/* "-DTILE_M=64 ...", and "tile 64 x 64 x 16, item 4 x 4, vector 2, local A B, ahead" for people. */
void cls_tile_options(const cls_tile *tile, char text[CLS_TILE_TEXT]);
void cls_tile_words(const cls_tile *tile, char text[CLS_TILE_TEXT]);

/* Parameters to begin with, best guess first, by kind of device; none is measured. Those that do not fit are left out; there
 * is always one. Returns how many. */
enum { CLS_TILE_GUESSES = 10 };
int cls_tile_guesses(const clsolve_device_info *info, clsolve_type type, cls_tile guesses[CLS_TILE_GUESSES]);

/* The row that comes with the library for such a device; 0: there is none. */
int cls_row_known(const clsolve_device_info *info, clsolve_type type, cls_row *row);

/* Whether the row says that ours is faster there than CLBlast, by more than what two measurements differ. */
int cls_row_takes(const cls_row *row, clsolve_op op_a, clsolve_op op_b, int64_t m, int64_t n, int64_t k);

/* The largest ratio among those for which it says so; 0: none. */
double cls_row_best(const cls_row *row);

/* The text of a row, and back. `size` of 2048 suffices. */
void cls_row_print(const cls_row *row, const clsolve_device_info *info, clsolve_type type, char *text, size_t size);
cls_row_verdict cls_row_parse(const char *text, size_t bytes, const clsolve_device_info *info, clsolve_type type,
                              cls_row *row);

/* From and to the folder; NULL: none. `row` is set only where it is found. */
cls_row_verdict cls_row_load(const char *folder, const clsolve_device_info *info, clsolve_type type, cls_row *row);
/* *path, of `size`, gets the file's name. 0 and why not in `why`, of `why_size`, where it could not be stored. */
int cls_row_store(const char *folder, const cls_row *row, const clsolve_device_info *info, clsolve_type type,
                  char *path, size_t size, char *why, size_t why_size);

/* "no row is stored", "the stored row is damaged"; for people. */
const char *cls_row_verdict_text(cls_row_verdict verdict);

#endif
