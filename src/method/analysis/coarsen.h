/* coarsen.h: graphs with weights, and coarser ones of the same shape. */
#ifndef CLS_ANALYSIS_COARSEN_H
#define CLS_ANALYSIS_COARSEN_H

#include <stdint.h>

/* A graph with weights. Neighbours of vertex v: next[start[v]] .. next[start[v + 1] - 1], without v. */
typedef struct cls_weighted {
    int32_t n;
    int64_t total;  /* of the vertices' weights */
    int32_t *start; /* n + 1 */
    int32_t *next;
    int32_t *edge;   /* weights of the edges; NULL: 1 each */
    int32_t *weight; /* of the vertices */
} cls_weighted;

/* Room for a graph whose edges are counted at both ends; `edges`: with weights of them. 0: no memory. */
int cls_weighted_open(int32_t n, int64_t ends, int edges, cls_weighted *graph);
void cls_weighted_free(cls_weighted *graph);

/* The next of a row of random numbers. */
uint64_t cls_random(uint64_t *state);

/* Pairs of vertices that weigh at most `heaviest` become one each; coarse_of, of n elements, has the vertex of each. 0:
 * no memory. */
int cls_coarsen(const cls_weighted *graph, int64_t heaviest, uint64_t *random, int32_t *coarse_of,
                cls_weighted *coarse);

#endif
