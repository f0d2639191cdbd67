/*
 * separator.h: a small set of vertices without which a graph falls into two parts of about the same size, found at
 * several levels of coarseness.
 */
#ifndef CLS_ANALYSIS_SEPARATOR_H
#define CLS_ANALYSIS_SEPARATOR_H

#include "method/analysis/coarsen.h"

enum { CLS_SEPARATOR = 2 }; /* the side of the vertices between the sides 0 and 1 */

/*
 * Writes the side of each vertex. No edge joins the sides 0 and 1, either of which may be empty. `even`: sides of about
 * the same size count for more. The same arguments give the same sides. 0: no memory.
 */
int cls_separate(const cls_weighted *graph, int even, uint64_t seed, unsigned char *side);

#endif
