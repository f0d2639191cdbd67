/* batch_host_element.h: one member of a batch; included by batch_host.c once for each type (method/elements_each.h). */
#include "method/gauss_jordan/eliminate_element.h"

CLS_CLONES
static int32_t NAME(invert)(const members *m, int64_t at, room *r) {
    const int64_t n = m->batch->n;
    ELEMENT *A = (ELEMENT *)(void *)r->A, *data = (ELEMENT *)m->A + at;
    if (!NAME(gather)(data, m->a, n, n, A)) return -1;
    const int32_t info = NAME(eliminate)(A, n, NULL, 0, r->pivots);
    if (info != 0) return info;
    NAME(order)(A, n, r->pivots);
    if (!NAME(finite)(A, n * n)) return -1;
    NAME(scatter)(data, m->b, n, n, A);
    return 0;
}

CLS_CLONES
static int32_t NAME(columns)(const members *m, int64_t at, int64_t side, int64_t c, int deliver, room *r) {
    const int64_t n = m->batch->n, cols = m->rhs - c < LARGEST ? m->rhs - c : LARGEST;
    ELEMENT *A = (ELEMENT *)(void *)r->A, *B = (ELEMENT *)(void *)r->B,
            *data = (ELEMENT *)m->B + side + c * m->b.column;
    const int finite = NAME(gather)((const ELEMENT *)m->A + at, m->a, n, n, A);
    if (!NAME(gather)(data, m->b, n, cols, B) || !finite) return -1;
    const int32_t info = NAME(eliminate)(A, n, B, cols, r->pivots);
    if (info != 0) return info;
    if (!NAME(finite)(B, n * cols)) return -1;
    if (deliver) NAME(scatter)(data, m->b, n, cols, B);
    return 0;
}
