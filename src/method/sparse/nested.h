/* nested.h: nested dissection by threads. */
#ifndef CLS_NESTED_H
#define CLS_NESTED_H

#include "method/sparse/separator.h"
#include "method/sparse/sparse.h"

/* Asked when the weight of the first separator is known. 0: the order is not wanted any more. */
typedef struct cls_nested_question {
    int (*goes_on)(void *of, int64_t separator); /* NULL: it is wanted */
    void *of;
} cls_nested_question;

/* place[v]: position of vertex v; the same for any number of threads. Vertices and neighbours fit an int. 0: no memory,
 * or not wanted. */
int cls_nested(const cls_graph *graph, cls_pool *pool, cls_nested_question question, int64_t *place);

/* ---- quotient.c ---- */

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
