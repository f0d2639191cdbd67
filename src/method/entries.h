/*
 * entries.h: a sparse matrix of the caller's for the methods that factor it: checked, renumbered, by columns, and put
 * to its places on the device. Only the entries cross, never the zeros.
 */
#ifndef CLS_METHOD_ENTRIES_H
#define CLS_METHOD_ENTRIES_H

#include <clsolve/csr.h>

#include "device/matrix.h"

/* Rows ascend in each column, and no place has two entries. */
typedef struct cls_entries {
    int64_t n;
    int64_t *start, *row; /* n + 1; start[n] */
    int64_t parts;        /* doubles of an entry: 2 where the caller's are complex */
    double *value;
} cls_entries;

/* The matrix that the entries are to be: n x n of that type, with so many diagonals below and above the main one. */
typedef struct cls_entries_shape {
    int64_t n, kl, ku;
    clsolve_type type;
} cls_entries_shape;

/* INVALID_ARGUMENT or NONFINITE where A, once it is renumbered, is no matrix of that shape. */
clsolve_status cls_entries_check(cls_error *error, const char *call, const cls_entries_shape *shape,
                                 const clsolve_csr *A, const int64_t *rows, const int64_t *columns);

/*
 * Entry (i, j) of A comes to row rows[i] and column columns[j]; NULL: i, j. Entries at one place are added. A must have
 * been checked. On failure `entries` is empty.
 */
clsolve_status cls_entries_take(cls_error *error, const clsolve_csr *A, const int64_t *rows, const int64_t *columns,
                                cls_entries *entries);
void cls_entries_free(cls_entries *entries);

/* Entry e becomes element `at` of an array of that type. */
void cls_entries_put(const cls_entries *entries, int64_t e, clsolve_type type, void *array, int64_t at);
/* All of them into an n x n array, column-major, which is zero. */
void cls_entries_spell(const cls_entries *entries, clsolve_type type, void *array);

/* Columns begin .. begin + cols - 1 become the first `cols` columns of `to`, which has n rows. Waits. */
clsolve_status cls_entries_scatter(cls_device *device, const cls_entries *entries, int64_t begin, int64_t cols,
                                   const cls_matrix *to);

/* Do they take fewer bytes than so many elements of a dense matrix or a band? */
int cls_entries_are_few(const cls_entries *entries, clsolve_type type, int64_t elements);

/* Entries on their way: what crosses at a time, here and on the device. Complex ones cross as two real numbers. */
typedef struct cls_passage {
    cls_device *device;
    clsolve_type type;
    cls_buffer *place, *value;
    int64_t *places;
    void *values;
    int64_t entries, count; /* at most, and now */
    cls_kernel *kernel;
    size_t local;
} cls_passage;

/* For so many entries, at least 1. On failure too the caller closes it. */
clsolve_status cls_passage_open(cls_device *device, clsolve_type type, int64_t entries, cls_passage *passage);
/* Waits. The context's message stays. */
void cls_passage_close(cls_passage *passage);
/* Entry e is to become element `place` of `to`; and all that were put become so. Both wait where entries cross. */
clsolve_status cls_passage_put(cls_passage *passage, const cls_entries *entries, int64_t e, cls_buffer *to,
                               int64_t place);
clsolve_status cls_passage_cross(cls_passage *passage, cls_buffer *to);

#endif
