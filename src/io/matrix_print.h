/* matrix_print.h: the text of a matrix on any stream, for mm_write and its tests. */
#ifndef CLS_IO_MATRIX_PRINT_H
#define CLS_IO_MATRIX_PRINT_H

#include <stdio.h>

#include "io/matrix_market.h"

/* 0, or -1 with errno set by the write that failed. Does not flush. */
int mm_print(FILE *stream, const mm_matrix *matrix, const char *comment);

/* Its parts, for matrices that are made as they are written: banner, comment and the sizes of `matrix`, whose arrays
 * are not looked at; then each entry of a coordinate file, row and column from 0. */
int mm_print_head(FILE *stream, const mm_matrix *matrix, const char *comment);
int mm_print_entry(FILE *stream, int64_t row, int64_t column, double value);

#endif
