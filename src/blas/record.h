/*
 * record.h: a tuning record: the parameters of the portable product (cl/gemm_tiled.cl) for one device and type, and
 * what was measured with them. The search of tune.h finds it, and it is kept in the folder of the compiled programs.
 * For some devices one comes with the library (record_known.c).
 *
 * File. product-<32 hex digits>.json, where the digits are the hash of device, driver, platform and type:
 *
 *      {
 *        "format": "clsolve tuning record 2",
 *        "device": "NVIDIA H200",              as the driver gives it, with '?' for what is not printable ASCII
 *        "driver": "580.159.04",
 *        "platform": "NVIDIA CUDA",
 *        "type": "double",                     or "single"
 *        "kernel": "0123456789abcdef...",      the hash of the kernel's source
 *        "tile": {"tile_m": 64, "tile_n": 64, "slice": 16, "item_m": 4, ...},          all of cls_tile
 *        "against": {"AB": [1.2, 1.1, 1.3, 1.4], "AtB": [...], "ABt": [...], "AtBt": [...]}
 *      }
 *
 * The numbers of `against` are the built-in product's rate divided by CLBlast's at each of cls_record_shapes; 0: not
 * used. The file is written under another name and renamed. One that is not exactly this, or is of another device,
 * driver or kernel, counts as none; the outcome says which.
 */
#ifndef CLS_RECORD_H
#define CLS_RECORD_H

#include "device/device.h"

/* As cl/gemm_tiled.cl has them. */
typedef struct cls_tile {
    int32_t tile_m, tile_n, slice, item_m, item_n, vector, local_a, local_b, ahead;
} cls_tile;
enum { CLS_TILE_FIELDS = 9, CLS_TILE_TEXT = 192 };

/* Updates C -= op(A) op(B) that a record has rates for. `columns` 0: as many as rows. */
enum { CLS_RECORD_SHAPES = 4, CLS_RECORD_OPS = 4 };
typedef struct cls_record_shape {
    int64_t columns, k;
} cls_record_shape;
extern const cls_record_shape cls_record_shapes[CLS_RECORD_SHAPES];

typedef struct cls_record {
    cls_tile tile;
    /* Our rate divided by CLBlast's, by op (1: op(A) = A^T, 2: op(B) = B^T) and shape; 0: not measured, or wrong there.
     * */
    double against[CLS_RECORD_OPS][CLS_RECORD_SHAPES];
} cls_record;

typedef enum cls_record_outcome {
    CLS_RECORD_FOUND = 0,
    CLS_RECORD_NONE = 1,   /* no such file, or no folder */
    CLS_RECORD_BROKEN = 2, /* cut off, damaged, or of another format */
    CLS_RECORD_OTHER = 3,  /* of another device, driver or type */
    CLS_RECORD_OLD = 4,    /* measured with another version of the kernel */
    CLS_RECORD_UNFIT = 5   /* parameters that this device cannot have */
} cls_record_outcome;

/* Items of a work-group, and bytes of its local memory. */
int64_t cls_tile_items(const cls_tile *tile);
int64_t cls_tile_local(const cls_tile *tile, clsolve_type type);

/* 1: the kernel can be built with these and the device's limits allow it. */
int cls_tile_fits(const cls_tile *tile, const clsolve_device_info *info, clsolve_type type);

/* "-DTILE_M=64 ...", and "tile 64 x 64 x 16, item 4 x 4, vector 2, local A B, ahead" for people. */
void cls_tile_options(const cls_tile *tile, char text[CLS_TILE_TEXT]);
void cls_tile_words(const cls_tile *tile, char text[CLS_TILE_TEXT]);

/* Parameters to begin with, the best first, by kind of device and by maker: from the figures of the makers' compilers,
 * or tried, but not compared with CLBlast's. Those that do not fit are left out; there is always one. Returns how many.
 * */
enum { CLS_TILE_GUESSES = 12 };
int cls_tile_guesses(const clsolve_device_info *info, clsolve_type type, cls_tile guesses[CLS_TILE_GUESSES]);

/* The record that comes with the library for such a device; 0: there is none. */
int cls_record_known(const clsolve_device_info *info, clsolve_type type, cls_record *record);

/* Whether the record says that ours is faster there than CLBlast, by more than what two measurements differ. */
int cls_record_takes(const cls_record *record, clsolve_op op_a, clsolve_op op_b, int64_t m, int64_t n, int64_t k);

/* The largest ratio among those for which it says so; 0: none. */
double cls_record_best(const cls_record *record);

/* The text of a record, and back. `size` of 2048 suffices. 0: it does not, or there is no memory; the text is then
 * empty. */
int cls_record_print(const cls_record *record, const clsolve_device_info *info, clsolve_type type, char *text,
                     size_t size);
cls_record_outcome cls_record_parse(const char *text, size_t bytes, const clsolve_device_info *info, clsolve_type type,
                                    cls_record *record);

/* From and to the folder; NULL: none. `record` is set only where it is found. */
cls_record_outcome cls_record_load(const char *folder, const clsolve_device_info *info, clsolve_type type,
                                   cls_record *record);
/* *path, of `size`, gets the file's name. 0 and why not in `why`, of `why_size`, where it could not be stored. */
int cls_record_store(const char *folder, const cls_record *record, const clsolve_device_info *info, clsolve_type type,
                     char *path, size_t size, char *why, size_t why_size);

/* "no tuning record is stored", "the stored tuning record is damaged"; for people. */
const char *cls_record_outcome_text(cls_record_outcome outcome);

#endif
