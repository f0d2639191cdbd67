/* check.h: what one pass over a matrix on the device tells: is it finite, how large is it? See cl/measure.cl. */
#ifndef CLS_CHECK_H
#define CLS_CHECK_H

#include "device/matrix.h"

enum { CLS_RECORD_WORDS = 8, CLS_RECORD_EXPONENT = 3, CLS_RECORD_MANTISSA = 4 };

/* A NaN or Inf, counted from 0; row -1: none. */
typedef struct cls_place {
    int64_t row, column;
} cls_place;

typedef struct cls_measures {
    int64_t row, column; /* of the first NaN or Inf in column order; -1 when all is finite */
    double largest;      /* the largest |a(i,j)|; of complex elements that of max(|re|, |im|), which cannot overflow */
    double norm1;        /* the largest sum of |a(i,j)| of a column, times 2^-16 so that it is finite */
} cls_measures;

/* The pass on one device, for one type. A zeroed one is valid to destroy. */
typedef struct cls_check {
    cls_kernel *measure, *join;
    cls_buffer *firsts, *largests, *norms; /* a value a work-group */
    cls_buffer *record;                    /* CLS_RECORD_WORDS of 8 bytes: the result, and room for what joins it */
    cls_buffer *before;                    /* likewise: the result of the pass before the turn */
    clsolve_type type;
    int64_t lanes, columns; /* the work-group: lanes a column, columns at a time */
    int64_t groups;         /* the most of them */
    cls_measures mapped;    /* of a mapped matrix: the host's own */
    int is_mapped;
} cls_check;

#define CLS_NORM_SCALE 0x1p-16

/* The part that the pass is over, as in cl/measure.cl. */
typedef enum cls_check_part {
    CLS_CHECK_WHOLE = 0,
    CLS_CHECK_UPPER = 1, /* `largest` is that of the upper triangle, and all else of the whole matrix */
    CLS_CHECK_LOWER = 2  /* the lower triangle alone, the other one may be anything; not of a mapped matrix */
} cls_check_part;

clsolve_status cls_check_create(cls_device *device, clsolve_type type, cls_check *check);
/* Another kernel of cl/measure.cl. */
clsolve_status cls_check_kernel(cls_device *device, clsolve_type type, const char *name, cls_kernel **kernel);
void cls_check_destroy(cls_device *device, cls_check *check);

/*
 * Enqueues the pass over the first `cols` columns. The result stays on the device, in check->record, until
 * cls_check_read: enqueues its reading, waits, and takes it apart. The record itself goes to `words` when that is not
 * NULL.
 */
clsolve_status cls_check_enqueue(cls_device *device, cls_check *check, const cls_matrix *matrix, int64_t cols,
                                 cls_check_part part);
/* Can a view of the caller's be copied and looked at in one pass? Then that is done, as an upload and cls_check_enqueue
 * do it in two. */
int cls_check_takes(const clsolve_matrix *view, const cls_matrix *matrix);
void cls_check_take(cls_device *device, cls_check *check, const clsolve_matrix *view, const cls_matrix *matrix);
/* The same of the columns begin .. end-1 of a matrix that is not mapped. */
clsolve_status cls_check_enqueue_columns(cls_device *device, cls_check *check, const cls_matrix *matrix, int64_t begin,
                                         int64_t end, cls_check_part part);
/* The same, joined to what the record holds where `more`. */
clsolve_status cls_check_enqueue_more(cls_device *device, cls_check *check, const cls_matrix *matrix, int64_t begin,
                                      int64_t end, cls_check_part part, int more);
clsolve_status cls_check_read(cls_device *device, cls_check *check, int64_t rows, cls_measures *measures,
                              int64_t *words);

/*
 * Two passes and one wait, not of mapped matrices:
 *
 *     enqueue, turn, work, enqueue, read_both
 */
void cls_check_turn(cls_check *check);
clsolve_status cls_check_read_both(cls_device *device, const cls_check *check, int64_t rows, cls_measures *before,
                                   cls_measures *now);
/* A record as cls_check_read takes it apart. */
cls_measures cls_check_measures(const cls_check *check, const int64_t *record, int64_t rows);

/* Enqueues the pass over columns of one slab and nothing else: the first `count` words of check->firsts then hold,
 * each, the smallest index i + j * rows of a NaN or Inf that one work-group has found, or INT64_MAX. */
clsolve_status cls_check_enqueue_slab(cls_device *device, cls_check *check, const cls_matrix *matrix, int64_t begin,
                                      int64_t cols, cls_check_part part, int64_t *count);

/* One more part of a matrix, columns begin .. begin + cols - 1 in one slab, joined to what the record holds where
 * `more`. Enqueues in that queue: all parts of a matrix in the same. */
clsolve_status cls_check_accumulate(cls_device *device, cls_check *check, cls_queue queue, const cls_matrix *matrix,
                                    int64_t begin, int64_t cols, cls_check_part part, int more);

/* A REAL that a kernel left from a word of a record on: the first, or the second one of an ELEMENT. */
double cls_check_real(const cls_check *check, const int64_t *word);
double cls_check_imaginary(const cls_check *check, const int64_t *word);

/* Both at once, for those who only want to know where a NaN or Inf is: *row is -1 when all is finite. */
clsolve_status cls_check_finite(cls_device *device, cls_check *check, const cls_matrix *matrix, int64_t cols,
                                int64_t *row, int64_t *column);

#endif
