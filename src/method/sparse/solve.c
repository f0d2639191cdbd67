/*
 * solve.c: substitution with the fronts of factor.c, from the leaves up with the first triangle and down again with the
 * second one. Right-hand sides go in groups of GROUP.
 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method/sparse/product.h"
#include "method/sparse/sparse.h"

enum { GROUP = 32 };

/* One group of right-hand sides on its way. */
typedef struct passage {
    const cls_factors *factors;
    int64_t nrhs;
    void *x, *y;         /* n x nrhs in positions: y of the first triangle's side, x of the second's */
    void *inner, *outer; /* gathered: rows that are eliminated, and those below */
} passage;

#define ELEMENT    double
#define NAME(x)    x##_real
#define PRODUCT(x) cls_##x##_real
#include "method/sparse/solve_element.h"
#undef ELEMENT
#undef NAME
#undef PRODUCT

#define ELEMENT    double complex
#define NAME(x)    x##_complex
#define PRODUCT(x) cls_##x##_complex
#include "method/sparse/solve_element.h"

static void pass(const passage *p, int adjoint) {
    if (p->factors->parts == 2)
        p->factors->cholesky ? cholesky_complex(p) : adjoint ? adjoint_complex(p, adjoint == 2) : plain_complex(p);
    else
        p->factors->cholesky ? cholesky_real(p) : adjoint ? adjoint_real(p, 0) : plain_real(p);
}

static void conjugate(double *x, int64_t elements) {
    for (int64_t k = 0; k < elements; k++) x[2 * k + 1] = -x[2 * k + 1];
}

int cls_factors_solve(const cls_factors *factors, int adjoint, double *x, int64_t nrhs) {
    const int64_t n = factors->symbolic->tree.n, element = factors->parts * (int64_t)sizeof(double);
    const int64_t group = nrhs < GROUP ? nrhs : GROUP;
    int64_t most = factors->symbolic->largest;
    for (int64_t s = 0; s < factors->symbolic->tree.fronts; s++)
        most = factors->front[s].m > most ? factors->front[s].m : most;
    passage p = {.factors = factors,
                 .y = cls_alloc((size_t)(n * group) + 1, (size_t)element),
                 .inner = cls_alloc((size_t)(most * group) + 1, (size_t)element),
                 .outer = cls_alloc((size_t)(most * group) + 1, (size_t)element)};
    const int room = p.y && p.inner && p.outer;
    /* A^T x = b of a hermitian A is A conj(x) = conj(b). */
    const int turned = factors->cholesky && factors->parts == 2 && adjoint == 1;
    for (int64_t j = 0; j < nrhs && room; j += p.nrhs) {
        double *columns = x + j * n * factors->parts;
        p.nrhs = nrhs - j < GROUP ? nrhs - j : GROUP;
        p.x = columns;
        if (turned) conjugate(columns, n * p.nrhs);
        memcpy(p.y, columns, (size_t)(n * p.nrhs * element));
        pass(&p, adjoint);
        if (turned) conjugate(columns, n * p.nrhs);
    }
    cls_free(p.y);
    cls_free(p.inner);
    cls_free(p.outer);
    return room;
}
