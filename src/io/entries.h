/*
 * entries.h: the lines behind the size line, as triplets or as the values of an array. They are read one after the
 * other (entries.c), or in blocks of which each core takes a part (blocks.c).
 */
#ifndef CLS_IO_ENTRIES_H
#define CLS_IO_ENTRIES_H

#include "io/header.h"
#include "io/lines.h"

typedef struct mm_entries {
    mm_lines lines;
    mm_header header;
    int64_t taken;                      /* lines with entries so far */
    int64_t *row, *column;              /* sparse only */
    double *value;                      /* two numbers an entry of a complex file */
    int64_t count, capacity;            /* of entries */
    int64_t underflows, underflow_line; /* how many values became 0, the first of them on this line */
} mm_entries;

/* All that are not taken yet, and the rest of the file, where nothing may stand. */
mm_result mm_entries_read(mm_entries *entries);
/* One, from a line that is not blank. */
mm_result mm_entries_take(mm_entries *entries, mm_span line);
/* Reads the entries of whole blocks that are right, as many as there are; the lines begin behind them then. */
mm_result mm_entries_read_blocks(mm_entries *entries);

/* Above the diagonal stands what the entry below it becomes: itself, less, or conjugate. */
void mm_mirror(mm_symmetry symmetry, double value[2]);

/* Room for twice as many. */
mm_result mm_entries_grow(mm_entries *entries);
mm_result mm_entries_out_of_memory(mm_entries *entries);
/* Numbers in an entry. */
int64_t mm_entries_parts(const mm_entries *entries);

/* The arrays. */
void mm_entries_free(mm_entries *entries);

#endif
