/* matrix_write.h: the text of a matrix on any stream, for mm_write and its tests. */
#ifndef CLS_IO_MATRIX_WRITE_H
#define CLS_IO_MATRIX_WRITE_H

#include <stdio.h>

#include "io/matrix_market.h"

/* 0, or -1 with errno set by the write that failed. Does not flush. */
int mm_print(FILE *stream, const mm_matrix *matrix, const char *comment);

#endif
