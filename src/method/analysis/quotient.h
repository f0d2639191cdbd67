/* quotient.h: the graph that nested dissection works on. */
#ifndef CLS_ANALYSIS_QUOTIENT_H
#define CLS_ANALYSIS_QUOTIENT_H

#include "method/analysis/coarsen.h"
#include "method/analysis/analysis.h"

/*
 * A graph without the vertices that have very many neighbours, in which vertices with the same neighbours are one.
 * vertex_of[v]: the vertex that v is part of; -1: v has been left out.
 */
typedef struct cls_quotient {
    cls_weighted graph;
    int32_t count; /* its vertices */
    int32_t *vertex_of;
    int triangles; /* 1: neighbours of a vertex are neighbours of each other in many places */
} cls_quotient;

/* 0: no memory. */
int cls_quotient_make(const cls_graph *graph, cls_quotient *quotient);
void cls_quotient_free(cls_quotient *quotient);
/* place: from positions `at` of the vertices of the quotient. 0: no memory. */
int cls_quotient_places(const cls_quotient *quotient, int64_t n, const int32_t *at, int64_t *place);

#endif
