/* Compressed rows in every form: indices of 32 and 64 bits, from 0 and from 1, in all types, columns in any
 * order, entries that are added, sizes from 0; and what is no such matrix. */
#include "solve/sparse_support.h"

/* A view of A in the form asked for, its arrays for free(). */
typedef struct form {
    clsolve_csr view;
    void *start, *column, *value;
} form;

static int is_complex(clsolve_type type) {
    return type == CLSOLVE_C32 || type == CLSOLVE_C64;
}

static int is_double(clsolve_type type) {
    return type == CLSOLVE_F64 || type == CLSOLVE_C64;
}

static void put(clsolve_type type, void *array, int64_t k, double value) {
    if (is_double(type))
        ((double *)array)[k] = value;
    else
        ((float *)array)[k] = (float)value;
}

/* The imaginary part of a complex matrix's entry, which differs from column to column. */
static double imaginary(const sparse *A, int64_t e) {
    return 0.25 * (double)(A->column[e] % 3) * A->value[e];
}

static form make_form(const sparse *A, clsolve_index index, int32_t base, clsolve_type type) {
    size_t rows = (size_t)A->n + 1, count = (size_t)A->count;
    form f = {{type, index, base, A->n, A->n, NULL, NULL, NULL},
              calloc(rows, 8),
              calloc(count + 1, 8),
              calloc(count + 1, 16)};
    const int64_t parts = is_complex(type) ? 2 : 1;
    for (size_t i = 0; i < rows; i++)
        if (index == CLSOLVE_I32)
            ((int32_t *)f.start)[i] = (int32_t)A->start[i] + base;
        else
            ((int64_t *)f.start)[i] = A->start[i] + base;
    for (int64_t e = 0; e < A->count; e++) {
        if (index == CLSOLVE_I32)
            ((int32_t *)f.column)[e] = (int32_t)A->column[e] + base;
        else
            ((int64_t *)f.column)[e] = A->column[e] + base;
        put(type, f.value, e * parts, A->value[e]);
        if (parts == 2) put(type, f.value, 2 * e + 1, imaginary(A, e));
    }
    f.view.row_start = f.start;
    f.view.column = f.column;
    f.view.values = f.value;
    return f;
}

static void free_form(form *f) {
    free(f->start);
    free(f->column);
    free(f->value);
}

/* b = op(A) x for x(k) = (k + 1) (1 - i), of a real A for its real part: pairs. */
static void multiply(const sparse *A, clsolve_op op, clsolve_type type, double *b) {
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
            const int64_t to = op == CLSOLVE_NO_TRANS ? i : A->column[e],
                          from = op == CLSOLVE_NO_TRANS ? A->column[e] : i;
            const double re = A->value[e], x = (double)(from + 1), y = is_complex(type) ? -x : 0;
            const double im = !is_complex(type) ? 0 : op == CLSOLVE_CONJ_TRANS ? -imaginary(A, e) : imaginary(A, e);
            b[2 * to] += re * x - im * y;
            b[2 * to + 1] += re * y + im * x;
        }
}

/* The answer must be that x. */
static void check_form(const sparse *A, clsolve_index index, int32_t base, clsolve_type type, clsolve_op op) {
    const int64_t parts = is_complex(type) ? 2 : 1;
    form f = make_form(A, index, base, type);
    SCRATCH double *b = calloc(2 * ((size_t)A->n + 1), sizeof *b),
                   *given = calloc(2 * ((size_t)A->n + 1), sizeof *given);
    multiply(A, op, type, b);
    for (int64_t k = 0; k < A->n * parts; k++) put(type, given, k, b[parts == 2 ? k : 2 * k]);
    clsolve_matrix B = clsolve_matrix_f64(A->n, 1, given);
    B.type = type;
    clsolve_status status = clsolve_solve_csr(context, op, &f.view, &B, NULL, NULL);
    if (status != CLSOLVE_OK)
        fail_msg("n = %d, index %d, base %d, type %d: %s", (int)A->n, (int)index, (int)base, (int)type,
                 clsolve_context_message(context));
    for (int64_t k = 0; k < A->n * parts; k++) {
        const double x = is_double(type) ? given[k] : (double)((float *)(void *)given)[k];
        const double expected = (double)(k / parts + 1) * (k % parts ? -1 : 1);
        if (!(fabs(x - expected) < (is_double(type) ? 1e-10 : 1e-2) * fabs(expected)))
            fail_msg("type %d, op %d: %g, not %g", (int)type, (int)op, x, expected);
    }
    free_form(&f);
}

static void check_forms(const sparse *A) {
    for (int index = CLSOLVE_I32; index <= CLSOLVE_I64; index++)
        for (int32_t base = 0; base < 2; base++)
            for (int type = CLSOLVE_F32; type <= CLSOLVE_C64; type++)
                check_form(A, (clsolve_index)index, base, (clsolve_type)type,
                           is_complex((clsolve_type)type) ? (clsolve_op)(base + index % 2) : CLSOLVE_NO_TRANS);
}

TEST(test_forms) {
    static const int64_t sizes[] = {0, 1, 2, 3, 5, 40};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        scratch_sparse A = sparse_band(sizes[s], 1, 2, 0, s);
        check_forms(&A);
    }
}

/* Columns in any order, several entries at one place, and rows that are given twice as halves. */
TEST(test_unsorted) {
    scratch_sparse A = sparse_random(60, 5, 20); /* its columns are drawn with repetition, in no order */
    check_forms(&A);
    scratch_sparse twice = sparse_begin(A.n, 2 * A.count);
    for (int64_t i = 0; i < A.n; i++) {
        sparse_row(&twice, i);
        for (int half = 0; half < 2; half++)
            for (int64_t e = A.start[i + 1] - 1; e >= A.start[i]; e--)
                sparse_add(&twice, A.column[e], 0.5 * A.value[e]);
    }
    sparse_row(&twice, A.n);
    check_forms(&twice);

    clsolve_csr view = sparse_view(&twice);
    OWNED(solver) *solver = NULL;
    clsolve_solve_report report;
    assert_int_equal(clsolve_solver_create_csr(context, &view, NULL, &solver), CLSOLVE_OK);
    assert_int_equal(clsolve_solver_report(solver, &report), CLSOLVE_OK);
    assert_true(report.entries <= A.count);
}

#define REFUSED(view, text)                                                                                            \
    do {                                                                                                               \
        clsolve_solver *none = NULL;                                                                                   \
        assert_int_equal(clsolve_solver_create_csr(context, &(view), NULL, &none), CLSOLVE_ERROR_INVALID_ARGUMENT);    \
        assert_null(none);                                                                                             \
        if (!strstr(clsolve_context_message(context), text))                                                           \
            fail_msg("'%s' does not hold '%s'", clsolve_context_message(context), text);                               \
    } while (0)

TEST(test_refused) {
    int32_t start[] = {0, 2, 3, 4}, column[] = {0, 1, 1, 2}, falls[] = {0, 3, 2, 4}, late[] = {1, 2, 3, 4};
    int32_t out[] = {0, 1, 3, 2}, below[] = {0, 1, -1, 2};
    double value[] = {1, 2, 3, 4};
    clsolve_csr good = clsolve_csr_f64(3, start, column, value), bad = good;
    bad.type = 0;
    REFUSED(bad, "type of A is 0");
    bad = good;
    bad.index = 0;
    REFUSED(bad, "index type of A is 0");
    bad = good;
    bad.base = 2;
    REFUSED(bad, "base of A is 2");
    bad = good;
    bad.cols = 4;
    REFUSED(bad, "3 x 4");
    bad = good;
    bad.rows = bad.cols = -1;
    REFUSED(bad, "-1");
    bad = good;
    bad.row_start = NULL;
    REFUSED(bad, "row_start of A is NULL");
    bad = good;
    bad.column = NULL;
    REFUSED(bad, "column of A is NULL");
    bad = good;
    bad.row_start = late;
    REFUSED(bad, "begins with 1");
    bad = good;
    bad.row_start = falls;
    REFUSED(bad, "falls from 3 to 2 after row 1, counted from 0");
    bad = good;
    bad.column = out;
    REFUSED(bad, "row 1 of A has an entry in column 3");
    bad.column = below;
    REFUSED(bad, "row 1 of A has an entry in column -1");
    bad = good;
    bad.base = 1; /* entries of row 1 begin at 0 */
    REFUSED(bad, "begins with 0");
}

TEST_PROGRAM(sparse_set_up, sparse_tear_down)
