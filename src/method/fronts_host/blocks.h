/*
 * blocks.h (private): memory of contributions, which is given back and taken again many times in one factorization. New
 * memory of the system costs more to touch than it costs to fill with zeros again.
 *
 * Blocks that are kept are freed before all blocks together take more than what the analysis has foreseen.
 */
#ifndef CLS_FRONTS_HOST_BLOCKS_H
#define CLS_FRONTS_HOST_BLOCKS_H

#include <pthread.h>
#include <stddef.h>

enum { CLS_BLOCKS_KEPT = 32 };

typedef struct cls_block {
    void *data;
    size_t bytes;
} cls_block;

typedef struct cls_blocks {
    pthread_mutex_t lock;
    double at_once; /* bytes that are wanted at once, at most, as far as the analysis knows */
    double held;    /* bytes of all blocks, in use or kept */
    double wasted;  /* bytes of blocks in use, beyond what was wanted */
    double most;    /* the most that was held */
    cls_block kept[CLS_BLOCKS_KEPT];
    int count;
} cls_blocks;

/* The most bytes that blocks take where `at_once` are wanted at once: some blocks are larger than wanted. */
static inline double cls_blocks_at_most(double at_once) {
    return 1.125 * at_once;
}

/* Zeros; data NULL: no memory. From any thread. */
cls_block cls_blocks_take(cls_blocks *blocks, size_t bytes);
/* wanted: the bytes that it was taken for. A block with data NULL is fine. */
void cls_blocks_give(cls_blocks *blocks, cls_block block, size_t wanted);

#endif
