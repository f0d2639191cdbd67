/*
 * solve.c: substitution with the fronts of factor.c, from the leaves up with the first triangle and down again with the
 * second one. Right-hand sides go in groups of GROUP, whatever the number of threads is, and each thread takes groups.
 */
#include <complex.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "method/fronts_host/product.h"
#include "method/fronts_host/fronts.h"

enum { GROUP = 16 };

/* One group of right-hand sides on its way. */
typedef struct passage {
    const cls_factors *factors;
    int64_t nrhs;
    void *x, *y;         /* n x nrhs in positions: y of the first triangle's side, x of the second's */
    void *inner, *outer; /* gathered: rows that are eliminated, and those below */
} passage;

#define ELEMENT        double
#define NAME(x)        x##_real
#define PRODUCT(x)     cls_##x##_real
#define CONJUGATE(x)   (x)
#define QUOTIENT(x, t) ((x) / (t))
#include "method/fronts_host/solve_element.h"
#undef ELEMENT
#undef NAME
#undef PRODUCT
#undef CONJUGATE
#undef QUOTIENT

#define ELEMENT        double complex
#define NAME(x)        x##_complex
#define PRODUCT(x)     cls_##x##_complex
#define CONJUGATE(x)   conj(x)
#define QUOTIENT(x, t) cls_quotient(x, t)
#include "method/fronts_host/solve_element.h"

static void pass(const passage *p, int adjoint) {
    const int one_sided = cls_form_is_one_sided(p->factors->form);
    if (p->factors->parts == 2)
        one_sided ? symmetric_complex(p) : adjoint ? adjoint_complex(p, adjoint == 2) : plain_complex(p);
    else
        one_sided ? symmetric_real(p) : adjoint ? adjoint_real(p, 0) : plain_real(p);
}

static void conjugate(double *x, int64_t elements) {
    for (int64_t k = 0; k < elements; k++) x[2 * k + 1] = -x[2 * k + 1];
}

/* All right-hand sides; each part of the job is a group of them. */
typedef struct sides {
    const cls_factors *factors;
    int adjoint;
    double *x;
    int64_t nrhs, most; /* most: rows of the largest front, with delayed pivots */
    atomic_int failed;  /* there was no memory */
} sides;

static void solve_group(void *what, int64_t part) {
    sides *all = what;
    const cls_factors *factors = all->factors;
    const int64_t n = factors->symbolic->tree.n, element = factors->parts * (int64_t)sizeof(double);
    const int64_t first = part * GROUP, group = all->nrhs - first < GROUP ? all->nrhs - first : GROUP;
    double *columns = all->x + first * n * factors->parts;
    /* A^T x = b of a hermitian A is A conj(x) = conj(b), and so is A^H x = b of a symmetric one. */
    const int turned = cls_form_is_one_sided(factors->form) && factors->parts == 2 &&
                       all->adjoint == (cls_form_conjugates(factors->form) ? 1 : 2);
    passage p = {.factors = factors,
                 .nrhs = group,
                 .x = columns,
                 .y = cls_alloc((size_t)(n * group) + 1, (size_t)element),
                 .inner = cls_alloc((size_t)(all->most * group) + 1, (size_t)element),
                 .outer = cls_alloc((size_t)(all->most * group) + 1, (size_t)element)};
    if (p.y && p.inner && p.outer) {
        if (turned) conjugate(columns, n * group);
        memcpy(p.y, columns, (size_t)(n * group * element));
        pass(&p, all->adjoint);
        if (turned) conjugate(columns, n * group);
    } else {
        atomic_store(&all->failed, 1);
    }
    cls_free(p.y);
    cls_free(p.inner);
    cls_free(p.outer);
}

int cls_factors_solve(const cls_factors *factors, int adjoint, double *x, int64_t nrhs, cls_pool *pool) {
    sides all = {.factors = factors, .adjoint = adjoint, .x = x, .nrhs = nrhs, .most = factors->symbolic->largest};
    for (int64_t s = 0; s < factors->symbolic->tree.fronts; s++)
        all.most = factors->front[s].m > all.most ? factors->front[s].m : all.most;
    cls_job job = {.work = solve_group, .what = &all, .parts = (nrhs + GROUP - 1) / GROUP};
    if (job.parts > 0) cls_pool_run(pool, &job);
    return atomic_load(&all.failed) == 0;
}
