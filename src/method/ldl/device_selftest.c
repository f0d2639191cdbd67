/*
 * device_selftest.c: two systems by which the kernels are tried before their first use on a device and driver. Windows
 * find the pivots of one, of both orders, and the other one wants the exact way; both ways with rook and with partial
 * pivots. Residuals of the factors and of a solution decide.
 */
#include <math.h>
#include <stdio.h>

#include "base/element.h"
#include "base/memory.h"
#include "method/ldl/device.h"

enum { MORE = 7 }; /* rows behind two windows */

typedef struct trial {
    cls_ldl ldl;
    cls_ldl_device own;
    double complex *A, *L; /* n x n */
    void *values;          /* n x n of the type */
} trial;

static double complex adjoint(const cls_ldl *ldl, double complex x) {
    return ldl->hermitian ? conj(x) : x;
}

/* Multiples of 1/8 between -1 and 1, and zeros in every third place of the diagonal; or two corners alone. */
static void fill(trial *t, int corners) {
    const int64_t n = t->ldl.n, half = n / 2;
    uint32_t drawn = 1;

    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j; i < n; ++i) {
            drawn = drawn * 1664525u + 1013904223u;
            double complex a = (double)(drawn >> 28) / 8 - 1;
            if (cls_is_complex(t->ldl.type) && i != j) a += ((double)(drawn >> 24 & 15) / 8 - 1) * I;
            if (i == j && i % 3 == 0) a = 0;
            if (corners) a = (i < half) == (j < half) ? (i == n - 1 && j == i) : a;
            t->A[i + j * n] = a;
            t->A[j + i * n] = adjoint(&t->ldl, a);
        }
}

/* The rows and columns of A in the order of the pivots. */
static double complex moved(const trial *t, int64_t i, int64_t j) {
    const int64_t *order = t->own.host_permutation;
    return t->A[order[i] + order[j] * t->ldl.n];
}

/* L D L^H is A but for rounding, and L is bounded. */
static int factors_are_right(const trial *t) {
    const cls_ldl *ldl = &t->ldl;
    const int64_t n = ldl->n;
    const double enough = 100 * (double)n * cls_type_epsilon(ldl->type);

    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j; i < n; ++i) {
            double complex sum = moved(t, i, j);
            for (int64_t k = 0; k <= j; ++k) {
                const double complex e = cls_element_get(ldl->type, ldl->e, k), l = i == k ? 1 : t->L[i + k * n];
                const double complex r = adjoint(ldl, j == k ? 1 : t->L[j + k * n]);
                const double complex below = k + 1 == i ? 1 : k + 1 < i ? t->L[i + (k + 1) * n] : 0;
                const double complex right = adjoint(ldl, k + 1 == j ? 1 : k + 1 < j ? t->L[j + (k + 1) * n] : 0);
                sum -= l * cls_element_get(ldl->type, ldl->d, k) * r;
                if (e != 0) sum -= below * e * r + l * adjoint(ldl, e) * right;
            }
            if (!(cabs(sum) <= enough) || (i > j && !(cabs(t->L[i + j * n]) <= 12))) return 0;
        }
    return 1;
}

/* `x`: the solution for the right-hand side of ones. */
static int solution_is_right(const trial *t, const void *x) {
    const int64_t n = t->ldl.n;
    double most = 1;

    for (int64_t i = 0; i < n; ++i) most = fmax(most, cabs(cls_element_get(t->ldl.type, x, i)));
    for (int64_t i = 0; i < n; ++i) {
        double complex sum = -1;
        for (int64_t k = 0; k < n; ++k) sum += t->A[i + k * n] * cls_element_get(t->ldl.type, x, k);
        if (!(cabs(sum) <= 100 * (double)n * cls_type_epsilon(t->ldl.type) * most)) return 0;
    }
    return 1;
}

static cls_rect rect_of(const cls_matrix *matrix, int64_t cols) {
    const size_t size = (size_t)cls_type_size(matrix->type), bytes = (size_t)matrix->rows * size;
    return (cls_rect){bytes, (size_t)cols, 0, (size_t)matrix->ld * size, bytes};
}

static clsolve_status solve(trial *t, int *right) {
    cls_ldl *ldl = &t->ldl;
    const cls_device_ops *ops = ldl->device->ops;
    const cls_rect side = rect_of(&ldl->B, 1);

    for (int64_t k = 0; k < ldl->n; ++k) cls_element_put(ldl->type, t->values, k, 1);
    CLS_TRY(ops->write(ldl->device, CLS_COMPUTE, ldl->B.slab[0], t->values, &side, NULL, NULL));
    CLS_TRY(cls_ldl_device_apply(ldl, 1));
    CLS_TRY(ops->read(ldl->device, CLS_COMPUTE, ldl->B.slab[0], t->values, &side, NULL, NULL));
    CLS_TRY(ops->finish(ldl->device, CLS_COMPUTE));
    *right = solution_is_right(t, t->values);
    return CLSOLVE_OK;
}

static clsolve_status run(trial *t, int corners, int *right) {
    static const clsolve_ldl_options options = {.panel = CLSOLVE_PANEL_NATIVE};
    cls_ldl *ldl = &t->ldl;
    const cls_device_ops *ops = ldl->device->ops;
    const int64_t n = ldl->n;
    const cls_rect all = rect_of(&ldl->A, n);
    int64_t info;

    fill(t, corners);
    for (int64_t k = 0; k < n * n; ++k) cls_element_put(ldl->type, t->values, k, t->A[k]);
    CLS_TRY(ops->write(ldl->device, CLS_COMPUTE, ldl->A.slab[0], t->values, &all, NULL, NULL));
    CLS_TRY(cls_ldl_device_factor(ldl, &options, &info));
    CLS_TRY(ops->read(ldl->device, CLS_COMPUTE, ldl->A.slab[0], t->values, &all, NULL, NULL));
    CLS_TRY(ops->finish(ldl->device, CLS_COMPUTE));
    for (int64_t k = 0; k < n * n; ++k) t->L[k] = cls_element_get(ldl->type, t->values, k);
    *right = info == 0 && factors_are_right(t) && (t->own.exact_blocks > 0) == corners;
    return *right ? solve(t, right) : CLSOLVE_OK;
}

static clsolve_status take(trial *t) {
    cls_ldl *ldl = &t->ldl;
    const size_t n = (size_t)ldl->n, size = (size_t)cls_type_size(ldl->type);

    t->A = cls_alloc(n * n, sizeof *t->A);
    t->L = cls_alloc(n * n, sizeof *t->L);
    t->values = cls_alloc(n * n, size);
    ldl->ipiv = cls_alloc(n, sizeof *ldl->ipiv);
    ldl->d = cls_alloc(n, size);
    ldl->e = cls_alloc(n, size);
    if (!t->A || !t->L || !t->values || !ldl->ipiv || !ldl->d || !ldl->e)
        return cls_fail(ldl->device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory to test a kernel with");
    CLS_TRY(cls_matrix_create(ldl->device, ldl->type, ldl->n, ldl->n, 1, 0, &ldl->A));
    CLS_TRY(cls_matrix_create(ldl->device, ldl->type, ldl->n, 1, 1, 0, &ldl->B));
    return cls_ldl_take_buffers(ldl);
}

/* With the kernels of `ldl`, and all else of its own. */
static clsolve_status try_both(void *what, int *right) {
    const cls_ldl *ldl = what;
    const cls_ldl_device *own = cls_ldl_own(ldl);
    cls_device *device = ldl->device;
    trial t = {.ldl = {.device = device, .type = ldl->type, .hermitian = ldl->hermitian, .n = 2 * own->window + MORE},
               .own = {.window = own->window,
                       .taken = own->taken,
                       .block = 2 * own->taken,
                       .strip_ld = cls_matrix_ld(2 * own->window + MORE, cls_type_size(ldl->type)),
                       .exact_items = own->exact_items,
                       .step = own->step,
                       .rows = own->rows,
                       .exact = own->exact,
                       .gather = own->gather,
                       .divide = own->divide,
                       .scatter = own->scatter}};

    t.ldl.own = &t.own;
    clsolve_status status = take(&t);
    *right = 1;
    for (int k = 0; k < 4 && status == CLSOLVE_OK && *right; ++k) {
        t.ldl.partial = k / 2;
        status = run(&t, k % 2, right);
    }
    (void)device->ops->finish(device, CLS_COMPUTE); /* what is under way uses `values` */
    cls_ldl_release_buffers(&t.ldl);
    cls_matrix_destroy(device, &t.ldl.A);
    cls_matrix_destroy(device, &t.ldl.B);
    cls_free(t.ldl.ipiv);
    cls_free(t.ldl.d);
    cls_free(t.ldl.e);
    cls_free(t.A);
    cls_free(t.L);
    cls_free(t.values);
    return status;
}

clsolve_status cls_ldl_self_test(cls_ldl *ldl, const char *options) {
    char name[192];
    int right;

    (void)snprintf(name, sizeof name, "ldl %s", options);
    CLS_TRY(cls_test_once(ldl->device, name, try_both, ldl, &right));
    return right ? CLSOLVE_OK : cls_fail_test(ldl->device, "the kernels of LDL^T", ldl->type);
}
