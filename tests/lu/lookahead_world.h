/*
 * lookahead_world.h: what factor.c and far.c enqueue, without any of the work. Each piece is written down, with what it reads
 * and writes and with a vector clock of the queues. Two pieces that meet, one of them writing, must be ordered by the
 * queues' order and by events: then they run as they are enqueued, on every device. And in that order each column must
 * get what the factorization gives it, once each, with rows of L that lie as its own do.
 *
 * The linker puts the functions of lookahead_world.c in the place of those that enqueue (CMakeLists.txt).
 */
#ifndef CLSOLVE_TEST_LOOKAHEAD_WORLD_H
#define CLSOLVE_TEST_LOOKAHEAD_WORLD_H

#include "method/lu/lu.h"
#include "support/test_support.h"

enum { AHEAD_MOST = 2600, AHEAD_PIECES = 100000, AHEAD_AREAS = 3 };

/* What a piece touches: rows and columns of A, or entries of the leaves' lists of moves or of the merged ones. */
typedef struct ahead_area {
    enum { OF_A, OF_LISTS, OF_MERGED } of;
    int64_t r0, r1, c0, c1;
    int writes;
} ahead_area;

typedef struct ahead_piece {
    const char *name;
    cls_queue queue;
    int64_t at; /* its number in the queue, from 1 */
    ahead_area areas[AHEAD_AREAS];
    int count;
} ahead_piece;

typedef struct ahead_world {
    cls_lu lu;
    cls_device device;
    cls_error error;
    ahead_piece pieces[AHEAD_PIECES];
    int count, events;
    int64_t end;                           /* of the columns */
    int64_t by_blocks;                     /* columns of a block column that goes by strips of its own; or 0 */
    int64_t clock[CLS_QUEUES][CLS_QUEUES]; /* of a queue: how much of each other is before its next piece */
    int64_t flushed[CLS_QUEUES];
    /* Of each column, the columns of L before this one that have moved its rows, been solved for, been multiplied. */
    int64_t moved[AHEAD_MOST], solved[AHEAD_MOST], multiplied[AHEAD_MOST];
    /* And into its rows before `rows` alone, those of `above`. */
    int64_t rows[AHEAD_MOST], above[AHEAD_MOST];
    int factored[AHEAD_MOST];
    /* A matrix that comes while it is factored: columns at a time, 0: it is there; columns before `sent` were sent. */
    int64_t group, sent;
    test_random random; /* how many have come */
    char shape[160];
    int calls, fails_at; /* what may fail; the one that does, or 0 */
    int finished[CLS_QUEUES];
} ahead_world;

extern ahead_world ahead;
extern const cls_device_ops ahead_ops; /* of its device */

/* Else fails the test with what was to be so, of a column and L's columns p .. q-1. */
void ahead_expect(int right, const char *what, int64_t column, int64_t p, int64_t q);

#endif
