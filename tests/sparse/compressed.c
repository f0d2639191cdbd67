/* compressed.c: compressed rows in every form, and the references of patterns.h. */
#include <lapacke.h>

#include "base/type.h"
#include "sparse/patterns.h"

/* ---- compressed rows ---- */

static void put_index(const csr *A, void *array, int64_t at, int64_t value) {
    if (A->view.index == CLSOLVE_I32)
        ((int32_t *)array)[at] = (int32_t)(value + A->view.base);
    else
        ((int64_t *)array)[at] = value + A->view.base;
}

static void put_entry(csr *A, const entry *from, double part) {
    put_index(A, A->column, A->count, from->column);
    const int64_t parts = cls_type_parts(A->view.type);
    cls_type_put(A->view.type, A->values, parts * A->count, part * creal(from->value));
    if (parts == 2) cls_type_put(A->view.type, A->values, 2 * A->count + 1, part * cimag(from->value));
    A->count++;
}

/* Quarters of a value are exact, so the pieces add up to it. */
static void put_row(csr *A, const entry *at, int64_t count, const csr_form *form, test_random *random) {
    SCRATCH int64_t *order = form->unsorted ? permutation_make(count, random) : NULL;
    for (int64_t k = 0; k < count; k++) {
        const entry *x = &at[form->unsorted ? order[k] : k];
        const int pieces = form->duplicates && test_random_unit(random) < 0.3;
        put_entry(A, x, pieces ? 0.25 : 1);
        for (int p = 0; p < 3 && pieces; p++) put_entry(A, x, 0.25);
    }
}

csr csr_make(const triplets *A, const csr_form *form, test_random *random) {
    const size_t room = 4 * (size_t)A->count + 1;
    csr made = {.view = {form->type, form->index, form->base, A->n, A->n, NULL, NULL, NULL},
                .start = calloc((size_t)A->n + 1, sizeof(int64_t)),
                .column = calloc(room, sizeof(int64_t)),
                .values = calloc(room, 2 * sizeof(double))};
    assert_true(made.start && made.column && made.values);
    int64_t e = 0;
    for (int64_t i = 0; i < A->n; i++) {
        const int64_t begin = e;
        put_index(&made, made.start, i, made.count);
        while (e < A->count && A->at[e].row == i) e++;
        put_row(&made, A->at + begin, e - begin, form, random);
    }
    put_index(&made, made.start, A->n, made.count);
    made.view.row_start = made.start;
    made.view.column = made.column;
    made.view.values = made.values;
    return made;
}

void csr_free(csr *A) {
    free(A->start);
    free(A->column);
    free(A->values);
    *A = (csr){0};
}

/* ---- residuals ---- */

static double complex element(clsolve_type type, const double *x, int64_t k) {
    return cls_is_complex(type) ? CMPLX(x[2 * k], x[2 * k + 1]) : x[k];
}

double triplets_backward(const triplets *A, clsolve_type type, clsolve_op op, int64_t nrhs, const double *B,
                         const double *X) {
    const int64_t n = A->n;
    long double complex *r = calloc((size_t)n + 1, sizeof *r);
    double *sum = calloc((size_t)n + 1, sizeof *sum), norm = 0, worst = 0;
    assert_true(r && sum);
    for (int64_t e = 0; e < A->count; e++)
        sum[op == CLSOLVE_NO_TRANS ? A->at[e].row : A->at[e].column] += cabs(A->at[e].value);
    for (int64_t i = 0; i < n; i++) norm = test_worst(norm, sum[i]);
    for (int64_t j = 0; j < nrhs; j++) {
        double of_r = 0, of_x = 0, of_b = 0;
        for (int64_t i = 0; i < n; i++) r[i] = element(type, B, i + j * n);
        for (int64_t e = 0; e < A->count; e++) {
            const entry *x = &A->at[e];
            const double complex value = op == CLSOLVE_CONJ_TRANS ? conj(x->value) : x->value;
            const int64_t to = op == CLSOLVE_NO_TRANS ? x->row : x->column;
            r[to] -=
                (long double complex)value * element(type, X, (op == CLSOLVE_NO_TRANS ? x->column : x->row) + j * n);
        }
        for (int64_t i = 0; i < n; i++) {
            of_r = test_worst(of_r, cabs((double complex)r[i]));
            of_x = test_worst(of_x, cabs(element(type, X, i + j * n)));
            of_b = test_worst(of_b, cabs(element(type, B, i + j * n)));
        }
        worst = test_worst(worst, of_r == 0 ? 0 : of_r / (norm * of_x + of_b));
    }
    free(r);
    free(sum);
    return worst;
}

double triplets_bound(int64_t n, clsolve_type type) {
    return (fmax(sqrt((double)n), 10) + 2) * test_epsilon(type);
}

/* ---- dense copies ---- */

double complex *triplets_dense(const triplets *A) {
    double complex *dense = test_room((A->n * A->n) + 1, sizeof *dense);
    for (int64_t e = 0; e < A->count; e++) dense[A->at[e].row + A->at[e].column * A->n] += A->at[e].value;
    return dense;
}

dense_facts dense_measure(const triplets *A) {
    const lapack_int n = (lapack_int)A->n;
    SCRATCH double complex *dense = triplets_dense(A);
    SCRATCH lapack_int *pivot = test_room(n + 1, sizeof *pivot);
    dense_facts facts = {0};
    const double norm = n > 0 ? LAPACKE_zlange(LAPACK_COL_MAJOR, '1', n, n, dense, n) : 0;
    const lapack_int info = n > 0 ? LAPACKE_zgetrf(LAPACK_COL_MAJOR, n, n, dense, n, pivot) : 0;
    facts.singular = info > 0;
    for (lapack_int k = 0; k < n; k++) {
        const double complex u = dense[k + (int64_t)k * n] * (pivot[k] == k + 1 ? 1 : -1);
        facts.log_abs += log(cabs(u));
        facts.phase += carg(u);
    }
    if (n > 0 && !facts.singular) { /* by the inverse, because an estimate may be far off */
        assert_int_equal(LAPACKE_zgetri(LAPACK_COL_MAJOR, n, dense, n, pivot), 0);
        facts.rcond = 1 / (norm * LAPACKE_zlange(LAPACK_COL_MAJOR, '1', n, n, dense, n));
    }
    return facts;
}
