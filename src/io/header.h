/* header.h: what a Matrix Market file says of itself: the banner and the size line, with what lies between. */
#ifndef CLS_IO_HEADER_H
#define CLS_IO_HEADER_H

#include <stdint.h>

#include "io/lines.h"

typedef enum mm_field { MM_REAL, MM_INTEGER, MM_UNSIGNED, MM_PATTERN, MM_COMPLEX } mm_field;

typedef enum mm_symmetry { MM_GENERAL, MM_SYMMETRIC, MM_SKEW, MM_HERMITIAN } mm_symmetry;

typedef struct mm_header {
    int sparse; /* coordinate */
    mm_field field;
    mm_symmetry symmetry;
    int64_t rows, cols; /* 0 .. MM_SIZE_MAX, equal unless general */
    int64_t entries;    /* lines of entries to follow */
    int64_t size_line;
} mm_header;

/* No index beyond 31 bits: a matrix of that size is no matrix to be solved here, and its products fit 64 bits. */
#define MM_SIZE_MAX INT64_C(2147483647)

/* Reads up to and including the size line. A file without a banner is taken as `coordinate real general`, with a
 * warning, when its size line has three numbers. */
mm_result mm_read_header(mm_lines *lines, mm_header *header);

#endif
