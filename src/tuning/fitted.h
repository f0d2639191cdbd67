/*
 * fitted.h: sizes of dense LU that were fitted to a device: leaf, blocks, look-ahead, substitution. clsolve_tune_sizes
 * measures them (method/lu/fit.h) and stores them; contexts made later take them:
 *
 *      CLS_TRY(cls_fitted_open(device, "CLBlast"));              reads the records, once for a device
 *      const cls_fitted *f = cls_fitted_of(device, CLSOLVE_F64);  all zeros: no word, the defaults stand
 *
 * File. sizes-<32 hex digits>.json, as origin.h says, one for each provider of products and matrix unit, with these
 * members beside those of all records:
 *
 *      "format": "clsolve sizes record 1",
 *      "kernels": "0123456789abcdef...",       the hash of the sources of LU's kernels
 *      "products": "CLBlast",                  whose products LU was measured with
 *      "matrix_unit": 90,                      of cls_device; 0: none
 *      "leaf": 64, "by_steps": false,
 *      "blocks": {"1024": 128, "2048": 384, ...},              0: no word
 *      "ahead_from": 2048,                     0: no word; -1: never
 *      "substitution": 128,                    0: no word; -1: products
 *      "measured": [["leaf", 4096, 64, 0.0437], ...]           part, order, value, seconds; 0 seconds: it did not run
 *
 * The file is stored after each measurement. So a fit that is interrupted goes on with the next one.
 */
#ifndef CLS_TUNING_FITTED_H
#define CLS_TUNING_FITTED_H

#include "tuning/origin.h"

/* Orders for which there is a block. */
enum { CLS_FITTED_ORDERS = 5, CLS_FITTED_NEVER = -1, CLS_FITTED_PRODUCTS = -1 };
extern const int64_t cls_fitted_orders[CLS_FITTED_ORDERS];

/* 0: no word, the default stands. */
struct cls_fitted {
    int32_t leaf;     /* columns of the widest leaf */
    int32_t by_steps; /* 1: leaves take a launch a column, also where one launch could factor them */
    int32_t block[CLS_FITTED_ORDERS];
    int32_t ahead_from; /* look-ahead from this order on; NEVER */
    int32_t few;        /* rows of a block of the substitution with few right-hand sides; PRODUCTS */
};

typedef enum cls_fit_part { CLS_FIT_LEAF, CLS_FIT_BLOCK, CLS_FIT_AHEAD, CLS_FIT_FEW, CLS_FIT_PARTS } cls_fit_part;

/* "leaf", "block", "look-ahead", "substitution" */
const char *cls_fit_part_name(cls_fit_part part);

/* One measurement: a factorization of order n, of the substitution a solve. */
typedef struct cls_fit_trial {
    cls_fit_part part;
    int32_t n;
    int32_t value;  /* leaf: columns, below 0 by steps; block: columns; look-ahead: 0 or 1; few as in cls_fitted */
    double seconds; /* 0: it did not run */
} cls_fit_trial;

enum { CLS_FIT_TRIALS = 64 };
typedef struct cls_fit_record {
    cls_fitted fitted;
    int32_t count;
    cls_fit_trial trials[CLS_FIT_TRIALS]; /* in each part and order the default is the first */
} cls_fit_record;

/* ---- fitted.c: the choice ---- */

/* The trial of that part, order and value; NULL: it was not made. */
const cls_fit_trial *cls_fit_find(const cls_fit_record *record, cls_fit_part part, int64_t n, int32_t value);
/* Of a part and order: the first, unless another is faster by more than measurements differ; NULL: none ran. */
const cls_fit_trial *cls_fit_best(const cls_fit_record *record, cls_fit_part part, int64_t n);
/* record->fitted, from the trials. */
void cls_fit_decide(cls_fit_record *record);

/* 1: a device can have these numbers. */
int cls_fitted_fits(const cls_fitted *fitted);

/* The block for order n by the nearest of cls_fitted_orders; 0: no word. */
int64_t cls_fitted_block(const cls_fitted *fitted, int64_t n);
/* The largest order that has a block, for orders beyond it; 0: none. */
int64_t cls_fitted_last(const cls_fitted *fitted);

/* ---- fitted_device.c: what a device has ---- */

/* The stored records of the device, else those that come with the library, for both types. `products`: the name of the
 * provider of products. OUT_OF_MEMORY. */
clsolve_status cls_fitted_open(cls_device *device, const char *products);
/* The device has these from now on. */
clsolve_status cls_fitted_set(cls_device *device, clsolve_type type, const cls_fitted *fitted);
/* Never NULL. */
const cls_fitted *cls_fitted_of(const cls_device *device, clsolve_type type);

/* known.c: what comes with the library for such a device; 0: there is nothing. */
int cls_fitted_known(const cls_device *device, clsolve_type type, const char *products, cls_fitted *fitted);

/* ---- fitted_file.c ---- */

/* As cls_record_print and _parse of blas/record.h. `size` of CLS_FIT_TEXT suffices. */
enum { CLS_FIT_TEXT = 16384 };
int cls_fit_print(const cls_fit_record *record, const cls_device *device, const char *products, clsolve_type type,
                  char *text, size_t size);
cls_record_outcome cls_fit_parse(const char *text, size_t bytes, const cls_device *device, const char *products,
                                 clsolve_type type, cls_fit_record *record);

/* From and to the device's folder; `record` is set only where it is found. `path` of `size` gets the file's name. */
cls_record_outcome cls_fit_load(const cls_device *device, const char *products, clsolve_type type,
                                cls_fit_record *record);
int cls_fit_store(const cls_device *device, const char *products, clsolve_type type, const cls_fit_record *record,
                  char *path, size_t size, char *why, size_t why_size);

#endif
