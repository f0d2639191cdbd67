#include "method/sparse/blocks.h"

#include <string.h>

#include "base/memory.h"

/* Bytes of a block that is worth keeping; smaller ones are quick enough by the C library. */
static const size_t worth = 32768;

/* The smallest one that is large enough, and not so large that another front would miss it. -1: none. */
static int find(const cls_blocks *blocks, size_t bytes) {
    int best = -1;
    for (int k = 0; k < blocks->count; k++) {
        const size_t has = blocks->kept[k].bytes;
        if (has < bytes || has / 4 > bytes) continue;
        if (best < 0 || has < blocks->kept[best].bytes) best = k;
    }
    return best;
}

cls_block cls_blocks_take(cls_blocks *blocks, size_t bytes) {
    cls_block block = {NULL, bytes};
    if (bytes >= worth) {
        (void)pthread_mutex_lock(&blocks->lock);
        const int at = find(blocks, bytes);
        if (at >= 0) {
            block = blocks->kept[at];
            blocks->kept[at] = blocks->kept[--blocks->count];
        }
        (void)pthread_mutex_unlock(&blocks->lock);
    }
    if (!block.data) block.data = cls_alloc(1, bytes);
    /* New memory too: a sum that reads it first would touch each of its pages twice. */
    if (block.data && bytes >= worth) memset(block.data, 0, bytes);
    return block;
}

/* The smallest of all is freed where there are too many. */
void cls_blocks_give(cls_blocks *blocks, cls_block block) {
    if (block.data && block.bytes >= worth) {
        (void)pthread_mutex_lock(&blocks->lock);
        if (blocks->count < CLS_BLOCKS_KEPT) {
            blocks->kept[blocks->count++] = block;
            block.data = NULL;
        } else {
            int least = 0;
            for (int k = 1; k < CLS_BLOCKS_KEPT; k++)
                if (blocks->kept[k].bytes < blocks->kept[least].bytes) least = k;
            if (blocks->kept[least].bytes < block.bytes) {
                const cls_block smaller = blocks->kept[least];
                blocks->kept[least] = block;
                block = smaller;
            }
        }
        (void)pthread_mutex_unlock(&blocks->lock);
    }
    cls_free(block.data);
}
