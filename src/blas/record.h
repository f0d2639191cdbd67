/*
 * record.h: a tuning record: the parameters of the portable product (cl/gemm_tiled.cl) for one device and type, and
 * what was measured with them. The search of tune.h finds it, and it is kept in the folder of the compiled programs.
 * For some devices one comes with the library (record_known.c).
 *
 * File. product-<32 hex digits>.json, as tuning/origin.h says, with these members apart from those of all records:
 *
 *        "format": "clsolve tuning record 3",
 *        "kernel": "0123456789abcdef...",      the hash of the kernel's source
 *        "tile": {"tile_m": 64, "tile_n": 64, "slice": 16, "item_m": 4, ...},          all of cls_tile
 *        "against": {"AB": [1.2, 1.1, 1.3, 1.4], "AtB": [...], "ABt": [...], "AtBt": [...]},
 *        "gflops": 1234.5, "searched": 6.05, "compared": 15
 *
 * The numbers of `against` are the built-in product's rate divided by CLBlast's at each of cls_record_shapes; 0: not
 * used. The last two members say how far the search came: an interrupted one goes on from there.
 */
#ifndef CLS_RECORD_H
#define CLS_RECORD_H

#include "blas/record_tile.h"
#include "tuning/origin.h"

/* Updates C -= op(A) op(B) that a record has rates for. `columns` 0: as many as rows. */
enum { CLS_RECORD_SHAPES = 4, CLS_RECORD_OPS = 4 };
typedef struct cls_record_shape {
    int64_t columns, k;
} cls_record_shape;
extern const cls_record_shape cls_record_shapes[CLS_RECORD_SHAPES];

typedef struct cls_record {
    cls_tile tile;
    /* Our rate divided by CLBlast's, by op (1: op(A) = A^T, 2: op(B) = B^T) and shape; 0: not measured, or wrong
     * there. */
    double against[CLS_RECORD_OPS][CLS_RECORD_SHAPES];
    double gflops;    /* of A B: 1e9 operations a second, geometric mean of ranks 32, 128 and 512; 0: not measured */
    double searched;  /* seconds that the search took so far */
    int32_t compared; /* bit `op`: all shapes of that op are compared */
} cls_record;

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

#endif
