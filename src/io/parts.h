/* parts.h: work in parts, done by all cores that this process may use. */
#ifndef CLS_IO_PARTS_H
#define CLS_IO_PARTS_H

enum { MM_MOST_PARTS = 16 };

/* How many parts keep the cores busy: 1 .. MM_MOST_PARTS. */
int mm_parts(void);

/* work(what, part) for each part of 0 .. parts-1, once and by any thread; returns when all are done. `parts` is at most
 * MM_MOST_PARTS. */
void mm_run_parts(int parts, void (*work)(void *what, int part), void *what);

#endif
