/*
 * arrays.h: arrays that begin and end together: one piece of memory, which the first one's pointer frees. All zeroed.
 *
 *      int64_t *next;
 *      double *size;
 *      if (!CLS_ALLOC_ALL(CLS_ARRAY(next, n), CLS_ARRAY(size, 2 * n))) return 0;
 *      cls_free(next);
 */
#ifndef CLS_ARRAYS_H
#define CLS_ARRAYS_H

#include "base/memory.h"

typedef struct cls_array {
    void *pointer; /* where the array's pointer is */
    size_t count, size;
} cls_array;

/* 0: memory is short, and the pointers are NULL. */
int cls_alloc_all(const cls_array *list, size_t count);
#define CLS_ARRAY(name, count)                                                                                         \
    { &(name), (size_t)(count), sizeof *(name) }
#define CLS_ALLOC_ALL(...)                                                                                             \
    cls_alloc_all((const cls_array[]){__VA_ARGS__}, sizeof((const cls_array[]){__VA_ARGS__}) / sizeof(cls_array))

#endif
