#include "method/fronts_host/blocks.h"

#include <string.h>

#include "base/memory.h"

/* Bytes of a block that is worth keeping; smaller ones are quick enough by the C library. */
static const size_t worth = 32768;

/* The smallest one that is large enough, and not so large that another front would miss it. -1: none. */
static int find(const cls_blocks *blocks, size_t bytes) {
    const double spare = cls_blocks_at_most(blocks->at_once) - blocks->at_once - blocks->wasted;
    int best = -1;
    for (int k = 0; k < blocks->count; k++) {
        const size_t has = blocks->kept[k].bytes;
        if (has < bytes || has / 4 > bytes || (has > bytes && (double)(has - bytes) > spare)) continue;
        if (best < 0 || has < blocks->kept[best].bytes) best = k;
    }
    return best;
}

static int smallest(const cls_blocks *blocks) {
    int least = 0;
    for (int k = 1; k < blocks->count; k++)
        if (blocks->kept[k].bytes < blocks->kept[least].bytes) least = k;
    return least;
}

static cls_block remove_kept(cls_blocks *blocks, int at) {
    const cls_block block = blocks->kept[at];
    blocks->kept[at] = blocks->kept[--blocks->count];
    return block;
}

/* Kept blocks make room for a new one, the smallest first: they are the least loss. */
static void make_room(cls_blocks *blocks, size_t bytes) {
    while (blocks->count > 0 && blocks->held + (double)bytes > cls_blocks_at_most(blocks->at_once)) {
        const cls_block freed = remove_kept(blocks, smallest(blocks));
        blocks->held -= (double)freed.bytes;
        cls_free(freed.data);
    }
    blocks->held += (double)bytes;
    if (blocks->held > blocks->most) blocks->most = blocks->held;
}

static void forget(cls_blocks *blocks, size_t bytes) {
    (void)pthread_mutex_lock(&blocks->lock);
    blocks->held -= (double)bytes;
    (void)pthread_mutex_unlock(&blocks->lock);
}

cls_block cls_blocks_take(cls_blocks *blocks, size_t bytes) {
    cls_block block = {NULL, bytes};
    if (bytes < worth) {
        block.data = cls_alloc(1, bytes);
        return block;
    }
    (void)pthread_mutex_lock(&blocks->lock);
    const int at = find(blocks, bytes);
    if (at >= 0) {
        block = remove_kept(blocks, at);
        blocks->wasted += (double)(block.bytes - bytes);
    } else {
        make_room(blocks, bytes);
    }
    (void)pthread_mutex_unlock(&blocks->lock);
    if (!block.data) block.data = cls_alloc(1, bytes);
    /* New memory too: a sum that reads it first would touch each of its pages twice. */
    if (block.data)
        memset(block.data, 0, bytes);
    else
        forget(blocks, bytes);
    return block;
}

/* The smallest of all is freed where there are too many. */
void cls_blocks_give(cls_blocks *blocks, cls_block block, size_t wanted) {
    if (block.data && block.bytes >= worth) {
        (void)pthread_mutex_lock(&blocks->lock);
        blocks->wasted -= (double)(block.bytes - wanted);
        if (blocks->count < CLS_BLOCKS_KEPT) {
            blocks->kept[blocks->count++] = block;
            block.data = NULL;
        } else {
            const int least = smallest(blocks);
            if (blocks->kept[least].bytes < block.bytes) {
                const cls_block smaller = blocks->kept[least];
                blocks->kept[least] = block;
                block = smaller;
            }
            blocks->held -= (double)block.bytes;
        }
        (void)pthread_mutex_unlock(&blocks->lock);
    }
    cls_free(block.data);
}
