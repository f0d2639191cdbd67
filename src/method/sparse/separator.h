/*
 * separator.h: a small set of vertices without which a graph falls into two parts of about the same size, found at
 * several levels of coarseness.
 */
#ifndef CLS_SEPARATOR_H
#define CLS_SEPARATOR_H

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

enum { CLS_SEPARATOR = 2 }; /* the side of the vertices between the sides 0 and 1 */

/*
 * Writes the side of each vertex. No edge joins the sides 0 and 1, either of which may be empty. `even`: sides of about
 * the same size count for more. The same arguments give the same sides. 0: no memory.
 */
int cls_separate(const cls_weighted *graph, int even, uint64_t seed, unsigned char *side);

/* ---- coarsen.c ---- */

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
