/*
 * Tiny systems with small whole numbers, drawn at random, with options drawn at random. Determinants and leading minors
 * are computed exactly, so it is known which matrices are singular or not positive definite.
 */
#include "base/type.h"
#include "sparse/patterns.h"
#include "support/fixture.h"

/* Minors stay below 2e6 in size, so the products of two of them are exact. */
enum { MOST = 7, RIGHT = 3, CASES = 1500 };

static double complex whole(double complex x) {
    return CMPLX(nearbyint(creal(x)), nearbyint(cimag(x)));
}

static int swap_rows(int64_t n, double complex *A, int64_t k) {
    int64_t pivot = k;
    while (pivot < n && A[pivot + k * n] == 0) pivot++;
    if (pivot == n) return 0;
    for (int64_t j = 0; j < n && pivot != k; j++) {
        const double complex x = A[k + j * n];
        A[k + j * n] = -A[pivot + j * n];
        A[pivot + j * n] = x;
    }
    return 1;
}

/* Elimination without fractions (E. H. Bareiss, 1968). A[k + k n] becomes the leading minor of order k + 1, unless rows
 * were exchanged. Returns the determinant; `exchange` 0: stops where a minor is zero. */
static double complex bareiss(int64_t n, double complex *A, int exchange) {
    double complex before = 1;
    for (int64_t k = 0; k < n; k++) {
        if (A[k + k * n] == 0 && (!exchange || !swap_rows(n, A, k))) return 0;
        for (int64_t i = k + 1; i < n; i++)
            for (int64_t j = k + 1; j < n; j++)
                A[i + j * n] = whole((A[i + j * n] * A[k + k * n] - A[i + k * n] * A[k + j * n]) / before);
        before = A[k + k * n];
    }
    return before;
}

/* ---- a case ---- */

typedef struct fuzz {
    int number;
    clsolve_type type;
    clsolve_sparse_options options;
    int64_t order[MOST];
    triplets A, read; /* the matrix, and the entries that the solver gets */
    csr rows;
} fuzz;

static void wrong(const fuzz *f, const char *what, clsolve_status status) {
    fail_msg("case %d of seed %llu, n %d, %s: %s gave %s: %s", f->number, (unsigned long long)test_seed(), (int)f->A.n,
             test_type_names[f->type], what, clsolve_status_name(status), clsolve_context_message(context));
}

static double complex small(test_random *random, int is_complex) {
    const double re = (double)test_random_between(random, -2, 2);
    return CMPLX(re, is_complex ? (double)test_random_between(random, -2, 2) : 0);
}

static void draw_matrix(fuzz *f, clsolve_sparse_form form, test_random *random) {
    const int is_definite = form == CLSOLVE_SPARSE_POSITIVE_DEFINITE;
    const double density = 0.15 + 0.7 * test_random_unit(random);
    const int is_complex = cls_is_complex(f->type);
    f->A = (triplets){.n = test_random_between(random, 0, MOST)};
    for (int64_t i = 0; i < f->A.n; i++)
        for (int64_t j = 0; j < f->A.n; j++) {
            if (test_random_unit(random) >= density || (form != CLSOLVE_SPARSE_GENERAL && i < j + is_definite))
                continue;
            const double complex value = small(random, is_complex);
            if (form == CLSOLVE_SPARSE_GENERAL)
                triplets_add(&f->A, i, j, value);
            else
                triplets_add_both(&f->A, form, i, j, value);
        }
    for (int64_t i = 0; i < f->A.n && is_definite; i++)
        triplets_add(&f->A, i, i, (double)test_random_between(random, 1, 4));
    triplets_sort(&f->A);
}

static void draw_options(fuzz *f, clsolve_sparse_form form, test_random *random) {
    static const double thresholds[] = {0, 0.001, 0.1, 1};
    clsolve_sparse_options *o = &f->options;
    int64_t *order = permutation_make(f->A.n, random);
    memcpy(f->order, order, (size_t)f->A.n * sizeof *order);
    free(order);
    *o = (clsolve_sparse_options){.order = (clsolve_sparse_order)test_random_between(random, 0, CLSOLVE_ORDER_GIVEN),
                                  .amalgamation = (clsolve_choice)test_random_between(random, 0, 2),
                                  .threads = (int32_t)test_random_between(random, 0, 2),
                                  .rcond = (int32_t)test_random_between(random, 0, 1)};
    if (o->order == CLSOLVE_ORDER_GIVEN) o->permutation = f->order;
    o->form = form;
    if (form != CLSOLVE_SPARSE_GENERAL) o->part = (clsolve_sparse_part)test_random_between(random, 0, 2);
    if (form == CLSOLVE_SPARSE_POSITIVE_DEFINITE) return;
    const int dissects =
        form != CLSOLVE_SPARSE_GENERAL || o->order == CLSOLVE_ORDER_METIS || o->order == CLSOLVE_ORDER_NESTED;
    o->engine = (clsolve_sparse_engine)test_random_between(random, 0, dissects ? 1 : 2);
    o->matching = (clsolve_choice)test_random_between(random, 0, 2);
    if (o->engine == CLSOLVE_SPARSE_KLU && o->matching == CLSOLVE_CHOICE_ON) o->matching = CLSOLVE_CHOICE_AUTO;
    o->threshold = thresholds[test_random_between(random, 0, 3)];
}

static void draw(fuzz *f, int number, test_random *random) {
    static const clsolve_sparse_form forms[] = {CLSOLVE_SPARSE_POSITIVE_DEFINITE, CLSOLVE_SPARSE_GENERAL,
                                                CLSOLVE_SPARSE_SYMMETRIC, CLSOLVE_SPARSE_GENERAL,
                                                CLSOLVE_SPARSE_HERMITIAN};
    const clsolve_sparse_form of = forms[number % 5];
    *f = (fuzz){.number = number, .type = (clsolve_type)test_random_between(random, CLSOLVE_F32, CLSOLVE_C64)};
    draw_matrix(f, of, random);
    draw_options(f, of, random);
    const clsolve_sparse_part part = f->options.part;
    f->read = (triplets){.n = f->A.n};
    for (int64_t e = 0; e < f->A.count; e++) {
        const entry *x = &f->A.at[e];
        const int read = part == CLSOLVE_SPARSE_WHOLE || (part == CLSOLVE_SPARSE_LOWER) == (x->row >= x->column);
        if (read || x->row == x->column) triplets_add(&f->read, x->row, x->column, x->value);
    }
    const csr_form form = {f->type, test_random_unit(random) < 0.5 ? CLSOLVE_I32 : CLSOLVE_I64,
                           (int)test_random_between(random, 0, 1), (int)test_random_between(random, 0, 1),
                           (int)test_random_between(random, 0, 1)};
    f->rows = csr_make(&f->read, &form, random);
}

/* ---- what is expected ---- */

/* OK; or the status of a matrix that has no factors, or that may have them by rounding alone (`maybe`). */
static clsolve_status expected(const fuzz *f, double complex *det, int *maybe) {
    const int64_t n = f->A.n;
    SCRATCH double complex *dense = triplets_dense(&f->A);
    clsolve_status status = CLSOLVE_OK;
    *maybe = 0;
    if (f->options.form == CLSOLVE_SPARSE_POSITIVE_DEFINITE) {
        *det = bareiss(n, dense, 0);
        for (int64_t k = 0; k < n && status == CLSOLVE_OK; k++) {
            if (creal(dense[k + k * n]) <= 0) status = CLSOLVE_NOT_POSITIVE_DEFINITE;
            *maybe = status != CLSOLVE_OK && dense[k + k * n] == 0;
        }
    } else {
        *det = bareiss(n, dense, 1);
        if (*det == 0) status = CLSOLVE_SINGULAR;
        *maybe = status == CLSOLVE_SINGULAR;
    }
    return status;
}

static void check_solve(const fuzz *f, clsolve_sparse *sparse, int maybe, test_random *random) {
    const int64_t numbers = test_numbers(f->type, f->A.n * RIGHT);
    double B[2 * MOST * RIGHT] = {0}, X[2 * MOST * RIGHT] = {0};
    const clsolve_op op = (clsolve_op)test_random_between(random, CLSOLVE_NO_TRANS, CLSOLVE_CONJ_TRANS);
    scratch_matrix b = test_matrix_make(f->type, CLSOLVE_ROW_MAJOR, f->A.n, RIGHT, 1);
    for (int64_t k = 0; k < numbers; k++) B[k] = (double)test_random_between(random, -9, 9);
    test_matrix_set(&b, B);
    const clsolve_status status = clsolve_sparse_solve(sparse, op, &b.view);
    test_matrix_get(&b, X);
    test_matrix_spare_intact(&b);
    if (status != CLSOLVE_OK && (!maybe || status < 0)) wrong(f, "solve", status);
    if (status != CLSOLVE_OK && memcmp(B, X, sizeof B) != 0) wrong(f, "a solve that changed B", status);
    if (status == CLSOLVE_OK &&
        !(triplets_backward(&f->A, f->type, op, RIGHT, B, X) <= triplets_bound(f->A.n, f->type)))
        wrong(f, "an inaccurate solve", status);
}

static void check_determinant(const fuzz *f, clsolve_sparse *sparse, double complex det) {
    clsolve_report report;
    const clsolve_status status = clsolve_sparse_report(sparse, &report);
    const double complex found =
        report.direct.det_sign * exp(report.direct.log_abs_det) * cexp(CMPLX(0, report.direct.det_phase));
    if (status != CLSOLVE_OK || !(cabs(found - det) < 1e-9 * cabs(det)))
        wrong(f, "a report of another determinant", status);
}

static void run(int number) {
    test_random random = test_random_start(1000 + (uint64_t)number);
    fuzz f;
    double complex det;
    int maybe;
    clsolve_sparse *sparse = NULL;
    draw(&f, number, &random);
    const clsolve_status wanted = expected(&f, &det, &maybe);
    clsolve_status status = clsolve_sparse_create_csr(context, &f.rows.view, &f.options, &sparse);
    if (status != CLSOLVE_OK) wrong(&f, "create", status);
    for (int again = 0; again < 2; again++) {
        status = clsolve_sparse_factor_csr(sparse, &f.rows.view);
        if (status != wanted && !(maybe && status == CLSOLVE_OK)) wrong(&f, "factor", status);
        check_solve(&f, sparse, wanted != CLSOLVE_OK, &random);
        if (wanted == CLSOLVE_OK) check_determinant(&f, sparse, det);
    }
    clsolve_sparse_destroy(sparse);
    csr_free(&f.rows);
    triplets_free(&f.A);
    triplets_free(&f.read);
}

TEST(test_tiny) {
    for (int number = 0; number < CASES; number++) run(number);
}

TEST_PROGRAM_ALONE(open_host, close_context)
