/* stats.h (private): counts of calls, for CLSOLVE_LAPACK_STATS. */
#ifndef CLS_LAPACK_STATS_H
#define CLS_LAPACK_STATS_H

/*
 * A line for each entry that was called: "dgetrf_ device 3 small 10 argument 0 closed 0 busy 0 failed 0". To stderr, or
 * added to the file; nothing if nothing was counted.
 */
void cls_lapack_print_stats(void);

#endif
