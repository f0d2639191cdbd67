/* counts.h: what libclsolve_lapack.so counted in a program: the file that CLSOLVE_LAPACK_STATS names, as a table. */
#ifndef CLS_TOOL_COUNTS_H
#define CLS_TOOL_COUNTS_H

#include <stdio.h>

/*
 * Reads lines "clsolve: SYMBOL WAY COUNT WAY COUNT ..." and prints the sums of all processes, a line a symbol, to `to`.
 * Other lines are skipped. Returns how many symbols there were.
 */
int counts_print(FILE *from, FILE *to);

#endif
