/*
 * selftest.c: a leaf with a known factor, by which the kernels are tried before their first use on a device and driver.
 *
 * L has twos on its diagonal and quarters below, of a complex matrix times i in some places, so every step is exact, in
 * float too. A second matrix fails in a column.
 */
#include <stdio.h>

#include "base/element.h"
#include "base/memory.h"
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
    const cls_device_ops *ops = t->device->ops;
    const cls_ref at = cls_matrix_at(&t->A, 0, 0);
    const size_t bytes = (size_t)(t->A.ld * t->leaf * cls_type_size(t->type));
    const cls_rect all = {bytes, 1, 0, bytes, bytes}, word = {sizeof(int64_t), 1, 0, sizeof(int64_t), sizeof(int64_t)};
    int64_t info = 0;

    fill(t, fails, values);
    CLS_TRY(ops->write(t->device, CLS_COMPUTE, at.buffer, values, &all, NULL, NULL));
    CLS_TRY(ops->fill(t->device, CLS_COMPUTE, t->info, 0, sizeof info, 0));
    CLS_TRY(cls_cholesky_leaf(t, 0, t->leaf));
    CLS_TRY(ops->read(t->device, CLS_COMPUTE, at.buffer, values, &all, NULL, NULL));
    CLS_TRY(ops->read(t->device, CLS_COMPUTE, t->info, &info, &word, NULL, NULL));
    CLS_TRY(ops->finish(t->device, CLS_COMPUTE));
    *right = fails ? info == BAD + 1 : info == 0 && is_right(t, values);
    return CLSOLVE_OK;
}

/* A matrix that has a factor and one that has none, with the leaf and the rows in a launch each and in one. */
static clsolve_status try_all(cls_cholesky *cholesky, int *right) {
    cls_cholesky t = *cholesky;
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
    enum { RIGHT = 1, WRONG = 2 };
    cls_device *device = cholesky->device;
    const cls_counters before = device->counters; /* what the test moves is no caller's */
    char name[160];
    int right = 0;

    (void)snprintf(name, sizeof name, "cholesky %s", options);
    const int known = device->ops->recall(device, name);
    if (known == RIGHT) return CLSOLVE_OK;
    if (known != WRONG) {
        CLS_TRY(try_all(cholesky, &right));
        device->counters = before;
        device->ops->remember(device, name, right ? RIGHT : WRONG);
    }
    if (right) return CLSOLVE_OK;
    return cls_fail(
        device->error, CLSOLVE_ERROR_UNSUPPORTED,
        "the Cholesky kernels in %s give wrong results on %s with driver %s, a fault of its compiler as a rule: "
        "use another device or driver",
        cls_is_double(cholesky->type) ? "double" : "single", device->info.name, device->info.driver);
}
