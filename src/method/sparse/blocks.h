/*
 * blocks.h (private): memory of contributions, which is given back and taken again many times in one factorization. New
 * memory of the system costs more to touch than it costs to fill with zeros again.
 */
#ifndef CLS_SPARSE_BLOCKS_H
#define CLS_SPARSE_BLOCKS_H

#include <pthread.h>
#include <stddef.h>

enum { CLS_BLOCKS_KEPT = 32 };

typedef struct cls_block {
    void *data;
    size_t bytes;
} cls_block;

typedef struct cls_blocks {
    pthread_mutex_t lock;
    cls_block kept[CLS_BLOCKS_KEPT];
    int count;
} cls_blocks;

/* Zeros; data NULL: no memory. From any thread. */
cls_block cls_blocks_take(cls_blocks *blocks, size_t bytes);
void cls_blocks_give(cls_blocks *blocks, cls_block block); /* data NULL is fine */

#endif
