/* company.h (private): one sparse matrix on several devices; deal.c, parts.c. */
#ifndef CLS_FRONTS_DEVICE_COMPANY_H
#define CLS_FRONTS_DEVICE_COMPANY_H

#include "device/device.h"

struct cls_sparse_device;

struct cls_front_shape;

/* Kernels of fronts, as far as a thread has compiled them. NOT_BUILT: it has failed, or there can be none. */
typedef enum cls_front_built { CLS_FRONT_BUILT, CLS_FRONT_BUILDING, CLS_FRONT_NOT_BUILT } cls_front_built;

/* Devices for one matrix. */
typedef struct cls_sparse_company {
    cls_device *const *devices; /* the first one has A, and the right-hand sides */
    int64_t count;
    double shares[CLS_DEVICES_MOST]; /* how fast each is; the sum is 1 */
    int always;                      /* subtrees are dealt out even where that gains nothing */
    cls_pool *drivers;               /* a thread for each device but the first; NULL: the caller drives all */
    /* Asks a thread for the kernels of the first `count` devices, and waits for them so many seconds at most; NULL:
     * there is no thread. */
    cls_front_built (*build)(void *builder, int64_t count, const struct cls_front_shape *shape, double seconds);
    void *builder;
} cls_sparse_company;

/* Part d + 1 of the fronts are device d's subtrees. Part 0, the top, are all other fronts; the first device has it. */
typedef struct cls_front_deal {
    int32_t *part_of;                              /* of each front */
    int64_t roots, *root, *begin;                  /* the subtrees, ascending: fronts begin[r] .. root[r] */
    double operations[CLS_DEVICES_MOST + 1], gain; /* of each part; one device takes `gain` times as long */
} cls_front_deal;

/* ---- deal.c ---- */

/* Deals subtrees out: by operations, or by the memory of their factors. Without roots there is nothing to deal. 0: no
 * memory. */
int cls_front_deal_make(const struct cls_sparse_device *sparse, const cls_sparse_company *company, int by_memory,
                        cls_front_deal *deal);
void cls_front_deal_free(cls_front_deal *deal);

/* ---- parts.c ---- */

/* Makes a plan for several devices of one for a single device, which ended with `alone`, if that is better. Returns how
 * the plan ended that is there now. */
clsolve_status cls_front_parts_plan(struct cls_sparse_device *sparse, const cls_sparse_company *company,
                                    clsolve_status alone);
/* These do nothing without parts. */
clsolve_status cls_front_parts_open(struct cls_sparse_device *sparse);
void cls_front_parts_close(struct cls_sparse_device *sparse);
/* Factors the parts, and brings their rests to the top's. Waits. */
clsolve_status cls_front_parts_factor(struct cls_sparse_device *sparse, const double *value);
/* As many right-hand sides at once as all have room for. */
void cls_front_parts_bound_sides(struct cls_sparse_device *sparse);
/* Adds their replaced pivots, and what else is counted. */
void cls_front_parts_count(struct cls_sparse_device *sparse);
clsolve_status cls_front_parts_reserve(struct cls_sparse_device *sparse, int64_t sides);
clsolve_status cls_front_parts_substitute(struct cls_sparse_device *sparse, int transposed, int64_t sides);
clsolve_status cls_front_parts_pivots(struct cls_sparse_device *sparse, double *pivot, int64_t *row);

/* A device's share. One device has all. */
typedef struct cls_front_share {
    double operations; /* of 1 */
    double bytes, streamed_bytes;
} cls_front_share;
cls_front_share cls_front_share_of(const struct cls_sparse_device *sparse, int64_t d);

#endif
