/* io_support.h: a folder for the files of one test program, and texts as files. */
#ifndef CLSOLVE_TEST_IO_SUPPORT_H
#define CLSOLVE_TEST_IO_SUPPORT_H

#include <stddef.h>

#include "io/matrix_market.h"

/* cmocka's group setup and teardown: an empty folder of its own, removed with what lies in it. */
int io_folder_create(void **state);
int io_folder_remove(void **state);

/* A path in the folder. Valid for four more calls. */
const char *io_path(const char *name);

/* How many files the folder holds, temporary ones too. */
int io_folder_count(void);

void io_write_text(const char *path, const char *bytes, size_t length);

/* The whole file with a NUL behind it, for free(); NULL when there is none. */
char *io_read_text(const char *path, size_t *length);

/* mm_read_memory of a string, which must succeed without a warning. */
mm_matrix io_parse(const char *text);

/* Sizes, structure and the very bits of the values. */
void io_assert_same(const mm_matrix *left, const mm_matrix *right);

#endif
