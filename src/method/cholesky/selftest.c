/*
 * selftest.c: a leaf with a known factor, by which the kernels are tried before their first use on a device and driver.
 *
 * L has twos on its diagonal and quarters below, of a complex matrix times i in some places, so every step is exact, in
 * float too. A second matrix fails in a column.
 */
#include <stdio.h>

#include "base/element.h"
#include "base/memory.h"
#include "device/use.h"
#include "method/cholesky/cholesky.h"

enum { MORE = 7, BAD = 20 }; /* rows below the leaf; the column that fails, from 0 */

static double complex value_of_l(clsolve_type type, int64_t i, int64_t k) {
    const double value = i < k ? 0 : i == k ? 2 : (double)((7 * i + 3 * k + i * k) % 3 - 1) / 4;
    return cls_is_complex(type) && i != k && (i + k) % 3 == 0 ? value * I : value;
}

/* The columns of the leaf, all rows; what is above the diagonal is to stay. */
static void fill(const cls_cholesky *t, int fails, void *values) {
    const int64_t rows = t->n, ld = t->A.ld;

    for (int64_t j = 0; j < t->leaf; ++j)
        for (int64_t i = 0; i < ld; ++i) {
            double complex sum = i < rows && i >= j ? 0 : 77;
            for (int64_t k = 0; k <= j && i < rows && i >= j; ++k)
                sum += value_of_l(t->type, i, k) * conj(value_of_l(t->type, j, k));
            cls_element_put(t->type, values, i + j * ld, fails && i == BAD && j == BAD ? -1 : sum);
        }
}

static int is_right(const cls_cholesky *t, const void *values) {
    const int64_t rows = t->n, ld = t->A.ld;

    for (int64_t j = 0; j < t->leaf; ++j)
        for (int64_t i = 0; i < ld; ++i) {
            const double complex wanted = i < rows && i >= j ? value_of_l(t->type, i, j) : 77;
            if (!(cabs(cls_element_get(t->type, values, i + j * ld) - wanted) <= 1e-4)) return 0;
        }
    return 1;
}

static clsolve_status run(cls_cholesky *t, int fails, void *values, int *right) {
    cls_device *device = t->device;
    const cls_ref at = cls_matrix_at(&t->A, 0, 0);
    const size_t bytes = (size_t)(t->A.ld * t->leaf * cls_type_size(t->type));
    int64_t info = 0;

    fill(t, fails, values);
    CLS_TRY(cls_bytes_write(device, CLS_COMPUTE, at.buffer, 0, values, bytes));
    CLS_TRY(device->ops->fill(device, CLS_COMPUTE, t->info, 0, sizeof info, 0));
    CLS_TRY(cls_cholesky_leaf(t, 0, t->leaf));
    CLS_TRY(cls_bytes_read(device, CLS_COMPUTE, at.buffer, 0, values, bytes));
    CLS_TRY(cls_bytes_get(device, t->info, 0, &info, sizeof info));
    *right = fails ? info == BAD + 1 : info == 0 && is_right(t, values);
    return CLSOLVE_OK;
}

/* A matrix that has a factor and one that has none, with the leaf and the rows in a launch each and in one. */
static clsolve_status try_all(void *what, int *right) {
    cls_cholesky *cholesky = what, t = *cholesky;
    void *values = NULL;
    clsolve_status status;

    t.n = t.reach = t.leaf + MORE;
    t.A = (cls_matrix){0};
    CLS_TRY(cls_matrix_create(t.device, t.type, t.n, t.leaf, 1, 0, &t.A));
    values = cls_alloc((size_t)(t.A.ld * t.leaf), (size_t)cls_type_size(t.type));
    status = values ? CLSOLVE_OK
                    : cls_fail(t.device->error, CLSOLVE_ERROR_OUT_OF_MEMORY, "no host memory to test a kernel with");
    *right = 1;
    for (int k = cholesky->together > 0 ? 0 : 2; k < 4 && status == CLSOLVE_OK && *right; ++k) {
        t.together = k < 2 ? cholesky->together : 0;
        status = run(&t, k % 2, values, right);
    }
    cholesky->offers.next = t.offers.next;
    if (status != CLSOLVE_OK) (void)t.device->ops->finish(t.device, CLS_COMPUTE); /* what is under way uses `values` */
    cls_free(values);
    cls_matrix_destroy(t.device, &t.A);
    return status;
}

clsolve_status cls_cholesky_self_test(cls_cholesky *cholesky, const char *options) {
    char name[160];
    int right;

    (void)snprintf(name, sizeof name, "cholesky %s", options);
    CLS_TRY(cls_test_once(cholesky->device, name, try_all, cholesky, &right));
    return right ? CLSOLVE_OK : cls_fail_test(cholesky->device, "the kernels of Cholesky", cholesky->type);
}
