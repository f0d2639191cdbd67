/* nested.h: nested dissection by threads. */
#ifndef CLS_ANALYSIS_NESTED_H
#define CLS_ANALYSIS_NESTED_H

#include "method/analysis/separator.h"
#include "method/analysis/analysis.h"

/* Asked when the weight of the first separator is known. 0: the order is not wanted any more. */
typedef struct cls_nested_question {
    int (*goes_on)(void *of, int64_t separator); /* NULL: it is wanted */
    void *of;
} cls_nested_question;

/* place[v]: position of vertex v; the same for any number of threads. Vertices and neighbours fit an int. 0: no memory,
 * or not wanted. */
int cls_nested(const cls_graph *graph, cls_pool *pool, cls_nested_question question, int64_t *place);

#endif
